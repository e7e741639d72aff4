/* What makes a failing round less, one kind of thing after the other; see shrink.h. Each
 * tries candidates that lack something, and keeps what still breaks. */
#include "sim/engine/rng.h"
#include "tools/ddmin.h"
#include "tools/shrink_internal.h"

/* -- steps ---------------------------------------------------------------------------- */

struct kept_steps {
    struct shrink *shrink;
    const struct scenario *all;
};

/* What was first is gone: the next has nothing to follow. */
static void give_first_a_time(struct scenario *c)
{
    struct step_plan *p = &c->step[0];
    if (p->at_us < 0 && p->after_us == 0 && p->when == PHASE_COUNT && !p->waits) p->at_us = 0;
}

static void keep_steps(struct scenario *c, uint64_t kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->steps; i++)
        if (kept >> i & 1) c->step[n++] = c->step[i];
    c->steps = n;
    give_first_a_time(c);
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
    give_first_a_time(c);
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
    bool waits = c.step[i].waits || c.step[i].when != PHASE_COUNT;
    if (!waits || c.step[i].at_us < 0) return;
    c.step[i].at_us = -1;
    if (shrink_try(s, &c)) return;
    c = s->best;
    c.step[i].when = PHASE_COUNT;
    c.step[i].waits = false;
    c.step[i].of = STEP_ANY;
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
    for (uint32_t n = 0; n < s->best.account_changes.max; n++) {
        struct scenario c = s->best;
        c.account_changes = (struct count_range){ n, n };
        if (shrink_try(s, &c)) break;
    }
}

/* -- order ---------------------------------------------------------------------------- */

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

void shrink_less(struct shrink *s, bool tabs_first)
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
        shrink_without_luck(s);
        plainer_round(s);
        if (!s->scheduled) fewer_drawn(s);
        shorter_lasts(s);
        rounder_times(s);
        tell_in_order(s);
        shorter_round(s);
    } while (size_of(&s->best) != before && !shrink_is_out_of_rounds(s));
}
