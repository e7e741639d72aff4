/* leader-worker@3, the page: from protocol.md "The page", sentence by sentence. The numbers in
 * front of the groups are that list's. Claims and permits are tested in claim_test.c, the
 * outbox in work_test.c, the worker in worker_test.c. */
#include <check.h>

#include <string.h>

#include "sim/client/rig.h"

Suite *leader_suite(void);

static struct rig g;

static void open_rig(void)
{
    rig_open(&g);
}

static void lead(uint32_t tasks)
{
    rig_start(&g);
    rig_grant(&g);
    struct request claim = *rig_sent(&g, REQ_CLAIM);
    rig_forget(&g);
    rig_answer_as(&g, &claim,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .more_tasks = tasks });
    ck_assert_int_eq(g.state, STATE_LEADER);
}

/* ---- 1: the wait and its signal ------------------------------------------------------------ */

START_TEST(p1_a_page_that_starts_asks_for_the_lock_and_says_so)
{
    rig_start(&g);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags, LOCK_HAS_SIGNAL);
    ck_assert_uint_eq(rig_count(&g, OUT_SUBSCRIBE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0); /* waits for the lock, writes nothing */
}
END_TEST

START_TEST(p1_the_signal_ends_a_wait)
{
    rig_start(&g);
    rig_tell(&g, IN_FREEZE);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_ABORT)->id, g.last_lock);
    ck_assert(rig_entered(&g, STATE_ABORTED));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 0);
}
END_TEST

START_TEST(p1_the_signal_is_not_used_on_a_held_lock)
{
    lead(0);
    rig_tell(&g, IN_FREEZE);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_ABORT), 0);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_SETTLE)->id, g.last_lock);
}
END_TEST

START_TEST(p1_the_signal_is_not_used_between_grant_and_claim)
{
    rig_start(&g);
    rig_grant(&g);
    rig_tell(&g, IN_PAGEHIDE);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_ABORT), 0);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_SETTLE)->id, g.last_lock);
}
END_TEST

START_TEST(p1_a_lock_of_an_abandoned_wait_is_let_go_at_once)
{
    rig_start(&g);
    uint32_t old = g.last_lock;
    rig_tell(&g, IN_FREEZE); /* the abort may come too late */
    rig_forget(&g);
    rig_in(&g, (struct client_input){ .kind = IN_LOCK_GRANTED, .id = old });
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_SETTLE)->id, old);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
}
END_TEST

START_TEST(p1_an_old_lock_is_let_go_while_a_new_one_is_awaited)
{
    rig_start(&g);
    uint32_t old = g.last_lock;
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    ck_assert_uint_ne(g.last_lock, old);
    rig_forget(&g);
    rig_in(&g, (struct client_input){ .kind = IN_LOCK_GRANTED, .id = old });
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK_SETTLE)->id, old);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
    rig_grant(&g);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
}
END_TEST

/* ---- 2: the lock permits a claim ------------------------------------------------------------- */

START_TEST(p2_a_granted_lock_permits_a_claim_and_nothing_else)
{
    rig_start(&g);
    rig_forget(&g);
    rig_grant(&g);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 1);
    const struct request *r = rig_sent(&g, REQ_CLAIM);
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->tab_instance, RIG_TAB);
    ck_assert_uint_eq(r->protocol, 3);
    ck_assert_uint_ne(r->key, 0);
    rig_hear(&g, MSG_TASK, 4); /* nor later, whatever it hears */
    rig_tell(&g, IN_VISIBLE);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 1);
}
END_TEST

START_TEST(p2_a_page_leads_when_the_claims_answer_reaches_it)
{
    rig_start(&g);
    rig_grant(&g);
    rig_forget(&g);
    rig_claim_ok(&g, 9, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert(fence_equal(rig_last(&g, OUT_BELIEF)->as.belief.fence, rig_fence(9)));
}
END_TEST

/* ---- 3: the fence ---------------------------------------------------------------- */

START_TEST(p3_whatever_a_leader_does_carries_the_fence)
{
    rig_start(&g);
    rig_grant(&g);
    rig_claim_ok(&g, 6, 2);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 3, .more_tasks = 1 });
    rig_result(&g, REQ_EFFECT, ANS_OK);
    rig_result(&g, REQ_ACK, ANS_OK);
    rig_answer(&g, REQ_COMMIT, (struct answer){ .result = ANS_OK, .more_tasks = 1 });
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 4 });
    rig_in(&g, (struct client_input){ .kind = IN_FAILED, .id = rig_sent(&g, REQ_EFFECT)->id });
    rig_answer(&g, REQ_OUTCOME, (struct answer){ .result = ANS_OK, .outcome = OUTCOME_DONE });
    rig_result(&g, REQ_RECONCILE, ANS_OK);
    rig_lead_on(&g, MS(800));
    rig_tell(&g, IN_FREEZE);
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < g.n; i++) {
        if (g.log[i].kind != OUT_SEND || !rig_is_fenced(g.log[i].as.request.kind)) continue;
        ck_assert(fence_equal(g.log[i].as.request.fence, rig_fence(6)));
        kinds |= 1u << g.log[i].as.request.kind;
    }
    ck_assert_uint_eq(kinds, 1u << REQ_TAKE | 1u << REQ_EFFECT | 1u << REQ_ACK | 1u << REQ_COMMIT |
                                 1u << REQ_RECONCILE | 1u << REQ_RENEW | 1u << REQ_RELEASE);
}
END_TEST

