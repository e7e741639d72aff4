#include "tools/adapter/sql/session.h"

#include <errno.h>

#include "tools/adapter/sql/statements.h"

static void wait_for(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR) continue;
}

static void *serve(void *s_)
{
    struct session *s = s_;
    for (;;) {
        wait_for(&s->go);
        if (s->ends) return NULL;
        s->answer = s->work(s);
        s->rest = REST_ANSWERED;
        s->busy = false;
        sem_post(&s->rested);
    }
}

void session_start(struct session *s, const struct db_kind *kind, const char *where,
                   json_t *(*work)(struct session *))
{
    s->kind = kind;
    s->work = work;
    s->db = kind->open(where);
    s->busy = s->ends = false;
    s->kind->script(s->db, statement("connect"));
    if (sem_init(&s->go, 0, 0) != 0 || sem_init(&s->rested, 0, 0) != 0 ||
        pthread_create(&s->thread, NULL, serve, s) != 0)
        db_die("session", "no thread");
}

enum rest session_resume(struct session *s, int64_t now)
{
    s->now = now;
    sem_post(&s->go);
    wait_for(&s->rested);
    return s->rest;
}

enum rest session_begin(struct session *s, const json_t *request, int64_t now)
{
    s->request = request;
    s->busy = true;
    return session_resume(s, now);
}

void session_stop(struct session *s)
{
    s->ends = true;
    sem_post(&s->go);
    pthread_join(s->thread, NULL);
    s->kind->close(s->db);
}

static void rest(struct session *s, enum rest why)
{
    s->rest = why;
    sem_post(&s->rested);
    wait_for(&s->go);
    if (s->ends) pthread_exit(NULL); /* closing the connection ends the transaction */
    s->params.now = s->now + s->clock_ahead;
}

void session_run(struct session *s, const char *sql)
{
    while (s->kind->run(s->db, sql, &s->params, &s->rows) == DB_BUSY) rest(s, REST_WAITING);
    if (s->steps) rest(s, REST_BETWEEN);
}
