/* See provider.h. What it remembers is a list in order of arrival; a key that is
 * forgotten, by time or because the list is full, is as good as never seen. A key
 * whose work is going on is never forgotten.
 *
 * It knows keys, not operations: `op` is kept for the history alone. An effect
 * that was asked for under another key is another effect. */
#include "sim/server/provider.h"

#include <string.h>

#include "sim/base/must.h"

void provider_reset(struct provider *p, struct policy policy, struct history *h)
{
    p->policy = policy;
    p->history = h;
    p->n = 0;
}

static int64_t memory_us(const struct provider *p)
{
    bool forgets =
        policy_has(p->policy, POLICY_PROVIDER_FORGETS) || policy_has(p->policy, POLICY_CANARY);
    return forgets ? PROVIDER_FORGETS_US : PROVIDER_MEMORY_US;
}

static void forget_at(struct provider *p, uint32_t i)
{
    must(i < p->n);
    p->n--;
    memmove(&p->seen[i], &p->seen[i + 1], (p->n - i) * sizeof p->seen[0]);
}

static void forget_old(struct provider *p, struct instant at)
{
    for (uint32_t i = p->n; i-- > 0;)
        if (!p->seen[i].running && at.us - p->seen[i].first.us >= memory_us(p)) forget_at(p, i);
}

/* Index of the key, or p->n. */
static uint32_t find(const struct provider *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->seen[i].key == key) return i;
    return p->n;
}

/* Room for one more: the oldest that is not being worked on has to go. */
static bool make_room(struct provider *p)
{
    if (p->n < PROVIDER_KEYS_MAX) return true;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->seen[i].running) continue;
        forget_at(p, i);
        return true;
    }
    return false;
}

static void say(struct provider *p, enum obs_kind kind, const struct request *r, struct instant at,
                uint32_t cause)
{
    struct obs o = obs_make(kind, at, cause);
    o.page = r->page;
    o.request = r->id;
    o.op = r->op;
    o.key = r->key;
    history_add(p->history, &o);
}

static struct answer answer_to(const struct request *r, enum answer_result result)
{
    return (struct answer){ .request = r->id,
                            .kind = r->kind,
                            .result = result,
                            .op = r->op,
                            .fence = r->fence,
                            .node_hint = NODE_NONE,
                            .sent = r->sent };
}

static void effect(struct provider *p, const struct request *r, struct instant at, uint32_t cause,
                   struct answer *a)
{
    uint32_t i = find(p, r->key);
    if (i < p->n) {
        *a = answer_to(r, p->seen[i].running ? ANS_IN_PROGRESS : ANS_OK);
        if (!p->seen[i].running) say(p, OBS_EFFECT_ABSORBED, r, at, cause);
    } else if (!make_room(p)) {
        *a = answer_to(r, ANS_UNAVAILABLE);
    } else {
        p->seen[p->n].key = r->key;
        p->seen[p->n].op = r->op;
        p->seen[p->n].first = at;
        p->seen[p->n].running = true;
        p->n++;
        *a = (struct answer){ .kind = REQ_NONE };
    }
}

static void outcome(struct provider *p, const struct request *r, struct instant at, uint32_t cause,
                    struct answer *a)
{
    uint32_t i = find(p, r->key);
    *a = answer_to(r, ANS_OK);
    a->outcome = OUTCOME_NEVER_SEEN;
    if (i < p->n) a->outcome = p->seen[i].running ? OUTCOME_RUNNING : OUTCOME_DONE;
    struct obs o = obs_make(OBS_EFFECT_ASKED, at, cause);
    o.page = r->page;
    o.request = r->id;
    o.op = r->op;
    o.b = a->outcome;
    history_add(p->history, &o);
}

void provider_request(struct provider *p, const struct request *r, struct instant at,
                      uint32_t cause, struct answer *a)
{
    must(r->kind == REQ_EFFECT || r->kind == REQ_OUTCOME);
    must(r->key != 0);
    forget_old(p, at);
    if (r->kind == REQ_EFFECT)
        effect(p, r, at, cause, a);
    else
        outcome(p, r, at, cause, a);
}

void provider_finish(struct provider *p, const struct request *r, struct instant at, uint32_t cause,
                     struct answer *a)
{
    uint32_t i = find(p, r->key);
    must(r->kind == REQ_EFFECT);
    must(i < p->n);
    must(p->seen[i].running);
    p->seen[i].running = false;
    say(p, OBS_EFFECT_EXECUTED, r, at, cause);
    *a = answer_to(r, ANS_OK);
}