/* FENCED, at every step of the work. */
static const enum request_kind steps[] = { REQ_TAKE, REQ_EFFECT, REQ_ACK, REQ_COMMIT };

static void work_up_to(int step)
{
    lead(3);
    for (int i = 0; i < step; i++)
        rig_answer(&g, steps[i], (struct answer){ .result = ANS_OK, .op = 8, .more_tasks = 2 });
    ck_assert_ptr_nonnull(rig_sent(&g, steps[step]));
}

START_TEST(p3_fenced_ends_leadership_at_once)
{
    work_up_to(_i);
    const struct request r = *rig_sent(&g, steps[_i]);
    rig_forget(&g);
    rig_answer_as(&g, &r, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(2) });
    ck_assert(rig_entered(&g, STATE_DRAINING));
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert(!rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_FENCED);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0); /* not even a release: the fence is another's */
}
END_TEST

START_TEST(p3_a_fenced_page_never_uses_the_newer_generation)
{
    work_up_to(_i);
    const struct request r = *rig_sent(&g, steps[_i]);
    rig_forget(&g);
    rig_answer_as(&g, &r, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(2) });
    rig_wait(&g, MS(3000));
    rig_hear(&g, MSG_TASK, 5);
    for (uint32_t i = g.from; i < g.n; i++)
        if (g.log[i].kind == OUT_SEND) ck_assert(fence_is_none(g.log[i].as.request.fence));
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p3_after_fenced_it_queues_up_again)
{
    work_up_to(0);
    rig_result(&g, REQ_TAKE, ANS_FENCED);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags,
                      LOCK_HAS_SIGNAL); /* behind everybody: no steal */
}
END_TEST

START_TEST(p3_a_fenced_renewal_ends_leadership)
{
    lead(0);
    rig_wait(&g, MS(410));
    rig_result(&g, REQ_RENEW, ANS_FENCED);
    ck_assert(!rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_ptr_null(rig_sent(&g, REQ_RELEASE));
}
END_TEST

/* ---- 4: the lease by its own clock ----------------------------------------------- */

START_TEST(p4_nothing_is_issued_after_the_lease_by_its_own_count)
{
    lead(2);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    g.hangs = true; /* the worker's word comes later than the answer */
    rig_wait(&g, g.contract.lease.ttl_us);
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1, .more_tasks = 1 });
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p4_just_before_the_end_of_the_lease_it_still_works)
{
    lead(2);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    g.hangs = true;
    rig_wait(&g, g.contract.lease.ttl_us - 1);
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1, .more_tasks = 1 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1);
}
END_TEST

START_TEST(p4_a_renewal_moves_the_end_to_when_it_was_sent_plus_ttl)
{
    lead(2);
    rig_wait(&g, MS(400));
    const struct request renew = *rig_sent(&g, REQ_RENEW), take = *rig_sent(&g, REQ_TAKE);
    rig_wait(&g, MS(250));
    rig_answer_as(&g, &renew,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .more_tasks = 2 });
    g.hangs = true;
    rig_wait(&g, renew.sent.us + g.contract.lease.ttl_us - 1 - g.now_us);
    struct rig before = g;
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1);
    g = before;
    g.now_us++;
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p4_the_wall_clock_has_no_say)
{
    lead(2);
    g.wall_ahead_us += INT64_C(3600) * US_PER_S;
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1);
    const struct request effect = *rig_sent(&g, REQ_EFFECT);
    g.wall_ahead_us -= INT64_C(7200) * US_PER_S;
    g.hangs = true;
    rig_wait(&g, g.contract.lease.ttl_us);
    rig_forget(&g);
    rig_answer_as(&g, &effect, (struct answer){ .result = ANS_OK });
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p4_a_lease_that_ran_out_ends_leadership)
{
    lead(0);
    rig_wait(&g, g.contract.lease.ttl_us + g.contract.lease.renew_us);
    ck_assert(!rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_LEASE);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
}
END_TEST

