#include "tools/shrink.h"

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/ddmin.h"

#define WAYS 5 /* down from one round: how many seeds are tried, and in which order */
#define POLISH_SEEDS 60
#define WAY_SHARE 10 /* of the budget for each */

/* -- the judgement -------------------------------------------------------------------- */

bool shrink_budget_is_spent(const struct shrink *s)
{
    return s->rounds >= s->budget;
}

static bool is_out_of_rounds(const struct shrink *s)
{
    return s->rounds >= s->limit;
}

static bool breaks(struct shrink *s, const struct scenario *c, uint64_t seed)
{
    struct played p = player_round(s->player, c, s->contract, seed);
    uint32_t broken = played_broken(&p);
    s->rounds++;
    if (played_proves_nothing(&p) || !(broken >> s->invariant & 1) || (broken & ~s->broken))
        return false;
    return p.result->finding[s->invariant].reason == s->reason;
}

bool shrink_try_seed(struct shrink *s, const struct scenario *candidate, uint64_t seed)
{
    if (is_out_of_rounds(s) || !breaks(s, candidate, seed)) return false;
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

/* -- steps ---------------------------------------------------------------------------- */

struct kept_steps {
    struct shrink *shrink;
    const struct scenario *all;
};

static void keep_steps(struct scenario *c, uint64_t kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->steps; i++)
        if (kept >> i & 1) c->step[n++] = c->step[i];
    c->steps = n;
}

static bool still_breaks(void *context, uint64_t kept)
{
    const struct kept_steps *k = context;
    struct scenario c = *k->all;
    keep_steps(&c, kept);
    return shrink_try(k->shrink, &c);
}

static void fewer_steps(struct shrink *s)
{
    const struct scenario all = s->best;
    struct kept_steps k = { s, &all };
    uint64_t every = all.steps == 64 ? UINT64_MAX : (UINT64_C(1) << all.steps) - 1;
    (void)ddmin(every, still_breaks, &k);
}

/* -- devices and tabs ----------------------------------------------------------------- */

static uint32_t first_tab(const struct scenario *s, uint32_t device)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < device; i++) n += s->device[i].tabs;
    return n;
}

/* Without the device; its steps go with it. */
static void drop_device(struct scenario *c, uint32_t device)
{
    uint32_t from = first_tab(c, device), tabs = c->device[device].tabs, n = 0;
    for (uint32_t i = 0; i < c->steps; i++) {
        struct step_plan p = c->step[i];
        bool on_tab = p.tab != STEP_ANY && p.tab >= from && p.tab < from + tabs;
        if (p.device == device || on_tab) continue;
        if (p.device != STEP_ANY && p.device > device) p.device--;
        if (p.tab != STEP_ANY && p.tab >= from) p.tab -= tabs;
        c->step[n++] = p;
    }
    c->steps = n;
    c->devices--;
    for (uint32_t i = device; i < c->devices; i++) c->device[i] = c->device[i + 1];
}

static bool fits_one_device(const struct scenario *c)
{
    bool fits = true;
    for (uint32_t i = 0; i < c->steps; i++) fits = fits && c->step[i].fault != FAULT_SECOND_DEVICE;
    for (uint32_t i = 0; i < c->faults; i++) fits = fits && c->fault[i].kind != FAULT_SECOND_DEVICE;
    return fits;
}

static void fewer_devices(struct shrink *s)
{
    for (uint32_t d = s->best.devices; d-- > 0 && s->best.devices > 1;) {
        struct scenario c = s->best;
        drop_device(&c, d);
        if (c.devices > 1 || fits_one_device(&c)) (void)shrink_try(s, &c);
    }
}

/* The device has `tabs` tabs; a step on a tab that is gone acts on the last one left. */
static void cut_tabs(struct scenario *c, uint32_t device, uint32_t tabs)
{
    struct device_plan *d = &c->device[device];
    uint32_t from = first_tab(c, device), gone = d->tabs - tabs;
    for (uint32_t i = 0; i < c->steps; i++) {
        uint32_t *t = &c->step[i].tab;
        if (*t == STEP_ANY || *t < from + tabs) continue;
        *t = *t < from + d->tabs ? from + tabs - 1 : *t - gone;
    }
    d->tabs = tabs;
    if (d->visible > tabs) d->visible = tabs;
}

