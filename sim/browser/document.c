/* The life of a document: which state may follow which, and what happens to a
 * task that becomes due in each.
 *
 *             open              hide             freeze
 *   ABSENT ---------> VISIBLE -------> HIDDEN ---------> FROZEN
 *                      ^   ^             |  ^             |  |
 *                      |   +--- show ----+  +---- thaw ---+  |
 *                      +---------- thaw and show (LC-1) -----+
 *
 *   ABSENT -> HIDDEN                           opened in the background
 *   VISIBLE, HIDDEN -> CACHED                  left by a navigation
 *   CACHED -> VISIBLE, HIDDEN                  restored
 *   VISIBLE, HIDDEN, FROZEN, CACHED -> GONE    closed, crashed, discarded, evicted
 *
 * VISIBLE  tasks run, timers are exact.
 * HIDDEN   tasks run, timers are throttled: profile_timer_at (TM-5, TM-6).
 * FROZEN   tasks wait, but for what the profile lets run (LC-17, LC-18). LOCKS ARE KEPT
 *          and can be granted (LC-22). A page is hidden before it is frozen (LC-12).
 * CACHED   the page is out of reach: tasks wait for the restore (LC-5), messages are lost
 *          or throw the page away (ST-4); locks are the lock manager's business.
 * GONE     nothing runs, ever again. A discarded tab that is shown again is another
 *          document (LC-6).
 *
 * Lifecycle tasks are the steps of a transition, not tasks in the specification's sense:
 * pagehide on the way into the cache and freeze on the way into FROZEN run when the state
 * has been entered already (LC-3, LC-8). A browser without freeze events has none to run
 * in FROZEN; what was queued there before waits for the thaw.
 *
 * Left out: storage events that Gecko and WebKit do not deliver after a restore (ST-14):
 * they share their source with IndexedDB's completions, which wait. IndexedDB conflicts
 * that evict a cached page (LC-35) are found where transactions are scheduled. */
#include "sim/browser/document.h"

#include "sim/base/must.h"

static const bool may[DOC_STATES][DOC_STATES] = {
    [DOC_ABSENT] = { [DOC_VISIBLE] = true, [DOC_HIDDEN] = true },
    [DOC_VISIBLE] = { [DOC_HIDDEN] = true, [DOC_CACHED] = true, [DOC_GONE] = true },
    [DOC_HIDDEN] = { [DOC_VISIBLE] = true,
                     [DOC_FROZEN] = true,
                     [DOC_CACHED] = true,
                     [DOC_GONE] = true },
    [DOC_FROZEN] = { [DOC_VISIBLE] = true, [DOC_HIDDEN] = true, [DOC_GONE] = true },
    [DOC_CACHED] = { [DOC_VISIBLE] = true, [DOC_HIDDEN] = true, [DOC_GONE] = true },
    [DOC_GONE] = { 0 },
};

bool document_may(enum document_state from, enum document_state to)
{
    must(from < DOC_STATES);
    must(to < DOC_STATES);
    return may[from][to];
}

void document_enter(enum document_state *state, enum document_state next)
{
    must(document_may(*state, next));
    *state = next;
}

static enum run_rule frozen_runs(enum task_source source, const struct profile *p)
{
    if (p->process_suspend) return WAITS; /* LC-39: no event, no handler, nothing */
    switch (source) {
    case TASK_LIFECYCLE: return p->has_freeze_events ? RUNS : WAITS;     /* LC-3, LC-11 */
    case TASK_BROADCAST: return p->frozen_runs_broadcast ? RUNS : WAITS; /* LC-17, ST-3 */
    case TASK_STORAGE:
    case TASK_NETWORK:
    case TASK_PUSH:
    case TASK_LOCK:
    case TASK_POST:
    case TASK_TIMER:
    case TASK_SOURCES: break;
    }
    return WAITS; /* LC-18 */
}

static enum run_rule cached_runs(enum task_source source, const struct profile *p)
{
    switch (source) {
    case TASK_LIFECYCLE: return RUNS;                              /* LC-8, LC-10, LC-11 */
    case TASK_BROADCAST: return p->message_evicts ? EVICTS : LOST; /* ST-4, LC-35 */
    case TASK_NETWORK:
    case TASK_PUSH: return p->fetch_survives_cache ? WAITS : LOST; /* FX-8 */
    case TASK_STORAGE:                                             /* LC-5, ST-14 */
    case TASK_LOCK:                                                /* WL-56, WL-68b, WL-70 */
    case TASK_POST:                                                /* LC-5 */
    case TASK_TIMER:                                               /* TM-3 */
    case TASK_SOURCES: break;
    }
    return WAITS;
}

enum run_rule document_runs(enum document_state s, enum task_source source, const struct profile *p)
{
    must(source < TASK_SOURCES);
    must(s < DOC_STATES);
    switch (s) {
    case DOC_VISIBLE:
    case DOC_HIDDEN: return RUNS; /* TM-10: hiding delays timers, nothing else */
    case DOC_FROZEN: return frozen_runs(source, p);
    case DOC_CACHED: return cached_runs(source, p);
    case DOC_ABSENT: /* nobody listens yet: ST-2 */
    case DOC_GONE:   /* LC-5: dropped with the document */
    case DOC_STATES: break;
    }
    return LOST;
}

bool document_may_freeze(const struct profile *p, int64_t hidden_for_us, bool has_lock_or_request,
                         bool contended)
{
    if (!p->freezes_pages || p->freeze_after_us == 0) return false; /* LC-29, LC-30 */
    if (hidden_for_us < p->freeze_after_us) return false;           /* LC-23, LC-27 */
    switch (p->freeze_exempt) {
    case EXEMPT_NONE: break;                           /* LC-27 */
    case EXEMPT_CONTENDED: return !contended;          /* LC-23: as newer sources treat IndexedDB */
    case EXEMPT_ANY_LOCK: return !has_lock_or_request; /* LC-23, LC-24, WL-75 */
    }
    return true;
}

bool document_may_cache(const struct profile *p, bool has_lock_or_request, bool fetch_in_flight)
{
    if (has_lock_or_request && !p->caches_with_lock) return false; /* WL-69 */
    if (fetch_in_flight && p->fetch_blocks_cache) return false;    /* FX-8, LC-31 */
    return true;
}
