/* A copy of the world is its struct and the used part of each of its tables, one after the other.
 * What only ever grows in a round, the history and the numbers of requests, is cut back by
 * its length, which the struct has. */
#include "sim/world_state.h"

#include <string.h>

enum way { SIZE, SAVE, RESTORE };

/* One table, `bytes` long now (SIZE, SAVE) or when it was saved (RESTORE). */
static size_t part(enum way way, void *in_world, size_t bytes, unsigned char *copy, size_t at)
{
    if (way == SAVE) memcpy(copy + at, in_world, bytes);
    if (way == RESTORE) memcpy(in_world, copy + at, bytes);
    return at + bytes;
}

static size_t walk(enum way way, struct world *w, unsigned char *copy)
{
    size_t at = part(way, w, sizeof *w, copy, 0);
    at = part(way, w->page, w->pages * sizeof w->page[0], copy, at);
    at = part(way, w->tab, w->tabs * sizeof w->tab[0], copy, at);
    at = part(way, w->parcel, w->parcels_fresh * sizeof w->parcel[0], copy, at);
    at = part(way, w->queue.heap, (w->queue.n + 3) * sizeof w->queue.heap[0], copy, at);
    at = part(way, w->auth.token, (w->auth.n + 1) * sizeof w->auth.token[0], copy, at);
    at =
        part(way, w->feed.subscription, (w->feed.n + 1) * sizeof w->feed.subscription[0], copy, at);
    if (w->nodes > 1) {
        size_t n = w->node_messages_max;
        at = part(way, w->node_message, n * sizeof w->node_message[0], copy, at);
        at = part(way, w->node_message_next, n * sizeof w->node_message_next[0], copy, at);
    }
    for (uint32_t d = 0; d < w->devices; d++) {
        size_t bytes = lockmgr_bytes(w->lockmgr[d]);
        if (way == SAVE) lockmgr_save(w->lockmgr[d], copy + at);
        if (way == RESTORE) lockmgr_restore(w->lockmgr[d], copy + at);
        at += bytes;
    }
    return at;
}

size_t world_save_bytes(const struct world *w)
{
    return walk(SIZE, (struct world *)w, NULL);
}

void world_save(const struct world *w, void *to)
{
    (void)walk(SAVE, (struct world *)w, to);
}

void world_restore(struct world *w, const void *from)
{
    (void)walk(RESTORE, w, (unsigned char *)from);
}
