/* The phase of the leader and the cells that faults hit; see coverage.h.
 *
 * Cheap by two rules: an observation is compared with the faults that wait for their
 * effect, of which there are a handful; and the phase is worked out only after the kinds
 * of observation that can change it. */
#include "oracle/coverage.h"

#include <string.h>

#include "oracle/gate.h"

void coverage_open(struct coverage *x, struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max; /* operations are not told apart */
    *x = (struct coverage){ .pages_max = pages_max };
    x->page = arena_array(a, struct coverage_page, pages_max);
}

void coverage_reset(struct coverage *x, const struct contract *c)
{
    (void)c; /* phases are the same under every contract */
    memset(x->page, 0, x->pages * sizeof x->page[0]);
    memset(x->cell, 0, sizeof x->cell);
    memset(x->planned, 0, sizeof x->planned);
    memset(x->effective, 0, sizeof x->effective);
    x->pages = x->claims = x->pendings = 0;
    x->pending_bits = 0;
    x->owner = x->fenced = PAGE_NONE;
    x->phase = PHASE_NO_LEADER;
}

static struct coverage_page *page_of(struct coverage *x, uint16_t page)
{
    if (page >= x->pages_max) return NULL;
    if (x->pages <= page) x->pages = page + 1u;
    return &x->page[page];
}

/* -- the phase ----------------------------------------------------------------- */

static bool has_lock(const struct state *s, const struct page_facts *p, uint16_t page)
{
    return p->leader_request == 0 || state_lock_holder(s, p->partition) == page;
}

/* The owner lives, its lease too, and its lock is not lost. */
static bool leads(const struct state *s, const struct page_facts *p, uint16_t page)
{
    const struct authority_facts *a = state_authority_of(s, p);
    return p->alive && a && a->held && a->owner == page && has_lock(s, p, page);
}

static enum leader_phase phase_of_candidates(const struct coverage *x, const struct state *s)
{
    uint32_t waiting = 0;
    if (x->claims > 0) return PHASE_CLAIM;
    for (uint32_t i = 0; i < s->partitions; i++) {
        const struct queue_facts *q = &s->partition[i].name[LOCK_NAME_LEADER];
        waiting += q->waiting;
        if (q->holder != 0 && !(s->lock[q->holder].flags & LOCK_IS_FOREIGN)) return PHASE_GRANTED;
    }
    return waiting > 0 ? PHASE_WAITING : PHASE_NO_LEADER;
}

/* It is on its way out, whether the ledger knows that already or not. */
static bool is_leaving(const struct coverage_page *h, const struct page_facts *p,
                       enum leader_phase *phase)
{
    *phase = h->newest[REQ_RELEASE] ? PHASE_RELEASE : PHASE_DRAINING;
    return p->alive && (h->newest[REQ_RELEASE] || p->state == STATE_DRAINING);
}

static enum leader_phase phase_of_owner(const struct coverage_page *h)
{
    const uint32_t *newest = h->newest;
    if (newest[REQ_CLAIM]) return PHASE_CLAIM;
    if (newest[REQ_COMMIT] || newest[REQ_ACK]) return PHASE_COMMIT;
    if (h->unknown || newest[REQ_OUTCOME] || newest[REQ_RECONCILE]) return PHASE_EFFECT_UNKNOWN;
    if (newest[REQ_EFFECT] || newest[REQ_REFRESH]) return PHASE_EFFECT;
    if (newest[REQ_TAKE]) return PHASE_TAKE;
    if (newest[REQ_RENEW]) return PHASE_RENEW;
    return PHASE_IDLE;
}

static enum leader_phase phase_now(const struct coverage *x, const struct state *s)
{
    const struct page_facts *p = state_page(s, x->owner);
    enum leader_phase leaving;
    if (x->fenced != PAGE_NONE) return PHASE_FENCED;
    if (!p) return phase_of_candidates(x, s);
    if (is_leaving(&x->page[x->owner], p, &leaving) && has_lock(s, p, x->owner)) return leaving;
    if (leads(s, p, x->owner)) return phase_of_owner(&x->page[x->owner]);
    return phase_of_candidates(x, s);
}

/* -- what is in flight ---------------------------------------------------------- */

static void claiming(struct coverage *x, struct coverage_page *h, bool is)
{
    if (h->claiming == is) return;
    h->claiming = is;
    x->claims += is ? 1u : ~0u;
}

