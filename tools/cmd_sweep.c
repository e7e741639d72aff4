/* tabquake sweep SCENARIO --fault KIND: one fault before every event of a round's first
 * phase, or two before pairs of them: every placement, no dice. A table of the leader's
 * phase by outcome, and a line to paste for what broke. */
#include <inttypes.h>
#include <string.h>

#include "reports/table.h"
#include "reports/text.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/sweep.h"
#include "tools/version.h"

#define BUDGET 2000 /* some seconds */
/* A little over a lease, over a lease and what follows it, over a failover. A mistake that shows
 * with one of them often hides from the others. */
#define LENGTHS "1.1s,1.5s,3s"

struct asked {
    struct options options;
    const char *program, *file, *kinds, *lasts;
    bool pairs;
    uint64_t budget;
    struct injection fault[PLACEMENT_LENGTHS_MAX];
    uint32_t faults, lengths;
};

/* -- what is asked for ------------------------------------------------------------------ */

static bool refuse(const char *option, const char *found, const char *accepted)
{
    fprintf(stderr, "tabquake sweep: --%s: found %s, accepted %s\n", option, found, accepted);
    return false;
}

/* "KIND" or "KIND,KIND" */
static bool read_kinds(struct asked *a)
{
    char word[2][64];
    const char *comma = strchr(a->kinds, ',');
    size_t first = comma ? (size_t)(comma - a->kinds) : strlen(a->kinds);
    const char *second = comma ? comma + 1 : "";
    snprintf(word[0], sizeof word[0], "%.*s", (int)(first < 63 ? first : 63), a->kinds);
    snprintf(word[1], sizeof word[1], "%.63s", second);
    if (!placement_kind(&a->fault[0].kind, word[0], "sweep: --fault", stderr)) return false;
    a->fault[1].kind = a->fault[0].kind;
    if (comma && !placement_kind(&a->fault[1].kind, word[1], "sweep: --fault", stderr))
        return false;
    if (comma && !a->pairs) return refuse("fault", "two faults", "one, or two with --pairs");
    a->faults = a->pairs ? 2 : 1;
    return true;
}

/* One fault, each length in its turn. */
static bool read_lengths(struct asked *a)
{
    int64_t us[PLACEMENT_LENGTHS_MAX];
    enum fault_kind kind = a->fault[0].kind;
    if (!fault_has_length(kind)) /* refuses any */
        return placement_lasts(&a->fault[0].lasts_us, kind, a->lasts, "sweep: --lasts", stderr);
    a->lengths = placement_lengths(us, a->lasts ? a->lasts : LENGTHS, "sweep: --lasts", stderr);
    for (uint32_t i = 0; i < a->lengths; i++)
        a->fault[i] = (struct injection){ .kind = kind, .lasts_us = us[i] };
    return a->lengths > 0;
}

/* Of two faults: --lasts is of every one that has a length, and one has to. */
static bool read_lasts(struct asked *a)
{
    bool used = false;
    a->lengths = 1;
    if (a->faults == 1) return read_lengths(a);
    for (uint32_t i = 0; i < a->faults; i++) {
        enum fault_kind k = a->fault[i].kind;
        bool fits = fault_has_length(k) || (i + 1 == a->faults && !used);
        if (!placement_lasts(&a->fault[i].lasts_us, k, fits ? a->lasts : NULL, "sweep: --lasts",
                             stderr))
            return false;
        used = used || fault_has_length(k);
    }
    return true;
}

