#include "reports/gate_json.h"

#include <inttypes.h>
#include <math.h>

#include "oracle/spending.h"
#include "reports/contract_json.h"
#include "reports/group.h"
#include "reports/quantiles.h"
#include "reports/report.h"
#include "reports/text.h"

static void write_text(FILE *f, const char *name, const char *value)
{
    fprintf(f, "\"%s\":", name);
    text_json(f, value);
}

static void write_flag(FILE *f, const char *name, bool value)
{
    fprintf(f, "\"%s\":%s", name, value ? "true" : "false");
}

static void write_conditions(FILE *f, const struct gate_report *g)
{
    fputs("\"conditions\":[", f);
    for (uint32_t i = 0; g && i < g->conditions; i++) {
        const struct condition *c = &g->condition[i];
        fputs(i ? ",\n  {" : "\n  {", f);
        write_text(f, "name", c->name), putc(',', f);
        write_text(f, "says", c->says), putc(',', f);
        write_text(f, "threshold", c->threshold), putc(',', f);
        write_text(f, "value", c->value), putc(',', f);
        write_text(f, "bound95", c->bound95), putc(',', f);
        write_text(f, "verdict", gate_verdict_word[c->verdict]), putc(',', f);
        write_flag(f, "judged", c->judged);
        putc('}', f);
    }
    putc(']', f);
}

static void write_invariants(FILE *f, const struct tally *t)
{
    fputs("\"invariants\":{", f);
    for (int i = 0; i < INV_COUNT; i++)
        fprintf(f, "%s\"%s\":%" PRIu64, i ? "," : "", invariant_word[i], t->broken[i]);
    putc('}', f);
}

static void write_us(FILE *f, const char *name, int64_t us)
{
    if (us >= 0 && us < HIST_OPEN_US)
        fprintf(f, "\"%s\":%" PRId64, name, us);
    else
        fprintf(f, "\"%s\":null", name);
}

/* Quantiles of `h`, each with its interval; numbers that are unknown, or fall on a failover
 * that was still open, are null. */
static void write_quantiles(FILE *f, const struct histogram *h, double design_effect)
{
    fprintf(f, "\"n\":%" PRIu64, h->n);
    for (int i = 0; i < QUANTILE_COUNT; i++) {
        struct quantile_value v = quantile_of(h, (enum quantile)i, design_effect);
        fprintf(f, ",\"%s\":{", quantile_key[i]);
        write_us(f, "value", v.us), putc(',', f);
        write_us(f, "low", v.low_us), putc(',', f);
        write_us(f, "high", v.high_us), putc('}', f);
    }
    fputs(",\"max\":{", f);
    write_us(f, "value", hist_longest_ended(h));
    fputs(",\"low\":null,\"high\":null}", f); /* no sample bounds its own maximum */
    fprintf(f, ",\"open\":%" PRIu64, hist_open(h));
}

static void write_part(FILE *f, const char *name, const struct histogram *h, double design_effect,
                       bool first)
{
    fprintf(f, "%s\"%s\":{", first ? "\n  " : ",\n  ", name);
    write_quantiles(f, h, design_effect);
    putc('}', f);
}

static void write_failover(FILE *f, const struct tally *t)
{
    static const char *const member[] = { NULL, "by_cause", "by_successor", "by_device" };
    double effect = tally_failover_design_effect(t);
    enum failover_group group = FAILOVER_ALL;
    bool first = true;
    fputs("\"failover_us\":{", f);
    write_quantiles(f, &t->failover, effect);
    for (uint32_t i = 1; i < FAILOVER_PARTS; i++) {
        struct failover_part p = failover_part(t, i);
        if (p.group != group)
            fprintf(f, "%s,\n \"%s\":{", group ? "}" : "", member[p.group]), first = true;
        group = p.group;
        if (p.group == FAILOVER_CAUSE && p.h->n == 0) continue;
        write_part(f, p.word, p.h, effect, first);
        first = false;
    }
    fputs("}}", f);
}

static void write_hits(FILE *f, const struct tally *t)
{
    for (int i = 0; i < FAULT_COUNT; i++) {
        fprintf(f, "%s\"%s\":{", i ? ",\n  " : "\n  ", fault_info[i].word);
        for (int p = 0; p < PHASE_COUNT; p++)
            fprintf(f, "%s\"%s\":%" PRIu64, p ? "," : "", phase_word[p], t->cell[i][p]);
        putc('}', f);
    }
}

