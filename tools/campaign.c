#include "tools/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "tools/clock.h"
#include "tools/interrupt.h"

#define BATCH_BLOCKS 64 /* of a worker between two hand-overs */
#define HAND_OVER_SECONDS 1.0
#define TICK_MS 200

struct worker {
    struct campaign *campaign;
    uint16_t number;
    struct player player;
    struct portfolio portfolio;
    struct sums *sums; /* since the last hand-over */
    struct store_block block[BATCH_BLOCKS];
    uint32_t blocks;
    double handed_over;
};

/* -- what the rounds are ------------------------------------------------------------- */

uint32_t campaign_block_rounds(uint64_t rounds)
{
    uint64_t n = rounds / 64;
    if (n < CAMPAIGN_BLOCK_MIN) return CAMPAIGN_BLOCK_MIN;
    return n > CAMPAIGN_BLOCK_MAX ? CAMPAIGN_BLOCK_MAX : (uint32_t)n;
}

static uint64_t blocks_of(const struct campaign *c)
{
    return (c->rounds + c->block_rounds - 1) / c->block_rounds;
}

static uint32_t rounds_of_block(const struct campaign *c, uint64_t block)
{
    uint64_t left = c->rounds - block * c->block_rounds;
    return left < c->block_rounds ? (uint32_t)left : c->block_rounds;
}

uint64_t campaign_samples(uint64_t rounds)
{
    uint64_t n = rounds / 100 > 200 ? rounds / 100 : 200;
    return n < rounds ? n : rounds;
}

static uint64_t sample_index(const struct campaign *c, uint64_t k)
{
    return c->first + k * c->mine / c->samples;
}

/* The sample that round `index` is, or NULL. Reads nothing that workers write. */
static struct campaign_sample *sample_of(const struct campaign *c, uint64_t index)
{
    uint64_t k = ((index - c->first) * c->samples + c->mine - 1) / c->mine;
    return k < c->samples && sample_index(c, k) == index ? &c->sample[k] : NULL;
}

static void *memory(size_t n, size_t size)
{
    void *p = calloc(n, size);
    must(p != NULL);
    return p;
}

static void choose_samples(struct campaign *c)
{
    free(c->sample);
    c->samples = campaign_samples(c->mine);
    c->sample = memory(c->samples ? c->samples : 1, sizeof *c->sample);
    for (uint64_t k = 0; k < c->samples; k++)
        c->sample[k] =
            (struct campaign_sample){ .index = sample_index(c, k), .worker = CAMPAIGN_NOBODY };
}

void campaign_open(struct campaign *c, const struct inputs *in, uint64_t rounds, uint32_t jobs)
{
    memset(c, 0, sizeof *c);
    c->in = in;
    c->rounds = rounds;
    c->jobs = jobs;
    c->shard = (struct shard){ .number = 1, .of = 1 };
    c->mine = rounds;
    c->block_rounds = campaign_block_rounds(rounds);
    choose_samples(c);
    c->block_done = memory(blocks_of(c), sizeof *c->block_done);
    c->sums = memory(1, sizeof *c->sums);
    c->lists = memory(1, sizeof *c->lists);
    sums_open(c->sums, &in->suite);
    must(pthread_mutex_init(&c->lock, NULL) == 0);
}

void campaign_close(struct campaign *c)
{
    pthread_mutex_destroy(&c->lock);
    free(c->lists);
    free(c->sums);
    free(c->block_done);
    free(c->sample);
}

/* Others play the blocks before and behind; where there are fewer blocks than shards, some
 * have none. */
void campaign_shard(struct campaign *c, struct shard s)
{
    uint64_t n = blocks_of(c), first = n * (s.number - 1) / s.of, last = n * s.number / s.of;
    must(s.number >= 1);
    must(s.number <= s.of);
    c->shard = s;
    c->first = first * c->block_rounds;
    c->mine = (last * c->block_rounds < c->rounds ? last * c->block_rounds : c->rounds);
    c->mine = c->mine > c->first ? c->mine - c->first : 0;
    for (uint64_t i = 0; i < n; i++) c->block_done[i] = i < first || i >= last;
    choose_samples(c);
}

