/* Facts about the round, pages, devices, nodes and requests; see state.h. Locks
 * and ledger have files of their own: state_locks.c, state_ledger.c. */
#include "oracle/state_parts.h"

#include <string.h>

void state_open(struct state *s, struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    *s = (struct state){ .pages_max = pages_max, .ops_max = ops_max };
    s->page = arena_array(a, struct page_facts, pages_max);
    s->op = arena_array(a, struct op_facts, ops_max + 1);
    s->request = arena_array(a, struct request_facts, STATE_REQUESTS);
    s->lock = arena_array(a, struct lock_facts, STATE_REQUESTS);
    s->claim = arena_array(a, struct claim_facts, STATE_CLAIMS);
    s->claim_slot = arena_array(a, uint16_t, STATE_CLAIM_SLOTS);
    s->open = arena_array(a, uint32_t, ops_max);
    s->queue = arena_array(a, uint32_t, ops_max);
}

/* Only what the last history used is cleared: a reset costs what a round did. */
void state_reset(struct state *s, const struct contract *c)
{
    memset(s->page, 0, s->pages * sizeof s->page[0]);
    memset(s->request, 0, s->requests * sizeof s->request[0]);
    state_locks_reset(s);
    state_ledger_reset(s);
    s->contract = c;
    s->lost = 0;
    s->now = s->before = (struct instant){ 0 };
    s->pages = s->requests = s->observations = s->devices = s->partitions = 0;
    s->nodes = 1;
    memset(s->device, 0, sizeof s->device);
    for (uint32_t i = 0; i < STATE_DEVICES; i++) {
        s->device[i].reaches = true;
        s->device[i].cut_by = s->device[i].slept_by = OBS_NONE;
    }
    memset(s->node, 0, sizeof s->node);
    for (uint32_t i = 0; i < STATE_NODES; i++) {
        s->node[i].decides = i == 0 || i >= STATE_NET_NODES;
        s->node[i].acceptable_by = s->node[i].changed_by = OBS_NONE;
    }
    memset(s->account, ACCOUNT_OWN, sizeof s->account);
    s->eligible = s->protocol = 0;
    s->started = s->healed = s->ended = OBS_NONE;
    s->healed_at = s->ended_at = (struct instant){ 0 };
    s->progress_us = 0;
    s->cut_short = false;
}

/* -- who could lead ----------------------------------------------------------- */

bool state_reaches(const struct state *s, const struct page_facts *p)
{
    if (s->contract->authority == AUTHORITY_SERVER) return s->device[p->device].reaches;
    const struct node_facts *own = &s->node[STATE_NET_NODES + p->partition];
    return !own->down && own->decides;
}

void state_page_eligible(struct state *s, struct page_facts *p)
{
    bool is = state_runs(s, p) && p->locks && p->may_lead && p->protocol >= s->protocol &&
              state_reaches(s, p) && s->account[p->partition] == ACCOUNT_OWN;
    if (is == p->eligible) return;
    p->eligible = is;
    s->eligible += is ? 1u : ~0u;
    s->partition[p->partition].eligible += is ? 1u : ~0u;
}

void state_all_eligible(struct state *s)
{
    for (uint32_t i = 0; i < s->pages; i++)
        if (s->page[i].created) state_page_eligible(s, &s->page[i]);
}

/* -- documents ---------------------------------------------------------------- */

static void page_init(struct page_facts *p)
{
    *p = (struct page_facts){ .state = STATE_FOLLOWER };
    p->born = p->gone = p->stopped = p->hidden_by = p->belief_by = p->state_by = OBS_NONE;
}

struct page_facts *state_page_of(struct state *s, const struct obs *o)
{
    return o->page < s->pages_max ? &s->page[o->page] : NULL;
}

/* Every observation: the page that it names has facts, or is beyond the array. */
static void page_seen(struct state *s, uint16_t page)
{
    if (page < s->pages_max)
        while (s->pages <= page) page_init(&s->page[s->pages++]);
    else if (page < PAGE_SERVER)
        s->lost |= LOST_PAGE;
}

