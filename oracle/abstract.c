#include "oracle/abstract.h"

enum { LEDGER_FREE, LEDGER_HELD, LEDGER_RUN_OUT, LEDGER_CLOSED, LEDGERS };
enum { NETWORK_CUT = 1, NETWORK_NODE_DOWN = 2, NETWORKS = 4 };
_Static_assert(LEDGERS == ABSTRACT_LEDGERS && NETWORKS == ABSTRACT_NETWORKS, "as the key says");

/* What the last round has seen is on its list. */
void abstract_reset(struct abstract *x, const struct judge_result *r)
{
    for (uint32_t i = 0; i < r->states; i++) {
        uint32_t state = r->state[i].state;
        x->seen[state / 64] &= ~(UINT64_C(1) << state % 64);
    }
    x->ledger = LEDGER_FREE;
    x->network = 0;
}

static uint32_t network_now(const struct state *s)
{
    uint32_t network = 0;
    for (uint32_t d = 0; d < s->devices; d++)
        for (uint32_t n = 0; n < STATE_NET_NODES; n++)
            if (s->device[d].cut[n]) network |= NETWORK_CUT;
    for (uint32_t n = 0; n < s->nodes; n++)
        if (s->node[n].down) network |= NETWORK_NODE_DOWN;
    return network;
}

static void follow(struct abstract *x, const struct state *s, const struct obs *o)
{
    switch (o->kind) {
    case OBS_LEDGER_CLAIMED: x->ledger = LEDGER_HELD; break;
    case OBS_LEDGER_RELEASED: x->ledger = LEDGER_FREE; break;
    case OBS_LEDGER_EXPIRED: x->ledger = LEDGER_RUN_OUT; break;
    case OBS_LEDGER_EPOCH: x->ledger = LEDGER_CLOSED; break;
    case OBS_LEDGER_REOPENED: x->ledger = LEDGER_FREE; break;
    case OBS_LINK_CUT:
    case OBS_LINK_HEALED:
    case OBS_NODE_DOWN:
    case OBS_NODE_UP: x->network = network_now(s); break;
    default: break;
    }
}

void abstract_step(struct abstract *x, const struct state *s, const struct coverage *c,
                   const struct obs *o, struct judge_result *r)
{
    follow(x, s, o);
    bool leaders = o->page == c->owner && o->page != PAGE_NONE;
    uint32_t state = ((uint32_t)c->phase * LEDGERS + x->ledger) * NETWORKS + x->network;
    state = (state * OBS_COUNT + o->kind) * 2 + leaders;
    uint64_t bit = UINT64_C(1) << state % 64;
    if (x->seen[state / 64] & bit || r->states == ROUND_STATES_MAX) return;
    x->seen[state / 64] |= bit;
    r->state[r->states++] = (struct state_reached){ state, o->number };
}
