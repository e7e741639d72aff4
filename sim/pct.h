/* Probabilistic concurrency testing in virtual time: S. Burckhardt, P. Kothari, M. Musuvathi,
 * S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs",
 * ASPLOS 2010.
 *
 * Their scheduler runs the enabled thread with the highest priority; n priorities are drawn,
 * and at d-1 of the k steps, drawn too, the running thread gets the lowest. Here the threads
 * are the links between pages and servers, each way, since what they carry can overtake
 * each other; a step is a message on one of them. A page has one connection, or, in every
 * second round, another one for what is about its lease. Priority is speed: a link's
 * messages all take the time that stands at the link's drawn rank in the network's own
 * table of latencies, so that of two messages sent together the better link's arrives first.
 * A message at a change point waits as long as the network ever lets one wait (its slow
 * tail), and its link has the lowest rank from then on. No delay leaves what the network's
 * tables allow: what breaks under it breaks under dice too, only rarer.
 *
 * Renewals, submissions and pushes are no steps: they keep their link's priority, but a
 * change point there would waste it. After the healing all latencies are drawn again, since
 * progress is demanded of networks that work.
 *
 *   pct_reset    0 changes: off, every latency is drawn
 *   pct_plan     draws the change points, once the length of the round is known
 *   pct_rank     rank of a message's link; *change: it stands at a change point */
#ifndef SIM_PCT_H
#define SIM_PCT_H

#include "sim/engine/choice.h"

#define PCT_CHANGES_MAX 2 /* bugs of depth 2 and 3 */
#define PCT_LOWEST 65535u

struct pct {
    uint32_t changes;             /* d-1; 0: off */
    uint32_t at[PCT_CHANGES_MAX]; /* steps, from 1 */
    bool apart;                   /* a page has a connection of its own for its lease */
    uint32_t planned;             /* about how many steps the round will have */
    uint32_t steps, links;        /* so far: k and n of this round */
    uint32_t *rank;               /* 1 + rank of each link, 0: not drawn yet */
    uint32_t links_max;
};

void pct_reset(struct pct *p, uint32_t changes);
/* Change points among the first `steps` from here on. */
void pct_plan(struct pct *p, struct choices *c, uint32_t steps);
uint32_t pct_rank(struct pct *p, struct choices *c, uint32_t link, bool is_step, bool *change);

#endif