static bool read_faults(struct asked *a)
{
    if (!a->kinds) return refuse("fault", "nothing", "the kind of fault that is to be placed");
    if (a->budget && !a->pairs) return refuse("budget", "no --pairs", "it together with --pairs");
    if (!a->budget) a->budget = BUDGET;
    return read_kinds(a) && read_lasts(a);
}

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    struct options *o = &a->options;
    const struct flag table[] = {
        flag_text("fault", &a->kinds, "KIND[,KIND]",
                  "which fault, by its word; a second one with --pairs"),
        flag_text("lasts", &a->lasts, "D[,D]",
                  "how long, each in its turn (default: " LENGTHS "; with --pairs one: 3s)"),
        flag_switch("pairs", &a->pairs, "two faults a round (default: both of the same kind)"),
        flag_number("budget", &a->budget, 1, SWEEP_BUDGET_MAX,
                    "pairs of places at most (default: 2000)"),
        option_seed(o),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "sweep",
        .operands = "SCENARIO --fault KIND",
        .says = "Plays one round without its own faults, then again with the fault before event 1,"
                " 2, 3 ...\nto the end of the first phase. The scenario may be a mutant. Exit"
                " status 1 when an\ninvariant broke, 4 when no placement changed anything.",
        .example = "build/tabquake sweep scenarios/small.yaml --fault freeze-abrupt --lasts 3s",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK) return read;
    a->program = argv[0];
    a->file = argv[2];
    return read_faults(a) ? FLAGS_OK : FLAGS_WRONG;
}

/* -- for people -------------------------------------------------------------------------- */

static void announce(FILE *f, const struct asked *a, const struct inputs *in, const struct sweep *s)
{
    char lasts[TEXT_US_MAX], longest[TEXT_US_MAX];
    fprintf(f, "sweep: %s", a->file);
    for (uint32_t i = 0; i < s->faults; i++) {
        fprintf(f, "%s %s", i ? " and" : ",", fault_info[s->fault[i].kind].word);
        if (s->fault[i].lasts_us > 0) fprintf(f, " for %s", text_us(lasts, s->fault[i].lasts_us));
    }
    for (uint32_t i = 1; i < s->lengths; i++)
        fprintf(f, ", %s", text_us(lasts, s->fault[i].lasts_us));
    fprintf(f, "\ncontract %s\n", in->contract_file);
    announce_settings(f, in);
    fprintf(f, "seed %s (0x%016" PRIx64 ")\nrevision %s, %s\n", a->options.seed, in->seed,
            version_revision(), version_build());
    fprintf(f, "without a fault: %" PRIu64 " events in the first phase, longest failover %s\n",
            s->events, text_us(longest, s->good_failover_us));
    fprintf(f, "%" PRIu32 " placements, %" PRIu32 " jobs\n\n", s->n, s->jobs);
    fflush(f);
}

static void print_head(FILE *f, const struct sweep_row *all)
{
    fprintf(f, "%-17s %10s %9s %9s %8s %8s", "leader phase", "placements", "no target", "no effect",
            "held", "unknown");
    for (int k = 0; k < INV_COUNT; k++)
        if (all->broken[k] > 0) fprintf(f, " %8s", invariant_word[k]);
    fprintf(f, "  %s\n", "longest failover");
}

static void print_row(FILE *f, const char *name, const struct sweep_row *r,
                      const struct sweep_row *all)
{
    char us[TEXT_US_MAX];
    fprintf(f, "%-17s %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64, name,
            r->placements, r->outcome[SWEEP_NO_TARGET], r->outcome[SWEEP_NO_EFFECT],
            r->outcome[SWEEP_HELD], r->outcome[SWEEP_UNKNOWN]);
    for (int k = 0; k < INV_COUNT; k++) {
        if (all->broken[k] == 0) continue;
        int width = (int)strlen(invariant_word[k]);
        fprintf(f, " %*" PRIu64, width > 8 ? width : 8, r->broken[k]);
    }
    fprintf(f, "  %s\n", text_us(us, r->failover_us));
}

static void print_table(FILE *f, const struct sweep_sums *sums)
{
    print_head(f, &sums->all);
    for (int k = 0; k < PHASE_COUNT; k++)
        if (sums->phase[k].placements > 0) print_row(f, phase_word[k], &sums->phase[k], &sums->all);
    print_row(f, "all", &sums->all, &sums->all);
    fputs("\n", f);
}

