/* Histograms, the sums over rounds, and that order does not matter. */
#include <check.h>
#include <string.h>

#include "oracle/tally.h"

Suite *tally_suite(void);

static struct histogram h;
static struct tally one, two, all;
static struct contract contract = { .slo.failover_p99_us = 2 * US_PER_S };

static void add(struct tally *t, const struct judge_result *r, uint64_t index, uint64_t digest,
                uint64_t events)
{
    tally_add(t, r, &contract,
              &(struct tally_round){ .index = index, .digest = digest, .events = events });
}

static void clear(void)
{
    memset(&h, 0, sizeof h);
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    memset(&all, 0, sizeof all);
}

START_TEST(a_small_value_is_kept_exactly)
{
    for (int64_t us = 0; us < 2048; us++) {
        memset(&h, 0, sizeof h);
        hist_add(&h, us);
        ck_assert_int_eq(hist_quantile(&h, 1, 2), us);
    }
}
END_TEST

START_TEST(a_large_value_is_off_by_less_than_a_thousandth_and_never_low)
{
    for (int64_t us = 2048; us < INT64_C(2146000000); us += 1 + us / 37) {
        memset(&h, 0, sizeof h);
        hist_add(&h, us);
        int64_t edge = hist_rank(&h, 1);
        ck_assert_int_ge(edge, us);
        ck_assert_int_le((edge - us) * 1000, us);
    }
}
END_TEST

START_TEST(the_edges_of_a_power_of_two_are_in_neighbouring_buckets)
{
    clear();
    hist_add(&h, 4095);
    hist_add(&h, 4096);
    ck_assert_int_eq(hist_rank(&h, 1), 4095);
    ck_assert_int_eq(hist_rank(&h, 2), 4099);
}
END_TEST

START_TEST(no_quantile_is_longer_than_the_longest)
{
    clear();
    hist_add(&h, 4095);
    hist_add(&h, 4096); /* its bucket ends at 4099 */
    ck_assert_int_eq(hist_quantile(&h, 99, 100), 4096);
    ck_assert_int_eq(hist_longest_ended(&h), 4096);
    ck_assert_uint_eq(hist_open(&h), 0);
}
END_TEST

START_TEST(open_ones_are_counted_apart_from_the_longest_that_ended)
{
    clear();
    ck_assert_int_eq(hist_longest_ended(&h), -1);
    hist_add(&h, HIST_OPEN_US);
    ck_assert_int_eq(hist_longest_ended(&h), -1);
    hist_add(&h, 700);
    hist_add(&h, HIST_OPEN_US);
    ck_assert_int_eq(hist_longest_ended(&h), 700);
    ck_assert_uint_eq(hist_open(&h), 2);
    ck_assert_int_eq(hist_quantile(&h, 99, 100), HIST_OPEN_US);
}
END_TEST

START_TEST(what_is_beyond_is_in_the_last_bucket_and_reads_as_the_maximum)
{
    clear();
    hist_add(&h, INT64_C(1) << 31);
    hist_add(&h, INT64_C(1) << 40);
    ck_assert_uint_eq(h.count[HIST_BUCKETS - 1], 2);
    ck_assert_int_eq(hist_rank(&h, 1), INT64_C(1) << 40);
}
END_TEST

START_TEST(a_negative_length_counts_as_zero)
{
    clear();
    hist_add(&h, -5);
    ck_assert_uint_eq(h.count[0], 1);
    ck_assert_int_eq(hist_rank(&h, 1), 0);
}
END_TEST

START_TEST(an_empty_histogram_has_no_quantile)
{
    clear();
    ck_assert_int_eq(hist_quantile(&h, 99, 100), -1);
    hist_add(&h, 7);
    ck_assert_int_eq(hist_rank(&h, 0), -1);
    ck_assert_int_eq(hist_rank(&h, 2), -1);
}
END_TEST

START_TEST(a_quantile_is_the_value_at_the_rank_rounded_up)
{
    clear();
    for (int64_t us = 1; us <= 150; us++) hist_add(&h, us);
    ck_assert_int_eq(hist_quantile(&h, 1, 2), 75);
    ck_assert_int_eq(hist_quantile(&h, 99, 100), 149); /* 148.5 */
    ck_assert_int_eq(hist_quantile(&h, 0, 1), 1);
    ck_assert_int_eq(hist_quantile(&h, 1, 1), 150);
}
END_TEST

