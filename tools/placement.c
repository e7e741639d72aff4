#include "tools/placement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/yaml.h"
#include "tools/flags.h"

#define LASTS_MIN_US US_PER_MS /* as in a scenario */
#define LASTS_MAX_US (INT64_C(3600) * US_PER_S)

bool placement_kind(enum fault_kind *k, const char *word, const char *option, FILE *err)
{
    const char *words[FAULT_COUNT];
    *k = fault_find(word);
    if (*k != FAULT_COUNT) return true;
    for (int i = 0; i < FAULT_COUNT; i++) words[i] = fault_info[i].word;
    const char *near = flags_nearest(word, words, FAULT_COUNT);
    fprintf(err, "tabquake %s: found %s%.80s%s%s%s, accepted a fault:", option,
            *word ? "the unknown fault " : "no fault", word, near ? " (did you mean " : "",
            near ? near : "", near ? "?)" : "");
    for (int i = 0; i < FAULT_COUNT; i++) fprintf(err, "%s %s", i ? "," : "", words[i]);
    fputs("\n", err);
    return false;
}

bool placement_lasts(int64_t *us, enum fault_kind k, const char *text, const char *option,
                     FILE *err)
{
    bool has_length = fault_has_length(k);
    *us = has_length ? PLACEMENT_LASTS_US : 0;
    if (!text) return true;
    if (has_length && yaml_parse_duration(text, us) && *us >= LASTS_MIN_US && *us <= LASTS_MAX_US)
        return true;
    fprintf(err, "tabquake %s: found %.80s for %s, accepted %s\n", option, text, fault_info[k].word,
            has_length ? "a duration with its unit from 1ms to 1h"
                       : "no duration: this fault has none");
    return false;
}

static bool is_new(const int64_t *us, uint32_t n, int64_t one)
{
    for (uint32_t i = 0; i < n; i++)
        if (us[i] == one) return false;
    return true;
}

uint32_t placement_lengths(int64_t us[PLACEMENT_LENGTHS_MAX], const char *text, const char *option,
                           FILE *err)
{
    uint32_t n = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char one[32];
        snprintf(one, sizeof one, "%.*s", (int)(strcspn(at, ",") % sizeof one), at);
        bool good = n < PLACEMENT_LENGTHS_MAX && yaml_parse_duration(one, &us[n]) &&
                    us[n] >= LASTS_MIN_US && us[n] <= LASTS_MAX_US && is_new(us, n, us[n]);
        if (!good) {
            fprintf(err,
                    "tabquake %s: found %.80s, accepted up to %d different durations with their"
                    " units from 1ms to 1h, with commas between\n",
                    option, text, PLACEMENT_LENGTHS_MAX);
            return 0;
        }
        n++;
    }
    return n;
}

static bool read_event(uint64_t *event, const char *text, const char *option, FILE *err)
{
    char *end;
    errno = 0;
    *event = *text >= '1' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (*event > 0 && *end == '\0' && errno == 0) return true;
    fprintf(err, "tabquake %s: found %.80s, accepted the number of an event, from 1\n", option,
            *text ? text : "no event");
    return false;
}

static bool read_delay(struct injection *x, const char *text, const char *option, FILE *err)
{
    x->kind = INJECT_DELAY;
    if (text && yaml_parse_duration(text, &x->lasts_us) && x->lasts_us >= LASTS_MIN_US &&
        x->lasts_us <= LASTS_MAX_US)
        return true;
    fprintf(err,
            "tabquake %s: found %.80s for %s, accepted a duration with its unit from 1ms to"
            " 1h\n",
            option, text ? text : "nothing", PLACEMENT_DELAY);
    return false;
}

/* KIND@EVENT or KIND@EVENT/DURATION; takes `text` apart. */
static bool read_one(struct injection *x, char *text, const char *option, FILE *err)
{
    char *at = strchr(text, '@');
    if (!at) {
        fprintf(err, "tabquake %s: found %.80s, accepted FAULT@EVENT or FAULT@EVENT/DURATION\n",
                option, *text ? text : "nothing");
        return false;
    }
    *at = '\0';
    char *slash = strchr(at + 1, '/');
    if (slash) *slash = '\0';
    *x = (struct injection){ .before = 0 };
    if (strcmp(text, PLACEMENT_DELAY) == 0)
        return read_event(&x->before, at + 1, option, err) &&
               read_delay(x, slash ? slash + 1 : NULL, option, err);
    return placement_kind(&x->kind, text, option, err) &&
           read_event(&x->before, at + 1, option, err) &&
           placement_lasts(&x->lasts_us, x->kind, slash ? slash + 1 : NULL, option, err);
}

bool placement_read(struct injection x[PLACEMENTS_MAX], uint32_t *n, const char *text,
                    const char *option, FILE *err)
{
    char copy[PLACEMENT_TEXT_MAX];
    *n = 0;
    if (strlen(text) >= sizeof copy) {
        fprintf(err, "tabquake %s: found too long a text, accepted up to %d faults\n", option,
                PLACEMENTS_MAX);
        return false;
    }
    memcpy(copy, text, strlen(text) + 1);
    for (char *part = copy, *comma; part; part = comma) {
        comma = strchr(part, ',');
        if (comma) *comma++ = '\0';
        if (*n == PLACEMENTS_MAX) {
            fprintf(err, "tabquake %s: found one fault too many, accepted up to %d\n", option,
                    PLACEMENTS_MAX);
            return false;
        }
        if (!read_one(&x[*n], part, option, err)) return false;
        if (*n > 0 && x[*n].before < x[*n - 1].before) {
            fprintf(err,
                    "tabquake %s: found event %" PRIu64 " after %" PRIu64
                    ", accepted the order of the events\n",
                    option, x[*n].before, x[*n - 1].before);
            return false;
        }
        ++*n;
    }
    return true;
}

const char *placement_text(char out[PLACEMENT_TEXT_MAX], const struct injection *x, uint32_t n)
{
    char lasts[32];
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < n && i < PLACEMENTS_MAX; i++) {
        yaml_format_duration(lasts, sizeof lasts, x[i].lasts_us);
        bool delays = x[i].kind == INJECT_DELAY, is_long = delays || fault_has_length(x[i].kind);
        length +=
            (size_t)snprintf(out + length, PLACEMENT_TEXT_MAX - length, "%s%s@%" PRIu64 "%s%s",
                             i ? "," : "", delays ? PLACEMENT_DELAY : fault_info[x[i].kind].word,
                             x[i].before, is_long ? "/" : "", is_long ? lasts : "");
    }
    return out;
}
