/* Hand-written histories with the microseconds that they must measure.
 *
 * The stage: page 0 (device 0, visible) and page 1 (device 0, hidden) in partition 0,
 * page 2 (device 1, visible) in partition 1; ttl 1 s, maxHold 30 s. lead() makes a page
 * the leader in the usual steps, so that the tests tell only what is special. */
#include <check.h>
#include <string.h>

#include "oracle/measure.h"

Suite *measure_suite(void);

#define MS US_PER_MS
#define S US_PER_S
#define TTL S

static struct arena arena;
static struct state state;
static struct measure measure;
static struct judge_result result;
static struct contract contract;
static uint32_t number, request;
static int64_t now;

static void open_all(void)
{
    arena_open(&arena, 64u << 20);
    state_open(&state, &arena, 8, 16);
    measure_open(&measure, &arena, 8, 16);
}

static void close_all(void)
{
    arena_close(&arena);
}

static struct obs make(enum obs_kind kind)
{
    return obs_make(kind, (struct instant){ now }, OBS_NONE);
}

static uint32_t emit(struct obs o)
{
    o.number = number++;
    state_step(&state, &o);
    measure_step(&measure, &state, &o);
    return o.number;
}

static uint32_t on_page(enum obs_kind kind, uint16_t page)
{
    struct obs o = make(kind);
    o.page = page;
    return emit(o);
}

static void create(uint16_t page, uint8_t device, uint8_t partition, uint8_t flags)
{
    struct obs o = make(OBS_PAGE_CREATED);
    o.page = page;
    o.device = device;
    o.partition = partition;
    o.flags = flags;
    o.b = 3;
    emit(o);
}

static void reset(enum authority authority)
{
    contract = (struct contract){ .authority = authority,
                                  .max_hold_us = 30 * (int64_t)S,
                                  .stage = STAGE_OUTBOX,
                                  .steal = STEAL_INCIDENT_ONLY,
                                  .lease = { .ttl_us = TTL } };
    memset(&result, 0, sizeof result);
    number = request = 0;
    now = 0;
    state_reset(&state, &contract);
    measure_reset(&measure, &contract);
    emit(make(OBS_ROUND_STARTED));
    create(0, 0, 0, PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
    create(1, 0, 0, PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
    create(2, 1, 1, PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
}

static void set_up(void)
{
    open_all();
    reset(AUTHORITY_SERVER);
}

static void finish(void)
{
    emit(make(OBS_ROUND_ENDED));
    measure_finish(&measure, &state, &result);
}

static struct obs lock(enum obs_kind kind, uint16_t page, uint32_t id)
{
    struct obs o = make(kind);
    o.page = page;
    o.partition = page == 2 ? 1 : 0;
    o.request = id;
    o.key = LOCK_NAME_LEADER;
    return o;
}

/* Asks for the leader lock; the request's id. */
static uint32_t ask(uint16_t page, uint8_t flags)
{
    struct obs o = lock(OBS_LOCK_REQUESTED, page, ++request);
    o.flags = flags;
    emit(o);
    return o.request;
}

static uint32_t grant(uint16_t page)
{
    uint32_t id = ask(page, 0);
    emit(lock(OBS_LOCK_GRANTED, page, id));
    return id;
}

static struct fence fence(uint32_t generation)
{
    return (struct fence){ .incarnation = 1, .epoch = 1, .generation = generation };
}

static uint32_t issue(uint16_t page, enum request_kind kind, struct fence f)
{
    struct obs o = make(OBS_REQUEST_ISSUED);
    o.page = page;
    o.request = ++request;
    o.a = kind;
    o.fence = f;
    o.local = (uint32_t)now;
    emit(o);
    return o.request;
}

static uint32_t answer(uint16_t page, uint32_t id, enum request_kind kind, enum answer_result what,
                       struct fence f)
{
    struct obs o = make(OBS_ANSWER_HANDLED);
    o.page = page;
    o.request = id;
    o.a = kind;
    o.b = what;
    o.fence = f;
    o.local = (uint32_t)now;
    return emit(o);
}

static uint32_t ledger(enum obs_kind kind, uint16_t page, struct fence f)
{
    struct obs o = make(kind);
    o.node = 0;
    o.page = page;
    o.fence = f;
    o.a = 3;
    return emit(o);
}

/* A claim from its call to its answer, all at this moment. */
static uint32_t claim(uint16_t page, struct fence f)
{
    uint32_t id = issue(page, REQ_CLAIM, (struct fence){ 0 });
    ledger(OBS_LEDGER_CLAIMED, page, f);
    return answer(page, id, REQ_CLAIM, ANS_OK, f);
}

static void renew(uint16_t page, struct fence f)
{
    answer(page, issue(page, REQ_RENEW, f), REQ_RENEW, ANS_OK, f);
}

static uint32_t belief(enum obs_kind kind, uint16_t page, struct fence f, uint32_t why)
{
    struct obs o = make(kind);
    o.page = page;
    o.fence = f;
    o.a = why;
    return emit(o);
}

/* Page leads under `generation` from now on; its lock request. */
static uint32_t lead(uint16_t page, uint32_t generation)
{
    uint32_t id = grant(page);
    claim(page, fence(generation));
    belief(OBS_BELIEF_BEGAN, page, fence(generation), 0);
    return id;
}

static void on_device(enum obs_kind kind, uint8_t device, uint8_t node, uint32_t a)
{
    struct obs o = make(kind);
    o.device = device;
    o.node = node;
    o.a = a;
    emit(o);
}

static const struct gap_sample *gap(uint32_t i)
{
    ck_assert_uint_lt(i, result.gaps);
    return &result.gap[i];
}

/* -- cold start and the edges of being able -------------------------------------- */

START_TEST(a_cold_start_ends_when_the_claims_answer_is_handled)
{
    now = 10 * MS;
    grant(0);
    now = 30 * MS;
    uint32_t by = claim(0, fence(1));
    now = 50 * MS;
    finish();
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_int_eq(gap(0)->raw_us, 30 * MS);
    ck_assert_int_eq(gap(0)->eligible_us, 30 * MS);
    ck_assert_uint_eq(gap(0)->cause, GAP_COLD);
    ck_assert_uint_eq(gap(0)->ended, by);
    ck_assert_uint_eq(gap(0)->successor_visible, 1);
    ck_assert_uint_eq(gap(0)->open, 0);
    ck_assert_int_eq(result.leader_us, 20 * MS);
}
END_TEST

START_TEST(a_round_without_a_leader_is_one_open_cold_gap)
{
    now = 5 * S;
    finish();
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_uint_eq(gap(0)->open, 1);
    ck_assert_uint_eq(gap(0)->cause, GAP_COLD);
    ck_assert_int_eq(gap(0)->eligible_us, 5 * S);
    ck_assert_int_eq(result.eligible_us, 5 * S);
    ck_assert_int_eq(result.raw_us, 5 * S);
}
END_TEST

START_TEST(a_lease_that_runs_out_between_observations_ends_at_its_microsecond)
{
    now = 100;
    lead(0, 1);
    uint32_t before = number - 1;
    now = 3 * S;
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(gap(1)->cause, GAP_LEASE);
    ck_assert_int_eq(gap(1)->raw_us, 3 * S - 100 - TTL);
    ck_assert_uint_eq(gap(1)->began, before);
    ck_assert_int_eq(result.leader_us, TTL);
}
END_TEST

START_TEST(a_renewal_counts_from_its_call)
{
    lead(0, 1);
    now = 600 * MS;
    uint32_t id = issue(0, REQ_RENEW, fence(1));
    now = 900 * MS;
    answer(0, id, REQ_RENEW, ANS_OK, fence(1));
    now = 2 * S;
    finish();
    ck_assert_int_eq(result.leader_us, 600 * MS + TTL);
}
END_TEST

START_TEST(a_fast_clock_ends_a_lease_early)
{
    lead(0, 1);
    now = 500 * MS;
    on_device(OBS_DEVICE_CLOCK, 0, NODE_NONE, 250000); /* 25% fast from here on */
    now = 2 * S;
    finish();
    ck_assert_int_eq(result.leader_us, 500 * MS + 400 * MS);
}
END_TEST

START_TEST(a_slow_clock_ends_a_lease_late)
{
    lead(0, 1);
    now = 500 * MS;
    on_device(OBS_DEVICE_CLOCK, 0, NODE_NONE, (uint32_t)-500000);
    now = 5 * S;
    finish();
    ck_assert_int_eq(result.leader_us, 500 * MS + S);
}
END_TEST

START_TEST(a_clock_that_makes_the_lease_end_at_once_is_a_lease_gap)
{
    lead(0, 1);
    now = TTL;
    on_device(OBS_DEVICE_CLOCK, 0, NODE_NONE, 100);
    now = 2 * S;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_LEASE);
    ck_assert_int_eq(gap(1)->raw_us, S);
}
END_TEST

/* -- causes ---------------------------------------------------------------------- */

static const struct {
    enum obs_kind kind;
    enum gap_cause cause;
} stops[] = {
    { OBS_PAGE_FROZEN, GAP_FROZEN },       { OBS_PAGE_CACHED, GAP_CACHED },
    { OBS_PAGE_DISCARDED, GAP_DISCARDED }, { OBS_PAGE_EVICTED, GAP_CACHED },
    { OBS_PAGE_CRASHED, GAP_CRASHED },     { OBS_PAGE_CLOSED, GAP_CLOSED },
    { OBS_PAGE_BLOCKED, GAP_BLOCKED },
};
#define STOPS (int)(sizeof stops / sizeof stops[0])

START_TEST(a_page_that_stops_is_the_cause_of_the_gap)
{
    lead(0, 1);
    now = 200 * MS;
    uint32_t by = on_page(stops[_i].kind, 0);
    now = 700 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, stops[_i].cause);
    ck_assert_uint_eq(gap(1)->began, by);
    ck_assert_int_eq(gap(1)->raw_us, 500 * MS);
    ck_assert_int_eq(gap(1)->eligible_us, 500 * MS); /* the other pages could */
}
END_TEST

static const enum gap_cause whys[WHY_COUNT + 1] = {
    [WHY_HIDDEN] = GAP_HIDDEN,   [WHY_MAX_HOLD] = GAP_MAX_HOLD, [WHY_FREEZE] = GAP_FROZEN,
    [WHY_PAGEHIDE] = GAP_CLOSED, [WHY_STOLEN] = GAP_STOLEN,     [WHY_LEASE] = GAP_LEASE,
    [WHY_FENCED] = GAP_FENCED,   [WHY_EPOCH] = GAP_EPOCH,       [WHY_RESUMED] = GAP_OTHER,
    [WHY_OTHER] = GAP_OTHER,     [WHY_COUNT] = GAP_OTHER,
};

START_TEST(a_page_that_says_that_it_ended_is_no_longer_able)
{
    lead(0, 1);
    now = 200 * MS;
    belief(OBS_BELIEF_ENDED, 0, fence(1), (uint32_t)_i);
    now = 700 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, whys[_i]);
    ck_assert_int_eq(gap(1)->raw_us, 500 * MS);
}
END_TEST

