/* The world: documents, what they run and what waits for them.
 *
 * A delivery runs at once, waits in the backlog of its source, is lost, or evicts
 * the page: document_runs() says which (LC-15..22, ST-3, ST-4). The page's own
 * thread runs one task at a time and may be busy; its worker is never busy, and is
 * frozen with the page (LC-21). After a thaw the backlog runs in the order of the
 * sources, then the timers that have become due (LC-20). */
#include "sim/world.h"

/* Assumed: LC-23 names loading and recent use as reasons not to freeze, without a figure. */
#define LOADED_MIN_US (2 * US_PER_S)
#define LOADED_MAX_US (60 * US_PER_S)

/* ---- the life of a document ------------------------------------------------ */

static void enter(struct page *p, enum document_state next)
{
    document_enter(&p->state, next);
}

static uint32_t see_page(struct world *w, enum obs_kind kind, uint16_t p)
{
    struct obs o = world_obs(w, kind);
    o.page = p;
    return world_see(w, &o);
}

void page_see_locks(struct world *w, uint16_t n, bool works)
{
    struct obs o = obs_make(OBS_PAGE_LOCKS, w->now, OBS_NONE);
    o.page = n;
    o.a = works;
    (void)world_see(w, &o);
}

static void start_client(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    struct tab *t = &w->tab[p->tab];
    struct device *d = &w->device[p->device];
    bool spared = w->scenario->policy_of_one_version && p->protocol != w->contract.protocol_version;
    struct client_start start = {
        .contract = &w->contract,
        .policy = w->policy,
        .tab_instance = (uint32_t)n + 1,
        .session_instance = t->session_instance,
        .session_sequence = t->session_sequence,
        .protocol = p->protocol,
        .device = p->device,
        .partition = p->device,
        .partition_key = d->partition_key,
        .has_locks = p->has_locks,
        .visible = p->state == DOC_VISIBLE,
        .jitter = choose(&w->choices, STREAM_CLIENT, 1024),
        .server_authority = w->contract.authority == AUTHORITY_SERVER,
        .single_page = t->single_page && w->contract.fallback == FALLBACK_SINGLE_PAGE,
    };
    if (spared) start.policy = (struct policy){ 0 };
    struct client_input in = { .kind = IN_START, .start = &start };
    page_run(w, n, &in);
}

uint16_t page_create(struct world *w, uint16_t tab, bool visible, int64_t hidden_for_us,
                     uint32_t cause)
{
    if (w->pages == w->pages_max) {
        w->limit = true;
        return PAGE_NONE;
    }
    uint16_t n = (uint16_t)w->pages++;
    struct page *p = &w->page[n];
    struct device *d = &w->device[w->tab[tab].device];
    const struct device_plan *plan = &w->scenario->device[w->tab[tab].device];
    *p = (struct page){ .profile = d->profile, .tab = tab, .device = w->tab[tab].device };
    for (int s = 0; s < TASK_SOURCES; s++) p->backlog[s] = p->backlog_last[s] = TABLE_NONE;
    p->queue = p->queue_last = TABLE_NONE;
    p->unsent = p->unsent_last = TABLE_NONE;
    p->deaf_cause = p->stopped_cause = OBS_NONE;
    p->hidden_since_us = visible ? NOT_HIDDEN : w->now.us - hidden_for_us;
    bool older = d->rolled_back || chance(&w->choices, STREAM_PLAN, plan->older_percent, 100);
    p->protocol = w->contract.protocol_version - (older ? 1 : 0);
    p->has_locks =
        !d->no_locks && !chance(&w->choices, STREAM_PLAN, plan->without_locks_percent, 100);
    w->tab[tab].page = n;
    enter(p, visible ? DOC_VISIBLE : DOC_HIDDEN);
    uint32_t was = w->cause;
    w->cause = cause;
    struct obs o = world_obs(w, OBS_PAGE_CREATED);
    o.page = n;
    o.device = o.partition = p->device;
    bool single = w->tab[tab].single_page && w->contract.fallback == FALLBACK_SINGLE_PAGE;
    o.flags = (uint8_t)((visible ? PAGE_IS_VISIBLE : 0) | (p->has_locks ? PAGE_HAS_LOCKS : 0) |
                        (older || (!p->has_locks && !single) ? 0 : PAGE_MAY_LEAD));
    if (single) o.flags |= PAGE_HAS_LOCKS; /* the ledger is its lock service */
    o.a = tab;
    o.b = p->protocol;
    w->cause = world_see(w, &o);
    if (d->locks_refused && p->has_locks) page_see_locks(w, n, false);
    start_client(w, n);
    if (!visible && p->profile->freezes_pages && p->profile->freeze_after_us > 0) {
        /* a page that has just loaded is not frozen at once, however long its tab was hidden */
        int64_t in = p->profile->freeze_after_us - hidden_for_us;
        int64_t soon = choose_us(&w->choices, STREAM_LIFE, LOADED_MIN_US, LOADED_MAX_US);
        world_at(w, in > soon ? in : soon, EV_FREEZE, n, 0);
    }
    w->cause = was;
    return n;
}

