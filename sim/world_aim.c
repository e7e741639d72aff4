/* The world: which faults a round has, when they happen and to whom. Planned from the
 * seed, with classes left out at random (swarm), each at a drawn time or aimed at a
 * phase of the leader: an aimed fault is armed at its time and fires when the phase comes. */
#include "sim/world_fault.h"

#define AIM_PATIENCE_US (6 * US_PER_S) /* an aimed fault that sees no such phase fires anyway */
#define NO_TARGET_RETRY_US (300 * US_PER_MS)
#define DEADLINE 0x8000u
#define MUTATION_SOON_US (500 * US_PER_MS)

/* ---- planning --------------------------------------------------------------- */

static int64_t draw_lasting(struct world *w, const struct fault_plan *p)
{
    /* cubed: most faults are short, a few as long as the scenario allows */
    uint64_t u = choose(&w->choices, STREAM_FAULT, 65536);
    uint64_t cube = u * u / 65536 * u / 65536;
    return p->lasts.min_us +
           (int64_t)((uint64_t)(p->lasts.max_us - p->lasts.min_us) * cube / 65536);
}

/* Phases that pass in milliseconds are aimed at twice as often. */
static const uint8_t aim_weight[PHASE_COUNT] = {
    [PHASE_NO_LEADER] = 1, [PHASE_WAITING] = 3, [PHASE_GRANTED] = 2,  [PHASE_CLAIM] = 1,
    [PHASE_IDLE] = 1,      [PHASE_TAKE] = 1,    [PHASE_EFFECT] = 1,   [PHASE_EFFECT_UNKNOWN] = 1,
    [PHASE_COMMIT] = 1,    [PHASE_RENEW] = 1,   [PHASE_DRAINING] = 2, [PHASE_RELEASE] = 1,
    [PHASE_FENCED] = 1,
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
    *f = (struct planned_fault){ .kind = p->kind,
                                 .number = OBS_NONE,
                                 .page = PAGE_NONE,
                                 .device = DEVICE_NONE,
                                 .node = NODE_NONE };
    int64_t span = w->heal_at.us;
    f->at.us = span / 16 + choose_us(&w->choices, STREAM_FAULT, 0, span * 13 / 16);
    f->lasts_us = draw_lasting(w, p);
    f->aimed = chance(&w->choices, STREAM_FAULT, p->aimed_percent, 100);
    f->phase = f->aimed ? draw_phase(w, p->phase_mask) : PHASE_IDLE;
    f->for_good = chance(&w->choices, STREAM_FAULT, 1, 4);
    world_at(w, f->at.us - w->now.us, EV_FAULT, 0, w->faults++);
}

/* Whether the round has a quorum is drawn before; faults that need one are not drawn without. */
bool fault_can_happen(const struct world *w, enum fault_kind k)
{
    bool server = w->contract.authority == AUTHORITY_SERVER;
    switch (k) {
    case FAULT_NODE_PARTITION:
    case FAULT_NODE_FAILOVER: return server && w->nodes > 1;
    case FAULT_NODE_CRASH:
    case FAULT_CUT_SERVER:
    case FAULT_CUT_UP:
    case FAULT_CUT_DOWN:
    case FAULT_PROVIDER_DOWN:
    case FAULT_PROVIDER_SLOW:
    case FAULT_PROVIDER_SILENT:
    case FAULT_EPOCH_ADVANCE:
    case FAULT_REQUEST_LATE:
    case FAULT_REQUEST_DOUBLED: return server;
    default: return true;
    }
}

void fault_plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    uint32_t weight[FAULT_COUNT] = { 0 }, sum = 0;
    w->faults = w->armed = 0;
    for (uint32_t i = 0; i < s->faults; i++) {
        const struct fault_plan *p = &s->fault[i];
        bool omitted = chance(&w->choices, STREAM_SWARM, s->omit_percent, 100);
        weight[i] = omitted || !fault_can_happen(w, p->kind) ? 0 : p->weight;
        sum += weight[i];
        if (p->always && fault_can_happen(w, p->kind)) plan_one(w, p);
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
    if (p->client.page.work.request) switch (p->client.page.work.step) {
        case WORK_TAKE: return PHASE_TAKE;
        case WORK_EFFECT:
            return p->last_effect_lost == p->client.page.work.op ? PHASE_EFFECT_UNKNOWN
                                                                 : PHASE_EFFECT;
        case WORK_OUTCOME: return PHASE_EFFECT_UNKNOWN;
        case WORK_RECONCILE:
        case WORK_ACK:
        case WORK_COMMIT: return PHASE_COMMIT;
        case WORK_NONE: break;
        }
    if (p->client.page.refresh.request) return PHASE_EFFECT;
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
    if (w->scenario->steps > 0) schedule_aim(w, phase);
}

