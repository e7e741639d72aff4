/* One plot, by gnuplot where it is installed. In a folder that already has NAME.tsv:
 *
 *   gnuplot_begin    starts NAME.gp; the caller writes to `o->f` the settings of this plot
 *   gnuplot_draw     adds the template reports/plots/NAME.gp to it, and draws NAME.svg
 *   gnuplot_forget   removes an older NAME.svg, for when there is nothing to draw
 *
 * NAME.gp names no path: `gnuplot NAME.gp` in the folder draws it again. An SVG appears
 * whole or not at all. */
#ifndef REPORTS_GNUPLOT_H
#define REPORTS_GNUPLOT_H

#include "reports/outfile.h"

enum gnuplot_outcome {
    GNUPLOT_DRAWN,
    GNUPLOT_NO_DATA, /* said by the caller: there was nothing to draw */
    GNUPLOT_ABSENT,  /* gnuplot is not installed; NAME.gp is there */
    GNUPLOT_FAILED   /* after a sentence on `err` */
};

/* False after a sentence on `err`. */
bool gnuplot_begin(struct outfile *o, const char *folder, const char *name, FILE *err);
enum gnuplot_outcome gnuplot_draw(struct outfile *o, const char *folder, const char *name,
                                  FILE *err);
void gnuplot_forget(const char *folder, const char *name);

/* A text of a script, in quotes. */
void gnuplot_text(FILE *f, const char *s);

#endif
