/* The table of conditions: each row passing, failing, and unknown for want of evidence. */
#include <check.h>
#include <string.h>

#include "oracle/gate.h"

Suite *gate_suite(void);

#define ROUNDS 100000

static struct tally t;
static struct contract contract;
static struct mutant_outcome mutant[2];
static struct gate_input in;
static struct gate_report report;

/* A gate in which everything is as it should be. */
static void good_cells(uint64_t hits)
{
    for (int f = 0; f < FAULT_COUNT; f++) {
        t.effective_rounds[f] = t.rounds / 20;
        for (int p = 0; p < PHASE_COUNT; p++) t.cell[f][p] = hits;
    }
}

static void good_samples(uint32_t n, int64_t us)
{
    for (uint32_t i = 0; i < n; i++) hist_add(&t.failover, us);
    t.samples_sq += n;
}

static void set_up(void)
{
    memset(&t, 0, sizeof t);
    contract = (struct contract){ .slo = { .failover_p99_us = 2 * US_PER_S,
                                           .background_overrun_ppm = 1000,
                                           .rounds = ROUNDS,
                                           .needless_steals_ppm = 10000,
                                           .renewals_per_leader_second_milli = 4000 } };
    mutant[0] = (struct mutant_outcome){ "one", INV_NO_STALE_COMMIT, true, 5, 1000, 0 };
    mutant[1] = (struct mutant_outcome){ "two", INV_NO_FAIL_OPEN, true, 1000, 1000, 0 };
    t.rounds = t.strategy_rounds[STRATEGY_UNIFORM] = ROUNDS;
    for (int i = 0; i < INV_COUNT; i++) t.held[i] = t.uniform_held[i] = ROUNDS;
    good_samples(5000, 1500000);
    t.holds = t.holds_sq = 5000;
    t.transitions = 10000;
    t.leader_us = 1000 * (uint64_t)US_PER_S;
    t.renewals = 3000;
    good_cells(30);
    in = (struct gate_input){ .tally = &t,
                              .contract = &contract,
                              .rounds_asked = ROUNDS,
                              .mutants_run = true,
                              .mutants = 2,
                              .mutant = mutant,
                              .canary_run = true,
                              .canary_red = true,
                              .replayed = 1000 };
}

static const struct condition *judged(const char *name)
{
    gate_judge(&report, &in);
    for (uint32_t i = 0; i < report.conditions; i++)
        if (strcmp(report.condition[i].name, name) == 0) return &report.condition[i];
    return NULL;
}

/* One condition is `v`, all others pass, and the gate says the same. */
static void ck_alone(const char *name, enum gate_verdict v)
{
    const struct condition *c = judged(name);
    ck_assert_ptr_nonnull(c);
    ck_assert_msg(c->verdict == v, "%s is %s (%s, %s)", name, gate_verdict_word[c->verdict],
                  c->value, c->bound95);
    ck_assert(c->judged);
    for (uint32_t i = 0; i < report.conditions; i++) {
        const struct condition *other = &report.condition[i];
        if (other != c) ck_assert_msg(other->verdict == GATE_PASS, "%s with %s", other->name, name);
    }
    ck_assert_int_eq(report.verdict, v);
}

START_TEST(a_good_gate_passes_in_every_condition)
{
    ck_alone("rounds", GATE_PASS);
    ck_assert(!report.is_short);
    ck_assert_uint_eq(report.conditions, 29);
    ck_assert_str_eq(judged("rounds")->threshold, ">= 100000");
    ck_assert_str_eq(judged("dual-active")->bound95, "<= 3.0e-05 a round");
    ck_assert_str_eq(judged("failover-p99")->threshold, "< 2.000 s");
    ck_assert_str_eq(judged("failover-p99")->bound95, "1.500 s..1.500 s");
    ck_assert_str_eq(judged("background-overrun")->threshold, "< 0.1%");
}
END_TEST

START_TEST(the_rows_stand_in_the_order_of_the_table)
{
    static const char *const order[] = { "rounds",          "limits",        "dual-active",
                                         "stale-commits",   "effects-twice", "failed-open",
                                         "unreconciled",    "failover-p99",  "background-overrun",
                                         "needless-steals", "renewals" };
    gate_judge(&report, &in);
    for (uint32_t i = 0; i < sizeof order / sizeof order[0]; i++)
        ck_assert_str_eq(report.condition[i].name, order[i]);
    ck_assert_str_eq(report.condition[report.conditions - 1].name, "determinism");
}
END_TEST

