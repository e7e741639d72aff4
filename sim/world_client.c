/* The world: a page's client takes a step, and what it asks for is carried out. */
#include "sim/world.h"

static void see_state(struct world *w, uint16_t n, const struct client_output *o)
{
    struct obs e = world_obs(w, OBS_STATE_CHANGED);
    e.page = n;
    e.a = o->as.state.from;
    e.b = o->as.state.to;
    (void)world_see(w, &e);
}

static void see_belief(struct world *w, uint16_t n, const struct client_output *o)
{
    struct obs e = world_obs(w, o->as.belief.on ? OBS_BELIEF_BEGAN : OBS_BELIEF_ENDED);
    e.page = n;
    e.fence = o->as.belief.fence;
    e.a = o->as.belief.on ? 0 : o->as.belief.why;
    (void)world_see(w, &e);
}

static void post(struct world *w, uint16_t n, const struct client_output *o)
{
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = w->cause;
    c->page = n;
    c->thread = o->thread == THREAD_PAGE ? THREAD_WORKER : THREAD_PAGE;
    c->source = TASK_POST;
    c->kind = IN_POST;
    c->as.message = o->as.message;
    struct instant *pipe = &w->page[n].post_pipe[o->thread]; /* a port keeps its order */
    struct instant at = { w->now.us + latency_draw(&latency_thread, &w->choices, STREAM_THREAD) };
    if (at.us <= pipe->us) at.us = pipe->us + 1; /* the same instant would be a drawn order */
    *pipe = at;
    world_at(w, at.us - w->now.us, EV_DELIVER, n, i);
}

static void stored(struct world *w, uint16_t n, const struct client_output *o)
{
    struct device *d = &w->device[w->page[n].device];
    if (d->quota_full) {
        struct obs e = obs_make(OBS_STORAGE_FAULT, w->now, d->quota_cause);
        e.page = n;
        e.partition = w->page[n].device;
        e.a = 2;
        (void)world_see(w, &e);
        return;
    }
    d->storage[0] = d->storage[1];
    d->storage[1].leader = o->as.store.leader;
    d->storage[1].beat = o->as.store.beat;
    d->storage_changed = w->now;
}

static void carry_out(struct world *w, uint16_t n, const struct client_output *o)
{
    struct page *p = &w->page[n];
    switch (o->kind) {
    case OUT_LOCK: lock_call_send(w, n, CALL_REQUEST, o->id, o->flags); break;
    case OUT_LOCK_ABORT: lock_call_send(w, n, CALL_ABORT, o->id, 0); break;
    case OUT_LOCK_SETTLE: lock_call_send(w, n, CALL_SETTLE, o->id, 0); break;
    case OUT_QUERY: lock_call_send(w, n, CALL_QUERY, 0, 0); break;
    case OUT_SEND: {
        struct request r = o->as.request;
        r.id = world_id(w, o->id);
        r.page = n;
        net_send(w, n, &r, o->flags);
        break;
    }
    case OUT_SUBSCRIBE:
        if (!p->connected) net_stream_open(w, n);
        break;
    case OUT_TIMER: page_timer_arm(w, n, o->thread, o->id, o->us); break;
    case OUT_TIMER_OFF: p->timer[o->thread][o->id].armed = false; break;
    case OUT_BROADCAST: net_broadcast(w, n, &o->as.message); break;
    case OUT_POST: post(w, n, o); break;
    case OUT_STORE: stored(w, n, o); break;
    case OUT_SESSION: session_write(w, n, o); break;
    case OUT_EVENT:
    case OUT_GAP: live_deliver(w, n, o); break;
    case OUT_STATE: see_state(w, n, o); break;
    case OUT_BELIEF: see_belief(w, n, o); break;
    case OUT_KEPT: {
        struct obs e = world_obs(w, OBS_OPERATION_KEPT);
        e.page = n;
        e.op = o->id;
        (void)world_see(w, &e);
        break;
    }
    case OUT_WOULD_LEAD: {
        struct obs e = world_obs(w, OBS_WOULD_LEAD);
        e.page = n;
        (void)world_see(w, &e);
        break;
    }
    }
}

/* localStorage as this process sees it: its own writes at once, others' after a while (ST-9,
 * ST-11). */
static void storage_view(struct world *w, const struct page *p, struct client_input *in)
{
    const struct device *d = &w->device[p->device];
    int64_t age = w->now.us - d->storage_changed.us;
    bool others = d->storage[1].leader != p->client.tab_instance;
    bool stale = age < 10 * US_PER_MS && others &&
                 chance(&w->choices, STREAM_STORAGE, p->profile->stale_read_permille, 1000);
    stale = stale || (others && w->now.us < d->stale_until.us);
    in->storage.leader = d->storage[stale ? 0 : 1].leader;
    in->storage.beat = d->storage[stale ? 0 : 1].beat;
}

void page_run(struct world *w, uint16_t n, struct client_input *in)
{
    struct page *p = &w->page[n];
    const struct device *d = &w->device[p->device];
    must(!w->in_step);
    w->in_step = true;
    in->now = device_now(w, d);
    in->wall = (struct local){ in->now.us + d->wall_offset_us };
    in->session = &d->session;
    in->last_event = d->last_event;
    if (in->kind == IN_TIMER && in->thread == THREAD_PAGE) storage_view(w, p, in);
    leader_step(&p->client, in, &w->requests);
    w->tab[p->tab].session_sequence = p->client.session_sequence;
    if (in->thread == THREAD_PAGE && p->busy_until.us <= w->now.us)
        p->busy_until.us = w->now.us + latency_draw(&latency_task, &w->choices, STREAM_THREAD);
    w->in_step = false;
    uint32_t outs = w->requests.n;
    for (uint32_t i = 0; i < outs; i++) carry_out(w, n, &w->requests.at[i]);
    if (w->armed) fault_aim(w);
}

void page_run_kind(struct world *w, uint16_t n, enum client_input_kind kind, bool persisted)
{
    struct client_input in = { .kind = kind, .persisted = persisted };
    page_run(w, n, &in);
}