static void write_coverage(FILE *f, const struct tally *t)
{
    uint32_t possible = 0, hit = 0;
    const char *separator = "\n  ";
    fputs("\"coverage\":{\"impossible\":[", f);
    for (int i = 0; i < FAULT_COUNT; i++) {
        for (int p = 0; p < PHASE_COUNT; p++) {
            const char *why = coverage_impossible((enum fault_kind)i, (enum leader_phase)p);
            possible += !why;
            hit += !why && t->cell[i][p] > 0;
            if (!why) continue;
            fputs(separator, f), separator = ",\n  ";
            putc('{', f);
            write_text(f, "fault", fault_info[i].word), putc(',', f);
            write_text(f, "phase", phase_word[p]), putc(',', f);
            write_text(f, "why", why), putc('}', f);
        }
    }
    fprintf(f, "],\n \"cells\":%" PRIu32 ",\"cells_hit\":%" PRIu32 ",\"hits\":{", possible, hit);
    write_hits(f, t);
    fputs("}}", f);
}

static void write_mutants(FILE *f, const struct run_report *r)
{
    fputs("\"mutants\":[", f);
    for (uint32_t i = 0; i < r->mutants; i++) {
        const struct mutant_outcome *m = &r->mutant[i];
        const char *separator = "";
        fputs(i ? ",\n  {" : "\n  {", f);
        write_text(f, "name", m->name), putc(',', f);
        write_text(f, "invariant", invariant_word[m->expected]), putc(',', f);
        write_flag(f, "caught", m->caught);
        fprintf(f, ",\"rounds\":%" PRIu64 ",\"budget\":%" PRIu64 ",\"also\":[", m->rounds,
                m->budget);
        for (int k = 0; k < INV_COUNT; k++) {
            if (!(m->also >> k & 1)) continue;
            fprintf(f, "%s\"%s\"", separator, invariant_word[k]);
            separator = ",";
        }
        fputs("]}", f);
    }
    putc(']', f);
}

static void write_witness(FILE *f, uint32_t number)
{
    if (number == OBS_NONE)
        fputs("null", f);
    else
        fprintf(f, "%" PRIu32, number);
}

static void write_failures(FILE *f, const struct run_report *r)
{
    uint32_t listed = 0;
    fputs("\"failures\":[", f);
    for (uint32_t i = 0; i < r->failures && listed < GATE_JSON_FAILURES_MAX; i++) {
        const struct failure *x = &r->failure[i];
        char line[TABLE_REPLAY_MAX];
        if (x->finding.verdict != VERDICT_BROKEN) continue;
        fputs(listed++ ? ",\n  {" : "\n  {", f);
        write_text(f, "invariant", invariant_word[x->invariant]), putc(',', f);
        write_text(f, "scenario", r->scenario[x->scenario].name), putc(',', f);
        write_text(f, "file", r->scenario[x->scenario].file);
        fprintf(f, ",\"round\":%" PRIu64 ",\"seed\":\"0x%016" PRIx64 "\",\"witness\":[", x->index,
                x->seed);
        write_witness(f, x->finding.witness[0]), putc(',', f);
        write_witness(f, x->finding.witness[1]);
        fputs("],", f);
        write_text(f, "reason", x->finding.reason), putc(',', f);
        write_text(f, "replay", table_replay(line, r, x)), putc('}', f);
    }
    putc(']', f);
}

static void write_group(FILE *f, const struct run_report *r, uint32_t i)
{
    const struct failure_group *g = &r->group[i];
    const struct failure *x = &r->failure[g->example];
    char name[GROUP_NAME_MAX], line[TABLE_REPLAY_MAX];
    char folder[REPORT_FAILURE_MAX], file[REPORT_FAILURE_MAX + 16];
    const char *separator = "";
    putc('{', f);
    write_text(f, "name", group_name(name, g)), putc(',', f);
    write_text(f, "invariant", invariant_word[g->invariant]), fputs(",\"faults\":[", f);
    for (int k = 0; k < FAULT_COUNT; k++) {
        if (!(g->faults >> k & 1)) continue;
        fprintf(f, "%s\"%s\"", separator, fault_info[k].word);
        separator = ",";
    }
    fputs("],", f);
    write_flag(f, "reduced", g->reduced);
    fprintf(f, ",\"failures\":%" PRIu32 ",\"tabs\":%" PRIu32 ",\"operations\":%" PRIu32 ",",
            g->failures, g->tabs, g->operations);
    write_flag(f, "calm", g->calm), putc(',', f);
    write_text(f, "scenario", r->scenario[x->scenario].name);
    fprintf(f, ",\"round\":%" PRIu64 ",\"seed\":\"0x%016" PRIx64 "\",", x->index, x->seed);
    snprintf(file, sizeof file, "%s/minimal.yaml", report_failure(folder, r, x));
    write_text(f, "minimal", group_has_file(r, i) ? file : NULL), putc(',', f);
    write_text(f, "replay", table_replay(line, r, x)), putc(',', f);
    write_text(f, "shrink", group_shrink(line, r, g)), putc('}', f);
}

