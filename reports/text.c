#include "reports/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "oracle/tally.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Bytes of the well-formed UTF-8 sequence at `s`, 0 when there is none. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0; /* overlong */
    if (s[0] == 0xED && s[1] > 0x9F) return 0; /* surrogates */
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return n;
}

/* Writes `s`, handing every ASCII character to `ascii` first. */
static void write_text(FILE *f, const char *s, const char *(*ascii)(char c, char spare[8]))
{
    const unsigned char *p = (const unsigned char *)s;
    while (*p) {
        char spare[8];
        size_t n = utf8_length(p);
        const char *as = n == 1 ? ascii((char)*p, spare) : n == 0 ? REPLACEMENT : NULL;
        if (as)
            fputs(as, f);
        else
            fwrite(p, 1, n, f);
        p += n ? n : 1;
    }
}

static const char *json_ascii(char c, char spare[8])
{
    if (c == '"') return "\\\"";
    if (c == '\\') return "\\\\";
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    if (c >= ' ') return NULL;
    snprintf(spare, 8, "\\u%04x", (unsigned)c);
    return spare;
}

static const char *json_html_ascii(char c, char spare[8])
{
    if (c == '<') return "\\u003c";
    return json_ascii(c, spare);
}

static const char *xml_ascii(char c, char spare[8])
{
    (void)spare;
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\n': return "&#10;";
    case '\t': return "&#9;";
    default: return c >= ' ' && c != 0x7F ? NULL : REPLACEMENT;
    }
}

static const char *markdown_ascii(char c, char spare[8])
{
    if (c < ' ') return " ";
    if (c == '<') return "&lt;"; /* a backslash does not stop HTML */
    if (c == '&') return "&amp;";
    if (!strchr("\\`*_[]|", c)) return NULL;
    snprintf(spare, 8, "\\%c", c);
    return spare;
}

void text_json(FILE *f, const char *s)
{
    if (!s) {
        fputs("null", f);
        return;
    }
    putc('"', f);
    write_text(f, s, json_ascii);
    putc('"', f);
}

void text_json_html(FILE *f, const char *s)
{
    putc('"', f);
    write_text(f, s, json_html_ascii);
    putc('"', f);
}

void text_xml(FILE *f, const char *s)
{
    write_text(f, s, xml_ascii);
}

void text_markdown(FILE *f, const char *s)
{
    write_text(f, s, markdown_ascii);
}

const char *text_us(char out[TEXT_US_MAX], int64_t us)
{
    if (us < 0)
        snprintf(out, TEXT_US_MAX, "-");
    else if (us < 1000)
        snprintf(out, TEXT_US_MAX, "%" PRId64 " us", us);
    else if (us < 1000000)
        snprintf(out, TEXT_US_MAX, "%" PRId64 ".%03" PRId64 " ms", us / 1000, us % 1000);
    else
        snprintf(out, TEXT_US_MAX, "%" PRId64 ".%03" PRId64 " s", us / 1000000, us / 1000 % 1000);
    return out;
}

const char *text_failover(char out[TEXT_US_MAX], int64_t us)
{
    if (us < HIST_OPEN_US) return text_us(out, us);
    snprintf(out, TEXT_US_MAX, "open");
    return out;
}

size_t text_columns(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

#define WORD_MAX 48 /* the longest word of ours is 32 */

/* Edits (insert, delete, replace a character) from `a` to `b`. */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *text_nearest(const char *word, const char *(*at)(uint32_t i), uint32_t n)
{
    const char *nearest = NULL;
    size_t length = strlen(word), best = length / 2 + 1;
    if (length > WORD_MAX) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const char *known = at(i);
        if (!known || strlen(known) > WORD_MAX) continue;
        size_t d = distance(word, known);
        if (d >= best) continue;
        best = d;
        nearest = known;
    }
    return nearest;
}
