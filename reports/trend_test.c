/* A trend: only what is beyond both intervals has moved. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reports/trend.h"

Suite *trend_suite(void);

static struct tally *tally[3];
static struct run_report report[3];
static const struct run_report *run[3];
static struct trend trend;

/* Failovers of 1 s on the whole, in rounds of one each; some holds, of which a few overrun. */
static void fill(struct tally *t, int64_t around_us, uint64_t overruns)
{
    t->rounds = t->samples_sq = 5000;
    for (int64_t i = 0; i < 5000; i++) hist_add(&t->failover, around_us + i * 10);
    t->holds = t->holds_sq = 100000;
    t->hold_overruns = t->hold_overruns_sq = t->overruns_times_holds = overruns;
    t->held[INV_PROGRESS] = 5000;
    t->renewals = 3000, t->leader_us = 1000 * US_PER_S;
}

static void set_up(void)
{
    static const char *const revision[] = { "r1", "r2", "r3" };
    static const struct {
        int64_t around_us;
        uint64_t overruns;
    } of[] = { { US_PER_S, 105 }, { US_PER_S + 50, 100 }, { 3 * US_PER_S, 10 } };
    for (int i = 0; i < 3; i++) {
        tally[i] = calloc(1, sizeof *tally[i]);
        fill(tally[i], of[i].around_us, of[i].overruns);
        report[i] = (struct run_report){ .run = { .revision = revision[i] }, .tally = tally[i] };
        run[i] = &report[i];
    }
    ck_assert(trend_open(&trend, run, 3));
}

static void tear_down(void)
{
    trend_close(&trend);
    for (int i = 0; i < 3; i++) free(tally[i]);
}

static const struct trend_measure *find(const char *name)
{
    for (uint32_t i = 0; i < trend.measures; i++)
        if (strcmp(trend.measure[i].name, name) == 0) return &trend.measure[i];
    ck_abort_msg("no measure %s", name);
}

START_TEST(within_the_intervals_nothing_has_moved)
{
    ck_assert_int_eq(trend_moved(find("failover p99"), 1), TREND_NONE);
    ck_assert_int_eq(trend_moved(find("background holds over maxHold"), 1), TREND_NONE);
    ck_assert_int_eq(trend_moved(find("rounds that break progress"), 1), TREND_NONE);
}
END_TEST

START_TEST(beyond_them_it_has_with_its_direction)
{
    ck_assert_int_eq(trend_moved(find("failover p99"), 2), TREND_WORSE);
    ck_assert_int_eq(trend_moved(find("background holds over maxHold"), 2), TREND_BETTER);
}
END_TEST

START_TEST(a_violation_in_place_of_none_is_worse_when_it_is_no_chance)
{
    tally[2]->broken[INV_PROGRESS] = 100;
    trend_close(&trend);
    ck_assert(trend_open(&trend, run, 3));
    ck_assert_int_eq(trend_moved(find("rounds that break progress"), 2), TREND_WORSE);
}
END_TEST

START_TEST(without_an_interval_nothing_moves)
{
    const struct trend_measure *m = find("renewals in a second of leading");
    ck_assert(m->at[0].known && !m->at[0].bounded);
    ck_assert_double_eq_tol(m->at[0].value, 3, 1e-9);
    ck_assert_int_eq(trend_moved(m, 2), TREND_NONE);
    ck_assert(!find("failover p99 crashed")->at[0].known);
}
END_TEST

START_TEST(the_table_names_measure_revisions_and_values)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    trend_table(f, &trend);
    fclose(f);
    ck_assert_msg(strstr(text, "WORSE   r2 -> r3  failover p99: 1.049 s (") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "better  r2 -> r3  background holds") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "r1 -> r2") == NULL, "%s", text);
    free(text);
}
END_TEST

START_TEST(what_else_differs_is_told)
{
    static const struct run_setting a = { "lease.ttl", "1s" }, b = { "lease.ttl", "2s" };
    char out[TREND_UNLIKE_MAX];
    ck_assert_str_eq(trend_unlike(out, &trend, 1), "");
    report[1].run.plan_digest = 5;
    ck_assert_str_eq(trend_unlike(out, &trend, 1), "other contents of the suite's files");
    report[0].run.setting = &a, report[0].run.settings = 1;
    report[1].run.setting = &b, report[1].run.settings = 1;
    ck_assert_str_eq(trend_unlike(out, &trend, 1), "other settings (--set)");
    report[1].run.setting = &a;
    report[1].run.suite = "mine.yaml";
    report[1].run.contract.lease.ttl_us = 7;
    report[1].interrupted = true;
    tally[1]->rounds++;
    ck_assert_str_eq(trend_unlike(out, &trend, 1),
                     "another suite, another contract, another number of rounds,"
                     " one did not come to its end");
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    trend_table(f, &trend);
    fclose(f);
    ck_assert_msg(strstr(text, "unlike  r1 -> r2  another suite, ") != NULL, "%s", text);
    free(text);
}
END_TEST

START_TEST(a_condition_with_another_verdict_is_told)
{
    static struct gate_report gate[2];
    for (int i = 0; i < 2; i++) {
        gate[i].conditions = 1;
        gate[i].condition[0] = (struct condition){ .name = "failover-p99", .judged = true };
        report[i].gate = &gate[i];
    }
    ck_assert_ptr_null(trend_changed(&trend, 1, 0));
    gate[1].condition[0].verdict = GATE_FAIL;
    ck_assert_ptr_eq(trend_changed(&trend, 1, 0), &gate[0].condition[0]);
    gate[1].condition[0].judged = false;
    ck_assert_ptr_null(trend_changed(&trend, 1, 0));
}
END_TEST

Suite *trend_suite(void)
{
    Suite *s = suite_create("trend");
    TCase *t = tcase_create("trend");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, within_the_intervals_nothing_has_moved);
    tcase_add_test(t, beyond_them_it_has_with_its_direction);
    tcase_add_test(t, a_violation_in_place_of_none_is_worse_when_it_is_no_chance);
    tcase_add_test(t, without_an_interval_nothing_moves);
    tcase_add_test(t, what_else_differs_is_told);
    tcase_add_test(t, a_condition_with_another_verdict_is_told);
    tcase_add_test(t, the_table_names_measure_revisions_and_values);
    suite_add_tcase(s, t);
    return s;
}
