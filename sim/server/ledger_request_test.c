/* Claims, fences and tasks, in the single layout. */
#include "sim/server/ledger_rig.h"

Suite *ledger_request_suite(void);

static struct rig g;

START_TEST(claims_take_consecutive_generations)
{
    rig_boot(&g);
    ck_assert_fence(rig_claim(&g, 1).fence, 1, 1);
    ck_assert_fence(rig_claim(&g, 2).fence, 1, 2);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_CLAIMED), 2);
    const struct obs *o = rig_last(&g, OBS_LEDGER_CLAIMED);
    ck_assert_uint_eq(o->page, 2);
    ck_assert_uint_eq(o->a, 3);
    ck_assert_uint_eq(o->c, 0);
    ck_assert_uint_eq(o->node, 0);
}
END_TEST

START_TEST(a_repeated_claim_gets_the_same_generation_and_no_longer_lease)
{
    rig_boot(&g);
    struct answer a = rig_claim_id(&g, 1, 55);
    ck_assert_int_eq(a.wait_us, MS(1000));
    rig_wait(&g, MS(400));
    struct answer again = rig_claim_id(&g, 1, 55);
    ck_assert_int_eq(again.result, ANS_OK);
    ck_assert(fence_equal(again.fence, a.fence));
    ck_assert_int_eq(again.wait_us, MS(600));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_CLAIMED), 1);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_REPEATED)->key, 55);
    rig_wait(&g, MS(600));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 1);
}
END_TEST

START_TEST(another_partition_waits_for_the_lease_to_end)
{
    rig_boot(&g);
    struct answer first = rig_claim(&g, 1);
    rig_wait(&g, MS(300));
    struct answer a = rig_claim(&g, 11);
    ck_assert_int_eq(a.result, ANS_WAIT);
    ck_assert_int_eq(a.wait_us, MS(700));
    ck_assert_int_eq(rig_renew(&g, 1, first.fence, 0).result, ANS_OK);
    rig_wait(&g, MS(1000));
    ck_assert_fence(rig_claim(&g, 11).fence, 1, 2);
}
END_TEST

START_TEST(another_partition_claims_at_once_after_release)
{
    rig_boot(&g);
    struct answer a = rig_claim(&g, 1);
    ck_assert_int_eq(rig_do(&g, REQ_RELEASE, 1, a.fence, 0).result, ANS_OK);
    ck_assert_int_eq(rig_claim(&g, 11).result, ANS_OK);
}
END_TEST

START_TEST(a_claim_fences_every_kind_of_write_of_the_owner_before)
{
    static const enum request_kind kind[] = { REQ_RENEW,  REQ_RELEASE, REQ_TAKE,
                                              REQ_COMMIT, REQ_ACK,     REQ_RECONCILE };
    rig_boot(&g);
    rig_submit(&g, 1);
    struct answer old = rig_claim(&g, 1);
    rig_do(&g, REQ_TAKE, 1, old.fence, 0);
    struct answer new = rig_claim(&g, 2);
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        struct answer a = rig_do(&g, kind[i], 1, old.fence, 1);
        ck_assert_int_eq(a.result, ANS_FENCED);
        ck_assert(fence_equal(a.fence, new.fence));
        const struct obs *o = rig_last(&g, OBS_LEDGER_REFUSED);
        ck_assert_uint_eq(o->a, kind[i]);
        ck_assert_uint_eq(o->b, ANS_FENCED);
        ck_assert(fence_equal(o->fence, old.fence));
    }
}
END_TEST

START_TEST(a_fence_of_another_incarnation_is_refused)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    f.incarnation++;
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
}
END_TEST

START_TEST(an_older_protocol_is_refused_after_a_newer_one_has_claimed)
{
    rig_boot(&g);
    struct request r = rig_request(&g, REQ_CLAIM, 1);
    r.key = 9;
    r.protocol = 2;
    ck_assert_int_eq(rig_ask(&g, r).result, ANS_OK);
    struct answer a = rig_claim(&g, 2);
    r = rig_request(&g, REQ_CLAIM, 1);
    r.key = 10;
    r.protocol = 2;
    ck_assert_int_eq(rig_ask(&g, r).result, ANS_PROTOCOL_TOO_OLD);
    r.kind = REQ_TAKE;
    r.fence = a.fence;
    ck_assert_int_eq(rig_ask(&g, r).result, ANS_PROTOCOL_TOO_OLD);
}
END_TEST

