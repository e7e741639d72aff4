/* The server of the live subscription: what a page is sent, from where, and under which key. */
#include "sim/server/feed.h"

#include <check.h>

#define KEPT 4

static struct feed h;
static struct arena arena;
static struct obs said[64];
static struct history history;

static void setup(void)
{
    arena_open(&arena, (size_t)1 << 20);
    feed_open(&h, &arena);
    history = (struct history){ .at = said, .max = 64 };
    feed_reset(&h, KEPT, &history);
}

static void teardown(void)
{
    arena_close(&arena);
}

static void publish(uint32_t n)
{
    while (n-- > 0) feed_publish(&h);
}

static enum answer_result ask(enum request_kind kind, uint32_t key, uint32_t after)
{
    struct request r = { .id = 7, .kind = kind, .page = 1, .key = key, .after = after };
    struct answer a;
    feed_request(&h, &r, (struct instant){ 0 }, OBS_NONE, &a);
    ck_assert_uint_eq(a.request, 7);
    ck_assert_int_eq(a.kind, kind);
    return a.result;
}

static void ck_next(uint32_t subscription, bool is_lost, uint32_t from, uint32_t to)
{
    struct feed_item item;
    ck_assert(feed_next(&h, subscription, &item));
    ck_assert(item.is_lost == is_lost);
    ck_assert_uint_eq(item.from, from);
    ck_assert_uint_eq(item.to, to);
}

static void ck_no_more(uint32_t subscription)
{
    struct feed_item item;
    ck_assert(!feed_next(&h, subscription, &item));
}

START_TEST(it_sends_what_came_after_the_event_that_was_named_once_each)
{
    publish(4);
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 2), ANS_OK);
    ck_assert_int_eq(said[0].kind, OBS_SUBSCRIPTION_OPENED);
    ck_next(1, false, 3, 3);
    ck_next(1, false, 4, 4);
    ck_no_more(1);
    publish(1);
    ck_next(1, false, 5, 5);
    ck_no_more(1);
}
END_TEST

START_TEST(who_names_no_event_gets_those_from_now_on)
{
    publish(4);
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_OK);
    ck_no_more(1);
    publish(1);
    ck_next(1, false, 5, 5);
}
END_TEST

START_TEST(what_is_forgotten_is_told_in_its_place)
{
    publish(10); /* 7 to 10 are kept */
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 3), ANS_OK);
    ck_next(1, true, 4, 6);
    ck_next(1, false, 7, 7);
    publish(4); /* while it could not be sent anything */
    ck_next(1, true, 8, 10);
    ck_next(1, false, 11, 11);
}
END_TEST

START_TEST(the_last_event_that_is_kept_is_no_gap)
{
    publish(10);
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 6), ANS_OK);
    ck_next(1, false, 7, 7);
}
END_TEST

START_TEST(the_same_request_again_is_the_same_subscription)
{
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_OK);
    publish(1);
    ck_next(1, false, 1, 1);
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_OK);
    ck_assert_uint_eq(h.n, 1);
    ck_no_more(1);
    ck_assert_int_eq(ask(REQ_FOLLOW, 10, 0), ANS_OK);
    ck_assert_uint_eq(feed_find(&h, 10), 2);
}
END_TEST

START_TEST(a_subscription_that_is_over_is_not_opened_by_a_late_request)
{
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_OK);
    ck_assert_int_eq(ask(REQ_UNFOLLOW, 9, 0), ANS_OK);
    ck_assert(!h.subscription[1].is_open);
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_REFUSED);
    ck_assert_int_eq(ask(REQ_UNFOLLOW, 10, 0), ANS_OK); /* overtook its FOLLOW */
    ck_assert_int_eq(ask(REQ_FOLLOW, 10, 0), ANS_REFUSED);
    ck_assert_uint_eq(history.n, 2); /* opened and closed once */
}
END_TEST

START_TEST(one_that_is_dropped_is_closed_once)
{
    ck_assert_int_eq(ask(REQ_FOLLOW, 9, 0), ANS_OK);
    ck_assert_int_eq(ask(REQ_FOLLOW, 10, 0), ANS_OK);
    feed_drop(&h, 1, (struct instant){ 5 });
    feed_drop(&h, 1, (struct instant){ 6 });
    ck_assert_uint_eq(history.n, 3);
    ck_assert_int_eq(said[2].kind, OBS_SUBSCRIPTION_CLOSED);
    ck_assert_uint_eq(said[2].a, 2);
    ck_assert_uint_eq(h.first_open, 2);
}
END_TEST

START_TEST(numbers_end)
{
    history.max = 0;
    for (uint32_t key = 1; key <= FEED_SUBSCRIPTIONS_MAX; key++)
        ck_assert_int_eq(ask(REQ_FOLLOW, key, 0), ANS_OK);
    ck_assert_int_eq(ask(REQ_FOLLOW, 5000, 0), ANS_UNAVAILABLE);
    ck_assert_int_eq(ask(REQ_UNFOLLOW, 5000, 0), ANS_UNAVAILABLE);
    ck_assert_int_eq(ask(REQ_UNFOLLOW, 1, 0), ANS_OK);
}
END_TEST

Suite *feed_suite(void);
Suite *feed_suite(void)
{
    Suite *s = suite_create("feed");
    TCase *t = tcase_create("subscriptions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, it_sends_what_came_after_the_event_that_was_named_once_each);
    tcase_add_test(t, who_names_no_event_gets_those_from_now_on);
    tcase_add_test(t, what_is_forgotten_is_told_in_its_place);
    tcase_add_test(t, the_last_event_that_is_kept_is_no_gap);
    tcase_add_test(t, the_same_request_again_is_the_same_subscription);
    tcase_add_test(t, a_subscription_that_is_over_is_not_opened_by_a_late_request);
    tcase_add_test(t, one_that_is_dropped_is_closed_once);
    tcase_add_test(t, numbers_end);
    suite_add_tcase(s, t);
    return s;
}
