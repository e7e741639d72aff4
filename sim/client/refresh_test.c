/* leader-worker@3, the session and the account: who refreshes, with which token and key, what
 * is stored, and what a page does that is signed out (protocol.md, "Workstreams"). */
#include <check.h>

#include "sim/client/rig.h"

Suite *refresh_suite(void);

#define LIFETIME MS(4000)

static struct rig g;

static void open_session(void)
{
    rig_open(&g);
    g.contract.work = WORKSTREAM_SESSION;
    g.local_authority = true;
    g.has_session = true;
    g.session = (struct session){ .account = ACCOUNT_OWN, .token = 1, .version = 1 };
    g.session.due.us = g.now_us + MS(2000);
}

static void open_outbox(void)
{
    rig_open(&g);
    g.has_session = true;
    g.session = (struct session){ .account = ACCOUNT_OWN, .version = 1 };
}

static void lead_until_due(void)
{
    rig_lead(&g, 0);
    rig_lead_on(&g, MS(2500));
}

static void answered(enum answer_result result, uint32_t token)
{
    rig_answer(&g, REQ_REFRESH,
               (struct answer){ .result = result, .token = token, .wait_us = LIFETIME });
}

static void signs(enum account account)
{
    g.session.account = account;
    g.session.version++;
    rig_tell(&g, IN_ACCOUNT);
}

/* ---- the refresh ------------------------------------------------------------------------- */

START_TEST(the_leader_refreshes_when_it_is_due_and_not_before)
{
    rig_lead(&g, 0);
    rig_lead_on(&g, MS(1500));
    ck_assert_ptr_null(rig_sent(&g, REQ_REFRESH));
    rig_lead_on(&g, MS(1000));
    ck_assert_uint_eq(rig_sent(&g, REQ_REFRESH)->token, 1);
    answered(ANS_OK, 2);
    ck_assert_uint_eq(g.session.token, 2);
    ck_assert_int_eq(g.session.due.us, g.now_us + LIFETIME / 2);
    rig_forget(&g);
    rig_lead_on(&g, MS(1000));
    ck_assert_ptr_null(rig_sent(&g, REQ_REFRESH));
}
END_TEST

START_TEST(a_waiting_page_never_does)
{
    rig_start(&g);
    rig_wait(&g, MS(4000));
    ck_assert_ptr_null(rig_sent(&g, REQ_REFRESH));
}
END_TEST

START_TEST(it_takes_the_token_that_storage_has_not_the_one_that_it_remembers)
{
    lead_until_due();
    answered(ANS_OK, 2);
    g.session.token = 9; /* another page's */
    g.session.due.us = g.now_us;
    rig_forget(&g);
    rig_lead_on(&g, MS(500));
    ck_assert_uint_eq(rig_sent(&g, REQ_REFRESH)->token, 9);
}
END_TEST

START_TEST(a_lost_answer_is_asked_for_under_the_same_key)
{
    lead_until_due();
    uint32_t key = rig_sent(&g, REQ_REFRESH)->key, id = rig_sent(&g, REQ_REFRESH)->id;
    rig_forget(&g);
    rig_lead_on(&g, MS(600));
    ck_assert_uint_ne(rig_sent(&g, REQ_REFRESH)->id, id);
    ck_assert_uint_eq(rig_sent(&g, REQ_REFRESH)->key, key);
    answered(ANS_OK, 2);
    ck_assert_uint_eq(g.session.token, 2);
}
END_TEST

START_TEST(the_next_leader_asks_under_the_same_key_too)
{
    lead_until_due();
    uint32_t key = rig_sent(&g, REQ_REFRESH)->key;
    struct session left = g.session; /* nothing was stored */
    open_session();
    g.session = left;
    g.now_us += MS(9000);
    g.session_instance = 6;
    lead_until_due();
    ck_assert_uint_eq(rig_sent(&g, REQ_REFRESH)->key, key);
}
END_TEST

START_TEST(a_late_answer_overwrites_nothing_newer)
{
    lead_until_due();
    g.session.token = 7; /* another page has been through */
    g.session.version++;
    answered(ANS_OK, 2);
    ck_assert_uint_eq(g.session.token, 7);
}
END_TEST

START_TEST(a_late_answer_undoes_no_sign_out)
{
    lead_until_due();
    signs(ACCOUNT_NONE);
    answered(ANS_OK, 2);
    ck_assert_int_eq(g.session.account, ACCOUNT_NONE);
    ck_assert_uint_ne(g.session.token, 2);
}
END_TEST

