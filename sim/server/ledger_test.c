/* Crashes, incidents, the local ledger, and every deliberate difference of the ledger: each
 * policy makes a request succeed that the reference refuses, or loses what it keeps. */
#include "sim/server/ledger_rig.h"

Suite *ledger_suite(void);

static struct rig g;
static const struct fence none = { 0, 0, 0 };

static void crash_for(int64_t us)
{
    ledger_crash(&g.node, rig_at(&g), OBS_NONE);
    rig_wait(&g, us);
    ledger_restart(&g.node, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
}

static void incident(enum incident what)
{
    ledger_incident(&g.node, what, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
}

START_TEST(a_node_that_is_down_answers_nothing_and_accepts_nothing)
{
    rig_boot(&g);
    rig_claim(&g, 1);
    ledger_crash(&g.node, rig_at(&g), OBS_NONE);
    ck_assert(fence_is_none(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence));
    ck_assert(!g.node.decides);
    ck_assert_int_eq(rig_claim(&g, 2).kind, REQ_NONE);
    rig_wait(&g, MS(5000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 0);
}
END_TEST

START_TEST(record_and_lease_survive_a_restart)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim_id(&g, 1, 5).fence;
    crash_for(MS(400));
    ck_assert(fence_equal(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence, f));
    ck_assert(g.node.decides);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, 1);
    ck_assert(fence_equal(rig_claim_id(&g, 1, 5).fence, f));
    rig_wait(&g, MS(600)); /* the timer was armed anew */
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 1);
}
END_TEST

START_TEST(a_lease_that_ran_out_in_a_crash_is_expired_and_permits_wait_for_the_grace)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    crash_for(MS(3000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 1);
    ck_assert(fence_is_none(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_ACCEPTABLE), 2); /* at the claim, at the crash */
    ck_assert_int_eq(rig_renew(&g, 1, f, 0).result, ANS_FENCED);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);
    ck_assert_int_eq(g.answer.wait_us, MS(700));
    rig_wait(&g, MS(700));
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_OK);
}
END_TEST

START_TEST(an_epoch_advance_closes_the_ledger_to_pages)
{
    rig_boot(&g);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    incident(INCIDENT_ADVANCE_EPOCH);
    ck_assert_fence(rig_last(&g, OBS_LEDGER_EPOCH)->fence, 2, 2);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_OWNER)->page, PAGE_SERVER);
    ck_assert_uint_eq(g.pushed[PUSH_CLOSED], 1);
    ck_assert_int_eq(rig_do(&g, REQ_ACK, 1, f, 1).result, ANS_EPOCH_CLOSED);
    ck_assert_int_eq(rig_claim(&g, 2).result, ANS_EPOCH_CLOSED);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_EPOCH_CLOSED);
    ck_assert_int_eq(ledger_state(&g.node).kind, PUSH_CLOSED);
    rig_submit(&g, 2); /* still accepted, and drained */
    ck_assert_uint_eq(g.drain.op, 1);
    ledger_drained(&g.node, g.drain.fence, 1, true, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
    ck_assert_uint_eq(g.drain.op, 2);
}
END_TEST

START_TEST(a_closed_ledger_drains_whatever_the_fallback)
{
    rig_boot(&g);
    g.contract.fallback = FALLBACK_READ_ONLY;
    rig_submit(&g, 1);
    incident(INCIDENT_ADVANCE_EPOCH);
    ck_assert_uint_eq(g.drain.op, 1);
}
END_TEST

START_TEST(after_reopening_pages_claim_under_the_new_epoch)
{
    rig_boot(&g);
    struct fence f = rig_claim(&g, 1).fence;
    incident(INCIDENT_REOPEN); /* not closed: nothing */
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_REOPENED), 0);
    incident(INCIDENT_ADVANCE_EPOCH);
    incident(INCIDENT_REOPEN);
    ck_assert_uint_eq(g.pushed[PUSH_REOPENED], 1);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
    rig_wait(&g, MS(300));
    ck_assert_fence(rig_claim(&g, 1).fence, 2, 3);
}
END_TEST

START_TEST(a_reopened_ledger_gives_pages_their_time_before_permits)
{
    rig_boot(&g);
    incident(INCIDENT_ADVANCE_EPOCH);
    rig_wait(&g, MS(9000));
    ck_assert_uint_eq(g.pushed[PUSH_VACANT], 0); /* closed is not vacant */
    incident(INCIDENT_REOPEN);
    ck_assert_int_eq(rig_do(&g, REQ_PERMIT, 2, none, 0).result, ANS_REFUSED);
    ck_assert_int_eq(g.answer.wait_us, MS(600));
}
END_TEST

