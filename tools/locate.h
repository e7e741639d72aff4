/* Where the files are that the program ships with.
 *
 * Looked for, in this order: a folder scenarios/ beside the executable or in any folder
 * above it (a source tree), then ../share/tabquake/scenarios (an installed program). */
#ifndef TOOLS_LOCATE_H
#define TOOLS_LOCATE_H

#include <stdbool.h>
#include <stdio.h>

#define LOCATE_PATH_MAX 512 /* as long as a plan's path may be */

/* Path of scenarios/RELATIVE; relative to the current folder where that is shorter to
 * read and paste. False after a sentence on `err`, which may be
 * NULL. `program` is argv[0]. */
bool locate_shipped(char path[LOCATE_PATH_MAX], const char *program, const char *relative,
                    FILE *err);

/* The same search from an executable at a given absolute path; for tests. */
bool locate_from(char path[LOCATE_PATH_MAX], const char *executable, const char *relative);

/* The folder part of a path, "." when it has none. */
void locate_folder(char folder[LOCATE_PATH_MAX], const char *path);

#endif
