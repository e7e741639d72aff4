/* tabquake explore SCENARIO: every placement of a few faults and late messages in a small round.
 * The scenario is the scope: its tabs, operations, duration (the horizon), and its faults with
 * the two ends of their lengths. */
#include <inttypes.h>
#include <string.h>

#include "reports/table.h"
#include "reports/text.h"
#include "sim/yaml.h"
#include "tools/clock.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/explore.h"
#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/version.h"

#define STATES_DEFAULT 4000000 /* 128 MB */
#define DELAY_DEFAULT "600ms"  /* past a request's time-out, within a lease */
#define UNSET UINT64_MAX

struct asked {
    struct options options;
    const char *program, *file, *mutant, *lasts, *delay, *limit;
    uint64_t faults, delays, depth, states;
    bool liveness, no_symmetry, no_merge;
};

/* -- what is asked for -------------------------------------------------------------------- */

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default(),
                         .faults = UNSET,
                         .states = STATES_DEFAULT,
                         .delay = DELAY_DEFAULT };
    struct options *o = &a->options;
    const struct flag table[] = {
        flag_number("faults", &a->faults, 0, PLACEMENTS_MAX,
                    "faults in one path at most (default: the scenario's faultsDrawn)"),
        flag_number("delays", &a->delays, 0, PLACEMENTS_MAX,
                    "late messages in one path at most (default: 0)"),
        flag_number("max-depth", &a->depth, 1, PLACEMENTS_MAX,
                    "faults and late messages together in one path (default: all of them)"),
        flag_switch("liveness", &a->liveness,
                    "play each path through the healing to its end, too: nobody leads, work is"
                    " lost"),
        flag_text("delay", &a->delay, "D[,D]", "how late (default: " DELAY_DEFAULT ")"),
        flag_text("lasts", &a->lasts, "D[,D]",
                  "how long faults last (default: both ends of the scenario's lasts)"),
        flag_text("mutant", &a->mutant, "FILE", "with the deliberate mistake of this mutant"),
        flag_number("max-states", &a->states, 1, SEEN_MAX,
                    "remembered at most, 16 to 32 bytes each (default: 4000000)"),
        flag_text("max-time", &a->limit, "D", "give up after so long (default: never)"),
        flag_switch("no-symmetry", &a->no_symmetry,
                    "tabs that differ in their numbers alone are two"),
        flag_switch("no-merge", &a->no_merge, "walk a tree: no state is recognised"),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "explore",
        .operands = "SCENARIO",
        .says =
            "Explores every placement of the scenario's faults, and of late messages, within the"
            " bounds,\nand says how many states there are. Exit status 1 when an invariant"
            " broke, 4 when a\nlimit was hit before the space was covered.",
        .example = "build/tabquake explore scenarios/explore/two-tabs.yaml --faults 1",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    a->program = argv[0];
    a->file = argc > 2 ? argv[2] : NULL;
    return read;
}

static bool refuse(const char *what, const char *found, const char *accepted)
{
    fprintf(stderr, "tabquake explore: %s: found %s, accepted %s\n", what, found, accepted);
    return false;
}

/* -- the scope ---------------------------------------------------------------------------- */

static bool add_move(struct explore_scope *x, enum fault_kind kind, int64_t lasts_us)
{
    if (x->moves == EXPLORE_MOVES_MAX)
        return refuse("moves", "too many", "256 kinds times lengths at most");
    x->move[x->moves++] = (struct injection){ .kind = kind, .lasts_us = lasts_us };
    return true;
}

static bool add_fault(struct explore_scope *x, const struct asked *a, const struct fault_plan *p)
{
    int64_t us[PLACEMENT_LENGTHS_MAX] = { p->lasts.min_us, p->lasts.max_us };
    uint32_t n = us[0] == us[1] ? 1 : 2;
    if (!fault_has_length(p->kind)) return add_move(x, p->kind, 0);
    if (a->lasts) n = placement_lengths(us, a->lasts, "explore: --lasts", stderr);
    for (uint32_t i = 0; i < n; i++)
        if (!add_move(x, p->kind, us[i])) return false;
    return n > 0;
}

