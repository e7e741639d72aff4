/* Choices: every decision of the world that could have gone otherwise.
 *
 *   choose(c, STREAM_X, bound)    0 <= result < bound; 0 is the mildest
 *   chance(c, STREAM_X, n, d)     true n times of d; false is the mild side
 *
 * A round draws them from its seed, each stream from its own generator, and can
 * keep them on a tape; played from a tape, a round needs no seed. Past the end
 * of a tape every choice is the mildest. A round under way can be given fresh ones. */
#ifndef SIM_ENGINE_CHOICE_H
#define SIM_ENGINE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/engine/rng.h"

enum stream {
#define STREAM(kind, says) STREAM_##kind,
#include "sim/engine/stream.def"
#undef STREAM
    STREAM_COUNT
};

struct tape_entry { uint32_t value; uint32_t bound; };
struct tape {
    struct tape_entry *at[STREAM_COUNT];
    uint32_t n[STREAM_COUNT], max[STREAM_COUNT];
    bool full;
};

struct choices {
    struct rng rng[STREAM_COUNT];
    struct tape *record;        /* NULL: not recorded */
    const struct tape *replay;  /* NULL: drawn from the seed */
    uint32_t replay_at[STREAM_COUNT];
    bool diverged;              /* a replayed choice had another bound than on the tape */
};

void choices_reset(struct choices *c, uint64_t seed);
/* From here on they are drawn from `seed`, whatever they came from before. */
void choices_redraw(struct choices *c, uint64_t seed);
uint32_t choose_taped(struct choices *c, enum stream s, uint32_t bound);

static inline uint32_t choose(struct choices *c, enum stream s, uint32_t bound)
{
    if (c->record || c->replay) return choose_taped(c, s, bound);
    return (uint32_t)((uint64_t)rng_next(&c->rng[s]) * bound >> 32);
}

static inline bool chance(struct choices *c, enum stream s, uint32_t num, uint32_t den)
{
    return choose(c, s, den) >= den - num;
}

/* A length of time in [min, max]. */
static inline int64_t choose_us(struct choices *c, enum stream s, int64_t min_us, int64_t max_us)
{
    return min_us + (int64_t)choose(c, s, (uint32_t)(max_us - min_us) + 1);
}

#endif
