/* Blame: where a round broke, and how the probability of it goes over its events. */
#include <check.h>
#include <string.h>

#include "tools/blame.h"

Suite *blame_suite(void);

#define MUTANT "scenarios/mutants/receiver-ignores-fence.yaml"

static struct inputs in;
static struct blame b, again;
static struct options o;

static void load(const char *file, const char *seed)
{
    o = options_default();
    o.seed = seed;
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", file, stderr));
}

/* The first of the mutant's rounds that breaks its invariant. */
static void load_failing(void)
{
    struct player player;
    load(MUTANT, "1");
    player_open(&player, in.tabs);
    for (in.seed = 1; in.seed < 200; in.seed++) {
        struct played r = player_round(&player, in.suite.scenario, &in.contract, in.seed);
        if (played_broken(&r) >> INV_NO_STALE_COMMIT & 1) break;
    }
    ck_assert_uint_lt(in.seed, 200);
    player_close(&player);
}

static void unload(void)
{
    inputs_free(&in);
}

START_TEST(a_round_that_holds_is_refused)
{
    load("scenarios/chaos.yaml", "1");
    ck_assert_int_eq(blame_open(&b, &in, INV_COUNT, 10, 4, 1), BLAME_HOLDS);
    unload();
}
END_TEST

START_TEST(an_invariant_that_held_is_refused)
{
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_PROGRESS, 10, 4, 1), BLAME_HOLDS);
    unload();
}
END_TEST

/* The observation that broke it was made in the event that is named. */
START_TEST(the_event_that_broke_it_is_found)
{
    struct player player;
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_NO_STALE_COMMIT, 10, 4, 1), BLAME_OK);
    player_open(&player, in.tabs);
    struct redraw before = { .before = b.broke_in, .seed = 1 },
                  after = { .before = b.broke_in + 1, .seed = 1 };
    struct played r = player_round(&player, in.suite.scenario, &in.contract, in.seed);
    uint32_t witness = r.result->finding[INV_NO_STALE_COMMIT].witness[1];
    (void)player_round_redrawn(&player, in.suite.scenario, &in.contract, in.seed, &before);
    (void)player_round_redrawn(&player, in.suite.scenario, &in.contract, in.seed, &after);
    ck_assert_uint_le(before.seen, witness);
    ck_assert_uint_gt(after.seen, witness);
    player_close(&player);
    unload();
}
END_TEST

START_TEST(once_it_is_broken_no_choice_mends_it)
{
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_NO_STALE_COMMIT, 20, 8, 2), BLAME_OK);
    ck_assert(blame_run(&b, PROGRESS_NEVER));
    ck_assert_uint_eq(b.point[b.points - 1].before, b.broke_in + 1);
    ck_assert_uint_eq(b.point[b.points - 1].broken, 20);
    ck_assert_uint_lt(b.point[0].broken, 20);
    ck_assert_uint_eq(b.rounds, 20 * b.points);
    unload();
}
END_TEST

START_TEST(the_jump_is_the_largest_rise_between_events_that_follow_each_other)
{
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_NO_STALE_COMMIT, 40, 8, 2), BLAME_OK);
    ck_assert(blame_run(&b, PROGRESS_NEVER));
    uint32_t jump = blame_jump(&b);
    int64_t rise = (int64_t)b.point[jump + 1].broken - (int64_t)b.point[jump].broken;
    ck_assert_uint_eq(b.point[jump].before + 1, b.point[jump + 1].before);
    ck_assert_int_gt(rise, 0);
    for (uint32_t i = 0; i + 1 < b.points; i++) {
        ck_assert_uint_lt(b.point[i].before, b.point[i + 1].before);
        ck_assert_int_le((int64_t)b.point[i + 1].broken - (int64_t)b.point[i].broken, rise);
        ck_assert_int_le(b.point[i].at.us, b.point[i + 1].at.us);
    }
    unload();
}
END_TEST

START_TEST(jobs_change_nothing)
{
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_NO_STALE_COMMIT, 20, 8, 1), BLAME_OK);
    ck_assert(blame_run(&b, PROGRESS_NEVER));
    ck_assert_int_eq(blame_open(&again, &in, INV_NO_STALE_COMMIT, 20, 8, 3), BLAME_OK);
    ck_assert(blame_run(&again, PROGRESS_NEVER));
    ck_assert_uint_eq(b.points, again.points);
    for (uint32_t i = 0; i < b.points; i++) {
        ck_assert_uint_eq(b.point[i].before, again.point[i].before);
        ck_assert_uint_eq(b.point[i].broken, again.point[i].broken);
    }
    unload();
}
END_TEST

START_TEST(a_short_round_is_measured_at_every_event)
{
    load_failing();
    ck_assert_int_eq(blame_open(&b, &in, INV_NO_STALE_COMMIT, 1, BLAME_GRID_MAX, 2), BLAME_OK);
    ck_assert_uint_lt(b.broke_in, BLAME_GRID_MAX);
    ck_assert(blame_run(&b, PROGRESS_NEVER));
    ck_assert_uint_eq(b.points, b.broke_in + 1);
    for (uint32_t i = 0; i < b.points; i++) ck_assert_uint_eq(b.point[i].before, i + 1);
    unload();
}
END_TEST

Suite *blame_suite(void)
{
    Suite *s = suite_create("blame");
    TCase *t = tcase_create("blame");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, a_round_that_holds_is_refused);
    tcase_add_test(t, an_invariant_that_held_is_refused);
    tcase_add_test(t, the_event_that_broke_it_is_found);
    tcase_add_test(t, once_it_is_broken_no_choice_mends_it);
    tcase_add_test(t, the_jump_is_the_largest_rise_between_events_that_follow_each_other);
    tcase_add_test(t, jobs_change_nothing);
    tcase_add_test(t, a_short_round_is_measured_at_every_event);
    suite_add_tcase(s, t);
    return s;
}
