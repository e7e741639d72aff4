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
static void open_dirty(struct runner *r, uint32_t tabs)
{
    runner_open(r, tabs);
    struct world *w = r->world;
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

static uint64_t digest_of(struct runner *r, const struct campaign *c, uint64_t index)
{
    struct sums_round round = campaign_round(c, index);
    return history_digest(
        run_round(r, &c->in->suite.scenario[round.scenario], &c->in->contract, round.seed));
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
    struct runner runner;
    open_dirty(&runner, c->in->tabs);
    for (uint64_t i = c->samples; i-- > 0 && !interrupted();) {
        struct campaign_sample *s = &c->sample[i];
        if (worker_for(k, i) != worker) continue;
        bool is_new = s->worker == CAMPAIGN_NOBODY;
        if (is_new != k->first_time) continue;
        uint64_t digest = digest_of(&runner, c, s->index);
        if (is_new)
            *s = (struct campaign_sample){ s->index, digest, (uint16_t)worker };
        else
            compare(k, s, digest);
    }
    runner_close(&runner);
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
