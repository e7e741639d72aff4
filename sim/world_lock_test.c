/* Between pages and lock managers: order, overtaking, refusals, foreign code, and what the cache
 * does to a queue. Each test names its rule of facts/browser-semantics.md. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_lock_suite(void);

#define SEEDS 40

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

static void open_rig(enum profile_kind profile, uint32_t tabs)
{
    world_rig_open(&g, profile, tabs);
    g.contract.lease.ttl_us = SECONDS(20);
    g.contract.steal = STEAL_NEVER;
}

static uint16_t led(uint64_t seed)
{
    world_rig_reset(&g, seed);
    return world_rig_leader(&g);
}

/* The newest request for the leader lock that the page has made. */
static uint32_t lock_of(uint16_t p)
{
    return g.w->page[p].client.page.lock.id;
}

/* ---- order ----------------------------------------------------------------------- */

/* A release and the next request travel on one pipe. */
START_TEST(wl42_a_clients_release_and_its_next_request_keep_their_order)
{
    open_rig(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g);
        world_rig_broadcast(&g, q, MSG_VISIBLE_WAITS, 0); /* lets go and queues up again, at once */
        world_rig_for(&g, MS(200));
        const struct obs *released = world_rig_find(&g, from, OBS_LOCK_RELEASED, p);
        const struct obs *requested = world_rig_find(&g, from, OBS_LOCK_REQUESTED, p);
        ck_assert_uint_lt(released->number, requested->number);
        ck_assert_uint_ne(released->request, requested->request);
    }
}
END_TEST

START_TEST(wl42_many_calls_of_one_page_reach_the_manager_in_order)
{
    open_rig(PROFILE_CHROMIUM, 2);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g), id = 500;
        lock_call_send(g.w, q, CALL_ABORT, lock_of(q), 0);
        for (int k = 0; k < 5; k++) {
            lock_call_send(g.w, q, CALL_REQUEST, ++id, LOCK_HAS_SIGNAL);
            lock_call_send(g.w, q, CALL_ABORT, id, 0);
        }
        world_rig_for(&g, MS(300));
        uint32_t requests = 0, last = 0;
        for (uint32_t i = from; i < g.w->history.n; i++) {
            const struct obs *o = &g.w->history.at[i];
            if (o->page != q) continue;
            if (o->kind == OBS_LOCK_REQUESTED) {
                ck_assert_uint_gt(o->request, last);
                last = o->request;
                requests++;
            } else if (o->kind == OBS_LOCK_ABORTED && requests > 0) {
                ck_assert_uint_eq(o->request, last); /* each withdrawn before the next was made */
            }
        }
        ck_assert_uint_eq(requests, 5);
        ck_assert_uint_eq(lockmgr_waiters(g.w->lockmgr[0], LOCK_NAME_LEADER), 0);
        ck_assert_uint_eq(world_rig_holder(&g), p);
    }
}
END_TEST

/* WL-30: the grant was on its way when the lock was stolen: the callback still runs, then the
 * rejection arrives; WL-56: of a frozen page both on resume. */
START_TEST(wl30_wl56_a_grant_and_its_loss_arrive_in_order)
{
    open_rig(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0), thief = world_rig_waiter(&g, 1);
        if (_i) page_freeze(g.w, q, false);
        uint32_t from = world_rig_mark(&g);
        lock_call_send(g.w, p, CALL_SETTLE, lock_of(p), 0);
        const struct obs *granted = world_rig_until(&g, OBS_LOCK_GRANTED, q, SECONDS(1));
        ck_assert_ptr_nonnull(granted);
        uint32_t request = granted->request;
        foreign_request(g.w, 0, thief, LOCK_NAME_LEADER, LOCK_IS_STEAL, SECONDS(5), PAGE_NONE,
                        OBS_NONE);
        world_rig_for(&g, SECONDS(1));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_STOLEN, q));
        if (_i) {
            ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_CALLBACK, q));
            ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_REJECTED, q));
            page_thaw(g.w, q);
            world_rig_for(&g, MS(500));
        }
        const struct obs *callback = world_rig_find(&g, from, OBS_LOCK_CALLBACK, q);
        const struct obs *rejected = world_rig_find(&g, from, OBS_LOCK_REJECTED, q);
        ck_assert_uint_eq(callback->request, request);
        ck_assert_uint_eq(rejected->request, request);
        ck_assert_uint_lt(callback->number, rejected->number);
    }
}
END_TEST

