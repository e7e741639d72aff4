/* The table of engines, and when a throttled timer runs.
 *
 * Beside each entry stands the rule that it comes from. Four kinds of entry are
 * not measured, and say so: "letter" is the specification read to the letter,
 * "source" is engine source only, "open" is what neither settles (the value is
 * then the more dangerous one), "loan" is another engine's measured value.
 *
 * stale_read_permille is what was counted in real tabs: reads under a fresh
 * lock or in a message handler that showed an old value, of 1000.
 *
 * Left out, since no figure is established: CPU budgets (TM-8, TM-11), WebKit's
 * growing alignment (TM-12), sparse cache entries (LC-34), locks of a cached
 * page's workers in WebKit, which stay held (WL-71): a worker is a client of its
 * own, and the lock manager is not told that it is cached. */
#include "sim/browser/profile.h"

#include "sim/base/must.h"

#define SECONDS(n) (INT64_C(n) * US_PER_S)
#define MS(n) (INT64_C(n) * US_PER_MS)

static const struct profile profiles[PROFILE_COUNT] = {
    [PROFILE_SPEC] = {
        .kind = PROFILE_SPEC,
        .locks = { 0 },                    /* WL-21..23, WL-62: by the letter, dropped silently */
        .has_freeze_events = true,         /* LC-3 */
        .freezes_pages = true,             /* LC-4 */
        .freeze_exempt = EXEMPT_NONE,      /* LC-4 names none */
        .freeze_after_us = SECONDS(300),   /* LC-27: the example in the WICG text */
        .frozen_runs_broadcast = false,    /* ST-3 */
        .process_suspend = false,          /* not in the text */
        .caches_with_lock = true,          /* WL-62: Web Locks never makes a page unsalvageable */
        .message_evicts = false,           /* ST-3: a cached page is no destination */
        .cache_ttl_us = SECONDS(600),      /* LC-34, loan */
        .fetch_survives_cache = false,     /* LC-31, letter */
        .fetch_blocks_cache = true,        /* LC-31, letter */
        .timers_shift_in_cache = true,     /* LC-9, TM-1 */
        .hidden_align_us = 0,              /* TM-1: a delay of the browser's choice, no figure */
        .intensive_after_us = 0,           /* TM-1 */
        .intensive_align_us = 0,
        .lock_before_message = true,       /* ST-16: nothing orders them */
        .unload_patience_us = 0,           /* WL-44, WL-47: cleanup follows the handlers */
        .stale_read_permille = 558,        /* ST-8 leaves it open: the largest of ST-12 */
    },
    [PROFILE_CHROMIUM] = {
        .kind = PROFILE_CHROMIUM,
        .locks = { .removed_head_stalls_shared = true, /* WL-26 */
                   .cached_keeps = true,               /* WL-64 */
                   .contention_evicts = true,          /* WL-65 */
                   .eviction_wedges = true,            /* WL-68 */
                   .query_evicts = true },             /* WL-66 */
        .has_freeze_events = true,         /* LC-10, LC-12 */
        .freezes_pages = true,             /* LC-23, LC-25 */
        .freeze_exempt = EXEMPT_ANY_LOCK,  /* LC-23, LC-24: a pending request counts */
        .freeze_after_us = SECONDS(300),   /* LC-23: "recently visible" protects for 5 min */
        .frozen_runs_broadcast = true,     /* LC-17 */
        .process_suspend = false,          /* LC-21: shared workers go on */
        .caches_with_lock = true,          /* WL-64 */
        .message_evicts = true,            /* LC-35 */
        .cache_ttl_us = SECONDS(600),      /* LC-34 */
        .fetch_survives_cache = true,      /* FX-8 */
        .fetch_blocks_cache = false,       /* FX-8, LC-33 */
        .timers_shift_in_cache = false,    /* TM-3 */
        .hidden_align_us = SECONDS(1),     /* TM-5 */
        .intensive_after_us = SECONDS(300), /* TM-6; 60 s was measured too */
        .intensive_align_us = SECONDS(60), /* TM-6 */
        .lock_before_message = true,       /* ST-16 */
        .unload_patience_us = MS(500),     /* WL-49 */
        .stale_read_permille = 288,        /* 345 of 1200 after a hand-over (measurements, 5) */
    },
    [PROFILE_GECKO] = {
        .kind = PROFILE_GECKO,
        .locks = { 0 },                    /* WL-26, WL-69: no cached client has a lock */
        .has_freeze_events = false,        /* LC-11 */
        .freezes_pages = false,            /* LC-30 */
        .freeze_exempt = EXEMPT_NONE,
        .freeze_after_us = 0,              /* LC-30 */
        .frozen_runs_broadcast = false,    /* ST-3, letter: nothing freezes here by itself */
        .process_suspend = false,          /* LC-30 */
        .caches_with_lock = false,         /* WL-69 */
        .message_evicts = true,            /* LC-36 */
        .cache_ttl_us = SECONDS(600),      /* LC-34, loan */
        .fetch_survives_cache = false,     /* FX-8 */
        .fetch_blocks_cache = true,        /* FX-8, LC-36 */
        .timers_shift_in_cache = true,     /* TM-3 */
        .hidden_align_us = SECONDS(1),     /* TM-11 */
        .intensive_after_us = 0,           /* TM-11: budgets instead, not modelled */
        .intensive_align_us = 0,
        .lock_before_message = false,      /* ST-16: 0 of 100 */
        .unload_patience_us = 0,           /* WL-49: granted after the handler had ended */
        .stale_read_permille = 360,        /* ST-12: 108 of 300 */
    },
    [PROFILE_WEBKIT] = {
        .kind = PROFILE_WEBKIT,
        .locks = { .cached_drops_rejecting = true }, /* WL-70 */
        .has_freeze_events = false,        /* LC-11 */
        .freezes_pages = false,            /* LC-29 */
        .freeze_exempt = EXEMPT_NONE,
        .freeze_after_us = 0,              /* LC-29 */
        .frozen_runs_broadcast = false,    /* LC-39: nothing runs */
        .process_suspend = true,           /* LC-29, LC-39 */
        .caches_with_lock = true,          /* WL-70 */
        .message_evicts = false,           /* ST-4, LC-37: lost */
        .cache_ttl_us = SECONDS(600),      /* LC-34, loan */
        .fetch_survives_cache = false,     /* FX-8: rejected before pagehide */
        .fetch_blocks_cache = false,       /* FX-8, LC-37 */
        .timers_shift_in_cache = true,     /* TM-3 */
        .hidden_align_us = SECONDS(1),     /* TM-12 */
        .intensive_after_us = 0,           /* TM-12: growth curve open, not modelled */
        .intensive_align_us = 0,
        .lock_before_message = true,       /* ST-16, open */
        .unload_patience_us = 0,           /* WL-49: not seen here */
        .stale_read_permille = 100,        /* ST-9: 30 of 300 */
    },
    [PROFILE_CHROME_ANDROID] = {
        .kind = PROFILE_CHROME_ANDROID,
        .locks = { .removed_head_stalls_shared = true, /* WL-26, loan: the same sources */
                   .cached_keeps = true,               /* WL-64, loan */
                   .contention_evicts = true,          /* WL-65, loan */
                   .eviction_wedges = true,            /* WL-68, loan */
                   .query_evicts = true },             /* WL-66, loan */
        .has_freeze_events = true,         /* LC-10, loan */
        .freezes_pages = true,             /* LC-27, source */
        .freeze_exempt = EXEMPT_NONE,      /* LC-27, source: no exemption for locks */
        .freeze_after_us = SECONDS(300),   /* LC-27, source; 1 min is quoted for newer ones */
        .frozen_runs_broadcast = true,     /* LC-17, loan */
        .process_suspend = false,          /* LC-27 */
        .caches_with_lock = true,          /* WL-64, loan */
        .message_evicts = true,            /* LC-35, loan */
        .cache_ttl_us = SECONDS(600),      /* LC-34, source */
        .fetch_survives_cache = true,      /* FX-8, loan */
        .fetch_blocks_cache = false,       /* FX-8, loan */
        .timers_shift_in_cache = false,    /* TM-3, loan */
        .hidden_align_us = SECONDS(1),     /* TM-5, source */
        .intensive_after_us = SECONDS(300), /* TM-6, source */
        .intensive_align_us = SECONDS(60), /* TM-6, source */
        .lock_before_message = true,       /* ST-16, loan */
        .unload_patience_us = MS(500),     /* WL-49, loan */
        .stale_read_permille = 288,        /* loan */
    },
    [PROFILE_SAFARI_IOS] = {
        .kind = PROFILE_SAFARI_IOS,
        .locks = { .cached_drops_rejecting = true }, /* WL-70, source */
        .has_freeze_events = false,        /* LC-39, LC-41 */
        .freezes_pages = true,             /* LC-39 */
        .freeze_exempt = EXEMPT_NONE,      /* LC-40, open: a suspended holder keeps its lock */
        .freeze_after_us = SECONDS(480),   /* LC-39: "near suspended" for up to 8 min */
        .frozen_runs_broadcast = false,    /* LC-39 */
        .process_suspend = true,           /* LC-39 */
        .caches_with_lock = true,          /* WL-70, source */
        .message_evicts = false,           /* ST-4, loan */
        .cache_ttl_us = SECONDS(600),      /* LC-34, loan */
        .fetch_survives_cache = false,     /* FX-8, loan */
        .fetch_blocks_cache = false,       /* FX-8, loan */
        .timers_shift_in_cache = true,     /* TM-3, loan */
        .hidden_align_us = SECONDS(1),     /* TM-12, source */
        .intensive_after_us = 0,           /* TM-12: growth curve open, not modelled */
        .intensive_align_us = 0,
        .lock_before_message = true,       /* ST-16, open */
        .unload_patience_us = 0,           /* LC-2: a killed app runs no handler at all */
        .stale_read_permille = 100,        /* loan */
    },
    /* Each time what hurts the protocol most. Where a rule heals by accident (query() and a
     * message evict a cached leader, WL-66 and LC-35), the profile does not heal. */
    [PROFILE_WORST] = {
        .kind = PROFILE_WORST,
        .locks = { .removed_head_stalls_shared = true, /* WL-26 */
                   .cached_keeps = true,               /* WL-64: the lock is out of reach */
                   .contention_evicts = true,          /* WL-65: only since it leads to WL-68 */
                   .eviction_wedges = true,            /* WL-68: nobody is granted at all */
                   .query_evicts = false },            /* WL-67: looking does not help */
        .has_freeze_events = false,        /* LC-11: no chance to let go, no word after it */
        .freezes_pages = true,             /* LC-27 */
        .freeze_exempt = EXEMPT_NONE,      /* LC-27 */
        .freeze_after_us = SECONDS(60),    /* LC-27, the shorter delay */
        .frozen_runs_broadcast = true,     /* LC-19: the frozen leader answers heartbeats */
        .process_suspend = false,          /* it could not answer then */
        .caches_with_lock = true,          /* WL-64 */
        .message_evicts = false,           /* ST-4 webkit: a heartbeat does not free the lock */
        .cache_ttl_us = SECONDS(600),      /* LC-34: the longest */
        .fetch_survives_cache = true,      /* FX-8, FX-12: requests of a cached leader go on */
        .fetch_blocks_cache = false,       /* FX-8 */
        .timers_shift_in_cache = true,     /* TM-3: a restored page's deadlines come late */
        .hidden_align_us = SECONDS(1),     /* TM-5 */
        .intensive_after_us = SECONDS(60), /* TM-6, the shorter of the two measured */
        .intensive_align_us = SECONDS(60), /* TM-6 */
        .lock_before_message = true,       /* ST-16 */
        .unload_patience_us = MS(500),     /* WL-49 */
        .stale_read_permille = 558,        /* ST-12: 279 of 500, the largest seen */
    },
};

const struct profile *profile_of(enum profile_kind kind)
{
    must(kind < PROFILE_COUNT);
    return &profiles[kind];
}

/* The first tick at or after `us`; ticks are multiples of `every_us`, none when 0. */
static int64_t tick_at(int64_t us, int64_t every_us)
{
    must(us >= 0);
    if (every_us == 0) return us;
    return (us + every_us - 1) / every_us * every_us;
}

/* Every timer counts as chained (TM-6): those of a page that works are. What
 * decides is how long the page will have been hidden when the timer is due. */
struct instant profile_timer_at(const struct profile *p, struct instant due,
                                int64_t hidden_since_us)
{
    if (hidden_since_us == NOT_HIDDEN || due.us < hidden_since_us) return due;
    bool intensive = p->intensive_after_us > 0 && due.us - hidden_since_us >= p->intensive_after_us;
    int64_t every_us = intensive ? p->intensive_align_us : p->hidden_align_us;
    return (struct instant){ tick_at(due.us, every_us) };
}
