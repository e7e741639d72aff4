/* The rest of a round under other choices: up to its event it is the same round. */
#include <check.h>

#include <string.h>

#include "sim/world_rig.h"

Suite *run_redraw_suite(void);

static struct world_rig g;
static struct obs was[1 << 15];

static void open_rig(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 4);
    g.scenario.operations = (struct count_range){ 6, 6 };
    g.scenario.duration = (struct span_range){ SECONDS(8), SECONDS(8) };
}

static void close_rig(void)
{
    world_rig_close(&g);
}

static uint64_t plain(void)
{
    return history_digest(run_round(&g.runner, &g.scenario, &g.contract, 1));
}

static uint64_t redrawn(struct redraw *d)
{
    return history_digest(run_round_redrawn(&g.runner, &g.scenario, &g.contract, 1, d));
}

START_TEST(up_to_its_event_the_round_is_the_same)
{
    const struct history *h = run_round(&g.runner, &g.scenario, &g.contract, 1);
    uint32_t n = h->n;
    uint64_t events = g.runner.world->events;
    ck_assert_uint_le(n, sizeof was / sizeof was[0]);
    memcpy(was, h->at, n * sizeof was[0]);
    for (uint64_t k = 1; k <= events; k += events / 7) {
        struct redraw d = { .before = k, .seed = 77 };
        const struct history *now = run_round_redrawn(&g.runner, &g.scenario, &g.contract, 1, &d);
        ck_assert(d.reached);
        ck_assert_uint_le(d.seen, n);
        ck_assert_mem_eq(now->at, was, d.seen * sizeof was[0]);
    }
}
END_TEST

START_TEST(from_its_event_on_the_choices_are_others)
{
    uint64_t without = plain();
    struct redraw a = { .before = 20, .seed = 1 }, b = { .before = 20, .seed = 2 };
    uint64_t first = redrawn(&a), second = redrawn(&b);
    ck_assert(first != without);
    ck_assert(second != without);
    ck_assert(first != second);
    ck_assert(redrawn(&a) == first);
}
END_TEST

START_TEST(behind_the_last_event_nothing_is_drawn)
{
    uint64_t without = plain();
    struct redraw d = { .before = g.runner.world->events + 1, .seed = 3 };
    ck_assert(redrawn(&d) == without);
    ck_assert(!d.reached);
    d.before--;
    (void)redrawn(&d);
    ck_assert(d.reached);
}
END_TEST

START_TEST(the_mildest_choices_of_a_calm_round_end_there_too)
{
    g.scenario.calm = true;
    uint64_t without = plain();
    struct redraw d = { .before = 10, .seed = 3 };
    ck_assert(redrawn(&d) != without);
    ck_assert(plain() == without);
}
END_TEST

START_TEST(operations_and_duration_are_the_plans)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct redraw d = { .before = 1, .seed = seed };
        (void)redrawn(&d);
        ck_assert_int_eq(g.runner.world->heal_at.us, SECONDS(8));
        ck_assert_uint_eq(g.runner.world->operations, 6);
    }
}
END_TEST

Suite *run_redraw_suite(void)
{
    Suite *s = suite_create("run_redraw");
    TCase *t = tcase_create("redraw");
    tcase_add_checked_fixture(t, open_rig, close_rig);
    tcase_add_test(t, up_to_its_event_the_round_is_the_same);
    tcase_add_test(t, from_its_event_on_the_choices_are_others);
    tcase_add_test(t, behind_the_last_event_nothing_is_drawn);
    tcase_add_test(t, the_mildest_choices_of_a_calm_round_end_there_too);
    tcase_add_test(t, operations_and_duration_are_the_plans);
    suite_add_tcase(s, t);
    return s;
}
