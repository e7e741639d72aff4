/* The naive clients of the field's stories, each at the one question that it answers wrongly,
 * beside the reference at the same question. */
#include <check.h>

#include "sim/client/rig.h"

Suite *naive_suite(void);

static struct rig g;

/* The reference first, then the naive one. */
#define BOTH for (int naive = 0; naive < 2; naive++)

static void open_either(int naive, enum policy_kind p)
{
    rig_open(&g);
    if (naive) g.policy = policy_with(g.policy, p);
    g.lawless = true;
}

static bool believes(void)
{
    for (uint32_t i = g.n; i-- > 0;)
        if (g.log[i].kind == OUT_BELIEF) return g.log[i].as.belief.on;
    return false;
}

static void lock_says(enum client_input_kind kind)
{
    rig_in(&g, (struct client_input){ .kind = kind, .id = g.last_lock, .error = LOCK_ERR_ABORT });
}

static void effect_in_flight(void)
{
    rig_lead(&g, 2);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 2 });
    rig_forget(&g);
}

START_TEST(whoever_never_suspects_asks_for_no_permit)
{
    BOTH
    {
        open_either(naive, POLICY_NEVER_SUSPECTS);
        rig_start(&g);
        rig_wait(&g, MS(20000));
        ck_assert_int_eq(rig_sent_n(&g, REQ_PERMIT) == 0, naive);
    }
}
END_TEST

START_TEST(a_loss_that_nobody_handles_ends_nothing)
{
    BOTH
    {
        open_either(naive, POLICY_LOSS_UNNOTICED);
        rig_lead(&g, 0);
        lock_says(IN_LOCK_LOST);
        ck_assert_int_eq(believes(), naive);
    }
}
END_TEST

START_TEST(without_time_outs_a_lost_answer_is_waited_for)
{
    BOTH
    {
        open_either(naive, POLICY_NO_TIMEOUTS);
        effect_in_flight();
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        ck_assert_int_eq(rig_sent(&g, REQ_OUTCOME) == NULL, naive);
    }
}
END_TEST

START_TEST(a_null_lock_is_taken_for_a_lock)
{
    BOTH
    {
        open_either(naive, POLICY_NULL_LOCK_RUNS);
        rig_start(&g);
        ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags,
                          naive ? LOCK_IS_IF_AVAILABLE : LOCK_HAS_SIGNAL);
        if (naive) lock_says(IN_LOCK_UNAVAILABLE);
        ck_assert_int_eq(believes(), naive);
    }
}
END_TEST

START_TEST(a_wait_that_is_given_up_goes_on_without_the_lock)
{
    BOTH
    {
        open_either(naive, POLICY_WAIT_GIVEN_UP);
        rig_start(&g);
        rig_wait(&g, g.contract.heartbeat.suspect_after_us + MS(1));
        ck_assert_int_eq(believes(), naive);
    }
}
END_TEST

START_TEST(who_has_led_once_never_asks_again)
{
    BOTH
    {
        open_either(naive, POLICY_NO_RESTART);
        rig_lead(&g, 0);
        rig_forget(&g);
        lock_says(IN_LOCK_LOST);
        ck_assert_int_eq(rig_count(&g, OUT_LOCK) == 0, naive);
    }
}
END_TEST

START_TEST(the_first_of_two_starts_wins_and_is_dropped)
{
    BOTH
    {
        open_either(naive, POLICY_STARTS_TWICE);
        rig_start(&g);
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK), naive ? 2u : 1u);
        uint32_t first = g.log[rig_place(&g, OUT_LOCK)].id;
        rig_in(&g, (struct client_input){ .kind = IN_LOCK_GRANTED, .id = first });
        ck_assert_int_eq(rig_sent(&g, REQ_CLAIM) == NULL, naive);
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 0);
    }
}
END_TEST

