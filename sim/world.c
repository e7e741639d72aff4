/* The world: memory, clocks, the plan of a round, and the switch. See world.h. */
#include "sim/world.h"

#define EXTRA_TABS 32 /* duplicates, newcomers, second visits of a round */
#define SUBMIT_RETRY_US (500 * US_PER_MS)
#define FREEZE_AGAIN_US (10 * US_PER_S)
#define LOAD_SPREAD_US (200 * US_PER_MS) /* the tabs are launched together */
#define PROGRESS_CHECK_US (1 * US_PER_S)
#define AFTER_PROGRESS_US (1 * US_PER_S)
/* Messages of a round that PCT counts, about: of the leader's work on each operation, and of
 * hand-overs and claims as time goes by. Measured over the default suite. */
#define PCT_STEPS_OPERATION 10
#define PCT_STEPS_SECOND 2
#define NODE_PPM_MAX 200 /* server clocks: what NTP leaves */

static const struct tape mildest = { .full = false }; /* past its end every choice is the mildest */

/* A tab is reloaded, restored or discarded a few times in a round at most. */
static uint32_t pages_max(uint32_t tabs)
{
    return tabs * 5 + 128;
}
static uint32_t parcels_max(uint32_t tabs)
{
    return 8192 + tabs * 128;
}
static uint32_t history_max(uint32_t tabs)
{
    return 49152 + tabs * 512;
}
#define NODE_MESSAGES_MAX 128
#define QUEUE_MAX(tabs) (32768 + (tabs)*512)

size_t world_arena_size(uint32_t tabs)
{
    return sizeof(struct world) + pages_max(tabs) * (sizeof(struct page) + 64) +
           parcels_max(tabs) * sizeof(struct parcel) + history_max(tabs) * sizeof(struct obs) +
           QUEUE_MAX(tabs) * sizeof(struct event) + REQUEST_IDS_MAX * sizeof(uint32_t) +
           pages_max(tabs) * 4 * sizeof(uint32_t) +
           NODE_MESSAGES_MAX * (sizeof(struct node_message) + 4) + sizeof(struct ledger_out) +
           (AUTH_TOKENS_MAX + 1) * sizeof(struct auth_token) +
           (FEED_SUBSCRIPTIONS_MAX + 1) * sizeof(struct feed_subscription) +
           (tabs + EXTRA_TABS) * sizeof(struct tab) +
           (size_t)DEVICES_MAX * (pages_max(tabs) * 1024 + 65536) + ((size_t)4 << 20);
}

struct world *world_open(struct arena *a, uint32_t tabs)
{
    struct world *w = arena_array(a, struct world, 1);
    w->pages_max = pages_max(tabs);
    w->page = arena_array(a, struct page, w->pages_max);
    w->tabs_max = tabs + EXTRA_TABS;
    w->tab = arena_array(a, struct tab, w->tabs_max);
    w->parcels_max = parcels_max(tabs);
    w->parcel = arena_array(a, struct parcel, w->parcels_max);
    w->history = (struct history){ .at = arena_array(a, struct obs, history_max(tabs)),
                                   .max = history_max(tabs) };
    w->local_id = arena_array(a, uint32_t, REQUEST_IDS_MAX);
    w->pct.links_max = w->pages_max * 4;
    w->pct.rank = arena_array(a, uint32_t, w->pct.links_max);
    w->node_messages_max = NODE_MESSAGES_MAX;
    w->node_message = arena_array(a, struct node_message, NODE_MESSAGES_MAX);
    w->node_message_next = arena_array(a, uint32_t, NODE_MESSAGES_MAX);
    w->ledger_out = arena_array(a, struct ledger_out, 1);
    auth_open(&w->auth, a);
    feed_open(&w->feed, a);
    for (uint32_t d = 0; d < DEVICES_MAX; d++)
        w->lockmgr[d] = lockmgr_open(a, w->pages_max * 2 + 256, w->pages_max);
    evq_open(&w->queue, a, QUEUE_MAX(tabs));
    return w;
}

/* ---- events and parcels ------------------------------------------------------- */

static void schedule(struct world *w, int64_t in_us, uint32_t tie, enum event_kind kind,
                     uint16_t target, uint32_t arg)
{
    must(in_us >= 0);
    if (w->queue.n == w->queue.max || w->now.us + in_us > EVQ_TIME_MAX_US) {
        w->limit = true;
        return;
    }
    evq_push(&w->queue, (struct instant){ w->now.us + in_us }, tie, (uint16_t)kind, target, arg);
}

