#include "tools/blame.h"

#include <string.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/redraws.h"

#define TICK_MS 100
#define CHUNK 50 /* re-draws that a worker takes on at once */

/* -- the round ------------------------------------------------------------------------ */

static enum invariant_kind first_broken(const struct judge_result *r)
{
    enum invariant_kind first = INV_COUNT;
    uint32_t at = OBS_NONE;
    for (int k = 0; k < INV_COUNT; k++) {
        const struct finding *f = &r->finding[k];
        if (f->verdict != VERDICT_BROKEN) continue;
        if (first != INV_COUNT && f->witness[1] >= at) continue;
        first = (enum invariant_kind)k;
        at = f->witness[1];
    }
    return first;
}

/* How much of the round has been seen before an event, without other choices: the round is
 * over before they matter. */
static uint32_t seen_before(const struct blame *b, struct player *player, uint64_t event)
{
    struct redraw d = { .before = event, .seed = b->seed };
    const struct history *h =
        run_round_redrawn(&player->runner, b->scenario, b->contract, b->seed, &d);
    return d.reached ? d.seen : h->n;
}

/* The event in which the observation was made. */
static uint64_t event_of(const struct blame *b, struct player *player, uint32_t observation)
{
    uint64_t low = 1, high = b->events; /* made in one of low..high */
    if (observation == OBS_NONE) return b->events;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (seen_before(b, player, middle + 1) > observation)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

enum blame_outcome blame_open(struct blame *b, const struct inputs *in, enum invariant_kind k,
                              uint32_t redraws, uint32_t grid, uint32_t jobs)
{
    struct player player;
    enum blame_outcome o = BLAME_OK;
    must(redraws > 0);
    must(redraws <= BLAME_REDRAWS_MAX);
    must(grid >= 2);
    must(grid <= BLAME_GRID_MAX);
    memset(b, 0, sizeof *b);
    b->scenario = in->suite.scenario;
    b->contract = &in->contract;
    b->seed = in->seed;
    b->tabs = in->tabs;
    b->jobs = jobs;
    b->redraws = redraws;
    b->grid = grid;
    player_open(&player, b->tabs);
    struct played r = player_round(&player, b->scenario, b->contract, b->seed);
    b->events = r.events;
    b->invariant = k == INV_COUNT ? first_broken(r.result) : k;
    if (played_proves_nothing(&r))
        o = BLAME_LIMIT;
    else if (b->invariant == INV_COUNT || r.result->finding[b->invariant].verdict != VERDICT_BROKEN)
        o = BLAME_HOLDS;
    else
        b->broke_in = event_of(b, &player, r.result->finding[b->invariant].witness[1]);
    player_close(&player);
    return o;
}

/* -- one pass ------------------------------------------------------------------------- */

/* Some re-draws of one point. */
static void play(struct blame *b, struct redraws *r, struct blame_point *p, uint32_t first)
{
    uint32_t broken = 0, end = first + CHUNK < b->redraws ? first + CHUNK : b->redraws;
    redraws_to(r, p->before);
    for (uint32_t i = first; i < end && !interrupted(); i++) {
        broken += redraws_breaks(r, rng_mix(rng_mix(b->seed, p->before), i));
        atomic_fetch_add(&b->done, 1);
    }
    atomic_fetch_add(&p->broken, broken);
    if (first > 0) return; /* one of them tells where it is */
    p->at = r->at;
    p->seen = r->seen;
}

static uint32_t chunks(const struct blame *b)
{
    return (b->redraws + CHUNK - 1) / CHUNK;
}

/* Points are taken in the order of their events, so that a worker plays the round once. */
static void work(void *context, uint32_t worker)
{
    struct blame *b = context;
    struct redraws r;
    uint64_t n = (uint64_t)b->fresh_n * chunks(b);
    (void)worker;
    redraws_open(&r, b->tabs, b->scenario, b->contract, b->seed, b->invariant);
    for (uint64_t i; (i = atomic_fetch_add(&b->next, 1)) < n && !interrupted();)
        play(b, &r, &b->point[b->fresh[i / chunks(b)]], (uint32_t)(i % chunks(b)) * CHUNK);
    redraws_close(&r);
}

/* The new points of this pass take their places among the old ones. */
static void add_points(struct blame *b, const uint64_t *before, uint32_t n)
{
    must(b->points + n <= BLAME_POINTS_MAX);
    uint32_t to = b->points + n, from = b->points;
    b->fresh_n = 0;
    while (n > 0) {
        bool is_new = from == 0 || b->point[from - 1].before < before[n - 1];
        to--;
        if (is_new) {
            memset(&b->point[to], 0, sizeof b->point[to]);
            b->point[to].before = before[--n];
            b->fresh[n] = to;
            b->fresh_n++;
        } else {
            memcpy(&b->point[to], &b->point[--from], sizeof b->point[to]);
        }
    }
    b->points += b->fresh_n;
}

static void measure(struct blame *b, struct progress *progress)
{
    struct pool pool;
    uint64_t n = (uint64_t)b->fresh_n * b->redraws;
    atomic_store(&b->next, 0);
    atomic_store(&b->done, 0);
    pool_start(&pool, b->jobs, work, b);
    while (!pool_wait(&pool, TICK_MS))
        progress_at(progress, b->rounds + atomic_load(&b->done), b->rounds + n, clock_seconds());
    pool_finish(&pool);
    b->rounds += atomic_load(&b->done);
}

/* -- which events --------------------------------------------------------------------- */

/* `n` events in low..high, both among them, evenly. */
static uint32_t spread(uint64_t *before, uint64_t low, uint64_t high, uint32_t n)
{
    uint64_t span = high - low;
    if (span < n) n = (uint32_t)span + 1;
    for (uint32_t i = 0; i < n; i++) before[i] = n == 1 ? low : low + span * i / (n - 1);
    return n;
}

static void first_pass(struct blame *b)
{
    uint64_t before[BLAME_GRID_MAX];
    uint32_t n = spread(before, 1, b->broke_in + 1, b->grid);
    add_points(b, before, n);
}

uint32_t blame_jump(const struct blame *b)
{
    uint32_t best = 0;
    int64_t rise = INT64_MIN;
    must(b->points >= 2);
    for (uint32_t i = 0; i + 1 < b->points; i++) {
        int64_t r = (int64_t)b->point[i + 1].broken - (int64_t)b->point[i].broken;
        if (r <= rise) continue;
        rise = r;
        best = i;
    }
    return best;
}

/* False: the rise is between two events that follow each other. */
static bool finer_pass(struct blame *b)
{
    uint64_t before[BLAME_FINER];
    uint32_t i = blame_jump(b);
    uint64_t low = b->point[i].before + 1, high = b->point[i + 1].before;
    if (low == high || b->points + BLAME_FINER > BLAME_POINTS_MAX) return false;
    uint32_t n = spread(before, low, high - 1, BLAME_FINER);
    add_points(b, before, n);
    return true;
}

bool blame_run(struct blame *b, enum progress_mode mode)
{
    struct progress progress;
    progress_open(&progress, mode, stderr, "re-draws", 0);
    first_pass(b);
    do measure(b, &progress);
    while (!interrupted() && finer_pass(b));
    progress_close(&progress);
    return !interrupted();
}