/* The old holder posts a message and then releases; who comes first at the next holder? */
static bool message_first(uint64_t seed)
{
    uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
    uint32_t from = world_rig_mark(&g);
    world_rig_broadcast(&g, p, MSG_TASK, 9);
    lock_call_send(g.w, p, CALL_SETTLE, lock_of(p), 0);
    int64_t end = g.w->now.us + SECONDS(1);
    while (world_rig_step(&g, end)) {
        if (g.w->page[q].client.page.known_n > 0) return true;
        if (world_rig_find(&g, from, OBS_LOCK_CALLBACK, q)) return false;
    }
    ck_abort_msg("neither came");
    return false;
}

START_TEST(st16_locks_and_messages_overtake_each_other)
{
    open_rig(PROFILE_CHROMIUM, 3);
    uint32_t first = 0;
    for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) first += message_first(seed);
    ck_assert_uint_gt(first, 0);
    ck_assert_uint_lt(first, 4 * SEEDS);
}
END_TEST

/* Who asked first is granted first (WL-20, WL-23), whatever the latencies. */
START_TEST(wl23_the_queue_is_worked_off_in_its_order)
{
    open_rig(PROFILE_CHROMIUM, 6);
    for (uint64_t seed = 0; seed < 5; seed++) {
        uint16_t p = led(seed);
        for (uint32_t left = 5; left > 0; left--) {
            uint16_t next = world_rig_waiter(&g, 0);
            ck_assert_uint_eq(lockmgr_waiters(g.w->lockmgr[0], LOCK_NAME_LEADER), left);
            page_crash(g.w, p, OBS_PAGE_CRASHED);
            world_rig_for(&g, SECONDS(1));
            ck_assert_uint_eq(world_rig_holder(&g), next);
            p = next;
        }
    }
}
END_TEST

START_TEST(wl16_a_call_and_a_grant_take_time)
{
    open_rig(PROFILE_CHROMIUM, 1);
    for (uint64_t seed = 0; seed < 5; seed++) {
        world_rig_reset(&g, seed);
        world_rig_for(&g, SECONDS(1));
        const struct obs *asked = world_rig_entered(&g, 0, 0, STATE_REQUESTING);
        const struct obs *requested = world_rig_find(&g, 0, OBS_LOCK_REQUESTED, 0);
        const struct obs *granted = world_rig_find(&g, 0, OBS_LOCK_GRANTED, 0);
        const struct obs *callback = world_rig_find(&g, 0, OBS_LOCK_CALLBACK, 0);
        ck_assert_int_lt(asked->at.us, requested->at.us);
        ck_assert_int_eq(requested->at.us, granted->at.us); /* a free lock, at the manager */
        ck_assert_int_lt(granted->at.us, callback->at.us);
    }
}
END_TEST

/* WL-2: each storage partition has its own manager. */
START_TEST(wl2_devices_have_lock_managers_of_their_own)
{
    open_rig(PROFILE_CHROMIUM, 2);
    (void)world_rig_device(&g);
    (void)led(1);
    ck_assert_uint_ge(world_rig_count(&g, 0, OBS_LOCK_GRANTED, PAGE_NONE), 2);
    const struct obs *o = world_rig_find(&g, 0, OBS_LOCK_GRANTED, PAGE_NONE);
    for (; o; o = world_rig_find(&g, o->number + 1, OBS_LOCK_GRANTED, PAGE_NONE))
        ck_assert_uint_eq(o->partition, g.w->page[o->page].device);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------- */

START_TEST(wl3_wl11_a_refused_request_never_reaches_the_manager)
{
    open_rig(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < 5; seed++) {
        (void)led(seed);
        uint32_t from = world_rig_mark(&g);
        uint32_t fault = world_rig_fault(&g, FAULT_LOCKS_REFUSED, SECONDS(4));
        world_rig_for(&g, SECONDS(4) - 1);
        const struct obs *refused = world_rig_find(&g, from, OBS_LOCK_REFUSED, PAGE_NONE);
        ck_assert_uint_eq(refused->a, LOCK_ERR_SECURITY);
        ck_assert_uint_eq(refused->cause, g.w->fault[fault].number);
        ck_assert_ptr_null(world_rig_find_request(&g, from, OBS_LOCK_REQUESTED, refused->request));
        ck_assert_ptr_null(world_rig_find_request(&g, from, OBS_LOCK_CALLBACK, refused->request));
        ck_assert_ptr_nonnull(world_rig_find_a(&g, from, OBS_PAGE_LOCKS, PAGE_NONE, 0));
        uint16_t n = refused->page;
        uint32_t healed = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(6));
        ck_assert_ptr_nonnull(world_rig_find_a(&g, healed, OBS_PAGE_LOCKS, n, 1));
        ck_assert_ptr_nonnull(
            world_rig_find(&g, healed, OBS_LOCK_REQUESTED, n)); /* it asks again */
    }
}
END_TEST

