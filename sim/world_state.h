/* The state of a round as a whole: kept, returned to, and recognised.
 *
 *   world_save      copies what the round has made of the world so far
 *   world_restore   goes back to it, in the same world and the same round; the history up
 *                   to there has to be what it was
 *   world_fold      the canonical form: equal for states with the same futures */
#ifndef SIM_WORLD_STATE_H
#define SIM_WORLD_STATE_H

#include "sim/world.h"

struct fold;

/* How much a copy takes now; it grows with the pages, parcels and events of the round. */
size_t world_save_bytes(const struct world *w);
void world_save(const struct world *w, void *to);
void world_restore(struct world *w, const void *from);

/* A single ledger node and the server's ledger only: must(). */
void world_fold(const struct world *w, struct fold *f);

#endif
