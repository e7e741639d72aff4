/* The lock manager, rule by rule (WL-7..78), then against a second one that is
 * deliberately dumb: one array of requests, walked from the start each time, as
 * the specification's text walks it, with the engine differences beside it. */
#include <check.h>

#include <string.h>

#include "sim/browser/lockmgr.h"
#include "sim/browser/profile.h"

Suite *lockmgr_suite(void);

#define PAGES 300
#define REQUESTS 320
#define HISTORY 4096
#define LEADER LOCK_NAME_LEADER
#define OTHER LOCK_NAME_OTHER
#define ARRIVAL 7u /* the number of the observation that caused an arrival */

static struct {
    struct arena arena;
    struct lockmgr *m;
    struct history h;
    struct obs obs[HISTORY];
    struct lockmgr_out out;
    struct instant now;
} w;

static void open_manager(void)
{
    arena_open(&w.arena, 1 << 20);
    w.m = lockmgr_open(&w.arena, REQUESTS, PAGES);
}

static void close_manager(void)
{
    arena_close(&w.arena);
}

static void begin_rules(struct lockmgr_rules rules, struct policy policy)
{
    w.h = (struct history){ .at = w.obs, .max = HISTORY };
    w.now.us = 0;
    lockmgr_reset(w.m, 3, &rules, policy, &w.h);
}

static void begin(enum profile_kind kind)
{
    begin_rules(profile_of(kind)->locks, (struct policy){ 0 });
}

static void begin_policy(enum profile_kind kind, enum policy_kind policy)
{
    begin_rules(profile_of(kind)->locks, policy_with((struct policy){ 0 }, policy));
}

/* In these helpers the request's id is the page's number plus 100, the name LEADER. */
#define ID(page) ((page) + 100u)

static void request(uint32_t page, uint32_t id, uint32_t name, bool shared, uint32_t flags)
{
    w.now.us++;
    lockmgr_request(w.m, (uint16_t)page, id, name, shared, flags, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
}

static void exclusive(uint32_t page)
{
    request(page, ID(page), LEADER, false, 0);
}

static void shared(uint32_t page)
{
    request(page, ID(page), LEADER, true, 0);
}

static void if_available(uint32_t page)
{
    request(page, ID(page), LEADER, false, LOCK_IS_IF_AVAILABLE);
}

static void steal(uint32_t page)
{
    request(page, ID(page), LEADER, false, LOCK_IS_STEAL);
}

static void withdraw(uint32_t id)
{
    w.now.us++;
    lockmgr_abort(w.m, id, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
}

static void release(uint32_t id)
{
    w.now.us++;
    lockmgr_release(w.m, id, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
}

static void end(uint32_t page)
{
    w.now.us++;
    lockmgr_end(w.m, (uint16_t)page, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
}

static void cache(uint32_t page)
{
    w.now.us++;
    lockmgr_cache(w.m, (uint16_t)page, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
}

static struct lockmgr_snapshot query(uint32_t name)
{
    struct lockmgr_snapshot s;
    w.now.us++;
    lockmgr_query(w.m, name, &s, w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
    return s;
}

static void told(uint32_t i, enum lockmgr_out_kind kind, uint32_t page)
{
    ck_assert_uint_lt(i, w.out.n);
    ck_assert_uint_eq(w.out.at[i].kind, kind);
    ck_assert_uint_eq(w.out.at[i].page, page);
    ck_assert_uint_eq(w.out.at[i].request, ID(page));
}

static void told_only(enum lockmgr_out_kind kind, uint32_t page)
{
    ck_assert_uint_eq(w.out.n, 1);
    told(0, kind, page);
}

static void told_nothing(void)
{
    ck_assert_uint_eq(w.out.n, 0);
}

static void holder_is(uint32_t page)
{
    uint32_t id = 0;
    ck_assert_uint_eq(lockmgr_holder(w.m, LEADER, &id), page);
    ck_assert_uint_eq(id, page == PAGE_NONE ? 0 : ID(page));
}

/* The n-th observation from the end. */
static const struct obs *seen(uint32_t from_end)
{
    ck_assert_uint_lt(from_end, w.h.n);
    return &w.h.at[w.h.n - 1 - from_end];
}

static void seen_is(uint32_t from_end, enum obs_kind kind, uint32_t page, uint32_t cause)
{
    const struct obs *o = seen(from_end);
    ck_assert_uint_eq(o->kind, kind);
    ck_assert_uint_eq(o->page, page);
    ck_assert_uint_eq(o->request, ID(page));
    ck_assert_uint_eq(o->cause, cause);
    ck_assert_uint_eq(o->key, LEADER);
    ck_assert_uint_eq(o->partition, 3);
    ck_assert_int_eq(o->at.us, w.now.us);
}

/* -- checks ------------------------------------------------------------------ */

START_TEST(wl10_refusals_come_in_the_specified_order)
{
    const uint32_t both = LOCK_IS_STEAL | LOCK_IS_IF_AVAILABLE;
    ck_assert_int_eq(lockmgr_check(false, false, true, true, both, true), LOCK_ERR_INVALID_STATE);
    ck_assert_int_eq(lockmgr_check(true, false, true, true, both, true), LOCK_ERR_SECURITY);
    ck_assert_int_eq(lockmgr_check(true, true, true, false, 0, true), LOCK_ERR_NOT_SUPPORTED);
    ck_assert_int_eq(lockmgr_check(true, true, false, false, both, true), LOCK_ERR_NOT_SUPPORTED);
    ck_assert_int_eq(lockmgr_check(true, true, false, true, LOCK_IS_STEAL, true),
                     LOCK_ERR_NOT_SUPPORTED);
    ck_assert_int_eq(lockmgr_check(true, true, false, false, LOCK_IS_STEAL | LOCK_HAS_SIGNAL, true),
                     LOCK_ERR_NOT_SUPPORTED);
    ck_assert_int_eq(
        lockmgr_check(true, true, false, true, LOCK_IS_IF_AVAILABLE | LOCK_HAS_SIGNAL, true),
        LOCK_ERR_NOT_SUPPORTED);
    ck_assert_int_eq(lockmgr_check(true, true, false, false, LOCK_HAS_SIGNAL, true),
                     LOCK_ERR_ABORT);
}
END_TEST

START_TEST(wl10_lawful_requests_are_not_refused)
{
    ck_assert_int_eq(lockmgr_check(true, true, false, true, LOCK_HAS_SIGNAL, false), LOCK_ERR_NONE);
    ck_assert_int_eq(lockmgr_check(true, true, false, true, LOCK_IS_IF_AVAILABLE, false),
                     LOCK_ERR_NONE);
    ck_assert_int_eq(lockmgr_check(true, true, false, false, LOCK_IS_STEAL, false), LOCK_ERR_NONE);
}
END_TEST

START_TEST(wl76_an_unlawful_request_is_our_mistake)
{
    begin(PROFILE_SPEC);
    request(1, 1, LEADER, true, LOCK_IS_STEAL);
}
END_TEST

START_TEST(one_id_cannot_be_asked_twice)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(2, ID(1), LEADER, false, 0);
}
END_TEST

START_TEST(a_queued_request_cannot_be_released)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    exclusive(2);
    release(ID(2));
}
END_TEST

START_TEST(beyond_requests_max_stops)
{
    begin(PROFILE_SPEC);
    for (uint32_t id = 1; id <= REQUESTS + 1; id++) request(1, id, LEADER, false, 0);
}
END_TEST

START_TEST(as_many_requests_as_requests_max_fit_again_and_again)
{
    begin(PROFILE_SPEC);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t first = 1 + round * REQUESTS;
        for (uint32_t i = 0; i < REQUESTS; i++) request(1, first + i, i, false, 0);
        for (uint32_t i = 0; i < REQUESTS; i++) release(first + i);
    }
    ck_assert_uint_eq(lockmgr_holder(w.m, 0, NULL), PAGE_NONE);
}
END_TEST

/* -- queue --------------------------------------------------------------------- */

START_TEST(wl7_a_holder_that_asks_again_waits_for_itself)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(1, 500, LEADER, false, 0);
    told_nothing();
    ck_assert(lockmgr_waits(w.m, 1, LEADER));
    holder_is(1);
}
END_TEST

START_TEST(wl8_a_reset_manager_is_empty)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(1);
    end(3);
    begin(PROFILE_CHROMIUM);
    holder_is(PAGE_NONE);
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 0);
    ck_assert(!lockmgr_waits(w.m, 2, LEADER));
    exclusive(3); /* not dead any more */
    told_only(LOCKMGR_GRANTED, 3);
    exclusive(1);
    release(ID(3));
    told_only(LOCKMGR_GRANTED, 1);
    exclusive(2); /* page 1 is not cached any more */
    told_nothing();
}
END_TEST