START_TEST(wl1_a_page_without_locks_asks_for_none)
{
    open_rig(PROFILE_CHROMIUM, 3);
    (void)led(1);
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_LOCKS_MISSING, 0);
    const struct obs *created = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE);
    ck_assert(!(created->flags & (PAGE_HAS_LOCKS | PAGE_MAY_LEAD)));
    world_rig_for(&g, SECONDS(20));
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_REQUESTED, created->page));
}
END_TEST

/* ---- foreign code ---------------------------------------------------------------- */

START_TEST(wl53_a_rogue_steal_ends_the_hold_and_keeps_the_queue)
{
    open_rig(PROFILE_CHROMIUM, 4);
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint16_t p = led(seed), next = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g);
        (void)world_rig_fault(&g, FAULT_ROGUE_STEAL, SECONDS(2));
        world_rig_for(&g, SECONDS(1));
        const struct obs *thief = world_rig_find(&g, from, OBS_LOCK_REQUESTED, PAGE_NONE);
        ck_assert_uint_eq(thief->flags, LOCK_IS_STEAL | LOCK_IS_FOREIGN);
        const struct obs *stolen = world_rig_find(&g, from, OBS_LOCK_STOLEN, p);
        const struct obs *rejected = world_rig_find(&g, from, OBS_LOCK_REJECTED, p);
        ck_assert_uint_eq(stolen->b, thief->request);
        ck_assert_int_lt(stolen->at.us, rejected->at.us);
        ck_assert_ptr_null(
            world_rig_find(&g, from, OBS_LOCK_CALLBACK, next)); /* the thief keeps it */
        uint32_t left = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(2));
        ck_assert_uint_eq(world_rig_find(&g, left, OBS_LOCK_GRANTED, PAGE_NONE)->page, next);
    }
}
END_TEST

/* WL-7: a callback that waits for another lock cannot settle; the leader lock stays held. */
START_TEST(wl7_a_nested_wait_keeps_the_outer_lock)
{
    open_rig(PROFILE_CHROMIUM, 3);
    uint32_t nested = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        uint32_t from = world_rig_mark(&g);
        (void)world_rig_fault(&g, FAULT_NESTED_LOCKS, SECONDS(3));
        world_rig_for(&g, MS(100));
        const struct obs *inner = world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE);
        ck_assert_uint_eq(inner->key, LOCK_NAME_OTHER);
        if (inner->page == p) continue; /* the holder came first: it waits for nobody */
        nested++;
        world_rig_broadcast(&g, q, MSG_VISIBLE_WAITS, 0); /* the leader drains ... */
        world_rig_for(&g, SECONDS(2));
        ck_assert_ptr_nonnull(world_rig_entered(&g, from, p, STATE_RELEASED));
        ck_assert_uint_eq(world_rig_holder(&g), p); /* ... and its callback hangs inside */
        world_rig_for(&g, SECONDS(2));
        ck_assert_uint_ne(world_rig_holder(&g), p);
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_CALLBACK, q));
    }
    ck_assert_uint_ge(nested, 2);
}
END_TEST

/* ---- the cache and the queue ----------------------------------------------------- */

/* A cached page that still holds the lock: its callback never settles in the background. */
static uint16_t holder_in_the_cache(uint64_t seed)
{
    uint16_t p = led(seed);
    g.w->page[p].deaf_cause = 0; /* no message evicts it */
    ck_assert(page_cache(g.w, p));
    world_rig_for(&g, MS(100));
    ck_assert_uint_eq(world_rig_holder(&g), p); /* WL-64 */
    return p;
}

