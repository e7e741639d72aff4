/* The difference of two texts, line by line, for people:
 *
 *       a line of both, where it is near a difference
 *     - a line of the old text alone
 *     + a line of the new one alone
 *
 * The smallest difference there is (longest common subsequence), so the texts should be short:
 * time and memory grow with the product of their lines. */
#ifndef TOOLS_TEXTDIFF_H
#define TOOLS_TEXTDIFF_H

#include <stdbool.h>
#include <stdio.h>

#define TEXTDIFF_LINES_MAX 2000 /* of each; beyond it the texts are only said to differ */

/* False when they are equal, and nothing is written. */
bool textdiff(FILE *f, const char *was, const char *is);

#endif