static void fewer_tabs(struct shrink *s)
{
    for (uint32_t d = 0; d < s->best.devices; d++) {
        uint32_t last = 0;
        while (last < s->best.device[d].tabs) { /* 1, 2, 3, 4, 8, 16 ... until one fails */
            last += last < 4 ? 1 : last;
            if (last >= s->best.device[d].tabs) break;
            struct scenario c = s->best;
            cut_tabs(&c, d, last);
            if (shrink_try(s, &c)) break;
        }
    }
}

/* Faults that find their page by themselves read better and stand more. */
static void fewer_targets(struct shrink *s)
{
    for (uint32_t i = 0; i < s->best.steps; i++) {
        struct scenario c = s->best;
        if (c.step[i].tab == STEP_ANY && c.step[i].device == STEP_ANY) continue;
        c.step[i].tab = c.step[i].device = STEP_ANY;
        (void)shrink_try(s, &c);
    }
}

/* -- what the round is ---------------------------------------------------------------- */

static bool changed(const struct scenario *a, const struct scenario *b)
{
    bool same = a->layout[0] == b->layout[0] && a->has_loss == b->has_loss &&
                a->has_slow == b->has_slow && a->hidden_since.none == b->hidden_since.none;
    for (uint32_t i = 0; same && i < a->devices; i++) {
        const struct device_plan *x = &a->device[i], *y = &b->device[i];
        same = x->visible == y->visible && x->mix[0].profile == y->mix[0].profile &&
               x->private_session == y->private_session && x->older_percent == y->older_percent &&
               x->without_locks_percent == y->without_locks_percent;
    }
    return !same;
}

static void try_change(struct shrink *s, const struct scenario *c)
{
    if (changed(c, &s->best)) (void)shrink_try(s, c);
}

static void plainer_device(struct shrink *s, uint32_t d)
{
    struct scenario c = s->best;
    c.device[d].private_session = false;
    try_change(s, &c);
    c = s->best;
    c.device[d].older_percent = c.device[d].without_locks_percent = 0;
    try_change(s, &c);
    c = s->best;
    if (c.device[d].mix_n == 1) c.device[d].mix[0].profile = PROFILE_CHROMIUM;
    try_change(s, &c);
    c = s->best;
    c.device[d].visible = 1;
    try_change(s, &c);
}

static void plainer_round(struct shrink *s)
{
    struct scenario c = s->best;
    if (c.layouts == 1) c.layout[0] = LAYOUT_SINGLE;
    try_change(s, &c);
    c = s->best;
    c.has_loss = c.has_slow = false;
    try_change(s, &c);
    c = s->best;
    c.hidden_since.none = 1;
    c.hidden_since.s70 = c.hidden_since.s400 = 0;
    try_change(s, &c);
    for (uint32_t d = 0; d < s->best.devices; d++) plainer_device(s, d);
}

static void calmer(struct shrink *s)
{
    struct scenario c = s->best;
    if (c.calm || !s->scheduled) return;
    c.calm = true;
    (void)shrink_try(s, &c);
}

/* -- times ---------------------------------------------------------------------------- */

static const int64_t round_us[] = { 1000 * US_PER_MS, 500 * US_PER_MS, 100 * US_PER_MS,
                                    10 * US_PER_MS, US_PER_MS };
#define ROUND_STEPS (sizeof round_us / sizeof round_us[0])

/* Step `i` begins at `us`; those after it keep their distance when `all`. */
static bool move_step(struct shrink *s, uint32_t i, int64_t us, bool all)
{
    struct scenario c = s->best;
    int64_t by = us - c.step[i].at_us;
    for (uint32_t k = i; k < (all ? c.steps : i + 1); k++)
        if (c.step[k].at_us >= 0) c.step[k].at_us += by;
    if (us < 0 || by == 0) return false;
    for (uint32_t k = 0; k < c.steps; k++)
        if (c.step[k].at_us >= c.duration.min_us) return false;
    return shrink_try(s, &c);
}

/* Half a second after the step before, or a few times that. */
static void sooner(struct shrink *s, uint32_t i)
{
    int64_t before = 0, step = 500 * US_PER_MS;
    for (uint32_t k = 0; k < i; k++)
        if (s->best.step[k].at_us > before) before = s->best.step[k].at_us;
    before -= before % step;
    for (int k = 1; k <= 8; k++) {
        int64_t us = before + k * step;
        if (us >= s->best.step[i].at_us || move_step(s, i, us, true) || move_step(s, i, us, false))
            return;
    }
}

