/* The printed table lines up; a failure can be pasted into a shell. */
#include <check.h>

#include "reports/sample_report.h"
#include "reports/table.h"

Suite *table_suite(void);

static void plain(FILE *f, const struct run_report *r)
{
    table_conditions(f, r, false);
}
static void coloured(FILE *f, const struct run_report *r)
{
    table_conditions(f, r, true);
}
static void two_each(FILE *f, const struct run_report *r)
{
    table_failures(f, r, 2);
}
static void one_each(FILE *f, const struct run_report *r)
{
    table_failures(f, r, 1);
}

START_TEST(columns_line_up)
{
    struct sample *s = sample_report();
    snprintf(s->gate.condition[1].name, CONDITION_TEXT_MAX, "l\xC3\xA4nge");
    char *text = sample_text(plain, &s->report);
    ck_assert_str_eq(text, "condition    threshold  value    95% bound       verdict\n"
                           "condition-0  < 2 s      1.482 s  1.471..1.493 s  pass\n"
                           "l\xC3\xA4nge        < 2 s      1.482 s  -               FAIL\n"
                           "condition-2  < 2 s      -        -               UNKNOWN\n"
                           "condition-3  < 2 s      1.482 s  -               (fail)\n");
    free(text);
    free(s);
}
END_TEST

START_TEST(colours_are_for_terminals_only)
{
    struct sample *s = sample_report();
    char *text = sample_text(plain, &s->report);
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    text = sample_text(coloured, &s->report);
    ck_assert_ptr_nonnull(strstr(text, "\033[1;31mFAIL\033[0m\n"));
    free(text);
    free(s);
}
END_TEST

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) n++;
    return n;
}

START_TEST(of_each_invariant_the_first_failures_are_shown)
{
    struct sample *s = sample_report();
    char *text = sample_text(two_each, &s->report);
    ck_assert_uint_eq(count(text, "BROKEN no-stale-commit"), 2);
    ck_assert_uint_eq(count(text, "BROKEN progress"), 1);
    ck_assert_ptr_nonnull(strstr(text, " (#118 and #131)\n"));
    ck_assert_ptr_nonnull(strstr(text, " (#5)\n"));
    ck_assert_ptr_nonnull(strstr(text, "nobody leads\n  build/tabquake replay "));
    free(text);
    text = sample_text(one_each, &s->report);
    ck_assert_uint_eq(count(text, "BROKEN no-stale-commit"), 1);
    free(text);
    free(s);
}
END_TEST

START_TEST(a_line_to_paste_is_quoted_for_the_shell)
{
    struct sample *s = sample_report();
    char line[TABLE_REPLAY_MAX];
    ck_assert_str_eq(table_replay(line, &s->report, &s->failure[0]),
                     "build/tabquake replay 'a b/it'\\''s.yaml' --seed 0x0000000000000abc "
                     "--contract mine.yaml");
    s->report.run.contract_file = NULL;
    ck_assert_str_eq(table_replay(line, &s->report, &s->failure[2]),
                     "build/tabquake replay scenarios/green.yaml --seed 0x0000000000000abe");
    free(s);
}
END_TEST

START_TEST(the_verdict_says_when_the_gate_was_short)
{
    struct sample *s = sample_report();
    char verdict[TABLE_VERDICT_MAX];
    ck_assert_str_eq(table_verdict(verdict, &s->report),
                     "GATE FAIL (short: 2000 of 100000 rounds)");
    s->gate.is_short = false;
    s->gate.verdict = GATE_PASS;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "GATE PASS");
    s->report.gate = NULL;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "GATE UNKNOWN");
    free(s);
}
END_TEST

Suite *table_suite(void)
{
    Suite *s = suite_create("table");
    TCase *t = tcase_create("table");
    tcase_add_test(t, columns_line_up);
    tcase_add_test(t, colours_are_for_terminals_only);
    tcase_add_test(t, of_each_invariant_the_first_failures_are_shown);
    tcase_add_test(t, a_line_to_paste_is_quoted_for_the_shell);
    tcase_add_test(t, the_verdict_says_when_the_gate_was_short);
    suite_add_tcase(s, t);
    return s;
}