START_TEST(too_few_rounds_are_unknown)
{
    t.rounds--;
    ck_alone("rounds", GATE_UNKNOWN);
}
END_TEST

START_TEST(an_interrupted_gate_is_unknown)
{
    in.interrupted = true;
    ck_alone("rounds", GATE_UNKNOWN);
    ck_assert_str_eq(judged("rounds")->value, "100000 (interrupted)");
}
END_TEST

START_TEST(a_round_that_hit_a_limit_makes_the_gate_unknown)
{
    t.unknown_rounds = 1;
    ck_alone("limits", GATE_UNKNOWN);
}
END_TEST

/* Every invariant, and the row that it has. */
static const struct {
    enum invariant_kind kind;
    const char *row;
} never[] = {
    { INV_SINGLE_ACTIVE_GENERATION, "dual-active" },
    { INV_NO_STALE_COMMIT, "stale-commits" },
    { INV_EFFECT_AT_MOST_ONCE, "effects-twice" },
    { INV_NO_FAIL_OPEN, "failed-open" },
    { INV_UNRECONCILED_OWNED, "unreconciled" },
    { INV_FENCE_OUTLIVES_ROLLBACK, "fence-outlives-rollback" },
    { INV_STAGE_RESPECTED, "stage-respected" },
    { INV_STEAL_PERMITTED, "steal-permitted" },
    { INV_LOCK_MODEL, "lock-model" },
    { INV_LEGAL_STATE, "legal-state" },
    { INV_LEDGER_LINEARIZABLE, "ledger-linearizable" },
    { INV_PROGRESS, "progress" },
    { INV_NO_LOST_OPERATION, "no-lost-operation" },
    { INV_SINGLE_USE_TOKEN, "single-use-token" },
    { INV_ACCOUNT_BOUND, "account-bound" },
    { INV_SUBSCRIPTION_EXACT, "subscription-exact" },
    { INV_RENEWAL_EARNED, "renewal-earned" },
    { INV_RECONCILED_FIRST, "reconciled-first" },
};

START_TEST(one_violation_of_any_invariant_fails)
{
    ck_assert_uint_eq(sizeof never / sizeof never[0], INV_COUNT);
    t.broken[never[_i].kind] = t.uniform_broken[never[_i].kind] = 1;
    ck_alone(never[_i].row, GATE_FAIL);
    ck_assert_str_eq(judged(never[_i].row)->value, "1");
    ck_assert_str_eq(judged(never[_i].row)->bound95, "2.5e-07..5.6e-05 a round");
}
END_TEST

START_TEST(an_invariant_that_was_never_put_to_the_test_is_unknown)
{
    t.held[never[_i].kind] = 0;
    ck_alone(never[_i].row, GATE_UNKNOWN);
}
END_TEST

START_TEST(a_zero_is_bounded_by_the_rounds_that_tested_it)
{
    t.uniform_held[INV_PROGRESS] = 300;
    ck_assert_str_eq(judged("progress")->bound95, "<= 1.0e-02 a round");
}
END_TEST

/* Rounds of the other strategies break invariants too, but bound no rate. */
START_TEST(what_breaks_in_any_round_fails_and_only_uniform_rounds_bound_it)
{
    t.broken[INV_PROGRESS] = 1;
    ck_alone("progress", GATE_FAIL);
    ck_assert_str_eq(judged("progress")->value, "1");
    ck_assert_str_eq(judged("progress")->bound95, "<= 3.0e-05 a round");
    t.uniform_held[INV_PROGRESS] = 0;
    ck_assert_str_eq(judged("progress")->bound95, "");
}
END_TEST

START_TEST(how_the_rounds_were_spent_is_shown)
{
    ck_assert_ptr_null(judged("pct-depth-2"));
    for (uint32_t i = 0; i < 100; i++) t.first[i] = 1 + i * (ROUNDS / 100);
    t.strategy_rounds[STRATEGY_PCT2] = 10000;
    t.pct_links = 10000 * 20;
    t.pct_steps = 10000 * 500;
    ck_assert_str_eq(judged("abstract-states")->value, "100, 10 in the last tenth of the rounds");
    ck_assert(!judged("abstract-states")->judged);
    ck_assert_str_eq(judged("pct-depth-2")->value, "n 20.0, k 500, 10000 rounds");
    ck_assert_str_eq(judged("pct-depth-2")->bound95, "met >= 1.0e-04 a round; missed <= 0.37");
    ck_assert_ptr_null(judged("pct-depth-3"));
    ck_assert_int_eq(report.verdict, GATE_PASS);
}
END_TEST

