/* See explore.h. A worker has one world and goes back in it: a copy of the world for each move
 * that is on the path, and the history cut back to where it was, which the judge then reads
 * anew. */
#include "tools/explore.h"

#include <stdlib.h>

#include "sim/base/fold.h"
#include "sim/base/must.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/pool.h"
#include "tools/saved.h"

#define TICK_MS 100
#define JUDGE_BYTES ((size_t)48 << 20) /* reserved, not touched */
#define NO_SLOT UINT64_MAX

/* A place of the calm round at which a first move may come. */
struct place {
    uint64_t slot, time;
};

/* One search: with at most `moves` moves in a path. */
struct explore {
    struct explore_scope scope;
    uint32_t moves;
    struct seen seen;
    struct place *place;
    uint32_t places, places_max;
    uint32_t jobs;
    double ends;
    _Atomic uint64_t next, done; /* of places x moves */
    _Atomic bool full, late;
    _Atomic uint32_t broken;
    _Atomic uint64_t events, nodes, edges, ended;
    struct explore_violation violation[INV_COUNT]; /* of a search by one thread */
};

struct worker {
    struct explore *e;
    struct runner runner;
    struct world *w;
    struct arena arena;
    struct judge *judge;
    struct contract bent;
    uint32_t judged;               /* observations that the judge has read */
    uint32_t faults, delays, left; /* that may still come */
    uint32_t n;                    /* moves of the path */
    struct injection path[PLACEMENTS_MAX];
    struct saved copy[PLACEMENTS_MAX + 1];
    struct saved at_end; /* while a round is played to its end */
    uint64_t events, nodes, edges, ended;
    struct fold fold;
};

/* ---- one worker's world ---------------------------------------------------------------- */

/* The judge goes with the history: what it has read is the path so far, or it reads anew. */
static void judge_all(struct worker *k)
{
    const struct history *h = &k->w->history;
    for (; k->judged < h->n; k->judged++) judge_step(k->judge, &h->at[k->judged]);
}

static void restore(struct worker *k, const struct saved *from)
{
    world_restore(k->w, from->bytes);
    judge_reset(k->judge, &k->bent);
    k->judged = 0;
}

static bool at_horizon(const struct worker *k)
{
    const struct event *next = evq_first(&k->w->queue);
    return !next || event_at(next).us >= k->w->heal_at.us || k->w->limit;
}

static void handle_next(struct worker *k, struct event *e)
{
    (void)evq_pop(&k->w->queue, e);
    world_handle(k->w, e);
    k->events++;
}

/* To just before the next event that something comes of: that is where states are told apart and
 * moves are made, or else what is no part of a state would decide where. */
static void settle(struct worker *k)
{
    struct event e;
    while (!at_horizon(k) && world_event_is_void(k->w, evq_first(&k->w->queue))) handle_next(k, &e);
    if (!at_horizon(k)) k->w->now = event_at(evq_first(&k->w->queue));
    judge_all(k);
}

static void begin(struct worker *k)
{
    struct explore *e = k->e;
    world_reset(k->w, &e->scope.calm, e->scope.contract, 0);
    judge_reset(k->judge, &k->bent);
    k->judged = k->n = 0;
    k->faults = e->scope.faults;
    k->delays = e->scope.delays;
    k->left = e->moves;
    settle(k);
}

static void worker_open(struct worker *k, struct explore *e)
{
    *k = (struct worker){ .e = e, .bent = scenario_contract(&e->scope.calm, e->scope.contract) };
    runner_open(&k->runner, scenario_tabs(&e->scope.calm));
    k->w = k->runner.world;
    arena_open(&k->arena, JUDGE_BYTES);
    k->judge = judge_open(&k->arena, k->w->pages_max, LEDGER_OPS_MAX);
    begin(k);
}

static void worker_close(struct worker *k)
{
    struct explore *e = k->e;
    atomic_fetch_add(&e->events, k->events);
    atomic_fetch_add(&e->nodes, k->nodes);
    atomic_fetch_add(&e->edges, k->edges);
    atomic_fetch_add(&e->ended, k->ended);
    for (uint32_t i = 0; i <= PLACEMENTS_MAX; i++) saved_free(&k->copy[i]);
    saved_free(&k->at_end);
    runner_close(&k->runner);
    arena_close(&k->arena);
}

/* Handles the next event; true when it was a timer. */
static bool step(struct worker *k)
{
    struct event e;
    handle_next(k, &e);
    settle(k);
    return e.kind == EV_TIMER || e.kind == EV_LEDGER_TIMER;
}

/* ---- states ---------------------------------------------------------------------------------- */

static uint64_t fingerprint(struct worker *k)
{
    struct fold *f = &k->fold;
    fold_begin(f, k->e->scope.symmetric, k->w->heal_at.us);
    world_fold(k->w, f);
    judge_fold(k->judge, f);
    fold_u(f, (uint64_t)k->faults << 32 | (uint64_t)k->delays << 16 | k->left);
    fold_u(f, judge_broken(k->judge));
    return f->sum;
}