static struct judge_result full_result(void)
{
    struct judge_result r = { .overlaps = 1,
                              .overlap_us = 2,
                              .leader_us = 3,
                              .eligible_us = 4,
                              .raw_us = 5,
                              .transitions = 6,
                              .steals = 7,
                              .needless_steals = 8,
                              .fenced = 9,
                              .reconciled = 10,
                              .absorbed = 11,
                              .renewals = 12,
                              .ledger_requests = 13,
                              .operations = 14,
                              .effects = 15,
                              .commits = 16 };
    r.finding[INV_NO_STALE_COMMIT].verdict = VERDICT_BROKEN;
    r.finding[INV_PROGRESS].verdict = VERDICT_HELD;
    r.cell[FAULT_DISCARD][PHASE_IDLE] = 2;
    r.planned[FAULT_DISCARD] = 3;
    r.effective[FAULT_DISCARD] = 2;
    r.gap[r.gaps++] = (struct gap_sample){ .eligible_us = 900, .raw_us = 1000, .cause = GAP_COLD };
    r.gap[r.gaps++] = (struct gap_sample){
        .eligible_us = 100, .raw_us = 200, .cause = GAP_CLOSED, .successor_visible = 1
    };
    r.gap[r.gaps++] = (struct gap_sample){
        .eligible_us = 2 * US_PER_S, .raw_us = 3 * US_PER_S, .cause = GAP_FROZEN, .other_device = 1
    };
    r.hold[r.holds++] = (struct hold_sample){ .held_us = 31000, .overrun = 1 };
    r.hold[r.holds++] = (struct hold_sample){ .held_us = 10 };
    r.hold[r.holds++] = (struct hold_sample){ .held_us = 99, .overrun = 1, .nobody_else = 1 };
    return r;
}

START_TEST(every_count_of_a_round_is_added)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 100);
    add(&all, &r, 1, 1, 100);
    ck_assert_uint_eq(all.rounds, 2);
    ck_assert_uint_eq(all.unknown_rounds, 0);
    ck_assert_uint_eq(all.events, 200);
    ck_assert_uint_eq(all.overlaps, 2);
    ck_assert_uint_eq(all.overlap_us, 4);
    ck_assert_uint_eq(all.leader_us, 6);
    ck_assert_uint_eq(all.eligible_us, 8);
    ck_assert_uint_eq(all.raw_us, 10);
    ck_assert_uint_eq(all.transitions, 12);
    ck_assert_uint_eq(all.steals, 14);
    ck_assert_uint_eq(all.needless_steals, 16);
    ck_assert_uint_eq(all.fenced, 18);
    ck_assert_uint_eq(all.reconciled, 20);
    ck_assert_uint_eq(all.absorbed, 22);
    ck_assert_uint_eq(all.renewals, 24);
    ck_assert_uint_eq(all.ledger_requests, 26);
    ck_assert_uint_eq(all.operations, 28);
    ck_assert_uint_eq(all.effects, 30);
    ck_assert_uint_eq(all.commits, 32);
}
END_TEST

START_TEST(findings_are_counted_by_verdict)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.broken[INV_NO_STALE_COMMIT], 1);
    ck_assert_uint_eq(all.held[INV_PROGRESS], 1);
    ck_assert_uint_eq(all.unknown[INV_NO_FAIL_OPEN], 1);
    ck_assert_uint_eq(all.unknown[INV_NO_STALE_COMMIT] + all.held[INV_NO_STALE_COMMIT], 0);
}
END_TEST

START_TEST(cold_starts_stand_apart_from_failovers)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.cold.n, 1);
    ck_assert_int_eq(all.cold.max_us, 900);
    ck_assert_uint_eq(all.failover.n, 2);
    ck_assert_uint_eq(all.raw.n, 2);
    ck_assert_int_eq(all.raw.max_us, 3 * US_PER_S);
    ck_assert_uint_eq(all.by_cause[GAP_COLD].n, 0);
    ck_assert_uint_eq(all.by_cause[GAP_CLOSED].n, 1);
    ck_assert_uint_eq(all.by_cause[GAP_FROZEN].n, 1);
    ck_assert_uint_eq(all.by_visibility[1].n, 1);
    ck_assert_int_eq(all.by_visibility[1].max_us, 100);
    ck_assert_int_eq(all.by_device[1].max_us, 2 * US_PER_S);
    ck_assert_int_eq(all.by_device[0].max_us, 100);
}
END_TEST

