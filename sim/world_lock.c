/* The world: between pages and the lock managers of their partitions.
 *
 * A call takes time to reach the manager and a grant takes time to come back; each
 * direction keeps the order of one page's messages (WL-42) and no other order
 * (ST-16). What a sleeping device's browser would do waits for its wake. Foreign
 * code of a page asks for locks through the same manager: a rogue thief, and the
 * second lock of a nested pair. */
#include "sim/world.h"

#define SLEEP_POLL_US (50 * US_PER_MS)
#define POLYFILL_EXPIRY_US                                                                         \
    (2 * US_PER_S) /* mutant polyfill-lock-expires: the usual default of such libraries */

static struct instant pipe_after(struct world *w, struct page *p, int way)
{
    struct instant at = { w->now.us + latency_draw(&latency_lock, &w->choices, STREAM_LOCK) };
    if (at.us <= p->lock_pipe[way].us)
        at.us = p->lock_pipe[way].us + 1; /* not the same instant: that is a drawn order */
    p->lock_pipe[way] = at;
    return at;
}

static void deliver_lock(struct world *w, uint16_t n, enum client_input_kind kind, uint32_t request,
                         enum lock_error error, uint32_t cause)
{
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = cause;
    c->page = n;
    c->thread = THREAD_PAGE;
    c->source = TASK_LOCK;
    c->kind = (uint8_t)kind;
    c->id = request;
    c->error = (uint8_t)error;
    struct page *p = &w->page[n];
    struct instant at = pipe_after(w, p, 1);
    const struct instant *said = &w->device[p->device].channel_until;
    bool overtakes = kind != IN_LOCK_GRANTED || p->profile->lock_before_message;
    if (!overtakes && at.us <= said->us) { /* ST-16 */
        at.us = said->us + 1;
        p->lock_pipe[1] = at;
    }
    world_at(w, at.us - w->now.us, EV_DELIVER, n, i);
}

static uint32_t *global_of(struct page *p, uint32_t local)
{
    uint32_t n = p->lock_ids < PAGE_LOCKS_MAX ? p->lock_ids : PAGE_LOCKS_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (p->lock_id[i].local == local) return &p->lock_id[i].global;
    return NULL;
}

static void refuse(struct world *w, uint16_t n, uint32_t request, enum lock_error error)
{
    struct obs o = obs_make(OBS_LOCK_REFUSED, w->now, w->device[w->page[n].device].locks_cause);
    if (o.cause == OBS_NONE) o.cause = w->cause;
    o.page = n;
    o.request = request;
    o.a = error;
    deliver_lock(w, n, IN_LOCK_REFUSED, request, error, world_see(w, &o));
}

void lock_call_send(struct world *w, uint16_t n, enum lock_call call, uint32_t id, uint32_t flags)
{
    struct page *p = &w->page[n];
    struct device *d = &w->device[p->device];
    uint32_t global = 0;
    if (call == CALL_REQUEST) {
        global = world_id(w, id);
        p->lock_id[p->lock_ids % PAGE_LOCKS_MAX].local = id;
        p->lock_id[p->lock_ids++ % PAGE_LOCKS_MAX].global = global;
        enum lock_error e = lockmgr_check(true, !d->locks_refused, false, false, flags, false);
        if (e != LOCK_ERR_NONE) {
            refuse(w, n, global, e);
            return;
        }
    } else if (call != CALL_QUERY) {
        uint32_t *g = global_of(p, id);
        if (!g) return;
        global = *g;
    }
    if (call == CALL_SETTLE && p->settle_blocked) {
        p->deferred_settle = global;
        return;
    }
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = w->cause;
    c->page = n;
    c->kind = (uint8_t)call;
    c->id = global;
    c->flags = (uint8_t)flags;
    struct instant at = pipe_after(w, p, 0);
    world_at(w, at.us - w->now.us, EV_LOCK, p->device, i);
}

bool foreign_holds(const struct world *w, uint32_t request)
{
    for (uint32_t i = 0; i < w->foreigns; i++)
        if (w->foreign[i].request == request) return true;
    return false;
}

static struct foreign *foreign_of(struct world *w, uint32_t request)
{
    for (uint32_t i = 0; i < w->foreigns; i++)
        if (w->foreign[i].request == request) return &w->foreign[i];
    return NULL;
}

static void foreign_granted(struct world *w, struct foreign *f, uint32_t cause)
{
    f->held = true;
    if (f->unblocks != PAGE_NONE) { /* the nested wait inside a callback is over */
        struct page *p = &w->page[f->unblocks];
        p->settle_blocked = false;
        if (p->deferred_settle && page_alive(p)) {
            uint32_t local = w->local_id[p->deferred_settle];
            p->deferred_settle = 0;
            lock_call_send(w, f->unblocks, CALL_SETTLE, local, 0);
        }
    }
    uint32_t was = w->cause;
    w->cause = cause;
    world_at(w, f->leaving ? 0 : f->keeps_us, EV_FOREIGN, 0, (uint32_t)(f - w->foreign));
    w->cause = was;
}

