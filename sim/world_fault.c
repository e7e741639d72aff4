/* The world: faults. Planned from the seed, with classes left out at random (swarm),
 * each at a drawn time or aimed at a phase of the leader; begun, undone, healed.
 *
 * What a fault leads to names its fault.begun observation as cause: that is how the
 * oracle knows that it changed something. */
#include "sim/world.h"

#define AIM_PATIENCE_US (6 * US_PER_S)   /* an aimed fault that sees no such phase fires anyway */
#define NO_TARGET_RETRY_US (300 * US_PER_MS)
#define DEADLINE 0x8000u
#define BACK_MIN_US (1 * US_PER_S)       /* a closed or crashed tab comes back after */
#define BACK_MAX_US (5 * US_PER_S)

/* ---- planning --------------------------------------------------------------- */

static int64_t draw_lasting(struct world *w, const struct fault_plan *p)
{
    /* cubed: most faults are short, a few as long as the scenario allows */
    uint64_t u = choose(&w->choices, STREAM_FAULT, 65536);
    uint64_t cube = u * u / 65536 * u / 65536;
    return p->lasts.min_us + (int64_t)((uint64_t)(p->lasts.max_us - p->lasts.min_us) * cube / 65536);
}

/* Phases that pass in milliseconds are aimed at twice as often. */
static const uint8_t aim_weight[PHASE_COUNT] = {
    [PHASE_NO_LEADER] = 1, [PHASE_WAITING] = 3, [PHASE_GRANTED] = 2, [PHASE_CLAIM] = 1, [PHASE_IDLE] = 1,
    [PHASE_TAKE] = 1, [PHASE_EFFECT] = 1, [PHASE_EFFECT_UNKNOWN] = 1, [PHASE_COMMIT] = 1,
    [PHASE_RENEW] = 1, [PHASE_DRAINING] = 2, [PHASE_RELEASE] = 1, [PHASE_FENCED] = 1,
};

static enum leader_phase draw_phase(struct world *w, uint32_t mask)
{
    uint32_t sum = 0, i = 0;
    if (!mask) mask = (1u << PHASE_COUNT) - 1;
    for (uint32_t k = 0; k < PHASE_COUNT; k++) sum += (mask >> k & 1) * aim_weight[k];
    uint32_t pick = choose(&w->choices, STREAM_FAULT, sum);
    while (pick >= (mask >> i & 1) * aim_weight[i]) pick -= (mask >> i & 1) * aim_weight[i], i++;
    return (enum leader_phase)i;
}

static void plan_one(struct world *w, const struct fault_plan *p)
{
    if (w->faults == FAULTS_PLANNED_MAX) return;
    struct planned_fault *f = &w->fault[w->faults];
    *f = (struct planned_fault){ .kind = p->kind, .number = OBS_NONE, .page = PAGE_NONE,
                                 .device = DEVICE_NONE, .node = NODE_NONE };
    int64_t span = w->heal_at.us;
    f->at.us = span / 16 + choose_us(&w->choices, STREAM_FAULT, 0, span * 13 / 16);
    f->lasts_us = draw_lasting(w, p);
    f->aimed = chance(&w->choices, STREAM_FAULT, p->aimed_percent, 100);
    f->phase = f->aimed ? draw_phase(w, p->phase_mask) : PHASE_IDLE;
    f->for_good = chance(&w->choices, STREAM_FAULT, 1, 4);
    world_at(w, f->at.us - w->now.us, EV_FAULT, 0, w->faults++);
}

/* Whether the round has a quorum is drawn before; faults that need one are not drawn without. */
static bool can_happen(const struct world *w, enum fault_kind k)
{
    bool server = w->contract.authority == AUTHORITY_SERVER;
    switch (k) {
    case FAULT_NODE_PARTITION: case FAULT_NODE_FAILOVER: return server && w->nodes > 1;
    case FAULT_NODE_CRASH: case FAULT_CUT_SERVER: case FAULT_CUT_UP: case FAULT_CUT_DOWN:
    case FAULT_PROVIDER_DOWN: case FAULT_PROVIDER_SLOW: case FAULT_PROVIDER_SILENT:
    case FAULT_EPOCH_ADVANCE: case FAULT_REQUEST_LATE: case FAULT_REQUEST_DOUBLED: return server;
    default: return true;
    }
}

void fault_plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    uint32_t weight[FAULT_COUNT], sum = 0;
    w->faults = w->armed = 0;
    for (uint32_t i = 0; i < s->faults; i++) {
        const struct fault_plan *p = &s->fault[i];
        bool omitted = chance(&w->choices, STREAM_SWARM, s->omit_percent, 100);
        weight[i] = omitted || !can_happen(w, p->kind) ? 0 : p->weight;
        sum += weight[i];
        if (p->always && can_happen(w, p->kind)) plan_one(w, p);
    }
    uint32_t n = s->faults_drawn.min +
                 choose(&w->choices, STREAM_FAULT, s->faults_drawn.max - s->faults_drawn.min + 1);
    for (uint32_t k = 0; k < n && sum > 0; k++) {
        uint32_t pick = choose(&w->choices, STREAM_FAULT, sum), i = 0;
        while (pick >= weight[i]) pick -= weight[i++];
        plan_one(w, &s->fault[i]);
    }
}