void page_show(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state != DOC_HIDDEN) return;
    enter(p, DOC_VISIBLE);
    p->hidden_since_us = NOT_HIDDEN;
    uint32_t was = w->cause;
    w->cause = see_page(w, OBS_PAGE_VISIBLE, n);
    page_run_kind(w, n, IN_VISIBLE, false);
    w->cause = was;
}

void page_hide(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state != DOC_VISIBLE) return;
    enter(p, DOC_HIDDEN);
    p->hidden_since_us = w->now.us;
    uint32_t was = w->cause;
    w->cause = see_page(w, OBS_PAGE_HIDDEN, n);
    page_run_kind(w, n, IN_HIDDEN, false);
    if (p->profile->freezes_pages && p->profile->freeze_after_us > 0)
        world_at(w, p->profile->freeze_after_us, EV_FREEZE, n, 0);
    w->cause = was;
}

void page_freeze(struct world *w, uint16_t n, bool handler_runs)
{
    struct page *p = &w->page[n];
    if (p->state == DOC_VISIBLE) { /* LC-12: hidden first */
        p->visible_before = true;
        if (handler_runs)
            page_hide(w, n);
        else {
            enter(p, DOC_HIDDEN);
            p->hidden_since_us = w->now.us;
            (void)see_page(w, OBS_PAGE_HIDDEN, n);
        }
    }
    if (p->state != DOC_HIDDEN) return;
    handler_runs =
        handler_runs && p->profile->has_freeze_events && p->busy_until.us <= w->now.us + BRIEF_US;
    if (handler_runs) page_run_kind(w, n, IN_FREEZE, false);
    enter(p, DOC_FROZEN);
    struct obs o = world_obs(w, OBS_PAGE_FROZEN);
    o.page = n;
    o.flags = handler_runs;
    p->stopped_cause = world_see(w, &o);
}

void page_thaw(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state != DOC_FROZEN) return;
    enter(p, DOC_HIDDEN);
    uint32_t was = w->cause;
    w->cause = see_page(w, OBS_PAGE_RESUMED, n);
    if (p->profile->has_freeze_events) page_run_kind(w, n, IN_RESUME, false);
    page_woken(w, n);
    w->cause = was;
}

/* Enters the back/forward cache (LC-8, LC-10, LC-11) or, where the profile does not
 * cache such a page, closes. True when cached. */