void world_at(struct world *w, int64_t in_us, enum event_kind kind, uint16_t target, uint32_t arg)
{
    schedule(w, in_us, choose(&w->choices, STREAM_TIE, 1u << EVQ_TIE_BITS), kind, target, arg);
}

void world_in_order(struct world *w, int64_t in_us, enum event_kind kind, uint16_t target,
                    uint32_t arg)
{
    schedule(w, in_us, 0, kind, target, arg);
}

uint32_t parcel_take(struct world *w)
{
    uint32_t p = w->parcel_free;
    if (p != TABLE_NONE)
        w->parcel_free = w->parcel[p].next;
    else if (w->parcels_fresh < w->parcels_max)
        p = w->parcels_fresh++;
    else {
        w->limit = true;
        p = 0; /* the round is over; see run.c */
    }
    struct parcel *c = &w->parcel[p];
    c->cause = w->cause;
    c->page = PAGE_NONE;
    c->thread = c->source = c->kind = c->flags = c->node = c->error = 0;
    c->id = 0;
    return p;
}

void parcel_give(struct world *w, uint32_t p)
{
    w->parcel[p].next = w->parcel_free;
    w->parcel_free = p;
}

/* ---- clocks ---------------------------------------------------------------------- */

static int64_t scaled(int64_t us, int32_t ppm)
{
    return us + us * ppm / 1000000;
}

struct local device_now(const struct world *w, const struct device *d)
{
    if (d->sleep_stops_clock) return d->clock_base;
    return (struct local){ d->clock_base.us + scaled(w->now.us - d->clock_since.us, d->ppm) };
}

void device_clock_set(struct world *w, struct device *d, int32_t ppm, bool stopped)
{
    d->clock_base = device_now(w, d);
    d->clock_since = w->now;
    d->ppm = ppm;
    d->sleep_stops_clock = stopped;
}

struct local node_now(const struct world *w, uint8_t node)
{
    int32_t ppm = node < LEDGER_NODES ? w->node_ppm[node] : 0;
    if (node >= LEDGER_NODES) return device_now(w, &w->device[node - LEDGER_NODES]);
    return (struct local){ US_PER_S + scaled(w->now.us, ppm) };
}

/* ---- what the round is -------------------------------------------------------------- */

static uint32_t draw_weighted(struct world *w, const uint32_t *weight, uint32_t n)
{
    uint32_t sum = 0, i = 0;
    for (uint32_t k = 0; k < n; k++) sum += weight[k];
    uint32_t pick = choose(&w->choices, STREAM_PLAN, sum);
    while (pick >= weight[i]) pick -= weight[i++];
    return i;
}

static void plan_device(struct world *w, uint8_t n)
{
    const struct device_plan *plan = &w->scenario->device[n];
    struct device *d = &w->device[n];
    *d = (struct device){ .tabs = plan->tabs,
                          .first_tab = w->tabs,
                          .locks_cause = OBS_NONE,
                          .partition_key = (n + 1u) << 16 };
    uint32_t weight[PROFILE_MIX_MAX];
    for (uint32_t i = 0; i < plan->mix_n; i++) weight[i] = plan->mix[i].weight;
    d->profile = profile_of(plan->mix[draw_weighted(w, weight, plan->mix_n)].profile);
    d->clock_base.us = US_PER_S + choose_us(&w->choices, STREAM_CLOCK, 0, 1000 * US_PER_S);
    d->ppm = (int32_t)choose(&w->choices, STREAM_CLOCK, 201) - 100;
    if (w->scenario->calm) d->ppm = 0; /* the mildest clock is exact */
    d->wall_offset_us = choose_us(&w->choices, STREAM_CLOCK, 0, 10 * US_PER_S);
    lockmgr_reset(w->lockmgr[n], n, &d->profile->locks, w->policy, &w->history);
    struct obs o = world_obs(w, OBS_DEVICE_CLOCK);
    o.device = n;
    o.a = (uint32_t)d->ppm;
    (void)world_see(w, &o);
}

