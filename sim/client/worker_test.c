/* leader-worker@3, the worker: renewal, acknowledgement, watches, heartbeats, maxHold
 * (protocol.md "The page" 4, 6, 7). */
#include <check.h>

#include "sim/client/rig.h"

Suite *worker_suite(void);

static struct rig g;

static void open_rig(void)
{
    rig_open(&g);
    rig_lead(&g, 0);
    rig_forget(&g);
}

static int64_t ttl(void)
{
    return g.contract.lease.ttl_us;
}
static int64_t renew_us(void)
{
    return g.contract.lease.renew_us;
}

/* ---- renewal --------------------------------------------------------------------- */

START_TEST(the_lease_is_renewed_well_inside_the_ttl)
{
    int64_t last = g.now_us;
    for (int i = 0; i < 200; i++) {
        rig_forget(&g);
        rig_wait(&g, MS(50));
        if (!rig_sent(&g, REQ_RENEW)) continue;
        ck_assert_int_le(rig_sent(&g, REQ_RENEW)->sent.us - last, ttl() / 2);
        last = rig_sent(&g, REQ_RENEW)->sent.us;
        rig_renewed(&g, 0);
    }
    ck_assert_int_le(g.now_us - last, ttl() / 2);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(renewals_are_no_more_frequent_than_the_contract_says)
{
    rig_lead_on(&g, MS(10000));
    ck_assert_uint_le(rig_sent_n(&g, REQ_RENEW), (uint32_t)(MS(10000) / renew_us()) + 2);
    ck_assert_uint_ge(rig_sent_n(&g, REQ_RENEW), (uint32_t)(MS(10000) / renew_us()) - 4);
}
END_TEST

START_TEST(a_hidden_leader_renews_like_a_visible_one)
{
    rig_tell(&g, IN_HIDDEN);
    rig_lead_on(&g, MS(10000));
    ck_assert_uint_ge(rig_sent_n(&g, REQ_RENEW), (uint32_t)(MS(10000) / renew_us()) - 4);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(a_renewal_without_an_answer_is_followed_by_the_next)
{
    rig_wait(&g, ttl() - 1);
    ck_assert_uint_ge(rig_sent_n(&g, REQ_RENEW), 2);
    rig_renewed(&g, 0);
    rig_forget(&g);
    rig_wait(&g, renew_us());
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(no_renewal_is_sent_for_a_lease_that_is_over)
{
    int64_t began = g.now_us;
    rig_wait(&g, 5 * ttl());
    ck_assert_int_lt(rig_sent(&g, REQ_RENEW)->sent.us, began + ttl());
}
END_TEST

START_TEST(an_answer_that_comes_after_the_lease_revives_nothing)
{
    rig_wait(&g, renew_us() + MS(1));
    const struct request renew = *rig_sent(&g, REQ_RENEW);
    for (int t = 0; t < TIMER_COUNT; t++) g.timer[THREAD_WORKER][t].armed = false; /* it slept */
    g.now_us = renew.sent.us + ttl();
    rig_forget(&g);
    rig_answer_as(&g, &renew,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .more_tasks = 5 });
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_uint_eq(rig_said(&g, OUT_POST, POST_RENEWED), 0);
}
END_TEST

START_TEST(an_answer_for_another_generation_renews_nothing)
{
    rig_wait(&g, renew_us() + MS(1));
    rig_answer(&g, REQ_RENEW,
               (struct answer){ .result = ANS_OK, .fence = rig_fence(2), .more_tasks = 5 });
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_uint_eq(rig_said(&g, OUT_POST, POST_RENEWED), 0);
}
END_TEST

START_TEST(renewal_stops_with_leadership)
{
    rig_tell(&g, IN_FREEZE);
    rig_forget(&g);
    rig_wait(&g, MS(10000));
    ck_assert_ptr_null(rig_sent(&g, REQ_RENEW));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_HEARTBEAT), 0);
}
END_TEST

START_TEST(a_renewal_goes_where_the_ledger_sends_it)
{
    rig_wait(&g, renew_us() + MS(1));
    rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_REDIRECT, .node_hint = 2 });
    rig_forget(&g);
    rig_wait(&g, 0);
    ck_assert_uint_eq(rig_last(&g, OUT_SEND)->flags, 2);
}
END_TEST

START_TEST(a_silent_or_helpless_node_is_left_for_another)
{
    rig_wait(&g, renew_us() + MS(1));
    uint32_t node = rig_last(&g, OUT_SEND)->flags;
    if (_i) rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_UNAVAILABLE });
    rig_wait(&g, renew_us());
    ck_assert_uint_gt(rig_last(&g, OUT_SEND)->flags, node);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(a_closed_epoch_ends_leadership_for_that_reason)
{
    rig_wait(&g, renew_us() + MS(1));
    rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_EPOCH_CLOSED });
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_EPOCH);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
}
END_TEST

