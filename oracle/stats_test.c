/* Known values: binomial tables, Clopper-Pearson limits, order statistics. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "oracle/gate.h"
#include "oracle/stats.h"

Suite *stats_suite(void);

static struct histogram h;

static void ck_close(double got, double want, double within)
{
    ck_assert_msg(fabs(got - want) <= within, "%.10g is not %.10g", got, want);
}

/* 1..n microseconds, one each. */
static void fill(int64_t n)
{
    memset(&h, 0, sizeof h);
    for (int64_t us = 1; us <= n; us++) hist_add(&h, us);
}

START_TEST(the_binomial_sum_has_its_exact_values)
{
    ck_close(stats_binomial_at_most(10, 3, 0.5), 176.0 / 1024, 1e-13);
    ck_close(stats_binomial_at_most(10, 5, 0.5), 638.0 / 1024, 1e-13);
    ck_close(stats_binomial_at_most(4, 0, 0.25), 81.0 / 256, 1e-13);
    ck_close(stats_binomial_at_most(100, 39, 0.5), 0.0176001, 1e-7);
    ck_close(stats_binomial_at_most(1, 0, 0.3), 0.7, 1e-13);
}
END_TEST

START_TEST(the_binomial_sum_is_zero_below_and_one_above)
{
    ck_assert(stats_binomial_at_most(10, -1, 0.5) == 0);
    ck_assert(stats_binomial_at_most(10, 10, 0.5) == 1);
    ck_assert(stats_binomial_at_most(10, 4, 0) == 1);
    ck_assert(stats_binomial_at_most(10, 4, 1) == 0);
}
END_TEST

START_TEST(the_binomial_sum_holds_for_millions)
{
    /* normal approximation with continuity correction is good to 1e-4 here */
    ck_close(stats_binomial_at_most(4e6, 2e6 + 1960, 0.5), 0.9750, 2e-4);
    ck_close(stats_binomial_at_most(4e6, 2e6 - 1960, 0.5), 0.0250, 2e-4);
}
END_TEST

START_TEST(clopper_pearson_has_its_published_limits)
{
    struct interval i = stats_proportion(10, 100);
    ck_close(i.low, 0.0490, 5e-5);
    ck_close(i.high, 0.1762, 5e-5);
    i = stats_proportion(5, 10);
    ck_close(i.low, 0.1871, 5e-5);
    ck_close(i.high, 0.8129, 5e-5);
    i = stats_proportion(0, 10);
    ck_assert(i.low == 0);
    ck_close(i.high, 1 - pow(0.025, 0.1), 1e-12);
    i = stats_proportion(10, 10);
    ck_close(i.low, pow(0.025, 0.1), 1e-12);
    ck_assert(i.high == 1);
}
END_TEST

START_TEST(one_sided_bounds_put_all_five_percent_on_one_side)
{
    ck_close(stats_upper(0, 10), 1 - pow(0.05, 0.1), 1e-12);
    ck_close(stats_upper(1, 1e6) * 1e6, 4.7439, 1e-3); /* Poisson limit for one event */
    ck_close(stats_lower(1, 10), 1 - pow(0.95, 0.1), 1e-12);
    ck_assert(stats_lower(0, 10) == 0);
    ck_assert(stats_upper(10, 10) == 1);
}
END_TEST

START_TEST(a_tenth_of_a_percent_needs_2995_samples_without_a_hit)
{
    ck_assert(stats_upper(0, 2995) < 0.001);
    ck_assert(stats_upper(0, 2994) >= 0.001);
}
END_TEST

START_TEST(the_rule_of_three_is_three_over_n_and_never_above_one)
{
    ck_close(stats_rule_of_three(100000), 3e-5, 1e-18);
    ck_assert(stats_rule_of_three(2) == 1);
    ck_assert(stats_rule_of_three(0) == 1);
    ck_close(stats_rule_of_three(100000) / stats_upper(0, 100000), 1, 0.002);
}
END_TEST

START_TEST(independent_samples_have_a_design_effect_of_one)
{
    /* 1000 clusters of one sample, 100 hits */
    struct cluster_sums s = { 1000, 100, 1000, 100, 1000, 100 };
    ck_close(stats_design_effect(&s), 1000.0 / 999, 1e-9);
}
END_TEST

START_TEST(samples_that_go_together_have_their_number_as_design_effect)
{
    /* 1000 clusters of 4; in 100 of them all 4 are hits */
    struct cluster_sums s = { 1000, 400, 4000, 1600, 16000, 1600 };
    ck_close(stats_design_effect(&s), 4 * 1000.0 / 999, 1e-9);
}
END_TEST

START_TEST(samples_that_avoid_each_other_are_not_rewarded)
{
    /* 1000 clusters of 4, one hit in each: no variance at all */
    struct cluster_sums s = { 1000, 1000, 4000, 1000, 16000, 4000 };
    ck_assert(stats_design_effect(&s) == 1);
}
END_TEST

START_TEST(a_single_clusters_design_effect_is_taken_at_its_worst)
{
    struct cluster_sums single = { 1, 2, 4, 4, 16, 8 };
    struct cluster_sums hitless = { 1, 0, 4, 0, 16, 0 };
    struct cluster_sums empty = { 1000, 0, 0, 0, 0, 0 };
    ck_assert(stats_design_effect(&single) == 4);
    ck_assert(stats_design_effect(&hitless) == 4);
    ck_assert(stats_design_effect(&empty) == 1);
}
END_TEST

