/* Histories that break subscription-exact, and their neighbours that do not. */
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

static uint32_t delivers(uint32_t subscription, uint32_t event)
{
    return SAY(&b, EVENT_DELIVERED, .page = (uint16_t)subscription, .a = event, .b = subscription);
}

static uint32_t lost(uint32_t from, uint32_t to)
{
    return SAY(&b, GAP_ANNOUNCED, .page = 0, .a = from, .b = to);
}

START_TEST(events_in_sequence_hold_across_a_hand_over_and_begin_anywhere)
{
    delivers(1, 7);
    delivers(1, 8);
    delivers(2, 9);
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

START_TEST(an_event_that_is_left_out_breaks_it)
{
    uint32_t before = delivers(1, 7);
    uint32_t after = delivers(1, 9);
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, before, after);
    b.at[after].partition = 1; /* another browser's events */
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

START_TEST(an_event_that_comes_again_breaks_it)
{
    delivers(1, 7);
    uint32_t eighth = delivers(1, 8);
    uint32_t again = delivers(2, 8);
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, eighth, again);
    b.at[again].a = 7;
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, eighth, again);
    b.at[again].a = 9;
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

START_TEST(a_gap_that_is_announced_in_full_holds)
{
    delivers(1, 7);
    uint32_t gap = lost(8, 11);
    uint32_t after = delivers(2, 12);
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
    b.at[after].a = 13; /* more was lost than was said */
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, gap, after);
    b.at[after].a = 11; /* what was called lost comes */
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, gap, after);
}
END_TEST

START_TEST(an_announcement_that_begins_too_late_excuses_nothing)
{
    uint32_t before = delivers(1, 7);
    lost(9, 11);
    uint32_t after = delivers(1, 12);
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, before, after);
}
END_TEST

START_TEST(an_announcement_of_what_was_delivered_takes_nothing_back)
{
    delivers(1, 7);
    uint32_t eighth = delivers(1, 8);
    lost(5, 7);
    delivers(1, 9);
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
    b.n--;
    uint32_t again = delivers(1, 8);
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, eighth, again);
}
END_TEST

START_TEST(two_subscriptions_that_take_turns_break_it_even_in_sequence)
{
    delivers(1, 7);
    uint32_t taken_over = delivers(2, 8);
    uint32_t late = delivers(1, 9);
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, taken_over, late);
    b.at[late].b = 2;
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

START_TEST(a_partition_whose_data_was_cleared_begins_anew)
{
    uint32_t before = delivers(1, 7);
    uint32_t cleared = SAY(&b, STORAGE_FAULT, .page = 0, .a = 1);
    uint32_t after = delivers(2, 3);
    expect_held(&b, INV_SUBSCRIPTION_EXACT);
    b.at[cleared].a = 2; /* a full quota clears nothing */
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, before, after);
    b.at[cleared].a = 1;
    b.at[cleared].partition = 1;
    expect_broken(&b, INV_SUBSCRIPTION_EXACT, before, after);
}
END_TEST

START_TEST(a_number_beyond_the_capacity_makes_it_unknown_for_good)
{
    delivers(1, 7);
    SAY(&b, EVENT_DELIVERED, .page = 0, .a = 8, .b = 100000);
    delivers(1, 7);
    expect_unknown(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

START_TEST(a_round_without_events_is_unknown)
{
    story_page(&b, 0);
    SAY(&b, STORAGE_FAULT, .page = 0, .a = 1);
    expect_unknown(&b, INV_SUBSCRIPTION_EXACT);
    SAY(&b, SUBSCRIPTION_OPENED, .page = 0, .a = 0, .b = 1);
    expect_unknown(&b, INV_SUBSCRIPTION_EXACT);
}
END_TEST

STORY_SUITE(inv_subscription_exact, events_in_sequence_hold_across_a_hand_over_and_begin_anywhere,
            an_event_that_is_left_out_breaks_it, an_event_that_comes_again_breaks_it,
            a_gap_that_is_announced_in_full_holds,
            an_announcement_that_begins_too_late_excuses_nothing,
            an_announcement_of_what_was_delivered_takes_nothing_back,
            two_subscriptions_that_take_turns_break_it_even_in_sequence,
            a_partition_whose_data_was_cleared_begins_anew,
            a_number_beyond_the_capacity_makes_it_unknown_for_good,
            a_round_without_events_is_unknown)
