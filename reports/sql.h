/* SQLite with errors as sentences: what store.c and store_read.c share.
 *
 * After the first failure of a handle every call on it returns false at once. */
#ifndef REPORTS_SQL_H
#define REPORTS_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SQL_STATEMENTS_MAX 64 /* different texts given to sql_run */

struct sql {
    sqlite3 *db;
    const char *path;
    FILE *err;
    int version; /* of the schema, once identified */
    bool failed;
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } cache[SQL_STATEMENTS_MAX];
};

/* Opens; `flags` as for sqlite3_open_v2. */
bool sql_open(struct sql *q, const char *path, int flags, FILE *err);
void sql_close(struct sql *q);

enum sql_identity { SQL_IS_EMPTY, SQL_IS_OURS, SQL_IS_REFUSED };
/* What the file is; SQL_IS_REFUSED after a sentence: no database, another program's,
 * a newer version's. */
enum sql_identity sql_identify(struct sql *q);

/* Runs statements without parameters. */
bool sql_script(struct sql *q, const char *text);

/* Runs one statement. `types` has a letter each parameter: i int64_t, t const char *
 * (NULL is NULL), r double. `text` has to be a literal: statements are kept by it. */
bool sql_run(struct sql *q, const char *text, const char *types, ...);

/* Like sql_run, and returns the statement standing before its first row; step it with
 * sql_row until that says false. NULL on failure. */
sqlite3_stmt *sql_query(struct sql *q, const char *text);
bool sql_row(struct sql *q, sqlite3_stmt *s);

/* Says "PATH: what: SQLite's reason" once, and marks the handle failed. */
bool sql_fail(struct sql *q, const char *what);
/* The same for a reason of our own. */
bool sql_refuse(struct sql *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
