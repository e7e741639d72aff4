/* Steps of a schedule: when each acts, on whom, what is noted when it cannot, and that no
 * step and nothing in a calm round is left to chance. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_schedule_suite(void);

static struct world_rig g;

static struct step_plan *add(enum fault_kind k, int64_t at_us, enum leader_phase when)
{
    struct step_plan *p = &g.scenario.step[g.scenario.steps++];
    *p = (struct step_plan){
        .at_us = at_us, .when = when, .fault = k, .tab = STEP_ANY, .device = STEP_ANY
    };
    return p;
}

static void open_rig(uint32_t tabs)
{
    world_rig_open(&g, PROFILE_CHROMIUM, tabs);
    g.scenario.all_hidden_percent = 0;
}

static void play(int64_t us)
{
    world_rig_reset(&g, 3);
    world_rig_for(&g, us);
}

static const struct obs *begun(enum fault_kind k)
{
    return world_rig_find_a(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE, k);
}

/* The whole round, as the runner plays it. */
static uint64_t digest(uint64_t seed)
{
    return history_digest(run_round(&g.runner, &g.scenario, &g.contract, seed));
}

START_TEST(a_step_begins_at_its_time_and_ends_after_its_length)
{
    open_rig(2);
    add(FAULT_CUT_SERVER, SECONDS(3), PHASE_COUNT)->lasts_us = MS(700);
    play(SECONDS(5));
    ck_assert_int_eq(begun(FAULT_CUT_SERVER)->at.us, SECONDS(3));
    ck_assert_int_eq(world_rig_find(&g, 0, OBS_FAULT_ENDED, PAGE_NONE)->at.us, MS(3700));
    ck_assert_int_eq(g.w->step[0], STEP_DONE);
}
END_TEST

START_TEST(steps_in_any_order_of_the_file_keep_their_times)
{
    open_rig(2);
    add(FAULT_CUT_UP, SECONDS(3), PHASE_COUNT)->lasts_us = MS(100);
    add(FAULT_CUT_DOWN, SECONDS(1), PHASE_COUNT)->lasts_us = MS(100);
    play(SECONDS(4));
    ck_assert_int_eq(begun(FAULT_CUT_UP)->at.us, SECONDS(3));
    ck_assert_int_eq(begun(FAULT_CUT_DOWN)->at.us, SECONDS(1));
}
END_TEST

START_TEST(a_step_with_a_phase_waits_for_it)
{
    open_rig(2);
    add(FAULT_COUNT, SECONDS(2), PHASE_COUNT);
    add(FAULT_FREEZE_ABRUPT, -1, PHASE_EFFECT)->lasts_us = SECONDS(1);
    play(SECONDS(4));
    const struct obs *effect = world_rig_find_a(&g, 0, OBS_REQUEST_ISSUED, PAGE_NONE, REQ_EFFECT);
    ck_assert_ptr_nonnull(effect);
    ck_assert_int_eq(begun(FAULT_FREEZE_ABRUPT)->at.us, effect->at.us);
    ck_assert_int_gt(begun(FAULT_FREEZE_ABRUPT)->number, effect->number);
}
END_TEST

START_TEST(a_step_with_both_waits_from_its_time_on)
{
    open_rig(2);
    add(FAULT_CUT_UP, SECONDS(5), PHASE_RENEW)->lasts_us = MS(100);
    play(SECONDS(7));
    const struct obs *b = begun(FAULT_CUT_UP);
    ck_assert_int_gt(b->at.us, SECONDS(5));
    ck_assert_int_le(b->at.us, SECONDS(5) + g.contract.lease.renew_us + MS(50));
}
END_TEST

START_TEST(a_phase_is_waited_for_only_when_the_step_before_is_done)
{
    open_rig(2);
    add(FAULT_CUT_DOWN, SECONDS(4), PHASE_COUNT)->lasts_us = MS(10);
    add(FAULT_CUT_UP, -1, PHASE_RENEW)->lasts_us = MS(10); /* there was one before */
    play(SECONDS(6));
    ck_assert_int_ge(begun(FAULT_CUT_UP)->at.us, SECONDS(4));
    ck_assert_int_eq(g.w->step[1], STEP_DONE);
}
END_TEST