static void page_created(struct state *s, struct page_facts *p, const struct obs *o)
{
    if (p->created) return; /* numbers of documents are unique in a round */
    if (o->device >= STATE_DEVICES || o->partition >= STATE_PARTITIONS) {
        s->lost |= LOST_PLACE;
        return;
    }
    page_init(p);
    p->created = p->alive = true;
    p->visible = o->flags & PAGE_IS_VISIBLE;
    p->locks = o->flags & PAGE_HAS_LOCKS;
    p->may_lead = o->flags & PAGE_MAY_LEAD && !(o->flags & PAGE_IS_FOREIGN);
    p->foreign = o->flags & PAGE_IS_FOREIGN;
    p->device = o->device;
    p->partition = o->partition;
    p->tab = o->a;
    p->protocol = o->b;
    p->born = o->number;
    if (s->devices <= o->device) s->devices = o->device + 1u;
    if (s->partitions <= o->partition) s->partitions = o->partition + 1u;
}

static void page_stopped(struct page_facts *p, const struct obs *o)
{
    p->stopped = o->number;
    p->frozen = o->kind == OBS_PAGE_FROZEN || p->frozen;
    p->cached = o->kind == OBS_PAGE_CACHED || p->cached;
}

static void page_gone(struct page_facts *p, const struct obs *o)
{
    p->stopped = p->gone = o->number;
    p->gone_at = o->at;
    p->alive = p->visible = p->frozen = p->cached = p->blocked = false;
}

static void page_hidden(struct page_facts *p, const struct obs *o)
{
    p->visible = false;
    p->hidden_by = o->number;
}

static void page_step(struct state *s, const struct obs *o)
{
    struct page_facts *p = state_page_of(s, o);
    if (!p) return;
    switch (o->kind) {
    case OBS_PAGE_CREATED: page_created(s, p, o); break;
    case OBS_PAGE_VISIBLE: p->visible = true; break;
    case OBS_PAGE_HIDDEN: page_hidden(p, o); break;
    case OBS_PAGE_FROZEN:
    case OBS_PAGE_CACHED: page_stopped(p, o); break;
    case OBS_PAGE_RESUMED: p->frozen = false; break;
    case OBS_PAGE_RESTORED: p->cached = p->frozen = false; break;
    case OBS_PAGE_BLOCKED: p->blocked = true; break;
    case OBS_PAGE_UNBLOCKED:
        p->blocked = false;
        p->unblocked_at = o->at;
        break;
    case OBS_PAGE_LOCKS: p->locks = o->a == 1; break;
    default: page_gone(p, o); break; /* discarded, evicted, crashed, closed */
    }
    state_page_eligible(s, p);
}

/* -- devices, links, nodes ---------------------------------------------------- */

static void reach_all(struct state *s)
{
    for (uint32_t d = 0; d < STATE_DEVICES; d++) {
        s->device[d].reaches = false;
        for (uint32_t n = 0; n < s->nodes; n++)
            if (!s->node[n].down && s->node[n].decides && s->device[d].cut[n] == 0)
                s->device[d].reaches = true;
    }
    state_all_eligible(s);
}

/* A clock that changes its rate: what the pages' readings would be now. */
static void clock_changed(struct state *s, uint8_t device, int32_t ppm)
{
    struct device_facts *d = &s->device[device];
    for (uint32_t i = 0; i < s->pages; i++) {
        struct page_facts *p = &s->page[i];
        if (p->device != device) continue;
        int64_t passed = s->now.us - p->clock_at.us;
        p->clock_local += (uint32_t)(passed + passed * d->clock_ppm / 1000000);
        p->clock_at = s->now;
    }
    d->clock_ppm = ppm > -1000000 ? ppm : -999999;
}

