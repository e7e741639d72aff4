/* report.html: everything that the run has is there, nothing breaks out of its place, and
 * what is missing is said. */
#include <check.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/report.h"
#include "reports/sample_report.h"

Suite *report_suite(void);

static char folder[64];
static struct sample *s;

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/report_test_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    s = sample_report();
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof command, "/bin/rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    free(s);
}

/* Of the sample, without any plot; free with free(). */
static char *page(const struct trend *trend)
{
    char *text = NULL;
    size_t n;
    struct plots plots = { .folder = folder };
    for (int i = 0; i < PLOT_COUNT; i++) plots.outcome[i] = GNUPLOT_ABSENT;
    FILE *f = open_memstream(&text, &n);
    report_write(f, &(struct report_page){ &s->report, trend, &plots });
    fclose(f);
    return text;
}

static char *file_text(const char *name)
{
    char path[128], *text = NULL;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    FILE *to = open_memstream(&text, &n);
    for (int c; (c = getc(f)) != EOF;) putc(c, to);
    fclose(to);
    fclose(f);
    return text;
}

static void has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "lacks: %s", part);
}

START_TEST(the_verdict_comes_first_and_says_why)
{
    char *text = page(NULL);
    has(text, "<h1>GATE FAIL (short: 2000 of 100000 rounds)</h1>");
    has(text, "Failed: <a href=\"#c-condition-1\">condition-1</a>. ");
    has(text, "Not proved: <a href=\"#c-condition-2\">condition-2</a>.");
    ck_assert(strstr(text, "<h1>") < strstr(text, "id=\"conditions\""));
    free(text);
}
END_TEST

START_TEST(every_condition_is_a_row_with_its_bounds)
{
    char *text = page(NULL);
    has(text, "<tr class=\"pass\" id=\"c-condition-0\">");
    has(text, "<tr class=\"fail\" id=\"c-condition-1\">");
    has(text, "<tr class=\"unknown\" id=\"c-condition-2\">");
    has(text, "<tr class=\"shown\" id=\"c-condition-3\">");
    has(text, "data-label=\"95% bound\">1.471..1.493 s</td>");
    free(text);
}
END_TEST

START_TEST(nothing_breaks_out_of_its_place)
{
    char *text = page(NULL);
    ck_assert_ptr_null(strstr(text, "a<b>"));
    has(text, "a&lt;b&gt;&amp;&quot;c&quot;");
    ck_assert_ptr_null(strchr(text, '\x01'));
    ck_assert_ptr_null(strchr(text, '\xFF'));
    free(text);
}
END_TEST

START_TEST(a_failure_has_its_line_and_links_to_what_is_there)
{
    char inner[REPORT_FAILURE_MAX], path[REPORT_FAILURE_MAX + 128];
    char *text = page(NULL);
    has(text, "--seed 0x0000000000000abc --contract mine.yaml</code>");
    ck_assert_ptr_null(strstr(text, "timeline.html"));
    free(text);
    s->scenario[1].name = "red one";
    report_failure(inner, &s->report, &s->failure[0]);
    ck_assert_str_eq(inner, "failures/red one-0x0000000000000abc");
    struct failure mutated = s->failure[0];
    mutated.course =
        (struct course){ .strategy = STRATEGY_MUTATION, .fork = { .before = 5, .seed = 0xA } };
    report_failure(inner, &s->report, &mutated);
    ck_assert_str_eq(inner, "failures/red one-0x0000000000000abc-mutation-5-0xa");
    report_failure(inner, &s->report, &s->failure[0]);
    snprintf(path, sizeof path, "%s/failures", folder);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/%s", folder, inner);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/%s/timeline.html", folder, inner);
    fclose(fopen(path, "w"));
    text = page(NULL);
    has(text, "<a href=\"failures/red%20one-0x0000000000000abc/timeline.html\">");
    free(text);
}
END_TEST

START_TEST(quantiles_are_those_of_the_histogram)
{
    char *text = page(NULL), cell[64];
    snprintf(cell, sizeof cell, "data-us=\"%lld\"",
             (long long)hist_quantile(&s->tally.failover, 99, 100));
    has(text, cell);
    has(text, "<th scope=\"row\">crashed</th><td class=\"num\">5,000</td>");
    ck_assert_ptr_null(strstr(text, "<th scope=\"row\">frozen</th>"));
    free(text);
}
END_TEST

