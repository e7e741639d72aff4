/* The live subscription in the world: connections that stall, break and are given up; what the
 * partition's store takes. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_feed_suite(void);

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* The page that leads and follows. */
static uint16_t led_over(enum network_kind network, uint32_t tabs, uint64_t seed)
{
    world_rig_open(&g, PROFILE_CHROMIUM, tabs);
    g.scenario.network[0] = network;
    g.scenario.has_loss = g.scenario.has_slow = true; /* none of either */
    g.contract.work = WORKSTREAM_FEED;
    g.contract.authority = AUTHORITY_INDEXEDDB;
    world_rig_reset(&g, seed);
    uint16_t p = world_rig_leader(&g);
    world_rig_for(&g, SECONDS(2));
    return p;
}

static uint16_t led(uint32_t tabs)
{
    return led_over(NETWORK_LAN, tabs, 1);
}

/* Every event from `from` on is delivered in the order of its number, or announced as lost. */
static void ck_in_sequence(uint32_t from)
{
    uint32_t next = 0;
    for (uint32_t i = from; i < g.w->history.n; i++) {
        const struct obs *o = &g.w->history.at[i];
        if (o->kind != OBS_EVENT_DELIVERED && o->kind != OBS_GAP_ANNOUNCED) continue;
        if (next != 0) ck_assert_uint_eq(o->a, next);
        next = (o->kind == OBS_GAP_ANNOUNCED ? o->b : o->a) + 1;
    }
    ck_assert_uint_gt(next, 0);
}

START_TEST(events_are_delivered_one_by_one_and_the_last_is_stored)
{
    uint16_t p = led(2);
    ck_assert_uint_gt(world_rig_count(&g, 0, OBS_EVENT_DELIVERED, p), 2);
    ck_in_sequence(0);
    ck_assert_uint_ge(g.w->device[0].last_event + 1, g.w->feed.newest);
}
END_TEST

START_TEST(a_hand_over_leaves_nothing_out)
{
    uint16_t p = led(2), next = (uint16_t)(1 - p);
    uint32_t from = world_rig_mark(&g);
    page_crash(g.w, p, OBS_PAGE_CRASHED);
    world_rig_for(&g, SECONDS(6));
    ck_assert_uint_gt(world_rig_count(&g, from, OBS_EVENT_DELIVERED, next), 2);
    ck_in_sequence(0);
    const struct obs *o = world_rig_find(&g, from, OBS_SUBSCRIPTION_CLOSED, p);
    ck_assert_ptr_nonnull(o);
    ck_assert_uint_eq(o->a, 2);
}
END_TEST

/* What has piled up is sent at once, and arrives in its order. */
START_TEST(a_stalled_connection_goes_on_where_it_stopped)
{
    uint16_t p = led_over(NETWORK_MOBILE, 1, (uint64_t)_i + 1);
    uint32_t from = world_rig_mark(&g), newest = g.w->feed.newest;
    g.w->feed.kept = 64;
    g.w->provider_silent = true;
    world_rig_for(&g, MS(1200));
    ck_assert_uint_gt(g.w->feed.newest, newest);
    g.w->provider_silent = false;
    world_rig_for(&g, SECONDS(1));
    ck_in_sequence(0);
    ck_assert_uint_ge(g.w->device[0].last_event + 1, g.w->feed.newest);
    ck_assert_uint_eq(world_rig_count(&g, from, OBS_SUBSCRIPTION_OPENED, p), 0);
    ck_assert_uint_eq(world_rig_count(&g, from, OBS_GAP_ANNOUNCED, p), 0);
}
END_TEST

START_TEST(what_the_server_forgot_meanwhile_is_announced)
{
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    g.w->feed.kept = 2;
    g.w->provider_down = true;
    world_rig_for(&g, SECONDS(6));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_SUBSCRIPTION_CLOSED, p));
    g.w->provider_down = false;
    world_rig_for(&g, SECONDS(4));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_GAP_ANNOUNCED, p));
    ck_in_sequence(0);
}
END_TEST

START_TEST(a_frozen_page_reads_nothing_and_is_given_up)
{
    uint16_t p = led(1);
    uint32_t from = world_rig_mark(&g);
    page_freeze(g.w, p, false);
    world_rig_for(&g, SECONDS(5));
    ck_assert_uint_eq(world_rig_count(&g, from, OBS_EVENT_DELIVERED, p), 0);
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_SUBSCRIPTION_CLOSED, p));
}
END_TEST

START_TEST(the_store_takes_an_event_under_the_current_fence_alone)
{
    uint16_t p = led(1);
    struct client_output o = { .kind = OUT_EVENT, .flags = EVENT_IF_FENCE };
    o.as.event.from = o.as.event.to = 9000;
    uint32_t before = g.w->device[0].last_event;
    o.as.event.fence = g.w->page[p].client.page.fence;
    o.as.event.fence.generation--;
    live_deliver(g.w, p, &o);
    ck_assert_uint_eq(g.w->device[0].last_event, before);
    o.as.event.fence.generation++;
    g.w->device[0].quota_full = true;
    live_deliver(g.w, p, &o);
    ck_assert_uint_eq(g.w->device[0].last_event, before);
    g.w->device[0].quota_full = false;
    live_deliver(g.w, p, &o);
    ck_assert_uint_eq(g.w->device[0].last_event, 9000);
}
END_TEST

START_TEST(cleared_site_data_forgets_the_place)
{
    (void)led(1);
    (void)world_rig_fault(&g, FAULT_CLEAR_DATA, 0);
    ck_assert_uint_eq(g.w->device[0].last_event, 0);
    world_rig_for(&g, SECONDS(8));
    ck_assert_uint_gt(g.w->device[0].last_event, 0);
}
END_TEST

START_TEST(in_a_round_of_another_workstream_nothing_is_seen)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 2);
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    world_rig_for(&g, SECONDS(10));
    for (uint32_t i = 0; i < g.w->history.n; i++)
        ck_assert_uint_lt(g.w->history.at[i].kind, OBS_SUBSCRIPTION_OPENED);
}
END_TEST

Suite *world_feed_suite(void)
{
    Suite *s = suite_create("world_feed");
    TCase *t = tcase_create("subscription");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_add_test(t, events_are_delivered_one_by_one_and_the_last_is_stored);
    tcase_add_test(t, a_hand_over_leaves_nothing_out);
    tcase_add_loop_test(t, a_stalled_connection_goes_on_where_it_stopped, 0, 8);
    tcase_add_test(t, what_the_server_forgot_meanwhile_is_announced);
    tcase_add_test(t, a_frozen_page_reads_nothing_and_is_given_up);
    tcase_add_test(t, the_store_takes_an_event_under_the_current_fence_alone);
    tcase_add_test(t, cleared_site_data_forgets_the_place);
    tcase_add_test(t, in_a_round_of_another_workstream_nothing_is_seen);
    suite_add_tcase(s, t);
    return s;
}
