/* Scenarios that are written come back as they were. */
#include "tools/scenario_file.h"

#include <check.h>
#include <glob.h>
#include <string.h>

#include "sim/run.h"
#include "tools/scenario_rig.h"

Suite *scenario_file_suite(void);

static char *text_of(const struct scenario *s)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    scenario_write(f, s);
    fclose(f);
    return text;
}

static uint64_t digest(const struct scenario *s)
{
    struct runner r;
    struct contract c;
    ck_assert(contract_load(&c, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    runner_open(&r, scenario_tabs(s));
    uint64_t d = history_digest(run_round(&r, s, &c, 7));
    runner_close(&r);
    return d;
}

static void ck_round_trip(const struct scenario *s)
{
    char *text = text_of(s);
    struct scenario again = scenario_rig_read(text);
    char *twice = text_of(&again);
    ck_assert_str_eq(text, twice);
    ck_assert_uint_eq(digest(s), digest(&again));
    free(text);
    free(twice);
}

START_TEST(every_scenario_that_is_shipped_plays_the_same_when_written_and_read)
{
    glob_t g;
    uint32_t n = 0;
    ck_assert_int_eq(glob("scenarios/*.yaml", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct scenario s;
        const char *schema = plan_schema(g.gl_pathv[i], stderr);
        if (!schema || strcmp(schema, "tabquake.scenario.v1") != 0) continue;
        ck_assert(scenario_load(&s, g.gl_pathv[i], NULL, stderr));
        ck_round_trip(&s);
        n++;
    }
    globfree(&g);
    ck_assert_uint_gt(n, 40);
}
END_TEST

START_TEST(every_mutant_becomes_a_scenario_with_its_policy)
{
    struct mutant m;
    ck_assert(mutant_load(&m, "scenarios/mutants/fail-open.yaml", NULL, stderr));
    char *text = text_of(&m.scenario);
    ck_assert_ptr_nonnull(strstr(text, "\npolicy: [fail-open]\n"));
    ck_round_trip(&m.scenario);
    free(text);
}
END_TEST

START_TEST(a_schedule_is_written_step_by_step)
{
    struct scenario s =
        scenario_rig_read("schema: tabquake.scenario.v1\nname: x\nsays: 'a \"b\" \\c'\n"
                          "schedule:\n  - {at: 3200ms, fault: freeze-abrupt, lasts: 2s}\n"
                          "  - {when: fenced, submit: true, tab: 3}\n"
                          "  - {for: 1s, until: belief.began, of: 2, do: thaw, tab: 1}\n"
                          "  - {fault: request-late, request: commit, lasts: 700ms}\n"
                          "  - {expect: leads, within: 2s, tab: 4}\n"
                          "  - {at: 9s, fault: cut-up, lasts: 1s, device: 1}\n"
                          "calm: true\nseed: 12\nmessageLoss: 0.5%\nsteal: never\n");
    char *text = text_of(&s);
    ck_assert_ptr_nonnull(strstr(text, "says: \"a \\\"b\\\" \\\\c\"\n"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "schedule:\n"
                                 "  - {at: 3200ms, fault: freeze-abrupt, lasts: 2s}\n"
                                 "  - {when: fenced, submit: true, tab: 3}\n"
                                 "  - {for: 1s, until: belief.began, of: 2, do: thaw, tab: 1}\n"
                                 "  - {fault: request-late, request: commit, lasts: 700ms}\n"
                                 "  - {expect: leads, within: 2s, tab: 4}\n"
                                 "  - {at: 9s, fault: cut-up, lasts: 1s, device: 1}\n"
                                 "calm: true\nseed: 0x000000000000000c\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nmessageLoss: 0.5%\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nsteal: never\n"));
    ck_round_trip(&s);
    free(text);
}
END_TEST

Suite *scenario_file_suite(void)
{
    Suite *s = suite_create("scenario_file");
    TCase *t = tcase_create("scenario_file");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_scenario_that_is_shipped_plays_the_same_when_written_and_read);
    tcase_add_test(t, every_mutant_becomes_a_scenario_with_its_policy);
    tcase_add_test(t, a_schedule_is_written_step_by_step);
    suite_add_tcase(s, t);
    return s;
}
