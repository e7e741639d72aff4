#include "reports/table.h"

#include <inttypes.h>
#include <string.h>

#include "reports/text.h"

enum { COLUMNS = 5, WIDTH_MAX = 26 }; /* a longer cell moves its own line only */
static const char *const head[COLUMNS] = { "verdict", "condition", "value", "threshold",
                                           "95% bound" };

static const char *shown_verdict(const struct condition *c)
{
    static const char *const judged[] = { "pass", "FAIL", "UNKNOWN" };
    return c->judged ? judged[c->verdict] : "(shown)";
}

static void cells_of(const struct condition *c, const char *cell[COLUMNS])
{
    cell[0] = shown_verdict(c);
    cell[1] = c->name;
    cell[2] = c->value[0] ? c->value : "-";
    cell[3] = c->threshold[0] ? c->threshold : "-";
    cell[4] = c->bound95[0] ? c->bound95 : "-";
}

static void pad(FILE *f, const char *cell, size_t width)
{
    size_t n = text_columns(cell);
    fputs(cell, f);
    do putc(' ', f);
    while (++n < width + 2);
}

static void write_row(FILE *f, const char *const cell[COLUMNS], const size_t width[COLUMNS],
                      const char *colour)
{
    fputs(colour, f);
    pad(f, cell[0], width[0]);
    if (*colour) fputs("\033[0m", f);
    for (int i = 1; i < COLUMNS - 1; i++) pad(f, cell[i], width[i]);
    fprintf(f, "%s\n", cell[COLUMNS - 1]);
}

static const char *colour_of(const struct condition *c)
{
    static const char *const colour[] = { "\033[32m", "\033[1;31m", "\033[1;33m" };
    return c->judged ? colour[c->verdict] : "\033[2m";
}

void table_conditions(FILE *f, const struct run_report *r, bool colour)
{
    size_t width[COLUMNS];
    uint32_t conditions = r->gate ? r->gate->conditions : 0;
    const char *cell[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) width[k] = text_columns(head[k]);
    for (uint32_t i = 0; i < conditions; i++) {
        cells_of(&r->gate->condition[i], cell);
        for (int k = 0; k < COLUMNS; k++) {
            size_t n = text_columns(cell[k]);
            if (n > width[k] && n <= WIDTH_MAX) width[k] = n;
        }
    }
    write_row(f, head, width, "");
    for (uint32_t i = 0; i < conditions; i++) {
        cells_of(&r->gate->condition[i], cell);
        write_row(f, cell, width, colour ? colour_of(&r->gate->condition[i]) : "");
    }
}

#define FILE_MAX 4096
#define TOO_LONG "(a line of more than 16 KiB; give the same --set and --contract)"

/* -- failures ------------------------------------------------------------------ */

/* Appends `s` as one word of a shell. */
static void append_word(char out[TABLE_REPLAY_MAX], const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=@%+,";
    bool bare = *s != '\0' && s[strspn(s, plain)] == '\0';
    size_t n = strlen(out);
    if (out[0] == TOO_LONG[0]) return;
    if (n + 4 * strlen(s) + 4 > TABLE_REPLAY_MAX) {
        memcpy(out, TOO_LONG, sizeof TOO_LONG); /* half a line would replay another round */
        return;
    }
    if (n > 0) out[n++] = ' ';
    if (!bare) out[n++] = '\'';
    for (; *s; s++) {
        if (*s == '\'') {
            memcpy(out + n, "'\\''", 4);
            n += 4;
        } else {
            out[n++] = *s;
        }
    }
    if (!bare) out[n++] = '\'';
    out[n] = '\0';
}

/* A file that begins with a dash is no option. */
static void append_file(char out[TABLE_REPLAY_MAX], const char *file)
{
    char path[FILE_MAX];
    bool dash = file[0] == '-';
    if (dash) snprintf(path, sizeof path, "./%s", file);
    append_word(out, dash ? path : file);
}

static void append_set(char out[TABLE_REPLAY_MAX], const struct run_setting *s)
{
    char text[TABLE_REPLAY_MAX];
    snprintf(text, sizeof text, "%s=%s", s->path, s->value);
    append_word(out, "--set");
    append_word(out, text);
}

const char *table_command(char out[TABLE_REPLAY_MAX], const struct run_info *run,
                          const char *command, const char *scenario_file, const uint64_t *seed)
{
    char number[24];
    out[0] = '\0';
    append_word(out, run->program ? run->program : "build/tabquake");
    append_word(out, command);
    append_file(out, scenario_file);
    if (seed) {
        snprintf(number, sizeof number, "0x%016" PRIx64, *seed);
        append_word(out, "--seed");
        append_word(out, number);
    }
    if (run->contract_file) append_word(out, "--contract");
    if (run->contract_file) append_file(out, run->contract_file);
    for (uint32_t i = 0; i < run->settings; i++) append_set(out, &run->setting[i]);
    return out;
}

const char *table_replay_of(char out[TABLE_REPLAY_MAX], const struct run_info *run,
                            const char *scenario_file, uint64_t seed)
{
    return table_command(out, run, "replay", scenario_file, &seed);
}

