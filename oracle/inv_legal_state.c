/* legal-state: violated when a client reports a state change that the state machine
 * does not have. A client that reports nothing is unknown, never a pass.
 * oracle.md, "Safety"; protocol.md, "The page".
 *
 *   FOLLOWER -> REQUESTING -> LEADER -> DRAINING -> RELEASED -> FOLLOWER
 *               REQUESTING -> ABORTED -> FOLLOWER
 *               REQUESTING -> DRAINING      the lock came, the claim was refused
 *
 * A document starts as FOLLOWER. LEADER needs a claim's OK that was handled since it
 * became REQUESTING; in stage observe, where nobody claims, its would.lead. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

#define TO(state) (1u << STATE_##state)

static const uint8_t may_become[STATE_COUNT] = {
    [STATE_FOLLOWER] = TO(REQUESTING), [STATE_REQUESTING] = TO(LEADER) | TO(DRAINING) | TO(ABORTED),
    [STATE_LEADER] = TO(DRAINING),     [STATE_DRAINING] = TO(RELEASED),
    [STATE_RELEASED] = TO(FOLLOWER),   [STATE_ABORTED] = TO(FOLLOWER),
};

struct client {
    uint8_t state; /* enum client_state */
    bool entitled; /* claim handled, or would.lead, since it is REQUESTING */
    uint32_t by;   /* 1 + the newest state.changed, 0: none */
};

struct own {
    uint32_t pages;
    struct client *client; /* index: page */
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->pages = pages_max;
    own->client = arena_array(a, struct client, pages_max);
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    for (uint32_t i = 0; i < own->pages; i++)
        own->client[i] = (struct client){ .state = STATE_FOLLOWER };
}

static void changed(struct client *c, const struct obs *o, struct finding *f)
{
    uint32_t before = c->by == 0 ? OBS_NONE : c->by - 1;
    finding_held(f);
    if (o->b >= STATE_COUNT || o->a >= STATE_COUNT)
        finding_broken(f, before, o->number, "a state that the machine does not have");
    else if (o->a != c->state)
        finding_broken(f, before, o->number, "a change from a state that the page was not in");
    else if (!(may_become[o->a] & 1u << o->b))
        finding_broken(f, before, o->number, "a change that the machine does not have");
    else if (o->b == STATE_LEADER && !c->entitled)
        finding_broken(f, before, o->number, "LEADER before a claim's OK was handled");
    *c = (struct client){ .state = (uint8_t)o->b, .by = o->number + 1 };
}

static bool entitles(const struct state *s, const struct obs *o)
{
    if (o->kind == OBS_WOULD_LEAD) return s->contract->stage == STAGE_OBSERVE;
    return o->a == REQ_CLAIM && o->b == ANS_OK;
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (!is_page(o->page)) return;
    struct client *c = &own->client[o->page];
    if (o->kind == OBS_STATE_CHANGED)
        changed(c, o, f);
    else if (entitles(s, o))
        c->entitled = true;
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    (void)s;
    const struct own *own = own_;
    for (uint32_t i = 0; i < f->page.n && f->page.id[i] < own->pages; i++) {
        const struct client *c = &own->client[f->page.id[i]];
        fold_u(f, (uint64_t)c->state << 1 | c->entitled);
    }
}

static const uint16_t kinds[] = { OBS_STATE_CHANGED, OBS_WOULD_LEAD, OBS_ANSWER_HANDLED };

const struct invariant inv_legal_state = {
    .clause = "Safety, legal-state",
    .needs = LOST_PAGE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .fold = fold,
};
