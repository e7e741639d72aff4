/* The smallest round that still breaks the same invariant for the same reason.
 *
 *   shrink_start    plays the failing round: what is broken, and for which reason
 *   shrink_reduce   makes a schedule of the faults that really began, when and on whom; then
 *                   leaves out steps (ddmin), devices and tabs, and makes what is left mild,
 *                   short and round, again and again until nothing more can go
 *
 * Every candidate is played and judged by the oracle. It counts when it breaks the
 * invariant for the same reason and no invariant that the first round held: a shrunk
 * failure never slips into another one. Where the mildest choices will do, the result is
 * calm and needs no seed; else a candidate is tried with a few seeds and keeps the one
 * that failed. A budget of rounds bounds all of it. */
#ifndef TOOLS_SHRINK_H
#define TOOLS_SHRINK_H

#include "tools/player.h"

#define SHRINK_BUDGET 10000 /* rounds; some two seconds of small ones */

/* What a person takes in at once: the aim. */
#define SHRINK_TABS 3
#define SHRINK_OPERATIONS 1
#define SHRINK_FAULTS 3

struct shrink {
    struct player *player;
    const struct contract *contract;
    uint32_t budget, rounds; /* allowed and played */
    uint64_t events_max, events; /* the same for their events; 0: as many as it takes */
    uint32_t limit;          /* for the way that is tried; at most the budget */
    uint32_t seeds;          /* tried for a candidate that is not calm */
    enum invariant_kind invariant;
    const char *reason;      /* of the oracle; static */
    uint32_t broken;         /* by the first round, a bit each */
    const struct scenario *drawn; /* as it was given */
    struct course course;    /* how the seed of the first round is spent; set before the start */
    struct scenario best;
    uint64_t seed;           /* of the best; says nothing where it is calm */
    uint64_t from;           /* the round that became a schedule: the one asked for, or another */
    bool scheduled;          /* the faults are steps; else they are still drawn */
    bool adds_faults;        /* that do what chance did, where that saves the seed */
};

enum shrink_outcome {
    SHRINK_OK,
    SHRINK_HOLDS,   /* the round breaks nothing, or not the invariant that was asked for */
    SHRINK_LIMIT    /* it was cut short before anything broke: it proves nothing */
};

/* `invariant` INV_COUNT: the first that the round breaks. */
enum shrink_outcome shrink_start(struct shrink *s, const struct scenario *scenario, uint64_t seed,
                                 enum invariant_kind invariant);
void shrink_reduce(struct shrink *s);
/* Kinds of faults of a result, a bit each. */
uint64_t shrink_kinds(const struct scenario *s);

struct shrink_size { uint32_t tabs, operations, faults; };
struct shrink_size shrink_size(const struct scenario *s);
bool shrink_budget_is_spent(const struct shrink *s);

#endif
