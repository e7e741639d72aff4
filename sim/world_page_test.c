/* Documents in the world: what a frozen, cached, hidden, blocked or closing page does and does
 * not do. Each test names the rule of facts/browser-semantics.md that it is about, and holds for
 * every seed that it tries. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_page_suite(void);

#define SEEDS 12

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* A world of `tabs` hidden tabs in which one page leads; it. */
static uint16_t led(uint64_t seed)
{
    world_rig_reset(&g, seed);
    return world_rig_leader(&g);
}

static void open_long_lease(enum profile_kind profile, uint32_t tabs)
{
    world_rig_open(&g, profile, tabs);
    g.contract.lease.ttl_us = SECONDS(20); /* the lease is not what these tests are about */
}

static uint16_t other_than(uint16_t p)
{
    return p == 0 ? 1 : 0;
}

/* ---- frozen ---------------------------------------------------------------------------------- */

START_TEST(lc18_a_fetch_called_while_frozen_leaves_on_resume)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        page_freeze(g.w, p, false);
        uint32_t frozen = world_rig_mark(&g);
        world_rig_broadcast(&g, other_than(p), MSG_TASK,
                            1); /* its handler runs (LC-17) and fetches */
        world_rig_for(&g, SECONDS(2));
        const struct obs *issued = world_rig_find_a(&g, frozen, OBS_REQUEST_ISSUED, p, REQ_TAKE);
        ck_assert_ptr_nonnull(issued);
        ck_assert_ptr_null(
            world_rig_find_request(&g, frozen, OBS_REQUEST_DEPARTED, issued->request));
        ck_assert_ptr_null(
            world_rig_find_request(&g, frozen, OBS_REQUEST_ARRIVED, issued->request));
        uint32_t thawed = world_rig_mark(&g);
        page_thaw(g.w, p);
        world_rig_for(&g, SECONDS(1));
        const struct obs *resumed = world_rig_find(&g, thawed, OBS_PAGE_RESUMED, p);
        const struct obs *departed =
            world_rig_find_request(&g, thawed, OBS_REQUEST_DEPARTED, issued->request);
        ck_assert_uint_lt(resumed->number, departed->number);
        ck_assert(world_rig_find_request(&g, thawed, OBS_REQUEST_ARRIVED, issued->request) ||
                  world_rig_find_request(&g, thawed, OBS_REQUEST_LOST, issued->request));
    }
}
END_TEST

START_TEST(lc18_a_fetch_sent_before_is_answered_after_the_thaw)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t from = world_rig_mark(&g);
        world_rig_broadcast(&g, other_than(p), MSG_TASK, 1);
        const struct obs *issued = world_rig_until(&g, OBS_REQUEST_ISSUED, p, SECONDS(1));
        while (issued->a != REQ_TAKE)
            issued = world_rig_until(&g, OBS_REQUEST_ISSUED, p, SECONDS(1));
        uint32_t request = issued->request;
        page_freeze(g.w, p, false);
        world_rig_for(&g, SECONDS(3));
        if (world_rig_find_request(&g, from, OBS_REQUEST_LOST, request)) continue;
        ck_assert_ptr_nonnull(world_rig_find_request(&g, from, OBS_REQUEST_ARRIVED, request));
        ck_assert_ptr_null(world_rig_find_request(&g, from, OBS_ANSWER_HANDLED, request));
        page_thaw(g.w, p);
        world_rig_for(&g, SECONDS(1));
        ck_assert(world_rig_find_request(&g, from, OBS_ANSWER_HANDLED, request) ||
                  world_rig_find_request(&g, from, OBS_ANSWER_LOST, request));
    }
}
END_TEST

START_TEST(lc21_the_worker_of_a_frozen_page_stands_still)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        page_freeze(g.w, p, false);
        uint32_t frozen = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(5));
        ck_assert_uint_eq(world_rig_issued(&g, frozen, p, REQ_RENEW), 0);
        page_thaw(g.w, p);
        world_rig_for(&g, SECONDS(2));
        ck_assert_uint_ge(world_rig_issued(&g, frozen, p, REQ_RENEW), 1);
    }
}
END_TEST

/* A hidden leader is told that a visible page waits, while it is frozen. */
static bool drained_while_frozen(uint64_t seed)
{
    uint16_t p = led(seed);
    page_freeze(g.w, p, false);
    uint32_t frozen = world_rig_mark(&g);
    world_rig_broadcast(&g, other_than(p), MSG_VISIBLE_WAITS, 0);
    world_rig_for(&g, MS(500));
    bool drained = world_rig_entered(&g, frozen, p, STATE_DRAINING) != NULL;
    ck_assert_int_eq(world_rig_find(&g, frozen, OBS_LOCK_RELEASED, p) != NULL, drained);
    if (drained) ck_assert_uint_ne(world_rig_holder(&g), p);
    page_thaw(g.w, p);
    world_rig_for(&g, MS(500));
    ck_assert_ptr_nonnull(world_rig_entered(&g, frozen, p, STATE_DRAINING)); /* at the latest now */
    return drained;
}

