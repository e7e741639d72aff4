/* Documents in the world, second part: how long the cache keeps a page and what becomes of its
 * timers, the order of tasks of a busy page, and what an ending or loading page follows from. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_cache_suite(void);

#define SEEDS 12

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* One tab of the profile that leads. */
static uint16_t led(enum profile_kind profile, uint32_t tabs, uint64_t seed)
{
    world_rig_open(&g, profile, tabs);
    world_rig_reset(&g, seed);
    return world_rig_leader(&g);
}

/* ---- the cache ----------------------------------------------------------------------- */

START_TEST(lc34_the_cache_keeps_a_page_for_ten_minutes)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 1);
    g.scenario.duration = g.scenario.long_duration =
        (struct span_range){ SECONDS(900), SECONDS(900) };
    world_rig_reset(&g, 1);
    uint16_t p = world_rig_leader(&g);
    ck_assert(page_cache(g.w, p));
    world_rig_for(&g, SECONDS(599));
    ck_assert_int_eq(g.w->page[p].state, DOC_CACHED);
    world_rig_for(&g, SECONDS(2));
    const struct obs *o = world_rig_find(&g, 0, OBS_PAGE_EVICTED, p);
    ck_assert_ptr_nonnull(o);
    ck_assert_uint_eq(o->a, 3);
}
END_TEST

START_TEST(lc34_another_visit_to_the_cache_counts_anew)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 1);
    g.scenario.duration = g.scenario.long_duration =
        (struct span_range){ SECONDS(1300), SECONDS(1300) };
    world_rig_reset(&g, 1);
    uint16_t p = world_rig_leader(&g);
    page_cache(g.w, p);
    world_rig_for(&g, SECONDS(400));
    page_restore(g.w, p);
    world_rig_for(&g, SECONDS(1));
    ck_assert(page_cache(g.w, p));
    world_rig_for(&g, SECONDS(500)); /* 901 s after the first */
    ck_assert_int_eq(g.w->page[p].state, DOC_CACHED);
}
END_TEST

/* When the timer of 500 ms fired that was armed 180 ms before the page was cached for 2 s. */
static int64_t fired_after_restore_us(enum profile_kind profile)
{
    uint16_t p = led(profile, 1, 3);
    struct page_timer *t = &g.w->page[p].timer[THREAD_PAGE][TIMER_PAGE];
    page_show(g.w, p);
    page_timer_arm(g.w, p, THREAD_PAGE, TIMER_PAGE, MS(500));
    world_rig_for(&g, MS(180));
    ck_assert(page_cache(g.w, p));
    world_rig_for(&g, SECONDS(2));
    int64_t restored = g.w->now.us;
    page_restore(g.w, p);
    for (uint32_t arming = t->arming; t->arming == arming;)
        world_rig_for(&g, MS(1)); /* set again */
    int64_t us = g.w->now.us - restored;
    close_rig();
    return us;
}

START_TEST(tm3_timers_shift_in_the_cache_where_the_profile_shifts_them)
{
    ck_assert_int_le(fired_after_restore_us(PROFILE_CHROMIUM), MS(3));
    int64_t webkit = fired_after_restore_us(PROFILE_WEBKIT);
    ck_assert_int_ge(webkit, MS(319));
    ck_assert_int_le(webkit, MS(323));
    world_rig_open(&g, PROFILE_CHROMIUM, 1); /* for the teardown */
}
END_TEST

START_TEST(tm3_a_timer_that_is_not_due_yet_shifts_too)
{
    uint16_t p = led(PROFILE_WEBKIT, 1, 3);
    const struct page_timer *t = &g.w->page[p].timer[THREAD_PAGE][TIMER_PAGE];
    page_show(g.w, p);
    page_timer_arm(g.w, p, THREAD_PAGE, TIMER_PAGE, SECONDS(5));
    page_cache(g.w, p);
    world_rig_for(&g, SECONDS(2));
    page_restore(g.w, p);
    uint32_t arming = t->arming;
    world_rig_for(&g, SECONDS(4) + MS(900));
    ck_assert_uint_eq(t->arming, arming);
    world_rig_for(&g, MS(200));
    ck_assert_uint_ne(t->arming, arming);
}
END_TEST

/* ---- locks and messages ---------------------------------------------------------------- */

/* Between the grant's arrival at the page and that of a message that was sent before it. */
static int64_t grant_after_message_us(enum profile_kind profile, uint64_t seed)
{
    uint16_t leader = led(profile, 2, seed), next = leader == 0 ? 1 : 0;
    g.w->device[0].channel_until.us = g.w->now.us + MS(40); /* a slow one is on its way */
    uint32_t from = world_rig_mark(&g);
    page_crash(g.w, leader, OBS_PAGE_CRASHED);
    const struct obs *granted = NULL;
    while (!granted) {
        world_rig_for(&g, MS(1));
        granted = world_rig_find(&g, from, OBS_LOCK_GRANTED, next);
        if (granted) g.w->device[0].channel_until.us = 0;
    }
    const struct obs *runs = world_rig_until(&g, OBS_LOCK_CALLBACK, next, SECONDS(2));
    if (!runs) runs = world_rig_find(&g, from, OBS_LOCK_CALLBACK, next);
    ck_assert_ptr_nonnull(runs);
    int64_t us = runs->at.us - granted->at.us;
    close_rig();
    return us;
}

START_TEST(st16_a_grant_overtakes_a_message_but_in_gecko)
{
    bool overtakes = false, waits = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        overtakes = overtakes || grant_after_message_us(PROFILE_CHROMIUM, seed) < MS(3);
        waits = waits || grant_after_message_us(PROFILE_GECKO, seed) > MS(3);
    }
    ck_assert(overtakes && waits);
    world_rig_open(&g, PROFILE_CHROMIUM, 1);
}
END_TEST