bool page_cache(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state == DOC_FROZEN || p->state == DOC_CACHED || !page_alive(p) || p->closing)
        return false;
    bool uses_lock = p->client.page.lock.waiting || p->client.page.lock.granted;
    if (!document_may_cache(p->profile, uses_lock, p->fetches > 0)) {
        page_close(w, n);
        return false;
    }
    p->visible_before = p->state == DOC_VISIBLE;
    page_run_kind(w, n, IN_PAGEHIDE, true);
    if (p->state == DOC_VISIBLE) {
        enter(p, DOC_HIDDEN);
        p->hidden_since_us = w->now.us;
        (void)see_page(w, OBS_PAGE_HIDDEN, n);
        page_run_kind(w, n, IN_HIDDEN, false);
    }
    if (p->profile->has_freeze_events) page_run_kind(w, n, IN_FREEZE, false);
    enter(p, DOC_CACHED);
    p->connected = false; /* an event stream does not outlive the page's activity */
    p->stopped_cause = see_page(w, OBS_PAGE_CACHED, n);
    p->cached_at = w->now;
    p->cachings++;
    if (w->now.us + p->profile->cache_ttl_us <= w->end_at.us) /* LC-34 */
        world_at(w, p->profile->cache_ttl_us, EV_CACHED_LONG, n, p->cachings);
    lockmgr_cache(w->lockmgr[p->device], n, w->now, p->stopped_cause, &w->lock_out);
    lock_effects(w, p->device);
    return true;
}

void page_cached_long(struct world *w, uint16_t n, uint32_t caching)
{
    if (w->page[n].cachings == caching) page_evict(w, n, 3);
}

static void timer_go_on(struct world *w, uint16_t n, int thread, int id, struct instant at)
{
    struct page_timer *t = &w->page[n].timer[thread][id];
    t->due = false;
    t->at = at;
    t->arming = ++w->arming & 0xFFFFFF;
    if (at.us > w->end_at.us + US_PER_S) return; /* beyond the round */
    world_at(w, at.us - w->now.us, EV_TIMER, n,
             (uint32_t)thread << 31 | (uint32_t)id << 24 | t->arming);
}

/* TM-3: time in the cache does not count; what was left at entry is left at the restore. */
static void timers_shift(struct world *w, uint16_t n)
{
    const struct page *p = &w->page[n];
    int64_t cached_us = w->now.us - p->cached_at.us;
    for (int thread = 0; thread < 2; thread++)
        for (int id = 0; id < TIMER_COUNT; id++) {
            const struct page_timer *t = &p->timer[thread][id];
            struct instant at = { t->at.us + cached_us };
            if (at.us < w->now.us) at = w->now; /* it was due before, of a page that was busy */
            if (t->armed) timer_go_on(w, n, thread, id, at);
        }
}

/* LC-9..11: resume, visibilitychange, pageshow, then what waited. */
void page_restore(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (p->state != DOC_CACHED) return;
    lockmgr_uncache(w->lockmgr[p->device], n);
    if (p->profile->timers_shift_in_cache) timers_shift(w, n);
    enter(p, DOC_HIDDEN);
    uint32_t was = w->cause;
    w->cause = see_page(w, OBS_PAGE_RESTORED, n);
    if (p->profile->has_freeze_events) page_run_kind(w, n, IN_RESUME, false);
    page_show(w, n);
    page_run_kind(w, n, IN_PAGESHOW, true);
    page_woken(w, n);
    w->cause = was;
}

static void list_add(struct world *w, uint32_t *first, uint32_t *last, uint32_t parcel)
{
    w->parcel[parcel].next = TABLE_NONE;
    if (*last == TABLE_NONE)
        *first = parcel;
    else
        w->parcel[*last].next = parcel;
    *last = parcel;
}

static void list_clear(struct world *w, uint32_t *first, uint32_t *last)
{
    for (uint32_t i = *first, next; i != TABLE_NONE; i = next) {
        next = w->parcel[i].next;
        parcel_give(w, i);
    }
    *first = *last = TABLE_NONE;
}

static void backlog_clear(struct world *w, struct page *p)
{
    for (int s = 0; s < TASK_SOURCES; s++) list_clear(w, &p->backlog[s], &p->backlog_last[s]);
    list_clear(w, &p->queue, &p->queue_last);
    list_clear(w, &p->unsent, &p->unsent_last);
}

static void gone(struct world *w, uint16_t n, enum obs_kind how, uint32_t why)
{
    struct page *p = &w->page[n];
    enter(p, DOC_GONE);
    p->connected = false;
    struct obs o = world_obs(w, how);
    o.page = n;
    o.a = why;
    p->stopped_cause = world_see(w, &o);
    backlog_clear(w, p);
    if (w->tab[p->tab].page == n) w->tab[p->tab].page = PAGE_NONE;
}

