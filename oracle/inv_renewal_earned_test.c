/* Histories that break renewal-earned, and their neighbours that do not. */
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

/* Asked for now, accepted now; returns the number of ledger.renewed. */
static uint32_t renew(uint16_t page)
{
    uint32_t id = story_ask(&b, page, REQ_RENEW, F(1), 0);
    return SAY(&b, LEDGER_RENEWED, .page = page, .request = id, .fence = F(1));
}

/* Returns the number of lock.callback. */
static uint32_t grant(uint16_t page, uint32_t request)
{
    SAY(&b, LOCK_GRANTED, .page = page, .request = request, .key = LOCK_NAME_LEADER);
    return SAY(&b, LOCK_CALLBACK, .page = page, .request = request, .key = LOCK_NAME_LEADER);
}

START_TEST(a_hung_page_that_is_renewed_breaks_it)
{
    story_page(&b, 0);
    uint32_t one = SAY(&b, PAGE_BLOCKED, .page = 0);
    story_wait_ms(&b, 500); /* half a lease */
    renew(0);
    expect_held(&b, INV_RENEWAL_EARNED);
    SAY(&b, PAGE_BLOCKED, .page = 0); /* another task behind the first */
    story_wait_ms(&b, 1);
    uint32_t two = renew(0);
    expect_broken(&b, INV_RENEWAL_EARNED, one, two);
}
END_TEST

START_TEST(a_task_that_is_over_is_none)
{
    story_page(&b, 0);
    SAY(&b, PAGE_BLOCKED, .page = 0);
    story_wait_ms(&b, 2000);
    SAY(&b, PAGE_UNBLOCKED, .page = 0);
    renew(0);
    story_page(&b, 1);
    renew(1);
    expect_held(&b, INV_RENEWAL_EARNED);
}
END_TEST

START_TEST(what_counts_is_when_the_renewal_was_asked_for)
{
    story_page(&b, 0);
    uint32_t one = SAY(&b, PAGE_BLOCKED, .page = 0);
    uint32_t early = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    story_wait_ms(&b, 800);
    SAY(&b, LEDGER_RENEWED, .page = 0, .request = early, .fence = F(1));
    expect_held(&b, INV_RENEWAL_EARNED);
    uint32_t late = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    story_wait_ms(&b, 100);
    SAY(&b, PAGE_UNBLOCKED, .page = 0);
    uint32_t two = SAY(&b, LEDGER_RENEWED, .page = 0, .request = late, .fence = F(1));
    expect_broken(&b, INV_RENEWAL_EARNED, one, two);
}
END_TEST

START_TEST(a_hold_past_max_hold_that_is_renewed_breaks_it)
{
    story_page(&b, 0);
    uint32_t one = grant(0, 1);
    story_wait_ms(&b, 30000);
    renew(0);
    expect_held(&b, INV_RENEWAL_EARNED);
    story_wait_ms(&b, 1);
    uint32_t two = renew(0);
    expect_broken(&b, INV_RENEWAL_EARNED, one, two);
}
END_TEST

START_TEST(a_hold_begins_with_the_callback)
{
    story_page(&b, 0);
    SAY(&b, LOCK_GRANTED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    story_wait_ms(&b, 5000);
    uint32_t one = SAY(&b, LOCK_CALLBACK, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    story_wait_ms(&b, 30000);
    renew(0);
    expect_held(&b, INV_RENEWAL_EARNED);
    story_wait_ms(&b, 1);
    uint32_t two = renew(0);
    expect_broken(&b, INV_RENEWAL_EARNED, one, two);
}
END_TEST

START_TEST(a_callback_after_the_theft_holds_nothing)
{
    story_page(&b, 0);
    SAY(&b, LOCK_GRANTED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    SAY(&b, LOCK_STOLEN, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    SAY(&b, LOCK_CALLBACK, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    story_wait_ms(&b, 40000);
    renew(0);
    expect_held(&b, INV_RENEWAL_EARNED);
}
END_TEST

START_TEST(a_hold_does_not_grow_while_the_device_sleeps)
{
    story_page(&b, 0);
    SAY(&b, DEVICE_ASLEEP, .device = 0);
    story_wait_ms(&b, 1000);
    uint32_t one = grant(0, 1);
    story_wait_ms(&b, 4000);
    SAY(&b, DEVICE_AWAKE, .device = 0);
    story_wait_ms(&b, 20000);
    SAY(&b, DEVICE_ASLEEP, .device = 1); /* another one */
    story_wait_ms(&b, 10000);
    SAY(&b, DEVICE_AWAKE, .device = 1);
    renew(0);
    expect_held(&b, INV_RENEWAL_EARNED);
    story_wait_ms(&b, 1);
    uint32_t two = renew(0);
    expect_broken(&b, INV_RENEWAL_EARNED, one, two);
}
END_TEST

START_TEST(a_hold_ends_with_the_lock)
{
    for (uint16_t page = 0; page < 2; page++) {
        story_page(&b, page);
        grant(page, page + 1u);
        SAY(&b, LOCK_GRANTED, .page = page, .request = 9, .key = LOCK_NAME_LEADER + 1);
        story_wait_ms(&b, 20000);
        SAY(&b, LOCK_RELEASED, .page = page, .request = 9, .key = LOCK_NAME_LEADER + 1);
        if (page == 0)
            SAY(&b, LOCK_RELEASED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
        else
            SAY(&b, LOCK_STOLEN, .page = 1, .request = 2, .key = LOCK_NAME_LEADER);
        grant(page, page + 3u);
        story_wait_ms(&b, 20000);
        renew(page);
    }
    expect_held(&b, INV_RENEWAL_EARNED);
}
END_TEST

START_TEST(a_page_that_nobody_knows_is_not_judged)
{
    SAY(&b, LEDGER_RENEWED, .page = PAGE_SERVER, .fence = F(1));
    story_page(&b, 0);
    SAY(&b, LEDGER_RENEWED, .page = 0, .request = 77, .fence = F(1));
    expect_unknown(&b, INV_RENEWAL_EARNED);
}
END_TEST

STORY_SUITE(inv_renewal_earned, a_hung_page_that_is_renewed_breaks_it, a_task_that_is_over_is_none,
            what_counts_is_when_the_renewal_was_asked_for,
            a_hold_past_max_hold_that_is_renewed_breaks_it, a_hold_begins_with_the_callback,
            a_callback_after_the_theft_holds_nothing, a_hold_does_not_grow_while_the_device_sleeps,
            a_hold_ends_with_the_lock, a_page_that_nobody_knows_is_not_judged)
