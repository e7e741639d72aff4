/* gate.json is JSON, fits the schema that is published beside it, says what the run
 * said, and is the same when it is made again from the stored results. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "reports/gate_json.h"
#include "reports/sample_report.h"
#include "reports/schema_rig.h"
#include "reports/store_read.h"

Suite *gate_json_suite(void);

static json_t *parsed(const struct run_report *r)
{
    char *text = sample_text(gate_json_write, r);
    json_error_t e;
    json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, &e);
    ck_assert_msg(v != NULL, "line %d: %s", e.line, e.text);
    free(text);
    return v;
}

#define SCHEMA "reports/gate.schema.json"

START_TEST(it_fits_its_schema)
{
    struct sample *s = sample_report();
    json_t *schema = schema_load(SCHEMA), *v = parsed(&s->report);
    ck_assert(schema_fits(schema, v, schema));
    json_object_set_new(json_object_get(v, "performance"), "jobs", json_string("two"));
    ck_assert_msg(!schema_fits(schema, v, schema), "the schema says something");
    json_decref(v);
    json_decref(schema);
    free(s);
}
END_TEST

START_TEST(a_run_that_did_nothing_fits_it_too_and_is_unknown)
{
    struct sample *s = sample_report();
    memset(&s->tally, 0, sizeof s->tally);
    struct run_report r = { .run = s->report.run,
                            .tally = &s->tally,
                            .performance = { 0, INFINITY, NAN, -1, 0 } };
    json_t *schema = schema_load(SCHEMA), *v = parsed(&r);
    ck_assert(schema_fits(schema, v, schema));
    ck_assert_str_eq(json_string_value(json_object_get(v, "verdict")), "unknown");
    ck_assert(json_is_null(
        json_object_get(json_object_get(json_object_get(v, "failover_us"), "p99"), "value")));
    json_decref(v);
    json_decref(schema);
    free(s);
}
END_TEST

START_TEST(open_failovers_have_no_length_and_fit_the_schema)
{
    struct sample *s = sample_report();
    struct histogram *h = &s->tally.by_cause[GAP_FROZEN];
    for (int i = 0; i < 100; i++) hist_add(h, HIST_OPEN_US);
    hist_add(h, 500);
    json_t *schema = schema_load(SCHEMA), *v = parsed(&s->report);
    json_t *frozen =
        json_object_get(json_object_get(json_object_get(v, "failover_us"), "by_cause"), "frozen");
    ck_assert(schema_fits(schema, v, schema));
    ck_assert_int_eq(json_integer_value(json_object_get(frozen, "open")), 100);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(frozen, "max"), "value")),
                     500);
    ck_assert(json_is_null(json_object_get(json_object_get(frozen, "p99"), "value")));
    json_decref(v);
    json_decref(schema);
    free(s);
}
END_TEST

START_TEST(it_says_what_the_run_said)
{
    struct sample *s = sample_report();
    json_t *v = parsed(&s->report), *p99, *c;
    ck_assert_str_eq(json_string_value(json_object_get(v, "verdict")), "fail");
    ck_assert_str_eq(json_string_value(json_object_get(v, "digest")), "0xfedc000000000001");
    ck_assert_int_eq(json_integer_value(json_object_get(v, "rounds")), 2000);
    c = json_array_get(json_object_get(v, "conditions"), 2);
    ck_assert_str_eq(json_string_value(json_object_get(c, "verdict")), "unknown");
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_object_get(v, "invariants"), "no-stale-commit")),
        2);
    p99 = json_object_get(json_object_get(v, "failover_us"), "p99");
    json_int_t value = json_integer_value(json_object_get(p99, "value"));
    ck_assert_int_eq(value, hist_quantile(&s->tally.failover, 99, 100));
    ck_assert_int_lt(json_integer_value(json_object_get(p99, "low")), value);
    ck_assert_int_gt(json_integer_value(json_object_get(p99, "high")), value);
    ck_assert_uint_eq(json_array_size(json_object_get(v, "failures")), 3);
    json_t *groups = json_object_get(v, "groups"), *first = json_array_get(groups, 0);
    ck_assert_uint_eq(json_array_size(groups), 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "name")),
                     "no-stale-commit/freeze-abrupt+reload");
    ck_assert_uint_eq(json_array_size(json_object_get(first, "faults")), 2);
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_object_get(first, "minimal")), "0abc/minimal.yaml"));
    json_decref(v);
    free(s);
}
END_TEST

START_TEST(it_is_made_again_from_the_stored_results_byte_for_byte)
{
    char path[] = "/tmp/gate_json_test_XXXXXX";
    struct sample *s = sample_report();
    /* what a database keeps as text has to be text */
    s->scenario[1].name = "steal-mid-fetch";
    s->failure[0].finding.reason = "a commit under a stale fence";
    snprintf(s->gate.condition[1].says, CONDITION_TEXT_MAX, "says");
    close(mkstemp(path));
    struct store *store = store_open(path, STORE_CREATE, &s->report.run, s->scenario, 3, stderr);
    struct store_block block = { 0, s->tally.digest, (uint32_t)s->tally.rounds };
    struct store_batch batch = {
        &s->tally, &block, 1, s->scenario, 3, s->failure, 4, &s->noted, 1
    };
    ck_assert(store_add(store, &batch));
    ck_assert(store_finish(store, &s->report));
    ck_assert(store_close(store));
    struct stored_run *stored = store_load(path, stderr);
    ck_assert_ptr_nonnull(stored);
    char *live = sample_text(gate_json_write, &s->report);
    char *again = sample_text(gate_json_write, &stored->report);
    ck_assert_str_eq(live, again);
    free(live);
    free(again);
    stored_free(stored);
    unlink(path);
    free(s);
}
END_TEST

Suite *gate_json_suite(void)
{
    Suite *s = suite_create("gate_json");
    TCase *t = tcase_create("gate_json");
    tcase_add_test(t, it_fits_its_schema);
    tcase_add_test(t, a_run_that_did_nothing_fits_it_too_and_is_unknown);
    tcase_add_test(t, open_failovers_have_no_length_and_fit_the_schema);
    tcase_add_test(t, it_says_what_the_run_said);
    tcase_add_test(t, it_is_made_again_from_the_stored_results_byte_for_byte);
    suite_add_tcase(s, t);
    return s;
}
