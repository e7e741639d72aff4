/* Shrinking: the same invariant for the same reason, smaller, within its budget. */
#include "tools/shrink.h"

#include <check.h>

#include "tools/hunt.h"
#include "tools/shrink_internal.h"

Suite *shrink_suite(void);

static struct mutant m;
static struct contract contract;
static struct player player;

/* Plays the mutant's rounds until its invariant breaks; the seed. */
static uint64_t open_mutant(const char *name)
{
    char path[PATH_MAX_LEN];
    snprintf(path, sizeof path, "scenarios/mutants/%s.yaml", name);
    ck_assert(mutant_load(&m, path, NULL, stderr));
    ck_assert(contract_load(&contract, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    player_open(&player, scenario_tabs(&m.scenario));
    for (uint64_t i = 0; i < m.rounds; i++) {
        uint64_t seed = hunt_seed(name, 1, i);
        struct played p = player_round(&player, &m.scenario, &contract, seed);
        if (played_broken(&p) >> invariant_find(m.caught_by) & 1) return seed;
    }
    ck_abort_msg("%s was not caught", name);
}

static struct shrink shrink_of(uint32_t budget)
{
    return (struct shrink){ .player = &player, .contract = &contract, .budget = budget };
}

/* Started, and reduced with the tool's own budget. */
static struct shrink shrunk(const char *name)
{
    uint64_t seed = open_mutant(name);
    struct shrink s = shrink_of(SHRINK_BUDGET);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, invariant_find(m.caught_by)), SHRINK_OK);
    shrink_reduce(&s);
    return s;
}

static const struct {
    const char *name;
    bool calm;
} small[] = {
    { "receiver-ignores-fence", true },  { "fail-open", true },
    { "callback-never-settles", true },  { "freeze-handler-relied-on", true },
    { "async-replica-promoted", true },  { "observe-stage-writes", true },
    { "outbox-crosses-accounts", true }, { "late-answer-undoes-sign-out", false },
};

START_TEST(a_failure_becomes_as_small_as_a_person_takes_in)
{
    uint64_t seed = open_mutant(small[_i].name);
    struct shrink s = shrink_of(SHRINK_BUDGET);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, invariant_find(m.caught_by)), SHRINK_OK);
    const char *reason = s.reason;
    uint32_t broken = s.broken;
    shrink_reduce(&s);
    struct shrink_size n = shrink_size(&s.best);
    ck_assert_uint_le(n.tabs, SHRINK_TABS);
    ck_assert_uint_le(n.operations, SHRINK_OPERATIONS);
    ck_assert_uint_le(n.faults, SHRINK_FAULTS);
    ck_assert(s.scheduled);
    ck_assert_uint_eq(s.best.account_changes.max, 0);
    if (small[_i].calm) ck_assert(s.best.calm);
    struct played p = player_round(&player, &s.best, &contract, s.best.calm ? 99 : s.seed);
    ck_assert_int_eq(p.result->finding[s.invariant].verdict, VERDICT_BROKEN);
    ck_assert_ptr_eq(p.result->finding[s.invariant].reason, reason);
    ck_assert_uint_eq(played_broken(&p) & ~broken, 0);
    player_close(&player);
}
END_TEST

START_TEST(a_candidate_that_breaks_another_invariant_is_none)
{
    uint64_t seed = open_mutant("fail-open");
    struct shrink s = shrink_of(100);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, INV_NO_FAIL_OPEN), SHRINK_OK);
    struct scenario c = s.best;
    ck_assert(shrink_try_seed(&s, &c, seed));
    c.policy = policy_with(c.policy, POLICY_ILLEGAL_STATE); /* one more goes wrong */
    for (uint64_t i = 0; i < 20; i++) {
        struct played p = player_round(&player, &c, &contract, i);
        bool also = played_broken(&p) >> INV_LEGAL_STATE & 1;
        if (also) ck_assert(!shrink_try_seed(&s, &c, i));
    }
    s.reason = "another";
    ck_assert(!shrink_try_seed(&s, &m.scenario, seed));
    player_close(&player);
}
END_TEST

START_TEST(a_round_that_holds_is_not_shrunk)
{
    uint64_t seed = open_mutant("fail-open");
    struct shrink s = shrink_of(100);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, INV_LOCK_MODEL), SHRINK_HOLDS);
    m.scenario.policy = (struct policy){ 0 };
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, INV_COUNT), SHRINK_HOLDS);
    player_close(&player);
}
END_TEST

START_TEST(the_budget_bounds_the_rounds)
{
    uint64_t seed = open_mutant("fenced-refetch-retry");
    struct shrink s = shrink_of(150);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, INV_COUNT), SHRINK_OK);
    shrink_reduce(&s);
    ck_assert_uint_le(s.rounds, 150);
    struct played p = player_round(&player, &s.best, &contract, s.seed);
    ck_assert(played_broken(&p) >> s.invariant & 1); /* what there is fails all the same */
    player_close(&player);
}
END_TEST