START_TEST(the_failover_p99_passes_only_with_the_upper_end_of_its_interval)
{
    /* 40 of 5040 are slow: the p99 is fast, but its upper end (rank 5004) is not */
    good_samples(40, 2500000);
    t.over_threshold = t.over_threshold_sq = t.over_times_samples = 40;
    ck_alone("failover-p99", GATE_UNKNOWN);
    ck_assert_str_eq(judged("failover-p99")->value, "1.500 s");
    ck_assert_str_eq(judged("failover-p99")->bound95, "1.500 s..2.500 s");
}
END_TEST

START_TEST(a_few_slow_failovers_are_allowed)
{
    good_samples(20, 2500000);
    t.over_threshold = t.over_threshold_sq = t.over_times_samples = 20;
    ck_alone("failover-p99", GATE_PASS);
}
END_TEST

START_TEST(the_same_slow_failovers_in_few_rounds_say_less)
{
    good_samples(20, 2500000);
    t.over_threshold = 20;
    t.over_threshold_sq = t.over_times_samples = 200; /* 2 rounds with 10 slow ones each */
    ck_alone("failover-p99", GATE_UNKNOWN);
}
END_TEST

START_TEST(a_p99_of_exactly_the_limit_fails)
{
    memset(&t.failover, 0, sizeof t.failover);
    good_samples(5000, 2 * US_PER_S);
    ck_alone("failover-p99", GATE_FAIL);
    contract.slo.failover_p99_us = hist_quantile(&t.failover, 99, 100);
    ck_alone("failover-p99", GATE_FAIL);
    contract.slo.failover_p99_us++;
    ck_alone("failover-p99", GATE_PASS);
}
END_TEST

START_TEST(no_transition_is_unknown)
{
    memset(&t.failover, 0, sizeof t.failover);
    ck_alone("failover-p99", GATE_UNKNOWN);
    ck_assert_str_eq(judged("failover-p99")->value, "");
}
END_TEST

START_TEST(too_few_transitions_are_unknown)
{
    memset(&t.failover, 0, sizeof t.failover);
    t.samples_sq = 0;
    good_samples(367, 100000);
    ck_alone("failover-p99", GATE_UNKNOWN);
    ck_assert_str_eq(judged("failover-p99")->value, "100.000 ms");
    good_samples(1, 100000);
    ck_alone("failover-p99", GATE_PASS);
    ck_assert_str_eq(judged("failover-p99")->bound95, "100.000 ms..100.000 ms");
}
END_TEST

START_TEST(few_transitions_that_are_mostly_slow_fail)
{
    memset(&t.failover, 0, sizeof t.failover);
    t.samples_sq = 0;
    good_samples(20, 9 * US_PER_S);
    t.over_threshold = t.over_threshold_sq = t.over_times_samples = 20;
    ck_alone("failover-p99", GATE_FAIL);
}
END_TEST

static void add_cause(enum gap_cause cause, uint32_t n, int64_t us)
{
    for (uint32_t i = 0; i < n; i++) hist_add(&t.by_cause[cause], us);
}

START_TEST(a_cause_with_a_thousand_samples_is_shown)
{
    add_cause(GAP_FROZEN, 1000, 9 * US_PER_S);
    add_cause(GAP_CRASHED, 999, 9 * US_PER_S);
    const struct condition *c = judged("failover-p99-frozen");
    ck_assert_ptr_nonnull(c);
    ck_assert(!c->judged);
    ck_assert_str_eq(c->threshold, "shown");
    ck_assert_int_eq(report.verdict, GATE_PASS);
    ck_assert_ptr_null(judged("failover-p99-crashed"));
    ck_assert_str_eq(c->says, "failover p99, cause frozen");
}
END_TEST

START_TEST(a_cause_is_judged_when_the_contract_binds_it)
{
    contract.slo.failover_by_cause_us = 3 * US_PER_S;
    add_cause(GAP_FROZEN, 1000, 2900000);
    ck_alone("failover-p99-frozen", GATE_PASS);
    add_cause(GAP_FROZEN, 100, 3100000);
    ck_alone("failover-p99-frozen", GATE_FAIL);
}
END_TEST

