/* A sweep: which places there are, that nothing but the place decides, what is counted. */
#include <check.h>
#include <string.h>

#include "tools/sweep.h"

Suite *sweep_suite(void);

static struct inputs in;
static struct sweep s, other;

static void load(const char *file, const char *seed)
{
    struct options o = options_default();
    o.seed = seed;
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", file, stderr));
}

static void open_one(struct sweep *x, enum fault_kind k, uint32_t jobs)
{
    struct injection fault = { .kind = k };
    ck_assert(placement_lasts(&fault.lasts_us, k, NULL, "", stderr));
    ck_assert(sweep_open(x, &in, &fault, 1, 1, 0, jobs));
}

static void open_pairs(struct sweep *x, enum fault_kind a, enum fault_kind b, uint32_t budget)
{
    struct injection fault[2] = { { .kind = a, .lasts_us = US_PER_S },
                                  { .kind = b, .lasts_us = US_PER_S } };
    ck_assert(sweep_open(x, &in, fault, 2, 1, budget, 2));
}

static void close_all(void)
{
    sweep_close(&s);
    sweep_close(&other);
    inputs_free(&in);
}

START_TEST(every_event_of_the_first_phase_is_a_place)
{
    load("scenarios/small.yaml", "1");
    open_one(&s, FAULT_FREEZE_ABRUPT, 1);
    ck_assert_uint_gt(s.n, 300);
    ck_assert_uint_eq(s.n, s.events);
    for (uint32_t i = 0; i < s.n; i++) ck_assert_uint_eq(s.at[i].before[0], i + 1);
    close_all();
}
END_TEST

START_TEST(every_length_at_every_place)
{
    struct injection fault[3] = { { .kind = FAULT_FREEZE_ABRUPT, .lasts_us = US_PER_S },
                                  { .kind = FAULT_FREEZE_ABRUPT, .lasts_us = 2 * US_PER_S },
                                  { .kind = FAULT_FREEZE_ABRUPT, .lasts_us = 3 * US_PER_S } };
    struct injection x[2];
    load("scenarios/small.yaml", "1");
    ck_assert(sweep_open(&s, &in, fault, 1, 3, 0, 1));
    ck_assert_uint_eq(s.n, s.events * 3);
    for (uint32_t i = 0; i < s.n; i++) {
        ck_assert_uint_eq(sweep_injections(&s, &s.at[i], x), 1);
        ck_assert_uint_eq(x[0].before, i / 3 + 1);
        ck_assert_int_eq(x[0].lasts_us, (i % 3 + 1) * US_PER_S);
    }
    close_all();
}
END_TEST

START_TEST(jobs_change_nothing)
{
    load("scenarios/small.yaml", "2");
    open_one(&s, FAULT_LONG_TASK, 1);
    open_one(&other, FAULT_LONG_TASK, 3);
    sweep_run(&s, PROGRESS_NEVER);
    sweep_run(&other, PROGRESS_NEVER);
    ck_assert_uint_eq(s.n, other.n);
    ck_assert_mem_eq(s.at, other.at, s.n * sizeof s.at[0]);
    close_all();
}
END_TEST

START_TEST(a_placement_is_the_round_that_its_text_says)
{
    char text[PLACEMENT_TEXT_MAX];
    struct injection x[PLACEMENTS_MAX], said[2];
    struct player player;
    uint32_t n;
    load("scenarios/small.yaml", "3");
    open_pairs(&s, FAULT_ROGUE_STEAL, FAULT_FREEZE_ABRUPT, 20);
    sweep_run(&s, PROGRESS_NEVER);
    player_open(&player, in.tabs);
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t faults = sweep_injections(&s, &s.at[i], said);
        placement_text(text, said, faults);
        ck_assert(placement_read(x, &n, text, "", stderr));
        struct played r = player_round_with(&player, &s.calm, &in.contract, in.seed, x, n);
        ck_assert_uint_eq(r.digest, s.at[i].digest);
    }
    player_close(&player);
    close_all();
}
END_TEST

