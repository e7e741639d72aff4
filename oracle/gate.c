/* From a tally and a contract to the table of conditions (oracle.md, "The release gate").
 *
 *   gate_judge    fills the report: one condition a row, in the table's order
 *
 * Three rules hold for every row. Evidence against the contract fails, whatever else is
 * missing. Missing evidence is unknown: a zero out of nothing is no zero. A row that is
 * shown only (`judged` false) says pass and so does not touch the verdict. The verdict of
 * the gate is fail before unknown before pass.
 *
 * A short gate (fewer rounds asked for than the contract names) is judged on what there
 * is; minima for coverage shrink with the rounds, and where fewer than MIN_EXPECTED hits
 * would be demanded the row is shown only.
 *
 * Left out: the baseline of known violations, which the tools apply to the report. */
#include "oracle/gate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "oracle/spending.h"
#include "oracle/stats.h"
#include "sim/base/must.h"

#define CELL_HITS 30           /* of every possible cell, at the contract's rounds */
#define MIN_EXPECTED 5         /* below this a minimum is chance */
#define CLASS_ROUNDS_PERCENT 2 /* every class of fault is effective in so many rounds */
#define CAUSE_SAMPLES 1000     /* a cause with fewer has no p99 of its own */
#define HOLDS_MIN 2995         /* smallest n with 0.999^n < 5% */
#define REPLAYS_MIN 200
#define REPLAYS_PER_ROUNDS 100 /* one in so many */

const char *const gate_verdict_word[3] = { "pass", "fail", "unknown" };

struct rows {
    struct gate_report *report;
    const struct gate_input *in;
    const struct tally *t;
    uint64_t rounds; /* demanded: the contract's, or fewer when short */
};

__attribute__((format(printf, 2, 3))) static void text(char *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(to, CONDITION_TEXT_MAX, format, args);
    va_end(args);
}

static void text_us(char *to, const char *before, int64_t us)
{
    if (us >= US_PER_S || us == 0)
        text(to, "%s%" PRId64 ".%03" PRId64 " s", before, us / US_PER_S, us % US_PER_S / US_PER_MS);
    else
        text(to, "%s%" PRId64 ".%03" PRId64 " ms", before, us / US_PER_MS, us % US_PER_MS);
}

/* A failover; the longest ones have no length, since they had not ended. */
static void text_failover(char *to, int64_t us)
{
    if (us >= HIST_OPEN_US)
        text(to, "open");
    else
        text_us(to, "", us);
}

static void text_between_us(char *to, int64_t low, int64_t high)
{
    char a[CONDITION_TEXT_MAX / 3], b[CONDITION_TEXT_MAX / 3];
    char whole[CONDITION_TEXT_MAX];
    text_failover(whole, low);
    snprintf(a, sizeof a, "%.30s", whole);
    text_failover(whole, high);
    snprintf(b, sizeof b, "%.30s", whole);
    text(to, "%s..%s", a, b);
}

static struct condition *row(struct rows *r, const char *name, const char *says)
{
    must(r->report->conditions < CONDITIONS_MAX);
    struct condition *c = &r->report->condition[r->report->conditions++];
    *c = (struct condition){ .verdict = GATE_UNKNOWN, .judged = true };
    text(c->name, "%s", name);
    text(c->says, "%s", says);
    return c;
}

static void count_rounds(struct rows *r)
{
    struct condition *c = row(r, "rounds", "rounds run");
    text(c->threshold, ">= %" PRIu64, r->rounds);
    text(c->value, "%" PRIu64 "%s", r->t->rounds, r->in->interrupted ? " (interrupted)" : "");
    if (!r->in->interrupted && r->t->rounds >= r->rounds && r->rounds > 0) c->verdict = GATE_PASS;

    c = row(r, "limits", "rounds that hit a limit and prove nothing");
    text(c->threshold, "0");
    text(c->value, "%" PRIu64, r->t->unknown_rounds);
    if (r->t->rounds > 0 && r->t->unknown_rounds == 0) c->verdict = GATE_PASS;
}

/* An invariant that must never break, in any round. The bound is over the uniformly drawn
 * rounds in which it was put to the test, which is larger, so safer, than over all. */
