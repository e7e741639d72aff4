/* Several runs beside each other, oldest first: which measure moved from one to the next
 * by more than chance explains.
 *
 * A measure has a value and a 95% interval; it has moved when the intervals of two runs do
 * not meet. That is stricter than a test of their difference: what it calls moved, has.
 * Measures without an interval (renewals) are shown and never said to have moved. */
#ifndef REPORTS_TREND_H
#define REPORTS_TREND_H

#include <stdio.h>

#include "reports/run_report.h"

#define TREND_MEASURES_MAX 64
#define TREND_NAME_MAX 48

enum trend_unit { TREND_US, TREND_SHARE, TREND_RATE };

struct trend_value {
    bool known, bounded;
    double value, low, high; /* us, a share of 1, a rate */
};

enum trend_move { TREND_NONE, TREND_BETTER, TREND_WORSE };

struct trend_measure {
    char name[TREND_NAME_MAX];
    enum trend_unit unit;
    struct trend_value *at; /* one a run; smaller is better in all of them */
};

struct trend {
    const struct run_report *const *run; /* borrowed */
    uint32_t runs, measures;
    struct trend_measure measure[TREND_MEASURES_MAX];
};

/* False when memory is short. */
bool trend_open(struct trend *t, const struct run_report *const *run, uint32_t runs);
void trend_close(struct trend *t);

/* From run i - 1 to run i, i from 1. */
enum trend_move trend_moved(const struct trend_measure *m, uint32_t i);

/* The condition of run i with the same name in run i - 1, judged in both, and with another
 * verdict there; NULL otherwise. i from 1. */
const struct condition *trend_changed(const struct trend *t, uint32_t i, uint32_t condition);

#define TREND_UNLIKE_MAX 256
/* What else than the program differs between runs i - 1 and i, i from 1, so that a move may come
 * from it: "another suite, other settings (--set)"; empty when nothing does. Returns `out`. */
const char *trend_unlike(char out[TREND_UNLIKE_MAX], const struct trend *t, uint32_t i);

#define TREND_TEXT_MAX 64
/* "1.484 s", "0.0071%", "2.940"; "-" when unknown. Returns `out`. */
const char *trend_text(char out[TREND_TEXT_MAX], enum trend_unit unit, double value);

/* The table for a terminal: what else differs, and the measures that moved, or a sentence that none
 * did. */
void trend_table(FILE *f, const struct trend *t);

#endif
