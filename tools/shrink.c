#include "tools/shrink.h"

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/shrink_internal.h"

#define WAYS 5 /* down from one round: how many seeds are tried, and in which order */
#define POLISH_SEEDS 60
#define WAY_SHARE 10 /* of the budget for each */

/* -- the judgement -------------------------------------------------------------------- */

bool shrink_budget_is_spent(const struct shrink *s)
{
    return s->rounds >= s->budget || (s->events_max > 0 && s->events >= s->events_max);
}

bool shrink_is_out_of_rounds(const struct shrink *s)
{
    return s->rounds >= s->limit || shrink_budget_is_spent(s);
}

static bool breaks(struct shrink *s, const struct scenario *c, uint64_t seed)
{
    struct course course = { .seed = seed };
    if (c == s->drawn && seed == s->course.seed) course = s->course;
    struct played p = player_course(s->player, c, s->contract, &course);
    uint32_t broken = played_broken(&p);
    s->rounds++;
    s->events += p.events;
    if (!(broken >> s->invariant & 1) || (broken & ~s->broken)) return false;
    return p.result->finding[s->invariant].reason == s->reason;
}

bool shrink_try_seed(struct shrink *s, const struct scenario *candidate, uint64_t seed)
{
    if (shrink_is_out_of_rounds(s) || !breaks(s, candidate, seed)) return false;
    if (candidate != &s->best) s->best = *candidate;
    s->seed = seed;
    return true;
}

bool shrink_try(struct shrink *s, const struct scenario *candidate)
{
    uint64_t seed = s->seed;
    for (uint32_t i = 0; i < (candidate->calm ? 1 : s->seeds); i++)
        if (shrink_try_seed(s, candidate, i ? rng_mix(seed, i) : seed)) return true;
    return false;
}

struct shrink_size shrink_size(const struct scenario *s)
{
    struct shrink_size n = { .tabs = scenario_tabs(s),
                             .operations = s->operations.max,
                             .faults = s->faults_drawn.max };
    for (uint32_t i = 0; i < s->steps; i++) {
        const struct step_plan *p = &s->step[i];
        bool submits = p->fault == FAULT_COUNT && p->action == ACTION_SUBMIT && !p->expects;
        n.operations += submits;
        n.faults += !submits && !p->expects; /* what a user or a browser does counts as one */
    }
    return n;
}

uint64_t shrink_kinds(const struct scenario *s)
{
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < s->steps; i++)
        if (s->step[i].fault != FAULT_COUNT) kinds |= UINT64_C(1) << s->step[i].fault;
    for (uint32_t i = 0; i < s->faults; i++) kinds |= UINT64_C(1) << s->fault[i].kind;
    return kinds;
}

static uint32_t above(uint32_t n, uint32_t most)
{
    return n > most ? n - most : 0;
}

/* First what is more than a person takes in, then the luck, then every part. */
#define COST_OVER 1000
#define COST_LUCK 100

static uint32_t cost_of(const struct scenario *s)
{
    struct shrink_size n = shrink_size(s);
    uint32_t over = above(n.tabs, SHRINK_TABS) + above(n.operations, SHRINK_OPERATIONS) +
                    above(n.faults, SHRINK_FAULTS);
    return over * COST_OVER + (s->calm ? 0 : COST_LUCK) + n.tabs + n.operations + n.faults +
           s->devices;
}

/* The least of all ways down. */
struct least {
    struct scenario scenario;
    uint64_t seed, from;
    bool scheduled;
    uint32_t cost;
};

/* What makes no difference to the cost: expectations, a round that goes on and on. */
static bool is_shorter(const struct scenario *a, const struct scenario *b)
{
    if (a->steps != b->steps) return a->steps < b->steps;
    return a->duration.max_us < b->duration.max_us;
}

static void keep_less(struct least *l, const struct shrink *s)
{
    uint32_t cost = cost_of(&s->best);
    if (cost > l->cost || (cost == l->cost && !is_shorter(&s->best, &l->scenario))) return;
    *l = (struct least){ s->best, s->seed, s->from, s->scheduled, cost };
}

static bool is_done(const struct least *l)
{
    return l->cost < COST_LUCK;
}

/* Each way down ends where no single thing can go; another way may end lower. */
static void go_down(struct shrink *s, struct least *l, uint32_t ways)
{
    static const struct {
        uint32_t seeds;
        bool tabs_first;
    } way[WAYS] = {
        { 2, true }, { 2, false }, { 12, true }, { 12, false }, { 40, true },
    };
    const struct scenario start = s->best;
    const uint64_t seed = s->seed;
    for (uint32_t i = 0; i < ways && !shrink_budget_is_spent(s) && (i == 0 || !is_done(l)); i++) {
        s->best = start;
        s->seed = seed;
        s->seeds = way[i].seeds;
        s->limit = s->rounds + s->budget / WAY_SHARE;
        if (s->limit > s->budget) s->limit = s->budget;
        shrink_less(s, way[i].tabs_first);
        keep_less(l, s);
    }
    s->limit = s->budget;
}

/* From the least so far. */
static void go_on(struct shrink *s, struct least *l)
{
    s->best = l->scenario;
    s->seed = l->seed;
    s->from = l->from;
    s->scheduled = l->scheduled;
    go_down(s, l, 1);
}

static void guess(struct shrink *s, struct least *l, uint64_t seed, enum shrink_guess what)
{
    if (is_done(l) || s->drawn->faults == 0 || !shrink_guess(s, seed, what)) return;
    s->scheduled = true;
    s->from = seed;
    go_down(s, l, 1);
}

/* Another round of the scenario that fails in the same way may be a plainer one. */
static void go_down_from_others(struct shrink *s, struct least *l, uint64_t seed)
{
    if (s->drawn->faults == 0) return;
    for (uint32_t i = 1; l->cost >= COST_OVER && !shrink_budget_is_spent(s); i++) {
        s->from = rng_mix(seed, i);
        s->scheduled = shrink_schedule(s, s->from);
        if (s->scheduled) go_down(s, l, 3);
    }
}

/* The schedule of the round itself, as far down as it goes; where luck or size remain, the
 * plainest rounds that can be guessed; then faults for what chance did; then with more seeds; then
 * from other rounds. */
void shrink_reduce(struct shrink *s)
{
    struct least least = { .cost = UINT32_MAX };
    const uint64_t seed = s->seed;
    must(s->broken != 0);
    keep_less(&least, s);
    if (!s->scheduled) s->scheduled = shrink_schedule(s, seed);
    const bool has_schedule = s->scheduled;
    const struct least start = { .scenario = s->best, .seed = s->seed };
    s->adds_faults = false;
    if (has_schedule) go_down(s, &least, 1);
    guess(s, &least, seed, GUESS_OF_ROUND);
    s->adds_faults = true; /* one fault that suffices is better than two */
    if (!is_done(&least) && least.scheduled) go_on(s, &least);
    if (least.cost >= COST_OVER) guess(s, &least, seed, GUESS_OF_SCENARIO);
    guess(s, &least, seed, GUESS_ONE_LATE);
    s->best = start.scenario;
    s->seed = start.seed;
    s->from = seed;
    if (has_schedule && !is_done(&least)) go_down(s, &least, WAYS);
    go_down_from_others(s, &least, seed);
    s->best = least.scenario; /* the drawn one, where no round of it has a schedule that fails */
    s->seed = least.seed;
    s->from = least.from;
    s->scheduled = least.scheduled;
    s->limit = s->budget;
    s->seeds = POLISH_SEEDS;
    if (!is_done(&least)) shrink_less(s, false);
}
