#include "oracle/spending.h"

#include <math.h>

#include "sim/base/must.h"

/* 1, 2, 5, 10, 20, … */
static uint64_t next_point(uint64_t rounds)
{
    uint64_t unit = 1;
    while (unit * 10 <= rounds) unit *= 10;
    return rounds == unit ? 2 * unit : rounds == 2 * unit ? 5 * unit : 10 * unit;
}

/* Rounds may be missing in an interrupted run: the curve is over the indices. */
static uint64_t last_index(const struct tally *t)
{
    uint64_t last = t->rounds;
    for (uint32_t i = 0; i < ABSTRACT_STATES; i++)
        if (t->first[i] > last) last = t->first[i];
    return last;
}

uint32_t spending_curve(const struct tally *t, struct curve_point curve[CURVE_MAX])
{
    uint32_t n = 0;
    uint64_t last = last_index(t);
    for (uint64_t at = 1; at < last; at = next_point(at)) {
        must(n < CURVE_MAX - 1);
        curve[n++] = (struct curve_point){ at, tally_states(t, at) };
    }
    if (last > 0) curve[n++] = (struct curve_point){ last, tally_states(t, last) };
    return n;
}

bool spending_pct(const struct tally *t, int depth, struct pct_bound *b)
{
    must(depth == 2 || depth == 3);
    uint64_t pct = t->strategy_rounds[STRATEGY_PCT2] + t->strategy_rounds[STRATEGY_PCT3];
    *b = (struct pct_bound){ .rounds =
                                 t->strategy_rounds[depth == 2 ? STRATEGY_PCT2 : STRATEGY_PCT3] };
    if (b->rounds == 0 || t->pct_links == 0 || t->pct_steps == 0) return false;
    b->n = (double)t->pct_links / (double)pct;
    b->k = (double)t->pct_steps / (double)pct;
    b->hit = 1 / (b->n * pow(b->k, depth - 1));
    if (b->hit > 1) b->hit = 1;
    b->missed = pow(1 - b->hit, (double)b->rounds);
    return true;
}