void table_add_course(char out[TABLE_REPLAY_MAX], const struct course *c)
{
    char course[COURSE_TEXT_MAX];
    if (c->strategy == STRATEGY_UNIFORM) return;
    append_word(out, "--course");
    append_word(out, course_text(course, c));
}

const char *table_replay(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure *x)
{
    table_replay_of(out, &r->run, r->scenario[x->scenario].file, x->seed);
    table_add_course(out, &x->course);
    return out;
}

void table_failure(FILE *f, const struct run_report *r, const struct failure *x)
{
    char line[TABLE_REPLAY_MAX];
    const char *reason = x->finding.reason ? x->finding.reason : invariant_says[x->invariant];
    fprintf(f, "BROKEN %s  %s: %s", invariant_word[x->invariant], r->scenario[x->scenario].name,
            reason);
    if (x->finding.witness[0] != OBS_NONE) fprintf(f, " (#%" PRIu32, x->finding.witness[0]);
    if (x->finding.witness[0] != OBS_NONE && x->finding.witness[1] != OBS_NONE)
        fprintf(f, " and #%" PRIu32, x->finding.witness[1]);
    fprintf(f, "%s\n  %s\n", x->finding.witness[0] != OBS_NONE ? ")" : "",
            table_replay(line, r, x));
}

/* After the last of an invariant that is listed: how many rounds more broke it. */
static void write_rest(FILE *f, const struct run_report *r, int invariant, uint32_t listed)
{
    if (listed > 0 && r->tally->broken[invariant] > listed)
        fprintf(f, "  (%" PRIu64 " more)\n", r->tally->broken[invariant] - listed);
}

void table_failures(FILE *f, const struct run_report *r, uint32_t each)
{
    uint32_t listed[INV_COUNT] = { 0 };
    int last = -1;
    for (uint32_t i = 0; i < r->failures; i++) {
        const struct failure *x = &r->failure[i];
        if (x->finding.verdict != VERDICT_BROKEN || listed[x->invariant] == each) continue;
        if (last >= 0 && last != (int)x->invariant) write_rest(f, r, last, listed[last]);
        last = (int)x->invariant;
        listed[last]++;
        table_failure(f, r, x);
    }
    if (last >= 0) write_rest(f, r, last, listed[last]);
}

/* Why a run without a gate proves too little; NULL when it does not. */
static const char *proves_nothing(const struct run_report *r)
{
    const struct tally *t = r->tally;
    if (t->rounds == 0) return "no round was played";
    if (t->unknown_rounds > 0) return "a limit cut rounds short";
    if (t->cold.n == 0 && t->transitions == 0 && t->effects == 0) return "nobody ever led";
    return r->interrupted ? "interrupted" : NULL;
}

enum gate_verdict run_verdict(const struct run_report *r)
{
    if (r->gate) return r->gate->verdict;
    for (int k = 0; k < INV_COUNT; k++)
        if (r->tally->broken[k] > 0) return GATE_FAIL;
    return proves_nothing(r) ? GATE_UNKNOWN : GATE_PASS;
}

/* "baseline: 3 known failures" of a gate that excuses some; "" of any other. */
static void write_baseline(char out[2 * CONDITION_TEXT_MAX], const struct gate_report *g)
{
    out[0] = '\0';
    for (uint32_t i = 0; g && i < g->conditions; i++)
        if (strcmp(g->condition[i].name, GATE_BASELINE) == 0)
            snprintf(out, 2 * CONDITION_TEXT_MAX, "baseline: %s", g->condition[i].value);
}

const char *table_verdict(char out[TABLE_VERDICT_MAX], const struct run_report *r)
{
    static const char *const word[] = { "PASS", "FAIL", "UNKNOWN" };
    char baseline[2 * CONDITION_TEXT_MAX], rounds[64] = "";
    write_baseline(baseline, r->gate);
    if (!r->gate && run_verdict(r) == GATE_UNKNOWN)
        snprintf(rounds, sizeof rounds, "%s", proves_nothing(r));
    if (r->gate && r->run.shards > 1)
        snprintf(rounds, sizeof rounds, "shard %" PRIu32 " of %" PRIu32 ": %" PRIu64 " rounds",
                 r->run.shard, r->run.shards, r->tally->rounds);
    else if (r->gate && r->interrupted)
        snprintf(rounds, sizeof rounds, "interrupted: %" PRIu64 " of %" PRIu64 " rounds",
                 r->tally->rounds, r->run.rounds_asked);
    else if (r->gate && r->gate->is_short)
        snprintf(rounds, sizeof rounds, "short: %" PRIu64 " of %" PRIu32 " rounds",
                 r->run.rounds_asked, r->run.contract.slo.rounds);
    const char *both = *rounds && *baseline ? ", " : "";
    bool any = *rounds || *baseline;
    snprintf(out, TABLE_VERDICT_MAX, "%s %s%s%s%s%s%s", r->gate ? "GATE" : "RUN",
             word[run_verdict(r)], any ? " (" : "", rounds, both, baseline, any ? ")" : "");
    return out;
}
