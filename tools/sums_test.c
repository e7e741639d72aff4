/* Lists that keep the same rounds whatever the order in which they come, and the small
 * parts of the tools: where files are, progress, workers. */
#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/locate.h"
#include "tools/pool.h"
#include "tools/progress.h"
#include "tools/sums.h"

Suite *sums_suite(void);

static struct scenario scenario = { .name = "one", .file = "one.yaml" };
static struct suite suite = {
    .scenario = &scenario, .scenarios = 1, .parts = 1, .share_sum = 1, .part = { { 0, 1 } }
};

static struct sums *open_sums(void)
{
    struct sums *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    sums_open(s, &suite);
    return s;
}

/* A round that broke two invariants and had one failover of `us`. */
static void add(struct sums *s, uint64_t index, int64_t us)
{
    static struct judge_result r;
    struct contract c = { .slo.failover_p99_us = 2000000 };
    memset(&r, 0, sizeof r);
    r.finding[INV_PROGRESS].verdict = r.finding[INV_NO_FAIL_OPEN].verdict = VERDICT_BROKEN;
    r.effective[FAULT_RELOAD] = index >= 5;
    r.gaps = 1;
    r.gap[0] = (struct gap_sample){ .eligible_us = us, .raw_us = us, .cause = GAP_CRASHED };
    struct played p = { .result = &r, .digest = index * 3, .events = 10, .virtual_us = 5 };
    sums_add(s, &(struct sums_round){ .index = index, .course.seed = index }, &p, &c);
}

START_TEST(the_first_failures_and_the_slowest_rounds_are_kept)
{
    struct sums *s = open_sums();
    const uint64_t n = STORE_NOTED_MAX + 100;
    for (uint64_t i = n; i-- > 0;) add(s, i, (int64_t)(i % 50) * 1000); /* backwards */
    ck_assert_uint_eq(s->broken[INV_PROGRESS].n, STORE_NOTED_MAX);
    ck_assert_uint_eq(s->broken[INV_LOCK_MODEL].n, 0);
    for (uint64_t i = 0; i < STORE_NOTED_MAX; i++)
        ck_assert_uint_eq(s->broken[INV_PROGRESS].at[i].index, i);
    ck_assert_uint_eq(s->noted[NOTED_SLOW].n, STORE_SLOW_MAX);
    for (uint64_t i = 0; i < STORE_SLOW_MAX; i++) { /* the longest, the earliest of equals */
        ck_assert_int_eq(s->noted[NOTED_SLOW].at[i].failover_us, 49000);
        ck_assert_uint_eq(s->noted[NOTED_SLOW].at[i].index, 49 + 50 * i);
    }
    ck_assert_uint_eq(s->tally.rounds, n);
    ck_assert_uint_eq(s->scenario[0].broken, n);
    free(s);
}
END_TEST

START_TEST(merged_in_any_order_the_lists_are_the_same)
{
    struct sums *whole = open_sums(), *a = open_sums(), *b = open_sums(), *m = open_sums();
    static struct sums_lists one, two;
    for (uint64_t i = 0; i < 1500; i++) {
        add(whole, i, (int64_t)(i * 7919 % 1500));
        add(i / 10 % 2 ? a : b, i, (int64_t)(i * 7919 % 1500));
    }
    sums_merge(m, b);
    sums_merge(m, a);
    sums_list(whole, &one);
    sums_list(m, &two);
    ck_assert_uint_eq(one.failures, 2 * STORE_NOTED_MAX);
    ck_assert_mem_eq(&one, &two, sizeof one);
    ck_assert_mem_eq(&whole->tally, &m->tally, sizeof m->tally);
    ck_assert_uint_eq(m->virtual_us, 1500 * 5);
    ck_assert(m->has_effective[FAULT_RELOAD] && !m->has_effective[FAULT_DISCARD]);
    ck_assert_uint_eq(m->effective[FAULT_RELOAD].index, 5); /* the first round */
    free(whole), free(a), free(b), free(m);
}
END_TEST

START_TEST(cleared_sums_are_empty)
{
    struct sums *s = open_sums();
    static struct sums_lists l;
    add(s, 9, 1);
    sums_clear(s);
    sums_list(s, &l);
    ck_assert_uint_eq(l.failures + l.noted_n, 0);
    ck_assert_uint_eq(s->tally.rounds + s->scenario[0].rounds + s->virtual_us, 0);
    ck_assert(!s->has_effective[FAULT_RELOAD]);
    ck_assert_str_eq(s->scenario[0].name, "one");
    free(s);
}
END_TEST