START_TEST(a_task_goes_from_submit_to_terminal)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    struct answer a = rig_do(&g, REQ_TAKE, 1, f, 0);
    ck_assert_int_eq(a.result, ANS_OK);
    ck_assert_uint_eq(a.op, 1);
    ck_assert_uint_eq(a.more_tasks, 1); /* not done yet */
    ck_assert_int_eq(rig_do(&g, REQ_ACK, 1, f, 1).result, ANS_OK);
    ck_assert_int_eq(rig_commit(&g, 1, f, 1).result, ANS_OK);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_ENQUEUED), 1);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TAKEN), 1);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_COMMITTED), 3);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TERMINAL), 1);
    ck_assert_uint_eq(g.node.record.cursor, 1);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_EMPTY);
}
END_TEST

START_TEST(a_delete_needs_an_acknowledged_effect)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    ck_assert_int_eq(rig_commit(&g, 1, f, 1).result, ANS_REFUSED); /* not even taken */
    rig_do(&g, REQ_TAKE, 1, f, 0);
    ck_assert_int_eq(rig_commit(&g, 1, f, 1).result, ANS_REFUSED);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_COMMITTED), 0); /* the cursor part neither */
    ck_assert_uint_eq(g.node.record.cursor, 0);
}
END_TEST

START_TEST(a_repeated_commit_is_accepted_and_says_nothing_new)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 1);
    rig_commit(&g, 1, f, 1);
    uint32_t before = g.history.n;
    ck_assert_int_eq(rig_commit(&g, 1, f, 1).result, ANS_OK);
    ck_assert_int_eq(rig_do(&g, REQ_ACK, 1, f, 1).result, ANS_OK);
    ck_assert_uint_eq(g.history.n, before);
}
END_TEST

START_TEST(a_repeated_take_gives_the_task_that_the_fence_has_already)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 1);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 1);
    ck_assert_uint_eq(g.answer.unreconciled[0], 1);
    rig_do(&g, REQ_ACK, 1, f, 1);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 1); /* nor another before it is committed */
    rig_commit(&g, 1, f, 1);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 2);
}
END_TEST

START_TEST(a_take_passes_over_payloads_that_the_sender_does_not_speak)
{
    rig_boot(&g);
    struct request r = rig_request(&g, REQ_SUBMIT, 5);
    r.op = 1;
    r.protocol = 4;
    rig_ask(&g, r);
    struct fence f = rig_claim(&g, 1).fence;
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_PROTOCOL_TOO_OLD);
    rig_submit(&g, 2);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 2);
}
END_TEST

START_TEST(a_submit_is_enqueued_once)
{
    rig_boot(&g);
    rig_submit(&g, 3);
    rig_submit(&g, 3);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_ENQUEUED), 1);
    ck_assert_uint_eq(rig_do(&g, REQ_STATUS, 1, (struct fence){ 0, 0, 0 }, 0).more_tasks, 1);
}
END_TEST

START_TEST(a_submit_beyond_the_capacity_is_refused)
{
    rig_boot(&g);
    struct fence none = { 0, 0, 0 };
    ck_assert_int_eq(rig_do(&g, REQ_SUBMIT, 1, none, LEDGER_OPS_MAX).result, ANS_OK);
    ck_assert_int_eq(rig_do(&g, REQ_SUBMIT, 1, none, LEDGER_OPS_MAX + 1).result, ANS_REFUSED);
    ck_assert_int_eq(rig_do(&g, REQ_SUBMIT, 1, none, 0).result, ANS_REFUSED);
}
END_TEST

/* Op 1 taken, op 2 acknowledged, both by earlier fences; then page 3 claims. A fence takes one at a
 * time, so the second comes from a page that no receiver should have listened to. */
static struct answer leave_two(void)
{
    struct fence stale = { 7, 1, 99 };
    rig_boot_with(&g, POLICY_IGNORE_FENCE);
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    rig_do(&g, REQ_TAKE, 1, rig_claim(&g, 1).fence, 0);
    rig_do(&g, REQ_TAKE, 2, stale, 0);
    rig_do(&g, REQ_ACK, 2, stale, 2);
    return rig_claim(&g, 3);
}

