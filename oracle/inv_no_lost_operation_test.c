/* Histories that break no-lost-operation, and their neighbours that do not. */
#include "oracle/builder.h"

static struct story b;

static void setup(void)
{
    story_open(&b);
}
static void teardown(void)
{
    story_close(&b);
}

static uint32_t enqueue(uint32_t op)
{
    return SAY(&b, LEDGER_ENQUEUED, .page = 0, .op = op);
}

static void finish_op(uint32_t op)
{
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = op);
    SAY(&b, LEDGER_TERMINAL, .op = op);
}

static void heal(void)
{
    SAY(&b, ROUND_HEALED, .a = 5000);
}

static uint32_t end_after_ms(int64_t ms)
{
    story_wait_ms(&b, ms);
    return SAY(&b, ROUND_ENDED, .a = 0);
}

START_TEST(an_operation_that_never_ends_breaks_it)
{
    story_page(&b, 0);
    uint32_t one = enqueue(1);
    heal();
    uint32_t two = end_after_ms(5000);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

START_TEST(operations_that_end_are_fine)
{
    story_page(&b, 0);
    enqueue(1);
    finish_op(1);
    enqueue(2);
    heal();
    finish_op(2);
    end_after_ms(9000);
    expect_held(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(what_was_called_safe_has_to_reach_the_outbox)
{
    story_page(&b, 0);
    uint32_t one = SAY(&b, OPERATION_KEPT, .page = 0, .op = 3);
    heal();
    uint32_t two = end_after_ms(5000);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

START_TEST(what_was_called_safe_and_is_in_the_outbox_is_fine)
{
    story_page(&b, 0);
    SAY(&b, OPERATION_KEPT, .page = 0, .op = 3);
    enqueue(3);
    heal();
    finish_op(3);
    end_after_ms(9000);
    expect_held(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(what_was_called_safe_may_still_come)
{
    story_page(&b, 0);
    SAY(&b, OPERATION_KEPT, .page = 0, .op = 3);
    heal();
    end_after_ms(4999);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(what_the_user_cleared_is_not_lost)
{
    b.contract.authority = AUTHORITY_INDEXEDDB;
    story_page(&b, 0);
    SAY(&b, LEDGER_ENQUEUED, .node = 16, .page = 0, .op = 3);
    uint32_t n = b.n;
    SAY(&b, STORAGE_FAULT, .partition = 0, .a = 1);
    SAY(&b, OPERATION_KEPT, .page = 0, .op = 3); /* its answer was on the way */
    heal();
    end_after_ms(9000);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
    b.n = n;
    SAY(&b, OPERATION_KEPT, .page = 0, .op = 4); /* another one, which was never stored */
    heal();
    end_after_ms(9000);
    ck_assert_int_eq(story_finding(&b, INV_NO_LOST_OPERATION).verdict, VERDICT_BROKEN);
}
END_TEST

START_TEST(done_without_an_effect_breaks_it)
{
    uint32_t one = enqueue(1);
    uint32_t two = SAY(&b, LEDGER_TERMINAL, .op = 1);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
    b.contract.authority = AUTHORITY_INDEXEDDB; /* local data: no provider */
    heal();
    expect_held(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(an_end_of_what_was_never_accepted_is_not_judged_here)
{
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    SAY(&b, LEDGER_TERMINAL, .op = 0);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(work_within_the_demanded_time_is_unknown)
{
    story_page(&b, 0);
    enqueue(1);
    uint32_t one = enqueue(2);
    heal();
    story_wait_ms(&b, 3000);
    finish_op(1); /* the one before it */
    end_after_ms(4999);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
    b.n--;
    uint32_t two = end_after_ms(1);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

START_TEST(work_on_later_operations_does_not_help_the_oldest)
{
    story_page(&b, 0);
    uint32_t one = enqueue(1);
    enqueue(2);
    heal();
    story_wait_ms(&b, 4000);
    finish_op(2);
    uint32_t two = end_after_ms(1000);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

START_TEST(a_refusal_is_no_work)
{
    story_page(&b, 0);
    uint32_t one = enqueue(1);
    heal();
    story_wait_ms(&b, 4000);
    SAY(&b, LEDGER_REFUSED, .page = 0, .op = 1, .a = REQ_COMMIT, .b = ANS_FENCED);
    SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1));
    uint32_t two = end_after_ms(1000);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

START_TEST(an_excuse_of_progress_is_an_excuse_here)
{
    story_page(&b, 0);
    enqueue(1);
    heal();
    SAY(&b, PAGE_LOCKS, .page = 0, .a = 1);
    story_wait_ms(&b, 9000);
    SAY(&b, PAGE_LOCKS, .page = 0, .a = 1);
    expect_broken(&b, INV_NO_LOST_OPERATION, 1, OBS_NONE); /* a history without its end */
    b.n = 2;
    SAY(&b, PAGE_FROZEN, .page = 0);
    heal();
    end_after_ms(9000);
    struct finding f = story_finding(&b, INV_NO_LOST_OPERATION);
    ck_assert_int_eq(f.verdict, VERDICT_HELD);
    ck_assert_str_eq(f.reason, "every remaining page is frozen, cached or asleep");
}
END_TEST

START_TEST(a_round_that_was_not_healed_or_cut_short_is_unknown)
{
    story_page(&b, 0);
    enqueue(1);
    end_after_ms(9000);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
    b.n--;
    heal();
    story_wait_ms(&b, 9000);
    SAY(&b, ROUND_ENDED, .a = 1);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(observe_and_read_only_finish_nothing)
{
    b.contract.stage = STAGE_READ_ONLY;
    story_page(&b, 0);
    enqueue(1);
    heal();
    end_after_ms(9000);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(every_local_ledger_has_its_own_outbox)
{
    b.contract.authority = AUTHORITY_INDEXEDDB;
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .device = 1, .partition = 1, .flags = PAGE_IS_ABLE, .b = 3);
    SAY(&b, PAGE_FROZEN, .page = 1);
    uint32_t other = SAY(&b, LEDGER_ENQUEUED, .node = 17, .page = 1, .op = 1);
    heal();
    uint32_t end = end_after_ms(9000);
    expect_held(&b, INV_NO_LOST_OPERATION); /* nobody runs where operation 1 is */
    b.n = other;
    other = SAY(&b, LEDGER_ENQUEUED, .node = 17, .page = 1, .op = 1);
    uint32_t mine = SAY(&b, LEDGER_ENQUEUED, .node = 16, .page = 0, .op = 2);
    heal();
    end = end_after_ms(9000);
    expect_broken(&b, INV_NO_LOST_OPERATION, mine, end);
    b.n = other;
    SAY(&b, LEDGER_ENQUEUED, .node = 16, .page = 0, .op = 2);
    mine = SAY(&b, LEDGER_ENQUEUED, .node = 17, .page = 1, .op = 1);
    heal();
    story_wait_ms(&b, 8000);
    SAY(&b, LEDGER_TAKEN, .node = 16, .page = 0, .fence = F(1), .op = 2);
    end_after_ms(1000);
    expect_unknown(&b, INV_NO_LOST_OPERATION); /* one is worked on, the other excused */
    b.n--;
    SAY(&b, PAGE_RESUMED, .page = 1);
    end_after_ms(3000);
    expect_unknown(&b, INV_NO_LOST_OPERATION); /* could be worked on, not yet long enough */
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_NO_LOST_OPERATION);
    story_page(&b, 0);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
}
END_TEST

START_TEST(an_outbox_that_is_worked_on_leaves_a_later_one_unknown_too)
{
    story_page(&b, 0);
    enqueue(1);
    enqueue(2);
    SAY(&b, LEDGER_ENQUEUED, .node = 17, .op = 3);
    heal();
    end_after_ms(1);
    expect_unknown(&b, INV_NO_LOST_OPERATION);
    b.n--;
    SAY(&b, LEDGER_TAKEN, .page = 0, .fence = F(1), .op = 2);
    uint32_t end = end_after_ms(5000);
    expect_broken(&b, INV_NO_LOST_OPERATION, 1, end);
}
END_TEST

START_TEST(one_outbox_in_work_does_not_hide_another_that_is_stuck)
{
    b.contract.authority = AUTHORITY_INDEXEDDB;
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .device = 1, .partition = 1, .flags = PAGE_IS_ABLE, .b = 3);
    SAY(&b, LEDGER_ENQUEUED, .node = 16, .page = 0, .op = 1);
    uint32_t one = SAY(&b, LEDGER_ENQUEUED, .node = 17, .page = 1, .op = 2);
    heal();
    story_wait_ms(&b, 4000);
    SAY(&b, PAGE_LOCKS, .page = 1, .a = 1);
    SAY(&b, LEDGER_TAKEN, .node = 16, .page = 0, .fence = F(1), .op = 1);
    uint32_t two = end_after_ms(1000);
    expect_broken(&b, INV_NO_LOST_OPERATION, one, two);
}
END_TEST

STORY_SUITE(inv_no_lost_operation, an_operation_that_never_ends_breaks_it,
            operations_that_end_are_fine, done_without_an_effect_breaks_it,
            what_was_called_safe_has_to_reach_the_outbox,
            what_was_called_safe_and_is_in_the_outbox_is_fine, what_was_called_safe_may_still_come,
            what_the_user_cleared_is_not_lost, an_end_of_what_was_never_accepted_is_not_judged_here,
            work_within_the_demanded_time_is_unknown,
            work_on_later_operations_does_not_help_the_oldest, a_refusal_is_no_work,
            an_excuse_of_progress_is_an_excuse_here,
            a_round_that_was_not_healed_or_cut_short_is_unknown,
            observe_and_read_only_finish_nothing, every_local_ledger_has_its_own_outbox,
            nothing_to_judge_is_unknown, an_outbox_that_is_worked_on_leaves_a_later_one_unknown_too,
            one_outbox_in_work_does_not_hide_another_that_is_stuck)