START_TEST(an_ended_belief_in_an_older_fence_ends_nothing)
{
    lead(0, 1);
    now = 200 * MS;
    claim(0, fence(2));
    belief(OBS_BELIEF_ENDED, 0, fence(1), WHY_OTHER);
    now = 700 * MS;
    finish();
    ck_assert_int_eq(result.leader_us, 700 * MS);
}
END_TEST

START_TEST(a_page_that_hides_for_the_cache_has_its_cause_put_right)
{
    lead(0, 1);
    belief(OBS_BELIEF_ENDED, 0, fence(1), WHY_PAGEHIDE);
    on_page(OBS_PAGE_HIDDEN, 0);
    on_page(OBS_PAGE_CLOSED, 1);
    on_page(OBS_PAGE_CACHED, 0);
    on_page(OBS_PAGE_EVICTED, 0);
    now = 700 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_CACHED);
}
END_TEST

START_TEST(a_lock_that_ends_with_its_document_waits_for_what_ended_that)
{
    uint32_t id = lead(0, 1);
    struct obs o = lock(OBS_LOCK_RELEASED, 0, id);
    o.flags = 1;
    emit(o);
    if (_i == 1) on_page(OBS_PAGE_CRASHED, 0);
    if (_i == 2) on_page(OBS_PAGE_DISCARDED, 0);
    now = 700 * MS;
    finish();
    static const enum gap_cause want[] = { GAP_CLOSED, GAP_CRASHED, GAP_DISCARDED };
    ck_assert_uint_eq(gap(1)->cause, want[_i]);
}
END_TEST