/* ... and what its handler does takes effect: a held lock passes on. */
START_TEST(lc17_channel_handlers_run_in_a_frozen_chromium_page)
{
    open_long_lease(_i ? PROFILE_CHROME_ANDROID : PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) ck_assert(drained_while_frozen(seed));
}
END_TEST

START_TEST(st3_elsewhere_a_frozen_page_hears_messages_when_it_thaws)
{
    open_long_lease(_i ? PROFILE_SAFARI_IOS : PROFILE_SPEC, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) ck_assert(!drained_while_frozen(seed));
}
END_TEST

/* LC-19: it answers on the channel and can do nothing else: no answer, lock, push or timer of
 * it is handled. */
START_TEST(lc19_a_frozen_page_handles_nothing_but_messages)
{
    open_long_lease(PROFILE_CHROMIUM, 4);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        page_freeze(g.w, p, false);
        page_freeze(g.w, q, false);
        uint32_t frozen = world_rig_mark(&g);
        struct push push = { .kind = PUSH_VACANT, .fence = { 1, 1, 1 } };
        net_push_one(g.w, &push, p, 0, OBS_NONE);
        page_crash(g.w, p, OBS_PAGE_CRASHED); /* q is granted */
        net_push_one(g.w, &push, q, 0, OBS_NONE);
        world_rig_broadcast(&g, world_rig_waiter(&g, 1), MSG_HEARTBEAT, 0);
        world_rig_for(&g, SECONDS(3));
        for (enum obs_kind k = OBS_ROUND_STARTED; k < OBS_COUNT; k++) {
            bool by_others =
                k == OBS_PAGE_FROZEN || k == OBS_LOCK_GRANTED || k == OBS_CHANNEL_FAULT;
            if (!by_others) ck_assert_ptr_null(world_rig_find(&g, frozen, k, q));
        }
    }
}
END_TEST

/* WL-32, WL-27: granting is the manager's act; the callback waits. */
START_TEST(wl32_a_frozen_page_is_granted_and_blocks_everyone_until_it_resumes)
{
    open_long_lease(PROFILE_CHROMIUM, 4);
    g.contract.steal = STEAL_NEVER;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0), behind = world_rig_waiter(&g, 1);
        page_freeze(g.w, q, false);
        uint32_t frozen = world_rig_mark(&g);
        page_close(g.w, p);
        world_rig_for(&g, SECONDS(10));
        ck_assert_ptr_nonnull(world_rig_find(&g, frozen, OBS_LOCK_GRANTED, q));
        ck_assert_ptr_null(world_rig_find(&g, frozen, OBS_LOCK_CALLBACK, q));
        ck_assert_ptr_null(world_rig_find(&g, frozen, OBS_LOCK_GRANTED, behind));
        page_thaw(g.w, q);
        world_rig_for(&g, SECONDS(1));
        const struct obs *resumed = world_rig_find(&g, frozen, OBS_PAGE_RESUMED, q);
        const struct obs *callback = world_rig_find(&g, frozen, OBS_LOCK_CALLBACK, q);
        ck_assert_ptr_nonnull(callback);
        ck_assert_uint_lt(resumed->number, callback->number);
    }
}
END_TEST

/* LC-20: `resume` first, then the backlog: here network and push before locks. */
START_TEST(lc20_the_backlog_runs_after_resume_in_the_order_of_its_sources)
{
    open_long_lease(_i ? PROFILE_SPEC : PROFILE_CHROMIUM, 4);
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        page_freeze(g.w, q, false);
        uint32_t frozen = world_rig_mark(&g);
        page_crash(g.w, p, OBS_PAGE_CRASHED);
        world_rig_for(&g, MS(400));
        ck_assert_ptr_nonnull(world_rig_find(&g, frozen, OBS_LOCK_GRANTED, q)); /* first */
        struct push push = { .kind = PUSH_LED, .fence = { 1, 1, 77 } };
        if (g.w->page[q].backlog[TASK_PUSH] == TABLE_NONE) net_push_one(g.w, &push, q, 0, OBS_NONE);
        world_rig_for(&g, MS(700));
        uint32_t thawed = world_rig_mark(&g);
        page_thaw(g.w, q);
        world_rig_for(&g, MS(500));
        const struct obs *resumed = world_rig_find(&g, thawed, OBS_PAGE_RESUMED, q);
        const struct obs *pushed = world_rig_find(&g, thawed, OBS_PUSH_HANDLED, q);
        const struct obs *callback = world_rig_find(&g, thawed, OBS_LOCK_CALLBACK, q);
        ck_assert_uint_lt(resumed->number, pushed->number);
        ck_assert_uint_lt(pushed->number, callback->number);
    }
}
END_TEST

