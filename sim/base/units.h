/* Time, identity and fences: the numbers that must not be mixed up.
 *
 * An instant is a moment of the world's virtual time; only the world, the
 * history and the oracle know it. A local is a reading of one party's own
 * monotonic clock; it drifts and is all that a protocol ever sees. Lengths of
 * time are plain int64_t and carry their unit in the name (`ttl_us`). */
#ifndef SIM_BASE_UNITS_H
#define SIM_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct instant { int64_t us; };
struct local   { int64_t us; };

#define US_PER_MS 1000
#define US_PER_S  1000000

/* protocol.md, "fence": larger wins, epoch first. A cleared local ledger is a
 * new incarnation; fences of two incarnations have no order and never match.
 * Generation 0 means "no fence". */
struct fence {
    uint32_t incarnation;
    uint32_t epoch;
    uint32_t generation;
};

static inline bool fence_is_none(struct fence f) { return f.generation == 0; }

static inline bool fence_equal(struct fence a, struct fence b)
{
    return a.incarnation == b.incarnation && a.epoch == b.epoch && a.generation == b.generation;
}

/* Strictly smaller within one incarnation; false across incarnations. */
static inline bool fence_less(struct fence a, struct fence b)
{
    if (a.incarnation != b.incarnation) return false;
    if (a.epoch != b.epoch) return a.epoch < b.epoch;
    return a.generation < b.generation;
}

/* Documents are numbered from 0 in the order of their creation in a round. */
#define PAGE_NONE   0xFFFFu
#define PAGE_SERVER 0xFFFEu /* the server's own worker, as owner or sender */
#define NODE_NONE   0xFFu
#define DEVICE_NONE 0xFFu
#define PARTITION_NONE 0xFFu
#define OBS_NONE    0xFFFFFFFFu

#endif