/* -- locate --------------------------------------------------------------------------- */

static void touch(const char *root, const char *folders, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, folders);
    for (char *p = path + strlen(root) + 1;; p++) {
        if (*p != '/' && *p != '\0') continue;
        char end = *p;
        *p = '\0';
        mkdir(path, 0777);
        *p = end;
        if (!end) break;
    }
    if (!file) return;
    snprintf(path, sizeof path, "%s/%s/%s", root, folders, file);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
}

static void remove_all(const char *root)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(shipped_files_are_found_above_the_program_or_in_share)
{
    char root[] = "/tmp/tabquake-locate-XXXXXX", found[LOCATE_PATH_MAX], executable[256],
         expected[256];
    ck_assert_ptr_nonnull(mkdtemp(root));
    touch(root, "tree/build/san", NULL);
    touch(root, "tree/scenarios", "x.yaml");
    touch(root, "installed/bin", NULL);
    touch(root, "installed/share/tabquake/scenarios", "x.yaml");
    snprintf(executable, sizeof executable, "%s/tree/build/san/tabquake", root);
    snprintf(expected, sizeof expected, "%s/tree/scenarios/x.yaml", root);
    ck_assert(locate_from(found, executable, "x.yaml"));
    ck_assert_str_eq(found, expected);
    snprintf(executable, sizeof executable, "%s/installed/bin/tabquake", root);
    snprintf(expected, sizeof expected, "%s/installed/bin/../share/tabquake/scenarios/x.yaml",
             root);
    ck_assert(locate_from(found, executable, "x.yaml"));
    ck_assert_str_eq(found, expected);
    ck_assert(!locate_from(found, executable, "absent.yaml"));
    remove_all(root);
}
END_TEST

START_TEST(a_folder_is_what_stands_before_the_last_slash)
{
    char folder[LOCATE_PATH_MAX];
    locate_folder(folder, "a/b.yaml");
    ck_assert_str_eq(folder, "a");
    locate_folder(folder, "b.yaml");
    ck_assert_str_eq(folder, ".");
    locate_folder(folder, "/b.yaml");
    ck_assert_str_eq(folder, "/");
}
END_TEST

/* -- progress and workers ----------------------------------------------------------------- */

START_TEST(progress_tells_rate_and_time_left)
{
    char line[PROGRESS_LINE_MAX];
    ck_assert_str_eq(progress_line(line, "rounds", 500, 1500, 0, 10),
                     "500 of 1500 rounds, 50/s, 20 s left");
    ck_assert_str_eq(progress_line(line, "rounds", 500, 1500, 400, 10), /* resumed at 400 */
                     "500 of 1500 rounds, 10/s, 2 min left");
    ck_assert_str_eq(progress_line(line, "rounds", 0, 10, 0, 0), "0 of 10 rounds, 0/s");
    ck_assert_str_eq(progress_line(line, "rounds", 10, 10, 0, 1), "10 of 10 rounds, 10/s");
}
END_TEST

struct counted {
    atomic_uint sum, calls;
};

static void count(void *context, uint32_t worker)
{
    struct counted *c = context;
    atomic_fetch_add(&c->sum, worker);
    atomic_fetch_add(&c->calls, 1);
}

START_TEST(every_worker_runs_once_with_a_number_of_its_own)
{
    struct counted c = { 0 };
    struct pool p;
    pool_run(5, count, &c);
    ck_assert_uint_eq(c.calls, 5);
    ck_assert_uint_eq(c.sum, 0 + 1 + 2 + 3 + 4);
    pool_start(&p, 2, count, &c);
    while (!pool_wait(&p, 1)) continue;
    ck_assert_uint_eq(c.calls, 7);
    pool_finish(&p);
    ck_assert_uint_ge(pool_cores(), 1);
}
END_TEST

Suite *sums_suite(void)
{
    Suite *s = suite_create("sums");
    TCase *t = tcase_create("sums");
    tcase_add_test(t, the_first_failures_and_the_slowest_rounds_are_kept);
    tcase_add_test(t, merged_in_any_order_the_lists_are_the_same);
    tcase_add_test(t, cleared_sums_are_empty);
    tcase_add_test(t, shipped_files_are_found_above_the_program_or_in_share);
    tcase_add_test(t, a_folder_is_what_stands_before_the_last_slash);
    tcase_add_test(t, progress_tells_rate_and_time_left);
    tcase_add_test(t, every_worker_runs_once_with_a_number_of_its_own);
    suite_add_tcase(s, t);
    return s;
}
