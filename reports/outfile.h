/* A file that appears whole or not at all.
 *
 *   outfile_open     starts FILE.tmp beside FILE; `f` is where to write. A FILE that is there
 *                    and is none (a device, a pipe, a link, a folder) is refused
 *   outfile_commit   flushes, checks every write, renames onto FILE
 *   outfile_drop     forgets it; FILE is as it was
 *
 * Each failure is one sentence on `err`, and leaves no FILE.tmp behind. */
#ifndef REPORTS_OUTFILE_H
#define REPORTS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#define OUTFILE_PATH_MAX 1024 /* longer paths are refused, never cut */

struct outfile {
    FILE *f;
    char path[OUTFILE_PATH_MAX], temporary[OUTFILE_PATH_MAX + 8];
};

bool outfile_open(struct outfile *o, const char *path, FILE *err);
/* For files that people write by hand: nothing is there yet. False after a sentence on `err`. */
bool outfile_is_free(const char *path, FILE *err);
bool outfile_commit(struct outfile *o, FILE *err);
void outfile_drop(struct outfile *o);

#endif
