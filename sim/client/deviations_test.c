/* The mutants of the client, each at the one question that it answers wrongly, beside the
 * reference at the same question; and nowhere else: in a story where nobody asks it, a mutant
 * does exactly what the reference does. */
#include <check.h>

#include <string.h>

#include "sim/client/rig.h"

Suite *deviations_suite(void);

static struct rig g;

static void open_as(enum policy_kind p)
{
    rig_open(&g);
    if (p != POLICY_COUNT) g.policy = policy_with(g.policy, p);
    g.lawless = true;
}

/* The reference first, then the mutant. */
#define BOTH for (int mutant = 0; mutant < 2; mutant++)

static void open_either(int mutant, enum policy_kind p)
{
    open_as(mutant ? p : POLICY_COUNT);
}

static bool believes(void)
{
    for (uint32_t i = g.n; i-- > 0;)
        if (g.log[i].kind == OUT_BELIEF) return g.log[i].as.belief.on;
    return false;
}

/* Believes that it leads, and the ledger has not said so. */
static bool leads_unasked(void)
{
    return believes() && fence_is_none(g.client.page.fence);
}

static void refuse_locks(void)
{
    rig_in(&g, (struct client_input){
                   .kind = IN_LOCK_REFUSED, .id = g.last_lock, .error = LOCK_ERR_SECURITY });
}

static void lose_lock(void)
{
    rig_in(&g, (struct client_input){
                   .kind = IN_LOCK_LOST, .id = g.last_lock, .error = LOCK_ERR_ABORT });
}

static void effect_in_flight(void)
{
    rig_lead(&g, 2);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 2 });
    rig_forget(&g);
}

/* ---- who leads ------------------------------------------------------------------------------- */

START_TEST(heartbeat_election_leads_when_the_stored_heartbeat_is_stale)
{
    BOTH
    {
        open_either(mutant, POLICY_HEARTBEAT_ELECTION);
        g.storage.leader = RIG_TAB + 1; /* somebody else, who has just beaten */
        g.storage.beat.us = g.now_us + g.wall_ahead_us;
        rig_start(&g);
        rig_wait(&g, MS(600));
        ck_assert(!believes());
        rig_wait(&g, MS(5000));
        ck_assert_int_eq(leads_unasked(), mutant);
        ck_assert_ptr_null(rig_sent(&g, REQ_CLAIM));
        ck_assert_int_eq(rig_count(&g, OUT_LOCK) == 0, mutant);
    }
}
END_TEST

START_TEST(heartbeat_election_ends_when_another_beats)
{
    open_as(POLICY_HEARTBEAT_ELECTION);
    rig_start(&g);
    rig_wait(&g, MS(3000));
    ck_assert(believes());
    g.storage.leader = RIG_TAB + 1;
    g.storage.beat.us = g.now_us + g.wall_ahead_us;
    rig_wait(&g, MS(600));
    ck_assert(!believes());
}
END_TEST

START_TEST(storage_mutex_leads_where_locks_are_refused)
{
    BOTH
    {
        open_either(mutant, POLICY_STORAGE_MUTEX);
        rig_start(&g);
        refuse_locks();
        rig_wait(&g, MS(1000));
        ck_assert_int_eq(leads_unasked(), mutant);
        ck_assert_int_eq(rig_count(&g, OUT_STORE) > 0, mutant);
    }
}
END_TEST

START_TEST(lock_is_leadership_claims_nothing)
{
    BOTH
    {
        open_either(mutant, POLICY_LOCK_IS_LEADERSHIP);
        rig_start(&g);
        ck_assert(!believes());
        rig_grant(&g);
        ck_assert_int_eq(leads_unasked(), mutant);
        ck_assert_int_eq(rig_sent(&g, REQ_CLAIM) == NULL, mutant);
    }
}
END_TEST

START_TEST(fail_open_works_without_locks_and_without_a_ledger)
{
    BOTH
    {
        open_either(mutant, POLICY_FAIL_OPEN);
        rig_start(&g);
        refuse_locks();
        ck_assert_int_eq(leads_unasked(), mutant);
        open_either(mutant, POLICY_FAIL_OPEN);
        rig_start(&g);
        rig_grant(&g);
        rig_wait(&g, 20 * g.contract.request_timeout_us);
        ck_assert_int_eq(rig_count(&g, OUT_BELIEF) > 0, mutant);
    }
}
END_TEST

