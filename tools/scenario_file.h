/* A scenario as a file that scenario_load reads back to the same: for scenarios that are
 * made by the program. Keys that say what their absence says are left out, but those that
 * make the story (devices, network, duration) are always there. */
#ifndef TOOLS_SCENARIO_FILE_H
#define TOOLS_SCENARIO_FILE_H

#include <stdio.h>

#include "sim/plan.h"

void scenario_write(FILE *f, const struct scenario *s);

/* One step as it stands in the file: "{at: 3200ms, fault: freeze-abrupt, lasts: 2s, tab: 3}". */
void scenario_write_step(FILE *f, const struct step_plan *p);

#endif
