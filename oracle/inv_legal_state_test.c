/* Histories that break legal-state, and their neighbours that do not. */
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

static uint32_t become(enum client_state from, enum client_state to)
{
    return SAY(&b, STATE_CHANGED, .page = 0, .a = from, .b = to);
}

static uint32_t requesting(void)
{
    return become(STATE_FOLLOWER, STATE_REQUESTING);
}

START_TEST(a_whole_life_is_fine)
{
    requesting();
    story_claim(&b, 0, F(1));
    become(STATE_REQUESTING, STATE_LEADER);
    become(STATE_LEADER, STATE_DRAINING);
    become(STATE_DRAINING, STATE_RELEASED);
    become(STATE_RELEASED, STATE_FOLLOWER);
    requesting();
    become(STATE_REQUESTING, STATE_ABORTED);
    become(STATE_ABORTED, STATE_FOLLOWER);
    requesting();
    become(STATE_REQUESTING, STATE_DRAINING);
    expect_held(&b, INV_LEGAL_STATE);
}
END_TEST

START_TEST(a_leader_without_a_request_breaks_it)
{
    requesting();
    story_claim(&b, 0, F(1));
    uint32_t one = become(STATE_REQUESTING, STATE_DRAINING);
    one = become(STATE_DRAINING, STATE_RELEASED);
    uint32_t two = become(STATE_RELEASED, STATE_LEADER);
    expect_broken(&b, INV_LEGAL_STATE, one, two);
}
END_TEST

START_TEST(a_change_from_a_state_that_it_was_not_in_breaks_it)
{
    uint32_t two = become(STATE_LEADER, STATE_DRAINING);
    expect_broken(&b, INV_LEGAL_STATE, OBS_NONE, two);
}
END_TEST

START_TEST(words_that_are_not_states_break_it)
{
    uint32_t two = become(STATE_FOLLOWER, STATE_COUNT);
    expect_broken(&b, INV_LEGAL_STATE, OBS_NONE, two);
    b.n = 0;
    two = become(STATE_COUNT, STATE_FOLLOWER);
    ck_assert_str_eq(story_finding(&b, INV_LEGAL_STATE).reason,
                     "a state that the machine does not have");
    expect_broken(&b, INV_LEGAL_STATE, OBS_NONE, two);
}
END_TEST

START_TEST(a_leader_before_its_claim_is_answered_breaks_it)
{
    story_claim(&b, 0, F(1)); /* of an earlier request */
    uint32_t one = requesting();
    uint32_t id = story_ask(&b, 0, REQ_CLAIM, F(0), 0);
    story_answer(&b, 0, id, REQ_CLAIM, ANS_WAIT, F(0));
    story_answer(&b, 0, id, REQ_RENEW, ANS_OK, F(1));
    SAY(&b, WOULD_LEAD, .page = 0);
    uint32_t two = become(STATE_REQUESTING, STATE_LEADER);
    expect_broken(&b, INV_LEGAL_STATE, one, two);
}
END_TEST

START_TEST(in_observe_would_lead_entitles)
{
    b.contract.stage = STAGE_OBSERVE;
    requesting();
    SAY(&b, WOULD_LEAD, .page = 0);
    become(STATE_REQUESTING, STATE_LEADER);
    expect_held(&b, INV_LEGAL_STATE);
}
END_TEST

START_TEST(clients_that_report_nothing_are_unknown)
{
    story_claim(&b, 0, F(1));
    SAY(&b, WOULD_LEAD, .page = PAGE_NONE);
    SAY(&b, BELIEF_BEGAN, .page = PAGE_NONE, .fence = F(1));
    expect_unknown(&b, INV_LEGAL_STATE);
}
END_TEST

START_TEST(nothing_to_judge_is_unknown)
{
    expect_unknown(&b, INV_LEGAL_STATE);
    story_page(&b, 0);
    expect_unknown(&b, INV_LEGAL_STATE);
}
END_TEST

STORY_SUITE(inv_legal_state, a_whole_life_is_fine, a_leader_without_a_request_breaks_it,
            a_change_from_a_state_that_it_was_not_in_breaks_it, words_that_are_not_states_break_it,
            a_leader_before_its_claim_is_answered_breaks_it, in_observe_would_lead_entitles,
            clients_that_report_nothing_are_unknown, nothing_to_judge_is_unknown)
