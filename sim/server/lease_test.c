/* Leases, vacancy, permits, repeated pushes and the server's worker. */
#include "sim/server/ledger_rig.h"

Suite *lease_suite(void);

static struct rig g;
static const struct fence none = { 0, 0, 0 };

/* Renews as a leader does that hears everything. */
static void renew_for(uint16_t page, struct fence f, int64_t us)
{
    uint32_t acked = g.node.record.renew_sequence;
    for (int64_t t = 0; t < us; t += MS(300)) {
        rig_wait(&g, MS(300));
        struct answer a = rig_renew(&g, page, f, acked);
        ck_assert_int_eq(a.result, ANS_OK);
        acked = a.sequence;
    }
}

START_TEST(a_lease_that_is_renewed_does_not_run_out)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    renew_for(1, f, MS(6000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 0);
    ck_assert_uint_le(g.fired, 12); /* and its renewals arm no timer each */
}
END_TEST

START_TEST(an_expired_lease_is_final)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    rig_wait(&g, MS(1000));
    ck_assert(fence_equal(rig_last(&g, OBS_LEDGER_EXPIRED)->fence, f));
    ck_assert_int_eq(rig_renew(&g, 1, f, 0).result, ANS_FENCED);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
}
END_TEST

START_TEST(a_request_at_the_lease_end_finds_it_expired_before_the_timer_does)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    g.now_us += MS(1000); /* no timer fires */
    ck_assert_int_eq(rig_renew(&g, 1, f, 0).result, ANS_FENCED);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 1);
}
END_TEST

START_TEST(a_leader_that_hears_nothing_is_extended_once_and_then_loses_its_lease)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    renew_for(1, f, MS(900));
    uint32_t heard = g.node.record.renew_sequence;
    int64_t deaf = g.now_us;
    while (g.node.record.held && g.now_us < deaf + MS(10000)) {
        rig_wait(&g, MS(333));
        rig_renew(&g, 1, f, heard);
    }
    ck_assert_int_le(rig_last(&g, OBS_LEDGER_EXPIRED)->at.us, deaf + MS(333) + MS(1000));
}
END_TEST

START_TEST(a_leader_that_lost_one_answer_keeps_its_lease)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    uint32_t heard = rig_renew(&g, 1, f, 0).sequence;
    rig_wait(&g, MS(333));
    rig_renew(&g, 1, f, heard); /* its answer is lost */
    rig_wait(&g, MS(333));
    struct answer a = rig_renew(&g, 1, f, heard);
    ck_assert_int_eq(a.result, ANS_NOT_EXTENDED);
    ck_assert_int_eq(rig_renew(&g, 1, f, a.sequence).result, ANS_OK);
    rig_wait(&g, MS(999));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 0);
}
END_TEST

START_TEST(late_answers_do_not_starve_a_leader_that_hears_them)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    struct answer first = rig_renew(&g, 1, f, 0);
    ck_assert_int_eq(rig_renew(&g, 1, f, 0).result, ANS_NOT_EXTENDED); /* `first` is late */
    ck_assert_int_eq(rig_renew(&g, 1, f, first.sequence).result, ANS_OK);
}
END_TEST

START_TEST(an_acknowledgement_of_an_earlier_lease_does_not_count)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    uint32_t old = rig_renew(&g, 1, f, 0).sequence;
    f = rig_claim(&g, 1).fence;
    ck_assert_int_eq(rig_renew(&g, 1, f, 0).result, ANS_OK); /* the first of its lease always */
    ck_assert_int_eq(rig_renew(&g, 1, f, old).result, ANS_NOT_EXTENDED);
}
END_TEST

START_TEST(acceptable_follows_claim_release_and_expiry)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    ck_assert(fence_equal(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence, f));
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->page, 1);
    rig_do(&g, REQ_RELEASE, 1, f, 0);
    ck_assert(fence_is_none(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence));
    f = rig_claim(&g, 2).fence;
    ck_assert(fence_equal(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence, f));
    int64_t claimed = g.now_us;
    rig_wait(&g, MS(3000));
    ck_assert(fence_is_none(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence));
    ck_assert_int_eq(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->at.us, claimed + MS(1000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_ACCEPTABLE), 4);
}
END_TEST