/* The page knows what became of the effect, whichever answer was lost on the way. */
static void effect_settled(struct coverage_page *h)
{
    h->unknown = false;
    h->newest[REQ_EFFECT] = h->newest[REQ_OUTCOME] = h->newest[REQ_RECONCILE] = 0;
}

/* A page has one operation in flight, so a step of it ends the steps before. */
static void step_begins(struct coverage *x, struct coverage_page *h, uint32_t kind)
{
    switch (kind) {
    case REQ_CLAIM: /* a new life: what the old one never heard of is over */
        memset(h->newest, 0, sizeof h->newest);
        h->unknown = false;
        claiming(x, h, true);
        break;
    case REQ_TAKE:
        effect_settled(h);
        h->newest[REQ_COMMIT] = h->newest[REQ_ACK] = 0;
        break;
    case REQ_COMMIT:
    case REQ_ACK: effect_settled(h); break;
    default: break;
    }
}

static void issued(struct coverage *x, const struct obs *o)
{
    struct coverage_page *h = page_of(x, o->page);
    if (!h || o->a >= REQ_COUNT) return;
    step_begins(x, h, o->a);
    h->newest[o->a] = o->request;
}

static void handled(struct coverage *x, const struct obs *o)
{
    struct coverage_page *h = page_of(x, o->page);
    if (!h || o->a >= REQ_COUNT) return;
    if (o->a == REQ_EFFECT) h->unknown = false;
    if (o->a == REQ_OUTCOME || o->a == REQ_RECONCILE) effect_settled(h);
    if (h->newest[o->a] != o->request) return;
    h->newest[o->a] = 0;
    if (o->a == REQ_CLAIM) claiming(x, h, false);
}

static void answer_lost(struct coverage *x, const struct state *s, const struct obs *o)
{
    const struct request_facts *r = state_request(s, o->request);
    struct coverage_page *h = r ? page_of(x, r->page) : NULL;
    if (h && r->kind == REQ_EFFECT && h->executed == o->request) h->unknown = true;
}

static void executed(struct coverage *x, const struct obs *o)
{
    struct coverage_page *h = page_of(x, o->page);
    if (h) h->executed = o->request;
}

/* -- who leads ------------------------------------------------------------------ */

static void fence_lost(struct coverage *x, const struct state *s, uint16_t page)
{
    const struct page_facts *p = state_page(s, page);
    if (p && p->alive && page == x->owner) x->fenced = page;
}

static void claimed(struct coverage *x, const struct obs *o)
{
    if (o->page == PAGE_SERVER) return; /* the old owner has lost its fence, or gave it back */
    x->owner = o->page;
    x->fenced = PAGE_NONE;
}

static void expired(struct coverage *x, const struct state *s)
{
    if (s->slot < STATE_AUTHORITIES && s->authority[s->slot].expired)
        fence_lost(x, s, s->authority[s->slot].owner);
}

static void refused(struct coverage *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    bool worthless = o->b == ANS_FENCED || o->b == ANS_EPOCH_CLOSED || o->b == ANS_PROTOCOL_TOO_OLD;
    if (p && worthless && o->a != REQ_CLAIM && p->leases > 0 &&
        fence_equal(p->lease[0].fence, o->fence))
        fence_lost(x, s, o->page);
}

static void gave_up(struct coverage *x, const struct obs *o)
{
    if (o->page != x->fenced) return;
    if (o->b != STATE_LEADER && o->b != STATE_DRAINING) x->fenced = PAGE_NONE;
}

static void gone(struct coverage *x, const struct obs *o)
{
    struct coverage_page *h = page_of(x, o->page);
    if (!h) return;
    claiming(x, h, false);
    if (o->page == x->fenced) x->fenced = PAGE_NONE;
}

/* -- faults --------------------------------------------------------------------- */

static void up(uint8_t *count)
{
    if (*count < UINT8_MAX) *count = (uint8_t)(*count + 1);
}

static void begun(struct coverage *x, const struct obs *o)
{
    if (o->a >= FAULT_COUNT) return;
    up(&x->planned[o->a]);
    if (x->pendings == COVERAGE_FAULTS) return; /* not covered rather than wrongly covered */
    x->pending[x->pendings].number = o->number;
    x->pending[x->pendings++].kind = (uint8_t)o->a;
    x->pending_bits |= UINT64_C(1) << o->number % 64;
}