static void link_changed(struct state *s, struct device_facts *d, const struct obs *o)
{
    uint32_t first = o->node == NODE_NONE ? 0 : o->node;
    uint32_t last = o->node == NODE_NONE ? STATE_NET_NODES - 1 : o->node;
    if (last >= STATE_NET_NODES) {
        s->lost |= LOST_PLACE;
        return;
    }
    if (o->node != NODE_NONE && s->nodes <= last) s->nodes = last + 1;
    for (uint32_t n = first; n <= last; n++) {
        if (o->kind == OBS_LINK_CUT)
            d->cut[n] = (uint8_t)(d->cut[n] | o->a);
        else
            d->cut[n] = (uint8_t)(d->cut[n] & ~o->a);
    }
    d->cut_by = o->number;
    reach_all(s);
}

static void device_step(struct state *s, const struct obs *o)
{
    if (o->device >= STATE_DEVICES) {
        s->lost |= LOST_PLACE;
        return;
    }
    struct device_facts *d = &s->device[o->device];
    if (s->devices <= o->device) s->devices = o->device + 1u;
    switch (o->kind) {
    case OBS_DEVICE_CLOCK: clock_changed(s, o->device, (int32_t)o->a); break;
    case OBS_LINK_CUT:
    case OBS_LINK_HEALED: link_changed(s, d, o); break;
    default:
        d->asleep = o->kind == OBS_DEVICE_ASLEEP;
        d->slept_by = o->number;
        state_all_eligible(s);
        break;
    }
}

static void node_step(struct state *s, const struct obs *o)
{
    if (o->node >= STATE_NODES) {
        s->lost |= LOST_PLACE;
        return;
    }
    struct node_facts *n = &s->node[o->node];
    if (o->node < STATE_NET_NODES && s->nodes <= o->node) s->nodes = o->node + 1u;
    if (o->kind == OBS_NODE_DECIDES)
        n->decides = o->a == 1;
    else
        n->down = o->kind == OBS_NODE_DOWN;
    if (n->down) n->acceptable = (struct fence){ 0 }; /* a crashed node accepts nothing */
    n->changed_by = o->number;
    reach_all(s);
}

/* Who is signed in in a partition: pages of another account cannot lead for ours. */
static void account_step(struct state *s, const struct obs *o)
{
    if (o->partition >= STATE_PARTITIONS) {
        s->lost |= LOST_PLACE;
        return;
    }
    s->account[o->partition] = (uint8_t)(o->a < ACCOUNT_COUNT ? o->a : ACCOUNT_NONE);
    state_all_eligible(s);
}

/* -- requests to ledger and provider ------------------------------------------- */

static struct request_facts *request_of(struct state *s, const struct obs *o)
{
    if (o->request >= STATE_REQUESTS) {
        s->lost |= LOST_REQUEST;
        return NULL;
    }
    while (s->requests <= o->request) {
        struct request_facts *r = &s->request[s->requests++];
        r->issued = r->arrived = r->lost = r->handled = OBS_NONE;
    }
    return &s->request[o->request];
}

static void clock_read(struct page_facts *p, const struct obs *o)
{
    p->clock_local = o->local;
    p->clock_at = o->at;
}

static void request_issued(struct state *s, struct request_facts *r, const struct obs *o)
{
    r->known = true;
    r->page = o->page;
    r->kind = (uint8_t)o->a;
    r->fence = o->fence;
    r->op = o->op;
    r->key = o->key;
    r->local = o->local;
    r->issued = o->number;
    r->issued_at = o->at;
    if (o->a == REQ_EFFECT) state_op_step(s, o);
    struct page_facts *p = state_page_of(s, o);
    if (!p) return;
    clock_read(p, o);
    struct lease *l = (struct lease *)page_lease(p, o->fence);
    if (o->a == REQ_RELEASE && l && l->released == OBS_NONE) l->released = o->number;
}