/* True when there is something left to explore from here. */
static bool visit(struct worker *k, uint64_t *slot)
{
    struct explore *e = k->e;
    k->nodes++;
    *slot = NO_SLOT;
    if (!e->scope.merges) return true;
    enum seen_outcome o = seen_visit(&e->seen, fingerprint(k), (uint64_t)k->w->now.us, slot);
    if (o == SEEN_FULL) atomic_store(&e->full, true);
    return o == SEEN_NEW;
}

static void note(struct worker *k, uint64_t slot, uint64_t time, uint32_t ways, uint32_t marks)
{
    k->edges += ways;
    if (slot != NO_SLOT) seen_note(&k->e->seen, slot, time, ways, marks);
}

static bool stops(struct explore *e)
{
    return atomic_load_explicit(&e->full, memory_order_relaxed) ||
           atomic_load_explicit(&e->late, memory_order_relaxed) || interrupted();
}

static void note_broken(struct worker *k, uint32_t broken)
{
    struct explore *e = k->e;
    uint32_t before = atomic_fetch_or(&e->broken, broken);
    if (e->jobs > 1) return; /* paths are a single thread's; see explore.h */
    for (uint32_t i = 0; i < INV_COUNT; i++) {
        if (!(broken >> i & 1) || before >> i & 1) continue;
        struct explore_violation *v = &e->violation[i];
        const struct history *h = &k->w->history;
        *v = (struct explore_violation){ .at_us = (uint64_t)h->at[h->n - 1].at.us, .n = k->n };
        for (uint32_t m = 0; m < k->n; m++) v->move[m] = k->path[m];
    }
}

/* ---- the search ----------------------------------------------------------------------------- */

static void go_on(struct worker *k);

/* Makes a move before the next event and explores what comes of it; the world is not what it was
 * afterwards. False, and nothing has changed, when the move has nobody to act on. */
static bool make_move(struct worker *k, uint32_t m)
{
    struct injection x = k->e->scope.move[m];
    uint32_t *kind = x.kind == INJECT_DELAY ? &k->delays : &k->faults;
    if (*kind == 0 || k->left == 0) return false;
    x.before = k->w->events + 1;
    (void)run_inject(k->w, &x, 1);
    if (!x.begun) return false;
    k->path[k->n++] = x;
    --*kind;
    k->left--;
    settle(k);
    go_on(k);
    k->n--;
    ++*kind;
    k->left++;
    return true;
}

static uint32_t make_moves(struct worker *k)
{
    uint32_t depth = k->n, ways = 0;
    if (k->left == 0) return 0;
    saved_take(&k->copy[depth], k->w);
    for (uint32_t m = 0; m < k->e->scope.moves && !stops(k->e); m++) {
        if (!make_move(k, m)) continue;
        ways++;
        restore(k, &k->copy[depth]);
    }
    judge_all(k);
    return ways;
}

/* Once more without any move, through the healing to the end of the round. */
static void play_to_end(struct worker *k)
{
    struct world *w = k->w;
    uint64_t before = w->events;
    uint32_t broken = 0;
    saved_take(&k->at_end, w);
    while (!w->over) run_step(w);
    k->events += w->events - before;
    k->ended++;
    judge_all(k);
    const struct judge_result *r = judge_finish(k->judge);
    for (uint32_t i = 0; i < INV_COUNT; i++)
        if (r->finding[i].verdict == VERDICT_BROKEN) broken |= 1u << i;
    if (broken) note_broken(k, broken);
    restore(k, &k->at_end);
    judge_all(k);
}

/* From a state that a move has led to, to the horizon or to what was seen. */
static void go_on(struct worker *k)
{
    bool looks = true, ends = k->left == 0 && k->e->scope.liveness;
    while (!stops(k->e)) {
        uint64_t slot = NO_SLOT, time = (uint64_t)k->w->now.us;
        uint32_t broken = judge_broken(k->judge);
        if ((looks || k->left > 0 || broken) && !visit(k, &slot)) return;
        if (broken) {
            note(k, slot, time, 0, SEEN_BROKEN);
            note_broken(k, broken);
            return;
        }
        if (at_horizon(k)) {
            note(k, slot, time, 0, SEEN_AT_HORIZON);
            return;
        }
        if (ends) play_to_end(k);
        ends = false;
        uint32_t ways = make_moves(k);
        note(k, slot, time, ways + 1, 0);
        looks = step(k);
    }
}

/* ---- the calm round, and the first move ------------------------------------------------------ */