START_TEST(who_waits_for_news_does_not_take_what_waits)
{
    BOTH
    {
        open_either(naive, POLICY_NEWS_ONLY);
        rig_lead(&g, 3);
        ck_assert_int_eq(rig_sent(&g, REQ_TAKE) == NULL, naive);
        rig_hear(&g, MSG_TASK, 6);
        ck_assert_ptr_nonnull(rig_sent(&g, REQ_TAKE));
    }
}
END_TEST

START_TEST(a_mark_in_storage_keeps_away)
{
    BOTH
    {
        open_either(naive, POLICY_MARKER_TRUSTED);
        g.storage.leader = RIG_TAB + 1;
        rig_start(&g);
        rig_wait(&g, MS(20000));
        ck_assert_int_eq(rig_count(&g, OUT_LOCK) == 0, naive);
        g.storage.leader = 0;
        rig_wait(&g, MS(600));
        ck_assert_uint_gt(rig_count(&g, OUT_LOCK), 0);
    }
}
END_TEST

START_TEST(an_echo_ends_every_suspicion)
{
    BOTH
    {
        open_either(naive, POLICY_ECHO_IS_LIFE);
        rig_start(&g);
        rig_wait(&g, g.contract.heartbeat.suspect_after_us - MS(100));
        rig_hear(&g, MSG_HEARTBEAT, 0);
        rig_push(&g, PUSH_EXPIRED, rig_fence(1), 0);
        ck_assert_int_eq(rig_sent(&g, REQ_PERMIT) == NULL, naive);
    }
}
END_TEST

START_TEST(who_holds_the_lock_answers_the_question_who_leads)
{
    BOTH
    {
        open_either(naive, POLICY_ECHO_IS_LIFE);
        rig_lead(&g, 0);
        rig_forget(&g);
        rig_hear(&g, MSG_WHO_LEADS, 0);
        ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_HEARTBEAT), (uint32_t)naive);
    }
}
END_TEST

START_TEST(an_error_leaves_the_lock_held)
{
    BOTH
    {
        open_either(naive, POLICY_KEEPS_ON_ERROR);
        rig_lead(&g, 1);
        rig_result(&g, REQ_TAKE, ANS_FENCED);
        ck_assert_int_eq(rig_count(&g, OUT_LOCK_SETTLE) == 0, naive);
        open_either(naive, POLICY_KEEPS_ON_ERROR);
        rig_lead(&g, 1);
        rig_tell(&g, IN_FREEZE); /* no error */
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    }
}
END_TEST

START_TEST(an_operation_handed_to_the_leader_is_called_safe_at_once)
{
    BOTH
    {
        open_either(naive, POLICY_HANDS_TO_LEADER);
        rig_start(&g);
        rig_submit(&g, 4);
        ck_assert_int_eq(rig_count(&g, OUT_KEPT) == 1, naive);
        ck_assert_int_eq(rig_sent(&g, REQ_SUBMIT) == NULL, naive);
        ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_CALL), (uint32_t)naive);
    }
}
END_TEST

START_TEST(the_reference_calls_safe_what_the_ledger_has)
{
    open_either(0, POLICY_COUNT);
    rig_start(&g);
    rig_submit(&g, 4);
    rig_result(&g, REQ_SUBMIT, ANS_UNAVAILABLE);
    ck_assert_uint_eq(rig_count(&g, OUT_KEPT), 0);
    rig_result(&g, REQ_SUBMIT, ANS_OK);
    ck_assert_uint_eq(rig_last(&g, OUT_KEPT)->id, 4);
}
END_TEST

START_TEST(a_leader_submits_what_it_was_called_for)
{
    open_either(1, POLICY_HANDS_TO_LEADER);
    rig_lead(&g, 0);
    rig_hear(&g, MSG_CALL, 9);
    ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 9);
}
END_TEST

START_TEST(a_call_is_sent_again_until_its_receipt)
{
    open_either(1, POLICY_CALLS_RESENT);
    rig_start(&g);
    rig_submit(&g, 4);
    rig_wait(&g, MS(1600));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_CALL), 4);
    rig_hear(&g, MSG_RECEIPT, 4);
    rig_wait(&g, MS(5000));
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_CALL), 4);
}
END_TEST