/* ---- 5: draining ----------------------------------------------------------------- */

static void max_hold(void)
{
    int64_t end = g.now_us + g.contract.max_hold_us;
    while (g.state == STATE_LEADER && g.now_us < end) rig_lead_on(&g, MS(100));
}

START_TEST(p5_max_hold_is_kept)
{
    lead(0);
    int64_t began = g.now_us;
    max_hold();
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_MAX_HOLD);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_int_le(g.now_us - began, g.contract.max_hold_us);
    ck_assert_int_ge(g.now_us - began, g.contract.max_hold_us / 2);
    ck_assert_int_eq(g.state, STATE_REQUESTING); /* and it queues up again */
}
END_TEST

START_TEST(p5_draining_settles_what_is_in_flight_and_takes_nothing_new)
{
    lead(5);
    rig_tell(&g, IN_HIDDEN);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 1, .more_tasks = 5 });
    const struct request effect = *rig_sent(&g, REQ_EFFECT);
    rig_forget(&g);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 0);
    rig_answer_as(&g, &effect, (struct answer){ .result = ANS_OK });
    rig_result(&g, REQ_ACK, ANS_OK);
    rig_answer(&g, REQ_COMMIT, (struct answer){ .result = ANS_OK, .more_tasks = 5 });
    ck_assert_ptr_null(rig_sent(&g, REQ_TAKE));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_lt(rig_place_of(&g, REQ_COMMIT), rig_place_of(&g, REQ_RELEASE));
    ck_assert_uint_lt(rig_place_of(&g, REQ_RELEASE),
                      rig_place(&g, OUT_LOCK_SETTLE)); /* fence, then lock */
}
END_TEST

START_TEST(p5_draining_waits_for_an_answer_only_so_long)
{
    lead(5);
    rig_tell(&g, IN_HIDDEN);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 1 });
    rig_forget(&g);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_int_eq(g.state, STATE_DRAINING);
    rig_wait(&g, g.contract.lease.ttl_us);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
}
END_TEST

/* The worker is refused a renewal while the page waits for its last answer. */
START_TEST(p5_a_draining_page_that_is_fenced_finishes_nothing)
{
    lead(5);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    rig_tell(&g, IN_HIDDEN);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_int_eq(g.state, STATE_DRAINING);
    rig_forget(&g);
    struct client_message m = { .kind = POST_LOST, .fence = g.client.page.fence, .a = WHY_FENCED };
    rig_in(&g, (struct client_input){ .kind = IN_POST, .message = &m });
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 0);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p5_freeze_and_pagehide_wait_for_nothing)
{
    lead(5);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 1 });
    rig_forget(&g);
    rig_tell(&g, _i ? IN_PAGEHIDE : IN_FREEZE);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, _i ? WHY_PAGEHIDE : WHY_FREEZE);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0); /* it asks again when it is back */
}
END_TEST

START_TEST(p5_freeze_and_pagehide_cut_a_drain_short)
{
    lead(5);
    rig_tell(&g, IN_HIDDEN);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_int_eq(g.state, STATE_DRAINING);
    rig_forget(&g);
    rig_tell(&g, _i ? IN_PAGEHIDE : IN_FREEZE);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
}
END_TEST

START_TEST(p5_nothing_is_issued_under_the_fence_after_its_release)
{
    lead(5);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    rig_tell(&g, IN_FREEZE);
    rig_forget(&g);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1, .more_tasks = 4 });
    rig_tell(&g, IN_RESUME);
    rig_hear(&g, MSG_TASK, 9);
    rig_submit(&g, 9);
    rig_wait(&g, MS(2000));
    for (uint32_t i = g.from; i < g.n; i++)
        if (g.log[i].kind == OUT_SEND) ck_assert(fence_is_none(g.log[i].as.request.fence));
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_ptr_null(rig_sent(&g, REQ_RENEW));
    ck_assert_ptr_null(rig_sent(&g, REQ_RELEASE));
}
END_TEST

