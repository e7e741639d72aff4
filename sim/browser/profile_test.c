/* The table of engines against table 7 of the facts, row by row, and the
 * throttling of timers (TM-5, TM-6). */
#include <check.h>

#include "sim/browser/profile.h"

Suite *profile_suite(void);

#define S(n) (INT64_C(n) * US_PER_S)

/* One row of table 7: spec, Chromium, Gecko, WebKit. */
#define ROW(member, spec, chromium, gecko, webkit)                                                 \
    do {                                                                                           \
        ck_assert_int_eq(profile_of(PROFILE_SPEC)->member, (spec));                                \
        ck_assert_int_eq(profile_of(PROFILE_CHROMIUM)->member, (chromium));                        \
        ck_assert_int_eq(profile_of(PROFILE_GECKO)->member, (gecko));                              \
        ck_assert_int_eq(profile_of(PROFILE_WEBKIT)->member, (webkit));                            \
    } while (0)

START_TEST(table_7_wl26_a_removed_head_stalls_shared_ones)
{
    ROW(locks.removed_head_stalls_shared, false, true, false, false);
}
END_TEST

START_TEST(table_7_wl62_to_wl70_locks_and_the_cache)
{
    ROW(caches_with_lock, true, true, false, true);
    ROW(locks.cached_keeps, false, true, false, false);
    ROW(locks.cached_drops_rejecting, false, false, false, true);
    ROW(locks.contention_evicts, false, true, false, false);
    ROW(locks.eviction_wedges, false, true, false, false);
    ROW(locks.query_evicts, false, true, false, false);
}
END_TEST

START_TEST(table_7_st4_broadcasts)
{
    ROW(message_evicts, false, true, true, false);
    ROW(frozen_runs_broadcast, false, true, false, false);
    ROW(process_suspend, false, false, false, true);
}
END_TEST

START_TEST(table_7_tm3_timers_over_the_cache)
{
    ROW(timers_shift_in_cache, true, false, true, true);
}
END_TEST

START_TEST(table_7_fx8_fetches_and_the_cache)
{
    ROW(fetch_survives_cache, false, true, false, false);
    ROW(fetch_blocks_cache, true, false, true, false);
}
END_TEST

START_TEST(table_7_wl49_grant_before_the_old_page_ends)
{
    ROW(unload_patience_us, 0, S(1) / 2, 0, 0);
}
END_TEST

START_TEST(st16_lock_and_message)
{
    ROW(lock_before_message, true, true, false, true);
}
END_TEST

START_TEST(lc10_lc11_freeze_events)
{
    ROW(has_freeze_events, true, true, false, false);
}
END_TEST

START_TEST(lc23_lc27_lc30_who_freezes_by_itself)
{
    ROW(freezes_pages, true, true, false, false);
    ROW(freeze_exempt, EXEMPT_NONE, EXEMPT_ANY_LOCK, EXEMPT_NONE, EXEMPT_NONE);
    ck_assert(profile_of(PROFILE_CHROME_ANDROID)->freezes_pages);
    ck_assert_int_eq(profile_of(PROFILE_CHROME_ANDROID)->freeze_exempt, EXEMPT_NONE);
    ck_assert(profile_of(PROFILE_SAFARI_IOS)->freezes_pages);
    ck_assert(profile_of(PROFILE_SAFARI_IOS)->process_suspend);
}
END_TEST

START_TEST(lc34_a_cached_page_lives_600_s_in_chromium)
{
    for (int k = 0; k < PROFILE_COUNT; k++) /* the others: on loan */
        ck_assert_int_eq(profile_of((enum profile_kind)k)->cache_ttl_us, S(600));
}
END_TEST

/* Everything but who is frozen, and when. */
static void alike(enum profile_kind a, enum profile_kind b)
{
#define SAME(member) ck_assert_int_eq(profile_of(a)->member, profile_of(b)->member)
    SAME(locks.removed_head_stalls_shared);
    SAME(locks.cached_keeps);
    SAME(locks.cached_drops_rejecting);
    SAME(locks.contention_evicts);
    SAME(locks.eviction_wedges);
    SAME(locks.query_evicts);
    SAME(has_freeze_events);
    SAME(frozen_runs_broadcast);
    SAME(process_suspend);
    SAME(caches_with_lock);
    SAME(message_evicts);
    SAME(cache_ttl_us);
    SAME(fetch_survives_cache);
    SAME(fetch_blocks_cache);
    SAME(timers_shift_in_cache);
    SAME(hidden_align_us);
    SAME(intensive_after_us);
    SAME(intensive_align_us);
    SAME(lock_before_message);
    SAME(unload_patience_us);
    SAME(stale_read_permille);
#undef SAME
}

START_TEST(mobile_browsers_differ_from_their_engines_in_freezing_alone)
{
    alike(PROFILE_CHROME_ANDROID, PROFILE_CHROMIUM);
    alike(PROFILE_SAFARI_IOS, PROFILE_WEBKIT);
}
END_TEST

