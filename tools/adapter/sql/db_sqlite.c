/* Statements are prepared once a connection and kept; a ledger has some twenty. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tools/adapter/sql/db.h"

#define KEPT_MAX 64

struct db {
    sqlite3 *handle;
    struct {
        const char *sql;
        sqlite3_stmt *prepared;
    } kept[KEPT_MAX];
    size_t n;
};

static struct db *open(const char *where)
{
    struct db *d = calloc(1, sizeof *d);
    if (!d) db_die(where, "out of memory");
    if (sqlite3_open(where, &d->handle) != SQLITE_OK) db_die(where, sqlite3_errmsg(d->handle));
    sqlite3_extended_result_codes(d->handle, 1);
    return d;
}

/* `sql` is known by its address: the texts live as long as the process. */
static sqlite3_stmt *prepared(struct db *d, const char *sql)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->kept[i].sql == sql) return d->kept[i].prepared;
    if (d->n == KEPT_MAX) db_die(sql, "more statements than are kept");
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(d->handle, sql, -1, &s, NULL) != SQLITE_OK)
        db_die(sql, sqlite3_errmsg(d->handle));
    d->kept[d->n].sql = sql;
    d->kept[d->n++].prepared = s;
    return s;
}

static void bind(sqlite3_stmt *s, const struct db_params *p)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(s); i++) {
        const char *name = sqlite3_bind_parameter_name(s, i) + 1; /* after the colon */
        sqlite3_bind_int64(s, i, db_param(p, name, strlen(name)));
    }
}

static void keep(sqlite3_stmt *s, struct db_rows *rows)
{
    if (rows->n == DB_ROWS_MAX) db_die(sqlite3_sql(s), "more rows than were asked for");
    for (int c = 0; c < sqlite3_column_count(s) && c < DB_COLUMNS_MAX; c++)
        rows->at[rows->n][c] = sqlite3_column_int64(s, c);
    rows->n++;
}

static enum db_said run(struct db *d, const char *sql, const struct db_params *p,
                        struct db_rows *rows)
{
    sqlite3_stmt *s = prepared(d, sql);
    bind(s, p);
    rows->n = 0;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) keep(s, rows);
    sqlite3_reset(s);
    if ((code & 0xff) == SQLITE_BUSY) return DB_BUSY;
    if (code != SQLITE_DONE) db_die(sql, sqlite3_errmsg(d->handle));
    return DB_DONE;
}

static void script(struct db *d, const char *sql)
{
    char *why;
    if (sqlite3_exec(d->handle, sql, NULL, NULL, &why) != SQLITE_OK) db_die(sql, why);
}

static void shut(struct db *d)
{
    for (size_t i = 0; i < d->n; i++) sqlite3_finalize(d->kept[i].prepared);
    sqlite3_close(d->handle);
    free(d);
}

const struct db_kind db_sqlite = { "sqlite.sql", open, run, script, shut };
