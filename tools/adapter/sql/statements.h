/* The SQL files of sim/server/sql/, compiled in, by the names that stand in them (`-- name: X`). */
#ifndef TOOLS_ADAPTER_SQL_STATEMENTS_H
#define TOOLS_ADAPTER_SQL_STATEMENTS_H

/* Reads ledger.sql and the database's own file. */
void statements_load(const char *own_file);

/* The same address for the same name. Ends the process at a name that is nowhere. */
const char *statement(const char *name);

#endif
