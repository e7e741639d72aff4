/* tabquake replay SCENARIO --seed S: one round, formatted. The trace and, for each
 * invariant that broke, the story: the observations that contradict each other and what
 * led to them. As jsonl it is the history that `judge` takes; as html a timeline. */
#include <inttypes.h>
#include <string.h>

#include "reports/history_file.h"
#include "reports/outfile.h"
#include "reports/story.h"
#include "reports/table.h"
#include "reports/text.h"
#include "reports/timeline.h"
#include "reports/trace.h"
#include "sim/engine/rng.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/placement.h"
#include "tools/player.h"
#include "tools/steps.h"
#include "tools/version.h"

enum format { FORMAT_TEXT, FORMAT_JSONL, FORMAT_HTML, FORMAT_PERFETTO, FORMAT_MERMAID, FORMATS };
static const char *const format_word[FORMATS] = { "text", "jsonl", "html", "perfetto", "mermaid" };

struct asked {
    struct options options;
    const char *program, *file, *output, *inject, *how, *mutant;
    uint32_t format;
    struct injection injection[PLACEMENTS_MAX];
    uint32_t injections;
    struct course course;
};

static bool ask_course(struct asked *a)
{
    if (!a->how || !a->inject) return option_read_course(&a->course, a->how, "replay", stderr);
    fputs("tabquake replay: --course: found beside --inject, accepted one of them\n", stderr);
    return false;
}

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default(), .program = argv[0] };
    struct options *o = &a->options;
    o->seed = NULL;
    const struct flag table[] = {
        option_round_seed(o),
        flag_word("format", &a->format, "text|jsonl|html|perfetto|mermaid", format_word, FORMATS,
                  "a trace, the history, swim lanes, other viewers' formats"),
        option_output(&a->output, "instead of standard output"),
        flag_text("inject", &a->inject, "FAULT@EVENT[/LASTS]",
                  "instead of the scenario's own faults; several with commas, as sweep says"),
        option_course(&a->how),
        flag_text("mutant", &a->mutant, "FILE",
                  "with the deliberate mistake of this mutant, as explore says"),
        option_contract(o),
        option_set(o),
    };
    const struct flags f = {
        .command = "replay",
        .operands = "SCENARIO [--seed S]",
        .says = "Plays one round and prints what happened; what broke an invariant is told at the"
                " end.\nThe scenario may be a mutant. A scenario that is calm or names its seed"
                " needs none.\nExit status 1 when an invariant broke.",
        .example = "build/tabquake replay scenarios/chaos.yaml --seed 0x2a",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK) return read;
    a->file = argv[2];
    bool fits = !a->inject ||
                placement_read(a->injection, &a->injections, a->inject, "replay: --inject", stderr);
    return fits && ask_course(a) ? FLAGS_OK : FLAGS_WRONG;
}

/* What became of each injected fault. */
static void injections(FILE *f, const struct asked *a)
{
    char text[PLACEMENT_TEXT_MAX], us[TEXT_US_MAX];
    for (uint32_t i = 0; i < a->injections; i++) {
        const struct injection *x = &a->injection[i];
        fprintf(f, "injected %s", placement_text(text, x, 1));
        if (!x->reached)
            fputs(": the round has no such event", f);
        else
            fprintf(f, " at %s, leader phase %s%s", text_us(us, x->at.us), phase_word[x->phase],
                    x->begun ? "" : ": there was nobody to act on");
        fputs("\n", f);
    }
}

static void verdicts(FILE *f, const struct judge_result *r)
{
    static const char *const word[] = { "unknown", "held", "BROKEN" };
    for (int k = 0; k < INV_COUNT; k++) {
        const struct finding *v = &r->finding[k];
        fprintf(f, "%-26s %s%s%s\n", invariant_word[k], word[v->verdict], v->reason ? ": " : "",
                v->reason ? v->reason : "");
    }
    if (r->cut_short) fputs("a limit was hit: the round proves nothing\n", f);
}

static void failovers(FILE *f, const struct judge_result *r)
{
    char us[TEXT_US_MAX];
    for (uint32_t i = 0; i < r->gaps; i++) {
        const struct gap_sample *g = &r->gap[i];
        fprintf(f, "failover %-12s %s from #%" PRIu32 " to #%" PRIu32 "%s\n", gap_word[g->cause],
                text_us(us, g->eligible_us), g->began, g->ended, g->open ? ", still open" : "");
    }
}

static void stories(FILE *f, const struct trace *t, const struct judge_result *r)
{
    story_tell_all(f, t, r);
    for (int k = 0; k < INV_COUNT; k++) {
        if (r->finding[k].verdict != VERDICT_BROKEN) continue;
        fputs("\n", f);
        trace_story(f, t, (enum invariant_kind)k, &r->finding[k]);
    }
}

/* The round that was asked for and what came of it. */
struct shown {
    struct asked asked;
    struct inputs inputs;
    struct player player;
    struct played played;
};