static uint64_t broken(enum invariant_kind k)
{
    struct sweep_sums sums;
    sweep_sums(&s, &sums);
    return sums.all.broken[k];
}

START_TEST(a_client_that_relies_on_the_freeze_handler_is_found_and_the_reference_is_not)
{
    load("scenarios/mutants/freeze-handler-relied-on.yaml", "4");
    open_one(&s, FAULT_FREEZE_ABRUPT, 2);
    ck_assert_uint_eq(s.good_broken, 0);
    sweep_run(&s, PROGRESS_NEVER);
    ck_assert_uint_gt(broken(INV_NO_FAIL_OPEN), 0);
    for (uint32_t i = 0; i < s.n; i++)
        ck_assert_int_eq(s.at[i].outcome == SWEEP_BROKEN, s.at[i].broken != 0);
    close_all();
    load("scenarios/small.yaml", "4");
    open_one(&s, FAULT_FREEZE_ABRUPT, 2);
    sweep_run(&s, PROGRESS_NEVER);
    ck_assert_uint_eq(broken(INV_NO_FAIL_OPEN), 0);
    close_all();
}
END_TEST

START_TEST(groups_are_by_invariant_and_phase_with_the_first_placement)
{
    struct sweep_group group[SWEEP_GROUPS_MAX];
    struct sweep_placement at[4] = {
        { .phase = PHASE_IDLE, .outcome = SWEEP_HELD },
        { .phase = PHASE_TAKE, .broken = 1u << INV_PROGRESS },
        { .phase = PHASE_IDLE, .broken = 1u << INV_PROGRESS | 1u << INV_NO_FAIL_OPEN },
        { .phase = PHASE_TAKE, .broken = 1u << INV_PROGRESS },
    };
    s = (struct sweep){ .at = at, .n = 4 };
    ck_assert_uint_eq(sweep_groups(&s, group), 3);
    ck_assert_int_eq(group[0].invariant, INV_NO_FAIL_OPEN);
    ck_assert_uint_eq(group[0].first, 2);
    ck_assert_int_eq(group[1].phase, PHASE_IDLE);
    ck_assert_uint_eq(group[1].placements, 1);
    ck_assert_int_eq(group[2].phase, PHASE_TAKE);
    ck_assert_uint_eq(group[2].placements, 2);
    ck_assert_uint_eq(group[2].first, 1);
}
END_TEST

START_TEST(outcomes_and_phases_add_up_and_what_found_nobody_has_no_failover)
{
    struct sweep_sums sums;
    uint64_t placements = 0, outcomes = 0;
    load("scenarios/small.yaml", "5");
    open_one(&s, FAULT_CRASH_HOLDER, 2);
    sweep_run(&s, PROGRESS_NEVER);
    sweep_sums(&s, &sums);
    for (int k = 0; k < PHASE_COUNT; k++) placements += sums.phase[k].placements;
    for (int k = 0; k < SWEEP_OUTCOMES; k++) outcomes += sums.all.outcome[k];
    ck_assert_uint_eq(placements, s.n);
    ck_assert_uint_eq(outcomes, s.n);
    ck_assert_int_eq(s.at[0].outcome, SWEEP_NO_TARGET); /* no page is there yet */
    ck_assert_uint_gt(sums.all.outcome[SWEEP_HELD], s.n / 2);
    ck_assert_int_gt(sums.all.failover_us, s.good_failover_us);
    ck_assert_int_eq(s.at[sums.all.longest].failover_us, sums.all.failover_us);
    ck_assert_int_eq(sums.phase[PHASE_NO_LEADER].failover_us, -1);
    close_all();
}
END_TEST

START_TEST(a_fault_that_only_waits_has_no_effect)
{
    load("scenarios/small.yaml", "5");
    open_one(&s, FAULT_REQUEST_LATE, 2); /* the last ones meet no request before the healing */
    sweep_run(&s, PROGRESS_NEVER);
    ck_assert_int_eq(s.at[s.n - 1].outcome, SWEEP_NO_EFFECT);
    close_all();
}
END_TEST