START_TEST(wl20_the_queue_is_first_in_first_out)
{
    begin(PROFILE_SPEC);
    for (uint32_t page = 0; page < 6; page++) exclusive(page);
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 5);
    for (uint32_t n = 0; n < 5; n++) ck_assert_uint_eq(lockmgr_waiter(w.m, LEADER, n), n + 1);
    ck_assert_uint_eq(lockmgr_waiter(w.m, LEADER, 5), PAGE_NONE);
    for (uint32_t page = 0; page < 5; page++) {
        release(ID(page));
        told_only(LOCKMGR_GRANTED, page + 1);
    }
}
END_TEST

START_TEST(wl21_an_exclusive_lock_is_alone)
{
    begin(PROFILE_SPEC);
    shared(1);
    told_only(LOCKMGR_GRANTED, 1);
    shared(2);
    told_only(LOCKMGR_GRANTED, 2);
    exclusive(3);
    told_nothing();
    release(ID(1));
    told_nothing();
    release(ID(2));
    told_only(LOCKMGR_GRANTED, 3);
    shared(4);
    told_nothing();
}
END_TEST

START_TEST(wl22_a_queued_exclusive_request_blocks_later_shared_ones)
{
    for (int kind = 0; kind < PROFILE_COUNT; kind++) {
        begin((enum profile_kind)kind);
        shared(1);
        exclusive(2);
        shared(3);
        told_nothing();
        ck_assert(lockmgr_waits(w.m, 3, LEADER));
        request(4, ID(4), LEADER, true, LOCK_IS_IF_AVAILABLE);
        told_only(LOCKMGR_UNAVAILABLE, 4);
    }
}
END_TEST

/* Measured: S1 held; queue X2 S3 S4 X5 S6. */
START_TEST(wl23_a_run_of_shared_requests_is_granted_together)
{
    begin(PROFILE_SPEC);
    shared(1);
    exclusive(2);
    shared(3);
    shared(4);
    exclusive(5);
    shared(6);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 2);
    release(ID(2));
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_GRANTED, 3);
    told(1, LOCKMGR_GRANTED, 4);
    release(ID(3));
    told_nothing();
    release(ID(4));
    told_only(LOCKMGR_GRANTED, 5);
    release(ID(5));
    told_only(LOCKMGR_GRANTED, 6);
}
END_TEST

START_TEST(wl24_names_are_independent)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(2, ID(2), OTHER, false, 0);
    told_only(LOCKMGR_GRANTED, 2);
    exclusive(3);
    request(4, ID(4), OTHER, false, 0);
    release(ID(2));
    told_only(LOCKMGR_GRANTED, 4);
    holder_is(1);
    ck_assert(!lockmgr_waits(w.m, 3, OTHER));
}
END_TEST

START_TEST(wl19_if_available_never_waits)
{
    begin(PROFILE_SPEC);
    if_available(1);
    told_only(LOCKMGR_GRANTED, 1);
    if_available(2);
    told_only(LOCKMGR_UNAVAILABLE, 2);
    seen_is(0, OBS_LOCK_UNAVAILABLE, 2, seen(1)->number);
    ck_assert_uint_eq(w.out.at[0].cause, seen(0)->number);
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 0);
    release(ID(1));
    told_nothing();
    holder_is(PAGE_NONE);
    request(3, ID(3), LEADER, true, LOCK_IS_IF_AVAILABLE);
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl26_a_withdrawn_exclusive_request_lets_shared_ones_through_by_the_spec)
{
    begin(PROFILE_SPEC);
    shared(1);
    exclusive(2);
    shared(3);
    shared(4);
    withdraw(ID(2));
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_GRANTED, 3);
    told(1, LOCKMGR_GRANTED, 4);
}
END_TEST

static void stalled_shared_ones_wait_for_every_holder(bool by_end)
{
    begin(PROFILE_CHROMIUM);
    shared(1);
    shared(5);
    exclusive(2);
    shared(3);
    if (by_end)
        end(2);
    else
        withdraw(ID(2));
    told_nothing();
    shared(4);
    told_nothing();
    release(ID(1));
    told_nothing();
    release(ID(5));
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_GRANTED, 3);
    told(1, LOCKMGR_GRANTED, 4);
}

START_TEST(wl26_in_chromium_they_wait_until_the_last_shared_lock_is_released)
{
    stalled_shared_ones_wait_for_every_holder(_i);
}
END_TEST

/* -- grant, abort, release ----------------------------------------------------- */

START_TEST(wl27_a_granted_lock_shows_as_held_at_once)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    exclusive(2);
    struct lockmgr_snapshot s = query(LEADER);
    ck_assert_uint_eq(s.held, 1);
    ck_assert_uint_eq(s.pending, 1);
    ck_assert_uint_eq(s.holder, 1);
}
END_TEST

START_TEST(wl37_an_aborted_request_leaves_the_queue)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(2, ID(2), LEADER, false, LOCK_HAS_SIGNAL);
    exclusive(3);
    withdraw(ID(2));
    told_nothing();
    seen_is(0, OBS_LOCK_ABORTED, 2, ARRIVAL);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl37_an_abort_after_the_grant_changes_nothing)
{
    begin(PROFILE_SPEC);
    request(1, ID(1), LEADER, false, LOCK_HAS_SIGNAL);
    exclusive(2);
    uint32_t before = w.h.n;
    withdraw(ID(1));
    told_nothing();
    ck_assert_uint_eq(w.h.n, before);
    holder_is(1);
    release(ID(1));
    withdraw(ID(1));
    told_nothing();
    holder_is(2);
}
END_TEST

START_TEST(wl40_a_release_grants_the_next_and_names_the_cause)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    seen_is(1, OBS_LOCK_REQUESTED, 1, ARRIVAL);
    seen_is(0, OBS_LOCK_GRANTED, 1, seen(1)->number);
    ck_assert_uint_eq(w.out.at[0].cause, seen(0)->number);
    exclusive(2);
    release(ID(1));
    seen_is(1, OBS_LOCK_RELEASED, 1, ARRIVAL);
    ck_assert_uint_eq(seen(1)->flags, 0);
    seen_is(0, OBS_LOCK_GRANTED, 2, seen(1)->number);
    ck_assert_uint_eq(w.out.at[0].cause, seen(0)->number);
}
END_TEST

