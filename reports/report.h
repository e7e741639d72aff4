/* report.html: one run (and, beside earlier ones, where it stands), for a release meeting.
 * One file that needs no network and no script: verdict first, then the conditions, what
 * broke, failover, background holds, belief, coverage, mutants, scenarios, performance.
 *
 *   report_write         the page
 *   report_write_files   every report of a run into its folder: plots/, report.html,
 *                        gate.json, junit.xml, summary.md
 *
 * gate, run and report all come here. Links lead to what is in the folder already, so the
 * timelines of failures have to be written before. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "reports/plots.h"

struct report_page {
    const struct run_report *run;
    const struct trend *trend;  /* NULL: there is one run */
    const struct plots *plots;  /* drawn into its folder */
};

void report_write(FILE *f, const struct report_page *p);

/* Each file whole or not at all. False after a sentence on `err`; the others are tried all
 * the same. `trend` may be NULL. */
bool report_write_files(const char *folder, const struct run_report *r, const struct trend *trend,
                        FILE *err);

#define REPORT_FAILURE_MAX 448
/* "failures/chaos-0x00...2a", with the course of a round that was not uniform: where a round
 * that broke is kept, in the folder. */
const char *report_failure(char out[REPORT_FAILURE_MAX], const struct run_report *r,
                           const struct failure *x);

#endif
