/* tabquake mutants: every deliberate mistake, and which invariant sees it first.
 *
 * The matrix has a row for each mutant and a column for each invariant; a number is the
 * round in which the invariant fired first, counted until the one that the mutant's file
 * names has fired. A mutant that its own invariant does not catch has escaped, whatever
 * else saw it. */
#include <inttypes.h>
#include <string.h>

#include "sim/engine/rng.h"
#include "tools/command.h"
#include "tools/hunt.h"
#include "tools/interrupt.h"
#include "tools/version.h"

struct asked {
    struct options options;
    const char *only;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    struct options *o = &a->options;
    const struct flag table[] = {
        { .name = "only",
          .kind = FLAG_TEXT,
          .into = &a->only,
          .value = "NAME",
          .says = "one mutant" },
        option_seed(o),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "mutants",
        .operands = "",
        .says = "Runs every deliberately broken client, ledger, browser and provider; each must be"
                " caught\nby the invariant that its file names, within its budget of rounds.",
        .example = "build/tabquake mutants --only receiver-ignores-fence",
        .flag = table,
        .n = sizeof table / sizeof table[0],
    };
    uint32_t operands;
    return flags_read(&f, argc, argv, &operands, stdout, stderr);
}

static bool load(const struct asked *a, const char *program, struct inputs *in, struct hunt *h)
{
    char folder[LOCATE_PATH_MAX];
    if (!inputs_load(in, &a->options, program, NULL, stderr)) return false;
    if (locate_shipped(folder, program, "mutants", stderr) &&
        hunt_load(h, folder, a->only, &in->overrides, stderr) &&
        overrides_all_placed(&in->overrides, stderr)) {
        h->contract = &in->contract;
        h->seed = in->seed;
        h->jobs = (uint32_t)a->options.jobs;
        return true;
    }
    inputs_free(in);
    return false;
}

static void print_head(int width)
{
    for (int k = 0; k < INV_COUNT; k++) printf("%2d  %s\n", k + 1, invariant_word[k]);
    printf("\n%-*s  %-24s %6s ", width, "mutant", "must be caught by", "round");
    for (int k = 0; k < INV_COUNT; k++) printf(" %4d", k + 1);
    fputs("\n", stdout);
}

static void print_row(const struct hunted *x, int width)
{
    const struct mutant_outcome *o = &x->outcome;
    printf("%-*s  %-24s ", width, o->name, invariant_word[o->expected]);
    if (o->caught)
        printf("%6" PRIu64 " ", o->rounds);
    else
        printf("%6s ", x->unfinished ? "-" : "never");
    for (int k = 0; k < INV_COUNT; k++)
        if (x->first[k])
            printf(" %4" PRIu64, x->first[k]);
        else
            fputs("    .", stdout);
    if (!o->caught && !x->unfinished)
        printf("   ESCAPED after %" PRIu64 " rounds%s", o->rounds,
               o->also ? ", seen by others only" : "");
    fputs("\n", stdout);
}

static void print_matrix(const struct hunt *h)
{
    int width = 6;
    for (uint32_t i = 0; i < h->n; i++) {
        int n = (int)strlen(h->at[i].outcome.name);
        if (n > width) width = n;
    }
    print_head(width);
    for (uint32_t i = 0; i < h->n; i++) print_row(&h->at[i], width);
}

/* The member of gate.json, alone. */
static void print_json(const struct hunt *h)
{
    fputs("{\"mutants\":[", stdout);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct mutant_outcome *o = &h->at[i].outcome;
        const char *separator = "";
        printf("%s\n  {\"name\":\"%s\",\"invariant\":\"%s\",\"caught\":%s,\"rounds\":%" PRIu64
               ",\"budget\":%" PRIu64 ",\"also\":[",
               i ? "," : "", o->name, invariant_word[o->expected], o->caught ? "true" : "false",
               o->rounds, o->budget);
        for (int k = 0; k < INV_COUNT; k++)
            if (o->also >> k & 1) printf("%s\"%s\"", separator, invariant_word[k]), separator = ",";
        fputs("]}", stdout);
    }
    fputs("\n]}\n", stdout);
}

int cmd_mutants(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct hunt h;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!load(&a, argv[0], &in, &h)) return EXIT_BAD_INPUT;
    FILE *talk = a.options.json ? stderr : stdout;
    fprintf(talk, "mutants: seed %s (0x%016" PRIx64 "), revision %s\n\n", a.options.seed, in.seed,
            version_revision());
    fflush(talk);
    interrupt_watch();
    hunt_run(&h, (enum progress_mode)a.options.progress);
    if (a.options.json)
        print_json(&h);
    else
        print_matrix(&h);
    uint32_t escaped = hunt_escaped(&h);
    fprintf(talk, "\n%" PRIu32 " of %" PRIu32 " mutants caught\n", h.n - escaped, h.n);
    hunt_free(&h);
    inputs_free(&in);
    if (interrupted()) return EXIT_INTERRUPTED;
    return escaped > 0 ? EXIT_BROKEN : EXIT_PASSED;
}
