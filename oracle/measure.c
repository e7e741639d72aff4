/* Failover gaps, background holds, overlaps, counts; see measure.h for what is what.
 *
 * Order within one observation: first leases that ran out before it, then who is
 * eligible, then the observation itself. So a gap that begins or ends with an
 * observation is counted up to it with what was true before it. */
#include "oracle/measure.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/must.h"

#define GAP_MIN_US (250 * US_PER_MS) /* shorter ones that the old leader ends dilute */
#define HOLD_PAUSE_US US_PER_S       /* an interruption that does not break a hold */
#define NEVER_US INT64_MAX

void measure_open(struct measure *x, struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max; /* operations are counted, not remembered */
    *x = (struct measure){ .pages_max = pages_max };
    x->page = arena_array(a, struct measure_page, pages_max);
}

void measure_reset(struct measure *x, const struct contract *c)
{
    memset(x->page, 0, x->pages * sizeof x->page[0]);
    memset(x->lead, 0, x->leads * sizeof x->lead[0]);
    memset(&x->leads, 0, sizeof *x - offsetof(struct measure, leads));
    x->contract = c;
    x->pages = 0;
    x->lease_edge_us = NEVER_US;
    x->last = OBS_NONE;
    for (uint32_t i = 0; i < STATE_PARTITIONS; i++) x->holding[i] = PAGE_NONE;
}

/* -- whose is what ------------------------------------------------------------ */

static bool by_server(const struct measure *x)
{
    return x->contract->authority == AUTHORITY_SERVER;
}

static struct measure_lead *lead_of_page(struct measure *x, const struct page_facts *p)
{
    return &x->lead[by_server(x) ? 0 : p->partition];
}

/* NULL when a local ledger's node is none that a partition can have. */
static struct measure_lead *lead_of_node(struct measure *x, uint8_t node)
{
    if (by_server(x)) return &x->lead[0];
    if (node < STATE_NET_NODES || node >= STATE_NODES) return NULL;
    return &x->lead[node - STATE_NET_NODES];
}

static struct measure_page *page_of(struct measure *x, uint16_t page)
{
    must(page < x->pages_max); /* the state's capacity is ours */
    if (x->pages <= page) x->pages = page + 1u;
    return &x->page[page];
}

static bool holds_leader_lock(const struct state *s, const struct page_facts *p, uint16_t page)
{
    uint32_t holder = s->partition[p->partition].name[LOCK_NAME_LEADER].holder;
    const struct lock_facts *l = state_lock(s, holder);
    return l && l->page == page && !(l->flags & LOCK_IS_FOREIGN);
}

/* Its main thread responds and the ledger is reachable in both directions. */
static bool can_act(const struct state *s, const struct page_facts *p)
{
    return state_runs(s, p) && !p->blocked && state_reaches(s, p);
}

/* It still counts the generation as its own: nothing that it handled, issued or said
 * of itself has ended it. */
static bool goes_on(const struct page_facts *p, const struct lease *l)
{
    if (l->fenced != OBS_NONE || l->released != OBS_NONE) return false;
    return p->believes || p->belief_by == OBS_NONE || !fence_equal(p->belief, l->fence);
}

/* Able to lead (oracle.md, "failover"), and until when if nothing happens. */
static bool is_able(const struct state *s, uint16_t page, int64_t *until_us)
{
    const struct page_facts *p = state_page(s, page);
    if (!p || p->leases == 0 || !can_act(s, p)) return false;
    const struct lease *l = &p->lease[0];
    const struct authority_facts *a = state_authority_of(s, p);
    if (!a || !a->held || a->owner != page || !fence_equal(a->largest, l->fence)) return false;
    if (p->leader_request != 0 && !holds_leader_lock(s, p, page)) return false;
    if (!goes_on(p, l)) return false;
    *until_us = state_lease_end(s, p, l).us;
    return s->now.us < *until_us;
}

/* -- gaps ---------------------------------------------------------------------- */

static void next_lease_edge(struct measure *x)
{
    x->lease_edge_us = NEVER_US;
    for (uint32_t i = 0; i < x->leads; i++)
        if (x->lead[i].able && x->lead[i].until_us < x->lease_edge_us)
            x->lease_edge_us = x->lead[i].until_us;
}

static bool somebody_eligible(const struct measure *x, const struct state *s, uint32_t lead)
{
    if (x->contract->stage == STAGE_OBSERVE || x->lead[lead].closed) return false;
    return (by_server(x) ? s->eligible : s->partition[lead].eligible) > 0;
}

static void accrue(struct measure_lead *d, int64_t now_us)
{
    if (!d->able && d->eligible) d->eligible_us += now_us - d->accrued_us;
    d->accrued_us = now_us;
}

