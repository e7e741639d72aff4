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

#define DIRT 0x55

/* A fresh world starts out as zeros; here its tables hold what nobody has written, so that
 * a round that reads before it writes comes out differently. */
static void make_dirty(struct world *w)
{
    memset(w->page, DIRT, w->pages_max * sizeof w->page[0]);
    memset(w->tab, DIRT, w->tabs_max * sizeof w->tab[0]);
    memset(w->parcel, DIRT, w->parcels_max * sizeof w->parcel[0]);
    memset(w->node_message, DIRT, w->node_messages_max * sizeof w->node_message[0]);
    memset(w->local_id, DIRT, REQUEST_IDS_MAX * sizeof w->local_id[0]);
    memset(w->history.at, DIRT, w->history.max * sizeof w->history.at[0]);
    memset(w->fault, DIRT, sizeof w->fault);
    memset(w->foreign, DIRT, sizeof w->foreign);
    memset(w->node, DIRT, sizeof w->node);
    memset(w->ledger_out, DIRT, sizeof *w->ledger_out);
}

/* Its course is found out again too, by a worker that has not seen what came before it. */
static uint64_t digest_of(struct portfolio *p, const struct campaign *c, struct sums_round *round)
{
    struct portfolio_round x = portfolio_round(p, round->index);
    round->scenario = x.scenario;
    round->course = x.course;
    return history_digest(run_course(&p->player->runner, &c->in->suite.scenario[x.scenario],
                                     &c->in->contract, &round->course));
}

static void compare(struct checking *k, const struct campaign_sample *s, uint64_t digest,
                    const struct sums_round *round)
{
    pthread_mutex_lock(&k->lock);
    k->found.replayed++;
    if (digest != s->digest && k->found.different++ == 0) k->found.first_different = *round;
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
    struct portfolio portfolio;
    player_open(&player, c->in->tabs);
    make_dirty(player.runner.world);
    portfolio_open(&portfolio, &c->in->suite, &c->in->contract, c->in->seed, &player);
    for (uint64_t i = c->samples; i-- > 0 && !interrupted();) {
        struct campaign_sample *s = &c->sample[i];
        if (worker_for(k, i) != worker) continue;
        bool is_new = s->worker == CAMPAIGN_NOBODY;
        if (is_new != k->first_time) continue;
        struct sums_round round = { .index = s->index };
        uint64_t digest = digest_of(&portfolio, c, &round);
        if (is_new)
            *s = (struct campaign_sample){ s->index, digest, (uint16_t)worker };
        else
            compare(k, s, digest, &round);
    }
    portfolio_close(&portfolio);
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