START_TEST(an_open_gap_is_longer_than_any_round)
{
    struct judge_result r = { .gaps = 1 };
    r.gap[0] = (struct gap_sample){ .eligible_us = 1, .raw_us = 1, .cause = GAP_NODE, .open = 1 };
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.open_gaps, 1);
    ck_assert_int_eq(hist_quantile(&all.failover, 1, 2), INT64_C(1) << 31);
    ck_assert_uint_eq(all.over_threshold, 1);
    ck_assert_uint_eq(all.by_visibility[0].n + all.by_device[0].n, 0);
}
END_TEST

START_TEST(an_open_gap_without_anybody_eligible_is_no_sample)
{
    struct judge_result r = { .gaps = 1 };
    r.gap[0] = (struct gap_sample){ .raw_us = 7, .cause = GAP_ASLEEP, .open = 1 };
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.open_gaps, 1);
    ck_assert_uint_eq(all.failover.n, 0);
}
END_TEST

START_TEST(holds_with_nobody_else_stand_apart)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.holds, 2);
    ck_assert_uint_eq(all.hold_overruns, 1);
    ck_assert_uint_eq(all.holds_alone, 1);
    ck_assert_uint_eq(all.holds_alone_overruns, 1);
    ck_assert_uint_eq(all.hold.n, 2);
    ck_assert_int_eq(all.hold.max_us, 31000);
}
END_TEST

START_TEST(squares_are_of_rounds_not_of_samples)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 1);
    add(&all, &r, 1, 1, 1);
    ck_assert_uint_eq(all.over_threshold, 2); /* one of two in each round */
    ck_assert_uint_eq(all.over_threshold_sq, 2);
    ck_assert_uint_eq(all.samples_sq, 8);
    ck_assert_uint_eq(all.over_times_samples, 4);
    ck_assert_uint_eq(all.hold_overruns_sq, 2);
    ck_assert_uint_eq(all.holds_sq, 8);
    ck_assert_uint_eq(all.overruns_times_holds, 4);
}
END_TEST

START_TEST(a_class_is_effective_once_a_round_but_its_cells_count_hits)
{
    struct judge_result r = full_result();
    clear();
    add(&all, &r, 0, 1, 1);
    ck_assert_uint_eq(all.effective_rounds[FAULT_DISCARD], 1);
    ck_assert_uint_eq(all.cell[FAULT_DISCARD][PHASE_IDLE], 2);
    ck_assert_uint_eq(all.planned[FAULT_DISCARD], 3);
    ck_assert_uint_eq(all.effective_rounds[FAULT_RELOAD], 0);
}
END_TEST

START_TEST(a_round_that_hit_a_limit_is_unknown)
{
    struct judge_result cut = { .cut_short = 1 }, lost = { .samples_lost = 2 };
    clear();
    add(&all, &cut, 0, 1, 1);
    add(&all, &lost, 1, 1, 1);
    ck_assert_uint_eq(all.unknown_rounds, 2);
    ck_assert_uint_eq(all.rounds, 2);
}
END_TEST

START_TEST(merged_shards_equal_the_whole_in_either_order)
{
    struct judge_result a = full_result(), b = { .transitions = 1 };
    clear();
    add(&all, &a, 0, 11, 5);
    add(&all, &b, 1, 12, 6);
    add(&one, &a, 0, 11, 5);
    add(&two, &b, 1, 12, 6);
    static struct tally ab, ba;
    memset(&ab, 0, sizeof ab);
    memset(&ba, 0, sizeof ba);
    tally_merge(&ab, &one);
    tally_merge(&ab, &two);
    tally_merge(&ba, &two);
    tally_merge(&ba, &one);
    ck_assert_mem_eq(&ab, &all, sizeof all);
    ck_assert_mem_eq(&ba, &all, sizeof all);
}
END_TEST

START_TEST(the_digest_depends_on_which_round_had_which_history)
{
    struct judge_result r = { .gaps = 0 };
    clear();
    add(&one, &r, 0, 11, 1);
    add(&one, &r, 1, 12, 1);
    add(&two, &r, 0, 12, 1);
    add(&two, &r, 1, 11, 1);
    add(&all, &r, 1, 12, 1);
    add(&all, &r, 0, 11, 1);
    ck_assert_uint_ne(one.digest, two.digest);
    ck_assert_uint_eq(one.digest, all.digest);
}
END_TEST