START_TEST(a_cell_without_a_hit_is_marked_and_one_that_cannot_be_is_not)
{
    char *text = page(NULL);
    has(text, "<td class=\"h2\" title=\"discard × commit-in-flight: 31\">31</td>");
    has(text, "<td class=\"empty\" title=\"discard × fenced: 0\">0</td>");
    has(text, "title=\"impossible: nobody holds the lock or owns a fence\">·</td>");
    free(text);
}
END_TEST

START_TEST(mutants_show_what_caught_them_and_what_escaped)
{
    char *text = page(NULL);
    has(text, "<tr class=\"pass\"><th scope=\"row\">fail-open</th>");
    has(text, "<tr class=\"fail\"><th scope=\"row\">canary</th>");
    has(text, "<td class=\"escaped\"");
    has(text, "<td class=\"also\"");
    free(text);
}
END_TEST

START_TEST(the_curve_of_states_and_the_bound_of_pct_are_shown)
{
    char *text = page(NULL);
    ck_assert_ptr_null(strstr(text, "hold no saturation curve"));
    has(text, "<td class=\"num\">90</td>");
    has(text, "an order of 2 messages");
    has(text, "(n k<sup>2</sup>)");
    free(text);
}
END_TEST

START_TEST(what_there_is_not_is_said)
{
    static struct tally nothing;
    s->report.tally = &nothing;
    s->report.gate = NULL;
    s->report.mutants = s->report.failures = s->report.noted_n = 0;
    char *text = page(NULL);
    has(text, "No gate judged this run");
    has(text, "No conditions: ");
    has(text, "No invariant broke in any round.");
    has(text, "No failover in any round.");
    has(text, "No background hold in any round.");
    has(text, "No mutants were run.");
    has(text, "hold no saturation curve");
    free(text);
}
END_TEST

START_TEST(all_files_appear_and_plots_only_of_data)
{
    ck_assert(report_write_files(folder, &s->report, NULL, stderr));
    static const char *const name[] = { "report.html", "gate.json",          "junit.xml",
                                        "summary.md",  "plots/failover.tsv", "plots/causes.gp" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        char *text = file_text(name[i]);
        ck_assert_msg(text != NULL, "%s", name[i]);
        free(text);
    }
    ck_assert_ptr_null(file_text("plots/holds.svg")); /* the sample has none */
    ck_assert_ptr_null(file_text("plots/trend.svg"));
    ck_assert_ptr_null(file_text("report.html.tmp"));
}
END_TEST

START_TEST(a_single_sample_is_drawn_too)
{
    static struct tally one;
    hist_add(&one.failover, 5000);
    hist_add(&one.raw, 5000);
    hist_add(&one.by_cause[GAP_OTHER], 5000);
    hist_add(&one.hold, 5000);
    one.holds = one.rounds = 1;
    s->report.tally = &one;
    ck_assert(report_write_files(folder, &s->report, NULL, stderr));
}
END_TEST

START_TEST(without_gnuplot_the_rest_is_there)
{
    ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
    ck_assert(report_write_files(folder, &s->report, NULL, stderr));
    char *text = file_text("report.html");
    has(text, "gnuplot was not installed");
    free(text);
    ck_assert_ptr_null(file_text("plots/failover.svg"));
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_one_sentence)
{
    char why[1024] = "";
    FILE *err = fmemopen(why, sizeof why - 1, "w");
    ck_assert(!report_write_files("/nowhere/at/all", &s->report, NULL, err));
    fclose(err);
    ck_assert_str_eq(why, "/nowhere/at/all: cannot be written to: No such file or directory\n");
}
END_TEST

Suite *report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 30);
    tcase_add_test(t, the_verdict_comes_first_and_says_why);
    tcase_add_test(t, every_condition_is_a_row_with_its_bounds);
    tcase_add_test(t, nothing_breaks_out_of_its_place);
    tcase_add_test(t, a_failure_has_its_line_and_links_to_what_is_there);
    tcase_add_test(t, quantiles_are_those_of_the_histogram);
    tcase_add_test(t, a_cell_without_a_hit_is_marked_and_one_that_cannot_be_is_not);
    tcase_add_test(t, mutants_show_what_caught_them_and_what_escaped);
    tcase_add_test(t, what_there_is_not_is_said);
    tcase_add_test(t, the_curve_of_states_and_the_bound_of_pct_are_shown);
    tcase_add_test(t, all_files_appear_and_plots_only_of_data);
    tcase_add_test(t, a_single_sample_is_drawn_too);
    tcase_add_test(t, without_gnuplot_the_rest_is_there);
    tcase_add_test(t, a_folder_that_cannot_be_written_is_one_sentence);
    suite_add_tcase(suite, t);
    return suite;
}
