/* junit.xml shows red for what is red, and for what is unknown; no name breaks out. */
#include <check.h>

#include "reports/junit.h"
#include "reports/sample_report.h"

Suite *junit_suite(void);

static void ck_contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no %s in\n%s", part, text);
}

START_TEST(counts_tell_failures_errors_and_skips_apart)
{
    struct sample *s = sample_report();
    char *text = sample_text(junit_write, &s->report);
    ck_contains(text, "<testsuites name=\"tabquake\" tests=\"7\" failures=\"2\" errors=\"2\"");
    ck_contains(text, "name=\"conditions\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\"");
    ck_contains(text, "name=\"scenarios\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\"");
    free(text);
    free(s);
}
END_TEST

START_TEST(unknown_is_an_error_and_an_empty_scenario_too)
{
    struct sample *s = sample_report();
    char *text = sample_text(junit_write, &s->report);
    ck_contains(text, "<error message=\"unknown: says 2, nothing measured, wanted &lt; 2 s\"/>");
    ck_contains(text, "name=\"condition-0: says 0\"");
    ck_contains(text, "<error message=\"unknown: 0 rounds, of which 0 proved nothing\"/>");
    ck_contains(text, "<skipped message=\"shown only: says 3");
    free(text);
    free(s);
}
END_TEST

START_TEST(a_red_scenario_says_how_to_see_it)
{
    struct sample *s = sample_report();
    char *text = sample_text(junit_write, &s->report);
    ck_contains(text, "<failure message=\"an invariant broke in 3 of 1000 rounds\">");
    ck_contains(text, "progress: nobody leads\n  build/tabquake replay 'a b/it'\\''s.yaml' "
                      "--seed 0x0000000000000abd --contract mine.yaml\n");
    free(text);
    free(s);
}
END_TEST

START_TEST(names_cannot_break_out)
{
    struct sample *s = sample_report();
    char *text = sample_text(junit_write, &s->report);
    ck_contains(text,
                "name=\"a&lt;b&gt;&amp;&quot;c&quot; | `d` 'e'&#10;\xEF\xBF\xBD\xEF\xBF\xBD\"");
    ck_assert_ptr_null(strchr(text, '\x01'));
    ck_assert_ptr_null(strchr(text, '\xFF'));
    ck_assert_ptr_null(strstr(text, "<b>"));
    free(text);
    free(s);
}
END_TEST

Suite *junit_suite(void)
{
    Suite *s = suite_create("junit");
    TCase *t = tcase_create("junit");
    tcase_add_test(t, counts_tell_failures_errors_and_skips_apart);
    tcase_add_test(t, unknown_is_an_error_and_an_empty_scenario_too);
    tcase_add_test(t, a_red_scenario_says_how_to_see_it);
    tcase_add_test(t, names_cannot_break_out);
    suite_add_tcase(s, t);
    return s;
}