/* Messages of one sender keep their order, also through a freeze (LC-5, ST-5). */
START_TEST(lc20_what_waited_in_one_source_keeps_its_order)
{
    open_long_lease(PROFILE_SPEC, 3);
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        page_freeze(g.w, q, false);
        for (uint32_t op = 1; op <= 6; op++) {
            world_rig_broadcast(&g, p, MSG_TASK, op);
            world_rig_for(&g, MS(5));
        }
        world_rig_for(&g, MS(100));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 0);
        page_thaw(g.w, q);
        world_rig_for(&g, MS(500));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 6);
        for (uint32_t i = 0; i < 6; i++)
            ck_assert_uint_eq(g.w->page[q].client.page.known[i], i + 1);
    }
}
END_TEST

START_TEST(lc12_a_visible_page_is_hidden_before_it_is_frozen)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint16_t p = led(1);
    page_show(g.w, p);
    uint32_t from = world_rig_mark(&g);
    page_freeze(g.w, p, true);
    const struct obs *hidden = world_rig_find(&g, from, OBS_PAGE_HIDDEN, p);
    const struct obs *drained =
        world_rig_entered(&g, from, p, STATE_DRAINING); /* the freeze handler */
    const struct obs *frozen = world_rig_find(&g, from, OBS_PAGE_FROZEN, p);
    ck_assert_uint_lt(hidden->number, drained->number);
    ck_assert_uint_lt(drained->number, frozen->number);
    ck_assert_uint_eq(frozen->flags, 1);
}
END_TEST

START_TEST(lc2_an_abrupt_freeze_runs_no_handler)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    page_freeze(g.w, p, false);
    ck_assert_uint_eq(world_rig_find(&g, from, OBS_PAGE_FROZEN, p)->flags, 0);
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_STATE_CHANGED, p));
    ck_assert_uint_eq(world_rig_holder(&g), p); /* WL-52: the lock is kept */
}
END_TEST

START_TEST(lc11_without_freeze_events_no_handler_runs_either)
{
    open_long_lease(PROFILE_SAFARI_IOS, 3);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    page_freeze(g.w, p, true);
    ck_assert_uint_eq(world_rig_find(&g, from, OBS_PAGE_FROZEN, p)->flags, 0);
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_STATE_CHANGED, p));
}
END_TEST

/* LC-27: without an exemption the browser freezes by itself what has been hidden for long;
 * LC-23: with one for locks it does not. */
START_TEST(lc23_lc27_a_browser_freezes_by_itself_what_its_policy_lets_it)
{
    open_long_lease(_i ? PROFILE_CHROME_ANDROID : PROFILE_CHROMIUM, 3);
    (void)led(2);
    world_rig_for(&g, g.w->page[0].profile->freeze_after_us + SECONDS(60));
    uint32_t frozen = world_rig_count(&g, 0, OBS_PAGE_FROZEN, PAGE_NONE);
    if (_i)
        ck_assert_uint_ge(frozen, 3);
    else
        ck_assert_uint_eq(frozen, 0); /* each holds or awaits a lock */
    if (!_i) return;
    ck_assert_int_ge(world_rig_find(&g, 0, OBS_PAGE_FROZEN, PAGE_NONE)->at.us, SECONDS(300));
}
END_TEST

/* ---- timers of hidden pages ------------------------------------------------------ */

/* Mutants that elect themselves keep time on the page's thread; the reference does not. */
static void open_with_page_timers(enum profile_kind profile)
{
    world_rig_open(&g, profile, 2);
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_HEARTBEAT_ELECTION);
}

static const struct page_timer *page_timer_of(uint16_t n)
{
    return &g.w->page[n].timer[THREAD_PAGE][TIMER_PAGE];
}

START_TEST(tm5_timers_of_a_hidden_page_tick_once_a_second)
{
    static const enum profile_kind kind[] = { PROFILE_CHROMIUM, PROFILE_GECKO, PROFILE_WEBKIT };
    open_with_page_timers(kind[_i]);
    world_rig_reset(&g, 3);
    world_rig_for(&g, SECONDS(2));
    for (int k = 0; k < 10; k++) {
        world_rig_for(&g, MS(700));
        ck_assert(page_timer_of(0)->armed);
        ck_assert_int_eq(page_timer_of(0)->at.us % SECONDS(1), 0);
        ck_assert_int_le(page_timer_of(0)->at.us - g.w->now.us, SECONDS(2));
    }
}
END_TEST