void lock_effects(struct world *w, uint8_t partition)
{
    struct lockmgr_out *out = &w->lock_out;
    uint32_t n = out->n;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t page = out->at[i].page;
        uint32_t request = out->at[i].request, cause = out->at[i].cause;
        struct foreign *f = w->foreigns ? foreign_of(w, request) : NULL;
        switch (out->at[i].kind) {
        case LOCKMGR_GRANTED:
            if (f)
                foreign_granted(w, f, cause);
            else
                deliver_lock(w, page, IN_LOCK_GRANTED, request, LOCK_ERR_NONE, cause);
            if (policy_has(w->policy, POLICY_LOCK_EXPIRES))
                world_at(w, POLYFILL_EXPIRY_US, EV_LOCK, partition, TABLE_NONE - request);
            break;
        case LOCKMGR_UNAVAILABLE:
            if (!f) deliver_lock(w, page, IN_LOCK_UNAVAILABLE, request, LOCK_ERR_NONE, cause);
            break;
        case LOCKMGR_STOLEN:
        case LOCKMGR_DROPPED:
            if (f)
                f->gone = true;
            else
                deliver_lock(w, page, IN_LOCK_LOST, request, LOCK_ERR_ABORT, cause);
            break;
        case LOCKMGR_EVICT: {
            uint32_t was = w->cause;
            w->cause = cause;
            page_evict(w, page, 1);
            w->cause = was;
            break;
        }
        }
    }
    out->n = 0;
    if (w->armed) fault_aim(w);
}

static void answer_query(struct world *w, uint8_t partition, const struct parcel *c)
{
    struct lockmgr_snapshot s;
    lockmgr_query(w->lockmgr[partition], LOCK_NAME_LEADER, &s, w->now, c->cause, &w->lock_out);
    uint32_t i = parcel_take(w);
    struct parcel *a = &w->parcel[i];
    a->cause = c->cause;
    a->page = c->page;
    a->thread = THREAD_PAGE;
    a->source = TASK_LOCK;
    a->kind = IN_QUERY;
    a->flags = s.held > 0;
    struct instant at = pipe_after(w, &w->page[c->page], 1);
    world_at(w, at.us - w->now.us, EV_DELIVER, c->page, i);
}

void lock_arrived(struct world *w, uint8_t partition, uint32_t parcel)
{
    struct lockmgr *m = w->lockmgr[partition];
    w->lock_out.n = 0;
    if (policy_has(w->policy, POLICY_LOCK_EXPIRES) && parcel > TABLE_NONE - REQUEST_IDS_MAX) {
        lockmgr_expire(m, TABLE_NONE - parcel, w->now, w->cause, &w->lock_out);
        lock_effects(w, partition);
        return;
    }
    if (w->device[partition].asleep) {
        world_at(w, SLEEP_POLL_US, EV_LOCK, partition, parcel);
        return;
    }
    struct parcel *c = &w->parcel[parcel];
    switch ((enum lock_call)c->kind) {
    case CALL_REQUEST: {
        uint32_t name = c->node ? c->node : LOCK_NAME_LEADER;
        lockmgr_request(m, c->page, c->id, name, false, c->flags, w->now, c->cause, &w->lock_out);
        break;
    }
    case CALL_ABORT: lockmgr_abort(m, c->id, w->now, c->cause, &w->lock_out); break;
    case CALL_SETTLE: lockmgr_release(m, c->id, w->now, c->cause, &w->lock_out); break;
    case CALL_QUERY: answer_query(w, partition, c); break;
    }
    lock_effects(w, partition);
    parcel_give(w, parcel);
}

void foreign_request(struct world *w, uint8_t device, uint16_t page, uint32_t name, uint32_t flags,
                     int64_t keeps_us, uint16_t unblocks, uint32_t cause)
{
    if (w->foreigns == FOREIGN_MAX) return;
    uint32_t request = world_id(w, 0);
    w->foreign[w->foreigns++] = (struct foreign){ .request = request,
                                                  .page = page,
                                                  .partition = device,
                                                  .name = (uint8_t)name,
                                                  .cause = cause,
                                                  .keeps_us = keeps_us,
                                                  .unblocks = unblocks };
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = cause;
    c->page = page;
    c->kind = CALL_REQUEST;
    c->id = request;
    c->node = (uint8_t)name;
    c->flags = (uint8_t)(flags | LOCK_IS_FOREIGN);
    world_at(w, latency_draw(&latency_lock, &w->choices, STREAM_LOCK), EV_LOCK, device, i);
}

void foreign_lets_go(struct world *w, uint32_t index)
{
    struct foreign *f = &w->foreign[index];
    if (f->gone) return;
    w->lock_out.n = 0;
    f->leaving = true;
    if (f->held) {
        f->gone = true;
        lockmgr_release(w->lockmgr[f->partition], f->request, w->now, w->cause, &w->lock_out);
    } else { /* queued, or still on its way: then it leaves when it is granted */
        lockmgr_abort(w->lockmgr[f->partition], f->request, w->now, w->cause, &w->lock_out);
    }
    lock_effects(w, f->partition);
}
