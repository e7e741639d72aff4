/* Histories that break stage-respected, and their neighbours that do not. */
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

START_TEST(a_claim_in_observe_breaks_it)
{
    b.contract.stage = STAGE_OBSERVE;
    SAY(&b, WOULD_LEAD, .page = 0);
    expect_held(&b, INV_STAGE_RESPECTED);
    uint32_t one = b.n, two = story_claim(&b, 0, F(1));
    expect_broken(&b, INV_STAGE_RESPECTED, one, two);
}
END_TEST

START_TEST(a_commit_or_an_effect_in_read_only_breaks_it_and_a_claim_does_not)
{
    b.contract.stage = STAGE_READ_ONLY;
    story_claim(&b, 0, F(1));
    expect_held(&b, INV_STAGE_RESPECTED);
    uint32_t n = b.n, two = story_commit(&b, 0, F(1), 1);
    expect_broken(&b, INV_STAGE_RESPECTED, n, two);
    b.n = n;
    two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_STAGE_RESPECTED, n, two);
    b.n = n;
    two = SAY(&b, EFFECT_EXECUTED, .page = 0, .request = 99, .op = 1);
    expect_broken(&b, INV_STAGE_RESPECTED, OBS_NONE, two);
}
END_TEST

START_TEST(the_server_and_the_outbox_stage_may_write)
{
    b.contract.stage = STAGE_OBSERVE;
    SAY(&b, LEDGER_CLAIMED, .page = PAGE_SERVER, .fence = F(1));
    expect_unknown(&b, INV_STAGE_RESPECTED);
    b.contract.stage = STAGE_OUTBOX;
    story_claim(&b, 0, F(2));
    expect_unknown(&b, INV_STAGE_RESPECTED);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_STAGE_RESPECTED);
    story_page(&b, 0);
    expect_unknown(&b, INV_STAGE_RESPECTED);
}
END_TEST

STORY_SUITE(inv_stage_respected, a_claim_in_observe_breaks_it,
            a_commit_or_an_effect_in_read_only_breaks_it_and_a_claim_does_not,
            the_server_and_the_outbox_stage_may_write, nothing_to_judge_is_unknown)
