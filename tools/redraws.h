/* Many rests of one round: it is played once, event by event, and gone back in for every re-draw
 * (struct redraw in sim/run.h), instead of being played again from its start.
 *
 *   redraws_open    the round, before its first event
 *   redraws_to      on to before an event; never back
 *   redraws_breaks  whether the rest under the choices of a seed breaks the invariant
 *   redraws_close
 *
 * A re-draw ends where the invariant breaks, or with its round; nothing else is judged in it. */
#ifndef TOOLS_REDRAWS_H
#define TOOLS_REDRAWS_H

#include "tools/player.h"
#include "tools/saved.h"

struct redraws {
    struct player player;
    struct contract bent;
    enum invariant_kind invariant;
    struct saved saved;     /* the world before the event */
    bool reached, left;     /* the round has the event; the world has gone on from there */
    struct instant at;      /* time of the event; of the round's last behind it */
    uint32_t seen;          /* observations of the round before it */
    uint64_t events;        /* handled, all together */
};

/* `s` and `c` are kept, `c` is the contract before the scenario bends it. */
void redraws_open(struct redraws *r, uint32_t tabs, const struct scenario *s,
                  const struct contract *c, uint64_t seed, enum invariant_kind invariant);
void redraws_close(struct redraws *r);

/* `before` is a number of an event, from 1; not smaller than in the call before. */
void redraws_to(struct redraws *r, uint64_t before);
/* Behind the last event there is nothing to draw: the round itself is judged. */
bool redraws_breaks(struct redraws *r, uint64_t seed);

#endif