static void gap_begins(struct measure_lead *d, int64_t now_us, uint32_t by, enum gap_cause cause)
{
    d->able = false;
    d->since_us = d->accrued_us = now_us;
    d->eligible_us = 0;
    d->began = by;
    d->cause = (uint8_t)cause;
    d->unsure = false;
}

static void gap_keep(struct measure *x, const struct gap_sample *g)
{
    if (x->gaps == SAMPLES_MAX)
        x->samples_lost++;
    else
        x->gap[x->gaps++] = *g;
}

static struct gap_sample gap_ends(struct measure *x, struct measure_lead *d, int64_t now_us,
                                  uint32_t by)
{
    accrue(d, now_us);
    x->raw_us += now_us - d->since_us;
    x->eligible_us += d->eligible_us;
    return (struct gap_sample){ .eligible_us = d->eligible_us,
                                .raw_us = now_us - d->since_us,
                                .cause = d->cause,
                                .began = d->began,
                                .ended = by };
}

static void gap_ends_with(struct measure *x, const struct state *s, struct measure_lead *d,
                          const struct obs *o)
{
    const struct page_facts *p = state_page(s, d->owner);
    struct gap_sample g = gap_ends(x, d, o->at.us, o->number);
    bool old = d->led && d->leader == d->owner && fence_equal(d->fence, p->lease[0].fence);
    g.successor_visible = p->visible;
    g.other_device = d->led && state_page(s, d->leader)->device != p->device;
    if (!old || g.eligible_us >= GAP_MIN_US) gap_keep(x, &g);
    d->able = d->led = true;
    d->leader = d->owner;
    d->fence = p->lease[0].fence;
    d->since_us = o->at.us;
}

static const uint8_t cause_of_why[WHY_COUNT] = {
    [WHY_HIDDEN] = GAP_HIDDEN,   [WHY_MAX_HOLD] = GAP_MAX_HOLD, [WHY_FREEZE] = GAP_FROZEN,
    [WHY_PAGEHIDE] = GAP_CLOSED, [WHY_STOLEN] = GAP_STOLEN,     [WHY_LEASE] = GAP_LEASE,
    [WHY_FENCED] = GAP_FENCED,   [WHY_EPOCH] = GAP_EPOCH,       [WHY_RESUMED] = GAP_OTHER,
    [WHY_OTHER] = GAP_OTHER,
};

static enum gap_cause cause_of(const struct obs *o)
{
    switch (o->kind) {
    case OBS_BELIEF_ENDED: return o->a < WHY_COUNT ? cause_of_why[o->a] : GAP_OTHER;
    case OBS_PAGE_FROZEN: return GAP_FROZEN;
    case OBS_PAGE_CACHED:
    case OBS_PAGE_EVICTED: return GAP_CACHED;
    case OBS_PAGE_DISCARDED: return GAP_DISCARDED;
    case OBS_PAGE_CRASHED: return GAP_CRASHED;
    case OBS_PAGE_CLOSED: return GAP_CLOSED;
    case OBS_PAGE_BLOCKED: return GAP_BLOCKED;
    case OBS_DEVICE_ASLEEP: return GAP_ASLEEP;
    case OBS_LINK_CUT: return GAP_LINK;
    case OBS_NODE_DOWN:
    case OBS_NODE_DECIDES: return GAP_NODE;
    case OBS_LOCK_GRANTED:
    case OBS_LOCK_STOLEN: return GAP_STOLEN;
    case OBS_LOCK_RELEASED: return o->flags & 1 ? GAP_CLOSED : GAP_OTHER;
    case OBS_LEDGER_EXPIRED:
    case OBS_DEVICE_CLOCK: return GAP_LEASE;
    case OBS_LEDGER_EPOCH: return GAP_EPOCH;
    case OBS_LEDGER_CLAIMED:
    case OBS_ANSWER_HANDLED: return GAP_FENCED;
    default: return GAP_OTHER;
    }
}

/* These come before the observation that says what really happened: a document's locks
 * go with it, `pagehide` precedes cache and close, a release precedes the state's end. */
static bool is_unsure(const struct obs *o)
{
    return (o->kind == OBS_BELIEF_ENDED && o->a == WHY_PAGEHIDE) || o->kind == OBS_LOCK_RELEASED ||
           o->kind == OBS_REQUEST_ISSUED;
}

/* The document is gone. */
static bool is_end(const struct obs *o)
{
    return o->kind >= OBS_PAGE_DISCARDED && o->kind <= OBS_PAGE_CLOSED;
}
_Static_assert(OBS_PAGE_CLOSED == OBS_PAGE_DISCARDED + 3, "four ways of being gone");

