/* A document's life (LC-1..14): the table of legal transitions and the one place
 * that changes the state. What may run in a state is said by document_runs(). */
#ifndef SIM_BROWSER_DOCUMENT_H
#define SIM_BROWSER_DOCUMENT_H

#include "sim/browser/profile.h"

enum document_state {
    DOC_ABSENT, DOC_VISIBLE, DOC_HIDDEN, DOC_FROZEN, DOC_CACHED, DOC_GONE, DOC_STATES
};

/* Sources of a page's tasks, in the order in which a thawed page works them off (LC-20 and
 * chromium-measurements section 2, "Order after thaw"): storage, network, locks, timers. */
enum task_source {
    TASK_LIFECYCLE, TASK_BROADCAST, TASK_STORAGE, TASK_NETWORK, TASK_PUSH, TASK_LOCK, TASK_POST,
    TASK_TIMER, TASK_SOURCES
};

/* Moves to `next`; must() when the table has no such edge. */
void document_enter(enum document_state *state, enum document_state next);
bool document_may(enum document_state from, enum document_state to);

/* May a task of this source run now in this state under this profile, does it wait
 * (LC-15..22), or is it lost (ST-3, ST-4)? Workers count as their page (LC-21). */
enum run_rule { RUNS, WAITS, LOST, EVICTS };
enum run_rule document_runs(enum document_state s, enum task_source source,
                            const struct profile *p);

/* May the browser freeze this hidden page by itself now (LC-23..27)? */
bool document_may_freeze(const struct profile *p, int64_t hidden_for_us, bool has_lock_or_request,
                         bool contended);
/* May the page enter the cache (LC-31..37, WL-62..72)? */
bool document_may_cache(const struct profile *p, bool has_lock_or_request, bool fetch_in_flight);

#endif
