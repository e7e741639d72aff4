#include "reports/table.h"

#include <inttypes.h>
#include <string.h>

#include "reports/text.h"

enum { COLUMNS = 5 };
static const char *const head[COLUMNS] = { "condition", "threshold", "value", "95% bound",
                                           "verdict" };

static const char *shown_verdict(const struct condition *c)
{
    static const char *const judged[] = { "pass", "FAIL", "UNKNOWN" };
    static const char *const shown[] = { "(pass)", "(fail)", "(unknown)" };
    return c->judged ? judged[c->verdict] : shown[c->verdict];
}

static void cells_of(const struct condition *c, const char *cell[COLUMNS])
{
    cell[0] = c->name;
    cell[1] = c->threshold[0] ? c->threshold : "-";
    cell[2] = c->value[0] ? c->value : "-";
    cell[3] = c->bound95[0] ? c->bound95 : "-";
    cell[4] = shown_verdict(c);
}

static void pad(FILE *f, const char *cell, size_t width)
{
    fputs(cell, f);
    for (size_t n = text_columns(cell); n < width + 2; n++) putc(' ', f);
}

static void write_row(FILE *f, const char *const cell[COLUMNS], const size_t width[COLUMNS],
                      const char *colour)
{
    for (int i = 0; i < COLUMNS - 1; i++) pad(f, cell[i], width[i]);
    fprintf(f, "%s%s%s\n", colour, cell[COLUMNS - 1], *colour ? "\033[0m" : "");
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
        for (int k = 0; k < COLUMNS; k++)
            if (text_columns(cell[k]) > width[k]) width[k] = text_columns(cell[k]);
    }
    write_row(f, head, width, "");
    for (uint32_t i = 0; i < conditions; i++) {
        cells_of(&r->gate->condition[i], cell);
        write_row(f, cell, width, colour ? colour_of(&r->gate->condition[i]) : "");
    }
}

/* -- failures ------------------------------------------------------------------ */

/* Appends `s` as one word of a shell; what does not fit is left out. */
static void append_word(char out[TABLE_REPLAY_MAX], const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=@%+,";
    bool bare = *s != '\0' && s[strspn(s, plain)] == '\0';
    size_t n = strlen(out);
    if (n + 4 * strlen(s) + 4 > TABLE_REPLAY_MAX) return;
    out[n++] = ' ';
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

const char *table_replay(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure *x)
{
    char seed[24];
    snprintf(out, TABLE_REPLAY_MAX, "build/tabquake replay");
    append_word(out, r->scenario[x->scenario].file);
    snprintf(seed, sizeof seed, "0x%016" PRIx64, x->seed);
    append_word(out, "--seed");
    append_word(out, seed);
    if (r->run.contract_file) {
        append_word(out, "--contract");
        append_word(out, r->run.contract_file);
    }
    return out;
}

static void write_failure(FILE *f, const struct run_report *r, const struct failure *x)
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

void table_failures(FILE *f, const struct run_report *r, uint32_t each)
{
    uint32_t listed[INV_COUNT] = { 0 };
    for (uint32_t i = 0; i < r->failures; i++) {
        const struct failure *x = &r->failure[i];
        if (x->finding.verdict != VERDICT_BROKEN || listed[x->invariant] == each) continue;
        listed[x->invariant]++;
        write_failure(f, r, x);
    }
}

const char *table_verdict(char out[TABLE_VERDICT_MAX], const struct run_report *r)
{
    static const char *const word[] = { "PASS", "FAIL", "UNKNOWN" };
    enum gate_verdict v = r->gate ? r->gate->verdict : GATE_UNKNOWN;
    if (r->gate && r->gate->is_short)
        snprintf(out, TABLE_VERDICT_MAX, "GATE %s (short: %" PRIu64 " of %" PRIu32 " rounds)",
                 word[v], r->tally->rounds, r->run.contract.slo.rounds);
    else
        snprintf(out, TABLE_VERDICT_MAX, "GATE %s", word[v]);
    return out;
}
