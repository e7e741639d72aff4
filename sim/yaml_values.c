/* One value each: texts, words, numbers, durations, percentages, and ranges of them.
 *
 * Numbers are plain decimal digits: no sign, no exponent, no leading zero (YAML 1.1
 * would read 010 as 8). A duration and a percentage are written with their unit and
 * without a space, and must be a whole number of what is stored: "0.5us" and
 * "33.3%" of a whole percentage are errors, never rounded. */
#include "sim/yaml.h"

#include <string.h>

#include "sim/base/must.h"

#define ACCEPTED_MAX 1024

static const struct {
    const char *word;
    int64_t us;
} unit[] = {
    { "h", INT64_C(3600000000) },
    { "min", 60000000 },
    { "s", 1000000 },
    { "ms", 1000 },
    { "us", 1 },
};
#define UNITS (sizeof unit / sizeof unit[0])

/* -- text and words ----------------------------------------------------------------- */

static bool has_control(const char *text)
{
    for (const unsigned char *t = (const unsigned char *)text; *t; t++)
        if (*t < 0x20 || *t == 0x7F || (t[0] == 0xC2 && t[1] >= 0x80 && t[1] < 0xA0)) return true;
    return false;
}

void yaml_text(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    char accepted[80];
    const char *text = yaml_scalar(y, node);
    size_t n = text ? strlen(text) : 0;
    while (n > 0 && text[n - 1] == '\n') n--; /* a folded text ends with one */
    snprintf(accepted, sizeof accepted, "a text of 1 to %lld bytes on one line",
             (long long)k->max - 1);
    if (n == 0 || (int64_t)n >= k->max) {
        yaml_wrong(y, node, accepted);
        return;
    }
    memcpy(at, text, n);
    ((char *)at)[n] = 0;
    if (has_control(at)) yaml_wrong(y, node, accepted);
}

void yaml_name(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    char accepted[80];
    const char *text = yaml_scalar(y, node);
    size_t n = text ? strlen(text) : 0;
    snprintf(accepted, sizeof accepted, "1 to %lld letters, digits, '-', '_' or '.'",
             (long long)k->max - 1);
    bool fine = n > 0 && (int64_t)n < k->max && text[0] != '.' && text[0] != '-';
    for (size_t i = 0; fine && i < n; i++) {
        unsigned c = (unsigned char)text[i];
        fine = (c | 32) - 'a' < 26 || c - '0' < 10 || c == '-' || c == '_' || c == '.';
    }
    if (!fine)
        yaml_wrong(y, node, accepted);
    else
        memcpy(at, text, n + 1);
}

static void wrong_word(struct yaml *y, int node, const struct yaml_key *k)
{
    char accepted[ACCEPTED_MAX], clean[64], found[160];
    const char *text = yaml_scalar(y, node);
    const char *near = text && *text ? yaml_nearest(text, k->words, k->words_n) : NULL;
    yaml_accepted(accepted, sizeof accepted, k->words, k->words_n, near);
    if (!near) {
        yaml_wrong(y, node, accepted);
        return;
    }
    yaml_clean(clean, sizeof clean, text);
    snprintf(found, sizeof found, "%s (did you mean %s?)", clean, near);
    yaml_error(y, node, found, accepted);
}

/* Index of the word, or words_n and an error. */
static uint32_t word_index(struct yaml *y, int node, const struct yaml_key *k)
{
    const char *text = yaml_scalar(y, node);
    uint32_t i = 0;
    while (i < k->words_n && (!text || strcmp(text, k->words[i]) != 0)) i++;
    if (i == k->words_n) wrong_word(y, node, k);
    return i;
}

/* Every enum of words.h is an unsigned int here, as in all our compilers. */
enum probe { PROBE };
_Static_assert(sizeof(enum probe) == sizeof(uint32_t), "words are stored as uint32_t");

void yaml_word(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    uint32_t i = word_index(y, node, k);
    if (i < k->words_n) memcpy(at, &i, sizeof i);
}

void yaml_words(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    uint64_t bits[YAML_WORDS_MAX / 64] = { 0 };
    must(k->words_n <= YAML_WORDS_MAX);
    uint32_t n = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < n; i++) {
        size_t before = y->key_n;
        int entry = yaml_enter(y, node, i);
        uint32_t word = word_index(y, entry, k);
        uint64_t bit = UINT64_C(1) << word % 64;
        if (word < k->words_n && bits[word / 64] & bit)
            yaml_error(y, entry, "a word for the second time", "each word once");
        if (word < k->words_n) bits[word / 64] |= bit;
        yaml_leave(y, before);
    }
    memcpy(at, bits, (k->words_n + 63) / 64 * sizeof bits[0]);
}

void yaml_flag(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    const char *text = yaml_scalar(y, node);
    (void)k;
    bool value = text && strcmp(text, "true") == 0;
    if (!value && (!text || strcmp(text, "false") != 0))
        yaml_wrong(y, node, "true or false");
    else
        memcpy(at, &value, sizeof value);
}

void yaml_skip(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    (void)y;
    (void)node;
    (void)k;
    (void)at;
}

void yaml_inside(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    yaml_map(y, node, k->sub, k->sub_n, at);
}

/* -- numbers ---------------------------------------------------------------------------- */