START_TEST(a_local_ledger_commits_without_an_acknowledgement_and_pushes_nothing)
{
    rig_boot_as(&g, AUTHORITY_INDEXEDDB, (struct policy){ 0 });
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    f = rig_claim(&g, 2).fence;
    ck_assert_uint_eq(g.answer.unreconciled_n, 0);
    ck_assert_uint_eq(rig_last(&g, OBS_LEDGER_OWNER)->page, 2);
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 2, f, 0).op, 1);
    ck_assert_int_eq(rig_commit(&g, 2, f, 1).result, ANS_OK);
    rig_wait(&g, MS(20000));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_EXPIRED), 1);
    for (int k = 0; k < PUSH_COUNT; k++) ck_assert_uint_eq(g.pushed[k], 0);
    ck_assert_uint_eq(g.drain.n, 0);
}
END_TEST

START_TEST(a_full_quota_refuses_writes_and_lets_go)
{
    rig_boot_as(&g, AUTHORITY_INDEXEDDB, (struct policy){ 0 });
    struct fence f = rig_claim(&g, 1).fence;
    g.node.quota_full = true;
    ck_assert_int_eq(rig_claim(&g, 2).result, ANS_QUOTA);
    ck_assert_int_eq(rig_do(&g, REQ_SUBMIT, 1, f, 1).result, ANS_QUOTA);
    ck_assert_int_eq(rig_do(&g, REQ_STATUS, 1, f, 0).result, ANS_OK);
    ck_assert_int_eq(rig_do(&g, REQ_RELEASE, 1, f, 0).result, ANS_OK);
}
END_TEST

START_TEST(a_cleared_ledger_is_another_incarnation)
{
    rig_boot_as(&g, AUTHORITY_INDEXEDDB, (struct policy){ 0 });
    struct fence f = rig_claim(&g, 1).fence;
    ledger_cleared(&g.node, 8, rig_at(&g), rig_now(&g), OBS_NONE, &g.out);
    rig_carry(&g);
    ck_assert(fence_is_none(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->fence));
    struct fence new = rig_claim(&g, 2).fence;
    ck_assert_uint_eq(new.incarnation, 8);
    ck_assert_uint_eq(new.generation, 1);
    ck_assert_int_eq(rig_do(&g, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
}
END_TEST

/* ---- deliberate differences: i == 0 runs the reference, i == 1 the mutant ---------------- */

static void boot_mutant(int mutant, enum policy_kind k)
{
    if (mutant)
        rig_boot_with(&g, k);
    else
        rig_boot(&g);
}

static bool accepted(struct answer a)
{
    return a.result == ANS_OK;
}

/* Page 1 took (and acknowledged) op 1, then page 2 claimed; page 1's fence. */
static struct fence superseded(bool acked)
{
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    if (acked) rig_do(&g, REQ_ACK, 1, f, 1);
    rig_claim(&g, 2);
    return f;
}

START_TEST(read_then_write_gives_one_generation_twice)
{
    boot_mutant(_i, POLICY_READ_THEN_WRITE);
    rig_claim(&g, 1);
    rig_wait(&g, MS(10));
    rig_claim(&g, 2);
    rig_wait(&g, MS(100));
    uint32_t same = 0;
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_CLAIMED), 2);
    for (uint32_t i = 0; i < g.history.n; i++)
        same += g.obs[i].kind == OBS_LEDGER_CLAIMED && g.obs[i].fence.generation == 1;
    ck_assert_uint_eq(same, _i ? 2 : 1);
    ck_assert_uint_eq(g.answers, 2);
}
END_TEST

START_TEST(ignore_fence_accepts_a_stale_write)
{
    boot_mutant(_i, POLICY_IGNORE_FENCE);
    struct fence f = superseded(false);
    ck_assert_int_eq(accepted(rig_do(&g, REQ_ACK, 1, f, 1)), _i);
    ck_assert_int_eq(accepted(rig_commit(&g, 1, f, 1)), _i);
    ck_assert_int_eq(accepted(rig_do(&g, REQ_TAKE, 1, f, 0)), _i);
    ck_assert(!accepted(rig_renew(&g, 1, f, 0)));
}
END_TEST

