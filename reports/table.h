/* What the gate prints for people: the table of conditions, the first failures with a
 * line to paste, the verdict. The caller decides what comes last. */
#ifndef REPORTS_TABLE_H
#define REPORTS_TABLE_H

#include <stdio.h>

#include "reports/run_report.h"

/* Verdict, name, value, threshold, 95% bound; colours for a terminal. */
void table_conditions(FILE *f, const struct run_report *r, bool colour);

/* Of each broken invariant the first `each` failures, two lines a failure, then "(2 more)". */
void table_failures(FILE *f, const struct run_report *r, uint32_t each);

/* One of them, two lines. */
void table_failure(FILE *f, const struct run_report *r, const struct failure *x);

#define TABLE_REPLAY_MAX 16384
/* "build/tabquake replay FILE --seed 0x... [--contract FILE] [--set path=value]...", quoted
 * for a shell where it needs to be, for the folder that the run was started in. Returns `out`. */
const char *table_command(char out[TABLE_REPLAY_MAX], const struct run_info *run,
                          const char *command, const char *scenario_file, const uint64_t *seed);
/* The same for "replay" and a seed; of another command, or without --seed (NULL), see above. */
const char *table_replay_of(char out[TABLE_REPLAY_MAX], const struct run_info *run,
                            const char *scenario_file, uint64_t seed);
const char *table_replay(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure *x);

/* Adds how the seed is spent to such a line, where that is not uniformly. */
void table_add_course(char out[TABLE_REPLAY_MAX], const struct course *c);

#define TABLE_VERDICT_MAX 320
/* "GATE PASS", "GATE FAIL (short: 2000 of 100000 rounds)"; without a gate "RUN PASS".
 * Returns `out`. */
const char *table_verdict(char out[TABLE_VERDICT_MAX], const struct run_report *r);

#endif
