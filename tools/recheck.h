/* The determinism sample: some rounds are run a second time, in reverse order, on
 * another worker (where there are two), in a world whose tables hold rubbish instead of
 * zeros, and must have the same history digest. */
#ifndef TOOLS_RECHECK_H
#define TOOLS_RECHECK_H

#include "tools/campaign.h"

struct recheck {
    uint64_t replayed, different;
    struct sums_round first_different; /* when different > 0 */
};

struct recheck recheck_run(struct campaign *c);

#endif