START_TEST(a_round_that_breaks_by_itself_is_not_good)
{
    load("scenarios/mutants/observe-stage-writes.yaml", "1");
    open_one(&s, FAULT_FREEZE_ABRUPT, 1);
    ck_assert_uint_ne(s.good_broken, 0);
    close_all();
}
END_TEST

START_TEST(all_pairs_are_laid_out_when_the_budget_allows)
{
    load("scenarios/small.yaml", "6");
    open_pairs(&s, FAULT_ROGUE_STEAL, FAULT_ROGUE_STEAL, SWEEP_BUDGET_MAX);
    ck_assert_uint_eq(s.n, s.events * (s.events + 1) / 2);
    open_pairs(&other, FAULT_ROGUE_STEAL, FAULT_LONG_TASK, SWEEP_BUDGET_MAX);
    ck_assert_uint_eq(other.n, s.events * s.events);
    for (uint32_t i = 0; i < other.n; i++) {
        const struct sweep_placement *p = &other.at[i];
        ck_assert(p->before[0] >= 1 && p->before[0] <= p->before[1]);
        ck_assert(p->before[1] <= other.events && p->kind[0] != p->kind[1]);
    }
    close_all();
}
END_TEST

START_TEST(a_larger_budget_goes_on_where_a_smaller_one_ends)
{
    load("scenarios/small.yaml", "6");
    open_pairs(&s, FAULT_ROGUE_STEAL, FAULT_LONG_TASK, 100);
    open_pairs(&other, FAULT_ROGUE_STEAL, FAULT_LONG_TASK, 1600);
    ck_assert_uint_eq(s.n, 100);
    ck_assert_mem_eq(s.at, other.at, s.n * sizeof s.at[0]);
    close_all();
}
END_TEST

START_TEST(some_pairs_are_different_and_spread_over_the_square)
{
    uint32_t cell[4][4] = { 0 };
    load("scenarios/small.yaml", "7");
    open_pairs(&s, FAULT_ROGUE_STEAL, FAULT_LONG_TASK, 1600);
    for (uint32_t i = 0; i < s.n; i++) {
        const struct sweep_placement *p = &s.at[i];
        uint64_t steal = p->before[p->kind[0] != 0], task = p->before[p->kind[0] == 0];
        cell[(steal - 1) * 4 / s.events][(task - 1) * 4 / s.events]++;
        for (uint32_t k = 0; k < i; k++) ck_assert(memcmp(p, &s.at[k], sizeof *p) != 0);
    }
    for (int i = 0; i < 16; i++) {
        ck_assert_uint_ge(cell[i / 4][i % 4], 85); /* 100 each, if exactly even */
        ck_assert_uint_le(cell[i / 4][i % 4], 115);
    }
    close_all();
}
END_TEST

Suite *sweep_suite(void)
{
    Suite *suite = suite_create("sweep");
    TCase *t = tcase_create("sweep");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_event_of_the_first_phase_is_a_place);
    tcase_add_test(t, every_length_at_every_place);
    tcase_add_test(t, jobs_change_nothing);
    tcase_add_test(t, a_placement_is_the_round_that_its_text_says);
    tcase_add_test(t, a_client_that_relies_on_the_freeze_handler_is_found_and_the_reference_is_not);
    tcase_add_test(t, groups_are_by_invariant_and_phase_with_the_first_placement);
    tcase_add_test(t, outcomes_and_phases_add_up_and_what_found_nobody_has_no_failover);
    tcase_add_test(t, a_fault_that_only_waits_has_no_effect);
    tcase_add_test(t, a_round_that_breaks_by_itself_is_not_good);
    tcase_add_test(t, all_pairs_are_laid_out_when_the_budget_allows);
    tcase_add_test(t, a_larger_budget_goes_on_where_a_smaller_one_ends);
    tcase_add_test(t, some_pairs_are_different_and_spread_over_the_square);
    suite_add_tcase(suite, t);
    return suite;
}
