/* The world: the server of the live subscription, its connections, and the place in each
 * storage partition where events are delivered.
 *
 * Events happen at drawn intervals. A connection stalls while the device sleeps, its page is
 * frozen or the server is out, and goes on where it stopped; after DROP_US the server gives it
 * up. Some break for good: the page is not told and hears nothing any more. The server fails
 * with the provider's faults.
 *
 * In rounds of other workstreams nothing here is ever seen, and nothing is drawn. */
#include "sim/world.h"

#define EVENT_MIN_US (50 * US_PER_MS)
#define EVENT_MAX_US (600 * US_PER_MS)
#define DROP_US (2 * US_PER_S)

static const uint32_t memories[] = { 4, 12, 64 }; /* events: about 1, 4 and 20 s of them */

static bool is_feed_round(const struct world *w)
{
    return w->contract.work == WORKSTREAM_FEED;
}

static void plan_event(struct world *w)
{
    world_at(w, choose_us(&w->choices, STREAM_FEED, EVENT_MIN_US, EVENT_MAX_US), EV_FEED, 0, 0);
}

void live_plan_round(struct world *w)
{
    if (!is_feed_round(w)) return;
    uint32_t memory = choose(&w->choices, STREAM_FEED, sizeof memories / sizeof memories[0]);
    feed_reset(&w->feed, memories[memory], &w->history);
    plan_event(w);
}

static int64_t travels(struct world *w)
{
    const struct network *n = &w->network;
    if (chance(&w->choices, STREAM_FEED, n->slow_ppm, 1000000))
        return choose_us(&w->choices, STREAM_FEED, n->slow_min_us, n->slow_max_us);
    return latency_draw(n->one_way, &w->choices, STREAM_FEED) + w->provider_slow_us;
}

static void carry(struct world *w, struct feed_subscription *s, const struct feed_item *item)
{
    struct instant at = { w->now.us + travels(w) };
    if (at.us <= s->pipe.us) at.us = s->pipe.us + 1;
    s->pipe = at;
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = w->cause;
    c->page = s->page;
    c->thread = THREAD_PAGE;
    c->source = TASK_PUSH;
    c->kind = IN_PUSH;
    c->as.push = (struct push){ .kind = item->is_lost ? PUSH_EVENTS_LOST : PUSH_EVENT,
                                .leader_partition = PARTITION_NONE,
                                .event = item->to,
                                .subscription = s->key,
                                .node = NODE_NONE };
    world_at(w, at.us - w->now.us, EV_DELIVER, s->page, i);
}

/* Does the connection take anything now? A frozen page reads nothing: a first event waits for
 * it, the others stay at the server. */
static bool takes(const struct world *w, const struct feed_subscription *s)
{
    const struct page *p = &w->page[s->page];
    if (!page_alive(p) || p->state == DOC_CACHED || w->device[p->device].asleep) return false;
    if (w->provider_down || w->provider_silent) return false;
    return page_running(w, p) || p->backlog[TASK_PUSH] == TABLE_NONE;
}

static void send(struct world *w, uint32_t i)
{
    struct feed_subscription *s = &w->feed.subscription[i];
    struct feed_item item;
    if (!takes(w, s)) {
        if (w->now.us - s->heard.us >= DROP_US) feed_drop(&w->feed, i, w->now);
        return;
    }
    if (chance(&w->choices, STREAM_FEED, w->network.loss_ppm, 1000000)) {
        feed_drop(&w->feed, i, w->now);
        return;
    }
    s->heard = w->now;
    while (feed_next(&w->feed, i, &item)) carry(w, s, &item);
}

void live_event(struct world *w)
{
    if (w->over) return;
    feed_publish(&w->feed);
    for (uint32_t i = w->feed.first_open; i <= w->feed.n; i++)
        if (w->feed.subscription[i].is_open) send(w, i);
    plan_event(w);
}

void live_request(struct world *w, uint32_t parcel)
{
    struct parcel *c = &w->parcel[parcel];
    struct request r = c->as.request;
    struct answer a;
    feed_request(&w->feed, &r, w->now, c->cause, &a);
    net_answer(w, &a, c->page, NODE_NONE, c->cause);
    uint32_t i = feed_find(&w->feed, r.key);
    if (i > 0 && w->feed.subscription[i].is_open) send(w, i);
    parcel_give(w, parcel);
}

/* One transaction of the partition's database, which holds the generation too. */
static bool commits(const struct world *w, uint8_t device, const struct client_output *o)
{
    const struct device *d = &w->device[device];
    const struct ledger_record *r = &w->node[LEDGER_NODES + device].record;
    if (d->quota_full || w->now.us < d->store_busy_until.us) return false;
    return !(o->flags & EVENT_IF_FENCE) || (r->held && fence_equal(r->fence, o->as.event.fence));
}

void live_deliver(struct world *w, uint16_t n, const struct client_output *o)
{
    uint8_t device = w->page[n].device;
    if (!commits(w, device, o)) return;
    bool is_gap = o->kind == OUT_GAP;
    struct obs e = world_obs(w, is_gap ? OBS_GAP_ANNOUNCED : OBS_EVENT_DELIVERED);
    e.page = n;
    e.partition = device;
    e.fence = o->as.event.fence;
    e.a = o->as.event.from;
    e.b = is_gap ? o->as.event.to : feed_find(&w->feed, o->id);
    (void)world_see(w, &e);
    if (!(o->flags & EVENT_PLACE_LATER)) w->device[device].last_event = o->as.event.to;
}