/* A claim's answer opens a lease, or renews it when the claim was repeated. */
static void lease_granted(struct page_facts *p, const struct request_facts *r, const struct obs *o)
{
    struct lease *l = (struct lease *)page_lease(p, o->fence);
    if (!l && o->a == REQ_CLAIM) {
        /* an answer to an older claim may come after that to a newer one */
        uint32_t at = p->leases > 0 && fence_less(o->fence, p->lease[0].fence) ? 1 : 0;
        for (uint32_t i = STATE_LEASES - 1; i > at; i--) p->lease[i] = p->lease[i - 1];
        if (p->leases < STATE_LEASES) p->leases++;
        l = &p->lease[at];
        *l = (struct lease){ .fence = o->fence, .local = r->local, .claimed = o->number };
        l->fenced = l->stolen = l->released = OBS_NONE;
    }
    if (!l || (int32_t)(r->local - l->local) < 0) return; /* an older answer came late */
    l->local = r->local;
    l->issued_at = r->issued_at;
    l->renewed = o->number;
}

static void answer_handled(struct state *s, struct request_facts *r, const struct obs *o)
{
    struct page_facts *p = state_page_of(s, o);
    if (!p) return;
    clock_read(p, o);
    if (!r->known) return;
    if (o->b == ANS_OK && (o->a == REQ_CLAIM || o->a == REQ_RENEW)) lease_granted(p, r, o);
    if (o->b != ANS_FENCED) return;
    struct lease *l = (struct lease *)page_lease(p, r->fence);
    if (!l || l->fenced != OBS_NONE) return;
    l->fenced = o->number;
    l->fenced_blocked = p->blocked;
}

static void request_step(struct state *s, const struct obs *o)
{
    struct request_facts *r = request_of(s, o);
    if (!r) return;
    switch (o->kind) {
    case OBS_REQUEST_ISSUED: request_issued(s, r, o); break;
    case OBS_REQUEST_ARRIVED:
        if (r->arrived == OBS_NONE) r->arrived = o->number;
        break;
    case OBS_ANSWER_HANDLED:
        if (r->handled == OBS_NONE) r->handled = o->number;
        answer_handled(s, r, o);
        break;
    default:
        if (r->lost == OBS_NONE) r->lost = o->number;
        break; /* request or answer */
    }
}

/* -- what a client says, the round, and the dispatch ---------------------------- */

static void client_step(struct state *s, const struct obs *o)
{
    struct page_facts *p = state_page_of(s, o);
    if (!p) return;
    if (o->kind == OBS_STATE_CHANGED) {
        p->state = (uint8_t)o->b;
        p->state_by = o->number;
        return;
    }
    p->believes = o->kind == OBS_BELIEF_BEGAN;
    p->belief = o->fence;
    p->belief_by = o->number;
}

static void round_step(struct state *s, const struct obs *o)
{
    if (o->kind == OBS_ROUND_STARTED) s->started = o->number;
    if (o->kind == OBS_ROUND_HEALED) {
        s->healed = o->number;
        s->healed_at = o->at;
        s->progress_us = (int64_t)o->a * US_PER_MS;
    }
    if (o->kind == OBS_ROUND_ENDED) {
        s->ended = o->number;
        s->ended_at = o->at;
        s->cut_short = o->a == 1;
    }
}

/* Which part of the facts a kind belongs to: by its place in history.def, whose order the
 * assertions below pin down. */
enum part {
    OF_ROUND,
    OF_PAGE,
    OF_DEVICE,
    OF_NODE,
    OF_LOCK,
    OF_CLIENT,
    OF_REQUEST,
    OF_LEDGER,
    OF_PROVIDER,
    OF_STORAGE,
    OF_ACCOUNT,
    OF_NOTHING
};