START_TEST(a_phase_that_does_not_come_is_noted_and_later_times_are_kept)
{
    open_rig(1);
    add(FAULT_RELOAD, -1, PHASE_EFFECT); /* nobody submits anything */
    add(FAULT_RELOAD, -1, PHASE_IDLE);
    add(FAULT_CUT_UP, SECONDS(2), PHASE_COUNT);
    play(SECONDS(4));
    ck_assert_int_eq(g.w->step[0], STEP_WAITING);
    ck_assert_int_eq(g.w->step[1], STEP_AHEAD);
    ck_assert_int_eq(g.w->step[2], STEP_DONE);
}
END_TEST

START_TEST(a_fault_acts_on_the_tab_that_the_step_names)
{
    open_rig(4);
    add(FAULT_FREEZE_ABRUPT, SECONDS(2), PHASE_COUNT)->tab = 3;
    play(SECONDS(3));
    uint16_t p = g.w->tab[3].page;
    ck_assert_uint_eq(begun(FAULT_FREEZE_ABRUPT)->page, p);
    ck_assert_ptr_nonnull(world_rig_find(&g, 0, OBS_PAGE_FROZEN, p));
}
END_TEST

START_TEST(a_fault_finds_the_holder_of_its_device)
{
    open_rig(2);
    world_rig_device(&g);
    play(SECONDS(2));
    uint8_t leads = g.w->page[g.w->owner].device, other = (uint8_t)(1 - leads);
    add(FAULT_FREEZE_ABRUPT, SECONDS(2), PHASE_COUNT)->device = leads;
    add(FAULT_HIDE_ALL, SECONDS(3), PHASE_COUNT)->device = other;
    play(SECONDS(4));
    ck_assert_uint_eq(begun(FAULT_FREEZE_ABRUPT)->device, leads);
    ck_assert_uint_eq(begun(FAULT_HIDE_ALL)->device, other);
}
END_TEST

START_TEST(a_step_without_anybody_is_noted_and_the_next_goes_on)
{
    open_rig(1);
    add(FAULT_CLOSE_WAITER, SECONDS(1), PHASE_COUNT);    /* nobody waits */
    add(FAULT_RELOAD, SECONDS(2), PHASE_COUNT)->tab = 7; /* no such tab */
    add(FAULT_COUNT, SECONDS(2), PHASE_COUNT)->tab = 7;
    add(FAULT_NODE_PARTITION, SECONDS(2), PHASE_COUNT); /* there is one node */
    add(FAULT_CUT_UP, -1, PHASE_IDLE);
    play(SECONDS(4));
    ck_assert_int_eq(g.w->step[0], STEP_NOBODY);
    ck_assert_int_eq(g.w->step[1], STEP_NOBODY);
    ck_assert_int_eq(g.w->step[2], STEP_NOBODY);
    ck_assert_int_eq(g.w->step[3], STEP_CANNOT);
    ck_assert_int_eq(g.w->step[4], STEP_DONE);
    ck_assert_uint_eq(g.w->faults, 1);
}
END_TEST

START_TEST(an_operation_is_submitted_by_the_tab_that_the_step_names)
{
    open_rig(3);
    add(FAULT_COUNT, SECONDS(2), PHASE_COUNT)->tab = 2;
    play(SECONDS(3));
    const struct obs *o = world_rig_find_a(&g, 0, OBS_REQUEST_ISSUED, PAGE_NONE, REQ_SUBMIT);
    ck_assert_uint_eq(o->page, g.w->tab[2].page);
    ck_assert_int_eq(o->at.us, SECONDS(2));
    ck_assert_uint_eq(g.w->submitted[1].tab, 2);
    ck_assert_int_eq(g.w->submitted[1].at.us, SECONDS(2));
}
END_TEST

START_TEST(a_busy_page_submits_when_its_task_is_over)
{
    open_rig(1);
    add(FAULT_LONG_TASK, SECONDS(2), PHASE_COUNT)->lasts_us = SECONDS(1);
    add(FAULT_COUNT, MS(2500), PHASE_COUNT);
    play(SECONDS(4));
    const struct obs *o = world_rig_find_a(&g, 0, OBS_REQUEST_ISSUED, PAGE_NONE, REQ_SUBMIT);
    ck_assert_int_ge(o->at.us, SECONDS(3));
    ck_assert_int_le(o->at.us, SECONDS(3) + MS(50)); /* small tasks may be before it */
    ck_assert_int_eq(g.w->step[1], STEP_DONE);
}
END_TEST