/* ---- aiming ------------------------------------------------------------------ */

static enum leader_phase phase_of_candidates(const struct world *w)
{
    uint32_t waiting = 0;
    bool granted = false;
    for (uint32_t d = 0; d < w->devices; d++) {
        uint32_t request;
        uint16_t h = lockmgr_holder(w->lockmgr[d], LOCK_NAME_LEADER, &request);
        if (h != PAGE_NONE && !foreign_holds(w, request)) {
            if (w->page[h].client.page.claim.request) return PHASE_CLAIM;
            granted = true;
        }
        waiting += lockmgr_waiters(w->lockmgr[d], LOCK_NAME_LEADER);
    }
    return granted ? PHASE_GRANTED : waiting ? PHASE_WAITING : PHASE_NO_LEADER;
}

static enum leader_phase phase_of_work(const struct page *p)
{
    if (p->client.page.work.request)
        switch (p->client.page.work.step) {
        case WORK_TAKE: return PHASE_TAKE;
        case WORK_EFFECT:
            return p->last_effect_lost == p->client.page.work.op ? PHASE_EFFECT_UNKNOWN : PHASE_EFFECT;
        case WORK_OUTCOME: return PHASE_EFFECT_UNKNOWN;
        case WORK_RECONCILE: case WORK_ACK: case WORK_COMMIT: return PHASE_COMMIT;
        case WORK_NONE: break;
        }
    return p->renewals ? PHASE_RENEW : PHASE_IDLE;
}

/* The world's own view of what oracle/coverage.c derives from the history; it only aims. */
enum leader_phase world_phase(const struct world *w)
{
    if (w->owner == PAGE_NONE || !page_alive(&w->page[w->owner])) return phase_of_candidates(w);
    const struct page *p = &w->page[w->owner];
    enum client_state state = p->client.page.state;
    if (state == STATE_LEADER || state == STATE_DRAINING) {
        if (!w->owner_held) return PHASE_FENCED;
        return state == STATE_LEADER ? phase_of_work(p) : PHASE_DRAINING;
    }
    return p->releases ? PHASE_RELEASE : phase_of_candidates(w);
}

void fault_aim(struct world *w)
{
    enum leader_phase phase = world_phase(w);
    for (uint32_t i = 0; i < w->faults; i++) {
        struct planned_fault *f = &w->fault[i];
        if (!f->armed || f->phase != phase) continue;
        f->armed = false;
        w->armed--;
        world_at(w, 0, EV_FAULT, 0, i);
    }
}

/* A second fault that leads to the phase; only where the scenario has it anyway. */
static void begin_companion(struct world *w, enum fault_kind kind, int64_t lasts_us)
{
    bool listed = false;
    for (uint32_t i = 0; i < w->scenario->faults; i++) listed = listed || w->scenario->fault[i].kind == kind;
    if (!listed || !can_happen(w, kind) || w->faults == FAULTS_PLANNED_MAX) return;
    w->fault[w->faults] = (struct planned_fault){ .kind = kind, .number = OBS_NONE, .page = PAGE_NONE,
                                                  .device = DEVICE_NONE, .node = NODE_NONE, .lasts_us = lasts_us };
    world_at(w, 0, EV_FAULT, 0, w->faults++);
}

/* Brings about a phase that does not come by itself. */
static void coax(struct world *w, enum leader_phase phase)
{
    if (w->owner == PAGE_NONE) return;
    struct page *p = &w->page[w->owner];
    switch (phase) {
    case PHASE_EFFECT_UNKNOWN: p->lost_answers |= 1u << REQ_EFFECT; break;
    case PHASE_NO_LEADER: begin_companion(w, FAULT_EPOCH_ADVANCE, 3 * US_PER_S); break;
    case PHASE_WAITING: begin_companion(w, FAULT_ROGUE_STEAL, US_PER_S); break;
    case PHASE_FENCED: begin_companion(w, FAULT_FREEZE_ABRUPT, 3 * US_PER_S); break;
    case PHASE_DRAINING: case PHASE_RELEASE: case PHASE_GRANTED: case PHASE_CLAIM: {
        uint16_t next = lockmgr_waiter(w->lockmgr[p->device], LOCK_NAME_LEADER, 0);
        if (next == PAGE_NONE || !page_running(w, p)) break;
        page_hide(w, w->owner); /* the user goes to another tab of the app */
        page_show(w, next);
        break;
    }
    default: break;
    }
}

