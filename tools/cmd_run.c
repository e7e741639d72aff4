/* tabquake run SCENARIO: rounds of one scenario (or of a suite) with their invariants and
 * measurements, without mutants, canary and the gate's conditions. */
#include <inttypes.h>

#include "reports/gate_json.h"
#include "reports/group.h"
#include "reports/table.h"
#include "reports/text.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/record.h"

#define ROUNDS 1000
#define FAULTS_SHOWN_MAX 3

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
        option_shard(o),
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
    fprintf(f, "%-14s %9" PRIu64 "  p50 %-10s p99 %-10s longest %s", name, h->n,
            text_failover(p50, hist_quantile(h, 1, 2)),
            text_failover(p99, hist_quantile(h, 99, 100)), text_us(max, hist_longest_ended(h)));
    if (hist_open(h) > 0) fprintf(f, ", %" PRIu64 " open", hist_open(h));
    fputs("\n", f);
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

static void print_fault(FILE *f, const struct sums *s, int fault)
{
    const struct tally *t = &s->tally;
    const char *between = "; hits: ";
    fprintf(f, "%s: effective in %" PRIu64 " of %" PRIu64 " rounds", fault_info[fault].word,
            t->effective_rounds[fault], t->strategy_rounds[STRATEGY_UNIFORM]);
    if (s->has_effective[fault])
        fprintf(f, ", e.g. --seed 0x%016" PRIx64, s->effective[fault].course.seed);
    for (int p = 0; p < PHASE_COUNT; p++) {
        if (t->cell[fault][p] == 0) continue;
        fprintf(f, "%s%s %" PRIu64, between, phase_word[p], t->cell[fault][p]);
        between = ", ";
    }
    fputs("\n", f);
}

/* Whether what the scenario wants to show has happened; of many faults it would be a page. */
static void print_faults(FILE *f, const struct sums *s)
{
    int planned = 0;
    for (int k = 0; k < FAULT_COUNT; k++) planned += s->tally.planned[k] > 0;
    if (planned == 0 || planned > FAULTS_SHOWN_MAX) return;
    for (int k = 0; k < FAULT_COUNT; k++)
        if (s->tally.planned[k] > 0) print_fault(f, s, k);
    fputs("\n", f);
}

static enum exit_status status_of(const struct run_report *r)
{
    static const enum exit_status status[] = { EXIT_PASSED, EXIT_BROKEN, EXIT_UNPROVEN };
    return status[run_verdict(r)];
}

static int run(const struct asked *a, const struct inputs *in, struct shard shard,
               const char *program)
{
    const struct options *o = &a->options;
    FILE *talk = o->json ? stderr : stdout;
    struct campaign c;
    struct record record;
    campaign_open(&c, in, o->rounds, (uint32_t)o->jobs);
    campaign_shard(&c, shard);
    record_info(&record, &c, program, o->seed);
    bool ok = !o->out || record_open(&record, o->out, a->resume, &c);
    enum exit_status status = ok ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (ok) {
        announce_begin(talk, "run", &c, o->seed, o->out);
        ok = campaign_run(&c, (enum progress_mode)o->progress);
        struct run_report report = record_report(&record, &c);
        print_invariants(talk, report.tally);
        print_measured(talk, report.tally);
        print_faults(talk, c.sums);
        if (!interrupted()) record_group(&record, &c, &report);
        group_lines(talk, &report, RECORD_FAILURES_EACH);
        if (o->out) ok = record_finish(&record, &c, &report) && ok;
        if (o->json) gate_json_write(stdout, &report);
        announce_end(talk, &report);
        status = ok ? status_of(&report) : EXIT_BAD_INPUT;
    }
    record_close(&record, &c);
    campaign_close(&c);
    return interrupted() ? EXIT_INTERRUPTED : (int)status;
}

int cmd_run(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct shard shard;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!shard_read(&shard, a.options.shard, stderr)) return EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], argv[2], stderr)) return EXIT_BAD_INPUT;
    if (!overrides_all_placed(&in.overrides, stderr)) {
        inputs_free(&in);
        return EXIT_BAD_INPUT;
    }
    interrupt_watch();
    int status = run(&a, &in, shard, argv[0]);
    inputs_free(&in);
    return status;
}
