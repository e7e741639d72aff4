/* The record of a run: complete, refusing what is not its own, and consistent
 * whenever its writer dies. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "reports/sql.h"
#include "reports/store_read.h"
#include "reports/tally_names.h"

Suite *store_suite(void);

static char folder[64], path[96];
static const struct scenario_count scenario[] = {
    { "steal-mid-fetch", "scenarios/steal-mid-fetch.yaml", 3, 0, 0, 0 },
    { "frozen-leader", "scenarios/frozen-leader.yaml", 1, 0, 0, 0 },
};

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/store_test_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/results.sqlite", folder);
}

static void remove_folder(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static struct run_info some_run(void)
{
    struct run_info r = { .seed_text = "0xbeef",
                          .seed = UINT64_C(0xFFFFFFFFFFFFBEEF),
                          .revision = "abc",
                          .build = "gcc -O2",
                          .suite = "release-gate.yaml",
                          .plan_digest = 77,
                          .rounds_asked = 100000,
                          .block_rounds = 1000,
                          .shard = 1,
                          .shards = 1,
                          .jobs = 2,
                          .started = "2026-01-02T03:04:05Z" };
    snprintf(r.contract.workstream, CONTRACT_TEXT_MAX, "account-outbox");
    r.contract.slo.failover_p99_us = 2 * US_PER_S;
    return r;
}

static uint32_t next_number(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 8;
}

/* Ten failovers a round and everything else that a tally can hold. */
static void fill(struct tally *t, uint32_t rounds, uint32_t *state)
{
    memset(t, 0, sizeof *t);
    t->rounds = rounds;
    t->digest = UINT64_C(0x8000000000000000) + rounds; /* two of them overflow */
    t->events = rounds * UINT64_C(2500);
    for (uint32_t i = 0; i < rounds * 10; i++) {
        uint32_t r = next_number(state), us = 200 + (r % 1000) * (r % 1700);
        hist_add(&t->failover, us);
        hist_add(&t->raw, us + 1);
        hist_add(&t->by_cause[r % GAP_COUNT], us);
        hist_add(&t->by_visibility[r % 2], us);
        hist_add(&t->by_device[r % 2], us);
        hist_add(&t->hold, us * INT64_C(9));
    }
    for (int i = 0; i < INV_COUNT; i++) t->held[i] = rounds, t->unknown[i] = (uint64_t)i;
    for (int f = 0; f < FAULT_COUNT; f++) {
        t->planned[f] = (uint64_t)f, t->effective_rounds[f] = 1;
        for (int p = 0; p < PHASE_COUNT; p++) t->cell[f][p] = next_number(state) % 50;
    }
    t->overruns_times_holds = 12345;
    for (int k = 0; k < STRATEGY_COUNT; k++)
        t->strategy_rounds[k] = rounds / 5 + (uint64_t)k, t->strategy_broken[k] = (uint64_t)k;
    for (int i = 0; i < INV_COUNT; i++)
        t->uniform_held[i] = rounds / 2, t->uniform_broken[i] = (uint64_t)i;
    for (uint32_t i = 0; i < 300; i++)
        t->first[next_number(state) % ABSTRACT_STATES] = 1 + next_number(state) % 100000;
    t->pct_links = 7, t->pct_steps = 8;
}

static struct store *open_new(void)
{
    struct run_info r = some_run();
    struct store *s = store_open(path, STORE_CREATE, &r, scenario, 2, stderr);
    ck_assert_ptr_nonnull(s);
    return s;
}

static void add_block(struct store *s, const struct tally *t, uint64_t first)
{
    struct store_block b = { first, t->digest, (uint32_t)t->rounds };
    struct store_batch batch = { .delta = t, .block = &b, .blocks = 1 };
    ck_assert(store_add(s, &batch));
}

static struct stored_run *load(void)
{
    struct stored_run *r = store_load(path, stderr);
    ck_assert_ptr_nonnull(r);
    return r;
}

