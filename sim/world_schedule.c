/* The world: the steps that a scenario lists. No step draws anything: it is due at its
 * time, or after the step before it; then it waits for its phase or its observation, if it
 * names one. A step acts once. When there is nobody to act on, when what it does cannot happen
 * in this round, or when what it expects is not so, that is noted (w->step) and the next
 * ones go on. */
#include "sim/world_fault.h"

/* What the round's end undoes; longer than any round that a step can still begin in. */
#define FOR_GOOD_US (US_PER_S + w->heal_at.us - w->now.us)

/* ---- when a step acts --------------------------------------------------------------- */

static void call_step(struct world *w, int64_t in_us, uint32_t i, enum step_call call)
{
    world_in_order(w, in_us, EV_STEP, (uint16_t)call, i);
}

static void begin_watching(struct world *w, uint32_t i, enum step_outcome how)
{
    if (w->watching++ == 0) w->watched = w->history.n;
    w->step[i] = how;
    w->step_from[i] = w->history.n;
}

static void wait_for_phase(struct world *w, uint32_t i)
{
    w->step[i] = STEP_WAITING;
    w->armed++;
}

/* False: the step waits for nothing. */
static bool begin_waiting(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    if (p->waits) begin_watching(w, i, STEP_WATCHING);
    if (p->when == PHASE_COUNT) return p->waits;
    wait_for_phase(w, i);
    schedule_aim(w, world_phase(w));
    return true;
}

static bool follows(const struct world *w, uint32_t i)
{
    return i < w->scenario->steps && w->scenario->step[i].at_us < 0;
}

/* The step before is done. What it waits for may be in the same instant. */
static void begin_next(struct world *w, uint32_t i)
{
    if (!follows(w, i)) return;
    int64_t after_us = w->scenario->step[i].after_us;
    if (after_us > 0 || !begin_waiting(w, i)) call_step(w, after_us, i, STEP_IS_DUE);
}

void schedule_plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    must(s->steps <= SCHEDULE_MAX);
    w->watching = w->watched = 0;
    for (uint32_t i = 0; i < s->steps; i++) {
        w->step[i] = STEP_AHEAD;
        if (s->step[i].at_us >= 0) call_step(w, s->step[i].at_us, i, STEP_IS_DUE);
    }
    if (!follows(w, 0)) return;
    if (s->step[0].after_us > 0)
        call_step(w, s->step[0].after_us, 0, STEP_IS_DUE);
    else if (s->step[0].waits)
        begin_watching(w, 0, STEP_WATCHING);
    else
        wait_for_phase(w, 0);
}

void schedule_aim(struct world *w, enum leader_phase phase)
{
    for (uint32_t i = 0; i < w->scenario->steps; i++) {
        if (w->step[i] != STEP_WAITING || w->scenario->step[i].when != phase) continue;
        must(w->armed > 0);
        w->step[i] = STEP_FIRING;
        w->armed--;
        call_step(w, 0, i, STEP_HAS_WAITED);
    }
}

static bool is_awaited(const struct world *w, uint32_t i, const struct obs *o)
{
    const struct step_plan *p = &w->scenario->step[i];
    bool of_it = p->of == STEP_ANY || (o->page < w->pages && w->page[o->page].tab == p->of);
    return o->number >= w->step_from[i] && o->kind == p->until && of_it;
}

static bool is_so(struct world *w, const struct step_plan *p)
{
    uint16_t n = p->tab == STEP_ANY ? PAGE_NONE : action_page(w, p->tab);
    bool believes = n != PAGE_NONE && w->page[n].client.page.believes;
    switch (p->expect) {
    case EXPECT_LEADS: return believes && w->owner == n && w->owner_held;
    case EXPECT_FOLLOWS: return n != PAGE_NONE && !believes;
    case EXPECT_NOBODY: return w->owner == PAGE_NONE || !w->owner_held;
    case EXPECT_SETTLED: return world_is_settled(w);
    case EXPECT_GONE: return n == PAGE_NONE;
    case EXPECT_COUNT: break;
    }
    must(false);
    return false;
}

void schedule_watch(struct world *w)
{
    for (; w->watched < w->history.n; w->watched++)
        for (uint32_t i = 0; i < w->scenario->steps; i++) {
            if (w->step[i] != STEP_WATCHING || !is_awaited(w, i, &w->history.at[w->watched]))
                continue;
            w->watching--;
            w->step[i] = STEP_FIRING;
            call_step(w, 0, i, STEP_HAS_WAITED);
        }
    for (uint32_t i = 0; i < w->scenario->steps; i++) {
        if (w->step[i] != STEP_HOPING || !is_so(w, &w->scenario->step[i])) continue;
        w->watching--;
        w->step[i] = STEP_DONE;
        begin_next(w, i + 1);
    }
}