START_TEST(a_schedule_shrinks_to_the_step_that_is_needed)
{
    struct shrink s = shrunk("freeze-handler-relied-on");
    struct scenario more = s.best;
    ck_assert(more.calm && more.steps == 2);
    more.step[more.steps++] = (struct step_plan){
        .at_us = 1, .when = PHASE_COUNT, .fault = FAULT_DUPLICATE, .tab = 9, .device = STEP_ANY
    }; /* finds nobody */
    ck_assert_int_eq(shrink_start(&s, &more, 0, INV_NO_FAIL_OPEN), SHRINK_OK);
    ck_assert(s.scheduled);
    shrink_reduce(&s);
    ck_assert_uint_eq(s.best.steps, 2);
    player_close(&player);
}
END_TEST

static uint32_t submits(const struct scenario *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->steps; i++) n += s->step[i].fault == FAULT_COUNT;
    return n;
}

START_TEST(a_schedule_lists_the_operations_and_the_faults_of_the_round)
{
    uint64_t seed = open_mutant("freeze-handler-relied-on");
    struct shrink s = shrink_of(SHRINK_BUDGET);
    ck_assert_int_eq(shrink_start(&s, &m.scenario, seed, INV_NO_FAIL_OPEN), SHRINK_OK);
    const struct world *w = player.runner.world;
    uint32_t operations = w->operations, begun = 0;
    for (uint32_t i = 0; i < w->faults; i++) begun += w->fault[i].begun;
    ck_assert(shrink_schedule(&s, seed));
    ck_assert_uint_eq(submits(&s.best), operations);
    ck_assert_uint_ge(s.best.steps, operations + begun); /* what brings a phase about is one more */
    ck_assert_uint_eq(s.best.faults, 0);
    ck_assert_uint_eq(s.best.operations.max, 0);
    player_close(&player);
}
END_TEST

/* What followed a step that went has nothing to follow: the file would be refused. */
START_TEST(expectations_and_idle_time_go)
{
    struct shrink s = shrunk("freeze-handler-relied-on");
    struct scenario more = s.best;
    more.duration = (struct span_range){ 20 * US_PER_S, 20 * US_PER_S };
    more.step[more.steps++] = (struct step_plan){ .at_us = US_PER_S,
                                                  .when = PHASE_COUNT,
                                                  .of = STEP_ANY,
                                                  .fault = FAULT_COUNT,
                                                  .expects = true,
                                                  .expect = EXPECT_SETTLED,
                                                  .tab = STEP_ANY,
                                                  .device = STEP_ANY };
    ck_assert_int_eq(shrink_start(&s, &more, 0, INV_NO_FAIL_OPEN), SHRINK_OK);
    shrink_reduce(&s);
    ck_assert_uint_eq(s.best.steps, 2);
    ck_assert_int_le(s.best.duration.max_us, 3 * US_PER_S);
    player_close(&player);
}
END_TEST

START_TEST(a_first_step_always_has_a_time)
{
    struct shrink s = shrunk("freeze-handler-relied-on");
    struct scenario more = s.best;
    ck_assert(more.steps == 2 && more.step[0].at_us > 0);
    more.step[2] = more.step[1];
    more.step[1] = more.step[0];
    more.step[1].at_us = -1; /* right after the first, which nothing needs */
    more.step[0].fault = FAULT_DUPLICATE;
    more.step[0].tab = 9;
    more.steps = 3;
    ck_assert_int_eq(shrink_start(&s, &more, 0, INV_NO_FAIL_OPEN), SHRINK_OK);
    shrink_reduce(&s);
    ck_assert_uint_eq(s.best.steps, 2);
    ck_assert_int_ge(s.best.step[0].at_us, 0);
    player_close(&player);
}
END_TEST

START_TEST(the_kinds_of_a_result_are_those_of_its_steps)
{
    struct shrink s = shrunk("freeze-handler-relied-on");
    ck_assert_uint_eq(shrink_kinds(&s.best), UINT64_C(1) << FAULT_FREEZE_ABRUPT);
    player_close(&player);
}
END_TEST

/* Found by chance in one round, it stands without: a request that was late is a fault. */
START_TEST(a_race_is_told_as_a_late_request)
{
    struct shrink s = shrunk("ack-unfenced");
    ck_assert(s.best.calm);
    ck_assert(shrink_kinds(&s.best) >> FAULT_REQUEST_LATE & 1);
    ck_assert_uint_le(s.rounds, 1200); /* by one more fault, not by guessing whole rounds */
    player_close(&player);
}
END_TEST

Suite *shrink_suite(void)
{
    Suite *s = suite_create("shrink");
    TCase *t = tcase_create("shrink");
    tcase_set_timeout(t, 120); /* under sanitizers */
    tcase_add_loop_test(t, a_failure_becomes_as_small_as_a_person_takes_in, 0,
                        sizeof small / sizeof small[0]);
    tcase_add_test(t, a_candidate_that_breaks_another_invariant_is_none);
    tcase_add_test(t, a_round_that_holds_is_not_shrunk);
    tcase_add_test(t, the_budget_bounds_the_rounds);
    tcase_add_test(t, a_schedule_shrinks_to_the_step_that_is_needed);
    tcase_add_test(t, a_schedule_lists_the_operations_and_the_faults_of_the_round);
    tcase_add_test(t, expectations_and_idle_time_go);
    tcase_add_test(t, a_first_step_always_has_a_time);
    tcase_add_test(t, the_kinds_of_a_result_are_those_of_its_steps);
    tcase_add_test(t, a_race_is_told_as_a_late_request);
    suite_add_tcase(s, t);
    return s;
}
