/* A document's life: legal transitions (LC-1..14), what runs in each state
 * (LC-15..22, ST-3, ST-4), who freezes and who is cached. */
#include <check.h>

#include "sim/browser/document.h"

Suite *document_suite(void);

/* Written out once more, by hand: row from, column to, in the order of the enum. */
static const char *const edges[DOC_STATES] = {
    /*                AVHFCG */
    [DOC_ABSENT] = "011000", [DOC_VISIBLE] = "001011", [DOC_HIDDEN] = "010111",
    [DOC_FROZEN] = "011001", [DOC_CACHED] = "011001",  [DOC_GONE] = "000000",
};

START_TEST(lc1_only_the_edges_of_the_diagram_are_legal)
{
    for (int from = 0; from < DOC_STATES; from++)
        for (int to = 0; to < DOC_STATES; to++)
            ck_assert_int_eq(document_may((enum document_state)from, (enum document_state)to),
                             edges[from][to] == '1');
}
END_TEST

START_TEST(document_enter_changes_the_state)
{
    enum document_state s = DOC_ABSENT;
    const enum document_state life[] = { DOC_VISIBLE, DOC_HIDDEN, DOC_FROZEN,  DOC_HIDDEN,
                                         DOC_VISIBLE, DOC_CACHED, DOC_VISIBLE, DOC_GONE };
    for (unsigned i = 0; i < sizeof life / sizeof life[0]; i++) {
        document_enter(&s, life[i]);
        ck_assert_int_eq(s, life[i]);
    }
}
END_TEST

START_TEST(lc12_a_visible_page_is_not_frozen_before_it_is_hidden)
{
    enum document_state s = DOC_VISIBLE;
    document_enter(&s, DOC_FROZEN);
}
END_TEST

START_TEST(lc6_a_gone_document_does_not_come_back)
{
    enum document_state s = DOC_GONE;
    document_enter(&s, DOC_VISIBLE);
}
END_TEST

static enum run_rule runs(enum document_state s, enum task_source source, enum profile_kind kind)
{
    return document_runs(s, source, profile_of(kind));
}

START_TEST(tm10_everything_runs_in_visible_and_hidden_pages)
{
    for (int k = 0; k < PROFILE_COUNT; k++)
        for (int source = 0; source < TASK_SOURCES; source++) {
            ck_assert_int_eq(runs(DOC_VISIBLE, (enum task_source)source, (enum profile_kind)k),
                             RUNS);
            ck_assert_int_eq(runs(DOC_HIDDEN, (enum task_source)source, (enum profile_kind)k),
                             RUNS);
        }
}
END_TEST

START_TEST(lc5_nothing_runs_in_a_document_that_is_gone_or_not_there_yet)
{
    for (int k = 0; k < PROFILE_COUNT; k++)
        for (int source = 0; source < TASK_SOURCES; source++) {
            ck_assert_int_eq(runs(DOC_GONE, (enum task_source)source, (enum profile_kind)k), LOST);
            ck_assert_int_eq(runs(DOC_ABSENT, (enum task_source)source, (enum profile_kind)k),
                             LOST);
        }
}
END_TEST

START_TEST(lc18_a_frozen_page_runs_no_timer_answer_lock_callback_or_storage_event)
{
    static const enum task_source waiting[] = { TASK_STORAGE, TASK_NETWORK, TASK_PUSH,
                                                TASK_LOCK,    TASK_POST,    TASK_TIMER };
    for (int k = 0; k < PROFILE_COUNT; k++)
        for (unsigned i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
            ck_assert_int_eq(runs(DOC_FROZEN, waiting[i], (enum profile_kind)k), WAITS);
}
END_TEST

START_TEST(lc17_lc19_a_frozen_chromium_page_answers_broadcasts)
{
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_BROADCAST, PROFILE_CHROMIUM), RUNS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_BROADCAST, PROFILE_CHROME_ANDROID), RUNS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_BROADCAST, PROFILE_WORST), RUNS);
}
END_TEST

START_TEST(st3_by_the_spec_a_broadcast_to_a_frozen_page_waits)
{
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_BROADCAST, PROFILE_SPEC), WAITS);
}
END_TEST

