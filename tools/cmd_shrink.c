/* tabquake shrink SCENARIO --seed S -o FILE: the fewest tabs, operations and faults that
 * still break the same invariant, as a scenario file. The file is read and played again
 * before it is kept; then its story is told. */
#include <inttypes.h>

#include "reports/outfile.h"
#include "reports/story.h"
#include "sim/engine/rng.h"
#include "tools/clock.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/scenario_file.h"
#include "tools/shrink_json.h"
#include "tools/shrink_result.h"

struct asked {
    struct options options;
    const char *program, *file, *output;
    uint32_t invariant; /* INV_COUNT: the file's own, or the first that breaks */
    uint64_t budget;
    const char *how;
    struct course course;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default(),
                         .invariant = INV_COUNT,
                         .budget = SHRINK_BUDGET };
    struct options *o = &a->options;
    o->seed = NULL;
    const struct flag table[] = {
        option_round_seed(o),
        option_output(&a->output, "the scenario file to write"),
        option_invariant(&a->invariant,
                         "which of those that broke (default: the mutant's own, else the first)"),
        flag_number("rounds", &a->budget, 1, OPTIONS_ROUNDS_MAX,
                    "rounds to spend (default: 10000)"),
        option_course(&a->how),
        option_contract(o),
        option_set(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "shrink",
        .operands = "SCENARIO [--seed S] -o FILE",
        .says = "Reduces a failing round to the fewest tabs, operations and faults that still\n"
                "break the same invariant, and writes a scenario that replays it.",
        .example = "build/tabquake shrink scenarios/mutants/receiver-ignores-fence.yaml"
                   " --seed 0x2a -o small.yaml",
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
    if (!option_read_course(&a->course, a->how, "shrink", stderr)) return FLAGS_WRONG;
    return option_output_is_free(a->output, "shrink", stderr) ? FLAGS_OK : FLAGS_WRONG;
}

/* -- what is written ------------------------------------------------------------------ */

static bool write_result(const struct asked *a, const struct shrink *s,
                         const struct scenario *result, const char *line)
{
    struct outfile o;
    if (!outfile_open(&o, a->output, stderr)) return false;
    shrink_write(o.f, s, result, line);
    return outfile_commit(&o, stderr);
}

/* What was written fails as it should; anything else is the program's own mistake. */
static bool play_again(const struct asked *a, struct shrink *s, struct played *p)
{
    struct scenario again;
    if (!scenario_load(&again, a->output, NULL, stderr)) return false;
    *p = player_round(s->player, &again, s->contract, again.seed);
    if (played_broken(p) >> s->invariant & 1) return true;
    fprintf(stderr, "tabquake shrink: %s does not break %s when it is read back\n", a->output,
            invariant_word[s->invariant]);
    return false;
}

/* -- what is said --------------------------------------------------------------------- */

/* Of the round that was played last: what it really had. */
static struct shrink_amount amount_of_round(const struct world *w)
{
    struct shrink_amount a = { .devices = w->devices,
                               .size = { scenario_tabs(w->scenario), w->operations, 0 },
                               .duration_us = w->heal_at.us };
    for (uint32_t i = 0; i < w->faults; i++) a.size.faults += w->fault[i].begun;
    return a;
}

static void say(FILE *f, const struct shrink *s, const struct scenario *r,
                const struct shrink_amount *was, double seconds)
{
    const struct shrink_size is = shrink_size(r);
    fprintf(f, "%s: %s\n", invariant_word[s->invariant], shrink_why(s));
    fprintf(f, "  devices     %" PRIu32 " -> %" PRIu32 "\n", was->devices, r->devices);
    fprintf(f, "  tabs        %" PRIu32 " -> %" PRIu32 "\n", was->size.tabs, is.tabs);
    fprintf(f, "  operations  %" PRIu32 " -> %" PRIu32 "\n", was->size.operations, is.operations);
    fprintf(f, "  faults      %" PRIu32 " -> %" PRIu32 "\n", was->size.faults, is.faults);
    fprintf(f, "  duration    %.1f s -> %.1f s\n", (double)was->duration_us / 1e6,
            (double)r->duration.max_us / 1e6);
    if (r->calm)
        fputs("  choices     drawn -> the mildest: no seed is needed\n", f);
    else
        fprintf(f, "  choices     drawn, and the failure needs them: seed 0x%016" PRIx64 "\n",
                s->seed);
    for (uint32_t i = 0; i < r->steps; i++) {
        fprintf(f, "  step %-2" PRIu32 "     ", i + 1);
        scenario_write_step(f, &r->step[i]);
        fputs("\n", f);
    }
    if (!s->scheduled) fputs("  its faults are still drawn: no schedule of them fails\n", f);
    fprintf(f, "%" PRIu32 " rounds, %.2f s%s\n", s->rounds, seconds,
            shrink_budget_is_spent(s) ? ": the budget is spent, --rounds gives it more" : "");
}

static void tell(FILE *f, const struct asked *a, const struct shrink *s, const struct played *p,
                 const char *line)
{
    struct trace t;
    if (trace_open(&t, p->history)) {
        story_tell(f, &t, s->invariant, &p->result->finding[s->invariant]);
        trace_close(&t);
    }
    fprintf(f, "\n%s: the scenario\n%s\n", a->output, line);
}

/* -- from the round to the file ------------------------------------------------------- */

/* The invariant that was asked for; else the one that the mutant's file names, where it broke;
 * else the first that did. */
static enum shrink_outcome start(const struct asked *a, const struct inputs *in, struct shrink *s)
{
    const struct scenario *from = in->suite.scenario;
    enum invariant_kind own = *in->caught_by ? invariant_find(in->caught_by) : INV_COUNT;
    if (a->invariant != INV_COUNT)
        return shrink_start(s, from, in->seed, (enum invariant_kind)a->invariant);
    enum shrink_outcome o = shrink_start(s, from, in->seed, own);
    return o == SHRINK_HOLDS && s->broken ? shrink_start(s, from, in->seed, INV_COUNT) : o;
}

static int refuse(const struct asked *a, const struct inputs *in, const struct shrink *s,
                  enum shrink_outcome o)
{
    fprintf(stderr, "%s: seed 0x%016" PRIx64 ": ", a->file, in->seed);
    if (o == SHRINK_LIMIT) {
        fputs("a limit was hit: the round proves nothing\n", stderr);
        return EXIT_UNPROVEN;
    }
    if (s->broken == 0) {
        fputs("found a round in which nothing breaks, accepted one that fails\n", stderr);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "found a round in which %s does not break, accepted --invariant",
            invariant_word[a->invariant]);
    for (int k = 0; k < INV_COUNT; k++)
        if (s->broken >> k & 1) fprintf(stderr, " %s", invariant_word[k]);
    fputs("\n", stderr);
    return EXIT_BAD_INPUT;
}

static int keep(const struct asked *a, const struct inputs *in, struct shrink *s,
                const struct shrink_amount *was, double began)
{
    struct run_setting setting[FLAGS_SETS_MAX];
    char line[TABLE_REPLAY_MAX];
    struct played again;
    if (!s->scheduled && a->course.strategy != STRATEGY_UNIFORM) {
        fprintf(stderr,
                "%s: seed 0x%016" PRIx64 ": no schedule fails as this course does; replay"
                " has the round as it is\n",
                a->file, in->seed);
        return EXIT_UNPROVEN;
    }
    const struct scenario result = shrink_result(s);
    const struct run_info run = inputs_call(in, a->program, setting);
    shrink_replay_line(line, &run, a->output);
    if (!write_result(a, s, &result, line)) return EXIT_BAD_INPUT;
    if (!play_again(a, s, &again)) return EXIT_OURS;
    FILE *talk = a->options.json ? stderr : stdout;
    say(talk, s, &result, was, clock_seconds() - began);
    tell(talk, a, s, &again, line);
    const struct shrink_told told = { s, &result, a->file, in->seed, *was, a->output, line };
    if (a->options.json) shrink_json(stdout, &told);
    return EXIT_PASSED;
}

static int reduce(const struct asked *a, const struct inputs *in, struct player *player)
{
    struct shrink s = { .player = player,
                        .contract = &in->contract,
                        .course = a->course,
                        .budget = (uint32_t)a->budget };
    double began = clock_seconds();
    s.course.seed = in->seed;
    (void)player_course(player, in->suite.scenario, &in->contract, &s.course);
    struct shrink_amount was = amount_of_round(player->runner.world);
    enum shrink_outcome o = start(a, in, &s);
    if (o != SHRINK_OK) return refuse(a, in, &s, o);
    shrink_reduce(&s);
    return keep(a, in, &s, &was, began);
}

int cmd_shrink(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct player player;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], a.file, stderr)) return EXIT_BAD_INPUT;
    if (!inputs_round(&in, &a.options, "shrink", stderr) ||
        !overrides_all_placed(&in.overrides, stderr)) {
        inputs_free(&in);
        return EXIT_BAD_INPUT;
    }
    player_open(&player, in.tabs);
    int status = reduce(&a, &in, &player);
    player_close(&player);
    inputs_free(&in);
    return status;
}
