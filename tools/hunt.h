/* Deliberate mistakes, and whether the oracle sees them.
 *
 *   hunt_load     every mutant of a folder, in the order of the file names
 *   hunt_run      plays each until the invariant that its file names has fired, or its
 *                 budget of rounds is spent; mutants in parallel, a mutant in one thread
 *   hunt_canary   a scenario in which everything is broken at once: which invariants fire
 *
 * Round i of a mutant has the seed mix(hash of its name ^ seed, i), so a mutant's rounds
 * depend on no other mutant. */
#ifndef TOOLS_HUNT_H
#define TOOLS_HUNT_H

#include <stdatomic.h>

#include "oracle/gate.h"
#include "tools/inputs.h"
#include "tools/player.h"

#define HUNT_MUTANTS_MAX 256
#define HUNT_CANARY_ROUNDS 40    /* usually the first one does */
#define HUNT_CANARY_INVARIANTS 3 /* different ones that have to fire */

struct hunted {
    struct mutant mutant;
    struct mutant_outcome outcome;
    uint64_t first[INV_COUNT]; /* rounds until each invariant fired; 0: it did not */
    bool unfinished;           /* interrupted */
};

struct hunt {
    struct hunted *at; uint32_t n;
    const struct contract *contract;
    uint64_t seed;
    uint32_t tabs, jobs;
    _Atomic uint32_t next, done;
};

/* `only` may be NULL, or the name of one mutant. False after lines on `err`. */
bool hunt_load(struct hunt *h, const char *folder, const char *only, const struct overrides *o,
               FILE *err);
void hunt_free(struct hunt *h);
void hunt_run(struct hunt *h, enum progress_mode progress);
/* Outcomes as the gate takes them; `out` has room for h->n. */
void hunt_outcomes(const struct hunt *h, struct mutant_outcome *out);
uint32_t hunt_escaped(const struct hunt *h);
/* The seed of a mutant's round, `round` from 0. */
uint64_t hunt_seed(const char *mutant, uint64_t seed, uint64_t round);

/* Bit set of invariants that broke; stops when there are enough. */
uint32_t hunt_canary(const struct scenario *s, const struct contract *c, uint64_t seed);
bool hunt_canary_is_red(uint32_t broken);

#endif