/* 1000 clusters of 4, `hits` of them together in one cluster, or each in its own. */
static double bound_of(uint64_t hits, bool together)
{
    uint64_t squares = together ? hits * hits : hits;
    struct cluster_sums s = { 1000, hits, 4000, squares, 16000, 4 * hits };
    double effect = stats_design_effect(&s);
    return stats_upper((double)hits / effect, 4000 / effect);
}

START_TEST(a_bound_grows_with_the_hits_from_none_to_all)
{
    struct cluster_sums full = { 1000, 4000, 4000, 16000, 16000, 16000 };
    ck_close(bound_of(0, true), 1 - pow(0.05, 1.0 / 4000), 1e-9);
    for (uint64_t hits = 1; hits <= 4; hits++) {
        ck_assert(bound_of(hits - 1, true) < bound_of(hits, true));
        ck_assert(bound_of(hits - 1, false) < bound_of(hits, false));
    }
    ck_assert(stats_design_effect(&full) == 1);
}
END_TEST

START_TEST(the_interval_of_a_median_has_the_tabled_ranks)
{
    int64_t low, high;
    fill(100);
    ck_assert(tally_quantile_interval(&h, 1, 2, 1, &low, &high));
    ck_assert_int_eq(low, 40);
    ck_assert_int_eq(high, 61);
    fill(10);
    ck_assert(tally_quantile_interval(&h, 1, 2, 1, &low, &high));
    ck_assert_int_eq(low, 2);
    ck_assert_int_eq(high, 9);
}
END_TEST

START_TEST(the_smallest_sample_with_an_interval_is_known)
{
    int64_t low, high;
    fill(6); /* 0.5^6 <= 2.5% < 0.5^5 */
    ck_assert(tally_quantile_interval(&h, 1, 2, 1, &low, &high));
    ck_assert_int_eq(low, 1);
    ck_assert_int_eq(high, 6);
    fill(5);
    ck_assert(!tally_quantile_interval(&h, 1, 2, 1, &low, &high));
    fill(368); /* 0.99^368 <= 2.5% < 0.99^367 */
    ck_assert(tally_quantile_interval(&h, 99, 100, 1, &low, &high));
    ck_assert_int_eq(high, 368);
    fill(367);
    ck_assert(!tally_quantile_interval(&h, 99, 100, 1, &low, &high));
    fill(0);
    ck_assert(!tally_quantile_interval(&h, 99, 100, 1, &low, &high));
    fill(100); /* no rank is low enough for the first percent */
    ck_assert(!tally_quantile_interval(&h, 1, 100, 1, &low, &high));
}
END_TEST

START_TEST(a_design_effect_widens_the_interval)
{
    int64_t low, high, low4, high4;
    fill(400);
    ck_assert(tally_quantile_interval(&h, 1, 2, 1, &low, &high));
    ck_assert(tally_quantile_interval(&h, 1, 2, 4, &low4, &high4));
    ck_assert_int_eq(low, 180); /* P(X <= 179) = 0.0201, P(X <= 180) = 0.0256 */
    ck_assert_int_eq(high, 221);
    ck_assert_int_eq(low4, 157); /* the 40th and 61st of each four */
    ck_assert_int_eq(high4, 244);
}
END_TEST

START_TEST(a_rank_never_leaves_the_sample)
{
    int64_t low, high;
    fill(11); /* ten times 1.1: the 9th of 10 is the 10th of 11, rounded up */
    ck_assert(tally_quantile_interval(&h, 1, 2, 1.8, &low, &high));
    ck_assert_int_eq(low, 1);
    ck_assert_int_eq(high, 11);
}
END_TEST

Suite *stats_suite(void)
{
    Suite *s = suite_create("stats");
    TCase *c = tcase_create("stats");
    tcase_add_test(c, the_binomial_sum_has_its_exact_values);
    tcase_add_test(c, the_binomial_sum_is_zero_below_and_one_above);
    tcase_add_test(c, the_binomial_sum_holds_for_millions);
    tcase_add_test(c, clopper_pearson_has_its_published_limits);
    tcase_add_test(c, one_sided_bounds_put_all_five_percent_on_one_side);
    tcase_add_test(c, a_tenth_of_a_percent_needs_2995_samples_without_a_hit);
    tcase_add_test(c, the_rule_of_three_is_three_over_n_and_never_above_one);
    tcase_add_test(c, independent_samples_have_a_design_effect_of_one);
    tcase_add_test(c, samples_that_go_together_have_their_number_as_design_effect);
    tcase_add_test(c, samples_that_avoid_each_other_are_not_rewarded);
    tcase_add_test(c, a_single_clusters_design_effect_is_taken_at_its_worst);
    tcase_add_test(c, a_bound_grows_with_the_hits_from_none_to_all);
    tcase_add_test(c, the_interval_of_a_median_has_the_tabled_ranks);
    tcase_add_test(c, the_smallest_sample_with_an_interval_is_known);
    tcase_add_test(c, a_design_effect_widens_the_interval);
    tcase_add_test(c, a_rank_never_leaves_the_sample);
    suite_add_tcase(s, c);
    return s;
}