/* The old leader's own next step names the cause of a gap that has just begun. */
static void better_cause(struct measure_lead *d, const struct obs *o)
{
    if (d->able || !d->unsure || o->page != d->leader) return;
    if (o->kind != OBS_BELIEF_ENDED && o->kind != OBS_PAGE_CACHED && !is_end(o)) return;
    d->cause = (uint8_t)cause_of(o);
    d->unsure = is_unsure(o);
}

static void look(struct measure *x, const struct state *s, struct measure_lead *d,
                 const struct obs *o)
{
    int64_t until_us = 0;
    if (!d->begun) return;
    bool able = is_able(s, d->owner, &until_us);
    if (d->able && !able) {
        x->leader_us += o->at.us - d->since_us;
        gap_begins(d, o->at.us, o->number, cause_of(o));
        d->unsure = is_unsure(o);
    } else if (able && !d->able) {
        gap_ends_with(x, s, d, o);
    }
    if (!able && d->until_us == NEVER_US) return;
    d->until_us = able ? until_us : NEVER_US;
    next_lease_edge(x);
}

static void look_all(struct measure *x, const struct state *s, const struct obs *o)
{
    for (uint32_t i = 0; i < x->leads; i++) look(x, s, &x->lead[i], o);
}

/* Leases that ran out between the observation before and now. */
static void leases_run_out(struct measure *x, int64_t now_us)
{
    for (uint32_t i = 0; i < x->leads; i++) {
        struct measure_lead *d = &x->lead[i];
        if (!d->able || d->until_us > now_us) continue;
        x->leader_us += d->until_us - d->since_us;
        gap_begins(d, d->until_us, x->last, GAP_LEASE);
        d->until_us = NEVER_US;
    }
    next_lease_edge(x);
}

static void eligible_changed(struct measure *x, const struct state *s, int64_t now_us)
{
    for (uint32_t i = 0; i < x->leads; i++) {
        struct measure_lead *d = &x->lead[i];
        if (!d->begun) continue;
        accrue(d, now_us);
        d->eligible = somebody_eligible(x, s, i);
    }
}

/* From here on somebody should lead: a cold start. */
static void lead_begins(struct measure *x, const struct state *s, struct measure_lead *d,
                        const struct obs *o)
{
    if (d->begun) return;
    uint32_t index = (uint32_t)(d - x->lead);
    if (x->leads <= index) x->leads = index + 1;
    d->begun = true;
    d->owner = d->leader = PAGE_NONE;
    d->until_us = NEVER_US;
    gap_begins(d, o->at.us, o->number, GAP_COLD);
    d->eligible = somebody_eligible(x, s, index);
}

/* -- background holds ---------------------------------------------------------- */

static bool other_eligible(const struct measure *x, const struct state *s,
                           const struct page_facts *p)
{
    uint32_t all = by_server(x) ? s->eligible : s->partition[p->partition].eligible;
    return all > (p->eligible ? 1u : 0u);
}

/* A page that is gone goes on holding until the manager says that it does not. */
static bool in_background(const struct state *s, const struct page_facts *p, uint16_t page,
                          bool already)
{
    if (p->foreign || !holds_leader_lock(s, p, page)) return false;
    return p->alive ? !p->visible || p->frozen || p->cached : already;
}

static void hold_keep(struct measure *x, struct measure_page *h)
{
    int64_t held_us = h->held_to_us - h->held_from_us;
    h->paused = false;
    if (x->holds == SAMPLES_MAX) {
        x->samples_lost++;
        return;
    }
    x->hold[x->holds++] = (struct hold_sample){ .held_us = held_us,
                                                .overrun = held_us > x->contract->max_hold_us,
                                                .nobody_else = !h->other_eligible,
                                                .began = h->held_by };
}

static void hold_begins(struct measure *x, struct measure_page *h, const struct obs *o)
{
    bool same = h->paused && o->at.us - h->held_to_us <= HOLD_PAUSE_US;
    if (h->paused && !same) hold_keep(x, h);
    h->paused = false;
    h->holding = true;
    if (same) return;
    h->other_eligible = false;
    h->held_from_us = o->at.us;
    h->held_by = o->number;
}

static void hold_look(struct measure *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    if (!p) return;
    struct measure_page *h = page_of(x, o->page);
    bool holding = in_background(s, p, o->page, h->holding);
    if (holding == h->holding) return;
    if (holding) {
        hold_begins(x, h, o);
        h->other_eligible |= other_eligible(x, s, p);
        x->holding[p->partition] = o->page;
        return;
    }
    h->holding = false;
    h->paused = true;
    h->held_to_us = o->at.us;
    if (x->holding[p->partition] == o->page) x->holding[p->partition] = PAGE_NONE;
}

