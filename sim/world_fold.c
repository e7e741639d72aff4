/* The world in canonical form (base/fold.h), for a single ledger node. Whoever waits for a lock is
 * named first, in the order of the queue, so that tabs which differ in their numbers alone
 * are told apart by their places.
 *
 * Left out everywhere: numbers of observations (causes), which only the story needs; numbers of
 * slots (parcels, events); the tape, which is at its end for good. */
#include "sim/client/leader_fold.h"
#include "sim/world.h"
#include "sim/world_state.h"

#include "sim/base/fold.h"

#define TICKS_US (60 * US_PER_S) /* of throttled timers: profile_timer_at() */
_Static_assert(FOLD_DEVICES == DEVICES_MAX, "a clock for each device");

static void see_from_device(const struct world *w, uint8_t device, struct fold *f)
{
    f->now_us = device_now(w, &w->device[device]).us;
    f->wall_us = f->now_us + w->device[device].wall_offset_us;
}

static void see_from_world(const struct world *w, struct fold *f)
{
    f->now_us = w->now.us;
}

/* A request's number, and its sender's own one. Renewals are known by neither (worker.c). */
static void fold_id(const struct world *w, uint16_t page, uint32_t id, bool own, struct fold *f)
{
    fold_name(f, &f->request, id);
    if (own && page < w->pages && page_alive(&w->page[page]))
        leader_fold_own(&w->page[page].client, f, w->local_id[id]);
}

static void fold_delivery(const struct world *w, const struct parcel *c, struct fold *f)
{
    switch ((enum client_input_kind)c->kind) {
    case IN_ANSWER:
        fold_id(w, c->page, c->id, c->as.answer.kind != REQ_RENEW, f);
        fold_answer(f, &c->as.answer);
        break;
    case IN_PUSH: fold_push(f, &c->as.push); break;
    case IN_MESSAGE:
    case IN_POST: leader_fold_message(&w->page[c->page].client, &c->as.message, f); break;
    default: fold_id(w, c->page, c->id, true, f); break;
    }
}

static void fold_parcel(const struct world *w, enum event_kind kind, uint32_t i, struct fold *f)
{
    const struct parcel *c = &w->parcel[i];
    fold_page(f, c->page);
    fold_u(f, (uint64_t)c->thread << 40 | (uint64_t)c->source << 32 | (uint64_t)c->kind << 24 |
                  (uint64_t)c->flags << 16 | (uint64_t)c->node << 8 | c->error);
    if (c->page != PAGE_SERVER) see_from_device(w, w->page[c->page].device, f);
    if (kind == EV_DELIVER)
        fold_delivery(w, c, f);
    else if (kind == EV_LOCK)
        fold_id(w, c->page, c->id, true, f);
    else {
        fold_id(w, c->page, c->as.request.id, c->as.request.kind != REQ_RENEW, f);
        fold_request(f, &c->as.request);
    }
    see_from_world(w, f);
}

static void fold_parcels(const struct world *w, enum event_kind kind, uint32_t first,
                         struct fold *f)
{
    for (uint32_t i = first; i != TABLE_NONE; i = w->parcel[i].next) fold_parcel(w, kind, i, f);
    fold_u(f, TABLE_NONE);
}

/* ---- what is to come ---------------------------------------------------------------- */

static bool timer_is_stale(const struct world *w, const struct event *e)
{
    const struct page *p = &w->page[e->target];
    const struct page_timer *t = &p->timer[e->arg >> 31][e->arg >> 24 & 0x7F];
    return !page_alive(p) || !t->armed || t->arming != (e->arg & 0xFFFFFF);
}

