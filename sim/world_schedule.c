/* The world: the steps that a scenario lists. No step draws anything: it is due at its
 * time, or at once when the step before it is done; one with a phase then waits for that
 * phase. A step acts once. When there is nobody to act on, or what it does cannot happen
 * in this round, that is noted (w->step) and the next ones go on. */
#include "sim/world_fault.h"

/* What the round's end undoes; longer than any round that a step can still begin in. */
#define FOR_GOOD_US (US_PER_S + w->heal_at.us - w->now.us)

static bool follows(const struct world *w, uint32_t i)
{
    return i < w->scenario->steps && w->scenario->step[i].at_us < 0;
}

static void wait_for_phase(struct world *w, uint32_t i)
{
    must(w->scenario->step[i].when != PHASE_COUNT);
    w->step[i] = STEP_WAITING;
    w->armed++;
}

static void begin_waiting(struct world *w, uint32_t i)
{
    wait_for_phase(w, i);
    schedule_aim(w, world_phase(w));
}

void schedule_plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    must(s->steps <= SCHEDULE_MAX);
    for (uint32_t i = 0; i < s->steps; i++) {
        w->step[i] = STEP_AHEAD;
        if (s->step[i].at_us >= 0) world_in_order(w, s->step[i].at_us, EV_STEP, 0, i);
    }
    if (follows(w, 0)) wait_for_phase(w, 0);
}

void schedule_aim(struct world *w, enum leader_phase phase)
{
    for (uint32_t i = 0; i < w->scenario->steps; i++) {
        if (w->step[i] != STEP_WAITING || w->scenario->step[i].when != phase) continue;
        must(w->armed > 0);
        w->step[i] = STEP_FIRING;
        w->armed--;
        world_in_order(w, 0, EV_STEP, 1, i);
    }
}

/* ---- whom a step acts on ------------------------------------------------------------ */

static uint16_t page_of_tab(const struct world *w, uint32_t tab)
{
    uint16_t p = tab < w->tabs ? w->tab[tab].page : PAGE_NONE;
    return p != PAGE_NONE && page_alive(&w->page[p]) && !w->page[p].closing ? p : PAGE_NONE;
}

/* The first page of the device, or the first that can run tasks. */
static uint16_t first_page(const struct world *w, uint8_t device, bool running)
{
    const struct device *d = &w->device[device];
    for (uint32_t t = d->first_tab; t < d->first_tab + d->tabs; t++) {
        uint16_t p = page_of_tab(w, t);
        if (p == PAGE_NONE) continue;
        if (!running || page_running(w, &w->page[p])) return p;
    }
    return PAGE_NONE;
}

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
    if (p->tab != STEP_ANY) return page_of_tab(w, p->tab);
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
    f->page = first_page(w, f->device, false);
    return true;
}

/* ---- acting ------------------------------------------------------------------------- */

static enum step_outcome begin_fault(struct world *w, const struct step_plan *p)
{
    if (!fault_can_happen(w, p->fault) || w->faults == FAULTS_PLANNED_MAX) return STEP_CANNOT;
    struct planned_fault f = { .kind = p->fault,
                               .at = w->now,
                               .lasts_us = p->lasts_us,
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

static enum step_outcome submit_one(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    uint8_t device = p->device == STEP_ANY ? aim_device(w, p->fault) : (uint8_t)p->device;
    uint16_t n = p->tab == STEP_ANY ? first_page(w, device, true) : page_of_tab(w, p->tab);
    if (n == PAGE_NONE || !page_running(w, &w->page[n])) return STEP_NOBODY;
    if (w->page[n].busy_until.us > w->now.us) { /* the click waits for the task before it */
        world_in_order(w, w->page[n].busy_until.us - w->now.us, EV_STEP, 1, i);
        return STEP_FIRING;
    }
    if (w->operations == LEDGER_OPS_MAX) return STEP_CANNOT;
    (void)world_submit(w, n, ++w->operations); /* where the quota is full, the user is told */
    return STEP_DONE;
}

static void act(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    must(p->device == STEP_ANY || p->device < w->devices);
    w->cause = OBS_NONE;
    w->step[i] = p->fault == FAULT_COUNT ? submit_one(w, i) : begin_fault(w, p);
    if (w->step[i] != STEP_FIRING && follows(w, i + 1)) begin_waiting(w, i + 1);
}

void schedule_due(struct world *w, uint32_t i, bool phase_has_come)
{
    must(i < w->scenario->steps);
    if (w->healed) return;
    if (!phase_has_come && w->scenario->step[i].when != PHASE_COUNT)
        begin_waiting(w, i);
    else
        act(w, i);
}
