/* The world: what each fault does, action by action. world_fault.c says which fault
 * takes which actions and how it ends; nothing here knows what a plan is. */
#include "sim/world_fault.h"

#define BACK_MIN_US (1 * US_PER_S) /* a closed or crashed tab comes back after */
#define BACK_MAX_US (5 * US_PER_S)

void harm_reload_in(struct world *w, uint16_t tab, int64_t us, bool visible)
{
    w->tab[tab].load_pending = true;
    w->tab[tab].load_cause = w->cause;
    world_at(w, us, EV_TAB_LOAD, tab, visible);
}

int64_t harm_back_us(struct world *w)
{
    return choose_us(&w->choices, STREAM_FAULT, BACK_MIN_US, BACK_MAX_US);
}

void harm_close_tab(struct world *w, uint16_t p)
{
    uint16_t tab = w->page[p].tab;
    page_close(w, p);
    if (chance(&w->choices, STREAM_FAULT, 1, 2)) harm_reload_in(w, tab, harm_back_us(w), false);
}

/* A tab beside the planned ones; TABLE_NONE when there is no room. */
uint32_t harm_new_tab(struct world *w, uint8_t device)
{
    if (w->tabs == w->tabs_max) return TABLE_NONE;
    uint32_t t = w->tabs++;
    w->tab[t] = (struct tab){ .page = PAGE_NONE,
                              .device = device,
                              .session_instance = 0x10000u + t,
                              .load_cause = OBS_NONE };
    return t;
}

void harm_duplicate(struct world *w, const struct planned_fault *f)
{
    uint32_t t = harm_new_tab(w, f->device);
    if (t == TABLE_NONE) return;
    const struct tab *old = &w->tab[w->page[f->page].tab];
    w->tab[t].session_instance = old->session_instance;
    w->tab[t].session_sequence = old->session_sequence;
    (void)page_create(w, (uint16_t)t, true, 0, f->number);
    page_hide(w, f->page);
}

void harm_open_page(struct world *w, const struct planned_fault *f, bool without_locks, bool older)
{
    uint32_t t = harm_new_tab(w, f->device);
    if (t == TABLE_NONE) return;
    struct device *d = &w->device[f->device];
    bool was = d->rolled_back;
    d->rolled_back = was || older;
    d->no_locks = without_locks;
    (void)page_create(w, (uint16_t)t, true, 0, f->number);
    d->rolled_back = was;
    d->no_locks = false;
}

void harm_cut(struct world *w, uint8_t device, uint8_t node, uint8_t bits, uint32_t cause)
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

void harm_heal(struct world *w, uint8_t device, uint8_t node, uint8_t bits)
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

uint8_t harm_cut_bits(enum fault_kind k)
{
    return k == FAULT_CUT_UP ? 1 : k == FAULT_CUT_DOWN ? 2 : 3;
}

void harm_cut_node_off(struct world *w, const struct planned_fault *f, bool from_pages)
{
    w->node_cut[f->node] = (uint8_t)(7u & ~(1u << f->node));
    w->node_cut_cause[f->node] = f->number;
    for (uint8_t d = 0; from_pages && d < w->devices; d++) harm_cut(w, d, f->node, 3, f->number);
    node_decides_changed(w);
}

void harm_sleep_device(struct world *w, struct planned_fault *f)
{
    struct device *d = &w->device[f->device];
    if (d->asleep) return;
    struct obs o = world_obs(w, OBS_DEVICE_ASLEEP);
    o.device = f->device;
    w->cause = world_see(w, &o);
    d->asleep = true;
    if (chance(&w->choices, STREAM_CLOCK, 1, 2))
        device_clock_set(w, d, d->ppm, true); /* LC-42: either way */
    net_streams_died(w, f->device, NODE_NONE);
}

void harm_wake_device(struct world *w, uint8_t device)
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

void harm_jump_clock(struct world *w, uint8_t device)
{
    int64_t ms =
        choose_us(&w->choices, STREAM_CLOCK, 0, 7200 * 1000) - 3600 * 1000; /* an hour either way */
    w->device[device].wall_offset_us += ms * US_PER_MS;
    see_clock(w, device, ms);
}

void harm_skew_clock(struct world *w, uint8_t device, int32_t ppm)
{
    struct device *d = &w->device[device];
    device_clock_set(w, d, ppm, d->asleep && d->sleep_stops_clock);
    see_clock(w, device, 0);
}