START_TEST(a_frozen_page_submits_nothing)
{
    open_rig(2);
    add(FAULT_FREEZE_ABRUPT, SECONDS(1), PHASE_COUNT)->tab = 1;
    add(FAULT_COUNT, SECONDS(2), PHASE_COUNT)->tab = 1;
    play(SECONDS(3));
    ck_assert_int_eq(g.w->step[1], STEP_NOBODY);
}
END_TEST

START_TEST(a_fault_without_a_length_stays_for_good)
{
    open_rig(2);
    g.scenario.duration = (struct span_range){ SECONDS(4), SECONDS(4) };
    add(FAULT_FREEZE_ABRUPT, SECONDS(2), PHASE_COUNT)->tab = 1;
    add(FAULT_CUT_SERVER, SECONDS(3), PHASE_COUNT);
    run_round(&g.runner, &g.scenario, &g.contract, 1);
    const struct obs *healed = world_rig_find(&g, 0, OBS_ROUND_HEALED, PAGE_NONE);
    ck_assert_ptr_null(world_rig_find(&g, 0, OBS_PAGE_RESUMED, g.w->tab[1].page));
    const struct obs *end = world_rig_find(&g, 0, OBS_FAULT_ENDED, PAGE_NONE);
    ck_assert_uint_eq(end->a, FAULT_CUT_SERVER);
    ck_assert_int_eq(end->at.us, healed->at.us);
}
END_TEST

START_TEST(a_step_draws_nothing)
{
    open_rig(3);
    g.scenario.duration = (struct span_range){ SECONDS(5), SECONDS(5) };
    uint64_t without = digest(11);
    add(FAULT_CLOSE_WAITER, SECONDS(2), PHASE_COUNT)->tab = 9; /* finds nobody */
    add(FAULT_NODE_PARTITION, -1, PHASE_RENEW);                /* cannot happen */
    ck_assert_uint_eq(digest(11), without);
    ck_assert_int_eq(g.w->step[1], STEP_CANNOT);
    add(FAULT_CUT_UP, SECONDS(2), PHASE_COUNT)->lasts_us = MS(500);
    ck_assert_uint_ne(digest(11), without);
}
END_TEST

START_TEST(a_calm_round_is_the_same_for_every_seed)
{
    open_rig(3);
    g.scenario.duration = (struct span_range){ SECONDS(5), SECONDS(9) };
    uint64_t drawn = digest(1);
    ck_assert_uint_ne(drawn, digest(2));
    g.scenario.calm = true;
    uint64_t calm = digest(1);
    ck_assert_uint_eq(calm, digest(2));
    ck_assert_int_eq(g.w->heal_at.us, SECONDS(5));
    g.scenario.calm = false;
    ck_assert_uint_eq(drawn, digest(1)); /* and the next one draws again */
}
END_TEST

/* ---- actions, observations, expectations --------------------------------------------- */

static struct step_plan *act(enum step_action a, int64_t at_us, uint32_t tab)
{
    struct step_plan *p = add(FAULT_COUNT, at_us, PHASE_COUNT);
    p->action = a;
    p->tab = tab;
    p->of = STEP_ANY;
    return p;
}

static struct step_plan *hope(enum step_expectation e, int64_t at_us, uint32_t tab)
{
    struct step_plan *p = act(ACTION_SUBMIT, at_us, tab);
    p->expects = true;
    p->expect = e;
    return p;
}

/* The page that tab 0 had first. */
static const struct obs *seen(enum obs_kind k)
{
    return world_rig_find(&g, 0, k, g.w->scenario->calm ? 0 : PAGE_NONE);
}

