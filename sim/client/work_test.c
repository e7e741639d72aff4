/* leader-worker@3, the outbox: the good way, every answer that does not come, what is inherited,
 * and the user's own operations (protocol.md "The page" 3, 4, 9; "Workstreams"). */
#include <check.h>

#include "sim/client/rig.h"

Suite *work_suite(void);

static struct rig g;

static void open_rig(void)
{
    rig_open(&g);
}

/* Everything is answered well from here on, by op 5, until `kind` is in flight. */
static void work_up_to(enum request_kind kind)
{
    static const enum request_kind good[] = { REQ_TAKE, REQ_EFFECT, REQ_ACK, REQ_COMMIT };
    for (int i = 0; good[i] != kind; i++)
        rig_answer(&g, good[i], (struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 1 });
    rig_forget(&g);
}

static void lead(uint32_t tasks)
{
    rig_lead(&g, tasks);
}

/* The newest request that is no renewal. */
static const struct request *in_flight(void)
{
    for (uint32_t i = g.n; i-- > 0;)
        if (g.log[i].kind == OUT_SEND && g.log[i].as.request.kind != REQ_RENEW)
            return &g.log[i].as.request;
    ck_abort_msg("nothing was sent");
    return NULL;
}

static void answered(struct answer a)
{
    rig_answer_as(&g, in_flight(), a);
}

static void ok(void)
{
    answered((struct answer){ .result = ANS_OK });
}

static void fails(void)
{
    uint32_t id = in_flight()->id;
    rig_in(&g, (struct client_input){ .kind = IN_FAILED, .id = id });
}

/* ---- the good way --------------------------------------------------------------------------- */

START_TEST(take_effect_ack_commit_then_the_next_task)
{
    lead(2);
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
    ck_assert_uint_eq(in_flight()->op, 0); /* any */
    answered((struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 2 });
    ck_assert_int_eq(in_flight()->kind, REQ_EFFECT);
    ck_assert_uint_eq(in_flight()->op, 5);
    ck_assert_uint_eq(in_flight()->key, 5); /* the operation id is the idempotency key */
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_ACK);
    ck_assert_uint_eq(in_flight()->op, 5);
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_COMMIT);
    ck_assert_uint_eq(in_flight()->op, 5);
    ck_assert_uint_eq(in_flight()->parts, 1u << PART_CURSOR | 1u << PART_DELETE);
    answered((struct answer){ .result = ANS_OK, .more_tasks = 1 });
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
    ck_assert_uint_eq(rig_writes(&g), 5);
}
END_TEST

START_TEST(an_empty_outbox_is_not_asked_again)
{
    lead(1);
    answered((struct answer){ .result = ANS_EMPTY });
    rig_forget(&g);
    rig_lead_on(&g, MS(2000));
    ck_assert_uint_eq(rig_writes(&g), 0);
    rig_hear(&g, MSG_TASK, 6); /* until somebody says that there is a task */
    ck_assert_uint_eq(rig_sent_n(&g, REQ_TAKE), 1);
}
END_TEST

START_TEST(a_renewal_that_tells_of_tasks_starts_the_work)
{
    lead(0);
    rig_wait(&g, g.contract.lease.renew_us + MS(1));
    ck_assert_uint_eq(rig_writes(&g), 0);
    rig_renewed(&g, 3);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_TAKE), 1);
}
END_TEST

START_TEST(one_operation_at_a_time)
{
    lead(3);
    rig_hear(&g, MSG_TASK, 6);
    rig_hear(&g, MSG_TASK, 7);
    rig_wait(&g, g.contract.lease.renew_us / 2);
    ck_assert_uint_eq(rig_writes(&g), 1);
    ok();
    rig_hear(&g, MSG_TASK, 8);
    ck_assert_uint_eq(rig_writes(&g), 2);
}
END_TEST

START_TEST(an_operation_that_is_gone_is_left_alone)
{
    lead(2);
    answered((struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 2 });
    ok();
    answered((struct answer){ .result = ANS_REFUSED });
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
}
END_TEST

/* ---- no answer (FX-4) ------------------------------------------------------------ */

static const enum request_kind repeatable[] = { REQ_TAKE, REQ_ACK, REQ_COMMIT };