static bool write_text(FILE *f, const struct shown *r)
{
    struct trace t;
    char course[COURSE_TEXT_MAX];
    const struct scenario *s = r->inputs.suite.scenario;
    const struct played *p = &r->played;
    if (!trace_open(&t, p->history)) {
        fputs("tabquake replay: no memory for the trace\n", stderr);
        return false;
    }
    fprintf(f, "%s, ", s->name);
    if (s->calm)
        fputs("calm", f);
    else
        fprintf(f, "seed 0x%016" PRIx64, r->inputs.seed);
    if (r->asked.how) fprintf(f, ", course %s", course_text(course, &r->asked.course));
    fprintf(f, ", revision %s: %s\n\n", version_revision(), s->says);
    trace_all(f, &t);
    fputs("\n", f);
    injections(f, &r->asked);
    (void)steps_undone(f, r->player.runner.world);
    if (r->asked.course.fork.before > p->events)
        fputs("the course leaves its seed at an event that the round does not have\n", f);
    verdicts(f, p->result);
    failovers(f, p->result);
    fprintf(f, "digest 0x%016" PRIx64 ", %" PRIu32 " observations, %" PRIu64 " events\n", p->digest,
            p->history->n, p->events);
    stories(f, &t, p->result);
    trace_close(&t);
    return true;
}

static bool write_jsonl(FILE *f, const struct shown *r)
{
    const struct scenario *s = r->inputs.suite.scenario;
    struct history_meta m = { .seed = r->inputs.seed,
                              .contract = scenario_contract(s, &r->inputs.contract) };
    snprintf(m.scenario, sizeof m.scenario, "%s", s->name);
    snprintf(m.revision, sizeof m.revision, "%s", version_revision());
    history_write(f, r->played.history, &m);
    return true;
}

/* The line that plays the round again, as it was called. */
static const char *command(char out[TABLE_REPLAY_MAX], const struct shown *r)
{
    const struct asked *a = &r->asked;
    const struct inputs *in = &r->inputs;
    struct run_setting setting[FLAGS_SETS_MAX];
    const struct overrides *o = &in->overrides;
    for (uint32_t i = 0; i < o->n; i++)
        setting[i] = (struct run_setting){ o->at[i].path, o->at[i].value };
    const struct run_info run = {
        .program = a->program,
        .contract_file = in->contract_is_shipped ? NULL : in->contract_file,
        .setting = setting,
        .settings = o->n,
    };
    table_replay_of(out, &run, a->file, in->seed);
    size_t n = strlen(out);
    if (a->inject) snprintf(out + n, TABLE_REPLAY_MAX - n, " --inject %s", a->inject);
    table_add_course(out, &a->course);
    return out;
}

static bool write_timeline(FILE *f, const struct shown *r)
{
    void (*const write[FORMATS])(FILE *, const struct timeline *) = {
        [FORMAT_HTML] = timeline_html,
        [FORMAT_PERFETTO] = timeline_perfetto,
        [FORMAT_MERMAID] = timeline_mermaid,
    };
    char line[TABLE_REPLAY_MAX];
    struct lanes lanes;
    if (!lanes_open(&lanes, r->played.history, r->played.result)) {
        fputs("tabquake replay: no memory for the timeline\n", stderr);
        return false;
    }
    const struct timeline t = { .lanes = &lanes,
                                .result = r->played.result,
                                .scenario = r->inputs.suite.scenario->name,
                                .revision = version_revision(),
                                .command = command(line, r),
                                .seed = r->inputs.seed };
    write[r->asked.format](f, &t);
    lanes_close(&lanes);
    return true;
}

static bool write_round(const struct shown *r)
{
    const struct asked *a = &r->asked;
    bool (*write)(FILE *, const struct shown *) = a->format == FORMAT_JSONL  ? write_jsonl
                                                  : a->format == FORMAT_TEXT ? write_text
                                                                             : write_timeline;
    struct outfile o;
    if (!a->output) return write(stdout, r);
    if (!outfile_open(&o, a->output, stderr)) return false;
    if (write(o.f, r)) return outfile_commit(&o, stderr);
    outfile_drop(&o);
    return false;
}

/* A fault that did not begin proves nothing either. */
static int status_of(const struct shown *r)
{
    const struct asked *a = &r->asked;
    if (played_broken(&r->played)) return EXIT_BROKEN;
    for (uint32_t i = 0; i < a->injections; i++)
        if (!a->injection[i].begun) return EXIT_UNPROVEN;
    if (a->course.fork.before > r->played.events) return EXIT_UNPROVEN;
    return played_proves_nothing(&r->played) ? EXIT_UNPROVEN : EXIT_PASSED;
}

static void play(struct shown *r)
{
    struct asked *a = &r->asked;
    struct scenario *s = r->inputs.suite.scenario;
    if (a->how) {
        a->course.seed = r->inputs.seed;
        r->played = player_course(&r->player, s, &r->inputs.contract, &a->course);
        return;
    }
    if (a->inject) *s = scenario_without_faults(s);
    r->played = player_round_with(&r->player, s, &r->inputs.contract, r->inputs.seed, a->injection,
                                  a->injections);
}

int cmd_replay(int argc, char **argv)
{
    struct shown r;
    struct asked *a = &r.asked;
    struct inputs *in = &r.inputs;
    enum flags_outcome read = ask(a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(in, &a->options, argv[0], a->file, stderr)) return EXIT_BAD_INPUT;
    if (!inputs_round(in, &a->options, "replay", stderr) ||
        (a->mutant && !inputs_mutant(in, a->mutant, stderr)) ||
        !overrides_all_placed(&in->overrides, stderr)) {
        inputs_free(in);
        return EXIT_BAD_INPUT;
    }
    player_open(&r.player, in->tabs);
    play(&r);
    int status = write_round(&r) ? status_of(&r) : EXIT_BAD_INPUT;
    if (a->format != FORMAT_TEXT && status != EXIT_BAD_INPUT) verdicts(stderr, r.played.result);
    player_close(&r.player);
    inputs_free(in);
    return status;
}
