/* leader-worker@3, from the lock to the ledger's word: claims and their retries, refusals,
 * permits and steals (protocol.md "The page" 2, 4, 8; "The authority"). */
#include <check.h>

#include "sim/client/rig.h"

Suite *claim_suite(void);

static struct rig g;

/* A page that waits for the lock, or that has it and asks the ledger. */
static void waiting(void)
{
    rig_start(&g);
    rig_forget(&g);
}
static void claiming(void)
{
    rig_start(&g);
    rig_grant(&g);
}
static void open_rig(void)
{
    rig_open(&g);
}

static int64_t ttl(void)
{
    return g.contract.lease.ttl_us;
}

/* ---- 2: the claim and its id ----------------------------------------------------- */

START_TEST(a_claim_that_gets_no_answer_is_sent_again_under_its_id)
{
    claiming();
    uint32_t key = rig_sent(&g, REQ_CLAIM)->key;
    rig_wait(&g, 2 * g.contract.request_timeout_us + MS(10));
    ck_assert_uint_ge(rig_sent_n(&g, REQ_CLAIM), 3);
    for (uint32_t i = 0; i < g.n; i++)
        if (g.log[i].kind == OUT_SEND && g.log[i].as.request.kind == REQ_CLAIM)
            ck_assert_uint_eq(g.log[i].as.request.key, key);
}
END_TEST

START_TEST(another_claim_has_another_id)
{
    claiming();
    uint32_t key = rig_sent(&g, REQ_CLAIM)->key;
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_forget(&g);
    rig_grant(&g);
    ck_assert_uint_ne(rig_sent(&g, REQ_CLAIM)->key, key);
}
END_TEST

START_TEST(claims_of_two_documents_have_different_ids)
{
    claiming();
    uint32_t key = rig_sent(&g, REQ_CLAIM)->key;
    struct rig other;
    rig_open(&other);
    __typeof__(*((struct client_input *)0)->start) start = {
        .contract = &other.contract,
        .tab_instance = RIG_TAB + 1,
        .session_instance = other.session_instance,
        .protocol = 3,
        .partition_key = 1,
        .has_locks = true,
        .visible = true,
        .server_authority = true,
    };
    rig_in(&other, (struct client_input){ .kind = IN_START, .start = &start });
    rig_grant(&other);
    ck_assert_uint_ne(rig_sent(&other, REQ_CLAIM)->key,
                      key); /* sessionStorage of both is the same */
}
END_TEST

START_TEST(the_answer_to_any_of_its_requests_will_do)
{
    claiming();
    const struct request first = *rig_sent(&g, REQ_CLAIM);
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    rig_answer_as(&g, &first, (struct answer){ .result = ANS_OK, .fence = rig_fence(3) });
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(fence_equal(rig_last(&g, OUT_BELIEF)->as.belief.fence, rig_fence(3)));
}
END_TEST

START_TEST(a_second_answer_to_a_claim_changes_nothing)
{
    claiming();
    rig_claim_ok(&g, 3, 0);
    rig_forget(&g);
    rig_claim_ok(&g, 3, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0); /* and does not give the generation back */
}
END_TEST

/* ---- 4: the lease of a claim ----------------------------------------------------- */

/* The first request at 0, answered through its retry: the lease began at 0. */
START_TEST(the_lease_counts_from_the_first_send)
{
    claiming();
    int64_t sent = g.now_us;
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_CLAIM), 2);
    rig_claim_ok(&g, 1, 3);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    g.hangs = true;
    rig_wait(&g, sent + ttl() - g.now_us - (_i ? 0 : 1));
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), _i ? 0 : 1);
}
END_TEST

START_TEST(an_answer_after_the_lease_is_a_new_claim)
{
    claiming();
    const struct request first = *rig_sent(&g, REQ_CLAIM);
    g.hangs = true;
    rig_wait(&g, ttl());
    rig_forget(&g);
    rig_answer_as(&g, &first,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .more_tasks = 2 });
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_uint_ne(rig_sent(&g, REQ_CLAIM)->key, first.key);
}
END_TEST