static void set_holds(uint64_t overruns, uint64_t holds)
{
    t.holds = t.holds_sq = holds;
    t.hold_overruns = t.hold_overruns_sq = t.overruns_times_holds = overruns;
}

START_TEST(background_holds_pass_from_2995_without_an_overrun)
{
    set_holds(0, 2995);
    ck_alone("background-overrun", GATE_PASS);
    set_holds(0, 2994);
    ck_alone("background-overrun", GATE_UNKNOWN);
    set_holds(0, 0);
    ck_alone("background-overrun", GATE_UNKNOWN);
}
END_TEST

START_TEST(background_holds_pass_only_with_the_upper_end)
{
    set_holds(4, 10000); /* upper end 9.15 / 10000 */
    ck_alone("background-overrun", GATE_PASS);
    set_holds(5, 10000); /* 10.5 / 10000: too few to tell */
    ck_alone("background-overrun", GATE_UNKNOWN);
    ck_assert_str_eq(judged("background-overrun")->value, "5 of 10000");
    set_holds(10, 10000); /* the share itself */
    ck_alone("background-overrun", GATE_FAIL);
}
END_TEST

START_TEST(few_background_holds_fail_only_when_they_are_clearly_over)
{
    set_holds(1, 2000);
    ck_alone("background-overrun", GATE_UNKNOWN);
    set_holds(50, 100);
    ck_alone("background-overrun", GATE_FAIL);
}
END_TEST

START_TEST(no_overrun_is_bounded_lower_than_one_whatever_the_rounds)
{
    set_holds(0, 6000);
    t.holds_sq = 18000; /* three in each round */
    ck_alone("background-overrun", GATE_PASS);
    ck_assert_str_eq(judged("background-overrun")->bound95, "<= 0.04992%");
    set_holds(1, 6000);
    t.hold_overruns_sq = 1;
    t.holds_sq = 18000;
    t.overruns_times_holds = 3;
    ck_alone("background-overrun", GATE_PASS);
    ck_assert_str_eq(judged("background-overrun")->bound95, "<= 0.07904%");
}
END_TEST

START_TEST(needless_steals_are_a_share_of_transitions)
{
    t.needless_steals = 100;
    ck_alone("needless-steals", GATE_PASS);
    t.needless_steals = 101;
    ck_alone("needless-steals", GATE_FAIL);
    t.transitions = 0;
    ck_alone("needless-steals", GATE_UNKNOWN);
}
END_TEST

START_TEST(more_needless_steals_than_transitions_are_bounded_by_all)
{
    t.needless_steals = t.transitions + 1;
    ck_alone("needless-steals", GATE_FAIL);
    ck_assert_str_eq(judged("needless-steals")->bound95, "<= 100%");
}
END_TEST

START_TEST(renewals_are_a_rate_of_leading_time)
{
    t.renewals = 4000;
    ck_alone("renewals", GATE_PASS);
    ck_assert_str_eq(judged("renewals")->value, "4.000");
    t.renewals = 4001;
    ck_alone("renewals", GATE_FAIL);
    t.leader_us = 999;
    ck_alone("renewals", GATE_UNKNOWN);
}
END_TEST

START_TEST(a_cell_with_too_few_hits_makes_coverage_unknown)
{
    t.cell[FAULT_DISCARD][PHASE_COMMIT] = 29;
    ck_alone("coverage", GATE_UNKNOWN);
    ck_assert_str_eq(judged("coverage")->value, "1 short; fewest 29: discard x commit-in-flight");
}
END_TEST

START_TEST(an_impossible_cell_needs_no_hit)
{
    t.cell[FAULT_DISCARD][PHASE_NO_LEADER] = 0;
    ck_assert_ptr_nonnull(coverage_impossible(FAULT_DISCARD, PHASE_NO_LEADER));
    ck_alone("coverage", GATE_PASS);
}
END_TEST

START_TEST(a_fault_that_is_rarely_effective_makes_the_gate_unknown)
{
    t.effective_rounds[FAULT_CLOCK_JUMP] = 2000;
    ck_alone("fault-classes", GATE_PASS);
    t.effective_rounds[FAULT_CLOCK_JUMP] = 1999;
    ck_alone("fault-classes", GATE_UNKNOWN);
    ck_assert_str_eq(judged("fault-classes")->value, "1 short; fewest 1999: clock-jump");
}
END_TEST