static void write_groups(FILE *f, const struct run_report *r)
{
    fputs("\"groups\":[", f);
    for (uint32_t i = 0; i < r->groups; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        write_group(f, r, i);
    }
    putc(']', f);
}

static void write_pct(FILE *f, const struct tally *t)
{
    const char *separator = "";
    fputs("\"pct\":[", f);
    for (int depth = 2; depth <= 3; depth++) {
        struct pct_bound b;
        if (!spending_pct(t, depth, &b)) continue;
        fprintf(f,
                "%s{\"depth\":%d,\"rounds\":%" PRIu64
                ",\"n\":%.2f,\"k\":%.1f,\"hit\":%.3e,\"missed\":%.3e}",
                separator, depth, b.rounds, b.n, b.k, b.hit, b.missed);
        separator = ",";
    }
    fputs("]", f);
}

static void write_portfolio(FILE *f, const struct tally *t)
{
    struct curve_point curve[CURVE_MAX];
    uint32_t n = spending_curve(t, curve);
    fputs("\"portfolio\":{\"strategies\":{", f);
    for (int k = 0; k < STRATEGY_COUNT; k++)
        fprintf(f, "%s\"%s\":{\"rounds\":%" PRIu64 ",\"broken\":%" PRIu64 "}", k ? "," : "",
                strategy_word[k], t->strategy_rounds[k], t->strategy_broken[k]);
    fprintf(f, "},\n \"states\":%" PRIu32 ",\"curve\":[", n ? curve[n - 1].states : 0);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%s[%" PRIu64 ",%" PRIu32 "]", i ? "," : "", curve[i].rounds, curve[i].states);
    fputs("],\n ", f);
    write_pct(f, t);
    fputs("}", f);
}

/* JSON has no infinity, which a run of no time has. */
static double finite(double x)
{
    return isfinite(x) && x > 0 ? x : 0;
}

static void write_performance(FILE *f, const struct performance *p)
{
    fprintf(f,
            "\"performance\":{\"seconds\":%.3f,\"rounds_per_s\":%.1f,\"events_per_s\":%.1f,"
            "\"speedup\":%.1f,\"jobs\":%" PRIu32 "}",
            finite(p->seconds), finite(p->rounds_per_s), finite(p->events_per_s),
            finite(p->speedup), p->jobs);
}

static void write_run(FILE *f, const struct run_report *r)
{
    const struct run_info *run = &r->run;
    const char *verdict = gate_verdict_word[run_verdict(r)];
    fputs("{", f);
    write_text(f, "schema", GATE_JSON_SCHEMA), fputs(",\n", f);
    write_text(f, "verdict", verdict), putc(',', f);
    write_flag(f, "short", r->gate && r->gate->is_short), putc(',', f);
    write_flag(f, "interrupted", r->interrupted), fputs(",\n", f);
    fprintf(f, "\"digest\":\"0x%016" PRIx64 "\",\"seed\":\"0x%016" PRIx64 "\",", r->tally->digest,
            run->seed);
    write_text(f, "seed_text", run->seed_text), fputs(",\n", f);
    write_text(f, "revision", run->revision), putc(',', f);
    write_text(f, "build", run->build), putc(',', f);
    write_text(f, "suite", run->suite), fputs(",\n", f);
    fprintf(f,
            "\"rounds\":%" PRIu64 ",\"rounds_asked\":%" PRIu64 ",\"unknown_rounds\":%" PRIu64
            ",\"events\":%" PRIu64 ",\"shard\":%" PRIu32 ",\"shards\":%" PRIu32 ",\n\"contract\":",
            r->tally->rounds, run->rounds_asked, r->tally->unknown_rounds, r->tally->events,
            run->shard, run->shards);
    contract_json_write(f, &run->contract);
}

void gate_json_write(FILE *f, const struct run_report *r)
{
    write_run(f, r), fputs(",\n", f);
    write_conditions(f, r->gate), fputs(",\n", f);
    write_invariants(f, r->tally), fputs(",\n", f);
    write_failures(f, r), fputs(",\n", f);
    write_groups(f, r), fputs(",\n", f);
    write_failover(f, r->tally), fputs(",\n", f);
    write_coverage(f, r->tally), fputs(",\n", f);
    write_portfolio(f, r->tally), fputs(",\n", f);
    write_mutants(f, r), fputs(",\n", f);
    write_performance(f, &r->performance), fputs("}\n", f);
}