START_TEST(each_action_does_what_it_says_to_its_tab)
{
    static const struct {
        enum step_action action;
        enum obs_kind leads_to;
    } row[] = {
        { ACTION_CLOSE, OBS_PAGE_CLOSED },  { ACTION_RELOAD, OBS_PAGE_CLOSED },
        { ACTION_CRASH, OBS_PAGE_CRASHED }, { ACTION_DISCARD, OBS_PAGE_DISCARDED },
        { ACTION_FREEZE, OBS_PAGE_FROZEN }, { ACTION_SUSPEND, OBS_PAGE_FROZEN },
        { ACTION_HIDE, OBS_PAGE_HIDDEN },   { ACTION_LEAVE, OBS_PAGE_CACHED },
        { ACTION_BLOCK, OBS_PAGE_BLOCKED }, { ACTION_STEAL, OBS_LOCK_STOLEN },
    };
    open_rig(2);
    g.scenario.calm = true;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        g.scenario.steps = 0;
        act(row[i].action, SECONDS(2), 0)->lasts_us = MS(300);
        play(SECONDS(3));
        ck_assert_ptr_nonnull(seen(row[i].leads_to));
        ck_assert_int_ge(seen(row[i].leads_to)->at.us, SECONDS(2));
        ck_assert_int_eq(g.w->step[0], STEP_DONE);
    }
}
END_TEST

START_TEST(an_action_undoes_another_one)
{
    static const struct {
        enum step_action first, second;
        enum obs_kind leads_to;
    } row[] = {
        { ACTION_SUSPEND, ACTION_THAW, OBS_PAGE_RESUMED },
        { ACTION_HIDE, ACTION_SHOW, OBS_PAGE_VISIBLE },
        { ACTION_LEAVE, ACTION_BACK, OBS_PAGE_RESTORED },
        { ACTION_LEAVE, ACTION_EVICT, OBS_PAGE_EVICTED },
    };
    open_rig(1); /* nobody asks for what a cached page keeps */
    g.scenario.calm = true;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        g.scenario.steps = 0;
        act(row[i].first, SECONDS(2), 0);
        act(row[i].second, -1, 0)->after_us = MS(700);
        play(SECONDS(4));
        ck_assert_msg(seen(row[i].leads_to), "%s", step_action_info[row[i].second].word);
        ck_assert_int_eq(seen(row[i].leads_to)->at.us, MS(2700));
    }
}
END_TEST

START_TEST(a_freeze_runs_the_handler_and_a_suspension_does_not)
{
    open_rig(1);
    act(ACTION_FREEZE, SECONDS(2), 0);
    play(SECONDS(3));
    ck_assert_uint_eq(seen(OBS_PAGE_FROZEN)->flags, 1);
    g.scenario.step[0].action = ACTION_SUSPEND;
    play(SECONDS(3));
    ck_assert_uint_eq(seen(OBS_PAGE_FROZEN)->flags, 0);
}
END_TEST

START_TEST(tabs_are_opened_and_come_back)
{
    open_rig(1);
    act(ACTION_OPEN, SECONDS(1), STEP_ANY);
    act(ACTION_CRASH, SECONDS(2), 1);
    hope(EXPECT_GONE, MS(2500), 1);
    act(ACTION_LOAD, SECONDS(3), 1);
    act(ACTION_OPEN_BEHIND, SECONDS(4), STEP_ANY);
    act(ACTION_THAW, SECONDS(4), 9);
    play(SECONDS(5));
    ck_assert_uint_eq(world_rig_count(&g, 0, OBS_PAGE_CREATED, PAGE_NONE), 4);
    ck_assert_int_eq(g.w->page[1].state, DOC_GONE);
    ck_assert_int_eq(g.w->page[2].state, DOC_VISIBLE);
    ck_assert_int_eq(g.w->page[3].state, DOC_HIDDEN);
    ck_assert_int_eq(g.w->step[2], STEP_DONE);
    ck_assert_int_eq(g.w->step[5], STEP_NOBODY);
}
END_TEST

START_TEST(links_are_healed_and_devices_woken)
{
    open_rig(1);
    add(FAULT_CUT_SERVER, SECONDS(2), PHASE_COUNT);
    act(ACTION_HEAL, SECONDS(3), STEP_ANY);
    add(FAULT_SLEEP_DEVICE, SECONDS(4), PHASE_COUNT);
    act(ACTION_WAKE, SECONDS(5), STEP_ANY);
    play(SECONDS(6));
    ck_assert_int_eq(seen(OBS_LINK_HEALED)->at.us, SECONDS(3));
    ck_assert_int_eq(seen(OBS_DEVICE_AWAKE)->at.us, SECONDS(5));
}
END_TEST