START_TEST(mutants_have_to_be_run_and_caught_within_their_budgets)
{
    in.mutants_run = false;
    ck_alone("mutants", GATE_UNKNOWN);
    in.mutants_run = true;
    in.mutants = 0;
    ck_alone("mutants", GATE_UNKNOWN);
    in.mutants = 2;
    mutant[1].rounds = 1001;
    ck_alone("mutants", GATE_FAIL);
    ck_assert_str_eq(judged("mutants")->value, "1 of 2; escaped: two");
    mutant[0].caught = false;
    ck_alone("mutants", GATE_FAIL);
    ck_assert_str_eq(judged("mutants")->value, "0 of 2; escaped: one");
}
END_TEST

START_TEST(the_canary_has_to_be_run_and_red)
{
    in.canary_run = false;
    ck_alone("canary", GATE_UNKNOWN);
    in.canary_run = true;
    in.canary_red = false;
    ck_alone("canary", GATE_FAIL);
    ck_assert_str_eq(judged("canary")->value, "green");
}
END_TEST

START_TEST(determinism_needs_one_percent_of_the_rounds)
{
    in.replayed = 999;
    ck_alone("determinism", GATE_UNKNOWN);
    in.replayed_differently = 1;
    ck_alone("determinism", GATE_FAIL);
    ck_assert_str_eq(judged("determinism")->value, "998 of 999");
}
END_TEST

static void make_short(uint64_t rounds)
{
    in.rounds_asked = t.rounds = t.strategy_rounds[STRATEGY_UNIFORM] = rounds;
    good_cells(0);
    for (int f = 0; f < FAULT_COUNT; f++) t.effective_rounds[f] = rounds;
}

START_TEST(a_short_gate_is_judged_on_what_there_is)
{
    make_short(2000);
    in.replayed = 200;
    ck_assert_ptr_nonnull(judged("rounds"));
    ck_assert(report.is_short);
    ck_assert_int_eq(report.verdict, GATE_PASS);
    ck_assert_str_eq(judged("rounds")->threshold, ">= 2000");
    ck_assert(!judged("coverage")->judged); /* 0.6 hits of a cell would be due */
    ck_assert(judged("fault-classes")->judged);
    in.replayed = 199;
    ck_alone("determinism", GATE_UNKNOWN);
    t.broken[INV_PROGRESS] = 1;
    ck_assert_int_eq(judged("progress")->verdict, GATE_FAIL);
    ck_assert_int_eq(report.verdict, GATE_FAIL);
}
END_TEST

START_TEST(coverage_of_a_short_gate_shrinks_with_its_rounds)
{
    make_short(50000);
    good_cells(15);
    ck_alone("coverage", GATE_PASS);
    t.cell[FAULT_RELOAD][PHASE_IDLE] = 14;
    ck_alone("coverage", GATE_UNKNOWN);
    ck_assert(strstr(judged("coverage")->threshold, ">= 15 in each of ") != NULL);
}
END_TEST

START_TEST(open_failovers_are_counted_and_have_no_length)
{
    for (int i = 0; i < 100; i++) hist_add(&t.failover, HIST_OPEN_US);
    ck_assert_int_eq(judged("failover-p99")->verdict, GATE_FAIL);
    ck_assert_ptr_eq(strstr(judged("failover-p99")->value, "open (100 of "),
                     judged("failover-p99")->value);
    ck_assert_ptr_null(strstr(judged("failover-p99")->bound95, "2147"));
}
END_TEST

START_TEST(fault_classes_of_a_tiny_gate_are_shown_only)
{
    make_short(200);
    for (int f = 0; f < FAULT_COUNT; f++) t.effective_rounds[f] = 0;
    ck_assert(!judged("fault-classes")->judged);
    ck_assert_ptr_nonnull(strstr(judged("fault-classes")->threshold, "(not judged)"));
    ck_assert_ptr_null(strstr(judged("rounds")->threshold, "(not judged)"));
    ck_assert_int_eq(report.verdict, GATE_PASS);
}
END_TEST

START_TEST(a_gate_of_a_few_rounds_replays_them_all)
{
    make_short(50);
    in.replayed = 50;
    ck_alone("determinism", GATE_PASS);
}
END_TEST