/* The line that plays one placement again; the text of an injection needs no quotes. */
static void print_replay(FILE *f, const struct asked *a, const struct inputs *in,
                         const struct sweep *s, const struct sweep_placement *p)
{
    char line[TABLE_REPLAY_MAX], text[PLACEMENT_TEXT_MAX];
    struct injection x[2];
    struct run_setting setting[FLAGS_SETS_MAX];
    const struct run_info run = inputs_call(in, a->program, setting);
    fprintf(f, "  %s --inject %s\n", table_replay_of(line, &run, a->file, s->seed),
            placement_text(text, x, sweep_injections(s, p, x)));
}

static void print_groups(FILE *f, const struct asked *a, const struct inputs *in,
                         const struct sweep *s)
{
    struct sweep_group group[SWEEP_GROUPS_MAX];
    uint32_t groups = sweep_groups(s, group);
    for (uint32_t i = 0; i < groups; i++) {
        const struct sweep_group *g = &group[i];
        fprintf(f, "BROKEN %s in %s: %" PRIu64 " placement%s, the first before event %" PRIu32 "\n",
                invariant_word[g->invariant], phase_word[g->phase], g->placements,
                g->placements == 1 ? "" : "s", s->at[g->first].before[0]);
        print_replay(f, a, in, s, &s->at[g->first]);
    }
    if (groups > 0) fputs("\n", f);
}

static void print_longest(FILE *f, const struct asked *a, const struct inputs *in,
                          const struct sweep *s, const struct sweep_row *all)
{
    char us[TEXT_US_MAX];
    if (all->failover_us < 0) return;
    fprintf(f, "longest failover %s\n", text_us(us, all->failover_us));
    print_replay(f, a, in, s, &s->at[all->longest]);
}

/* -- for programs -------------------------------------------------------------------------- */

static void json_row(FILE *f, const char *name, const struct sweep_row *r)
{
    fprintf(f, "{\"phase\":\"%s\",\"placements\":%" PRIu64, name, r->placements);
    for (int k = SWEEP_UNKNOWN; k < SWEEP_OUTCOMES; k++)
        fprintf(f, ",\"%s\":%" PRIu64, sweep_outcome_word[k], r->outcome[k]);
    fprintf(f, ",\"broken\":%" PRIu64 ",\"invariants\":{", r->outcome[SWEEP_BROKEN]);
    const char *separator = "";
    for (int k = 0; k < INV_COUNT; k++)
        if (r->broken[k] > 0) {
            fprintf(f, "%s\"%s\":%" PRIu64, separator, invariant_word[k], r->broken[k]);
            separator = ",";
        }
    fputs("},\"longest_failover_us\":", f);
    if (r->failover_us >= 0)
        fprintf(f, "%" PRId64 "}", r->failover_us);
    else
        fputs("null}", f);
}

static void json_broken(FILE *f, const struct sweep *s, const struct sweep_placement *p)
{
    char text[PLACEMENT_TEXT_MAX];
    struct injection x[2];
    uint32_t n = sweep_injections(s, p, x);
    fprintf(f, "{\"inject\":\"%s\",\"phase\":\"%s\",\"invariants\":[", placement_text(text, x, n),
            phase_word[p->phase]);
    const char *separator = "";
    for (int k = 0; k < INV_COUNT; k++)
        if (p->broken >> k & 1) {
            fprintf(f, "%s\"%s\"", separator, invariant_word[k]);
            separator = ",";
        }
    fputs("]}", f);
}

static void print_json(FILE *f, const struct asked *a, const struct sweep *s,
                       const struct sweep_sums *sums)
{
    const char *separator = "";
    fputs("{\"command\":\"sweep\",\"scenario\":", f);
    text_json(f, a->file);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"revision\":", s->seed);
    text_json(f, version_revision());
    fputs(",\"faults\":[", f);
    for (uint32_t i = 0; i < (s->faults == 1 ? s->lengths : s->faults); i++)
        fprintf(f, "%s{\"fault\":\"%s\",\"lasts_us\":%" PRId64 "}", i ? "," : "",
                fault_info[s->fault[i].kind].word, s->fault[i].lasts_us);
    fprintf(f, "],\"events\":%" PRIu64 ",\"digest\":\"0x%016" PRIx64 "\",\n\"phases\":[", s->events,
            sums->digest);
    for (int k = 0; k < PHASE_COUNT; k++) {
        if (sums->phase[k].placements == 0) continue;
        fprintf(f, "%s\n  ", separator);
        json_row(f, phase_word[k], &sums->phase[k]);
        separator = ",";
    }
    fputs("\n],\n\"all\":", f);
    json_row(f, "all", &sums->all);
    fputs(",\n\"broken\":[", f);
    separator = "";
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->at[i].outcome != SWEEP_BROKEN) continue;
        fprintf(f, "%s\n  ", separator);
        json_broken(f, s, &s->at[i]);
        separator = ",";
    }
    fputs("\n]}\n", f);
}