START_TEST(a_claim_renews_early_when_much_of_its_lease_is_gone)
{
    claiming();
    int64_t sent = g.now_us;
    rig_wait(&g, ttl() * 2 / 3);
    rig_claim_ok(&g, 1, 0);
    rig_forget(&g);
    rig_wait(&g, sent + ttl() - 1 - g.now_us);
    ck_assert_uint_ge(rig_sent_n(&g, REQ_RENEW), 1);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------- */

START_TEST(while_another_device_leads_the_lock_is_let_go)
{
    claiming();
    rig_forget(&g);
    rig_answer(&g, REQ_CLAIM, (struct answer){ .result = ANS_WAIT, .wait_us = MS(700) });
    ck_assert(rig_entered(&g, STATE_DRAINING));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_REMOTE_LEADS), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert_ptr_null(rig_sent(&g, REQ_RELEASE)); /* nothing was given */
}
END_TEST

START_TEST(after_a_wait_it_asks_anew_by_itself)
{
    claiming();
    uint32_t key = rig_sent(&g, REQ_CLAIM)->key;
    rig_answer(&g, REQ_CLAIM, (struct answer){ .result = ANS_WAIT, .wait_us = MS(700) });
    rig_forget(&g);
    rig_wait(&g, MS(700));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0); /* not before that lease can have ended */
    rig_wait(&g, MS(15000));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
    rig_grant(&g);
    ck_assert_uint_ne(rig_sent(&g, REQ_CLAIM)->key, key); /* it claims anew */
}
END_TEST

START_TEST(a_push_that_nobody_leads_brings_it_back_at_once)
{
    claiming();
    rig_answer(&g, REQ_CLAIM, (struct answer){ .result = ANS_WAIT, .wait_us = MS(700) });
    rig_forget(&g);
    rig_push(&g, _i ? PUSH_EXPIRED : PUSH_VACANT, rig_fence(4), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
}
END_TEST

START_TEST(pages_that_queue_for_nothing_stop_queueing)
{
    waiting();
    rig_hear(&g, MSG_REMOTE_LEADS, 700);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_ABORT), 1);
    ck_assert(rig_entered(&g, STATE_ABORTED));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    rig_forget(&g);
    rig_hear(&g, MSG_HEARTBEAT, 0); /* their own device leads again */
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
}
END_TEST

START_TEST(a_page_that_is_too_old_never_asks_again)
{
    claiming();
    rig_result(&g, REQ_CLAIM, ANS_PROTOCOL_TOO_OLD);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    rig_forget(&g);
    rig_push(&g, PUSH_VACANT, rig_fence(1), 0);
    rig_push(&g, PUSH_VACANT, rig_fence(1), 0);
    rig_push(&g, PUSH_REOPENED, rig_fence(1), 0);
    rig_hear(&g, MSG_HEARTBEAT, 0);
    rig_tell(&g, IN_RESUME);
    rig_wait(&g, MS(30000));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
}
END_TEST

START_TEST(a_payload_that_a_leader_does_not_speak_makes_it_give_way)
{
    claiming();
    rig_claim_ok(&g, 1, 1);
    rig_forget(&g);
    rig_result(&g, REQ_TAKE, ANS_PROTOCOL_TOO_OLD);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1); /* the generation is its own: given back */
    ck_assert(fence_equal(rig_sent(&g, REQ_RELEASE)->fence, rig_fence(1)));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    rig_hear(&g, MSG_HEARTBEAT, 0);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
}
END_TEST

START_TEST(a_closed_epoch_keeps_it_away_until_it_is_reopened)
{
    claiming();
    rig_result(&g, REQ_CLAIM, ANS_EPOCH_CLOSED);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    rig_forget(&g);
    rig_hear(&g, MSG_HEARTBEAT, 0);
    rig_tell(&g, IN_RESUME);
    rig_wait(&g, MS(20000));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    rig_push(&g, PUSH_REOPENED, (struct fence){ 1, 2, 2 }, PARTITION_NONE);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
}
END_TEST