bool world_event_is_void(const struct world *w, const struct event *e)
{
    switch ((enum event_kind)e->kind) {
    case EV_TIMER: return timer_is_stale(w, e);
    case EV_LEDGER_TIMER:
        return ledger_timer_is_stale(&w->node[e->target], e->arg >> 24, e->arg & 0xFFFFFF);
    case EV_CACHED_LONG: return e->arg != w->page[e->target].cachings;
    case EV_DELIVER:
    case EV_RUN:
    case EV_STREAM:
    case EV_FREEZE:
    case EV_PAGE_FREE:
    case EV_PAGE_GONE: return !page_alive(&w->page[e->target]);
    case EV_HEAL:
    case EV_END: return true;
    default: return false;
    }
}

static void fold_event(const struct world *w, const struct event *e, struct fold *f)
{
    fold_u(f, e->kind);
    fold_since(f, event_at(e).us);
    if (e->kind == EV_LOCK && e->arg >= w->parcels_max) { /* a polyfill's lock expires */
        fold_u(f, e->target);
        fold_name(f, &f->request, TABLE_NONE - e->arg);
        return;
    }
    switch ((enum event_kind)e->kind) {
    case EV_DELIVER:
    case EV_LOCK:
    case EV_REQUEST:
    case EV_PROVIDER_DONE:
    case EV_DRAINED:
        fold_u(f, e->kind == EV_DELIVER ? 0 : e->target);
        fold_parcel(w, (enum event_kind)e->kind, e->arg, f);
        break;
    case EV_TIMER:
        fold_page(f, e->target);
        fold_u(f, e->arg >> 24);
        break;
    case EV_LEDGER_TIMER:
        fold_u(f, e->arg >> 24);
        fold_u(f, ledger_late_at(&w->node[e->target], e->arg & 0xFFFFFF));
        break;
    case EV_CACHED_LONG: fold_page(f, e->target); break;
    case EV_PAGE_GONE:
    case EV_PAGE_FREE:
    case EV_LOCKS_END:
    case EV_FREEZE:
    case EV_STREAM:
    case EV_RUN:
        fold_page(f, e->target);
        fold_u(f, e->arg);
        break;
    case EV_TAB_LOAD:
        fold_tab(f, e->target);
        fold_u(f, e->arg);
        break;
    default: fold_u(f, (uint64_t)e->target << 32 | e->arg); break;
    }
}

#define SORTED_MAX 512 /* a state of a few tabs has some 30 */

static void fold_queue(const struct world *w, struct fold *f)
{
    struct event sorted[SORTED_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->queue.n; i++) {
        const struct event *e = &w->queue.heap[3 + i];
        if (event_at(e).us - w->now.us > f->far_us || world_event_is_void(w, e)) continue;
        must(n < SORTED_MAX);
        uint32_t at = n++;
        for (; at > 0 && sorted[at - 1].key > e->key; at--) sorted[at] = sorted[at - 1];
        sorted[at] = *e;
    }
    fold_u(f, n);
    for (uint32_t i = 0; i < n; i++) fold_event(w, &sorted[i], f);
}

/* ---- documents, tabs, devices ----------------------------------------------------------- */