START_TEST(p5_a_stolen_page_drains_and_queues_behind_the_thief)
{
    lead(5);
    rig_forget(&g);
    rig_in(&g, (struct client_input){
                   .kind = IN_LOCK_LOST, .id = g.last_lock, .error = LOCK_ERR_ABORT });
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_STOLEN);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_eq(rig_last(&g, OUT_LOCK)->flags,
                      LOCK_HAS_SIGNAL); /* a victim never steals back */
    rig_wait(&g, MS(3000));
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p5_the_loss_of_an_older_lock_means_nothing)
{
    rig_start(&g);
    uint32_t old = g.last_lock;
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_claim_ok(&g, 1, 0);
    rig_forget(&g);
    rig_in(&g, (struct client_input){ .kind = IN_LOCK_LOST, .id = old, .error = LOCK_ERR_ABORT });
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(!rig_entered(&g, STATE_DRAINING));
}
END_TEST

/* ---- 6: hidden pages ------------------------------------------------------------- */

START_TEST(p6_a_hidden_leader_leads_on_while_no_visible_page_waits)
{
    lead(0);
    rig_tell(&g, IN_HIDDEN);
    rig_lead_on(&g, MS(10000));
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 0);
}
END_TEST

START_TEST(p6_a_hidden_leader_gives_way_to_a_visible_page)
{
    lead(0);
    rig_tell(&g, IN_HIDDEN);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_uint_eq(rig_last(&g, OUT_BELIEF)->as.belief.why, WHY_HIDDEN);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
}
END_TEST

START_TEST(p6_a_visible_leader_does_not_give_way)
{
    lead(0);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(!rig_entered(&g, STATE_DRAINING));
}
END_TEST

START_TEST(p6_a_visible_page_that_waits_says_so_to_a_hidden_leader)
{
    rig_start(&g);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 1);
    rig_forget(&g);
    rig_hear(&g, MSG_HEARTBEAT, 1); /* of a hidden leader */
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 1);
    rig_forget(&g);
    rig_hear(&g, MSG_HEARTBEAT, 0); /* of a visible one */
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 0);
}
END_TEST

START_TEST(p6_a_page_that_becomes_visible_while_it_waits_says_so)
{
    g.visible = false;
    rig_start(&g);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 0);
    rig_hear(&g, MSG_HEARTBEAT, 1);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 0); /* hidden itself */
    rig_tell(&g, IN_VISIBLE);
    ck_assert_uint_eq(rig_said(&g, OUT_BROADCAST, MSG_VISIBLE_WAITS), 1);
}
END_TEST

START_TEST(p6_a_hidden_page_passes_the_lock_on_when_a_visible_one_waits)
{
    g.visible = false;
    rig_start(&g);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    rig_forget(&g);
    rig_grant(&g);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_ptr_null(rig_sent(&g, REQ_CLAIM));
    ck_assert_int_eq(g.state, STATE_REQUESTING); /* at the end of the queue */
    rig_grant(&g); /* nobody visible took it: now somebody must lead */
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
}
END_TEST

START_TEST(p6_where_every_page_is_hidden_a_hidden_one_leads)
{
    g.visible = false;
    rig_start(&g);
    rig_grant(&g);
    rig_claim_ok(&g, 1, 0);
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

/* TM-5..9: a throttled timer keeps no lease, so the page's thread arms none. */
START_TEST(p6_no_timer_runs_on_the_pages_thread)
{
    g.visible = false;
    rig_lead(&g, 2);
    rig_answer(&g, REQ_TAKE, (struct answer){ .result = ANS_OK, .op = 1 });
    rig_lead_on(&g, MS(3000));
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    rig_wait(&g, MS(8000));
    rig_submit(&g, 4);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    ck_assert_uint_gt(rig_count(&g, OUT_TIMER), 10);
    for (uint32_t i = 0; i < g.n; i++)
        if (g.log[i].kind == OUT_TIMER) ck_assert_int_eq(g.log[i].thread, THREAD_WORKER);
}
END_TEST

/* Code of one thread reaches the other by posts alone (leader.h). */
START_TEST(p6_each_thread_touches_its_own_half)
{
    lead(3);
    for (int i = 0; i < 40; i++) {
        struct client_message m = { .kind = (uint8_t)(i % (POST_SUSPECT + 1)),
                                    .fence = rig_fence(1),
                                    .a = 1 };
        for (int t = 0; t < 2; t++) {
            struct leader before = g.client;
            struct client_input in = {
                .kind = IN_POST, .thread = (enum client_thread)t, .message = &m, .now = { g.now_us }
            };
            leader_step(&g.client, &in, &g.requests);
            if (t == THREAD_PAGE)
                ck_assert_mem_eq(&before.worker, &g.client.worker, sizeof before.worker);
            else
                ck_assert_mem_eq(&before.page, &g.client.page, sizeof before.page);
            g.client = before;
        }
    }
}
END_TEST

START_TEST(p6_resume_revalidates_before_anything_is_written)
{
    lead(2);
    const struct request take = *rig_sent(&g, REQ_TAKE);
    rig_wait(&g, MS(100));
    rig_forget(&g);
    if (_i)
        rig_in(&g, (struct client_input){ .kind = IN_PAGESHOW, .persisted = true });
    else
        rig_tell(&g, IN_RESUME);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RENEW), 1); /* the ledger is asked at once */
    ck_assert(!rig_last(&g, OUT_BELIEF)->as.belief.on);
    rig_answer_as(&g, &take, (struct answer){ .result = ANS_OK, .op = 1 });
    rig_hear(&g, MSG_TASK, 7);
    ck_assert_uint_eq(rig_writes(&g), 0);
    rig_renewed(&g, 1);
    ck_assert(rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_EFFECT), 1); /* goes on where it was */
    ck_assert(fence_equal(rig_sent(&g, REQ_EFFECT)->fence, rig_fence(1))); /* under its old fence */
}
END_TEST

