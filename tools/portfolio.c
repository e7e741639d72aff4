#include "tools/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/inputs.h"

/* What is drawn from (seed, number), apart from the seeds of the rounds. */
enum purpose { FOR_STRATEGY = 1, FOR_GOOD, FOR_SWEEP, FOR_MUTATION };

static struct rng dice(uint64_t seed, enum purpose purpose, uint64_t number)
{
    struct rng r;
    rng_seed(&r, rng_mix(seed, number), UINT64_C(1000) + purpose);
    return r;
}

static uint32_t below(struct rng *r, uint32_t bound)
{
    return (uint32_t)((uint64_t)rng_next(r) * bound >> 32);
}

static uint64_t word(struct rng *r)
{
    uint64_t high = rng_next(r);
    return high << 32 | rng_next(r);
}

static void *memory(size_t n, size_t size)
{
    void *p = calloc(n, size);
    must(p != NULL);
    return p;
}

static void begin_block(struct portfolio *p, uint64_t block)
{
    p->block = block;
    p->learned = p->rares = p->rare_of = 0;
    for (uint32_t i = 0; i < ABSTRACT_STATES; i++) p->entry[i].rounds = 0;
    for (uint32_t i = 0; i < p->suite->scenarios; i++) p->good[i].known = false;
}

void portfolio_open(struct portfolio *p, const struct suite *suite, const struct contract *c,
                    uint64_t seed, struct player *player)
{
    *p = (struct portfolio){ .suite = suite, .contract = c, .seed = seed, .player = player };
    p->entry = memory(ABSTRACT_STATES, sizeof *p->entry);
    p->rare = memory(ABSTRACT_STATES, sizeof *p->rare);
    p->good = memory(suite->scenarios, sizeof *p->good);
    begin_block(p, 0);
}

void portfolio_close(struct portfolio *p)
{
    free(p->entry);
    free(p->rare);
    free(p->good);
}

/* -- strategies ------------------------------------------------------------------- */

/* A fault of every round is one of the others here. */
static uint32_t weight_of(const struct fault_plan *f)
{
    return f->weight > 0 ? f->weight : f->always;
}

static uint32_t fault_sum(const struct scenario *s)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->faults; i++) sum += weight_of(&s->fault[i]);
    return sum;
}

enum strategy portfolio_strategy(const struct suite *s, uint64_t seed, uint64_t index,
                                 uint32_t scenario)
{
    struct rng r = dice(seed, FOR_STRATEGY, index);
    uint32_t pick = below(&r, 100);
    int k = 0;
    while (pick >= s->percent[k]) pick -= s->percent[k++];
    if (k == STRATEGY_MUTATION && index % PORTFOLIO_BLOCK < PORTFOLIO_FIRST) k = STRATEGY_UNIFORM;
    if (k == STRATEGY_SWEEP && fault_sum(&s->scenario[scenario]) == 0) k = STRATEGY_UNIFORM;
    return (enum strategy)k;
}

static struct course course_of(enum strategy k, uint64_t seed, uint64_t index)
{
    return (struct course){ .strategy = k, .seed = rng_mix(seed, index) };
}

/* The end of the first phase: nothing is placed behind it. */
static uint32_t healed_at(const struct history *h)
{
    uint32_t n = h->n;
    while (n > 0 && h->at[n - 1].kind != OBS_ROUND_HEALED) n--;
    return n;
}

/* -- the corpus of a block ----------------------------------------------------------- */

static void learn(struct portfolio *p, uint64_t index, const struct played *r)
{
    uint32_t healed = healed_at(r->history);
    for (uint32_t i = 0; i < r->result->states; i++) {
        const struct state_reached *x = &r->result->state[i];
        struct portfolio_entry *e = &p->entry[x->state];
        if (x->at >= healed) break;
        if (e->rounds++ == 0) e->index = index, e->at = x->at;
    }
}

void portfolio_learn(struct portfolio *p, uint64_t index, const struct played *r)
{
    uint64_t block = index / PORTFOLIO_BLOCK, at = index % PORTFOLIO_BLOCK;
    if (at == 0 && block != p->block) begin_block(p, block);
    if (block != p->block || at != p->learned || at >= PORTFOLIO_HEAD) return;
    p->learned++;
    uint32_t scenario = inputs_scenario(p->suite, index);
    if (portfolio_strategy(p->suite, p->seed, index, scenario) == STRATEGY_UNIFORM)
        learn(p, index, r);
}