static void arm(struct world *w, uint32_t i)
{
    struct planned_fault *f = &w->fault[i];
    f->aimed = false;
    f->armed = true;
    w->armed++;
    coax(w, f->phase);
    world_at(w, AIM_PATIENCE_US, EV_FAULT, 0, i | DEADLINE);
    fault_aim(w);
}

/* ---- targets ------------------------------------------------------------------ */

static uint8_t leading_device(const struct world *w)
{
    return w->owner == PAGE_NONE ? 0 : w->page[w->owner].device;
}

static uint16_t holder(const struct world *w)
{
    uint32_t request;
    uint8_t first = leading_device(w);
    for (uint32_t k = 0; k < w->devices; k++) {
        uint16_t h = lockmgr_holder(w->lockmgr[(first + k) % w->devices], LOCK_NAME_LEADER, &request);
        if (h != PAGE_NONE && page_alive(&w->page[h])) return h;
    }
    return w->owner != PAGE_NONE && page_alive(&w->page[w->owner]) ? w->owner : PAGE_NONE;
}

static uint16_t waiter(const struct world *w)
{
    uint8_t first = leading_device(w);
    for (uint32_t k = 0; k < w->devices; k++) {
        uint16_t n = lockmgr_waiter(w->lockmgr[(first + k) % w->devices], LOCK_NAME_LEADER, 0);
        if (n != PAGE_NONE) return n;
    }
    return PAGE_NONE;
}

static uint16_t any_page(struct world *w, uint8_t device)
{
    const struct device *d = &w->device[device];
    uint32_t start = choose(&w->choices, STREAM_TARGET, d->tabs);
    for (uint32_t k = 0; k < d->tabs; k++) {
        uint16_t p = w->tab[d->first_tab + (start + k) % d->tabs].page;
        if (p != PAGE_NONE && page_alive(&w->page[p]) && !w->page[p].closing) return p;
    }
    return PAGE_NONE;
}

/* False when there is nobody to act on. */
static bool find_target(struct world *w, struct planned_fault *f)
{
    f->device = leading_device(w);
    if (f->kind == FAULT_SECOND_DEVICE && w->devices > 1) f->device = (uint8_t)((f->device + 1) % w->devices);
    else if (chance(&w->choices, STREAM_TARGET, 1, 8)) f->device = (uint8_t)choose(&w->choices, STREAM_TARGET, w->devices);
    switch (fault_info[f->kind].target) {
    case FAULT_ON_HOLDER: f->page = holder(w); break;
    case FAULT_ON_WAITER: f->page = waiter(w); break;
    case FAULT_ON_NODE: f->node = node_deciding(w); return f->node != NODE_NONE;
    case FAULT_ON_LEDGER: f->node = node_deciding(w); return f->node != NODE_NONE;
    default: f->page = any_page(w, f->device); return true;
    }
    if (f->page == PAGE_NONE) return false;
    f->device = w->page[f->page].device;
    return true;
}

/* ---- the faults ---------------------------------------------------------------- */

static void reload_in(struct world *w, uint16_t tab, int64_t us, bool visible)
{
    w->tab[tab].load_pending = true;
    world_at(w, us, EV_TAB_LOAD, tab, visible);
}

static int64_t back_us(struct world *w)
{
    return choose_us(&w->choices, STREAM_FAULT, BACK_MIN_US, BACK_MAX_US);
}

static void close_tab(struct world *w, uint16_t p)
{
    uint16_t tab = w->page[p].tab;
    page_close(w, p);
    if (chance(&w->choices, STREAM_FAULT, 1, 2)) reload_in(w, tab, back_us(w), false);
}

/* A tab beside the planned ones; TABLE_NONE when there is no room. */
static uint32_t new_tab(struct world *w, uint8_t device)
{
    if (w->tabs == w->tabs_max) return TABLE_NONE;
    uint32_t t = w->tabs++;
    w->tab[t] = (struct tab){ .page = PAGE_NONE, .device = device,
                              .session_instance = 0x10000u + t, .session_sequence = 0 };
    return t;
}

static void duplicate(struct world *w, const struct planned_fault *f)
{
    uint32_t t = new_tab(w, f->device);
    if (t == TABLE_NONE) return;
    const struct tab *old = &w->tab[w->page[f->page].tab];
    w->tab[t].session_instance = old->session_instance;
    w->tab[t].session_sequence = old->session_sequence;
    (void)page_create(w, (uint16_t)t, true, 0, f->number);
    page_hide(w, f->page);
}

static void open_page(struct world *w, const struct planned_fault *f, bool without_locks, bool older)
{
    uint32_t t = new_tab(w, f->device);
    if (t == TABLE_NONE) return;
    struct device *d = &w->device[f->device];
    bool was = d->rolled_back;
    d->rolled_back = was || older;
    d->no_locks = without_locks;
    (void)page_create(w, (uint16_t)t, true, 0, f->number);
    d->rolled_back = was;
    d->no_locks = false;
}

