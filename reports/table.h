/* What the gate prints for people: the table of conditions, the first failures with a
 * line to paste, the verdict. The caller decides what comes last. */
#ifndef REPORTS_TABLE_H
#define REPORTS_TABLE_H

#include <stdio.h>

#include "reports/run_report.h"

/* Name, threshold, value, 95% bound, verdict; colours for a terminal. */
void table_conditions(FILE *f, const struct run_report *r, bool colour);

/* Of each broken invariant the first `each` failures, two lines a failure. */
void table_failures(FILE *f, const struct run_report *r, uint32_t each);

#define TABLE_REPLAY_MAX 2048
/* "build/tabquake replay FILE --seed 0x... [--contract FILE]", quoted for a shell where
 * it needs to be. Returns `out`. */
const char *table_replay(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure *x);

#define TABLE_VERDICT_MAX 96
/* "GATE PASS", "GATE FAIL (short: 2000 of 100000 rounds)". Returns `out`. */
const char *table_verdict(char out[TABLE_VERDICT_MAX], const struct run_report *r);

#endif
