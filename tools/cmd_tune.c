/* tabquake tune SCENARIO|SUITE: which lease, renewal, heartbeat and ledger settings give
 * which failover p99 at what price, on the same rounds for all. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "reports/table.h"
#include "reports/text.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/record.h"
#include "tools/tune_files.h"
#include "tools/version.h"

#define ROUNDS 1000

struct asked {
    struct options options;
    const char *program;
    const char *grid[TUNE_KNOBS];
};

static struct flag option_knob(struct asked *a, enum tune_knob k)
{
    return (struct flag){ .name = tune_knob_info[k].flag,
                          .kind = FLAG_TEXT,
                          .into = &a->grid[k],
                          .value = k == TUNE_STEAL ? "RULE,..." : "D,D,...",
                          .says = tune_knob_info[k].says };
}

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default(), .program = argv[0] };
    struct options *o = &a->options;
    o->rounds = ROUNDS;
    const struct flag table[] = {
        option_knob(a, TUNE_TTL),
        option_knob(a, TUNE_RENEW),
        option_knob(a, TUNE_HEARTBEAT),
        option_knob(a, TUNE_SUSPECT),
        option_knob(a, TUNE_VACANT),
        option_knob(a, TUNE_TIMEOUT),
        option_knob(a, TUNE_STEAL),
        option_rounds(o, "of each setting (default: 1000)"),
        option_seed(o),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_out(o, "gets tune.tsv and the plot (default: nothing is written)"),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "tune",
        .operands = "SCENARIO|SUITE",
        .says =
            "Plays the same rounds under every combination of the listed values, and under the"
            " contract as\nit stands; what has no list is as the contract says. Exit status 1 when"
            " an invariant broke\nsomewhere.",
        .example = "build/tabquake tune scenarios/release-gate.yaml --vacant-after 250ms,500ms",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    return flags_read(&f, argc, argv, &operands, stdout, stderr);
}

/* -- for people -------------------------------------------------------------------------- */

static void announce(FILE *f, const struct asked *a, const struct inputs *in, const struct tune *t)
{
    const struct tune_setting *x = &t->at[0];
    fprintf(f, "tune: %s, contract %s\n", in->suite.file, in->contract_file);
    announce_settings(f, in);
    fprintf(f, "seed %s (0x%016" PRIx64 "), revision %s\n", a->options.seed, in->seed,
            version_revision());
    fputs("in all settings:", f);
    const char *separator = "";
    for (int k = 0; k < TUNE_KNOBS; k++) {
        if (t->varies[k]) continue;
        fprintf(f, "%s %s %s", separator, tune_knob_info[k].key, x->value[k]);
        separator = ",";
    }
    fprintf(f, "\n%" PRIu32 " setting%s, %" PRIu64 " rounds each, the same seeds for all\n\n", t->n,
            t->n == 1 ? "" : "s", a->options.rounds);
    fflush(f);
}

static int width_of(int knob)
{
    int n = (int)strlen(tune_knob_info[knob].flag);
    if (knob == TUNE_STEAL) return 13; /* incident-only */
    return n > 6 ? n : 6;
}

static void print_head(FILE *f, const struct tune *t)
{
    fputs("   ", f);
    for (int k = 0; k < TUNE_KNOBS; k++)
        if (t->varies[k]) fprintf(f, " %*s", width_of(k), tune_knob_info[k].flag);
    fprintf(f, " %10s %8s  %-17s %11s %8s %8s %8s %6s\n", "p50", "p99", "95% interval",
            "unasked p99", "needless", "renewals", "requests", "broken");
}