START_TEST(lc39_nothing_at_all_runs_in_a_suspended_process)
{
    struct profile p = *profile_of(PROFILE_CHROMIUM);
    p.process_suspend = true;
    for (int source = 0; source < TASK_SOURCES; source++)
        ck_assert_int_eq(document_runs(DOC_FROZEN, (enum task_source)source, &p), WAITS);
}
END_TEST

START_TEST(lc3_lc11_freeze_handlers_run_where_there_are_any)
{
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_LIFECYCLE, PROFILE_CHROMIUM), RUNS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_LIFECYCLE, PROFILE_SPEC), RUNS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_LIFECYCLE, PROFILE_GECKO), WAITS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_LIFECYCLE, PROFILE_WORST), WAITS);
    ck_assert_int_eq(runs(DOC_FROZEN, TASK_LIFECYCLE, PROFILE_SAFARI_IOS), WAITS);
}
END_TEST

START_TEST(lc8_pagehide_runs_on_the_way_into_the_cache)
{
    for (int k = 0; k < PROFILE_COUNT; k++)
        ck_assert_int_eq(runs(DOC_CACHED, TASK_LIFECYCLE, (enum profile_kind)k), RUNS);
}
END_TEST

START_TEST(st4_a_broadcast_to_a_cached_page_evicts_it_or_is_lost)
{
    ck_assert_int_eq(runs(DOC_CACHED, TASK_BROADCAST, PROFILE_SPEC), LOST);
    ck_assert_int_eq(runs(DOC_CACHED, TASK_BROADCAST, PROFILE_CHROMIUM), EVICTS);
    ck_assert_int_eq(runs(DOC_CACHED, TASK_BROADCAST, PROFILE_GECKO), EVICTS);
    ck_assert_int_eq(runs(DOC_CACHED, TASK_BROADCAST, PROFILE_WEBKIT), LOST);
}
END_TEST

START_TEST(fx8_answers_to_a_cached_page_wait_or_are_lost)
{
    static const enum task_source net[] = { TASK_NETWORK, TASK_PUSH };
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(runs(DOC_CACHED, net[i], PROFILE_CHROMIUM), WAITS);
        ck_assert_int_eq(runs(DOC_CACHED, net[i], PROFILE_GECKO), LOST);
        ck_assert_int_eq(runs(DOC_CACHED, net[i], PROFILE_WEBKIT), LOST);
    }
}
END_TEST

START_TEST(lc5_wl68b_tm3_other_tasks_of_a_cached_page_wait_for_its_return)
{
    static const enum task_source waiting[] = { TASK_STORAGE, TASK_LOCK, TASK_POST, TASK_TIMER };
    for (int k = 0; k < PROFILE_COUNT; k++)
        for (unsigned i = 0; i < 4; i++)
            ck_assert_int_eq(runs(DOC_CACHED, waiting[i], (enum profile_kind)k), WAITS);
}
END_TEST

static bool may_freeze(enum profile_kind kind, int64_t hidden_s, bool lock, bool contended)
{
    return document_may_freeze(profile_of(kind), hidden_s * US_PER_S, lock, contended);
}

START_TEST(lc23_chromium_spares_holders_and_waiters)
{
    ck_assert(!may_freeze(PROFILE_CHROMIUM, 1000, true, false));
    ck_assert(!may_freeze(PROFILE_CHROMIUM, 1000, true, true));
    ck_assert(may_freeze(PROFILE_CHROMIUM, 1000, false, false));
}
END_TEST

START_TEST(lc23_a_page_seen_within_five_minutes_is_spared)
{
    ck_assert(!may_freeze(PROFILE_CHROMIUM, 299, false, false));
    ck_assert(may_freeze(PROFILE_CHROMIUM, 300, false, false));
}
END_TEST

START_TEST(lc27_android_spares_nobody)
{
    ck_assert(may_freeze(PROFILE_CHROME_ANDROID, 300, true, true));
    ck_assert(!may_freeze(PROFILE_CHROME_ANDROID, 299, true, true));
    ck_assert(may_freeze(PROFILE_WORST, 60, true, true));
    ck_assert(!may_freeze(PROFILE_WORST, 59, true, true));
}
END_TEST

START_TEST(lc29_lc30_gecko_and_webkit_do_not_freeze_tabs)
{
    ck_assert(!may_freeze(PROFILE_GECKO, 100000, false, false));
    ck_assert(!may_freeze(PROFILE_WEBKIT, 100000, false, false));
}
END_TEST

