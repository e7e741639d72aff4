/* The lock manager of one storage partition (WL-1..61): what runs on the
 * browser's side of the pipe. Messages between page and manager are the world's
 * business; here a call is processed the moment it arrives, and what it leads to
 * comes out in order through `struct lockmgr_out`, each with the number of the
 * observation that caused it.
 *
 *   lockmgr_check     the page's side: refusals in the specified order (WL-10)
 *   lockmgr_request   grant now, queue, answer "unavailable", or steal (WL-16..23, 53..57)
 *   lockmgr_abort     a signal withdrew a queued request (WL-36..38; no-op once granted)
 *   lockmgr_release   the callback's promise settled (WL-40; no-op for a stolen lock, WL-43)
 *   lockmgr_end       a client is gone: its requests, then its locks (WL-44..48)
 *   lockmgr_cache     a client enters the back/forward cache: what becomes of its locks is the
 *                     profile's rule (WL-62..72)
 *   lockmgr_uncache   it comes back
 *   lockmgr_query     snapshot (WL-58..61), evicts cached holders where the profile does (WL-66)
 *
 * Granting is the manager's act: a grant may sit in a frozen or cached client (WL-32,
 * WL-68b). Where the profile does that (WL-68), a queue can be left with nobody holding and
 * nobody granted. */
#ifndef SIM_BROWSER_LOCKMGR_H
#define SIM_BROWSER_LOCKMGR_H

#include "sim/base/arena.h"
#include "sim/base/history.h"
#include "sim/base/policy.h"

/* What engines do differently (facts, table 7); filled from the profile of the user agent. */
struct lockmgr_rules {
    bool removed_head_stalls_shared; /* WL-26: a withdrawn X does not let later S through */
    bool cached_keeps;               /* WL-64: cached clients keep locks and requests */
    bool cached_drops_rejecting;     /* WL-70: dropped, promises reject after pageshow */
                                     /* neither: dropped silently (WL-62, spec) */
    bool contention_evicts;          /* WL-65: a newcomer's conflict evicts a cached holder */
    bool eviction_wedges;            /* WL-68: ... and who waited before is not served */
    bool query_evicts;               /* WL-61, WL-66 */
};

enum lockmgr_out_kind {
    LOCKMGR_GRANTED,     /* to the page: the callback may run with the lock */
    LOCKMGR_UNAVAILABLE, /* to the page: ifAvailable, callback(null) */
    LOCKMGR_STOLEN,      /* to the victim's page: its promise rejects with AbortError */
    LOCKMGR_DROPPED,     /* to a cached page: its promise will reject after pageshow (WL-70) */
    LOCKMGR_EVICT,       /* to the world: this cached page is thrown away */
};

#define LOCKMGR_OUT_MAX 256 /* a steal from, or a grant to, all shared holders of a partition */

struct lockmgr_out {
    uint32_t n;
    struct {
        enum lockmgr_out_kind kind;
        uint16_t page;
        uint32_t request, cause;
    } at[LOCKMGR_OUT_MAX];
};

struct lockmgr;

/* `requests_max`: live (queued or held) requests at once; beyond it must() fails: the world
 * leaves room for all its pages and foreign code. Pages are numbers below `pages_max`. */
struct lockmgr *lockmgr_open(struct arena *a, uint32_t requests_max, uint32_t pages_max);
void lockmgr_reset(struct lockmgr *m, uint8_t partition, const struct lockmgr_rules *rules,
                   struct policy policy, struct history *h);

/* WL-9..15, as far as a simulated page can err: `active` its document is fully active,
 * `allowed` storage is allowed; `name_dash`, `aborted` as in the rule. LOCK_ERR_NONE when the
 * request may be made. */
enum lock_error lockmgr_check(bool active, bool allowed, bool name_dash, bool shared,
                              uint32_t flags, bool aborted);

/* request ids are unique in a round and never 0; `flags` are LOCK_IS_*, LOCK_HAS_SIGNAL. */
void lockmgr_request(struct lockmgr *m, uint16_t page, uint32_t request, uint32_t name, bool shared,
                     uint32_t flags, struct instant at, uint32_t cause, struct lockmgr_out *out);
void lockmgr_abort(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                   struct lockmgr_out *out);
void lockmgr_release(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                     struct lockmgr_out *out);
/* The lock of a polyfill expires under its running callback: the next in line is granted, the
 * holder is not told and has released nothing. Mutant polyfill-lock-expires only. */
void lockmgr_expire(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                    struct lockmgr_out *out);
void lockmgr_end(struct lockmgr *m, uint16_t page, struct instant at, uint32_t cause,
                 struct lockmgr_out *out);
void lockmgr_cache(struct lockmgr *m, uint16_t page, struct instant at, uint32_t cause,
                   struct lockmgr_out *out);
void lockmgr_uncache(struct lockmgr *m, uint16_t page);

/* Of one name; holder PAGE_NONE when none, the first of several shared. */
struct lockmgr_snapshot { uint32_t held, pending; uint16_t holder; };
void lockmgr_query(struct lockmgr *m, uint32_t name, struct lockmgr_snapshot *s, struct instant at,
                   uint32_t cause, struct lockmgr_out *out);

/* For the world and the tests: who holds `name` (PAGE_NONE), and the request; no side effect. */
uint16_t lockmgr_holder(const struct lockmgr *m, uint32_t name, uint32_t *request);
bool lockmgr_waits(const struct lockmgr *m, uint16_t page, uint32_t name);
uint32_t lockmgr_waiters(const struct lockmgr *m, uint32_t name);
/* The n-th page in the queue of `name`, PAGE_NONE beyond the end. */
uint16_t lockmgr_waiter(const struct lockmgr *m, uint32_t name, uint32_t n);
void lockmgr_must_be_sane(const struct lockmgr *m);

/* lockmgr_state.c: the whole state, to return to it at the same place in memory; its canonical
 * form (base/fold.h), queues first, which name the pages; then what is kept of each page. */
struct fold;
size_t lockmgr_bytes(const struct lockmgr *m);
void lockmgr_save(const struct lockmgr *m, void *to);
void lockmgr_restore(struct lockmgr *m, const void *from);
void lockmgr_fold_queues(const struct lockmgr *m, struct fold *f);
void lockmgr_fold_client(const struct lockmgr *m, uint16_t page, struct fold *f);

#endif
