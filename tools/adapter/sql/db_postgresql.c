/* Statements are sent without waiting for them: one that stands behind another transaction's lock
 * would hold up the only thread that can end that transaction. Whether it stands there is asked of
 * the server, over a connection of its own, so that the answer is no matter of patience. */
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/adapter/sql/db.h"

#define PARAMS_MAX 16
#define INT8_OID 20
#define NUMBER_MAX 24
#define SQL_MAX 4096
#define LOOK_MS 2 /* between two looks at whether a statement waits */

struct db {
    PGconn *handle, *watch;
    bool sent; /* a statement is on its way: the same one is run again */
};

/* :name becomes $1, $2 ... */
struct numbered {
    char sql[SQL_MAX];
    char value[PARAMS_MAX][NUMBER_MAX];
    const char *values[PARAMS_MAX];
    Oid type[PARAMS_MAX];
    int n;
};

static PGconn *connect(const char *where)
{
    PGconn *c = PQconnectdb(where);
    if (PQstatus(c) != CONNECTION_OK) db_die("connect", PQerrorMessage(c));
    return c;
}

static struct db *open(const char *where)
{
    struct db *d = calloc(1, sizeof *d);
    if (!d) db_die(where, "out of memory");
    d->handle = connect(where);
    d->watch = connect(where);
    return d;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void number(struct numbered *to, const char *sql, const struct db_params *p)
{
    size_t out = 0;
    to->n = 0;
    for (const char *at = sql; *at;) {
        if (out + NUMBER_MAX > SQL_MAX) db_die(sql, "a statement too long");
        size_t n = 0;
        if (*at == ':' && at[1] != ':' && (at == sql || at[-1] != ':'))
            while (is_name(at[1 + n])) n++;
        if (n == 0) {
            to->sql[out++] = *at++;
            continue;
        }
        if (to->n == PARAMS_MAX) db_die(sql, "too many parameters");
        int64_t value = db_param(p, at + 1, n);
        snprintf(to->value[to->n], NUMBER_MAX, "%lld", (long long)value);
        to->values[to->n] = to->value[to->n];
        to->type[to->n] = INT8_OID;
        out += (size_t)snprintf(to->sql + out, SQL_MAX - out, "$%d", ++to->n);
        at += 1 + n;
    }
    to->sql[out] = '\0';
}

static bool waits_for_another(struct db *d)
{
    char ask[96];
    snprintf(ask, sizeof ask, "select cardinality(pg_blocking_pids(%d)) > 0",
             PQbackendPID(d->handle));
    PGresult *r = PQexec(d->watch, ask);
    if (PQresultStatus(r) != PGRES_TUPLES_OK) db_die(ask, PQerrorMessage(d->watch));
    bool waits = *PQgetvalue(r, 0, 0) == 't';
    PQclear(r);
    return waits;
}

static bool has_result(struct db *d, int patience_ms)
{
    struct pollfd p = { .fd = PQsocket(d->handle), .events = POLLIN };
    if (!PQisBusy(d->handle)) return true;
    poll(&p, 1, patience_ms);
    if (!PQconsumeInput(d->handle)) db_die("the server", PQerrorMessage(d->handle));
    return !PQisBusy(d->handle);
}

static int64_t cell(PGresult *r, int row, int column)
{
    const char *text = PQgetvalue(r, row, column);
    return *text == 't' ? 1 : *text == 'f' ? 0 : strtoll(text, NULL, 10);
}

static void take(struct db *d, const char *sql, struct db_rows *rows)
{
    PGresult *r = PQgetResult(d->handle);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        db_die(sql, PQerrorMessage(d->handle));
    if (PQntuples(r) > DB_ROWS_MAX || PQnfields(r) > DB_COLUMNS_MAX)
        db_die(sql, "more rows or columns than were asked for");
    rows->n = (uint32_t)PQntuples(r);
    for (int i = 0; i < PQntuples(r); i++)
        for (int c = 0; c < PQnfields(r); c++) rows->at[i][c] = cell(r, i, c);
    PQclear(r);
    while ((r = PQgetResult(d->handle)) != NULL) PQclear(r);
}

static enum db_said run(struct db *d, const char *sql, const struct db_params *p,
                        struct db_rows *rows)
{
    struct numbered s;
    rows->n = 0;
    if (!d->sent) {
        number(&s, sql, p);
        if (!PQsendQueryParams(d->handle, s.sql, s.n, s.type, s.values, NULL, NULL, 0))
            db_die(sql, PQerrorMessage(d->handle));
        d->sent = true;
    }
    while (!has_result(d, LOOK_MS))
        if (waits_for_another(d)) return DB_BUSY;
    d->sent = false;
    take(d, sql, rows);
    return DB_DONE;
}

static void script(struct db *d, const char *sql)
{
    PGresult *r = PQexec(d->handle, sql);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        db_die(sql, PQerrorMessage(d->handle));
    PQclear(r);
}

static void shut(struct db *d)
{
    PQfinish(d->handle);
    PQfinish(d->watch);
    free(d);
}

const struct db_kind db_postgresql = { "postgresql.sql", open, run, script, shut };
