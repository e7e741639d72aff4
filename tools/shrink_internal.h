/* Between the files of shrinking: shrink.c judges candidates and leads down, shrink_start.c makes
 * the schedule, shrink_less.c leaves out, shrink_luck.c does without chance. Nobody else
 * includes this. */
#ifndef TOOLS_SHRINK_INTERNAL_H
#define TOOLS_SHRINK_INTERNAL_H

#include "tools/shrink.h"

/* shrink.c: whether the candidate breaks what it must; then it is the best. A calm one is
 * played once, another with s->seeds seeds; shrink_try_seed plays one seed only. */
bool shrink_try(struct shrink *s, const struct scenario *candidate);
bool shrink_try_seed(struct shrink *s, const struct scenario *candidate, uint64_t seed);
bool shrink_is_out_of_rounds(const struct shrink *s);

/* shrink_start.c: a schedule of what the round of the seed drew becomes the best; false
 * when the round does not fail in the same way, or no schedule of it does. */
bool shrink_schedule(struct shrink *s, uint64_t seed);
/* A step of the fault, an operation for FAULT_COUNT; it has no time yet. */
struct step_plan shrink_step(enum fault_kind k);
/* Everything that the round of the world drew once, as it drew it; nothing is drawn or done. */
void shrink_pin(struct scenario *s, const struct world *w);
/* Pages that are drawn to be older or without locks now and then: all are. */
void shrink_all_odd_pages(struct scenario *s);

/* shrink_less.c: one pass after the other over everything, until nothing more can go. */
void shrink_less(struct shrink *s, bool tabs_first);

/* shrink_luck.c: the plainest of rounds becomes the best: one operation and one of the faults
 * that the round of the seed had, or of those that the scenario has beside them, or a late
 * request of a page that then stops. */
enum shrink_guess { GUESS_OF_ROUND, GUESS_OF_SCENARIO, GUESS_ONE_LATE };
bool shrink_guess(struct shrink *s, uint64_t seed, enum shrink_guess what);
/* A fault does what chance did, where the best is small and not calm. */
void shrink_without_luck(struct shrink *s);

#endif
