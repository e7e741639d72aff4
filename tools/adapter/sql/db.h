/* A connection to a database that holds the fence ledger: SQLite or PostgreSQL.
 *
 *   db_open    one more connection to `where`, a file or a libpq connection string; NULL after a
 *              line on standard error
 *   db_run     one statement; rows are whole numbers, booleans 0 and 1
 *   db_script  several statements, nothing comes back
 *   db_close
 *
 * Statements name their parameters (`:now`); db_param has the value of each name. A statement
 * that another transaction keeps waiting says DB_BUSY, has changed nothing, and is run again by
 * the caller with the same arguments. Everything else that goes wrong ends the process with a
 * sentence: a ledger that cannot reach its database answers nobody. */
#ifndef TOOLS_ADAPTER_SQL_DB_H
#define TOOLS_ADAPTER_SQL_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DB_COLUMNS_MAX 16 /* `state` has 14 */
#define DB_ROWS_MAX 8     /* `left-open` has its own limit of 8 */

struct db_params {
    int64_t now, ttl, permitTtl, permitGrace;
    int64_t claim, partition, protocol, tab, op, acked;
    int64_t incarnation, epoch, generation;
};

struct db_rows {
    int64_t at[DB_ROWS_MAX][DB_COLUMNS_MAX];
    uint32_t n;
};

enum db_said { DB_DONE, DB_BUSY };

struct db;

struct db_kind {
    const char *statements; /* the file of its own way of saying things */
    struct db *(*open)(const char *where);
    enum db_said (*run)(struct db *d, const char *sql, const struct db_params *p,
                        struct db_rows *rows);
    void (*script)(struct db *d, const char *sql);
    void (*close)(struct db *d);
};

extern const struct db_kind db_sqlite;
#ifdef TQ_POSTGRESQL
extern const struct db_kind db_postgresql;
#endif

/* The value of a name of n characters; ends the process at one that nobody knows. */
int64_t db_param(const struct db_params *p, const char *name, size_t n);

/* One sentence, exit status 1. */
__attribute__((noreturn)) void db_die(const char *what, const char *why);

#endif