START_TEST(expiry_is_pushed_at_once_and_repeated_while_it_lasts)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    rig_wait(&g, MS(1000));
    ck_assert_uint_eq(g.pushed[PUSH_EXPIRED], 1);
    ck_assert(fence_equal(g.last_push.fence, f));
    rig_wait(&g, MS(1000));
    ck_assert_uint_eq(g.pushed[PUSH_EXPIRED], 5);
    rig_claim(&g, 2);
    ck_assert_uint_eq(g.pushed[PUSH_LED], 2);
    rig_wait(&g, MS(900));
    ck_assert_uint_eq(g.pushed[PUSH_EXPIRED], 5);
}
END_TEST

START_TEST(release_is_pushed_at_once_and_repeated_when_nobody_claims)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_RELEASE, 1, f, 0);
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 1);
    rig_wait(&g, MS(599));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 1);
    rig_wait(&g, MS(501));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 4);
}
END_TEST

START_TEST(an_idle_ledger_does_not_tick)
{
    rig_boot(&g);
    g.node.subscribers = 0;
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_RELEASE, 1, f, 0);
    rig_wait(&g, MS(60000));
    ck_assert_uint_le(g.fired, 2);
    ck_assert_uint_eq(g.timers, 0);
}
END_TEST

START_TEST(a_vacancy_counts_from_when_somebody_waits)
{
    rig_boot(&g);
    g.node.subscribers = 0;
    rig_wait(&g, MS(10000));
    g.node.subscribers = 1;
    rig_do(&g, REQ_SUBSCRIBE, 1, none, 0);
    rig_wait(&g, MS(599));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 0);
    rig_wait(&g, MS(1));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 1);
}
END_TEST

START_TEST(a_permit_is_given_over_an_expired_lease_only_once)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    struct answer a = rig_do(&g, REQ_PERMIT, 2, none, 0);
    ck_assert_int_eq(a.result, ANS_REFUSED);
    ck_assert_int_eq(a.wait_us, MS(1000));
    rig_wait(&g, MS(1000));
    a = rig_do(&g, REQ_PERMIT, 2, none, 0);
    ck_assert_int_eq(a.result, ANS_OK);
    ck_assert_uint_eq(a.permit, 1);
    const struct obs *o = rig_last(&g, OBS_LEDGER_PERMIT);
    ck_assert(fence_equal(o->fence, f));
    ck_assert_uint_eq(o->a, 1);
    ck_assert_uint_eq(o->key, 1);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 3, none, 0).result, ANS_REFUSED);
    ck_assert_int_eq(g.answer.wait_us, MS(2000));
    ck_assert_uint_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).permit, 1); /* its answer was lost */
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_PERMIT), 1);
    rig_wait(&g, MS(2000));
    ck_assert_uint_eq(rig_do(&g, REQ_PERMIT, 3, none, 0).permit, 2);
}
END_TEST

START_TEST(a_claim_uses_up_the_permit)
{
    rig_boot(&g);
    rig_claim(&g, 1);
    rig_wait(&g, MS(1000));
    rig_do(&g, REQ_PERMIT, 2, none, 0);
    struct fence f = rig_claim(&g, 3).fence; /* somebody else was faster */
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);
    (void)f;
    rig_wait(&g, MS(1000));
    ck_assert_uint_eq(rig_do(&g, REQ_PERMIT, 4, none, 0).permit, 2);
}
END_TEST

START_TEST(a_permit_over_a_lock_whose_partition_does_not_lead_stands_in_nobodys_way)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 11, none, 0).result, ANS_REFUSED);
    ck_assert_int_eq(g.answer.wait_us,
                     MS(3000)); /* somebody has to have led elsewhere for leases */
    renew_for(1, f, MS(3000));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 11, none, 0).result, ANS_OK);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_PERMIT)->a, 3);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 12, none, 0).result, ANS_REFUSED); /* one at a time */
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);  /* it leads here */
    rig_wait(&g, MS(1000));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_OK);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_PERMIT)->a, 1);
}
END_TEST

