/* The phase of the leader from hand-written histories, seen as tests of the cell that a
 * fault falls into: hit() begins a fault and lets it take effect at once. */
#include <check.h>
#include <string.h>

#include "oracle/coverage.h"
#include "oracle/gate.h"

Suite *coverage_suite(void);

static struct arena arena;
static struct state state;
static struct coverage coverage;
static struct judge_result result;
static struct contract contract = { .authority = AUTHORITY_SERVER,
                                    .lease = { .ttl_us = US_PER_S } };
static uint32_t number, request;

static struct obs make(enum obs_kind kind, uint16_t page)
{
    struct obs o = obs_make(kind, (struct instant){ number }, OBS_NONE);
    o.page = page;
    return o;
}

static uint32_t emit(struct obs o)
{
    o.number = number++;
    state_step(&state, &o);
    coverage_step(&coverage, &state, &o);
    return o.number;
}

static void create(uint16_t page, uint8_t device)
{
    struct obs o = make(OBS_PAGE_CREATED, page);
    o.device = o.partition = device;
    o.flags = PAGE_HAS_LOCKS | PAGE_MAY_LEAD;
    o.b = 3;
    emit(o);
}

static void reset(void)
{
    memset(&result, 0, sizeof result);
    number = request = 0;
    state_reset(&state, &contract);
    coverage_reset(&coverage, &contract);
    create(0, 0);
    create(1, 0);
    create(2, 1);
}

static void set_up(void)
{
    arena_open(&arena, 64u << 20);
    state_open(&state, &arena, 8, 16);
    coverage_open(&coverage, &arena, 8, 16);
    reset();
}

static void tear_down(void)
{
    arena_close(&arena);
}

static uint32_t begin(enum fault_kind kind)
{
    struct obs o = make(OBS_FAULT_BEGUN, PAGE_NONE);
    o.a = kind;
    return emit(o);
}

/* An observation that changes nothing, caused by `cause`. */
static void effect(uint32_t cause)
{
    struct obs o = make(OBS_CHANNEL_FAULT, 1);
    o.cause = cause;
    emit(o);
}

static const struct judge_result *finish(void)
{
    coverage_finish(&coverage, &state, &result);
    return &result;
}

/* The phase in which a fault takes effect now. */
static enum leader_phase hit(void)
{
    uint8_t before[PHASE_COUNT];
    memcpy(before, coverage.cell[FAULT_DROP_HEARTBEATS], sizeof before);
    effect(begin(FAULT_DROP_HEARTBEATS));
    for (int p = 0; p < PHASE_COUNT; p++)
        if (finish()->cell[FAULT_DROP_HEARTBEATS][p] != before[p]) return (enum leader_phase)p;
    return PHASE_COUNT;
}

static uint32_t lock(enum obs_kind kind, uint16_t page, uint32_t id, uint8_t flags)
{
    struct obs o = make(kind, page);
    o.partition = page == 2 ? 1 : 0;
    o.request = id;
    o.key = LOCK_NAME_LEADER;
    o.flags = flags;
    emit(o);
    return id;
}

static uint32_t ask(uint16_t page, uint8_t flags)
{
    return lock(OBS_LOCK_REQUESTED, page, ++request, flags);
}

static uint32_t grant(uint16_t page)
{
    return lock(OBS_LOCK_GRANTED, page, ask(page, 0), 0);
}

static struct fence fence(uint32_t generation)
{
    return (struct fence){ .incarnation = 1, .epoch = 1, .generation = generation };
}

static uint32_t issue(uint16_t page, enum request_kind kind)
{
    struct obs o = make(OBS_REQUEST_ISSUED, page);
    o.request = ++request;
    o.a = kind;
    emit(o);
    return o.request;
}

static void answer(uint16_t page, uint32_t id, enum request_kind kind, enum answer_result what,
                   struct fence f)
{
    struct obs o = make(OBS_ANSWER_HANDLED, page);
    o.request = id;
    o.a = kind;
    o.b = what;
    o.fence = f;
    emit(o);
}