START_TEST(a_claim_takes_over_what_earlier_generations_left_and_lists_it)
{
    struct answer a = leave_two();
    ck_assert_uint_eq(a.unreconciled_n, 2);
    ck_assert_uint_eq(a.unreconciled[0], 1);
    ck_assert_uint_eq(a.unreconciled[1], 2);
    uint32_t claimed = rig_last(&g, OBS_LEDGER_CLAIMED)->number;
    uint32_t owners = 0;
    for (uint32_t i = claimed; i < g.history.n; i++) {
        if (g.obs[i].kind != OBS_LEDGER_OWNER) continue;
        ck_assert_uint_eq(g.obs[i].cause, claimed);
        ck_assert_uint_eq(g.obs[i].page, 3);
        ck_assert(fence_equal(g.obs[i].fence, a.fence));
        owners++;
    }
    ck_assert_uint_eq(owners, 2);
}
END_TEST

START_TEST(what_is_left_comes_before_new_tasks_and_is_marked_as_taken_before)
{
    struct fence f = leave_two().fence;
    rig_submit(&g, 3);
    for (uint32_t op = 1; op <= 2; op++) {
        struct answer a = rig_do(&g, REQ_TAKE, 3, f, 0);
        ck_assert_uint_eq(a.op, op);
        ck_assert_uint_eq(a.unreconciled_n, 1);
        ck_assert_uint_eq(a.unreconciled[0], op);
        rig_reconcile(&g, 3, f, op, OUTCOME_DONE);
        ck_assert_int_eq(rig_commit(&g, 3, f, op).result, ANS_OK);
    }
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 3, f, 0).op, 3);
    ck_assert_uint_eq(g.answer.unreconciled_n, 0);
}
END_TEST

START_TEST(an_outcome_that_is_not_known_stays_unreconciled)
{
    struct fence f = leave_two().fence;
    rig_reconcile(&g, 3, f, 1, OUTCOME_RUNNING);
    ck_assert(g.node.record.task[0].unreconciled);
    rig_reconcile(&g, 3, f, 1, OUTCOME_UNKNOWN);
    ck_assert(g.node.record.task[0].unreconciled);
    rig_reconcile(&g, 3, f, 1, OUTCOME_NEVER_SEEN);
    ck_assert(!g.node.record.task[0].unreconciled);
    ck_assert_int_eq(g.node.record.task[0].state, TASK_TAKEN);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_RECONCILED)->b, OUTCOME_NEVER_SEEN);
}
END_TEST

START_TEST(reconciled_as_done_is_as_good_as_acknowledged)
{
    struct fence f = leave_two().fence;
    ck_assert_int_eq(rig_commit(&g, 3, f, 1).result, ANS_REFUSED);
    rig_reconcile(&g, 3, f, 1, OUTCOME_DONE);
    ck_assert_int_eq(rig_commit(&g, 3, f, 1).result, ANS_OK);
}
END_TEST

START_TEST(an_acknowledged_effect_stays_so_whatever_the_provider_says_later)
{
    struct fence f = leave_two().fence;
    rig_reconcile(&g, 3, f, 2, OUTCOME_NEVER_SEEN);
    ck_assert_int_eq(g.node.record.task[1].state, TASK_ACKED);
    ck_assert_int_eq(rig_commit(&g, 3, f, 2).result, ANS_OK);
}
END_TEST

START_TEST(a_released_fence_writes_nothing)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_RELEASE, 1, f, 0);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
    ck_assert_int_eq(rig_do(&g, REQ_RELEASE, 1, f, 0).result, ANS_OK); /* its answer was lost */
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_RELEASED), 1);
}
END_TEST

START_TEST(answers_echo_request_and_clock)
{
    rig_boot(&g);
    struct request r = rig_request(&g, REQ_STATUS, 1);
    r.sent.us = 4711;
    struct answer a = rig_ask(&g, r);
    ck_assert_uint_eq(a.request, r.id);
    ck_assert_int_eq(a.sent.us, 4711);
    ck_assert_int_eq(a.kind, REQ_STATUS);
}
END_TEST

/* ---- what ledgers of public reports do instead: the reference first, then those --------- */

static void boot_either(int naive, enum policy_kind p)
{
    if (naive)
        rig_boot_with(&g, p);
    else
        rig_boot(&g);
}

START_TEST(a_commit_that_clears_the_outbox)
{
    boot_either(_i, POLICY_CLEARS_ALL);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 1);
    rig_submit(&g, 2);
    rig_commit(&g, 1, f, 1);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, _i ? ANS_EMPTY : ANS_OK);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TERMINAL), 1); /* the other one just disappears */
}
END_TEST

START_TEST(a_place_that_is_remembered_as_a_number)
{
    boot_either(_i, POLICY_TAKES_PAST_CURSOR);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 2);
    rig_commit(&g, 1, f, 2);
    rig_submit(&g, 1); /* it was made before, and comes late */
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, _i ? ANS_EMPTY : ANS_OK);
}
END_TEST