/* ---- only for a page that answers ------------------------------------------------ */

/* Else a hung page keeps its lease for ever. */
START_TEST(it_renews_only_while_the_page_answers_within_a_third_of_the_ttl)
{
    rig_lead_on(&g, MS(2000));
    rig_forget(&g);
    int64_t hung = g.now_us;
    g.hangs = true;
    rig_lead_on(&g, MS(20000));
    ck_assert_uint_le(rig_sent_n(&g, REQ_RENEW), 2);
    if (rig_sent(&g, REQ_RENEW))
        ck_assert_int_le(rig_sent(&g, REQ_RENEW)->sent.us - hung, ttl() * 2 / 3);
}
END_TEST

START_TEST(a_hung_page_loses_its_lease)
{
    g.hangs = true;
    int64_t hung = g.now_us;
    rig_lead_on(&g, 3 * ttl());
    ck_assert_uint_ge(rig_said(&g, OUT_POST, POST_LOST), 1);
    ck_assert_uint_eq(rig_said(&g, OUT_POST, POST_RENEWED), rig_sent_n(&g, REQ_RENEW));
    g.hangs = false;
    rig_forget(&g);
    rig_tell(&g, IN_VISIBLE); /* it comes round: the worker's word was waiting */
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_int_gt(g.now_us - hung, ttl());
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(a_page_that_hung_shortly_is_renewed_for_again)
{
    rig_lead_on(&g, MS(2000));
    g.hangs = true;
    rig_lead_on(&g, ttl() / 2);
    g.hangs = false;
    rig_tell(&g, IN_VISIBLE);
    rig_forget(&g);
    rig_lead_on(&g, MS(3000));
    ck_assert_uint_ge(rig_sent_n(&g, REQ_RENEW), 4);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

/* ---- acknowledgement ------------------------------------------------------------- */

/* Else a leader that is deaf in one direction keeps its lease. */
START_TEST(each_renewal_acknowledges_the_last_answer_seen)
{
    uint32_t acked = 0;
    for (uint32_t i = 0; i < 6; i++) {
        rig_forget(&g);
        rig_wait(&g, renew_us() + MS(1));
        ck_assert_uint_eq(rig_sent(&g, REQ_RENEW)->acked, acked);
        if (i == 2) continue; /* this answer is lost */
        acked = 10 * i + 1;
        rig_answer(&g, REQ_RENEW,
                   (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .sequence = acked });
    }
}
END_TEST

START_TEST(an_old_answer_takes_no_acknowledgement_back)
{
    rig_wait(&g, renew_us() + MS(1));
    const struct request first = *rig_sent(&g, REQ_RENEW);
    rig_wait(&g, renew_us());
    rig_answer(&g, REQ_RENEW,
               (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .sequence = 9 });
    rig_answer_as(&g, &first,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .sequence = 8 });
    rig_forget(&g);
    rig_wait(&g, renew_us() + MS(1));
    ck_assert_uint_eq(rig_sent(&g, REQ_RENEW)->acked, 9);
}
END_TEST

START_TEST(a_renewal_that_was_not_extended_is_repeated_at_once_with_the_acknowledgement)
{
    rig_wait(&g, renew_us() + MS(1));
    rig_forget(&g);
    rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_NOT_EXTENDED, .sequence = 7 });
    rig_wait(&g, MS(1));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RENEW), 1);
    ck_assert_uint_eq(rig_sent(&g, REQ_RENEW)->acked, 7);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(not_extended_moves_no_lease)
{
    int64_t began = g.now_us;
    for (int i = 0; i < 60 && g.state == STATE_LEADER; i++) {
        rig_forget(&g);
        rig_wait(&g, MS(50));
        if (rig_sent(&g, REQ_RENEW))
            rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_NOT_EXTENDED });
    }
    ck_assert_int_ne(g.state, STATE_LEADER);
    ck_assert_int_le(g.now_us - began, ttl() + renew_us());
}
END_TEST

START_TEST(a_new_generation_starts_without_acknowledgements)
{
    rig_wait(&g, renew_us() + MS(1));
    rig_answer(&g, REQ_RENEW,
               (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .sequence = 7 });
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_claim_ok(&g, 2, 0);
    rig_forget(&g);
    rig_wait(&g, renew_us() + MS(1));
    ck_assert(fence_equal(rig_sent(&g, REQ_RENEW)->fence, rig_fence(2)));
    ck_assert_uint_eq(rig_sent(&g, REQ_RENEW)->acked, 0);
}
END_TEST

/* ---- heartbeats, silence, maxHold ------------------------------------------------ */

START_TEST(a_leader_beats_at_once_and_at_its_interval)
{
    struct rig fresh;
    rig_open(&fresh);
    rig_lead(&fresh, 0);
    ck_assert_uint_eq(rig_said(&fresh, OUT_BROADCAST, MSG_HEARTBEAT), 1);
    rig_lead_on(&g, 5 * g.contract.heartbeat.interval_us + MS(10));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_HEARTBEAT), 5);
}
END_TEST