START_TEST(a_release_waits_for_the_reason_that_the_page_gives)
{
    uint32_t id = lead(0, 1);
    issue(0, REQ_RELEASE, fence(1));
    if (_i == 1) belief(OBS_BELIEF_ENDED, 0, fence(1), WHY_MAX_HOLD);
    if (_i == 2) belief(OBS_BELIEF_BEGAN, 0, fence(1), 0); /* no reason at all */
    now = 300 * MS;
    emit(lock(OBS_LOCK_RELEASED, 0, id));
    now = 700 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, _i == 1 ? GAP_MAX_HOLD : GAP_OTHER);
    ck_assert_int_eq(gap(1)->raw_us, 700 * MS);
}
END_TEST

START_TEST(a_lock_given_back_under_a_living_fence_ends_being_able)
{
    emit(lock(OBS_LOCK_RELEASED, 0, lead(0, 1)));
    now = 700 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_OTHER);
    ck_assert_int_eq(gap(1)->raw_us, 700 * MS);
}
END_TEST

START_TEST(a_sleeping_device_leaves_the_other_one_eligible)
{
    lead(0, 1);
    now = 200 * MS;
    on_device(OBS_DEVICE_ASLEEP, 0, NODE_NONE, 0);
    now = 400 * MS;
    on_page(OBS_PAGE_FROZEN, 2);
    now = 900 * MS;
    on_device(OBS_DEVICE_AWAKE, 0, NODE_NONE, 0);
    now = 950 * MS;
    finish();
    /* ended by the old leader, 200 ms eligible: left out, but part of the sums */
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_int_eq(result.raw_us, 700 * MS);
    ck_assert_int_eq(result.eligible_us, 200 * MS);
    ck_assert_int_eq(result.leader_us, 250 * MS);
}
END_TEST

START_TEST(a_cut_in_one_direction_is_a_link_gap)
{
    lead(0, 1);
    now = 200 * MS;
    on_device(OBS_LINK_CUT, 0, 0, _i == 0 ? 1 : 2);
    now = 600 * MS;
    on_device(OBS_LINK_HEALED, 0, 0, 3);
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(gap(1)->cause, GAP_LINK);
    ck_assert_int_eq(gap(1)->eligible_us, 400 * MS); /* page 2 is connected */
    ck_assert_uint_eq(gap(1)->other_device, 0);
}
END_TEST

START_TEST(a_node_that_does_not_decide_is_a_gap_in_which_nobody_is_eligible)
{
    lead(0, 1);
    now = 100 * MS;
    on_device(_i == 0 ? OBS_NODE_DOWN : OBS_NODE_DECIDES, DEVICE_NONE, 0, 0);
    now = 500 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_NODE);
    ck_assert_int_eq(gap(1)->raw_us, 400 * MS);
    ck_assert_int_eq(gap(1)->eligible_us, 0);
    ck_assert_uint_eq(gap(1)->open, 1);
}
END_TEST

START_TEST(an_answer_that_says_fenced_ends_leadership)
{
    lead(0, 1);
    now = 100 * MS;
    uint32_t id = issue(0, REQ_TAKE, fence(1));
    answer(0, id, REQ_TAKE, ANS_FENCED, fence(1));
    now = 500 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_FENCED);
    ck_assert_int_eq(gap(1)->raw_us, 400 * MS);
}
END_TEST

START_TEST(a_lease_that_ends_at_the_ledger_first_is_a_lease_gap)
{
    lead(0, 1);
    now = 100 * MS;
    ledger(OBS_LEDGER_EXPIRED, 0, fence(1));
    now = 500 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_LEASE);
    ck_assert_int_eq(gap(1)->raw_us, 400 * MS);
}
END_TEST

START_TEST(a_closed_epoch_is_raw_time_and_the_servers_lead_ends_no_gap)
{
    lead(0, 1);
    now = 100 * MS;
    ledger(OBS_LEDGER_EPOCH, PAGE_SERVER, (struct fence){ 1, 2, 2 });
    now = 600 * MS;
    ledger(OBS_LEDGER_CLAIMED, PAGE_SERVER, (struct fence){ 1, 2, 3 });
    now = 2100 * MS;
    ledger(OBS_LEDGER_REOPENED, PAGE_NONE, (struct fence){ 1, 2, 3 });
    now = 2400 * MS;
    claim(0, (struct fence){ 1, 2, 4 });
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(gap(1)->cause, GAP_EPOCH);
    ck_assert_int_eq(gap(1)->raw_us, 2300 * MS);
    ck_assert_int_eq(gap(1)->eligible_us, 300 * MS);
    ck_assert_uint_eq(result.transitions, 3);
}
END_TEST

/* -- who ends a gap ---------------------------------------------------------------- */

START_TEST(a_short_gap_that_the_old_leader_ends_is_left_out)
{
    lead(0, 1);
    now = 100 * MS;
    on_page(OBS_PAGE_BLOCKED, 0);
    now = 350 * MS - (_i == 0);
    on_page(OBS_PAGE_UNBLOCKED, 0);
    finish();
    ck_assert_uint_eq(result.gaps, _i == 0 ? 1 : 2);
    ck_assert_int_eq(result.raw_us, 250 * MS - (_i == 0));
}
END_TEST

START_TEST(a_short_gap_that_a_new_generation_ends_counts)
{
    lead(0, 1);
    now = 100 * MS;
    on_page(OBS_PAGE_BLOCKED, 0);
    now = 150 * MS;
    on_page(OBS_PAGE_UNBLOCKED, 0); /* left out */
    now = 200 * MS;
    ledger(OBS_LEDGER_EXPIRED, 0, fence(1));
    now = 210 * MS;
    claim(0, fence(2));
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_int_eq(gap(1)->raw_us, 10 * MS);
}
END_TEST

START_TEST(a_thief_ends_the_old_leaders_time_at_its_grant)
{
    uint32_t victim = lead(0, 1);
    now = 300 * MS;
    uint32_t thief = ask(1, LOCK_IS_STEAL);
    struct obs o = lock(OBS_LOCK_STOLEN, 0, victim);
    o.b = thief;
    emit(o);
    emit(lock(OBS_LOCK_GRANTED, 1, thief));
    now = 340 * MS;
    claim(1, fence(2));
    now = 400 * MS;
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(gap(1)->cause, GAP_STOLEN);
    ck_assert_int_eq(gap(1)->eligible_us, 40 * MS);
    ck_assert_uint_eq(gap(1)->successor_visible, 0);
    ck_assert_uint_eq(gap(1)->other_device, 0);
    ck_assert_int_eq(result.leader_us, 360 * MS);
    ck_assert_uint_eq(result.transitions, 1);
}
END_TEST

START_TEST(a_grant_beside_the_holder_ends_being_able_too)
{
    lead(0, 1);
    now = 300 * MS;
    grant(1); /* a broken manager: two holders, no lock.stolen */
    now = 500 * MS;
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_STOLEN);
    ck_assert_int_eq(gap(1)->raw_us, 200 * MS);
}
END_TEST

