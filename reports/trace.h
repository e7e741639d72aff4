/* A history as text for people, an observation a line:
 *
 *      4.210 s  #118  tab 3 page 7 (dev 1)  lock.granted  request 12, fence 1.7  <- #115
 *
 *   trace_open     learns from a history which tab and device a page is
 *   trace_obs      one line
 *   trace_all      every line
 *   trace_story    why an invariant broke: the two observations that contradict
 *                  each other and what led to them, along `cause`
 *   trace_detail   the words between kind and cause alone, for other reports
 *
 * Fences are shown as epoch.generation, with the incarnation where it is not the
 * ledger's first. Formatting happens here and never while a round runs. */
#ifndef REPORTS_TRACE_H
#define REPORTS_TRACE_H

#include <stdio.h>

#include "oracle/judge.h"
#include "sim/base/history.h"

#define TRACE_STORY_MAX 40 /* lines of a story: one screen */

struct trace {
    const struct history *history; /* borrowed */
    struct trace_page {
        uint16_t tab;
        uint8_t device, known;
        bool shares_tab; /* which has had another document before or after */
    } * page; /* by document */
};

/* False when memory is short. */
bool trace_open(struct trace *t, const struct history *h);
void trace_close(struct trace *t);

void trace_obs(FILE *f, const struct trace *t, const struct obs *o);
void trace_all(FILE *f, const struct trace *t);
void trace_detail(FILE *f, const struct obs *o);
void trace_story(FILE *f, const struct trace *t, enum invariant_kind i, const struct finding *v);

#endif