START_TEST(a_renewal_of_whatever_lease_there_is)
{
    boot_either(_i, POLICY_RENEW_UNFENCED);
    struct fence old = rig_claim(&g, 1).fence;
    rig_claim(&g, 2);
    struct local before = g.node.record.lease_end;
    rig_wait(&g, 100000);
    ck_assert_int_eq(rig_renew(&g, 1, old, 0).result, _i ? ANS_OK : ANS_FENCED);
    ck_assert_int_eq(g.node.record.lease_end.us > before.us, _i);
}
END_TEST

START_TEST(a_release_of_whatever_lease_there_is)
{
    boot_either(_i, POLICY_RELEASE_UNFENCED);
    struct fence old = rig_claim(&g, 1).fence;
    rig_claim(&g, 2);
    rig_do(&g, REQ_RELEASE, 1, old, 0);
    ck_assert_int_eq(g.node.record.held, !_i);
}
END_TEST

START_TEST(a_cursor_that_stays_where_it_was)
{
    boot_either(_i, POLICY_CURSOR_STAYS);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_do(&g, REQ_ACK, 1, f, 2);
    rig_commit(&g, 1, f, 2);
    ck_assert_uint_eq(g.node.record.cursor, _i ? 1 : 2);
}
END_TEST

/* A task that kept the owner of before is for nobody to commit, whoever leads. */
START_TEST(a_task_is_committed_by_its_owner_alone)
{
    boot_either(_i, POLICY_ANYBODYS_TASK);
    rig_submit(&g, 1);
    struct fence old = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, old, 0);
    rig_do(&g, REQ_ACK, 1, old, 1);
    struct answer claimed = rig_claim(&g, 2);
    ck_assert_uint_eq(claimed.unreconciled_n, 1);
    g.node.record.task[0].owner = old;
    ck_assert_int_eq(rig_commit(&g, 2, claimed.fence, 1).result, _i ? ANS_OK : ANS_REFUSED);
}
END_TEST

Suite *ledger_request_suite(void)
{
    Suite *s = suite_create("ledger_request");
    TCase *t = tcase_create("ledger_request");
    tcase_add_test(t, claims_take_consecutive_generations);
    tcase_add_test(t, a_repeated_claim_gets_the_same_generation_and_no_longer_lease);
    tcase_add_test(t, another_partition_waits_for_the_lease_to_end);
    tcase_add_test(t, another_partition_claims_at_once_after_release);
    tcase_add_test(t, a_claim_fences_every_kind_of_write_of_the_owner_before);
    tcase_add_test(t, a_fence_of_another_incarnation_is_refused);
    tcase_add_test(t, an_older_protocol_is_refused_after_a_newer_one_has_claimed);
    tcase_add_test(t, a_task_goes_from_submit_to_terminal);
    tcase_add_test(t, a_delete_needs_an_acknowledged_effect);
    tcase_add_test(t, a_repeated_commit_is_accepted_and_says_nothing_new);
    tcase_add_test(t, a_repeated_take_gives_the_task_that_the_fence_has_already);
    tcase_add_test(t, a_take_passes_over_payloads_that_the_sender_does_not_speak);
    tcase_add_test(t, a_submit_is_enqueued_once);
    tcase_add_test(t, a_submit_beyond_the_capacity_is_refused);
    tcase_add_test(t, a_claim_takes_over_what_earlier_generations_left_and_lists_it);
    tcase_add_test(t, what_is_left_comes_before_new_tasks_and_is_marked_as_taken_before);
    tcase_add_test(t, an_outcome_that_is_not_known_stays_unreconciled);
    tcase_add_test(t, reconciled_as_done_is_as_good_as_acknowledged);
    tcase_add_test(t, an_acknowledged_effect_stays_so_whatever_the_provider_says_later);
    tcase_add_test(t, a_released_fence_writes_nothing);
    tcase_add_test(t, answers_echo_request_and_clock);
    tcase_add_loop_test(t, a_commit_that_clears_the_outbox, 0, 2);
    tcase_add_loop_test(t, a_place_that_is_remembered_as_a_number, 0, 2);
    tcase_add_loop_test(t, a_renewal_of_whatever_lease_there_is, 0, 2);
    tcase_add_loop_test(t, a_release_of_whatever_lease_there_is, 0, 2);
    tcase_add_loop_test(t, a_cursor_that_stays_where_it_was, 0, 2);
    tcase_add_loop_test(t, a_task_is_committed_by_its_owner_alone, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
