/* Groups of failures: their names, what is printed of them, and where their files are. */
#include "reports/group.h"

#include <check.h>

#include "reports/sample_report.h"
#include "sim/base/fault.h"

Suite *group_suite(void);

#define BIT(fault) (UINT64_C(1) << (fault))

static void lines(FILE *f, const struct run_report *r)
{
    group_lines(f, r, 1);
}

static const char *name_of(char out[GROUP_NAME_MAX], bool reduced, uint64_t faults)
{
    const struct failure_group g = { .invariant = INV_NO_FAIL_OPEN,
                                     .reduced = reduced,
                                     .faults = faults };
    return group_name(out, &g);
}

START_TEST(a_name_is_the_invariant_and_the_sorted_faults)
{
    char out[GROUP_NAME_MAX];
    ck_assert_str_eq(name_of(out, true, BIT(FAULT_RELOAD)), "no-fail-open/reload");
    ck_assert_str_eq(
        name_of(out, true, BIT(FAULT_RELOAD) | BIT(FAULT_ANSWER_LOST) | BIT(FAULT_CLOSE_HOLDER)),
        "no-fail-open/answer-lost+close-holder+reload");
    ck_assert_str_eq(name_of(out, true, 0), "no-fail-open/no-fault");
    ck_assert_str_eq(name_of(out, false, BIT(FAULT_RELOAD)), "no-fail-open/unreduced");
}
END_TEST

START_TEST(every_set_of_faults_fits_and_is_read_back)
{
    char out[GROUP_NAME_MAX];
    const uint64_t all = UINT64_MAX >> (64 - FAULT_COUNT);
    uint64_t back;
    ck_assert(strlen(name_of(out, true, all)) < GROUP_NAME_MAX - 1);
    ck_assert(group_read_faults(group_faults(out, all), &back));
    ck_assert_uint_eq(back, all);
    ck_assert(group_read_faults("", &back));
    ck_assert_uint_eq(back, 0);
    ck_assert(group_read_faults("reload+cut-up", &back));
    ck_assert_uint_eq(back, BIT(FAULT_RELOAD) | BIT(FAULT_CUT_UP));
    ck_assert(!group_read_faults("reload+cut-upp", &back));
}
END_TEST

START_TEST(each_group_is_shown_with_one_example_and_both_lines)
{
    struct sample *s = sample_report();
    char *text = sample_text(lines, &s->report);
    ck_assert_ptr_nonnull(strstr(text, "BROKEN no-stale-commit  "));
    ck_assert_ptr_nonnull(strstr(text, " replay 'a b/it'\\''s.yaml' --seed 0x0000000000000abc"));
    ck_assert_ptr_nonnull(strstr(text, "  build/tabquake shrink 'a b/it'\\''s.yaml' --seed"
                                       " 0x0000000000000abc --contract mine.yaml"
                                       " --invariant no-stale-commit -o minimal.yaml\n"));
    ck_assert_ptr_nonnull(strstr(text, "  no-stale-commit/freeze-abrupt+reload: 2 of 2 that were"
                                       " looked at; 2 tabs, 1 operation, and the chance of a"
                                       " seed\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "  progress/no-fault: 1 of 1 that were looked at; 1 tab, 0 operations,"
                     " no chance\n"));
    ck_assert_ptr_null(strstr(text, "not looked at"));
    free(text);
    free(s);
}
END_TEST

START_TEST(failures_that_nobody_looked_at_are_counted)
{
    struct sample *s = sample_report();
    s->tally.broken[INV_PROGRESS] += 7;
    char *text = sample_text(lines, &s->report);
    ck_assert_ptr_nonnull(strstr(text, "  (7 more of progress, not looked at)\n"));
    free(text);
    s->report.groups = 0; /* an interrupted run */
    text = sample_text(lines, &s->report);
    ck_assert_ptr_nonnull(strstr(text, "BROKEN progress"));
    ck_assert_ptr_null(strstr(text, " shrink "));
    free(text);
    free(s);
}
END_TEST

START_TEST(of_two_groups_of_one_round_the_first_has_the_file)
{
    struct sample *s = sample_report();
    ck_assert(group_has_file(&s->report, 0));
    ck_assert(group_has_file(&s->report, 1));
    s->group[0].example = 1; /* the round in which progress broke, too */
    ck_assert(group_has_file(&s->report, 0));
    ck_assert(!group_has_file(&s->report, 1));
    free(s);
}
END_TEST

Suite *group_suite(void)
{
    Suite *s = suite_create("group");
    TCase *t = tcase_create("group");
    tcase_add_test(t, a_name_is_the_invariant_and_the_sorted_faults);
    tcase_add_test(t, every_set_of_faults_fits_and_is_read_back);
    tcase_add_test(t, each_group_is_shown_with_one_example_and_both_lines);
    tcase_add_test(t, failures_that_nobody_looked_at_are_counted);
    tcase_add_test(t, of_two_groups_of_one_round_the_first_has_the_file);
    suite_add_tcase(s, t);
    return s;
}