static bool add_moves(struct explore_scope *x, const struct asked *a, const struct scenario *s)
{
    int64_t late[PLACEMENT_LENGTHS_MAX];
    for (uint32_t i = 0; x->faults > 0 && i < s->faults; i++)
        if (!add_fault(x, a, &s->fault[i])) return false;
    uint32_t n = placement_lengths(late, a->delay, "explore: --delay", stderr);
    for (uint32_t i = 0; x->delays > 0 && i < n; i++)
        if (!add_move(x, INJECT_DELAY, late[i])) return false;
    return n > 0;
}

static bool is_small(const struct scenario *s, const struct contract *c)
{
    char tabs[32];
    snprintf(tabs, sizeof tabs, "%" PRIu32 " tabs", scenario_tabs(s));
    if (scenario_tabs(s) > EXPLORE_TABS_MAX)
        return refuse(s->file, tabs, "at most 6: see scenarios/explore/");
    if (!s->calm) return refuse(s->file, "a scenario that draws", "calm: true");
    if (s->layouts != 1 || s->layout[0] != LAYOUT_SINGLE)
        return refuse(s->file, "a layout other than single", "layout: single");
    if (scenario_contract(s, c).work != WORKSTREAM_OUTBOX || s->account_changes.max > 0)
        return refuse(s->file, "another workstream, or accounts that change",
                      "the workstream account-outbox of one account");
    if (scenario_contract(s, c).authority != AUTHORITY_SERVER)
        return refuse(s->file, "a local ledger", "canonicalFence: server-lease-ledger");
    if (s->policy_of_one_version || s->steps > 0)
        return refuse(s->file, "steps or a mistake of one version", "a scenario without");
    return true;
}

static bool read_bounds(struct explore_scope *x, const struct asked *a, const struct scenario *s)
{
    uint64_t faults = a->faults == UNSET ? s->faults_drawn.max : a->faults;
    int64_t limit_us = 0;
    if (faults + a->delays == 0)
        return refuse("bounds", "no fault and no delay", "--faults or --delays of at least 1");
    if (faults + a->delays > PLACEMENTS_MAX)
        return refuse("bounds", "too many moves", "8 faults and delays together");
    if (faults > 0 && s->faults == 0)
        return refuse(s->file, "no faults", "a scenario that lists the kinds to place");
    if (a->limit && (!yaml_parse_duration(a->limit, &limit_us) || limit_us <= 0))
        return refuse("--max-time", a->limit, "a duration with its unit");
    x->faults = (uint32_t)faults;
    x->delays = (uint32_t)a->delays;
    x->depth = (uint32_t)a->depth;
    x->liveness = a->liveness;
    x->seconds_max = (double)limit_us / US_PER_S;
    return true;
}

static bool take_scope(struct explore_scope *x, const struct asked *a, struct inputs *in)
{
    if (!overrides_all_placed(&in->overrides, stderr)) return false;
    if (in->suite.scenarios != 1) return refuse(a->file, "a suite", "a scenario");
    if (a->mutant && !inputs_mutant(in, a->mutant, stderr)) return false;
    struct scenario s = *in->suite.scenario;
    if (!is_small(&s, &in->contract) || !read_bounds(x, a, &s)) return false;
    if (!add_moves(x, a, &s)) return false;
    x->calm = scenario_without_faults(&s);
    x->contract = &in->contract;
    x->symmetric = !a->no_symmetry && policy_is_empty(s.policy);
    x->merges = !a->no_merge;
    x->states_max = a->states;
    x->jobs = (uint32_t)a->options.jobs;
    return true;
}

/* -- for people ------------------------------------------------------------------------------ */