START_TEST(a_push_that_the_epoch_closed_ends_leadership)
{
    claiming();
    if (_i) rig_claim_ok(&g, 1, 3);
    rig_forget(&g);
    rig_push(&g, PUSH_CLOSED, (struct fence){ 1, 2, 2 }, PARTITION_NONE);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
    if (_i) ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_EPOCH);
}
END_TEST

START_TEST(an_operation_refused_for_the_epoch_ends_leadership)
{
    claiming();
    rig_claim_ok(&g, 1, 1);
    rig_forget(&g);
    rig_result(&g, REQ_TAKE, ANS_EPOCH_CLOSED);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_EPOCH);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
}
END_TEST

START_TEST(a_node_that_sends_elsewhere_is_believed)
{
    claiming();
    const struct request first = *rig_sent(&g, REQ_CLAIM);
    rig_answer_as(&g, &first, (struct answer){ .result = ANS_REDIRECT, .node_hint = 2 });
    rig_wait(&g, g.contract.request_timeout_us);
    ck_assert_uint_eq(rig_last(&g, OUT_SEND)->flags, 2);
    ck_assert_uint_eq(rig_sent(&g, REQ_CLAIM)->key, first.key);
}
END_TEST

START_TEST(a_node_that_cannot_decide_or_is_silent_is_not_asked_twice_in_a_row)
{
    claiming();
    uint32_t node = rig_last(&g, OUT_SEND)->flags;
    if (_i) rig_result(&g, REQ_CLAIM, ANS_UNAVAILABLE);
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    ck_assert_uint_gt(rig_last(&g, OUT_SEND)->flags, node);
}
END_TEST

START_TEST(a_page_that_cannot_reach_the_ledger_passes_the_lock_on)
{
    claiming();
    rig_wait(&g, 20 * g.contract.request_timeout_us);
    ck_assert_uint_ge(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
}
END_TEST

/* ---- answers that come too late -------------------------------------------------- */

START_TEST(a_generation_that_nobody_waits_for_is_given_back)
{
    claiming();
    const struct request claim = *rig_sent(&g, REQ_CLAIM);
    rig_tell(&g, IN_FREEZE);
    rig_forget(&g);
    rig_answer_as(&g, &claim,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(5), .more_tasks = 4 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
    ck_assert(fence_equal(rig_sent(&g, REQ_RELEASE)->fence, rig_fence(5)));
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    rig_hear(&g, MSG_TASK, 1);
    ck_assert_uint_eq(rig_writes(&g), 0); /* the fence went with it */
}
END_TEST

START_TEST(a_refusal_that_nobody_waits_for_gives_nothing_back)
{
    claiming();
    const struct request claim = *rig_sent(&g, REQ_CLAIM);
    rig_tell(&g, IN_FREEZE);
    rig_forget(&g);
    rig_answer_as(&g, &claim, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(5) });
    rig_answer_as(&g, &claim, (struct answer){ .result = ANS_WAIT, .wait_us = MS(100) });
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
}
END_TEST

START_TEST(an_old_claims_answer_does_not_stand_for_the_new_one)
{
    claiming();
    const struct request old = *rig_sent(&g, REQ_CLAIM);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_forget(&g);
    rig_answer_as(&g, &old, (struct answer){ .result = ANS_OK, .fence = rig_fence(5) });
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
    rig_claim_ok(&g, 6, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(fence_equal(rig_last(&g, OUT_BELIEF)->as.belief.fence, rig_fence(6)));
}
END_TEST

/* ---- signs of life before a claim ------------------------------------------------ */

START_TEST(after_word_of_silence_a_sign_of_life_comes_before_the_claim)
{
    waiting();
    rig_hear(&g, MSG_SILENT, 0);
    rig_grant(&g);
    ck_assert_ptr_null(rig_sent(&g, REQ_CLAIM));
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_STATUS));
    rig_wait(&g, MS(300));
    rig_forget(&g);
    int64_t answered = g.now_us;
    rig_result(&g, REQ_STATUS, ANS_OK);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_CLAIM), 1);
    rig_wait(&g, MS(100));
    rig_claim_ok(&g, 1, 2);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    g.hangs = true;
    rig_wait(&g, answered + ttl() - 1 -
                     g.now_us); /* the lease counts from the claim, not the question */
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1);
}
END_TEST

