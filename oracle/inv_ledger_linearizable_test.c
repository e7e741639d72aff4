/* Histories that break ledger-linearizable, and their neighbours that do not. */
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

START_TEST(a_generations_life_is_fine)
{
    story_claim(&b, 0, F(1));
    SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1));
    story_take(&b, 0, F(1), 1);
    SAY(&b, LEDGER_RECONCILED, .page = 0, .fence = F(1), .op = 1, .b = OUTCOME_DONE);
    story_commit(&b, 0, F(1), 1);
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    SAY(&b, LEDGER_RELEASED, .page = 0, .fence = F(1));
    SAY(&b, LEDGER_CLAIMED, .page = 1, .partition = 1, .fence = F(2));
    SAY(&b, LEDGER_EXPIRED, .fence = F(1)); /* another node's clock was late */
    SAY(&b, LEDGER_EXPIRED, .fence = F(2));
    SAY(&b, LEDGER_EXPIRED, .fence = F(2));
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(3));
    SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_REOPENED, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = FENCE(1, 2, 2)); /* the server gives way */
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = FENCE(1, 2, 3)); /* same partition */
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

START_TEST(a_claim_from_elsewhere_while_the_lease_is_held_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(1));
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 1, .partition = 1, .fence = F(2));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n--;
    two = SAY(&b, LEDGER_CLAIMED, .page = PAGE_SERVER, .fence = F(2));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(a_renewal_revives_nothing)
{
    story_claim(&b, 0, F(1));
    uint32_t one = SAY(&b, LEDGER_EXPIRED, .fence = F(1));
    uint32_t two = SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n -= 2;
    one = SAY(&b, LEDGER_RELEASED, .page = 0, .fence = F(1));
    two = SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(work_under_a_fence_that_is_not_current_breaks_it)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_claim(&b, 1, F(2));
    uint32_t two = SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n--;
    two = SAY(&b, LEDGER_TAKEN, .page = 0, .fence = F(1), .op = 1);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(work_of_somebody_who_is_not_the_owner_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(1));
    uint32_t two = SAY(&b, LEDGER_RELEASED, .page = 1, .fence = F(1));
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(work_under_a_fence_of_nobody_breaks_it)
{
    uint32_t two = SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1));
    ck_assert_int_eq(story_finding(&b, INV_LEDGER_LINEARIZABLE).verdict, VERDICT_BROKEN);
    ck_assert_uint_eq(story_finding(&b, INV_LEDGER_LINEARIZABLE).witness[1], two);
}
END_TEST

START_TEST(an_operation_is_accepted_then_taken_then_done_once)
{
    story_claim(&b, 0, F(1));
    uint32_t n = b.n, two = SAY(&b, LEDGER_TAKEN, .page = 0, .fence = F(1), .op = 1);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, OBS_NONE, two);
    b.n = n;
    story_take(&b, 0, F(1), 1);
    uint32_t one = SAY(&b, LEDGER_TERMINAL, .op = 1);
    SAY(&b, LEDGER_ENQUEUED, .op = 1);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
    two = SAY(&b, LEDGER_TERMINAL, .op = 1);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n--;
    two = SAY(&b, LEDGER_TAKEN, .page = 0, .fence = F(1), .op = 1);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(a_take_of_no_operation_is_judged_by_its_fence_alone)
{
    story_claim(&b, 0, F(1));
    SAY(&b, LEDGER_TAKEN, .page = 0, .fence = F(1), .op = 0);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

START_TEST(work_on_a_task_that_another_fence_owns_breaks_it)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    story_claim(&b, 1, F(2));
    uint32_t n = b.n, two = story_commit(&b, 1, F(2), 1);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n = n;
    two = SAY(&b, LEDGER_RECONCILED, .page = 1, .fence = F(2), .op = 1, .b = OUTCOME_DONE);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n = n;
    SAY(&b, LEDGER_OWNER, .page = 1, .fence = F(2), .op = 1);
    story_commit(&b, 1, F(2), 1);
    SAY(&b, LEDGER_COMMITTED, .page = 1, .fence = F(2), .op = 2); /* nobody was named */
    SAY(&b, LEDGER_COMMITTED, .page = 1, .fence = F(2), .op = 0);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

START_TEST(a_cursor_elsewhere_than_it_was_moved_to_breaks_it)
{
    story_claim(&b, 0, F(1));
    story_take(&b, 0, F(1), 1);
    uint32_t id = story_ask(&b, 0, REQ_COMMIT, F(1), 1), one = b.n - 1;
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1), .op = 1, .a = PART_CURSOR);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1), .op = 2, .a = PART_DELETE);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
    uint32_t two = SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1), .op = 2,
                       .a = PART_CURSOR);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
    b.n--; /* the first break stands, whatever else is wrong with the commit */
    story_claim(&b, 1, F(2));
    two = SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1), .op = 2,
              .a = PART_CURSOR);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, two - 2, two);
}
END_TEST

START_TEST(a_take_beside_an_operation_that_is_open_breaks_it)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    uint32_t n = b.n;
    story_take(&b, 0, F(1), 2);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, b.n - 2);
    b.n = n;
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    story_take(&b, 0, F(1), 2);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
    story_claim(&b, 1, F(2)); /* what an earlier generation has begun is no bar */
    story_take(&b, 1, F(2), 3);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

START_TEST(the_servers_worker_may_take_several)
{
    SAY(&b, LEDGER_CLAIMED, .page = PAGE_SERVER, .fence = F(1));
    story_take(&b, PAGE_SERVER, F(1), 1);
    story_take(&b, PAGE_SERVER, F(1), 2);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

START_TEST(decisions_out_of_the_order_of_their_index_break_it)
{
    uint32_t one = SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(1), .c = 3);
    SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1), .c = 4);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1), .c = 4);
    expect_held(&b, INV_LEDGER_LINEARIZABLE);
    uint32_t two = SAY(&b, LEDGER_RENEWED, .page = 0, .fence = F(1), .c = 3);
    expect_broken(&b, INV_LEDGER_LINEARIZABLE, one, two);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_LEDGER_LINEARIZABLE);
    story_page(&b, 0);
    expect_unknown(&b, INV_LEDGER_LINEARIZABLE);
}
END_TEST

STORY_SUITE(inv_ledger_linearizable, a_generations_life_is_fine,
            a_claim_from_elsewhere_while_the_lease_is_held_breaks_it, a_renewal_revives_nothing,
            work_under_a_fence_that_is_not_current_breaks_it,
            work_of_somebody_who_is_not_the_owner_breaks_it, work_under_a_fence_of_nobody_breaks_it,
            an_operation_is_accepted_then_taken_then_done_once,
            a_take_of_no_operation_is_judged_by_its_fence_alone,
            work_on_a_task_that_another_fence_owns_breaks_it,
            a_cursor_elsewhere_than_it_was_moved_to_breaks_it,
            a_take_beside_an_operation_that_is_open_breaks_it, the_servers_worker_may_take_several,
            decisions_out_of_the_order_of_their_index_break_it, nothing_to_judge_is_unknown)