static void locks_end_in(struct world *w, uint16_t n, int64_t us)
{
    world_at(w, us, EV_LOCKS_END, n, 0);
}

/* The tab closes, reloads or navigates without the cache: handlers run, the document
 * ends when the browser is through with it; its locks may pass on a little before (WL-49). */
void page_close(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    if (!page_alive(p) || p->closing) return;
    bool runs = p->state != DOC_FROZEN && p->state != DOC_CACHED &&
                p->busy_until.us <= w->now.us + BRIEF_US;
    p->closing = true;
    p->stopped_cause = w->cause;
    if (runs) {
        page_run_kind(w, n, IN_PAGEHIDE, false);
        page_hide(w, n);
    }
    int64_t us = latency_draw(&latency_close, &w->choices, STREAM_LIFE);
    int64_t patience = chance(&w->choices, STREAM_LIFE, 1, 8) ? p->profile->unload_patience_us : 0;
    int64_t lives = us + (patience > 0 ? choose_us(&w->choices, STREAM_LIFE, 0, patience) : 0);
    locks_end_in(w, n, us);
    world_at(w, lives, EV_PAGE_GONE, n, OBS_PAGE_CLOSED);
}

void page_end(struct world *w, uint16_t n)
{
    if (!page_alive(&w->page[n])) return;
    w->cause = w->page[n].stopped_cause;
    gone(w, n, OBS_PAGE_CLOSED, 0);
    w->cause = OBS_NONE;
}

void page_crash(struct world *w, uint16_t n, enum obs_kind how)
{
    if (!page_alive(&w->page[n])) return;
    gone(w, n, how, 0);
    locks_end_in(w, n, latency_draw(&latency_crash, &w->choices, STREAM_LIFE));
}

void page_evict(struct world *w, uint16_t n, uint32_t why)
{
    if (w->page[n].state != DOC_CACHED) return;
    gone(w, n, OBS_PAGE_EVICTED, why);
    locks_end_in(w, n, 0);
}

/* A long task, after the one before it: the page's thread is busy; its worker is not. */
void page_block(struct world *w, uint16_t n, int64_t us)
{
    struct page *p = &w->page[n];
    if (!page_running(w, p)) return;
    int64_t begins_us = p->blocked_until.us > w->now.us ? p->blocked_until.us : w->now.us;
    p->busy_until = p->blocked_until = (struct instant){ begins_us + us };
    struct obs o = world_obs(w, OBS_PAGE_BLOCKED);
    o.page = n;
    o.b = (uint32_t)us;
    uint32_t was = w->cause;
    w->cause = world_see(w, &o);
    world_at(w, p->blocked_until.us - w->now.us, EV_RUN, n, 0xFFFF);
    w->cause = was;
}

void page_unblocked(struct world *w, uint16_t n)
{
    if (w->page[n].blocked_until.us > w->now.us) return; /* a later one goes on */
    (void)see_page(w, OBS_PAGE_UNBLOCKED, n);
}

void tab_load(struct world *w, uint16_t tab, uint32_t flags)
{
    struct tab *t = &w->tab[tab];
    t->load_pending = false;
    if (w->over) return;
    if (t->page != PAGE_NONE) { /* the old document still runs its last handler (WL-49) */
        if (w->page[t->page].closing) world_at(w, 20 * US_PER_MS, EV_TAB_LOAD, tab, flags);
        return;
    }
    if (w->device[t->device].asleep) { /* loads when the device wakes */
        t->load_pending = true;
        world_at(w, 500 * US_PER_MS, EV_TAB_LOAD, tab, flags);
        return;
    }
    (void)page_create(w, tab, flags & 1, 0, t->load_cause);
}

/* ---- deliveries ------------------------------------------------------------ */