START_TEST(the_request_is_recorded_as_it_was_made)
{
    begin(PROFILE_SPEC);
    request(1, 9, OTHER, true, LOCK_HAS_SIGNAL | LOCK_IS_FOREIGN);
    const struct obs *o = &w.h.at[0];
    ck_assert_uint_eq(o->kind, OBS_LOCK_REQUESTED);
    ck_assert_uint_eq(o->request, 9);
    ck_assert_uint_eq(o->key, OTHER);
    ck_assert_uint_eq(o->a, 1);
    ck_assert_uint_eq(o->flags, LOCK_HAS_SIGNAL | LOCK_IS_FOREIGN);
    request(2, 10, LEADER, false, 0);
    ck_assert_uint_eq(w.h.at[2].a, 0);
    ck_assert_uint_eq(w.h.at[2].flags, 0);
}
END_TEST

/* -- steal ---------------------------------------------------------------------- */

START_TEST(wl18_a_thief_takes_from_every_holder_and_passes_the_queue)
{
    begin(PROFILE_SPEC);
    shared(1);
    shared(2);
    exclusive(3);
    steal(4);
    ck_assert_uint_eq(w.out.n, 3);
    told(0, LOCKMGR_STOLEN, 1);
    told(1, LOCKMGR_STOLEN, 2);
    told(2, LOCKMGR_GRANTED, 4);
    holder_is(4);
    ck_assert_uint_eq(query(LEADER).held, 1);
    ck_assert(lockmgr_waits(w.m, 3, LEADER));
}
END_TEST

START_TEST(wl18_the_history_names_the_thief)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    steal(2);
    seen_is(2, OBS_LOCK_REQUESTED, 2, ARRIVAL);
    seen_is(1, OBS_LOCK_STOLEN, 1, seen(2)->number);
    ck_assert_uint_eq(seen(1)->b, ID(2));
    seen_is(0, OBS_LOCK_GRANTED, 2, seen(2)->number);
    ck_assert_uint_eq(w.out.at[0].cause, seen(1)->number);
    ck_assert_uint_eq(w.out.at[1].cause, seen(0)->number);
}
END_TEST

START_TEST(wl53_the_later_of_two_thieves_wins)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    exclusive(2);
    steal(3);
    steal(4);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_STOLEN, 3);
    told(1, LOCKMGR_GRANTED, 4);
    release(ID(4));
    told_only(LOCKMGR_GRANTED, 2);
}
END_TEST

START_TEST(wl54_stealing_a_free_lock_is_a_plain_grant)
{
    begin(PROFILE_SPEC);
    steal(1);
    told_only(LOCKMGR_GRANTED, 1);
}
END_TEST

START_TEST(wl43_what_the_victim_does_later_is_invisible)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    exclusive(2);
    steal(3);
    uint32_t before = w.h.n;
    release(ID(1));
    told_nothing();
    ck_assert_uint_eq(w.h.n, before);
    holder_is(3);
    release(ID(3));
    told_only(LOCKMGR_GRANTED, 2);
}
END_TEST

/* -- ends ------------------------------------------------------------------------ */

START_TEST(wl44_an_ended_client_loses_requests_and_locks)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(1, 501, LEADER, false, 0);
    exclusive(2);
    request(1, 502, OTHER, false, 0);
    request(3, 503, OTHER, false, 0);
    end(1);
    ck_assert_uint_eq(w.out.n, 2); /* WL-45: page 1 is told nothing */
    told(0, LOCKMGR_GRANTED, 2);
    ck_assert_uint_eq(w.out.at[1].request, 503);
    const enum obs_kind kinds[] = { OBS_LOCK_DROPPED, OBS_LOCK_RELEASED, OBS_LOCK_RELEASED,
                                    OBS_LOCK_GRANTED, OBS_LOCK_GRANTED };
    for (uint32_t i = 0; i < 5; i++) ck_assert_uint_eq(seen(4 - i)->kind, kinds[i]);
    ck_assert_uint_eq(seen(4)->cause, ARRIVAL);
    ck_assert_uint_eq(seen(3)->flags, 1);
    ck_assert_uint_eq(seen(1)->cause, seen(3)->number);
    ck_assert_uint_eq(seen(0)->cause, seen(2)->number);
}
END_TEST

START_TEST(wl44_the_queue_moves_when_a_waiter_ends)
{
    begin(PROFILE_SPEC);
    shared(1);
    exclusive(2);
    shared(3);
    end(2);
    told_only(LOCKMGR_GRANTED, 3);
    seen_is(1, OBS_LOCK_DROPPED, 2, ARRIVAL);
    seen_is(0, OBS_LOCK_GRANTED, 3, seen(1)->number);
}
END_TEST

START_TEST(wl44_nothing_is_granted_to_the_client_that_ends)
{
    begin(PROFILE_SPEC);
    shared(1);
    exclusive(2);
    request(2, 502, LEADER, true, 0);
    end(2);
    told_nothing();
    for (uint32_t i = 0; i < w.h.n; i++)
        ck_assert(w.h.at[i].kind != OBS_LOCK_GRANTED || w.h.at[i].page != 2);
}
END_TEST

START_TEST(wl46_only_the_client_that_ends_loses_its_locks)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    request(2, ID(2), OTHER, false, 0);
    end(1);
    ck_assert_uint_eq(lockmgr_holder(w.m, OTHER, NULL), 2);
}
END_TEST

START_TEST(wl47_ending_twice_is_ending_once)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    end(1);
    uint32_t before = w.h.n;
    end(1);
    cache(1);
    told_nothing();
    ck_assert_uint_eq(w.h.n, before);
}
END_TEST

START_TEST(wl78_a_late_request_of_the_dead_never_arrives)
{
    begin(PROFILE_SPEC);
    end(1);
    uint32_t before = w.h.n;
    exclusive(1);
    told_nothing();
    steal(1);
    told_nothing();
    ck_assert_uint_eq(w.h.n, before);
    holder_is(PAGE_NONE);
    release(ID(1)); /* nor does its release */
    withdraw(ID(1));
    told_nothing();
}
END_TEST

/* -- the back/forward cache --------------------------------------------------------- */

START_TEST(wl62_by_the_spec_a_cached_client_loses_all_silently)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    exclusive(2);
    exclusive(3);
    cache(2);
    told_nothing();
    seen_is(0, OBS_LOCK_DROPPED, 2, ARRIVAL);
    cache(1);
    told_only(LOCKMGR_GRANTED, 3);
    seen_is(1, OBS_LOCK_RELEASED, 1, ARRIVAL);
    ck_assert_uint_eq(seen(1)->flags, 1);
    lockmgr_uncache(w.m, 1);
    release(ID(1)); /* the old callback ends */
    told_nothing();
    holder_is(3);
}
END_TEST

START_TEST(wl62_a_cached_client_comes_back_to_the_end_of_the_queue)
{
    begin(PROFILE_SPEC);
    exclusive(1);
    cache(1);
    exclusive(2);
    lockmgr_uncache(w.m, 1);
    request(1, 501, LEADER, false, 0);
    told_nothing();
    release(ID(2));
    ck_assert_uint_eq(w.out.n, 1);
    ck_assert_uint_eq(w.out.at[0].request, 501);
}
END_TEST