/* Left out: the ring of own and global numbers but for those that are still about. */
static void fold_page_state(const struct world *w, const struct page *p, struct fold *f)
{
    fold_u(f, (uint64_t)p->has_locks << 8 | (uint64_t)p->visible_before << 7 |
                  (uint64_t)p->closing << 6 | (uint64_t)p->connected << 5 |
                  (uint64_t)p->gone_for_good << 4 | (uint64_t)p->settle_blocked << 3 |
                  (uint64_t)p->locks_ended << 2 | (uint64_t)p->fenced << 1 |
                  (p->deaf_cause != OBS_NONE));
    fold_u(f, (uint64_t)p->protocol << 32 | p->device);
    fold_tab(f, p->tab);
    if (p->hidden_since_us == NOT_HIDDEN)
        fold_u(f, 1);
    else
        fold_since(f, p->hidden_since_us);
    fold_deadline(f, p->busy_until.us);
    fold_deadline(f, p->blocked_until.us);
    for (int i = 0; i < 2; i++) fold_deadline(f, p->lock_pipe[i].us);
    for (int i = 0; i < 2; i++) fold_deadline(f, p->post_pipe[i].us);
    fold_deadline(f, p->channel_until.us);
    fold_u(f, (uint64_t)p->fetches << 32 | (uint64_t)p->renewals << 16 | p->releases);
    fold_u(f, (uint64_t)p->lost_answers << 32 | p->last_effect_lost);
    fold_name(f, &f->request, p->deferred_settle);
    for (int s = 0; s < TASK_SOURCES; s++) fold_parcels(w, EV_DELIVER, p->backlog[s], f);
    fold_parcels(w, EV_DELIVER, p->queue, f);
    fold_parcels(w, EV_REQUEST, p->unsent, f);
    if (p->state == DOC_CACHED) fold_since(f, p->cached_at.us);
    uint32_t n = p->lock_ids < PAGE_LOCKS_MAX ? p->lock_ids : PAGE_LOCKS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (!names_have(&f->request, p->lock_id[i].global)) continue;
        fold_name(f, &f->request, p->lock_id[i].global);
        leader_fold_own(&p->client, f, p->lock_id[i].local);
    }
}

static void fold_timers(const struct world *w, const struct page *p, struct fold *f)
{
    bool ticks = false;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < TIMER_COUNT; i++) {
            const struct page_timer *timer = &p->timer[t][i];
            fold_u(f, (uint64_t)timer->armed << 1 | timer->due);
            if (timer->armed) fold_deadline(f, timer->at.us);
            ticks = ticks || (timer->armed && t == THREAD_PAGE);
        }
    /* a hidden page's own timers fire at ticks of the world's clock */
    if (ticks) fold_u(f, (uint64_t)(w->now.us % TICKS_US));
}

/* Of a document that is gone nothing is left but who refers to it. */
static void fold_document(const struct world *w, uint16_t n, struct fold *f)
{
    const struct page *p = &w->page[n];
    fold_u(f, p->state);
    lockmgr_fold_client(w->lockmgr[p->device], n, f);
    if (!page_alive(p)) return;
    fold_page_state(w, p, f);
    fold_timers(w, p, f);
    see_from_device(w, p->device, f);
    leader_fold(&p->client, f);
    see_from_world(w, f);
}

static void fold_tab_state(const struct world *w, uint32_t t, struct fold *f)
{
    const struct tab *tab = &w->tab[t];
    fold_page(f, tab->page);
    fold_u(f, (uint64_t)tab->load_pending << 9 | (uint64_t)tab->single_page << 8 | tab->device);
    if (!policy_is_empty(w->policy))
        fold_u(f, (uint64_t)tab->session_instance << 32 | tab->session_sequence);
    else if (f->symmetric)
        fold_tab(f, tab->session_instance - 1);
    else
        fold_u(f, tab->session_instance);
}

static void fold_device(const struct device *d, struct fold *f)
{
    fold_u(f, (uint64_t)d->asleep << 8 | (uint64_t)d->sleep_stops_clock << 7 |
                  (uint64_t)d->locks_refused << 6 | (uint64_t)d->quota_full << 5 |
                  (uint64_t)d->rolled_back << 4 | (uint64_t)d->no_locks << 3 |
                  (uint64_t)d->channel_drop << 2 | (uint64_t)(d->cut[0] & 3));
    fold_u(f, (uint64_t)(uint32_t)d->ppm << 32 | d->partition_key);
    fold_u(f, (uint64_t)d->wall_offset_us);
    fold_u(f, (uint64_t)d->channel_delay_us);
    fold_u(f, (uint64_t)d->late << 32 | d->doubled);
    fold_u(f, (uint64_t)d->late_kind << 32 | (uint64_t)d->doubled_kind);
    fold_u(f, (uint64_t)d->late_us);
    fold_u(f, (uint64_t)d->lost_answers << 32 | d->tabs);
    fold_deadline(f, d->channel_until.us);
    fold_deadline(f, d->store_busy_until.us);
    fold_age(f, d->storage_changed.us, 10 * US_PER_MS);
    fold_deadline(f, d->stale_until.us);
    for (int i = 0; i < 2; i++) {
        fold_u(f, d->storage[i].leader);
        if (d->storage[i].leader) fold_since(f, d->storage[i].beat.us);
    }
}