static void rounder(struct shrink *s, uint32_t i)
{
    for (size_t k = 0; k < ROUND_STEPS; k++) {
        int64_t us = s->best.step[i].at_us, down = us - us % round_us[k];
        if (us == down) return;
        if (down == 0) continue; /* at 0 s nobody is there yet */
        for (int up = 0; up < 2; up++)
            if (move_step(s, i, down + up * round_us[k], true) ||
                move_step(s, i, down + up * round_us[k], false))
                return;
    }
}

/* A phase says more than a time; without either there is nothing to wait for. */
static void time_or_phase(struct shrink *s, uint32_t i)
{
    struct scenario c = s->best;
    if (c.step[i].when == PHASE_COUNT || c.step[i].at_us < 0) return;
    c.step[i].at_us = -1;
    if (shrink_try(s, &c)) return;
    c = s->best;
    c.step[i].when = PHASE_COUNT;
    (void)shrink_try(s, &c);
}

static void rounder_times(struct shrink *s)
{
    for (uint32_t i = 0; i < s->best.steps; i++) {
        time_or_phase(s, i);
        if (s->best.step[i].at_us < 0) continue;
        sooner(s, i);
        rounder(s, i);
    }
}

static void shorter_lasts(struct shrink *s)
{
    static const int64_t ladder[] = { 500 * US_PER_MS, US_PER_S,     2 * US_PER_S,
                                      3 * US_PER_S,    5 * US_PER_S, 8 * US_PER_S };
    for (uint32_t i = 0; i < s->best.steps; i++) {
        int64_t was = s->best.step[i].lasts_us;
        bool done = was == 0;
        for (size_t k = 0; !done && k < sizeof ladder / sizeof ladder[0] && ladder[k] < was; k++) {
            struct scenario c = s->best;
            c.step[i].lasts_us = ladder[k];
            done = shrink_try(s, &c);
        }
        for (size_t k = 0; !done && k < ROUND_STEPS && was % round_us[k] != 0; k++) {
            struct scenario c = s->best;
            c.step[i].lasts_us = was - was % round_us[k];
            done = c.step[i].lasts_us > 0 && shrink_try(s, &c);
        }
    }
}

static void shorter_round(struct shrink *s)
{
    static const int64_t ladder[] = { 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30 };
    for (size_t k = 0; k < sizeof ladder / sizeof ladder[0]; k++) {
        struct scenario c = s->best;
        int64_t us = ladder[k] * US_PER_S;
        if (us >= c.duration.min_us) break;
        bool fits = true;
        for (uint32_t i = 0; i < c.steps; i++) fits = fits && c.step[i].at_us < us;
        c.duration = (struct span_range){ us, us };
        if (fits && shrink_try(s, &c)) break;
    }
}

/* -- a failure that no schedule keeps: what is drawn becomes less --------------------- */

static void fewer_drawn(struct shrink *s)
{
    for (uint32_t i = s->best.faults; i-- > 0 && s->best.faults > 1;) {
        struct scenario c = s->best;
        c.faults--;
        for (uint32_t k = i; k < c.faults; k++) c.fault[k] = c.fault[k + 1];
        uint32_t weight = 0;
        for (uint32_t k = 0; k < c.faults; k++) weight += c.fault[k].weight;
        if (weight > 0 || c.faults_drawn.max == 0) (void)shrink_try(s, &c);
    }
    for (uint32_t n = 0; n < s->best.operations.max; n++) {
        struct scenario c = s->best;
        c.operations = (struct count_range){ n, n };
        if (shrink_try(s, &c)) break;
    }
}

/* -- choices -------------------------------------------------------------------------- */

/* Room for one more before step `i`. */
static void make_room(struct scenario *c, uint32_t i)
{
    for (uint32_t k = c->steps++; k > i; k--) c->step[k] = c->step[k - 1];
}

/* What luck did can be done by a fault: a message that happened to be slow was late, a task
 * that happened to be long held the page up. One more step, and no seed. */
static bool no_luck_at(struct shrink *s, uint32_t i, enum leader_phase when)
{
    static const struct {
        enum fault_kind fault;
        int64_t lasts_us;
    } luck[] = {
        { FAULT_REQUEST_LATE, 0 },         { FAULT_ANSWER_LOST, 0 },
        { FAULT_LONG_TASK, 2 * US_PER_S }, { FAULT_FREEZE_ABRUPT, 2 * US_PER_S },
        { FAULT_CUT_DOWN, 2 * US_PER_S },  { FAULT_CUT_SERVER, 2 * US_PER_S },
    };
    for (size_t k = 0; k < sizeof luck / sizeof luck[0]; k++) {
        struct scenario c = s->best;
        make_room(&c, i);
        c.step[i] = (struct step_plan){ .at_us = -1,
                                        .when = when,
                                        .fault = luck[k].fault,
                                        .lasts_us = luck[k].lasts_us,
                                        .tab = STEP_ANY,
                                        .device = STEP_ANY };
        c.calm = true;
        if (shrink_try(s, &c)) return true;
    }
    return false;
}