START_TEST(lc23_contended_locks_can_be_what_spares)
{
    struct profile p = *profile_of(PROFILE_CHROMIUM);
    p.freeze_exempt = EXEMPT_CONTENDED;
    ck_assert(document_may_freeze(&p, p.freeze_after_us, true, false));
    ck_assert(!document_may_freeze(&p, p.freeze_after_us, true, true));
    p.freezes_pages = false;
    ck_assert(!document_may_freeze(&p, p.freeze_after_us, true, false));
    p.freezes_pages = true;
    p.freeze_after_us = 0; /* never by itself */
    ck_assert(!document_may_freeze(&p, US_PER_S, true, false));
}
END_TEST

START_TEST(wl69_gecko_does_not_cache_a_page_with_a_lock)
{
    ck_assert(!document_may_cache(profile_of(PROFILE_GECKO), true, false));
    ck_assert(document_may_cache(profile_of(PROFILE_GECKO), false, false));
}
END_TEST

START_TEST(wl64_wl70_chromium_and_webkit_do)
{
    ck_assert(document_may_cache(profile_of(PROFILE_CHROMIUM), true, true));
    ck_assert(document_may_cache(profile_of(PROFILE_WEBKIT), true, true));
}
END_TEST

START_TEST(fx8_a_fetch_in_flight_keeps_a_gecko_page_out)
{
    ck_assert(!document_may_cache(profile_of(PROFILE_GECKO), false, true));
    ck_assert(!document_may_cache(profile_of(PROFILE_SPEC), false, true));
    ck_assert(document_may_cache(profile_of(PROFILE_SPEC), true, false));
}
END_TEST

Suite *document_suite(void)
{
    Suite *s = suite_create("document");
    TCase *t = tcase_create("states");
    tcase_add_test(t, lc1_only_the_edges_of_the_diagram_are_legal);
    tcase_add_test(t, document_enter_changes_the_state);
    tcase_add_exit_test(t, lc12_a_visible_page_is_not_frozen_before_it_is_hidden, 3);
    tcase_add_exit_test(t, lc6_a_gone_document_does_not_come_back, 3);
    suite_add_tcase(s, t);
    t = tcase_create("tasks");
    tcase_add_test(t, tm10_everything_runs_in_visible_and_hidden_pages);
    tcase_add_test(t, lc5_nothing_runs_in_a_document_that_is_gone_or_not_there_yet);
    tcase_add_test(t, lc18_a_frozen_page_runs_no_timer_answer_lock_callback_or_storage_event);
    tcase_add_test(t, lc17_lc19_a_frozen_chromium_page_answers_broadcasts);
    tcase_add_test(t, st3_by_the_spec_a_broadcast_to_a_frozen_page_waits);
    tcase_add_test(t, lc39_nothing_at_all_runs_in_a_suspended_process);
    tcase_add_test(t, lc3_lc11_freeze_handlers_run_where_there_are_any);
    tcase_add_test(t, lc8_pagehide_runs_on_the_way_into_the_cache);
    tcase_add_test(t, st4_a_broadcast_to_a_cached_page_evicts_it_or_is_lost);
    tcase_add_test(t, fx8_answers_to_a_cached_page_wait_or_are_lost);
    tcase_add_test(t, lc5_wl68b_tm3_other_tasks_of_a_cached_page_wait_for_its_return);
    suite_add_tcase(s, t);
    t = tcase_create("policy");
    tcase_add_test(t, lc23_chromium_spares_holders_and_waiters);
    tcase_add_test(t, lc23_a_page_seen_within_five_minutes_is_spared);
    tcase_add_test(t, lc27_android_spares_nobody);
    tcase_add_test(t, lc29_lc30_gecko_and_webkit_do_not_freeze_tabs);
    tcase_add_test(t, lc23_contended_locks_can_be_what_spares);
    tcase_add_test(t, wl69_gecko_does_not_cache_a_page_with_a_lock);
    tcase_add_test(t, wl64_wl70_chromium_and_webkit_do);
    tcase_add_test(t, fx8_a_fetch_in_flight_keeps_a_gecko_page_out);
    suite_add_tcase(s, t);
    return s;
}
