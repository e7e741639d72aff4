/* Histories whose clocks are not exact: other orders that the same recording allows.
 *
 * An observation is stamped by one clock: its device's, its node's, the provider's, or
 * the recorder's. Each may be off by up to E either way, but by the same amount for the
 * whole recording. A variant moves some clocks to -E and the others to +E, which is as
 * far apart as they can be. What cannot be otherwise is kept: an effect comes after its
 * cause, what is said of one request stays in its order, and so does each clock's own.
 *
 * A verdict that is the same in all variants does not depend on the error. Left out:
 * drift within a recording, and clocks beyond JUDGE_CLOCKS_MAX, which share the last. */
#ifndef TOOLS_JUDGE_CLOCK_H
#define TOOLS_JUDGE_CLOCK_H

#include "sim/base/history.h"

#define JUDGE_CLOCKS_MAX 6 /* 4 devices, a node, the provider: 64 variants */

/* Clocks that `h` was stamped by, at most JUDGE_CLOCKS_MAX. */
uint32_t judge_clocks(const struct history *h);

/* Fills `into` (as large as `h`) with variant number v of 2^clocks: bit k moves clock k
 * to +E, else to -E. False when memory is short. */
bool judge_variant(struct history *into, const struct history *h, uint32_t v, int64_t error_us);

#endif
