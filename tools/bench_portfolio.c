#include "tools/bench_portfolio.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/interrupt.h"
#include "tools/portfolio.h"

#define RESAMPLES 2000 /* of the bootstrap */

enum { DICE, PORTFOLIO, WAYS };

struct hunts {
    const struct bench_portfolio *asked;
    const struct hunt *hunt;
    uint32_t *rounds; /* [mutant][seed][way] */
    _Atomic uint32_t next;
};

static uint32_t *rounds_of(const struct hunts *x, uint32_t mutant, uint32_t seed, int way)
{
    return &x->rounds[(mutant * x->asked->seeds + seed) * WAYS + (uint32_t)way];
}

/* Rounds until the mutant's invariant fires. */
static uint32_t hunt_by(const struct suite *suite, const struct contract *c,
                        enum invariant_kind expected, uint64_t seed, struct player *player)
{
    struct portfolio p;
    uint32_t n = 0;
    bool caught = false;
    portfolio_open(&p, suite, c, seed, player);
    while (!caught && n < BENCH_PORTFOLIO_ROUNDS) {
        struct portfolio_round r = portfolio_round(&p, n);
        struct played x = player_course(player, suite->scenario, c, &r.course);
        portfolio_learn(&p, n++, &x);
        caught = played_broken(&x) >> expected & 1;
    }
    portfolio_close(&p);
    return n;
}

static void hunt_one(struct hunts *x, uint32_t mutant, uint32_t number, struct player *player)
{
    struct hunted *m = &x->hunt->at[mutant];
    struct suite suite = {
        .scenario = &m->mutant.scenario, .scenarios = 1, .parts = 1, .share_sum = 1
    };
    uint64_t seed = hunt_seed(m->mutant.name, x->hunt->seed, number);
    suite.part[0].share = 1;
    for (int way = 0; way < WAYS && !interrupted(); way++) {
        for (int k = 0; k < STRATEGY_COUNT; k++)
            suite.percent[k] = way == PORTFOLIO        ? x->asked->percent[k]
                               : k == STRATEGY_UNIFORM ? 100
                                                       : 0;
        *rounds_of(x, mutant, number, way) =
            hunt_by(&suite, x->hunt->contract, m->outcome.expected, seed, player);
    }
}

static void work(void *context, uint32_t worker)
{
    struct hunts *x = context;
    const uint32_t n = x->hunt->n * x->asked->seeds;
    struct player player;
    (void)worker;
    player_open(&player, x->hunt->tabs);
    for (uint32_t i; (i = atomic_fetch_add(&x->next, 1)) < n && !interrupted();)
        hunt_one(x, i / x->asked->seeds, i % x->asked->seeds, &player);
    player_close(&player);
}

/* -- figures -------------------------------------------------------------------------- */

static double mean(const struct hunts *x, uint32_t mutant, int way)
{
    double sum = 0;
    for (uint32_t i = 0; i < x->asked->seeds; i++) sum += *rounds_of(x, mutant, i, way);
    return sum / x->asked->seeds;
}

static int by_number(const void *a, const void *b)
{
    const double l = *(const double *)a, r = *(const double *)b;
    return (l > r) - (l < r);
}

static double median(const struct hunts *x, uint32_t mutant, int way)
{
    double *v = calloc(x->asked->seeds, sizeof *v);
    must(v != NULL);
    for (uint32_t i = 0; i < x->asked->seeds; i++) v[i] = *rounds_of(x, mutant, i, way);
    qsort(v, x->asked->seeds, sizeof *v, by_number);
    double middle = v[x->asked->seeds / 2];
    free(v);
    return middle;
}

/* Dice over portfolio, means of rounds: 95% of resampled seeds lie between. */
static void ratio_interval(const struct hunts *x, uint32_t mutant, double *low, double *high)
{
    double *v = calloc(RESAMPLES, sizeof *v);
    struct rng r;
    must(v != NULL);
    rng_seed(&r, x->hunt->seed, mutant);
    for (int k = 0; k < RESAMPLES; k++) {
        double sum[WAYS] = { 0 };
        for (uint32_t i = 0; i < x->asked->seeds; i++)
            for (int way = 0; way < WAYS; way++)
                sum[way] += *rounds_of(x, mutant, rng_next(&r) % x->asked->seeds, way);
        v[k] = sum[DICE] / sum[PORTFOLIO];
    }
    qsort(v, RESAMPLES, sizeof *v, by_number);
    *low = v[RESAMPLES / 40];
    *high = v[RESAMPLES - 1 - RESAMPLES / 40];
    free(v);
}

static bool show(const struct hunts *x, uint32_t mutant, FILE *f)
{
    double low, high, dice = mean(x, mutant, DICE), portfolio = mean(x, mutant, PORTFOLIO);
    ratio_interval(x, mutant, &low, &high);
    fprintf(f, "%-32s %8.1f %8.0f %10.1f %8.0f %7.2f  %.2f..%.2f\n",
            x->hunt->at[mutant].mutant.name, dice, median(x, mutant, DICE), portfolio,
            median(x, mutant, PORTFOLIO), dice / portfolio, low, high);
    return portfolio < dice;
}

/* The slowest by dice that has not been shown. */
static uint32_t slowest(const struct hunts *x, const bool *shown)
{
    uint32_t found = 0;
    double rounds = -1;
    for (uint32_t i = 0; i < x->hunt->n; i++) {
        if (shown[i] || mean(x, i, DICE) <= rounds) continue;
        rounds = mean(x, i, DICE);
        found = i;
    }
    return found;
}

static bool table(const struct hunts *x, FILE *f)
{
    bool shown[HUNT_MUTANTS_MAX] = { false }, ok = true;
    fprintf(f, "%-32s %17s %19s\n", "", "dice", "portfolio");
    fprintf(f, "%-32s %8s %8s %10s %8s %7s  %s\n", "rounds until caught", "mean", "median", "mean",
            "median", "ratio", "95% interval");
    for (uint32_t k = 0; k < x->asked->show && k < x->hunt->n; k++) {
        uint32_t i = slowest(x, shown);
        shown[i] = true;
        ok = show(x, i, f) && ok;
    }
    return ok;
}

bool bench_portfolio(const struct bench_portfolio *b, const struct hunt *h, FILE *f)
{
    struct hunts x = { .asked = b, .hunt = h };
    x.rounds = calloc((size_t)h->n * b->seeds * WAYS, sizeof *x.rounds);
    must(x.rounds != NULL);
    pool_run(h->jobs, work, &x);
    bool ok = !interrupted() && table(&x, f);
    free(x.rounds);
    return ok;
}