/* Plays what is not learned yet of the block's first `n` indices. */
static void learn_head(struct portfolio *p, uint32_t n)
{
    if (p->learned > n) begin_block(p, p->block); /* somebody goes back */
    for (; p->learned < n; p->learned++) {
        uint64_t index = p->block * PORTFOLIO_BLOCK + p->learned;
        uint32_t s = inputs_scenario(p->suite, index);
        enum strategy k = portfolio_strategy(p->suite, p->seed, index, s);
        if (k != STRATEGY_UNIFORM) continue;
        struct played r =
            player_round(p->player, &p->suite->scenario[s], p->contract, rng_mix(p->seed, index));
        learn(p, index, &r);
    }
    if (p->rare_of == n) return;
    p->rare_of = n;
    p->rares = 0;
    for (uint32_t i = 0; i < ABSTRACT_STATES; i++)
        if (p->entry[i].rounds == 1) p->rare[p->rares++] = i;
}

static struct portfolio_round mutation(struct portfolio *p, uint64_t index)
{
    const uint64_t at = index % PORTFOLIO_BLOCK;
    struct rng r = dice(p->seed, FOR_MUTATION, index);
    learn_head(p, at < PORTFOLIO_HEAD ? (uint32_t)at : PORTFOLIO_HEAD);
    if (p->rares == 0) { /* no round before it is uniform */
        uint32_t s = inputs_scenario(p->suite, index);
        return (struct portfolio_round){ course_of(STRATEGY_UNIFORM, p->seed, index), s };
    }
    const struct portfolio_entry *e = &p->entry[p->rare[below(&r, p->rares)]];
    struct course c = course_of(STRATEGY_MUTATION, p->seed, e->index);
    c.fork = (struct fork){ .after = e->at, .seed = word(&r) };
    return (struct portfolio_round){ c, inputs_scenario(p->suite, e->index) };
}

/* -- sweeps ------------------------------------------------------------------------- */

static const struct portfolio_good *good_round(struct portfolio *p, uint32_t scenario)
{
    struct portfolio_good *g = &p->good[scenario];
    if (g->known) return g;
    const struct scenario calm = scenario_without_faults(&p->suite->scenario[scenario]);
    struct rng r = dice(p->seed, FOR_GOOD, p->block * SUITE_MAX + scenario);
    *g = (struct portfolio_good){ .seed = word(&r), .known = true };
    struct played x = player_round(p->player, &calm, p->contract, g->seed);
    uint32_t healed = healed_at(x.history);
    for (uint32_t i = 0; i < x.result->states && g->places < PORTFOLIO_PLACES; i++)
        if (x.result->state[i].at < healed) g->place[g->places++] = x.result->state[i].at;
    return g;
}

/* Most are short, a few as long as the scenario allows. */
static int64_t lasting(struct rng *r, const struct fault_plan *f)
{
    uint64_t u = below(r, 65536), cube = u * u / 65536 * u / 65536;
    return f->lasts.min_us +
           (int64_t)((uint64_t)(f->lasts.max_us - f->lasts.min_us) * cube / 65536);
}

static struct portfolio_round sweep(struct portfolio *p, uint64_t index, uint32_t scenario)
{
    const struct scenario *s = &p->suite->scenario[scenario];
    const struct portfolio_good *g = good_round(p, scenario);
    struct rng r = dice(p->seed, FOR_SWEEP, index);
    uint32_t pick = below(&r, fault_sum(s)), i = 0;
    while (pick >= weight_of(&s->fault[i])) pick -= weight_of(&s->fault[i++]);
    struct course c = { .strategy = STRATEGY_SWEEP, .seed = g->seed, .fault = s->fault[i].kind };
    c.lasts_us = lasting(&r, &s->fault[i]);
    c.fork = (struct fork){ .after = g->place[below(&r, g->places)], .seed = word(&r) };
    return (struct portfolio_round){ c, scenario };
}

struct portfolio_round portfolio_round(struct portfolio *p, uint64_t index)
{
    uint64_t block = index / PORTFOLIO_BLOCK;
    uint32_t scenario = inputs_scenario(p->suite, index);
    enum strategy k = portfolio_strategy(p->suite, p->seed, index, scenario);
    if (block != p->block) begin_block(p, block);
    if (k == STRATEGY_MUTATION) return mutation(p, index);
    if (k == STRATEGY_SWEEP) return sweep(p, index, scenario);
    return (struct portfolio_round){ course_of(k, p->seed, index), scenario };
}
