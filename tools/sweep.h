/* One fault at every place of one round, in each of a few lengths, or two at many pairs of places.
 *
 *   sweep_open     plays the round without any fault, which has to be good, and lays out
 *                  the placements; false (and nothing is held) when memory is short
 *   sweep_run      plays and judges them all, in parallel
 *   sweep_sums     the table: phase of the leader x outcome
 *   sweep_groups   what broke, by invariant and phase, each with its first placement
 *   sweep_close
 *
 * A place is an event of the first phase: the fault begins just before it. The round is
 * the scenario without its own faults (scenario_without_faults) under the sweep's seed, so nothing
 * but the place differs between placements, and what comes out depends on no order of
 * work. The phase is the world's own view (world_phase) when the fault, or the first of
 * two, begins.
 *
 * Pairs: all of them when the budget allows, else `budget` of them, spread evenly over
 * the square of places by an additive recurrence from a start that the seed draws; a
 * larger budget goes on where a smaller one ends. */
#ifndef TOOLS_SWEEP_H
#define TOOLS_SWEEP_H

#include <stdatomic.h>

#include "tools/inputs.h"
#include "tools/placement.h"
#include "tools/player.h"

/* What became of a placement; the first that applies. */
enum sweep_outcome {
    SWEEP_NOT_PLAYED, /* interrupted */
    SWEEP_BROKEN,
    SWEEP_UNKNOWN,    /* a limit was hit */
    SWEEP_NO_TARGET,  /* nobody to act on (of two faults: for one of them) */
    SWEEP_NO_EFFECT,  /* begun, and nothing that was observed follows from it; held */
    SWEEP_HELD,
    SWEEP_OUTCOMES
};
extern const char *const sweep_outcome_word[SWEEP_OUTCOMES];

struct sweep_placement {
    uint32_t before[2]; /* events; [1] is 0 with one fault */
    uint8_t kind[2];    /* which of the sweep's `fault` */
    uint8_t outcome, phase;
    uint32_t broken; /* invariants, a bit each */
    int64_t failover_us; /* the longest, -1: none */
    uint64_t digest;
};

struct sweep {
    struct scenario calm;
    const struct contract *contract;
    uint64_t seed;
    /* kinds and lengths: of one fault a round each length, of two the two */
    struct injection fault[PLACEMENT_LENGTHS_MAX];
    uint32_t faults, lengths, tabs, jobs;
    /* of the round without a fault: */
    uint32_t good_broken; /* invariants, a bit each: it is not good */
    bool good_proves;     /* somebody led, no limit was hit */
    uint64_t events;      /* of its first phase */
    int64_t good_failover_us;
    struct sweep_placement *at; uint32_t n;
    _Atomic uint32_t next, done;
};

struct sweep_row {
    uint64_t placements, outcome[SWEEP_OUTCOMES], broken[INV_COUNT];
    int64_t failover_us;
    uint32_t longest; /* placement of that failover */
};
struct sweep_sums {
    struct sweep_row phase[PHASE_COUNT], all;
    uint64_t digest; /* of all rounds, whatever their order */
};

struct sweep_group {
    enum invariant_kind invariant;
    enum leader_phase phase;
    uint64_t placements;
    uint32_t first;
};
#define SWEEP_GROUPS_MAX (INV_COUNT * PHASE_COUNT)

/* `faults` a round: 1, then `fault` has it in each of its `lengths`; or 2, each of one length,
 * with a budget of at most SWEEP_BUDGET_MAX. */
#define SWEEP_BUDGET_MAX 10000000
bool sweep_open(struct sweep *s, const struct inputs *in, const struct injection *fault,
                uint32_t faults, uint32_t lengths, uint32_t budget, uint32_t jobs);
void sweep_run(struct sweep *s, enum progress_mode progress);
void sweep_close(struct sweep *s);

void sweep_sums(const struct sweep *s, struct sweep_sums *out);
/* By invariant, then phase; returns how many. */
uint32_t sweep_groups(const struct sweep *s, struct sweep_group out[SWEEP_GROUPS_MAX]);
/* The placement's faults as run_round_with takes them; returns how many. */
uint32_t sweep_injections(const struct sweep *s, const struct sweep_placement *p,
                          struct injection x[2]);

#endif
