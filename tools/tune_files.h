/* What tune leaves in --out: tune.tsv, a line for each setting; tune.gp, the template
 * reports/plots/tune.gp with the lines in front that it needs; and tune.svg, drawn by
 * gnuplot where it is installed. */
#ifndef TOOLS_TUNE_FILES_H
#define TOOLS_TUNE_FILES_H

#include "reports/gnuplot.h"
#include "tools/tune.h"

/* "800ms", or "800ms/250ms": the values that are not the same in all settings. */
#define TUNE_LABEL_MAX (TUNE_KNOBS * TUNE_TEXT_MAX)
const char *tune_label(char out[TUNE_LABEL_MAX], const struct tune *t,
                       const struct tune_setting *x);

/* The table, one measured setting a line, columns named in the first; "-" is no value. */
void tune_write_tsv(FILE *f, const struct tune *t);

/* The table; then the plot, unless there is nothing to draw. False after a sentence on
 * standard error when the table could not be written. */
bool tune_write_files(const char *folder, const struct tune *t, const struct inputs *in,
                      enum gnuplot_outcome *plot);

#endif