static void holds_see_eligible(struct measure *x, const struct state *s)
{
    for (uint32_t i = 0; i < s->partitions; i++) {
        if (x->holding[i] == PAGE_NONE) continue;
        const struct page_facts *p = state_page(s, x->holding[i]);
        x->page[x->holding[i]].other_eligible |= other_eligible(x, s, p);
    }
}

/* -- beliefs and steals -------------------------------------------------------- */

static void belief_look(struct measure *x, const struct page_facts *p, const struct obs *o)
{
    struct measure_page *h = page_of(x, o->page);
    bool believes = p->believes && p->alive;
    if (believes == h->believes) return;
    h->believes = believes;
    struct measure_lead *d = lead_of_page(x, p);
    d->believers += believes ? 1u : ~0u;
    if (believes && d->believers == 2) {
        x->overlaps++;
        d->overlap_since_us = o->at.us;
    }
    if (!believes && d->believers == 1) x->overlap_us += o->at.us - d->overlap_since_us;
}

/* Asked for by code that is not the contract's. */
static bool is_foreign(const struct state *s, uint32_t request)
{
    const struct lock_facts *l = state_lock(s, request);
    const struct page_facts *p = l ? state_page(s, l->page) : NULL;
    return (l && l->flags & LOCK_IS_FOREIGN) || (p && p->foreign);
}

static void stolen(struct measure *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *victim = state_page(s, o->page);
    if (is_foreign(s, o->b)) return;
    x->steals++;
    if (victim && can_act(s, victim) && !is_foreign(s, o->request)) x->needless_steals++;
}

/* -- the dispatch -------------------------------------------------------------- */

static void page_step(struct measure *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    if (!p) return;
    struct measure_lead *d = lead_of_page(x, p);
    if (o->kind == OBS_PAGE_CREATED && p->created) lead_begins(x, s, d, o);
    if (is_end(o)) belief_look(x, p, o);
    better_cause(d, o);
    if (o->page == d->owner) look(x, s, d, o);
    hold_look(x, s, o);
}

static void lock_step(struct measure *x, const struct state *s, const struct obs *o)
{
    if (o->key != LOCK_NAME_LEADER) return;
    if (o->kind == OBS_LOCK_STOLEN) stolen(x, s, o);
    look_all(x, s, o);
    hold_look(x, s, o);
}

static void belief_step(struct measure *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    if (!p) return;
    struct measure_lead *d = lead_of_page(x, p);
    belief_look(x, p, o);
    better_cause(d, o);
    look(x, s, d, o);
}

/* A generation was taken, by a page or by the server. */
static void generation_step(struct measure *x, const struct state *s, struct measure_lead *d)
{
    if (s->slot == STATE_AUTHORITIES) return; /* more incarnations than the state keeps */
    if (d->generations++ > 0) x->transitions++;
    d->owner = s->authority[s->slot].owner;
}

static void ledger_step(struct measure *x, const struct state *s, const struct obs *o)
{
    struct measure_lead *d = lead_of_node(x, o->node);
    if (!d || !d->begun) return;
    if (o->kind == OBS_LEDGER_CLAIMED || o->kind == OBS_LEDGER_EPOCH) generation_step(x, s, d);
    if (o->kind == OBS_LEDGER_EPOCH) d->closed = true;
    if (o->kind == OBS_LEDGER_REOPENED) d->closed = false;
    eligible_changed(x, s, o->at.us);
    look(x, s, d, o);
}

static void request_step(struct measure *x, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    bool matters = o->kind == OBS_ANSWER_HANDLED || o->a == REQ_RELEASE;
    if (p && matters) look(x, s, lead_of_page(x, p), o);
}

static bool is_for_ledger(const struct state *s, const struct obs *o)
{
    const struct request_facts *r = state_request(s, o->request);
    return o->node != NODE_NONE && !(r && (r->kind == REQ_EFFECT || r->kind == REQ_OUTCOME));
}

/* What is only counted. */
static void count_step(struct measure *x, const struct state *s, const struct obs *o)
{
    switch (o->kind) {
    case OBS_REQUEST_ARRIVED: x->ledger_requests += is_for_ledger(s, o); break;
    case OBS_LEDGER_REFUSED: x->fenced += o->b == ANS_FENCED; break;
    case OBS_LEDGER_RENEWED: x->renewals++; break;
    case OBS_LEDGER_RECONCILED: x->reconciled++; break;
    case OBS_LEDGER_ENQUEUED: x->operations++; break;
    case OBS_LEDGER_COMMITTED: x->commits++; break;
    case OBS_EFFECT_EXECUTED: x->effects++; break;
    case OBS_EFFECT_ABSORBED: x->absorbed++; break;
    default: break;
    }
}

