/* Facts about authorities, claims and operations; see state.h. What a ledger must
 * not do is recorded all the same: the invariants judge it. */
#include "oracle/state_parts.h"

#include <string.h>

void state_ledger_reset(struct state *s)
{
    memset(s->op, 0, (s->ops + 1) * sizeof s->op[0]);
    for (uint32_t i = 0; i < s->claims; i++) s->claim_slot[s->claim[i].slot] = 0;
    s->ops = s->claims = s->opens = s->queued = s->authorities = 0;
    s->slot = STATE_AUTHORITIES;
    s->was = (struct authority_facts){ 0 };
}

/* -- claims --------------------------------------------------------------------- */

/* The slot that holds the fence, or the free one where it would stand. The table is
 * never more than half full. */
static uint32_t slot_of(const struct state *s, struct fence f)
{
    uint32_t h = (f.incarnation * 0x9E3779B1u) ^ (f.epoch * 0x85EBCA6Bu) ^ f.generation;
    for (uint32_t i = h % STATE_CLAIM_SLOTS;; i = (i + 1) % STATE_CLAIM_SLOTS) {
        uint16_t at = s->claim_slot[i];
        if (at == 0 || fence_equal(s->claim[at - 1].fence, f)) return i;
    }
}

const struct claim_facts *state_claim(const struct state *s, struct fence f)
{
    uint16_t at = s->claim_slot[slot_of(s, f)];
    return at ? &s->claim[at - 1] : NULL;
}

static void claim_add(struct state *s, const struct obs *o, uint16_t owner)
{
    uint32_t slot = slot_of(s, o->fence);
    if (s->claim_slot[slot]) return; /* the first owner stays the owner */
    if (s->claims == STATE_CLAIMS) {
        s->lost |= LOST_CLAIM;
        return;
    }
    s->claim[s->claims] = (struct claim_facts){ .fence = o->fence,
                                                .owner = owner,
                                                .partition = o->partition,
                                                .slot = (uint16_t)slot,
                                                .by = o->number,
                                                .index = o->c };
    s->claim_slot[slot] = (uint16_t)++s->claims;
}

/* -- authorities ------------------------------------------------------------------ */

static uint32_t authority_find(const struct state *s, uint32_t incarnation)
{
    for (uint32_t i = s->authorities; i > 0; i--)
        if (s->authority[i - 1].incarnation == incarnation) return i - 1;
    return STATE_AUTHORITIES;
}

const struct authority_facts *state_authority(const struct state *s, uint32_t incarnation)
{
    uint32_t i = authority_find(s, incarnation);
    return i < STATE_AUTHORITIES ? &s->authority[i] : NULL;
}

const struct authority_facts *state_authority_of(const struct state *s, const struct page_facts *p)
{
    if (s->authorities == 0) return NULL;
    if (s->contract->authority == AUTHORITY_SERVER) return &s->authority[s->authorities - 1];
    uint16_t slot = s->partition[p->partition].authority;
    return slot ? &s->authority[slot - 1] : NULL;
}

static uint32_t authority_make(struct state *s, uint32_t incarnation)
{
    if (s->authorities == STATE_AUTHORITIES) {
        s->lost |= LOST_CLAIM;
        return STATE_AUTHORITIES;
    }
    struct authority_facts *a = &s->authority[s->authorities];
    *a = (struct authority_facts){ .incarnation = incarnation, .owner = PAGE_NONE };
    a->largest_by = a->ended_by = a->protocol_by = a->epoch_by = OBS_NONE;
    return s->authorities++;
}

static void accept(struct state *s, struct authority_facts *a, const struct obs *o, uint16_t owner)
{
    claim_add(s, o, owner);
    if (!fence_is_none(a->largest) && !fence_less(a->largest, o->fence)) return;
    a->largest = o->fence;
    a->owner = owner;
    a->partition = o->partition;
    a->node = o->node;
    a->held = true;
    a->expired = false;
    a->largest_by = o->number;
    a->index = o->c;
}

static void claimed(struct state *s, struct authority_facts *a, const struct obs *o)
{
    accept(s, a, o, o->page);
    if (o->node >= STATE_NET_NODES)
        s->partition[o->node - STATE_NET_NODES].authority = (uint16_t)(s->slot + 1);
    if (o->page == PAGE_SERVER || o->a <= a->protocol) return;
    a->protocol = o->a;
    a->protocol_by = o->number;
    if (o->a <= s->protocol) return;
    s->protocol = o->a;
    state_all_eligible(s);
}

static void epoch_advanced(struct state *s, struct authority_facts *a, const struct obs *o)
{
    accept(s, a, o, PAGE_SERVER);
    a->closed = true;
    a->epoch = o->fence.epoch;
    a->epoch_by = o->number;
}

static void lease_ended(struct authority_facts *a, const struct obs *o)
{
    if (!a->held || !fence_equal(a->largest, o->fence)) return;
    a->held = false;
    a->expired = o->kind == OBS_LEDGER_EXPIRED;
    a->ended_by = o->number;
}

/* -- operations -------------------------------------------------------------------- */

static struct op_facts *op_of(struct state *s, const struct obs *o)
{
    if (o->op == 0) return NULL;
    if (o->op > s->ops_max) {
        s->lost |= LOST_OP;
        return NULL;
    }
    while (s->ops < o->op) {
        struct op_facts *op = &s->op[++s->ops];
        op->kept = op->enqueued = op->taken = op->terminal = OBS_NONE;
        op->effect = op->last = OBS_NONE;
    }
    return &s->op[o->op];
}

