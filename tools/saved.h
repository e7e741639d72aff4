/* A copy of a world to go back to, in memory that grows as it must.
 *
 *   saved_take    keeps the world as it is; it replaces what was kept
 *   saved_free    zeroed memory is a copy of nothing
 *
 * Back with world_restore(w, s->bytes), see sim/world_state.h. */
#ifndef TOOLS_SAVED_H
#define TOOLS_SAVED_H

#include <stdlib.h>

#include "sim/base/must.h"
#include "sim/world_state.h"

struct saved {
    void *bytes;
    size_t max;
};

static inline void saved_take(struct saved *s, const struct world *w)
{
    size_t bytes = world_save_bytes(w);
    if (bytes > s->max) {
        free(s->bytes);
        s->max = bytes * 2;
        s->bytes = malloc(s->max);
        must(s->bytes != NULL);
    }
    world_save(w, s->bytes);
}

static inline void saved_free(struct saved *s)
{
    free(s->bytes);
    *s = (struct saved){ 0 };
}

#endif
