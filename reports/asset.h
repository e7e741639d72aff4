/* Files that reports and `init` are made with, compiled into the program by a rule of the
 * Makefile, so that it writes them whole wherever it is installed:
 *
 *   html/report.css         what stands in reports/html/
 *   plots/holds.gp          and in reports/plots/, by its path in reports/
 *   tools/init/suite.yaml   and in tools/init/
 */
#ifndef REPORTS_ASSET_H
#define REPORTS_ASSET_H

struct asset {
    const char *name, *text;
};
extern const struct asset assets[]; /* the last one's name is NULL */

/* Its text. There is such a file, or the program is at fault. */
const char *asset_text(const char *name);

#endif