START_TEST(wl62_a_request_that_reaches_the_manager_after_its_page_was_cached_is_dropped)
{
    begin(PROFILE_SPEC);
    cache(1);
    exclusive(1);
    told_nothing();
    seen_is(1, OBS_LOCK_REQUESTED, 1, ARRIVAL);
    seen_is(0, OBS_LOCK_DROPPED, 1, seen(1)->number);
    holder_is(PAGE_NONE);
    begin(PROFILE_WEBKIT);
    cache(1);
    exclusive(1);
    told_only(LOCKMGR_DROPPED, 1);
}
END_TEST

START_TEST(wl64_in_chromium_a_cached_client_keeps_its_lock)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    cache(1);
    told_nothing();
    holder_is(1);
    lockmgr_uncache(w.m, 1);
    holder_is(1);
    exclusive(2); /* an evicted page it is not: it came back */
    told_nothing();
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 2);
}
END_TEST

START_TEST(wl65_a_newcomer_evicts_a_cached_holder_and_is_granted)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    cache(1);
    exclusive(2);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_GRANTED, 2);
    seen_is(2, OBS_LOCK_REQUESTED, 2, ARRIVAL);
    seen_is(1, OBS_LOCK_RELEASED, 1, seen(2)->number);
    ck_assert_uint_eq(seen(1)->flags, 1);
    seen_is(0, OBS_LOCK_GRANTED, 2, seen(2)->number);
    ck_assert_uint_eq(w.out.at[0].cause, seen(2)->number);
    end(1); /* the world throws the page away */
    told_nothing();
    request(1, 501, LEADER, false, 0); /* it is dead */
    told_nothing();
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 0);
}
END_TEST

START_TEST(wl65_if_available_gets_the_lock_of_a_cached_holder)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    cache(1);
    if_available(2);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_GRANTED, 2);
}
END_TEST

START_TEST(wl65_an_exclusive_newcomer_evicts_every_cached_sharer_once)
{
    begin(PROFILE_CHROMIUM);
    shared(1);
    request(1, 501, LEADER, true, 0);
    shared(2);
    cache(1);
    cache(2);
    exclusive(3);
    ck_assert_uint_eq(w.out.n, 3);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_EVICT, 2);
    told(2, LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl65_only_a_conflict_evicts)
{
    begin(PROFILE_CHROMIUM);
    shared(1);
    request(1, 501, OTHER, false, 0);
    cache(1);
    shared(2); /* S on S */
    told_only(LOCKMGR_GRANTED, 2);
    request(3, ID(3), 77, false, 0); /* another name */
    told_only(LOCKMGR_GRANTED, 3);
    ck_assert_uint_eq(lockmgr_holder(w.m, OTHER, NULL), 1);
}
END_TEST

START_TEST(wl65_a_holder_that_is_not_cached_is_not_evicted)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(2); /* only waits */
    exclusive(3);
    told_nothing();
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 2);
}
END_TEST

START_TEST(wl65_nobody_evicts_itself)
{
    begin(PROFILE_CHROMIUM);
    shared(1);
    shared(2);
    cache(1);
    cache(2);
    request(1, 501, LEADER, false, 0); /* was on its way when the page was cached */
    told_only(LOCKMGR_EVICT, 2);
    holder_is(1);
    ck_assert(lockmgr_waits(w.m, 1, LEADER));
}
END_TEST

START_TEST(wl65_what_an_evicted_page_held_elsewhere_is_passed_on)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    request(1, 501, OTHER, false, 0);
    request(2, 502, OTHER, false, 0);
    cache(1);
    exclusive(3);
    ck_assert_uint_eq(lockmgr_holder(w.m, OTHER, NULL), 2);
    holder_is(3);
}
END_TEST

START_TEST(wl56_stealing_from_a_cached_page_does_not_evict_it)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    cache(1);
    steal(2);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_STOLEN, 1);
    told(1, LOCKMGR_GRANTED, 2);
    lockmgr_uncache(w.m, 1);
    request(1, 501, LEADER, false, 0); /* it lives */
    ck_assert(lockmgr_waits(w.m, 1, LEADER));
}
END_TEST

START_TEST(wl58_query_shows_held_and_pending_of_one_name)
{
    begin(PROFILE_SPEC);
    struct lockmgr_snapshot s = query(LEADER);
    ck_assert_uint_eq(s.held, 0);
    ck_assert_uint_eq(s.pending, 0);
    ck_assert_uint_eq(s.holder, PAGE_NONE);
    shared(4);
    shared(2);
    exclusive(3);
    s = query(LEADER);
    ck_assert_uint_eq(s.held, 2);
    ck_assert_uint_eq(s.pending, 1);
    ck_assert_uint_eq(s.holder, 4);
    ck_assert_uint_eq(query(OTHER).held, 0);
}
END_TEST

START_TEST(wl61_by_the_spec_query_changes_nothing)
{
    begin_rules((struct lockmgr_rules){ .cached_keeps = true }, (struct policy){ 0 });
    exclusive(1);
    cache(1);
    uint32_t before = w.h.n;
    query(LEADER);
    told_nothing();
    ck_assert_uint_eq(w.h.n, before);
    holder_is(1);
}
END_TEST

START_TEST(wl66_in_chromium_query_evicts_cached_holders_and_the_queue_moves)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    exclusive(4);
    cache(1);
    cache(4); /* a cached waiter is left alone */
    struct lockmgr_snapshot s = query(OTHER);
    ck_assert_uint_eq(s.held, 0);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_GRANTED, 2);
    ck_assert_uint_eq(w.out.at[0].cause, ARRIVAL);
    ck_assert(lockmgr_waits(w.m, 4, LEADER));
}
END_TEST

START_TEST(wl66_query_evicts_the_cached_holders_of_every_name_once)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    request(1, 501, OTHER, false, 0);
    request(2, 502, 77, false, 0);
    request(3, 503, 78, false, 0);
    cache(1);
    cache(2);
    query(LEADER);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    ck_assert_uint_eq(w.out.at[1].kind, LOCKMGR_EVICT);
    ck_assert_uint_eq(w.out.at[1].page, 2);
    holder_is(PAGE_NONE);
    ck_assert_uint_eq(lockmgr_holder(w.m, OTHER, NULL), PAGE_NONE);
    ck_assert_uint_eq(lockmgr_holder(w.m, 77, NULL), PAGE_NONE);
    ck_assert_uint_eq(lockmgr_holder(w.m, 78, NULL), 3);
}
END_TEST

START_TEST(wl66_the_snapshot_may_still_show_the_evicted_holder)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    cache(1);
    struct lockmgr_snapshot s = query(LEADER);
    ck_assert_uint_eq(s.held, 1);
    ck_assert_uint_eq(s.holder, 1);
    ck_assert_uint_eq(query(LEADER).held, 0);
}
END_TEST

START_TEST(wl67_a_waiter_from_before_starves)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(1);
    told_nothing();
    request(3, ID(3), OTHER, false, 0); /* another name does not help */
    told_only(LOCKMGR_GRANTED, 3);
    holder_is(1);
    ck_assert(lockmgr_waits(w.m, 2, LEADER));
    end(1); /* the cache's time is up (LC-34) */
    told_only(LOCKMGR_GRANTED, 2);
}
END_TEST

