/* See feed.h. */
#include "sim/server/feed.h"

#include "sim/base/must.h"

enum { CLOSED_BY_PAGE = 1, CLOSED_DROPPED = 2 }; /* subscription.closed, a */

void feed_open(struct feed *h, struct arena *a)
{
    h->subscription = arena_array(a, struct feed_subscription, FEED_SUBSCRIPTIONS_MAX + 1);
}

void feed_reset(struct feed *h, uint32_t kept, struct history *history)
{
    must(kept > 0);
    h->history = history;
    h->kept = kept;
    h->newest = h->n = 0;
    h->first_open = 1;
}

void feed_publish(struct feed *h)
{
    h->newest++;
}

uint32_t feed_find(const struct feed *h, uint32_t key)
{
    for (uint32_t i = h->n; i > 0; i--)
        if (h->subscription[i].key == key) return i;
    return 0;
}

static void say(struct feed *h, enum obs_kind kind, uint32_t i, uint32_t a, struct instant at,
                uint32_t cause)
{
    struct obs o = obs_make(kind, at, cause);
    o.page = h->subscription[i].page;
    o.a = a;
    o.b = i;
    history_add(h->history, &o);
}

static uint32_t new_subscription(struct feed *h, const struct request *r, struct instant at)
{
    if (h->n == FEED_SUBSCRIPTIONS_MAX) return 0;
    h->subscription[++h->n] = (struct feed_subscription){
        .key = r->key, .after = r->after, .page = r->page, .heard = at, .pipe = at
    };
    return h->n;
}

static void close(struct feed *h, uint32_t i, uint32_t why, struct instant at, uint32_t cause)
{
    if (!h->subscription[i].is_open) return;
    h->subscription[i].is_open = false;
    while (h->first_open <= h->n && !h->subscription[h->first_open].is_open) h->first_open++;
    say(h, OBS_SUBSCRIPTION_CLOSED, i, why, at, cause);
}

static enum answer_result follow(struct feed *h, const struct request *r, struct instant at,
                                 uint32_t cause)
{
    uint32_t i = feed_find(h, r->key);
    if (i > 0) return h->subscription[i].is_open ? ANS_OK : ANS_REFUSED;
    i = new_subscription(h, r, at);
    if (i == 0) return ANS_UNAVAILABLE;
    struct feed_subscription *s = &h->subscription[i];
    if (s->after == 0 || s->after > h->newest) s->after = h->newest;
    s->is_open = true;
    say(h, OBS_SUBSCRIPTION_OPENED, i, s->after, at, cause);
    return ANS_OK;
}

/* The end may come before the beginning, which then begins nothing. */
static enum answer_result unfollow(struct feed *h, const struct request *r, struct instant at,
                                   uint32_t cause)
{
    uint32_t i = feed_find(h, r->key);
    if (i > 0)
        close(h, i, CLOSED_BY_PAGE, at, cause);
    else if (new_subscription(h, r, at) == 0)
        return ANS_UNAVAILABLE;
    return ANS_OK;
}

void feed_request(struct feed *h, const struct request *r, struct instant at, uint32_t cause,
                  struct answer *a)
{
    must(r->kind == REQ_FOLLOW || r->kind == REQ_UNFOLLOW);
    *a = (struct answer){ .request = r->id,
                          .kind = r->kind,
                          .result = r->kind == REQ_FOLLOW ? follow(h, r, at, cause)
                                                          : unfollow(h, r, at, cause),
                          .fence = r->fence,
                          .node_hint = NODE_NONE,
                          .sent = r->sent };
}

bool feed_next(struct feed *h, uint32_t i, struct feed_item *item)
{
    struct feed_subscription *s = &h->subscription[i];
    if (s->after == h->newest) return false;
    uint32_t forgotten = h->newest > h->kept ? h->newest - h->kept : 0;
    item->is_lost = s->after < forgotten;
    item->from = s->after + 1;
    item->to = item->is_lost ? forgotten : item->from;
    s->after = item->to;
    return true;
}

void feed_drop(struct feed *h, uint32_t i, struct instant at)
{
    close(h, i, CLOSED_DROPPED, at, OBS_NONE);
}
