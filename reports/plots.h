/* The plots of a report: plots/NAME.tsv, .gp and .svg in its folder, drawn by gnuplot from
 * the templates reports/plots/NAME.gp.
 *
 *   plots_draw    makes all of them
 *   plots_embed   one as a figure of a page, or the sentence that says why there is none
 */
#ifndef REPORTS_PLOTS_H
#define REPORTS_PLOTS_H

#include "reports/gnuplot.h"
#include "reports/trend.h"

#define PLOTS(X)                                                                              \
    X(FAILOVER, "failover", "share of failovers that take longer than a time, on two log axes") \
    X(CAUSES, "causes", "failover quantiles by cause, with the 95% interval of p99")          \
    X(HOLDS, "holds", "share of background holds that last longer than a time")               \
    X(COVERAGE, "coverage", "effective hits of each fault in each phase of the leader")       \
    X(SATURATION, "saturation", "distinct abstract states after so many rounds")              \
    X(TREND, "trend", "failover p99 with its 95% interval, run by run")

enum plot {
#define X(kind, word, says) PLOT_##kind,
    PLOTS(X)
#undef X
    PLOT_COUNT
};
extern const char *const plot_word[PLOT_COUNT];

struct plots {
    const char *folder; /* of the report; borrowed */
    enum gnuplot_outcome outcome[PLOT_COUNT];
};

/* `trend` may be NULL. False after a sentence on `err` when something could not be written;
 * a plot without data, or without gnuplot, is no failure. */
bool plots_draw(struct plots *p, const char *folder, const struct run_report *r,
                const struct trend *trend, FILE *err);
void plots_embed(FILE *f, const struct plots *p, enum plot which);

#endif