static void never(struct rows *r, enum invariant_kind k, const char *name, const char *says)
{
    struct condition *c = row(r, name, says);
    uint64_t broken = r->t->broken[k], tested = broken + r->t->held[k];
    text(c->threshold, "0");
    text(c->value, "%" PRIu64, broken);
    uint64_t drawn_broken = r->t->uniform_broken[k];
    uint64_t drawn = drawn_broken + r->t->uniform_held[k];
    if (drawn_broken > 0) {
        struct interval i = stats_proportion((double)drawn_broken, (double)drawn);
        text(c->bound95, "%.1e..%.1e a round", i.low, i.high);
    } else if (drawn > 0) {
        text(c->bound95, "<= %.1e a round", stats_rule_of_three(drawn));
    }
    if (tested > 0) c->verdict = broken > 0 ? GATE_FAIL : GATE_PASS;
}

static const struct {
    enum invariant_kind kind;
    const char *name, *says;
} headline[] = {
    { INV_SINGLE_ACTIVE_GENERATION, "dual-active", "rounds with two active generations" },
    { INV_NO_STALE_COMMIT, "stale-commits", "rounds with a commit under a stale fence" },
    { INV_EFFECT_AT_MOST_ONCE, "effects-twice", "rounds with an operation of several effects" },
    { INV_NO_FAIL_OPEN, "failed-open", "rounds with a critical write that failed open" },
    { INV_UNRECONCILED_OWNED, "unreconciled", "rounds with an unowned operation at a transition" },
};
#define HEADLINES (sizeof headline / sizeof headline[0])

const char *gate_condition_name(enum invariant_kind k)
{
    for (size_t i = 0; i < HEADLINES; i++)
        if (headline[i].kind == k) return headline[i].name;
    return invariant_word[k];
}

static bool is_headline(enum invariant_kind k)
{
    return gate_condition_name(k) != invariant_word[k];
}

static void headlines(struct rows *r)
{
    for (size_t i = 0; i < HEADLINES; i++)
        never(r, headline[i].kind, headline[i].name, headline[i].says);
}

static void other_invariants(struct rows *r)
{
    for (int k = 0; k < INV_COUNT; k++) {
        if (is_headline((enum invariant_kind)k)) continue;
        char says[CONDITION_TEXT_MAX];
        text(says, "rounds in which %s is broken", invariant_word[k]);
        never(r, (enum invariant_kind)k, invariant_word[k], says);
    }
}

double tally_failover_design_effect(const struct tally *t)
{
    const struct cluster_sums sums = {
        .clusters = t->strategy_rounds[STRATEGY_UNIFORM],
        .hits = t->over_threshold,
        .samples = t->failover.n,
        .hits_sq = t->over_threshold_sq,
        .samples_sq = t->samples_sq,
        .hits_times_samples = t->over_times_samples,
    };
    return stats_design_effect(&sums);
}

static void text_p99(char *to, const struct histogram *h)
{
    char us[CONDITION_TEXT_MAX];
    text_failover(us, hist_quantile(h, 99, 100));
    if (hist_open(h) > 0)
        text(to, "%.40s (%" PRIu64 " of %" PRIu64 " open)", us, hist_open(h), h->n);
    else
        text(to, "%.40s", us);
}

/* p99 of `h` against `limit_us`. Too few samples for an interval are unknown, unless
 * even so few show that more than 1% are over: then `sure_over` says so. */
static void p99(struct condition *c, const struct histogram *h, double design_effect,
                int64_t limit_us, bool sure_over)
{
    int64_t low = 0, high = 0;
    text_us(c->threshold, "< ", limit_us);
    if (h->n > 0) text_p99(c->value, h);
    if (tally_quantile_interval(h, 99, 100, design_effect, &low, &high)) {
        text_between_us(c->bound95, low, high);
        /* value within, bound not: too few rounds to tell, which is not a pass either */
        bool over = hist_quantile(h, 99, 100) >= limit_us;
        c->verdict = high < limit_us ? GATE_PASS : over ? GATE_FAIL : GATE_UNKNOWN;
    } else if (sure_over) {
        text(c->bound95, "over 1%% are longer");
        c->verdict = GATE_FAIL;
    }
}