static void print_row(FILE *f, const struct tune *t, const struct tune_setting *x)
{
    char p50[TEXT_US_MAX], p99[TEXT_US_MAX], low[TEXT_US_MAX], high[TEXT_US_MAX],
        unasked[TEXT_US_MAX], between[2 * TEXT_US_MAX + 4];
    const struct tune_point *p = &x->point;
    fprintf(f, "%c %c", x->own ? 'C' : ' ', x->on_frontier ? '*' : ' ');
    for (int k = 0; k < TUNE_KNOBS; k++)
        if (t->varies[k]) fprintf(f, " %*s", width_of(k), x->value[k]);
    if (!x->measured) {
        fputs("  interrupted\n", f);
        return;
    }
    snprintf(between, sizeof between, "%s%s%s", text_failover(low, p->p99_low_us),
             p->p99_low_us < 0 ? "" : "..",
             p->p99_low_us < 0 ? "" : text_failover(high, p->p99_high_us));
    fprintf(f, " %10s %8s  %-17s %11s %4" PRIu64 ".%02" PRIu64 "%%", text_failover(p50, p->p50_us),
            text_failover(p99, p->p99_us), between, text_failover(unasked, p->unasked_p99_us),
            p->needless_ppm / 10000, p->needless_ppm % 10000 / 100);
    fprintf(f, " %4" PRIu64 ".%03" PRIu64 " %4" PRIu64 ".%03" PRIu64 " %6" PRIu64 "\n",
            p->renewals_milli / 1000, p->renewals_milli % 1000, p->requests_milli / 1000,
            p->requests_milli % 1000, p->violations);
}

static void print_table(FILE *f, const struct tune *t)
{
    print_head(f, t);
    for (uint32_t i = 0; i < t->n; i++) print_row(f, t, &t->at[i]);
    fputs("\nC the contract, * on the frontier: no other setting is at least as good in p99,"
          " needless steals\nand requests, and better in one. needless: steals from a page that"
          " was able to act, of all\ntransitions. renewals, requests: at the ledger in a second"
          " of leading.\n\n",
          f);
}

/* What makes it that setting: the values that are not the contract's. */
static void add_values(struct run_info *run, struct run_setting *setting, const struct tune *t,
                       const struct tune_setting *x)
{
    const struct tune_setting *own = t->at;
    while (!own->own) own++;
    for (int k = 0; k < TUNE_KNOBS; k++)
        if (strcmp(own->value[k], x->value[k]) != 0)
            setting[run->settings++] = (struct run_setting){ tune_knob_info[k].key, x->value[k] };
}

/* The first violation of each setting. */
static void print_violations(FILE *f, const struct asked *a, const struct inputs *in,
                             const struct tune *t)
{
    char line[TABLE_REPLAY_MAX];
    struct run_setting setting[FLAGS_SETS_MAX + TUNE_KNOBS];
    struct run_info run = inputs_call(in, a->program, setting);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct tune_setting *x = &t->at[i];
        const struct failure *first = &x->point.first;
        if (x->point.violations == 0) continue;
        run.settings = in->overrides.n;
        add_values(&run, setting, t, x);
        const struct scenario *s = &in->suite.scenario[first->scenario];
        fprintf(f, "BROKEN %s  %s\n  %s\n", invariant_word[first->invariant], s->name,
                table_replay_of(line, &run, s->file, first->seed));
    }
}

/* -- for programs -------------------------------------------------------------------------- */

static void json_us(FILE *f, const char *name, int64_t us)
{
    fprintf(f, ",\"%s\":", name);
    if (us >= 0)
        fprintf(f, "%" PRId64, us);
    else
        fputs("null", f);
}

static void json_setting(FILE *f, const struct tune_setting *x)
{
    const struct tune_point *p = &x->point;
    fputs("{\"set\":{", f);
    for (int k = 0; k < TUNE_KNOBS; k++)
        fprintf(f, "%s\"%s\":\"%s\"", k ? "," : "", tune_knob_info[k].key, x->value[k]);
    fprintf(f,
            "},\"contract\":%s,\"frontier\":%s,\"rounds\":%" PRIu64 ",\"transitions\":%" PRIu64
            ",\"failovers\":%" PRIu64,
            x->own ? "true" : "false", x->on_frontier ? "true" : "false", p->rounds, p->transitions,
            p->failovers);
    json_us(f, "p50_us", p->p50_us);
    json_us(f, "p99_us", p->p99_us);
    json_us(f, "p99_low_us", p->p99_low_us);
    json_us(f, "p99_high_us", p->p99_high_us);
    json_us(f, "unasked_p99_us", p->unasked_p99_us);
    fprintf(f,
            ",\"needless_ppm\":%" PRIu64 ",\"renewals_milli\":%" PRIu64
            ",\"requests_milli\":%" PRIu64 ",\"violations\":%" PRIu64 ",\"unknown_rounds\":%" PRIu64
            ",\"digest\":\"0x%016" PRIx64 "\"}",
            p->needless_ppm, p->renewals_milli, p->requests_milli, p->violations, p->unknown_rounds,
            p->digest);
}

