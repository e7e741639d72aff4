/* Histories that break unreconciled-owned, and their neighbours that do not. */
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

/* Page 0 has taken operation 1; page 1 takes over. Returns the second claim. */
static uint32_t takeover(uint32_t *take)
{
    story_claim(&b, 0, F(1));
    *take = story_take(&b, 0, F(1), 1);
    story_wait_ms(&b, 10);
    return SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2));
}

START_TEST(an_operation_without_a_new_owner_breaks_it_at_the_end_of_the_transaction)
{
    uint32_t take, claim = takeover(&take);
    expect_broken(&b, INV_UNRECONCILED_OWNED, take, claim);
    SAY(&b, LEDGER_ACCEPTABLE, .fence = F(2));
    SAY(&b, LEDGER_RENEWED, .page = 1, .fence = F(2));
    expect_broken(&b, INV_UNRECONCILED_OWNED, take, claim);
}
END_TEST

START_TEST(an_owner_given_in_the_transaction_is_fine)
{
    uint32_t take;
    takeover(&take);
    SAY(&b, LEDGER_OWNER, .page = 1, .fence = F(2), .op = 1);
    SAY(&b, LEDGER_RENEWED, .page = 1, .fence = F(2));
    expect_held(&b, INV_UNRECONCILED_OWNED);
}
END_TEST

START_TEST(an_owner_given_later_is_too_late)
{
    uint32_t take, claim = takeover(&take);
    story_wait_ms(&b, 1);
    SAY(&b, LEDGER_OWNER, .page = 1, .fence = F(2), .op = 1);
    expect_broken(&b, INV_UNRECONCILED_OWNED, take, claim);
}
END_TEST

START_TEST(a_take_or_an_end_right_after_does_not_hide_it)
{
    uint32_t take, claim = takeover(&take);
    SAY(&b, LEDGER_TAKEN, .page = 1, .fence = F(2), .op = 1);
    expect_broken(&b, INV_UNRECONCILED_OWNED, take, claim);
    b.n--;
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    expect_broken(&b, INV_UNRECONCILED_OWNED, take, claim);
}
END_TEST

START_TEST(the_server_may_own_it)
{
    uint32_t take;
    takeover(&take);
    SAY(&b, LEDGER_OWNER, .page = PAGE_SERVER, .op = 1);
    expect_held(&b, INV_UNRECONCILED_OWNED);
}
END_TEST

START_TEST(an_epoch_advance_is_a_transition_too)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    story_wait_ms(&b, 1);
    uint32_t two = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    expect_broken(&b, INV_UNRECONCILED_OWNED, one, two);
}
END_TEST

START_TEST(what_is_done_or_never_taken_needs_no_owner)
{
    story_claim(&b, 0, F(1));
    story_take(&b, 0, F(1), 1);
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    SAY(&b, LEDGER_ENQUEUED, .op = 2);
    story_wait_ms(&b, 1);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2));
    SAY(&b, LEDGER_TAKEN, .page = 1, .fence = F(2), .op = 2);
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(3));
    SAY(&b, LEDGER_TERMINAL, .op = 1); /* done twice: another invariant's business */
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(4));
    SAY(&b, LEDGER_TERMINAL, .op = 0);
    ck_assert_int_eq(story_finding(&b, INV_UNRECONCILED_OWNED).verdict, VERDICT_BROKEN);
}
END_TEST

START_TEST(an_operation_never_taken_that_ends_right_after_needs_no_owner)
{
    SAY(&b, LEDGER_ENQUEUED, .op = 1);
    story_claim(&b, 0, F(1));
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    story_claim(&b, 0, F(2));
    SAY(&b, LEDGER_TERMINAL, .op = 0);
    story_claim(&b, 0, F(3));
    SAY(&b, LEDGER_TERMINAL, .op = 1);
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
}
END_TEST

START_TEST(two_that_lack_an_owner_are_one_break)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    story_take(&b, 0, F(1), 2);
    story_wait_ms(&b, 1);
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2));
    SAY(&b, LEDGER_TERMINAL, .op = 2);
    expect_broken(&b, INV_UNRECONCILED_OWNED, one, two);
}
END_TEST

START_TEST(what_the_provider_never_saw_is_nobodys_until_it_is_asked_for_again)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    SAY(&b, LEDGER_RECONCILED, .page = 0, .fence = F(1), .op = 1, .b = OUTCOME_NEVER_SEEN);
    SAY(&b, LEDGER_RECONCILED, .page = 0, .fence = F(1), .op = 1, .b = OUTCOME_NEVER_SEEN);
    story_wait_ms(&b, 1);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2));
    SAY(&b, LEDGER_RENEWED, .page = 1, .fence = F(2));
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
    story_ask(&b, 1, REQ_EFFECT, F(2), 1);
    story_ask(&b, 1, REQ_EFFECT, F(2), 1);
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(3));
    expect_broken(&b, INV_UNRECONCILED_OWNED, one, two);
}
END_TEST

START_TEST(a_cleared_ledger_does_not_inherit)
{
    story_claim(&b, 0, FENCE(1, 1, 1));
    story_take(&b, 0, FENCE(1, 1, 1), 1);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = FENCE(2, 1, 1));
    SAY(&b, LEDGER_RENEWED, .page = 1, .fence = FENCE(2, 1, 1));
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
    story_page(&b, 0);
    expect_unknown(&b, INV_UNRECONCILED_OWNED);
}
END_TEST

START_TEST(a_break_found_in_the_open_list_ends_the_search)
{
    story_claim(&b, 0, F(1));
    uint32_t one = story_take(&b, 0, F(1), 1);
    story_take(&b, 0, F(1), 2);
    story_wait_ms(&b, 1);
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_RENEWED, .page = 1, .fence = FENCE(1, 2, 1));
    expect_broken(&b, INV_UNRECONCILED_OWNED, one, two);
}
END_TEST

STORY_SUITE(inv_unreconciled_owned,
            an_operation_without_a_new_owner_breaks_it_at_the_end_of_the_transaction,
            an_owner_given_in_the_transaction_is_fine, an_owner_given_later_is_too_late,
            a_take_or_an_end_right_after_does_not_hide_it, the_server_may_own_it,
            an_epoch_advance_is_a_transition_too, what_is_done_or_never_taken_needs_no_owner,
            an_operation_never_taken_that_ends_right_after_needs_no_owner,
            two_that_lack_an_owner_are_one_break,
            what_the_provider_never_saw_is_nobodys_until_it_is_asked_for_again,
            a_cleared_ledger_does_not_inherit, nothing_to_judge_is_unknown,
            a_break_found_in_the_open_list_ends_the_search)
