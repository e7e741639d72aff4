/* Histories that break steal-permitted, and their neighbours that do not. */
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

static uint32_t steal(uint16_t page, uint32_t flags, uint32_t name)
{
    return SAY(&b, LOCK_REQUESTED, .page = page, .request = 1 + b.n, .key = name,
               .flags = (uint8_t)(LOCK_IS_STEAL | flags));
}

static uint32_t permit(uint16_t page, uint32_t id)
{
    return SAY(&b, LEDGER_PERMIT, .page = page, .key = id, .a = 1);
}

START_TEST(a_steal_without_a_permit_breaks_it)
{
    permit(1, 1);
    uint32_t two = steal(0, 0, LOCK_NAME_LEADER);
    expect_broken(&b, INV_STEAL_PERMITTED, OBS_NONE, two);
}
END_TEST

START_TEST(one_permit_is_one_steal)
{
    permit(0, 1);
    uint32_t one = steal(0, 0, LOCK_NAME_LEADER);
    expect_held(&b, INV_STEAL_PERMITTED);
    permit(0, 1); /* the same answer again */
    uint32_t two = steal(0, 0, LOCK_NAME_LEADER);
    expect_broken(&b, INV_STEAL_PERMITTED, one, two);
    b.n--;
    permit(0, 2);
    steal(0, 0, LOCK_NAME_LEADER);
    expect_held(&b, INV_STEAL_PERMITTED);
}
END_TEST

START_TEST(never_forbids_and_allowed_allows)
{
    permit(0, 1);
    uint32_t two = steal(0, 0, LOCK_NAME_LEADER);
    b.contract.steal = STEAL_NEVER;
    expect_broken(&b, INV_STEAL_PERMITTED, OBS_NONE, two);
    b.contract.steal = STEAL_ALLOWED;
    steal(0, 0, LOCK_NAME_LEADER);
    expect_held(&b, INV_STEAL_PERMITTED);
}
END_TEST

START_TEST(foreign_code_other_locks_and_plain_requests_are_not_judged)
{
    SAY(&b, PAGE_CREATED, .page = 1, .flags = PAGE_IS_ABLE | PAGE_IS_FOREIGN);
    steal(0, LOCK_IS_FOREIGN, LOCK_NAME_LEADER);
    steal(1, 0, LOCK_NAME_LEADER);
    steal(0, 0, LOCK_NAME_OTHER);
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 99, .key = LOCK_NAME_LEADER);
    SAY(&b, LOCK_REQUESTED, .page = PAGE_NONE, .request = 98, .key = LOCK_NAME_LEADER,
        .flags = LOCK_IS_STEAL);
    expect_unknown(&b, INV_STEAL_PERMITTED);
}
END_TEST

START_TEST(a_page_beyond_the_capacity_makes_it_unknown)
{
    permit(STORY_PAGES, 1);
    steal(0, 0, LOCK_NAME_LEADER);
    expect_unknown(&b, INV_STEAL_PERMITTED);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_STEAL_PERMITTED);
    story_page(&b, 0);
    expect_unknown(&b, INV_STEAL_PERMITTED);
}
END_TEST

STORY_SUITE(inv_steal_permitted, a_steal_without_a_permit_breaks_it, one_permit_is_one_steal,
            never_forbids_and_allowed_allows,
            foreign_code_other_locks_and_plain_requests_are_not_judged,
            a_page_beyond_the_capacity_makes_it_unknown, nothing_to_judge_is_unknown)
