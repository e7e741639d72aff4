/* Histories that break no-fail-open, and their neighbours that do not. */
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

/* Page 0 leads under F(1) and has taken operation 1. */
static void leader_with_work(void)
{
    story_claim(&b, 0, F(1));
    story_take(&b, 0, F(1), 1);
}

START_TEST(an_entitled_call_is_fine)
{
    leader_with_work();
    story_effect(&b, 0, F(1), 1);
    story_commit(&b, 0, F(1), 1);
    story_commit(&b, 0, F(1), 0); /* of no operation: no take to ask for */
    expect_held(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(a_call_without_a_claim_breaks_it)
{
    story_ask(&b, 0, REQ_EFFECT, F(0), 1);
    uint32_t two = SAY(&b, EFFECT_EXECUTED, .page = 0, .request = 1, .op = 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, 0, two);
}
END_TEST

START_TEST(a_call_before_the_claims_answer_is_handled_breaks_it)
{
    uint32_t claim = story_ask(&b, 0, REQ_CLAIM, F(0), 0);
    SAY(&b, LEDGER_CLAIMED, .page = 0, .request = claim, .fence = F(1));
    uint32_t one = b.n;
    uint32_t two = story_commit(&b, 0, F(1), 0);
    story_answer(&b, 0, claim, REQ_CLAIM, ANS_OK, F(1));
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(a_call_after_fenced_breaks_it_and_one_before_does_not)
{
    leader_with_work();
    uint32_t early = story_ask(&b, 0, REQ_COMMIT, F(1), 1);
    uint32_t ask = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    uint32_t fenced = story_answer(&b, 0, ask, REQ_RENEW, ANS_FENCED, F(2));
    story_answer(&b, 0, ask, REQ_RENEW, ANS_FENCED, F(2));
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = early, .fence = F(1), .op = 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
    uint32_t two = story_commit(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, fenced, two);
}
END_TEST

/* Its worker heard FENCED during the task; what waited in the page runs first. */
START_TEST(a_page_in_a_long_task_hears_of_fenced_after_it)
{
    leader_with_work();
    uint32_t ask = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    SAY(&b, PAGE_BLOCKED, .page = 0, .b = 100000);
    uint32_t fenced = story_answer(&b, 0, ask, REQ_RENEW, ANS_FENCED, F(2));
    uint32_t inside = story_ask(&b, 0, REQ_COMMIT, F(1), 1);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = inside, .fence = F(1), .op = 1);
    SAY(&b, PAGE_UNBLOCKED, .page = 0);
    story_wait_ms(&b, 49);
    story_effect(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
    story_wait_ms(&b, 1);
    uint32_t two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, fenced, two);
}
END_TEST

START_TEST(a_call_after_the_steal_was_handled_breaks_it)
{
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 7, .key = LOCK_NAME_LEADER);
    leader_with_work();
    uint32_t one = SAY(&b, LOCK_REJECTED, .page = 0, .request = 7);
    SAY(&b, LOCK_REJECTED, .page = 0, .request = 7);
    uint32_t two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(a_rejection_of_another_lock_or_without_a_lease_changes_nothing)
{
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 7, .key = LOCK_NAME_OTHER);
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 8, .key = LOCK_NAME_LEADER);
    SAY(&b, LOCK_REJECTED, .page = 0, .request = 8);
    SAY(&b, LOCK_REJECTED, .page = PAGE_NONE, .request = 8);
    leader_with_work();
    SAY(&b, LOCK_REJECTED, .page = 0, .request = 7);
    story_effect(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(a_call_after_the_pages_own_release_breaks_it)
{
    leader_with_work();
    uint32_t one = b.n;
    story_ask(&b, 0, REQ_RELEASE, F(1), 0);
    story_ask(&b, 0, REQ_RELEASE, F(1), 0);
    story_ask(&b, 0, REQ_RELEASE, F(2), 0);
    uint32_t two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(a_call_after_the_lease_end_breaks_it_and_a_renewal_moves_the_end)
{
    leader_with_work();
    story_wait_ms(&b, 1000);
    story_effect(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN); /* at the very end, not after it */
    uint32_t renew = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    uint32_t late = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    uint32_t extended = story_answer(&b, 0, renew, REQ_RENEW, ANS_OK, F(1));
    story_answer(&b, 0, late, REQ_RENEW, ANS_NOT_EXTENDED, F(1));
    story_wait_ms(&b, 1000);
    story_commit(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
    story_wait_ms(&b, 1);
    uint32_t two = story_commit(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, extended, two);
}
END_TEST

START_TEST(an_older_answer_that_comes_late_does_not_shorten_the_lease)
{
    leader_with_work();
    uint32_t old = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    story_wait_ms(&b, 500);
    uint32_t new = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    story_answer(&b, 0, new, REQ_RENEW, ANS_OK, F(1));
    story_answer(&b, 0, old, REQ_RENEW, ANS_OK, F(1));
    story_wait_ms(&b, 900);
    story_commit(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(a_renewal_of_a_fence_that_was_never_claimed_gives_nothing)
{
    uint32_t renew = story_ask(&b, 0, REQ_RENEW, F(1), 0);
    story_answer(&b, 0, renew, REQ_RENEW, ANS_OK, F(1));
    uint32_t one = b.n;
    uint32_t two = story_commit(&b, 0, F(1), 0);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(the_local_clock_may_wrap_around)
{
    b.now.us = 0xFFFFFFFFll - 200000;
    leader_with_work();
    story_wait_ms(&b, 900);
    story_effect(&b, 0, F(1), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
    story_wait_ms(&b, 200);
    story_commit(&b, 0, F(1), 1);
    ck_assert_int_eq(story_finding(&b, INV_NO_FAIL_OPEN).verdict, VERDICT_BROKEN);
}
END_TEST

START_TEST(a_call_without_an_accepted_take_breaks_it)
{
    story_claim(&b, 0, F(1));
    SAY(&b, LEDGER_ENQUEUED, .page = 0, .op = 1);
    uint32_t one = b.n;
    uint32_t two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(a_take_under_an_earlier_fence_does_not_count)
{
    leader_with_work();
    story_claim(&b, 0, F(2));
    uint32_t one = b.n;
    uint32_t two = story_effect(&b, 0, F(2), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(an_operation_inherited_at_a_transition_counts_as_taken)
{
    leader_with_work();
    story_claim(&b, 1, F(2));
    SAY(&b, LEDGER_OWNER, .page = 1, .fence = F(2), .op = 1);
    story_effect(&b, 1, F(2), 1);
    story_commit(&b, 0, F(1), 1); /* the old owner had a take: stale, but not fail-open */
    expect_held(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(what_is_too_long_ago_is_not_judged)
{
    leader_with_work();
    for (uint32_t g = 2; g <= 6; g++) story_claim(&b, 0, F(g));
    story_commit(&b, 0, F(1), 1);
    expect_unknown(&b, INV_NO_FAIL_OPEN); /* five leases later */
    for (uint32_t g = 2; g <= 6; g++) SAY(&b, LEDGER_OWNER, .page = 0, .fence = F(g), .op = 1);
    story_commit(&b, 0, F(3), 1);
    expect_held(&b, INV_NO_FAIL_OPEN);
    uint32_t one = b.n;
    uint32_t two = story_commit(&b, 0, F(9), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(a_stolen_fence_of_somebody_else_is_not_too_long_ago)
{
    for (uint32_t g = 1; g <= 5; g++) story_claim(&b, 0, F(g));
    story_claim(&b, 1, F(6));
    uint32_t one = b.n;
    uint32_t two = story_commit(&b, 0, F(6), 0);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(the_stage_forbids_effects_and_commits)
{
    b.contract.stage = STAGE_READ_ONLY;
    leader_with_work();
    uint32_t one = b.n;
    uint32_t two = story_effect(&b, 0, F(1), 1);
    expect_broken(&b, INV_NO_FAIL_OPEN, one, two);
}
END_TEST

START_TEST(the_servers_own_work_and_unknown_requests_are_not_judged)
{
    story_effect(&b, PAGE_SERVER, F(1), 1);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .request = 77, .op = 2);
    story_answer(&b, 0, 88, REQ_CLAIM, ANS_OK, F(1));
    SAY(&b, ANSWER_HANDLED, .page = PAGE_SERVER, .request = 1, .a = REQ_EFFECT, .b = ANS_OK);
    uint32_t id = story_ask(&b, 0, REQ_TAKE, F(1), 0);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1));
    expect_unknown(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_NO_FAIL_OPEN);
    story_page(&b, 0);
    expect_unknown(&b, INV_NO_FAIL_OPEN);
}
END_TEST

START_TEST(acknowledgements_and_other_incarnations_are_told_apart)
{
    leader_with_work();
    uint32_t n = b.n, id = story_ask(&b, 0, REQ_ACK, F(1), 1);
    SAY(&b, LEDGER_COMMITTED, .page = 0, .request = id, .fence = F(1), .op = 1, .a = PART_ACK);
    SAY(&b, EFFECT_EXECUTED, .page = PAGE_NONE, .request = id, .op = 2);
    SAY(&b, EFFECT_EXECUTED, .page = 0, .request = STATE_REQUESTS_BEYOND, .op = 3);
    expect_held(&b, INV_NO_FAIL_OPEN);
    const struct fence other[] = { FENCE(2, 1, 1), FENCE(1, 2, 1) };
    for (int i = 0; i < 2; i++) {
        b.n = n;
        uint32_t two = story_commit(&b, 0, other[i], 1);
        expect_broken(&b, INV_NO_FAIL_OPEN, n, two);
    }
}
END_TEST

STORY_SUITE(inv_no_fail_open, an_entitled_call_is_fine, a_call_without_a_claim_breaks_it,
            a_call_before_the_claims_answer_is_handled_breaks_it,
            a_call_after_fenced_breaks_it_and_one_before_does_not,
            a_page_in_a_long_task_hears_of_fenced_after_it,
            a_call_after_the_steal_was_handled_breaks_it,
            a_rejection_of_another_lock_or_without_a_lease_changes_nothing,
            a_call_after_the_pages_own_release_breaks_it,
            a_call_after_the_lease_end_breaks_it_and_a_renewal_moves_the_end,
            an_older_answer_that_comes_late_does_not_shorten_the_lease,
            a_renewal_of_a_fence_that_was_never_claimed_gives_nothing,
            the_local_clock_may_wrap_around, a_call_without_an_accepted_take_breaks_it,
            a_take_under_an_earlier_fence_does_not_count,
            an_operation_inherited_at_a_transition_counts_as_taken,
            what_is_too_long_ago_is_not_judged, a_stolen_fence_of_somebody_else_is_not_too_long_ago,
            the_stage_forbids_effects_and_commits,
            the_servers_own_work_and_unknown_requests_are_not_judged, nothing_to_judge_is_unknown,
            acknowledgements_and_other_incarnations_are_told_apart)