static void cut(struct world *w, uint8_t device, uint8_t node, uint8_t bits, uint32_t cause)
{
    struct device *d = &w->device[device];
    d->cut[node] |= bits;
    d->cut_cause[node] = cause;
    struct obs o = obs_make(OBS_LINK_CUT, w->now, cause);
    o.device = device;
    o.node = node;
    o.a = bits;
    (void)world_see(w, &o);
    if (bits & 2) net_streams_died(w, device, node);
}

static void heal(struct world *w, uint8_t device, uint8_t node, uint8_t bits)
{
    struct device *d = &w->device[device];
    if (!(d->cut[node] & bits)) return;
    d->cut[node] &= (uint8_t)~bits;
    struct obs o = world_obs(w, OBS_LINK_HEALED);
    o.device = device;
    o.node = node;
    o.a = bits;
    (void)world_see(w, &o);
}

static uint8_t cut_bits(enum fault_kind k)
{
    return k == FAULT_CUT_UP ? 1 : k == FAULT_CUT_DOWN ? 2 : 3;
}

static void cut_node_off(struct world *w, const struct planned_fault *f, bool from_pages)
{
    w->node_cut[f->node] = (uint8_t)(7u & ~(1u << f->node));
    w->node_cut_cause[f->node] = f->number;
    for (uint8_t d = 0; from_pages && d < w->devices; d++) cut(w, d, f->node, 3, f->number);
    node_decides_changed(w);
}

static void sleep_device(struct world *w, struct planned_fault *f)
{
    struct device *d = &w->device[f->device];
    if (d->asleep) return;
    struct obs o = world_obs(w, OBS_DEVICE_ASLEEP);
    o.device = f->device;
    w->cause = world_see(w, &o);
    d->asleep = true;
    if (chance(&w->choices, STREAM_CLOCK, 1, 2)) device_clock_set(w, d, d->ppm, true); /* LC-42: either way */
    net_streams_died(w, f->device, NODE_NONE);
}

static void wake_device(struct world *w, uint8_t device)
{
    struct device *d = &w->device[device];
    if (!d->asleep) return;
    d->asleep = false;
    device_clock_set(w, d, d->ppm, false);
    struct obs o = world_obs(w, OBS_DEVICE_AWAKE);
    o.device = device;
    w->cause = world_see(w, &o);
    for (uint32_t n = 0; n < w->pages; n++)
        if (w->page[n].device == device && page_running(w, &w->page[n])) page_woken(w, (uint16_t)n);
}

static void see_clock(struct world *w, uint8_t device, int64_t jump_ms)
{
    struct obs o = world_obs(w, OBS_DEVICE_CLOCK);
    o.device = device;
    o.a = (uint32_t)w->device[device].ppm;
    o.b = (uint32_t)(int32_t)jump_ms;
    (void)world_see(w, &o);
}

static void jump_clock(struct world *w, uint8_t device)
{
    int64_t ms = choose_us(&w->choices, STREAM_CLOCK, 0, 7200 * 1000) - 3600 * 1000; /* an hour either way */
    w->device[device].wall_offset_us += ms * US_PER_MS;
    see_clock(w, device, ms);
}

static void skew_clock(struct world *w, uint8_t device, int32_t ppm)
{
    struct device *d = &w->device[device];
    device_clock_set(w, d, ppm, d->asleep && d->sleep_stops_clock);
    see_clock(w, device, 0);
}

static void refuse_locks(struct world *w, const struct planned_fault *f, bool refuse)
{
    struct device *d = &w->device[f->device];
    d->locks_refused = refuse;
    d->locks_cause = refuse ? f->number : OBS_NONE;
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (page_alive(p) && p->device == f->device && p->has_locks) page_see_locks(w, (uint16_t)n, !refuse);
    }
    uint16_t p = refuse ? any_page(w, f->device) : PAGE_NONE;
    if (p == PAGE_NONE) return;
    page_close(w, p); /* a page that loads meanwhile meets the refusal */
    reload_in(w, w->page[p].tab, 300 * US_PER_MS, false);
}

static void clear_data(struct world *w, const struct planned_fault *f)
{
    struct device *d = &w->device[f->device];
    struct obs o = world_obs(w, OBS_STORAGE_FAULT);
    o.partition = f->device;
    o.a = 1;
    uint32_t cause = world_see(w, &o);
    d->partition_key++;
    d->storage[0].leader = d->storage[1].leader = 0;
    if (w->contract.authority != AUTHORITY_INDEXEDDB) return;
    uint8_t n = (uint8_t)(LEDGER_NODES + f->device);
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_cleared(&w->node[n], ++w->incarnation, w->now, node_now(w, n), cause, w->ledger_out);
    node_effects(w, n);
    w->owner = PAGE_NONE;
}