START_TEST(leadership_from_broadcast_leads_when_nobody_answers)
{
    BOTH
    {
        open_either(mutant, POLICY_LEAD_BY_BROADCAST);
        rig_start(&g);
        rig_wait(&g, MS(3000));
        ck_assert_int_eq(leads_unasked(), mutant);
        ck_assert_int_eq(rig_said(&g, OUT_BROADCAST, MSG_WHO_LEADS) > 0, mutant);
    }
}
END_TEST

START_TEST(leadership_from_broadcast_follows_whom_it_hears)
{
    open_as(POLICY_LEAD_BY_BROADCAST);
    rig_start(&g);
    for (int i = 0; i < 30; i++) {
        rig_wait(&g, MS(100));
        rig_hear(&g, MSG_HEARTBEAT, 0);
    }
    ck_assert(!believes());
}
END_TEST

START_TEST(leadership_from_query_leads_when_nobody_holds)
{
    BOTH
    {
        open_either(mutant, POLICY_LEAD_BY_QUERY);
        rig_start(&g);
        ck_assert_int_eq(rig_count(&g, OUT_QUERY) > 0, mutant);
        rig_in(&g, (struct client_input){ .kind = IN_QUERY, .holder_seen = true });
        ck_assert(!believes());
        rig_in(&g, (struct client_input){ .kind = IN_QUERY, .holder_seen = false });
        ck_assert_int_eq(leads_unasked(), mutant);
    }
}
END_TEST

START_TEST(observe_writes_claims_in_the_observe_stage)
{
    BOTH
    {
        open_either(mutant, POLICY_OBSERVE_WRITES);
        g.contract.stage = STAGE_OBSERVE;
        rig_start(&g);
        rig_grant(&g);
        ck_assert_int_eq(rig_sent(&g, REQ_CLAIM) != NULL, mutant);
        if (!mutant) continue;
        rig_claim_ok(&g, 1, 1);
        ck_assert_uint_eq(rig_sent_n(&g, REQ_TAKE), 1);
    }
}
END_TEST

START_TEST(follower_becomes_leader_without_a_request)
{
    BOTH
    {
        open_either(mutant, POLICY_ILLEGAL_STATE);
        rig_lead(&g, 0);
        rig_forget(&g);
        rig_tell(&g, IN_FREEZE);
        ck_assert_int_eq(rig_entered(&g, STATE_LEADER), mutant);
    }
}
END_TEST

START_TEST(the_canary_leads_at_once)
{
    BOTH
    {
        open_either(mutant, POLICY_CANARY);
        rig_start(&g);
        ck_assert_int_eq(leads_unasked(), mutant);
    }
}
END_TEST

/* ---- identities and keys --------------------------------------------------------- */

START_TEST(stored_identity_is_shared_with_a_duplicate)
{
    BOTH
    {
        uint32_t tab[2], key[2];
        for (int i = 0; i < 2; i++) { /* two documents with one sessionStorage (ST-19) */
            open_either(mutant, POLICY_STORED_IDENTITY);
            __typeof__(*((struct client_input *)0)->start) start = {
                .contract = &g.contract,
                .policy = g.policy,
                .tab_instance = RIG_TAB + (uint32_t)i,
                .session_instance = 5,
                .protocol = 3,
                .has_locks = true,
                .server_authority = true,
            };
            rig_in(&g, (struct client_input){ .kind = IN_START, .start = &start });
            rig_grant(&g);
            tab[i] = rig_sent(&g, REQ_CLAIM)->tab_instance;
            key[i] = rig_sent(&g, REQ_CLAIM)->key;
        }
        ck_assert_int_eq(tab[0] == tab[1], mutant);
        ck_assert_int_eq(key[0] == key[1], mutant);
    }
}
END_TEST