START_TEST(wl67_a_waiter_that_asks_anew_is_granted)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(1);
    withdraw(ID(2));
    told_nothing();
    exclusive(2);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_GRANTED, 2);
}
END_TEST

static void wedge(void)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(1);
    exclusive(3);
    told_only(LOCKMGR_EVICT, 1);
    holder_is(PAGE_NONE);
}

START_TEST(wl68_a_newcomer_wedges_the_queue)
{
    wedge();
    struct lockmgr_snapshot s = query(LEADER);
    told_nothing();
    ck_assert_uint_eq(s.held, 0);
    ck_assert_uint_eq(s.pending, 2);
    exclusive(4);
    told_nothing();
    shared(5);
    told_nothing();
    if_available(6);
    told_only(LOCKMGR_UNAVAILABLE, 6);
    holder_is(PAGE_NONE);
}
END_TEST

START_TEST(wl68_an_if_available_newcomer_wedges_it_too)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(1);
    if_available(3);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_UNAVAILABLE, 3);
    holder_is(PAGE_NONE);
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 1);
}
END_TEST

START_TEST(wl68_an_abort_cures_the_wedge)
{
    wedge();
    withdraw(ID(3));
    told_only(LOCKMGR_GRANTED, 2);
    wedge();
    withdraw(ID(2));
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl68_a_closed_waiter_cures_the_wedge)
{
    wedge();
    end(3);
    told_only(LOCKMGR_GRANTED, 2);
    wedge();
    end(1); /* the evicted page waits for nothing any more */
    told_nothing();
}
END_TEST

START_TEST(wl68_a_thief_cures_the_wedge)
{
    wedge();
    steal(9);
    told_only(LOCKMGR_GRANTED, 9);
    release(ID(9));
    told_only(LOCKMGR_GRANTED, 2);
    release(ID(2));
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl68_without_the_rule_the_waiter_is_granted)
{
    struct lockmgr_rules rules = profile_of(PROFILE_CHROMIUM)->locks;
    rules.eviction_wedges = false;
    begin_rules(rules, (struct policy){ 0 });
    exclusive(1);
    exclusive(2);
    cache(1);
    exclusive(3);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 1);
    told(1, LOCKMGR_GRANTED, 2);
    ck_assert_uint_eq(lockmgr_waiters(w.m, LEADER), 1);
}
END_TEST

START_TEST(wl68b_a_cached_waiter_is_granted)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    exclusive(3);
    cache(2);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 2);
    holder_is(2);
    exclusive(4); /* 3 was waiting behind: WL-68 */
    told_only(LOCKMGR_EVICT, 2);
    holder_is(PAGE_NONE);
}
END_TEST

START_TEST(wl68b_with_nobody_behind_it_a_newcomer_is_granted)
{
    begin(PROFILE_CHROMIUM);
    exclusive(1);
    exclusive(2);
    cache(2);
    release(ID(1));
    exclusive(3);
    ck_assert_uint_eq(w.out.n, 2);
    told(0, LOCKMGR_EVICT, 2);
    told(1, LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(wl70_in_webkit_a_cached_client_is_told_that_all_is_lost)
{
    begin(PROFILE_WEBKIT);
    exclusive(1);
    exclusive(2);
    request(1, 501, LEADER, false, 0);
    cache(1);
    ck_assert_uint_eq(w.out.n, 3);
    ck_assert_uint_eq(w.out.at[0].kind, LOCKMGR_DROPPED);
    ck_assert_uint_eq(w.out.at[0].request, 501);
    told(1, LOCKMGR_DROPPED, 1);
    told(2, LOCKMGR_GRANTED, 2);
    ck_assert_uint_eq(w.out.at[0].cause, seen(2)->number);
    ck_assert_uint_eq(w.out.at[1].cause, seen(1)->number);
    ck_assert_uint_eq(seen(2)->kind, OBS_LOCK_DROPPED);
    seen_is(1, OBS_LOCK_RELEASED, 1, ARRIVAL);
    lockmgr_uncache(w.m, 1);
    release(ID(1));
    told_nothing();
}
END_TEST

START_TEST(wl71_in_webkit_the_worker_of_a_cached_page_keeps_its_lock)
{
    begin(PROFILE_WEBKIT);
    exclusive(1); /* client 1: the worker; client 2: its page */
    exclusive(3);
    cache(2);
    told_nothing();
    holder_is(1);
    end(1); /* the page leaves the cache */
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

/* -- deliberate differences ------------------------------------------------------------ */

START_TEST(lock_barges_grants_the_newest_first)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_BARGES);
    exclusive(1);
    exclusive(2);
    exclusive(3);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 3);
    begin_policy(PROFILE_SPEC, POLICY_LOCK_BARGES);
    shared(1);
    exclusive(2);
    shared(3);
    told_only(LOCKMGR_GRANTED, 3);
}
END_TEST

START_TEST(an_expired_lock_is_passed_on_unseen)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_EXPIRES);
    exclusive(1);
    exclusive(2);
    exclusive(3);
    uint32_t before = w.h.n;
    lockmgr_expire(w.m, ID(3), w.now, ARRIVAL, &w.out); /* waits: nothing to expire */
    told_nothing();
    lockmgr_expire(w.m, ID(1), w.now, ARRIVAL, &w.out);
    lockmgr_must_be_sane(w.m);
    told_only(LOCKMGR_GRANTED, 2);
    ck_assert_uint_eq(w.h.n, before + 1);
    seen_is(0, OBS_LOCK_GRANTED, 2, ARRIVAL);
    lockmgr_expire(w.m, ID(1), w.now, ARRIVAL, &w.out);
    told_nothing();
    release(ID(1)); /* its callback ends at last */
    told_nothing();
    holder_is(2);
}
END_TEST

START_TEST(lock_to_the_dead_keeps_their_requests)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_TO_THE_DEAD);
    exclusive(1);
    exclusive(2);
    exclusive(3);
    end(2);
    told_nothing();
    ck_assert(lockmgr_waits(w.m, 2, LEADER));
    end(1); /* its lock is released all the same */
    told_only(LOCKMGR_GRANTED, 2);
    holder_is(2);
    ck_assert(lockmgr_waits(w.m, 3, LEADER));
}
END_TEST

START_TEST(lock_to_the_dead_is_held_for_ever)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_TO_THE_DEAD);
    exclusive(1);
    exclusive(2);
    end(2);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 2);
    exclusive(3);
    end(2);
    told_nothing();
    holder_is(2);
}
END_TEST

START_TEST(lock_to_the_dead_takes_late_requests)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_TO_THE_DEAD);
    end(1);
    exclusive(1);
    told_only(LOCKMGR_GRANTED, 1);
}
END_TEST

START_TEST(lock_to_the_dead_is_granted_what_the_dead_waited_for_behind_itself)
{
    begin_policy(PROFILE_SPEC, POLICY_LOCK_TO_THE_DEAD);
    exclusive(1);
    request(1, 501, LEADER, false, 0);
    end(1);
    ck_assert_uint_eq(w.out.n, 1);
    ck_assert_uint_eq(w.out.at[0].request, 501);
    ck_assert_uint_eq(lockmgr_holder(w.m, LEADER, NULL), 1);
}
END_TEST

START_TEST(a_steal_from_all_sharers_fits_the_out)
{
    begin(PROFILE_SPEC);
    for (uint32_t page = 0; page < LOCKMGR_OUT_MAX - 1; page++) shared(page);
    steal(299);
    ck_assert_uint_eq(w.out.n, LOCKMGR_OUT_MAX);
    holder_is(299);
}
END_TEST

