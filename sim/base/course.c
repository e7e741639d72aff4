#include "sim/base/course.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LASTS_MAX_US (INT64_C(3600) * US_PER_S) /* as in a scenario */

const char *const strategy_word[STRATEGY_COUNT] = {
#define X(kind, word) word,
    STRATEGIES(X)
#undef X
};

const char *course_text(char out[COURSE_TEXT_MAX], const struct course *c)
{
    bool forks = c->strategy == STRATEGY_SWEEP || c->strategy == STRATEGY_MUTATION;
    int n = snprintf(out, COURSE_TEXT_MAX, "%s", strategy_word[c->strategy]);
    if (forks)
        n += snprintf(out + n, COURSE_TEXT_MAX - (size_t)n, ":%" PRIu64 "/0x%" PRIx64,
                      c->fork.before, c->fork.seed);
    if (c->strategy != STRATEGY_SWEEP) return out;
    n += snprintf(out + n, COURSE_TEXT_MAX - (size_t)n, "/%s", fault_info[c->fault].word);
    if (fault_has_length(c->fault))
        snprintf(out + n, COURSE_TEXT_MAX - (size_t)n, "/%" PRId64 "us", c->lasts_us);
    return out;
}

/* A number and what must follow it; *text goes behind that. */
static bool read_number(const char **text, uint64_t *n, int base, const char *end)
{
    char *stop;
    if (base == 10 && (**text < '0' || **text > '9')) return false;
    if (base == 16 && strncmp(*text, "0x", 2) != 0) return false;
    errno = 0;
    *n = strtoull(*text, &stop, base);
    if (errno != 0 || strncmp(stop, end, strlen(end)) != 0) return false;
    *text = stop + strlen(end);
    return true;
}

/* FAULT or FAULT/LENGTHus, to the end. */
static bool read_fault(struct course *c, const char *text)
{
    char word[COURSE_TEXT_MAX];
    size_t n = strcspn(text, "/");
    uint64_t us = 0;
    if (n >= sizeof word) return false;
    memcpy(word, text, n);
    word[n] = '\0';
    c->fault = fault_find(word);
    c->lasts_us = 0;
    if (c->fault == FAULT_COUNT || (text[n] == '/') != fault_has_length(c->fault)) return false;
    if (text[n] == '\0') return true;
    text += n + 1;
    if (!read_number(&text, &us, 10, "us") || *text || us > (uint64_t)LASTS_MAX_US) return false;
    c->lasts_us = (int64_t)us;
    return true;
}

bool course_read(struct course *c, const char *text)
{
    struct course new = { .seed = c->seed };
    size_t n = strcspn(text, ":");
    int k = 0;
    while (k < STRATEGY_COUNT &&
           (strlen(strategy_word[k]) != n || strncmp(strategy_word[k], text, n) != 0))
        k++;
    if (k == STRATEGY_COUNT) return false;
    new.strategy = (enum strategy)k;
    bool sweeps = k == STRATEGY_SWEEP, forks = sweeps || k == STRATEGY_MUTATION;
    if ((text[n] == ':') != forks) return false;
    if (forks) {
        text += n + 1;
        if (!read_number(&text, &new.fork.before, 10, "/") || new.fork.before == 0) return false;
        if (!read_number(&text, &new.fork.seed, 16, sweeps ? "/" : "")) return false;
        if (sweeps ? !read_fault(&new, text) : *text != '\0') return false;
    }
    *c = new;
    return true;
}
