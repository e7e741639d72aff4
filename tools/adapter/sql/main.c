/* A fence ledger over SQL that speaks tabquake.ledger.v1 on standard input and output.
 *
 *   ledger-sql sqlite FILE [--mistake NAME]
 *   ledger-sql postgresql CONNECTION [--mistake NAME]
 *
 * Where boot says `"steps": true`, a request is answered `"pending": true` after each statement and
 * goes on at the message `step`; so requests stand between each other's statements. A restart
 * closes every connection and opens it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/adapter/sql/ledger.h"
#include "tools/adapter/sql/statements.h"

#define SESSIONS 2 /* requests in flight at once */
#define VERSION "tabquake.ledger.v1"
#define CLOCKS_APART_US 1000000

struct server {
    const struct db_kind *kind;
    const char *where;
    enum mistake mistake;
    struct session session[SESSIONS];
    json_t *request[SESSIONS];
    bool open;
};

static void connect_all(struct server *v)
{
    for (int i = 0; i < SESSIONS; i++) {
        session_start(&v->session[i], v->kind, v->where, ledger_handle);
        v->session[i].mistake = v->mistake;
        v->session[i].clock_ahead = v->mistake == HOST_CLOCKS ? i * CLOCKS_APART_US : 0;
    }
    v->open = true;
}

static void disconnect_all(struct server *v)
{
    if (!v->open) return;
    for (int i = 0; i < SESSIONS; i++) {
        session_stop(&v->session[i]);
        json_decref(v->request[i]); /* under way: its sender never hears of it */
        v->request[i] = NULL;
    }
    v->open = false;
}

static void print(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    if (!text) db_die("answer", "out of memory");
    puts(text);
    fflush(stdout);
    free(text);
    json_decref(o);
}

static json_t *boot(struct server *v, const json_t *m)
{
    const char *version = json_string_value(json_object_get(m, "version"));
    if (!version || strcmp(version, VERSION) != 0)
        db_die(version ? version : "no version", "accepted " VERSION);
    if (!v->open) connect_all(v);
    ledger_reset(&v->session[0], m);
    for (int i = 0; i < SESSIONS; i++) {
        v->session[i].params = v->session[0].params;
        v->session[i].steps = json_is_true(json_object_get(m, "steps"));
    }
    return json_pack("{sb}", "ok", 1);
}

static json_t *event(struct server *v, const char *what, int64_t now)
{
    struct db_params kept = v->session[0].params;
    bool steps = v->session[0].steps;
    if (strcmp(what, "restart") == 0) {
        disconnect_all(v);
        connect_all(v);
        for (int i = 0; i < SESSIONS; i++) {
            v->session[i].params = kept;
            v->session[i].steps = steps;
        }
    }
    if (!ledger_event(&v->session[0], what, now)) db_die("no such message", what);
    return json_pack("{sb}", "ok", 1);
}

static json_t *rested(struct server *v, int i, enum rest rest)
{
    if (rest == REST_ANSWERED) {
        json_decref(v->request[i]);
        v->request[i] = NULL;
        return v->session[i].answer;
    }
    return json_pack("{sIsbsb}", "id", json_integer_value(json_object_get(v->request[i], "id")),
                     "pending", 1, "waiting", rest == REST_WAITING);
}

/* Takes the message over. */
static json_t *request(struct server *v, json_t *m, int64_t now)
{
    for (int i = 0; i < SESSIONS; i++) {
        if (v->session[i].busy) continue;
        v->request[i] = json_incref(m);
        return rested(v, i, session_begin(&v->session[i], m, now));
    }
    db_die("request", "more at once than there are connections");
}

static json_t *step(struct server *v, json_int_t id, int64_t now)
{
    for (int i = 0; i < SESSIONS; i++)
        if (v->request[i] && json_integer_value(json_object_get(v->request[i], "id")) == id)
            return rested(v, i, session_resume(&v->session[i], now));
    db_die("step", "of a request that is not under way");
}

static json_t *message(struct server *v, json_t *m)
{
    const char *what = json_string_value(json_object_get(m, "do"));
    int64_t now = json_integer_value(json_object_get(m, "now"));
    if (!what) db_die("message", "says not what to do");
    if (strcmp(what, "boot") == 0) return boot(v, m);
    if (!v->open) db_die(what, "before boot");
    if (strcmp(what, "request") == 0) return request(v, m, now);
    if (strcmp(what, "step") == 0)
        return step(v, json_integer_value(json_object_get(m, "id")), now);
    return event(v, what, now);
}

static bool read_mistake(struct server *v, const char *word)
{
    for (int i = 0; i < MISTAKES; i++) {
        if (strcmp(word, mistake_word[i]) != 0) continue;
        v->mistake = (enum mistake)i;
        return true;
    }
    return false;
}

static bool read_arguments(struct server *v, int argc, char **argv)
{
    if (argc != 3 && argc != 5) return false;
    if (strcmp(argv[1], "sqlite") == 0) v->kind = &db_sqlite;
#ifdef TQ_POSTGRESQL
    if (strcmp(argv[1], "postgresql") == 0) v->kind = &db_postgresql;
#endif
    v->where = argv[2];
    if (argc == 5 && (strcmp(argv[3], "--mistake") != 0 || !read_mistake(v, argv[4]))) return false;
    return v->kind != NULL;
}

static int usage(void)
{
    fputs("usage: ledger-sql sqlite FILE | postgresql CONNECTION [--mistake NAME]\nmistakes:",
          stderr);
    for (int i = 1; i < MISTAKES; i++) fprintf(stderr, " %s", mistake_word[i]);
    fputc('\n', stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct server v = { 0 };
    char *line = NULL;
    size_t size = 0;
    if (!read_arguments(&v, argc, argv)) return usage();
    statements_load(v.kind->statements);
    while (getline(&line, &size, stdin) > 0) {
        json_error_t e;
        json_t *m = json_loads(line, 0, &e);
        if (!m) db_die("message", e.text);
        print(message(&v, m));
        json_decref(m);
    }
    free(line);
    disconnect_all(&v);
    return 0;
}