/* The store has refused runs with another plan, seed, or block size before this. */
void campaign_resume(struct campaign *c, const struct stored_run *stored)
{
    sums_merge_report(c->sums, &stored->report);
    for (uint32_t i = 0; i < stored->blocks; i++) {
        const struct store_block *b = &stored->block[i];
        uint64_t number = b->first / c->block_rounds;
        if (number >= blocks_of(c) || b->first % c->block_rounds != 0) continue;
        c->block_done[number] = true;
        c->resumed += b->rounds;
    }
    atomic_store(&c->done, c->resumed);
}

/* -- a worker -------------------------------------------------------------------------- */

static struct store_batch batch_of(struct worker *w, const struct sums_lists *lists)
{
    return (struct store_batch){
        .delta = &w->sums->tally,
        .block = w->block,
        .blocks = w->blocks,
        .scenario = w->sums->scenario,
        .scenarios = w->sums->scenarios,
        .failure = lists->failure,
        .failures = lists->failures,
        .noted = lists->noted,
        .noted_n = lists->noted_n,
    };
}

static void hand_over(struct worker *w)
{
    struct campaign *c = w->campaign;
    if (w->blocks == 0) return;
    pthread_mutex_lock(&c->lock);
    sums_merge(c->sums, w->sums);
    c->events += w->sums->tally.events;
    c->virtual_us += w->sums->virtual_us;
    sums_list(w->sums, c->lists);
    struct store_batch batch = batch_of(w, c->lists);
    if (c->store && !c->store_failed) c->store_failed = !store_add(c->store, &batch);
    pthread_mutex_unlock(&c->lock);
    sums_clear(w->sums);
    w->blocks = 0;
    w->handed_over = clock_seconds();
}

static void play(struct worker *w, uint64_t index)
{
    struct campaign *c = w->campaign;
    const struct portfolio_round x = portfolio_round(&w->portfolio, index);
    struct sums_round round = { index, x.scenario, x.course };
    struct played played = player_course(&w->player, &c->in->suite.scenario[x.scenario],
                                         &c->in->contract, &round.course);
    portfolio_learn(&w->portfolio, index, &played);
    sums_add(w->sums, &round, &played, &c->in->contract);
    struct campaign_sample *sample = sample_of(c, index);
    if (sample) {
        sample->digest = played.digest;
        sample->worker = w->number;
    }
    atomic_fetch_add_explicit(&c->done, 1, memory_order_relaxed);
}

static void play_block(struct worker *w, uint64_t block)
{
    struct campaign *c = w->campaign;
    uint64_t first = block * c->block_rounds, digest = w->sums->tally.digest;
    uint32_t n = rounds_of_block(c, block);
    for (uint32_t i = 0; i < n; i++) play(w, first + i);
    w->block[w->blocks++] = (struct store_block){ .first = first,
                                                  .rounds = n,
                                                  .digest = w->sums->tally.digest - digest };
}

static bool goes_on(struct campaign *c)
{
    pthread_mutex_lock(&c->lock);
    bool failed = c->store_failed;
    pthread_mutex_unlock(&c->lock);
    return !failed && !interrupted();
}

static void work(void *context, uint32_t number)
{
    struct campaign *c = context;
    struct worker *w = memory(1, sizeof *w);
    *w = (struct worker){ .campaign = c,
                          .number = (uint16_t)number,
                          .sums = memory(1, sizeof *w->sums) };
    sums_open(w->sums, &c->in->suite);
    player_open(&w->player, c->in->tabs);
    portfolio_open(&w->portfolio, &c->in->suite, &c->in->contract, c->in->seed, &w->player);
    w->handed_over = clock_seconds();
    while (goes_on(c)) {
        uint64_t block = atomic_fetch_add(&c->next_block, 1);
        if (block >= blocks_of(c)) break;
        if (c->block_done[block]) continue;
        play_block(w, block);
        if (w->blocks == BATCH_BLOCKS || clock_seconds() - w->handed_over >= HAND_OVER_SECONDS)
            hand_over(w);
    }
    hand_over(w);
    portfolio_close(&w->portfolio);
    player_close(&w->player);
    free(w->sums);
    free(w);
}

bool campaign_run(struct campaign *c, enum progress_mode mode)
{
    struct progress progress;
    struct pool pool;
    double began = clock_seconds();
    progress_open(&progress, mode, stderr, "rounds", c->resumed);
    pool_start(&pool, c->jobs, work, c);
    while (!pool_wait(&pool, TICK_MS))
        progress_at(&progress, atomic_load(&c->done), c->mine, clock_seconds());
    pool_finish(&pool);
    progress_close(&progress);
    c->seconds = clock_seconds() - began;
    return !c->store_failed;
}