/* ---- whom a step acts on ------------------------------------------------------------ */

static uint16_t holder_on(const struct world *w, uint8_t device)
{
    uint32_t request;
    uint16_t h = lockmgr_holder(w->lockmgr[device], LOCK_NAME_LEADER, &request);
    if (h == PAGE_NONE && w->owner != PAGE_NONE && w->page[w->owner].device == device) h = w->owner;
    return h != PAGE_NONE && page_alive(&w->page[h]) ? h : PAGE_NONE;
}

static uint16_t page_for(const struct world *w, const struct step_plan *p, enum fault_target t)
{
    bool anywhere = p->device == STEP_ANY;
    if (p->tab != STEP_ANY) return action_page(w, p->tab);
    if (t == FAULT_ON_HOLDER) return anywhere ? aim_holder(w) : holder_on(w, (uint8_t)p->device);
    if (t == FAULT_ON_WAITER)
        return anywhere ? aim_waiter(w)
                        : lockmgr_waiter(w->lockmgr[p->device], LOCK_NAME_LEADER, 0);
    return PAGE_NONE;
}

static uint8_t device_for(const struct world *w, const struct step_plan *p)
{
    if (p->device != STEP_ANY) return (uint8_t)p->device;
    return aim_device(w, p->fault);
}

static bool find_target(const struct world *w, const struct step_plan *p, struct planned_fault *f)
{
    enum fault_target t = fault_info[p->fault].target;
    f->device = device_for(w, p);
    if (t == FAULT_ON_NODE || t == FAULT_ON_LEDGER) {
        f->node = node_deciding(w);
        return f->node != NODE_NONE;
    }
    f->page = page_for(w, p, t);
    if (f->page != PAGE_NONE) f->device = w->page[f->page].device;
    if (t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER || p->tab != STEP_ANY)
        return f->page != PAGE_NONE;
    f->page = action_first_page(w, f->device, false);
    return true;
}

/* ---- acting ------------------------------------------------------------------------- */

static enum step_outcome begin_fault(struct world *w, const struct step_plan *p)
{
    if (!fault_can_happen(w, p->fault) || w->faults == FAULTS_PLANNED_MAX) return STEP_CANNOT;
    struct planned_fault f = { .kind = p->fault,
                               .at = w->now,
                               .lasts_us = p->lasts_us,
                               .late_us = p->lasts_us,
                               .request = p->request,
                               .number = OBS_NONE,
                               .page = PAGE_NONE,
                               .device = DEVICE_NONE,
                               .node = NODE_NONE };
    if (!find_target(w, p, &f)) return STEP_NOBODY;
    if (p->lasts_us == 0 && fault_info[p->fault].lasts) {
        f.for_good = true;
        f.lasts_us = FOR_GOOD_US;
    }
    w->fault[w->faults] = f;
    fault_begin(w, w->faults++);
    return STEP_DONE;
}

static enum step_outcome expect(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    if (is_so(w, p)) return STEP_DONE;
    if (p->within_us == 0) return STEP_UNMET;
    begin_watching(w, i, STEP_HOPING);
    call_step(w, p->within_us, i, STEP_IS_LATE);
    return STEP_HOPING;
}

static void act(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    must(p->device == STEP_ANY || p->device < w->devices);
    w->cause = OBS_NONE;
    enum step_outcome o = p->fault != FAULT_COUNT ? begin_fault(w, p)
                          : p->expects            ? expect(w, i)
                                                  : action_do(w, i);
    w->step[i] = o;
    if (o != STEP_FIRING && o != STEP_HOPING) begin_next(w, i + 1);
}

static void give_up(struct world *w, uint32_t i)
{
    if (w->step[i] != STEP_HOPING) return;
    w->watching--;
    w->step[i] = STEP_UNMET;
    begin_next(w, i + 1);
}

void schedule_due(struct world *w, uint32_t i, enum step_call call)
{
    must(i < w->scenario->steps);
    if (w->healed) return;
    if (call == STEP_IS_LATE)
        give_up(w, i);
    else if (call == STEP_HAS_WAITED || !begin_waiting(w, i))
        act(w, i);
}
