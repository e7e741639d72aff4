/* Histories that break account-bound, and their neighbours that do not. */
#include "oracle/builder.h"

static struct story b;

static void setup(void)
{
    story_open(&b);
    story_page(&b, 0);
    story_page(&b, 1);
}
static void teardown(void)
{
    story_close(&b);
}

static uint32_t changed(enum account account)
{
    return SAY(&b, ACCOUNT_CHANGED, .page = 1, .a = account);
}

static uint32_t heard(uint16_t page, enum account account)
{
    return SAY(&b, ACCOUNT_HEARD, .page = page, .a = account);
}

static uint32_t asks(uint16_t page, enum request_kind kind)
{
    story_ask(&b, page, kind, F(1), 1);
    return b.n - 1;
}

START_TEST(work_after_the_page_has_heard_breaks_it)
{
    static const enum request_kind work[] = { REQ_TAKE,      REQ_SUBMIT, REQ_EFFECT,  REQ_ACK,
                                              REQ_RECONCILE, REQ_COMMIT, REQ_REFRESH, REQ_FOLLOW };
    changed(_i % 2 ? ACCOUNT_OTHER : ACCOUNT_NONE);
    uint32_t by = heard(0, _i % 2 ? ACCOUNT_OTHER : ACCOUNT_NONE);
    expect_held(&b, INV_ACCOUNT_BOUND);
    uint32_t asked = asks(0, work[_i]);
    expect_broken(&b, INV_ACCOUNT_BOUND, by, asked);
}
END_TEST

START_TEST(a_page_that_has_not_heard_yet_and_one_of_another_browser_may_work)
{
    SAY(&b, PAGE_CREATED, .page = 2, .partition = 1, .flags = PAGE_IS_ABLE);
    changed(ACCOUNT_NONE);
    heard(1, ACCOUNT_NONE);
    asks(0, REQ_TAKE);
    asks(2, REQ_TAKE);
    expect_held(&b, INV_ACCOUNT_BOUND);
}
END_TEST

START_TEST(giving_back_is_no_work)
{
    changed(ACCOUNT_NONE);
    heard(0, ACCOUNT_NONE);
    asks(0, REQ_RELEASE);
    asks(0, REQ_SIGN_OUT);
    asks(0, REQ_RENEW);
    expect_held(&b, INV_ACCOUNT_BOUND);
}
END_TEST

START_TEST(a_page_that_comes_back_from_the_cache_or_is_new_knows)
{
    SAY(&b, PAGE_CACHED, .page = 0);
    uint32_t by = changed(ACCOUNT_NONE);
    SAY(&b, PAGE_RESTORED, .page = 0);
    uint32_t asked = asks(0, REQ_TAKE);
    expect_broken(&b, INV_ACCOUNT_BOUND, by, asked);
    b.n--;
    SAY(&b, PAGE_CREATED, .page = 3, .flags = PAGE_IS_ABLE);
    asked = asks(3, REQ_SUBMIT);
    expect_broken(&b, INV_ACCOUNT_BOUND, by, asked);
}
END_TEST

START_TEST(when_the_account_is_back_the_page_may_work_whether_told_or_not)
{
    changed(ACCOUNT_OTHER);
    heard(0, ACCOUNT_OTHER);
    changed(ACCOUNT_OWN);
    asks(0, REQ_TAKE);
    heard(0, ACCOUNT_OWN);
    asks(0, REQ_COMMIT);
    expect_held(&b, INV_ACCOUNT_BOUND);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    asks(0, REQ_TAKE);
    expect_unknown(&b, INV_ACCOUNT_BOUND);
    changed(ACCOUNT_NONE);
    SAY(&b, PAGE_CREATED, .page = STORY_PAGES, .flags = PAGE_IS_ABLE);
    expect_unknown(&b, INV_ACCOUNT_BOUND);
}
END_TEST

Suite *inv_account_bound_suite(void);
Suite *inv_account_bound_suite(void)
{
    Suite *s = suite_create("inv_account_bound");
    TCase *t = tcase_create("histories");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, work_after_the_page_has_heard_breaks_it, 0, 7);
    tcase_add_test(t, a_page_that_has_not_heard_yet_and_one_of_another_browser_may_work);
    tcase_add_test(t, giving_back_is_no_work);
    tcase_add_test(t, a_page_that_comes_back_from_the_cache_or_is_new_knows);
    tcase_add_test(t, when_the_account_is_back_the_page_may_work_whether_told_or_not);
    tcase_add_test(t, nothing_to_judge_is_unknown);
    suite_add_tcase(s, t);
    return s;
}