static void keep(struct world *w, struct page *p, uint32_t parcel)
{
    uint8_t source = w->parcel[parcel].source;
    list_add(w, &p->backlog[source], &p->backlog_last[source], parcel);
}

static void deliver_now(struct world *w, uint32_t parcel)
{
    struct parcel *c = &w->parcel[parcel];
    uint16_t n = c->page;
    struct page *p = &w->page[n];
    struct client_input in = { .kind = (enum client_input_kind)c->kind,
                               .thread = (enum client_thread)c->thread,
                               .id = c->id,
                               .error = (enum lock_error)c->error,
                               .holder_seen = c->flags & 1 };
    uint32_t was = w->cause;
    w->cause = c->cause;
    switch (in.kind) {
    case IN_ANSWER: in.answer = &c->as.answer; break;
    case IN_PUSH: in.push = &c->as.push; break;
    case IN_MESSAGE:
    case IN_POST: in.message = &c->as.message; break;
    default: break;
    }
    if (in.kind == IN_ANSWER) {
        struct answer *a = &c->as.answer;
        struct obs o = world_obs(w, OBS_ANSWER_HANDLED);
        o.page = n;
        o.request = c->id;
        o.a = a->kind;
        o.b = a->result;
        o.fence = a->fence;
        o.local = (uint32_t)device_now(w, &w->device[p->device]).us;
        w->cause = world_see(w, &o);
        net_fetch_over(p, a->kind);
        p->fenced = a->result == ANS_FENCED;
        a->request = w->local_id[c->id];
    } else if (in.kind == IN_PUSH) {
        struct obs o = world_obs(w, OBS_PUSH_HANDLED);
        o.page = n;
        o.a = c->as.push.kind;
        o.fence = c->as.push.fence;
        w->cause = world_see(w, &o);
    } else if (in.kind == IN_ACCOUNT) {
        w->cause = session_heard(w, n);
    } else if (in.kind == IN_LOCK_GRANTED || in.kind == IN_LOCK_LOST) {
        struct obs o =
            world_obs(w, in.kind == IN_LOCK_GRANTED ? OBS_LOCK_CALLBACK : OBS_LOCK_REJECTED);
        o.page = n;
        o.request = c->id;
        if (in.kind == IN_LOCK_GRANTED) o.key = LOCK_NAME_LEADER;
        w->cause = world_see(w, &o);
        in.id = w->local_id[c->id];
    } else if (in.kind == IN_LOCK_REFUSED || in.kind == IN_LOCK_ABORTED ||
               in.kind == IN_LOCK_UNAVAILABLE) {
        in.id = w->local_id[c->id];
    }
    page_run(w, n, &in);
    w->cause = was;
    parcel_give(w, parcel);
}

/* To a page that lives and is not behind a task of its own. */
static void dispatch(struct world *w, uint32_t parcel)
{
    struct parcel *c = &w->parcel[parcel];
    struct page *p = &w->page[c->page];
    if (w->device[p->device].asleep) {
        keep(w, p, parcel);
        return;
    }
    enum run_rule rule = document_runs(p->state, (enum task_source)c->source, p->profile);
    if (c->thread == THREAD_WORKER && p->state == DOC_FROZEN) rule = WAITS; /* LC-21 */
    switch (rule) {
    case RUNS: deliver_now(w, parcel); break;
    case WAITS: keep(w, p, parcel); break;
    case LOST: parcel_give(w, parcel); break;
    case EVICTS: {
        uint32_t was = w->cause;
        w->cause = c->cause;
        page_evict(w, c->page, 2);
        w->cause = was;
        parcel_give(w, parcel);
        break;
    }
    }
}

/* Tasks of a busy page queue up, so that none falls behind a later one. */
void page_deliver(struct world *w, uint32_t parcel)
{
    struct parcel *c = &w->parcel[parcel];
    struct page *p = &w->page[c->page];
    if (!page_alive(p)) {
        parcel_give(w, parcel);
        return;
    }
    bool queued = p->queue != TABLE_NONE;
    bool busy = page_running(w, p) && p->busy_until.us > w->now.us;
    if (c->thread == THREAD_WORKER || !(busy || queued)) {
        dispatch(w, parcel);
        return;
    }
    if (!queued) world_in_order(w, p->busy_until.us - w->now.us, EV_PAGE_FREE, c->page, 0);
    list_add(w, &p->queue, &p->queue_last, parcel);
}

