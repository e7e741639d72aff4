/* From a round that was drawn to a schedule: what really began, when and on whom. See
 * shrink.h. The world of the last round knows; it is read before the next one is played.
 *
 * A fault that waited for a phase can be told in three ways: at the time at which it
 * began; armed at a time, for the phase; for the phase alone. One of them keeps the failure
 * where another loses it, since leaving out anything shifts what is drawn afterwards. */
#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/shrink_internal.h"

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

struct step_plan shrink_step(enum fault_kind k)
{
    return (struct step_plan){ .at_us = -1,
                               .when = PHASE_COUNT,
                               .of = STEP_ANY,
                               .fault = k,
                               .action = ACTION_SUBMIT,
                               .tab = STEP_ANY,
                               .device = STEP_ANY };
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
    struct step_plan p = shrink_step(FAULT_HIDE_HOLDER);
    if (f->phase == PHASE_EFFECT_UNKNOWN) {
        p.fault = FAULT_ANSWER_LOST;
        p.when = PHASE_EFFECT;
    }
    add_step(s, p, f->armed_at.us);
}

static int64_t length_of(const struct planned_fault *f, int64_t began_us, int64_t end_us)
{
    if (f->kind == FAULT_LONG_TASK) return f->lasts_us;
    if (f->kind == FAULT_REQUEST_LATE) return f->late_us;
    if (!fault_info[f->kind].lasts || (f->for_good && began_us + f->lasts_us >= end_us)) return 0;
    return f->lasts_us;
}

static void add_fault(struct scenario *s, const struct world *w, const struct planned_fault *f,
                      enum told told)
{
    struct step_plan p = shrink_step(f->kind);
    int64_t began = w->history.at[f->number].at.us;
    bool aimed = f->armed_at.us > 0 && f->met == f->phase;
    p.lasts_us = length_of(f, began, w->heal_at.us);
    p.request = f->request;
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

/* What users did; that a page ended a session, or a fault did, follows by itself. */
static void add_accounts(struct scenario *s, const struct world *w)
{
    static const enum step_action done[ACCOUNT_COUNT] = {
        [ACCOUNT_OWN] = ACTION_SIGN_IN,
        [ACCOUNT_OTHER] = ACTION_SWITCH,
        [ACCOUNT_NONE] = ACTION_SIGN_OUT,
    };
    for (uint32_t i = 0; i < w->history.n; i++) {
        const struct obs *o = &w->history.at[i];
        if (o->kind != OBS_ACCOUNT_CHANGED || o->cause != OBS_NONE) continue;
        if (o->at.us >= w->heal_at.us) break;
        struct step_plan p = shrink_step(FAULT_COUNT);
        p.action = done[o->a];
        p.device = o->partition;
        add_step(s, p, o->at.us);
    }
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
        struct step_plan p = shrink_step(FAULT_COUNT);
        p.tab = u->tab;
        if (u->tab != PAGE_NONE) add_step(s, p, u->at.us);
    }
    add_accounts(s, w);
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
void shrink_pin(struct scenario *s, const struct world *w)
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
    s->operations = s->faults_drawn = s->account_changes = (struct count_range){ 0, 0 };
    s->faults = s->omit_percent = 0;
}

static void open_one(struct scenario *s, enum fault_kind k, uint32_t device)
{
    struct step_plan p = shrink_step(k);
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

void shrink_all_odd_pages(struct scenario *s)
{
    place_odd_pages(s, ALL_OF_THEM);
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

/* The round that was the player's last, in every way that it can be told. */
static void tell_all(const struct shrink *s, struct scenario told[TOLD])
{
    const struct world *w = s->player->runner.world;
    for (int k = 0; k < TOLD; k++) {
        told[k] = *s->drawn;
        shrink_pin(&told[k], w);
        add_steps(&told[k], w, (enum told)k);
    }
}

bool shrink_schedule(struct shrink *s, uint64_t seed)
{
    struct scenario told[TOLD];
    if (s->drawn->steps > 0) return false; /* steps that follow each other do not mix with others */
    if (!shrink_try_seed(s, s->drawn, seed)) return false;
    tell_all(s, told);
    return any_calm_one_fails(s, told) || any_seed_fails(s, told, seed);
}

static bool is_a_schedule(const struct scenario *s)
{
    return s->steps > 0 && s->faults == 0 && s->operations.max == 0 && s->account_changes.max == 0;
}

enum shrink_outcome shrink_start(struct shrink *s, const struct scenario *scenario, uint64_t seed,
                                 enum invariant_kind invariant)
{
    s->course.seed = seed;
    struct course course = s->course;
    struct played p = player_course(s->player, scenario, s->contract, &course);
    s->rounds = 1;
    s->events = p.events;
    s->broken = played_broken(&p);
    if (s->broken == 0 && played_proves_nothing(&p)) return SHRINK_LIMIT;
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
