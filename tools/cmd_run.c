/* tabquake run SCENARIO: rounds of one scenario (or of a suite) with their invariants and
 * measurements, without mutants, canary and the gate's conditions. */
#include <inttypes.h>

#include "reports/gate_json.h"
#include "reports/table.h"
#include "reports/text.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/record.h"

#define ROUNDS 1000

struct asked {
    struct options options;
    bool resume;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    struct options *o = &a->options;
    o->rounds = ROUNDS;
    const struct flag table[] = {
        option_seed(o),
        option_rounds(o, "how many (default: 1000)"),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_out(o, "keeps results and reports (default: nothing is written)"),
        { .name = "resume",
          .kind = FLAG_SWITCH,
          .into = &a->resume,
          .says = "goes on with what --out holds" },
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "run",
        .operands = "SCENARIO",
        .says =
            "Rounds of one scenario, a mutant or a suite; exit status 1 when an invariant broke.",
        .example = "build/tabquake run scenarios/steal-mid-fetch.yaml --rounds 5000",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK || !a->resume || o->out) return read;
    fputs("tabquake run: --resume: found no --out, accepted together with --out DIR\n", stderr);
    return FLAGS_WRONG;
}

static void print_invariants(FILE *f, const struct tally *t)
{
    fprintf(f, "%-26s %10s %10s %10s\n", "invariant", "broken", "held", "unknown");
    for (int k = 0; k < INV_COUNT; k++)
        fprintf(f, "%-26s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", invariant_word[k],
                t->broken[k], t->held[k], t->unknown[k]);
}

static void print_latency(FILE *f, const char *name, const struct histogram *h)
{
    char p50[TEXT_US_MAX], p99[TEXT_US_MAX], max[TEXT_US_MAX];
    if (h->n == 0) return;
    fprintf(f, "%-14s %9" PRIu64 "  p50 %-10s p99 %-10s longest %s\n", name, h->n,
            text_us(p50, hist_quantile(h, 1, 2)), text_us(p99, hist_quantile(h, 99, 100)),
            text_us(max, h->max_us));
}

static void print_measured(FILE *f, const struct tally *t)
{
    fputs("\n", f);
    print_latency(f, "cold start", &t->cold);
    print_latency(f, "failover", &t->failover);
    for (int k = 0; k < GAP_COUNT; k++) print_latency(f, gap_word[k], &t->by_cause[k]);
    fprintf(f,
            "%" PRIu64 " transitions, %" PRIu64 " steals, %" PRIu64 " of them needless, %" PRIu64
            " fenced, %" PRIu64 " effects, %" PRIu64 " rounds cut short\n\n",
            t->transitions, t->steals, t->needless_steals, t->fenced, t->effects,
            t->unknown_rounds);
}

static enum exit_status status_of(const struct tally *t)
{
    enum exit_status status = EXIT_PASSED;
    for (int k = 0; k < INV_COUNT; k++)
        if (t->broken[k] > 0) status = EXIT_BROKEN;
    bool nobody_led = t->cold.n == 0 && t->transitions == 0 && t->effects == 0;
    if (t->unknown_rounds > 0 || t->rounds == 0 || nobody_led)
        status = status_of_both(status, EXIT_UNPROVEN);
    return status;
}

static int run(const struct asked *a, const struct inputs *in)
{
    const struct options *o = &a->options;
    FILE *talk = o->json ? stderr : stdout;
    struct campaign c;
    struct record record;
    campaign_open(&c, in, o->rounds, (uint32_t)o->jobs);
    record_info(&record, &c, o->seed);
    bool ok = !o->out || record_open(&record, o->out, a->resume, &c);
    enum exit_status status = ok ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (ok) {
        announce_begin(talk, "run", &c, o->seed, o->out);
        ok = campaign_run(&c, (enum progress_mode)o->progress);
        struct run_report report = record_report(&record, &c);
        print_invariants(talk, report.tally);
        print_measured(talk, report.tally);
        table_failures(talk, &report, RECORD_FAILURES_EACH);
        if (o->out) ok = record_finish(&record, &c, &report) && ok;
        if (o->json) gate_json_write(stdout, &report);
        announce_end(talk, &report);
        status = ok ? status_of(report.tally) : EXIT_OURS;
    }
    record_close(&record, &c);
    campaign_close(&c);
    return interrupted() ? EXIT_INTERRUPTED : (int)status;
}

int cmd_run(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], argv[2], stderr)) return EXIT_BAD_INPUT;
    interrupt_watch();
    int status = run(&a, &in);
    inputs_free(&in);
    return status;
}