START_TEST(p6_a_renewal_sent_before_the_freeze_revalidates_nothing_new)
{
    lead(2);
    rig_wait(&g, MS(500));
    const struct request renew = *rig_sent(&g, REQ_RENEW);
    g.hangs = true; /* frozen: thaws long after the lease */
    for (int t = 0; t < TIMER_COUNT; t++) g.timer[THREAD_WORKER][t].armed = false;
    g.now_us += 5 * g.contract.lease.ttl_us;
    g.hangs = false;
    rig_forget(&g);
    rig_answer_as(&g, &renew,
                  (struct answer){ .result = ANS_OK, .fence = rig_fence(1), .more_tasks = 1 });
    rig_tell(&g, IN_RESUME);
    rig_hear(&g, MSG_TASK, 7);
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p6_a_page_that_wakes_after_its_lease_stops_leading)
{
    lead(2);
    g.now_us += 2 * g.contract.lease.ttl_us;
    rig_forget(&g);
    rig_tell(&g, IN_RESUME);
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert(!rig_last(&g, OUT_BELIEF)->as.belief.on);
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
}
END_TEST

START_TEST(p6_a_revalidation_that_is_refused_ends_leadership)
{
    lead(2);
    rig_tell(&g, IN_RESUME);
    rig_forget(&g);
    rig_answer(&g, REQ_RENEW, (struct answer){ .result = ANS_FENCED, .fence = rig_fence(4) });
    ck_assert(rig_entered(&g, STATE_RELEASED));
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p6_the_first_show_of_a_page_is_no_restore)
{
    lead(2);
    rig_in(&g, (struct client_input){ .kind = IN_PAGESHOW, .persisted = false });
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert(rig_last(&g, OUT_BELIEF)->as.belief.on);
}
END_TEST

START_TEST(p6_a_page_that_is_back_asks_anew_and_subscribes_again)
{
    rig_start(&g);
    rig_tell(&g, IN_PAGEHIDE);
    rig_forget(&g);
    rig_hear(&g, MSG_HEARTBEAT, 0);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0); /* in the cache it wants nothing */
    rig_in(&g, (struct client_input){ .kind = IN_PAGESHOW, .persisted = true });
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_SUBSCRIBE), 1);
}
END_TEST

/* WL-70: the cache ends requests and locks; the promise rejects after pageshow. */
START_TEST(p6_a_request_that_the_cache_dropped_is_made_again)
{
    rig_start(&g);
    uint32_t old = g.last_lock;
    rig_forget(&g);
    rig_in(&g, (struct client_input){ .kind = IN_LOCK_LOST, .id = old, .error = LOCK_ERR_ABORT });
    ck_assert(rig_entered(&g, STATE_ABORTED));
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_uint_gt(g.last_lock, old);
}
END_TEST

START_TEST(p6_a_page_that_woke_in_the_middle_of_a_claim_asks_again_under_the_same_id)
{
    rig_start(&g);
    rig_grant(&g);
    uint32_t key = rig_sent(&g, REQ_CLAIM)->key;
    rig_forget(&g);
    rig_tell(&g, IN_RESUME);
    ck_assert_uint_eq(rig_sent(&g, REQ_CLAIM)->key, key);
}
END_TEST

/* ---- 7: hints -------------------------------------------------------------------- */

