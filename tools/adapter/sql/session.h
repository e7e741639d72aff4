/* A connection with a request on it, which is put aside after each statement.
 *
 *   session_start    opens the connection; `work` handles one request and is called in a thread
 *   session_begin    hands it a request and runs it to its next rest
 *   session_resume   goes on from there
 *   session_stop     closes the connection
 *   session_run      for `work`: one statement of the database, with a rest after it
 *
 * Only one thread runs at a time, the caller's or one session's: the order is the caller's alone,
 * and nothing needs a lock. Without `steps` there is no rest until the answer. */
#ifndef TOOLS_ADAPTER_SQL_SESSION_H
#define TOOLS_ADAPTER_SQL_SESSION_H

#include <jansson.h>
#include <pthread.h>
#include <semaphore.h>

#include "tools/adapter/sql/db.h"

enum rest {
    REST_ANSWERED,
    REST_BETWEEN, /* a statement was run, the next one waits for session_resume */
    REST_WAITING  /* the statement stands behind another session's lock */
};

struct session {
    const struct db_kind *kind;
    struct db *db;
    struct db_params params;
    struct db_rows rows;   /* of the last statement */
    const json_t *request; /* borrowed until the answer */
    json_t *answer;        /* the caller's, when answered */
    json_t *(*work)(struct session *);
    int64_t now, clock_ahead;
    uint32_t mistake;
    bool steps, busy, ends;
    enum rest rest;
    pthread_t thread;
    sem_t go, rested;
};

void session_start(struct session *s, const struct db_kind *kind, const char *where,
                   json_t *(*work)(struct session *));
enum rest session_begin(struct session *s, const json_t *request, int64_t now);
enum rest session_resume(struct session *s, int64_t now);
void session_stop(struct session *s);
void session_run(struct session *s, const char *sql);

#endif