static void op_owned(struct op_facts *op, const struct obs *o)
{
    if (op->owners == STATE_OWNERS)
        op->owners_forgotten = true;
    else
        op->owners++;
    for (uint32_t i = op->owners - 1u; i > 0; i--) op->owner[i] = op->owner[i - 1];
    op->owner[0] = (struct op_owner){ o->fence, o->page, o->number };
}

/* An operation is open from its take to its end; one that the provider never saw is
 * nobody's again until it is taken or its effect is asked for. */
static void op_open(struct state *s, struct op_facts *op, const struct obs *o)
{
    if (op->open_at || op->terminal != OBS_NONE) return;
    s->open[s->opens++] = o->op;
    op->open_at = s->opens;
}

static void op_close(struct state *s, struct op_facts *op)
{
    if (!op->open_at) return;
    uint32_t moved = s->open[--s->opens];
    s->open[op->open_at - 1] = moved;
    s->op[moved].open_at = op->open_at;
    op->open_at = 0;
}

static void op_taken(struct state *s, struct op_facts *op, const struct obs *o)
{
    op_owned(op, o);
    op_open(s, op, o);
    if (op->taken == OBS_NONE) op->taken = o->number;
}

static void op_done(struct state *s, struct op_facts *op, const struct obs *o)
{
    op_close(s, op);
    op->terminals++;
    if (op->terminal == OBS_NONE) op->terminal = o->number;
}

static void op_enqueued(struct state *s, struct op_facts *op, const struct obs *o)
{
    if (op->enqueued != OBS_NONE) return;
    op->enqueued = o->number;
    op->node = o->node;
    s->queue[s->queued++] = o->op;
}

static void op_effect(struct op_facts *op, const struct obs *o)
{
    op->effects++;
    if (op->effect == OBS_NONE) op->effect = o->number;
}

void state_op_step(struct state *s, const struct obs *o)
{
    struct op_facts *op = op_of(s, o);
    if (!op) return;
    switch (o->kind) {
    case OBS_LEDGER_TAKEN: op_taken(s, op, o); break;
    case OBS_LEDGER_OWNER: op_owned(op, o); break;
    case OBS_LEDGER_TERMINAL: op_done(s, op, o); break;
    case OBS_LEDGER_ENQUEUED: op_enqueued(s, op, o); break;
    case OBS_LEDGER_COMMITTED: break;
    case OBS_LEDGER_RECONCILED:
        if (o->b == OUTCOME_NEVER_SEEN) op_close(s, op);
        break;
    case OBS_REQUEST_ISSUED:
        if (op->taken != OBS_NONE) op_open(s, op, o);
        return;
    case OBS_EFFECT_EXECUTED: op_effect(op, o); return;
    case OBS_EFFECT_ABSORBED: op->absorbed++; return;
    case OBS_OPERATION_KEPT:
        if (op->kept == OBS_NONE) op->kept = o->number;
        return;
    default: return; /* refused or asked: no work on it */
    }
    op->last = o->number;
    op->last_at = o->at;
}

/* Site data was cleared: what a local ledger had accepted is gone by the user's wish. The
 * same operation may be handed in again, to the next incarnation. */
void state_cleared(struct state *s, const struct obs *o)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->queued; i++) {
        struct op_facts *op = &s->op[s->queue[i]];
        if (op->node != STATE_NET_NODES + o->partition) {
            s->queue[kept++] = s->queue[i];
            continue;
        }
        op_close(s, op);
        op->kept = op->enqueued = op->taken = op->terminal = OBS_NONE;
        op->cleared = true;
        op->terminals = op->owners = 0;
    }
    s->queued = kept;
}

/* -- the dispatch ------------------------------------------------------------------- */

static bool node_known(struct state *s, const struct obs *o)
{
    if (o->node >= STATE_NODES) {
        s->lost |= LOST_PLACE;
        return false;
    }
    if (o->node < STATE_NET_NODES && s->nodes <= o->node) s->nodes = o->node + 1u;
    return true;
}

static void authority_step(struct state *s, struct authority_facts *a, const struct obs *o)
{
    if (o->c > a->last_index) a->last_index = o->c;
    switch (o->kind) {
    case OBS_LEDGER_CLAIMED: claimed(s, a, o); break;
    case OBS_LEDGER_EPOCH: epoch_advanced(s, a, o); break;
    case OBS_LEDGER_RELEASED:
    case OBS_LEDGER_EXPIRED: lease_ended(a, o); break;
    case OBS_LEDGER_REOPENED: a->closed = false; break;
    default: break;
    }
}

void state_ledger_step(struct state *s, const struct obs *o)
{
    if (!node_known(s, o)) return;
    if (o->kind == OBS_LEDGER_ACCEPTABLE) {
        s->node[o->node].acceptable = o->fence;
        s->node[o->node].acceptable_by = o->number;
    }
    s->slot = (uint16_t)authority_find(s, o->fence.incarnation);
    bool makes = o->kind == OBS_LEDGER_CLAIMED || o->kind == OBS_LEDGER_EPOCH;
    if (s->slot == STATE_AUTHORITIES && makes)
        s->slot = (uint16_t)authority_make(s, o->fence.incarnation);
    if (s->slot < STATE_AUTHORITIES) {
        s->was = s->authority[s->slot];
        authority_step(s, &s->authority[s->slot], o);
    } else {
        s->was = (struct authority_facts){ 0 };
    }
    state_op_step(s, o);
}
