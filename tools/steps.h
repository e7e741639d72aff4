/* Which steps of a scenario's schedule did not do what they are listed for. */
#ifndef TOOLS_STEPS_H
#define TOOLS_STEPS_H

#include <stdio.h>

#include "sim/world.h"

/* A line for each step of the round just played that was not done. Returns how many. */
uint32_t steps_undone(FILE *f, const struct world *w);

#endif