START_TEST(a_step_without_an_answer_is_repeated_for_the_same_operation)
{
    lead(1);
    work_up_to(repeatable[_i]);
    const struct request first = *in_flight();
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    ck_assert_int_eq(in_flight()->kind, first.kind);
    ck_assert_uint_ne(in_flight()->id, first.id);
    ck_assert_uint_eq(in_flight()->op, first.op);
    ck_assert_uint_eq(in_flight()->parts, first.parts);
    ck_assert(fence_equal(in_flight()->fence, first.fence));
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

START_TEST(an_answer_that_comes_after_the_repetition_is_ignored)
{
    lead(2);
    const struct request first = *in_flight();
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    const struct request second = *in_flight();
    rig_forget(&g);
    rig_answer_as(&g, &first, (struct answer){ .result = ANS_OK, .op = 5 });
    ck_assert_uint_eq(rig_writes(&g), 0);
    rig_answer_as(&g, &second, (struct answer){ .result = ANS_OK, .op = 5 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1);
}
END_TEST

/* 9: an unknown outcome is reconciled before anything else is done with it. */
static void unknown(void)
{
    lead(1);
    work_up_to(REQ_EFFECT);
    rig_forget(&g);
}

START_TEST(p9_an_effect_without_an_answer_is_asked_about_before_anything_else)
{
    unknown();
    if (_i)
        fails();
    else
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_uint_eq(in_flight()->op, 5);
    ck_assert_uint_eq(in_flight()->key, 5);
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p9_an_effect_that_happened_is_reconciled_and_committed_never_repeated)
{
    unknown();
    fails();
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_DONE });
    ck_assert_int_eq(in_flight()->kind, REQ_RECONCILE);
    ck_assert_int_eq(in_flight()->outcome, OUTCOME_DONE);
    ck_assert_uint_eq(in_flight()->op, 5);
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_COMMIT);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

START_TEST(p9_an_effect_that_was_never_seen_is_sent_again_under_the_same_key)
{
    unknown();
    fails();
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_NEVER_SEEN });
    ck_assert_int_eq(in_flight()->kind, REQ_RECONCILE);
    ck_assert_int_eq(in_flight()->outcome, OUTCOME_NEVER_SEEN);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT)); /* not before the ledger knows */
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_EFFECT);
    ck_assert_uint_eq(in_flight()->key, 5);
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_ACK);
}
END_TEST

START_TEST(p9_what_still_runs_or_is_not_known_is_asked_about_again)
{
    unknown();
    fails();
    for (int i = 0; i < 5; i++) {
        uint32_t id = in_flight()->id;
        answered((struct answer){ .result = ANS_OK,
                                  .outcome = i % 2 ? OUTCOME_RUNNING : OUTCOME_UNKNOWN });
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
        ck_assert_uint_ne(in_flight()->id, id);
        if (rig_sent(&g, REQ_RENEW)) rig_renewed(&g, 0);
    }
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p9_an_effect_in_progress_is_asked_about)
{
    unknown();
    answered((struct answer){ .result = ANS_IN_PROGRESS });
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p9_a_reconciliation_without_an_answer_starts_with_the_question)
{
    unknown();
    fails();
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_NEVER_SEEN });
    fails();
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

START_TEST(p9_a_late_answer_of_the_effect_does_not_skip_the_reconciliation)
{
    unknown();
    const struct request effect = *in_flight();
    fails();
    rig_answer_as(&g, &effect, (struct answer){ .result = ANS_OK });
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_ptr_null(rig_sent(&g, REQ_ACK));
}
END_TEST

/* ---- what earlier generations left ----------------------------------------------- */

static void inherit(void)
{
    rig_start(&g);
    rig_grant(&g);
    rig_forget(&g);
    rig_answer(&g, REQ_CLAIM,
               (struct answer){ .result = ANS_OK,
                                .fence = rig_fence(2),
                                .more_tasks = 3,
                                .unreconciled = { 7, 9 },
                                .unreconciled_n = 2 });
}

START_TEST(p9_inherited_operations_come_first_and_begin_with_the_question)
{
    inherit();
    uint32_t first = in_flight()->op;
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert(first == 7 || first == 9);
    ck_assert_uint_eq(in_flight()->key, first);
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_DONE });
    ok();
    answered((struct answer){ .result = ANS_OK, .more_tasks = 2 });
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_uint_eq(in_flight()->op, 16 - first); /* the other one */
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_DONE });
    ok();
    answered((struct answer){ .result = ANS_OK, .more_tasks = 1 });
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

