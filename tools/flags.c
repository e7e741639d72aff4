#include "tools/flags.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

#define NAMES_MAX 32 /* flags of one command, --help included */
#define NAME_LEN_MAX 40

/* -- the nearest name -------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits from `a` to `b`: a row of the usual table at a time. */
static size_t edits(const char *a, const char *b)
{
    size_t row[NAME_LEN_MAX + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (; *a; a++) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < n; j++) {
            size_t replaced = diagonal + (*a != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], row[j + 1]) + 1);
        }
    }
    return row[n];
}

const char *flags_nearest(const char *word, const char *const *candidates, uint32_t n)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 2 + 1;
    if (strlen(word) > NAME_LEN_MAX) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        must(strlen(candidates[i]) <= NAME_LEN_MAX);
        size_t d = edits(word, candidates[i]);
        if (d >= best) continue;
        best = d;
        nearest = candidates[i];
    }
    return nearest;
}

/* -- help -------------------------------------------------------------------------- */

static void help_line(const struct flag *f, FILE *out)
{
    char left[64];
    int n = f->letter ? snprintf(left, sizeof left, "-%c, ", f->letter)
                      : snprintf(left, sizeof left, "    ");
    snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", f->name, f->value ? " " : "",
             f->value ? f->value : "");
    fprintf(out, "  %-34s %s\n", left, f->says);
}

void flags_help(const struct flags *f, FILE *out)
{
    fprintf(out, "usage: tabquake %s%s%s%s\n\n%s\n\n", f->command, *f->operands ? " " : "",
            f->operands, f->n ? " [options]" : "", f->says);
    for (uint32_t i = 0; i < f->n; i++) help_line(&f->flag[i], out);
    help_line(&(struct flag){ .name = "help", .says = "this text" }, out);
    fprintf(out, "\nexample: %s\n", f->example);
}

/* -- values ------------------------------------------------------------------------ */

struct reading {
    const struct flags *f;
    FILE *err;
};

static bool wrong(const struct reading *r, const struct flag *f, const char *found,
                  const char *accepted)
{
    fprintf(r->err, "tabquake %s: --%s: found %s, accepted %s\n", r->f->command, f->name, found,
            accepted);
    return false;
}

static bool read_number(const struct reading *r, const struct flag *f, const char *text)
{
    char *end, accepted[80];
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    bool digits = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
    if (digits && n >= f->min && n <= f->max) {
        *(uint64_t *)f->into = n;
        return true;
    }
    snprintf(accepted, sizeof accepted, "a number from %" PRIu64 " to %" PRIu64, f->min, f->max);
    return wrong(r, f, *text ? text : "nothing", accepted);
}

static bool read_word(const struct reading *r, const struct flag *f, const char *text)
{
    char accepted[1024] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < f->words_n; i++) {
        if (strcmp(f->words[i], text) == 0) {
            *(uint32_t *)f->into = i;
            return true;
        }
        n +=
            (size_t)snprintf(accepted + n, sizeof accepted - n, "%s%s", i ? ", " : "", f->words[i]);
        must(n < sizeof accepted);
    }
    return wrong(r, f, *text ? text : "nothing", accepted);
}

static bool read_set(const struct reading *r, const struct flag *f, char *text)
{
    struct flag_sets *sets = f->into;
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return wrong(r, f, *text ? text : "nothing", "path=value");
    if (sets->n == FLAGS_SETS_MAX) return wrong(r, f, "one too many", "at most 64 of them");
    *equals = '\0';
    sets->at[sets->n++] = (struct override){ text, equals + 1 };
    return true;
}

#define HASH_DIGITS 40 /* a commit hash may happen to have no letter */

/* A number that was mistyped would silently become a word, and so another run. */
static bool read_seed(const struct reading *r, const struct flag *f, const char *text)
{
    bool hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0;
    const char *number = hex ? text + 2 : text;
    size_t digits = strspn(number, hex ? "0123456789abcdefABCDEF" : "0123456789");
    bool all = digits > 0 && number[digits] == '\0';
    errno = 0;
    if (all) (void)strtoull(number, NULL, hex ? 16 : 10);
    bool wide = all && errno != 0;
    if (!*text) return wrong(r, f, "nothing", "a number, a commit hash or a word");
    if (text[0] == '0' && text[1] == 'X') return wrong(r, f, text, "0x before a hex number");
    if (hex && (!all || wide)) return wrong(r, f, text, "0x and up to 16 hex digits");
    if (wide && digits < HASH_DIGITS)
        return wrong(r, f, text, "a number up to 18446744073709551615");
    *(const char **)f->into = text;
    return true;
}