START_TEST(an_unknown_effect_is_resent_under_a_new_key)
{
    BOTH
    {
        open_either(mutant, POLICY_RESEND_NEW_KEY);
        effect_in_flight();
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        const struct request *again = rig_sent(&g, REQ_EFFECT);
        ck_assert_int_eq(again != NULL, mutant);
        ck_assert_int_eq(rig_sent(&g, REQ_OUTCOME) == NULL, mutant);
        if (again) ck_assert_uint_ne(again->key, 5);
    }
}
END_TEST

START_TEST(an_effect_without_an_answer_is_sent_again_unasked)
{
    BOTH
    {
        open_either(mutant, POLICY_RESENT_UNASKED);
        effect_in_flight();
        rig_wait(&g, g.contract.request_timeout_us + MS(1));
        const struct request *again = rig_sent(&g, REQ_EFFECT);
        ck_assert_int_eq(again != NULL, mutant);
        ck_assert_int_eq(rig_sent(&g, REQ_OUTCOME) == NULL, mutant);
        if (again) ck_assert_uint_eq(again->key, 5);
    }
}
END_TEST

START_TEST(a_leader_leads_on_past_max_hold)
{
    BOTH
    {
        open_either(mutant, POLICY_HOLD_IGNORED);
        rig_lead(&g, 0);
        rig_lead_on(&g, g.contract.max_hold_us);
        ck_assert_int_eq(g.state == STATE_LEADER, mutant);
    }
}
END_TEST

START_TEST(a_hung_page_is_renewed_for)
{
    BOTH
    {
        open_either(mutant, POLICY_HUNG_RENEWS);
        rig_lead(&g, 0);
        g.hangs = true;
        rig_wait(&g, MS(400));
        rig_forget(&g);
        rig_lead_on(&g, MS(1000));
        ck_assert_int_eq(rig_sent_n(&g, REQ_RENEW) > 0, mutant);
    }
}
END_TEST

START_TEST(a_key_made_of_the_tab_is_not_the_operations)
{
    BOTH
    {
        open_either(mutant, POLICY_KEY_FROM_TAB);
        rig_lead(&g, 1);
        rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 5 });
        ck_assert_int_eq(rig_sent(&g, REQ_EFFECT)->key != 5, mutant);
        ck_assert_uint_eq(rig_sent(&g, REQ_EFFECT)->op, 5);
    }
}
END_TEST

/* ---- fence and lease ------------------------------------------------------------- */

START_TEST(a_refetched_fence_finishes_old_work)
{
    BOTH
    {
        open_either(mutant, POLICY_REFETCH_FENCE);
        effect_in_flight();
        rig_answer(&g, REQ_EFFECT, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(2) });
        ck_assert_int_eq(g.state == STATE_LEADER, mutant);
        ck_assert_int_eq(rig_writes(&g) > 0, mutant);
        if (mutant) ck_assert(fence_equal(rig_last(&g, OUT_SEND)->as.request.fence, rig_fence(2)));
    }
}
END_TEST

START_TEST(a_wall_clock_that_went_back_makes_the_lease_longer)
{
    BOTH
    {
        open_either(mutant, POLICY_WALL_CLOCK_LEASE);
        effect_in_flight();
        g.wall_ahead_us -= INT64_C(3600) * US_PER_S;
        for (int i = 0; i < 4; i++) rig_wait(&g, g.contract.lease.ttl_us);
        rig_forget(&g);
        if (!mutant) {
            ck_assert_int_ne(g.state, STATE_LEADER);
            continue;
        }
        rig_wait(&g, 2 * g.contract.request_timeout_us);
        ck_assert_int_eq(g.state, STATE_LEADER);
        ck_assert_ptr_nonnull(rig_sent(&g, REQ_OUTCOME)); /* works on, long after its lease */
    }
}
END_TEST

/* Frozen beyond its lease without a word; the page thaws with an answer at hand. */
static void freeze_abruptly(void)
{
    effect_in_flight();
    for (int t = 0; t < TIMER_COUNT; t++) g.timer[THREAD_WORKER][t].armed = false;
    g.now_us += 5 * g.contract.lease.ttl_us;
}