static void failover(struct rows *r)
{
    struct condition *c =
        row(r, "failover-p99", "failover p99: eligible time without an able leader");
    const struct tally *t = r->t;
    double effect = tally_failover_design_effect(t);
    bool sure =
        t->failover.n > 0 &&
        stats_proportion((double)t->over_threshold / effect, (double)t->failover.n / effect).low >
            0.01;
    p99(c, &t->failover, effect, r->in->contract->slo.failover_p99_us, sure);
}

void tally_unasked(struct histogram *h, const struct tally *t)
{
    for (int g = 0; g < GAP_COUNT; g++)
        if (g != GAP_HIDDEN && g != GAP_MAX_HOLD && g != GAP_COLD) hist_merge(h, &t->by_cause[g]);
}

/* Orderly hand-overs are cheap and many; what nobody asked for stands apart, so that they
 * cannot hide it. */
static void failover_unasked(struct rows *r)
{
    struct histogram h = { 0 };
    tally_unasked(&h, r->t);
    if (h.n < CAUSE_SAMPLES) return;
    struct condition *c =
        row(r, "failover-p99-unasked", "failover p99, causes hidden and max-hold left out");
    p99(c, &h, tally_failover_design_effect(r->t), r->in->contract->slo.failover_p99_us, false);
    text(c->threshold, "shown");
    c->judged = false;
    c->verdict = GATE_PASS;
}

static void failover_by_cause(struct rows *r)
{
    failover_unasked(r);
    int64_t limit_us = r->in->contract->slo.failover_by_cause_us;
    for (int g = 0; g < GAP_COUNT; g++) {
        const struct histogram *h = &r->t->by_cause[g];
        if (h->n < CAUSE_SAMPLES) continue;
        char name[CONDITION_TEXT_MAX];
        text(name, "failover-p99-%s", gap_word[g]);
        char says[CONDITION_TEXT_MAX];
        text(says, "failover p99, cause %s", gap_word[g]);
        struct condition *c = row(r, name, says);
        p99(c, h, tally_failover_design_effect(r->t), limit_us, false);
        if (limit_us > 0) continue;
        text(c->threshold, "shown");
        c->judged = false;
        c->verdict = GATE_PASS;
    }
}

double tally_hold_design_effect(const struct tally *t)
{
    const struct cluster_sums sums = {
        .clusters = t->strategy_rounds[STRATEGY_UNIFORM],
        .hits = t->hold_overruns,
        .samples = t->holds,
        .hits_sq = t->hold_overruns_sq,
        .samples_sq = t->holds_sq,
        .hits_times_samples = t->overruns_times_holds,
    };
    return stats_design_effect(&sums);
}

static void background(struct rows *r)
{
    struct condition *c = row(r, "background-overrun", "background holds longer than maxHold");
    const struct tally *t = r->t;
    double limit = (double)r->in->contract->slo.background_overrun_ppm / 1e6;
    text(c->threshold, "< %.4g%%", limit * 100);
    text(c->value, "%" PRIu64 " of %" PRIu64, t->hold_overruns, t->holds);
    if (t->holds == 0) return;
    double effect = tally_hold_design_effect(t);
    double k = (double)t->hold_overruns / effect, n = (double)t->holds / effect;
    double high = stats_upper(k, n);
    text(c->bound95, "<= %.4g%%", high * 100);
    bool enough = t->holds >= HOLDS_MIN;
    if (enough && high < limit)
        c->verdict = GATE_PASS;
    else if ((enough && k >= limit * n) || stats_lower(k, n) >= limit)
        c->verdict = GATE_FAIL; /* else too few to tell */
}

static void needless_steals(struct rows *r)
{
    struct condition *c = row(r, "needless-steals", "steals from a page that was able to act");
    uint64_t transitions = r->t->transitions, needless = r->t->needless_steals;
    double limit = (double)r->in->contract->slo.needless_steals_ppm / 1e6;
    text(c->threshold, "<= %.4g%% of transitions", limit * 100);
    text(c->value, "%" PRIu64 " of %" PRIu64, needless, transitions);
    if (transitions == 0) return;
    double high = needless < transitions ? stats_upper((double)needless, (double)transitions) : 1;
    text(c->bound95, "<= %.4g%%", high * 100);
    bool within = needless * 1000000 <= transitions * r->in->contract->slo.needless_steals_ppm;
    c->verdict = within ? GATE_PASS : GATE_FAIL;
}