START_TEST(lc23_lc27_lc39_how_long_a_page_is_hidden_before_it_is_frozen)
{
    ROW(freeze_after_us, S(300), S(300), 0, 0);
    ck_assert_int_eq(profile_of(PROFILE_CHROME_ANDROID)->freeze_after_us, S(300));
    ck_assert_int_eq(profile_of(PROFILE_SAFARI_IOS)->freeze_after_us, S(480));
    ck_assert_int_eq(profile_of(PROFILE_SAFARI_IOS)->freeze_exempt, EXEMPT_NONE);
    ck_assert_int_eq(profile_of(PROFILE_WORST)->freeze_after_us, S(60));
}
END_TEST

START_TEST(tm5_tm6_tm11_tm12_throttling)
{
    ROW(hidden_align_us, 0, S(1), S(1), S(1));
    ROW(intensive_after_us, 0, S(300), 0, 0);
    ROW(intensive_align_us, 0, S(60), 0, 0);
    ck_assert_int_eq(profile_of(PROFILE_WORST)->intensive_after_us, S(60));
    ck_assert_int_eq(profile_of(PROFILE_WORST)->intensive_align_us, S(60));
    ck_assert_int_eq(profile_of(PROFILE_WORST)->hidden_align_us, S(1));
}
END_TEST

START_TEST(st9_st12_stale_reads_happen_in_every_engine)
{
    ROW(stale_read_permille, 558, 288, 360, 100);
    for (int k = 0; k < PROFILE_COUNT; k++)
        ck_assert_uint_le(profile_of((enum profile_kind)k)->stale_read_permille, 1000);
}
END_TEST

START_TEST(every_profile_knows_its_kind_and_is_consistent)
{
    for (int k = 0; k < PROFILE_COUNT; k++) {
        const struct profile *p = profile_of((enum profile_kind)k);
        ck_assert_int_eq(p->kind, k);
        ck_assert(!p->locks.cached_keeps || p->caches_with_lock);
        ck_assert(!p->locks.cached_drops_rejecting || !p->locks.cached_keeps);
        ck_assert(!p->locks.eviction_wedges || p->locks.contention_evicts);
        ck_assert(!p->locks.contention_evicts || p->locks.cached_keeps);
        ck_assert(!p->fetch_blocks_cache || !p->fetch_survives_cache);
        ck_assert(!p->process_suspend || !p->frozen_runs_broadcast);
        ck_assert(p->freezes_pages == (p->freeze_after_us > 0));
        ck_assert(p->intensive_after_us == 0 || p->intensive_align_us >= p->hidden_align_us);
        ck_assert_int_gt(p->cache_ttl_us, 0);
    }
}
END_TEST

START_TEST(worst_is_no_milder_than_any_measured_engine)
{
    const struct profile *worst = profile_of(PROFILE_WORST);
    ck_assert(worst->locks.contention_evicts); /* the way into WL-68 */
    ck_assert(!worst->fetch_blocks_cache);
    ck_assert_int_eq(worst->unload_patience_us, S(1) / 2);
    ck_assert_uint_eq(worst->stale_read_permille, 558);
    for (int k = 0; k < PROFILE_WORST; k++) {
        const struct profile *p = profile_of((enum profile_kind)k);
        ck_assert(worst->locks.removed_head_stalls_shared >= p->locks.removed_head_stalls_shared);
        ck_assert(worst->locks.cached_keeps >= p->locks.cached_keeps);
        ck_assert(worst->locks.eviction_wedges >= p->locks.eviction_wedges);
        ck_assert(worst->locks.query_evicts <= p->locks.query_evicts);
        ck_assert(worst->message_evicts <= p->message_evicts);
        ck_assert(worst->has_freeze_events <= p->has_freeze_events);
        ck_assert(worst->freeze_exempt <= p->freeze_exempt);
        ck_assert(p->freeze_after_us == 0 || worst->freeze_after_us <= p->freeze_after_us);
        ck_assert(worst->freezes_pages >= p->freezes_pages);
        ck_assert(worst->frozen_runs_broadcast >= p->frozen_runs_broadcast);
        ck_assert(worst->caches_with_lock >= p->caches_with_lock);
        ck_assert(worst->cache_ttl_us >= p->cache_ttl_us);
        ck_assert(worst->fetch_survives_cache >= p->fetch_survives_cache);
        ck_assert(worst->timers_shift_in_cache >= p->timers_shift_in_cache);
        ck_assert(worst->hidden_align_us >= p->hidden_align_us);
        ck_assert(p->intensive_after_us == 0 || worst->intensive_after_us <= p->intensive_after_us);
        ck_assert(worst->intensive_align_us >= p->intensive_align_us);
        ck_assert(worst->lock_before_message >= p->lock_before_message);
        ck_assert(worst->unload_patience_us >= p->unload_patience_us);
        ck_assert(worst->stale_read_permille >= p->stale_read_permille);
    }
}
END_TEST

static int64_t runs_at(enum profile_kind kind, int64_t due_us, int64_t hidden_since_us)
{
    return profile_timer_at(profile_of(kind), (struct instant){ due_us }, hidden_since_us).us;
}