START_TEST(who_relies_on_the_freeze_handler_writes_after_the_thaw)
{
    BOTH
    {
        open_either(mutant, POLICY_TRUST_FREEZE_HANDLER);
        freeze_abruptly();
        rig_tell(&g, IN_RESUME);
        rig_result(&g, REQ_EFFECT, ANS_OK);
        ck_assert_int_eq(rig_writes(&g) > 0, mutant);
        ck_assert_int_eq(believes(), mutant);
    }
}
END_TEST

START_TEST(a_cached_leader_goes_on_when_it_is_restored)
{
    BOTH
    {
        open_either(mutant, POLICY_CACHED_LEADER);
        effect_in_flight();
        rig_tell(&g, IN_PAGEHIDE);
        ck_assert_int_eq(rig_count(&g, OUT_LOCK_SETTLE) == 0, mutant);
        g.now_us += 5 * g.contract.lease.ttl_us;
        rig_in(&g, (struct client_input){ .kind = IN_PAGESHOW, .persisted = true });
        rig_result(&g, REQ_EFFECT, ANS_OK);
        ck_assert_int_eq(rig_writes(&g) > 0, mutant);
        ck_assert_int_eq(believes(), mutant);
    }
}
END_TEST

/* ---- the lock -------------------------------------------------------------------- */

START_TEST(the_signal_is_believed_to_end_a_held_lock)
{
    BOTH
    {
        open_either(mutant, POLICY_SIGNAL_ENDS_LOCK);
        rig_lead(&g, 0);
        rig_forget(&g);
        rig_tell(&g, IN_FREEZE);
        ck_assert_int_eq(rig_count(&g, OUT_LOCK_ABORT) == 1, mutant);
        ck_assert_int_eq(rig_count(&g, OUT_LOCK_SETTLE) == 0, mutant);
    }
}
END_TEST

START_TEST(a_callback_never_settles_in_the_background)
{
    BOTH
    {
        for (int hidden = 0; hidden < 2; hidden++) {
            open_either(mutant, POLICY_NEVER_SETTLES);
            rig_lead(&g, 0);
            if (hidden) rig_tell(&g, IN_HIDDEN);
            rig_tell(&g, IN_FREEZE);
            ck_assert_int_eq(rig_count(&g, OUT_LOCK_SETTLE) == 0, mutant && hidden);
        }
    }
}
END_TEST

START_TEST(a_suspicious_follower_steals_without_asking)
{
    BOTH
    {
        open_either(mutant, POLICY_STEAL_UNPERMITTED);
        rig_start(&g);
        rig_wait(&g, 3 * g.contract.heartbeat.suspect_after_us);
        ck_assert_int_eq((rig_last(&g, OUT_LOCK)->flags & LOCK_IS_STEAL) != 0, mutant);
        ck_assert_int_eq(rig_sent(&g, REQ_PERMIT) == NULL, mutant);
    }
}
END_TEST

START_TEST(a_stolen_holder_steals_back)
{
    BOTH
    {
        open_either(mutant, POLICY_VICTIM_STEALS_BACK);
        rig_lead(&g, 0);
        rig_forget(&g);
        lose_lock();
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
        ck_assert_int_eq((rig_last(&g, OUT_LOCK)->flags & LOCK_IS_STEAL) != 0, mutant);
        ck_assert(!believes());
    }
}
END_TEST

/* ---- draining -------------------------------------------------------------------- */

START_TEST(a_lock_released_before_the_work_is_bound)
{
    BOTH
    {
        open_either(mutant, POLICY_RELEASE_BEFORE_BOUND);
        effect_in_flight();
        rig_tell(&g, IN_FREEZE);
        ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
        uint32_t released = g.n;
        rig_tell(&g, IN_RESUME);
        rig_result(&g, REQ_EFFECT, ANS_OK);
        uint32_t after = 0;
        for (uint32_t i = released; i < g.n; i++)
            after += g.log[i].kind == OUT_SEND && g.log[i].as.request.kind == REQ_ACK;
        ck_assert_int_eq(after > 0, mutant);
    }
}
END_TEST