#define PART(k)                                                                                    \
    ((k) <= OBS_ROUND_ENDED         ? OF_ROUND                                                     \
     : (k) <= OBS_PAGE_LOCKS        ? OF_PAGE                                                      \
     : (k) <= OBS_LINK_HEALED       ? OF_DEVICE                                                    \
     : (k) <= OBS_NODE_DECIDES      ? OF_NODE                                                      \
     : (k) <= OBS_LOCK_RELEASED     ? OF_LOCK                                                      \
     : (k) <= OBS_BELIEF_ENDED      ? OF_CLIENT                                                    \
     : (k) <= OBS_WOULD_LEAD        ? OF_NOTHING                                                   \
     : (k) <= OBS_ANSWER_HANDLED    ? OF_REQUEST                                                   \
     : (k) < OBS_STORAGE_FAULT      ? OF_NOTHING                                                   \
     : (k) == OBS_STORAGE_FAULT     ? OF_STORAGE                                                   \
     : (k) == OBS_ACCOUNT_CHANGED   ? OF_ACCOUNT                                                   \
     : (k) <= OBS_LEDGER_ACCEPTABLE ? OF_LEDGER                                                    \
     : (k) <= OBS_OPERATION_KEPT    ? OF_PROVIDER                                                  \
                                    : OF_NOTHING)

static const uint8_t part_of[OBS_COUNT] = {
#define OBS(kind, word, fields, says) [OBS_##kind] = PART(OBS_##kind),
#include "sim/base/history.def"
#undef OBS
};

_Static_assert(OBS_PAGE_CREATED == OBS_ROUND_ENDED + 1, "round before documents");
_Static_assert(OBS_DEVICE_ASLEEP == OBS_PAGE_LOCKS + 1, "documents before devices");
_Static_assert(OBS_NODE_DOWN == OBS_LINK_HEALED + 1, "links before nodes");
_Static_assert(OBS_LOCK_REQUESTED == OBS_NODE_DECIDES + 1, "nodes before locks");
_Static_assert(OBS_STATE_CHANGED == OBS_LOCK_RELEASED + 1, "locks before clients");
_Static_assert(OBS_WOULD_LEAD == OBS_BELIEF_ENDED + 1, "beliefs, then would.lead");
_Static_assert(OBS_REQUEST_ISSUED == OBS_WOULD_LEAD + 1, "clients before requests");
_Static_assert(OBS_PUSH_HANDLED == OBS_ANSWER_HANDLED + 1, "requests before pushes");
_Static_assert(OBS_LEDGER_CLAIMED == OBS_STORAGE_FAULT + 1, "requests before the ledger");
_Static_assert(OBS_EFFECT_EXECUTED == OBS_LEDGER_ACCEPTABLE + 1, "ledger before provider");
_Static_assert(OBS_FAULT_BEGUN == OBS_OPERATION_KEPT + 1, "provider and user before faults");

void state_step(struct state *s, const struct obs *o)
{
    s->before = s->now;
    s->now = o->at;
    s->observations++;
    page_seen(s, o->page);
    switch ((enum part)part_of[o->kind]) {
    case OF_ROUND: round_step(s, o); break;
    case OF_PAGE: page_step(s, o); break;
    case OF_DEVICE: device_step(s, o); break;
    case OF_NODE: node_step(s, o); break;
    case OF_LOCK: state_lock_step(s, o); break;
    case OF_STORAGE:
        if (o->a == 1) state_cleared(s, o);
        break;
    case OF_ACCOUNT: account_step(s, o); break;
    case OF_CLIENT: client_step(s, o); break;
    case OF_REQUEST: request_step(s, o); break;
    case OF_LEDGER: state_ledger_step(s, o); break;
    case OF_PROVIDER: state_op_step(s, o); break;
    default: break;
    }
}

struct instant state_lease_end(const struct state *s, const struct page_facts *p,
                               const struct lease *l)
{
    uint32_t end = l->local + (uint32_t)s->contract->lease.ttl_us;
    int64_t left = (int32_t)(end - p->clock_local);
    int64_t rate = 1000000 + s->device[p->device].clock_ppm;
    return (struct instant){ p->clock_at.us + left * 1000000 / rate };
}
