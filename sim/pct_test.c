/* Priorities: each link keeps its own, a change point takes it away, and steps are counted. */
#include <check.h>

#include "sim/pct.h"

Suite *pct_suite(void);

#define LINKS 8
static uint32_t rank[LINKS];
static struct pct pct = { .rank = rank, .links_max = LINKS };
static struct choices choices;

static void begin(uint32_t changes, uint32_t steps, uint64_t seed)
{
    choices_reset(&choices, seed);
    pct_reset(&pct, changes);
    pct_plan(&pct, &choices, steps);
}

static uint32_t send(uint32_t link, bool is_step, bool *change)
{
    return pct_rank(&pct, &choices, link, is_step, change);
}

START_TEST(a_link_keeps_its_rank_until_its_change_point)
{
    uint32_t changed = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bool change;
        begin(1, 20, seed);
        uint32_t first = send(3, true, &change), last = first;
        if (change) continue;
        for (uint32_t i = 2; i <= 20; i++) {
            uint32_t now = send(3, true, &change);
            ck_assert_uint_eq(change, i == pct.at[0]);
            ck_assert_uint_eq(now, i >= pct.at[0] ? PCT_LOWEST : first);
            last = now;
        }
        changed += last == PCT_LOWEST;
    }
    ck_assert_uint_gt(changed, 40); /* the rest changed at their first step */
}
END_TEST

START_TEST(change_points_fall_on_every_step_alike)
{
    uint32_t at[11] = { 0 };
    for (uint64_t seed = 0; seed < 10000; seed++) {
        begin(2, 10, seed);
        at[pct.at[0]]++, at[pct.at[1]]++;
    }
    ck_assert_uint_eq(at[0], 0);
    for (int i = 1; i <= 10; i++) {
        ck_assert_uint_gt(at[i], 1800);
        ck_assert_uint_lt(at[i], 2200);
    }
}
END_TEST

START_TEST(what_is_no_step_changes_nothing)
{
    bool change;
    begin(2, 1, 5);
    for (int i = 0; i < 9; i++) {
        (void)send(1, false, &change);
        ck_assert(!change);
    }
    ck_assert_uint_eq(pct.steps, 0);
    ck_assert_uint_eq(pct.links, 1);
    (void)send(2, true, &change);
    ck_assert(change);
    ck_assert_uint_eq(pct.links, 2);
    (void)send(1, false, &change);
    ck_assert(!change);
}
END_TEST

START_TEST(links_have_ranks_of_their_own_and_new_ones_each_round)
{
    uint32_t higher = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bool change;
        begin(1, 1000000, seed);
        higher += send(0, false, &change) < send(1, false, &change);
    }
    ck_assert_uint_gt(higher, 160);
    ck_assert_uint_lt(higher, 240);
}
END_TEST

START_TEST(a_link_beyond_the_table_is_a_mistake)
{
    bool change;
    begin(1, 1, 1);
    (void)send(LINKS, true, &change);
}
END_TEST

Suite *pct_suite(void)
{
    Suite *s = suite_create("pct");
    TCase *t = tcase_create("priorities");
    tcase_add_test(t, a_link_keeps_its_rank_until_its_change_point);
    tcase_add_test(t, change_points_fall_on_every_step_alike);
    tcase_add_test(t, what_is_no_step_changes_nothing);
    tcase_add_test(t, links_have_ranks_of_their_own_and_new_ones_each_round);
    tcase_add_exit_test(t, a_link_beyond_the_table_is_a_mistake, 3);
    suite_add_tcase(s, t);
    return s;
}
