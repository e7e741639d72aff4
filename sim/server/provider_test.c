/* Keys, memory and outcomes of the provider. */
#include <check.h>

#include "sim/server/provider.h"

Suite *provider_suite(void);

static struct provider p;
static struct history h;
static struct obs obs[512];

static void reset(struct policy policy)
{
    h = (struct history){ .at = obs, .max = 512 };
    provider_reset(&p, policy, &h);
}

static struct answer ask(enum request_kind kind, uint32_t op, uint32_t key, int64_t at_us)
{
    struct request r = { .id = 1, .kind = kind, .page = 4, .op = op, .key = key };
    struct answer a;
    provider_request(&p, &r, (struct instant){ at_us }, OBS_NONE, &a);
    return a;
}

static struct answer finish(uint32_t op, uint32_t key, int64_t at_us)
{
    struct request r = { .id = 2, .kind = REQ_EFFECT, .page = 4, .op = op, .key = key };
    struct answer a;
    provider_finish(&p, &r, (struct instant){ at_us }, OBS_NONE, &a);
    return a;
}

static uint32_t count(enum obs_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h.n; i++) n += obs[i].kind == kind;
    return n;
}

START_TEST(a_key_is_executed_once_and_absorbed_after)
{
    reset((struct policy){ 0 });
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 1, 0).kind, REQ_NONE);
    ck_assert_int_eq(finish(1, 1, 10).result, ANS_OK);
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 1, 20).result, ANS_OK);
    ck_assert_uint_eq(count(OBS_EFFECT_EXECUTED), 1);
    ck_assert_uint_eq(count(OBS_EFFECT_ABSORBED), 1);
}
END_TEST

START_TEST(a_second_request_while_the_first_runs_is_told_so)
{
    reset((struct policy){ 0 });
    ask(REQ_EFFECT, 1, 1, 0);
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 1, 5).result, ANS_IN_PROGRESS);
    ck_assert_uint_eq(h.n, 0);
}
END_TEST

START_TEST(another_key_is_another_effect)
{
    reset((struct policy){ 0 });
    ask(REQ_EFFECT, 1, 1, 0);
    finish(1, 1, 1);
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 2, 2).kind, REQ_NONE);
    finish(1, 2, 3);
    ck_assert_uint_eq(count(OBS_EFFECT_EXECUTED), 2);
}
END_TEST

START_TEST(outcomes_are_never_seen_then_running_then_done)
{
    reset((struct policy){ 0 });
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, 0).outcome, OUTCOME_NEVER_SEEN);
    ask(REQ_EFFECT, 1, 1, 1);
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, 2).outcome, OUTCOME_RUNNING);
    finish(1, 1, 3);
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, 4).outcome, OUTCOME_DONE);
    ck_assert_uint_eq(count(OBS_EFFECT_ASKED), 3);
    ck_assert_uint_eq(obs[h.n - 1].b, OUTCOME_DONE);
}
END_TEST

START_TEST(a_key_is_remembered_for_its_time_and_no_longer)
{
    reset((struct policy){ 0 });
    ask(REQ_EFFECT, 1, 1, 0);
    finish(1, 1, 1);
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 1, PROVIDER_MEMORY_US - 1).result, ANS_OK);
    ck_assert_int_eq(ask(REQ_EFFECT, 1, 1, PROVIDER_MEMORY_US).kind, REQ_NONE);
}
END_TEST

START_TEST(the_forgetful_mutant_forgets_after_seconds)
{
    reset(policy_with((struct policy){ 0 }, POLICY_PROVIDER_FORGETS));
    ask(REQ_EFFECT, 1, 1, 0);
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, PROVIDER_FORGETS_US).outcome, OUTCOME_RUNNING);
    finish(1, 1, PROVIDER_FORGETS_US);
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, PROVIDER_FORGETS_US).outcome, OUTCOME_NEVER_SEEN);
}
END_TEST

START_TEST(a_full_memory_forgets_the_oldest_that_is_finished)
{
    reset((struct policy){ 0 });
    for (uint32_t k = 1; k <= PROVIDER_KEYS_MAX; k++) ask(REQ_EFFECT, k, k, k);
    ck_assert_int_eq(ask(REQ_EFFECT, 500, 500, 1000).result, ANS_UNAVAILABLE);
    finish(2, 2, 1001);
    finish(3, 3, 1002);
    ck_assert_int_eq(ask(REQ_EFFECT, 500, 500, 1003).kind, REQ_NONE);
    ck_assert_int_eq(ask(REQ_OUTCOME, 2, 2, 1004).outcome, OUTCOME_NEVER_SEEN);
    ck_assert_int_eq(ask(REQ_OUTCOME, 3, 3, 1004).outcome, OUTCOME_DONE);
    ck_assert_int_eq(ask(REQ_OUTCOME, 1, 1, 1004).outcome, OUTCOME_RUNNING);
}
END_TEST

Suite *provider_suite(void)
{
    Suite *s = suite_create("provider");
    TCase *t = tcase_create("provider");
    tcase_add_test(t, a_key_is_executed_once_and_absorbed_after);
    tcase_add_test(t, a_second_request_while_the_first_runs_is_told_so);
    tcase_add_test(t, another_key_is_another_effect);
    tcase_add_test(t, outcomes_are_never_seen_then_running_then_done);
    tcase_add_test(t, a_key_is_remembered_for_its_time_and_no_longer);
    tcase_add_test(t, the_forgetful_mutant_forgets_after_seconds);
    tcase_add_test(t, a_full_memory_forgets_the_oldest_that_is_finished);
    suite_add_tcase(s, t);
    return s;
}
