/* The plainest of rounds, guessed, and luck that a fault can bring about; see shrink.h. */
#include "tools/shrink_internal.h"

#define KINDS_MAX 8 /* kinds of faults that are guessed with */
#define LENGTH_STEP_US (25 * US_PER_MS)
#define LENGTH_MAX_US (3 * US_PER_S)

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
            c.step[0] = shrink_step(FAULT_COUNT);
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
        struct step_plan p = shrink_step(k);
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

static bool guess_kinds(struct shrink *s, const struct scenario *shape, uint64_t kinds)
{
    for (int k = 0; k < FAULT_COUNT; k++)
        if (kinds >> k & 1 && (k != FAULT_SECOND_DEVICE || shape->devices > 1) &&
            guess_kind(s, shape, (enum fault_kind)k))
            return true;
    return false;
}

/* A request is held up, and then the page that made it is. */
static bool guess_late(struct shrink *s, const struct scenario *shape, struct step_plan late)
{
    static const enum fault_kind then[] = { FAULT_CLOSE_HOLDER, FAULT_HIDE_HOLDER,
                                            FAULT_CRASH_HOLDER, FAULT_FREEZE_ABRUPT,
                                            FAULT_ROGUE_STEAL };
    for (size_t k = 0; k < sizeof then / sizeof then[0]; k++) {
        struct scenario c = *shape;
        c.steps = 3;
        c.step[0] = shrink_step(FAULT_COUNT);
        c.step[0].at_us = US_PER_S;
        c.step[1] = late;
        c.step[2] = shrink_step(then[k]);
        c.step[2].waits = true;
        c.step[2].until = OBS_REQUEST_DELAYED;
        c.step[2].lasts_us = fault_info[then[k]].lasts ? 2 * US_PER_S : 0;
        if (shrink_try_seed(s, &c, 0)) return true;
    }
    return false;
}

static bool any_late(struct shrink *s, const struct scenario *shape,
                     bool (*try_it)(struct shrink *, const struct scenario *, struct step_plan))
{
    static const enum request_kind request[] = { REQ_COMMIT, REQ_ACK, REQ_RENEW, REQ_EFFECT,
                                                 REQ_CLAIM };
    static const int64_t late_us[] = { 10 * US_PER_MS,   20 * US_PER_MS,  50 * US_PER_MS,
                                       100 * US_PER_MS,  300 * US_PER_MS, US_PER_S,
                                       1500 * US_PER_MS, 2 * US_PER_S };
    for (size_t k = 0; k < sizeof request / sizeof request[0]; k++)
        for (size_t n = 0; n < sizeof late_us / sizeof late_us[0]; n++) {
            struct step_plan p = shrink_step(FAULT_REQUEST_LATE);
            p.when = request[k] == REQ_CLAIM ? PHASE_WAITING : PHASE_IDLE;
            p.request = request[k];
            p.lasts_us = late_us[n];
            if (try_it(s, shape, p)) return true;
        }
    return false;
}

/* With one tab, two, three; on two devices where the scenario has them. */
static bool guess_sizes(struct shrink *s, const struct scenario *like, enum shrink_guess what,
                        uint64_t kinds)
{
    struct scenario c = *like, *shape = &c;
    for (uint32_t tabs = 1; tabs <= SHRINK_TABS; tabs++) {
        shape->devices = tabs > 1 && like->devices > 1 ? 2 : 1;
        for (uint32_t d = 0; d < shape->devices; d++) {
            shape->device[d].tabs = d ? 1 : tabs;
            if (shape->device[d].visible > 1) shape->device[d].visible = 1;
        }
        bool found =
            what == GUESS_ONE_LATE ? any_late(s, shape, guess_late) : guess_kinds(s, shape, kinds);
        if (found) return true;
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

bool shrink_guess(struct shrink *s, uint64_t seed, enum shrink_guess what)
{
    if (!shrink_try_seed(s, s->drawn, seed)) return false;
    const struct world *w = s->player->runner.world;
    uint64_t kinds = kinds_of_round(w);
    if (what == GUESS_OF_SCENARIO) kinds = kinds_of_scenario(s->drawn) & ~kinds;
    struct scenario shape = *s->drawn;
    shrink_pin(&shape, w);
    shape.calm = true;
    shape.steps = 0;
    shrink_all_odd_pages(&shape);
    if (guess_sizes(s, &shape, what, kinds)) return true;
    make_common(&shape);
    return guess_sizes(s, &shape, what, kinds);
}
/* -- choices -------------------------------------------------------------------------- */

/* Room for one more before step `i`. */
static void make_room(struct scenario *c, uint32_t i)
{
    for (uint32_t k = c->steps++; k > i; k--) c->step[k] = c->step[k - 1];
}

static bool try_with(struct shrink *s, uint32_t i, struct step_plan p)
{
    struct scenario c = s->best;
    make_room(&c, i);
    c.step[i] = p;
    c.calm = true;
    return shrink_try(s, &c);
}

/* A request that happened to be slow. */
static bool with_one_late(struct shrink *s, const struct scenario *best, struct step_plan late)
{
    (void)best;
    return try_with(s, 0, late);
}

/* A message that was lost, a task that was long, tabs that loaded in another order. */
static bool with_one_more(struct shrink *s, uint32_t i, enum leader_phase when)
{
    static const struct {
        enum fault_kind fault;
        int64_t lasts_us;
    } luck[] = {
        { FAULT_HIDE_HOLDER, 0 },          { FAULT_ANSWER_LOST, 0 },
        { FAULT_LONG_TASK, 2 * US_PER_S }, { FAULT_FREEZE_ABRUPT, 2 * US_PER_S },
        { FAULT_CUT_DOWN, 2 * US_PER_S },  { FAULT_CUT_SERVER, 2 * US_PER_S },
        { FAULT_REQUEST_LATE, US_PER_S },
    };
    for (size_t k = 0; k < sizeof luck / sizeof luck[0]; k++) {
        struct step_plan p = shrink_step(luck[k].fault);
        p.when = when;
        p.lasts_us = luck[k].lasts_us;
        if (try_with(s, i, p)) return true;
    }
    return false;
}

/* A fault that happened to end at the right moment. */
static bool with_another_length(struct shrink *s, uint32_t i)
{
    struct scenario c = s->best;
    c.calm = true;
    for (int64_t us = LENGTH_STEP_US; c.step[i].lasts_us > 0 && us <= LENGTH_MAX_US;
         us += LENGTH_STEP_US) {
        c.step[i].lasts_us = us;
        if (shrink_try(s, &c)) return true;
    }
    return false;
}

void shrink_without_luck(struct shrink *s)
{
    struct shrink_size n = shrink_size(&s->best);
    bool is_small = n.tabs <= SHRINK_TABS + 1 && n.operations <= SHRINK_OPERATIONS + 1;
    if (!s->adds_faults || s->best.calm || !s->scheduled || n.faults > SHRINK_FAULTS || !is_small)
        return;
    for (uint32_t i = 0; i < s->best.steps; i++)
        if (with_another_length(s, i)) return;
    if (n.faults == SHRINK_FAULTS || any_late(s, &s->best, with_one_late)) return;
    for (uint32_t i = 0; i <= s->best.steps; i++)
        for (int k = PHASE_GRANTED; k < PHASE_COUNT; k++)
            if (with_one_more(s, i, (enum leader_phase)k)) return;
}
