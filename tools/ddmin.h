/* Delta debugging over a set of at most 64 things (Zeller and Hildebrandt, 2002: ddmin).
 *
 * `still` is asked whether the failure is still there with the things of the set alone, a
 * bit each; it is never asked for the whole set. The result is 1-minimal where `still`
 * answers the same each time: without any one thing more the failure is gone. */
#ifndef TOOLS_DDMIN_H
#define TOOLS_DDMIN_H

#include <stdbool.h>
#include <stdint.h>

uint64_t ddmin(uint64_t all, bool (*still)(void *context, uint64_t kept), void *context);

#endif
