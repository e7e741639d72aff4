/* One round. A newcomer starts here, goes on to the switch at the end of world.c, and
 * from there to the page (world_page.c), the lock (world_lock.c), the network (world_net.c). */
#include "sim/run.h"

void runner_open(struct runner *r, uint32_t tabs)
{
    arena_open(&r->arena, world_arena_size(tabs));
    r->world = world_open(&r->arena, tabs);
}

void runner_close(struct runner *r)
{
    arena_close(&r->arena);
    r->world = NULL;
}

uint32_t scenario_tabs(const struct scenario *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->devices; i++) n += s->device[i].tabs;
    return n;
}

/* A limit cuts the round short: it proves nothing, and its history says so. */
static void cut_short(struct world *w)
{
    struct obs o = obs_make(OBS_ROUND_ENDED, w->now, OBS_NONE);
    o.a = 1;
    if (w->history.n == w->history.max) w->history.n--;
    (void)history_add(&w->history, &o);
    w->over = true;
}

struct scenario scenario_without_faults(const struct scenario *s)
{
    struct scenario good = *s;
    good.faults = good.steps = 0;
    good.faults_drawn = (struct count_range){ 0, 0 };
    for (uint32_t i = 0; i < s->steps; i++)
        if (s->step[i].fault == FAULT_COUNT) good.step[good.steps++] = s->step[i];
    return good;
}

/* Those whose turn it is before the next event, which says when. */
uint32_t run_inject(struct world *w, struct injection *x, uint32_t n)
{
    uint32_t i = 0;
    const struct event *next = evq_first(&w->queue);
    for (; next && i < n && x[i].before == w->events + 1; i++) {
        w->now = event_at(next);
        fault_inject(w, &x[i]);
        next = evq_first(&w->queue); /* the fault's own may come first */
    }
    return i;
}

void run_step(struct world *w)
{
    struct event e;
    if (w->limit || !evq_pop(&w->queue, &e))
        cut_short(w);
    else
        world_handle(w, &e);
}

const struct history *run_round_with(struct runner *r, const struct scenario *s,
                                     const struct contract *c, uint64_t seed, struct injection *x,
                                     uint32_t n)
{
    struct world *w = r->world;
    must_context(s->name, seed);
    for (uint32_t i = 0; i < n; i++) {
        must(x[i].before > 0);
        must(i == 0 || x[i].before >= x[i - 1].before);
        x[i].reached = x[i].begun = false;
    }
    world_reset(w, s, c, seed);
    while (!w->over) {
        if (n > 0) {
            uint32_t done = run_inject(w, x, n);
            x += done;
            n -= done;
        }
        run_step(w);
    }
    return &w->history;
}

const struct history *run_round_redrawn(struct runner *r, const struct scenario *s,
                                        const struct contract *c, uint64_t seed, struct redraw *d)
{
    struct world *w = r->world;
    must(d->before > 0);
    must_context(s->name, seed);
    d->reached = false;
    world_reset(w, s, c, seed);
    while (!w->over) {
        const struct event *next = evq_first(&w->queue);
        if (next && w->events + 1 == d->before) {
            d->reached = true;
            d->at = event_at(next);
            d->seen = w->history.n;
            choices_redraw(&w->choices, d->seed);
        }
        run_step(w);
    }
    return &w->history;
}

const struct history *run_round(struct runner *r, const struct scenario *s,
                                const struct contract *c, uint64_t seed)
{
    return run_round_with(r, s, c, seed, NULL, 0);
}

/* ---- by a course ---------------------------------------------------------------- */

/* Steps of PCT after a fork among which its change points are: about as many as follow in two
 * failovers; what a rare state leads to follows it soon. */
#define FORK_STEPS 80

/* From here on the round is another one. After the healing it only has other dice. */
static void leave(struct world *w, struct course *c)
{
    const struct event *next = evq_first(&w->queue);
    c->fork.before = w->events + 1;
    if (next) w->now = event_at(next);
    w->cause = OBS_NONE;
    choices_redraw(&w->choices, c->fork.seed);
    pct_reset(&w->pct, PCT_CHANGES_MAX);
    pct_plan(&w->pct, &w->choices, FORK_STEPS);
    if (c->strategy == STRATEGY_MUTATION) fault_mutate(w);
    if (c->strategy != STRATEGY_SWEEP) return;
    struct injection x = { .kind = c->fault, .before = c->fork.before, .lasts_us = c->lasts_us };
    fault_inject(w, &x);
}

static bool leaves_here(const struct world *w, const struct fork *f)
{
    return f->before > 0 ? w->events + 1 == f->before : w->history.n > f->after;
}

const struct history *run_course(struct runner *r, const struct scenario *s,
                                 const struct contract *c, struct course *course)
{
    static const uint32_t changes[STRATEGY_COUNT] = { [STRATEGY_PCT2] = 1, [STRATEGY_PCT3] = 2 };
    struct world *w = r->world;
    bool sweeps = course->strategy == STRATEGY_SWEEP;
    bool forks = sweeps || course->strategy == STRATEGY_MUTATION;
    must_context(s->name, course->seed);
    if (sweeps) r->good = scenario_without_faults(s);
    world_reset(w, sweeps ? &r->good : s, c, course->seed);
    world_prioritise(w, changes[course->strategy]);
    while (forks && !w->over && !leaves_here(w, &course->fork)) run_step(w);
    if (forks && !w->over) leave(w, course);
    while (!w->over) run_step(w);
    return &w->history;
}