START_TEST(p9_an_inherited_operation_is_worked_on_under_the_new_fence)
{
    inherit();
    answered((struct answer){ .result = ANS_OK, .outcome = OUTCOME_NEVER_SEEN });
    ck_assert(fence_equal(in_flight()->fence, rig_fence(2)));
    ok();
    ck_assert_int_eq(in_flight()->kind, REQ_EFFECT);
    ck_assert(fence_equal(in_flight()->fence, rig_fence(2)));
}
END_TEST

START_TEST(p9_a_task_that_had_been_taken_before_begins_with_the_question)
{
    lead(1);
    answered(
        (struct answer){ .result = ANS_OK, .op = 5, .unreconciled = { 5 }, .unreconciled_n = 1 });
    ck_assert_int_eq(in_flight()->kind, REQ_OUTCOME);
    ck_assert_uint_eq(in_flight()->op, 5);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

START_TEST(nothing_of_an_earlier_leadership_is_remembered)
{
    lead(1);
    work_up_to(REQ_EFFECT);
    rig_tell(&g, IN_FREEZE); /* the ledger binds the operation to the next generation */
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_forget(&g);
    rig_claim_ok(&g, 2, 1);
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
}
END_TEST

/* ---- nodes ----------------------------------------------------------------------- */

START_TEST(a_step_that_is_sent_elsewhere_goes_there)
{
    lead(1);
    answered((struct answer){ .result = ANS_REDIRECT, .node_hint = 2 });
    ck_assert_int_eq(in_flight()->kind, REQ_TAKE);
    ck_assert_uint_eq(rig_last(&g, OUT_SEND)->flags, 2);
}
END_TEST

START_TEST(a_step_that_cannot_be_decided_or_stored_now_is_repeated_later)
{
    lead(1);
    work_up_to(REQ_ACK);
    rig_forget(&g);
    answered((struct answer){ .result = _i ? ANS_QUOTA : ANS_UNAVAILABLE });
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_ACK), 1);
    ck_assert_uint_eq(in_flight()->op, 5);
}
END_TEST

START_TEST(a_silent_ledger_node_is_left_for_another_and_the_provider_is_not)
{
    lead(1);
    uint32_t node = rig_last(&g, OUT_SEND)->flags;
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    for (uint32_t i = g.n; i-- > 0;)
        if (g.log[i].kind == OUT_SEND && g.log[i].as.request.kind == REQ_TAKE) {
            ck_assert_uint_eq(g.log[i].flags, node + 1);
            break;
        }
}
END_TEST

/* ---- a local ledger -------------------------------------------------------------- */

/* indexeddb-ledger: an authority for local data; there is no provider to ask. */
START_TEST(with_a_local_ledger_a_task_is_taken_and_committed)
{
    g.local_authority = true;
    lead(1);
    answered((struct answer){ .result = ANS_OK, .op = 5 });
    ck_assert_int_eq(in_flight()->kind, REQ_COMMIT);
    ok();
    ck_assert_ptr_null(rig_sent(&g, REQ_EFFECT));
    ck_assert_ptr_null(rig_sent(&g, REQ_OUTCOME));
}
END_TEST

START_TEST(with_a_local_ledger_an_inherited_task_is_committed)
{
    g.local_authority = true;
    inherit();
    ck_assert_int_eq(in_flight()->kind, REQ_COMMIT);
    ck_assert(fence_equal(in_flight()->fence, rig_fence(2)));
}
END_TEST

/* ---- the user's operations ------------------------------------------------------- */

START_TEST(whoever_leads_a_page_hands_its_users_operations_over)
{
    rig_start(&g);
    rig_submit(&g, 11);
    ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 11);
    rig_result(&g, REQ_SUBMIT, ANS_OK);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_TASK), 1);
    ck_assert_uint_eq(rig_last(&g, OUT_BROADCAST)->as.message.a, 11);
}
END_TEST

START_TEST(an_operation_is_offered_until_it_is_accepted)
{
    rig_start(&g);
    rig_submit(&g, 11);
    for (int i = 0; i < 5; i++) {
        rig_forget(&g);
        if (i == 2) rig_result(&g, REQ_SUBMIT, ANS_UNAVAILABLE);
        if (i == 3) rig_tell(&g, IN_HIDDEN);
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        ck_assert_uint_eq(rig_sent_n(&g, REQ_SUBMIT), 1);
        ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 11);
        ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_TASK), 0);
    }
    rig_result(&g, REQ_SUBMIT, ANS_OK);
    rig_forget(&g);
    rig_wait(&g, MS(3000));
    ck_assert_ptr_null(rig_sent(&g, REQ_SUBMIT));
}
END_TEST

