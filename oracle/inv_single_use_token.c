/* single-use-token: violated when a rotating refresh token is presented twice by pages, or
 * an answer to a superseded refresh overwrites a newer session or a sign-out.
 * oracle.md, "Safety" (workstream session-refresh).
 *
 * The same refresh may arrive again: its idempotency key says so. Presented twice is a token
 * under two keys, whatever the server makes of it. Tokens of one partition grow, so that of
 * two sessions the one with the larger token is the newer. */
#include "oracle/invariant.h"

#define TOKENS_MAX 1024 /* of a round; a long one uses some 150 */

struct presented {
    uint32_t key, by; /* by: the first presentation; OBS_NONE: none */
};

struct kept {
    uint32_t token, by; /* the newest session, and what put it there */
    uint32_t away_by;   /* who is signed in now is not our account; OBS_NONE: it is */
};

struct own {
    bool lost;
    uint32_t tokens; /* used so far, for the reset */
    struct presented *token;
    struct kept kept[STATE_PARTITIONS];
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->token = arena_array(a, struct presented, TOKENS_MAX + 1);
    own->tokens = TOKENS_MAX;
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    for (uint32_t t = 0; t <= own->tokens; t++) own->token[t].by = OBS_NONE;
    own->tokens = 0;
    own->lost = false;
    for (uint32_t p = 0; p < STATE_PARTITIONS; p++)
        own->kept[p] = (struct kept){ .by = OBS_NONE, .away_by = OBS_NONE };
}

static void present(struct own *own, const struct obs *o, struct finding *f)
{
    if (!is_page(o->page)) return;
    struct presented *t = &own->token[o->a];
    if (o->a > own->tokens) own->tokens = o->a;
    finding_held(f);
    if (t->by == OBS_NONE)
        *t = (struct presented){ o->key, o->number };
    else if (t->key != o->key)
        finding_broken(f, t->by, o->number, "a refresh token is presented by two refreshes");
}

static void store(struct kept *k, const struct obs *o, struct finding *f)
{
    finding_held(f);
    uint32_t newest = o->a ? o->a : o->b; /* a session that ends: of the refused refresh */
    if (k->away_by != OBS_NONE && o->a)
        finding_broken(f, k->away_by, o->number, "the answer to a refresh undoes a sign-out");
    else if (newest < k->token)
        finding_broken(f, k->by, o->number,
                       o->a ? "the answer to a superseded refresh overwrites a newer session"
                            : "the answer to a superseded refresh clears a newer session");
    if (!o->a) return;
    k->token = o->a;
    k->by = o->number;
}

static void sign(struct kept *k, const struct obs *o)
{
    k->away_by = o->a == ACCOUNT_OWN ? OBS_NONE : o->number;
    if (o->a != ACCOUNT_OWN || !o->b) return;
    k->token = o->b;
    k->by = o->number;
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    (void)s;
    bool is_stored = o->kind == OBS_SESSION_STORED || o->kind == OBS_ACCOUNT_CHANGED;
    own->lost |= is_stored ? o->partition >= STATE_PARTITIONS : o->a > TOKENS_MAX;
    if (own->lost) {
        finding_because(f, VERDICT_UNKNOWN, "an id is beyond a capacity");
        return;
    }
    if (o->kind == OBS_ACCOUNT_CHANGED)
        sign(&own->kept[o->partition], o);
    else if (o->kind == OBS_SESSION_STORED)
        store(&own->kept[o->partition], o, f);
    else
        present(own, o, f);
}

static const uint16_t kinds[] = {
    OBS_SESSION_ROTATED, OBS_SESSION_REPEATED, OBS_SESSION_REUSED,
    OBS_SESSION_STORED,  OBS_ACCOUNT_CHANGED,
};

const struct invariant inv_single_use_token = {
    .clause = "Safety, single-use-token",
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
};