START_TEST(p7_no_message_and_no_snapshot_makes_a_leader)
{
    rig_start(&g);
    rig_forget(&g);
    for (uint32_t kind = MSG_HEARTBEAT; kind <= MSG_WHO_LEADS; kind++) {
        rig_hear(&g, (enum leader_message)kind, 0);
        rig_in(&g, (struct client_input){ .kind = IN_QUERY, .holder_seen = false });
    }
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert(!rig_entered(&g, STATE_LEADER));
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
}
END_TEST

START_TEST(p7_no_message_and_no_snapshot_unmakes_a_visible_leader)
{
    lead(0);
    for (uint32_t kind = MSG_HEARTBEAT; kind <= MSG_WHO_LEADS; kind++) {
        rig_hear(&g, (enum leader_message)kind, 0);
        rig_in(&g, (struct client_input){ .kind = IN_QUERY, .holder_seen = true });
    }
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 1); /* only its beginning */
}
END_TEST

START_TEST(p7_the_reference_never_looks_at_the_snapshot_or_at_local_storage)
{
    rig_lead(&g, 2);
    rig_lead_on(&g, MS(5000));
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_wait(&g, MS(12000));
    ck_assert_uint_eq(rig_count(&g, OUT_QUERY), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_STORE), 0);
}
END_TEST

/* ---- 10: without Web Locks ------------------------------------------------------- */

START_TEST(p10_without_locks_a_page_is_a_subscriber_and_nothing_else)
{
    g.has_locks = false;
    rig_start(&g);
    ck_assert_uint_eq(rig_count(&g, OUT_SUBSCRIBE), 1);
    rig_hear(&g, MSG_HEARTBEAT, 0);
    rig_push(&g, PUSH_VACANT, rig_fence(1), 0);
    rig_push(&g, PUSH_VACANT, rig_fence(1), 0);
    rig_push(&g, PUSH_EXPIRED, rig_fence(1), 0);
    rig_push(&g, PUSH_REOPENED, rig_fence(1), 0);
    rig_hear(&g, MSG_TASK, 3);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_wait(&g, MS(20000));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_STORE), 0); /* no home-made mutex */
}
END_TEST

START_TEST(p10_where_locks_are_refused_it_follows_and_asks_again_now_and_then)
{
    rig_start(&g);
    rig_forget(&g);
    uint32_t refused = 0;
    for (int64_t end = g.now_us + MS(20000); g.now_us < end; rig_wait(&g, MS(100))) {
        if (refused == g.last_lock) continue;
        refused = g.last_lock;
        rig_in(&g,
               (struct client_input){ .kind = IN_LOCK_REFUSED,
                                      .id = refused,
                                      .error = _i ? LOCK_ERR_INVALID_STATE : LOCK_ERR_SECURITY });
        ck_assert(rig_entered(&g, STATE_ABORTED));
        ck_assert_int_eq(g.state, STATE_FOLLOWER);
    }
    ck_assert_uint_ge(rig_count(&g, OUT_LOCK), 1);
    ck_assert_uint_le(rig_count(&g, OUT_LOCK), 20);
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0);
    ck_assert_uint_eq(rig_count(&g, OUT_STORE), 0); /* no home-made mutex */
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
}
END_TEST

START_TEST(p10_single_page_mode_claims_without_a_lock)
{
    g.has_locks = false;
    g.single_page = true;
    rig_start(&g);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    rig_claim_ok(&g, 1, 1);
    ck_assert_int_eq(g.state, STATE_LEADER);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_TAKE), 1); /* the ledger enforces it: fence as ever */
    rig_tell(&g, IN_FREEZE);
    ck_assert_uint_eq(rig_sent_n(&g, REQ_RELEASE), 1);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 0); /* there is no callback to settle */
}
END_TEST

/* ---- 11: rollout ----------------------------------------------------------------- */

START_TEST(p11_observe_records_who_would_have_led_and_writes_nothing)
{
    g.contract.stage = STAGE_OBSERVE;
    rig_start(&g);
    rig_grant(&g);
    ck_assert_uint_eq(rig_count(&g, OUT_WOULD_LEAD), 1);
    rig_hear(&g, MSG_TASK, 1);
    rig_wait(&g, MS(20000));
    ck_assert_uint_eq(rig_count(&g, OUT_SEND), 0); /* it does not claim either */
    ck_assert_uint_eq(rig_count(&g, OUT_BELIEF), 0);
    ck_assert(!rig_entered(&g, STATE_LEADER));
}
END_TEST