/* What was sent before the silence has the same claim id, and its answer may come last. */
START_TEST(a_claim_from_before_the_silence_keeps_its_lease)
{
    claiming();
    const struct request first = *rig_sent(&g, REQ_CLAIM);
    rig_hear(&g, MSG_SILENT, 0);
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_STATUS));
    rig_result(&g, REQ_STATUS, ANS_OK);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_CLAIM), 2);
    rig_answer_as(&g, &first, (struct answer){ .result = ANS_OK, .fence = rig_fence(1) });
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_int_eq(g.client.page.lease_end.us, first.sent.us + ttl());
}
END_TEST

START_TEST(silence_is_forgotten_after_a_while)
{
    waiting();
    rig_hear(&g, MSG_SILENT, 0);
    rig_wait(&g, MS(60000));
    rig_grant(&g);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
}
END_TEST

START_TEST(without_a_sign_of_life_no_claim_is_made)
{
    waiting();
    rig_hear(&g, MSG_SILENT, 0);
    rig_grant(&g);
    rig_wait(&g, 4 * g.contract.request_timeout_us);
    ck_assert_ptr_null(rig_sent(&g, REQ_CLAIM));
    ck_assert_uint_ge(rig_sent_n(&g, REQ_STATUS), 3);
}
END_TEST

/* ---- 8: permits ------------------------------------------------------------------ */

static void two_words(void)
{
    rig_push(&g, PUSH_VACANT, rig_fence(2), 1);
    rig_push(&g, PUSH_VACANT, rig_fence(2), 1);
}

START_TEST(p8_the_first_word_of_a_vacancy_is_not_an_incident)
{
    waiting();
    rig_push(&g, PUSH_VACANT, rig_fence(2), 1);
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_push(&g, PUSH_VACANT, rig_fence(3), 1); /* of another generation: a first word again */
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_push(&g, PUSH_VACANT, rig_fence(3), 1);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

START_TEST(p8_an_expiry_in_its_own_partition_is_an_incident_at_once)
{
    waiting();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 0);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

START_TEST(p8_an_expiry_elsewhere_takes_two_words)
{
    waiting();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 1);
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 1);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

START_TEST(p8_missing_heartbeats_make_it_ask_the_ledger)
{
    waiting();
    int64_t began = g.now_us;
    rig_wait(&g, g.contract.heartbeat.suspect_after_us - 1);
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_wait(&g, 2 * g.contract.heartbeat.suspect_after_us);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_PERMIT));
    ck_assert_int_ge(rig_sent(&g, REQ_PERMIT)->sent.us - began,
                     g.contract.heartbeat.suspect_after_us);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0); /* asks, and does not steal */
}
END_TEST

START_TEST(p8_heartbeats_that_arrive_keep_it_quiet)
{
    waiting();
    for (int i = 0; i < 30; i++) {
        rig_wait(&g, g.contract.heartbeat.interval_us);
        rig_hear(&g, MSG_HEARTBEAT, 0);
    }
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
}
END_TEST

START_TEST(p8_only_a_page_that_waits_asks)
{
    claiming();
    two_words();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 0);
    rig_wait(&g, MS(1000));
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_claim_ok(&g, 3, 0);
    two_words();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 0);
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
}
END_TEST

START_TEST(p8_one_question_at_a_time)
{
    waiting();
    two_words();
    two_words();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 0);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

START_TEST(p8_a_question_without_an_answer_can_be_asked_again)
{
    waiting();
    two_words();
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    two_words();
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 2);
}
END_TEST

