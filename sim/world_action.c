/* The world: what a user, a browser or foreign code does in a step of the schedule. Each is
 * one call of what the faults are made of; nothing is drawn that a calm round does not draw as
 * its mildest, and nothing undoes it but another step. */
#include "sim/world_fault.h"

uint16_t action_page(const struct world *w, uint32_t tab)
{
    uint16_t p = tab < w->tabs ? w->tab[tab].page : PAGE_NONE;
    return p != PAGE_NONE && page_alive(&w->page[p]) && !w->page[p].closing ? p : PAGE_NONE;
}

uint16_t action_first_page(const struct world *w, uint8_t device, bool running)
{
    const struct device *d = &w->device[device];
    for (uint32_t t = d->first_tab; t < d->first_tab + d->tabs; t++) {
        uint16_t p = action_page(w, t);
        if (p == PAGE_NONE) continue;
        if (!running || page_running(w, &w->page[p])) return p;
    }
    return PAGE_NONE;
}

static enum step_outcome submit(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    uint8_t device = p->device == STEP_ANY ? aim_device(w, FAULT_COUNT) : (uint8_t)p->device;
    uint16_t n = p->tab == STEP_ANY ? action_first_page(w, device, true) : action_page(w, p->tab);
    if (n == PAGE_NONE || !page_running(w, &w->page[n])) return STEP_NOBODY;
    if (w->page[n].busy_until.us > w->now.us) { /* the click waits for the task before it */
        world_in_order(w, w->page[n].busy_until.us - w->now.us, EV_STEP, STEP_HAS_WAITED, i);
        return STEP_FIRING;
    }
    if (w->operations == LEDGER_OPS_MAX) return STEP_CANNOT;
    (void)world_submit(w, n, ++w->operations); /* where the quota is full, the user is told */
    return STEP_DONE;
}

static enum step_outcome keep_store_busy(struct world *w, uint8_t device, int64_t us)
{
    struct device *d = &w->device[device];
    if (w->contract.authority != AUTHORITY_INDEXEDDB) return STEP_CANNOT;
    if (!d->quota_full && w->now.us >= d->store_busy_until.us) node_see_store(w, device, false);
    d->store_busy_until.us = w->now.us + us;
    world_in_order(w, us, EV_STORE_FREE, device, 0);
    return STEP_DONE;
}

static enum step_outcome on_device(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    uint8_t device = p->device == STEP_ANY ? 0 : (uint8_t)p->device;
    uint32_t tab;
    switch (p->action) {
    case ACTION_SUBMIT: return submit(w, i);
    case ACTION_OPEN:
    case ACTION_OPEN_BEHIND:
        tab = harm_new_tab(w, device);
        if (tab == TABLE_NONE) return STEP_CANNOT;
        (void)page_create(w, (uint16_t)tab, p->action == ACTION_OPEN, 0, OBS_NONE);
        return STEP_DONE;
    case ACTION_HEAL:
        for (uint8_t n = 0; n < w->nodes; n++) harm_heal(w, device, n, 3);
        return STEP_DONE;
    case ACTION_WAKE: harm_wake_device(w, device); return STEP_DONE;
    case ACTION_STORE_BUSY: return keep_store_busy(w, device, p->lasts_us);
    case ACTION_SIGN_OUT: session_account(w, device, ACCOUNT_NONE); return STEP_DONE;
    case ACTION_SWITCH: session_account(w, device, ACCOUNT_OTHER); return STEP_DONE;
    case ACTION_SIGN_IN: session_account(w, device, ACCOUNT_OWN); return STEP_DONE;
    case ACTION_STALE: w->device[device].stale_until.us = w->now.us + p->lasts_us; return STEP_DONE;
    default: must(false);
    }
    return STEP_CANNOT;
}

/* A tab without a page can be loaded, or gone back to. */
static enum step_outcome on_empty_tab(struct world *w, const struct step_plan *p)
{
    bool loads = p->action == ACTION_LOAD || p->action == ACTION_BACK;
    if (!loads || p->tab >= w->tabs) return STEP_NOBODY;
    harm_reload_in(w, (uint16_t)p->tab, 0, true);
    return STEP_DONE;
}

static void reload(struct world *w, uint16_t n)
{
    page_close(w, n);
    harm_reload_in(w, w->page[n].tab, latency_draw(&latency_reload, &w->choices, STREAM_LIFE),
                   true);
}

static void on_page(struct world *w, const struct step_plan *p, uint16_t n)
{
    switch (p->action) {
    case ACTION_LOAD:
    case ACTION_RELOAD: reload(w, n); break;
    case ACTION_CLOSE: page_close(w, n); break;
    case ACTION_CRASH: page_crash(w, n, OBS_PAGE_CRASHED); break;
    case ACTION_DISCARD:
        page_hide(w, n);
        page_crash(w, n, OBS_PAGE_DISCARDED);
        break;
    case ACTION_FREEZE: page_freeze(w, n, true); break;
    case ACTION_SUSPEND: page_freeze(w, n, false); break;
    case ACTION_THAW: page_thaw(w, n); break;
    case ACTION_HIDE: page_hide(w, n); break;
    case ACTION_SHOW: page_show(w, n); break;
    case ACTION_LEAVE: (void)page_cache(w, n); break;
    case ACTION_BACK: page_restore(w, n); break;
    case ACTION_EVICT: page_evict(w, n, 4); break;
    case ACTION_BLOCK: page_block(w, n, p->lasts_us); break;
    case ACTION_STEAL:
        foreign_request(w, w->page[n].device, n, LOCK_NAME_LEADER, LOCK_IS_STEAL, p->lasts_us,
                        PAGE_NONE, OBS_NONE);
        break;
    default: must(false);
    }
}

enum step_outcome action_do(struct world *w, uint32_t i)
{
    const struct step_plan *p = &w->scenario->step[i];
    enum step_target t = step_action_info[p->action].target;
    if (t == STEP_ON_DEVICE || t == STEP_ON_DEVICE_FOR) return on_device(w, i);
    uint16_t n = action_page(w, p->tab);
    if (n == PAGE_NONE) return on_empty_tab(w, p);
    on_page(w, p, n);
    return STEP_DONE;
}
