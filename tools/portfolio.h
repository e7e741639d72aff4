/* How the rounds of a run are spent: which course (sim/course.h) each of them takes.
 *
 *   portfolio_open     for one worker, with the player that it plays with
 *   portfolio_round    scenario and course of round `index`
 *   portfolio_learn    what a round came to, so that it need not be played again
 *   portfolio_close
 *
 * A round's strategy is drawn by the suite's shares from the run's seed and the round's
 * index, its seed as without a portfolio. What sweeps and mutations depend on besides is
 * local to the block of 1,000 indices that the round is in:
 *
 *   A sweep round puts one fault of its scenario into a good round, of which each scenario
 *   has one a block, at the first observation of one of its abstract states.
 *
 *   The corpus of a mutation are the abstract states that one of the uniform rounds before
 *   it in its block has reached and no other, those of the first PORTFOLIO_HEAD indices at
 *   most. It forks that round where it reached the state first. The first
 *   PORTFOLIO_FIRST indices of a block have too little before them.
 *
 * So the course is a pure function of plan, seed and index. A worker that comes into the
 * middle of a block plays the head's rounds again first: PORTFOLIO_HEAD of 1,000 at most.
 * The course alone is enough to have the round again. */
#ifndef TOOLS_PORTFOLIO_H
#define TOOLS_PORTFOLIO_H

#include "sim/plan.h"
#include "tools/player.h"

#define PORTFOLIO_BLOCK 1000
#define PORTFOLIO_FIRST 10
#define PORTFOLIO_HEAD 50
#define PORTFOLIO_PLACES 512 /* of a good round; it reaches some 200 states */

struct portfolio_round { struct course course; uint32_t scenario; };

/* Where a state of the corpus was reached first. */
struct portfolio_entry { uint64_t index; uint32_t at, rounds; };
struct portfolio_good { uint64_t seed; uint32_t place[PORTFOLIO_PLACES], places; bool known; };

struct portfolio {
    const struct suite *suite;
    const struct contract *contract;
    uint64_t seed;
    struct player *player;
    uint64_t block;
    uint32_t learned;              /* indices of the block, PORTFOLIO_HEAD at most */
    struct portfolio_entry *entry; /* by abstract state */
    uint32_t *rare, rares;         /* states that one round has reached ... */
    uint32_t rare_of;              /* ... of so many indices */
    struct portfolio_good *good;   /* by scenario */
};

void portfolio_open(struct portfolio *p, const struct suite *suite, const struct contract *c,
                    uint64_t seed, struct player *player);
void portfolio_close(struct portfolio *p);

enum strategy portfolio_strategy(const struct suite *s, uint64_t seed, uint64_t index,
                                 uint32_t scenario);
/* May play rounds of its own on the player first. */
struct portfolio_round portfolio_round(struct portfolio *p, uint64_t index);
void portfolio_learn(struct portfolio *p, uint64_t index, const struct played *r);

#endif