START_TEST(wl67_who_waited_before_is_not_helped)
{
    open_rig(PROFILE_CHROMIUM, 3);
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_NEVER_SETTLES);
    for (uint64_t seed = 0; seed < 5; seed++) {
        uint16_t p = holder_in_the_cache(seed);
        uint32_t from = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(20));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_PAGE_EVICTED, p));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE));
    }
}
END_TEST

START_TEST(wl68_a_newcomer_evicts_the_holder_and_nobody_is_granted)
{
    open_rig(PROFILE_CHROMIUM, 3);
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_NEVER_SETTLES);
    for (uint64_t seed = 0; seed < 5; seed++) {
        uint16_t p = holder_in_the_cache(seed);
        uint32_t from = world_rig_mark(&g);
        (void)world_rig_fault(&g, FAULT_SECOND_DEVICE,
                              0); /* a new tab of this device: there is only one */
        world_rig_for(&g, SECONDS(10));
        ck_assert_uint_eq(world_rig_find(&g, from, OBS_PAGE_EVICTED, p)->a, 1);
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE));
        ck_assert_uint_eq(world_rig_holder(&g), PAGE_NONE);
        page_crash(g.w, world_rig_waiter(&g, 2),
                   OBS_PAGE_CRASHED); /* who leaves the queue resolves it */
        world_rig_for(&g, SECONDS(1));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE));
    }
}
END_TEST

/* ---- a sleeping device ----------------------------------------------------------- */

START_TEST(lc42_lock_state_stands_still_while_the_device_sleeps)
{
    open_rig(PROFILE_CHROMIUM, 3);
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        lock_call_send(g.w, p, CALL_SETTLE, lock_of(p), 0); /* on its way when the lid closes */
        (void)world_rig_fault(&g, FAULT_SLEEP_DEVICE, SECONDS(5));
        uint32_t from = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(5) - 1);
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_RELEASED, PAGE_NONE));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LOCK_GRANTED, PAGE_NONE));
        world_rig_for(&g, SECONDS(1));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_RELEASED, p));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_CALLBACK, q));
    }
}
END_TEST

/* ---- mutants of the browser ------------------------------------------------------ */

START_TEST(the_lock_of_a_polyfill_expires_under_its_holder)
{
    open_rig(PROFILE_CHROMIUM, 3);
    if (_i) g.scenario.policy = policy_with(g.scenario.policy, POLICY_LOCK_EXPIRES);
    uint16_t p = led(1);
    world_rig_for(&g, SECONDS(10));
    ck_assert_int_eq(world_rig_holder(&g) != p, _i);
    ck_assert_int_eq(world_rig_count(&g, 0, OBS_LOCK_GRANTED, PAGE_NONE) > 1, _i);
    ck_assert_ptr_null(world_rig_find(&g, 0, OBS_LOCK_RELEASED, p));
}
END_TEST

Suite *world_lock_suite(void)
{
    Suite *s = suite_create("world_lock");
    TCase *t = tcase_create("world_lock");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, wl42_a_clients_release_and_its_next_request_keep_their_order);
    tcase_add_test(t, wl42_many_calls_of_one_page_reach_the_manager_in_order);
    tcase_add_loop_test(t, wl30_wl56_a_grant_and_its_loss_arrive_in_order, 0, 2);
    tcase_add_test(t, st16_locks_and_messages_overtake_each_other);
    tcase_add_test(t, wl23_the_queue_is_worked_off_in_its_order);
    tcase_add_test(t, wl16_a_call_and_a_grant_take_time);
    tcase_add_test(t, wl2_devices_have_lock_managers_of_their_own);
    tcase_add_test(t, wl3_wl11_a_refused_request_never_reaches_the_manager);
    tcase_add_test(t, wl1_a_page_without_locks_asks_for_none);
    tcase_add_test(t, wl53_a_rogue_steal_ends_the_hold_and_keeps_the_queue);
    tcase_add_test(t, wl7_a_nested_wait_keeps_the_outer_lock);
    tcase_add_test(t, wl67_who_waited_before_is_not_helped);
    tcase_add_test(t, wl68_a_newcomer_evicts_the_holder_and_nobody_is_granted);
    tcase_add_test(t, lc42_lock_state_stands_still_while_the_device_sleeps);
    tcase_add_loop_test(t, the_lock_of_a_polyfill_expires_under_its_holder, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