START_TEST(tm5_timers_of_a_visible_page_are_exact)
{
    open_with_page_timers(PROFILE_CHROMIUM);
    world_rig_reset(&g, 3);
    world_rig_for(&g, SECONDS(2));
    page_show(g.w, 0);
    world_rig_for(&g, SECONDS(2));
    bool between = false;
    for (int k = 0; k < 10; k++) {
        world_rig_for(&g, MS(700));
        ck_assert_int_le(page_timer_of(0)->at.us - g.w->now.us, MS(501));
        between |= page_timer_of(0)->at.us % SECONDS(1) != 0;
    }
    ck_assert(between);
}
END_TEST

START_TEST(tm6_after_five_minutes_in_chromium_once_a_minute)
{
    open_with_page_timers(_i ? PROFILE_CHROMIUM : PROFILE_GECKO);
    g.scenario.hidden_since.none = 0;
    g.scenario.hidden_since.s400 = 1;
    world_rig_reset(&g, 3);
    world_rig_for(&g, MS(1500)); /* later the browser freezes a page without a lock */
    uint16_t p = 0;              /* whichever document is hidden */
    while (g.w->page[p].state == DOC_VISIBLE) p++;
    ck_assert(page_timer_of(p)->armed);
    if (_i)
        ck_assert_int_eq(page_timer_of(p)->at.us % SECONDS(60), 0);
    else
        ck_assert_int_le(page_timer_of(p)->at.us - g.w->now.us, SECONDS(2));
}
END_TEST

/* TM-9, TM-10: neither a worker's timers nor the network of a hidden page are throttled. */
START_TEST(tm9_a_hidden_leader_renews_as_often_as_a_visible_one)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 2);
    g.scenario.hidden_since.none = 0;
    g.scenario.hidden_since.s400 = 1;
    for (uint64_t seed = 0; seed < 3; seed++) {
        uint16_t p = led(seed);
        uint32_t from = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(30));
        ck_assert(world_rig_leads(&g, p));
        ck_assert_uint_ge(world_rig_issued(&g, from, p, REQ_RENEW), 80);
    }
}
END_TEST

/* LC-20: a timer due while frozen fires once, and in a page that is still hidden at a tick. */
START_TEST(lc20_timers_due_meanwhile_fire_last_and_once)
{
    open_with_page_timers(PROFILE_CHROMIUM);
    world_rig_reset(&g, 3);
    world_rig_for(&g, SECONDS(5));
    page_freeze(g.w, 0, false);
    world_rig_for(&g, SECONDS(6) + MS(300));
    ck_assert(page_timer_of(0)->due);
    int64_t changed = g.w->device[0].storage_changed.us;
    page_thaw(g.w, 0);
    ck_assert_int_eq(page_timer_of(0)->at.us % SECONDS(1), 0);
    ck_assert_int_gt(page_timer_of(0)->at.us, g.w->now.us);
    ck_assert_int_le(page_timer_of(0)->at.us, g.w->now.us + SECONDS(1));
    world_rig_for(&g, MS(100));
    ck_assert_int_eq(g.w->device[0].storage_changed.us, changed); /* not before the tick */
}
END_TEST

/* ---- the back/forward cache ------------------------------------------------------ */

START_TEST(lc10_lc11_events_into_the_cache_and_out_of_it)
{
    static const enum profile_kind kind[] = { PROFILE_CHROMIUM, PROFILE_WEBKIT };
    open_long_lease(kind[_i], 1); /* nobody whose message could evict it */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        page_show(g.w, p);
        uint32_t from = world_rig_mark(&g);
        ck_assert(page_cache(g.w, p));
        const struct obs *over = world_rig_find(&g, from, OBS_BELIEF_ENDED, p);
        const struct obs *hidden = world_rig_find(&g, from, OBS_PAGE_HIDDEN, p);
        const struct obs *cached = world_rig_find(&g, from, OBS_PAGE_CACHED, p);
        ck_assert_uint_eq(over->a, WHY_PAGEHIDE); /* pagehide comes first */
        ck_assert_uint_lt(over->number, hidden->number);
        ck_assert_uint_lt(hidden->number, cached->number);
        world_rig_for(&g, SECONDS(1));
        from = world_rig_mark(&g);
        page_restore(g.w, p);
        world_rig_for(&g, MS(100));
        const struct obs *restored = world_rig_find(&g, from, OBS_PAGE_RESTORED, p);
        const struct obs *asks = world_rig_entered(&g, from, p, STATE_REQUESTING);
        const struct obs *visible = world_rig_find(&g, from, OBS_PAGE_VISIBLE, p);
        ck_assert_uint_lt(restored->number, visible->number);
        if (_i == 0)
            ck_assert_uint_lt(asks->number, visible->number); /* resume, while still hidden */
        else
            ck_assert_uint_lt(visible->number, asks->number); /* pageshow, after visibilitychange */
    }
}
END_TEST