static void remove_pending(struct coverage *x, uint32_t at)
{
    x->pending[at] = x->pending[--x->pendings];
    x->pending_bits = 0;
    for (uint32_t i = 0; i < x->pendings; i++)
        x->pending_bits |= UINT64_C(1) << x->pending[i].number % 64;
}

static void take_effect(struct coverage *x, const struct obs *o)
{
    if (o->kind == OBS_FAULT_ENDED) return;
    for (uint32_t i = 0; i < x->pendings; i++) {
        if (x->pending[i].number != o->cause) continue;
        uint8_t kind = x->pending[i].kind;
        up(&x->cell[kind][x->phase]);
        up(&x->effective[kind]);
        remove_pending(x, i);
        return;
    }
}

/* -- the dispatch --------------------------------------------------------------- */

/* True when the phase may have changed. */
static bool follow(struct coverage *x, const struct state *s, const struct obs *o)
{
    switch (o->kind) {
    case OBS_PAGE_DISCARDED:
    case OBS_PAGE_EVICTED:
    case OBS_PAGE_CRASHED:
    case OBS_PAGE_CLOSED: gone(x, o); return true;
    case OBS_LOCK_REQUESTED:
    case OBS_LOCK_GRANTED:
    case OBS_LOCK_UNAVAILABLE:
    case OBS_LOCK_ABORTED:
    case OBS_LOCK_DROPPED:
    case OBS_LOCK_RELEASED: return o->key == LOCK_NAME_LEADER;
    case OBS_LOCK_STOLEN:
        if (o->key == LOCK_NAME_LEADER) fence_lost(x, s, o->page);
        return true;
    case OBS_STATE_CHANGED: gave_up(x, o); return o->page == x->owner;
    case OBS_REQUEST_ISSUED: issued(x, o); return o->page == x->owner || o->a == REQ_CLAIM;
    case OBS_ANSWER_HANDLED: handled(x, o); return o->page == x->owner || o->a == REQ_CLAIM;
    case OBS_ANSWER_LOST: answer_lost(x, s, o); return true;
    case OBS_EFFECT_EXECUTED: executed(x, o); return false;
    case OBS_LEDGER_CLAIMED: claimed(x, o); return true;
    case OBS_LEDGER_EXPIRED: expired(x, s); return true;
    case OBS_LEDGER_EPOCH: fence_lost(x, s, x->owner); return true;
    case OBS_LEDGER_REFUSED: refused(x, s, o); return true;
    case OBS_LEDGER_RELEASED:
    case OBS_FAULT_BEGUN: return true;
    default: return false;
    }
}

void coverage_step(struct coverage *x, const struct state *s, const struct obs *o)
{
    if (x->pending_bits >> o->cause % 64 & 1) take_effect(x, o);
    if (o->kind == OBS_FAULT_BEGUN) begun(x, o);
    if (follow(x, s, o)) x->phase = phase_now(x, s);
}

void coverage_finish(struct coverage *x, const struct state *s, struct judge_result *r)
{
    (void)s;
    memcpy(r->cell, x->cell, sizeof r->cell);
    memcpy(r->planned, x->planned, sizeof r->planned);
    memcpy(r->effective, x->effective, sizeof r->effective);
}

/* -- cells that cannot be hit ----------------------------------------------------- */

const char *coverage_impossible(enum fault_kind f, enum leader_phase p)
{
    bool nobody_holds = p == PHASE_NO_LEADER; /* while pages wait, foreign code may hold it */
    bool may_have_effect = p == PHASE_NO_LEADER || p == PHASE_EFFECT || p == PHASE_EFFECT_UNKNOWN ||
                           p == PHASE_DRAINING; /* without a leader the server asks it */
    switch (fault_info[f].target) {
    case FAULT_ON_HOLDER: return nobody_holds ? "nobody holds the lock or owns a fence" : NULL;
    case FAULT_ON_WAITER: return p == PHASE_NO_LEADER ? "nobody is queued for the lock" : NULL;
    case FAULT_ON_PROVIDER:
        return may_have_effect ? NULL : "the leader has no request at the provider, which shows it";
    default: return NULL;
    }
}