static void announce(FILE *f, const struct asked *a, const struct inputs *in,
                     const struct explore_scope *x)
{
    char us[TEXT_US_MAX];
    fprintf(f, "explore: %s%s%s\ncontract %s\n", a->file, a->mutant ? ", mutant " : "",
            a->mutant ? a->mutant : "", in->contract_file);
    announce_settings(f, in);
    fprintf(f, "revision %s, %s\n", version_revision(), version_build());
    fprintf(f,
            "scope: %" PRIu32 " tabs, %" PRIu32 " device%s, %" PRIu32
            " operation%s, horizon %s; at most %" PRIu32 " fault%s and %" PRIu32
            " late message%s\n",
            scenario_tabs(&x->calm), x->calm.devices, x->calm.devices == 1 ? "" : "s",
            x->calm.operations.min, x->calm.operations.min == 1 ? "" : "s",
            text_us(us, x->calm.duration.min_us), x->faults, x->faults == 1 ? "" : "s", x->delays,
            x->delays == 1 ? "" : "s");
    fputs("moves:", f);
    for (uint32_t i = 0; i < x->moves; i++) {
        const struct injection *m = &x->move[i];
        bool delays = m->kind == INJECT_DELAY;
        fprintf(f, "%s %s", i ? "," : "", delays ? PLACEMENT_DELAY : fault_info[m->kind].word);
        if (m->lasts_us > 0) fprintf(f, " %s", text_us(us, m->lasts_us));
    }
    fputs("\n\n", f);
    fflush(f);
}

static void print_cover(FILE *f, const struct explore_scope *x, const struct explore_result *r)
{
    if (r->full)
        fprintf(f, "cut: the table is full at %" PRIu64 " states; --max-states takes more\n",
                x->states_max);
    if (r->late) fputs("cut: the time given is over; --max-time takes more\n", f);
    if (interrupted()) fputs("cut: interrupted\n", f);
    if (r->full || r->late || interrupted()) return;
    if (r->broken && r->moves < explore_depth(x))
        fprintf(f, "covered: all paths of at most %" PRIu32 " moves; it broke, so none longer\n",
                r->moves);
    else
        fputs("covered: every path within the bounds\n", f);
    fputs(x->liveness ? "judged: safety at every state, and where each path's round ends\n"
                      : "judged: safety only; --liveness plays each path to its end\n",
          f);
}

static void print_sums(FILE *f, const struct explore_scope *x, const struct explore_result *r,
                       double seconds)
{
    char us[TEXT_US_MAX];
    fprintf(f, "%-24s %12" PRIu64 "\n", x->merges ? "distinct states" : "states of the tree",
            r->states);
    fprintf(f, "%-24s %12" PRIu64 "\n", "transitions", r->transitions);
    if (x->merges) {
        fprintf(f, "%-24s %12" PRIu64 "\n", "... at the horizon", r->at_horizon);
        fprintf(f, "%-24s %12s\n", "latest state", text_us(us, (int64_t)r->latest_us));
    }
    fprintf(f, "%-24s %12" PRIu32 " moves\n", "depth", r->moves);
    if (x->liveness) fprintf(f, "%-24s %12" PRIu64 "\n", "rounds to their ends", r->ends);
    fprintf(f, "%-24s %12.2g\n", "chance of a collision",
            (double)r->states * (double)r->states / 36893488147419103232.0);
    if (seconds > 0)
        fprintf(f, "%" PRIu64 " events, %.1f s, %.0f events/s, %.0f states/s, %" PRIu32 " jobs\n",
                r->events, seconds, (double)r->events / seconds, (double)r->states / seconds,
                x->jobs);
    print_cover(f, x, r);
    fputs("\n", f);
}

static const char *replay_of(char line[TABLE_REPLAY_MAX], const struct asked *a,
                             const struct inputs *in)
{
    struct run_setting setting[FLAGS_SETS_MAX];
    const struct run_info run = inputs_call(in, a->program, setting);
    return table_replay_of(line, &run, a->file, 0);
}

