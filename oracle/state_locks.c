/* Facts about lock requests and their queues, as the manager's own observations
 * tell them; see state.h. What a manager must not do is recorded all the same:
 * lock-model judges it. */
#include "oracle/state_parts.h"

#include <string.h>

void state_locks_reset(struct state *s)
{
    memset(s->lock, 0, s->locks * sizeof s->lock[0]);
    memset(s->partition, 0, sizeof s->partition);
    s->locks = 0;
}

static struct queue_facts *queue_of(struct state *s, const struct lock_facts *l)
{
    return &s->partition[l->partition].name[l->name];
}

static void link_between(struct state *s, uint32_t id, uint32_t prev, uint32_t next)
{
    s->lock[id].prev = prev;
    s->lock[id].next = next;
    if (prev) s->lock[prev].next = id;
    if (next) s->lock[next].prev = id;
}

static void unlink_from(struct state *s, uint32_t id)
{
    struct lock_facts *l = &s->lock[id];
    if (l->prev) s->lock[l->prev].next = l->next;
    if (l->next) s->lock[l->next].prev = l->prev;
}

static void queue_join(struct state *s, uint32_t id)
{
    struct lock_facts *l = &s->lock[id];
    struct queue_facts *q = queue_of(s, l);
    bool in_front = l->flags & LOCK_IS_STEAL; /* WL-18: a thief is prepended */
    if (in_front)
        link_between(s, id, 0, q->first);
    else
        link_between(s, id, q->last, 0);
    if (in_front || !q->first) q->first = id;
    if (!in_front || !q->last) q->last = id;
    q->waiting++;
    l->life = LOCK_QUEUED;
}

static void queue_leave(struct state *s, uint32_t id)
{
    struct lock_facts *l = &s->lock[id];
    struct queue_facts *q = queue_of(s, l);
    if (q->first == id) q->first = l->next;
    if (q->last == id) q->last = l->prev;
    q->waiting--;
    unlink_from(s, id);
}

static void holders_join(struct state *s, uint32_t id)
{
    struct queue_facts *q = queue_of(s, &s->lock[id]);
    link_between(s, id, 0, q->holder);
    q->holder = id;
    q->holders++;
    s->lock[id].life = LOCK_HELD;
}

static void holders_leave(struct state *s, uint32_t id)
{
    struct queue_facts *q = queue_of(s, &s->lock[id]);
    if (q->holder == id) q->holder = s->lock[id].next;
    q->holders--;
    unlink_from(s, id);
}

/* Wherever it stands, it is not there any more. */
static void leave(struct state *s, uint32_t id)
{
    if (s->lock[id].life == LOCK_QUEUED) queue_leave(s, id);
    if (s->lock[id].life == LOCK_HELD) holders_leave(s, id);
}

static void requested(struct state *s, uint32_t id, const struct obs *o)
{
    struct lock_facts *l = &s->lock[id];
    if (o->partition >= STATE_PARTITIONS || o->key >= STATE_LOCK_NAMES) {
        s->lost |= LOST_LOCK;
        return;
    }
    if (l->life != LOCK_UNKNOWN) return;
    *l = (struct lock_facts){ .page = o->page,
                              .partition = o->partition,
                              .name = (uint8_t)o->key,
                              .flags = o->flags,
                              .shared = o->a == 1,
                              .requested = o->number,
                              .granted = OBS_NONE,
                              .ended = OBS_NONE };
    if (s->partitions <= o->partition) s->partitions = o->partition + 1u;
    struct page_facts *p = state_page_of(s, o);
    if (p && l->name == LOCK_NAME_LEADER) p->leader_request = id;
    queue_join(s, id);
}

static void lock_was(struct state *s, const struct lock_facts *l)
{
    const struct queue_facts *q = queue_of(s, l);
    s->lock_was.life = l->life;
    s->lock_was.ended = l->life > LOCK_HELD ? l->ended : OBS_NONE;
    s->lock_was.first = q->first;
    s->lock_was.holder = q->holder;
    s->lock_was.holders = q->holders;
    s->lock_was.holder_shared = q->holder && s->lock[q->holder].shared;
}

/* The page handles the rejection: what it held under that lock is stolen for it, too. */
static void rejected(struct state *s, const struct lock_facts *l, const struct obs *o)
{
    struct page_facts *p = state_page_of(s, o);
    if (!p || l->name != LOCK_NAME_LEADER || p->leases == 0) return;
    if (p->lease[0].stolen == OBS_NONE) p->lease[0].stolen = o->number;
}

static void ended(struct state *s, uint32_t id, enum lock_life life, const struct obs *o)
{
    if (s->lock[id].life == LOCK_UNKNOWN) return;
    leave(s, id);
    s->lock[id].life = (uint8_t)life;
    s->lock[id].ended = o->number;
}

static void granted(struct state *s, uint32_t id, const struct obs *o)
{
    if (s->lock[id].life == LOCK_UNKNOWN) return;
    leave(s, id);
    holders_join(s, id);
    s->lock[id].granted = o->number;
}

void state_lock_step(struct state *s, const struct obs *o)
{
    uint32_t id = o->request;
    if (id == 0 || id >= STATE_REQUESTS) {
        s->lost |= LOST_LOCK;
        return;
    }
    if (s->locks <= id) s->locks = id + 1;
    struct lock_facts *l = &s->lock[id];
    lock_was(s, l);
    switch (o->kind) {
    case OBS_LOCK_REQUESTED: requested(s, id, o); break;
    case OBS_LOCK_GRANTED: granted(s, id, o); break;
    case OBS_LOCK_REJECTED: rejected(s, l, o); break;
    case OBS_LOCK_UNAVAILABLE:
    case OBS_LOCK_ABORTED:
    case OBS_LOCK_DROPPED: ended(s, id, LOCK_WITHDRAWN, o); break;
    case OBS_LOCK_STOLEN: ended(s, id, LOCK_TAKEN_AWAY, o); break;
    case OBS_LOCK_RELEASED: ended(s, id, LOCK_GIVEN_BACK, o); break;
    default: break; /* the callback runs, or the page refused by itself */
    }
}

uint16_t state_lock_holder(const struct state *s, uint8_t partition)
{
    const struct queue_facts *q = state_queue(s, partition, LOCK_NAME_LEADER);
    return q && q->holder ? s->lock[q->holder].page : PAGE_NONE;
}
