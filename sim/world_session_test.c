/* Accounts and sessions in the world: who hears of a sign-out, what is written and what not. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_session_suite(void);

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* The page that leads, in a round of the session's workstream. */
static uint16_t led(uint32_t tabs)
{
    world_rig_open(&g, PROFILE_CHROMIUM, tabs);
    g.scenario.session_lifetime_us = SECONDS(4);
    g.contract.work = WORKSTREAM_SESSION;
    g.contract.authority = AUTHORITY_INDEXEDDB;
    world_rig_reset(&g, 1);
    return world_rig_leader(&g);
}

static const struct obs *find(enum obs_kind kind, uint16_t page)
{
    return world_rig_find(&g, 0, kind, page);
}

static void write(uint16_t page, uint32_t flags, uint32_t version)
{
    struct client_output o = { .kind = OUT_SESSION, .flags = flags };
    o.as.session = (struct session){ .account = ACCOUNT_OWN, .token = 99, .version = version };
    session_write(g.w, page, &o);
}

START_TEST(a_refresh_is_due_after_half_of_the_lifetime_and_stored)
{
    uint16_t p = led(2);
    world_rig_for(&g, SECONDS(1));
    ck_assert_ptr_null(find(OBS_SESSION_ROTATED, p));
    world_rig_for(&g, SECONDS(2));
    ck_assert_ptr_nonnull(find(OBS_SESSION_ROTATED, p));
    ck_assert_uint_eq(find(OBS_SESSION_STORED, p)->a, find(OBS_SESSION_ROTATED, p)->b);
    ck_assert_uint_eq(g.w->device[0].session.token, 2);
}
END_TEST

START_TEST(st14_pages_hear_of_a_sign_out_by_storage_event_but_not_in_the_cache)
{
    uint16_t p = led(2), other = (uint16_t)(1 - p);
    ck_assert(page_cache(g.w, other));
    session_account(g.w, 0, ACCOUNT_NONE);
    ck_assert_ptr_null(find(OBS_ACCOUNT_HEARD, p)); /* late */
    world_rig_for(&g, SECONDS(1));
    ck_assert_ptr_nonnull(find(OBS_ACCOUNT_HEARD, p));
    ck_assert_ptr_null(find(OBS_ACCOUNT_HEARD, other));
    page_restore(g.w, other);
    world_rig_for(&g, SECONDS(1));
    ck_assert(!g.w->page[other].client.page.lock.waiting);
}
END_TEST

START_TEST(the_server_hears_of_it_and_a_sign_in_makes_another_family)
{
    (void)led(1);
    session_account(g.w, 0, ACCOUNT_NONE);
    world_rig_for(&g, SECONDS(1));
    ck_assert(g.w->auth.token[1].ended);
    session_account(g.w, 0, ACCOUNT_OWN);
    uint32_t token = g.w->device[0].session.token;
    ck_assert_uint_ne(token, 1);
    ck_assert_uint_eq(g.w->auth.token[token].family, token);
}
END_TEST

START_TEST(a_write_that_compares_loses_against_a_newer_version)
{
    uint16_t p = led(1);
    uint32_t version = g.w->device[0].session.version;
    write(p, SESSION_IF_UNCHANGED, version - 1);
    ck_assert_uint_eq(g.w->device[0].session.token, 1);
    write(p, SESSION_IF_UNCHANGED, version);
    ck_assert_uint_eq(g.w->device[0].session.token, 99);
    ck_assert_uint_eq(g.w->device[0].session.version, version + 1);
    g.w->device[0].quota_full = true;
    g.w->device[0].session.token = 1;
    write(p, 0, 0);
    ck_assert_uint_eq(g.w->device[0].session.token, 1);
}
END_TEST

START_TEST(cleared_site_data_is_a_sign_out_and_the_user_comes_back)
{
    (void)led(1);
    session_cleared(g.w, 0, OBS_NONE);
    ck_assert_int_eq(g.w->device[0].session.account, ACCOUNT_NONE);
    world_rig_for(&g, SECONDS(3));
    ck_assert_int_eq(g.w->device[0].session.account, ACCOUNT_OWN);
}
END_TEST

START_TEST(at_the_healing_everybody_is_signed_in)
{
    (void)led(1);
    session_account(g.w, 0, ACCOUNT_OTHER);
    session_heal(g.w);
    ck_assert_int_eq(g.w->device[0].session.account, ACCOUNT_OWN);
}
END_TEST

START_TEST(in_a_round_of_another_workstream_nothing_is_seen)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 2);
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    session_cleared(g.w, 0, OBS_NONE);
    world_rig_for(&g, SECONDS(10));
    for (uint32_t i = 0; i < g.w->history.n; i++)
        ck_assert_uint_lt(g.w->history.at[i].kind, OBS_SESSION_ROTATED);
}
END_TEST

Suite *world_session_suite(void)
{
    Suite *s = suite_create("world_session");
    TCase *t = tcase_create("session");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_add_test(t, a_refresh_is_due_after_half_of_the_lifetime_and_stored);
    tcase_add_test(t, st14_pages_hear_of_a_sign_out_by_storage_event_but_not_in_the_cache);
    tcase_add_test(t, the_server_hears_of_it_and_a_sign_in_makes_another_family);
    tcase_add_test(t, a_write_that_compares_loses_against_a_newer_version);
    tcase_add_test(t, cleared_site_data_is_a_sign_out_and_the_user_comes_back);
    tcase_add_test(t, at_the_healing_everybody_is_signed_in);
    tcase_add_test(t, in_a_round_of_another_workstream_nothing_is_seen);
    suite_add_tcase(s, t);
    return s;
}