START_TEST(the_sums_come_back_whole)
{
    struct tally *t = calloc(3, sizeof *t);
    uint32_t state = 1;
    struct store *s = open_new();
    for (uint64_t i = 0; i < 2; i++) {
        fill(&t[i], 100, &state);
        add_block(s, &t[i], i * 1000);
        ck_assert(store_flush(s));
        tally_merge(&t[2], &t[i]);
    }
    ck_assert(store_close(s));
    struct stored_run *r = load();
    ck_assert(memcmp(&t[2], &r->tally, sizeof *t) == 0);
    ck_assert_uint_eq(r->tally.digest, 200);
    ck_assert_uint_eq(r->blocks, 2);
    ck_assert_uint_eq(r->block[1].first, 1000);
    ck_assert_uint_eq(r->block[1].digest, t[1].digest);
    ck_assert(!r->finished);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(what_was_asked_for_comes_back)
{
    struct run_info asked = some_run();
    ck_assert(store_close(open_new()));
    struct stored_run *r = load();
    ck_assert_uint_eq(r->report.run.seed, asked.seed);
    ck_assert_str_eq(r->report.run.seed_text, "0xbeef");
    ck_assert_str_eq(r->report.run.started, asked.started);
    ck_assert_mem_eq(&r->report.run.contract, &asked.contract, sizeof asked.contract);
    ck_assert_uint_eq(r->report.scenarios, 2);
    ck_assert_str_eq(r->report.scenario[1].file, "scenarios/frozen-leader.yaml");
    ck_assert_uint_eq(r->report.scenario[0].share, 3);
    ck_assert_ptr_null(r->report.gate);
    stored_free(r);
}
END_TEST

static const struct run_setting setting[] = { { "lease.ttl", "900ms" }, { "network", "{lan: 1}" } };

static void write_called_run(void)
{
    struct run_info called = some_run();
    called.program = "../build/tabquake";
    called.setting = setting;
    called.settings = 2;
    ck_assert(store_close(store_open(path, STORE_CREATE, &called, scenario, 2, stderr)));
}

START_TEST(how_it_was_called_comes_back)
{
    write_called_run();
    struct stored_run *r = load();
    ck_assert_str_eq(r->report.run.program, "../build/tabquake");
    ck_assert_uint_eq(r->report.run.settings, 2);
    ck_assert_str_eq(r->report.run.setting[1].path, "network");
    ck_assert_str_eq(r->report.run.setting[1].value, "{lan: 1}");
    stored_free(r);
}
END_TEST

START_TEST(findings_and_rounds_come_back)
{
    struct tally *t = calloc(1, sizeof *t);
    struct store_block b = { 0, 0, 1 };
    const struct course uniform = { .seed = 2 }, pct = { .strategy = STRATEGY_PCT3 };
    struct failure f[] = {
        { 7,
          UINT64_MAX,
          1,
          INV_NO_STALE_COMMIT,
          { VERDICT_BROKEN, { 118, 131 }, "a \"stale\" one" },
          { .strategy = STRATEGY_MUTATION, .fork = { .before = 12, .seed = 0xF0 } } },
        { 9,
          2,
          0,
          INV_SINGLE_ACTIVE_GENERATION,
          { VERDICT_UNKNOWN, { OBS_NONE, OBS_NONE }, NULL },
          uniform },
    };
    struct noted_round n[] = { { 7, UINT64_MAX, 5, 1, NOTED_BROKEN, 900, uniform },
                               { 8, 3, UINT64_MAX, 0, NOTED_UNKNOWN, -1, pct } };
    struct scenario_count c[] = { { "", "", 0, 1, 0, 0 }, { "", "", 0, 2, 1, 0 } };
    struct store_batch batch = { t, &b, 1, c, 2, f, 2, n, 2 };
    struct store *s = open_new();
    t->rounds = 1;
    ck_assert(store_add(s, &batch));
    ck_assert(store_close(s));
    struct stored_run *r = load();
    ck_assert_uint_eq(r->report.failures, 2);
    ck_assert_int_eq(r->failure[0].invariant, INV_SINGLE_ACTIVE_GENERATION);
    ck_assert_uint_eq(r->failure[0].finding.witness[0], OBS_NONE);
    ck_assert_ptr_null(r->failure[0].finding.reason);
    ck_assert_uint_eq(r->failure[1].seed, UINT64_MAX);
    ck_assert_uint_eq(r->failure[1].finding.witness[1], 131);
    ck_assert_str_eq(r->failure[1].finding.reason, "a \"stale\" one");
    ck_assert_int_eq(r->failure[0].course.strategy, STRATEGY_UNIFORM);
    ck_assert_int_eq(r->failure[1].course.strategy, STRATEGY_MUTATION);
    ck_assert_uint_eq(r->failure[1].course.fork.before, 12);
    ck_assert_uint_eq(r->failure[1].course.fork.seed, 0xF0);
    ck_assert_int_eq(r->noted[1].course.strategy, STRATEGY_PCT3);
    ck_assert_uint_eq(r->report.noted_n, 2);
    ck_assert_int_eq(r->noted[1].failover_us, -1);
    ck_assert_uint_eq(r->noted[1].digest, UINT64_MAX);
    ck_assert_uint_eq(r->scenario[1].rounds, 2);
    ck_assert_uint_eq(r->scenario[1].broken, 1);
    stored_free(r);
    free(t);
}
END_TEST

#define ROUNDS 50 /* of a block */
_Static_assert(STORE_NOTED_MAX % ROUNDS == 0, "the last block is whole");

START_TEST(of_many_findings_the_first_are_kept_whatever_the_order)
{
    struct tally *t = calloc(1, sizeof *t);
    struct store *s = open_new();
    t->rounds = ROUNDS;
    for (uint64_t first = STORE_NOTED_MAX + ROUNDS; first > 0;) {
        first -= ROUNDS; /* backwards, inside of a block too */
        struct store_block b = { first, 0, ROUNDS };
        struct failure f[ROUNDS];
        struct noted_round n[2 * ROUNDS];
        for (uint32_t i = 0; i < ROUNDS; i++) {
            uint64_t index = first + ROUNDS - 1 - i;
            const struct course how = { .strategy = STRATEGY_UNIFORM };
            f[i] = (struct failure){ index, 1, 0, INV_PROGRESS, { VERDICT_BROKEN, { 0, 1 }, "r" },
                                     how };
            n[2 * i] = (struct noted_round){ index, 1, 1, 0, NOTED_BROKEN, 1, how };
            n[2 * i + 1] = (struct noted_round){ index, 1, 1, 0, NOTED_SLOW, (int64_t)index, how };
        }
        struct store_batch batch = { .delta = t,
                                     .block = &b,
                                     .blocks = 1,
                                     .failure = f,
                                     .failures = ROUNDS,
                                     .noted = n,
                                     .noted_n = 2 * ROUNDS };
        ck_assert(store_add(s, &batch));
        if (first % 500 == 0) ck_assert(store_flush(s));
    }
    ck_assert(store_close(s));
    struct stored_run *r = load();
    ck_assert_uint_eq(r->report.failures, STORE_NOTED_MAX);
    ck_assert_uint_eq(r->failure[0].index, 0);
    ck_assert_uint_eq(r->failure[STORE_NOTED_MAX - 1].index, STORE_NOTED_MAX - 1);
    ck_assert_uint_eq(r->report.noted_n, STORE_NOTED_MAX + STORE_SLOW_MAX);
    ck_assert_int_eq(r->noted[STORE_NOTED_MAX].why, NOTED_SLOW);
    ck_assert_int_eq(r->noted[STORE_NOTED_MAX].failover_us, STORE_NOTED_MAX + ROUNDS - 1);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(a_judgement_comes_back_and_a_later_one_replaces_it)
{
    static struct gate_report g = { .verdict = GATE_UNKNOWN,
                                    .is_short = true,
                                    .conditions = 1,
                                    .condition = { { "failover-p99", "says", "< 2 s", "1.482 s",
                                                     "1.471..1.493 s", GATE_PASS, true } } };
    struct mutant_outcome m = { "fail-open", INV_NO_FAIL_OPEN,
                                true,        12,
                                1000,        (1u << INV_STAGE_RESPECTED) | (1u << INV_PROGRESS) };
    struct run_report report = {
        .gate = &g, .mutant = &m, .mutants = 1, .performance = { 2.5, 100, 1e6, 3e4, 2 }
    };
    struct store *s = open_new();
    ck_assert(store_finish(s, &report));
    ck_assert(store_finish(s, &report));
    ck_assert(store_close(s));
    struct stored_run *r = load();
    ck_assert(r->finished);
    ck_assert_ptr_nonnull(r->report.gate);
    ck_assert_mem_eq(&r->gate, &g, sizeof g);
    ck_assert_uint_eq(r->report.mutants, 1);
    ck_assert_str_eq(r->mutant[0].name, "fail-open");
    ck_assert_uint_eq(r->mutant[0].also, m.also);
    ck_assert_double_eq(r->report.performance.speedup, 3e4);
    stored_free(r);
}
END_TEST

START_TEST(a_killed_writer_leaves_a_consistent_single_file_to_go_on_with)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    struct tally *t = calloc(1, sizeof *t);
    uint32_t state = 1;
    if (child == 0) {
        struct store *s = open_new();
        fill(t, 100, &state);
        add_block(s, t, 0);
        ck_assert(store_flush(s));
        add_block(s, t, 1000); /* added, not flushed */
        kill(getpid(), SIGKILL);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    static const char *const beside[] = { "journal", "wal", "shm" };
    for (int i = 0; i < 3; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s-%s", path, beside[i]);
        ck_assert_int_ne(access(file, F_OK), 0);
    }
    struct stored_run *r = load();
    ck_assert_uint_eq(r->blocks, 1);
    ck_assert_uint_eq(r->tally.rounds, 100);
    ck_assert(!r->finished);
    stored_free(r);

    struct run_info run = some_run();
    run.jobs = 7; /* may differ */
    struct store *s = store_open(path, STORE_RESUME, &run, scenario, 2, stderr);
    ck_assert_ptr_nonnull(s);
    fill(t, 100, &state);
    add_block(s, t, 1000);
    ck_assert(store_close(s));
    r = load();
    ck_assert_uint_eq(r->blocks, 2);
    ck_assert_uint_eq(r->tally.rounds, 200);
    ck_assert_uint_eq(r->tally.digest, 200);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(resuming_what_is_not_there_begins_it)
{
    struct run_info run = some_run();
    struct store *s = store_open(path, STORE_RESUME, &run, scenario, 2, stderr);
    ck_assert_ptr_nonnull(s);
    ck_assert(store_close(s));
    stored_free(load());
}
END_TEST

/* Opens and expects a refusal; its one sentence is in `why`. */
static void refuse(const char *file, enum store_mode mode, const struct run_info *run,
                   char why[512])
{
    memset(why, 0, 512);
    FILE *err = fmemopen(why, 511, "w");
    ck_assert_ptr_null(store_open(file, mode, run, scenario, 2, err));
    fclose(err);
    ck_assert_msg(strchr(why, '\n') == why + strlen(why) - 1, "one sentence: %s", why);
}

static void change(struct run_info *r, int what)
{
    switch (what) {
    case 0: r->seed++; break;
    case 1: r->revision = "def"; break;
    case 2: r->suite = "other.yaml"; break;
    case 3: r->plan_digest++; break;
    case 4: r->rounds_asked--; break;
    case 5: r->block_rounds++; break;
    case 6: r->shards = 3; break;
    case 7: r->contract.lease.ttl_us = 5; break;
    default: ck_abort();
    }
}

START_TEST(another_run_is_not_continued)
{
    static const char *const word[] = {
        "seed",       "revision",         "suite",   "digest", "rounds",
        "block size", "number of shards", "contract"
    };
    struct run_info other = some_run();
    char why[512];
    ck_assert(store_close(open_new()));
    change(&other, _i);
    refuse(path, STORE_RESUME, &other, why);
    ck_assert_msg(strstr(why, word[_i]) && strstr(why, "not continued"), "%s", why);
    stored_free(load());
}
END_TEST

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void ck_file(const char *text)
{
    char found[256] = "";
    FILE *f = fopen(path, "r");
    ck_assert_uint_eq(fread(found, 1, sizeof found - 1, f), strlen(text));
    fclose(f);
    ck_assert_str_eq(found, text);
}

START_TEST(a_file_that_is_no_database_stays_as_it_is)
{
    struct run_info run = some_run();
    char why[512];
    const char *text =
        "dear diary, this is not a database at all, it is much too personal for that";
    write_file(text);
    refuse(path, _i ? STORE_RESUME : STORE_CREATE, &run, why);
    ck_assert_msg(strstr(why, "not a database"), "%s", why);
    ck_file(text);
}
END_TEST

static void execute(const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

START_TEST(a_database_of_another_program_stays_as_it_is)
{
    struct run_info run = some_run();
    char why[512];
    execute("CREATE TABLE precious (x); INSERT INTO precious VALUES (42);");
    refuse(path, _i ? STORE_RESUME : STORE_CREATE, &run, why);
    ck_assert_msg(strstr(why, "another program"), "%s", why);
    execute("UPDATE precious SET x = x + 1;");
}
END_TEST

START_TEST(newer_results_stay_as_they_are)
{
    struct run_info run = some_run();
    char why[512];
    ck_assert(store_close(open_new()));
    execute("PRAGMA user_version = 1000;");
    refuse(path, _i ? STORE_RESUME : STORE_CREATE, &run, why);
    ck_assert_msg(strstr(why, "newer version (schema 1000; this program knows "), "%s", why);
    execute("SELECT seed FROM run;");
}
END_TEST

START_TEST(results_of_schema_1_are_read_and_not_continued)
{
    char why[512];
    struct run_info run = some_run();
    write_called_run();
    execute("ALTER TABLE run DROP COLUMN program; DROP TABLE setting; PRAGMA user_version = 1;"
            "ALTER TABLE round DROP COLUMN course; ALTER TABLE finding DROP COLUMN course;"
            "ALTER TABLE invariant DROP COLUMN uniform_held;"
            "ALTER TABLE invariant DROP COLUMN uniform_broken;"
            "DROP VIEW saturation; DROP TABLE state; DROP TABLE strategy;");
    struct stored_run *r = load();
    ck_assert_str_eq(r->report.run.seed_text, run.seed_text);
    ck_assert_ptr_null(r->report.run.program);
    ck_assert_uint_eq(r->report.run.settings, 0);
    stored_free(r);
    refuse(path, STORE_RESUME, &run, why);
    ck_assert_msg(strstr(why, "written by an older version (schema 1;"), "%s", why);
}
END_TEST

START_TEST(results_of_schema_2_had_uniform_rounds_alone)
{
    struct tally *t = calloc(1, sizeof *t);
    struct store *s = open_new();
    t->rounds = 1;
    t->held[INV_PROGRESS] = 1;
    add_block(s, t, 0);
    ck_assert(store_close(s));
    execute("PRAGMA user_version = 2; ALTER TABLE round DROP COLUMN course;"
            "ALTER TABLE finding DROP COLUMN course;"
            "ALTER TABLE invariant DROP COLUMN uniform_held;"
            "ALTER TABLE invariant DROP COLUMN uniform_broken;"
            "DROP VIEW saturation; DROP TABLE state; DROP TABLE strategy;");
    struct stored_run *r = load();
    ck_assert_uint_eq(r->tally.strategy_rounds[STRATEGY_UNIFORM], 1);
    ck_assert_uint_eq(r->tally.uniform_held[INV_PROGRESS], 1);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(older_results_make_room_for_a_new_run)
{
    struct tally *t = calloc(1, sizeof *t);
    struct store *s = open_new();
    t->rounds = 1;
    add_block(s, t, 0);
    ck_assert(store_close(s));
    ck_assert(store_close(open_new()));
    struct stored_run *r = load();
    ck_assert_uint_eq(r->blocks, 0);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_named)
{
    struct run_info run = some_run();
    char why[512], file[128];
    snprintf(file, sizeof file, "%s/none/results.sqlite", folder);
    refuse(file, STORE_CREATE, &run, why);
    ck_assert_msg(strncmp(why, file, strlen(file)) == 0, "%s", why);
    ck_assert_msg(strstr(why, "No such file or directory"), "%s", why);
}
END_TEST

START_TEST(a_full_disk_is_one_sentence_and_loses_nothing_older)
{
    struct tally *t = calloc(1, sizeof *t);
    struct run_info run = some_run();
    uint32_t state = 1;
    char why[512] = "";
    FILE *err = fmemopen(why, 511, "w");
    struct store *s = store_open(path, STORE_CREATE, &run, scenario, 2, err);
    ck_assert_ptr_nonnull(s);
    fill(t, 10, &state);
    add_block(s, t, 0);
    ck_assert(store_flush(s));
    struct stat before;
    ck_assert_int_eq(stat(path, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit all, full;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &all), 0);
    full = all;
    full.rlim_cur = (rlim_t)before.st_size;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    fill(t, 2000, &state);
    struct store_block b = { 1000, 0, 2000 };
    struct store_batch batch = { .delta = t, .block = &b, .blocks = 1 };
    ck_assert(store_add(s, &batch));
    ck_assert(!store_flush(s));
    ck_assert(!store_flush(s));
    ck_assert(!store_add(s, &batch));
    ck_assert(!store_close(s));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
    fclose(err);
    ck_assert_msg(strchr(why, '\n') == why + strlen(why) - 1, "one sentence: %s", why);
    ck_assert_msg(strstr(why, "cannot be written"), "%s", why);
    struct stored_run *r = load();
    ck_assert_uint_eq(r->tally.rounds, 10);
    stored_free(r);
    free(t);
}
END_TEST

START_TEST(a_block_is_taken_once)
{
    struct tally *t = calloc(1, sizeof *t);
    char why[512] = "";
    struct run_info run = some_run();
    FILE *err = fmemopen(why, 511, "w");
    struct store *s = store_open(path, STORE_CREATE, &run, scenario, 2, err);
    t->rounds = 1;
    add_block(s, t, 0);
    ck_assert(store_flush(s));
    struct store_block b = { 0, 0, 1 };
    struct store_batch batch = { .delta = t, .block = &b, .blocks = 1 };
    ck_assert(store_add(s, &batch));
    ck_assert(!store_flush(s));
    ck_assert(!store_close(s));
    fclose(err);
    ck_assert_msg(strstr(why, "holds some of these rounds already"), "%s", why);
    free(t);
}
END_TEST

START_TEST(merged_shards_equal_the_whole)
{
    struct tally *t = calloc(2, sizeof *t);
    uint32_t state = 5;
    struct stored_run *shard[2], *whole;
    struct store *s = open_new();
    for (uint64_t i = 0; i < 2; i++) {
        fill(&t[i], 50, &state);
        add_block(s, &t[i], i * 1000);
    }
    ck_assert(store_close(s));
    whole = load();
    for (uint64_t i = 0; i < 2; i++) {
        s = open_new();
        add_block(s, &t[i], i * 1000);
        ck_assert(store_close(s));
        shard[i] = load();
    }
    ck_assert(stored_same_run(shard[0], shard[1], "second", stderr));
    s = open_new();
    for (int i = 1; i >= 0; i--) {
        struct store_batch b = stored_batch(shard[i]);
        ck_assert(store_add(s, &b));
        stored_free(shard[i]);
    }
    ck_assert(store_close(s));
    struct stored_run *merged = load();
    ck_assert(memcmp(&merged->tally, &whole->tally, sizeof whole->tally) == 0);
    ck_assert_mem_eq(merged->block, whole->block, 2 * sizeof whole->block[0]);
    stored_free(merged);
    stored_free(whole);
    free(t);
}
END_TEST

START_TEST(the_view_gives_the_edges_that_the_oracle_uses)
{
    static const int64_t us[] = { 0,    1,    1023,  1024,    1025,      2047,
                                  2048, 2049, 65537, 1482000, 1999999999 };
    struct tally *t = calloc(1, sizeof *t);
    struct store *s = open_new();
    t->rounds = 1;
    for (size_t i = 0; i < sizeof us / sizeof us[0]; i++) hist_add(&t->cold, us[i]);
    add_block(s, t, 0);
    ck_assert(store_close(s));
    struct sql q;
    ck_assert(sql_open(&q, path, SQLITE_OPEN_READONLY, stderr));
    sqlite3_stmt *rows =
        sql_query(&q, "SELECT upto_us FROM latency WHERE name = 'cold' ORDER BY 1");
    for (uint64_t rank = 1; rank <= t->cold.n; rank++) {
        ck_assert(rank > 1 && us[rank - 1] == us[rank - 2] ? true : sql_row(&q, rows));
        if (sqlite3_column_int64(rows, 0) != hist_rank(&t->cold, rank))
            ck_abort_msg("rank %d: %lld", (int)rank, (long long)sqlite3_column_int64(rows, 0));
        while (rank < t->cold.n && hist_rank(&t->cold, rank + 1) == hist_rank(&t->cold, rank))
            rank++;
    }
    sql_close(&q);
    free(t);
}
END_TEST

START_TEST(every_column_is_explained)
{
    struct sql q;
    ck_assert(store_close(open_new()));
    ck_assert(sql_open(&q, path, SQLITE_OPEN_READONLY, stderr));
    sqlite3_stmt *rows = sql_query(&q, "SELECT m.name, c.name, m.sql FROM sqlite_master m"
                                       " JOIN pragma_table_info(m.name) c WHERE m.type = 'table'");
    int columns = 0;
    while (sql_row(&q, rows)) {
        char at[64];
        snprintf(at, sizeof at, "\n  %s ", (const char *)sqlite3_column_text(rows, 1));
        const char *line = strstr((const char *)sqlite3_column_text(rows, 2), at);
        ck_assert_msg(line != NULL, "%s", at);
        const char *comment = strstr(line + 1, "--"), *next = strstr(line + 1, "\n  ");
        if (next && next[3] == ' ') next = strstr(next + 1, "\n  "); /* the comment's own line */
        ck_assert_msg(comment && (!next || comment < next + 60), "%s has no comment", at);
        columns++;
    }
    ck_assert_int_gt(columns, 60);
    sql_close(&q);
}
END_TEST

START_TEST(a_damaged_file_is_refused_not_believed)
{
    static const char *const damage[] = {
        "UPDATE counter SET value = -1 WHERE name = 'rounds'",
        "INSERT INTO counter VALUES ('nonsense', 1)",
        "INSERT INTO bucket VALUES (99, 1, 1)",
        "INSERT INTO bucket VALUES (0, 99999, 1)",
        "UPDATE run SET contract = '{}'",
        "DELETE FROM run",
        "INSERT INTO invariant VALUES ('nonsense', 1, 1, 1, 1, 1)",
        "INSERT INTO strategy VALUES ('nonsense', 1, 1)",
        "INSERT INTO state VALUES (65535, 1)",
        "INSERT INTO state VALUES (1, -1)",
        "INSERT INTO round VALUES (1, 'broken', 0, 1, 1, 'mutation', 1)",
        "INSERT INTO cell VALUES ('discard', 'nonsense', 1)",
        "DROP TABLE mutant",
        ("PRAGMA foreign_keys = OFF; DELETE FROM scenario;"
         "INSERT INTO round VALUES (1, 'broken', 0, 1, 1, 'uniform', 1)"),
    };
    struct tally *t = calloc(1, sizeof *t);
    struct store *s = open_new();
    char why[512] = "";
    t->rounds = 1;
    hist_add(&t->failover, 5);
    add_block(s, t, 0);
    ck_assert(store_close(s));
    ck_assert_msg(_i < (int)(sizeof damage / sizeof damage[0]), "as many as are looped over");
    execute(damage[_i]);
    FILE *err = fmemopen(why, 511, "w");
    ck_assert_msg(!store_load(path, err), "%s was believed", damage[_i]);
    fclose(err);
    ck_assert_msg(strchr(why, '\n') == why + strlen(why) - 1, "one sentence: %s", why);
    free(t);
}
END_TEST

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* engineering.md, "Performance": at most 100 bytes a passing round. The time is
 * printed; the limit of it leaves room for sanitizers. */
START_TEST(a_hundred_thousand_rounds_cost_little_time_and_space)
{
    struct tally *t = calloc(20, sizeof *t);
    uint32_t state = 1;
    for (uint32_t i = 0; i < 20; i++) fill(&t[i], 1000, &state);
    struct store *s = open_new();
    double before = seconds();
    for (uint64_t i = 0; i < 100; i++) add_block(s, &t[i % 20], i * 1000);
    ck_assert(store_close(s));
    double took = seconds() - before;
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    if (getenv("STORE_TEST_TIMES"))
        printf("100,000 rounds stored in %.2f s, %lld bytes\n", took, (long long)st.st_size);
    ck_assert_msg(st.st_size < 100 * 100000, "%lld bytes", (long long)st.st_size);
    ck_assert_msg(took < 10, "%.2f s", took);
    free(t);
}
END_TEST

Suite *store_suite(void)
{
    Suite *s = suite_create("store");
    TCase *t = tcase_create("store");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, the_sums_come_back_whole);
    tcase_add_test(t, what_was_asked_for_comes_back);
    tcase_add_test(t, how_it_was_called_comes_back);
    tcase_add_test(t, findings_and_rounds_come_back);
    tcase_add_test(t, of_many_findings_the_first_are_kept_whatever_the_order);
    tcase_add_test(t, a_judgement_comes_back_and_a_later_one_replaces_it);
    tcase_add_test(t, a_killed_writer_leaves_a_consistent_single_file_to_go_on_with);
    tcase_add_test(t, resuming_what_is_not_there_begins_it);
    tcase_add_loop_test(t, another_run_is_not_continued, 0, 8);
    tcase_add_loop_test(t, a_file_that_is_no_database_stays_as_it_is, 0, 2);
    tcase_add_loop_test(t, a_database_of_another_program_stays_as_it_is, 0, 2);
    tcase_add_loop_test(t, newer_results_stay_as_they_are, 0, 2);
    tcase_add_test(t, results_of_schema_1_are_read_and_not_continued);
    tcase_add_test(t, results_of_schema_2_had_uniform_rounds_alone);
    tcase_add_test(t, older_results_make_room_for_a_new_run);
    tcase_add_test(t, a_folder_that_is_not_there_is_named);
    tcase_add_test(t, a_full_disk_is_one_sentence_and_loses_nothing_older);
    tcase_add_test(t, a_block_is_taken_once);
    tcase_add_test(t, merged_shards_equal_the_whole);
    tcase_add_test(t, the_view_gives_the_edges_that_the_oracle_uses);
    tcase_add_test(t, every_column_is_explained);
    tcase_add_loop_test(t, a_damaged_file_is_refused_not_believed, 0, 14);
    tcase_add_test(t, a_hundred_thousand_rounds_cost_little_time_and_space);
    suite_add_tcase(s, t);
    return s;
}
