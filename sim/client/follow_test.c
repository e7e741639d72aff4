/* leader-worker@3, the live subscription: who follows, from where, what is delivered and what
 * is announced (protocol.md, "Workstreams"). */
#include <check.h>

#include "sim/client/rig.h"

Suite *follow_suite(void);

static struct rig g;

static void setup(void)
{
    rig_open(&g);
    g.contract.work = WORKSTREAM_FEED;
    g.local_authority = true;
    g.last_event = 40;
}

static void pushed(enum push_kind kind, uint32_t event, uint32_t key)
{
    struct push p = { .kind = kind, .event = event, .subscription = key };
    rig_in(&g, (struct client_input){ .kind = IN_PUSH, .push = &p });
}

static uint32_t key(void)
{
    return rig_sent(&g, REQ_FOLLOW)->key;
}

/* Leads and follows; the key. */
static uint32_t follows(void)
{
    rig_lead(&g, 0);
    rig_result(&g, REQ_FOLLOW, ANS_OK);
    return key();
}

START_TEST(only_after_the_claim_and_from_the_last_event_that_was_delivered)
{
    rig_start(&g);
    rig_wait(&g, MS(1000));
    rig_grant(&g);
    ck_assert_ptr_null(rig_sent(&g, REQ_FOLLOW));
    rig_claim_ok(&g, 1, 0);
    ck_assert_uint_eq(rig_sent(&g, REQ_FOLLOW)->after, 40);
    ck_assert(fence_equal(rig_sent(&g, REQ_FOLLOW)->fence, rig_fence(1)));
}
END_TEST

START_TEST(the_next_event_is_delivered_under_the_fence_and_the_others_are_told)
{
    pushed(PUSH_EVENT, 41, follows());
    const struct client_output *o = rig_last(&g, OUT_EVENT);
    ck_assert_uint_eq(o->as.event.to, 41);
    ck_assert_uint_eq(o->flags, EVENT_IF_FENCE);
    ck_assert(fence_equal(o->as.event.fence, rig_fence(1)));
    ck_assert_uint_eq(g.last_event, 41);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_EVENT), 1);
}
END_TEST

START_TEST(an_event_that_was_delivered_before_is_dropped)
{
    pushed(PUSH_EVENT, 40, follows());
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 0);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_UNFOLLOW), 0);
}
END_TEST

START_TEST(where_nothing_was_delivered_any_event_may_be_the_first)
{
    g.last_event = 0;
    pushed(PUSH_EVENT, 57, follows());
    ck_assert_uint_eq(g.last_event, 57);
}
END_TEST

/* The store took one no longer: it is fetched again, not skipped. */
START_TEST(an_event_too_far_ahead_makes_it_subscribe_anew)
{
    uint32_t first = follows();
    pushed(PUSH_EVENT, 42, first);
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 0);
    ck_assert_uint_eq(rig_sent(&g, REQ_UNFOLLOW)->key, first);
    pushed(PUSH_EVENT, 41, first); /* of a subscription that is over */
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 0);
    rig_lead_on(&g, MS(500));
    ck_assert_uint_ne(key(), first);
    ck_assert_uint_eq(rig_sent(&g, REQ_FOLLOW)->after, 40);
}
END_TEST

START_TEST(what_the_server_has_forgotten_is_announced)
{
    uint32_t k = follows();
    pushed(PUSH_EVENTS_LOST, 57, k);
    ck_assert_uint_eq(rig_last(&g, OUT_GAP)->as.event.from, 41);
    ck_assert_uint_eq(rig_last(&g, OUT_GAP)->as.event.to, 57);
    ck_assert_uint_eq(rig_last(&g, OUT_GAP)->flags, EVENT_IF_FENCE);
    pushed(PUSH_EVENT, 58, k);
    ck_assert_uint_eq(g.last_event, 58);
}
END_TEST

START_TEST(nobody_misses_what_was_delivered_or_never_begun)
{
    g.last_event = _i ? 60 : 0;
    pushed(PUSH_EVENTS_LOST, 57, follows());
    ck_assert_uint_eq(rig_count(&g, OUT_GAP), 0);
}
END_TEST

START_TEST(a_request_without_an_answer_is_tried_again_under_the_same_key)
{
    rig_lead(&g, 0);
    uint32_t first = key();
    rig_forget(&g);
    rig_lead_on(&g, g.contract.request_timeout_us + MS(50));
    ck_assert_uint_eq(key(), first);
    pushed(PUSH_EVENT, 41, first); /* events need no answer */
    ck_assert_uint_eq(g.last_event, 41);
}
END_TEST

START_TEST(a_refused_request_is_followed_by_another)
{
    rig_lead(&g, 0);
    uint32_t first = key();
    rig_result(&g, REQ_FOLLOW, ANS_REFUSED);
    rig_lead_on(&g, MS(500));
    ck_assert_uint_ne(key(), first);
}
END_TEST

START_TEST(silence_for_two_seconds_makes_it_subscribe_anew)
{
    uint32_t first = follows();
    rig_lead_on(&g, MS(1500));
    pushed(PUSH_EVENT, 41, first);
    rig_lead_on(&g, MS(1500)); /* of the last event */
    ck_assert_uint_eq(key(), first);
    rig_lead_on(&g, MS(1000));
    ck_assert_uint_eq(rig_sent(&g, REQ_UNFOLLOW)->key, first);
    ck_assert_uint_ne(key(), first);
    ck_assert_uint_eq(rig_sent(&g, REQ_FOLLOW)->after, 41);
}
END_TEST