START_TEST(a_refused_refresh_ends_its_own_session_and_no_newer_one)
{
    lead_until_due();
    answered(_i ? ANS_REVOKED : ANS_SIGNED_OUT, 0);
    ck_assert_int_eq(g.session.account, ACCOUNT_NONE);
    open_session();
    lead_until_due();
    g.session.version++;
    answered(ANS_REVOKED, 0);
    ck_assert_int_eq(g.session.account, ACCOUNT_OWN);
}
END_TEST

START_TEST(the_server_is_told_of_a_sign_out_by_whoever_is_asked)
{
    rig_start(&g); /* a follower */
    rig_tell(&g, IN_SIGN_OUT);
    ck_assert_uint_eq(rig_sent(&g, REQ_SIGN_OUT)->token, 1);
}
END_TEST

/* ---- accounts ----------------------------------------------------------------------------- */

START_TEST(a_leader_that_is_signed_out_stops_at_once_and_asks_again_when_it_is_back)
{
    rig_lead(&g, 1);
    rig_forget(&g);
    signs(_i ? ACCOUNT_OTHER : ACCOUNT_NONE);
    ck_assert(rig_entered(&g, STATE_DRAINING));
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    rig_hear(&g, MSG_HEARTBEAT, 0); /* which makes a follower ask for the lock otherwise */
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
    signs(ACCOUNT_OWN);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 1);
}
END_TEST

START_TEST(a_waiting_page_withdraws_its_request)
{
    rig_start(&g);
    signs(ACCOUNT_OTHER);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK_ABORT), 1);
    ck_assert_int_eq(g.state, STATE_FOLLOWER);
}
END_TEST

START_TEST(no_write_before_the_event_has_come_either)
{
    rig_lead(&g, 0);
    g.session.account = ACCOUNT_NONE; /* no event yet */
    rig_forget(&g);
    rig_hear(&g, MSG_TASK, 5);
    ck_assert_uint_eq(rig_writes(&g), 0);
}
END_TEST

START_TEST(a_page_that_was_in_the_cache_looks_before_it_asks)
{
    rig_start(&g);
    rig_in(&g, (struct client_input){ .kind = IN_PAGEHIDE, .persisted = true });
    g.session.account = ACCOUNT_NONE; /* no event reaches it */
    rig_forget(&g);
    rig_in(&g, (struct client_input){ .kind = IN_PAGESHOW, .persisted = true });
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
}
END_TEST

START_TEST(an_operation_is_kept_until_its_account_is_back)
{
    rig_start(&g);
    signs(ACCOUNT_OTHER);
    rig_submit(&g, 5);
    rig_wait(&g, MS(2000));
    ck_assert_ptr_null(rig_sent(&g, REQ_SUBMIT));
    signs(ACCOUNT_OWN);
    ck_assert_uint_eq(rig_sent(&g, REQ_SUBMIT)->op, 5);
}
END_TEST

START_TEST(a_page_that_starts_signed_out_asks_for_nothing)
{
    g.session.account = ACCOUNT_NONE;
    rig_start(&g);
    ck_assert_uint_eq(rig_count(&g, OUT_LOCK), 0);
}
END_TEST

Suite *refresh_suite(void)
{
    Suite *s = suite_create("refresh");
    TCase *t = tcase_create("session");
    tcase_add_checked_fixture(t, open_session, NULL);
    tcase_add_test(t, the_leader_refreshes_when_it_is_due_and_not_before);
    tcase_add_test(t, a_waiting_page_never_does);
    tcase_add_test(t, it_takes_the_token_that_storage_has_not_the_one_that_it_remembers);
    tcase_add_test(t, a_lost_answer_is_asked_for_under_the_same_key);
    tcase_add_test(t, the_next_leader_asks_under_the_same_key_too);
    tcase_add_test(t, a_late_answer_overwrites_nothing_newer);
    tcase_add_test(t, a_late_answer_undoes_no_sign_out);
    tcase_add_loop_test(t, a_refused_refresh_ends_its_own_session_and_no_newer_one, 0, 2);
    tcase_add_test(t, the_server_is_told_of_a_sign_out_by_whoever_is_asked);
    suite_add_tcase(s, t);
    t = tcase_create("account");
    tcase_add_checked_fixture(t, open_outbox, NULL);
    tcase_add_loop_test(t, a_leader_that_is_signed_out_stops_at_once_and_asks_again_when_it_is_back,
                        0, 2);
    tcase_add_test(t, a_waiting_page_withdraws_its_request);
    tcase_add_test(t, no_write_before_the_event_has_come_either);
    tcase_add_test(t, a_page_that_was_in_the_cache_looks_before_it_asks);
    tcase_add_test(t, an_operation_is_kept_until_its_account_is_back);
    tcase_add_test(t, a_page_that_starts_signed_out_asks_for_nothing);
    suite_add_tcase(s, t);
    return s;
}