START_TEST(operations_are_handed_over_in_order_one_at_a_time)
{
    rig_start(&g);
    for (uint32_t op = 11; op <= 14; op++) rig_submit(&g, op);
    for (uint32_t op = 11; op <= 14; op++) {
        ck_assert_uint_eq(rig_sent_n(&g, REQ_SUBMIT), op - 10);
        ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, op);
        rig_result(&g, REQ_SUBMIT, ANS_OK);
    }
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_TASK), 4);
}
END_TEST

START_TEST(a_leaders_own_operation_is_worked_on_as_soon_as_it_is_accepted)
{
    lead(0);
    rig_submit(&g, 11);
    ck_assert_ptr_null(rig_sent(&g, REQ_TAKE));
    rig_result(&g, REQ_SUBMIT, ANS_OK);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_TAKE), 1);
}
END_TEST

/* Else the second operation would be taken for accepted by the first one's late answer. */
START_TEST(a_late_answer_accepts_only_the_operation_that_it_is_about)
{
    rig_start(&g);
    rig_submit(&g, 11);
    rig_submit(&g, 12);
    const struct request first = *rig_sent(&g, REQ_SUBMIT);
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    const struct request again = *rig_sent(&g, REQ_SUBMIT);
    ck_assert_uint_eq(again.op, 11);
    rig_answer_as(&g, &again, (struct answer){ .result = ANS_OK });
    ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 12);
    rig_answer_as(&g, &first, (struct answer){ .result = ANS_OK });
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_TASK), 1);
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 12); /* still on offer */
}
END_TEST

Suite *work_suite(void)
{
    Suite *s = suite_create("work");
    TCase *t = tcase_create("work");
    tcase_add_checked_fixture(t, open_rig, NULL);
    tcase_add_test(t, take_effect_ack_commit_then_the_next_task);
    tcase_add_test(t, an_empty_outbox_is_not_asked_again);
    tcase_add_test(t, a_renewal_that_tells_of_tasks_starts_the_work);
    tcase_add_test(t, one_operation_at_a_time);
    tcase_add_test(t, an_operation_that_is_gone_is_left_alone);
    tcase_add_loop_test(t, a_step_without_an_answer_is_repeated_for_the_same_operation, 0, 3);
    tcase_add_test(t, an_answer_that_comes_after_the_repetition_is_ignored);
    tcase_add_loop_test(t, p9_an_effect_without_an_answer_is_asked_about_before_anything_else, 0,
                        2);
    tcase_add_test(t, p9_an_effect_that_happened_is_reconciled_and_committed_never_repeated);
    tcase_add_test(t, p9_an_effect_that_was_never_seen_is_sent_again_under_the_same_key);
    tcase_add_test(t, p9_what_still_runs_or_is_not_known_is_asked_about_again);
    tcase_add_test(t, p9_an_effect_in_progress_is_asked_about);
    tcase_add_test(t, p9_a_reconciliation_without_an_answer_starts_with_the_question);
    tcase_add_test(t, p9_a_late_answer_of_the_effect_does_not_skip_the_reconciliation);
    tcase_add_test(t, p9_inherited_operations_come_first_and_begin_with_the_question);
    tcase_add_test(t, p9_an_inherited_operation_is_worked_on_under_the_new_fence);
    tcase_add_test(t, p9_a_task_that_had_been_taken_before_begins_with_the_question);
    tcase_add_test(t, nothing_of_an_earlier_leadership_is_remembered);
    tcase_add_test(t, a_step_that_is_sent_elsewhere_goes_there);
    tcase_add_loop_test(t, a_step_that_cannot_be_decided_or_stored_now_is_repeated_later, 0, 2);
    tcase_add_test(t, a_silent_ledger_node_is_left_for_another_and_the_provider_is_not);
    tcase_add_test(t, with_a_local_ledger_a_task_is_taken_and_committed);
    tcase_add_test(t, with_a_local_ledger_an_inherited_task_is_committed);
    tcase_add_test(t, whoever_leads_a_page_hands_its_users_operations_over);
    tcase_add_test(t, an_operation_is_offered_until_it_is_accepted);
    tcase_add_test(t, operations_are_handed_over_in_order_one_at_a_time);
    tcase_add_test(t, a_leaders_own_operation_is_worked_on_as_soon_as_it_is_accepted);
    tcase_add_test(t, a_late_answer_accepts_only_the_operation_that_it_is_about);
    suite_add_tcase(s, t);
    return s;
}
