/* Rounds by a course: what a fork leaves alone, what PCT may delay, and that a course is all
 * that is needed to have a round again. */
#include <check.h>

#include <string.h>

#include "sim/world_rig.h"

Suite *run_course_suite(void);

static struct world_rig g;

static void open_rig(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 5);
    (void)world_rig_device(&g);
    struct scenario *s = &g.scenario;
    s->network[0] = NETWORK_BROADBAND;
    s->operations = (struct count_range){ 8, 8 };
    s->duration = (struct span_range){ SECONDS(15), SECONDS(15) };
    s->faults_drawn = (struct count_range){ 2, 2 };
    s->faults = 1;
    s->fault[0] = (struct fault_plan){ .kind = FAULT_FREEZE_HOLDER,
                                       .weight = 1,
                                       .lasts = { SECONDS(1), SECONDS(2) } };
}

static void close_rig(void)
{
    world_rig_close(&g);
}

static const struct history *play(struct course *c)
{
    return run_course(&g.runner, &g.scenario, &g.contract, c);
}

static struct course mutation(uint64_t seed, uint32_t after, uint64_t fork)
{
    return (struct course){ .strategy = STRATEGY_MUTATION,
                            .seed = seed,
                            .fork = { .after = after, .seed = fork } };
}

static struct course sweep(uint64_t seed, uint32_t after, uint64_t fork)
{
    struct course c = mutation(seed, after, fork);
    c.strategy = STRATEGY_SWEEP;
    c.fault = FAULT_SLEEP_DEVICE;
    c.lasts_us = SECONDS(2);
    return c;
}

START_TEST(uniform_is_the_round_of_the_seed)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct course c = { .seed = seed }, pct = { .strategy = STRATEGY_PCT3, .seed = seed };
        uint64_t digest = history_digest(run_round(&g.runner, &g.scenario, &g.contract, seed));
        ck_assert(history_digest(play(&pct)) != digest);
        ck_assert_uint_eq(history_digest(play(&c)), digest); /* and PCT leaves nothing behind */
        (void)play(&pct);
        ck_assert_uint_eq(history_digest(run_round(&g.runner, &g.scenario, &g.contract, seed)),
                          digest);
    }
}
END_TEST

/* A fork of `c` after observation `after` leaves all up to there as it is in `base`. */
static void check_prefix(struct course *c, const struct scenario *base, uint32_t after)
{
    static struct obs whole[50000];
    const struct history *h = run_round(&g.runner, base, &g.contract, c->seed);
    uint32_t n = h->n;
    memcpy(whole, h->at, n * sizeof whole[0]);
    h = play(c);
    ck_assert_uint_gt(c->fork.before, 0);
    ck_assert_uint_gt(h->n, after);
    ck_assert_mem_eq(h->at, whole, (after + 1) * sizeof whole[0]);
    ck_assert(h->n != n || memcmp(h->at, whole, n * sizeof whole[0]) != 0);
}

START_TEST(up_to_its_fork_a_round_is_the_other_one)
{
    struct scenario good = scenario_without_faults(&g.scenario);
    for (uint32_t after = 20; after < 400; after += 60) {
        struct course m = mutation(3, after, after), s = sweep(3, after, after);
        check_prefix(&m, &g.scenario, after);
        check_prefix(&s, &good, after);
        ck_assert_uint_eq(world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE), 1);
    }
}
END_TEST

START_TEST(a_text_is_enough_to_have_a_round_again)
{
    for (uint32_t after = 10; after < 500; after += 35) {
        char text[COURSE_TEXT_MAX];
        struct course c = after % 2 ? mutation(after, after, 77) : sweep(after, after, 77);
        struct course again = { .seed = c.seed };
        uint64_t digest = history_digest(play(&c));
        ck_assert(course_read(&again, course_text(text, &c)));
        ck_assert_uint_eq(history_digest(play(&again)), digest);
    }
}
END_TEST

START_TEST(half_of_the_mutations_have_a_fault_more)
{
    uint32_t more = 0;
    struct course c = { .seed = 4 };
    (void)play(&c);
    uint32_t own = world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
    for (uint64_t fork = 0; fork < 60; fork++) {
        c = mutation(4, 30, fork);
        (void)play(&c);
        more += world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE) > own;
    }
    ck_assert_uint_gt(more, 15);
    ck_assert_uint_lt(more, 45);
}
END_TEST

/* The longest that a request was on its way, from its call or its departure. */
static int64_t longest_way(const struct history *h, int64_t until)
{
    static int64_t began[REQUEST_IDS_MAX];
    int64_t longest = 0;
    for (uint32_t i = 0; i < h->n && h->at[i].at.us < until; i++) {
        const struct obs *o = &h->at[i];
        if (o->kind == OBS_REQUEST_ISSUED || o->kind == OBS_REQUEST_DEPARTED)
            began[o->request] = o->at.us;
        if (o->kind == OBS_REQUEST_ARRIVED && o->at.us - began[o->request] > longest)
            longest = o->at.us - began[o->request];
    }
    return longest;
}

START_TEST(pct_delays_as_long_as_the_network_allows_and_no_longer)
{
    const struct network *n = network_of(NETWORK_BROADBAND);
    int64_t slowest = 0, service_us = MS(60);
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct course c = { .strategy = STRATEGY_PCT3, .seed = seed };
        const struct history *h = play(&c);
        int64_t us = longest_way(h, SECONDS(15));
        ck_assert_int_le(us, n->slow_max_us + service_us);
        if (us > slowest) slowest = us;
    }
    ck_assert_int_gt(slowest, MS(1500));
}
END_TEST

START_TEST(the_estimate_of_steps_is_near_their_number)
{
    uint64_t steps = 0, planned = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct course c = { .strategy = STRATEGY_PCT2, .seed = seed };
        (void)play(&c);
        steps += g.w->pct.steps;
        planned += g.w->pct.planned;
        ck_assert_uint_gt(g.w->pct.links, 2);
    }
    ck_assert_uint_gt(planned, steps * 6 / 10);
    ck_assert_uint_lt(planned, steps * 16 / 10);
}
END_TEST

Suite *run_course_suite(void)
{
    Suite *s = suite_create("run_course");
    TCase *t = tcase_create("courses");
    tcase_add_checked_fixture(t, open_rig, close_rig);
    tcase_add_test(t, uniform_is_the_round_of_the_seed);
    tcase_add_test(t, up_to_its_fork_a_round_is_the_other_one);
    tcase_add_test(t, a_text_is_enough_to_have_a_round_again);
    tcase_add_test(t, half_of_the_mutations_have_a_fault_more);
    tcase_add_test(t, pct_delays_as_long_as_the_network_allows_and_no_longer);
    tcase_add_test(t, the_estimate_of_steps_is_near_their_number);
    suite_add_tcase(s, t);
    return s;
}
