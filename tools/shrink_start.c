/* From a round that was drawn to a schedule: what really began, when and on whom. See
 * shrink.h. The world of the last round knows; it is read before the next one is played.
 *
 * A fault that waited for a phase can be told in three ways: at the time at which it
 * began; armed at a time, for the phase; for the phase alone. One of them keeps the failure
 * where another loses it, since leaving out anything shifts what is drawn afterwards. */
#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/shrink.h"

#define KINDS_MAX 8    /* kinds of faults that are guessed with */
#define OTHER_SEEDS 16 /* of the schedule, when it does not fail with its own */

enum told { BY_TIME, BY_AIM, BY_PHASE, TOLD };
/* Pages that are drawn to be older or without locks: as they are, all of them, or one that
 * is opened at the beginning. */
enum odd_pages { AS_DRAWN, ALL_OF_THEM, ONE_OPENED, ODD_PAGES };

/* -- steps ---------------------------------------------------------------------------- */

/* In order of their times; what does not fit is left to the candidate's judgement. */
static void add_step(struct scenario *s, struct step_plan p, int64_t begins_us)
{
    if (s->steps == SCHEDULE_MAX || begins_us >= s->duration.min_us) return;
    uint32_t i = s->steps++;
    for (; i > 0 && s->step[i - 1].at_us > begins_us; i--) s->step[i] = s->step[i - 1];
    s->step[i] = p;
    s->step[i].at_us = begins_us;
}

static struct step_plan step_of(enum fault_kind k)
{
    return (struct step_plan){
        .at_us = -1, .when = PHASE_COUNT, .fault = k, .tab = STEP_ANY, .device = STEP_ANY
    };
}

static bool is_on_a_page(enum fault_kind k)
{
    enum fault_target t = fault_info[k].target;
    return t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER;
}

static bool is_on_a_device(enum fault_kind k)
{
    enum fault_target t = fault_info[k].target;
    return !is_on_a_page(k) && t != FAULT_ON_NODE && t != FAULT_ON_LEDGER && t != FAULT_ON_PROVIDER;
}

/* What was done to bring the phase of an aimed fault about is a step of its own. */
static void add_coaxing(struct scenario *s, const struct planned_fault *f)
{
    struct step_plan p = step_of(FAULT_HIDE_HOLDER);
    if (f->phase == PHASE_EFFECT_UNKNOWN) {
        p.fault = FAULT_ANSWER_LOST;
        p.when = PHASE_EFFECT;
    }
    add_step(s, p, f->armed_at.us);
}

static int64_t length_of(const struct planned_fault *f, int64_t began_us, int64_t end_us)
{
    if (f->kind == FAULT_LONG_TASK) return f->lasts_us;
    if (!fault_info[f->kind].lasts || (f->for_good && began_us + f->lasts_us >= end_us)) return 0;
    return f->lasts_us;
}

static void add_fault(struct scenario *s, const struct world *w, const struct planned_fault *f,
                      enum told told)
{
    struct step_plan p = step_of(f->kind);
    int64_t began = w->history.at[f->number].at.us;
    bool aimed = f->armed_at.us > 0 && f->met == f->phase;
    p.lasts_us = length_of(f, began, w->heal_at.us);
    if (is_on_a_page(f->kind)) p.tab = f->tab;
    if (is_on_a_device(f->kind)) p.device = f->device;
    if (told == BY_TIME || !aimed) {
        add_step(s, p, began);
        return;
    }
    p.when = f->met;
    add_step(s, p, told == BY_AIM ? f->armed_at.us : began);
}

/* Leaves the time only where no phase is waited for. */
static void forget_times(struct scenario *s)
{
    for (uint32_t i = 0; i < s->steps; i++)
        if (s->step[i].when != PHASE_COUNT) s->step[i].at_us = -1;
}

static void add_steps(struct scenario *s, const struct world *w, enum told told)
{
    s->steps = 0;
    for (uint32_t i = 0; i < w->faults; i++) {
        const struct planned_fault *f = &w->fault[i];
        if (f->coaxed) add_coaxing(s, f);
        if (f->begun && f->number != OBS_NONE) add_fault(s, w, f, told);
    }
    for (uint32_t op = 1; op <= w->operations; op++) {
        const struct submitted *u = &w->submitted[op];
        struct step_plan p = step_of(FAULT_COUNT);
        p.tab = u->tab;
        if (u->tab != PAGE_NONE) add_step(s, p, u->at.us);
    }
    if (told == BY_PHASE) forget_times(s);
}

/* -- the round around them ------------------------------------------------------------ */