static bool read_value(const struct reading *r, const struct flag *f, char *text)
{
    switch (f->kind) {
    case FLAG_NUMBER: return read_number(r, f, text);
    case FLAG_WORD: return read_word(r, f, text);
    case FLAG_SET: return read_set(r, f, text);
    case FLAG_SEED: return read_seed(r, f, text);
    case FLAG_TEXT:
        if (!*text) return wrong(r, f, "nothing", f->value);
        *(const char **)f->into = text;
        return true;
    case FLAG_SWITCH: break;
    }
    return false;
}

/* -- the line ---------------------------------------------------------------------- */

static bool unknown_option(const struct reading *r, const char *argument)
{
    const char *names[NAMES_MAX];
    char name[NAME_LEN_MAX + 1];
    uint32_t n = 0;
    must(r->f->n < NAMES_MAX);
    for (; n < r->f->n; n++) names[n] = r->f->flag[n].name;
    names[n++] = "help";
    const char *bare = argument + strspn(argument, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
    const char *near = flags_nearest(name, names, n);
    fprintf(r->err, "tabquake %s: found the unknown option %s", r->f->command, argument);
    if (near) fprintf(r->err, " (did you mean --%s?)", near);
    fputs(", accepted", r->err);
    for (uint32_t i = 0; i < n; i++) fprintf(r->err, "%s --%s", i ? "," : "", names[i]);
    fputs("\n", r->err);
    return false;
}

/* The flag that the argument names; what stands behind '=' is left in *value. */
static const struct flag *find(const struct flags *f, char *argument, char **value)
{
    *value = NULL;
    if (argument[1] != '-') {
        for (uint32_t i = 0; i < f->n; i++)
            if (f->flag[i].letter == argument[1] && argument[2] == '\0') return &f->flag[i];
        return NULL;
    }
    size_t n = strcspn(argument + 2, "=");
    if (argument[2 + n] == '=') *value = argument + 2 + n + 1;
    for (uint32_t i = 0; i < f->n; i++)
        if (strlen(f->flag[i].name) == n && strncmp(f->flag[i].name, argument + 2, n) == 0)
            return &f->flag[i];
    return NULL;
}

/* One option, and its value, which may be the next argument. */
static bool read_option(const struct reading *r, char **argv, int argc, int *i)
{
    char *value;
    const struct flag *f = find(r->f, argv[*i], &value);
    if (!f) return unknown_option(r, argv[*i]);
    if (f->kind == FLAG_SWITCH) {
        if (value) return wrong(r, f, value, "no value");
        *(bool *)f->into = true;
        return true;
    }
    if (!value && *i + 1 < argc) value = argv[++*i];
    if (!value) return wrong(r, f, "no value", f->value);
    return read_value(r, f, value);
}

static bool operands_fit(const struct flags *f, uint32_t n, char *const *operand, FILE *err)
{
    if (n >= f->operands_min && n <= f->operands_max) return true;
    fprintf(err, "tabquake %s: found ", f->command);
    if (n > f->operands_max)
        fprintf(err, "%s, one argument too many", operand[f->operands_max]);
    else
        fputs(n ? "too few arguments" : "no argument", err);
    fprintf(err, ", accepted: tabquake %s %s\n", f->command, f->operands);
    return false;
}

enum flags_outcome flags_read(const struct flags *f, int argc, char **argv, uint32_t *operands,
                              FILE *out, FILE *err)
{
    const struct reading r = { f, err };
    bool only_operands = false;
    *operands = 0;
    for (int i = 2; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[2 + (*operands)++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            flags_help(f, out);
            return FLAGS_HELPED;
        } else if (!read_option(&r, argv, argc, &i)) {
            return FLAGS_WRONG;
        }
    }
    return operands_fit(f, *operands, argv + 2, err) ? FLAGS_OK : FLAGS_WRONG;
}