static void renewals(struct rows *r)
{
    struct condition *c = row(r, "renewals", "renewals at the ledger a second of leading");
    uint64_t limit = r->in->contract->slo.renewals_per_leader_second_milli;
    uint64_t leader_ms = r->t->leader_us / US_PER_MS;
    text(c->threshold, "<= %" PRIu64 ".%03" PRIu64, limit / 1000, limit % 1000);
    if (leader_ms == 0) return;
    uint64_t milli = r->t->renewals * 1000000 / leader_ms;
    text(c->value, "%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
    c->verdict = milli <= limit ? GATE_PASS : GATE_FAIL;
}

struct cells {
    uint32_t possible, enough;
    uint64_t worst;
    int worst_fault, worst_phase;
};

static struct cells count_cells(const struct tally *t, uint64_t minimum)
{
    struct cells n = { .worst = UINT64_MAX };
    for (int f = 0; f < FAULT_COUNT; f++)
        for (int p = 0; p < PHASE_COUNT; p++) {
            if (coverage_impossible((enum fault_kind)f, (enum leader_phase)p)) continue;
            n.possible++;
            n.enough += t->cell[f][p] >= minimum;
            if (t->cell[f][p] >= n.worst) continue;
            n.worst = t->cell[f][p];
            n.worst_fault = f;
            n.worst_phase = p;
        }
    return n;
}

/* `full` at the contract's rounds, in proportion below; at least 1. */
static uint64_t scaled(const struct rows *r, uint64_t full)
{
    uint64_t rounds = r->in->contract->slo.rounds;
    if (r->rounds >= rounds) return full;
    return (full * r->rounds + rounds - 1) / rounds;
}

/* Shown only: too few are expected in a short gate for the count to mean anything. */
static void too_short(struct rows *r, struct condition *c, uint64_t expected)
{
    if (!r->report->is_short || expected >= MIN_EXPECTED) return;
    c->judged = false;
    c->verdict = GATE_PASS;
    snprintf(c->threshold + strlen(c->threshold), sizeof c->threshold - strlen(c->threshold),
             " (not judged)");
}

static void coverage(struct rows *r)
{
    struct condition *c = row(r, "coverage", "effective hits of every cell fault x phase");
    uint64_t minimum = scaled(r, CELL_HITS);
    struct cells n = count_cells(r->t, minimum);
    text(c->threshold, ">= %" PRIu64 " in each of %u cells", minimum, n.possible);
    text(c->value, "%u short; fewest %" PRIu64 ": %.32s x %.20s", n.possible - n.enough, n.worst,
         fault_info[n.worst_fault].word, phase_word[n.worst_phase]);
    if (n.enough == n.possible) c->verdict = GATE_PASS;
    too_short(r, c, minimum);
}

static void fault_classes(struct rows *r)
{
    struct condition *c = row(r, "fault-classes", "rounds in which each fault was effective");
    int fewest = 0;
    uint32_t few = 0;
    uint64_t drawn = r->t->strategy_rounds[STRATEGY_UNIFORM];
    uint64_t minimum = (drawn * CLASS_ROUNDS_PERCENT + 99) / 100;
    for (int f = 0; f < FAULT_COUNT; f++) {
        uint64_t rounds = r->t->effective_rounds[f];
        if (rounds < r->t->effective_rounds[fewest]) fewest = f;
        few += rounds < minimum;
    }
    text(c->threshold, ">= %d%% for each of %d", CLASS_ROUNDS_PERCENT, FAULT_COUNT);
    text(c->value, "%u short; fewest %" PRIu64 ": %.40s", few, r->t->effective_rounds[fewest],
         fault_info[fewest].word);
    if (few == 0 && drawn > 0) c->verdict = GATE_PASS;
    too_short(r, c, minimum);
}

static struct condition *shown(struct rows *r, const char *name, const char *says)
{
    struct condition *c = row(r, name, says);
    text(c->threshold, "shown");
    c->judged = false;
    c->verdict = GATE_PASS;
    return c;
}

/* How the rounds were spent: what the last tenth of them still showed for the first time, and
 * what PCT promises. */
static void spending(struct rows *r)
{
    const struct tally *t = r->t;
    struct curve_point curve[CURVE_MAX];
    uint32_t n = spending_curve(t, curve);
    struct condition *c;
    if (n > 0 && curve[n - 1].states > 0) {
        uint64_t rounds = curve[n - 1].rounds;
        uint32_t states = curve[n - 1].states, before = tally_states(t, rounds - rounds / 10);
        c = shown(r, "abstract-states", "states of leader, ledger, network and event seen");
        text(c->value, "%" PRIu32 ", %" PRIu32 " in the last tenth of the rounds", states,
             states - before);
    }
    for (int depth = 2; depth <= 3; depth++) {
        struct pct_bound b;
        char name[CONDITION_TEXT_MAX];
        if (!spending_pct(t, depth, &b)) continue;
        text(name, "pct-depth-%d", depth);
        c = shown(r, name, "an order of so many messages is met by PCT");
        text(c->value, "n %.1f, k %.0f, %" PRIu64 " rounds", b.n, b.k, b.rounds);
        text(c->bound95, "met >= %.1e a round; missed <= %.2g", b.hit, b.missed);
    }
}

static void mutants(struct rows *r)
{
    struct condition *c = row(r, "mutants", "broken versions caught by their invariant");
    const struct gate_input *in = r->in;
    const char *escaped = NULL;
    uint32_t caught = 0;
    text(c->threshold, "all");
    if (!in->mutants_run || in->mutants == 0) {
        text(c->value, "not run");
        return;
    }
    for (uint32_t i = 0; i < in->mutants; i++) {
        const struct mutant_outcome *m = &in->mutant[i];
        if (m->caught && m->rounds <= m->budget)
            caught++;
        else if (!escaped)
            escaped = m->name;
    }
    text(c->value, "%u of %u%s%.64s", caught, in->mutants, escaped ? "; escaped: " : "",
         escaped ? escaped : "");
    c->verdict = escaped ? GATE_FAIL : GATE_PASS;
}

static void canary(struct rows *r)
{
    struct condition *c = row(r, "canary", "a version that breaks everything is red");
    text(c->threshold, "red");
    text(c->value, "%s", !r->in->canary_run ? "not run" : r->in->canary_red ? "red" : "green");
    if (r->in->canary_run) c->verdict = r->in->canary_red ? GATE_PASS : GATE_FAIL;
}

static void determinism(struct rows *r)
{
    struct condition *c = row(r, "determinism", "rounds run again with an equal digest");
    const struct gate_input *in = r->in;
    uint64_t least = (r->t->rounds + REPLAYS_PER_ROUNDS - 1) / REPLAYS_PER_ROUNDS;
    if (least < REPLAYS_MIN) least = REPLAYS_MIN;
    if (least > r->t->rounds) least = r->t->rounds; /* there are no more to run again */
    text(c->threshold, "all of >= %" PRIu64, least);
    text(c->value, "%" PRIu64 " of %" PRIu64, in->replayed - in->replayed_differently,
         in->replayed);
    if (in->replayed_differently > 0)
        c->verdict = GATE_FAIL;
    else if (in->replayed >= least && least > 0)
        c->verdict = GATE_PASS;
}

enum gate_verdict gate_worst(const struct gate_report *report)
{
    enum gate_verdict worst = GATE_PASS;
    for (uint32_t i = 0; i < report->conditions; i++) {
        const struct condition *c = &report->condition[i];
        must(c->judged || c->verdict == GATE_PASS);
        if (c->verdict == GATE_PASS) continue;
        if (c->verdict == GATE_FAIL) return GATE_FAIL;
        worst = GATE_UNKNOWN;
    }
    return worst;
}

void gate_judge(struct gate_report *report, const struct gate_input *in)
{
    uint64_t contract_rounds = in->contract->slo.rounds;
    must(in->replayed_differently <= in->replayed);
    *report = (struct gate_report){ .is_short = in->rounds_asked < contract_rounds };
    struct rows r = { .report = report, .in = in, .t = in->tally };
    r.rounds = report->is_short ? in->rounds_asked : contract_rounds;
    count_rounds(&r);
    headlines(&r);
    failover(&r);
    failover_by_cause(&r);
    background(&r);
    needless_steals(&r);
    renewals(&r);
    other_invariants(&r);
    coverage(&r);
    fault_classes(&r);
    spending(&r);
    mutants(&r);
    canary(&r);
    determinism(&r);
    report->verdict = gate_worst(report);
}