START_TEST(a_busy_store_takes_no_write)
{
    open_rig(2);
    g.scenario.calm = true;
    act(ACTION_STORE_BUSY, SECONDS(2), STEP_ANY)->lasts_us = MS(800);
    play(SECONDS(3));
    ck_assert_int_eq(g.w->step[0], STEP_CANNOT); /* there is no local ledger */
    g.contract.authority = AUTHORITY_INDEXEDDB;
    act(ACTION_CLOSE, SECONDS(2), 0);
    hope(EXPECT_LEADS, -1, 1)->within_us = MS(700);
    hope(EXPECT_LEADS, -1, 1)->within_us = SECONDS(2);
    play(SECONDS(5));
    ck_assert_int_eq(g.w->step[0], STEP_DONE);
    ck_assert_int_eq(g.w->step[2], STEP_UNMET);
    ck_assert_int_eq(g.w->step[3], STEP_DONE);
    const struct obs *busy = world_rig_find_a(&g, 1, OBS_NODE_DECIDES, PAGE_NONE, 0);
    ck_assert(busy && busy->at.us == SECONDS(2) && busy->node == 16);
    const struct obs *is_free = world_rig_find_a(&g, busy->number, OBS_NODE_DECIDES, PAGE_NONE, 1);
    ck_assert(is_free && is_free->at.us == MS(2800));
}
END_TEST

START_TEST(localstorage_can_be_read_as_it_was)
{
    open_rig(2);
    g.scenario.calm = true;
    act(ACTION_STALE, SECONDS(2), STEP_ANY)->lasts_us = SECONDS(1);
    play(MS(2500));
    ck_assert_int_eq(g.w->step[0], STEP_DONE);
    ck_assert_int_eq(g.w->device[0].stale_until.us, SECONDS(3));
}
END_TEST

START_TEST(a_step_waits_for_an_observation_of_a_tab)
{
    open_rig(3);
    g.scenario.calm = true;
    act(ACTION_CLOSE, SECONDS(3), 0);
    struct step_plan *p = act(ACTION_HIDE, -1, 2);
    p->waits = true;
    p->until = OBS_BELIEF_BEGAN;
    p->of = 1;
    play(SECONDS(5));
    const struct obs *leads = world_rig_find(&g, 0, OBS_BELIEF_BEGAN, 1);
    const struct obs *hidden = world_rig_find(&g, 0, OBS_PAGE_CLOSED, 0);
    ck_assert(leads && hidden);
    ck_assert_int_gt(leads->at.us, SECONDS(3)); /* what was before does not count */
    ck_assert_int_eq(g.w->step[1], STEP_DONE);
    g.scenario.step[1].of = 2; /* which never leads */
    play(SECONDS(5));
    ck_assert_int_eq(g.w->step[1], STEP_WATCHING);
}
END_TEST

START_TEST(an_expectation_is_met_in_time_or_noted)
{
    open_rig(2);
    g.scenario.calm = true;
    hope(EXPECT_NOBODY, 0, STEP_ANY);
    hope(EXPECT_LEADS, -1, 0)->within_us = SECONDS(1);
    hope(EXPECT_FOLLOWS, -1, 1);
    hope(EXPECT_LEADS, -1, 1)->within_us = MS(500); /* it does not */
    act(ACTION_SUBMIT, -1, 1);
    hope(EXPECT_SETTLED, -1, STEP_ANY)->after_us = MS(1); /* not so soon */
    hope(EXPECT_SETTLED, -1, STEP_ANY)->within_us = SECONDS(1);
    play(SECONDS(5));
    static const enum step_outcome is[] = { STEP_DONE, STEP_DONE,  STEP_DONE, STEP_UNMET,
                                            STEP_DONE, STEP_UNMET, STEP_DONE };
    for (size_t i = 0; i < sizeof is / sizeof is[0]; i++) ck_assert_int_eq(g.w->step[i], is[i]);
    ck_assert_uint_eq(g.w->watching, 0);
}
END_TEST

START_TEST(expectations_change_nothing)
{
    open_rig(2);
    g.scenario.calm = true;
    g.scenario.duration = (struct span_range){ SECONDS(5), SECONDS(5) };
    act(ACTION_CLOSE, SECONDS(2), 0);
    uint64_t without = digest(1);
    hope(EXPECT_LEADS, -1, 1)->within_us = SECONDS(2);
    hope(EXPECT_SETTLED, SECONDS(1), STEP_ANY);
    ck_assert_uint_eq(digest(1), without);
}
END_TEST

