/* What shrinking leaves behind: a scenario with a name, and its file. */
#ifndef TOOLS_SHRINK_RESULT_H
#define TOOLS_SHRINK_RESULT_H

#include "reports/table.h"
#include "tools/shrink.h"

/* The best as a scenario of its own: named after the one that it came from. */
struct scenario shrink_result(const struct shrink *s);

/* The line that plays `file` under the contract of the run; needs no seed. What --set
 * changed in the scenario is in the file already. Returns `line`. */
const char *shrink_replay_line(char line[TABLE_REPLAY_MAX], const struct run_info *run,
                               const char *file);

/* The file: where it came from, the line, the scenario. */
void shrink_write(FILE *f, const struct shrink *s, const struct scenario *result,
                  const char *line);

#endif
