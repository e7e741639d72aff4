/* Browser profiles: what engines do differently, as data (facts, table 7, and the
 * rules named beside each member). `worst` takes each time the behaviour most
 * dangerous to the protocol. chrome-android and safari-ios are from sources only. */
#ifndef SIM_BROWSER_PROFILE_H
#define SIM_BROWSER_PROFILE_H

#include "sim/browser/lockmgr.h"

struct profile {
    enum profile_kind kind;
    struct lockmgr_rules locks;
    /* life cycle */
    bool has_freeze_events;       /* LC-10: freeze and resume events exist; LC-11: they do not */
    bool freezes_pages;           /* LC-23, LC-27, LC-29, LC-30: background ones, by itself */
    enum { EXEMPT_NONE, EXEMPT_CONTENDED, EXEMPT_ANY_LOCK } freeze_exempt; /* LC-23, LC-27 */
    int64_t freeze_after_us;      /* hidden for so long before it may; 0: never by itself */
    bool frozen_runs_broadcast;   /* LC-17, LC-19, ST-4 */
    bool process_suspend;         /* LC-29, LC-39: the whole process, workers too, no event */
    /* back/forward cache */
    bool caches_with_lock;        /* WL-64 yes, WL-69 no, WL-70 yes */
    bool message_evicts;          /* LC-35, ST-4: a cached page, by a broadcast; else it is lost */
    int64_t cache_ttl_us;         /* LC-34 */
    bool fetch_survives_cache;    /* FX-8: in-flight fetches go on; else they end with TypeError */
    bool fetch_blocks_cache;      /* FX-8 gecko: a page with a fetch in flight is not cached */
    bool timers_shift_in_cache;   /* TM-3 */
    /* timers of hidden pages */
    int64_t hidden_align_us;      /* TM-5: 1 s */
    int64_t intensive_after_us;   /* TM-6: 300 s or 60 s (README of facts); 0 never */
    int64_t intensive_align_us;   /* 60 s */
    /* messages, unload */
    bool lock_before_message;     /* ST-16: a grant may overtake what was posted before it */
    int64_t unload_patience_us;   /* WL-49: so long may the old page run on after the next grant */
    uint32_t stale_read_permille; /* ST-9, ST-12: of localStorage reads after a hand-over or a
                                     message, how many are stale */
};

const struct profile *profile_of(enum profile_kind kind);

#define NOT_HIDDEN INT64_MIN /* "hidden since" of a visible page; other values may be negative */

/* When a main-thread timer due at `due` runs in a page that is hidden since then (TM-5, TM-6),
 * never before `due`. Ticks are shared by all pages (phase 0 of the world's second). */
struct instant profile_timer_at(const struct profile *p, struct instant due,
                                int64_t hidden_since_us);

#endif