static void ledger(enum obs_kind kind, uint16_t page, struct fence f, uint32_t a, uint32_t b)
{
    struct obs o = make(kind, page);
    o.node = 0;
    o.fence = f;
    o.a = a;
    o.b = b;
    emit(o);
}

static uint32_t lead(uint16_t page, uint32_t generation)
{
    uint32_t id = grant(page), call = issue(page, REQ_CLAIM);
    ledger(OBS_LEDGER_CLAIMED, page, fence(generation), 3, 0);
    answer(page, call, REQ_CLAIM, ANS_OK, fence(generation));
    return id;
}

static void becomes(uint16_t page, enum client_state to)
{
    struct obs o = make(OBS_STATE_CHANGED, page);
    o.b = to;
    emit(o);
}

static void lost(enum obs_kind kind, uint32_t id)
{
    struct obs o = make(kind, PAGE_NONE);
    o.request = id;
    emit(o);
}

static void provider(uint16_t page, uint32_t id)
{
    struct obs o = make(OBS_EFFECT_EXECUTED, page);
    o.request = id;
    o.op = 1;
    emit(o);
}

/* -- phases ------------------------------------------------------------------------- */

START_TEST(before_a_leader_the_candidates_count)
{
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
    uint32_t id = ask(1, 0);
    ck_assert_int_eq(hit(), PHASE_WAITING);
    lock(OBS_LOCK_GRANTED, 1, id, 0);
    ck_assert_int_eq(hit(), PHASE_GRANTED);
    uint32_t call = issue(1, REQ_CLAIM);
    ck_assert_int_eq(hit(), PHASE_CLAIM);
    answer(1, call, REQ_CLAIM, ANS_WAIT, (struct fence){ 0 });
    ck_assert_int_eq(hit(), PHASE_GRANTED);
    lock(OBS_LOCK_RELEASED, 1, id, 0);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(a_request_that_ends_unfulfilled_waits_no_more)
{
    static const enum obs_kind kind[] = { OBS_LOCK_ABORTED, OBS_LOCK_DROPPED,
                                          OBS_LOCK_UNAVAILABLE };
    uint32_t id = ask(1, 0);
    ck_assert_int_eq(hit(), PHASE_WAITING);
    lock(kind[_i], 1, id, 0);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(a_lock_that_foreign_code_holds_is_granted_to_nobody)
{
    lock(OBS_LOCK_GRANTED, 1, ask(1, LOCK_IS_FOREIGN), 0);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
    ask(0, 0);
    ck_assert_int_eq(hit(), PHASE_WAITING);
}
END_TEST

START_TEST(an_accepted_claim_is_in_flight_until_its_answer_is_handled)
{
    grant(0);
    uint32_t call = issue(0, REQ_CLAIM);
    ledger(OBS_LEDGER_CLAIMED, 0, fence(1), 3, 0);
    ck_assert_int_eq(hit(), PHASE_CLAIM);
    answer(0, call, REQ_CLAIM, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_request_of_the_leader_is_a_phase_until_its_answer)
{
    static const struct {
        enum request_kind kind;
        enum leader_phase phase;
    } table[] = {
        { REQ_TAKE, PHASE_TAKE },
        { REQ_EFFECT, PHASE_EFFECT },
        { REQ_COMMIT, PHASE_COMMIT },
        { REQ_ACK, PHASE_COMMIT },
        { REQ_RENEW, PHASE_RENEW },
        { REQ_RELEASE, PHASE_RELEASE },
        { REQ_OUTCOME, PHASE_EFFECT_UNKNOWN },
        { REQ_RECONCILE, PHASE_EFFECT_UNKNOWN },
        { REQ_SUBMIT, PHASE_IDLE },
    };
    lead(0, 1);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint32_t id = issue(0, table[i].kind);
        ck_assert_int_eq(hit(), table[i].phase);
        answer(0, id, table[i].kind, ANS_OK, fence(1));
        ck_assert_int_eq(hit(), PHASE_IDLE);
    }
}
END_TEST

START_TEST(of_several_requests_the_weightiest_is_the_phase)
{
    static const struct {
        enum request_kind kind;
        enum leader_phase phase;
    } rising[] = {
        { REQ_RENEW, PHASE_RENEW },   { REQ_TAKE, PHASE_TAKE },
        { REQ_EFFECT, PHASE_EFFECT }, { REQ_OUTCOME, PHASE_EFFECT_UNKNOWN },
        { REQ_COMMIT, PHASE_COMMIT },
    };
    lead(0, 1);
    for (size_t i = 0; i < sizeof rising / sizeof rising[0]; i++) {
        issue(0, rising[i].kind);
        ck_assert_int_eq(hit(), rising[i].phase);
    }
    becomes(0, STATE_DRAINING);
    ck_assert_int_eq(hit(), PHASE_DRAINING);
    issue(0, REQ_RELEASE);
    ck_assert_int_eq(hit(), PHASE_RELEASE);
}
END_TEST

START_TEST(a_retry_takes_the_place_of_the_lost_request)
{
    lead(0, 1);
    uint32_t first = issue(0, REQ_TAKE), second = issue(0, REQ_TAKE);
    answer(0, first, REQ_TAKE, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_TAKE);
    answer(0, second, REQ_TAKE, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(an_executed_effect_whose_answer_is_lost_is_unknown)
{
    lead(0, 1);
    uint32_t id = issue(0, REQ_EFFECT);
    provider(0, id);
    ck_assert_int_eq(hit(), PHASE_EFFECT);
    lost(OBS_ANSWER_LOST, id);
    ck_assert_int_eq(hit(), PHASE_EFFECT_UNKNOWN);
    uint32_t outcome = issue(0, REQ_OUTCOME);
    answer(0, outcome, REQ_OUTCOME, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_late_answer_to_the_effect_itself_settles_it_too)
{
    lead(0, 1);
    uint32_t id = issue(0, REQ_EFFECT);
    provider(0, id);
    lost(OBS_ANSWER_LOST, id); /* one of two copies */
    answer(0, id, REQ_EFFECT, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(only_an_executed_effect_can_become_unknown)
{
    lead(0, 1);
    uint32_t id = issue(0, REQ_EFFECT), commit = issue(0, REQ_RENEW);
    lost(OBS_ANSWER_LOST, id);
    lost(OBS_ANSWER_LOST, commit);
    lost(OBS_ANSWER_LOST, 400);
    ck_assert_int_eq(hit(), PHASE_EFFECT);
}
END_TEST

START_TEST(the_next_step_leaves_an_unknown_effect_behind)
{
    lead(0, 1);
    uint32_t id = issue(0, REQ_EFFECT);
    provider(0, id);
    lost(OBS_ANSWER_LOST, id);
    uint32_t next = issue(0, _i == 0 ? REQ_TAKE : _i == 1 ? REQ_COMMIT : REQ_ACK);
    ck_assert_int_eq(hit(), _i == 0 ? PHASE_TAKE : PHASE_COMMIT);
    if (_i == 2) issue(0, REQ_TAKE);
    answer(0, _i == 2 ? request : next, _i == 1 ? REQ_COMMIT : REQ_TAKE, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_claim_begins_a_new_life_without_old_requests)
{
    uint32_t id = lead(0, 1);
    uint32_t sent = issue(0, REQ_EFFECT);
    provider(0, sent);
    lost(OBS_ANSWER_LOST, sent);
    issue(0, REQ_RENEW);
    lock(OBS_LOCK_RELEASED, 0, id, 0);
    lead(0, 2);
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_leader_that_releases_is_releasing_until_its_lock_is_gone)
{
    uint32_t id = lead(0, 1);
    becomes(0, STATE_DRAINING);
    uint32_t call = issue(0, REQ_RELEASE);
    ledger(OBS_LEDGER_RELEASED, 0, fence(1), 0, 0);
    ck_assert_int_eq(hit(), PHASE_RELEASE);
    answer(0, call, REQ_RELEASE, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_DRAINING);
    ask(1, 0);
    lock(OBS_LOCK_RELEASED, 0, id, 0);
    ck_assert_int_eq(hit(), PHASE_WAITING);
}
END_TEST

START_TEST(a_leader_without_a_lock_at_all_leads)
{
    uint32_t call = issue(0, REQ_CLAIM);
    ledger(OBS_LEDGER_CLAIMED, 0, fence(1), 3, 0);
    answer(0, call, REQ_CLAIM, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_claim_of_another_device_does_not_hide_the_leaders_phase)
{
    lead(0, 1);
    grant(2);
    issue(2, REQ_CLAIM);
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_leader_that_is_gone_leaves_it_to_the_candidates)
{
    static const enum obs_kind kind[] = { OBS_PAGE_CLOSED, OBS_PAGE_CRASHED, OBS_PAGE_DISCARDED,
                                          OBS_PAGE_EVICTED };
    uint32_t id = lead(0, 1);
    issue(0, REQ_RELEASE);
    emit(make(kind[_i], 0));
    lock(OBS_LOCK_RELEASED, 0, id, 1);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(a_candidate_that_is_gone_claims_nothing)
{
    uint32_t id = grant(0);
    issue(0, REQ_CLAIM);
    issue(0, REQ_CLAIM);
    emit(make(OBS_PAGE_CRASHED, 0));
    ck_assert_int_eq(hit(), PHASE_GRANTED);
    lock(OBS_LOCK_RELEASED, 0, id, 1);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(the_server_leads_without_a_phase_of_its_own)
{
    lead(0, 1);
    ledger(OBS_LEDGER_RELEASED, 0, fence(1), 0, 0);
    ledger(OBS_LEDGER_CLAIMED, PAGE_SERVER, fence(2), 0, 0);
    ck_assert_int_eq(hit(), PHASE_GRANTED);
}
END_TEST

START_TEST(an_old_leader_stays_fenced_when_the_server_takes_over)
{
    lead(0, 1);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(1), 0, 0);
    ledger(OBS_LEDGER_CLAIMED, PAGE_SERVER, fence(2), 0, 0);
    ck_assert_int_eq(hit(), PHASE_FENCED);
}
END_TEST

START_TEST(a_claim_at_another_partitions_ledger_leads_nowhere)
{
    static struct contract local = { .authority = AUTHORITY_INDEXEDDB };
    state.contract = &local;
    uint32_t call = issue(0, REQ_CLAIM);
    struct obs o = make(OBS_LEDGER_CLAIMED, 0);
    o.node = STATE_NET_NODES + 1;
    o.fence = fence(1);
    emit(o);
    answer(0, call, REQ_CLAIM, ANS_OK, fence(1));
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

/* -- fenced --------------------------------------------------------------------------- */

START_TEST(a_leader_whose_fence_is_worth_nothing_is_fenced)
{
    uint32_t id = lead(0, 1);
    struct obs stolen = make(OBS_LOCK_STOLEN, 0);
    stolen.request = id;
    stolen.key = LOCK_NAME_LEADER;
    switch (_i) {
    case 0: ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(1), 0, 0); break;
    case 1: ledger(OBS_LEDGER_EPOCH, PAGE_SERVER, (struct fence){ 1, 2, 2 }, 0, 0); break;
    case 2: emit(stolen); break;
    case 3: ledger(OBS_LEDGER_REFUSED, 0, fence(1), REQ_TAKE, ANS_FENCED); break;
    case 4: ledger(OBS_LEDGER_REFUSED, 0, fence(1), REQ_RENEW, ANS_EPOCH_CLOSED); break;
    default: ledger(OBS_LEDGER_REFUSED, 0, fence(1), REQ_TAKE, ANS_PROTOCOL_TOO_OLD); break;
    }
    ck_assert_int_eq(hit(), PHASE_FENCED);
    becomes(0, STATE_DRAINING);
    ck_assert_int_eq(hit(), PHASE_FENCED);
    becomes(1, STATE_FOLLOWER);
    becomes(0, STATE_LEADER);
    ck_assert_int_eq(hit(), PHASE_FENCED);
    becomes(0, STATE_RELEASED);
    ck_assert_int_ne(hit(), PHASE_FENCED);
}
END_TEST

START_TEST(a_fenced_leader_is_over_with_its_document_or_the_next_claim)
{
    lead(0, 1);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(1), 0, 0);
    if (_i == 0) {
        emit(make(OBS_PAGE_CLOSED, 0));
        ck_assert_int_eq(hit(), PHASE_GRANTED);
    } else {
        grant(2);
        issue(2, REQ_CLAIM);
        ck_assert_int_eq(hit(), PHASE_FENCED);
        ledger(OBS_LEDGER_CLAIMED, 2, fence(2), 3, 0);
        ck_assert_int_eq(hit(), PHASE_CLAIM);
    }
}
END_TEST

START_TEST(what_does_not_touch_the_leaders_fence_fences_nobody)
{
    lead(0, 1);
    ledger(OBS_LEDGER_REFUSED, 0, fence(1), REQ_TAKE, ANS_EMPTY);
    ledger(OBS_LEDGER_REFUSED, 0, fence(1), REQ_CLAIM, ANS_FENCED);
    ledger(OBS_LEDGER_REFUSED, 0, fence(7), REQ_TAKE, ANS_FENCED);
    ledger(OBS_LEDGER_REFUSED, 1, fence(1), REQ_TAKE, ANS_FENCED);
    ledger(OBS_LEDGER_REFUSED, PAGE_SERVER, fence(1), REQ_TAKE, ANS_FENCED);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(9), 0, 0);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, (struct fence){ 5, 1, 1 }, 0, 0);
    struct obs stolen = make(OBS_LOCK_STOLEN, 0);
    stolen.request = ++request;
    stolen.key = LOCK_NAME_OTHER;
    emit(stolen);
    stolen.key = LOCK_NAME_LEADER;
    stolen.page = 1; /* not the owner's */
    emit(stolen);
    ck_assert_int_eq(hit(), PHASE_IDLE);
}
END_TEST

START_TEST(a_leader_that_is_gone_cannot_be_fenced)
{
    uint32_t id = lead(0, 1);
    emit(make(OBS_PAGE_CRASHED, 0));
    lock(OBS_LOCK_RELEASED, 0, id, 1);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(1), 0, 0);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(an_epoch_before_any_claim_fences_nobody)
{
    ledger(OBS_LEDGER_EPOCH, PAGE_SERVER, (struct fence){ 1, 2, 1 }, 0, 0);
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

/* -- when a fault is effective --------------------------------------------------------- */

START_TEST(the_cell_is_the_phase_before_the_effect)
{
    lead(0, 1);
    uint32_t fault = begin(FAULT_CRASH_HOLDER);
    issue(0, REQ_COMMIT);
    struct obs o = make(OBS_PAGE_CRASHED, 0);
    o.cause = fault;
    emit(o);
    ck_assert_uint_eq(finish()->cell[FAULT_CRASH_HOLDER][PHASE_COMMIT], 1);
    ck_assert_uint_eq(result.effective[FAULT_CRASH_HOLDER], 1);
    ck_assert_uint_eq(result.planned[FAULT_CRASH_HOLDER], 1);
}
END_TEST

START_TEST(only_the_first_effect_counts)
{
    uint32_t fault = begin(FAULT_CUT_SERVER);
    effect(fault);
    effect(fault);
    ck_assert_uint_eq(finish()->cell[FAULT_CUT_SERVER][PHASE_NO_LEADER], 1);
    ck_assert_uint_eq(result.effective[FAULT_CUT_SERVER], 1);
}
END_TEST

START_TEST(a_fault_without_an_effect_is_planned_and_not_effective)
{
    uint32_t fault = begin(FAULT_CUT_UP);
    struct obs o = make(OBS_FAULT_ENDED, PAGE_NONE);
    o.a = FAULT_CUT_UP;
    o.cause = fault;
    emit(o);
    effect(fault + 40);
    effect(OBS_NONE);
    ck_assert_uint_eq(finish()->planned[FAULT_CUT_UP], 1);
    ck_assert_uint_eq(result.effective[FAULT_CUT_UP], 0);
    effect(fault); /* its end does not forbid a late effect */
    ck_assert_uint_eq(finish()->effective[FAULT_CUT_UP], 1);
}
END_TEST

START_TEST(faults_that_wait_together_are_told_apart)
{
    uint32_t cut = begin(FAULT_CUT_DOWN), late = begin(FAULT_REQUEST_LATE);
    uint32_t hide = begin(FAULT_HIDE_ALL);
    effect(late);
    ask(0, 0);
    effect(hide);
    effect(cut);
    ck_assert_uint_eq(finish()->cell[FAULT_REQUEST_LATE][PHASE_NO_LEADER], 1);
    ck_assert_uint_eq(result.cell[FAULT_HIDE_ALL][PHASE_WAITING], 1);
    ck_assert_uint_eq(result.cell[FAULT_CUT_DOWN][PHASE_WAITING], 1);
}
END_TEST

START_TEST(a_cell_holds_255_hits_and_no_more)
{
    for (int i = 0; i < 300; i++) effect(begin(FAULT_CUT_UP));
    ck_assert_uint_eq(finish()->cell[FAULT_CUT_UP][PHASE_NO_LEADER], 255);
    ck_assert_uint_eq(result.planned[FAULT_CUT_UP], 255);
    ck_assert_uint_eq(result.effective[FAULT_CUT_UP], 255);
}
END_TEST

START_TEST(a_fault_too_many_is_planned_and_not_followed)
{
    uint32_t last = 0;
    for (int i = 0; i <= COVERAGE_FAULTS; i++) last = begin(FAULT_CUT_UP);
    effect(last);
    ck_assert_uint_eq(finish()->effective[FAULT_CUT_UP], 0);
    effect(last - 1);
    ck_assert_uint_eq(finish()->effective[FAULT_CUT_UP], 1);
}
END_TEST

START_TEST(a_kind_or_page_that_nobody_knows_is_passed_over)
{
    begin(FAULT_COUNT);
    issue(0, REQ_COUNT);
    answer(0, 1, REQ_COUNT, ANS_OK, fence(1));
    issue(50, REQ_CLAIM);
    answer(50, 1, REQ_CLAIM, ANS_OK, fence(1));
    provider(PAGE_SERVER, 1);
    emit(make(OBS_PAGE_CLOSED, 50));
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
}
END_TEST

START_TEST(a_reset_forgets_phases_and_faults)
{
    uint32_t fault = begin(FAULT_CUT_UP);
    lead(0, 1);
    issue(1, REQ_CLAIM);
    effect(fault);
    begin(FAULT_CUT_UP);
    ledger(OBS_LEDGER_EXPIRED, PAGE_NONE, fence(1), 0, 0);
    reset();
    ck_assert_int_eq(hit(), PHASE_NO_LEADER);
    ck_assert_uint_eq(finish()->planned[FAULT_CUT_UP], 0);
    ck_assert_uint_eq(result.effective[FAULT_CUT_UP], 0);
}
END_TEST

/* -- impossible cells -------------------------------------------------------------------- */

START_TEST(impossible_cells_are_few_and_each_has_its_reason)
{
    uint32_t impossible = 0;
    for (int f = 0; f < FAULT_COUNT; f++)
        for (int p = 0; p < PHASE_COUNT; p++)
            impossible += coverage_impossible((enum fault_kind)f, (enum leader_phase)p) != NULL;
    ck_assert_uint_gt(impossible, 0);
    ck_assert_uint_lt(impossible * 10, FAULT_COUNT * PHASE_COUNT); /* under a tenth */
    ck_assert_str_eq(coverage_impossible(FAULT_CLOSE_HOLDER, PHASE_NO_LEADER),
                     "nobody holds the lock or owns a fence");
    ck_assert_ptr_null(
        coverage_impossible(FAULT_CLOSE_HOLDER, PHASE_WAITING)); /* foreign code holds */
    ck_assert_ptr_null(coverage_impossible(FAULT_CLOSE_HOLDER, PHASE_GRANTED));
    ck_assert_ptr_nonnull(coverage_impossible(FAULT_CLOSE_WAITER, PHASE_NO_LEADER));
    ck_assert_ptr_null(coverage_impossible(FAULT_CLOSE_WAITER, PHASE_WAITING));
    ck_assert_ptr_null(coverage_impossible(FAULT_LOCKS_MISSING, PHASE_NO_LEADER));
    for (int p = 0; p < PHASE_COUNT; p++) {
        bool some = p == PHASE_NO_LEADER || p == PHASE_EFFECT || p == PHASE_EFFECT_UNKNOWN ||
                    p == PHASE_DRAINING;
        ck_assert((coverage_impossible(FAULT_PROVIDER_DOWN, (enum leader_phase)p) == NULL) == some);
    }
}
END_TEST

Suite *coverage_suite(void)
{
    Suite *s = suite_create("coverage");
    TCase *c = tcase_create("coverage");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, before_a_leader_the_candidates_count);
    tcase_add_loop_test(c, a_request_that_ends_unfulfilled_waits_no_more, 0, 3);
    tcase_add_test(c, a_lock_that_foreign_code_holds_is_granted_to_nobody);
    tcase_add_test(c, an_accepted_claim_is_in_flight_until_its_answer_is_handled);
    tcase_add_test(c, a_request_of_the_leader_is_a_phase_until_its_answer);
    tcase_add_test(c, of_several_requests_the_weightiest_is_the_phase);
    tcase_add_test(c, a_retry_takes_the_place_of_the_lost_request);
    tcase_add_test(c, an_executed_effect_whose_answer_is_lost_is_unknown);
    tcase_add_test(c, only_an_executed_effect_can_become_unknown);
    tcase_add_test(c, a_late_answer_to_the_effect_itself_settles_it_too);
    tcase_add_loop_test(c, the_next_step_leaves_an_unknown_effect_behind, 0, 3);
    tcase_add_test(c, a_claim_begins_a_new_life_without_old_requests);
    tcase_add_test(c, a_leader_that_releases_is_releasing_until_its_lock_is_gone);
    tcase_add_test(c, a_leader_without_a_lock_at_all_leads);
    tcase_add_test(c, a_claim_of_another_device_does_not_hide_the_leaders_phase);
    tcase_add_loop_test(c, a_leader_that_is_gone_leaves_it_to_the_candidates, 0, 4);
    tcase_add_test(c, a_candidate_that_is_gone_claims_nothing);
    tcase_add_test(c, the_server_leads_without_a_phase_of_its_own);
    tcase_add_test(c, an_old_leader_stays_fenced_when_the_server_takes_over);
    tcase_add_test(c, a_claim_at_another_partitions_ledger_leads_nowhere);
    tcase_add_loop_test(c, a_leader_whose_fence_is_worth_nothing_is_fenced, 0, 6);
    tcase_add_loop_test(c, a_fenced_leader_is_over_with_its_document_or_the_next_claim, 0, 2);
    tcase_add_test(c, what_does_not_touch_the_leaders_fence_fences_nobody);
    tcase_add_test(c, a_leader_that_is_gone_cannot_be_fenced);
    tcase_add_test(c, an_epoch_before_any_claim_fences_nobody);
    tcase_add_test(c, the_cell_is_the_phase_before_the_effect);
    tcase_add_test(c, only_the_first_effect_counts);
    tcase_add_test(c, a_fault_without_an_effect_is_planned_and_not_effective);
    tcase_add_test(c, faults_that_wait_together_are_told_apart);
    tcase_add_test(c, a_cell_holds_255_hits_and_no_more);
    tcase_add_test(c, a_fault_too_many_is_planned_and_not_followed);
    tcase_add_test(c, a_kind_or_page_that_nobody_knows_is_passed_over);
    tcase_add_test(c, a_reset_forgets_phases_and_faults);
    tcase_add_test(c, impossible_cells_are_few_and_each_has_its_reason);
    suite_add_tcase(s, c);
    return s;
}
