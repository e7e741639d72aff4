/* Baselines: what an earlier gate.json excuses, and what it does not. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/gate_json.h"
#include "sim/base/fault.h"
#include "tools/baseline.h"

Suite *baseline_suite(void);

#define BIT(fault) (UINT64_C(1) << (fault))

static char file[] = "/tmp/baseline_test_XXXXXX", said[4096];
static struct baseline b;
static struct tally tally;
static struct gate_report gate;
static struct failure_group group[4];
static struct run_report run;

static bool load_text(const char *text)
{
    FILE *f = fopen(file, "w"), *err = fmemopen(said, sizeof said, "w");
    ck_assert(f != NULL);
    ck_assert(err != NULL);
    fputs(text, f);
    fclose(f);
    bool ok = baseline_load(&b, file, err);
    fclose(err);
    return ok;
}

static void load(const char *invariants, const char *groups, const char *p99)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"schema\":\"" GATE_JSON_SCHEMA "\",\"rounds\":10000,\"invariants\":{%s},"
             "\"groups\":[%s],\"failover_us\":{\"p99\":%s}}",
             invariants, groups, p99);
    ck_assert_msg(load_text(text), "%s", said);
}

static struct condition *add(const char *name, enum gate_verdict v)
{
    struct condition *c = &gate.condition[gate.conditions++];
    *c = (struct condition){ .judged = true, .verdict = v };
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->threshold, sizeof c->threshold, "0");
    return c;
}

/* A run of 10,000 rounds in which no-stale-commit broke in 100, in one group. */
static void setup(void)
{
    memset(&tally, 0, sizeof tally);
    memset(&gate, 0, sizeof gate);
    memset(&run, 0, sizeof run);
    strcpy(file, "/tmp/baseline_test_XXXXXX");
    close(mkstemp(file));
    tally.rounds = 10000;
    tally.broken[INV_NO_STALE_COMMIT] = 100;
    for (int i = 0; i < 20000; i++) hist_add(&tally.failover, 2500000);
    group[0] = (struct failure_group){ .invariant = INV_NO_STALE_COMMIT,
                                       .faults = BIT(FAULT_CLOSE_HOLDER) | BIT(FAULT_REQUEST_LATE),
                                       .reduced = true };
    add(gate_condition_name(INV_NO_STALE_COMMIT), GATE_FAIL);
    add("failover-p99", GATE_FAIL);
    run = (struct run_report){ .tally = &tally, .gate = &gate, .group = group, .groups = 1 };
}

static void teardown(void)
{
    baseline_free(&b);
    unlink(file);
}

#define P99_SAME "{\"value\":2500000,\"low\":2490000,\"high\":2510000}"

static void apply(void)
{
    baseline_apply(&b, &gate, &run);
}

START_TEST(what_is_known_and_no_worse_passes)
{
    char verdict[TABLE_VERDICT_MAX];
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder+request-late\"}",
         P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_PASS);
    ck_assert_uint_eq(b.known, 2);
    ck_assert_str_eq(table_verdict(verdict, &run), "GATE PASS (baseline: 2 known failures)");
    ck_assert_str_eq(gate.condition[0].threshold, "0, or the baseline's");
}
END_TEST

START_TEST(another_set_of_faults_is_new)
{
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/freeze-abrupt\"}", P99_SAME);
    apply();
    ck_assert(b.invariant_new[INV_NO_STALE_COMMIT]);
    ck_assert_int_eq(gate.condition[0].verdict, GATE_FAIL);
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(fewer_known_faults_explain_more)
{
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder\"}", P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_PASS);
}
END_TEST

