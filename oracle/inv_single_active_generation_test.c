/* Histories that break single-active-generation, and their neighbours that do not. */
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

START_TEST(two_nodes_that_accept_two_fences_break_it)
{
    uint32_t one = SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(1));
    uint32_t two = SAY(&b, LEDGER_ACCEPTABLE, .node = 1, .fence = F(2));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(the_same_fence_at_two_nodes_is_fine)
{
    SAY(&b, NODE_UP, .node = 1);
    SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(1));
    SAY(&b, LEDGER_ACCEPTABLE, .node = 1, .fence = F(1));
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

START_TEST(a_node_that_let_go_or_crashed_accepts_nothing)
{
    SAY(&b, NODE_UP, .node = 1);
    SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(1));
    SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(0));
    SAY(&b, LEDGER_ACCEPTABLE, .node = 1, .fence = F(2));
    SAY(&b, NODE_DOWN, .node = 1);
    SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(3));
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

START_TEST(local_ledgers_are_authorities_of_their_own)
{
    SAY(&b, LEDGER_ACCEPTABLE, .node = 0, .fence = F(1));
    SAY(&b, LEDGER_ACCEPTABLE, .node = 16, .fence = FENCE(7, 1, 1));
    SAY(&b, LEDGER_ACCEPTABLE, .node = 17, .fence = FENCE(8, 1, 2));
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

START_TEST(one_generation_claimed_by_two_pages_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(1));
    uint32_t two = story_claim(&b, 1, F(1));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(one_generation_repeated_to_another_page_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(1));
    SAY(&b, LEDGER_REPEATED, .page = 0, .fence = F(1));
    SAY(&b, LEDGER_REPEATED, .page = 0, .fence = F(9));
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
    story_claim(&b, 1, F(2));
    uint32_t two = SAY(&b, LEDGER_REPEATED, .page = 1, .fence = F(1));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(a_claim_that_is_not_larger_breaks_it)
{
    uint32_t one = story_claim(&b, 0, F(2));
    uint32_t two = story_claim(&b, 1, F(1));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
    b.n = 0;
    one = story_claim(&b, 0, F(2));
    two = story_claim(&b, 0, F(2));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(a_generation_forgotten_by_a_fail_over_breaks_it_after_the_epoch_too)
{
    uint32_t one = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    uint32_t two = story_claim(&b, 0, F(9));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
    b.n = 0;
    one = story_claim(&b, 0, FENCE(1, 2, 1));
    two = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(growing_fences_and_other_incarnations_are_fine)
{
    story_claim(&b, 0, F(5));
    story_claim(&b, 1, F(6));
    story_claim(&b, 1, FENCE(1, 2, 1));
    story_claim(&b, 0, FENCE(2, 1, 1));
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

START_TEST(a_claim_whose_decision_index_does_not_grow_breaks_it)
{
    uint32_t one = SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(1), .c = 5);
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(2), .c = 6);
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
    b.n = 1;
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(2), .c = 5);
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_SINGLE_ACTIVE_GENERATION);
    story_page(&b, 0);
    expect_unknown(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

STORY_SUITE(inv_single_active_generation, two_nodes_that_accept_two_fences_break_it,
            the_same_fence_at_two_nodes_is_fine, a_node_that_let_go_or_crashed_accepts_nothing,
            local_ledgers_are_authorities_of_their_own,
            one_generation_claimed_by_two_pages_breaks_it,
            one_generation_repeated_to_another_page_breaks_it, a_claim_that_is_not_larger_breaks_it,
            a_generation_forgotten_by_a_fail_over_breaks_it_after_the_epoch_too,
            growing_fences_and_other_incarnations_are_fine,
            a_claim_whose_decision_index_does_not_grow_breaks_it, nothing_to_judge_is_unknown)
