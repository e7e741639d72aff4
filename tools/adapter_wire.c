/* Nothing that a child says is trusted: every member is looked at before it is used. */
#include "tools/adapter_wire.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

/* -- out ------------------------------------------------------------------------------ */

static char *as_line(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    must(text != NULL);
    size_t n = strlen(text);
    char *line = malloc(n + 2);
    must(line != NULL);
    snprintf(line, n + 2, "%s\n", text);
    free(text);
    return line;
}

static void number(json_t *o, const char *key, int64_t n)
{
    json_object_set_new(o, key, json_integer(n));
}

static json_t *message(const char *what, struct local now)
{
    json_t *o = json_object();
    must(o != NULL);
    json_object_set_new(o, "do", json_string(what));
    number(o, "now", now.us);
    return o;
}

char *wire_boot(const struct contract *c, uint32_t incarnation, struct local now)
{
    json_t *o = message("boot", now);
    json_object_set_new(o, "version", json_string(WIRE_VERSION));
    number(o, "incarnation", incarnation);
    number(o, "ttl", c->lease.ttl_us);
    number(o, "permitTtl", c->permit_ttl_us);
    number(o, "permitGrace", c->permit_grace_us);
    return as_line(o);
}

char *wire_event(const char *what, struct local now)
{
    return as_line(message(what, now));
}

static json_t *parts_of(uint32_t parts)
{
    json_t *a = json_array();
    for (int p = PART_NONE + 1; p < PART_COUNT; p++)
        if (parts & 1u << p) json_array_append_new(a, json_string(commit_part_word[p]));
    return a;
}

char *wire_request(const struct request *r, struct local now)
{
    json_t *o = message("request", now);
    number(o, "id", r->id);
    json_object_set_new(o, "kind", json_string(request_kind_word[r->kind]));
    number(o, "tab", r->tab_instance);
    number(o, "partition", r->partition_key);
    number(o, "protocol", r->protocol);
    if (!fence_is_none(r->fence))
        json_object_set_new(
            o, "fence",
            json_pack("[iii]", r->fence.incarnation, r->fence.epoch, r->fence.generation));
    if (r->op != 0) number(o, "op", r->op);
    if (r->kind == REQ_CLAIM) number(o, "claim", r->key);
    if (r->kind == REQ_COMMIT) json_object_set_new(o, "parts", parts_of(r->parts));
    if (r->kind == REQ_RENEW) number(o, "acked", r->acked);
    if (r->kind == REQ_RECONCILE)
        json_object_set_new(o, "outcome", json_string(outcome_word[r->outcome]));
    return as_line(o);
}

/* -- in ------------------------------------------------------------------------------- */

static bool wrong(char why[WIRE_WHY_MAX], const char *form, ...)
{
    va_list list;
    va_start(list, form);
    vsnprintf(why, WIRE_WHY_MAX, form, list);
    va_end(list);
    return false;
}

static json_t *object(const char *line, char why[WIRE_WHY_MAX])
{
    json_error_t e;
    json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, &e);
    if (o && json_is_object(o)) return o;
    json_decref(o);
    wrong(why, "found %.60s, accepted an object of JSON", *line ? line : "an empty line");
    return NULL;
}

bool wire_done(const char *line, char why[WIRE_WHY_MAX])
{
    json_t *o = object(line, why);
    if (!o) return false;
    bool done = json_is_true(json_object_get(o, "ok"));
    json_decref(o);
    return done || wrong(why, "found %.60s, accepted {\"ok\": true}", line);
}

/* An absent member is 0. */
static bool whole(const json_t *o, const char *key, int64_t max, int64_t *into,
                  char why[WIRE_WHY_MAX])
{
    const json_t *v = json_object_get(o, key);
    *into = 0;
    if (!v) return true;
    *into = json_integer_value(v);
    if (json_is_integer(v) && *into >= 0 && *into <= max) return true;
    return wrong(why, "%s: found no whole number from 0 to %" PRId64, key, max);
}

static bool whole32(const json_t *o, const char *key, uint32_t *into, char why[WIRE_WHY_MAX])
{
    int64_t n;
    bool ok = whole(o, key, UINT32_MAX, &n, why);
    *into = (uint32_t)n;
    return ok;
}

/* An absent list is empty. False: no list of at most `max` whole numbers. */
static bool list(const json_t *o, const char *key, uint32_t max, uint32_t *at, uint32_t *n,
                 char why[WIRE_WHY_MAX])
{
    const json_t *v = json_object_get(o, key);
    *n = 0;
    if (!v) return true;
    bool ok = json_is_array(v) && json_array_size(v) <= max;
    for (size_t i = 0; ok && i < json_array_size(v); i++) {
        json_int_t one = json_integer_value(json_array_get(v, i));
        ok = json_is_integer(json_array_get(v, i)) && one >= 0 && one <= UINT32_MAX;
        at[(*n)++] = (uint32_t)one;
    }
    return ok || wrong(why, "%s: found no list of at most %" PRIu32 " whole numbers", key, max);
}

static bool read_fence(const json_t *o, struct fence *f, char why[WIRE_WHY_MAX])
{
    uint32_t at[3] = { 0 }, n;
    if (!list(o, "fence", 3, at, &n, why)) return false;
    if (n != 0 && n != 3)
        return wrong(why,
                     "fence: found %" PRIu32 " numbers, accepted incarnation, epoch,"
                     " generation",
                     n);
    *f = (struct fence){ at[0], at[1], at[2] };
    return true;
}

static bool read_result(const json_t *o, enum answer_result *into, char why[WIRE_WHY_MAX])
{
    const char *word = json_string_value(json_object_get(o, "result"));
    for (int i = ANS_NONE + 1; word && i < ANS_COUNT; i++) {
        if (strcmp(word, answer_result_word[i]) != 0) continue;
        *into = (enum answer_result)i;
        return true;
    }
    return wrong(why, "result: found %.40s, accepted a word such as OK, FENCED, WAIT",
                 word ? word : "no text");
}

static bool read_answer(const json_t *o, const struct request *r, struct answer *a,
                        char why[WIRE_WHY_MAX])
{
    if (!whole32(o, "id", &a->request, why)) return false;
    if (a->request != r->id)
        return wrong(why, "id: found %" PRIu32 ", accepted %" PRIu32 ", of the request", a->request,
                     r->id);
    return read_result(o, &a->result, why) && read_fence(o, &a->fence, why) &&
           whole32(o, "op", &a->op, why) && whole32(o, "sequence", &a->sequence, why) &&
           whole32(o, "permit", &a->permit, why) && whole(o, "wait", INT64_MAX, &a->wait_us, why) &&
           list(o, "unreconciled", UNRECONCILED_MAX, a->unreconciled, &a->unreconciled_n, why);
}

bool wire_answer(const char *line, const struct request *r, struct answer *a,
                 char why[WIRE_WHY_MAX])
{
    *a = (struct answer){ .kind = r->kind };
    json_t *o = object(line, why);
    bool ok = o && read_answer(o, r, a, why);
    json_decref(o);
    return ok;
}
