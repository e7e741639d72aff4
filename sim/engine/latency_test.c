/* Quantile tables: every table, every one of the 65,536 positions. */
#include <check.h>

#include "sim/engine/latency.h"

Suite *latency_suite(void);

static const struct latency *const table[] = {
    &latency_lock,    &latency_broadcast, &latency_close, &latency_crash,
    &latency_thread,  &latency_idb,       &latency_task,  &latency_reload,
    &latency_restore, &latency_service,   &latency_node,
};
#define TABLES ((int)(sizeof table / sizeof table[0]))

/* Those above, then the networks'. */
static const struct latency *table_of(int i)
{
    return i < TABLES ? table[i] : network_of((enum network_kind)(i - TABLES))->one_way;
}

static const uint16_t rank[LATENCY_POINTS] = LATENCY_RANKS;

/* The draw at position `u`. */
static int64_t at(const struct latency *t, uint32_t u)
{
    struct tape_entry e = { u, 65536 };
    struct tape tape = { .at = { [STREAM_LOCK] = &e }, .n = { [STREAM_LOCK] = 1 } };
    struct choices c = { .replay = &tape };
    int64_t us = latency_draw(t, &c, STREAM_LOCK);
    ck_assert(!c.diverged);
    ck_assert_uint_eq(c.replay_at[STREAM_LOCK], 1); /* one draw, from that stream */
    return us;
}

START_TEST(ranks_and_values_rise_from_end_to_end)
{
    const struct latency *t = table_of(_i);
    ck_assert_uint_eq(rank[0], 0);
    ck_assert_uint_eq(rank[LATENCY_POINTS - 1], 65535);
    ck_assert_int_ge(t->us[0], 0);
    for (int k = 1; k < LATENCY_POINTS; k++) {
        ck_assert_uint_gt(rank[k], rank[k - 1]);
        ck_assert_int_ge(t->us[k], t->us[k - 1]);
    }
}
END_TEST

START_TEST(each_quantile_is_hit)
{
    const struct latency *t = table_of(_i);
    for (int k = 0; k < LATENCY_POINTS - 1; k++) ck_assert_int_eq(at(t, rank[k]), t->us[k]);
    ck_assert_int_ge(at(t, 65535), t->us[LATENCY_POINTS - 1] - 1); /* slopes are rounded down */
}
END_TEST

START_TEST(draws_are_monotone_and_never_outside)
{
    const struct latency *t = table_of(_i);
    int64_t last = t->us[0];
    for (uint32_t u = 0; u < 65536; u++) {
        int64_t us = at(t, u);
        if (us < last || us > t->us[LATENCY_POINTS - 1])
            ck_abort_msg("position %u: %d us", u, (int)us);
        last = us;
    }
}
END_TEST

START_TEST(between_two_quantiles_the_draw_lies_in_proportion)
{
    const struct latency *t = table_of(_i);
    for (int k = 1; k < LATENCY_POINTS; k++) {
        uint32_t middle = (rank[k - 1] + rank[k]) / 2u;
        int64_t expected = t->us[k - 1] + (int64_t)(t->us[k] - t->us[k - 1]) *
                                              (middle - rank[k - 1]) / (rank[k] - rank[k - 1]);
        ck_assert_int_le(at(t, middle), expected);
        ck_assert_int_ge(at(t, middle), expected - 1);
    }
}
END_TEST

START_TEST(zero_is_the_mildest)
{
    ck_assert_int_eq(at(table_of(_i), 0), table_of(_i)->us[0]);
}
END_TEST

/* NET-2: at least one message in a thousand is slow, and slower than the table's ordinary ones. */
START_TEST(every_network_has_a_slow_tail)
{
    const struct network *n = network_of((enum network_kind)_i);
    ck_assert_uint_ge(n->slow_ppm, 1000);
    ck_assert_int_le(n->slow_min_us, n->slow_max_us);
    ck_assert_int_gt(n->slow_min_us, n->one_way->us[LATENCY_POINTS / 2]);
    ck_assert_uint_gt(n->loss_ppm, 0);
    ck_assert_uint_lt(n->loss_ppm, 100000);
    ck_assert_uint_lt(n->double_ppm, 100000);
}
END_TEST

START_TEST(lan_broadband_and_mobile_are_ever_slower)
{
    for (int k = 0; k < LATENCY_POINTS; k++) {
        int32_t lan = network_of(NETWORK_LAN)->one_way->us[k];
        int32_t broadband = network_of(NETWORK_BROADBAND)->one_way->us[k];
        ck_assert_int_lt(lan, broadband);
        ck_assert_int_lt(broadband, network_of(NETWORK_MOBILE)->one_way->us[k]);
    }
}
END_TEST

Suite *latency_suite(void)
{
    Suite *s = suite_create("latency");
    TCase *t = tcase_create("latency");
    int all = TABLES + NETWORK_COUNT;
    tcase_add_loop_test(t, ranks_and_values_rise_from_end_to_end, 0, all);
    tcase_add_loop_test(t, each_quantile_is_hit, 0, all);
    tcase_add_loop_test(t, draws_are_monotone_and_never_outside, 0, all);
    tcase_add_loop_test(t, zero_is_the_mildest, 0, all);
    tcase_add_loop_test(t, between_two_quantiles_the_draw_lies_in_proportion, 0, all);
    tcase_add_loop_test(t, every_network_has_a_slow_tail, 0, NETWORK_COUNT);
    tcase_add_test(t, lan_broadband_and_mobile_are_ever_slower);
    suite_add_tcase(s, t);
    return s;
}
