#include "tools/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "oracle/judge.h"
#include "reports/history_file.h"
#include "reports/text.h"
#include "reports/trace.h"
#include "tools/judge_clock.h"

enum { EXIT_HELD = 0, EXIT_BROKEN = 1, EXIT_USAGE = 2, EXIT_OPEN = 4 };

static const char *const verdict_word[] = { "unknown", "held", "broken" };

struct judgement {
    struct history history;
    struct history_meta meta;
    struct arena arena;
    struct judge *judge;
    struct judge_result result; /* of the recorded order */
};

static void sizes_of(const struct history *h, uint32_t *pages, uint32_t *ops)
{
    *pages = *ops = 1;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct obs *o = &h->at[i];
        if (o->page < PAGE_SERVER && o->page >= *pages) *pages = o->page + 1u;
        if (o->op >= *ops) *ops = o->op < JUDGE_OPS_MAX ? o->op + 1 : JUDGE_OPS_MAX;
    }
}

static const struct judge_result *judge_all(struct judgement *j, const struct history *h,
                                            const struct contract *c)
{
    judge_reset(j->judge, c);
    for (uint32_t i = 0; i < h->n; i++) judge_step(j->judge, &h->at[i]);
    return judge_finish(j->judge);
}

/* Judges every order that the clocks allow; what they disagree on becomes unknown. */
static bool judge_variants(struct judgement *j, const struct contract *c, int64_t error_us)
{
    struct history other = { .max = j->history.n };
    uint32_t variants = 1u << judge_clocks(&j->history);
    other.at = calloc(j->history.n ? j->history.n : 1, sizeof other.at[0]);
    bool ok = other.at != NULL;
    for (uint32_t v = 0; ok && v < variants; v++) {
        ok = judge_variant(&other, &j->history, v, error_us);
        if (!ok) break;
        const struct judge_result *r = judge_all(j, &other, c);
        for (int i = 0; i < INV_COUNT; i++) {
            struct finding *mine = &j->result.finding[i];
            if (mine->verdict == r->finding[i].verdict) continue;
            mine->verdict = VERDICT_UNKNOWN;
            mine->reason = "orders that the clocks' error allows give different verdicts";
        }
    }
    free(other.at);
    return ok;
}

/* -- the answer ----------------------------------------------------------------- */

static int status_of(const struct judge_result *r)
{
    uint32_t broken = 0, held = 0, left_open = r->cut_short + r->samples_lost;
    for (int i = 0; i < INV_COUNT; i++) {
        broken += r->finding[i].verdict == VERDICT_BROKEN;
        held += r->finding[i].verdict == VERDICT_HELD;
        left_open += r->finding[i].verdict == VERDICT_UNKNOWN && r->finding[i].reason;
    }
    if (broken > 0) return EXIT_BROKEN;
    return left_open > 0 || held == 0 ? EXIT_OPEN : EXIT_HELD;
}

static void write_witness(FILE *f, const struct finding *v)
{
    if (v->witness[0] == OBS_NONE) return;
    fprintf(f, " (#%" PRIu32, v->witness[0]);
    if (v->witness[1] != OBS_NONE) fprintf(f, " and #%" PRIu32, v->witness[1]);
    putc(')', f);
}

static void write_text(FILE *f, const struct judgement *j, const char *file, int status)
{
    static const char *const last[] = { "PASS", "FAIL", "", "", "UNKNOWN" };
    struct trace t;
    fprintf(f, "%s: %s, seed 0x%016" PRIx64 ", %" PRIu32 " observations, digest 0x%016" PRIx64 "\n",
            file, j->meta.scenario, j->meta.seed, j->history.n, history_digest(&j->history));
    for (int i = 0; i < INV_COUNT; i++) {
        const struct finding *v = &j->result.finding[i];
        bool exercised = v->verdict != VERDICT_UNKNOWN || v->reason;
        fprintf(f, "%-13s %s", exercised ? verdict_word[v->verdict] : "not exercised",
                invariant_word[i]);
        if (v->verdict != VERDICT_HELD && v->reason) fprintf(f, ": %s", v->reason);
        if (v->verdict != VERDICT_HELD) write_witness(f, v);
        putc('\n', f);
    }
    if (trace_open(&t, &j->history)) {
        for (int i = 0; i < INV_COUNT; i++) {
            if (j->result.finding[i].verdict != VERDICT_BROKEN) continue;
            putc('\n', f);
            trace_story(f, &t, (enum invariant_kind)i, &j->result.finding[i]);
        }
        trace_close(&t);
    }
    if (j->result.cut_short || j->result.samples_lost)
        fputs("a limit was hit: the round proves nothing\n", f);
    fprintf(f, "JUDGE %s\n", last[status]);
}