static void print_json(FILE *f, const struct asked *a, const struct inputs *in,
                       const struct tune *t)
{
    const char *separator = "";
    fputs("{\"command\":\"tune\",\"suite\":", f);
    text_json(f, in->suite.file);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"rounds\":%" PRIu64 ",\"revision\":", in->seed,
            a->options.rounds);
    text_json(f, version_revision());
    fputs(",\"settings\":[", f);
    for (uint32_t i = 0; i < t->n; i++) {
        if (!t->at[i].measured) continue;
        fprintf(f, "%s\n  ", separator);
        json_setting(f, &t->at[i]);
        separator = ",";
    }
    fputs("\n]}\n", f);
}

/* -- the command ----------------------------------------------------------------------------- */

/* A plot that was not drawn for lack of gnuplot is no failure: the table says the same. */
static bool write_files(FILE *talk, const struct asked *a, const struct inputs *in,
                        const struct tune *t)
{
    enum gnuplot_outcome plot;
    const char *folder = a->options.out;
    if (!tune_write_files(folder, t, in, &plot)) return false;
    fprintf(talk, "%s/tune.tsv: the table\n", folder);
    switch (plot) {
    case GNUPLOT_DRAWN: fprintf(talk, "%s/tune.svg: the plot\n", folder); break;
    case GNUPLOT_NO_DATA: fputs("no plot: nobody failed over in any setting\n", talk); break;
    case GNUPLOT_ABSENT:
        fprintf(talk,
                "no plot: gnuplot is not installed; with it, gnuplot tune.gp in %s draws it\n",
                folder);
        break;
    case GNUPLOT_FAILED: return false;
    }
    return true;
}

static enum exit_status status_of(const struct tune *t)
{
    enum exit_status status = EXIT_PASSED;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct tune_point *p = &t->at[i].point;
        if (p->violations > 0) status = status_of_both(status, EXIT_BROKEN);
        if (p->unknown_rounds > 0 || p->failovers == 0)
            status = status_of_both(status, EXIT_UNPROVEN);
    }
    return status;
}

static int tune(const struct asked *a, struct inputs *in, struct tune *t)
{
    const struct options *o = &a->options;
    FILE *talk = o->json ? stderr : stdout;
    announce(talk, a, in, t);
    tune_run(t, in, o->rounds, (uint32_t)o->jobs, (enum progress_mode)o->progress);
    tune_frontier(t);
    print_table(talk, t);
    print_violations(talk, a, in, t);
    if (o->json) print_json(stdout, a, in, t);
    if (interrupted()) return EXIT_INTERRUPTED;
    bool ok = !o->out || write_files(talk, a, in, t);
    return ok ? (int)status_of(t) : EXIT_BAD_INPUT;
}

static bool usable(const struct asked *a, const struct inputs *in)
{
    const char *out = a->options.out;
    if (!overrides_all_placed(&in->overrides, stderr)) return false;
    if (!out || record_make_folder(out)) return true;
    fprintf(stderr, "%s: %s\n", out, strerror(errno));
    return false;
}

int cmd_tune(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct tune t;
    int status = EXIT_BAD_INPUT;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], argv[2], stderr)) return EXIT_BAD_INPUT;
    inputs_all_uniform(&in); /* it measures */
    if (tune_open(&t, &in, a.grid, stderr)) {
        if (usable(&a, &in)) {
            interrupt_watch();
            status = tune(&a, &in, &t);
        }
        tune_close(&t);
    }
    inputs_free(&in);
    return status;
}
