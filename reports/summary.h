/* summary.md: one page of Markdown for the summary of a CI job, and the writing of all
 * text reports of a run into its folder. */
#ifndef REPORTS_SUMMARY_H
#define REPORTS_SUMMARY_H

#include <stdio.h>

#include "reports/run_report.h"

#define SUMMARY_FAILURES_EACH 3 /* of an invariant; the page stays a page */

void summary_write(FILE *f, const struct run_report *r);

/* gate.json, junit.xml and summary.md in `folder`, each whole or not at all. False
 * after a sentence on `err`, at the first that could not be written. */
bool summary_write_files(const char *folder, const struct run_report *r, FILE *err);

#endif