static void plan_tabs(struct world *w, uint8_t n)
{
    const struct device_plan *plan = &w->scenario->device[n];
    const struct scenario *s = w->scenario;
    bool all_hidden = chance(&w->choices, STREAM_PLAN, s->all_hidden_percent, 100);
    uint32_t weight[3] = { s->hidden_since.none, s->hidden_since.s70, s->hidden_since.s400 };
    uint32_t since = draw_weighted(w, weight, 3);
    w->device[n].visible_tabs = all_hidden ? 0 : plan->visible;
    w->device[n].hidden_since = (uint8_t)since;
    for (uint32_t i = 0; i < plan->tabs; i++) {
        uint32_t t = w->tabs++;
        w->tab[t] = (struct tab){ .page = PAGE_NONE,
                                  .device = n,
                                  .session_instance = t + 1,
                                  .single_page = i == 0,
                                  .load_cause = OBS_NONE };
        uint32_t visible = !all_hidden && i < plan->visible;
        world_at(w, choose_us(&w->choices, STREAM_PLAN, 0, LOAD_SPREAD_US), EV_TAB_LOAD,
                 (uint16_t)t, visible ? 1 : since << 1);
    }
}

static void plan_operations(struct world *w)
{
    const struct scenario *s = w->scenario;
    w->operations = s->operations.min +
                    choose(&w->choices, STREAM_PLAN, s->operations.max - s->operations.min + 1);
    if (w->operations > LEDGER_OPS_MAX) w->operations = LEDGER_OPS_MAX;
    for (uint32_t i = 1; i <= w->operations; i++)
        world_at(w, choose_us(&w->choices, STREAM_PLAN, US_PER_S / 2, w->heal_at.us * 9 / 10),
                 EV_SUBMIT, 0, i);
}

static void plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    w->network_kind = s->network[draw_weighted(w, s->network_weight, s->networks)];
    w->network = *network_of(w->network_kind);
    if (s->has_loss) w->network.loss_ppm = s->loss_permille * 1000;
    if (s->has_slow) w->network.slow_ppm = s->slow_permille * 1000;
    w->layout = s->layout[draw_weighted(w, s->layout_weight, s->layouts)];
    if (w->contract.authority == AUTHORITY_INDEXEDDB) w->layout = LAYOUT_SINGLE;
    bool is_long = chance(&w->choices, STREAM_PLAN, s->long_permille, 1000);
    const struct span_range *d = is_long ? &s->long_duration : &s->duration;
    w->heal_at.us = choose_us(&w->choices, STREAM_PLAN, d->min_us, d->max_us);
    w->end_at.us = w->heal_at.us + w->contract.slo.progress_within_us + 2 * US_PER_S;
    for (uint8_t i = 0; i < LEDGER_NODES; i++)
        w->node_ppm[i] =
            s->calm
                ? 0
                : (int32_t)choose(&w->choices, STREAM_CLOCK, 2 * NODE_PPM_MAX + 1) - NODE_PPM_MAX;
}

static uint32_t pct_steps(const struct world *w)
{
    return w->operations * PCT_STEPS_OPERATION +
           (uint32_t)(w->heal_at.us / US_PER_S) * PCT_STEPS_SECOND;
}

void world_prioritise(struct world *w, uint32_t changes)
{
    pct_reset(&w->pct, changes);
    pct_plan(&w->pct, &w->choices, pct_steps(w));
}

void world_reset(struct world *w, const struct scenario *s, const struct contract *c, uint64_t seed)
{
    w->scenario = s;
    w->contract = scenario_contract(s, c);
    w->policy = s->policy;
    choices_reset(&w->choices, seed);
    if (s->calm)
        w->choices.replay = &mildest;
    else if (w->choices.replay == &mildest)
        w->choices.replay = NULL;
    pct_reset(&w->pct, 0);
    evq_reset(&w->queue);
    w->history.n = 0;
    w->history.full = false;
    w->now = (struct instant){ 0 };
    w->cause = OBS_NONE;
    w->pages = w->tabs = w->devices = 0;
    w->parcels_fresh = 0;
    w->parcel_free = TABLE_NONE;
    for (uint32_t i = 0; i < NODE_MESSAGES_MAX; i++)
        w->node_message_next[i] = i + 1 < NODE_MESSAGES_MAX ? i + 1 : TABLE_NONE;
    w->node_message_free = 0;
    for (uint32_t i = 0; i < LEDGER_NODES; i++) w->node_cut[i] = 0;
    w->provider_down = w->provider_silent = false;
    w->provider_slow_us = 0;
    w->foreigns = w->arming = w->ids = 0;
    w->incarnation = 1000;
    w->owner = PAGE_NONE;
    w->healed = w->over = w->limit = w->in_step = false;
    w->events = w->first_phase = 0;
    w->lock_out.n = 0;
    w->progress_seen = w->enqueued = w->terminal = 0;
    w->safe = w->stored = 0;
    for (uint32_t i = 0; i <= LEDGER_OPS_MAX; i++) w->submitted[i].tab = PAGE_NONE;
    w->feed.n = 0;
    w->devices = (uint8_t)s->devices;
    struct obs o = world_obs(w, OBS_ROUND_STARTED);
    for (uint32_t i = 0; i < s->devices; i++) o.a += s->device[i].tabs;
    o.b = s->devices;
    (void)world_see(w, &o);
    plan_round(w);
    for (uint8_t i = 0; i < s->devices; i++) plan_device(w, i), plan_tabs(w, i);
    provider_reset(&w->provider, w->policy, &w->history);
    session_plan_round(w);
    live_plan_round(w);
    node_boot(w);
    plan_operations(w);
    fault_plan_round(w);
    schedule_plan_round(w);
    world_at(w, w->heal_at.us, EV_HEAL, 0, 0);
}

