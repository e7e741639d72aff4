/* Histories that break no-stale-commit, and their neighbours that do not. */
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

START_TEST(a_commit_under_a_smaller_fence_breaks_it)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_claim(&b, 1, F(2));
    uint32_t two = story_commit(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_STALE_COMMIT, one, two);
}
END_TEST

START_TEST(a_commit_before_the_larger_fence_is_fine)
{
    story_claim(&b, 0, F(1));
    story_commit(&b, 0, F(1), 1);
    story_claim(&b, 1, F(2));
    story_commit(&b, 1, F(2), 1);
    expect_held(&b, INV_NO_STALE_COMMIT);
}
END_TEST

START_TEST(an_epoch_advance_outdates_a_fence_too)
{
    story_claim(&b, 0, F(1));
    uint32_t one = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_COMMITTED, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1), .op = 1);
    expect_held(&b, INV_NO_STALE_COMMIT);
    uint32_t two = story_commit(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_STALE_COMMIT, one, two);
}
END_TEST

START_TEST(a_commit_from_somebody_else_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(1));
    uint32_t two = story_commit(&b, 1, F(1), 1);
    expect_broken(&b, INV_NO_STALE_COMMIT, one, two);
}
END_TEST

START_TEST(a_commit_under_a_fence_that_nobody_claimed_breaks_it)
{
    uint32_t two = story_commit(&b, 1, F(1), 1);
    expect_broken(&b, INV_NO_STALE_COMMIT, OBS_NONE, two);
}
END_TEST

START_TEST(with_a_quorum_the_decision_index_is_the_order)
{
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(1), .c = 1);
    uint32_t one = SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2), .c = 5);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1), .c = 4);
    expect_held(&b, INV_NO_STALE_COMMIT);
    uint32_t two = SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1), .c = 6);
    expect_broken(&b, INV_NO_STALE_COMMIT, one, two);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_NO_STALE_COMMIT);
    story_page(&b, 0);
    expect_unknown(&b, INV_NO_STALE_COMMIT);
}
END_TEST

STORY_SUITE(inv_no_stale_commit, a_commit_under_a_smaller_fence_breaks_it,
            a_commit_before_the_larger_fence_is_fine, an_epoch_advance_outdates_a_fence_too,
            a_commit_from_somebody_else_breaks_it,
            a_commit_under_a_fence_that_nobody_claimed_breaks_it,
            with_a_quorum_the_decision_index_is_the_order, nothing_to_judge_is_unknown)
