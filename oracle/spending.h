/* How the rounds of a run were spent, beside what they found.
 *
 *   spending_curve    distinct abstract states after 1, 2, 5, 10, … rounds: a curve that has
 *                     become flat says that more rounds of the same kind show little new
 *   spending_pct      what PCT's bound says about bugs of depth d at this number of rounds
 *
 * A round with n links, k messages that can be change points, and d-1 change points meets a
 * given order of d messages with a probability of at least 1/(n k^(d-1)) (ASPLOS 2010). n and k
 * are the means that were measured. The bound is about the order of messages alone: it says
 * nothing about a bug that needs a fault which the round did not have. */
#ifndef ORACLE_SPENDING_H
#define ORACLE_SPENDING_H

#include "oracle/tally.h"

#define CURVE_MAX 48 /* three points for each power of ten, and the end */
struct curve_point { uint64_t rounds; uint32_t states; };

/* Points, in order; the last one is the whole run. */
uint32_t spending_curve(const struct tally *t, struct curve_point curve[CURVE_MAX]);

struct pct_bound {
    uint64_t rounds; /* with this depth */
    double n, k;     /* means over all rounds of PCT */
    double hit;      /* in one round, at least */
    double missed;   /* in all of them, at most */
};
/* Depth 2 or 3. False when no round was spent so. */
bool spending_pct(const struct tally *t, int depth, struct pct_bound *b);

#endif
