/* tabquake gate: the release gate, from files to one word.
 *
 *   load     everything that is read, checked before anything is written
 *   play     old failing seeds, then the rounds
 *   prove    that red is possible (mutants, canary) and that rounds can be had again
 *   judge    the conditions; reports, failures to paste, the verdict last */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/gate_json.h"
#include "reports/group.h"
#include "reports/table.h"
#include "sim/base/must.h"
#include "tools/announce.h"
#include "tools/baseline.h"
#include "tools/command.h"
#include "tools/golden.h"
#include "tools/hunt.h"
#include "tools/interrupt.h"
#include "tools/recheck.h"
#include "tools/record.h"
#include "tools/verdict.h"

struct asked {
    struct options options;
    const char *suite;    /* NULL: the one that is shipped */
    const char *baseline; /* a gate.json, or NULL */
    bool resume, no_mutants;
};

struct gate {
    struct asked asked;
    FILE *talk;
    struct inputs in;
    struct shard shard;
    struct hunt hunt; /* empty with --no-mutants */
    struct scenario canary;
    struct golden golden;
    struct baseline baseline;
    struct campaign campaign;
    struct record record;
    /* what came out */
    struct gate_proofs proofs;
    bool written;
    struct recheck recheck;
    struct mutant_outcome *outcome;
    uint32_t outcomes; /* all mutants, or none */
    struct gate_report verdict;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    struct options *o = &a->options;
    o->out = "out";
    const struct flag table[] = {
        option_seed(o),
        option_rounds(o, "fewer make a short gate (default: the contract's)"),
        option_jobs(o),
        option_shard(o),
        option_contract(o),
        option_set(o),
        option_out(o, "folder of the results (default: out)"),
        flag_switch("resume", &a->resume, "goes on with the results of a run that was killed"),
        flag_text("baseline", &a->baseline, "GATE.JSON",
                  "accepts what that gate found; what is new or worse fails"),
        flag_switch("no-mutants", &a->no_mutants,
                    "leaves them out; the gate is then unknown at best"),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "gate",
        .operands = "[SUITE]",
        .says = "Plays the suite under its contract, judges every round, writes the reports, and"
                " ends with\nGATE PASS, GATE FAIL or GATE UNKNOWN.",
        .example = "build/tabquake gate --rounds 2000 --seed $(git rev-parse HEAD)",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    a->suite = operands > 0 ? argv[2] : NULL;
    return read;
}

/* -- load ------------------------------------------------------------------------------ */

static bool load_hunt(struct gate *g, const char *program)
{
    char path[LOCATE_PATH_MAX];
    if (!locate_shipped(path, program, "chaos.yaml", stderr) ||
        !scenario_load(&g->canary, path, &g->in.overrides, stderr))
        return false;
    if (g->asked.no_mutants) return true;
    return locate_shipped(path, program, "mutants", stderr) &&
           hunt_load(&g->hunt, path, NULL, &g->in.overrides, stderr);
}

static void unload(struct gate *g)
{
    baseline_free(&g->baseline);
    golden_free(&g->golden);
    hunt_free(&g->hunt);
    inputs_free(&g->in);
    free(g->outcome);
}

static bool load(struct gate *g, const char *program)
{
    if (!inputs_load(&g->in, &g->asked.options, program, g->asked.suite, stderr)) return false;
    if (!load_hunt(g, program) || !golden_load(&g->golden, program, &g->in.overrides, stderr)) {
        unload(g);
        return false;
    }
    if (!overrides_all_placed(&g->in.overrides, stderr) ||
        (g->asked.baseline && !baseline_load(&g->baseline, g->asked.baseline, stderr))) {
        unload(g);
        return false;
    }
    g->hunt.contract = &g->in.contract;
    g->hunt.seed = g->in.seed;
    g->hunt.jobs = (uint32_t)g->asked.options.jobs;
    g->outcome = calloc(g->hunt.n + 1, sizeof *g->outcome);
    must(g->outcome != NULL);
    return true;
}

/* -- play and prove ---------------------------------------------------------------------- */

static void prove(struct gate *g)
{
    enum progress_mode mode = (enum progress_mode)g->asked.options.progress;
    if (g->hunt.n > 0) hunt_run(&g->hunt, mode);
    if (interrupted()) return; /* a mutant that was not hunted to its end has not escaped */
    hunt_outcomes(&g->hunt, g->outcome);
    g->outcomes = g->hunt.n;
    g->proofs.canary_red = hunt_canary_is_red(hunt_canary(&g->canary, &g->in.contract, g->in.seed));
    g->proofs.canary_run = true;
    g->recheck = recheck_run(&g->campaign);
    g->proofs.replayed = g->recheck.replayed;
    g->proofs.replayed_differently = g->recheck.different;
}

static void play(struct gate *g)
{
    g->proofs.golden = g->golden.n;
    g->proofs.golden_again = golden_run(&g->golden, &g->in.contract, &g->record.info, g->talk);
    g->written = campaign_run(&g->campaign, (enum progress_mode)g->asked.options.progress);
    if (g->written && !interrupted()) prove(g);
}

/* -- judge ------------------------------------------------------------------------------- */

static void tell_difference(const struct gate *g)
{
    const struct sums_round *r = &g->recheck.first_different;
    char course[COURSE_TEXT_MAX];
    if (g->recheck.different == 0) return;
    fprintf(g->talk,
            "DIFFERENT when run again: %" PRIu64 " of %" PRIu64 " rounds, first %s 0x%016" PRIx64
            " %s\n",
            g->recheck.different, g->recheck.replayed, g->in.suite.scenario[r->scenario].name,
            r->course.seed, course_text(course, &r->course));
}

static void tell(const struct gate *g, const struct run_report *report)
{
    char verdict[TABLE_VERDICT_MAX];
    table_conditions(g->talk, report, g->talk == stdout && isatty(fileno(stdout)));
    fputs("\n", g->talk);
    group_lines(g->talk, report, RECORD_FAILURES_EACH);
    if (g->baseline.file) baseline_tell(g->talk, &g->baseline, report);
    tell_difference(g);
    announce_end(g->talk, report);
    if (report->interrupted) fputs("interrupted; --resume goes on from here\n", g->talk);
    if (g->asked.options.json) gate_json_write(stdout, report);
    fprintf(g->talk, "%s\n", table_verdict(verdict, report));
}

static int status_of(const struct gate *g)
{
    if (interrupted()) return EXIT_INTERRUPTED;
    return g->written ? (int)verdict_status(&g->verdict, &g->proofs) : EXIT_BAD_INPUT;
}

static int run(struct gate *g, const char *program)
{
    const struct options *o = &g->asked.options;
    uint64_t rounds = o->rounds ? o->rounds : g->in.contract.slo.rounds;
    int status = EXIT_BAD_INPUT;
    campaign_open(&g->campaign, &g->in, rounds, (uint32_t)o->jobs);
    campaign_shard(&g->campaign, g->shard);
    record_info(&g->record, &g->campaign, program, o->seed);
    if (record_open(&g->record, o->out, g->asked.resume, &g->campaign)) {
        announce_begin(g->talk, "gate", &g->campaign, o->seed, o->out);
        interrupt_watch();
        play(g);
        struct run_report report = record_report(&g->record, &g->campaign);
        report.proofs = &g->proofs;
        report.mutant = g->outcome;
        report.mutants = g->outcomes;
        verdict_judge(&g->verdict, &report, g->campaign.mine);
        report.gate = &g->verdict;
        if (!interrupted()) record_group(&g->record, &g->campaign, &report);
        if (g->baseline.file) baseline_apply(&g->baseline, &g->verdict, &report);
        g->written = record_finish(&g->record, &g->campaign, &report) && g->written;
        tell(g, &report);
        status = status_of(g);
    }
    record_close(&g->record, &g->campaign);
    campaign_close(&g->campaign);
    return status;
}

int cmd_gate(int argc, char **argv)
{
    struct gate *g = calloc(1, sizeof *g);
    must(g != NULL);
    enum flags_outcome read = ask(&g->asked, argc, argv);
    int status = read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (read == FLAGS_OK && shard_read(&g->shard, g->asked.options.shard, stderr) &&
        load(g, argv[0])) {
        g->talk = g->asked.options.json ? stderr : stdout;
        status = run(g, argv[0]);
        unload(g);
    }
    free(g);
    return status;
}