START_TEST(tm4_timers_of_visible_pages_are_exact)
{
    for (int k = 0; k < PROFILE_COUNT; k++)
        ck_assert_int_eq(runs_at((enum profile_kind)k, 1234567, NOT_HIDDEN), 1234567);
}
END_TEST

START_TEST(tm5_timers_of_hidden_pages_run_once_a_second)
{
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(10) + 1, S(5)), S(11));
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(11), S(5)), S(11));
    ck_assert_int_eq(runs_at(PROFILE_GECKO, S(11) - 1, S(5)), S(11));
    ck_assert_int_eq(runs_at(PROFILE_WEBKIT, S(10) + 1, 0), S(11));
    ck_assert_int_eq(runs_at(PROFILE_SPEC, S(10) + 1, S(5)), S(10) + 1);
}
END_TEST

START_TEST(tm5_a_timer_that_was_due_before_the_page_was_hidden_is_not_throttled)
{
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(4) + 7, S(5)), S(4) + 7);
}
END_TEST

START_TEST(tm6_after_five_minutes_once_a_minute_in_chromium)
{
    int64_t hidden = S(7);
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, hidden + S(300) - 1, hidden), S(307));
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, hidden + S(300), hidden), S(360));
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(360) + 1, hidden), S(420));
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(420), hidden), S(420));
}
END_TEST

START_TEST(tm6_after_one_minute_in_the_worst_profile)
{
    ck_assert_int_eq(runs_at(PROFILE_WORST, S(59) + 1, 0), S(60));
    ck_assert_int_eq(runs_at(PROFILE_WORST, S(61), S(1)), S(120));
    ck_assert_int_eq(runs_at(PROFILE_CHROMIUM, S(61), S(1)), S(61));
}
END_TEST

START_TEST(tm6_other_engines_stay_at_one_second)
{
    ck_assert_int_eq(runs_at(PROFILE_GECKO, S(1000) + 1, 0), S(1001));
    ck_assert_int_eq(runs_at(PROFILE_WEBKIT, S(1000) + 1, 0), S(1001));
}
END_TEST

START_TEST(a_timer_never_runs_before_it_is_due)
{
    for (int k = 0; k < PROFILE_COUNT; k++) {
        for (int64_t due = 0; due < S(700); due += 333337) {
            int64_t at = runs_at((enum profile_kind)k, due, S(3));
            if (at < due || at - due >= S(60))
                ck_abort_msg("due %ld, ran %ld", (long)due, (long)at);
        }
    }
}
END_TEST

START_TEST(an_unknown_profile_is_our_mistake)
{
    profile_of(PROFILE_COUNT);
}
END_TEST

Suite *profile_suite(void)
{
    Suite *s = suite_create("profile");
    TCase *t = tcase_create("table");
    tcase_add_test(t, table_7_wl26_a_removed_head_stalls_shared_ones);
    tcase_add_test(t, table_7_wl62_to_wl70_locks_and_the_cache);
    tcase_add_test(t, table_7_st4_broadcasts);
    tcase_add_test(t, table_7_tm3_timers_over_the_cache);
    tcase_add_test(t, table_7_fx8_fetches_and_the_cache);
    tcase_add_test(t, table_7_wl49_grant_before_the_old_page_ends);
    tcase_add_test(t, st16_lock_and_message);
    tcase_add_test(t, lc10_lc11_freeze_events);
    tcase_add_test(t, lc23_lc27_lc30_who_freezes_by_itself);
    tcase_add_test(t, lc34_a_cached_page_lives_600_s_in_chromium);
    tcase_add_test(t, mobile_browsers_differ_from_their_engines_in_freezing_alone);
    tcase_add_test(t, lc23_lc27_lc39_how_long_a_page_is_hidden_before_it_is_frozen);
    tcase_add_test(t, tm5_tm6_tm11_tm12_throttling);
    tcase_add_test(t, st9_st12_stale_reads_happen_in_every_engine);
    tcase_add_test(t, every_profile_knows_its_kind_and_is_consistent);
    tcase_add_test(t, worst_is_no_milder_than_any_measured_engine);
    tcase_add_exit_test(t, an_unknown_profile_is_our_mistake, 3);
    suite_add_tcase(s, t);
    t = tcase_create("timers");
    tcase_add_test(t, tm4_timers_of_visible_pages_are_exact);
    tcase_add_test(t, tm5_timers_of_hidden_pages_run_once_a_second);
    tcase_add_test(t, tm5_a_timer_that_was_due_before_the_page_was_hidden_is_not_throttled);
    tcase_add_test(t, tm6_after_five_minutes_once_a_minute_in_chromium);
    tcase_add_test(t, tm6_after_one_minute_in_the_worst_profile);
    tcase_add_test(t, tm6_other_engines_stay_at_one_second);
    tcase_add_test(t, a_timer_never_runs_before_it_is_due);
    suite_add_tcase(s, t);
    return s;
}
