/* The state of a round as a whole: kept, returned to, and recognised.
 *
 *   world_save      copies what the round has made of the world so far
 *   world_restore   goes back to it, in the same world and the same round; the history up
 *                   to there has to be what it was
 *   world_fold      the canonical form: equal for states with the same futures
 *   world_event_is_void   nothing comes of this event */
#ifndef SIM_WORLD_STATE_H
#define SIM_WORLD_STATE_H

#include "sim/world.h"

struct fold;

/* How much a copy takes now; it grows with the pages, parcels and events of the round. */
size_t world_save_bytes(const struct world *w);
void world_save(const struct world *w, void *to);
void world_restore(struct world *w, const void *from);

/* A timer that was armed again or put off, something for a document that is gone, the round's
 * own end. The canonical form does not have such events. */
bool world_event_is_void(const struct world *w, const struct event *e);

/* Times are seen from w->now: the caller puts it to the time of the next event that is not void,
 * before which nothing looks at a clock. A single ledger node and the server's ledger
 * only: must(). */
void world_fold(const struct world *w, struct fold *f);

#endif
