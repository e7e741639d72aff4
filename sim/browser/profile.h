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
    /* LC-23, LC-27, LC-29, LC-30: a background page can be frozen by itself */
    bool freezes_pages;
    enum { EXEMPT_NONE, EXEMPT_CONTENDED, EXEMPT_ANY_LOCK } freeze_exempt; /* LC-23, LC-27 */
    /* hidden for so long before the browser may freeze; 0: never by itself */
    int64_t freeze_after_us;
    bool frozen_runs_broadcast;   /* LC-17, LC-19, ST-4 */
    /* LC-29, LC-39: freezing stops the whole process, workers too, no event */
    bool process_suspend;
    /* back/forward cache */
    bool caches_with_lock;        /* WL-64 yes, WL-69 no, WL-70 yes */
    /* LC-35, ST-4: a broadcast to a cached page evicts it; else it is lost */
    bool message_evicts;
    int64_t cache_ttl_us;         /* LC-34 */
    bool fetch_survives_cache;    /* FX-8: in-flight fetches go on; else they end with TypeError */
    bool fetch_blocks_cache;      /* FX-8 gecko: a page with a fetch in flight is not cached */
    bool timers_shift_in_cache;   /* TM-3 */
    /* timers of hidden pages */
    int64_t hidden_align_us;      /* TM-5: 1 s */
    int64_t intensive_after_us;   /* TM-6: 300 s or 60 s (README of facts); 0 never */
    int64_t intensive_align_us;   /* 60 s */
    /* messages, unload */
    /* ST-16: a grant may overtake a message posted before the release */
    bool lock_before_message;
    /* WL-49: the old page may still run for so long after the next grant */
    int64_t unload_patience_us;
    /* ST-9, ST-12: a localStorage read after a hand-over or message is stale */
    uint32_t stale_read_permille;
};

#define NOT_HIDDEN INT64_MIN

const struct profile *profile_of(enum profile_kind kind);

/* The instant at which a main-thread timer due at `due` runs in a page hidden since `hidden_since`
 * (NOT_HIDDEN: visible; may lie before the round): TM-5, TM-6. Never before `due`. Ticks are shared by all pages (phase 0 of
 * the world's second). */
struct instant profile_timer_at(const struct profile *p, struct instant due,
                    int64_t hidden_since_us);

#endif