/* What looks for trouble is judged and covered, and measures nothing. */
START_TEST(rounds_that_were_not_drawn_uniformly_measure_nothing)
{
    struct judge_result r = full_result();
    const struct tally_round round = { .strategy = STRATEGY_PCT3, .pct_links = 5, .pct_steps = 9 };
    r.finding[INV_PROGRESS].verdict = VERDICT_BROKEN;
    r.finding[INV_LOCK_MODEL].verdict = VERDICT_HELD;
    r.effective[FAULT_RELOAD] = 1;
    r.cell[FAULT_RELOAD][PHASE_IDLE] = 2;
    clear();
    tally_add(&all, &r, &contract, &round);
    ck_assert_uint_eq(all.failover.n + all.holds + all.transitions + all.effects, 0);
    ck_assert_uint_eq(all.leader_us + all.samples_sq + all.effective_rounds[FAULT_RELOAD], 0);
    ck_assert_uint_eq(all.cell[FAULT_RELOAD][PHASE_IDLE], 2);
    ck_assert_uint_eq(all.broken[INV_PROGRESS], 1);
    ck_assert_uint_eq(all.uniform_broken[INV_PROGRESS] + all.uniform_held[INV_LOCK_MODEL], 0);
    ck_assert_uint_eq(all.strategy_rounds[STRATEGY_PCT3], 1);
    ck_assert_uint_eq(all.strategy_broken[STRATEGY_PCT3], 1);
    ck_assert_uint_eq(all.pct_links, 5);
    ck_assert_uint_eq(all.pct_steps, 9);
    add(&all, &r, 1, 1, 1);
    ck_assert_uint_eq(all.uniform_broken[INV_PROGRESS], 1);
    ck_assert_uint_eq(all.uniform_held[INV_LOCK_MODEL], 1);
    ck_assert_uint_eq(all.effective_rounds[FAULT_RELOAD], 1);
    ck_assert_uint_gt(all.failover.n, 0);
}
END_TEST

START_TEST(a_state_belongs_to_the_first_round_that_reached_it_in_any_order)
{
    struct judge_result r = { .states = 2 };
    r.state[0].state = 3, r.state[1].state = ABSTRACT_STATES - 1;
    clear();
    add(&one, &r, 8, 0, 0);
    add(&one, &r, 6, 0, 0);
    r.states = 1;
    add(&two, &r, 2, 0, 0);
    tally_merge(&all, &one);
    tally_merge(&all, &two);
    ck_assert_uint_eq(all.first[3], 3);
    ck_assert_uint_eq(all.first[ABSTRACT_STATES - 1], 7);
    ck_assert_uint_eq(tally_states(&all, 2), 0);
    ck_assert_uint_eq(tally_states(&all, 3), 1);
    ck_assert_uint_eq(tally_states(&all, 7), 2);
}
END_TEST

Suite *tally_suite(void)
{
    Suite *s = suite_create("tally");
    TCase *c = tcase_create("tally");
    tcase_add_test(c, a_small_value_is_kept_exactly);
    tcase_add_test(c, rounds_that_were_not_drawn_uniformly_measure_nothing);
    tcase_add_test(c, a_state_belongs_to_the_first_round_that_reached_it_in_any_order);
    tcase_add_test(c, a_large_value_is_off_by_less_than_a_thousandth_and_never_low);
    tcase_add_test(c, the_edges_of_a_power_of_two_are_in_neighbouring_buckets);
    tcase_add_test(c, what_is_beyond_is_in_the_last_bucket_and_reads_as_the_maximum);
    tcase_add_test(c, no_quantile_is_longer_than_the_longest);
    tcase_add_test(c, open_ones_are_counted_apart_from_the_longest_that_ended);
    tcase_add_test(c, a_negative_length_counts_as_zero);
    tcase_add_test(c, an_empty_histogram_has_no_quantile);
    tcase_add_test(c, a_quantile_is_the_value_at_the_rank_rounded_up);
    tcase_add_test(c, every_count_of_a_round_is_added);
    tcase_add_test(c, findings_are_counted_by_verdict);
    tcase_add_test(c, cold_starts_stand_apart_from_failovers);
    tcase_add_test(c, an_open_gap_is_longer_than_any_round);
    tcase_add_test(c, an_open_gap_without_anybody_eligible_is_no_sample);
    tcase_add_test(c, holds_with_nobody_else_stand_apart);
    tcase_add_test(c, squares_are_of_rounds_not_of_samples);
    tcase_add_test(c, a_class_is_effective_once_a_round_but_its_cells_count_hits);
    tcase_add_test(c, a_round_that_hit_a_limit_is_unknown);
    tcase_add_test(c, merged_shards_equal_the_whole_in_either_order);
    tcase_add_test(c, the_digest_depends_on_which_round_had_which_history);
    suite_add_tcase(s, c);
    return s;
}
