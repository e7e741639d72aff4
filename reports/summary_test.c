/* summary.md is one page, and names cannot break its tables; the reports of a run are
 * written whole or not at all. */
#include <check.h>
#include <unistd.h>

#include "reports/outfile.h"
#include "reports/sample_report.h"
#include "reports/summary.h"
#include "reports/text.h"

Suite *summary_suite(void);

static void ck_contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no %s in\n%s", part, text);
}

START_TEST(the_page_begins_with_the_verdict_and_holds_the_rest)
{
    struct sample *s = sample_report();
    char *text = sample_text(summary_write, &s->report);
    ck_assert_ptr_eq(strstr(text, "# GATE FAIL (short: 2000 of 100000 rounds)\n"), text);
    ck_contains(text, "| pass | condition-0 | says 0 | 1.482 s | &lt; 2 s | 1.471..1.493 s |\n");
    ck_contains(text, "- `no-stale-commit`: broken in 2 of 2000 rounds\n");
    ck_contains(text, "\n    BROKEN progress");
    ck_contains(text, "| crashed | 5000 | 751.");
    ck_contains(text, "Mutants caught: 1 of 2.\n- **escaped**: canary, not caught by `progress`");
    free(text);
    free(s);
}
END_TEST

START_TEST(names_cannot_break_the_table)
{
    struct sample *s = sample_report();
    char *text = sample_text(summary_write, &s->report);
    ck_contains(text, "| a&lt;b>&amp;\"c\" \\| \\`d\\` 'e'  \xEF\xBF\xBD | 1.482 s |");
    free(text);
    free(s);
}
END_TEST

START_TEST(all_reports_of_a_run_are_written)
{
    static const char *const name[] = { "gate.json", "junit.xml", "summary.md" };
    char folder[] = "/tmp/summary_test_XXXXXX", path[64];
    struct sample *s = sample_report();
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert(summary_write_files(folder, &s->report, stderr));
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else is left */
    free(s);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_one_sentence)
{
    struct sample *s = sample_report();
    char why[512] = "";
    FILE *err = fmemopen(why, sizeof why - 1, "w");
    ck_assert(!summary_write_files("/tmp/none/none", &s->report, err));
    fclose(err);
    ck_assert_str_eq(why,
                     "/tmp/none/none/gate.json: cannot be created: No such file or directory\n");
    free(s);
}
END_TEST

START_TEST(a_file_that_could_not_be_written_whole_is_not_there)
{
    char path[] = "/tmp/summary_test_XXXXXX", found[16] = "", why[256] = "";
    struct outfile o;
    FILE *err = fmemopen(why, sizeof why - 1, "w");
    close(mkstemp(path));
    ck_assert(outfile_open(&o, path, err));
    fclose(o.f);
    o.f = fopen("/dev/full", "w");
    fputs("new", o.f);
    ck_assert(!outfile_commit(&o, err));
    fclose(err);
    ck_contains(why, ": cannot be written: No space left on device\n");
    ck_assert_int_ne(access(o.temporary, F_OK), 0);
    FILE *f = fopen(path, "r");
    ck_assert_uint_eq(fread(found, 1, sizeof found, f), 0); /* as it was */
    fclose(f);
    unlink(path);
}
END_TEST

START_TEST(durations_carry_their_unit)
{
    char us[TEXT_US_MAX];
    ck_assert_str_eq(text_us(us, 1482000), "1.482 s");
    ck_assert_str_eq(text_us(us, 3250), "3.250 ms");
    ck_assert_str_eq(text_us(us, 417), "417 us");
    ck_assert_str_eq(text_us(us, -1), "-");
}
END_TEST

START_TEST(an_open_failover_has_no_length)
{
    struct sample *s = sample_report();
    for (int i = 0; i < 100; i++) hist_add(&s->tally.by_cause[GAP_FROZEN], HIST_OPEN_US);
    hist_add(&s->tally.by_cause[GAP_FROZEN], 500);
    char *text = sample_text(summary_write, &s->report);
    ck_contains(text, "| frozen | 101 | open | open | open | open | 500 us | 100 |\n");
    ck_assert_ptr_null(strstr(text, "2147.48"));
    free(text);
    free(s);
}
END_TEST

Suite *summary_suite(void)
{
    Suite *s = suite_create("summary");
    TCase *t = tcase_create("summary");
    tcase_add_test(t, the_page_begins_with_the_verdict_and_holds_the_rest);
    tcase_add_test(t, names_cannot_break_the_table);
    tcase_add_test(t, all_reports_of_a_run_are_written);
    tcase_add_test(t, a_folder_that_is_not_there_is_one_sentence);
    tcase_add_test(t, a_file_that_could_not_be_written_whole_is_not_there);
    tcase_add_test(t, an_open_failover_has_no_length);
    tcase_add_test(t, durations_carry_their_unit);
    suite_add_tcase(s, t);
    return s;
}
