#include "reports/summary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reports/gate_json.h"
#include "reports/group.h"
#include "reports/junit.h"
#include "reports/outfile.h"
#include "reports/quantiles.h"
#include "reports/text.h"

static void write_cell(FILE *f, const char *s)
{
    fputs("| ", f);
    text_markdown(f, *s ? s : "-");
    putc(' ', f);
}

static void write_conditions(FILE *f, const struct gate_report *g)
{
    static const char *const word[] = { "pass", "**FAIL**", "**UNKNOWN**" };
    if (!g || g->conditions == 0) return;
    fputs("\n| verdict | condition | what it is | value | threshold | 95% bound "
          "|\n|---|---|---|---|---|---|\n",
          f);
    for (uint32_t i = 0; i < g->conditions; i++) {
        const struct condition *c = &g->condition[i];
        fprintf(f, "| %s ", c->judged ? word[c->verdict] : "(shown)");
        write_cell(f, c->name);
        write_cell(f, c->says);
        write_cell(f, c->value);
        write_cell(f, c->threshold);
        write_cell(f, c->bound95);
        fputs("|\n", f);
    }
}

static void write_latency(FILE *f, const char *name, const struct histogram *h)
{
    char us[TEXT_US_MAX];
    if (h->n == 0) return;
    fprintf(f, "| %s | %" PRIu64 " ", name, h->n);
    for (int i = 0; i < QUANTILE_COUNT; i++)
        fprintf(f, "| %s ", text_failover(us, quantile_of(h, (enum quantile)i, 1).us));
    fprintf(f, "| %s | %" PRIu64 " |\n", text_us(us, hist_longest_ended(h)), hist_open(h));
}

static void write_failover(FILE *f, const struct tally *t)
{
    if (t->failover.n == 0) return;
    fputs("\n| failover | transitions | p50 | p90 | p99 | p99.9 | longest ended | open |\n"
          "|---|---:|---:|---:|---:|---:|---:|---:|\n",
          f);
    write_latency(f, "all", &t->failover);
    for (int i = 0; i < GAP_COUNT; i++) write_latency(f, gap_word[i], &t->by_cause[i]);
    write_latency(f, "to a visible page", &t->by_visibility[1]);
    write_latency(f, "to a hidden page", &t->by_visibility[0]);
    write_latency(f, "to another device", &t->by_device[1]);
}

static void write_failures(FILE *f, const struct run_report *r)
{
    uint64_t broken = 0;
    for (int i = 0; i < INV_COUNT; i++) broken += r->tally->broken[i];
    if (broken == 0) return;
    fputs("\n## Broken\n\n", f);
    for (int i = 0; i < INV_COUNT; i++)
        if (r->tally->broken[i] > 0)
            fprintf(f, "- `%s`: broken in %" PRIu64 " of %" PRIu64 " rounds\n", invariant_word[i],
                    r->tally->broken[i], r->tally->rounds);
    /* indented, not fenced: nothing in a reason can end it */
    char *text = NULL;
    size_t n;
    FILE *lines = open_memstream(&text, &n);
    if (!lines) return;
    group_lines(lines, r, SUMMARY_FAILURES_EACH);
    fclose(lines);
    fputs("\nThe first of each, with the line that replays it:\n\n", f);
    for (const char *p = text; *p; p++) {
        if (p == text || p[-1] == '\n') fputs("    ", f);
        putc(*p, f);
    }
    free(text);
}

static void write_mutants(FILE *f, const struct run_report *r)
{
    uint32_t caught = 0;
    if (r->mutants == 0) return;
    for (uint32_t i = 0; i < r->mutants; i++) caught += r->mutant[i].caught;
    fprintf(f, "\nMutants caught: %" PRIu32 " of %" PRIu32 ".\n", caught, r->mutants);
    for (uint32_t i = 0; i < r->mutants; i++) {
        const struct mutant_outcome *m = &r->mutant[i];
        if (m->caught) continue;
        fputs("- **escaped**: ", f);
        text_markdown(f, m->name);
        fprintf(f, ", not caught by `%s` in %" PRIu64 " rounds\n", invariant_word[m->expected],
                m->rounds);
    }
}

void summary_write(FILE *f, const struct run_report *r)
{
    char verdict[TABLE_VERDICT_MAX];
    fprintf(f, "# %s\n\n", table_verdict(verdict, r));
    text_markdown(f, r->run.suite);
    fprintf(f, ": %" PRIu64 " rounds%s, seed ", r->tally->rounds,
            r->interrupted ? " (interrupted)" : "");
    text_markdown(f, r->run.seed_text);
    fputs(", revision ", f);
    text_markdown(f, r->run.revision);
    fprintf(f, ", digest 0x%016" PRIx64 ".\n", r->tally->digest);
    write_conditions(f, r->gate);
    write_failures(f, r);
    write_failover(f, r->tally);
    write_mutants(f, r);
    fprintf(f,
            "\n%.1f s: %.0f rounds/s, %.0f events/s, %.0f times faster than real time, %" PRIu32
            " jobs.\n",
            r->performance.seconds, r->performance.rounds_per_s, r->performance.events_per_s,
            r->performance.speedup, r->performance.jobs);
}

bool summary_write_files(const char *folder, const struct run_report *r, FILE *err)
{
    static const struct {
        const char *name;
        void (*write)(FILE *f, const struct run_report *r);
    } file[] = {
        { "gate.json", gate_json_write },
        { "junit.xml", junit_write },
        { "summary.md", summary_write },
    };
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        char path[OUTFILE_PATH_MAX + 16];
        struct outfile o;
        snprintf(path, sizeof path, "%s/%s", folder, file[i].name);
        if (!outfile_open(&o, path, err)) return false;
        file[i].write(o.f, r);
        if (!outfile_commit(&o, err)) return false;
    }
    return true;
}