START_TEST(each_call_is_done_under_a_key_of_its_own)
{
    open_either(1, POLICY_CALLS_RESENT);
    rig_lead(&g, 0);
    rig_hear(&g, MSG_CALL, 4);
    uint32_t key = rig_sent(&g, REQ_EFFECT)->key;
    rig_hear(&g, MSG_CALL, 4);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 2);
    ck_assert_uint_ne(rig_sent(&g, REQ_EFFECT)->key, key);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_RECEIPT), 2);
}
END_TEST

START_TEST(operations_of_other_tabs_are_left_alone)
{
    BOTH
    {
        open_either(naive, POLICY_OWN_ONLY);
        rig_lead(&g, 1);
        if (naive) rig_hear(&g, MSG_TASK, 5);
        rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 5 });
        ck_assert_int_eq(rig_sent(&g, REQ_EFFECT) == NULL, naive);
    }
}
END_TEST

START_TEST(every_tab_acts_on_what_it_hears)
{
    BOTH
    {
        open_either(naive, POLICY_EVERY_TAB_ACTS);
        rig_start(&g);
        rig_hear(&g, MSG_TASK, 5);
        ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), (uint32_t)naive);
        if (naive) ck_assert_uint_ne(rig_sent(&g, REQ_EFFECT)->key, 5);
    }
}
END_TEST

START_TEST(a_mutex_of_its_own_is_always_free)
{
    BOTH
    {
        open_either(naive, POLICY_MUTEX_PER_TAB);
        rig_start(&g);
        ck_assert_int_eq(believes(), naive);
    }
}
END_TEST

START_TEST(done_already_is_taken_for_a_failure)
{
    BOTH
    {
        open_either(naive, POLICY_DUPLICATE_FAILS);
        effect_in_flight();
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        rig_answer(&g, REQ_OUTCOME, (struct answer){ .result = ANS_OK, .outcome = OUTCOME_DONE });
        ck_assert_int_eq(rig_sent(&g, REQ_RECONCILE) == NULL, naive);
        rig_forget(&g);
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        if (naive) ck_assert_ptr_nonnull(rig_sent(&g, REQ_OUTCOME)); /* again */
    }
}
END_TEST

START_TEST(an_identity_from_the_clock_is_the_same_for_both)
{
    BOTH
    {
        open_either(naive, POLICY_ID_FROM_CLOCK);
        rig_start(&g);
        ck_assert_int_eq(g.client.tab_instance == RIG_TAB, !naive);
    }
}
END_TEST

START_TEST(who_is_refused_once_never_asks_again)
{
    BOTH
    {
        open_either(naive, POLICY_ASKS_ONCE);
        rig_start(&g);
        rig_grant(&g);
        rig_result(&g, REQ_CLAIM, ANS_WAIT);
        rig_forget(&g);
        rig_wait(&g, MS(20000));
        ck_assert_int_eq(rig_count(&g, OUT_LOCK) == 0, naive);
    }
}
END_TEST

START_TEST(a_new_tab_steals_what_it_finds_held)
{
    open_either(1, POLICY_STEALS_ON_OPEN);
    rig_start(&g);
    lock_says(IN_LOCK_UNAVAILABLE);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_IS_STEAL);
    rig_grant(&g);
    rig_claim_ok(&g, 1, 0);
    rig_forget(&g);
    lock_says(IN_LOCK_LOST); /* it is no new tab any more */
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_HAS_SIGNAL);
}
END_TEST

START_TEST(a_lost_lease_drops_what_was_called_safe)
{
    BOTH
    {
        open_either(naive, POLICY_FATAL_WHEN_LOST);
        rig_lead(&g, 0);
        rig_submit(&g, 4);
        ck_assert_int_eq(rig_count(&g, OUT_KEPT) == 1, naive);
        rig_wait(&g, g.contract.lease.ttl_us + MS(1));
        rig_forget(&g);
        rig_wait(&g, MS(2000));
        ck_assert_int_eq(rig_sent(&g, REQ_SUBMIT) == NULL, naive);
    }
}
END_TEST