START_TEST(a_permit_over_a_vacancy_needs_it_to_last)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_RELEASE, 1, f, 0);
    rig_wait(&g, MS(200));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);
    ck_assert_int_eq(g.answer.wait_us, MS(400));
    rig_wait(&g, MS(400));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_OK);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_PERMIT)->a, 2);
}
END_TEST

START_TEST(no_permit_where_the_contract_says_never)
{
    rig_boot(&g);
    g.contract.steal = STEAL_NEVER;
    rig_claim(&g, 1);
    rig_wait(&g, MS(1500));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);
    ck_assert_int_gt(g.answer.wait_us, 0);
}
END_TEST

START_TEST(the_server_drains_what_waits_when_nobody_leads)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    rig_wait(&g, MS(4999));
    ck_assert_uint_eq(g.drain.n, 0);
    rig_wait(&g, MS(1));
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_CLAIMED)->page, PAGE_SERVER);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->page, PAGE_SERVER);
    for (uint32_t op = 1; op <= 2; op++) {
        ck_assert_uint_eq(g.drain.op, op);
        ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_TAKEN)->page, PAGE_SERVER);
        ledger_drained(&g.node, g.drain.fence, op, true, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
        rig_carry(&g);
        ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_TERMINAL)->op, op);
    }
    ck_assert_uint_eq(g.drain.n, 2);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_COMMITTED), 6);
    rig_wait(&g, MS(60000)); /* its lease does not run out */
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 0);
    rig_submit(&g, 3); /* and it goes on */
    ck_assert_uint_eq(g.drain.op, 3);
}
END_TEST

START_TEST(the_server_asks_again_when_the_provider_fails_or_is_silent)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_wait(&g, MS(5000));
    ledger_drained(&g.node, g.drain.fence, 1, false, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
    rig_wait(&g, MS(500));
    ck_assert_uint_eq(g.drain.n, 2);
    rig_wait(&g, MS(2000));
    ck_assert_uint_eq(g.drain.n, 3);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TAKEN), 1);
}
END_TEST

START_TEST(the_server_yields_to_a_page_and_leaves_it_the_operation_in_flight)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_wait(&g, MS(5000));
    struct answer a = rig_claim(&g, 11);
    ck_assert_fence(a.fence, 1, 2);
    ck_assert_uint_eq(a.unreconciled_n, 1);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_OWNER)->page, 11);
    ledger_drained(&g.node, g.drain.fence, 1, true, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TERMINAL), 0);
    rig_reconcile(&g, 11, a.fence, 1, OUTCOME_DONE);
    ck_assert_int_eq(rig_commit(&g, 11, a.fence, 1).result, ANS_OK);
}
END_TEST

START_TEST(a_server_that_had_yielded_starts_afresh_when_it_leads_again)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_wait(&g, MS(5000));
    rig_claim(&g, 11);
    rig_wait(&g, MS(6000));
    ck_assert_fence(g.drain.fence, 1, 3);
    ck_assert_fence(rig_last(&g, OBS_LEDGER_TAKEN)->fence, 1, 3);
}
END_TEST

START_TEST(the_server_finishes_what_a_lost_page_left)
{
    struct fence stale = { 7, 1, 99 };
    rig_boot_with(&g, POLICY_IGNORE_FENCE); /* so that two can be left at once */
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 1);
    rig_do(&g, REQ_TAKE, 2, stale, 0);
    rig_wait(&g, MS(6000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_OWNER), 2);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_OWNER)->page, PAGE_SERVER);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_TERMINAL)->op, 1); /* known to be done already */
    ck_assert_uint_eq(g.drain.op, 2);
    ledger_drained(&g.node, g.drain.fence, 2, true, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_RECONCILED)->b, OUTCOME_DONE);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_TERMINAL)->op, 2);
}
END_TEST

START_TEST(a_read_only_fallback_lets_tasks_wait)
{
    rig_boot(&g);
    g.contract.fallback = FALLBACK_READ_ONLY;
    rig_submit(&g, 1);
    rig_wait(&g, MS(60000));
    ck_assert_uint_eq(g.drain.n, 0);
}
END_TEST