START_TEST(a_page_that_does_not_lead_does_not_beat)
{
    struct rig fresh;
    rig_open(&fresh);
    rig_start(&fresh);
    rig_wait(&fresh, MS(4000));
    rig_grant(&fresh);
    rig_wait(&fresh, MS(300));
    ck_assert_uint_eq(rig_said(&fresh, OUT_BROADCAST, MSG_HEARTBEAT), 0);
}
END_TEST

START_TEST(a_heartbeat_tells_whether_its_page_is_hidden)
{
    rig_tell(&g, IN_HIDDEN);
    rig_forget(&g);
    rig_lead_on(&g, g.contract.heartbeat.interval_us);
    ck_assert_uint_eq(rig_last(&g, OUT_BROADCAST)->as.message.a, 1);
    rig_tell(&g, IN_VISIBLE);
    rig_forget(&g);
    rig_lead_on(&g, g.contract.heartbeat.interval_us);
    ck_assert_uint_eq(rig_last(&g, OUT_BROADCAST)->as.message.a, 0);
}
END_TEST

START_TEST(a_leader_that_hears_nothing_from_the_ledger_says_so_once)
{
    rig_wait(&g, ttl() - MS(1));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_SILENT), 1);
}
END_TEST

START_TEST(a_leader_that_hears_answers_says_nothing_of_silence)
{
    rig_lead_on(&g, MS(8000));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_SILENT), 0);
}
END_TEST

/* TM-5, TM-9: a hidden page's own timer could be a minute late. */
START_TEST(max_hold_is_watched_by_the_worker)
{
    int64_t began = g.now_us;
    rig_tell(&g, IN_HIDDEN);
    while (rig_said(&g, OUT_POST, POST_MAX_HOLD) == 0 && g.now_us < began + g.contract.max_hold_us)
        rig_lead_on(&g, MS(50));
    ck_assert_uint_eq(rig_said(&g, OUT_POST, POST_MAX_HOLD), 1);
    ck_assert(rig_entered(&g, STATE_RELEASED));
}
END_TEST

START_TEST(max_hold_of_an_earlier_hold_does_not_end_the_next)
{
    rig_lead_on(&g, MS(20000));
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_claim_ok(&g, 2, 0);
    rig_lead_on(&g, MS(20000));
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

Suite *worker_suite(void)
{
    Suite *s = suite_create("worker");
    TCase *t = tcase_create("worker");
    tcase_add_checked_fixture(t, open_rig, NULL);
    tcase_add_test(t, the_lease_is_renewed_well_inside_the_ttl);
    tcase_add_test(t, renewals_are_no_more_frequent_than_the_contract_says);
    tcase_add_test(t, a_hidden_leader_renews_like_a_visible_one);
    tcase_add_test(t, a_renewal_without_an_answer_is_followed_by_the_next);
    tcase_add_test(t, no_renewal_is_sent_for_a_lease_that_is_over);
    tcase_add_test(t, an_answer_that_comes_after_the_lease_revives_nothing);
    tcase_add_test(t, an_answer_for_another_generation_renews_nothing);
    tcase_add_test(t, renewal_stops_with_leadership);
    tcase_add_test(t, a_renewal_goes_where_the_ledger_sends_it);
    tcase_add_loop_test(t, a_silent_or_helpless_node_is_left_for_another, 0, 2);
    tcase_add_test(t, a_closed_epoch_ends_leadership_for_that_reason);
    tcase_add_test(t, it_renews_only_while_the_page_answers_within_a_third_of_the_ttl);
    tcase_add_test(t, a_hung_page_loses_its_lease);
    tcase_add_test(t, a_page_that_hung_shortly_is_renewed_for_again);
    tcase_add_test(t, each_renewal_acknowledges_the_last_answer_seen);
    tcase_add_test(t, an_old_answer_takes_no_acknowledgement_back);
    tcase_add_test(t, a_renewal_that_was_not_extended_is_repeated_at_once_with_the_acknowledgement);
    tcase_add_test(t, not_extended_moves_no_lease);
    tcase_add_test(t, a_new_generation_starts_without_acknowledgements);
    tcase_add_test(t, a_leader_beats_at_once_and_at_its_interval);
    tcase_add_test(t, a_page_that_does_not_lead_does_not_beat);
    tcase_add_test(t, a_heartbeat_tells_whether_its_page_is_hidden);
    tcase_add_test(t, a_leader_that_hears_nothing_from_the_ledger_says_so_once);
    tcase_add_test(t, a_leader_that_hears_answers_says_nothing_of_silence);
    tcase_add_test(t, max_hold_is_watched_by_the_worker);
    tcase_add_test(t, max_hold_of_an_earlier_hold_does_not_end_the_next);
    suite_add_tcase(s, t);
    return s;
}
