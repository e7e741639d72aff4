#include "reports/trend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/stats.h"
#include "reports/quantiles.h"
#include "reports/text.h"
#include "sim/base/must.h"

/* -- the measures of one run ---------------------------------------------------------------- */

/* A histogram gives upper edges: the value itself may be a bucket, 0.1%, smaller. */
static struct trend_value of_quantile(const struct histogram *h, enum quantile q, double effect)
{
    struct quantile_value v = quantile_of(h, q, effect);
    return (struct trend_value){ v.us >= 0, v.low_us >= 0, (double)v.us, (double)v.low_us * 0.999,
                                 (double)v.high_us };
}

/* `hits` of `samples` in clusters whose sums are known, or of independent ones. */
static struct trend_value of_share(uint64_t hits, uint64_t samples, double effect)
{
    if (samples == 0) return (struct trend_value){ 0 };
    struct interval i = stats_proportion((double)hits / effect, (double)samples / effect);
    return (struct trend_value){ true, true, (double)hits / (double)samples, i.low, i.high };
}

static struct trend_value of_rate(uint64_t n, uint64_t leader_us)
{
    struct trend_value v = { .known = leader_us > 0 };
    if (v.known) v.value = (double)n / ((double)leader_us / US_PER_S);
    return v;
}

/* -- all runs ------------------------------------------------------------------------------- */

static struct trend_measure *add(struct trend *t, enum trend_unit unit, const char *name,
                                 const char *of)
{
    must(t->measures < TREND_MEASURES_MAX);
    struct trend_measure *m = &t->measure[t->measures];
    snprintf(m->name, sizeof m->name, "%s%s%s", name, *of ? " " : "", of);
    m->unit = unit;
    m->at = calloc(t->runs, sizeof *m->at);
    if (m->at) t->measures++;
    return m->at ? m : NULL;
}

static bool add_quantile(struct trend *t, enum quantile q, uint32_t part)
{
    char name[TREND_NAME_MAX];
    struct failover_part first = failover_part(t->run[0]->tally, part);
    snprintf(name, sizeof name, "failover %s", quantile_word[q]);
    struct trend_measure *m = add(t, TREND_US, name, first.group == FAILOVER_ALL ? "" : first.word);
    for (uint32_t i = 0; m && i < t->runs; i++) {
        const struct tally *tally = t->run[i]->tally;
        m->at[i] =
            of_quantile(failover_part(tally, part).h, q, tally_failover_design_effect(tally));
    }
    return m != NULL;
}

static bool add_failovers(struct trend *t)
{
    bool ok = true;
    for (int q = 0; q < QUANTILE_COUNT; q++) ok = ok && add_quantile(t, (enum quantile)q, 0);
    for (uint32_t p = 1; p < FAILOVER_PARTS; p++)
        if (failover_part(t->run[0]->tally, p).group == FAILOVER_CAUSE)
            ok = ok && add_quantile(t, QUANTILE_P99, p);
    return ok;
}

static bool add_invariants(struct trend *t)
{
    for (int k = 0; k < INV_COUNT; k++) {
        struct trend_measure *m = add(t, TREND_SHARE, "rounds that break", invariant_word[k]);
        if (!m) return false;
        for (uint32_t i = 0; i < t->runs; i++) {
            const struct tally *tally = t->run[i]->tally;
            m->at[i] = of_share(tally->broken[k], tally->broken[k] + tally->held[k], 1);
        }
    }
    return true;
}

static bool add_others(struct trend *t)
{
    struct trend_measure *overrun = add(t, TREND_SHARE, "background holds over maxHold", "");
    struct trend_measure *needless = add(t, TREND_SHARE, "needless steals", "");
    struct trend_measure *renewals = add(t, TREND_RATE, "renewals in a second of leading", "");
    if (!overrun || !needless || !renewals) return false;
    for (uint32_t i = 0; i < t->runs; i++) {
        const struct tally *tally = t->run[i]->tally;
        overrun->at[i] =
            of_share(tally->hold_overruns, tally->holds, tally_hold_design_effect(tally));
        needless->at[i] = of_share(tally->needless_steals, tally->transitions, 1);
        renewals->at[i] = of_rate(tally->renewals, tally->leader_us);
    }
    return true;
}

bool trend_open(struct trend *t, const struct run_report *const *run, uint32_t runs)
{
    must(runs > 0);
    *t = (struct trend){ .run = run, .runs = runs };
    if (add_failovers(t) && add_others(t) && add_invariants(t)) return true;
    trend_close(t);
    return false;
}

void trend_close(struct trend *t)
{
    for (uint32_t i = 0; i < t->measures; i++) free(t->measure[i].at);
    t->measures = 0;
}

enum trend_move trend_moved(const struct trend_measure *m, uint32_t i)
{
    must(i > 0);
    const struct trend_value *a = &m->at[i - 1], *b = &m->at[i];
    if (!a->bounded || !b->bounded) return TREND_NONE;
    if (b->high < a->low) return TREND_BETTER;
    return b->low > a->high ? TREND_WORSE : TREND_NONE;
}