static void write_json_finding(FILE *f, int i, const struct finding *v)
{
    fprintf(f, "%s{\"invariant\":\"%s\",\"verdict\":\"%s\",\"witness\":[", i ? ",\n  " : "\n  ",
            invariant_word[i], verdict_word[v->verdict]);
    for (int k = 0; k < 2; k++) {
        if (k) putc(',', f);
        if (v->witness[k] == OBS_NONE)
            fputs("null", f);
        else
            fprintf(f, "%" PRIu32, v->witness[k]);
    }
    fputs("],\"reason\":", f);
    text_json(f, v->verdict == VERDICT_HELD ? NULL : v->reason);
    putc('}', f);
}

static void write_json(FILE *f, const struct judgement *j, const char *file, int status)
{
    static const char *const verdict[] = { "pass", "fail", "", "", "unknown" };
    const struct judge_result *r = &j->result;
    fprintf(f, "{\"schema\":\"tabquake.judge.v1\",\"verdict\":\"%s\",\"file\":", verdict[status]);
    text_json(f, file);
    fputs(",\"scenario\":", f);
    text_json(f, j->meta.scenario);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"revision\":", j->meta.seed);
    text_json(f, j->meta.revision);
    fprintf(f, ",\"digest\":\"0x%016" PRIx64 "\",\"observations\":%" PRIu32 ",\n\"invariants\":{",
            history_digest(&j->history), j->history.n);
    for (int i = 0; i < INV_COUNT; i++)
        fprintf(f, "%s\"%s\":%d", i ? "," : "", invariant_word[i],
                r->finding[i].verdict == VERDICT_BROKEN);
    fputs("},\n\"findings\":[", f);
    for (int i = 0; i < INV_COUNT; i++) write_json_finding(f, i, &r->finding[i]);
    fputs("],\n\"failovers\":[", f);
    for (uint32_t i = 0; i < r->gaps; i++) {
        const struct gap_sample *g = &r->gap[i];
        fprintf(f,
                "%s{\"cause\":\"%s\",\"eligible_us\":%" PRId64 ",\"raw_us\":%" PRId64
                ",\"open\":%s}",
                i ? ",\n  " : "\n  ", gap_word[g->cause], g->eligible_us, g->raw_us,
                g->open ? "true" : "false");
    }
    fputs("]}\n", f);
}

/* -- the command ---------------------------------------------------------------- */

/* "-" is the standard input. NULL after a sentence. */
static FILE *open_history(const char *file, FILE *err)
{
    struct stat st;
    if (strcmp(file, "-") == 0) return stdin;
    if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
        fprintf(err, "%s: is a folder; accepted is a history.jsonl in it\n", file);
        return NULL;
    }
    FILE *f = fopen(file, "r");
    if (!f) fprintf(err, "%s: cannot be opened: %s\n", file, strerror(errno));
    return f;
}

static bool read_history(struct judgement *j, const char *path, FILE *err)
{
    FILE *f = open_history(path, err);
    const char *file = f == stdin ? "standard input" : path;
    if (!f) return false;
    j->history.max = HISTORY_FILE_MAX;
    j->history.at = calloc(j->history.max, sizeof j->history.at[0]);
    bool ok = j->history.at && history_read(&j->history, &j->meta, f, file, err);
    if (!j->history.at) fprintf(err, "%s: no memory to read it\n", file);
    if (f != stdin) fclose(f);
    return ok;
}