START_TEST(wl69_gecko_caches_no_page_with_a_lock)
{
    open_long_lease(PROFILE_GECKO, 3);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    ck_assert(!page_cache(g.w, p));
    world_rig_for(&g, SECONDS(1));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_PAGE_CLOSED, p));
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_PAGE_CACHED, p));
}
END_TEST

START_TEST(lc35_a_message_evicts_a_cached_chromium_page)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        ck_assert(page_cache(g.w, q));
        uint32_t from = world_rig_mark(&g);
        world_rig_broadcast(&g, p, MSG_HEARTBEAT, 0);
        world_rig_for(&g, MS(100));
        ck_assert_uint_eq(world_rig_find(&g, from, OBS_PAGE_EVICTED, q)->a, 2);
        ck_assert(!page_alive(&g.w->page[q]));
        page_restore(g.w, q); /* nothing there to restore */
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_PAGE_RESTORED, q));
    }
}
END_TEST

START_TEST(st4_webkit_loses_a_message_to_a_cached_page)
{
    open_long_lease(PROFILE_WEBKIT, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        ck_assert(page_cache(g.w, q));
        uint32_t from = world_rig_mark(&g);
        world_rig_broadcast(&g, p, MSG_TASK, 9);
        world_rig_for(&g, MS(100));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_PAGE_EVICTED, q));
        page_restore(g.w, q);
        world_rig_for(&g, MS(300));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_PAGE_RESTORED, q));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 0); /* never heard of it */
    }
}
END_TEST

/* LC-5: tasks of a cached page wait for the restore; this client does not let go on pagehide. */
START_TEST(wl68b_a_page_can_be_granted_a_lock_in_the_cache)
{
    open_long_lease(PROFILE_WORST, 3);
    g.contract.steal = STEAL_NEVER;
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_CACHED_LEADER);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        ck_assert(page_cache(g.w, q));
        uint32_t from = world_rig_mark(&g);
        page_crash(g.w, p, OBS_PAGE_CRASHED);
        world_rig_for(&g, SECONDS(3));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_GRANTED, q));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_CALLBACK, q));
        page_restore(g.w, q);
        world_rig_for(&g, MS(500));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_CALLBACK, q));
    }
}
END_TEST

START_TEST(wl70_webkit_frees_the_lock_of_a_cached_page_and_says_so_after_pageshow)
{
    open_long_lease(PROFILE_WEBKIT, 3);
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_CACHED_LEADER);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g);
        ck_assert(page_cache(g.w, p));
        world_rig_for(&g, SECONDS(1));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_GRANTED, q)); /* freed at once */
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_REJECTED, p));
        page_restore(g.w, p);
        world_rig_for(&g, MS(300));
        const struct obs *visible = world_rig_find(&g, from, OBS_PAGE_VISIBLE, p);
        const struct obs *rejected = world_rig_find(&g, from, OBS_LOCK_REJECTED, p);
        ck_assert_uint_lt(visible->number, rejected->number);
    }
}
END_TEST

/* ---- long tasks ------------------------------------------------------------------ */

START_TEST(lc5_a_blocked_page_handles_nothing_and_its_worker_goes_on)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        world_rig_for(&g, MS(100));
        uint32_t from = world_rig_mark(&g);
        page_block(g.w, p, SECONDS(3));
        world_rig_broadcast(&g, other_than(p), MSG_TASK, 1);
        world_rig_for(&g, SECONDS(3) - 1);
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_PUSH_HANDLED, p));
        ck_assert_uint_eq(world_rig_issued(&g, from, p, REQ_TAKE), 0);
        ck_assert_uint_ge(world_rig_issued(&g, from, p, REQ_RENEW),
                          5); /* within a third of the ttl */
        world_rig_for(&g, MS(50));
        const struct obs *blocked = world_rig_find(&g, from, OBS_PAGE_BLOCKED, p);
        const struct obs *unblocked = world_rig_find(&g, from, OBS_PAGE_UNBLOCKED, p);
        ck_assert_uint_eq(blocked->b, (uint32_t)SECONDS(3));
        ck_assert_int_eq(unblocked->at.us - blocked->at.us, SECONDS(3));
        ck_assert_uint_eq(world_rig_issued(&g, from, p, REQ_TAKE), 1);
    }
}
END_TEST

