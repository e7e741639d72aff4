#include "tools/redraws.h"

#include "sim/base/must.h"

static struct world *world_of(struct redraws *r)
{
    return r->player.runner.world;
}

static void go_back(struct redraws *r)
{
    if (r->left) world_restore(world_of(r), r->saved.bytes);
    r->left = false;
}

void redraws_open(struct redraws *r, uint32_t tabs, const struct scenario *s,
                  const struct contract *c, uint64_t seed, enum invariant_kind invariant)
{
    *r = (struct redraws){ .bent = scenario_contract(s, c), .invariant = invariant };
    player_open(&r->player, tabs);
    must_context(s->name, seed);
    world_reset(world_of(r), s, c, seed);
}

void redraws_close(struct redraws *r)
{
    player_close(&r->player);
    saved_free(&r->saved);
}

void redraws_to(struct redraws *r, uint64_t before)
{
    struct world *w = world_of(r);
    go_back(r);
    must(before > w->events);
    for (; !w->over && w->events + 1 < before; r->events++) run_step(w);
    const struct event *next = w->over ? NULL : evq_first(&w->queue);
    r->reached = next != NULL;
    r->at = next ? event_at(next) : w->now;
    r->seen = w->history.n;
    saved_take(&r->saved, w);
}

bool redraws_breaks(struct redraws *r, uint64_t seed)
{
    struct world *w = world_of(r);
    struct judge *j = r->player.judge;
    uint32_t judged = 0;
    go_back(r);
    r->left = true;
    if (r->reached) choices_redraw(&w->choices, seed);
    judge_reset(j, &r->bent);
    judge_only(j, r->invariant);
    for (;;) {
        bool news = judged < w->history.n;
        for (; judged < w->history.n; judged++) judge_step(j, &w->history.at[judged]);
        if (w->over || (news && judge_broken(j))) break;
        run_step(w);
        r->events++;
    }
    return judge_finish(j)->finding[r->invariant].verdict == VERDICT_BROKEN;
}