START_TEST(p8_a_refused_permit_is_no_steal_and_not_asked_for_too_soon)
{
    waiting();
    two_words();
    rig_forget(&g);
    rig_answer(&g, REQ_PERMIT, (struct answer){ .result = ANS_REFUSED, .wait_us = MS(400) });
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    rig_wait(&g, MS(399));
    two_words();
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_wait(&g, MS(2));
    two_words();
    ck_assert_uint_eq(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

/* A permit in hand. */
static void permitted(uint32_t permit)
{
    rig_answer(&g, REQ_PERMIT, (struct answer){ .result = ANS_OK, .permit = permit });
}

START_TEST(p8_the_steal_takes_the_place_of_the_request_that_waits)
{
    waiting();
    uint32_t waits = g.last_lock;
    two_words();
    rig_forget(&g);
    permitted(31);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_ABORT)->id, waits);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_IS_STEAL); /* WL-10: without a signal */
    ck_assert_uint_ne(g.last_lock, waits);
    rig_in(&g, (struct client_input){ .kind = IN_LOCK_ABORTED, .id = waits });
    ck_assert_int_eq(g.state, STATE_REQUESTING);
}
END_TEST

START_TEST(p8_after_the_steal_it_claims_like_anyone_else_and_names_the_permit)
{
    waiting();
    two_words();
    permitted(31);
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    rig_grant(&g);
    ck_assert_uint_eq(rig_sent(&g, REQ_CLAIM)->permit, 31);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    rig_wait(&g, g.contract.request_timeout_us + MS(10));
    ck_assert_uint_eq(rig_sent(&g, REQ_CLAIM)->permit, 31); /* the retry too */
    rig_claim_ok(&g, 3, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(p8_a_permit_is_good_for_one_steal)
{
    waiting();
    two_words();
    permitted(31);
    rig_wait(&g, MS(2000));
    rig_forget(&g);
    two_words();
    permitted(31); /* the ledger repeats itself */
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    rig_wait(&g, MS(2000));
    two_words();
    permitted(32);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_IS_STEAL);
}
END_TEST

START_TEST(p8_an_ordinary_lock_after_a_stolen_one_names_no_permit)
{
    waiting();
    two_words();
    permitted(31);
    rig_grant(&g);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_forget(&g);
    rig_grant(&g);
    ck_assert_uint_eq(rig_sent(&g, REQ_CLAIM)->permit, 0);
}
END_TEST

START_TEST(p8_a_permit_that_comes_after_the_lock_is_not_used)
{
    waiting();
    two_words();
    rig_grant(&g);
    rig_forget(&g);
    permitted(31);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_ABORT), 0);
    rig_claim_ok(&g, 3, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

START_TEST(p8_a_hidden_thief_claims_although_a_visible_page_waits)
{
    g.visible = false;
    rig_start(&g);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    two_words();
    permitted(31);
    rig_grant(&g);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
}
END_TEST

START_TEST(p8_where_steals_are_forbidden_it_neither_asks_nor_steals)
{
    g.contract.steal = STEAL_NEVER;
    waiting();
    two_words();
    rig_push(&g, PUSH_EXPIRED, rig_fence(2), 0);
    rig_wait(&g, MS(20000));
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
}
END_TEST

START_TEST(p8_where_steals_are_allowed_missing_heartbeats_suffice)
{
    g.contract.steal = STEAL_ALLOWED;
    waiting();
    rig_wait(&g, 3 * g.contract.heartbeat.suspect_after_us);
    ck_assert_uint_ge(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_IS_STEAL);
    ck_assert_ptr_null(rig_sent(&g, REQ_PERMIT));
    rig_grant(&g);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM)); /* still only a permit to claim */
}
END_TEST

/* Nobody pushes for a local ledger: its record is looked at, more than once a lease. */
START_TEST(p8_with_a_local_ledger_a_waiting_page_looks_for_itself)
{
    g.local_authority = true;
    waiting();
    rig_wait(&g, ttl());
    ck_assert_uint_ge(rig_sent_n(&g, REQ_PERMIT), 1);
}
END_TEST