/* ---- single events --------------------------------------------------------------- */

static uint16_t submitter(struct world *w, uint32_t device)
{
    uint32_t n = device ? device - 1 : choose(&w->choices, STREAM_PLAN, w->devices);
    const struct device *d = &w->device[n];
    uint32_t start = choose(&w->choices, STREAM_PLAN, d->tabs);
    for (uint32_t k = 0; k < d->tabs; k++) {
        uint16_t p = w->tab[d->first_tab + (start + k) % d->tabs].page;
        if (d->session.account == ACCOUNT_OWN && p != PAGE_NONE && page_running(w, &w->page[p]) &&
            !w->page[p].closing && w->page[p].busy_until.us <= w->now.us)
            return p;
    }
    return PAGE_NONE;
}

bool world_submit(struct world *w, uint16_t n, uint32_t op)
{
    struct device *d = &w->device[w->page[n].device];
    if (d->quota_full) { /* the page's own outbox cannot keep it; the user is told */
        struct obs o = obs_make(OBS_STORAGE_FAULT, w->now, d->quota_cause);
        o.page = n;
        o.partition = w->page[n].device;
        o.a = 2;
        (void)world_see(w, &o);
        return false;
    }
    w->submitted[op] = (struct submitted){ w->now, w->page[n].tab };
    struct client_input in = { .kind = IN_SUBMIT, .id = op };
    page_run(w, n, &in);
    return true;
}

static void submit(struct world *w, uint16_t device, uint32_t op)
{
    if (w->over) return;
    uint16_t n = submitter(w, device);
    bool done = n != PAGE_NONE && world_submit(w, n, op);
    if (!done && !w->healed) world_at(w, SUBMIT_RETRY_US, EV_SUBMIT, device, op);
}

static void freeze_by_browser(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state != DOC_HIDDEN || p->closing || w->healed) return;
    bool uses = p->client.page.lock.waiting || p->client.page.lock.granted;
    bool contended = lockmgr_waiters(w->lockmgr[p->device], LOCK_NAME_LEADER) > 0;
    int64_t hidden_for = w->now.us - p->hidden_since_us;
    if (document_may_freeze(p->profile, hidden_for, uses, contended))
        page_freeze(w, n, true);
    else
        world_at(w, FREEZE_AGAIN_US, EV_FREEZE, n, 0);
}

static void heal(struct world *w)
{
    fault_heal(w);
    session_heal(w);
    w->healed = true;
    w->first_phase = w->events;
    w->cause = OBS_NONE;
    struct obs o = world_obs(w, OBS_ROUND_HEALED);
    o.a = (uint32_t)(w->contract.slo.progress_within_us / US_PER_MS);
    (void)world_see(w, &o);
    world_at(w, PROGRESS_CHECK_US, EV_END, 0, 0);
}

static void finish(struct world *w)
{
    w->over = true;
    w->cause = OBS_NONE;
    struct obs o = world_obs(w, OBS_ROUND_ENDED);
    o.a = w->limit;
    (void)world_see(w, &o);
}

bool world_is_settled(struct world *w)
{
    for (; w->progress_seen < w->history.n; w->progress_seen++) {
        enum obs_kind k = (enum obs_kind)w->history.at[w->progress_seen].kind;
        w->enqueued += k == OBS_LEDGER_ENQUEUED;
        w->terminal += k == OBS_LEDGER_TERMINAL;
        uint64_t bit = UINT64_C(1) << (w->history.at[w->progress_seen].op - 1) % 64;
        if (k == OBS_LEDGER_ENQUEUED) w->stored |= bit;
        if (k == OBS_OPERATION_KEPT) w->safe |= bit;
    }
    return w->enqueued == w->terminal && (w->safe & ~w->stored) == 0;
}

