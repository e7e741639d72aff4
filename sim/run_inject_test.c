/* Faults at exact places: up to its event a round is the same as without the fault. */
#include <check.h>

#include <string.h>

#include "sim/world_rig.h"

Suite *run_inject_suite(void);

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* Two devices, work to do, and faults of its own that have to be left out. */
static void open_rig(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 5);
    (void)world_rig_device(&g);
    struct scenario *s = &g.scenario;
    s->operations = (struct count_range){ 8, 8 };
    s->duration = (struct span_range){ SECONDS(15), SECONDS(15) };
    s->faults_drawn = (struct count_range){ 3, 3 };
    s->faults = 2;
    s->fault[0] = (struct fault_plan){ .kind = FAULT_HIDE_ALL,
                                       .always = true,
                                       .lasts = { SECONDS(1), SECONDS(2) } };
    s->fault[1] = (struct fault_plan){ .kind = FAULT_FREEZE_HOLDER,
                                       .weight = 1,
                                       .lasts = { SECONDS(1), SECONDS(2) } };
    s->steps = 2;
    s->step[0] = (struct step_plan){ .at_us = SECONDS(1),
                                     .when = PHASE_COUNT,
                                     .fault = FAULT_CUT_UP,
                                     .lasts_us = SECONDS(1),
                                     .tab = STEP_ANY,
                                     .device = STEP_ANY };
    s->step[1] = s->step[0];
    s->step[1].fault = FAULT_COUNT; /* an operation is no fault: it stays */
}

static const struct history *play_with(struct injection *x, uint32_t n, uint64_t seed)
{
    struct scenario calm = scenario_without_faults(&g.scenario);
    return run_round_with(&g.runner, &calm, &g.contract, seed, x, n);
}

static uint32_t faults_begun(void)
{
    return world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
}

START_TEST(a_scenario_without_faults_has_none_drawn_or_scheduled)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        (void)run_round(&g.runner, &g.scenario, &g.contract, seed);
        ck_assert_uint_ge(faults_begun(), 5);
        (void)play_with(NULL, 0, seed);
        ck_assert_uint_eq(faults_begun(), 0);
        ck_assert_int_eq(g.w->step[0], STEP_DONE);
    }
}
END_TEST

/* When event number `n` of the calm round is handled. */
static int64_t time_of_event(uint64_t n, uint64_t seed)
{
    struct scenario calm = scenario_without_faults(&g.scenario);
    struct event e = { .key = 0 };
    world_reset(g.w, &calm, &g.contract, seed);
    for (uint64_t i = 0; i < n; i++) {
        ck_assert(evq_pop(&g.w->queue, &e));
        if (i + 1 < n) world_handle(g.w, &e);
    }
    return event_at(&e).us;
}

START_TEST(a_fault_has_the_time_of_its_event)
{
    for (uint64_t before = 1; before < 400; before += 13) {
        struct injection x = { .kind = FAULT_CLOCK_JUMP, .before = before };
        (void)play_with(&x, 1, 8);
        ck_assert_int_eq(x.at.us, time_of_event(before, 8));
    }
}
END_TEST

START_TEST(up_to_its_event_a_round_with_a_fault_is_the_round_without)
{
    static struct obs calm[50000];
    const struct history *h = play_with(NULL, 0, 3);
    uint32_t n = h->n, last = 0;
    uint64_t events = g.w->first_phase;
    memcpy(calm, h->at, n * sizeof calm[0]);
    for (uint64_t before = 1; before <= events; before += events / 40) {
        struct injection x = { .kind = FAULT_SLEEP_DEVICE, .before = before, .lasts_us = MS(2000) };
        h = play_with(&x, 1, 3);
        const struct obs *begun = world_rig_find(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
        ck_assert(x.reached && x.begun && begun);
        ck_assert_int_eq(begun->at.us, x.at.us);
        ck_assert_uint_ge(begun->number, last);
        ck_assert_uint_lt(begun->number, n);
        ck_assert_mem_eq(h->at, calm, begun->number * sizeof calm[0]);
        ck_assert_uint_eq(faults_begun(), 1);
        last = begun->number;
    }
    ck_assert_uint_gt(last, n / 4);
}
END_TEST

START_TEST(a_fault_begins_before_the_healing_only_and_where_there_is_an_event)
{
    uint64_t calm = history_digest(play_with(NULL, 0, 4));
    uint64_t first_phase = g.w->first_phase, events = g.w->events;
    ck_assert_uint_lt(first_phase, events);
    struct injection x = { .kind = FAULT_SLEEP_DEVICE, .before = first_phase, .lasts_us = MS(900) };
    (void)play_with(&x, 1, 4);
    ck_assert(x.reached && x.begun);
    x.before++;
    ck_assert_uint_eq(history_digest(play_with(&x, 1, 4)), calm);
    ck_assert(x.reached && !x.begun);
    x.before = events + 1;
    ck_assert_uint_eq(history_digest(play_with(&x, 1, 4)), calm);
    ck_assert(!x.reached && !x.begun);
}
END_TEST

START_TEST(several_faults_keep_their_order_also_before_one_event)
{
    struct injection x[] = {
        { .kind = FAULT_PROVIDER_SLOW, .before = 200, .lasts_us = SECONDS(1) },
        { .kind = FAULT_SLEEP_DEVICE, .before = 200, .lasts_us = SECONDS(1) },
        { .kind = FAULT_CLOCK_JUMP, .before = 260 },
    };
    (void)play_with(x, 3, 5);
    const struct obs *o = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        o = world_rig_find(&g, o ? o->number + 1 : 0, OBS_FAULT_BEGUN, PAGE_NONE);
        ck_assert(x[i].begun && o && o->a == x[i].kind);
    }
    ck_assert_int_eq(x[0].at.us, x[1].at.us);
    ck_assert_int_lt(x[1].at.us, x[2].at.us);
}
END_TEST

START_TEST(a_fault_that_finds_nobody_changes_nothing)
{
    uint64_t calm = history_digest(play_with(NULL, 0, 6));
    struct injection x = { .kind = FAULT_CLOSE_HOLDER, .before = 1 }; /* no page is there yet */
    ck_assert_uint_eq(history_digest(play_with(&x, 1, 6)), calm);
    ck_assert(x.reached && !x.begun);
    ck_assert_int_eq(x.phase, PHASE_NO_LEADER);
}
END_TEST

START_TEST(the_order_of_injections_is_their_events)
{
    struct injection x[] = { { .kind = FAULT_CLOCK_JUMP, .before = 9 },
                             { .kind = FAULT_CLOCK_JUMP, .before = 8 } };
    (void)play_with(x, 2, 7);
}
END_TEST

Suite *run_inject_suite(void)
{
    Suite *s = suite_create("run_inject");
    TCase *t = tcase_create("run_inject");
    tcase_add_checked_fixture(t, open_rig, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_scenario_without_faults_has_none_drawn_or_scheduled);
    tcase_add_test(t, a_fault_has_the_time_of_its_event);
    tcase_add_test(t, up_to_its_event_a_round_with_a_fault_is_the_round_without);
    tcase_add_test(t, a_fault_begins_before_the_healing_only_and_where_there_is_an_event);
    tcase_add_test(t, several_faults_keep_their_order_also_before_one_event);
    tcase_add_test(t, a_fault_that_finds_nobody_changes_nothing);
    tcase_add_exit_test(t, the_order_of_injections_is_their_events, 3);
    suite_add_tcase(s, t);
    return s;
}