static void nest_locks(struct world *w, struct planned_fault *f)
{
    uint16_t b = lockmgr_waiter(w->lockmgr[f->device], LOCK_NAME_LEADER, 0);
    if (b == PAGE_NONE) return;
    w->page[f->page].settle_blocked = true;
    foreign_request(w, f->device, b, LOCK_NAME_OTHER, 0, f->lasts_us, PAGE_NONE, f->number);
    foreign_request(w, f->device, f->page, LOCK_NAME_OTHER, 0, 10 * US_PER_MS, f->page, f->number);
}

static void browser_crash(struct world *w, uint8_t device)
{
    for (uint32_t n = 0; n < w->pages; n++)
        if (w->page[n].device == device) page_crash(w, (uint16_t)n, OBS_PAGE_CRASHED);
}

static void restore_session(struct world *w, uint8_t device)
{
    uint32_t visible = w->scenario->device[device].visible;
    for (uint32_t t = 0; t < w->tabs; t++) {
        if (w->tab[t].device != device || w->tab[t].page != PAGE_NONE) continue;
        int64_t us = latency_draw(&latency_reload, &w->choices, STREAM_LIFE);
        reload_in(w, (uint16_t)t, us, visible > 0);
        if (visible > 0) visible--;
    }
}

static void hide_all(struct world *w, uint8_t device, bool hide)
{
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (p->device != device || !page_alive(p)) continue;
        if (hide && p->state == DOC_VISIBLE) {
            p->visible_before = true;
            page_hide(w, (uint16_t)n);
        } else if (!hide && p->visible_before && p->state == DOC_HIDDEN) {
            p->visible_before = false;
            page_show(w, (uint16_t)n);
        }
    }
}

/* The user goes from the holder's tab to another one of the app. */
static void hide_holder(struct world *w, struct planned_fault *f)
{
    page_hide(w, f->page);
    uint16_t next = waiter(w);
    if (next == PAGE_NONE || w->page[next].device != f->device) return;
    f->aux = next + 1u;
    page_show(w, next);
}

static void freeze_waiter(struct world *w, struct planned_fault *f)
{
    page_freeze(w, f->page, false);
    uint16_t h = holder(w);
    if (h != PAGE_NONE && h != f->page && chance(&w->choices, STREAM_FAULT, 1, 2)) close_tab(w, h); /* its turn comes */
}

/* With nobody leading there is no traffic but what users cause. */
static void user_works_on(struct world *w, const struct planned_fault *f)
{
    if (w->operations < LEDGER_OPS_MAX)
        world_at(w, 20 * US_PER_MS, EV_SUBMIT, f->device + 1u, ++w->operations);
}

static bool is_quiet(const struct world *w)
{
    enum leader_phase p = world_phase(w);
    return p == PHASE_NO_LEADER || p == PHASE_WAITING || p == PHASE_RELEASE || p == PHASE_GRANTED;
}

/* ... and on the channel, what a page says that is looked at while it waits. */
static void user_looks(struct world *w, const struct planned_fault *f)
{
    struct lockmgr *m = w->lockmgr[f->device];
    uint16_t p = lockmgr_waiter(m, LOCK_NAME_LEADER, 0);
    if (p == f->page) p = lockmgr_waiter(m, LOCK_NAME_LEADER, 1);
    if (p == PAGE_NONE || !page_running(w, &w->page[p])) return;
    page_hide(w, p);
    page_show(w, p);
}

static void lose_answers(struct world *w, struct planned_fault *f)
{
    static const uint32_t of_phase[PHASE_COUNT] = {
        [PHASE_CLAIM] = 1u << REQ_CLAIM, [PHASE_TAKE] = 1u << REQ_TAKE, [PHASE_EFFECT] = 1u << REQ_EFFECT,
        [PHASE_COMMIT] = 1u << REQ_COMMIT | 1u << REQ_ACK, [PHASE_RENEW] = 1u << REQ_RENEW,
        [PHASE_EFFECT_UNKNOWN] = 1u << REQ_OUTCOME, [PHASE_RELEASE] = 1u << REQ_RELEASE,
        [PHASE_NO_LEADER] = 1u << REQ_SUBMIT, [PHASE_WAITING] = 1u << REQ_SUBMIT | 1u << REQ_PERMIT,
    };
    struct device *d = &w->device[f->device];
    uint32_t kinds = of_phase[world_phase(w)];
    d->lost_answers = kinds ? kinds : 1u << REQ_RENEW | 1u << REQ_TAKE;
    d->lost_cause = f->number;
}

static void meddle_next(struct world *w, struct planned_fault *f, bool late)
{
    static const enum request_kind of_phase[PHASE_COUNT] = {
        [PHASE_WAITING] = REQ_SUBMIT, [PHASE_NO_LEADER] = REQ_SUBMIT, [PHASE_GRANTED] = REQ_CLAIM, [PHASE_CLAIM] = REQ_CLAIM,
        [PHASE_TAKE] = REQ_EFFECT, [PHASE_EFFECT] = REQ_ACK, [PHASE_EFFECT_UNKNOWN] = REQ_OUTCOME,
        [PHASE_COMMIT] = REQ_COMMIT, [PHASE_RENEW] = REQ_RENEW, [PHASE_DRAINING] = REQ_RELEASE,
        [PHASE_RELEASE] = REQ_SUBMIT,
    };
    struct device *d = &w->device[f->device];
    if (late) {
        d->late = 1;
        d->late_kind = of_phase[world_phase(w)];
        d->late_cause = f->number;
    } else {
        d->doubled = 1;
        d->doubled_kind = of_phase[world_phase(w)];
        d->doubled_cause = f->number;
    }
}