static void pin_device(struct device_plan *plan, const struct device *d)
{
    plan->visible = d->visible_tabs;
    plan->mix_n = 1;
    plan->mix[0].profile = d->profile->kind;
    plan->mix[0].weight = 1;
}

/* Everything that the round drew once, as it drew it. */
static void pin_round(struct scenario *s, const struct world *w)
{
    s->networks = s->layouts = 1;
    s->network[0] = w->network_kind;
    s->layout[0] = w->layout;
    s->network_weight[0] = s->layout_weight[0] = 1;
    for (uint32_t i = 0; i < s->devices; i++) pin_device(&s->device[i], &w->device[i]);
    s->all_hidden_percent = 0;
    uint8_t since = w->device[0].hidden_since;
    s->hidden_since.none = since == 0;
    s->hidden_since.s70 = since == 1;
    s->hidden_since.s400 = since == 2;
    s->duration = (struct span_range){ w->heal_at.us, w->heal_at.us };
    s->long_permille = 0;
    s->operations = s->faults_drawn = (struct count_range){ 0, 0 };
    s->faults = s->omit_percent = 0;
}

static void open_one(struct scenario *s, enum fault_kind k, uint32_t device)
{
    struct step_plan p = step_of(k);
    p.device = device;
    add_step(s, p, 0);
}

static void place_odd_pages(struct scenario *s, enum odd_pages how)
{
    for (uint32_t i = 0; how != AS_DRAWN && i < s->devices; i++) {
        struct device_plan *d = &s->device[i];
        bool all = how == ALL_OF_THEM;
        if (d->without_locks_percent > 0 && !all) open_one(s, FAULT_LOCKS_MISSING, i);
        if (d->older_percent > 0 && !all) open_one(s, FAULT_OLD_VERSION, i);
        d->without_locks_percent = all && d->without_locks_percent > 0 ? 100 : 0;
        d->older_percent = all && d->older_percent > 0 ? 100 : 0;
    }
}

static bool has_odd_pages(const struct scenario *s)
{
    bool has = false;
    for (uint32_t i = 0; i < s->devices; i++)
        has = has || s->device[i].without_locks_percent > 0 || s->device[i].older_percent > 0;
    return has;
}

/* -- finding a schedule that fails ---------------------------------------------------- */

static bool any_calm_one_fails(struct shrink *s, const struct scenario told[TOLD])
{
    for (int how = AS_DRAWN; how < (has_odd_pages(&told[0]) ? ODD_PAGES : 1); how++)
        for (int k = 0; k < TOLD; k++) {
            struct scenario c = told[k];
            place_odd_pages(&c, (enum odd_pages)how);
            c.calm = true;
            if (shrink_try_seed(s, &c, 0)) return true;
        }
    return false;
}

static bool any_seed_fails(struct shrink *s, const struct scenario told[TOLD], uint64_t seed)
{
    for (uint32_t i = 0; i < OTHER_SEEDS; i++)
        for (int k = 0; k < TOLD; k++)
            if (shrink_try_seed(s, &told[k], i ? rng_mix(seed, i) : seed)) return true;
    return false;
}

/* The round of the seed was the player's last. */
static bool schedule_fails(struct shrink *s, const struct scenario *drawn, uint64_t seed, bool calm)
{
    const struct world *w = s->player->runner.world;
    struct scenario told[TOLD];
    for (int k = 0; k < TOLD; k++) {
        told[k] = *drawn;
        pin_round(&told[k], w);
        add_steps(&told[k], w, (enum told)k);
    }
    return calm ? any_calm_one_fails(s, told) : any_seed_fails(s, told, seed);
}

bool shrink_schedule(struct shrink *s, uint64_t seed)
{
    if (!shrink_try_seed(s, s->drawn, seed)) return false;
    if (schedule_fails(s, s->drawn, seed, true)) return true;
    return shrink_try_seed(s, s->drawn, seed) && schedule_fails(s, s->drawn, seed, false);
}

/* -- guessing ------------------------------------------------------------------------- */

/* Kinds of faults that the last round had, a bit each. */
static uint64_t kinds_of_round(const struct world *w)
{
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < w->faults; i++) {
        const struct planned_fault *f = &w->fault[i];
        if (f->begun) kinds |= UINT64_C(1) << f->kind;
        if (f->coaxed)
            kinds |= UINT64_C(1) << (f->phase == PHASE_EFFECT_UNKNOWN ? FAULT_ANSWER_LOST
                                                                      : FAULT_HIDE_HOLDER);
    }
    return kinds;
}