/* -- the dumb reference ------------------------------------------------------------------ */

#define DUMB_ITEMS 1024
#define DUMB_PAGES 8
#define DUMB_NAMES 3

struct dumb_item {
    uint32_t id, name, granted_as; /* 0: waits; else the how-manieth grant it was */
    uint16_t page;
    bool shared, gone;
    uint32_t left_by;
};

static struct {
    struct lockmgr_rules rules;
    struct dumb_item item[DUMB_ITEMS]; /* in order of arrival; those that left stay, as gone */
    uint32_t n, grants;
    bool dead[DUMB_PAGES], cached[DUMB_PAGES];
    struct obs obs[HISTORY];
    struct history h;
    struct lockmgr_out out;
} d;

static uint32_t dumb_note(enum obs_kind kind, const struct dumb_item *x, uint32_t cause)
{
    struct obs o = obs_make(kind, w.now, cause);
    o.page = x->page;
    o.request = x->id;
    o.key = x->name;
    o.partition = 3;
    return history_add(&d.h, &o);
}

static void dumb_tell(enum lockmgr_out_kind kind, const struct dumb_item *x, uint32_t cause)
{
    d.out.at[d.out.n].kind = kind;
    d.out.at[d.out.n].page = x->page;
    d.out.at[d.out.n].request = x->id;
    d.out.at[d.out.n++].cause = cause;
}

static struct dumb_item *dumb_first_waiting(uint32_t name)
{
    for (uint32_t i = 0; i < d.n; i++)
        if (!d.item[i].gone && d.item[i].name == name && !d.item[i].granted_as) return &d.item[i];
    return NULL;
}

/* The holder that was granted next after the `after`-th grant. */
static struct dumb_item *dumb_next_held(uint32_t name, uint32_t after)
{
    struct dumb_item *best = NULL;
    for (uint32_t i = 0; i < d.n; i++) {
        struct dumb_item *x = &d.item[i];
        if (x->gone || x->name != name || x->granted_as <= after) continue;
        if (best == NULL || x->granted_as < best->granted_as) best = x;
    }
    return best;
}

static bool dumb_held_allows(uint32_t name, bool want_shared)
{
    for (uint32_t i = 0; i < d.n; i++) {
        const struct dumb_item *x = &d.item[i];
        if (x->gone || x->name != name || !x->granted_as) continue;
        if (!want_shared || !x->shared) return false;
    }
    return true;
}

static void dumb_grant(struct dumb_item *x, uint32_t cause)
{
    x->granted_as = ++d.grants;
    dumb_tell(LOCKMGR_GRANTED, x, dumb_note(OBS_LOCK_GRANTED, x, cause));
}

static void dumb_process(uint32_t name, uint32_t cause)
{
    if (d.rules.removed_head_stalls_shared && dumb_next_held(name, 0)) return;
    struct dumb_item *x;
    while ((x = dumb_first_waiting(name)) && dumb_held_allows(name, x->shared))
        dumb_grant(x, cause);
}

static void dumb_take_away(uint16_t page, bool held, bool rejects, uint32_t cause,
                           uint32_t not_processed)
{
    uint32_t left[DUMB_ITEMS], n = 0;
    for (uint32_t i = 0; i < d.n; i++) {
        struct dumb_item *x = &d.item[i];
        if (x->gone || x->page != page || (x->granted_as != 0) != held) continue;
        x->left_by = dumb_note(held ? OBS_LOCK_RELEASED : OBS_LOCK_DROPPED, x, cause);
        d.h.at[x->left_by].flags = held;
        if (rejects) dumb_tell(LOCKMGR_DROPPED, x, x->left_by);
        left[n++] = i;
    }
    for (uint32_t i = 0; i < n; i++) d.item[left[i]].gone = true;
    for (uint32_t i = 0; i < n; i++)
        if (d.item[left[i]].name != not_processed)
            dumb_process(d.item[left[i]].name, d.item[left[i]].left_by);
}

#define NO_NAME 0xFFFFFFFFu

static void dumb_end(uint16_t page, uint32_t cause, uint32_t not_processed)
{
    if (d.dead[page]) return;
    d.dead[page] = true;
    d.cached[page] = false;
    dumb_take_away(page, false, false, cause, not_processed);
    dumb_take_away(page, true, false, cause, not_processed);
}

/* Evicts the cached holders of the names in the order given, all `but` one page. */
static void dumb_evict(const uint32_t *names, uint32_t n, uint16_t but, uint32_t cause,
                       uint32_t not_processed)
{
    uint16_t page[DUMB_PAGES];
    uint32_t pages = 0;
    bool already[DUMB_PAGES] = { false };
    for (uint32_t i = 0; i < n; i++) {
        const struct dumb_item *x = dumb_next_held(names[i], 0);
        for (; x; x = dumb_next_held(names[i], x->granted_as)) {
            if (x->page == but || !d.cached[x->page] || already[x->page]) continue;
            already[x->page] = true;
            page[pages++] = x->page;
            dumb_tell(LOCKMGR_EVICT, x, cause);
        }
    }
    for (uint32_t i = 0; i < pages; i++) dumb_end(page[i], cause, not_processed);
}

static void dumb_steal(struct dumb_item *thief, uint32_t asked)
{
    struct dumb_item *x;
    while ((x = dumb_next_held(thief->name, 0))) {
        uint32_t stolen = dumb_note(OBS_LOCK_STOLEN, x, asked);
        d.h.at[stolen].b = thief->id;
        x->gone = true;
        dumb_tell(LOCKMGR_STOLEN, x, stolen);
    }
    dumb_grant(thief, asked);
}

static void dumb_request(uint16_t page, uint32_t id, uint32_t name, bool want_shared,
                         uint32_t flags)
{
    if (d.dead[page]) return;
    struct dumb_item x = { .id = id, .name = name, .page = page, .shared = want_shared };
    uint32_t asked = dumb_note(OBS_LOCK_REQUESTED, &x, ARRIVAL);
    d.h.at[asked].flags = (uint8_t)flags;
    d.h.at[asked].a = want_shared;
    if (d.cached[page] && !d.rules.cached_keeps) {
        uint32_t dropped = dumb_note(OBS_LOCK_DROPPED, &x, asked);
        if (d.rules.cached_drops_rejecting) dumb_tell(LOCKMGR_DROPPED, &x, dropped);
        return;
    }
    if (flags & LOCK_IS_STEAL) {
        d.item[d.n] = x;
        d.item[d.n].gone = true; /* not yet in any list */
        dumb_steal(&d.item[d.n], asked);
        d.item[d.n++].gone = false;
        return;
    }
    if (d.rules.contention_evicts && !dumb_held_allows(name, want_shared))
        dumb_evict(&name, 1, page, asked, d.rules.eviction_wedges ? name : NO_NAME);
    bool grantable = dumb_first_waiting(name) == NULL && dumb_held_allows(name, want_shared);
    if (!grantable && (flags & LOCK_IS_IF_AVAILABLE)) {
        dumb_tell(LOCKMGR_UNAVAILABLE, &x, dumb_note(OBS_LOCK_UNAVAILABLE, &x, asked));
        return;
    }
    d.item[d.n++] = x;
    if (grantable) dumb_grant(&d.item[d.n - 1], asked);
}