START_TEST(a_successor_on_another_device_is_marked)
{
    lead(0, 1);
    now = 100 * MS;
    on_page(OBS_PAGE_CRASHED, 0);
    now = 1300 * MS;
    lead(2, 2);
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(gap(1)->cause, GAP_CRASHED);
    ck_assert_int_eq(gap(1)->eligible_us, 1200 * MS);
    ck_assert_uint_eq(gap(1)->other_device, 1);
    ck_assert_uint_eq(gap(1)->successor_visible, 1);
}
END_TEST

START_TEST(a_claim_by_another_page_supersedes_at_once)
{
    lead(0, 1);
    now = 100 * MS;
    grant(2);
    uint32_t id = issue(2, REQ_CLAIM, (struct fence){ 0 });
    ledger(OBS_LEDGER_CLAIMED, 2, fence(2));
    now = 180 * MS;
    answer(2, id, REQ_CLAIM, ANS_OK, fence(2));
    finish();
    ck_assert_uint_eq(gap(1)->cause, GAP_FENCED);
    ck_assert_int_eq(gap(1)->raw_us, 80 * MS);
}
END_TEST

START_TEST(a_claims_answer_that_comes_after_its_lease_ends_no_gap)
{
    grant(0);
    uint32_t id = issue(0, REQ_CLAIM, (struct fence){ 0 });
    ledger(OBS_LEDGER_CLAIMED, 0, fence(1));
    now = TTL;
    answer(0, id, REQ_CLAIM, ANS_OK, fence(1));
    now = 2 * S;
    finish();
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_uint_eq(gap(0)->open, 1);
    ck_assert_int_eq(result.leader_us, 0);
}
END_TEST

START_TEST(a_claim_without_the_lock_leads_only_where_none_was_asked_for)
{
    if (_i == 0) ask(0, 0);
    claim(0, fence(1));
    now = 500 * MS;
    finish();
    ck_assert_int_eq(result.leader_us, _i == 0 ? 0 : 500 * MS);
}
END_TEST

START_TEST(a_lock_that_foreign_code_in_the_page_holds_is_not_the_pages)
{
    uint32_t id = ask(0, LOCK_IS_FOREIGN);
    emit(lock(OBS_LOCK_GRANTED, 0, id));
    claim(0, fence(1));
    now = 500 * MS;
    finish();
    ck_assert_int_eq(result.leader_us, 0);
}
END_TEST

START_TEST(a_page_in_the_observe_stage_is_never_eligible)
{
    contract.stage = STAGE_OBSERVE;
    on_page(OBS_PAGE_CLOSED, 1); /* looked at anew */
    int64_t counted = measure.lead[0].eligible_us;
    now = 3 * S;
    finish();
    ck_assert_int_eq(gap(0)->eligible_us, counted);
    ck_assert_int_eq(gap(0)->raw_us, 3 * S);
}
END_TEST

/* -- local ledgers ------------------------------------------------------------------ */

static uint32_t local_claim(uint16_t page, uint8_t node, struct fence f)
{
    uint32_t id = issue(page, REQ_CLAIM, (struct fence){ 0 });
    struct obs o = make(OBS_LEDGER_CLAIMED);
    o.node = node;
    o.page = page;
    o.fence = f;
    o.a = 3;
    emit(o);
    return answer(page, id, REQ_CLAIM, ANS_OK, f);
}

START_TEST(each_local_ledger_has_gaps_of_its_own)
{
    reset(AUTHORITY_INDEXEDDB);
    now = 100 * MS;
    grant(0);
    local_claim(0, STATE_NET_NODES, (struct fence){ 7, 1, 1 });
    now = 300 * MS;
    grant(2);
    local_claim(2, STATE_NET_NODES + 1, (struct fence){ 8, 1, 1 });
    now = 400 * MS;
    renew(0, (struct fence){ 7, 1, 1 });
    now = 500 * MS;
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_int_eq(gap(0)->raw_us, 100 * MS);
    ck_assert_int_eq(gap(1)->raw_us, 300 * MS);
    ck_assert_uint_eq(gap(1)->cause, GAP_COLD);
    ck_assert_int_eq(result.leader_us, 400 * MS + 200 * MS);
    ck_assert_uint_eq(result.transitions, 0);
}
END_TEST

START_TEST(leases_of_two_local_ledgers_run_out_each_in_its_time)
{
    reset(AUTHORITY_INDEXEDDB);
    grant(0);
    local_claim(0, STATE_NET_NODES, (struct fence){ 7, 1, 1 });
    now = 300 * MS;
    grant(2);
    local_claim(2, STATE_NET_NODES + 1, (struct fence){ 8, 1, 1 });
    now = 1100 * MS;
    on_page(OBS_PAGE_CLOSED, 1);
    now = 2 * S;
    finish();
    ck_assert_int_eq(result.leader_us, 2 * TTL);
    ck_assert_int_eq(gap(2)->raw_us, S);
    ck_assert_int_eq(gap(3)->raw_us, 700 * MS);
}
END_TEST

START_TEST(a_lease_is_not_ended_with_an_earlier_one)
{
    reset(AUTHORITY_INDEXEDDB);
    grant(0);
    local_claim(0, STATE_NET_NODES, (struct fence){ 7, 1, 1 });
    now = 50;
    grant(2);
    local_claim(2, STATE_NET_NODES + 1, (struct fence){ 8, 1, 1 });
    now = TTL + 10;
    renew(2, (struct fence){ 8, 1, 1 });
    finish();
    ck_assert_int_eq(result.leader_us, TTL + TTL + 10 - 50);
}
END_TEST

START_TEST(a_local_ledger_that_no_page_has_is_ignored)
{
    reset(AUTHORITY_INDEXEDDB);
    grant(0);
    local_claim(0, 3, (struct fence){ 7, 1, 1 });
    local_claim(0, STATE_NET_NODES + 9, (struct fence){ 7, 1, 2 });
    local_claim(0, STATE_NODES, (struct fence){ 7, 1, 3 });
    now = S;
    finish();
    ck_assert_uint_eq(result.gaps, 2);
    ck_assert_uint_eq(result.transitions, 0);
}
END_TEST

