/* junit.xml: one test case for each condition and each scenario, so that a CI shows
 * them beside the tests it knows.
 *
 *   condition   fail -> failure, unknown -> error, shown only -> skipped
 *   scenario    an invariant broke -> failure; no round, or none that proved
 *               anything -> error
 * Unknown is never green. */
#ifndef REPORTS_JUNIT_H
#define REPORTS_JUNIT_H

#include <stdio.h>

#include "reports/run_report.h"

#define JUNIT_FAILURES_MAX 5 /* named in a scenario's failure; the rest are counted */

void junit_write(FILE *f, const struct run_report *r);

#endif