static void dumb_leave(uint32_t id, bool held, enum obs_kind kind)
{
    for (uint32_t i = 0; i < d.n; i++) {
        struct dumb_item *x = &d.item[i];
        if (x->gone || x->id != id || (x->granted_as != 0) != held) continue;
        uint32_t left = dumb_note(kind, x, ARRIVAL);
        x->gone = true;
        dumb_process(x->name, left);
    }
}

static void dumb_cache(uint16_t page)
{
    if (d.dead[page] || d.cached[page]) return;
    d.cached[page] = true;
    if (d.rules.cached_keeps) return;
    dumb_take_away(page, false, d.rules.cached_drops_rejecting, ARRIVAL, NO_NAME);
    dumb_take_away(page, true, d.rules.cached_drops_rejecting, ARRIVAL, NO_NAME);
}

static struct lockmgr_snapshot dumb_look(uint32_t name)
{
    struct lockmgr_snapshot s = { .holder = PAGE_NONE };
    for (uint32_t i = 0; i < d.n; i++) {
        if (d.item[i].gone || d.item[i].name != name) continue;
        if (d.item[i].granted_as)
            s.held++;
        else
            s.pending++;
    }
    const struct dumb_item *first = dumb_next_held(name, 0);
    if (first) s.holder = first->page;
    return s;
}

/* -- both at once ---------------------------------------------------------------------- */

static uint64_t lcg;

static uint32_t draw(uint32_t bound)
{
    lcg = lcg * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(lcg >> 33) % bound;
}

static bool differed_in_queue(uint32_t name)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < d.n; i++) {
        const struct dumb_item *x = &d.item[i];
        if (x->gone || x->name != name || x->granted_as) continue;
        if (lockmgr_waiter(w.m, name, at++) != x->page) return true;
        if (!lockmgr_waits(w.m, x->page, name)) return true;
    }
    return lockmgr_waiters(w.m, name) != at || lockmgr_waiter(w.m, name, at) != PAGE_NONE;
}

static bool outs_differ(void)
{
    if (w.out.n != d.out.n) return true;
    for (uint32_t i = 0; i < d.out.n; i++) {
        if (w.out.at[i].kind != d.out.at[i].kind) return true;
        if (w.out.at[i].page != d.out.at[i].page) return true;
        if (w.out.at[i].request != d.out.at[i].request) return true;
        if (w.out.at[i].cause != d.out.at[i].cause) return true;
    }
    return false;
}

/* ck_assert writes a mark each time, which millions of comparisons cannot pay. */
static void both_agree(uint32_t seed, uint32_t step)
{
    const char *what = NULL;
    if (outs_differ()) what = "what is told";
    if (w.h.n != d.h.n || memcmp(w.obs, d.obs, w.h.n * sizeof w.obs[0]) != 0) what = "history";
    for (uint32_t name = 1; name <= DUMB_NAMES; name++) {
        if (lockmgr_holder(w.m, name, NULL) != dumb_look(name).holder) what = "holder";
        if (differed_in_queue(name)) what = "queue";
    }
    if (what) ck_abort_msg("seed %u step %u: %s differs", seed, step, what);
}

static void both_request(uint16_t page, uint32_t id)
{
    static const uint32_t kinds[] = {
        0, 0, 0, 0, 0, 0, LOCK_HAS_SIGNAL, LOCK_HAS_SIGNAL, LOCK_IS_IF_AVAILABLE, LOCK_IS_STEAL
    };
    uint32_t name = 1 + draw(DUMB_NAMES), flags = kinds[draw(10)];
    bool want_shared = flags != LOCK_IS_STEAL && draw(5) < 2;
    request(page, id, name, want_shared, flags);
    dumb_request(page, id, name, want_shared, flags);
}

/* A query sees the names in the order in which the manager keeps them, which the reference
 * does not know; where it evicts, at most one name may have cached holders. */
static void both_query(void)
{
    uint32_t names[DUMB_NAMES], n = 0, name = 1 + draw(DUMB_NAMES);
    for (uint32_t k = 1; k <= DUMB_NAMES; k++) {
        const struct dumb_item *x = dumb_next_held(k, 0);
        while (x && !d.cached[x->page]) x = dumb_next_held(k, x->granted_as);
        if (x) names[n++] = k;
    }
    if (d.rules.query_evicts && n > 1) return;
    struct lockmgr_snapshot expected = dumb_look(name), s = query(name);
    if (s.held != expected.held || s.pending != expected.pending || s.holder != expected.holder)
        ck_abort_msg("query of %u differs", name);
    if (d.rules.query_evicts) dumb_evict(names, n, PAGE_NONE, ARRIVAL, NO_NAME);
}

static void both_release(uint32_t ids)
{
    uint32_t id = 1 + draw(ids);
    for (uint32_t i = 0; i < d.n; i++)
        if (d.item[i].id == id && !d.item[i].gone && !d.item[i].granted_as) return; /* waits */
    release(id);
    dumb_leave(id, true, OBS_LOCK_RELEASED);
}

static void both_step(uint32_t *ids)
{
    uint16_t page = (uint16_t)draw(DUMB_PAGES);
    uint32_t what = draw(100);
    if (what < 35) {
        both_request(page, ++*ids);
    } else if (what < 65 && *ids) {
        both_release(*ids);
    } else if (what < 77 && *ids) {
        uint32_t id = 1 + draw(*ids);
        withdraw(id);
        dumb_leave(id, false, OBS_LOCK_ABORTED);
    } else if (what < 80) {
        end(page);
        dumb_end(page, ARRIVAL, NO_NAME);
    } else if (what < 88) {
        cache(page);
        dumb_cache(page);
    } else if (what < 94) {
        lockmgr_uncache(w.m, page);
        d.cached[page] = false;
    } else {
        both_query();
    }
}

static void both_run(struct lockmgr_rules rules, uint32_t seed, uint32_t steps)
{
    uint32_t ids = 0;
    lcg = seed;
    begin_rules(rules, (struct policy){ 0 });
    memset(d.dead, 0, sizeof d.dead);
    memset(d.cached, 0, sizeof d.cached);
    d.rules = rules;
    d.n = d.grants = 0;
    d.h = (struct history){ .at = d.obs, .max = HISTORY };
    for (uint32_t step = 0; step < steps; step++) {
        w.out.n = d.out.n = 0;
        both_step(&ids);
        both_agree(seed, step);
    }
}

START_TEST(the_manager_agrees_with_the_text_of_the_spec)
{
    for (uint32_t seed = 0; seed < 5000; seed++)
        both_run(profile_of(PROFILE_SPEC)->locks, seed, 80);
}
END_TEST

/* Every combination of the six rules but the one that contradicts itself. */
START_TEST(the_manager_agrees_with_the_reference_under_every_rule)
{
    struct lockmgr_rules rules = {
        .removed_head_stalls_shared = _i & 1,
        .cached_keeps = _i & 2,
        .cached_drops_rejecting = _i & 4,
        .contention_evicts = _i & 8,
        .eviction_wedges = _i & 16,
        .query_evicts = _i & 32,
    };
    if (rules.cached_keeps && rules.cached_drops_rejecting) return;
    for (uint32_t seed = 0; seed < 100; seed++) both_run(rules, seed, 80);
}
END_TEST

START_TEST(the_manager_agrees_with_the_reference_in_chromium)
{
    for (uint32_t seed = 0; seed < 3000; seed++)
        both_run(profile_of(PROFILE_CHROMIUM)->locks, seed, 80);
}
END_TEST

