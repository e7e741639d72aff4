/* Where a fault is injected, as people write it: KIND@EVENT/DURATION.
 *
 *     freeze-abrupt@812/3s        before event 812, for three seconds
 *     close-holder@40             a fault that has no length
 *     delay@52/600ms              no fault: event 52, a message, comes so much later
 *     freeze-abrupt@812/3s,rogue-steal@830/2s     several, in the order of their events
 *
 * `sweep` prints it, `replay --inject` takes it; a duration that is left out is
 * PLACEMENT_LASTS_US. Events are counted from 1, over a round that has no fault of its
 * own (scenario_without_faults). */
#ifndef TOOLS_PLACEMENT_H
#define TOOLS_PLACEMENT_H

#include <stdio.h>

#include "sim/world.h"

#define PLACEMENTS_MAX 8 /* of one round */
#define PLACEMENT_DELAY "delay" /* INJECT_DELAY */
#define PLACEMENT_LASTS_US (3 * US_PER_S)
#define PLACEMENT_TEXT_MAX (PLACEMENTS_MAX * 80)

/* False after one sentence on `err`, which begins with `option` ("replay: --inject"). */
bool placement_read(struct injection x[PLACEMENTS_MAX], uint32_t *n, const char *text,
                    const char *option, FILE *err);
/* A kind of fault by its word, with the nearest one in the sentence. */
bool placement_kind(enum fault_kind *k, const char *word, const char *option, FILE *err);
/* How long a fault lasts: `text` may be NULL. 0 for a fault that has no length. */
bool placement_lasts(int64_t *us, enum fault_kind k, const char *text, const char *option,
                     FILE *err);

/* Lengths as a list, "1.1s,3s"; each once, returns how many; 0 after a sentence on `err`. */
#define PLACEMENT_LENGTHS_MAX 8
uint32_t placement_lengths(int64_t us[PLACEMENT_LENGTHS_MAX], const char *text, const char *option,
                           FILE *err);

/* Returns `out`. */
const char *placement_text(char out[PLACEMENT_TEXT_MAX], const struct injection *x, uint32_t n);

#endif
