/* The session's server: what a token is good for, once, again, and by whom. */
#include "sim/server/auth.h"

#include <check.h>

static struct auth h;
static struct arena arena;
static struct obs said[64];
static struct history history;

static void setup(void)
{
    arena_open(&arena, (size_t)1 << 20);
    auth_open(&h, &arena);
    history = (struct history){ .at = said, .max = 64 };
    auth_reset(&h, 4 * US_PER_S, 0, &history);
}

static void teardown(void)
{
    arena_close(&arena);
}

static struct answer ask_at(int64_t us, enum request_kind kind, uint32_t token, uint32_t key)
{
    struct request r = { .id = 7, .kind = kind, .page = 1, .token = token, .key = key };
    struct answer a;
    auth_request(&h, &r, (struct instant){ us }, OBS_NONE, &a);
    return a;
}

static struct answer refresh(uint32_t token, uint32_t key)
{
    return ask_at(0, REQ_REFRESH, token, key);
}

START_TEST(a_token_is_good_for_one_successor)
{
    uint32_t first = auth_sign_in(&h);
    struct answer a = refresh(first, 1);
    ck_assert_int_eq(a.result, ANS_OK);
    ck_assert_uint_ne(a.token, first);
    ck_assert_int_eq(a.wait_us, 4 * US_PER_S);
    ck_assert_int_eq(said[0].kind, OBS_SESSION_ROTATED);
    ck_assert_int_eq(refresh(a.token, 2).result, ANS_OK);
}
END_TEST

START_TEST(the_same_refresh_again_gets_the_same_answer)
{
    uint32_t first = auth_sign_in(&h);
    struct answer a = refresh(first, 1), again = refresh(first, 1);
    ck_assert_int_eq(again.result, ANS_OK);
    ck_assert_uint_eq(again.token, a.token);
    ck_assert_int_eq(said[1].kind, OBS_SESSION_REPEATED);
    ck_assert_int_eq(refresh(a.token, 2).result, ANS_OK);
    ck_assert_uint_eq(refresh(first, 1).token, a.token); /* also when that one is used */
}
END_TEST

START_TEST(another_refresh_with_a_used_token_revokes_its_family_and_no_other)
{
    uint32_t first = auth_sign_in(&h), other = auth_sign_in(&h);
    struct answer a = refresh(first, 1);
    ck_assert_int_eq(refresh(first, 9).result, ANS_REVOKED);
    ck_assert_int_eq(said[1].kind, OBS_SESSION_REUSED);
    ck_assert_int_eq(refresh(a.token, 2).result, ANS_REVOKED);
    ck_assert_int_eq(said[2].kind, OBS_SESSION_REFUSED);
    ck_assert_int_eq(refresh(first, 1).result, ANS_REVOKED);
    ck_assert_int_eq(refresh(other, 3).result, ANS_OK);
}
END_TEST

START_TEST(within_the_reuse_interval_both_racers_get_a_token)
{
    h.reuse_us = US_PER_S;
    uint32_t first = auth_sign_in(&h);
    struct answer a = refresh(first, 1);
    struct answer b = ask_at(US_PER_S, REQ_REFRESH, first, 2);
    ck_assert_int_eq(b.result, ANS_OK);
    ck_assert_uint_ne(a.token, b.token);
    ck_assert_int_eq(ask_at(2 * US_PER_S + 1, REQ_REFRESH, first, 3).result, ANS_REVOKED);
}
END_TEST

START_TEST(nothing_is_refreshed_after_a_sign_out)
{
    uint32_t first = auth_sign_in(&h);
    ck_assert_int_eq(ask_at(0, REQ_SIGN_OUT, first, 0).result, ANS_OK);
    ck_assert_int_eq(said[0].kind, OBS_SESSION_ENDED);
    ck_assert_int_eq(refresh(first, 1).result, ANS_SIGNED_OUT);
    ck_assert_int_eq(ask_at(0, REQ_SIGN_OUT, first, 0).result, ANS_SIGNED_OUT);
}
END_TEST

START_TEST(what_nobody_gave_out_is_refused_and_numbers_end)
{
    ck_assert_int_eq(refresh(0, 1).result, ANS_REFUSED);
    ck_assert_int_eq(refresh(1, 1).result, ANS_REFUSED);
    for (int i = 0; i < AUTH_TOKENS_MAX; i++) ck_assert_uint_ne(auth_sign_in(&h), 0);
    ck_assert_uint_eq(auth_sign_in(&h), 0);
    ck_assert_int_eq(refresh(1, 1).result, ANS_UNAVAILABLE);
}
END_TEST

Suite *auth_suite(void);
Suite *auth_suite(void)
{
    Suite *s = suite_create("auth");
    TCase *t = tcase_create("tokens");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_token_is_good_for_one_successor);
    tcase_add_test(t, the_same_refresh_again_gets_the_same_answer);
    tcase_add_test(t, another_refresh_with_a_used_token_revokes_its_family_and_no_other);
    tcase_add_test(t, within_the_reuse_interval_both_racers_get_a_token);
    tcase_add_test(t, nothing_is_refreshed_after_a_sign_out);
    tcase_add_test(t, what_nobody_gave_out_is_refused_and_numbers_end);
    suite_add_tcase(s, t);
    return s;
}
