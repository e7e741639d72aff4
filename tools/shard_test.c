/* Which shard a process is: the flag, and each engine's variables. */
#define _XOPEN_SOURCE 700 /* setenv */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/shard.h"

Suite *shard_suite(void);

static const char *const variables[] = {
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",
    "CI_NODE_INDEX",
    "CI_NODE_TOTAL",
    "CIRCLE_NODE_INDEX",
    "CIRCLE_NODE_TOTAL",
    "BUILDKITE_PARALLEL_JOB",
    "BUILDKITE_PARALLEL_JOB_COUNT",
    "SYSTEM_JOBPOSITIONINPHASE",
    "SYSTEM_TOTALJOBSINPHASE",
    "JOB_COMPLETION_INDEX",
    "PARALLEL_SEQ",
    "TABQUAKE_SHARDS",
};
static char said[512];
static struct shard s;

static void setup(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) unsetenv(variables[i]);
}

static bool read_as(const char *text)
{
    FILE *err = fmemopen(said, sizeof said, "w");
    bool ok = shard_read(&s, text, err);
    fclose(err);
    return ok;
}

static void is(uint32_t number, uint32_t of)
{
    ck_assert_msg(read_as(NULL), "%s", said);
    ck_assert_uint_eq(s.number, number);
    ck_assert_uint_eq(s.of, of);
}

START_TEST(without_anything_it_is_all)
{
    is(1, 1);
    ck_assert_ptr_null(s.from);
}
END_TEST

START_TEST(the_flag_says_it)
{
    ck_assert(read_as("3/7"));
    ck_assert_uint_eq(s.number, 3);
    ck_assert_uint_eq(s.of, 7);
}
END_TEST

START_TEST(the_flag_wins)
{
    setenv("CI_NODE_INDEX", "2", 1);
    setenv("CI_NODE_TOTAL", "4", 1);
    ck_assert(read_as("1/9"));
    ck_assert_uint_eq(s.of, 9);
    ck_assert_ptr_null(s.from);
}
END_TEST

START_TEST(other_flags_are_refused)
{
    static const char *const text[] = { "0/3",
                                        "4/3",
                                        "1",
                                        "1/",
                                        "/3",
                                        "a/3",
                                        "1/3x",
                                        "-1/3",
                                        "1/0",
                                        "1/10001",
                                        "1/99999999999999999999" };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        ck_assert_msg(!read_as(text[i]), "%s", text[i]);
        ck_assert(strstr(said, text[i]) != NULL);
    }
}
END_TEST

START_TEST(engines_count_from_where_they_count)
{
    static const struct {
        const char *index, *total;
        uint32_t first;
    } engine[] = {
        { "CI_NODE_INDEX", "CI_NODE_TOTAL", 1 },
        { "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0 },
        { "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0 },
        { "SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1 },
        { "JOB_COMPLETION_INDEX", "TABQUAKE_SHARDS", 0 },
        { "PARALLEL_SEQ", "TABQUAKE_SHARDS", 1 },
    };
    for (size_t i = 0; i < sizeof engine / sizeof engine[0]; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            char text[8];
            snprintf(text, sizeof text, "%u", engine[i].first + k);
            setenv(engine[i].index, text, 1);
            setenv(engine[i].total, "4", 1);
            is(k + 1, 4);
            ck_assert(strstr(s.from, engine[i].index) == s.from);
        }
        setenv(engine[i].index, engine[i].first ? "0" : "4", 1);
        ck_assert(!read_as(NULL));
        ck_assert(strstr(said, engine[i].index) != NULL);
        setup();
    }
}
END_TEST

START_TEST(an_index_without_a_number_of_shards_means_nothing)
{
    setenv("PARALLEL_SEQ", "3", 1);
    setenv("JOB_COMPLETION_INDEX", "3", 1);
    is(1, 1);
}
END_TEST

START_TEST(a_slurm_array_may_begin_anywhere_and_have_steps)
{
    setenv("SLURM_ARRAY_TASK_ID", "30", 1);
    ck_assert(!read_as(NULL));
    setenv("SLURM_ARRAY_TASK_COUNT", "5", 1);
    setenv("SLURM_ARRAY_TASK_MIN", "10", 1);
    setenv("SLURM_ARRAY_TASK_STEP", "10", 1);
    is(3, 5);
    setenv("SLURM_ARRAY_TASK_ID", "35", 1);
    ck_assert(!read_as(NULL));
    setenv("SLURM_ARRAY_TASK_ID", "60", 1);
    ck_assert(!read_as(NULL));
}
END_TEST

Suite *shard_suite(void)
{
    Suite *suite = suite_create("shard");
    TCase *t = tcase_create("shard");
    tcase_add_checked_fixture(t, setup, setup);
    tcase_add_test(t, without_anything_it_is_all);
    tcase_add_test(t, the_flag_says_it);
    tcase_add_test(t, the_flag_wins);
    tcase_add_test(t, other_flags_are_refused);
    tcase_add_test(t, engines_count_from_where_they_count);
    tcase_add_test(t, an_index_without_a_number_of_shards_means_nothing);
    tcase_add_test(t, a_slurm_array_may_begin_anywhere_and_have_steps);
    suite_add_tcase(suite, t);
    return suite;
}