void measure_step(struct measure *x, const struct state *s, const struct obs *o)
{
    if (o->at.us >= x->lease_edge_us) leases_run_out(x, o->at.us);
    if (s->eligible != x->eligible) {
        x->eligible = s->eligible;
        eligible_changed(x, s, o->at.us);
        holds_see_eligible(x, s);
    }
    switch (o->kind) {
    case OBS_ROUND_STARTED:
        if (by_server(x)) lead_begins(x, s, &x->lead[0], o);
        break;
    case OBS_PAGE_CREATED:
    case OBS_PAGE_VISIBLE:
    case OBS_PAGE_HIDDEN:
    case OBS_PAGE_FROZEN:
    case OBS_PAGE_RESUMED:
    case OBS_PAGE_CACHED:
    case OBS_PAGE_RESTORED:
    case OBS_PAGE_BLOCKED:
    case OBS_PAGE_UNBLOCKED:
    case OBS_PAGE_DISCARDED:
    case OBS_PAGE_EVICTED:
    case OBS_PAGE_CRASHED:
    case OBS_PAGE_CLOSED: page_step(x, s, o); break;
    case OBS_DEVICE_ASLEEP:
    case OBS_DEVICE_AWAKE:
    case OBS_DEVICE_CLOCK:
    case OBS_LINK_CUT:
    case OBS_LINK_HEALED:
    case OBS_NODE_DOWN:
    case OBS_NODE_UP:
    case OBS_NODE_DECIDES: look_all(x, s, o); break;
    case OBS_LOCK_GRANTED:
    case OBS_LOCK_STOLEN:
    case OBS_LOCK_RELEASED: lock_step(x, s, o); break;
    case OBS_BELIEF_BEGAN:
    case OBS_BELIEF_ENDED: belief_step(x, s, o); break;
    case OBS_REQUEST_ISSUED:
    case OBS_ANSWER_HANDLED: request_step(x, s, o); break;
    case OBS_LEDGER_CLAIMED:
    case OBS_LEDGER_RELEASED:
    case OBS_LEDGER_EXPIRED:
    case OBS_LEDGER_EPOCH:
    case OBS_LEDGER_REOPENED: ledger_step(x, s, o); break;
    default: count_step(x, s, o); break;
    }
    x->last = o->number;
}

/* -- the end ------------------------------------------------------------------- */

static void leads_end(struct measure *x, int64_t now_us)
{
    for (uint32_t i = 0; i < x->leads; i++) {
        struct measure_lead *d = &x->lead[i];
        if (!d->begun) continue;
        if (d->believers >= 2) x->overlap_us += now_us - d->overlap_since_us;
        if (d->able) {
            x->leader_us += now_us - d->since_us;
            continue;
        }
        struct gap_sample g = gap_ends(x, d, now_us, x->last);
        g.open = 1;
        gap_keep(x, &g);
    }
}

static void holds_end(struct measure *x, int64_t now_us)
{
    for (uint32_t i = 0; i < x->pages; i++) {
        struct measure_page *h = &x->page[i];
        if (h->holding) h->held_to_us = now_us;
        if (h->holding || h->paused) hold_keep(x, h);
    }
}

void measure_finish(struct measure *x, const struct state *s, struct judge_result *r)
{
    leads_end(x, s->now.us);
    holds_end(x, s->now.us);
    /* without these facts gaps and holds may be missing: the round is unknown */
    if (s->lost & ~(uint32_t)LOST_OP) x->samples_lost++;
    memcpy(r->gap, x->gap, x->gaps * sizeof x->gap[0]);
    memcpy(r->hold, x->hold, x->holds * sizeof x->hold[0]);
    r->gaps = x->gaps;
    r->holds = x->holds;
    r->samples_lost = x->samples_lost;
    r->overlaps = x->overlaps;
    r->overlap_us = x->overlap_us;
    r->leader_us = x->leader_us;
    r->eligible_us = x->eligible_us;
    r->raw_us = x->raw_us;
    r->transitions = x->transitions;
    r->steals = x->steals;
    r->needless_steals = x->needless_steals;
    r->fenced = x->fenced;
    r->reconciled = x->reconciled;
    r->absorbed = x->absorbed;
    r->renewals = x->renewals;
    r->ledger_requests = x->ledger_requests;
    r->operations = x->operations;
    r->effects = x->effects;
    r->commits = x->commits;
}