START_TEST(p11_max_hold_runs_in_observe_too)
{
    g.contract.stage = STAGE_OBSERVE;
    rig_start(&g);
    rig_grant(&g);
    rig_forget(&g);
    rig_wait(&g, g.contract.max_hold_us);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_SETTLE), 1);
    ck_assert_int_eq(g.state, STATE_REQUESTING); /* another page is recorded, then it again */
}
END_TEST

START_TEST(p11_read_only_leads_and_neither_commits_nor_causes_effects)
{
    g.contract.stage = STAGE_READ_ONLY;
    rig_start(&g);
    rig_grant(&g);
    rig_answer(&g, REQ_CLAIM,
               (struct answer){ .result = ANS_OK,
                                .fence = rig_fence(1),
                                .more_tasks = 3,
                                .unreconciled = { 4 },
                                .unreconciled_n = 1 });
    ck_assert_int_eq(g.state, STATE_LEADER);
    rig_hear(&g, MSG_TASK, 1);
    rig_lead_on(&g, MS(3000));
    ck_assert_uint_gt(rig_sent_n(&g, REQ_RENEW), 3);
    ck_assert_uint_eq(rig_writes(&g), 0);
    ck_assert_ptr_null(rig_sent(&g, REQ_OUTCOME));
}
END_TEST

/* ---- what is left of an earlier life --------------------------------------------- */

START_TEST(p2_a_claim_that_was_given_up_is_not_sent_again_without_the_lock)
{
    rig_start(&g);
    rig_grant(&g);
    rig_tell(&g, IN_FREEZE);
    rig_forget(&g);
    rig_tell(&g, IN_RESUME);
    rig_wait(&g, 5 * g.contract.request_timeout_us);
    ck_assert_int_eq(g.state, STATE_REQUESTING);
    ck_assert_ptr_null(rig_sent(&g, REQ_CLAIM));
}
END_TEST

START_TEST(p6_a_visible_page_claims_although_another_visible_one_waits)
{
    rig_start(&g);
    rig_hear(&g, MSG_VISIBLE_WAITS, 0);
    rig_grant(&g);
    ck_assert_ptr_nonnull(rig_sent(&g, REQ_CLAIM));
}
END_TEST