static void no_luck(struct shrink *s)
{
    struct shrink_size n = shrink_size(&s->best);
    bool is_small = n.tabs <= SHRINK_TABS + 1 && n.operations <= SHRINK_OPERATIONS + 1;
    if (s->best.calm || !s->scheduled || n.faults >= SHRINK_FAULTS || !is_small) return;
    for (uint32_t i = 0; i <= s->best.steps; i++)
        for (int k = PHASE_GRANTED; k < PHASE_COUNT; k++)
            if (no_luck_at(s, i, (enum leader_phase)k)) return;
}

/* A step that waits for a phase stands after those that happen before. */
static void tell_in_order(struct shrink *s)
{
    for (uint32_t i = 0; i + 1 < s->best.steps; i++) {
        struct scenario c = s->best;
        if (c.step[i].at_us >= 0 && c.step[i].at_us <= c.step[i + 1].at_us) continue;
        if (c.step[i + 1].at_us < 0) continue;
        c.step[i] = s->best.step[i + 1];
        c.step[i + 1] = s->best.step[i];
        (void)shrink_try(s, &c);
    }
}

/* -- everything ----------------------------------------------------------------------- */

/* What is left to be made less: compared before and after a pass over everything. */
static uint64_t size_of(const struct scenario *s)
{
    uint64_t n = rng_mix(s->steps, (uint64_t)s->duration.min_us + s->calm);
    n = rng_mix(n, s->faults + s->operations.max);
    for (uint32_t i = 0; i < s->devices; i++)
        n = rng_mix(n, (uint64_t)s->device[i].tabs << 32 | s->device[i].visible);
    for (uint32_t i = 0; i < s->steps; i++) {
        const struct step_plan *p = &s->step[i];
        n = rng_mix(rng_mix(n, (uint64_t)p->at_us), (uint64_t)p->lasts_us);
        n = rng_mix(n, (uint64_t)p->tab << 32 | p->device);
    }
    return n;
}

static void reduce(struct shrink *s, bool tabs_first)
{
    uint64_t before;
    do {
        before = size_of(&s->best);
        calmer(s);
        if (tabs_first) fewer_devices(s), fewer_targets(s), fewer_tabs(s), calmer(s);
        fewer_steps(s);
        fewer_devices(s);
        fewer_targets(s);
        fewer_tabs(s);
        no_luck(s);
        plainer_round(s);
        if (!s->scheduled) fewer_drawn(s);
        shorter_lasts(s);
        rounder_times(s);
        tell_in_order(s);
        shorter_round(s);
    } while (size_of(&s->best) != before && !is_out_of_rounds(s));
}

struct shrink_size shrink_size(const struct scenario *s)
{
    struct shrink_size n = { .tabs = scenario_tabs(s),
                             .operations = s->operations.max,
                             .faults = s->faults_drawn.max };
    for (uint32_t i = 0; i < s->steps; i++) {
        n.operations += s->step[i].fault == FAULT_COUNT;
        n.faults += s->step[i].fault != FAULT_COUNT;
    }
    return n;
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

static void keep_less(struct least *l, const struct shrink *s)
{
    uint32_t cost = cost_of(&s->best);
    if (cost >= l->cost) return;
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
        reduce(s, way[i].tabs_first);
        keep_less(l, s);
    }
    s->limit = s->budget;
}

static void guess(struct shrink *s, struct least *l, uint64_t seed, bool of_scenario)
{
    if (is_done(l) || s->drawn->faults == 0 || !shrink_guess(s, seed, of_scenario)) return;
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
 * plainest rounds that can be guessed; then with more seeds; then from other rounds. */
void shrink_reduce(struct shrink *s)
{
    struct least least = { .cost = UINT32_MAX };
    const uint64_t seed = s->seed;
    must(s->broken != 0);
    keep_less(&least, s);
    if (!s->scheduled) s->scheduled = shrink_schedule(s, seed);
    const bool has_schedule = s->scheduled;
    const struct least start = { .scenario = s->best, .seed = s->seed };
    if (has_schedule) go_down(s, &least, 1);
    guess(s, &least, seed, false);
    if (least.cost >= COST_OVER) guess(s, &least, seed, true);
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
    if (!is_done(&least)) reduce(s, false);
}
