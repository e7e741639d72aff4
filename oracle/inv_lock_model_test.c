/* Histories that break lock-model, and their neighbours that do not. */
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

#define STATE_REQUESTS_BEYOND 65536

static uint32_t ask(uint32_t request, uint16_t page, uint32_t flags)
{
    return SAY(&b, LOCK_REQUESTED, .page = page, .request = request, .key = LOCK_NAME_LEADER,
               .flags = (uint8_t)flags);
}

static uint32_t share(uint32_t request, uint16_t page)
{
    return SAY(&b, LOCK_REQUESTED, .page = page, .request = request, .key = LOCK_NAME_LEADER,
               .a = 1);
}

#define LOCK(kind, id) SAY(&b, LOCK_##kind, .request = (id), .key = LOCK_NAME_LEADER)

START_TEST(two_exclusive_holders_break_it)
{
    ask(1, 0, 0);
    uint32_t one = LOCK(GRANTED, 1);
    ask(2, 1, 0);
    expect_held(&b, INV_LOCK_MODEL);
    uint32_t two = LOCK(GRANTED, 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_shared_lock_beside_an_exclusive_one_breaks_it_both_ways)
{
    ask(1, 0, 0);
    uint32_t one = LOCK(GRANTED, 1);
    share(2, 1);
    uint32_t two = LOCK(GRANTED, 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
    b.n = 0;
    share(1, 0);
    one = LOCK(GRANTED, 1);
    ask(2, 1, 0);
    two = LOCK(GRANTED, 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(shared_holders_stand_beside_each_other)
{
    for (uint32_t i = 1; i <= 3; i++) share(i, (uint16_t)i), LOCK(GRANTED, i);
    LOCK(RELEASED, 2);
    LOCK(RELEASED, 3);
    LOCK(RELEASED, 1);
    ask(4, 0, 0);
    LOCK(GRANTED, 4);
    expect_held(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(a_grant_out_of_order_breaks_it)
{
    uint32_t one = ask(1, 0, 0);
    ask(2, 1, 0);
    uint32_t two = LOCK(GRANTED, 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
    b.n -= 2;
    ask(2, 1, LOCK_IS_IF_AVAILABLE);
    LOCK(UNAVAILABLE, 2);
    LOCK(GRANTED, 1);
    expect_held(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(whoever_leaves_the_queue_makes_room)
{
    for (uint32_t i = 1; i <= 4; i++) ask(i, 0, 0);
    LOCK(ABORTED, 2);
    LOCK(DROPPED, 1);
    LOCK(GRANTED, 3);
    LOCK(DROPPED, 4);
    LOCK(RELEASED, 3);
    ask(5, 0, 0);
    LOCK(GRANTED, 5);
    expect_held(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(a_thief_is_first_and_the_queue_stays)
{
    ask(1, 0, 0);
    LOCK(GRANTED, 1);
    ask(2, 1, 0);
    ask(3, 2, LOCK_IS_STEAL);
    SAY(&b, LOCK_STOLEN, .request = 1, .b = 3, .key = LOCK_NAME_LEADER);
    LOCK(GRANTED, 3);
    LOCK(RELEASED, 3);
    LOCK(GRANTED, 2);
    expect_held(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(a_lock_taken_away_by_nobody_who_may_breaks_it)
{
    ask(1, 0, 0);
    uint32_t one = LOCK(GRANTED, 1);
    ask(2, 1, 0);
    uint32_t two = SAY(&b, LOCK_STOLEN, .request = 1, .b = 0);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
    b.n--;
    two = SAY(&b, LOCK_STOLEN, .request = 1, .b = 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_steal_of_what_is_not_held_breaks_it)
{
    uint32_t one = ask(1, 0, 0);
    ask(2, 1, LOCK_IS_STEAL);
    uint32_t two = SAY(&b, LOCK_STOLEN, .request = 1, .b = 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_grant_of_a_withdrawn_request_breaks_it)
{
    ask(1, 0, 0);
    uint32_t one = LOCK(ABORTED, 1);
    uint32_t two = LOCK(GRANTED, 1);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_second_grant_of_one_request_breaks_it)
{
    uint32_t one = ask(1, 0, 0);
    LOCK(GRANTED, 1);
    ask(1, 0, 0); /* the same id again asks for nothing new */
    uint32_t two = LOCK(GRANTED, 1);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_release_of_what_is_not_held_breaks_it)
{
    uint32_t asked = ask(1, 0, 0);
    uint32_t two = LOCK(RELEASED, 1);
    expect_broken(&b, INV_LOCK_MODEL, asked, two);
    b.n--;
    LOCK(GRANTED, 1);
    uint32_t one = LOCK(RELEASED, 1);
    two = LOCK(RELEASED, 1);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(a_grant_to_a_document_that_is_gone_breaks_it)
{
    story_page(&b, 0);
    ask(1, 0, 0);
    uint32_t one = SAY(&b, PAGE_CLOSED, .page = 0);
    story_wait_ms(&b, 500);
    LOCK(GRANTED, 1);
    expect_held(&b, INV_LOCK_MODEL); /* the manager had not heard of it yet */
    b.n--;
    story_wait_ms(&b, 1);
    uint32_t two = LOCK(GRANTED, 1);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(answers_to_nobody_break_it_but_what_the_page_does_is_not_judged)
{
    ask(1, 0, 0);
    LOCK(CALLBACK, 1);
    SAY(&b, LOCK_REFUSED, .request = 2, .a = LOCK_ERR_SECURITY);
    LOCK(ABORTED, 3);
    expect_unknown(&b, INV_LOCK_MODEL);
    uint32_t two = LOCK(GRANTED, 3);
    expect_broken(&b, INV_LOCK_MODEL, OBS_NONE, two);
    b.n--;
    two = LOCK(RELEASED, 4);
    expect_broken(&b, INV_LOCK_MODEL, OBS_NONE, two);
}
END_TEST

START_TEST(a_grant_to_code_outside_the_pages_is_judged_too)
{
    ask(1, PAGE_NONE, LOCK_IS_FOREIGN);
    LOCK(GRANTED, 1);
    expect_held(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(ids_beyond_the_capacities_make_it_unknown)
{
    ask(1, 0, 0);
    LOCK(GRANTED, 1);
    uint32_t n = b.n;
    ask(STATE_REQUESTS_BEYOND, 0, 0);
    expect_unknown(&b, INV_LOCK_MODEL);
    b.n = n;
    ask(0, 0, 0);
    expect_unknown(&b, INV_LOCK_MODEL);
    b.n = n;
    SAY(&b, LOCK_REQUESTED, .request = 5, .key = 99);
    expect_unknown(&b, INV_LOCK_MODEL);
    b.n = n;
    SAY(&b, LOCK_REQUESTED, .request = 5, .partition = 200, .key = 1);
    expect_unknown(&b, INV_LOCK_MODEL);
}
END_TEST

START_TEST(a_lock_that_outlives_its_document_breaks_it)
{
    story_page(&b, 0);
    ask(1, 0, 0);
    LOCK(GRANTED, 1);
    uint32_t one = SAY(&b, PAGE_CLOSED, .page = 0);
    story_wait_ms(&b, 450); /* the slowest that was measured */
    uint32_t n = b.n;
    LOCK(RELEASED, 1);
    expect_held(&b, INV_LOCK_MODEL);
    b.n = n;
    story_wait_ms(&b, 100);
    uint32_t two = LOCK(RELEASED, 1);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
    b.n = n;
    story_page(&b, 1);
    two = ask(2, 1, LOCK_IS_STEAL);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
    b.n = n;
    b.now.us -= 200 * US_PER_MS; /* it asked in time, and is granted late */
    ask(2, 1, LOCK_IS_STEAL);
    story_wait_ms(&b, 200);
    two = SAY(&b, LOCK_STOLEN, .page = 0, .request = 1, .key = LOCK_NAME_LEADER, .b = 2);
    expect_broken(&b, INV_LOCK_MODEL, one, two);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_LOCK_MODEL);
    story_page(&b, 0);
    expect_unknown(&b, INV_LOCK_MODEL);
}
END_TEST

STORY_SUITE(inv_lock_model, a_lock_that_outlives_its_document_breaks_it,
            two_exclusive_holders_break_it,
            a_shared_lock_beside_an_exclusive_one_breaks_it_both_ways,
            shared_holders_stand_beside_each_other, a_grant_out_of_order_breaks_it,
            whoever_leaves_the_queue_makes_room, a_thief_is_first_and_the_queue_stays,
            a_lock_taken_away_by_nobody_who_may_breaks_it, a_steal_of_what_is_not_held_breaks_it,
            a_grant_of_a_withdrawn_request_breaks_it, a_second_grant_of_one_request_breaks_it,
            a_release_of_what_is_not_held_breaks_it, a_grant_to_a_document_that_is_gone_breaks_it,
            answers_to_nobody_break_it_but_what_the_page_does_is_not_judged,
            a_grant_to_code_outside_the_pages_is_judged_too,
            ids_beyond_the_capacities_make_it_unknown, nothing_to_judge_is_unknown)
