#include "tools/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "tools/clock.h"

#define REWRITE_SECONDS 0.2
#define LINE_SECONDS 5.0

const char *const progress_word[PROGRESS_MODES] = { "auto", "always", "never" };

void progress_open(struct progress *p, enum progress_mode mode, FILE *f, const char *what,
                   uint64_t done_before)
{
    *p = (struct progress){ .f = mode == PROGRESS_NEVER ? NULL : f,
                            .what = what,
                            .done_before = done_before };
    p->rewrites = mode == PROGRESS_ALWAYS || isatty(fileno(f));
    p->began = p->last = clock_seconds();
}

static const char *time_left(char out[32], uint64_t left, double rate)
{
    if (rate <= 0) return "";
    double s = (double)left / rate;
    if (s < 100)
        snprintf(out, 32, ", %.0f s left", s);
    else if (s < 6000)
        snprintf(out, 32, ", %.0f min left", s / 60);
    else
        snprintf(out, 32, ", %.1f h left", s / 3600);
    return out;
}

const char *progress_line(char out[PROGRESS_LINE_MAX], const char *what, uint64_t done,
                          uint64_t total, uint64_t done_before, double seconds)
{
    char left[32];
    double rate = seconds > 0 ? (double)(done - done_before) / seconds : 0;
    snprintf(out, PROGRESS_LINE_MAX, "%" PRIu64 " of %" PRIu64 " %s, %.0f/s%s", done, total, what,
             rate, done < total ? time_left(left, total - done, rate) : "");
    return out;
}

void progress_at(struct progress *p, uint64_t done, uint64_t total, double now)
{
    char line[PROGRESS_LINE_MAX];
    if (!p->f || now - p->last < (p->rewrites ? REWRITE_SECONDS : LINE_SECONDS)) return;
    p->last = now;
    p->shown = true;
    progress_line(line, p->what, done, total, p->done_before, now - p->began);
    if (p->rewrites)
        fprintf(p->f, "\r%-78s", line);
    else
        fprintf(p->f, "%s\n", line);
    fflush(p->f);
}

void progress_close(struct progress *p)
{
    if (p->f && p->rewrites && p->shown) fprintf(p->f, "\r%-78s\r", "");
    p->shown = false;
}
