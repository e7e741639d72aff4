/* Histories that break fence-outlives-rollback, and their neighbours that do not. */
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

START_TEST(an_older_protocol_that_is_accepted_breaks_it)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .flags = PAGE_IS_ABLE, .b = 2);
    uint32_t one = story_claim(&b, 0, F(1));
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2), .a = 2);
    expect_broken(&b, INV_FENCE_OUTLIVES_ROLLBACK, one, two);
}
END_TEST

START_TEST(an_older_protocol_before_any_newer_is_fine_and_a_refusal_is_evidence)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .flags = PAGE_IS_ABLE, .b = 2);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(1), .a = 2);
    story_claim(&b, 0, F(2));
    story_claim(&b, 5, F(3)); /* a page whose protocol is not known */
    SAY(&b, LEDGER_REFUSED, .page = 1, .a = REQ_CLAIM, .b = ANS_FENCED);
    expect_unknown(&b, INV_FENCE_OUTLIVES_ROLLBACK);
    SAY(&b, LEDGER_REFUSED, .page = 1, .a = REQ_CLAIM, .b = ANS_PROTOCOL_TOO_OLD);
    expect_held(&b, INV_FENCE_OUTLIVES_ROLLBACK);
    b.n--;
    SAY(&b, LEDGER_REFUSED, .page = 1, .a = REQ_CLAIM, .b = ANS_EPOCH_CLOSED);
    expect_held(&b, INV_FENCE_OUTLIVES_ROLLBACK);
}
END_TEST

START_TEST(pages_of_the_newest_protocol_follow_each_other)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 0, F(1));
    story_claim(&b, 1, F(2));
    SAY(&b, LEDGER_REFUSED, .page = 2, .a = REQ_CLAIM, .b = ANS_PROTOCOL_TOO_OLD);
    expect_held(&b, INV_FENCE_OUTLIVES_ROLLBACK);
}
END_TEST

START_TEST(a_page_that_is_accepted_while_the_epoch_is_closed_breaks_it)
{
    uint32_t one = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_TAKEN, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1), .op = 1);
    expect_held(&b, INV_FENCE_OUTLIVES_ROLLBACK);
    uint32_t two = SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = FENCE(1, 2, 2));
    expect_broken(&b, INV_FENCE_OUTLIVES_ROLLBACK, one, two);
}
END_TEST

START_TEST(after_reopening_only_the_new_epoch_is_accepted)
{
    story_claim(&b, 0, F(1));
    uint32_t one = SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_REOPENED, .fence = FENCE(1, 2, 1));
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = FENCE(1, 2, 2));
    expect_held(&b, INV_FENCE_OUTLIVES_ROLLBACK);
    uint32_t two = SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1));
    expect_broken(&b, INV_FENCE_OUTLIVES_ROLLBACK, one, two);
}
END_TEST

START_TEST(a_commit_at_an_authority_that_nobody_knows_is_not_judged)
{
    SAY(&b, LEDGER_COMMITTED, .page = 0, .fence = F(1));
    story_claim(&b, 0, F(1));
    expect_unknown(&b, INV_FENCE_OUTLIVES_ROLLBACK);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_FENCE_OUTLIVES_ROLLBACK);
    story_page(&b, 0);
    expect_unknown(&b, INV_FENCE_OUTLIVES_ROLLBACK);
}
END_TEST

STORY_SUITE(inv_fence_outlives_rollback, an_older_protocol_that_is_accepted_breaks_it,
            an_older_protocol_before_any_newer_is_fine_and_a_refusal_is_evidence,
            pages_of_the_newest_protocol_follow_each_other,
            a_page_that_is_accepted_while_the_epoch_is_closed_breaks_it,
            after_reopening_only_the_new_epoch_is_accepted,
            a_commit_at_an_authority_that_nobody_knows_is_not_judged, nothing_to_judge_is_unknown)