static void add_place(struct explore *e, uint64_t slot, uint64_t time)
{
    if (e->places == e->places_max) {
        e->places_max = e->places_max ? e->places_max * 2 : 1024;
        e->place = realloc(e->place, e->places_max * sizeof e->place[0]);
        must(e->place != NULL);
    }
    e->place[e->places++] = (struct place){ slot, time };
}

/* Its places, up to the horizon or to where it comes back to a state of its own. */
static void walk_calm(struct explore *e)
{
    struct worker k;
    worker_open(&k, e);
    e->places = 0;
    while (!stops(e)) {
        uint64_t slot, time = (uint64_t)k.w->now.us;
        judge_all(&k);
        uint32_t broken = judge_broken(k.judge);
        if (!visit(&k, &slot)) break; /* it comes back to a state of its own */
        if (broken) note_broken(&k, broken);
        if (broken || at_horizon(&k)) {
            note(&k, slot, time, 0, broken ? SEEN_BROKEN : SEEN_AT_HORIZON);
            break;
        }
        add_place(e, slot, time);
        note(&k, slot, time, 1, 0);
        (void)step(&k);
    }
    worker_close(&k);
}

static void work(void *context, uint32_t number)
{
    struct explore *e = context;
    struct worker k;
    uint64_t at = 0;
    (void)number;
    worker_open(&k, e);
    for (uint64_t i; (i = atomic_fetch_add(&e->next, 1)) < (uint64_t)e->places * e->scope.moves;) {
        if (stops(e)) break;
        for (; at < i / e->scope.moves; at++) (void)step(&k);
        judge_all(&k);
        saved_take(&k.copy[0], k.w);
        if (make_move(&k, (uint32_t)(i % e->scope.moves))) {
            note(&k, e->place[at].slot, e->place[at].time, 1, 0);
            restore(&k, &k.copy[0]);
        }
        atomic_fetch_add(&e->done, 1);
    }
    worker_close(&k);
}

static void search(struct explore *e, uint32_t moves, uint32_t jobs, enum progress_mode mode)
{
    struct progress progress;
    struct pool pool;
    e->moves = moves;
    e->jobs = jobs;
    e->next = e->done = e->nodes = e->edges = 0;
    e->broken = 0;
    walk_calm(e);
    if (e->broken) return;
    progress_open(&progress, mode, stderr, "placements of the first move", 0);
    pool_start(&pool, jobs, work, e);
    while (!pool_wait(&pool, TICK_MS)) {
        double now = clock_seconds();
        progress_at(&progress, atomic_load(&e->done), (uint64_t)e->places * e->scope.moves, now);
        if (e->ends > 0 && now > e->ends) atomic_store(&e->late, true);
    }
    pool_finish(&pool);
    progress_close(&progress);
}

static void tell(const struct explore *e, struct explore_result *out)
{
    struct seen_sums sums = { .states = e->nodes, .ways = e->edges };
    if (e->scope.merges) seen_sums(&e->seen, &sums);
    *out = (struct explore_result){ .moves = e->moves,
                                    .states = sums.states,
                                    .transitions = sums.ways,
                                    .at_horizon = sums.at_horizon,
                                    .broken_states = sums.broken,
                                    .latest_us = sums.latest,
                                    .full = e->full,
                                    .late = e->late,
                                    .broken = e->broken };
}

static bool fresh(struct explore *e)
{
    seen_close(&e->seen);
    return seen_open(&e->seen, e->scope.merges ? e->scope.states_max : 1);
}

struct explore *explore_open(const struct explore_scope *scope)
{
    must(scope->faults + scope->delays <= PLACEMENTS_MAX);
    must(scope->moves <= EXPLORE_MOVES_MAX);
    struct explore *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->scope = *scope;
    if (fresh(e)) return e;
    free(e);
    return NULL;
}

uint32_t explore_depth(const struct explore_scope *scope)
{
    uint32_t most = scope->faults + scope->delays;
    return scope->depth > 0 && scope->depth < most ? scope->depth : most;
}

void explore_run(struct explore *e, enum progress_mode progress, struct explore_result *out)
{
    uint32_t most = explore_depth(&e->scope);
    if (e->scope.seconds_max > 0) e->ends = clock_seconds() + e->scope.seconds_max;
    for (uint32_t moves = 0; moves <= most; moves++) {
        if (moves > 0) must(fresh(e));
        search(e, moves, e->scope.liveness ? 1 : e->scope.jobs, progress);
        if (e->broken || stops(e)) break;
    }
    tell(e, out);
    if (e->broken && e->jobs > 1 && !stops(e)) { /* again, for the paths */
        must(fresh(e));
        search(e, e->moves, 1, progress);
    }
    out->events = e->events;
    out->ends = e->ended;
    for (uint32_t i = 0; i < INV_COUNT; i++) out->violation[i] = e->violation[i];
}

void explore_close(struct explore *e)
{
    seen_close(&e->seen);
    free(e->place);
    free(e);
}
