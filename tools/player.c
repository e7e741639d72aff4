#include "tools/player.h"

/* Reserved, not touched: the judge takes some 8 MB for 24 tabs. */
static size_t judge_memory(uint32_t pages)
{
    return ((size_t)32 << 20) + (size_t)pages * 4096;
}

void player_open(struct player *p, uint32_t tabs)
{
    runner_open(&p->runner, tabs);
    uint32_t pages = p->runner.world->pages_max;
    arena_open(&p->arena, judge_memory(pages));
    p->judge = judge_open(&p->arena, pages, LEDGER_OPS_MAX);
}

void player_close(struct player *p)
{
    runner_close(&p->runner);
    arena_close(&p->arena);
    p->judge = NULL;
}

static struct played judged(struct player *p, const struct scenario *s, const struct contract *c,
                            const struct history *h)
{
    const struct contract bent = scenario_contract(s, c);
    judge_reset(p->judge, &bent);
    for (uint32_t i = 0; i < h->n; i++) judge_step(p->judge, &h->at[i]);
    return (struct played){
        .history = h,
        .result = judge_finish(p->judge),
        .digest = history_digest(h),
        .events = p->runner.world->events,
        .virtual_us = h->n > 0 ? (uint64_t)h->at[h->n - 1].at.us : 0,
    };
}

struct played player_round_with(struct player *p, const struct scenario *s,
                                const struct contract *c, uint64_t seed, struct injection *x,
                                uint32_t n)
{
    return judged(p, s, c, run_round_with(&p->runner, s, c, seed, x, n));
}

struct played player_round_redrawn(struct player *p, const struct scenario *s,
                                   const struct contract *c, uint64_t seed, struct redraw *d)
{
    return judged(p, s, c, run_round_redrawn(&p->runner, s, c, seed, d));
}

struct played player_course(struct player *p, const struct scenario *s, const struct contract *c,
                            struct course *course)
{
    struct played r = judged(p, s, c, run_course(&p->runner, s, c, course));
    bool pct = course->strategy == STRATEGY_PCT2 || course->strategy == STRATEGY_PCT3;
    if (pct) r.pct_links = p->runner.world->pct.links, r.pct_steps = p->runner.world->pct.steps;
    return r;
}

struct played player_round(struct player *p, const struct scenario *s, const struct contract *c,
                           uint64_t seed)
{
    return player_round_with(p, s, c, seed, NULL, 0);
}

uint32_t played_broken(const struct played *r)
{
    uint32_t broken = 0;
    for (int k = 0; k < INV_COUNT; k++)
        if (r->result->finding[k].verdict == VERDICT_BROKEN) broken |= 1u << k;
    return broken;
}

int64_t played_longest_failover(const struct played *r)
{
    int64_t longest = -1;
    for (uint32_t i = 0; i < r->result->gaps; i++) {
        const struct gap_sample *g = &r->result->gap[i];
        if (g->cause != GAP_COLD && !g->open && g->eligible_us > longest) longest = g->eligible_us;
    }
    return longest;
}

bool played_proves_nothing(const struct played *r)
{
    return r->result->cut_short || r->result->samples_lost > 0;
}