START_TEST(check_wait_act_acts_under_a_fence_that_has_passed)
{
    boot_mutant(_i, POLICY_CHECK_WAIT_ACT);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    rig_wait(&g, MS(50));
    rig_do(&g, REQ_ACK, 1, f, 1);
    rig_wait(&g, MS(10));
    uint32_t claimed = rig_claim(&g, 2).result == ANS_OK ? g.history.n : 0;
    rig_wait(&g, MS(50));
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_COMMITTED), 1);
    ck_assert_int_eq(rig_last(&g, OBS_LEDGER_COMMITTED)->number >= claimed, _i);
    ck_assert(fence_equal(rig_last(&g, OBS_LEDGER_COMMITTED)->fence, f));
}
END_TEST

static void commits_part_unfenced(enum policy_kind k, int mutant, enum commit_part part)
{
    boot_mutant(mutant, k);
    struct fence f = superseded(true);
    ck_assert_int_eq(rig_commit(&g, 1, f, 1).result, ANS_FENCED); /* the other part is fenced */
    uint32_t parts = 0;
    for (uint32_t i = 0; i < g.history.n; i++)
        if (g.obs[i].kind == OBS_LEDGER_COMMITTED && g.obs[i].a != PART_ACK) {
            ck_assert_uint_eq(g.obs[i].a, part);
            ck_assert(fence_equal(g.obs[i].fence, f));
            parts++;
        }
    ck_assert_uint_eq(parts, mutant ? 1 : 0);
}

START_TEST(cursor_unfenced_moves_the_cursor)
{
    commits_part_unfenced(POLICY_CURSOR_UNFENCED, _i, PART_CURSOR);
    ck_assert_uint_eq(g.node.record.cursor, _i ? 1 : 0);
}
END_TEST

START_TEST(delete_unfenced_deletes_the_task)
{
    commits_part_unfenced(POLICY_DELETE_UNFENCED, _i, PART_DELETE);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_TERMINAL), _i ? 1 : 0);
}
END_TEST

START_TEST(ack_unfenced_acknowledges)
{
    boot_mutant(_i, POLICY_ACK_UNFENCED);
    struct fence f = superseded(false);
    ck_assert_int_eq(accepted(rig_do(&g, REQ_ACK, 1, f, 1)), _i);
    ck_assert_int_eq(g.node.record.task[0].state, _i ? TASK_ACKED : TASK_TAKEN);
}
END_TEST

START_TEST(unowned_at_takeover_leaves_operations_behind)
{
    boot_mutant(_i, POLICY_UNOWNED_AT_TAKEOVER);
    superseded(false);
    ck_assert_uint_eq(rig_count(&g, OBS_LEDGER_OWNER), _i ? 0 : 1);
    ck_assert_uint_eq(g.answer.unreconciled_n, _i ? 0 : 1);
}
END_TEST

START_TEST(epoch_not_enforced_lets_old_pages_on)
{
    boot_mutant(_i, POLICY_EPOCH_NOT_ENFORCED);
    rig_submit(&g, 1);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    incident(INCIDENT_ADVANCE_EPOCH);
    ck_assert_int_eq(accepted(rig_do(&g, REQ_ACK, 1, f, 1)), _i);
    ck_assert_int_eq(accepted(rig_claim(&g, 2)), _i);
}
END_TEST

START_TEST(old_protocol_is_accepted_after_a_newer_one)
{
    boot_mutant(_i, POLICY_OLD_PROTOCOL);
    rig_claim(&g, 1);
    struct request r = rig_request(&g, REQ_CLAIM, 2);
    r.key = 77;
    r.protocol = 2;
    ck_assert_int_eq(accepted(rig_ask(&g, r)), _i);
}
END_TEST

START_TEST(forgets_generation_gives_it_again_after_a_restart)
{
    boot_mutant(_i, POLICY_FORGETS_GENERATION);
    rig_claim(&g, 1);
    struct fence f = rig_claim_id(&g, 2, 60).fence;
    crash_for(MS(100));
    struct fence again = rig_claim(&g, 3).fence;
    ck_assert_int_eq(fence_equal(f, again), _i);
    ck_assert_uint_eq(again.generation, _i ? 2 : 3);
}
END_TEST

START_TEST(loses_operation_that_nobody_had_taken)
{
    boot_mutant(_i, POLICY_LOSES_OPERATION);
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    crash_for(MS(100));
    ck_assert_uint_eq(rig_do(&g, REQ_STATUS, 1, none, 0).more_tasks, _i ? 1 : 2);
    ck_assert_int_eq(g.node.record.task[0].state, TASK_TAKEN);
}
END_TEST

