/* The world: faults begin, are undone and healed. What one leads to names its fault.begun
 * observation as cause: that is how the oracle knows that it changed something. */
#include "sim/world_fault.h"

#define NO_TARGET_RETRY_US (300 * US_PER_MS)

static void begin_page_fault(struct world *w, struct planned_fault *f)
{
    uint16_t p = f->page;
    switch (f->kind) {
    case FAULT_CLOSE_HOLDER:
    case FAULT_CLOSE_WAITER: harm_close_tab(w, p); break;
    case FAULT_CRASH_HOLDER:
    case FAULT_CRASH_WAITER:
        page_crash(w, p, OBS_PAGE_CRASHED);
        harm_reload_in(w, f->tab, harm_back_us(w), false);
        break;
    case FAULT_FREEZE_HOLDER: page_freeze(w, p, true); break;
    case FAULT_FREEZE_ABRUPT: page_freeze(w, p, false); break;
    case FAULT_FREEZE_WAITER: harm_freeze_waiter(w, f); break;
    case FAULT_HIDE_HOLDER: harm_hide_holder(w, f); break;
    case FAULT_LONG_TASK: page_block(w, p, f->lasts_us > 0 ? f->lasts_us : US_PER_S); break;
    case FAULT_BFCACHE_HOLDER:
    case FAULT_BFCACHE_WAITER:
    case FAULT_BFCACHE_EVICT: (void)page_cache(w, p); break;
    case FAULT_BFCACHE_STARVE:
        if (!page_cache(w, p)) break;
        f->aux = harm_new_tab(w, f->device);
        if (f->aux != TABLE_NONE) harm_reload_in(w, (uint16_t)f->aux, 200 * US_PER_MS, true);
        break;
    case FAULT_DISCARD:
        page_hide(w, p);
        page_crash(w, p, OBS_PAGE_DISCARDED);
        break;
    case FAULT_RELOAD:
        page_close(w, p);
        harm_reload_in(w, f->tab, latency_draw(&latency_reload, &w->choices, STREAM_LIFE), true);
        break;
    case FAULT_DUPLICATE: harm_duplicate(w, f); break;
    case FAULT_DEAF_TAB:
        w->page[p].deaf_cause = f->number;
        if (harm_is_quiet(w)) harm_user_looks(w, f);
        break;
    case FAULT_ROGUE_STEAL:
        foreign_request(w, f->device, p, LOCK_NAME_LEADER, LOCK_IS_STEAL, f->lasts_us, PAGE_NONE,
                        f->number);
        break;
    case FAULT_NESTED_LOCKS: harm_nest_locks(w, f); break;
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
    if (shows_on_traffic(f->kind) && f->request == REQ_NONE && harm_is_quiet(w))
        harm_user_works_on(w, f);
    switch (f->kind) {
    case FAULT_BROWSER_CRASH: harm_browser_crash(w, f->device); break;
    case FAULT_HIDE_ALL: harm_hide_all(w, f->device, true); break;
    case FAULT_DELAY_HEARTBEATS:
        d->channel_delay_us = choose_us(&w->choices, STREAM_FAULT, 2 * US_PER_S, 6 * US_PER_S);
        d->channel_cause = f->number;
        if (harm_is_quiet(w)) harm_user_looks(w, f);
        break;
    case FAULT_DROP_HEARTBEATS:
        d->channel_drop = true;
        d->channel_cause = f->number;
        if (harm_is_quiet(w)) harm_user_looks(w, f);
        break;
    case FAULT_LOCKS_MISSING: harm_open_page(w, f, true, false); break;
    case FAULT_LOCKS_REFUSED: harm_refuse_locks(w, f, true); break;
    case FAULT_CLEAR_DATA: harm_clear_data(w, f); break;
    case FAULT_QUOTA_FULL: harm_fill_quota(w, f); break;
    case FAULT_CUT_SERVER:
    case FAULT_CUT_UP:
    case FAULT_CUT_DOWN:
        for (uint8_t n = 0; n < w->nodes; n++)
            harm_cut(w, f->device, n, harm_cut_bits(f->kind), f->number);
        break;
    case FAULT_ANSWER_LOST: harm_lose_answers(w, f); break;
    case FAULT_REQUEST_LATE: harm_meddle_next(w, f, true); break;
    case FAULT_REQUEST_DOUBLED: harm_meddle_next(w, f, false); break;
    case FAULT_SECOND_DEVICE: harm_open_page(w, f, false, false); break;
    case FAULT_SLEEP_DEVICE: harm_sleep_device(w, f); break;
    case FAULT_CLOCK_JUMP: harm_jump_clock(w, f->device); break;
    case FAULT_CLOCK_SKEW:
        harm_skew_clock(w, f->device,
                        (int32_t)choose_us(&w->choices, STREAM_CLOCK, 0, 40000) - 20000);
        break;
    case FAULT_OLD_VERSION: harm_open_page(w, f, false, true); break;
    case FAULT_ROLLBACK:
        d->rolled_back = true;
        if (f->page != PAGE_NONE) {
            uint16_t tab = w->page[f->page].tab;
            page_close(w, f->page);
            harm_reload_in(w, tab, 300 * US_PER_MS, true);
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
    case FAULT_NODE_PARTITION: harm_cut_node_off(w, f, false); break;
    case FAULT_NODE_FAILOVER: harm_cut_node_off(w, f, true); break;
    case FAULT_PROVIDER_DOWN: w->provider_down = true; break;
    case FAULT_PROVIDER_SLOW:
        w->provider_slow_us = choose_us(&w->choices, STREAM_FAULT, 100 * US_PER_MS, 4 * US_PER_S);
        break;
    case FAULT_PROVIDER_SILENT: w->provider_silent = true; break;
    case FAULT_EPOCH_ADVANCE:
        harm_advance_epoch(w, f->node, INCIDENT_ADVANCE_EPOCH, f->number);
        break;
    default: must(false);
    }
}

void fault_begin(struct world *w, uint32_t i)
{
    struct planned_fault *f = &w->fault[i];
    f->begun = true;
    f->met = world_phase(w);
    f->tab = f->page == PAGE_NONE ? 0 : w->page[f->page].tab;
    struct obs o = obs_make(OBS_FAULT_BEGUN, w->now, OBS_NONE);
    o.op = i + 1;
    o.a = f->kind;
    o.page = f->page;
    o.device = f->device;
    o.node = f->node;
    w->cause = f->number = world_see(w, &o);
    switch (fault_info[f->kind].target) {
    case FAULT_ON_HOLDER:
    case FAULT_ON_WAITER: begin_page_fault(w, f); break;
    case FAULT_ON_NODE:
    case FAULT_ON_PROVIDER:
    case FAULT_ON_LEDGER: begin_server_fault(w, f); break;
    default: begin_device_fault(w, f); break;
    }
    if (fault_info[f->kind].lasts) world_at(w, f->lasts_us, EV_FAULT_END, 0, i);
}

/* ---- the end of faults ----------------------------------------------------------- */

static void tab_comes_back(struct world *w, const struct planned_fault *f)
{
    if (f->page == PAGE_NONE || page_alive(&w->page[f->page])) return;
    if (w->tab[f->tab].page == PAGE_NONE && !w->tab[f->tab].load_pending)
        harm_reload_in(w, f->tab, latency_draw(&latency_reload, &w->choices, STREAM_LIFE), true);
}

static void end_page_fault(struct world *w, struct planned_fault *f)
{
    uint16_t p = f->page;
    switch (f->kind) {
    case FAULT_FREEZE_HOLDER:
    case FAULT_FREEZE_ABRUPT:
    case FAULT_FREEZE_WAITER:
        page_thaw(w, p);
        if (w->page[p].visible_before && choose(&w->choices, STREAM_FAULT, 2)) page_show(w, p);
        break;
    case FAULT_HIDE_HOLDER:
        if (f->aux) page_hide(w, (uint16_t)(f->aux - 1));
        page_show(w, p);
        break;
    case FAULT_BFCACHE_HOLDER:
    case FAULT_BFCACHE_WAITER:
    case FAULT_BFCACHE_STARVE:
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
    struct device *d = &w->device[f->device < w->devices ? f->device : 0];
    switch (f->kind) {
    case FAULT_BROWSER_CRASH: harm_restore_session(w, f->device); break;
    case FAULT_HIDE_ALL: harm_hide_all(w, f->device, false); break;
    case FAULT_DELAY_HEARTBEATS: d->channel_delay_us = 0; break;
    case FAULT_DROP_HEARTBEATS: d->channel_drop = false; break;
    case FAULT_LOCKS_REFUSED: harm_refuse_locks(w, f, false); break;
    case FAULT_QUOTA_FULL: harm_set_quota(w, f, false); break;
    case FAULT_CUT_SERVER:
    case FAULT_CUT_UP:
    case FAULT_CUT_DOWN:
        for (uint8_t n = 0; n < w->nodes; n++) harm_heal(w, f->device, n, harm_cut_bits(f->kind));
        break;
    case FAULT_NODE_CRASH: node_restart(w, f->node, w->cause); break;
    case FAULT_NODE_FAILOVER:
        for (uint8_t k = 0; k < w->devices; k++) harm_heal(w, k, f->node, 3);
        w->node_cut[f->node] = 0;
        break;
    case FAULT_NODE_PARTITION: w->node_cut[f->node] = 0; break;
    case FAULT_PROVIDER_DOWN: w->provider_down = false; break;
    case FAULT_PROVIDER_SLOW: w->provider_slow_us = 0; break;
    case FAULT_PROVIDER_SILENT: w->provider_silent = false; break;
    case FAULT_SLEEP_DEVICE: harm_wake_device(w, f->device); break;
    case FAULT_CLOCK_SKEW: harm_skew_clock(w, f->device, 0); break;
    case FAULT_ROLLBACK: d->rolled_back = false; break;
    case FAULT_EPOCH_ADVANCE: {
        uint8_t n = node_deciding(w);
        if (n != NODE_NONE)
            harm_advance_epoch(w, n, INCIDENT_REOPEN, w->cause);
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
    if (t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER)
        end_page_fault(w, f);
    else
        end_other_fault(w, f);
    node_decides_changed(w);
}

/* Some harm to single pages stays for good; everything else is put right for the second
 * phase. */
static bool stays(const struct planned_fault *f)
{
    switch (f->kind) {
    case FAULT_FREEZE_HOLDER:
    case FAULT_FREEZE_ABRUPT:
    case FAULT_FREEZE_WAITER:
    case FAULT_BFCACHE_HOLDER:
    case FAULT_BFCACHE_WAITER:
    case FAULT_BFCACHE_STARVE:
    case FAULT_DISCARD:
    case FAULT_DEAF_TAB: return f->for_good;
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
        if (stays(f))
            f->ended = true;
        else
            fault_end(w, i);
    }
    for (uint32_t d = 0; d < w->devices; d++) { /* what was armed and never met its request */
        w->device[d].late = w->device[d].doubled = 0;
        w->device[d].lost_answers = 0;
    }
    for (uint32_t n = 0; n < w->pages; n++) w->page[n].lost_answers = 0;
    for (uint32_t i = 0; i < w->foreigns; i++) foreign_lets_go(w, i);
}