void page_free(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    while (p->queue != TABLE_NONE) { /* emptied when the page ends */
        int64_t busy = page_running(w, p) ? p->busy_until.us - w->now.us : 0;
        if (busy > 0) {
            world_in_order(w, busy, EV_PAGE_FREE, n, 0);
            return;
        }
        uint32_t parcel = p->queue;
        p->queue = w->parcel[parcel].next;
        if (p->queue == TABLE_NONE) p->queue_last = TABLE_NONE;
        dispatch(w, parcel);
    }
}

/* What waited runs in the order of the sources; fetches that were called leave now;
 * timers that became due run last, a hidden page's at its next tick. */
void page_woken(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    for (uint32_t i = p->unsent, next; i != TABLE_NONE; i = next) {
        next = w->parcel[i].next;
        struct obs o = world_obs(w, OBS_REQUEST_DEPARTED);
        o.page = n;
        o.request = w->parcel[i].as.request.id;
        w->parcel[i].cause = world_see(w, &o);
        net_depart(w, i);
    }
    p->unsent = p->unsent_last = TABLE_NONE;
    if (!p->connected) net_stream_open(w, n);
    for (int s = 0; s < TASK_SOURCES; s++) {
        uint32_t i = p->backlog[s];
        p->backlog[s] = p->backlog_last[s] = TABLE_NONE;
        while (i != TABLE_NONE) {
            uint32_t next = w->parcel[i].next;
            int64_t busy = p->busy_until.us - w->now.us;
            world_in_order(w, busy > 0 ? busy : 0, EV_DELIVER, n, i);
            i = next;
        }
    }
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < TIMER_COUNT; i++) {
            struct page_timer *timer = &p->timer[t][i];
            if (!timer->armed || !timer->due) continue;
            struct instant at = w->now;
            if (t == THREAD_PAGE) at = profile_timer_at(p->profile, at, p->hidden_since_us);
            timer_go_on(w, n, t, i, at);
        }
}

/* ---- timers ----------------------------------------------------------------- */

void page_timer_arm(struct world *w, uint16_t n, enum client_thread thread, uint32_t id, int64_t us)
{
    struct page *p = &w->page[n];
    must(id < TIMER_COUNT);
    struct page_timer *t = &p->timer[thread][id];
    int64_t in = us - us * w->device[p->device].ppm / 1000000;
    struct instant at = { w->now.us + (in > 0 ? in : 0) };
    if (thread == THREAD_PAGE && p->state == DOC_HIDDEN)
        at = profile_timer_at(p->profile, at, p->hidden_since_us);
    *t = (struct page_timer){ .arming = ++w->arming & 0xFFFFFF, .armed = true, .at = at };
    if (at.us > w->end_at.us + US_PER_S) return; /* beyond the round */
    world_at(w, at.us - w->now.us, EV_TIMER, n, (uint32_t)thread << 31 | id << 24 | t->arming);
}

void page_timer(struct world *w, uint16_t n, uint32_t arg)
{
    struct page *p = &w->page[n];
    enum client_thread thread = (enum client_thread)(arg >> 31);
    uint32_t id = arg >> 24 & 0x7F;
    struct page_timer *t = &p->timer[thread][id];
    if (!page_alive(p) || !t->armed || t->arming != (arg & 0xFFFFFF)) return;
    if (!page_running(w, p)) {
        t->due = true;
        return;
    }
    if (thread == THREAD_PAGE && p->busy_until.us > w->now.us) {
        world_in_order(w, p->busy_until.us - w->now.us, EV_TIMER, n, arg);
        return;
    }
    t->armed = false;
    struct client_input in = { .kind = IN_TIMER, .thread = thread, .id = id };
    page_run(w, n, &in);
}
