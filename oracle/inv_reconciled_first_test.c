/* Histories that break reconciled-first, and their neighbours that do not. */
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

/* The observation of a call for the effect of an operation. */
static uint32_t call(uint16_t page, struct fence f, uint32_t op)
{
    story_ask(&b, page, REQ_EFFECT, f, op);
    return b.n - 1;
}

static void asked(uint32_t op)
{
    SAY(&b, EFFECT_ASKED, .page = 0, .op = op, .b = OUTCOME_NEVER_SEEN);
}

START_TEST(an_effect_that_is_sent_again_unasked_breaks_it)
{
    story_claim(&b, 0, F(1));
    uint32_t one = call(0, F(1), 1);
    call(0, F(1), 2);
    expect_held(&b, INV_RECONCILED_FIRST);
    uint32_t two = call(0, F(1), 1);
    expect_broken(&b, INV_RECONCILED_FIRST, one, two);
}
END_TEST

START_TEST(who_has_asked_may_send_again)
{
    story_claim(&b, 0, F(1));
    for (int i = 0; i < 3; i++) {
        call(0, F(1), 1);
        story_ask(&b, 0, REQ_OUTCOME, F(1), 1);
        asked(1);
    }
    expect_held(&b, INV_RECONCILED_FIRST);
}
END_TEST

START_TEST(what_an_earlier_owner_has_sent_is_asked_about_too)
{
    story_claim(&b, 0, F(1));
    uint32_t one = call(0, F(1), 1);
    story_claim(&b, 1, F(2));
    uint32_t n = b.n;
    uint32_t two = call(1, F(2), 1);
    expect_broken(&b, INV_RECONCILED_FIRST, one, two);
    b.n = n;
    asked(1);
    call(0, F(1), 1); /* fenced, and does not know: the owner cannot know either */
    call(1, F(2), 1);
    call(2, F(9), 1); /* under a fence that nobody has claimed */
    expect_held(&b, INV_RECONCILED_FIRST);
}
END_TEST

START_TEST(the_servers_call_counts_and_is_not_judged)
{
    story_claim(&b, 0, F(1));
    uint32_t one = call(PAGE_SERVER, F(1), 1);
    call(PAGE_SERVER, F(1), 1);
    expect_unknown(&b, INV_RECONCILED_FIRST);
    story_claim(&b, 1, F(2));
    uint32_t two = call(1, F(2), 1);
    expect_broken(&b, INV_RECONCILED_FIRST, one + 1, two);
}
END_TEST

START_TEST(an_answer_that_nothing_has_begun_settles_its_call)
{
    story_claim(&b, 0, F(1));
    call(1, F(9), 1);
    call(0, F(1), 1);
    story_answer(&b, 0, b.requests, REQ_EFFECT, ANS_UNAVAILABLE, F(1));
    uint32_t one = call(0, F(1), 1);
    expect_held(&b, INV_RECONCILED_FIRST);
    story_answer(&b, 0, b.requests, REQ_EFFECT, ANS_IN_PROGRESS, F(1));
    uint32_t two = call(0, F(1), 1);
    expect_broken(&b, INV_RECONCILED_FIRST, one, two);
}
END_TEST

START_TEST(the_newest_calls_of_an_operation_are_remembered)
{
    story_claim(&b, 0, F(1));
    call(0, F(1), 1);
    for (uint16_t page = 1; page <= 4; page++) call(page, F(9), 1);
    call(0, F(1), 1);
    expect_held(&b, INV_RECONCILED_FIRST);
}
END_TEST

START_TEST(a_call_for_no_operation_is_not_judged)
{
    call(0, F(1), 0);
    call(0, F(1), 0);
    SAY(&b, ANSWER_HANDLED, .page = 0, .request = 99, .a = REQ_EFFECT, .b = ANS_OK);
    expect_unknown(&b, INV_RECONCILED_FIRST);
}
END_TEST

STORY_SUITE(inv_reconciled_first, an_effect_that_is_sent_again_unasked_breaks_it,
            who_has_asked_may_send_again, what_an_earlier_owner_has_sent_is_asked_about_too,
            the_servers_call_counts_and_is_not_judged,
            an_answer_that_nothing_has_begun_settles_its_call,
            the_newest_calls_of_an_operation_are_remembered, a_call_for_no_operation_is_not_judged)