void harm_refuse_locks(struct world *w, const struct planned_fault *f, bool refuse)
{
    struct device *d = &w->device[f->device];
    d->locks_refused = refuse;
    d->locks_cause = refuse ? f->number : OBS_NONE;
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (page_alive(p) && p->device == f->device && p->has_locks)
            page_see_locks(w, (uint16_t)n, !refuse);
    }
    uint16_t p = refuse ? aim_any_page(w, f->device) : PAGE_NONE;
    if (p == PAGE_NONE) return;
    page_close(w, p); /* a page that loads meanwhile meets the refusal */
    harm_reload_in(w, w->page[p].tab, 300 * US_PER_MS, false);
}

void harm_clear_data(struct world *w, const struct planned_fault *f)
{
    struct device *d = &w->device[f->device];
    struct obs o = world_obs(w, OBS_STORAGE_FAULT);
    o.partition = f->device;
    o.a = 1;
    uint32_t cause = world_see(w, &o);
    d->partition_key++;
    for (int i = 0; i < 2; i++) {
        d->storage[i].leader = 0;
        d->storage[i].beat.us = 0;
    }
    session_cleared(w, f->device, cause);
    d->last_event = 0;
    if (w->contract.authority != AUTHORITY_INDEXEDDB) return;
    uint8_t n = (uint8_t)(LEDGER_NODES + f->device);
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_cleared(&w->node[n], ++w->incarnation, w->now, node_now(w, n), cause, w->ledger_out);
    node_effects(w, n);
    w->owner = PAGE_NONE;
}

void harm_nest_locks(struct world *w, struct planned_fault *f)
{
    uint16_t b = lockmgr_waiter(w->lockmgr[f->device], LOCK_NAME_LEADER, 0);
    if (b == PAGE_NONE) return;
    w->page[f->page].settle_blocked = true;
    foreign_request(w, f->device, b, LOCK_NAME_OTHER, 0, f->lasts_us, PAGE_NONE, f->number);
    foreign_request(w, f->device, f->page, LOCK_NAME_OTHER, 0, 10 * US_PER_MS, f->page, f->number);
}

void harm_browser_crash(struct world *w, uint8_t device)
{
    for (uint32_t n = 0; n < w->pages; n++)
        if (w->page[n].device == device) page_crash(w, (uint16_t)n, OBS_PAGE_CRASHED);
}

void harm_restore_session(struct world *w, uint8_t device)
{
    uint32_t visible = w->scenario->device[device].visible;
    for (uint32_t t = 0; t < w->tabs; t++) {
        if (w->tab[t].device != device || w->tab[t].page != PAGE_NONE) continue;
        int64_t us = latency_draw(&latency_reload, &w->choices, STREAM_LIFE);
        harm_reload_in(w, (uint16_t)t, us, visible > 0);
        if (visible > 0) visible--;
    }
}

void harm_hide_all(struct world *w, uint8_t device, bool hide)
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
void harm_hide_holder(struct world *w, struct planned_fault *f)
{
    page_hide(w, f->page);
    uint16_t next = aim_waiter(w);
    if (next == PAGE_NONE || w->page[next].device != f->device) return;
    f->aux = next + 1u;
    page_show(w, next);
}

void harm_freeze_waiter(struct world *w, struct planned_fault *f)
{
    page_freeze(w, f->page, false);
    uint16_t h = aim_holder(w);
    if (h != PAGE_NONE && h != f->page && chance(&w->choices, STREAM_FAULT, 1, 2))
        harm_close_tab(w, h); /* its turn comes */
}

/* With nobody leading there is no traffic but what users cause. */
void harm_user_works_on(struct world *w, const struct planned_fault *f)
{
    if (w->operations < LEDGER_OPS_MAX && w->contract.work == WORKSTREAM_OUTBOX)
        world_at(w, 20 * US_PER_MS, EV_SUBMIT, f->device + 1u, ++w->operations);
}

bool harm_is_quiet(const struct world *w)
{
    enum leader_phase p = world_phase(w);
    return p == PHASE_NO_LEADER || p == PHASE_WAITING || p == PHASE_RELEASE || p == PHASE_GRANTED;
}