/* A full quota makes writes fail; a local ledger cannot decide anything then. */
static void set_quota(struct world *w, const struct planned_fault *f, bool full)
{
    struct device *d = &w->device[f->device];
    d->quota_full = full;
    d->quota_cause = f->number;
    if (w->contract.authority != AUTHORITY_INDEXEDDB) return;
    struct obs o = world_obs(w, OBS_NODE_DECIDES);
    o.node = (uint8_t)(16 + f->device);
    o.a = !full;
    (void)world_see(w, &o);
}

static void fill_quota(struct world *w, struct planned_fault *f)
{
    set_quota(w, f, true);
    user_works_on(w, f);
}

static void advance_epoch(struct world *w, uint8_t node, enum incident what, uint32_t cause)
{
    if (!w->node[node].up) return;
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_incident(&w->node[node], what, w->now, node_now(w, node), cause, w->ledger_out);
    node_effects(w, node);
    if (what == INCIDENT_ADVANCE_EPOCH) w->owner = PAGE_NONE;
}

static void begin_page_fault(struct world *w, struct planned_fault *f)
{
    uint16_t p = f->page;
    switch (f->kind) {
    case FAULT_CLOSE_HOLDER: case FAULT_CLOSE_WAITER: close_tab(w, p); break;
    case FAULT_CRASH_HOLDER: case FAULT_CRASH_WAITER:
        page_crash(w, p, OBS_PAGE_CRASHED);
        reload_in(w, f->tab, back_us(w), false);
        break;
    case FAULT_FREEZE_HOLDER: page_freeze(w, p, true); break;
    case FAULT_FREEZE_ABRUPT: page_freeze(w, p, false); break;
    case FAULT_FREEZE_WAITER: freeze_waiter(w, f); break;
    case FAULT_HIDE_HOLDER: hide_holder(w, f); break;
    case FAULT_LONG_TASK: page_block(w, p, f->lasts_us > 0 ? f->lasts_us : US_PER_S); break;
    case FAULT_BFCACHE_HOLDER: case FAULT_BFCACHE_WAITER: case FAULT_BFCACHE_EVICT: (void)page_cache(w, p); break;
    case FAULT_BFCACHE_STARVE:
        if (!page_cache(w, p)) break;
        f->aux = new_tab(w, f->device);
        if (f->aux != TABLE_NONE) reload_in(w, (uint16_t)f->aux, 200 * US_PER_MS, true);
        break;
    case FAULT_DISCARD:
        page_hide(w, p);
        page_crash(w, p, OBS_PAGE_DISCARDED);
        break;
    case FAULT_RELOAD:
        page_close(w, p);
        reload_in(w, f->tab, latency_draw(&latency_reload, &w->choices, STREAM_LIFE), true);
        break;
    case FAULT_DUPLICATE: duplicate(w, f); break;
    case FAULT_DEAF_TAB:
        w->page[p].deaf_cause = f->number;
        if (is_quiet(w)) user_looks(w, f);
        break;
    case FAULT_ROGUE_STEAL:
        foreign_request(w, f->device, p, LOCK_NAME_LEADER, LOCK_IS_STEAL, f->lasts_us, PAGE_NONE, f->number);
        break;
    case FAULT_NESTED_LOCKS: nest_locks(w, f); break;
    default: must(false);
    }
}

/* Faults that only show on a request. */
static bool shows_on_traffic(enum fault_kind k)
{
    return k == FAULT_ANSWER_LOST || k == FAULT_REQUEST_LATE || k == FAULT_REQUEST_DOUBLED;
}