START_TEST(an_owner_is_known_after_a_restart)
{
    boot_mutant(_i, POLICY_OWNERS_FORGOTTEN);
    rig_submit(&g, 1);
    rig_submit(&g, 2);
    struct fence f = rig_claim(&g, 1).fence;
    rig_do(&g, REQ_TAKE, 1, f, 0);
    crash_for(MS(100));
    ck_assert_uint_eq(rig_do(&g, REQ_TAKE, 1, f, 0).op, _i ? 2 : 1);
}
END_TEST

START_TEST(lease_revived_extends_what_has_run_out)
{
    boot_mutant(_i, POLICY_LEASE_REVIVED);
    struct fence f = rig_claim(&g, 1).fence;
    rig_wait(&g, MS(1500));
    ck_assert_int_eq(accepted(rig_renew(&g, 1, f, 0)), _i);
    ck_assert_int_eq(rig_last(&g, OBS_LEDGER_ACCEPTABLE)->page == 1, _i);
}
END_TEST

START_TEST(the_canary_is_several_of_them)
{
    boot_mutant(_i, POLICY_CANARY);
    rig_submit(&g, 1);
    rig_claim(&g, 1);
    rig_claim(&g, 2);
    rig_wait(&g, MS(100));
    uint32_t first = 0;
    for (uint32_t i = 0; i < g.history.n; i++)
        first += g.obs[i].kind == OBS_LEDGER_CLAIMED && g.obs[i].fence.generation == 1;
    ck_assert_uint_eq(first, _i ? 2 : 1);
    struct fence stale = { 7, 1, 9 };
    ck_assert_int_eq(accepted(rig_do(&g, REQ_TAKE, 5, stale, 0)), _i);
}
END_TEST

Suite *ledger_suite(void)
{
    Suite *s = suite_create("ledger");
    TCase *t = tcase_create("node");
    tcase_add_test(t, a_node_that_is_down_answers_nothing_and_accepts_nothing);
    tcase_add_test(t, record_and_lease_survive_a_restart);
    tcase_add_test(t, a_lease_that_ran_out_in_a_crash_is_expired_and_permits_wait_for_the_grace);
    tcase_add_test(t, an_epoch_advance_closes_the_ledger_to_pages);
    tcase_add_test(t, a_closed_ledger_drains_whatever_the_fallback);
    tcase_add_test(t, after_reopening_pages_claim_under_the_new_epoch);
    tcase_add_test(t, a_reopened_ledger_gives_pages_their_time_before_permits);
    tcase_add_test(t, a_local_ledger_commits_without_an_acknowledgement_and_pushes_nothing);
    tcase_add_test(t, a_full_quota_refuses_writes_and_lets_go);
    tcase_add_test(t, a_cleared_ledger_is_another_incarnation);
    suite_add_tcase(s, t);
    t = tcase_create("deliberate differences");
    tcase_add_loop_test(t, read_then_write_gives_one_generation_twice, 0, 2);
    tcase_add_loop_test(t, ignore_fence_accepts_a_stale_write, 0, 2);
    tcase_add_loop_test(t, check_wait_act_acts_under_a_fence_that_has_passed, 0, 2);
    tcase_add_loop_test(t, cursor_unfenced_moves_the_cursor, 0, 2);
    tcase_add_loop_test(t, delete_unfenced_deletes_the_task, 0, 2);
    tcase_add_loop_test(t, ack_unfenced_acknowledges, 0, 2);
    tcase_add_loop_test(t, unowned_at_takeover_leaves_operations_behind, 0, 2);
    tcase_add_loop_test(t, epoch_not_enforced_lets_old_pages_on, 0, 2);
    tcase_add_loop_test(t, old_protocol_is_accepted_after_a_newer_one, 0, 2);
    tcase_add_loop_test(t, forgets_generation_gives_it_again_after_a_restart, 0, 2);
    tcase_add_loop_test(t, loses_operation_that_nobody_had_taken, 0, 2);
    tcase_add_loop_test(t, an_owner_is_known_after_a_restart, 0, 2);
    tcase_add_loop_test(t, lease_revived_extends_what_has_run_out, 0, 2);
    tcase_add_loop_test(t, the_canary_is_several_of_them, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
