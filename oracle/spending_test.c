/* The curve of states and PCT's bound, from tallies made by hand. */
#include <check.h>
#include <string.h>

#include "oracle/spending.h"

Suite *spending_suite(void);

static struct tally t;

static void clear(void)
{
    memset(&t, 0, sizeof t);
}

START_TEST(the_curve_has_three_points_a_power_of_ten_and_the_end)
{
    static const uint64_t rounds[] = { 1, 2, 5, 10, 20, 50, 100, 120 };
    struct curve_point curve[CURVE_MAX];
    t.rounds = 120;
    for (uint32_t i = 0; i < 60; i++) t.first[i] = 1 + 2 * i; /* one every second round */
    ck_assert_uint_eq(spending_curve(&t, curve), 8);
    for (int i = 0; i < 8; i++) {
        ck_assert_uint_eq(curve[i].rounds, rounds[i]);
        ck_assert_uint_eq(curve[i].states, (rounds[i] + 1) / 2);
    }
}
END_TEST

START_TEST(a_run_of_nothing_has_no_curve_and_a_long_one_fits)
{
    struct curve_point curve[CURVE_MAX];
    ck_assert_uint_eq(spending_curve(&t, curve), 0);
    t.rounds = UINT32_MAX;
    uint32_t n = spending_curve(&t, curve);
    ck_assert_uint_lt(n, CURVE_MAX);
    ck_assert_uint_eq(curve[n - 1].rounds, UINT32_MAX);
}
END_TEST

/* Of an interrupted run the rounds with the largest numbers may be there and others not. */
START_TEST(the_curve_is_over_indices)
{
    struct curve_point curve[CURVE_MAX];
    t.rounds = 3;
    t.first[0] = 9;
    uint32_t n = spending_curve(&t, curve);
    ck_assert_uint_eq(curve[n - 1].rounds, 9);
    ck_assert_uint_eq(curve[n - 1].states, 1);
}
END_TEST

START_TEST(the_bound_is_that_of_the_paper)
{
    struct pct_bound b;
    t.strategy_rounds[STRATEGY_PCT2] = 1000;
    t.strategy_rounds[STRATEGY_PCT3] = 3000;
    t.pct_links = 4000 * 20;
    t.pct_steps = 4000 * 500;
    ck_assert(spending_pct(&t, 2, &b));
    ck_assert_uint_eq(b.rounds, 1000);
    ck_assert_double_eq_tol(b.n, 20, 1e-9);
    ck_assert_double_eq_tol(b.k, 500, 1e-9);
    ck_assert_double_eq_tol(b.hit, 1e-4, 1e-12);
    ck_assert_double_eq_tol(b.missed, 0.9048, 1e-4);
    ck_assert(spending_pct(&t, 3, &b));
    ck_assert_uint_eq(b.rounds, 3000);
    ck_assert_double_eq_tol(b.hit, 2e-7, 1e-15);
}
END_TEST

START_TEST(without_such_rounds_it_says_nothing)
{
    struct pct_bound b;
    ck_assert(!spending_pct(&t, 2, &b));
    t.strategy_rounds[STRATEGY_PCT3] = 1;
    ck_assert(!spending_pct(&t, 3, &b)); /* no message was sent */
    t.pct_links = t.pct_steps = 1;
    ck_assert(spending_pct(&t, 3, &b));
    ck_assert_double_eq(b.hit, 1);
    ck_assert_double_eq(b.missed, 0);
    ck_assert(!spending_pct(&t, 2, &b));
}
END_TEST

Suite *spending_suite(void)
{
    Suite *s = suite_create("spending");
    TCase *c = tcase_create("spending");
    tcase_add_checked_fixture(c, clear, NULL);
    tcase_add_test(c, the_curve_has_three_points_a_power_of_ten_and_the_end);
    tcase_add_test(c, a_run_of_nothing_has_no_curve_and_a_long_one_fits);
    tcase_add_test(c, the_curve_is_over_indices);
    tcase_add_test(c, the_bound_is_that_of_the_paper);
    tcase_add_test(c, without_such_rounds_it_says_nothing);
    suite_add_tcase(s, c);
    return s;
}