START_TEST(beats_come_from_a_timer_of_the_page)
{
    BOTH
    {
        open_either(naive, POLICY_PAGE_BEATS);
        rig_lead(&g, 0); /* the worker beats at once */
        ck_assert_int_eq(rig_said(&g, OUT_BROADCAST, MSG_HEARTBEAT) == 0, naive);
        rig_lead_on(&g, g.contract.heartbeat.interval_us - MS(10));
        rig_forget(&g);
        rig_wait(&g, MS(20));
        ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_HEARTBEAT), 1);
    }
}
END_TEST

START_TEST(a_callback_waits_for_its_own_lock)
{
    BOTH
    {
        open_either(naive, POLICY_WAITS_INSIDE);
        rig_start(&g);
        rig_grant(&g);
        ck_assert_int_eq(rig_sent(&g, REQ_CLAIM) == NULL, naive);
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK), naive ? 2u : 1u);
    }
}
END_TEST

START_TEST(a_grant_before_the_page_listens_is_lost)
{
    BOTH
    {
        open_either(naive, POLICY_TOLD_ONCE);
        rig_start(&g);
        rig_grant(&g);
        ck_assert_int_eq(rig_sent(&g, REQ_CLAIM) == NULL, naive);
        open_either(naive, POLICY_TOLD_ONCE);
        rig_start(&g);
        rig_wait(&g, MS(50));
        rig_grant(&g);
        ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
    }
}
END_TEST

Suite *naive_suite(void)
{
    Suite *s = suite_create("naive");
    TCase *t = tcase_create("naive");
    tcase_add_test(t, whoever_never_suspects_asks_for_no_permit);
    tcase_add_test(t, a_loss_that_nobody_handles_ends_nothing);
    tcase_add_test(t, without_time_outs_a_lost_answer_is_waited_for);
    tcase_add_test(t, a_null_lock_is_taken_for_a_lock);
    tcase_add_test(t, a_wait_that_is_given_up_goes_on_without_the_lock);
    tcase_add_test(t, who_has_led_once_never_asks_again);
    tcase_add_test(t, the_first_of_two_starts_wins_and_is_dropped);
    tcase_add_test(t, who_waits_for_news_does_not_take_what_waits);
    tcase_add_test(t, a_mark_in_storage_keeps_away);
    tcase_add_test(t, an_echo_ends_every_suspicion);
    tcase_add_test(t, who_holds_the_lock_answers_the_question_who_leads);
    tcase_add_test(t, an_error_leaves_the_lock_held);
    tcase_add_test(t, an_operation_handed_to_the_leader_is_called_safe_at_once);
    tcase_add_test(t, the_reference_calls_safe_what_the_ledger_has);
    tcase_add_test(t, a_leader_submits_what_it_was_called_for);
    tcase_add_test(t, a_call_is_sent_again_until_its_receipt);
    tcase_add_test(t, each_call_is_done_under_a_key_of_its_own);
    tcase_add_test(t, operations_of_other_tabs_are_left_alone);
    tcase_add_test(t, every_tab_acts_on_what_it_hears);
    tcase_add_test(t, a_mutex_of_its_own_is_always_free);
    tcase_add_test(t, done_already_is_taken_for_a_failure);
    tcase_add_test(t, an_identity_from_the_clock_is_the_same_for_both);
    tcase_add_test(t, who_is_refused_once_never_asks_again);
    tcase_add_test(t, a_new_tab_steals_what_it_finds_held);
    tcase_add_test(t, a_lost_lease_drops_what_was_called_safe);
    tcase_add_test(t, beats_come_from_a_timer_of_the_page);
    tcase_add_test(t, a_callback_waits_for_its_own_lock);
    tcase_add_test(t, a_grant_before_the_page_listens_is_lost);
    suite_add_tcase(s, t);
    return s;
}
