/* The failures of one run, by invariant and minimal set of faults: two failures that the same
 * faults suffice for are taken for one mistake.
 *
 *   group_name      "no-fail-open/freeze-abrupt+reload": the invariant and the words of the
 *                   faults (sim/base/fault.def), sorted; "…/no-fault" where none is needed,
 *                   "…/unreduced" where no script of the example fails. Stable from version to
 *                   version: what one run's gate.json says can be compared with another's.
 *   group_shrink    the line that makes the minimal scenario again
 *   group_lines     of each group its first failure, what suffices for it, the lines to paste;
 *                   without groups table_failures()
 *
 * Which failures are looked at, and with how much effort: tools/groups.h. A mistake that no
 * looked-at failure shows has no group, so an absent group is no proof that it is gone. */
#ifndef REPORTS_GROUP_H
#define REPORTS_GROUP_H

#include "reports/table.h"

#define GROUP_NAME_MAX 1200 /* every fault there is */
#define GROUP_NO_FAULT "no-fault"

/* `out` is returned by each. */
const char *group_name(char out[GROUP_NAME_MAX], const struct failure_group *g);
const char *group_shrink(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure_group *g);

/* Whether group `i` has the minimal.yaml of its example's folder (report_failure in report.h):
 * where one round broke two invariants it is the first group's, and the store alone has the
 * other's. */
bool group_has_file(const struct run_report *r, uint32_t i);

/* The words alone, "freeze-abrupt+reload"; "" for none. And back: false for an unknown word. */
const char *group_faults(char out[GROUP_NAME_MAX], uint64_t faults);
bool group_read_faults(const char *words, uint64_t *faults);

void group_lines(FILE *f, const struct run_report *r, uint32_t each);

#endif