static void print_broken(FILE *f, const struct asked *a, const struct inputs *in,
                         const struct explore_result *r)
{
    char line[TABLE_REPLAY_MAX], text[PLACEMENT_TEXT_MAX], us[TEXT_US_MAX];
    for (uint32_t k = 0; k < INV_COUNT; k++) {
        if (!(r->broken >> k & 1)) continue;
        const struct explore_violation *v = &r->violation[k];
        fprintf(f, "BROKEN %s at %s: %s\n", invariant_word[k], text_us(us, (int64_t)v->at_us),
                v->n ? placement_text(text, v->move, v->n) : "without any move");
        fprintf(f, "  %s", replay_of(line, a, in));
        if (a->mutant) fprintf(f, " --mutant %s", a->mutant);
        if (v->n) fprintf(f, " --inject %s", placement_text(text, v->move, v->n));
        fputs("\n", f);
    }
    if (r->broken) fputs("\n", f);
}

/* -- for programs ----------------------------------------------------------------------------- */

static void print_json(FILE *f, const struct asked *a, const struct explore_scope *x,
                       const struct explore_result *r, bool covered)
{
    char text[PLACEMENT_TEXT_MAX];
    const char *separator = "";
    fputs("{\"command\":\"explore\",\"scenario\":", f);
    text_json(f, a->file);
    fputs(",\"mutant\":", f);
    text_json(f, a->mutant ? a->mutant : "");
    fprintf(f,
            ",\"faults\":%" PRIu32 ",\"delays\":%" PRIu32 ",\"moves\":%" PRIu32
            ",\"states\":%" PRIu64 ",\"transitions\":%" PRIu64 ",\"at_horizon\":%" PRIu64
            ",\"covered\":%s,\"broken\":[",
            x->faults, x->delays, r->moves, r->states, r->transitions, r->at_horizon,
            covered ? "true" : "false");
    for (uint32_t k = 0; k < INV_COUNT; k++) {
        if (!(r->broken >> k & 1)) continue;
        const struct explore_violation *v = &r->violation[k];
        fprintf(f, "%s{\"invariant\":\"%s\",\"at_us\":%" PRIu64 ",\"inject\":\"%s\"}", separator,
                invariant_word[k], v->at_us, placement_text(text, v->move, v->n));
        separator = ",";
    }
    fputs("]}\n", f);
}

/* -- the command -------------------------------------------------------------------- */

static int explore(const struct asked *a, const struct inputs *in, const struct explore_scope *x)
{
    struct explore_result r;
    FILE *talk = a->options.json ? stderr : stdout;
    announce(talk, a, in, x);
    struct explore *e = explore_open(x);
    if (!e) {
        refuse("--max-states", "more than there is memory for", "less");
        return EXIT_BAD_INPUT;
    }
    double began = clock_seconds();
    explore_run(e, (enum progress_mode)a->options.progress, &r);
    explore_close(e);
    bool covered = !r.full && !r.late && !interrupted();
    enum exit_status status = r.broken ? EXIT_BROKEN : covered ? EXIT_PASSED : EXIT_UNPROVEN;
    print_sums(talk, x, &r, clock_seconds() - began);
    print_broken(talk, a, in, &r);
    if (a->options.json) print_json(stdout, a, x, &r, covered);
    fprintf(talk, "EXPLORE %s\n",
            status == EXIT_PASSED   ? "PASS"
            : status == EXIT_BROKEN ? "FAIL"
                                    : "UNKNOWN");
    return interrupted() ? EXIT_INTERRUPTED : (int)status;
}

int cmd_explore(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct explore_scope scope = { 0 };
    int status = EXIT_BAD_INPUT;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], a.file, stderr)) return EXIT_BAD_INPUT;
    if (take_scope(&scope, &a, &in)) {
        interrupt_watch();
        status = explore(&a, &in, &scope);
    }
    inputs_free(&in);
    return status;
}