START_TEST(an_operation_is_dropped_at_drain)
{
    BOTH
    {
        open_either(mutant, POLICY_DROP_AT_DRAIN);
        effect_in_flight();
        rig_tell(&g, IN_FREEZE);
        ck_assert_int_eq(rig_sent(&g, REQ_ACK) != NULL,
                         mutant); /* "done", says who has heard nothing */
        ck_assert_int_eq(rig_sent(&g, REQ_COMMIT) != NULL, mutant);
    }
}
END_TEST

/* ---- and nowhere else ------------------------------------------------------------ */

static bool same_fence(const struct client_output *a, const struct client_output *b)
{
    switch (a->kind) {
    case OUT_SEND: return fence_equal(a->as.request.fence, b->as.request.fence);
    case OUT_BELIEF: return fence_equal(a->as.belief.fence, b->as.belief.fence);
    case OUT_POST:
    case OUT_BROADCAST: return fence_equal(a->as.message.fence, b->as.message.fence);
    default: return true;
    }
}

static bool same(const struct client_output *a, const struct client_output *b)
{
    const struct request *r = &a->as.request, *q = &b->as.request;
    const struct client_message *m = &a->as.message, *o = &b->as.message;
    if (a->kind != b->kind || a->thread != b->thread || a->id != b->id || a->us != b->us)
        return false;
    if (a->flags != b->flags || !same_fence(a, b)) return false;
    switch (a->kind) {
    case OUT_SEND:
        return r->kind == q->kind && r->op == q->op && r->key == q->key && r->parts == q->parts &&
               r->acked == q->acked && r->outcome == q->outcome && r->permit == q->permit &&
               r->tab_instance == q->tab_instance && r->sent.us == q->sent.us;
    case OUT_POST:
    case OUT_BROADCAST:
        return m->kind == o->kind && m->a == o->a && m->b == o->b && m->at.us == o->at.us;
    case OUT_STATE: return a->as.state.from == b->as.state.from && a->as.state.to == b->as.state.to;
    case OUT_BELIEF:
        return a->as.belief.on == b->as.belief.on && a->as.belief.why == b->as.belief.why;
    default: return true;
    }
}

/* A page that leads in peace: no refusal, no loss, no drain. */
static void calm(void)
{
    rig_lead(&g, 2);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 5, .more_tasks = 1 });
    rig_result(&g, REQ_EFFECT, ANS_OK);
    rig_result(&g, REQ_ACK, ANS_OK);
    rig_answer(&g, REQ_COMMIT, (struct answer){ .result = ANS_OK });
    rig_lead_on(&g, MS(3000));
    rig_hear(&g, MSG_TASK, 6);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_EMPTY });
    rig_lead_on(&g, MS(500));
}

/* Everything that goes wrong, once. */
static void stormy(void)
{
    calm();
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    refuse_locks();
    rig_wait(&g, MS(20000));
    rig_grant(&g);
    rig_wait(&g, MS(500));
    rig_claim_ok(&g, 2, 1);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 6, .more_tasks = 1 });
    rig_wait(&g, g.contract.request_timeout_us + MS(1));
    lose_lock();
    rig_grant(&g);
    rig_claim_ok(&g, 4, 1);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(5) });
    rig_wait(&g, MS(20000));
}

static struct rig reference;

static bool as_the_reference(enum policy_kind p, void (*story)(void))
{
    open_as(POLICY_COUNT);
    story();
    reference = g;
    open_as(p);
    story();
    if (g.n != reference.n) return false;
    for (uint32_t i = 0; i < g.n; i++)
        if (!same(&g.log[i], &reference.log[i])) return false;
    return true;
}