/* Digits, perhaps with a fraction: `value` / `scale`. NULL, or what follows the number. */
static const char *parse_decimal(const char *t, int64_t *value, int64_t *scale)
{
    int digits = 0;
    const char *start = t;
    bool fraction = false;
    *value = 0;
    *scale = 1;
    for (; (*t >= '0' && *t <= '9') || (*t == '.' && !fraction && digits > 0); t++) {
        if (*t == '.') {
            fraction = true;
            continue;
        }
        if (++digits > 15) return NULL;
        *value = *value * 10 + (*t - '0');
        if (fraction) *scale *= 10;
    }
    if (digits == 0 || t[-1] == '.') return NULL;
    if (start[0] == '0' && start[1] >= '0' && start[1] <= '9') return NULL;
    return t;
}

/* The number in `per` to the unit, exactly; false otherwise. */
static bool scaled(int64_t value, int64_t scale, int64_t per, int64_t *out)
{
    if (value > INT64_MAX / per) return false;
    *out = value * per / scale;
    return value * per % scale == 0;
}

bool yaml_parse_duration(const char *text, int64_t *us)
{
    int64_t value, scale;
    const char *rest = parse_decimal(text, &value, &scale);
    for (size_t i = 0; rest && i < UNITS; i++)
        if (strcmp(rest, unit[i].word) == 0) return scaled(value, scale, unit[i].us, us);
    return false;
}

void yaml_format_duration(char *text, size_t size, int64_t us)
{
    size_t i = 0;
    must(us >= 0);
    while (us % unit[i].us != 0) i++;
    if (us == 0) i = 2;
    snprintf(text, size, "%lld%s", (long long)(us / unit[i].us), unit[i].word);
}

/* value / per in decimal, no more digits than needed; `per` is a power of ten. */
static void format_scaled(char *text, size_t size, int64_t value, int64_t per)
{
    while (per > 1 && value % 10 == 0) {
        value /= 10;
        per /= 10;
    }
    snprintf(text, size, "%lld", (long long)(value / per));
    if (per == 1) return;
    size_t n = strlen(text);
    text[n++] = '.';
    for (int64_t p = per / 10; p > 0 && n + 1 < size; p /= 10)
        text[n++] = (char)('0' + value / p % 10);
    text[n] = 0;
}

/* A number with `suffix`, stored `per` times as large, within k->min..k->max. */
static void read_number(struct yaml *y, int node, const struct yaml_key *k, const char *suffix,
                        int64_t per, void *at)
{
    int64_t value, scale, out = 0;
    const char *text = yaml_scalar(y, node);
    const char *rest = text ? parse_decimal(text, &value, &scale) : NULL;
    bool fine = rest && strcmp(rest, suffix) == 0 && scaled(value, scale, per, &out);
    if (fine && out >= k->min && out <= k->max) {
        uint32_t stored = (uint32_t)out;
        memcpy(at, &stored, sizeof stored);
        return;
    }
    char accepted[160], from[40], to[40], step[40];
    format_scaled(from, sizeof from, k->min, per);
    format_scaled(to, sizeof to, k->max, per);
    format_scaled(step, sizeof step, 1, per);
    snprintf(accepted, sizeof accepted, "a number%s from %s%s to %s%s in steps of %s%s",
             *suffix ? " with %" : "", from, suffix, to, suffix, step, suffix);
    yaml_wrong(y, node, accepted);
}

void yaml_count(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    read_number(y, node, k, "", 1, at);
}

void yaml_percent(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    read_number(y, node, k, "%", 1, at);
}

void yaml_permille(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    read_number(y, node, k, "%", 10, at);
}

void yaml_ppm(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    read_number(y, node, k, "%", 10000, at);
}

void yaml_milli(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    read_number(y, node, k, "", 1000, at);
}

void yaml_duration(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    int64_t us = 0;
    const char *text = yaml_scalar(y, node);
    if (text && yaml_parse_duration(text, &us) && us >= k->min && us <= k->max) {
        memcpy(at, &us, sizeof us);
        return;
    }
    char accepted[120], from[32], to[32];
    yaml_format_duration(from, sizeof from, k->min);
    yaml_format_duration(to, sizeof to, k->max);
    snprintf(accepted, sizeof accepted,
             "a duration with its unit (us, ms, s, min, h) from %s to %s", from, to);
    yaml_wrong(y, node, accepted);
}

/* -- ranges: [least, most], or one value for both ------------------------------------------ */

/* Reads the two ends with `read`; `size` is that of one end. False after an error. */
static bool read_ends(struct yaml *y, int node, const struct yaml_key *k, void *at, size_t size,
                      void (*read)(struct yaml *, int, const struct yaml_key *, void *))
{
    uint32_t errors = y->errors;
    const struct yaml_key two = { .min = 2, .max = 2 };
    const yaml_node_t *n = yaml_document_get_node(&y->document, node);
    must(n != NULL);
    if (n->type != YAML_SEQUENCE_NODE) {
        read(y, node, k, at);
        memcpy((char *)at + size, at, size);
        return y->errors == errors;
    }
    uint32_t entries = yaml_entries(y, node, &two);
    for (uint32_t i = 0; i < entries; i++) {
        size_t before = y->key_n;
        read(y, yaml_enter(y, node, i), k, (char *)at + i * size);
        yaml_leave(y, before);
    }
    return y->errors == errors;
}

void yaml_counts(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    uint32_t ends[2] = { 0, 0 };
    if (!read_ends(y, node, k, ends, sizeof ends[0], yaml_count)) return;
    if (ends[0] > ends[1]) yaml_error(y, node, "the larger end first", "[least, most]");
    memcpy(at, ends, sizeof ends);
}

void yaml_durations(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    int64_t ends[2] = { 0, 0 };
    if (!read_ends(y, node, k, ends, sizeof ends[0], yaml_duration)) return;
    if (ends[0] > ends[1]) yaml_error(y, node, "the longer end first", "[shortest, longest]");
    memcpy(at, ends, sizeof ends);
}
