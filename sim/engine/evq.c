#include "sim/engine/evq.h"

#define ROOT 3u
#define PARENT(i) (((i) >> 2) + 2u)
#define FIRST_CHILD(i) (((i)-2u) << 2)

void evq_open(struct evq *q, struct arena *a, uint32_t max)
{
    *q = (struct evq){ .heap = arena_array(a, struct event, max + ROOT + 4), .max = max };
}

void evq_push(struct evq *q, struct instant at, uint32_t tie, uint16_t kind, uint16_t target,
              uint32_t arg)
{
    must(q->n < q->max);
    must(at.us >= 0);
    must(at.us <= EVQ_TIME_MAX_US);
    must(tie < 1u << EVQ_TIE_BITS);
    must(q->sequence < 1u << EVQ_SEQ_BITS);
    uint64_t key = (uint64_t)at.us << (EVQ_TIE_BITS + EVQ_SEQ_BITS) |
                   (uint64_t)tie << EVQ_SEQ_BITS | q->sequence++;
    uint32_t i = q->n++ + ROOT;
    struct event *h = q->heap;
    while (i > ROOT) {
        uint32_t up = PARENT(i);
        if (h[up].key < key) break;
        h[i] = h[up];
        i = up;
    }
    h[i] = (struct event){ key, kind, target, arg };
}

/* The smallest of up to four children that start at c; end is one past the last entry. */
static uint32_t least_child(const struct event *h, uint32_t c, uint32_t end)
{
    if (c + 4 <= end) { /* two rounds of a tournament: independent, no branch */
        uint32_t left = c + (h[c + 1].key < h[c].key);
        uint32_t right = c + 2 + (h[c + 3].key < h[c + 2].key);
        return h[right].key < h[left].key ? right : left;
    }
    uint32_t best = c;
    for (uint32_t k = c + 1; k < end; k++)
        if (h[k].key < h[best].key) best = k;
    return best;
}

bool evq_pop(struct evq *q, struct event *e)
{
    if (q->n == 0) return false;
    struct event *h = q->heap;
    *e = h[ROOT];
    q->n--;
    uint32_t end = q->n + ROOT;
    struct event moved = h[end];
    uint32_t i = ROOT;
    for (;;) {
        uint32_t c = FIRST_CHILD(i);
        if (c >= end) break;
        uint32_t best = least_child(h, c, end);
        if (moved.key < h[best].key) break;
        h[i] = h[best];
        i = best;
    }
    h[i] = moved;
    return true;
}