int judge_history(const char *file, const struct judge_options *options, FILE *out, FILE *err)
{
    struct judgement *j = calloc(1, sizeof *j);
    int status = EXIT_USAGE;
    if (j && read_history(j, file, err)) {
        const struct contract *c = options->contract ? options->contract : &j->meta.contract;
        uint32_t pages, ops;
        sizes_of(&j->history, &pages, &ops);
        /* address space, touched only where it is used; the judge's fixed part is 16 MB */
        arena_open(&j->arena, ((size_t)64 << 20) + (size_t)pages * 4096 + (size_t)ops * 1024);
        j->judge = judge_open(&j->arena, pages, ops);
        j->result = *judge_all(j, &j->history, c);
        bool ok = options->clock_error_us == 0 || judge_variants(j, c, options->clock_error_us);
        status = status_of(&j->result);
        if (ok && options->json) write_json(out, j, file, status);
        if (ok && !options->json) write_text(out, j, file, status);
        if (!ok) fprintf(err, "%s: no memory to judge it with --clock-error\n", file);
        if (!ok) status = EXIT_OPEN;
        arena_close(&j->arena);
    }
    if (j) free(j->history.at);
    free(j);
    return status;
}

static int usage(const char *name, bool has_contract)
{
    printf("usage: %s HISTORY.jsonl [--clock-error 50ms]%s [--json]\n\n", name,
           has_contract ? " [--contract FILE]" : "");
    fputs(
        "Judges a recorded history (-: standard input) by the invariants of the contract in its"
        " first line.\n"
        "  --clock-error T         each clock of the recording is right to within T (us, ms, s);\n"
        "                          what the order within it decides is unknown\n",
        stdout);
    if (has_contract) fputs("  --contract FILE         another contract\n", stdout);
    printf("  --contract-from-header  the contract in the history; the default\n"
           "  --json                  the verdict as one JSON object\n"
           "Ends with 0 held, 1 broken, 2 not a history, 4 unknown.\n"
           "Example: %s out/failures/chaos-0x00000000000051c6/history.jsonl\n",
           name);
    return EXIT_HELD;
}

#define CLOCK_ERROR_MAX_US (INT64_C(3600) * US_PER_S)

/* "50ms" as microseconds; -1 when it is none, or more than an hour. */
static int64_t parse_duration(const char *s)
{
    static const struct {
        const char *unit;
        int64_t us;
    } unit[] = { { "us", 1 }, { "ms", US_PER_MS }, { "s", US_PER_S } };
    size_t digits = strspn(s, "0123456789");
    if (digits == 0 || digits > 10) return -1;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (strcmp(s + digits, unit[i].unit) != 0) continue;
        int64_t us = strtoll(s, NULL, 10) * unit[i].us;
        return us <= CLOCK_ERROR_MAX_US ? us : -1;
    }
    return -1;
}

/* Is argv[*i] this option? Its value is given as --name VALUE or --name=VALUE. */
static bool is_option(int argc, char **argv, int *i, const char *name, const char **value)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0) return false;
    if (argv[*i][n] == '=')
        *value = argv[*i] + n + 1;
    else if (argv[*i][n] == '\0')
        *value = *i + 1 < argc ? argv[++*i] : "";
    else
        return false;
    return true;
}

static bool is_no_file(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0';
}

int judge_command_with(int argc, char **argv,
                       bool (*load)(struct contract *c, const char *file, FILE *err))
{
    struct judge_options options = { .contract = NULL };
    struct contract contract;
    const char *file = NULL, *value, *name = load ? "tabquake judge" : "judge";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) return usage(name, load != NULL);
        if (strcmp(argv[i], "--contract-from-header") == 0) continue;
        if (strcmp(argv[i], "--json") == 0) {
            options.json = true;
        } else if (is_option(argc, argv, &i, "--clock-error", &value)) {
            options.clock_error_us = parse_duration(value);
            if (options.clock_error_us < 0) {
                fprintf(stderr,
                        "%s: --clock-error: found \"%s\", accepted is a duration up to an"
                        " hour such as 50ms\n",
                        name, value);
                return EXIT_USAGE;
            }
        } else if (load && is_option(argc, argv, &i, "--contract", &value)) {
            if (!load(&contract, value, stderr)) return EXIT_USAGE;
            options.contract = &contract;
        } else if (is_no_file(argv[i]) || file) {
            const char *what = is_no_file(argv[i]) ? "unknown option" : "one file, not also";
            fprintf(stderr, "%s: %s \"%s\"; see %s --help\n", name, what, argv[i], name);
            return EXIT_USAGE;
        } else {
            file = argv[i];
        }
    }
    if (!file) {
        fprintf(stderr, "%s: found no history to judge; see %s --help\n", name, name);
        return EXIT_USAGE;
    }
    return judge_history(file, &options, stdout, stderr);
}

int judge_command(int argc, char **argv)
{
    return judge_command_with(argc, argv, NULL);
}