/* -- the command ----------------------------------------------------------------------------- */

/* A sweep says what one fault does; a round that is not good by itself says nothing. */
static enum exit_status status_of_good(const struct asked *a, const struct sweep *s)
{
    if (s->good_broken) {
        fprintf(stderr, "tabquake sweep: %s breaks", a->file);
        for (int k = 0; k < INV_COUNT; k++)
            if (s->good_broken >> k & 1) fprintf(stderr, " %s", invariant_word[k]);
        fputs(" without any fault: nothing to sweep, accepted a round that is good by itself\n",
              stderr);
        return EXIT_BROKEN;
    }
    if (s->good_proves && s->n > 0) return EXIT_PASSED;
    fprintf(stderr,
            "tabquake sweep: nobody leads in this round of %s, or it hit a limit; try another"
            " --seed\n",
            a->file);
    return EXIT_UNPROVEN;
}

/* Where a fault never changed anything, nothing has been shown. */
static enum exit_status status_of(const struct sweep_sums *sums)
{
    const uint64_t *n = sums->all.outcome;
    if (n[SWEEP_BROKEN] > 0) return EXIT_BROKEN;
    return n[SWEEP_UNKNOWN] > 0 || n[SWEEP_HELD] == 0 || interrupted() ? EXIT_UNPROVEN
                                                                       : EXIT_PASSED;
}

static int sweep(const struct asked *a, const struct inputs *in, struct sweep *s)
{
    FILE *talk = a->options.json ? stderr : stdout;
    struct sweep_sums sums;
    enum exit_status status = status_of_good(a, s);
    if (status != EXIT_PASSED) return (int)status;
    announce(talk, a, in, s);
    sweep_run(s, (enum progress_mode)a->options.progress);
    sweep_sums(s, &sums);
    print_table(talk, &sums);
    print_groups(talk, a, in, s);
    print_longest(talk, a, in, s, &sums.all);
    if (a->options.json) print_json(stdout, a, s, &sums);
    fprintf(talk, "digest 0x%016" PRIx64 "\n", sums.digest);
    if (interrupted())
        fprintf(talk, "interrupted: %" PRIu64 " of %" PRIu32 " placements\n", sums.all.placements,
                s->n);
    status = status_of(&sums);
    fprintf(talk, "SWEEP %s\n",
            status == EXIT_PASSED   ? "PASS"
            : status == EXIT_BROKEN ? "FAIL"
                                    : "UNKNOWN");
    return interrupted() ? EXIT_INTERRUPTED : (int)status;
}

static bool usable(const struct asked *a, const struct inputs *in)
{
    if (!overrides_all_placed(&in->overrides, stderr)) return false;
    if (in->suite.scenarios == 1) return true;
    fprintf(stderr, "%s: found a suite, accepted a scenario or a mutant\n", a->file);
    return false;
}

int cmd_sweep(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct sweep s;
    int status = EXIT_BAD_INPUT;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], a.file, stderr)) return EXIT_BAD_INPUT;
    if (usable(&a, &in)) {
        if (sweep_open(&s, &in, a.fault, a.faults, a.lengths, (uint32_t)a.budget,
                       (uint32_t)a.options.jobs)) {
            interrupt_watch();
            status = sweep(&a, &in, &s);
            sweep_close(&s);
        } else {
            fputs("tabquake sweep: no memory for so many placements\n", stderr);
            status = EXIT_OURS;
        }
    }
    inputs_free(&in);
    return status;
}