START_TEST(nothing_at_all_is_unknown_in_every_judged_condition)
{
    memset(&t, 0, sizeof t);
    in = (struct gate_input){ .tally = &t, .contract = &contract };
    gate_judge(&report, &in);
    for (uint32_t i = 0; i < report.conditions; i++)
        if (report.condition[i].judged)
            ck_assert_msg(report.condition[i].verdict == GATE_UNKNOWN, "%s",
                          report.condition[i].name);
    ck_assert_int_eq(report.verdict, GATE_UNKNOWN);
}
END_TEST

START_TEST(a_failure_goes_before_an_unknown)
{
    in.canary_run = false;
    in.replayed_differently = 1;
    gate_judge(&report, &in);
    ck_assert_int_eq(report.verdict, GATE_FAIL);
    ck_assert_str_eq(gate_verdict_word[report.verdict], "fail");
}
END_TEST

Suite *gate_suite(void)
{
    Suite *s = suite_create("gate");
    TCase *c = tcase_create("gate");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, a_good_gate_passes_in_every_condition);
    tcase_add_test(c, the_rows_stand_in_the_order_of_the_table);
    tcase_add_test(c, too_few_rounds_are_unknown);
    tcase_add_test(c, an_interrupted_gate_is_unknown);
    tcase_add_test(c, a_round_that_hit_a_limit_makes_the_gate_unknown);
    tcase_add_loop_test(c, one_violation_of_any_invariant_fails, 0, INV_COUNT);
    tcase_add_loop_test(c, an_invariant_that_was_never_put_to_the_test_is_unknown, 0, INV_COUNT);
    tcase_add_test(c, a_zero_is_bounded_by_the_rounds_that_tested_it);
    tcase_add_test(c, what_breaks_in_any_round_fails_and_only_uniform_rounds_bound_it);
    tcase_add_test(c, how_the_rounds_were_spent_is_shown);
    tcase_add_test(c, the_failover_p99_passes_only_with_the_upper_end_of_its_interval);
    tcase_add_test(c, a_few_slow_failovers_are_allowed);
    tcase_add_test(c, the_same_slow_failovers_in_few_rounds_say_less);
    tcase_add_test(c, a_p99_of_exactly_the_limit_fails);
    tcase_add_test(c, no_transition_is_unknown);
    tcase_add_test(c, too_few_transitions_are_unknown);
    tcase_add_test(c, few_transitions_that_are_mostly_slow_fail);
    tcase_add_test(c, a_cause_with_a_thousand_samples_is_shown);
    tcase_add_test(c, a_cause_is_judged_when_the_contract_binds_it);
    tcase_add_test(c, background_holds_pass_from_2995_without_an_overrun);
    tcase_add_test(c, background_holds_pass_only_with_the_upper_end);
    tcase_add_test(c, few_background_holds_fail_only_when_they_are_clearly_over);
    tcase_add_test(c, no_overrun_is_bounded_lower_than_one_whatever_the_rounds);
    tcase_add_test(c, needless_steals_are_a_share_of_transitions);
    tcase_add_test(c, more_needless_steals_than_transitions_are_bounded_by_all);
    tcase_add_test(c, renewals_are_a_rate_of_leading_time);
    tcase_add_test(c, a_cell_with_too_few_hits_makes_coverage_unknown);
    tcase_add_test(c, an_impossible_cell_needs_no_hit);
    tcase_add_test(c, a_fault_that_is_rarely_effective_makes_the_gate_unknown);
    tcase_add_test(c, mutants_have_to_be_run_and_caught_within_their_budgets);
    tcase_add_test(c, the_canary_has_to_be_run_and_red);
    tcase_add_test(c, determinism_needs_one_percent_of_the_rounds);
    tcase_add_test(c, a_short_gate_is_judged_on_what_there_is);
    tcase_add_test(c, coverage_of_a_short_gate_shrinks_with_its_rounds);
    tcase_add_test(c, open_failovers_are_counted_and_have_no_length);
    tcase_add_test(c, fault_classes_of_a_tiny_gate_are_shown_only);
    tcase_add_test(c, a_gate_of_a_few_rounds_replays_them_all);
    tcase_add_test(c, nothing_at_all_is_unknown_in_every_judged_condition);
    tcase_add_test(c, a_failure_goes_before_an_unknown);
    suite_add_tcase(s, c);
    return s;
}
