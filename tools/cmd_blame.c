/* tabquake blame SCENARIO --seed S: the probability of the violation when the rest of the round
 * is drawn anew from each event on, and the event at which it jumps. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "oracle/stats.h"
#include "reports/gnuplot.h"
#include "reports/story.h"
#include "reports/text.h"
#include "tools/blame.h"
#include "tools/clock.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/record.h"
#include "tools/version.h"

#define ROWS 24    /* of the printed curve: a screen */
#define BAR 40     /* columns of 100% */
#define SAID_MAX 4 /* observations of the event that decided */

struct asked {
    struct options options;
    const char *file;
    uint32_t invariant; /* INV_COUNT: the first that breaks */
    uint64_t redraws, grid;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default(),
                         .invariant = INV_COUNT,
                         .redraws = BLAME_REDRAWS,
                         .grid = BLAME_GRID };
    struct options *o = &a->options;
    o->seed = NULL;
    const struct flag table[] = {
        option_round_seed(o),
        flag_number("redraws", &a->redraws, 10, BLAME_REDRAWS_MAX, "at each event (default: 200)"),
        flag_number("events", &a->grid, 2, BLAME_GRID_MAX,
                    "spread over the round, before the jump is looked at closely (default: 64)"),
        option_invariant(&a->invariant, "which of those that broke (default: the first)"),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_out(o, "gets blame.tsv and the plot (default: nothing is written)"),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "blame",
        .operands = "SCENARIO --seed S",
        .says =
            "Plays a failing round again up to an event and draws the rest anew, many times, for"
            "\nevents from the first to the one that broke it: how probable the violation was,"
            "\nand which event made it so.",
        .example = "build/tabquake blame scenarios/mutants/receiver-ignores-fence.yaml --seed 0x2a",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    a->file = argv[2];
    return read;
}

/* -- numbers -------------------------------------------------------------------------- */

static double percent(const struct blame *b, const struct blame_point *p)
{
    return 100.0 * p->broken / b->redraws;
}

static struct interval interval_of(const struct blame *b, const struct blame_point *p)
{
    struct interval i = stats_proportion(p->broken, b->redraws);
    return (struct interval){ 100 * i.low, 100 * i.high };
}

/* -- for people ----------------------------------------------------------------------- */

static void print_row(FILE *f, const struct blame *b, const struct blame_point *p)
{
    char at[TEXT_US_MAX], bar[BAR + 1];
    struct interval i = interval_of(b, p);
    uint32_t columns = (uint32_t)(((uint64_t)p->broken * BAR + b->redraws / 2) / b->redraws);
    memset(bar, '#', columns);
    bar[columns] = '\0';
    fprintf(f, "%8" PRIu64 " %10s %6.1f%%  %5.1f..%5.1f%%  %s\n", p->before, text_us(at, p->at.us),
            percent(b, p), i.low, i.high, bar);
}

/* About ROWS points, evenly, and whatever is about the jump. */
static bool is_shown(const struct blame *b, uint32_t i, uint32_t jump)
{
    uint32_t every = (b->points + ROWS - 1) / ROWS;
    return i % every == 0 || i + 1 == b->points || i == jump || i == jump + 1;
}

static void print_curve(FILE *f, const struct blame *b, uint32_t jump)
{
    fprintf(f, "%8s %10s %7s  %14s\n", "event", "time", "broken", "95% interval");
    for (uint32_t i = 0; i < b->points; i++)
        if (is_shown(b, i, jump)) print_row(f, b, &b->point[i]);
}

/* What could be seen of the event between two neighbours. */
static void print_event(FILE *f, const struct trace *t, const struct blame_point *p,
                        const struct blame_point *next)
{
    uint32_t said = 0;
    for (uint32_t i = p->seen; i < next->seen && said < SAID_MAX; i++) {
        const struct obs *o = &t->history->at[i];
        fprintf(f, "  #%-5" PRIu32 " ", o->number);
        if (!story_sentence(f, t, o)) {
            fputs(obs_info[o->kind].word, f);
            trace_detail(f, o);
        }
        putc('\n', f);
        said++;
    }
    if (p->seen == next->seen)
        fputs("  nothing that could be seen: what was drawn in it decides what comes\n", f);
    else if (next->seen - p->seen > SAID_MAX)
        fprintf(f, "  and %" PRIu32 " more observations, see replay\n",
                next->seen - p->seen - SAID_MAX);
}

static void print_jump(FILE *f, const struct blame *b, const struct history *h, uint32_t jump)
{
    const struct blame_point *p = &b->point[jump], *next = p + 1;
    char at[TEXT_US_MAX];
    struct trace t;
    fprintf(f, "\njump: %.1f%% -> %.1f%% at event %" PRIu64 ", %s\n", percent(b, p),
            percent(b, next), p->before, text_us(at, p->at.us));
    if (!trace_open(&t, h)) return;
    print_event(f, &t, p, next);
    trace_close(&t);
}

static void announce(FILE *f, const struct inputs *in, const struct blame *b, const struct asked *a)
{
    fprintf(f, "blame: %s, seed 0x%016" PRIx64 ", revision %s\n", a->file, in->seed,
            version_revision());
    fprintf(f, "%s broke in event %" PRIu64 " of %" PRIu64 "; %" PRIu32 " re-draws an event\n\n",
            invariant_word[b->invariant], b->broke_in, b->events, b->redraws);
}

/* -- for programs --------------------------------------------------------------------- */