Suite *claim_suite(void)
{
    Suite *s = suite_create("claim");
    TCase *t = tcase_create("claim");
    tcase_add_checked_fixture(t, open_rig, NULL);
    tcase_add_test(t, a_claim_that_gets_no_answer_is_sent_again_under_its_id);
    tcase_add_test(t, another_claim_has_another_id);
    tcase_add_test(t, claims_of_two_documents_have_different_ids);
    tcase_add_test(t, the_answer_to_any_of_its_requests_will_do);
    tcase_add_test(t, a_second_answer_to_a_claim_changes_nothing);
    tcase_add_loop_test(t, the_lease_counts_from_the_first_send, 0, 2);
    tcase_add_test(t, an_answer_after_the_lease_is_a_new_claim);
    tcase_add_test(t, a_claim_renews_early_when_much_of_its_lease_is_gone);
    tcase_add_test(t, while_another_device_leads_the_lock_is_let_go);
    tcase_add_test(t, after_a_wait_it_asks_anew_by_itself);
    tcase_add_loop_test(t, a_push_that_nobody_leads_brings_it_back_at_once, 0, 2);
    tcase_add_test(t, pages_that_queue_for_nothing_stop_queueing);
    tcase_add_test(t, a_page_that_is_too_old_never_asks_again);
    tcase_add_test(t, a_payload_that_a_leader_does_not_speak_makes_it_give_way);
    tcase_add_test(t, a_closed_epoch_keeps_it_away_until_it_is_reopened);
    tcase_add_loop_test(t, a_push_that_the_epoch_closed_ends_leadership, 0, 2);
    tcase_add_test(t, an_operation_refused_for_the_epoch_ends_leadership);
    tcase_add_test(t, a_node_that_sends_elsewhere_is_believed);
    tcase_add_loop_test(t, a_node_that_cannot_decide_or_is_silent_is_not_asked_twice_in_a_row, 0,
                        2);
    tcase_add_test(t, a_page_that_cannot_reach_the_ledger_passes_the_lock_on);
    tcase_add_test(t, a_generation_that_nobody_waits_for_is_given_back);
    tcase_add_test(t, a_refusal_that_nobody_waits_for_gives_nothing_back);
    tcase_add_test(t, an_old_claims_answer_does_not_stand_for_the_new_one);
    tcase_add_test(t, after_word_of_silence_a_sign_of_life_comes_before_the_claim);
    tcase_add_test(t, a_claim_from_before_the_silence_keeps_its_lease);
    tcase_add_test(t, silence_is_forgotten_after_a_while);
    tcase_add_test(t, without_a_sign_of_life_no_claim_is_made);
    tcase_add_test(t, p8_the_first_word_of_a_vacancy_is_not_an_incident);
    tcase_add_test(t, p8_an_expiry_in_its_own_partition_is_an_incident_at_once);
    tcase_add_test(t, p8_an_expiry_elsewhere_takes_two_words);
    tcase_add_test(t, p8_missing_heartbeats_make_it_ask_the_ledger);
    tcase_add_test(t, p8_heartbeats_that_arrive_keep_it_quiet);
    tcase_add_test(t, p8_only_a_page_that_waits_asks);
    tcase_add_test(t, p8_one_question_at_a_time);
    tcase_add_test(t, p8_a_question_without_an_answer_can_be_asked_again);
    tcase_add_test(t, p8_a_refused_permit_is_no_steal_and_not_asked_for_too_soon);
    tcase_add_test(t, p8_the_steal_takes_the_place_of_the_request_that_waits);
    tcase_add_test(t, p8_after_the_steal_it_claims_like_anyone_else_and_names_the_permit);
    tcase_add_test(t, p8_a_permit_is_good_for_one_steal);
    tcase_add_test(t, p8_an_ordinary_lock_after_a_stolen_one_names_no_permit);
    tcase_add_test(t, p8_a_permit_that_comes_after_the_lock_is_not_used);
    tcase_add_test(t, p8_a_hidden_thief_claims_although_a_visible_page_waits);
    tcase_add_test(t, p8_where_steals_are_forbidden_it_neither_asks_nor_steals);
    tcase_add_test(t, p8_where_steals_are_allowed_missing_heartbeats_suffice);
    tcase_add_test(t, p8_with_a_local_ledger_a_waiting_page_looks_for_itself);
    suite_add_tcase(s, t);
    return s;
}
