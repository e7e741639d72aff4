#include "reports/sql.h"

#include <stdarg.h>
#include <string.h>

#include "reports/schema.h"
#include "sim/base/must.h"

#define BUSY_MS 5000 /* another process reads; commits take milliseconds */

bool sql_fail(struct sql *q, const char *what)
{
    int code = q->db ? sqlite3_errcode(q->db) : SQLITE_NOMEM;
    const char *reason = q->db ? sqlite3_errmsg(q->db) : sqlite3_errstr(code);
    int system = q->db ? sqlite3_system_errno(q->db) : 0;
    if (q->failed) return false;
    q->failed = true;
    if (code == SQLITE_BUSY) reason = "another program is writing to it";
    if (code == SQLITE_CONSTRAINT) what = "holds some of these rounds already";
    fprintf(q->err, "%s: %s: %s", q->path, what, reason);
    if ((code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && system != 0)
        fprintf(q->err, " (%s)", strerror(system));
    fputc('\n', q->err);
    return false;
}

bool sql_refuse(struct sql *q, const char *format, ...)
{
    va_list args;
    if (q->failed) return false;
    q->failed = true;
    fprintf(q->err, "%s: ", q->path);
    va_start(args, format);
    vfprintf(q->err, format, args);
    va_end(args);
    fputc('\n', q->err);
    return false;
}

bool sql_open(struct sql *q, const char *path, int flags, FILE *err)
{
    *q = (struct sql){ .path = path, .err = err };
    if (sqlite3_open_v2(path, &q->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return sql_fail(q, "cannot be opened");
    sqlite3_busy_timeout(q->db, BUSY_MS);
    return true;
}

void sql_close(struct sql *q)
{
    for (int i = 0; i < SQL_STATEMENTS_MAX; i++) {
        sqlite3_finalize(q->cache[i].statement);
        q->cache[i].statement = NULL;
        q->cache[i].text = NULL;
    }
    sqlite3_close(q->db);
    q->db = NULL;
}

bool sql_script(struct sql *q, const char *text)
{
    if (q->failed) return false;
    return sqlite3_exec(q->db, text, NULL, NULL, NULL) == SQLITE_OK ||
           sql_fail(q, "cannot be written");
}

/* Where the statement for `text` is kept, or will be. */
static int place_of(const struct sql *q, const char *text)
{
    for (int i = 0; i < SQL_STATEMENTS_MAX; i++)
        if (!q->cache[i].text || q->cache[i].text == text) return i;
    must_fail("fewer statements than SQL_STATEMENTS_MAX", __FILE__, __LINE__);
}

/* The statement for `text`, prepared once. */
static sqlite3_stmt *prepared(struct sql *q, const char *text)
{
    if (q->failed) return NULL;
    int i = place_of(q, text);
    if (!q->cache[i].text) {
        if (sqlite3_prepare_v2(q->db, text, -1, &q->cache[i].statement, NULL) != SQLITE_OK) {
            sql_fail(q, "has an unexpected content");
            return NULL;
        }
        q->cache[i].text = text;
    }
    sqlite3_reset(q->cache[i].statement);
    return q->cache[i].statement;
}

bool sql_run(struct sql *q, const char *text, const char *types, ...)
{
    va_list args;
    sqlite3_stmt *s = prepared(q, text);
    if (!s) return false;
    va_start(args, types);
    for (int i = 0; types[i]; i++) {
        must(strchr("itr", types[i]) != NULL);
        if (types[i] == 'i') sqlite3_bind_int64(s, i + 1, va_arg(args, int64_t));
        if (types[i] == 't')
            sqlite3_bind_text(s, i + 1, va_arg(args, const char *), -1, SQLITE_STATIC);
        if (types[i] == 'r') sqlite3_bind_double(s, i + 1, va_arg(args, double));
    }
    va_end(args);
    int code = sqlite3_step(s);
    bool ok = code == SQLITE_DONE || code == SQLITE_ROW || sql_fail(q, "cannot be written");
    sqlite3_reset(s);
    return ok;
}

sqlite3_stmt *sql_query(struct sql *q, const char *text)
{
    return prepared(q, text);
}

bool sql_row(struct sql *q, sqlite3_stmt *s)
{
    if (!s || q->failed) return false;
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) sql_fail(q, "cannot be read");
    sqlite3_reset(s);
    return false;
}

static int64_t number_of(struct sql *q, const char *text)
{
    sqlite3_stmt *s = sql_query(q, text);
    int64_t n = sql_row(q, s) ? sqlite3_column_int64(s, 0) : 0;
    if (s) sqlite3_reset(s);
    return n;
}

enum sql_identity sql_identify(struct sql *q)
{
    int64_t tables = number_of(q, "SELECT count(*) FROM sqlite_master");
    int64_t application = number_of(q, "PRAGMA application_id");
    int64_t version = number_of(q, "PRAGMA user_version");
    if (q->failed) return SQL_IS_REFUSED;
    if (tables == 0 && application == 0) return SQL_IS_EMPTY;
    if (application != SCHEMA_APPLICATION) {
        sql_refuse(q, "a database of another program, not results of a run");
        return SQL_IS_REFUSED;
    }
    if (version > SCHEMA_VERSION) {
        sql_refuse(q, "written by a newer version (schema %d; this program knows %d)", (int)version,
                   SCHEMA_VERSION);
        return SQL_IS_REFUSED;
    }
    q->version = (int)version;
    return SQL_IS_OURS;
}