START_TEST(the_reign_of_the_server_is_a_vacancy_for_pages)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_wait(&g, MS(5000));
    uint32_t before = g.pushed[PUSH_VACANT];
    rig_wait(&g, MS(1000));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], before + 4);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_OK);
}
END_TEST

START_TEST(a_new_task_is_pushed_to_the_leader_of_an_empty_queue)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    ck_assert_uint_eq(g.pushed[PUSH_TASK], 0); /* nobody leads */
    struct fence f = rig_claim(&g, 1).fence;
    rig_submit(&g, 2);
    ck_assert_uint_eq(g.pushed[PUSH_TASK], 0); /* it has been told of more */
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 1);
    rig_commit(&g, 1, f, 1);
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_submit(&g, 3);
    ck_assert_uint_eq(g.pushed[PUSH_TASK], 1);
}
END_TEST

START_TEST(a_subscriber_is_told_the_state_as_it_is)
{
    rig_boot(&g);
    ck_assert_int_eq(ledger_state(&g.node).kind, PUSH_VACANT);
    rig_claim(&g, 11);
    ck_assert_int_eq(ledger_state(&g.node).kind, PUSH_LED);
    ck_assert_uint_eq(ledger_state(&g.node).leader_partition, 1);
    rig_wait(&g, MS(1000));
    ck_assert_int_eq(ledger_state(&g.node).kind, PUSH_EXPIRED);
}
END_TEST

Suite *lease_suite(void)
{
    Suite *s = suite_create("lease");
    TCase *t = tcase_create("lease");
    tcase_add_test(t, a_lease_that_is_renewed_does_not_run_out);
    tcase_add_test(t, an_expired_lease_is_final);
    tcase_add_test(t, a_request_at_the_lease_end_finds_it_expired_before_the_timer_does);
    tcase_add_test(t, a_leader_that_hears_nothing_is_extended_once_and_then_loses_its_lease);
    tcase_add_test(t, a_leader_that_lost_one_answer_keeps_its_lease);
    tcase_add_test(t, late_answers_do_not_starve_a_leader_that_hears_them);
    tcase_add_test(t, an_acknowledgement_of_an_earlier_lease_does_not_count);
    tcase_add_test(t, acceptable_follows_claim_release_and_expiry);
    tcase_add_test(t, expiry_is_pushed_at_once_and_repeated_while_it_lasts);
    tcase_add_test(t, release_is_pushed_at_once_and_repeated_when_nobody_claims);
    tcase_add_test(t, an_idle_ledger_does_not_tick);
    tcase_add_test(t, a_vacancy_counts_from_when_somebody_waits);
    tcase_add_test(t, a_permit_is_given_over_an_expired_lease_only_once);
    tcase_add_test(t, a_claim_uses_up_the_permit);
    tcase_add_test(t, a_permit_over_a_lock_whose_partition_does_not_lead_stands_in_nobodys_way);
    tcase_add_test(t, a_permit_over_a_vacancy_needs_it_to_last);
    tcase_add_test(t, no_permit_where_the_contract_says_never);
    tcase_add_test(t, the_server_drains_what_waits_when_nobody_leads);
    tcase_add_test(t, the_server_asks_again_when_the_provider_fails_or_is_silent);
    tcase_add_test(t, the_server_yields_to_a_page_and_leaves_it_the_operation_in_flight);
    tcase_add_test(t, a_server_that_had_yielded_starts_afresh_when_it_leads_again);
    tcase_add_test(t, the_server_finishes_what_a_lost_page_left);
    tcase_add_test(t, a_read_only_fallback_lets_tasks_wait);
    tcase_add_test(t, the_reign_of_the_server_is_a_vacancy_for_pages);
    tcase_add_test(t, a_new_task_is_pushed_to_the_leader_of_an_empty_queue);
    tcase_add_test(t, a_subscriber_is_told_the_state_as_it_is);
    suite_add_tcase(s, t);
    return s;
}
