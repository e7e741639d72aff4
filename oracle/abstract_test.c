/* Abstract states of hand-written histories: which are new, and where they were reached. */
#include "oracle/builder.h"

Suite *abstract_suite(void);

static struct story b;

static void setup(void)
{
    story_open(&b);
}
static void teardown(void)
{
    story_close(&b);
}

/* Judges what was said; returns how many states there are. */
static uint32_t states(void)
{
    (void)story_finding(&b, INV_PROGRESS);
    return b.result->states;
}

static bool is_new(uint32_t observation)
{
    for (uint32_t i = 0; i < b.result->states; i++)
        if (b.result->state[i].at == observation) return true;
    return false;
}

START_TEST(a_state_counts_once)
{
    story_page(&b, 0);
    uint32_t n = states();
    uint32_t first = SAY(&b, PAGE_VISIBLE, .page = 0), second = SAY(&b, PAGE_VISIBLE, .page = 0);
    ck_assert_uint_eq(states(), n + 1);
    ck_assert(is_new(first));
    ck_assert(!is_new(second));
}
END_TEST

START_TEST(the_ledger_the_network_and_whose_it_is_tell_states_apart)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 0, F(1));
    (void)SAY(&b, PAGE_HIDDEN, .page = 1);
    uint32_t leaders = SAY(&b, PAGE_HIDDEN, .page = 0);
    (void)SAY(&b, LINK_CUT, .a = 3);
    uint32_t cut = SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)SAY(&b, LINK_HEALED, .a = 3);
    uint32_t healed = SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)SAY(&b, NODE_DOWN, .page = PAGE_NONE);
    uint32_t down = SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)SAY(&b, NODE_UP, .page = PAGE_NONE);
    (void)SAY(&b, LEDGER_EXPIRED, .fence = F(1));
    uint32_t over = SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)states();
    ck_assert(is_new(leaders));
    ck_assert(is_new(cut));
    ck_assert(!is_new(healed));
    ck_assert(is_new(down));
    ck_assert(is_new(over));
}
END_TEST

START_TEST(the_phase_of_the_leader_tells_states_apart)
{
    story_page(&b, 0);
    story_page(&b, 1);
    story_claim(&b, 0, F(1));
    (void)SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)SAY(&b, REQUEST_ISSUED, .page = 0, .request = 90, .a = REQ_COMMIT, .fence = F(1));
    uint32_t in_flight = SAY(&b, PAGE_HIDDEN, .page = 1);
    (void)states();
    ck_assert(is_new(in_flight));
}
END_TEST

START_TEST(one_history_leaves_nothing_for_the_next)
{
    story_page(&b, 0);
    story_claim(&b, 0, F(1));
    uint32_t n = states();
    ck_assert_uint_gt(n, 2);
    ck_assert_uint_eq(states(), n);
    for (uint32_t i = 0; i < n; i++) ck_assert_uint_lt(b.result->state[i].state, ABSTRACT_STATES);
}
END_TEST

Suite *abstract_suite(void)
{
    Suite *s = suite_create("abstract");
    TCase *t = tcase_create("states");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_state_counts_once);
    tcase_add_test(t, the_ledger_the_network_and_whose_it_is_tell_states_apart);
    tcase_add_test(t, the_phase_of_the_leader_tells_states_apart);
    tcase_add_test(t, one_history_leaves_nothing_for_the_next);
    suite_add_tcase(s, t);
    return s;
}