static void print_json(FILE *f, const struct inputs *in, const struct blame *b, uint32_t jump)
{
    fputs("{\"command\":\"blame\",\"scenario\":", f);
    text_json(f, in->suite.file);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"revision\":", in->seed);
    text_json(f, version_revision());
    fprintf(f,
            ",\"invariant\":\"%s\",\"events\":%" PRIu64 ",\"broke_in\":%" PRIu64
            ",\"redraws\":%" PRIu32 ",\"jump\":%" PRIu64 ",\"points\":[",
            invariant_word[b->invariant], b->events, b->broke_in, b->redraws,
            b->point[jump].before);
    for (uint32_t i = 0; i < b->points; i++) {
        const struct blame_point *p = &b->point[i];
        fprintf(f, "%s\n  {\"before\":%" PRIu64 ",\"us\":%" PRId64 ",\"broken\":%" PRIu32 "}",
                i ? "," : "", p->before, p->at.us, p->broken);
    }
    fputs("\n]}\n", f);
}

static bool write_table(const char *folder, const struct blame *b)
{
    char path[OUTFILE_PATH_MAX];
    struct outfile o;
    int n = snprintf(path, sizeof path, "%s/blame.tsv", folder);
    if (n < 0 || n >= OUTFILE_PATH_MAX || !outfile_open(&o, path, stderr)) return false;
    fputs("event\ttime_s\tbroken\tredraws\tpercent\tlow\thigh\n", o.f);
    for (uint32_t i = 0; i < b->points; i++) {
        const struct blame_point *p = &b->point[i];
        struct interval in = interval_of(b, p);
        fprintf(o.f, "%" PRIu64 "\t%.6f\t%" PRIu32 "\t%" PRIu32 "\t%.2f\t%.2f\t%.2f\n", p->before,
                (double)p->at.us / 1e6, p->broken, b->redraws, percent(b, p), in.low, in.high);
    }
    return outfile_commit(&o, stderr);
}

static bool write_files(FILE *talk, const char *folder, const struct inputs *in,
                        const struct blame *b, uint32_t jump)
{
    struct outfile o;
    if (!write_table(folder, b)) return false;
    fprintf(talk, "\n%s/blame.tsv: the points\n", folder);
    gnuplot_forget(folder, "blame");
    if (!gnuplot_begin(&o, folder, "blame", stderr)) return false;
    fputs("title = ", o.f);
    gnuplot_text(o.f, in->suite.name);
    fprintf(o.f, " . ', seed 0x%016" PRIx64 ": %s'\njump = %" PRIu64 "\n", in->seed,
            invariant_word[b->invariant], b->point[jump].before);
    switch (gnuplot_draw(&o, folder, "blame", stderr)) {
    case GNUPLOT_DRAWN: fprintf(talk, "%s/blame.svg: the plot\n", folder); return true;
    case GNUPLOT_ABSENT:
        fprintf(talk,
                "no plot: gnuplot is not installed; with it, gnuplot blame.gp in %s draws it\n",
                folder);
        return true;
    default: return false;
    }
}

/* -- the command ---------------------------------------------------------------------- */

static int refuse(const struct asked *a, const struct inputs *in, enum blame_outcome o)
{
    const char *named = a->invariant == INV_COUNT ? "any invariant" : invariant_word[a->invariant];
    if (o == BLAME_LIMIT)
        fprintf(stderr, "%s: seed 0x%016" PRIx64 ": a limit was hit: the round proves nothing\n",
                a->file, in->seed);
    else
        fprintf(stderr,
                "%s: seed 0x%016" PRIx64 ": the round does not break %s: nothing to blame\n",
                a->file, in->seed, named);
    return o == BLAME_LIMIT ? EXIT_UNPROVEN : EXIT_BAD_INPUT;
}

static int tell(FILE *talk, const struct asked *a, const struct inputs *in, const struct blame *b,
                double seconds)
{
    struct player player;
    uint32_t jump = blame_jump(b);
    print_curve(talk, b, jump);
    player_open(&player, b->tabs);
    print_jump(talk, b, run_round(&player.runner, b->scenario, b->contract, b->seed), jump);
    player_close(&player);
    fprintf(talk, "\n%" PRIu32 " points, %" PRIu64 " re-draws, %.2f s\n", b->points, b->rounds,
            seconds);
    bool ok = !a->options.out || write_files(talk, a->options.out, in, b, jump);
    if (a->options.json) print_json(stdout, in, b, jump);
    return ok ? EXIT_PASSED : EXIT_BAD_INPUT;
}

static int blame(const struct asked *a, const struct inputs *in)
{
    static struct blame b; /* a few pages: not for the stack */
    const struct options *o = &a->options;
    FILE *talk = o->json ? stderr : stdout;
    enum blame_outcome outcome =
        blame_open(&b, in, (enum invariant_kind)a->invariant, (uint32_t)a->redraws,
                   (uint32_t)a->grid, (uint32_t)o->jobs);
    if (outcome != BLAME_OK) return refuse(a, in, outcome);
    if (o->out && !record_make_folder(o->out)) {
        fprintf(stderr, "%s: %s\n", o->out, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    announce(talk, in, &b, a);
    interrupt_watch();
    double began = clock_seconds();
    if (!blame_run(&b, (enum progress_mode)o->progress)) return EXIT_INTERRUPTED;
    return tell(talk, a, in, &b, clock_seconds() - began);
}

int cmd_blame(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    int status = EXIT_BAD_INPUT;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], a.file, stderr)) return EXIT_BAD_INPUT;
    if (inputs_round(&in, &a.options, "blame", stderr) &&
        overrides_all_placed(&in.overrides, stderr))
        status = blame(&a, &in);
    inputs_free(&in);
    return status;
}
