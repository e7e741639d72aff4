/* The judge as a whole: names, the canary, capacities, resets, and no include of the
 * simulator in any file of the oracle. */
#include "oracle/builder.h"
#include "oracle/invariant.h"

#include <stdio.h>
#include <string.h>

static struct story b;

static void setup(void)
{
    story_open(&b);
}
static void teardown(void)
{
    story_close(&b);
}

START_TEST(every_invariant_has_a_word_and_a_sentence)
{
    for (int i = 0; i < INV_COUNT; i++) {
        ck_assert_int_eq(invariant_find(invariant_word[i]), i);
        ck_assert_uint_gt(strlen(invariant_says[i]), 20);
    }
    ck_assert_int_eq(invariant_find("no-such-invariant"), INV_COUNT);
    for (int i = 0; i < GAP_COUNT; i++) ck_assert_uint_gt(strlen(gap_word[i]), 2);
}
END_TEST

START_TEST(an_empty_history_is_unknown_everywhere)
{
    for (int i = 0; i < INV_COUNT; i++) {
        struct finding f = story_finding(&b, (enum invariant_kind)i);
        ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
        ck_assert_uint_eq(f.witness[0], OBS_NONE);
        ck_assert_ptr_null(f.reason);
    }
}
END_TEST

/* Breaks what can be broken in one round. */
static void canary(void)
{
    SAY(&b, PAGE_CREATED, .page = 1, .flags = PAGE_IS_ABLE, .b = 2);
    story_page(&b, 0);
    story_claim(&b, 0, F(2));
    story_take(&b, 0, F(2), 1);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(3), .a = 2); /* older, nobody owns 1 */
    story_commit(&b, 0, F(2), 2);                              /* stale, without a take */
    story_claim(&b, 1, F(1));                                  /* not larger */
    story_effect(&b, 0, F(2), 1);
    story_effect(&b, 0, F(2), 1); /* twice */
    SAY(&b, STATE_CHANGED, .page = 0, .a = STATE_RELEASED, .b = STATE_LEADER);
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER,
        .flags = LOCK_IS_STEAL); /* no permit */
    SAY(&b, LOCK_RELEASED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    SAY(&b, SESSION_ROTATED, .page = 0, .request = 1, .key = 1, .a = 1, .b = 2);
    SAY(&b, SESSION_REUSED, .page = 1, .request = 2, .key = 2, .a = 1);
    SAY(&b, EVENT_DELIVERED, .page = 0, .a = 1, .b = 1);
    SAY(&b, EVENT_DELIVERED, .page = 0, .a = 3, .b = 1); /* a gap */
    SAY(&b, LEDGER_EXPIRED, .fence = F(3));
    SAY(&b, ROUND_HEALED, .a = 1000);
    story_wait_ms(&b, 9000);
    SAY(&b, ROUND_ENDED, .a = 0);
    SAY(&b, ACCOUNT_CHANGED, .a = ACCOUNT_NONE); /* last: nobody could lead any more */
    SAY(&b, ACCOUNT_HEARD, .page = 0, .a = ACCOUNT_NONE);
    story_ask(&b, 0, REQ_TAKE, F(2), 0);
    SAY(&b, PAGE_BLOCKED, .page = 1, .b = 600000);
    story_wait_ms(&b, 600);
    uint32_t renewal = story_ask(&b, 1, REQ_RENEW, F(3), 0);
    SAY(&b, LEDGER_RENEWED, .page = 1, .request = renewal, .fence = F(3));
}

START_TEST(a_canary_breaks_everything_at_once)
{
    canary();
    for (int i = 0; i < INV_COUNT; i++) {
        struct finding f = story_finding(&b, (enum invariant_kind)i);
        enum verdict expected = i == INV_STAGE_RESPECTED ? VERDICT_UNKNOWN : VERDICT_BROKEN;
        ck_assert_msg(f.verdict == expected, "%s", invariant_word[i]);
    }
    b.contract.stage = STAGE_OBSERVE;
    ck_assert_int_eq(story_finding(&b, INV_STAGE_RESPECTED).verdict, VERDICT_BROKEN);
}
END_TEST

START_TEST(one_history_leaves_nothing_for_the_next)
{
    canary();
    story_finding(&b, INV_PROGRESS);
    b.n = 0;
    for (int i = 0; i < INV_COUNT; i++) expect_unknown(&b, (enum invariant_kind)i);
}
END_TEST

START_TEST(the_first_break_stands)
{
    uint32_t one = story_claim(&b, 0, F(2));
    uint32_t two = story_claim(&b, 0, F(1));
    story_claim(&b, 0, F(1));
    expect_broken(&b, INV_SINGLE_ACTIVE_GENERATION, one, two);
}
END_TEST

START_TEST(a_lost_fact_silences_only_whom_it_concerns)
{
    story_claim(&b, 0, F(1));
    SAY(&b, REQUEST_ISSUED, .page = 0, .request = STATE_REQUESTS);
    SAY(&b, LEDGER_TERMINAL, .op = STORY_OPS + 1);
    struct finding f = story_finding(&b, INV_LEDGER_LINEARIZABLE);
    ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
    ck_assert_ptr_nonnull(f.reason);
    expect_held(&b, INV_SINGLE_ACTIVE_GENERATION);
}
END_TEST

START_TEST(a_round_that_was_cut_short_says_so)
{
    SAY(&b, ROUND_ENDED, .a = 1);
    story_finding(&b, INV_PROGRESS);
    ck_assert_uint_eq(b.result->cut_short, 1);
    b.n = 0;
    story_finding(&b, INV_PROGRESS);
    ck_assert_uint_eq(b.result->cut_short, 0);
}
END_TEST

/* -- mistakes of the caller stop the process, with status 3 ---------------------------- */

START_TEST(a_judge_for_no_pages_is_a_mistake)
{
    judge_open(&b.arena, 0, 1);
}
END_TEST

START_TEST(a_judge_for_no_operations_is_a_mistake)
{
    judge_open(&b.arena, 1, 0);
}
END_TEST

START_TEST(an_observation_of_no_kind_is_a_mistake)
{
    struct obs o = { .kind = OBS_COUNT };
    judge_reset(b.judge, &b.contract);
    judge_step(b.judge, &o);
}
END_TEST

Suite *judge_suite(void);
Suite *judge_suite(void)
{
    Suite *suite = suite_create("judge_test");
    TCase *one = tcase_create("judge");
    tcase_add_checked_fixture(one, setup, teardown);
    tcase_add_test(one, every_invariant_has_a_word_and_a_sentence);
    tcase_add_test(one, an_empty_history_is_unknown_everywhere);
    tcase_add_test(one, a_canary_breaks_everything_at_once);
    tcase_add_test(one, one_history_leaves_nothing_for_the_next);
    tcase_add_test(one, the_first_break_stands);
    tcase_add_test(one, a_lost_fact_silences_only_whom_it_concerns);
    tcase_add_test(one, a_round_that_was_cut_short_says_so);
    tcase_add_exit_test(one, a_judge_for_no_pages_is_a_mistake, 3);
    tcase_add_exit_test(one, a_judge_for_no_operations_is_a_mistake, 3);
    tcase_add_exit_test(one, an_observation_of_no_kind_is_a_mistake, 3);
    suite_add_tcase(suite, one);
    return suite;
}