static void begin_device_fault(struct world *w, struct planned_fault *f)
{
    struct device *d = &w->device[f->device];
    if (shows_on_traffic(f->kind) && is_quiet(w)) user_works_on(w, f);
    switch (f->kind) {
    case FAULT_BROWSER_CRASH: browser_crash(w, f->device); break;
    case FAULT_HIDE_ALL: hide_all(w, f->device, true); break;
    case FAULT_DELAY_HEARTBEATS:
        d->channel_delay_us = choose_us(&w->choices, STREAM_FAULT, 2 * US_PER_S, 6 * US_PER_S);
        d->channel_cause = f->number;
        if (is_quiet(w)) user_looks(w, f);
        break;
    case FAULT_DROP_HEARTBEATS:
        d->channel_drop = true;
        d->channel_cause = f->number;
        if (is_quiet(w)) user_looks(w, f);
        break;
    case FAULT_LOCKS_MISSING: open_page(w, f, true, false); break;
    case FAULT_LOCKS_REFUSED: refuse_locks(w, f, true); break;
    case FAULT_CLEAR_DATA: clear_data(w, f); break;
    case FAULT_QUOTA_FULL: fill_quota(w, f); break;
    case FAULT_CUT_SERVER: case FAULT_CUT_UP: case FAULT_CUT_DOWN:
        for (uint8_t n = 0; n < w->nodes; n++) cut(w, f->device, n, cut_bits(f->kind), f->number);
        break;
    case FAULT_ANSWER_LOST: lose_answers(w, f); break;
    case FAULT_REQUEST_LATE: meddle_next(w, f, true); break;
    case FAULT_REQUEST_DOUBLED: meddle_next(w, f, false); break;
    case FAULT_SECOND_DEVICE: open_page(w, f, false, false); break;
    case FAULT_SLEEP_DEVICE: sleep_device(w, f); break;
    case FAULT_CLOCK_JUMP: jump_clock(w, f->device); break;
    case FAULT_CLOCK_SKEW:
        skew_clock(w, f->device, (int32_t)choose_us(&w->choices, STREAM_CLOCK, 0, 40000) - 20000);
        break;
    case FAULT_OLD_VERSION: open_page(w, f, false, true); break;
    case FAULT_ROLLBACK:
        d->rolled_back = true;
        if (f->page != PAGE_NONE) {
            uint16_t tab = w->page[f->page].tab;
            page_close(w, f->page);
            reload_in(w, tab, 300 * US_PER_MS, true);
        }
        break;
    default: must(false);
    }
}

static void begin_server_fault(struct world *w, struct planned_fault *f)
{
    w->provider_cause = f->number;
    switch (f->kind) {
    case FAULT_NODE_CRASH: node_crash(w, f->node, f->number); break;
    case FAULT_NODE_PARTITION: cut_node_off(w, f, false); break;
    case FAULT_NODE_FAILOVER: cut_node_off(w, f, true); break;
    case FAULT_PROVIDER_DOWN: w->provider_down = true; break;
    case FAULT_PROVIDER_SLOW: w->provider_slow_us = choose_us(&w->choices, STREAM_FAULT, 100 * US_PER_MS, 4 * US_PER_S); break;
    case FAULT_PROVIDER_SILENT: w->provider_silent = true; break;
    case FAULT_EPOCH_ADVANCE: advance_epoch(w, f->node, INCIDENT_ADVANCE_EPOCH, f->number); break;
    default: must(false);
    }
}

static void begin(struct world *w, uint32_t i)
{
    struct planned_fault *f = &w->fault[i];
    f->begun = true;
    f->tab = f->page == PAGE_NONE ? 0 : w->page[f->page].tab;
    struct obs o = obs_make(OBS_FAULT_BEGUN, w->now, OBS_NONE);
    o.op = i + 1;
    o.a = f->kind;
    o.page = f->page;
    o.device = f->device;
    o.node = f->node;
    w->cause = f->number = world_see(w, &o);
    switch (fault_info[f->kind].target) {
    case FAULT_ON_HOLDER: case FAULT_ON_WAITER: begin_page_fault(w, f); break;
    case FAULT_ON_NODE: case FAULT_ON_PROVIDER: case FAULT_ON_LEDGER: begin_server_fault(w, f); break;
    default: begin_device_fault(w, f); break;
    }
    if (fault_info[f->kind].lasts) world_at(w, f->lasts_us, EV_FAULT_END, 0, i);
}

void fault_due(struct world *w, uint32_t arg)
{
    uint32_t i = arg & ~DEADLINE;
    struct planned_fault *f = &w->fault[i];
    if (f->begun || w->healed) return;
    if (arg & DEADLINE) {
        if (!f->armed) return;
        f->armed = false;
        w->armed--;
    } else if (f->aimed) {
        arm(w, i);
        return;
    }
    w->cause = OBS_NONE;
    if (find_target(w, f)) begin(w, i);
    else world_at(w, NO_TARGET_RETRY_US, EV_FAULT, 0, i);
}

/* ---- the end of faults ----------------------------------------------------------- */

static void tab_comes_back(struct world *w, const struct planned_fault *f)
{
    if (f->page == PAGE_NONE || page_alive(&w->page[f->page])) return;
    if (w->tab[f->tab].page == PAGE_NONE && !w->tab[f->tab].load_pending)
        reload_in(w, f->tab, latency_draw(&latency_reload, &w->choices, STREAM_LIFE), true);
}

