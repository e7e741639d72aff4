/* tabquake bench --portfolio: does the suite's portfolio find rare mistakes in fewer rounds
 * than dice alone?
 *
 * Every mutant is hunted from many seeds, twice: all rounds uniform, and by the suite's
 * shares. The slowest by dice are shown: rounds until the mutant's own invariant fires. */
#ifndef TOOLS_BENCH_PORTFOLIO_H
#define TOOLS_BENCH_PORTFOLIO_H

#include "tools/hunt.h"

#define BENCH_PORTFOLIO_ROUNDS 5000 /* of one hunt at most; one that runs out counts so many */

struct bench_portfolio {
    uint32_t seeds, show;
    uint32_t percent[STRATEGY_COUNT];
};

/* False when a hunt ran out of rounds, or dice were as quick as the portfolio on a shown one. */
bool bench_portfolio(const struct bench_portfolio *b, const struct hunt *h, FILE *f);

#endif