/* ... and on the channel, what a page says that is looked at while it waits. */
void harm_user_looks(struct world *w, const struct planned_fault *f)
{
    struct lockmgr *m = w->lockmgr[f->device];
    uint16_t p = lockmgr_waiter(m, LOCK_NAME_LEADER, 0);
    if (p == f->page) p = lockmgr_waiter(m, LOCK_NAME_LEADER, 1);
    if (p == PAGE_NONE || !page_running(w, &w->page[p])) return;
    page_hide(w, p);
    page_show(w, p);
}

void harm_lose_answers(struct world *w, struct planned_fault *f)
{
    static const uint32_t of_phase[PHASE_COUNT] = {
        [PHASE_CLAIM] = 1u << REQ_CLAIM,
        [PHASE_TAKE] = 1u << REQ_TAKE,
        [PHASE_EFFECT] = 1u << REQ_EFFECT | 1u << REQ_REFRESH,
        [PHASE_COMMIT] = 1u << REQ_COMMIT | 1u << REQ_ACK,
        [PHASE_RENEW] = 1u << REQ_RENEW,
        [PHASE_EFFECT_UNKNOWN] = 1u << REQ_OUTCOME,
        [PHASE_RELEASE] = 1u << REQ_RELEASE,
        [PHASE_NO_LEADER] = 1u << REQ_SUBMIT,
        [PHASE_WAITING] = 1u << REQ_SUBMIT | 1u << REQ_PERMIT,
    };
    struct device *d = &w->device[f->device];
    uint32_t kinds = f->request != REQ_NONE ? 1u << f->request : of_phase[world_phase(w)];
    d->lost_answers = kinds ? kinds : 1u << REQ_RENEW | 1u << REQ_TAKE | 1u << REQ_FOLLOW;
    d->lost_cause = f->number;
}

void harm_meddle_next(struct world *w, struct planned_fault *f, bool late)
{
    static const enum request_kind of_phase[PHASE_COUNT] = {
        [PHASE_WAITING] = REQ_SUBMIT,
        [PHASE_NO_LEADER] = REQ_SUBMIT,
        [PHASE_GRANTED] = REQ_CLAIM,
        [PHASE_CLAIM] = REQ_CLAIM,
        [PHASE_TAKE] = REQ_EFFECT,
        [PHASE_EFFECT] = REQ_ACK,
        [PHASE_EFFECT_UNKNOWN] = REQ_OUTCOME,
        [PHASE_COMMIT] = REQ_COMMIT,
        [PHASE_RENEW] = REQ_RENEW,
        [PHASE_DRAINING] = REQ_RELEASE,
        [PHASE_RELEASE] = REQ_SUBMIT,
    };
    struct device *d = &w->device[f->device];
    enum request_kind kind = f->request != REQ_NONE ? f->request : of_phase[world_phase(w)];
    if (kind == REQ_ACK && w->contract.work == WORKSTREAM_SESSION) kind = REQ_REFRESH;
    if (w->contract.work == WORKSTREAM_FEED && f->request == REQ_NONE && kind != REQ_CLAIM &&
        kind != REQ_RENEW)
        kind = REQ_FOLLOW;
    if (late) {
        d->late = 1;
        d->late_kind = kind;
        d->late_us = f->late_us;
        d->late_cause = f->number;
    } else {
        d->doubled = 1;
        d->doubled_kind = kind;
        d->doubled_cause = f->number;
    }
}

/* A full quota makes writes fail; a local ledger cannot decide anything then. */
void harm_set_quota(struct world *w, const struct planned_fault *f, bool full)
{
    struct device *d = &w->device[f->device];
    d->quota_full = full;
    d->quota_cause = f->number;
    if (w->contract.authority != AUTHORITY_INDEXEDDB) return;
    if (full || w->now.us >= d->store_busy_until.us) node_see_store(w, f->device, !full);
}

void harm_fill_quota(struct world *w, struct planned_fault *f)
{
    harm_set_quota(w, f, true);
    harm_user_works_on(w, f);
}

void harm_advance_epoch(struct world *w, uint8_t node, enum incident what, uint32_t cause)
{
    if (!w->node[node].up) return;
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_incident(&w->node[node], what, w->now, node_now(w, node), cause, w->ledger_out);
    node_effects(w, node);
    if (what == INCIDENT_ADVANCE_EPOCH) w->owner = PAGE_NONE;
}
