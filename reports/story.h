/* Why an invariant broke, in plain sentences, a line each:
 *
 *    5.602 s  the ledger gave generation 8 to tab 9
 *    6.310 s  tab 3 thawed
 *    6.340 s  the receiver accepted the deletion of operation 12 from tab 3 under generation 7
 *
 *   story_choose   from the two observations that contradict each other back: the pages that
 *                  sent them and the pages that held the fences, the operation, and of all
 *                  that happened to these only what matters, in order
 *   story_write    its lines
 *
 * With a heading at most STORY_LINES_MAX lines. What matters is a table in story.c; what is left
 * out where there is more is what is farthest back. Every observation is in the trace. */
#ifndef REPORTS_STORY_H
#define REPORTS_STORY_H

#include "reports/trace.h"

#define STORY_LINES_MAX 15 /* with the heading: read in a minute */

struct story {
    uint32_t at[STORY_LINES_MAX - 1]; /* observations, in order */
    uint32_t n;
};

struct story story_choose(const struct trace *t, const struct finding *v);
bool story_equal(const struct story *a, const struct story *b);
void story_write(FILE *f, const struct trace *t, const struct story *s);

/* With its heading; and of everything that broke, each story once. */
void story_tell(FILE *f, const struct trace *t, enum invariant_kind k, const struct finding *v);
void story_tell_all(FILE *f, const struct trace *t, const struct judge_result *r);

/* story_words.c: the sentence of one observation, without time and line break; false when
 * it has none. */
bool story_sentence(FILE *f, const struct trace *t, const struct obs *o);

#endif