/* ---- faults, foreign code, the rest ------------------------------------------------------- */

/* Of a fault that is over nothing is left; what it did is elsewhere. */
static void fold_fault(const struct planned_fault *p, struct fold *f)
{
    if (p->ended) return;
    fold_u(f, (uint64_t)p->kind << 8 | (uint64_t)p->begun << 2 | (uint64_t)p->armed << 1 |
                  p->for_good);
    fold_page(f, p->page);
    fold_u(f, (uint64_t)p->device << 40 | (uint64_t)p->node << 32 | p->aux);
    fold_u(f, p->tab);
    fold_u(f, (uint64_t)p->lasts_us);
}

static void fold_foreign(const struct foreign *x, struct fold *f)
{
    if (x->gone) return;
    fold_name(f, &f->request, x->request);
    fold_page(f, x->page);
    fold_page(f, x->unblocks);
    fold_u(f, (uint64_t)x->partition << 16 | (uint64_t)x->name << 8 | (uint64_t)x->held << 1 |
                  x->leaving);
    fold_u(f, (uint64_t)x->keeps_us);
}

static void fold_rest(const struct world *w, struct fold *f)
{
    fold_u(f, (uint64_t)w->provider_down << 4 | (uint64_t)w->provider_silent << 3 |
                  (uint64_t)w->owner_held << 2 | (uint64_t)w->decides[0] << 1 | w->limit);
    fold_u(f, (uint64_t)w->provider_slow_us);
    fold_u(f, (uint64_t)w->incarnation << 32 | w->operations);
    fold_page(f, w->owner);
    for (uint32_t i = 0; i < w->scenario->steps; i++) fold_u(f, w->step[i]);
    for (uint32_t i = 0; i < w->faults; i++) fold_fault(&w->fault[i], f);
    for (uint32_t i = 0; i < w->foreigns; i++) fold_foreign(&w->foreign[i], f);
}

void world_fold(const struct world *w, struct fold *f)
{
    must(w->nodes == 1 && w->contract.authority == AUTHORITY_SERVER);
    f->generation = w->node[0].record.fence.generation;
    f->renewals = w->node[0].record.renew_sequence;
    see_from_world(w, f);
    for (uint32_t d = 0; d < w->devices; d++) f->device_us[d] = device_now(w, &w->device[d]).us;
    for (uint32_t d = 0; d < w->devices; d++) lockmgr_fold_queues(w->lockmgr[d], f);
    for (uint32_t i = 0; i < f->page.n; i++) fold_tab(f, w->page[f->page.id[i]].tab);
    for (uint32_t t = 0; t < w->tabs; t++)
        if (!f->symmetric || !names_have(&f->tab, t)) fold_tab(f, t);
    for (uint32_t i = 0; i < w->tabs; i++)
        fold_tab_state(w, f->symmetric ? (uint32_t)f->tab.id[i] : i, f);
    fold_queue(w, f);
    uint32_t done = 0;
    for (; done < f->page.n; done++) fold_document(w, (uint16_t)f->page.id[done], f);
    f->now_us = node_now(w, 0).us;
    ledger_fold(&w->node[0], f);
    see_from_world(w, f);
    provider_fold(&w->provider, f);
    for (uint32_t d = 0; d < w->devices; d++) fold_device(&w->device[d], f);
    fold_rest(w, f);
    for (; done < f->page.n; done++) fold_document(w, (uint16_t)f->page.id[done], f);
    must(f->page.n < FOLD_NAMES_MAX && f->tab.n < FOLD_NAMES_MAX);
}
