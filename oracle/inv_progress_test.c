/* Histories that break progress, the excuses, and neighbours that do not break it. */
#include "oracle/builder.h"

#include <string.h>

static struct story b;

static void setup(void)
{
    story_open(&b);
}
static void teardown(void)
{
    story_close(&b);
}

/* From now on no more faults; progress is demanded within 5 s. */
static uint32_t heal(void)
{
    return SAY(&b, ROUND_HEALED, .a = 5000);
}

static uint32_t end_after_ms(int64_t ms)
{
    story_wait_ms(&b, ms);
    return SAY(&b, ROUND_ENDED, .a = 0);
}

static void expect_excuse(const char *reason)
{
    struct finding f = story_finding(&b, INV_PROGRESS);
    ck_assert_int_eq(f.verdict, VERDICT_HELD);
    ck_assert_str_eq(f.reason, reason);
}

static void lead_lock(uint16_t page, uint32_t request)
{
    SAY(&b, LOCK_REQUESTED, .page = page, .request = request, .key = LOCK_NAME_LEADER);
    SAY(&b, LOCK_GRANTED, .page = page, .request = request, .key = LOCK_NAME_LEADER);
}

START_TEST(a_page_that_could_lead_and_does_not_breaks_it)
{
    story_page(&b, 0);
    uint32_t one = heal(), two = end_after_ms(5000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(a_round_that_ends_before_the_time_is_over_is_unknown)
{
    story_page(&b, 0);
    heal();
    end_after_ms(4999);
    struct finding f = story_finding(&b, INV_PROGRESS);
    ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
    ck_assert_str_eq(f.reason, "the round ended before the time was over");
}
END_TEST

START_TEST(a_round_that_was_cut_short_or_never_healed_is_unknown)
{
    story_page(&b, 0);
    SAY(&b, ROUND_STARTED, .a = 1, .b = 1);
    end_after_ms(9000);
    expect_unknown(&b, INV_PROGRESS);
    b.n--;
    heal();
    story_wait_ms(&b, 9000);
    SAY(&b, ROUND_ENDED, .a = 1);
    struct finding f = story_finding(&b, INV_PROGRESS);
    ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
    ck_assert_str_eq(f.reason, "a limit cut the round short");
}
END_TEST

START_TEST(a_claim_a_renewal_a_belief_or_a_mark_after_healing_is_progress)
{
    story_page(&b, 0);
    heal();
    uint32_t n = b.n;
    story_claim(&b, 0, F(1));
    story_claim(&b, 0, F(2));
    SAY(&b, PAGE_LOCKS, .page = 0, .a = 1); /* what happens later does not take it back */
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
    b.n = n;
    story_answer(&b, 0, story_ask(&b, 0, REQ_RENEW, F(1), 0), REQ_RENEW, ANS_OK, F(1));
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
    b.n = n;
    SAY(&b, BELIEF_BEGAN, .page = 0, .fence = F(1));
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
    b.n = n;
    SAY(&b, WOULD_LEAD, .page = 0);
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
}
END_TEST

START_TEST(answers_that_give_no_lead_are_no_progress)
{
    story_page(&b, 0);
    uint32_t one = heal();
    story_answer(&b, 0, story_ask(&b, 0, REQ_CLAIM, F(0), 0), REQ_CLAIM, ANS_WAIT, F(0));
    story_answer(&b, 0, story_ask(&b, 0, REQ_SUBMIT, F(0), 1), REQ_SUBMIT, ANS_OK, F(0));
    uint32_t two = end_after_ms(5000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(whoever_leads_at_healing_leads)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 1, F(1));
    heal();
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
}
END_TEST

START_TEST(a_believer_under_the_current_fence_leads)
{
    story_page(&b, 0);
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(1), .a = 3);
    SAY(&b, BELIEF_BEGAN, .page = 0, .fence = F(1));
    heal();
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
    b.n -= 3;
    SAY(&b, BELIEF_BEGAN, .page = 0, .fence = F(7));
    uint32_t one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n -= 3;
    SAY(&b, BELIEF_ENDED, .page = 0, .fence = F(1), .a = WHY_HIDDEN);
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(a_lease_that_has_ended_does_not_lead)
{
    story_page(&b, 0);
    story_claim(&b, 0, F(1));
    uint32_t n = b.n;
    story_answer(&b, 0, story_ask(&b, 0, REQ_RENEW, F(1), 0), REQ_RENEW, ANS_FENCED, F(0));
    uint32_t one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n = n;
    story_ask(&b, 0, REQ_RELEASE, F(1), 0);
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n = n;
    lead_lock(0, 1);
    SAY(&b, LOCK_REJECTED, .page = 0, .request = 1);
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n = n;
    SAY(&b, LEDGER_EXPIRED, .fence = F(1));
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(a_frozen_leader_does_not_lead)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 1, F(1));
    SAY(&b, PAGE_FROZEN, .page = 1);
    uint32_t one = heal(), two = end_after_ms(5000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(in_observe_the_holder_of_the_lock_leads)
{
    b.contract.stage = STAGE_OBSERVE;
    story_page(&b, 0);
    story_page(&b, 1);
    uint32_t n = b.n, one = heal(), two = end_after_ms(5000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n = n;
    lead_lock(1, 1);
    heal();
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
}
END_TEST

START_TEST(the_time_in_which_nobody_could_lead_does_not_count)
{
    story_page(&b, 0);
    uint32_t one = heal();
    story_wait_ms(&b, 4000);
    SAY(&b, PAGE_FROZEN, .page = 0);
    story_wait_ms(&b, 9000);
    SAY(&b, PAGE_RESUMED, .page = 0);
    end_after_ms(999);
    expect_excuse("no page was able for as long as the time that is demanded");
    b.n--;
    uint32_t two = end_after_ms(1);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

START_TEST(excuses_say_why_nobody_could_lead)
{
    heal();
    end_after_ms(9000);
    expect_excuse("no page is left");
    b.n = 0;
    story_page(&b, 0);
    SAY(&b, PAGE_CACHED, .page = 0);
    heal();
    end_after_ms(9000);
    expect_excuse("every remaining page is frozen, cached or asleep");
    b.n = 0;
    story_page(&b, 0);
    SAY(&b, DEVICE_ASLEEP, .device = 0);
    heal();
    end_after_ms(9000);
    expect_excuse("every remaining page is frozen, cached or asleep");
    b.n = 0;
    story_page(&b, 0);
    SAY(&b, LINK_CUT, .device = 0, .node = 0, .a = 1);
    heal();
    end_after_ms(9000);
    expect_excuse("no running page reaches a node that decides");
}
END_TEST

START_TEST(pages_that_may_not_lead_are_an_excuse)
{
    SAY(&b, PAGE_CREATED, .page = 0, .flags = PAGE_IS_VISIBLE | PAGE_MAY_LEAD, .b = 3);
    SAY(&b, PAGE_CREATED, .page = 1, .flags = PAGE_IS_VISIBLE | PAGE_HAS_LOCKS, .b = 3);
    SAY(&b, PAGE_CREATED, .page = 2, .flags = PAGE_IS_ABLE | PAGE_IS_FOREIGN, .b = 3);
    SAY(&b, PAGE_CREATED, .page = 3, .flags = PAGE_IS_ABLE, .b = 2);
    story_claim(&b, 4, F(1));
    heal();
    end_after_ms(9000);
    expect_excuse("no page that runs has a lock service and may lead");
}
END_TEST

START_TEST(a_closed_epoch_is_an_excuse)
{
    story_page(&b, 0);
    story_claim(&b, 1, F(1));
    SAY(&b, LEDGER_EPOCH, .page = PAGE_SERVER, .fence = FENCE(1, 2, 1));
    heal();
    end_after_ms(9000);
    expect_excuse("the epoch is closed");
    b.n--;
    SAY(&b, LEDGER_REOPENED, .fence = FENCE(1, 2, 1));
    uint32_t two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, two - 2, two);
}
END_TEST

START_TEST(a_lock_in_a_frozen_page_is_an_excuse_only_where_steals_are_forbidden)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 5, F(1)); /* of the same protocol, by a page of long ago */
    lead_lock(0, 1);
    SAY(&b, PAGE_FROZEN, .page = 0);
    uint32_t one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.contract.steal = STEAL_NEVER;
    expect_excuse("the lock's holder does not run and the contract or its stage forbids steals");
    b.contract.steal = STEAL_INCIDENT_ONLY;
    b.contract.stage = STAGE_OBSERVE;
    expect_excuse("the lock's holder does not run and the contract or its stage forbids steals");
    SAY(&b, PAGE_RESUMED, .page = 0);
    two = SAY(&b, ROUND_ENDED, .a = 0);
    expect_excuse("no page was able for as long as the time that is demanded");
}
END_TEST

START_TEST(a_wait_cycle_is_reported_as_one)
{
    story_page(&b, 0);
    story_page(&b, 1);
    SAY(&b, LOCK_REQUESTED, .page = 1, .request = 2, .key = 3);
    SAY(&b, LOCK_GRANTED, .page = 1, .request = 2, .key = 3);
    lead_lock(0, 1);
    SAY(&b, LOCK_REQUESTED, .page = 5, .request = 3, .key = 3);
    uint32_t n = b.n;
    heal();
    end_after_ms(5000);
    ck_assert_str_eq(story_finding(&b, INV_PROGRESS).reason, "some page could lead and nobody did");
    b.n = n;
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 4, .key = 3);
    heal();
    end_after_ms(5000);
    ck_assert_str_eq(story_finding(&b, INV_PROGRESS).reason, "some page could lead and nobody did");
    b.n = n + 1;
    SAY(&b, LOCK_REQUESTED, .page = 1, .request = 5, .key = LOCK_NAME_LEADER);
    heal();
    end_after_ms(5000);
    ck_assert_int_eq(strncmp(story_finding(&b, INV_PROGRESS).reason, "a wait cycle", 12), 0);
}
END_TEST

START_TEST(with_local_ledgers_the_network_is_no_excuse_but_the_ledger_is)
{
    b.contract.authority = AUTHORITY_INDEXEDDB;
    SAY(&b, LINK_CUT, .device = 0, .node = NODE_NONE, .a = 3);
    story_page(&b, 0);
    uint32_t one = heal(), two = end_after_ms(5000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n -= 2;
    SAY(&b, NODE_DECIDES, .node = 16, .a = 0);
    heal();
    end_after_ms(9000);
    expect_excuse("no running page reaches a node that decides");
    b.n -= 3;
    SAY(&b, NODE_DOWN, .node = 16);
    heal();
    end_after_ms(9000);
    expect_excuse("no running page reaches a node that decides");
    b.n -= 3;
    SAY(&b, LEDGER_CLAIMED, .page = 3, .node = 17, .partition = 1, .fence = FENCE(9, 1, 1));
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
    b.n -= 3;
    uint32_t id = story_ask(&b, 0, REQ_CLAIM, F(0), 0);
    SAY(&b, LEDGER_CLAIMED, .page = 0, .node = 16, .request = id, .fence = FENCE(8, 1, 1));
    story_answer(&b, 0, id, REQ_CLAIM, ANS_OK, FENCE(8, 1, 1));
    heal();
    end_after_ms(9000);
    expect_held(&b, INV_PROGRESS);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_PROGRESS);
    story_page(&b, 0);
    expect_unknown(&b, INV_PROGRESS);
}
END_TEST

START_TEST(where_steals_are_forbidden_a_holder_that_runs_is_no_excuse)
{
    b.contract.steal = STEAL_NEVER;
    story_page(&b, 0);
    story_page(&b, 1);
    uint32_t one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two); /* nobody holds it */
    b.n = one;
    lead_lock(0, 1);
    one = heal(), two = end_after_ms(9000);
    expect_broken(&b, INV_PROGRESS, one, two);
}
END_TEST

STORY_SUITE(inv_progress, a_page_that_could_lead_and_does_not_breaks_it,
            a_round_that_ends_before_the_time_is_over_is_unknown,
            a_round_that_was_cut_short_or_never_healed_is_unknown,
            a_claim_a_renewal_a_belief_or_a_mark_after_healing_is_progress,
            answers_that_give_no_lead_are_no_progress, whoever_leads_at_healing_leads,
            a_believer_under_the_current_fence_leads, a_lease_that_has_ended_does_not_lead,
            a_frozen_leader_does_not_lead, in_observe_the_holder_of_the_lock_leads,
            the_time_in_which_nobody_could_lead_does_not_count, excuses_say_why_nobody_could_lead,
            pages_that_may_not_lead_are_an_excuse, a_closed_epoch_is_an_excuse,
            a_lock_in_a_frozen_page_is_an_excuse_only_where_steals_are_forbidden,
            a_wait_cycle_is_reported_as_one,
            with_local_ledgers_the_network_is_no_excuse_but_the_ledger_is,
            nothing_to_judge_is_unknown, where_steals_are_forbidden_a_holder_that_runs_is_no_excuse)
