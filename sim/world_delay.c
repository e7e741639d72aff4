/* The world: the next event, a message, comes later than it would have. No fault: a network may be
 * slow, and nothing orders messages of different pipes (ST-16). The order within a pipe is kept
 * (WL-42, ST-5): only its newest message can be late, and whatever follows comes after it. */
#include "sim/world.h"

/* The pipe that the message is the newest of; NULL: of none, or not the newest. */
static struct instant *pipe_of(struct world *w, const struct event *e)
{
    struct parcel *c = &w->parcel[e->arg];
    struct page *p = &w->page[c->page];
    struct instant *pipe = NULL;
    if (e->kind == EV_LOCK && !(c->flags & LOCK_IS_FOREIGN))
        pipe = &p->lock_pipe[0];
    else if (e->kind == EV_DELIVER && c->source == TASK_LOCK)
        pipe = &p->lock_pipe[1];
    else if (e->kind == EV_DELIVER && c->source == TASK_BROADCAST &&
             c->as.message.tab_instance - 1 < w->pages)
        pipe = &w->page[c->as.message.tab_instance - 1].channel_until;
    return pipe && pipe->us == event_at(e).us ? pipe : NULL;
}

/* Requests, answers and pushes are each on their own. */
static bool is_loose(const struct world *w, const struct event *e)
{
    const struct parcel *c = &w->parcel[e->arg];
    if (e->kind == EV_REQUEST) return c->page != PAGE_SERVER && e->target != LEDGER_NODES;
    return e->kind == EV_DELIVER && (c->source == TASK_NETWORK || c->source == TASK_PUSH);
}

bool world_delay_next(struct world *w, int64_t us)
{
    const struct event *e = evq_first(&w->queue);
    if (!e || (e->kind != EV_LOCK && e->kind != EV_DELIVER && e->kind != EV_REQUEST)) return false;
    if (e->kind == EV_LOCK && e->arg >= w->parcels_max) return false; /* a polyfill's expiry */
    struct event late;
    struct instant at = { event_at(e).us + us };
    struct instant *pipe = pipe_of(w, e);
    if ((!pipe && !is_loose(w, e)) || at.us > EVQ_TIME_MAX_US) return false;
    if (pipe) *pipe = at;
    (void)evq_pop(&w->queue, &late);
    evq_push(&w->queue, at, 0, late.kind, late.target, late.arg);
    return true;
}