/* The worker's word about a generation that is no longer ours. */
START_TEST(p4_the_renewal_of_an_older_generation_moves_no_lease)
{
    lead(0);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_claim_ok(&g, 2, 0);
    int64_t claimed = g.now_us;
    rig_forget(&g);
    struct client_message m = { .kind = POST_RENEWED,
                                .fence = rig_fence(1),
                                .a = 3,
                                .at = { claimed + 10 * g.contract.lease.ttl_us } };
    rig_in(&g, (struct client_input){ .kind = IN_POST, .message = &m });
    ck_assert_uint_eq(rig_writes(&g), 0); /* nor are its tasks believed */
    g.hangs = true;
    rig_wait(&g, g.contract.lease.ttl_us);
    rig_hear(&g, MSG_TASK, 4);
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(p3_the_loss_of_an_older_generation_ends_nothing)
{
    lead(0);
    rig_tell(&g, IN_FREEZE);
    rig_tell(&g, IN_RESUME);
    rig_grant(&g);
    rig_claim_ok(&g, 2, 0);
    struct client_message m = { .kind = POST_LOST, .fence = rig_fence(1), .a = WHY_FENCED };
    rig_in(&g, (struct client_input){ .kind = IN_POST, .message = &m });
    ck_assert_int_eq(g.state, STATE_LEADER);
}
END_TEST

Suite *leader_suite(void)
{
    Suite *s = suite_create("leader");
    TCase *t = tcase_create("leader");
    tcase_add_checked_fixture(t, open_rig, NULL);
    tcase_add_test(t, p1_a_page_that_starts_asks_for_the_lock_and_says_so);
    tcase_add_test(t, p1_the_signal_ends_a_wait);
    tcase_add_test(t, p1_the_signal_is_not_used_on_a_held_lock);
    tcase_add_test(t, p1_the_signal_is_not_used_between_grant_and_claim);
    tcase_add_test(t, p1_a_lock_of_an_abandoned_wait_is_let_go_at_once);
    tcase_add_test(t, p1_an_old_lock_is_let_go_while_a_new_one_is_awaited);
    tcase_add_test(t, p2_a_granted_lock_permits_a_claim_and_nothing_else);
    tcase_add_test(t, p2_a_page_leads_when_the_claims_answer_reaches_it);
    tcase_add_test(t, p3_whatever_a_leader_does_carries_the_fence);
    tcase_add_loop_test(t, p3_fenced_ends_leadership_at_once, 0, 4);
    tcase_add_loop_test(t, p3_a_fenced_page_never_uses_the_newer_generation, 0, 4);
    tcase_add_test(t, p3_after_fenced_it_queues_up_again);
    tcase_add_test(t, p3_a_fenced_renewal_ends_leadership);
    tcase_add_test(t, p4_nothing_is_issued_after_the_lease_by_its_own_count);
    tcase_add_test(t, p4_just_before_the_end_of_the_lease_it_still_works);
    tcase_add_test(t, p4_a_renewal_moves_the_end_to_when_it_was_sent_plus_ttl);
    tcase_add_test(t, p4_the_wall_clock_has_no_say);
    tcase_add_test(t, p4_a_lease_that_ran_out_ends_leadership);
    tcase_add_test(t, p5_max_hold_is_kept);
    tcase_add_test(t, p5_draining_settles_what_is_in_flight_and_takes_nothing_new);
    tcase_add_test(t, p5_draining_waits_for_an_answer_only_so_long);
    tcase_add_test(t, p5_a_draining_page_that_is_fenced_finishes_nothing);
    tcase_add_loop_test(t, p5_freeze_and_pagehide_wait_for_nothing, 0, 2);
    tcase_add_loop_test(t, p5_freeze_and_pagehide_cut_a_drain_short, 0, 2);
    tcase_add_test(t, p5_nothing_is_issued_under_the_fence_after_its_release);
    tcase_add_test(t, p5_a_stolen_page_drains_and_queues_behind_the_thief);
    tcase_add_test(t, p5_the_loss_of_an_older_lock_means_nothing);
    tcase_add_test(t, p6_a_hidden_leader_leads_on_while_no_visible_page_waits);
    tcase_add_test(t, p6_a_hidden_leader_gives_way_to_a_visible_page);
    tcase_add_test(t, p6_a_visible_leader_does_not_give_way);
    tcase_add_test(t, p6_a_visible_page_that_waits_says_so_to_a_hidden_leader);
    tcase_add_test(t, p6_a_page_that_becomes_visible_while_it_waits_says_so);
    tcase_add_test(t, p6_a_hidden_page_passes_the_lock_on_when_a_visible_one_waits);
    tcase_add_test(t, p6_where_every_page_is_hidden_a_hidden_one_leads);
    tcase_add_test(t, p6_no_timer_runs_on_the_pages_thread);
    tcase_add_test(t, p6_each_thread_touches_its_own_half);
    tcase_add_loop_test(t, p6_resume_revalidates_before_anything_is_written, 0, 2);
    tcase_add_test(t, p6_a_renewal_sent_before_the_freeze_revalidates_nothing_new);
    tcase_add_test(t, p6_a_page_that_wakes_after_its_lease_stops_leading);
    tcase_add_test(t, p6_a_revalidation_that_is_refused_ends_leadership);
    tcase_add_test(t, p6_the_first_show_of_a_page_is_no_restore);
    tcase_add_test(t, p6_a_page_that_is_back_asks_anew_and_subscribes_again);
    tcase_add_test(t, p6_a_request_that_the_cache_dropped_is_made_again);
    tcase_add_test(t, p6_a_page_that_woke_in_the_middle_of_a_claim_asks_again_under_the_same_id);
    tcase_add_test(t, p7_no_message_and_no_snapshot_makes_a_leader);
    tcase_add_test(t, p7_no_message_and_no_snapshot_unmakes_a_visible_leader);
    tcase_add_test(t, p7_the_reference_never_looks_at_the_snapshot_or_at_local_storage);
    tcase_add_test(t, p10_without_locks_a_page_is_a_subscriber_and_nothing_else);
    tcase_add_loop_test(t, p10_where_locks_are_refused_it_follows_and_asks_again_now_and_then, 0,
                        2);
    tcase_add_test(t, p10_single_page_mode_claims_without_a_lock);
    tcase_add_test(t, p11_observe_records_who_would_have_led_and_writes_nothing);
    tcase_add_test(t, p11_max_hold_runs_in_observe_too);
    tcase_add_test(t, p11_read_only_leads_and_neither_commits_nor_causes_effects);
    tcase_add_test(t, p2_a_claim_that_was_given_up_is_not_sent_again_without_the_lock);
    tcase_add_test(t, p6_a_visible_page_claims_although_another_visible_one_waits);
    tcase_add_test(t, p4_the_renewal_of_an_older_generation_moves_no_lease);
    tcase_add_test(t, p3_the_loss_of_an_older_generation_ends_nothing);
    suite_add_tcase(s, t);
    return s;
}