START_TEST(long_tasks_run_one_after_the_other)
{
    open_long_lease(PROFILE_CHROMIUM, 2);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    struct instant began = g.w->now;
    page_block(g.w, p, SECONDS(1));
    world_rig_for(&g, MS(300));
    page_block(g.w, p, MS(200));
    world_rig_for(&g, MS(850)); /* the first is over, the second is not */
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_PAGE_UNBLOCKED, p));
    world_rig_for(&g, MS(100));
    const struct obs *unblocked = world_rig_find(&g, from, OBS_PAGE_UNBLOCKED, p);
    ck_assert_ptr_nonnull(unblocked);
    ck_assert_int_eq(unblocked->at.us - began.us, MS(1200));
    ck_assert_ptr_null(world_rig_find(&g, unblocked->number + 1, OBS_PAGE_UNBLOCKED, p));
}
END_TEST

/* ---- the end of a page ----------------------------------------------------------- */

/* How much longer than its locks the closing page of a blocked holder lives. */
static int64_t overlap_us(uint64_t seed)
{
    uint16_t p = led(seed);
    page_block(g.w, p, SECONDS(5)); /* no handler can let the lock go */
    uint32_t from = world_rig_mark(&g);
    page_close(g.w, p);
    world_rig_for(&g, SECONDS(3));
    const struct obs *released = world_rig_find(&g, from, OBS_LOCK_RELEASED, p);
    const struct obs *closed = world_rig_find(&g, from, OBS_PAGE_CLOSED, p);
    ck_assert_ptr_nonnull(world_rig_find(&g, released->number, OBS_LOCK_GRANTED, PAGE_NONE));
    ck_assert_int_gt(released->at.us, g.w->history.at[from].at.us - 1);
    return closed->at.us - released->at.us;
}

START_TEST(wl49_in_chromium_the_next_may_hold_the_lock_while_the_old_page_still_runs)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint32_t overlaps = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        int64_t us = overlap_us(seed);
        ck_assert_int_ge(us, 0);
        ck_assert_int_le(us, profile_of(PROFILE_CHROMIUM)->unload_patience_us);
        overlaps += us > 0;
    }
    ck_assert_uint_ge(overlaps, 1);
    ck_assert_uint_le(overlaps, 59);
}
END_TEST

START_TEST(wl49_elsewhere_it_may_not)
{
    open_long_lease(_i ? PROFILE_WEBKIT : PROFILE_GECKO, 3);
    for (uint64_t seed = 0; seed < 60; seed++) ck_assert_int_eq(overlap_us(seed), 0);
}
END_TEST

START_TEST(lc13_a_closing_page_runs_its_handlers_first)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint16_t p = led(1);
    page_show(g.w, p);
    world_rig_for(&g, MS(500));
    uint32_t from = world_rig_mark(&g);
    page_close(g.w, p);
    world_rig_for(&g, SECONDS(1));
    const struct obs *over = world_rig_find(&g, from, OBS_BELIEF_ENDED, p);
    const struct obs *hidden = world_rig_find(&g, from, OBS_PAGE_HIDDEN, p);
    ck_assert_uint_eq(over->a, WHY_PAGEHIDE);
    ck_assert_uint_lt(over->number, hidden->number);
    ck_assert_uint_lt(hidden->number, world_rig_find(&g, from, OBS_PAGE_CLOSED, p)->number);
}
END_TEST

/* WL-48: the browser notices a death later than it happens. */
START_TEST(wl48_a_dead_page_is_silent_at_once_and_its_locks_are_free_later)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g);
        page_crash(g.w, p, OBS_PAGE_CRASHED);
        world_rig_for(&g, SECONDS(2));
        const struct obs *crashed = world_rig_find(&g, from, OBS_PAGE_CRASHED, p);
        const struct obs *released = world_rig_find(&g, from, OBS_LOCK_RELEASED, p);
        ck_assert_int_gt(released->at.us, crashed->at.us);
        ck_assert_uint_eq(released->flags, 1);
        ck_assert_ptr_nonnull(world_rig_find(&g, released->number, OBS_LOCK_GRANTED, q));
        for (uint32_t i = crashed->number + 1; i < g.w->history.n; i++) {
            const struct obs *o = &g.w->history.at[i];
            if (o->page != p) continue;
            ck_assert(o->kind == OBS_LOCK_RELEASED ||
                      (o->kind >= OBS_LEDGER_CLAIMED && o->kind < OBS_FAULT_BEGUN));
        }
    }
}
END_TEST