/* One operation, one fault in one phase. */
static bool guess_one(struct shrink *s, const struct scenario *shape, struct step_plan p)
{
    static const int64_t submit_us[] = { US_PER_S, 0 };
    for (size_t i = 0; i < sizeof submit_us / sizeof submit_us[0]; i++)
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            struct scenario c = *shape;
            c.steps = 2;
            c.step[0] = step_of(FAULT_COUNT);
            c.step[0].at_us = submit_us[i];
            c.step[1] = p;
            c.step[1].when = (enum leader_phase)phase;
            if (shrink_try_seed(s, &c, 0)) return true;
        }
    return false;
}

static bool guess_kind(struct shrink *s, const struct scenario *shape, enum fault_kind k)
{
    static const int64_t lasts_us[] = { 2 * US_PER_S, 500 * US_PER_MS, 0 };
    bool has_length = fault_info[k].lasts || k == FAULT_LONG_TASK;
    for (size_t i = 0; i < (has_length ? sizeof lasts_us / sizeof lasts_us[0] : 1); i++) {
        struct step_plan p = step_of(k);
        p.lasts_us = has_length ? lasts_us[i] : 0;
        if (guess_one(s, shape, p)) return true;
    }
    return false;
}

/* Kinds that a round of the scenario may have; none where that is too many to try. */
static uint64_t kinds_of_scenario(const struct scenario *s)
{
    uint64_t kinds = 0;
    if (s->faults > KINDS_MAX) return 0;
    for (uint32_t i = 0; i < s->faults; i++) kinds |= UINT64_C(1) << s->fault[i].kind;
    return kinds;
}

static bool guess_kinds(struct shrink *s, const struct scenario *like, uint64_t kinds)
{
    struct scenario c = *like, *shape = &c;
    for (uint32_t tabs = 1; tabs <= SHRINK_TABS; tabs++) {
        shape->devices = tabs > 1 && like->devices > 1 ? 2 : 1;
        for (uint32_t d = 0; d < shape->devices; d++) {
            shape->device[d].tabs = d ? 1 : tabs;
            if (shape->device[d].visible > 1) shape->device[d].visible = 1;
        }
        for (int k = 0; k < FAULT_COUNT; k++)
            if (kinds >> k & 1 && (k != FAULT_SECOND_DEVICE || shape->devices > 1) &&
                guess_kind(s, shape, (enum fault_kind)k))
                return true;
    }
    return false;
}

/* What a round has most often, where this one had something else. */
static void make_common(struct scenario *s)
{
    for (uint32_t d = 0; d < s->devices; d++) {
        s->device[d].mix[0].profile = PROFILE_CHROMIUM;
        s->device[d].visible = 1;
    }
    s->hidden_since.none = 1;
    s->hidden_since.s70 = s->hidden_since.s400 = 0;
}

bool shrink_guess(struct shrink *s, uint64_t seed, bool of_scenario)
{
    if (!shrink_try_seed(s, s->drawn, seed)) return false;
    const struct world *w = s->player->runner.world;
    uint64_t kinds = kinds_of_round(w);
    if (of_scenario) kinds = kinds_of_scenario(s->drawn) & ~kinds;
    struct scenario shape = *s->drawn;
    pin_round(&shape, w);
    shape.calm = true;
    shape.steps = 0;
    place_odd_pages(&shape, ALL_OF_THEM);
    if (guess_kinds(s, &shape, kinds)) return true;
    make_common(&shape);
    return guess_kinds(s, &shape, kinds);
}

static bool is_a_schedule(const struct scenario *s)
{
    return s->steps > 0 && s->faults == 0 && s->operations.max == 0;
}

enum shrink_outcome shrink_start(struct shrink *s, const struct scenario *scenario, uint64_t seed,
                                 enum invariant_kind invariant)
{
    struct played p = player_round(s->player, scenario, s->contract, seed);
    s->rounds = 1;
    if (played_proves_nothing(&p)) return SHRINK_LIMIT;
    s->broken = played_broken(&p);
    for (int k = 0; invariant == INV_COUNT && k < INV_COUNT; k++)
        if (s->broken >> k & 1) invariant = (enum invariant_kind)k;
    if (invariant == INV_COUNT || !(s->broken >> invariant & 1)) return SHRINK_HOLDS;
    s->invariant = invariant;
    s->reason = p.result->finding[invariant].reason;
    s->drawn = scenario;
    s->best = *scenario;
    s->seed = s->from = seed;
    s->limit = s->budget;
    s->scheduled = is_a_schedule(scenario);
    return SHRINK_OK;
}
