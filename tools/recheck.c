#include "tools/recheck.h"

#include <string.h>

#include "sim/base/must.h"
#include "tools/interrupt.h"

struct checking {
    struct campaign *campaign;
    bool first_time; /* samples that an earlier process ran have no digest yet */
    pthread_mutex_t lock;
    struct recheck found;
};

static uint64_t digest_of(struct player *p, const struct campaign *c, uint64_t index)
{
    struct sums_round round = campaign_round(c, index);
    return history_digest(run_round(&p->runner, &c->in->suite.scenario[round.scenario],
                                    &c->in->contract, round.seed));
}

static void compare(struct checking *k, const struct campaign_sample *s, uint64_t digest)
{
    pthread_mutex_lock(&k->lock);
    k->found.replayed++;
    if (digest != s->digest && k->found.different++ == 0)
        k->found.first_different = campaign_round(k->campaign, s->index);
    pthread_mutex_unlock(&k->lock);
}

/* Which worker runs a sample: not the one that did, as long as there is another. */
static uint32_t worker_for(const struct checking *k, uint64_t i)
{
    const struct campaign *c = k->campaign;
    return (uint32_t)((k->first_time ? i : c->sample[i].worker + 1u) % c->jobs);
}

static void check(void *context, uint32_t worker)
{
    struct checking *k = context;
    struct campaign *c = k->campaign;
    struct player player;
    player_open(&player, c->in->tabs);
    /* a round that belongs to nothing leaves its traces in the memory */
    (void)run_round(&player.runner, &c->in->suite.scenario[0], &c->in->contract, ~c->in->seed);
    for (uint64_t i = c->samples; i-- > 0 && !interrupted();) {
        struct campaign_sample *s = &c->sample[i];
        if (worker_for(k, i) != worker) continue;
        bool is_new = s->worker == CAMPAIGN_NOBODY;
        if (is_new != k->first_time) continue;
        uint64_t digest = digest_of(&player, c, s->index);
        if (is_new) *s = (struct campaign_sample){ s->index, digest, (uint16_t)worker };
        else compare(k, s, digest);
    }
    player_close(&player);
}

struct recheck recheck_run(struct campaign *c)
{
    struct checking k = { .campaign = c, .first_time = true };
    must(pthread_mutex_init(&k.lock, NULL) == 0);
    if (c->resumed > 0) pool_run(c->jobs, check, &k);
    k.first_time = false;
    pool_run(c->jobs, check, &k);
    pthread_mutex_destroy(&k.lock);
    return k.found;
}