/* A second fault that leads to the phase; only where the scenario has it anyway. */
static void begin_companion(struct world *w, enum fault_kind kind, int64_t lasts_us)
{
    bool listed = false;
    for (uint32_t i = 0; i < w->scenario->faults; i++)
        listed = listed || w->scenario->fault[i].kind == kind;
    if (!listed || !fault_can_happen(w, kind) || w->faults == FAULTS_PLANNED_MAX) return;
    w->fault[w->faults] = (struct planned_fault){ .kind = kind,
                                                  .number = OBS_NONE,
                                                  .page = PAGE_NONE,
                                                  .device = DEVICE_NONE,
                                                  .node = NODE_NONE,
                                                  .lasts_us = lasts_us };
    world_at(w, 0, EV_FAULT, 0, w->faults++);
}

/* The user goes to another tab of the app. False when there is nobody to go to. */
static bool hand_over(struct world *w, uint16_t from)
{
    struct page *p = &w->page[from];
    uint16_t next = lockmgr_waiter(w->lockmgr[p->device], LOCK_NAME_LEADER, 0);
    if (next == PAGE_NONE || !page_running(w, p)) return false;
    page_hide(w, from);
    page_show(w, next);
    return true;
}

/* Brings about a phase that does not come by itself; true when it was by no other fault. */
static bool coax(struct world *w, enum leader_phase phase)
{
    if (w->owner == PAGE_NONE) return false;
    switch (phase) {
    case PHASE_EFFECT_UNKNOWN: w->page[w->owner].lost_answers |= 1u << REQ_EFFECT; return true;
    case PHASE_NO_LEADER: begin_companion(w, FAULT_EPOCH_ADVANCE, 3 * US_PER_S); return false;
    case PHASE_WAITING: begin_companion(w, FAULT_ROGUE_STEAL, US_PER_S); return false;
    case PHASE_FENCED: begin_companion(w, FAULT_FREEZE_ABRUPT, 3 * US_PER_S); return false;
    case PHASE_DRAINING:
    case PHASE_RELEASE:
    case PHASE_GRANTED:
    case PHASE_CLAIM: return hand_over(w, w->owner);
    default: return false;
    }
}

static void arm(struct world *w, uint32_t i)
{
    struct planned_fault *f = &w->fault[i];
    f->aimed = false;
    f->armed = true;
    f->armed_at = w->now;
    w->armed++;
    f->coaxed = coax(w, f->phase);
    world_at(w, AIM_PATIENCE_US, EV_FAULT, 0, i | DEADLINE);
    fault_aim(w);
}

/* ---- targets ------------------------------------------------------------------ */

static uint8_t leading_device(const struct world *w)
{
    return w->owner == PAGE_NONE ? 0 : w->page[w->owner].device;
}

uint16_t aim_holder(const struct world *w)
{
    uint32_t request;
    uint8_t first = leading_device(w);
    for (uint32_t k = 0; k < w->devices; k++) {
        uint16_t h =
            lockmgr_holder(w->lockmgr[(first + k) % w->devices], LOCK_NAME_LEADER, &request);
        if (h != PAGE_NONE && page_alive(&w->page[h])) return h;
    }
    return w->owner != PAGE_NONE && page_alive(&w->page[w->owner]) ? w->owner : PAGE_NONE;
}

uint16_t aim_waiter(const struct world *w)
{
    uint8_t first = leading_device(w);
    for (uint32_t k = 0; k < w->devices; k++) {
        uint16_t n = lockmgr_waiter(w->lockmgr[(first + k) % w->devices], LOCK_NAME_LEADER, 0);
        if (n != PAGE_NONE) return n;
    }
    return PAGE_NONE;
}

uint16_t aim_any_page(struct world *w, uint8_t device)
{
    const struct device *d = &w->device[device];
    uint32_t start = choose(&w->choices, STREAM_TARGET, d->tabs);
    for (uint32_t k = 0; k < d->tabs; k++) {
        uint16_t p = w->tab[d->first_tab + (start + k) % d->tabs].page;
        if (p != PAGE_NONE && page_alive(&w->page[p]) && !w->page[p].closing) return p;
    }
    return PAGE_NONE;
}

