/* A round's history: the ordered list of what was observable. The simulator
 * appends; the oracle reads; files carry it as JSON Lines (history_file.h).
 *
 * An observation is one cache line. Its number is its index; `cause` is the
 * number of the observation that led to it, or OBS_NONE. Which of the other
 * members a kind uses is said in history.def; the rest are zero (ids: *_NONE),
 * so that the digest over the raw bytes is well defined. */
#ifndef SIM_BASE_HISTORY_H
#define SIM_BASE_HISTORY_H

#include <stddef.h>

#include "sim/base/units.h"
#include "sim/base/words.h"

enum obs_kind {
#define OBS(kind, word, fields, says) OBS_##kind,
#include "sim/base/history.def"
#undef OBS
    OBS_COUNT
};

struct obs {
    struct instant at;
    uint32_t number;
    uint32_t cause;
    uint16_t kind; /* enum obs_kind */
    uint16_t page;
    uint8_t device, partition, node, flags;
    struct fence fence;
    uint32_t op, request, key, a, b, c, local;
};
_Static_assert(sizeof(struct obs) == 64, "the digest reads whole observations");

struct history {
    struct obs *at; /* owned by whoever set the history up */
    uint32_t n, max;
    bool full; /* an observation did not fit: the round proves nothing */
};

struct obs_info {
    const char *word, *fields, *says;
};
extern const struct obs_info obs_info[OBS_COUNT];

/* The kind that `word` names, or OBS_COUNT. */
enum obs_kind obs_find(const char *word);

/* An observation with every id unset. */
static inline struct obs obs_make(enum obs_kind kind, struct instant at, uint32_t cause)
{
    return (struct obs){ .at = at, .cause = cause, .kind = (uint16_t)kind, .page = PAGE_NONE,
                         .device = DEVICE_NONE, .partition = PARTITION_NONE, .node = NODE_NONE };
}

/* Appends `o`, numbers it, returns its number; OBS_NONE when full. */
static inline uint32_t history_add(struct history *h, const struct obs *o)
{
    if (h->n == h->max) {
        h->full = true;
        return OBS_NONE;
    }
    h->at[h->n] = *o;
    h->at[h->n].number = h->n;
    return h->n++;
}

/* 64-bit digest (XXH3) of all observations. Little-endian hosts only. */
uint64_t history_digest(const struct history *h);

#endif
