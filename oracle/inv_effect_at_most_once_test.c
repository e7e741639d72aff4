/* Histories that break effect-at-most-once, and their neighbours that do not. */
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

START_TEST(two_effects_of_one_operation_break_it_whatever_the_key)
{
    uint32_t one = SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1, .key = 1);
    uint32_t two = SAY(&b, EFFECT_EXECUTED, .page = PAGE_SERVER, .op = 1, .key = 99);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1, .key = 1);
    expect_broken(&b, INV_EFFECT_AT_MOST_ONCE, one, two);
}
END_TEST

START_TEST(an_absorbed_repeat_and_another_operation_are_fine)
{
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1, .key = 1);
    SAY(&b, EFFECT_ABSORBED, .page = 0, .op = 1, .key = 1);
    SAY(&b, EFFECT_ASKED, .page = 0, .op = 1, .b = OUTCOME_DONE);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 2, .key = 2);
    expect_held(&b, INV_EFFECT_AT_MOST_ONCE);
}
END_TEST

START_TEST(an_effect_of_no_operation_is_not_judged)
{
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 0);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 0);
    expect_unknown(&b, INV_EFFECT_AT_MOST_ONCE);
}
END_TEST

START_TEST(an_operation_beyond_the_capacity_makes_it_unknown)
{
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = STORY_OPS + 1);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1);
    expect_unknown(&b, INV_EFFECT_AT_MOST_ONCE);
}
END_TEST

START_TEST(a_break_stands_when_a_capacity_is_exceeded_later)
{
    uint32_t one = SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1);
    uint32_t two = SAY(&b, EFFECT_EXECUTED, .page = 0, .op = 1);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .op = STORY_OPS + 1);
    expect_broken(&b, INV_EFFECT_AT_MOST_ONCE, one, two);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_EFFECT_AT_MOST_ONCE);
    story_page(&b, 0);
    expect_unknown(&b, INV_EFFECT_AT_MOST_ONCE);
}
END_TEST

STORY_SUITE(inv_effect_at_most_once, two_effects_of_one_operation_break_it_whatever_the_key,
            an_absorbed_repeat_and_another_operation_are_fine,
            an_effect_of_no_operation_is_not_judged,
            an_operation_beyond_the_capacity_makes_it_unknown,
            a_break_stands_when_a_capacity_is_exceeded_later, nothing_to_judge_is_unknown)
