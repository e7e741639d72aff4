/* Histories that break single-use-token, and their neighbours that do not. */
#include "oracle/builder.h"

static struct story b;

static void setup(void)
{
    story_open(&b);
}
static void teardown(void)
{
    story_close(&b);
}

static uint32_t present(enum obs_kind how, uint16_t page, uint32_t token, uint32_t key)
{
    return story_say(&b,
                     (struct obs){ .kind = (uint16_t)how, .page = page, .a = token, .key = key });
}

static uint32_t stored(uint16_t page, uint32_t token, uint32_t of)
{
    return SAY(&b, SESSION_STORED, .page = page, .a = token, .b = of);
}

static uint32_t signs(enum account account, uint32_t token)
{
    return SAY(&b, ACCOUNT_CHANGED, .page = 0, .a = account, .b = token);
}

START_TEST(one_token_under_two_keys_breaks_it)
{
    uint32_t one = present(OBS_SESSION_ROTATED, 0, 1, 7);
    uint32_t two = present(OBS_SESSION_REUSED, 1, 1, 8);
    expect_broken(&b, INV_SINGLE_USE_TOKEN, one, two);
    b.at[two].kind = OBS_SESSION_ROTATED; /* a server with a reuse interval changes nothing */
    expect_broken(&b, INV_SINGLE_USE_TOKEN, one, two);
}
END_TEST

START_TEST(the_same_refresh_may_arrive_twice_and_tokens_have_keys_of_their_own)
{
    present(OBS_SESSION_ROTATED, 0, 1, 7);
    present(OBS_SESSION_REPEATED, 1, 1, 7);
    present(OBS_SESSION_ROTATED, 1, 2, 8);
    expect_held(&b, INV_SINGLE_USE_TOKEN);
}
END_TEST

START_TEST(an_older_session_over_a_newer_one_breaks_it)
{
    stored(0, 2, 1);
    uint32_t newer = stored(1, 3, 2);
    expect_held(&b, INV_SINGLE_USE_TOKEN);
    uint32_t late = stored(0, 2, 1);
    expect_broken(&b, INV_SINGLE_USE_TOKEN, newer, late);
    b.at[late].partition = 1; /* another browser's session */
    expect_held(&b, INV_SINGLE_USE_TOKEN);
}
END_TEST

START_TEST(clearing_a_session_that_is_newer_than_the_refused_refresh_breaks_it)
{
    uint32_t newer = stored(1, 3, 2);
    uint32_t cleared = stored(0, 0, 2);
    expect_broken(&b, INV_SINGLE_USE_TOKEN, newer, cleared);
    b.at[cleared].b = 3;
    expect_held(&b, INV_SINGLE_USE_TOKEN);
}
END_TEST

START_TEST(a_session_stored_after_a_sign_out_breaks_it_until_the_next_sign_in)
{
    signs(ACCOUNT_OWN, 1);
    uint32_t out = signs(ACCOUNT_NONE, 0);
    uint32_t undone = stored(0, 2, 1);
    expect_broken(&b, INV_SINGLE_USE_TOKEN, out, undone);
    b.n--;
    uint32_t in = signs(ACCOUNT_OWN, 5);
    stored(0, 6, 5);
    expect_held(&b, INV_SINGLE_USE_TOKEN);
    b.n--;
    uint32_t older = stored(0, 2, 1); /* of the session before */
    expect_broken(&b, INV_SINGLE_USE_TOKEN, in, older);
}
END_TEST

START_TEST(a_number_beyond_the_capacity_makes_it_unknown_for_good)
{
    present(OBS_SESSION_ROTATED, 0, 100000, 7);
    present(OBS_SESSION_ROTATED, 0, 1, 7);
    present(OBS_SESSION_REUSED, 1, 1, 8);
    expect_unknown(&b, INV_SINGLE_USE_TOKEN);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    story_page(&b, 0);
    signs(ACCOUNT_NONE, 0);
    expect_unknown(&b, INV_SINGLE_USE_TOKEN);
}
END_TEST

STORY_SUITE(inv_single_use_token, one_token_under_two_keys_breaks_it,
            the_same_refresh_may_arrive_twice_and_tokens_have_keys_of_their_own,
            an_older_session_over_a_newer_one_breaks_it,
            clearing_a_session_that_is_newer_than_the_refused_refresh_breaks_it,
            a_session_stored_after_a_sign_out_breaks_it_until_the_next_sign_in,
            a_number_beyond_the_capacity_makes_it_unknown_for_good, nothing_to_judge_is_unknown)
