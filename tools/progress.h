/* How far a run is: rounds done, rounds a second, time left.
 *
 *   auto    one line that is rewritten on a terminal, else a plain line every 5 s
 *   always  the rewritten line, whatever it is written to
 *   never   nothing
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER, PROGRESS_MODES };
extern const char *const progress_word[PROGRESS_MODES];

struct progress {
    FILE *f;           /* NULL: silent */
    const char *what;  /* "rounds" */
    bool rewrites, shown;
    double began, last;
    uint64_t done_before; /* not done by this process: in no rate */
};

void progress_open(struct progress *p, enum progress_mode mode, FILE *f, const char *what,
                   uint64_t done_before);
/* Shows the state, when it is time to; `now` from clock_seconds(). */
void progress_at(struct progress *p, uint64_t done, uint64_t total, double now);
/* Leaves the cursor on a fresh line. */
void progress_close(struct progress *p);

#define PROGRESS_LINE_MAX 128
/* "12,288 of 100,000 rounds, 4,210/s, 21 s left". Returns `out`. */
const char *progress_line(char out[PROGRESS_LINE_MAX], const char *what, uint64_t done,
                          uint64_t total, uint64_t done_before, double seconds);

#endif