static void end_page_fault(struct world *w, struct planned_fault *f)
{
    uint16_t p = f->page;
    switch (f->kind) {
    case FAULT_FREEZE_HOLDER: case FAULT_FREEZE_ABRUPT: case FAULT_FREEZE_WAITER:
        page_thaw(w, p);
        if (w->page[p].visible_before && choose(&w->choices, STREAM_FAULT, 2)) page_show(w, p);
        break;
    case FAULT_HIDE_HOLDER:
        if (f->aux) page_hide(w, (uint16_t)(f->aux - 1));
        page_show(w, p);
        break;
    case FAULT_BFCACHE_HOLDER: case FAULT_BFCACHE_WAITER: case FAULT_BFCACHE_STARVE:
        page_restore(w, p);
        tab_comes_back(w, f);
        break;
    case FAULT_BFCACHE_EVICT:
        page_evict(w, p, 4);
        tab_comes_back(w, f);
        break;
    case FAULT_DISCARD: tab_comes_back(w, f); break;
    case FAULT_DEAF_TAB: w->page[p].deaf_cause = OBS_NONE; break;
    default: break; /* foreign code keeps its own time */
    }
}

static void end_other_fault(struct world *w, struct planned_fault *f)
{
    struct device *d = f->device < w->devices ? &w->device[f->device] : NULL;
    switch (f->kind) {
    case FAULT_BROWSER_CRASH: restore_session(w, f->device); break;
    case FAULT_HIDE_ALL: hide_all(w, f->device, false); break;
    case FAULT_DELAY_HEARTBEATS: d->channel_delay_us = 0; break;
    case FAULT_DROP_HEARTBEATS: d->channel_drop = false; break;
    case FAULT_LOCKS_REFUSED: refuse_locks(w, f, false); break;
    case FAULT_QUOTA_FULL: set_quota(w, f, false); break;
    case FAULT_CUT_SERVER: case FAULT_CUT_UP: case FAULT_CUT_DOWN:
        for (uint8_t n = 0; n < w->nodes; n++) heal(w, f->device, n, cut_bits(f->kind));
        break;
    case FAULT_NODE_CRASH: node_restart(w, f->node, w->cause); break;
    case FAULT_NODE_FAILOVER:
        for (uint8_t k = 0; k < w->devices; k++) heal(w, k, f->node, 3);
        w->node_cut[f->node] = 0;
        break;
    case FAULT_NODE_PARTITION: w->node_cut[f->node] = 0; break;
    case FAULT_PROVIDER_DOWN: w->provider_down = false; break;
    case FAULT_PROVIDER_SLOW: w->provider_slow_us = 0; break;
    case FAULT_PROVIDER_SILENT: w->provider_silent = false; break;
    case FAULT_SLEEP_DEVICE: wake_device(w, f->device); break;
    case FAULT_CLOCK_SKEW: skew_clock(w, f->device, 0); break;
    case FAULT_ROLLBACK: d->rolled_back = false; break;
    case FAULT_EPOCH_ADVANCE: {
        uint8_t n = node_deciding(w);
        if (n != NODE_NONE) advance_epoch(w, n, INCIDENT_REOPEN, w->cause);
        else { /* nobody to tell yet */
            f->ended = false;
            world_at(w, NO_TARGET_RETRY_US, EV_FAULT_END, 0, (uint32_t)(f - w->fault));
        }
        break;
    }
    default: break;
    }
}

void fault_end(struct world *w, uint32_t i)
{
    struct planned_fault *f = &w->fault[i];
    if (!f->begun || f->ended) return;
    f->ended = true;
    struct obs o = obs_make(OBS_FAULT_ENDED, w->now, f->number);
    o.op = i + 1;
    o.a = f->kind;
    w->cause = world_see(w, &o);
    enum fault_target t = fault_info[f->kind].target;
    if (t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER) end_page_fault(w, f);
    else end_other_fault(w, f);
    node_decides_changed(w);
}

/* Some harm to single pages stays for good; everything else is put right (oracle.md, second phase). */
static bool stays(const struct planned_fault *f)
{
    switch (f->kind) {
    case FAULT_FREEZE_HOLDER: case FAULT_FREEZE_ABRUPT: case FAULT_FREEZE_WAITER: case FAULT_BFCACHE_HOLDER:
    case FAULT_BFCACHE_WAITER: case FAULT_BFCACHE_STARVE: case FAULT_DISCARD: case FAULT_DEAF_TAB: return f->for_good;
    default: return false;
    }
}

void fault_heal(struct world *w)
{
    w->armed = 0;
    for (uint32_t i = 0; i < w->faults; i++) {
        struct planned_fault *f = &w->fault[i];
        f->armed = false;
        if (!f->begun || f->ended || !fault_info[f->kind].lasts) continue;
        if (stays(f)) f->ended = true;
        else fault_end(w, i);
    }
    for (uint32_t d = 0; d < w->devices; d++) { /* what was armed and never met its request */
        w->device[d].late = w->device[d].doubled = 0;
        w->device[d].lost_answers = 0;
    }
    for (uint32_t n = 0; n < w->pages; n++) w->page[n].lost_answers = 0;
    for (uint32_t i = 0; i < w->foreigns; i++) foreign_lets_go(w, i);
}