START_TEST(a_full_history_does_not_change_what_happens)
{
    begin(PROFILE_SPEC);
    w.h.max = 1;
    exclusive(1);
    exclusive(2);
    release(ID(1));
    told_only(LOCKMGR_GRANTED, 2);
    ck_assert(w.h.full);
}
END_TEST

static void add_rules(TCase *t)
{
    tcase_add_test(t, wl10_refusals_come_in_the_specified_order);
    tcase_add_test(t, wl10_lawful_requests_are_not_refused);
    tcase_add_exit_test(t, wl76_an_unlawful_request_is_our_mistake, 3);
    tcase_add_exit_test(t, one_id_cannot_be_asked_twice, 3);
    tcase_add_exit_test(t, a_queued_request_cannot_be_released, 3);
    tcase_add_exit_test(t, beyond_requests_max_stops, 3);
    tcase_add_test(t, as_many_requests_as_requests_max_fit_again_and_again);
    tcase_add_test(t, wl7_a_holder_that_asks_again_waits_for_itself);
    tcase_add_test(t, wl8_a_reset_manager_is_empty);
    tcase_add_test(t, wl20_the_queue_is_first_in_first_out);
    tcase_add_test(t, wl21_an_exclusive_lock_is_alone);
    tcase_add_test(t, wl22_a_queued_exclusive_request_blocks_later_shared_ones);
    tcase_add_test(t, wl23_a_run_of_shared_requests_is_granted_together);
    tcase_add_test(t, wl24_names_are_independent);
    tcase_add_test(t, wl19_if_available_never_waits);
    tcase_add_test(t, wl26_a_withdrawn_exclusive_request_lets_shared_ones_through_by_the_spec);
    tcase_add_loop_test(t, wl26_in_chromium_they_wait_until_the_last_shared_lock_is_released, 0, 2);
    tcase_add_test(t, wl27_a_granted_lock_shows_as_held_at_once);
    tcase_add_test(t, wl37_an_aborted_request_leaves_the_queue);
    tcase_add_test(t, wl37_an_abort_after_the_grant_changes_nothing);
    tcase_add_test(t, wl40_a_release_grants_the_next_and_names_the_cause);
    tcase_add_test(t, the_request_is_recorded_as_it_was_made);
    tcase_add_test(t, wl18_a_thief_takes_from_every_holder_and_passes_the_queue);
    tcase_add_test(t, wl18_the_history_names_the_thief);
    tcase_add_test(t, wl53_the_later_of_two_thieves_wins);
    tcase_add_test(t, wl54_stealing_a_free_lock_is_a_plain_grant);
    tcase_add_test(t, wl43_what_the_victim_does_later_is_invisible);
    tcase_add_test(t, wl44_an_ended_client_loses_requests_and_locks);
    tcase_add_test(t, wl44_the_queue_moves_when_a_waiter_ends);
    tcase_add_test(t, wl44_nothing_is_granted_to_the_client_that_ends);
    tcase_add_test(t, wl46_only_the_client_that_ends_loses_its_locks);
    tcase_add_test(t, wl47_ending_twice_is_ending_once);
    tcase_add_test(t, wl78_a_late_request_of_the_dead_never_arrives);
    tcase_add_test(t, wl58_query_shows_held_and_pending_of_one_name);
    tcase_add_test(t, a_steal_from_all_sharers_fits_the_out);
    tcase_add_test(t, a_full_history_does_not_change_what_happens);
}

static void add_cache(TCase *t)
{
    tcase_add_test(t, wl62_by_the_spec_a_cached_client_loses_all_silently);
    tcase_add_test(t, wl62_a_cached_client_comes_back_to_the_end_of_the_queue);
    tcase_add_test(t, wl62_a_request_that_reaches_the_manager_after_its_page_was_cached_is_dropped);
    tcase_add_test(t, wl64_in_chromium_a_cached_client_keeps_its_lock);
    tcase_add_test(t, wl65_a_newcomer_evicts_a_cached_holder_and_is_granted);
    tcase_add_test(t, wl65_if_available_gets_the_lock_of_a_cached_holder);
    tcase_add_test(t, wl65_an_exclusive_newcomer_evicts_every_cached_sharer_once);
    tcase_add_test(t, wl65_only_a_conflict_evicts);
    tcase_add_test(t, wl65_a_holder_that_is_not_cached_is_not_evicted);
    tcase_add_test(t, wl65_nobody_evicts_itself);
    tcase_add_test(t, wl65_what_an_evicted_page_held_elsewhere_is_passed_on);
    tcase_add_test(t, wl56_stealing_from_a_cached_page_does_not_evict_it);
    tcase_add_test(t, wl61_by_the_spec_query_changes_nothing);
    tcase_add_test(t, wl66_in_chromium_query_evicts_cached_holders_and_the_queue_moves);
    tcase_add_test(t, wl66_query_evicts_the_cached_holders_of_every_name_once);
    tcase_add_test(t, wl66_the_snapshot_may_still_show_the_evicted_holder);
    tcase_add_test(t, wl67_a_waiter_from_before_starves);
    tcase_add_test(t, wl67_a_waiter_that_asks_anew_is_granted);
    tcase_add_test(t, wl68_a_newcomer_wedges_the_queue);
    tcase_add_test(t, wl68_an_if_available_newcomer_wedges_it_too);
    tcase_add_test(t, wl68_an_abort_cures_the_wedge);
    tcase_add_test(t, wl68_a_closed_waiter_cures_the_wedge);
    tcase_add_test(t, wl68_a_thief_cures_the_wedge);
    tcase_add_test(t, wl68_without_the_rule_the_waiter_is_granted);
    tcase_add_test(t, wl68b_a_cached_waiter_is_granted);
    tcase_add_test(t, wl68b_with_nobody_behind_it_a_newcomer_is_granted);
    tcase_add_test(t, wl70_in_webkit_a_cached_client_is_told_that_all_is_lost);
    tcase_add_test(t, wl71_in_webkit_the_worker_of_a_cached_page_keeps_its_lock);
}

static void add_policies(TCase *t)
{
    tcase_add_test(t, lock_barges_grants_the_newest_first);
    tcase_add_test(t, an_expired_lock_is_passed_on_unseen);
    tcase_add_test(t, lock_to_the_dead_keeps_their_requests);
    tcase_add_test(t, lock_to_the_dead_is_held_for_ever);
    tcase_add_test(t, lock_to_the_dead_takes_late_requests);
    tcase_add_test(t, lock_to_the_dead_is_granted_what_the_dead_waited_for_behind_itself);
}

static void add_reference(TCase *t)
{
    tcase_add_test(t, the_manager_agrees_with_the_text_of_the_spec);
    tcase_add_test(t, the_manager_agrees_with_the_reference_in_chromium);
    tcase_add_loop_test(t, the_manager_agrees_with_the_reference_under_every_rule, 0, 64);
}

Suite *lockmgr_suite(void)
{
    static const struct {
        const char *name;
        void (*add)(TCase *t);
    } parts[] = { { "rules", add_rules },
                  { "cache", add_cache },
                  { "policies", add_policies },
                  { "reference", add_reference } };
    Suite *s = suite_create("lockmgr");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        TCase *t = tcase_create(parts[i].name);
        tcase_add_checked_fixture(t, open_manager, close_manager);
        tcase_set_timeout(t, 60);
        parts[i].add(t);
        suite_add_tcase(s, t);
    }
    return s;
}