/* The second phase ends when everything that it demands has been seen, or at its time. */
void world_progress(struct world *w)
{
    bool settled = world_is_settled(w);
    const struct page *p = w->owner != PAGE_NONE ? &w->page[w->owner] : NULL;
    bool leads = p && page_running(w, p) && p->client.page.believes &&
                 device_now(w, &w->device[p->device]).us < p->client.worker.lease_end.us;
    if (w->now.us >= w->end_at.us) {
        finish(w);
        return;
    }
    bool done =
        leads && settled && w->now.us >= w->heal_at.us + AFTER_PROGRESS_US + PROGRESS_CHECK_US;
    if (done)
        finish(w);
    else
        world_at(w, PROGRESS_CHECK_US, EV_END, 0, 0);
}

static void load(struct world *w, uint16_t tab, uint32_t arg)
{
    static const int64_t hidden_for[4] = { 0, 70 * US_PER_S, 400 * US_PER_S, 0 };
    if (w->tab[tab].load_pending || arg < 2)
        tab_load(w, tab, arg);
    else if (w->tab[tab].page == PAGE_NONE)
        (void)page_create(w, tab, false, hidden_for[arg >> 1 & 3], w->cause);
}

static void run(struct world *w, uint16_t n, uint32_t arg)
{
    if (!page_alive(&w->page[n])) return;
    if (arg == 0xFFFF)
        page_unblocked(w, n);
    else
        page_run_kind(w, n, (enum client_input_kind)arg, false);
}

static void locks_end(struct world *w, uint16_t n)
{
    uint32_t request;
    uint16_t holder = lockmgr_holder(w->lockmgr[w->page[n].device], LOCK_NAME_LEADER, &request);
    if (holder == n && policy_has(w->policy, POLICY_LOCK_OUTLIVES)) return;
    w->lock_out.n = 0;
    uint32_t cause = w->page[n].stopped_cause;
    lockmgr_end(w->lockmgr[w->page[n].device], n, w->now, cause, &w->lock_out);
    lock_effects(w, w->page[n].device);
    w->cause = OBS_NONE;
}

void world_handle(struct world *w, const struct event *e)
{
    w->now = event_at(e);
    w->cause = OBS_NONE;
    w->events++;
    switch ((enum event_kind)e->kind) {
    case EV_DELIVER: page_deliver(w, e->arg); break;
    case EV_TIMER: page_timer(w, e->target, e->arg); break;
    case EV_LOCK: lock_arrived(w, (uint8_t)e->target, e->arg); break;
    case EV_REQUEST:
        if (e->target == PROVIDER_TARGET)
            provider_arrived(w, e->arg);
        else
            net_request_arrived(w, (uint8_t)e->target, e->arg);
        break;
    case EV_PROVIDER_DONE: provider_done(w, e->arg); break;
    case EV_NODE_MESSAGE: node_message_arrived(w, (uint8_t)e->target, e->arg); break;
    case EV_LEDGER_TIMER: node_timer(w, (uint8_t)e->target, e->arg); break;
    case EV_DRAINED: server_drained(w, (uint8_t)e->target, e->arg); break;
    case EV_SUBMIT: submit(w, e->target, e->arg); break;
    case EV_PAGE_GONE: page_end(w, e->target); break;
    case EV_LOCKS_END: locks_end(w, e->target); break;
    case EV_TAB_LOAD: load(w, e->target, e->arg); break;
    case EV_FREEZE: freeze_by_browser(w, e->target); break;
    case EV_CACHED_LONG: page_cached_long(w, e->target, e->arg); break;
    case EV_PAGE_FREE: page_free(w, e->target); break;
    case EV_STORE_FREE: node_store_free(w, (uint8_t)e->target); break;
    case EV_STREAM: net_stream_opened(w, e->target); break;
    case EV_RUN: run(w, e->target, e->arg); break;
    case EV_FOREIGN: foreign_lets_go(w, e->arg); break;
    case EV_FAULT: fault_due(w, e->arg); break;
    case EV_FAULT_END: fault_end(w, e->arg); break;
    case EV_STEP: schedule_due(w, e->arg, (enum step_call)e->target); break;
    case EV_ACCOUNT: session_account(w, (uint8_t)e->target, (enum account)e->arg); break;
    case EV_FEED: live_event(w); break;
    case EV_HEAL: heal(w); break;
    case EV_END: world_progress(w); break;
    }
    if (w->watching > 0) schedule_watch(w);
}