const struct condition *trend_changed(const struct trend *t, uint32_t i, uint32_t condition)
{
    const struct gate_report *now = t->run[i]->gate, *before = t->run[i - 1]->gate;
    const struct condition *c = &now->condition[condition];
    for (uint32_t k = 0; before && c->judged && k < before->conditions; k++) {
        const struct condition *b = &before->condition[k];
        if (strcmp(b->name, c->name) == 0) return b->judged && b->verdict != c->verdict ? b : NULL;
    }
    return NULL;
}

static bool same_settings(const struct run_info *a, const struct run_info *b)
{
    bool same = a->settings == b->settings;
    for (uint32_t i = 0; same && i < a->settings; i++)
        same = strcmp(a->setting[i].path, b->setting[i].path) == 0 &&
               strcmp(a->setting[i].value, b->setting[i].value) == 0;
    return same;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

const char *trend_unlike(char out[TREND_UNLIKE_MAX], const struct trend *t, uint32_t i)
{
    must(i > 0);
    const struct run_report *a = t->run[i - 1], *b = t->run[i];
    bool suite = !same_text(a->run.suite, b->run.suite);
    bool settings = !same_settings(&a->run, &b->run);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): both were zeroed whole */
    bool contract = memcmp(&a->run.contract, &b->run.contract, sizeof a->run.contract) != 0;
    bool content = !suite && !settings && !contract && a->run.plan_digest != b->run.plan_digest;
    const struct {
        bool is;
        const char *says;
    } what[] = {
        { suite, "another suite" },
        { settings, "other settings (--set)" },
        { contract, "another contract" },
        { content, "other contents of the suite's files" },
        { a->tally->rounds != b->tally->rounds, "another number of rounds" },
        { a->interrupted != b->interrupted, "one did not come to its end" },
    };
    out[0] = '\0';
    for (size_t k = 0, n = 0; k < sizeof what / sizeof what[0]; k++)
        if (what[k].is)
            n += (size_t)snprintf(out + n, TREND_UNLIKE_MAX - n, "%s%s", n ? ", " : "",
                                  what[k].says);
    return out;
}

/* -- as text -------------------------------------------------------------------------------- */

const char *trend_text(char out[TREND_TEXT_MAX], enum trend_unit unit, double value)
{
    char us[TEXT_US_MAX];
    if (unit == TREND_US)
        snprintf(out, TREND_TEXT_MAX, "%s", text_failover(us, (int64_t)value));
    else if (unit == TREND_SHARE)
        snprintf(out, TREND_TEXT_MAX, "%.4g%%", value * 100);
    else
        snprintf(out, TREND_TEXT_MAX, "%.3f", value);
    return out;
}

static void table_value(FILE *f, const struct trend_measure *m, uint32_t i)
{
    const struct trend_value *v = &m->at[i];
    char value[TREND_TEXT_MAX], low[TREND_TEXT_MAX], high[TREND_TEXT_MAX];
    fprintf(f, "%s (%s..%s)", trend_text(value, m->unit, v->value),
            trend_text(low, m->unit, v->low), trend_text(high, m->unit, v->high));
}

/* Conditions whose verdict is another one than in the run before. */
static uint32_t table_changes(FILE *f, const struct trend *t, uint32_t i)
{
    uint32_t changes = 0;
    for (uint32_t k = 0; t->run[i]->gate && k < t->run[i]->gate->conditions; k++) {
        const struct condition *b = trend_changed(t, i, k);
        const struct condition *c = &t->run[i]->gate->condition[k];
        if (!b) continue;
        fprintf(f, "%-6s  %s -> %s  condition %s: %s -> %s\n",
                c->verdict == GATE_PASS ? "better" : "WORSE", t->run[i - 1]->run.revision,
                t->run[i]->run.revision, c->name, gate_verdict_word[b->verdict],
                gate_verdict_word[c->verdict]);
        changes++;
    }
    return changes;
}

void trend_table(FILE *f, const struct trend *t)
{
    uint32_t moves = 0;
    for (uint32_t i = 1; i < t->runs; i++) {
        char unlike[TREND_UNLIKE_MAX];
        if (trend_unlike(unlike, t, i)[0])
            fprintf(f, "unlike  %s -> %s  %s\n", t->run[i - 1]->run.revision,
                    t->run[i]->run.revision, unlike);
        moves += table_changes(f, t, i);
        for (uint32_t k = 0; k < t->measures; k++) {
            const struct trend_measure *m = &t->measure[k];
            enum trend_move move = trend_moved(m, i);
            if (move == TREND_NONE) continue;
            fprintf(f, "%-6s  %s -> %s  %s: ", move == TREND_BETTER ? "better" : "WORSE",
                    t->run[i - 1]->run.revision, t->run[i]->run.revision, m->name);
            table_value(f, m, i - 1);
            fputs(" -> ", f);
            table_value(f, m, i);
            fputs("\n", f);
            moves++;
        }
    }
    if (moves == 0)
        fprintf(f, "nothing moved beyond its 95%% interval over %" PRIu32 " runs\n", t->runs);
}