START_TEST(wl44_the_request_of_a_closed_waiter_leaves_the_queue)
{
    open_long_lease(PROFILE_CHROMIUM, 4);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0), behind = world_rig_waiter(&g, 1);
        page_crash(g.w, q, OBS_PAGE_CRASHED);
        world_rig_for(&g, SECONDS(1));
        uint32_t from = world_rig_mark(&g);
        page_crash(g.w, p, OBS_PAGE_CRASHED);
        world_rig_for(&g, SECONDS(1));
        ck_assert_uint_eq(world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE)->page, behind);
    }
}
END_TEST

/* ---- identities ------------------------------------------------------------------ */

START_TEST(st20_a_reload_is_a_new_document_with_the_tabs_session_storage)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), tab = g.w->page[p].tab;
        struct leader old = g.w->page[p].client;
        page_close(g.w, p);
        world_rig_for(&g, SECONDS(1));
        tab_load(g.w, tab, 1);
        uint16_t n = g.w->tab[tab].page;
        ck_assert_uint_ne(n, p);
        ck_assert_uint_ne(n, PAGE_NONE);
        ck_assert_uint_ne(g.w->page[n].client.tab_instance, old.tab_instance);
        ck_assert_uint_eq(g.w->page[n].client.session_instance, old.session_instance);
        ck_assert(fence_is_none(g.w->page[n].client.page.fence)); /* it remembers nothing */
    }
}
END_TEST

/* WL-50: old locks are released before the new document's script runs. */
START_TEST(wl50_a_new_document_does_not_start_before_the_old_one_has_ended)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < 30; seed++) {
        uint16_t p = led(seed), tab = g.w->page[p].tab;
        page_block(g.w, p, SECONDS(5));
        uint32_t from = world_rig_mark(&g);
        page_close(g.w, p);
        tab_load(g.w, tab, 1);
        world_rig_for(&g, SECONDS(3));
        const struct obs *created = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE);
        ck_assert_uint_eq(created->a, tab);
        ck_assert_uint_lt(world_rig_find(&g, from, OBS_PAGE_CLOSED, p)->number, created->number);
        ck_assert_uint_lt(world_rig_find(&g, from, OBS_LOCK_RELEASED, p)->number, created->number);
    }
}
END_TEST

START_TEST(st19_a_duplicate_shares_the_session_storage_and_not_the_document)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_DUPLICATE, 0);
    uint16_t n = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE)->page;
    ck_assert_uint_ne(g.w->page[n].tab, g.w->page[p].tab);
    ck_assert_uint_eq(g.w->page[n].client.session_instance, g.w->page[p].client.session_instance);
    ck_assert_uint_ne(g.w->page[n].client.tab_instance, g.w->page[p].client.tab_instance);
}
END_TEST

START_TEST(st17_a_new_tab_has_a_session_storage_of_its_own)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    (void)led(1);
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_SECOND_DEVICE, 0);
    uint16_t n = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE)->page;
    for (uint16_t p = 0; p < n; p++) {
        ck_assert_uint_ne(g.w->page[n].client.session_instance,
                          g.w->page[p].client.session_instance);
        ck_assert_uint_ne(g.w->page[n].client.tab_instance, g.w->page[p].client.tab_instance);
    }
}
END_TEST

START_TEST(st20_a_restored_session_is_new_documents_in_the_old_tabs)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    (void)led(1);
    uint32_t session[3], old = g.w->pages;
    for (uint16_t n = 0; n < 3; n++)
        session[g.w->page[n].tab] = g.w->page[n].client.session_instance;
    (void)world_rig_fault(&g, FAULT_BROWSER_CRASH, SECONDS(2));
    for (uint16_t n = 0; n < old; n++) ck_assert(!page_alive(&g.w->page[n]));
    world_rig_for(&g, SECONDS(4));
    ck_assert_uint_eq(g.w->pages, old + 3);
    for (uint32_t n = old; n < old + 3; n++)
        ck_assert_uint_eq(g.w->page[n].client.session_instance, session[g.w->page[n].tab]);
}
END_TEST

START_TEST(lc6_a_discarded_page_gets_no_event)
{
    open_long_lease(PROFILE_CHROMIUM, 3);
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_DISCARD, SECONDS(2));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_PAGE_DISCARDED, p));
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_STATE_CHANGED, p));
    world_rig_for(&g, SECONDS(4)); /* shown again, it is another document */
    const struct obs *created = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE);
    ck_assert_uint_eq(created->a, g.w->page[p].tab);
    ck_assert_uint_ne(created->page, p);
}
END_TEST