START_TEST(more_known_faults_do_not_explain_fewer)
{
    group[0].faults = BIT(FAULT_CLOSE_HOLDER);
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder+request-late\"}",
         P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(one_new_group_beside_known_ones_fails)
{
    group[1] = group[0];
    group[1].faults = BIT(FAULT_FREEZE_ABRUPT);
    run.groups = 2;
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder\"}", P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
    ck_assert_uint_eq(b.known, 1); /* the p99 */
}
END_TEST

START_TEST(more_often_than_chance_explains_is_worse)
{
    load("\"no-stale-commit\":50", "{\"name\":\"no-stale-commit/close-holder\"}", P99_SAME);
    apply();
    ck_assert(b.invariant_worse[INV_NO_STALE_COMMIT]);
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(a_failure_without_a_group_is_new)
{
    run.groups = 0;
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder\"}", P99_SAME);
    apply();
    ck_assert(b.invariant_new[INV_NO_STALE_COMMIT]);
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(an_unreduced_group_is_known_by_its_name)
{
    group[0].reduced = false;
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/no-fault\"}", P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
    teardown();
    setup();
    group[0].reduced = false;
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/unreduced\"}", P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_PASS);
}
END_TEST

START_TEST(a_longer_p99_is_worse)
{
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder\"}",
         "{\"value\":2100000,\"low\":2090000,\"high\":2110000}");
    apply();
    ck_assert_int_eq(b.p99, P99_WORSE);
    ck_assert_int_eq(gate.condition[1].verdict, GATE_FAIL);
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(other_conditions_are_not_excused)
{
    add("mutants", GATE_FAIL);
    load("\"no-stale-commit\":95", "{\"name\":\"no-stale-commit/close-holder\"}", P99_SAME);
    apply();
    ck_assert_int_eq(gate.verdict, GATE_FAIL);
}
END_TEST

START_TEST(what_is_better_is_told)
{
    load("\"no-stale-commit\":95",
         "{\"name\":\"no-stale-commit/close-holder\"},{\"name\":\"progress/freeze-abrupt\"}",
         P99_SAME);
    apply();
    FILE *f = fmemopen(said, sizeof said, "w");
    baseline_tell(f, &b, &run);
    fclose(f);
    const char *out = strstr(said, "not seen");
    ck_assert(out != NULL);
    ck_assert(strstr(out, "progress/freeze-abrupt") != NULL);
    ck_assert(strstr(out, "better than the baseline") != NULL);
}
END_TEST

START_TEST(a_file_of_another_kind_is_refused)
{
    static const char *const text[] = {
        "",
        "[]",
        "{\"schema\":\"other\"}",
        "{\"schema\":\"" GATE_JSON_SCHEMA "\",\"rounds\":0}",
        "{\"schema\":\"" GATE_JSON_SCHEMA "\",\"rounds\":5,\"invariants\":{\"progress\":-1}}",
        "{\"schema\":\"" GATE_JSON_SCHEMA "\",\"rounds\":5,\"invariants\":{},\"groups\":[{}],"
        "\"failover_us\":{\"p99\":{}}}",
        "{\"schema\":\"" GATE_JSON_SCHEMA "\",\"rounds\":5,\"invariants\":{},\"groups\":[]}",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        ck_assert(!load_text(text[i]));
        ck_assert(strncmp(said, file, strlen(file)) == 0);
        ck_assert(strstr(said, "accepted") != NULL);
    }
}
END_TEST

Suite *baseline_suite(void)
{
    Suite *s = suite_create("baseline");
    TCase *t = tcase_create("baseline");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_is_known_and_no_worse_passes);
    tcase_add_test(t, another_set_of_faults_is_new);
    tcase_add_test(t, fewer_known_faults_explain_more);
    tcase_add_test(t, more_known_faults_do_not_explain_fewer);
    tcase_add_test(t, one_new_group_beside_known_ones_fails);
    tcase_add_test(t, more_often_than_chance_explains_is_worse);
    tcase_add_test(t, a_failure_without_a_group_is_new);
    tcase_add_test(t, an_unreduced_group_is_known_by_its_name);
    tcase_add_test(t, a_longer_p99_is_worse);
    tcase_add_test(t, other_conditions_are_not_excused);
    tcase_add_test(t, what_is_better_is_told);
    tcase_add_test(t, a_file_of_another_kind_is_refused);
    suite_add_tcase(s, t);
    return s;
}