/* On the device that the fault has. False when there is nobody to act on. */
static bool aim_on_device(struct world *w, struct planned_fault *f)
{
    switch (fault_info[f->kind].target) {
    case FAULT_ON_HOLDER: f->page = aim_holder(w); break;
    case FAULT_ON_WAITER: f->page = aim_waiter(w); break;
    case FAULT_ON_NODE: f->node = node_deciding(w); return f->node != NODE_NONE;
    case FAULT_ON_LEDGER: f->node = node_deciding(w); return f->node != NODE_NONE;
    default: f->page = aim_any_page(w, f->device); return true;
    }
    if (f->page == PAGE_NONE) return false;
    f->device = w->page[f->page].device;
    return true;
}

/* The leading device; a second device is another. */
uint8_t aim_device(const struct world *w, enum fault_kind k)
{
    uint8_t leading = leading_device(w);
    return k == FAULT_SECOND_DEVICE ? (uint8_t)((leading + 1) % w->devices) : leading;
}

static bool aim_find_target(struct world *w, struct planned_fault *f)
{
    f->device = aim_device(w, f->kind);
    bool is_other = f->kind == FAULT_SECOND_DEVICE && w->devices > 1;
    if (!is_other && chance(&w->choices, STREAM_TARGET, 1, 8))
        f->device = (uint8_t)choose(&w->choices, STREAM_TARGET, w->devices);
    return aim_on_device(w, f);
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
    if (aim_find_target(w, f))
        fault_begin(w, i);
    else
        world_at(w, NO_TARGET_RETRY_US, EV_FAULT, 0, i);
}

/* ---- one at an exact place ------------------------------------------------------ */

void fault_inject(struct world *w, struct injection *x)
{
    x->reached = true;
    x->begun = false;
    x->phase = world_phase(w);
    x->at = w->now;
    if (x->kind == INJECT_DELAY) {
        x->begun = !w->healed && world_delay_next(w, x->lasts_us);
        return;
    }
    if (w->healed || w->faults == FAULTS_PLANNED_MAX || !fault_can_happen(w, x->kind)) return;
    struct planned_fault *f = &w->fault[w->faults];
    *f = (struct planned_fault){ .kind = x->kind,
                                 .at = w->now,
                                 .lasts_us = x->lasts_us,
                                 .late_us = x->lasts_us,
                                 .number = OBS_NONE,
                                 .page = PAGE_NONE,
                                 .device = aim_device(w, x->kind),
                                 .node = NODE_NONE };
    w->cause = OBS_NONE;
    if (!aim_on_device(w, f)) return;
    x->begun = true;
    fault_begin(w, w->faults++);
}

/* ---- one more after a fork ------------------------------------------------------- */

/* Swarm does not count here, `always` as one of the others. */
static uint32_t mutation_weight(const struct world *w, const struct fault_plan *p)
{
    if (!fault_can_happen(w, p->kind)) return 0;
    return p->weight > 0 ? p->weight : p->always;
}

void fault_mutate(struct world *w)
{
    const struct scenario *s = w->scenario;
    uint32_t sum = 0, i = 0;
    if (w->healed || w->faults == FAULTS_PLANNED_MAX || choose(&w->choices, STREAM_FAULT, 2) == 0)
        return;
    for (uint32_t k = 0; k < s->faults; k++) sum += mutation_weight(w, &s->fault[k]);
    if (sum == 0) return;
    uint32_t pick = choose(&w->choices, STREAM_FAULT, sum);
    while (pick >= mutation_weight(w, &s->fault[i])) pick -= mutation_weight(w, &s->fault[i++]);
    struct planned_fault *f = &w->fault[w->faults];
    int64_t in_us = chance(&w->choices, STREAM_FAULT, 1, 2)
                        ? choose_us(&w->choices, STREAM_FAULT, 0, MUTATION_SOON_US)
                        : 0;
    *f = (struct planned_fault){ .kind = s->fault[i].kind,
                                 .at = { w->now.us + in_us },
                                 .lasts_us = draw_lasting(w, &s->fault[i]),
                                 .number = OBS_NONE,
                                 .page = PAGE_NONE,
                                 .device = DEVICE_NONE,
                                 .node = NODE_NONE };
    world_at(w, in_us, EV_FAULT, 0, w->faults++);
}
