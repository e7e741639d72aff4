/* shrink --json: JSON that fits the schema published for it, and says what shrinking said. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>

#include "reports/schema_rig.h"
#include "tools/hunt.h"
#include "tools/shrink_json.h"
#include "tools/shrink_result.h"

Suite *shrink_json_suite(void);

#define SCHEMA "reports/shrink.schema.json"
#define MUTANT "scenarios/mutants/fail-open.yaml"

static struct mutant m;
static struct contract contract;
static struct player player;
static struct shrink s;
static struct scenario result;

/* The first of the mutant's rounds that breaks, shrunk with a budget. */
static void shrink_one(uint32_t budget)
{
    enum shrink_outcome o = SHRINK_HOLDS;
    ck_assert(mutant_load(&m, MUTANT, NULL, stderr));
    ck_assert(contract_load(&contract, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    player_open(&player, scenario_tabs(&m.scenario));
    for (uint64_t seed = 1; o != SHRINK_OK; seed++) {
        ck_assert_uint_lt(seed, 200);
        s = (struct shrink){ .player = &player, .contract = &contract, .budget = budget };
        o = shrink_start(&s, &m.scenario, seed, invariant_find(m.caught_by));
    }
    shrink_reduce(&s);
    player_close(&player);
    result = shrink_result(&s);
}

static json_t *said(void)
{
    const struct shrink_told t = { .shrink = &s,
                                   .result = &result,
                                   .scenario = MUTANT,
                                   .seed = 0x2a,
                                   .was = { 2, { 9, 11, 6 }, 19800000 },
                                   .output = "with \"quotes\".yaml",
                                   .replay = "tabquake replay it" };
    char *text = NULL;
    size_t bytes;
    json_error_t e;
    FILE *f = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(f);
    shrink_json(f, &t);
    fclose(f);
    json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, &e);
    ck_assert_msg(v != NULL, "line %d: %s", e.line, e.text);
    free(text);
    return v;
}

static const char *word(const json_t *v, const char *key)
{
    return json_string_value(json_object_get(v, key));
}

static json_int_t number(const json_t *v, const char *part, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(v, part), key));
}

START_TEST(it_fits_its_schema_and_says_what_was_found)
{
    shrink_one(SHRINK_BUDGET);
    json_t *schema = schema_load(SCHEMA), *v = said();
    ck_assert(schema_fits(schema, v, schema));
    ck_assert_str_eq(word(v, "invariant"), m.caught_by);
    ck_assert_str_eq(word(v, "seed"), "0x000000000000002a");
    ck_assert_str_eq(word(v, "file"), "with \"quotes\".yaml");
    ck_assert_int_eq(number(v, "was", "operations"), 11);
    ck_assert_int_eq(number(v, "is", "tabs"), shrink_size(&result).tabs);
    ck_assert_uint_eq(json_array_size(json_object_get(v, "steps")), result.steps);
    ck_assert(json_is_false(json_object_get(v, "budget_spent")));
    json_object_set_new(json_object_get(v, "is"), "tabs", json_string("two"));
    ck_assert_msg(!schema_fits(schema, v, schema), "the schema says something");
    json_decref(v);
    json_decref(schema);
}
END_TEST

START_TEST(one_that_needs_a_seed_or_more_rounds_says_so)
{
    shrink_one(1);
    json_t *schema = schema_load(SCHEMA), *v = said();
    ck_assert(schema_fits(schema, v, schema));
    ck_assert(json_is_string(json_object_get(v, "needs_seed")));
    ck_assert(json_is_true(json_object_get(v, "budget_spent")));
    json_decref(v);
    json_decref(schema);
}
END_TEST

Suite *shrink_json_suite(void)
{
    Suite *suite = suite_create("shrink-json");
    TCase *t = tcase_create("shrink-json");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, it_fits_its_schema_and_says_what_was_found);
    tcase_add_test(t, one_that_needs_a_seed_or_more_rounds_says_so);
    suite_add_tcase(suite, t);
    return suite;
}
