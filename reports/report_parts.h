/* The sections of report.html, one function each, in the order of the page. */
#ifndef REPORTS_REPORT_PARTS_H
#define REPORTS_REPORT_PARTS_H

#include "reports/report.h"

/* report.c */
void report_head(FILE *f, const struct report_page *p);
void report_conditions(FILE *f, const struct report_page *p);
/* report_failures.c */
void report_failures(FILE *f, const struct report_page *p);
void report_scenarios(FILE *f, const struct report_page *p);
/* report_failover.c */
void report_failover(FILE *f, const struct report_page *p);
void report_holds(FILE *f, const struct report_page *p);
void report_belief(FILE *f, const struct report_page *p);
/* report_matrix.c */
void report_coverage(FILE *f, const struct report_page *p);
void report_mutants(FILE *f, const struct report_page *p);
/* report_trend.c */
void report_trend(FILE *f, const struct report_page *p);
/* report_about.c */
void report_saturation(FILE *f, const struct report_page *p);
void report_performance(FILE *f, const struct report_page *p);
void report_words(FILE *f, const struct report_page *p);

/* A share as a percentage with four digits; "–" of nothing. */
void report_share(FILE *f, uint64_t n, uint64_t of);

#endif
