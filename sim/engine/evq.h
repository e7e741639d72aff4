/* The event queue: a 4-ary heap of 16-byte entries with a total order.
 *
 * The order is (time, tie, sequence) packed into one word, so that comparing is
 * one instruction and no two entries are equal:
 *
 *   63 ........ 32 31 .. 26 25 ......... 0
 *   time, us       tie      sequence
 *
 * Time reaches 71 minutes, which is more than the longest round. Events of one
 * microsecond run in the order of their drawn tie (0: the order in which they
 * were made), so that "the same instant" is a choice and not an accident.
 * There is no removal: a timer that was cancelled is recognised when it fires. */
#ifndef SIM_ENGINE_EVQ_H
#define SIM_ENGINE_EVQ_H

#include "sim/base/arena.h"
#include "sim/base/must.h"
#include "sim/base/units.h"

#define EVQ_TIE_BITS 6
#define EVQ_SEQ_BITS 26 /* 67 million events a round; the largest seen has 10^6 (2,000 tabs) */
#define EVQ_TIME_MAX_US ((INT64_C(1) << 32) - 1)

struct event {
    uint64_t key;
    uint16_t kind;   /* the world's */
    uint16_t target; /* page, node, ... */
    uint32_t arg;    /* message slot, timer arming, ... */
};
_Static_assert(sizeof(struct event) == 16, "four children share a cache line");

struct evq {
    struct event *heap; /* 3 unused slots, then the root at [3]: children of i start at a line */
    uint32_t n, max;
    uint32_t sequence;
};

void evq_open(struct evq *q, struct arena *a, uint32_t max);
static inline void evq_reset(struct evq *q) { q->n = 0; q->sequence = 0; }

static inline struct instant event_at(const struct event *e)
{
    return (struct instant){ (int64_t)(e->key >> (EVQ_TIE_BITS + EVQ_SEQ_BITS)) };
}

/* must() when full or beyond the end of time. `tie` below 2^EVQ_TIE_BITS. */
void evq_push(struct evq *q, struct instant at, uint32_t tie, uint16_t kind, uint16_t target,
              uint32_t arg);
/* The event that evq_pop gives next; NULL when empty. */
static inline const struct event *evq_first(const struct evq *q)
{
    return q->n > 0 ? &q->heap[3] : NULL;
}
/* False when empty. */
bool evq_pop(struct evq *q, struct event *e);

#endif