/* Those that ask no question of a page that leads in peace. */
START_TEST(in_a_calm_story_most_mutants_are_the_reference)
{
    switch ((enum policy_kind)_i) {
    case POLICY_HEARTBEAT_ELECTION:
    case POLICY_LOCK_IS_LEADERSHIP:
    case POLICY_STORED_IDENTITY:
    case POLICY_KEY_FROM_TAB:
    case POLICY_LEAD_BY_BROADCAST:
    case POLICY_LEAD_BY_QUERY:
    case POLICY_NULL_LOCK_RUNS:
    case POLICY_STARTS_TWICE:
    case POLICY_MARKER_TRUSTED:
    case POLICY_MUTEX_PER_TAB:
    case POLICY_ID_FROM_CLOCK:
    case POLICY_ASKS_ONCE:
    case POLICY_STEALS_ON_OPEN:
    case POLICY_WAITS_INSIDE:
    case POLICY_TOLD_ONCE:
    case POLICY_CANARY:
        return; /* these ask, lead or name themselves in another way from the start */
    case POLICY_NO_TIMEOUTS:
    case POLICY_NEWS_ONLY:
    case POLICY_OWN_ONLY:
    case POLICY_PAGE_BEATS: return; /* these work or beat in another way */
    default: ck_assert(as_the_reference((enum policy_kind)_i, calm));
    }
}
END_TEST

START_TEST(mutants_of_others_change_nothing_in_the_client)
{
    if (strcmp(policy_info[_i].whose, "client") == 0 || _i == POLICY_CANARY) return;
    ck_assert(as_the_reference((enum policy_kind)_i, stormy));
}
END_TEST

START_TEST(the_comparison_sees_differences)
{
    ck_assert(as_the_reference(POLICY_COUNT, stormy));
    ck_assert(!as_the_reference(POLICY_KEY_FROM_TAB, calm));
    ck_assert(!as_the_reference(POLICY_STORED_IDENTITY, calm));
    ck_assert(!as_the_reference(POLICY_REFETCH_FENCE, stormy));
    ck_assert(!as_the_reference(POLICY_FAIL_OPEN, stormy));
}
END_TEST

Suite *deviations_suite(void)
{
    Suite *s = suite_create("deviations");
    TCase *t = tcase_create("deviations");
    tcase_add_test(t, heartbeat_election_leads_when_the_stored_heartbeat_is_stale);
    tcase_add_test(t, heartbeat_election_ends_when_another_beats);
    tcase_add_test(t, storage_mutex_leads_where_locks_are_refused);
    tcase_add_test(t, lock_is_leadership_claims_nothing);
    tcase_add_test(t, fail_open_works_without_locks_and_without_a_ledger);
    tcase_add_test(t, leadership_from_broadcast_leads_when_nobody_answers);
    tcase_add_test(t, leadership_from_broadcast_follows_whom_it_hears);
    tcase_add_test(t, leadership_from_query_leads_when_nobody_holds);
    tcase_add_test(t, observe_writes_claims_in_the_observe_stage);
    tcase_add_test(t, follower_becomes_leader_without_a_request);
    tcase_add_test(t, the_canary_leads_at_once);
    tcase_add_test(t, stored_identity_is_shared_with_a_duplicate);
    tcase_add_test(t, an_unknown_effect_is_resent_under_a_new_key);
    tcase_add_test(t, an_effect_without_an_answer_is_sent_again_unasked);
    tcase_add_test(t, a_leader_leads_on_past_max_hold);
    tcase_add_test(t, a_hung_page_is_renewed_for);
    tcase_add_test(t, a_key_made_of_the_tab_is_not_the_operations);
    tcase_add_test(t, a_refetched_fence_finishes_old_work);
    tcase_add_test(t, a_wall_clock_that_went_back_makes_the_lease_longer);
    tcase_add_test(t, who_relies_on_the_freeze_handler_writes_after_the_thaw);
    tcase_add_test(t, a_cached_leader_goes_on_when_it_is_restored);
    tcase_add_test(t, the_signal_is_believed_to_end_a_held_lock);
    tcase_add_test(t, a_callback_never_settles_in_the_background);
    tcase_add_test(t, a_suspicious_follower_steals_without_asking);
    tcase_add_test(t, a_stolen_holder_steals_back);
    tcase_add_test(t, a_lock_released_before_the_work_is_bound);
    tcase_add_test(t, an_operation_is_dropped_at_drain);
    tcase_add_loop_test(t, in_a_calm_story_most_mutants_are_the_reference, 0, POLICY_COUNT);
    tcase_add_loop_test(t, mutants_of_others_change_nothing_in_the_client, 0, POLICY_COUNT);
    tcase_add_test(t, the_comparison_sees_differences);
    suite_add_tcase(s, t);
    return s;
}
