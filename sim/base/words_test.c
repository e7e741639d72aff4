/* The vocabulary: every word there, none twice, faults and policies found by theirs. */
#include <check.h>

#include <string.h>

#include "sim/base/fault.h"
#include "sim/base/history.h"
#include "sim/base/policy.h"
#include "sim/base/step.h"
#include "sim/base/words.h"

Suite *words_suite(void);

static void all_differ(const char *const *word, int n)
{
    for (int i = 0; i < n; i++) {
        ck_assert_ptr_nonnull(word[i]);
        ck_assert_uint_gt(strlen(word[i]), 0);
        for (int k = 0; k < i; k++) ck_assert_str_ne(word[k], word[i]);
    }
}

START_TEST(no_list_has_a_word_twice_or_none)
{
    all_differ(lock_error_word, LOCK_ERR_COUNT);
    all_differ(client_state_word, STATE_COUNT);
    all_differ(why_ended_word, WHY_COUNT);
    all_differ(request_kind_word, REQ_COUNT);
    all_differ(answer_result_word, ANS_COUNT);
    all_differ(commit_part_word, PART_COUNT);
    all_differ(outcome_word, OUTCOME_COUNT);
    all_differ(push_kind_word, PUSH_COUNT);
    all_differ(profile_kind_word, PROFILE_COUNT);
    all_differ(stage_word, STAGE_COUNT);
    all_differ(steal_rule_word, STEAL_COUNT);
    all_differ(fallback_word, FALLBACK_COUNT);
    all_differ(authority_word, AUTHORITY_COUNT);
    all_differ(network_kind_word, NETWORK_COUNT);
    all_differ(layout_word, LAYOUT_COUNT);
    all_differ(phase_word, PHASE_COUNT);
    all_differ(step_expectation_word, EXPECT_COUNT);
}
END_TEST

START_TEST(a_word_stands_for_its_value)
{
    ck_assert_str_eq(lock_error_word[LOCK_ERR_SECURITY], "SecurityError");
    ck_assert_str_eq(client_state_word[STATE_DRAINING], "DRAINING");
    ck_assert_str_eq(answer_result_word[ANS_FENCED], "FENCED");
    ck_assert_str_eq(request_kind_word[REQ_OUTCOME], "outcome");
    ck_assert_str_eq(phase_word[PHASE_EFFECT_UNKNOWN], "effect-unknown");
}
END_TEST

START_TEST(faults_and_policies_are_found_by_their_words)
{
    for (int i = 0; i < FAULT_COUNT; i++) ck_assert_int_eq(fault_find(fault_info[i].word), i);
    for (int i = 0; i < POLICY_COUNT; i++) ck_assert_int_eq(policy_find(policy_info[i].word), i);
    ck_assert_int_eq(fault_find("no-such"), FAULT_COUNT);
    ck_assert_int_eq(policy_find("no-such"), POLICY_COUNT);
}
END_TEST

START_TEST(every_fault_names_the_rule_that_it_exercises)
{
    for (int i = 0; i < FAULT_COUNT; i++) {
        ck_assert_ptr_nonnull(strchr(fault_info[i].rule, '-'));
        ck_assert_uint_gt(strlen(fault_info[i].says), 0);
    }
}
END_TEST

START_TEST(a_policy_set_holds_exactly_what_was_put_in)
{
    struct policy p = { 0 };
    for (int i = 0; i < POLICY_COUNT; i++) {
        ck_assert(!policy_has(p, (enum policy_kind)i));
        p = policy_with(p, (enum policy_kind)i);
        for (int k = 0; k < POLICY_COUNT; k++)
            ck_assert_int_eq(policy_has(p, (enum policy_kind)k), k <= i);
    }
}
END_TEST

Suite *words_suite(void)
{
    Suite *s = suite_create("words");
    TCase *t = tcase_create("words");
    tcase_add_test(t, no_list_has_a_word_twice_or_none);
    tcase_add_test(t, a_word_stands_for_its_value);
    tcase_add_test(t, faults_and_policies_are_found_by_their_words);
    tcase_add_test(t, every_fault_names_the_rule_that_it_exercises);
    tcase_add_test(t, a_policy_set_holds_exactly_what_was_put_in);
    suite_add_tcase(s, t);
    return s;
}