START_TEST(a_partition_without_a_page_has_no_gap)
{
    state_reset(&state, &contract);
    measure_reset(&measure, &contract);
    contract.authority = AUTHORITY_INDEXEDDB;
    create(2, 1, 1, PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
    now = 300 * MS;
    finish();
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_int_eq(gap(0)->eligible_us, 300 * MS);
    create(0, 0, 0, PAGE_HAS_LOCKS | PAGE_MAY_LEAD); /* the lower partition comes later */
    ck_assert_uint_eq(measure.leads, 2);
}
END_TEST

START_TEST(a_claim_at_another_partitions_ledger_leads_nowhere)
{
    reset(AUTHORITY_INDEXEDDB);
    grant(0);
    local_claim(0, STATE_NET_NODES + 1, (struct fence){ 8, 1, 1 });
    now = 300 * MS;
    on_device(OBS_DEVICE_AWAKE, 0, NODE_NONE, 0); /* everybody is looked at */
    finish();
    ck_assert_int_eq(result.leader_us, 0);
}
END_TEST

START_TEST(a_claim_in_an_incarnation_that_was_replaced_leads_nowhere)
{
    lead(0, 1);
    now = 10 * MS;
    ledger(OBS_LEDGER_CLAIMED, 1, (struct fence){ 2, 1, 1 });
    now = 20 * MS;
    claim(0, fence(2));
    now = 300 * MS;
    finish();
    ck_assert_int_eq(result.leader_us, 10 * MS);
}
END_TEST

/* -- background holds ---------------------------------------------------------------- */

START_TEST(a_hold_of_a_visible_page_is_no_background_hold)
{
    grant(0);
    now = 40 * S;
    finish();
    ck_assert_uint_eq(result.holds, 0);
}
END_TEST

START_TEST(a_hold_is_over_when_it_is_longer_than_max_hold)
{
    uint32_t id = grant(1), by = number - 1;
    now = 30 * (int64_t)S + _i;
    emit(lock(OBS_LOCK_RELEASED, 1, id));
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_int_eq(result.hold[0].held_us, 30 * (int64_t)S + _i);
    ck_assert_int_eq(result.hold[0].overrun, _i);
    ck_assert_uint_eq(result.hold[0].nobody_else, 0);
    ck_assert_uint_eq(result.hold[0].began, by);
}
END_TEST

START_TEST(a_hold_that_the_round_ends_in_counts_up_to_there)
{
    grant(1);
    now = 31 * S;
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_uint_eq(result.hold[0].overrun, 1);
    ck_assert_int_eq(result.hold[0].held_us, 31 * S);
}
END_TEST

START_TEST(a_visible_page_that_hides_freezes_or_is_cached_begins_a_hold)
{
    static const enum obs_kind kind[] = { OBS_PAGE_HIDDEN, OBS_PAGE_FROZEN, OBS_PAGE_CACHED };
    grant(0);
    now = 2 * S;
    on_page(kind[_i], 0);
    now = 5 * S;
    on_device(OBS_DEVICE_ASLEEP, 0, NODE_NONE, 0);
    now = 9 * S;
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_int_eq(result.hold[0].held_us, 7 * S);
}
END_TEST

START_TEST(a_second_of_visibility_does_not_break_a_hold_but_more_does)
{
    grant(1);
    now = 10 * S;
    on_page(OBS_PAGE_VISIBLE, 1);
    now = 11 * S + _i;
    on_page(OBS_PAGE_HIDDEN, 1);
    now = 31 * S;
    finish();
    ck_assert_uint_eq(result.holds, _i == 0 ? 1 : 2);
    ck_assert_int_eq(result.hold[0].held_us, _i == 0 ? 31 * S : 10 * S);
    ck_assert_uint_eq(result.hold[0].overrun, _i == 0);
    if (_i == 1) ck_assert_int_eq(result.hold[1].held_us, 20 * S - 1);
}
END_TEST

START_TEST(a_grant_to_the_same_page_within_a_second_does_not_break_a_hold)
{
    uint32_t id = grant(1);
    now = 20 * S;
    emit(lock(OBS_LOCK_RELEASED, 1, id));
    now = 20 * S + 500 * MS;
    id = grant(1);
    now = 40 * S;
    emit(lock(OBS_LOCK_RELEASED, 1, id));
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_int_eq(result.hold[0].held_us, 40 * S);
    ck_assert_uint_eq(result.hold[0].overrun, 1);
}
END_TEST

START_TEST(a_grant_to_another_page_breaks_a_hold)
{
    on_page(OBS_PAGE_HIDDEN, 0);
    uint32_t id = grant(1);
    now = 20 * S;
    emit(lock(OBS_LOCK_RELEASED, 1, id));
    grant(0);
    now = 40 * S;
    finish();
    ck_assert_uint_eq(result.holds, 2);
    ck_assert_int_eq(result.hold[0].held_us, 20 * S);
    ck_assert_int_eq(result.hold[1].held_us, 20 * S);
}
END_TEST

START_TEST(a_stolen_lock_ends_the_victims_hold)
{
    uint32_t id = grant(1);
    now = 3 * S;
    uint32_t thief = ask(0, LOCK_IS_STEAL);
    /* the grant is seen before the theft: the thief's place is not the victim's to clear */
    emit(lock(OBS_LOCK_GRANTED, 0, thief));
    on_page(OBS_PAGE_HIDDEN, 0);
    struct obs o = lock(OBS_LOCK_STOLEN, 1, id);
    o.b = thief;
    emit(o);
    on_page(OBS_PAGE_FROZEN, 2);
    now = 5 * S;
    finish();
    ck_assert_uint_eq(result.holds, 2);
    ck_assert_int_eq(result.hold[0].held_us, 2 * S); /* page 0, by its number */
    ck_assert_int_eq(result.hold[1].held_us, 3 * S);
}
END_TEST

START_TEST(a_hold_with_nobody_else_eligible_is_marked)
{
    on_page(OBS_PAGE_CLOSED, 0);
    on_page(OBS_PAGE_CLOSED, 2);
    grant(1);
    now = 2 * S;
    if (_i == 1) create(3, 1, 1, PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
    now = 3 * S;
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_uint_eq(result.hold[0].nobody_else, _i == 0);
}
END_TEST

START_TEST(each_hold_asks_anew_whether_others_were_eligible)
{
    emit(lock(OBS_LOCK_RELEASED, 1, grant(1)));
    now = 2 * S;
    on_page(OBS_PAGE_CLOSED, 0);
    on_page(OBS_PAGE_CLOSED, 2);
    emit(lock(OBS_LOCK_RELEASED, 1, grant(1)));
    finish();
    ck_assert_uint_eq(result.holds, 2);
    ck_assert_uint_eq(result.hold[0].nobody_else, 0);
    ck_assert_uint_eq(result.hold[1].nobody_else, 1);
}
END_TEST

START_TEST(the_victims_end_does_not_hide_the_thiefs_hold)
{
    on_page(OBS_PAGE_CLOSED, 2);
    uint32_t victim = grant(1);
    on_page(OBS_PAGE_FROZEN, 1);
    uint32_t thief = ask(0, LOCK_IS_STEAL);
    emit(lock(OBS_LOCK_GRANTED, 0, thief)); /* seen before the theft */
    on_page(OBS_PAGE_HIDDEN, 0);
    struct obs o = lock(OBS_LOCK_STOLEN, 1, victim);
    o.b = thief;
    emit(o);
    now = S;
    on_page(OBS_PAGE_RESUMED, 1);
    now = 2 * S;
    finish();
    ck_assert_int_eq(result.hold[0].held_us, 2 * S);
    ck_assert_uint_eq(result.hold[0].nobody_else, 0);
}
END_TEST

START_TEST(another_partitions_page_does_not_wait_for_a_local_hold)
{
    reset(AUTHORITY_INDEXEDDB);
    on_page(OBS_PAGE_CLOSED, 0);
    grant(1);
    now = 3 * S;
    finish();
    ck_assert_uint_eq(result.hold[0].nobody_else, 1);
}
END_TEST

START_TEST(a_page_that_is_gone_holds_until_the_manager_says_otherwise)
{
    uint32_t id = grant(1);
    now = S;
    on_page(OBS_PAGE_CRASHED, 1);
    now = 2 * S;
    emit(lock(OBS_LOCK_RELEASED, 1, id));
    finish();
    ck_assert_uint_eq(result.holds, 1);
    ck_assert_int_eq(result.hold[0].held_us, 2 * S);
}
END_TEST

START_TEST(a_page_that_dies_visible_begins_no_hold)
{
    uint32_t id = grant(0);
    on_page(OBS_PAGE_CRASHED, 0);
    now = 2 * S;
    emit(lock(OBS_LOCK_RELEASED, 0, id));
    finish();
    ck_assert_uint_eq(result.holds, 0);
}
END_TEST

START_TEST(what_foreign_code_holds_is_no_hold_of_ours)
{
    create(3, 0, 0, PAGE_HAS_LOCKS | PAGE_IS_FOREIGN);
    if (_i == 0)
        grant(3);
    else
        emit(lock(OBS_LOCK_GRANTED, 1, ask(1, LOCK_IS_FOREIGN)));
    now = 40 * S;
    finish();
    ck_assert_uint_eq(result.holds, 0);
}
END_TEST

START_TEST(other_locks_are_not_looked_at)
{
    struct obs o = lock(OBS_LOCK_REQUESTED, 1, 9);
    o.key = LOCK_NAME_OTHER;
    emit(o);
    o.kind = OBS_LOCK_GRANTED;
    emit(o);
    now = 40 * S;
    finish();
    ck_assert_uint_eq(result.holds, 0);
}
END_TEST

/* -- beliefs, steals, counts ----------------------------------------------------------- */

START_TEST(two_that_believe_at_once_are_one_overlap_with_its_length)
{
    belief(OBS_BELIEF_BEGAN, 0, fence(1), 0);
    now = 100;
    belief(OBS_BELIEF_BEGAN, 1, fence(2), 0);
    now = 150;
    belief(OBS_BELIEF_BEGAN, 2, fence(3), 0); /* a third is the same overlap */
    belief(OBS_BELIEF_BEGAN, 2, fence(3), 0);
    now = 170;
    belief(OBS_BELIEF_ENDED, 2, fence(3), WHY_FENCED);
    now = 200;
    belief(OBS_BELIEF_ENDED, 0, fence(1), WHY_FENCED);
    now = 300;
    belief(OBS_BELIEF_BEGAN, 0, fence(4), 0);
    now = 307;
    finish();
    ck_assert_uint_eq(result.overlaps, 2);
    ck_assert_int_eq(result.overlap_us, 100 + 7);
}
END_TEST

START_TEST(a_page_that_is_gone_believes_nothing)
{
    belief(OBS_BELIEF_BEGAN, 0, fence(1), 0);
    belief(OBS_BELIEF_BEGAN, 1, fence(2), 0);
    now = 50;
    on_page(OBS_PAGE_CRASHED, 0);
    now = 90;
    finish();
    ck_assert_int_eq(result.overlap_us, 50);
}
END_TEST

/* Page 1 steals from page 0; the victim's state is the test's. */
static void steal(uint8_t flags)
{
    uint32_t victim = grant(0), thief = ask(1, (uint8_t)(LOCK_IS_STEAL | flags));
    struct obs o = lock(OBS_LOCK_STOLEN, 0, victim);
    o.b = thief;
    emit(o);
}

START_TEST(a_steal_from_a_page_that_could_act_is_needless)
{
    steal(0);
    finish();
    ck_assert_uint_eq(result.steals, 1);
    ck_assert_uint_eq(result.needless_steals, 1);
}
END_TEST

START_TEST(a_steal_from_a_page_that_could_not_act_is_needed)
{
    switch (_i) {
    case 0: on_page(OBS_PAGE_FROZEN, 0); break;
    case 1: on_page(OBS_PAGE_BLOCKED, 0); break;
    case 2: on_device(OBS_LINK_CUT, 0, NODE_NONE, 2); break;
    case 3: on_device(OBS_DEVICE_ASLEEP, 0, NODE_NONE, 0); break;
    default: on_page(OBS_PAGE_CACHED, 0); break;
    }
    steal(0);
    finish();
    ck_assert_uint_eq(result.steals, 1);
    ck_assert_uint_eq(result.needless_steals, 0);
}
END_TEST

START_TEST(a_steal_by_foreign_code_is_none_of_ours)
{
    create(3, 0, 0, PAGE_HAS_LOCKS | PAGE_IS_FOREIGN);
    steal(LOCK_IS_FOREIGN);
    struct obs o = lock(OBS_LOCK_STOLEN, 0, grant(0));
    o.b = ask(3, LOCK_IS_STEAL);
    emit(o);
    finish();
    ck_assert_uint_eq(result.steals, 0);
}
END_TEST

START_TEST(a_steal_back_from_foreign_code_is_not_needless)
{
    create(3, 0, 0, PAGE_HAS_LOCKS | PAGE_IS_FOREIGN);
    struct obs o = lock(OBS_LOCK_STOLEN, 3, grant(3));
    o.b = ask(0, LOCK_IS_STEAL);
    emit(o);
    finish();
    ck_assert_uint_eq(result.steals, 1);
    ck_assert_uint_eq(result.needless_steals, 0);
}
END_TEST

START_TEST(a_steal_between_unknown_parties_counts_as_needed)
{
    struct obs o = lock(OBS_LOCK_STOLEN, PAGE_NONE, 0);
    o.request = 77;
    emit(o);
    finish();
    ck_assert_uint_eq(result.steals, 1);
    ck_assert_uint_eq(result.needless_steals, 0);
}
END_TEST

static void simple(enum obs_kind kind, uint32_t b)
{
    struct obs o = make(kind);
    o.node = 0;
    o.page = 0;
    o.op = 1;
    o.fence = fence(1);
    o.b = b;
    emit(o);
}

START_TEST(every_count_counts_its_own_kind)
{
    for (int i = 0; i < 1; i++) simple(OBS_LEDGER_REFUSED, ANS_FENCED);
    simple(OBS_LEDGER_REFUSED, ANS_WAIT);
    for (int i = 0; i < 2; i++) simple(OBS_LEDGER_RENEWED, 0);
    for (int i = 0; i < 3; i++) simple(OBS_LEDGER_RECONCILED, 0);
    for (int i = 0; i < 4; i++) simple(OBS_LEDGER_ENQUEUED, 0);
    for (int i = 0; i < 5; i++) simple(OBS_LEDGER_COMMITTED, 0);
    for (int i = 0; i < 6; i++) simple(OBS_EFFECT_EXECUTED, 0);
    for (int i = 0; i < 7; i++) simple(OBS_EFFECT_ABSORBED, 0);
    finish();
    ck_assert_uint_eq(result.fenced, 1);
    ck_assert_uint_eq(result.renewals, 2);
    ck_assert_uint_eq(result.reconciled, 3);
    ck_assert_uint_eq(result.operations, 4);
    ck_assert_uint_eq(result.commits, 5);
    ck_assert_uint_eq(result.effects, 6);
    ck_assert_uint_eq(result.absorbed, 7);
}
END_TEST

START_TEST(a_request_to_the_provider_is_no_request_to_the_ledger)
{
    uint32_t renewal = issue(0, REQ_RENEW, fence(1)), effect = issue(0, REQ_EFFECT, fence(1));
    uint32_t outcome = issue(0, REQ_OUTCOME, fence(1));
    struct obs o = make(OBS_REQUEST_ARRIVED);
    for (uint32_t id = renewal; id <= outcome; id++) {
        o.request = id;
        o.node = 0;
        emit(o);
        o.node = NODE_NONE;
        emit(o);
    }
    o.node = 0;
    o.request = 500; /* nobody saw its call */
    emit(o);
    ck_assert_uint_eq(effect, renewal + 1);
    finish();
    ck_assert_uint_eq(result.ledger_requests, 2);
}
END_TEST

/* -- capacities and resets ------------------------------------------------------------- */

START_TEST(more_gaps_than_fit_are_counted_as_lost)
{
    lead(0, 1);
    for (uint32_t i = 2; i < SAMPLES_MAX + 5; i++) {
        now += MS;
        claim(0, fence(i));
    }
    finish();
    ck_assert_uint_eq(result.gaps, SAMPLES_MAX);
    ck_assert_uint_eq(result.samples_lost, 4);
}
END_TEST

START_TEST(more_holds_than_fit_are_counted_as_lost)
{
    for (uint32_t i = 0; i < SAMPLES_MAX + 3; i++) {
        emit(lock(OBS_LOCK_RELEASED, 1, grant(1)));
        now += 2 * S;
    }
    finish();
    ck_assert_uint_eq(result.holds, SAMPLES_MAX);
    ck_assert_uint_eq(result.samples_lost, 3);
}
END_TEST

START_TEST(a_page_beyond_the_capacity_makes_the_round_unknown)
{
    static const enum obs_kind kind[] = { OBS_PAGE_VISIBLE, OBS_BELIEF_BEGAN, OBS_PAGE_CRASHED,
                                          OBS_ANSWER_HANDLED };
    for (int i = 0; i < 4; i++) on_page(kind[i], 100);
    emit(lock(OBS_LOCK_GRANTED, 100, ask(100, 0)));
    finish();
    ck_assert_uint_eq(result.samples_lost, 1);
}
END_TEST

START_TEST(a_reset_forgets_everything)
{
    lead(1, 1);
    belief(OBS_BELIEF_BEGAN, 0, fence(9), 0);
    ledger(OBS_LEDGER_EPOCH, PAGE_SERVER, (struct fence){ 1, 2, 2 });
    now = 40 * S;
    finish();
    reset(AUTHORITY_SERVER);
    now = 7 * MS;
    lead(0, 1);
    finish();
    ck_assert_uint_eq(result.gaps, 1);
    ck_assert_int_eq(gap(0)->eligible_us, 7 * MS);
    ck_assert_uint_eq(result.holds, 0);
    ck_assert_uint_eq(result.overlaps, 0);
    ck_assert_uint_eq(result.transitions, 0);
}
END_TEST

START_TEST(a_history_without_a_beginning_begins_with_its_first_page)
{
    state_reset(&state, &contract);
    measure_reset(&measure, &contract);
    now = 5 * MS;
    ledger(OBS_LEDGER_CLAIMED, 0, fence(1)); /* before any page: nobody's */
    on_page(OBS_PAGE_VISIBLE, 0);
    create(0, 0, 0, PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD);
    create(1, 99, 0, PAGE_HAS_LOCKS); /* a device that the state does not know */
    now = 8 * MS;
    finish();
    ck_assert_int_eq(gap(0)->raw_us, 3 * MS);
    ck_assert_uint_eq(result.samples_lost, 1);
}
END_TEST

START_TEST(an_authority_too_many_is_no_generation)
{
    for (uint32_t i = 0; i <= STATE_AUTHORITIES; i++)
        ledger(OBS_LEDGER_CLAIMED, 0, (struct fence){ 100 + i, 1, 1 });
    finish();
    ck_assert_uint_eq(result.transitions, STATE_AUTHORITIES - 1);
    ck_assert_uint_eq(result.samples_lost, 1);
}
END_TEST

static TCase *tests(const char *name)
{
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, set_up, close_all);
    return c;
}

static TCase *gap_tests(void)
{
    TCase *c = tests("gaps");
    tcase_add_test(c, a_cold_start_ends_when_the_claims_answer_is_handled);
    tcase_add_test(c, a_round_without_a_leader_is_one_open_cold_gap);
    tcase_add_test(c, a_lease_that_runs_out_between_observations_ends_at_its_microsecond);
    tcase_add_test(c, a_renewal_counts_from_its_call);
    tcase_add_test(c, a_fast_clock_ends_a_lease_early);
    tcase_add_test(c, a_slow_clock_ends_a_lease_late);
    tcase_add_test(c, a_clock_that_makes_the_lease_end_at_once_is_a_lease_gap);
    tcase_add_loop_test(c, a_page_that_stops_is_the_cause_of_the_gap, 0, STOPS);
    tcase_add_loop_test(c, a_page_that_says_that_it_ended_is_no_longer_able, 0, WHY_COUNT + 1);
    tcase_add_test(c, an_ended_belief_in_an_older_fence_ends_nothing);
    tcase_add_test(c, a_page_that_hides_for_the_cache_has_its_cause_put_right);
    tcase_add_loop_test(c, a_lock_that_ends_with_its_document_waits_for_what_ended_that, 0, 3);
    tcase_add_loop_test(c, a_release_waits_for_the_reason_that_the_page_gives, 0, 3);
    tcase_add_test(c, a_lock_given_back_under_a_living_fence_ends_being_able);
    tcase_add_test(c, a_sleeping_device_leaves_the_other_one_eligible);
    tcase_add_loop_test(c, a_cut_in_one_direction_is_a_link_gap, 0, 2);
    tcase_add_loop_test(c, a_node_that_does_not_decide_is_a_gap_in_which_nobody_is_eligible, 0, 2);
    tcase_add_test(c, an_answer_that_says_fenced_ends_leadership);
    tcase_add_test(c, a_lease_that_ends_at_the_ledger_first_is_a_lease_gap);
    tcase_add_test(c, a_closed_epoch_is_raw_time_and_the_servers_lead_ends_no_gap);
    tcase_add_loop_test(c, a_short_gap_that_the_old_leader_ends_is_left_out, 0, 2);
    tcase_add_test(c, a_short_gap_that_a_new_generation_ends_counts);
    tcase_add_test(c, a_thief_ends_the_old_leaders_time_at_its_grant);
    tcase_add_test(c, a_grant_beside_the_holder_ends_being_able_too);
    tcase_add_test(c, a_successor_on_another_device_is_marked);
    tcase_add_test(c, a_claim_by_another_page_supersedes_at_once);
    tcase_add_test(c, a_claims_answer_that_comes_after_its_lease_ends_no_gap);
    tcase_add_loop_test(c, a_claim_without_the_lock_leads_only_where_none_was_asked_for, 0, 2);
    tcase_add_test(c, a_lock_that_foreign_code_in_the_page_holds_is_not_the_pages);
    tcase_add_test(c, a_page_in_the_observe_stage_is_never_eligible);
    tcase_add_test(c, each_local_ledger_has_gaps_of_its_own);
    tcase_add_test(c, leases_of_two_local_ledgers_run_out_each_in_its_time);
    tcase_add_test(c, a_lease_is_not_ended_with_an_earlier_one);
    tcase_add_test(c, a_local_ledger_that_no_page_has_is_ignored);
    tcase_add_test(c, a_partition_without_a_page_has_no_gap);
    tcase_add_test(c, a_claim_at_another_partitions_ledger_leads_nowhere);
    tcase_add_test(c, a_claim_in_an_incarnation_that_was_replaced_leads_nowhere);
    return c;
}

static TCase *hold_tests(void)
{
    TCase *c = tests("holds");
    tcase_add_test(c, a_hold_of_a_visible_page_is_no_background_hold);
    tcase_add_loop_test(c, a_hold_is_over_when_it_is_longer_than_max_hold, 0, 2);
    tcase_add_test(c, a_hold_that_the_round_ends_in_counts_up_to_there);
    tcase_add_loop_test(c, a_visible_page_that_hides_freezes_or_is_cached_begins_a_hold, 0, 3);
    tcase_add_loop_test(c, a_second_of_visibility_does_not_break_a_hold_but_more_does, 0, 2);
    tcase_add_test(c, a_grant_to_the_same_page_within_a_second_does_not_break_a_hold);
    tcase_add_test(c, a_grant_to_another_page_breaks_a_hold);
    tcase_add_test(c, a_stolen_lock_ends_the_victims_hold);
    tcase_add_loop_test(c, a_hold_with_nobody_else_eligible_is_marked, 0, 2);
    tcase_add_test(c, each_hold_asks_anew_whether_others_were_eligible);
    tcase_add_test(c, the_victims_end_does_not_hide_the_thiefs_hold);
    tcase_add_test(c, another_partitions_page_does_not_wait_for_a_local_hold);
    tcase_add_test(c, a_page_that_is_gone_holds_until_the_manager_says_otherwise);
    tcase_add_test(c, a_page_that_dies_visible_begins_no_hold);
    tcase_add_loop_test(c, what_foreign_code_holds_is_no_hold_of_ours, 0, 2);
    tcase_add_test(c, other_locks_are_not_looked_at);
    return c;
}

static TCase *count_tests(void)
{
    TCase *c = tests("counts");
    tcase_add_test(c, two_that_believe_at_once_are_one_overlap_with_its_length);
    tcase_add_test(c, a_page_that_is_gone_believes_nothing);
    tcase_add_test(c, a_steal_from_a_page_that_could_act_is_needless);
    tcase_add_loop_test(c, a_steal_from_a_page_that_could_not_act_is_needed, 0, 5);
    tcase_add_test(c, a_steal_by_foreign_code_is_none_of_ours);
    tcase_add_test(c, a_steal_back_from_foreign_code_is_not_needless);
    tcase_add_test(c, a_steal_between_unknown_parties_counts_as_needed);
    tcase_add_test(c, every_count_counts_its_own_kind);
    tcase_add_test(c, a_request_to_the_provider_is_no_request_to_the_ledger);
    tcase_add_test(c, more_gaps_than_fit_are_counted_as_lost);
    tcase_add_test(c, more_holds_than_fit_are_counted_as_lost);
    tcase_add_test(c, a_page_beyond_the_capacity_makes_the_round_unknown);
    tcase_add_test(c, a_reset_forgets_everything);
    tcase_add_test(c, a_history_without_a_beginning_begins_with_its_first_page);
    tcase_add_test(c, an_authority_too_many_is_no_generation);
    return c;
}

Suite *measure_suite(void)
{
    Suite *s = suite_create("measure");
    suite_add_tcase(s, gap_tests());
    suite_add_tcase(s, hold_tests());
    suite_add_tcase(s, count_tests());
    return s;
}