/* ---- a busy page ------------------------------------------------------------------------ */

static void tell(uint16_t n, int64_t in_us, uint32_t op)
{
    uint32_t i = parcel_take(g.w);
    struct parcel *c = &g.w->parcel[i];
    c->page = n;
    c->thread = THREAD_PAGE;
    c->source = TASK_BROADCAST;
    c->kind = IN_MESSAGE;
    c->as.message = (struct client_message){ .kind = MSG_TASK, .a = op };
    world_in_order(g.w, in_us, EV_DELIVER, n, i);
}

START_TEST(tasks_of_a_busy_page_keep_their_order)
{
    uint16_t p = led(PROFILE_CHROMIUM, 2, 5) == 0 ? 1 : 0;
    page_block(g.w, p, MS(100));
    tell(p, MS(100), 2); /* when the task is over: sent first, there last */
    tell(p, MS(10), 1);
    tell(p, MS(100), 3);
    world_rig_for(&g, MS(200));
    const struct leader *l = &g.w->page[p].client;
    ck_assert_uint_eq(l->page.known_n, 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(l->page.known[i], i + 1);
    ck_assert_uint_eq(g.w->page[p].queue, TABLE_NONE);
}
END_TEST

START_TEST(tasks_that_queued_before_a_freeze_wait_for_the_thaw_in_their_order)
{
    uint16_t p = led(PROFILE_GECKO, 2, 5) == 0 ? 1 : 0;
    page_block(g.w, p, MS(100));
    tell(p, MS(10), 1);
    tell(p, MS(20), 2);
    world_rig_for(&g, MS(50));
    page_freeze(g.w, p, false);
    tell(p, MS(10), 3);
    world_rig_for(&g, MS(500));
    ck_assert_uint_eq(g.w->page[p].client.page.known_n, 0);
    page_thaw(g.w, p);
    world_rig_for(&g, MS(500));
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(g.w->page[p].client.page.known[i], i + 1);
}
END_TEST

START_TEST(what_queued_ends_with_the_page)
{
    uint16_t p = led(PROFILE_CHROMIUM, 2, 5) == 0 ? 1 : 0;
    page_block(g.w, p, MS(100));
    tell(p, MS(10), 1);
    world_rig_for(&g, MS(50));
    uint32_t given = g.w->parcel_free;
    page_crash(g.w, p, OBS_PAGE_CRASHED);
    ck_assert_uint_ne(g.w->parcel_free, given); /* given back */
    world_rig_for(&g, MS(500));
    ck_assert_uint_eq(g.w->page[p].queue, TABLE_NONE);
}
END_TEST

/* ---- causes --------------------------------------------------------------------------- */

static const struct obs *begun(enum fault_kind k)
{
    return world_rig_find_a(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE, k);
}

START_TEST(a_page_that_is_closed_by_a_fault_ends_by_it)
{
    uint16_t p = led(PROFILE_CHROMIUM, 2, 7);
    world_rig_fault(&g, FAULT_CLOSE_HOLDER, 0);
    world_rig_for(&g, SECONDS(2));
    const struct obs *o = world_rig_find(&g, 0, OBS_PAGE_CLOSED, p);
    ck_assert_ptr_nonnull(o);
    ck_assert_uint_eq(o->cause, begun(FAULT_CLOSE_HOLDER)->number);
}
END_TEST

START_TEST(a_page_that_loads_after_a_fault_follows_from_it)
{
    uint16_t p = led(PROFILE_CHROMIUM, 2, 7);
    uint32_t tab = g.w->page[p].tab, from = world_rig_mark(&g);
    world_rig_fault(&g, FAULT_RELOAD, 0);
    const struct obs *o = world_rig_until(&g, OBS_PAGE_CREATED, PAGE_NONE, SECONDS(5));
    if (!o) o = world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE);
    ck_assert_uint_eq(o->a, tab);
    ck_assert_uint_eq(o->cause, begun(FAULT_RELOAD)->number);
}
END_TEST

START_TEST(a_page_of_the_start_follows_from_nothing)
{
    led(PROFILE_CHROMIUM, 3, 7);
    const struct obs *o = world_rig_find(&g, 0, OBS_PAGE_CREATED, PAGE_NONE);
    ck_assert_uint_eq(o->cause, OBS_NONE);
}
END_TEST

Suite *world_cache_suite(void)
{
    Suite *s = suite_create("world_cache");
    TCase *t = tcase_create("world_cache");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_add_test(t, lc34_the_cache_keeps_a_page_for_ten_minutes);
    tcase_add_test(t, lc34_another_visit_to_the_cache_counts_anew);
    tcase_add_test(t, tm3_timers_shift_in_the_cache_where_the_profile_shifts_them);
    tcase_add_test(t, tm3_a_timer_that_is_not_due_yet_shifts_too);
    tcase_add_test(t, st16_a_grant_overtakes_a_message_but_in_gecko);
    tcase_add_test(t, tasks_of_a_busy_page_keep_their_order);
    tcase_add_test(t, tasks_that_queued_before_a_freeze_wait_for_the_thaw_in_their_order);
    tcase_add_test(t, what_queued_ends_with_the_page);
    tcase_add_test(t, a_page_that_is_closed_by_a_fault_ends_by_it);
    tcase_add_test(t, a_page_that_loads_after_a_fault_follows_from_it);
    tcase_add_test(t, a_page_of_the_start_follows_from_nothing);
    suite_add_tcase(s, t);
    return s;
}
