/* Stories: told the same every time, judged by both variants, and wrong when they are not as
 * the file claims. */
#include <check.h>

#include <stdlib.h>
#include <string.h>

#include "tools/stories.h"

Suite *stories_suite(void);

static struct scenario scenario;
static struct contract contract;
static struct player player;
static struct stories_told told;

static void setup(void)
{
    ck_assert(contract_load(&contract, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    ck_assert(
        scenario_load(&scenario, "scenarios/field/F-02-victim-steals-back.yaml", NULL, stderr));
    player_open(&player, scenario_tabs(&scenario));
}

static void teardown(void)
{
    stories_forget(&told);
    player_close(&player);
}

static void tell(void)
{
    stories_forget(&told);
    told = stories_tell(&player, &scenario, &contract);
}

START_TEST(a_good_story_is_told_with_both_variants)
{
    tell();
    ck_assert_str_eq(told.wrong, "");
    const char *reference = strstr(told.text, "with the reference: ");
    const char *naive = strstr(told.text, "with victim-steals-back: ");
    ck_assert(reference && naive && reference < naive);
    ck_assert_ptr_nonnull(strstr(told.text, "F-02, https://"));
    ck_assert_ptr_nonnull(strstr(naive, "=> "));
    ck_assert_ptr_nonnull(strstr(naive, "   steal-permitted: a steal without a permit\n"));
    ck_assert_ptr_null(strstr(naive, "the ledger gave generation 1")); /* as with the reference */
}
END_TEST

START_TEST(a_story_is_the_same_every_time)
{
    tell();
    char *first = strdup(told.text);
    scenario.seed = 99; /* it is calm */
    tell();
    ck_assert_str_eq(told.text, first);
    free(first);
}
END_TEST

START_TEST(a_naive_variant_that_breaks_nothing_is_wrong)
{
    scenario.story.naive = policy_with((struct policy){ 0 }, POLICY_OBSERVE_WRITES);
    tell();
    ck_assert_str_eq(told.wrong, "the naive variant breaks nothing, accepted exactly"
                                 " steal-permitted\n");
}
END_TEST

START_TEST(an_invariant_that_breaks_beside_the_named_ones_is_wrong)
{
    strcpy(scenario.story.breaks[0], "progress");
    tell();
    ck_assert_str_eq(told.wrong, "the naive variant breaks steal-permitted, accepted exactly"
                                 " progress\n");
}
END_TEST

START_TEST(a_reference_that_breaks_something_is_wrong)
{
    scenario.policy = scenario.story.naive;
    tell();
    ck_assert_ptr_nonnull(strstr(told.wrong, "the reference breaks steal-permitted, accepted"
                                             " nothing\n"));
}
END_TEST

START_TEST(an_expectation_that_is_not_met_is_wrong)
{
    scenario.step[scenario.steps - 1].within_us = 1000;
    tell();
    ck_assert_str_eq(told.wrong, "step 4 {expect: settled, within: 1ms}: was not so\n");
}
END_TEST

START_TEST(only_a_whole_story_is_one)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ck_assert(stories_whole(&scenario, f));
    strcpy(scenario.story.breaks[0], "steal-permited");
    ck_assert(!stories_whole(&scenario, f));
    scenario.story.naive = (struct policy){ 0 };
    ck_assert(!stories_whole(&scenario, f));
    fclose(f);
    ck_assert_str_eq(text,
                     "scenarios/field/F-02-victim-steals-back.yaml: breaks: found steal-permited"
                     " (did you mean steal-permitted?), accepted the name of an invariant\n"
                     "scenarios/field/F-02-victim-steals-back.yaml: found a scenario that is no"
                     " story, accepted one with naive and breaks\n");
    free(text);
}
END_TEST

START_TEST(the_text_is_kept_beside_the_file)
{
    char path[PATH_MAX_LEN], file[PATH_MAX_LEN];
    ck_assert(stories_path(path, "a/b.yaml"));
    ck_assert_str_eq(path, "a/b.expected");
    memset(file, 'x', sizeof file - 1);
    file[sizeof file - 1] = 0;
    ck_assert(!stories_path(path, file));
}
END_TEST

Suite *stories_suite(void)
{
    Suite *s = suite_create("stories");
    TCase *t = tcase_create("stories");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_good_story_is_told_with_both_variants);
    tcase_add_test(t, a_story_is_the_same_every_time);
    tcase_add_test(t, a_naive_variant_that_breaks_nothing_is_wrong);
    tcase_add_test(t, an_invariant_that_breaks_beside_the_named_ones_is_wrong);
    tcase_add_test(t, a_reference_that_breaks_something_is_wrong);
    tcase_add_test(t, an_expectation_that_is_not_met_is_wrong);
    tcase_add_test(t, only_a_whole_story_is_one);
    tcase_add_test(t, the_text_is_kept_beside_the_file);
    suite_add_tcase(s, t);
    return s;
}
