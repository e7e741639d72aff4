/* Groups of a run: every failure that is looked at is in one, and its script shows it. */
#include "tools/groups.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reports/group.h"
#include "tools/campaign.h"
#include "tools/player.h"
#include "tools/record.h"
#include "tools/scenario_rig.h"

Suite *groups_suite(void);

#define ROUNDS 60

static struct inputs in;
static struct campaign campaign;
static struct record record;

static void load(const char *file)
{
    struct options o = options_default();
    o.seed = "groups";
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", file, stderr));
}

static struct run_report report_of(uint32_t jobs)
{
    campaign_open(&campaign, &in, ROUNDS, jobs);
    record_info(&record, &campaign, "build/tabquake", "groups");
    ck_assert(campaign_run(&campaign, PROGRESS_NEVER));
    return record_report(&record, &campaign);
}

static struct groups *groups_of(uint32_t jobs)
{
    struct groups *g = malloc(sizeof *g);
    struct run_report r = report_of(jobs);
    groups_make(g, &in, &r, "out");
    campaign_close(&campaign);
    return g;
}

static void forget(struct groups *g)
{
    groups_free(g);
    free(g);
}

START_TEST(groups_are_a_function_of_the_run_alone)
{
    load("scenarios/mutants/freeze-handler-relied-on.yaml");
    struct groups *a = groups_of(1), *b = groups_of(3);
    ck_assert_uint_ge(a->n, 1);
    ck_assert_uint_eq(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        ck_assert_int_eq(a->at[i].invariant, b->at[i].invariant);
        ck_assert_uint_eq(a->at[i].faults, b->at[i].faults);
        ck_assert_uint_eq(a->at[i].failures, b->at[i].failures);
        ck_assert_str_eq(a->at[i].script, b->at[i].script);
    }
    forget(a);
    forget(b);
    inputs_free(&in);
}
END_TEST

START_TEST(the_first_failures_of_each_invariant_are_looked_at)
{
    uint32_t looked_at[INV_COUNT] = { 0 };
    load("scenarios/mutants/freeze-handler-relied-on.yaml");
    struct run_report r = report_of(2);
    struct groups *g = malloc(sizeof *g);
    uint64_t broken[INV_COUNT];
    memcpy(broken, r.tally->broken, sizeof broken);
    groups_make(g, &in, &r, "out");
    campaign_close(&campaign);
    for (uint32_t i = 0; i < g->n; i++) {
        looked_at[g->at[i].invariant] += g->at[i].failures;
        if (i > 0) ck_assert_int_ge(g->at[i].invariant, g->at[i - 1].invariant);
    }
    ck_assert_uint_gt(broken[INV_NO_FAIL_OPEN], 1);
    for (int k = 0; k < INV_COUNT; k++) /* the budget is enough for these */
        ck_assert_uint_eq(looked_at[k],
                          broken[k] < GROUPS_LOOKED_AT ? broken[k] : GROUPS_LOOKED_AT);
    ck_assert_uint_le(g->events, GROUPS_EVENTS + GROUPS_EACH);
    forget(g);
    inputs_free(&in);
}
END_TEST

START_TEST(the_script_of_a_group_breaks_its_invariant_with_its_faults)
{
    struct player p;
    load("scenarios/mutants/freeze-handler-relied-on.yaml");
    struct groups *g = groups_of(2);
    player_open(&p, in.tabs);
    for (uint32_t i = 0; i < g->n; i++) {
        const struct failure_group *x = &g->at[i];
        struct scenario s = scenario_rig_read(x->script);
        struct played played = player_round(&p, &s, &in.contract, s.seed);
        ck_assert(played_broken(&played) >> x->invariant & 1);
        ck_assert_int_eq(s.calm, x->calm);
        ck_assert_uint_eq(scenario_tabs(&s), x->tabs);
        for (uint32_t k = 0; k < s.steps; k++)
            if (s.step[k].fault != FAULT_COUNT) ck_assert(x->faults >> s.step[k].fault & 1);
        ck_assert_ptr_nonnull(strstr(x->script, "replay out/failures/freeze-handler-relied-on-0x"));
    }
    player_close(&p);
    forget(g);
    inputs_free(&in);
}
END_TEST

START_TEST(no_group_is_another_one_with_more_faults)
{
    load("scenarios/mutants/fail-open.yaml"); /* locks-refused suffices, and has company */
    struct run_report r = report_of(2);
    struct groups *g = malloc(sizeof *g);
    groups_make(g, &in, &r, "out");
    ck_assert_uint_gt(g->n, 1);
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < g->n; k++) {
            const struct failure_group *a = &g->at[i], *b = &g->at[k];
            if (i == k || a->invariant != b->invariant || !a->reduced || !b->reduced) continue;
            bool same_reason = strcmp(r.failure[a->example].finding.reason,
                                      r.failure[b->example].finding.reason) == 0;
            ck_assert(!same_reason || (a->faults & ~b->faults) != 0);
        }
    forget(g);
    campaign_close(&campaign);
    inputs_free(&in);
}
END_TEST

START_TEST(a_run_without_failures_has_no_groups)
{
    load("scenarios/healthy.yaml");
    struct groups *g = groups_of(2);
    ck_assert_uint_eq(g->n, 0);
    ck_assert_uint_eq(g->events, 0);
    forget(g);
    inputs_free(&in);
}
END_TEST

Suite *groups_suite(void)
{
    Suite *s = suite_create("groups");
    TCase *t = tcase_create("groups");
    tcase_set_timeout(t, 120); /* under sanitizers */
    tcase_add_test(t, groups_are_a_function_of_the_run_alone);
    tcase_add_test(t, the_first_failures_of_each_invariant_are_looked_at);
    tcase_add_test(t, the_script_of_a_group_breaks_its_invariant_with_its_faults);
    tcase_add_test(t, no_group_is_another_one_with_more_faults);
    tcase_add_test(t, a_run_without_failures_has_no_groups);
    suite_add_tcase(s, t);
    return s;
}
