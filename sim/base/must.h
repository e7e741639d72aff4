/* The assertion that is always on, also in release builds.
 *
 * A failure in the simulated world is a value and goes into the history; a
 * mistake of the user is one sentence and exit status 2; a mistake of ours is
 * must(), which says where the round was and stops the process with status 3.
 * One condition an assertion. */
#ifndef SIM_BASE_MUST_H
#define SIM_BASE_MUST_H

#include <stdint.h>

#define must(cond) ((cond) ? (void)0 : must_fail(#cond, __FILE__, __LINE__))

/* Where the calling thread is; printed by a failing must(). `scenario` is
 * borrowed and has to outlive the round. */
void must_context(const char *scenario, uint64_t seed);

_Noreturn void must_fail(const char *cond, const char *file, int line);

#endif