START_TEST(it_ends_with_the_lead_and_what_comes_later_is_nothing)
{
    static const enum client_input_kind ends[] = { IN_FREEZE, IN_PAGEHIDE };
    uint32_t k = follows();
    rig_tell(&g, ends[_i]);
    ck_assert_uint_eq(rig_sent(&g, REQ_UNFOLLOW)->key, k);
    ck_assert_uint_lt(rig_place_of(&g, REQ_UNFOLLOW), rig_place_of(&g, REQ_RELEASE));
    pushed(PUSH_EVENT, 41, k);
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 0);
}
END_TEST

START_TEST(nothing_is_delivered_once_the_lease_is_over)
{
    uint32_t k = follows();
    g.hangs = true;
    rig_wait(&g, MS(1500));
    pushed(PUSH_EVENT, 41, k);
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 0);
}
END_TEST

START_TEST(another_workstream_follows_nothing)
{
    g.contract.work = WORKSTREAM_OUTBOX;
    rig_lead(&g, 0);
    rig_lead_on(&g, MS(3000));
    rig_tell(&g, IN_FREEZE);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_FOLLOW) + rig_sent_n(&g, REQ_UNFOLLOW), 0);
}
END_TEST

/* ---- deviations: each does what its sentence says, and the reference does not ------------- */

START_TEST(a_deviation_resumes_from_elsewhere)
{
    static const enum policy_kind policy[] = { POLICY_FOLLOWS_NEWEST, POLICY_FOLLOWS_OWN };
    g.policy = policy_with(g.policy, policy[_i]);
    rig_lead(&g, 0);
    ck_assert_uint_eq(rig_sent(&g, REQ_FOLLOW)->after, 0);
}
END_TEST

START_TEST(a_deviation_follows_before_the_claim)
{
    g.policy = policy_with(g.policy, POLICY_FOLLOWS_UNCLAIMED);
    g.lawless = true;
    rig_start(&g);
    rig_grant(&g);
    pushed(PUSH_EVENT, 30, key());
    ck_assert_uint_eq(rig_last(&g, OUT_EVENT)->flags, 0);
}
END_TEST

START_TEST(a_deviation_keeps_following)
{
    g.policy = policy_with(g.policy, POLICY_KEEPS_FOLLOWING);
    uint32_t k = follows();
    rig_tell(&g, IN_FREEZE);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_UNFOLLOW), 0);
    pushed(PUSH_EVENT, 41, k);
    ck_assert_uint_eq(rig_last(&g, OUT_EVENT)->flags, 0);
}
END_TEST

START_TEST(a_deviation_says_nothing_of_a_gap)
{
    g.policy = policy_with(g.policy, POLICY_GAP_UNSAID);
    uint32_t k = follows();
    pushed(PUSH_EVENTS_LOST, 57, k);
    pushed(PUSH_EVENT, 58, k);
    ck_assert_uint_eq(rig_count(&g, OUT_GAP), 0);
    ck_assert_uint_eq(rig_last(&g, OUT_EVENT)->as.event.to, 58);
}
END_TEST

START_TEST(a_deviation_stores_the_place_later)
{
    g.policy = policy_with(g.policy, POLICY_PLACE_LATER);
    uint32_t k = follows();
    for (uint32_t event = 41; event <= 43; event++) pushed(PUSH_EVENT, event, k);
    ck_assert_uint_eq(rig_count(&g, OUT_EVENT), 3);
    ck_assert_uint_eq(g.last_event, 40);
    pushed(PUSH_EVENT, 44, k);
    ck_assert_uint_eq(g.last_event, 44);
}
END_TEST

Suite *follow_suite(void)
{
    Suite *s = suite_create("follow");
    TCase *t = tcase_create("subscription");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, only_after_the_claim_and_from_the_last_event_that_was_delivered);
    tcase_add_test(t, the_next_event_is_delivered_under_the_fence_and_the_others_are_told);
    tcase_add_test(t, an_event_that_was_delivered_before_is_dropped);
    tcase_add_test(t, where_nothing_was_delivered_any_event_may_be_the_first);
    tcase_add_test(t, an_event_too_far_ahead_makes_it_subscribe_anew);
    tcase_add_test(t, what_the_server_has_forgotten_is_announced);
    tcase_add_loop_test(t, nobody_misses_what_was_delivered_or_never_begun, 0, 2);
    tcase_add_test(t, a_request_without_an_answer_is_tried_again_under_the_same_key);
    tcase_add_test(t, a_refused_request_is_followed_by_another);
    tcase_add_test(t, silence_for_two_seconds_makes_it_subscribe_anew);
    tcase_add_loop_test(t, it_ends_with_the_lead_and_what_comes_later_is_nothing, 0, 2);
    tcase_add_test(t, nothing_is_delivered_once_the_lease_is_over);
    tcase_add_test(t, another_workstream_follows_nothing);
    suite_add_tcase(s, t);
    t = tcase_create("deviations");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, a_deviation_resumes_from_elsewhere, 0, 2);
    tcase_add_test(t, a_deviation_follows_before_the_claim);
    tcase_add_test(t, a_deviation_keeps_following);
    tcase_add_test(t, a_deviation_says_nothing_of_a_gap);
    tcase_add_test(t, a_deviation_stores_the_place_later);
    suite_add_tcase(s, t);
    return s;
}