/* A message port keeps its order. */
START_TEST(lc5_posts_of_a_page_reach_its_worker_in_order)
{
    open_long_lease(PROFILE_CHROMIUM, 1);
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        uint16_t p = led(seed);
        bool hidden = false;
        for (uint32_t k = 0; k < 7 + seed % 2; k++) {
            hidden = !hidden;
            page_run_kind(g.w, p, hidden ? IN_HIDDEN : IN_VISIBLE, false);
        }
        world_rig_for(&g, MS(50));
        ck_assert_int_eq(g.w->page[p].client.worker.hidden, hidden); /* the last word counts */
    }
}
END_TEST

Suite *world_page_suite(void)
{
    Suite *s = suite_create("world_page");
    TCase *t = tcase_create("world_page");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, lc18_a_fetch_called_while_frozen_leaves_on_resume);
    tcase_add_test(t, lc18_a_fetch_sent_before_is_answered_after_the_thaw);
    tcase_add_test(t, lc21_the_worker_of_a_frozen_page_stands_still);
    tcase_add_loop_test(t, lc17_channel_handlers_run_in_a_frozen_chromium_page, 0, 2);
    tcase_add_loop_test(t, st3_elsewhere_a_frozen_page_hears_messages_when_it_thaws, 0, 2);
    tcase_add_test(t, lc19_a_frozen_page_handles_nothing_but_messages);
    tcase_add_test(t, wl32_a_frozen_page_is_granted_and_blocks_everyone_until_it_resumes);
    tcase_add_loop_test(t, lc20_the_backlog_runs_after_resume_in_the_order_of_its_sources, 0, 2);
    tcase_add_test(t, lc20_what_waited_in_one_source_keeps_its_order);
    tcase_add_test(t, lc12_a_visible_page_is_hidden_before_it_is_frozen);
    tcase_add_test(t, lc2_an_abrupt_freeze_runs_no_handler);
    tcase_add_test(t, lc11_without_freeze_events_no_handler_runs_either);
    tcase_add_loop_test(t, lc23_lc27_a_browser_freezes_by_itself_what_its_policy_lets_it, 0, 2);
    tcase_add_loop_test(t, tm5_timers_of_a_hidden_page_tick_once_a_second, 0, 3);
    tcase_add_test(t, tm5_timers_of_a_visible_page_are_exact);
    tcase_add_loop_test(t, tm6_after_five_minutes_in_chromium_once_a_minute, 0, 2);
    tcase_add_test(t, tm9_a_hidden_leader_renews_as_often_as_a_visible_one);
    tcase_add_test(t, lc20_timers_due_meanwhile_fire_last_and_once);
    tcase_add_loop_test(t, lc10_lc11_events_into_the_cache_and_out_of_it, 0, 2);
    tcase_add_test(t, wl69_gecko_caches_no_page_with_a_lock);
    tcase_add_test(t, lc35_a_message_evicts_a_cached_chromium_page);
    tcase_add_test(t, st4_webkit_loses_a_message_to_a_cached_page);
    tcase_add_test(t, wl68b_a_page_can_be_granted_a_lock_in_the_cache);
    tcase_add_test(t, wl70_webkit_frees_the_lock_of_a_cached_page_and_says_so_after_pageshow);
    tcase_add_test(t, long_tasks_run_one_after_the_other);
    tcase_add_test(t, lc5_a_blocked_page_handles_nothing_and_its_worker_goes_on);
    tcase_add_test(t, wl49_in_chromium_the_next_may_hold_the_lock_while_the_old_page_still_runs);
    tcase_add_loop_test(t, wl49_elsewhere_it_may_not, 0, 2);
    tcase_add_test(t, lc13_a_closing_page_runs_its_handlers_first);
    tcase_add_test(t, wl48_a_dead_page_is_silent_at_once_and_its_locks_are_free_later);
    tcase_add_test(t, wl44_the_request_of_a_closed_waiter_leaves_the_queue);
    tcase_add_test(t, st20_a_reload_is_a_new_document_with_the_tabs_session_storage);
    tcase_add_test(t, wl50_a_new_document_does_not_start_before_the_old_one_has_ended);
    tcase_add_test(t, st19_a_duplicate_shares_the_session_storage_and_not_the_document);
    tcase_add_test(t, st17_a_new_tab_has_a_session_storage_of_its_own);
    tcase_add_test(t, st20_a_restored_session_is_new_documents_in_the_old_tabs);
    tcase_add_test(t, lc6_a_discarded_page_gets_no_event);
    tcase_add_test(t, lc5_posts_of_a_page_reach_its_worker_in_order);
    suite_add_tcase(s, t);
    return s;
}