START_TEST(a_late_request_is_as_late_as_the_step_says)
{
    for (int64_t late_us = MS(20); late_us <= SECONDS(1); late_us *= 7) {
        open_rig(1);
        struct step_plan *p = add(FAULT_REQUEST_LATE, SECONDS(1), PHASE_COUNT);
        p->request = REQ_SUBMIT;
        p->lasts_us = late_us;
        add(FAULT_COUNT, SECONDS(2), PHASE_COUNT);
        g.scenario.calm = true;
        play(SECONDS(4));
        const struct obs *late = world_rig_find(&g, 0, OBS_REQUEST_DELAYED, PAGE_NONE);
        const struct obs *came = world_rig_find_request(&g, 0, OBS_REQUEST_ARRIVED, late->request);
        ck_assert_int_ge(came->at.us, SECONDS(2) + late_us);
        ck_assert_int_le(came->at.us, SECONDS(2) + late_us + MS(50));
    }
}
END_TEST

START_TEST(a_fault_meets_the_request_that_the_step_names)
{
    open_rig(2);
    g.scenario.calm = true;
    add(FAULT_ANSWER_LOST, SECONDS(2), PHASE_COUNT)->request = REQ_SUBMIT;
    act(ACTION_SUBMIT, SECONDS(3), 0);
    play(SECONDS(4));
    const struct obs *lost = world_rig_find(&g, 0, OBS_ANSWER_LOST, PAGE_NONE);
    ck_assert_ptr_nonnull(lost);
    ck_assert_uint_eq(world_rig_find_request(&g, 0, OBS_REQUEST_ISSUED, lost->request)->a,
                      REQ_SUBMIT);
    ck_assert_uint_eq(world_rig_count(&g, 0, OBS_ANSWER_LOST, PAGE_NONE), 1);
    ck_assert_uint_eq(world_rig_issued(&g, 0, PAGE_NONE, REQ_EFFECT), 1); /* nobody else works */
}
END_TEST

Suite *world_schedule_suite(void)
{
    Suite *s = suite_create("world_schedule");
    TCase *t = tcase_create("world_schedule");
    tcase_add_test(t, a_step_begins_at_its_time_and_ends_after_its_length);
    tcase_add_test(t, steps_in_any_order_of_the_file_keep_their_times);
    tcase_add_test(t, a_step_with_a_phase_waits_for_it);
    tcase_add_test(t, a_step_with_both_waits_from_its_time_on);
    tcase_add_test(t, a_phase_is_waited_for_only_when_the_step_before_is_done);
    tcase_add_test(t, a_phase_that_does_not_come_is_noted_and_later_times_are_kept);
    tcase_add_test(t, a_fault_acts_on_the_tab_that_the_step_names);
    tcase_add_test(t, a_fault_finds_the_holder_of_its_device);
    tcase_add_test(t, a_step_without_anybody_is_noted_and_the_next_goes_on);
    tcase_add_test(t, an_operation_is_submitted_by_the_tab_that_the_step_names);
    tcase_add_test(t, a_busy_page_submits_when_its_task_is_over);
    tcase_add_test(t, a_frozen_page_submits_nothing);
    tcase_add_test(t, a_fault_without_a_length_stays_for_good);
    tcase_add_test(t, a_step_draws_nothing);
    tcase_add_test(t, a_calm_round_is_the_same_for_every_seed);
    tcase_add_test(t, each_action_does_what_it_says_to_its_tab);
    tcase_add_test(t, an_action_undoes_another_one);
    tcase_add_test(t, a_freeze_runs_the_handler_and_a_suspension_does_not);
    tcase_add_test(t, tabs_are_opened_and_come_back);
    tcase_add_test(t, links_are_healed_and_devices_woken);
    tcase_add_test(t, a_busy_store_takes_no_write);
    tcase_add_test(t, localstorage_can_be_read_as_it_was);
    tcase_add_test(t, a_step_waits_for_an_observation_of_a_tab);
    tcase_add_test(t, an_expectation_is_met_in_time_or_noted);
    tcase_add_test(t, expectations_change_nothing);
    tcase_add_test(t, a_late_request_is_as_late_as_the_step_says);
    tcase_add_test(t, a_fault_meets_the_request_that_the_step_names);
    suite_add_tcase(s, t);
    return s;
}
