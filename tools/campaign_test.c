/* What the rounds of a run are, and that nothing but the plan decides what comes out. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/engine/rng.h"
#include "tools/campaign.h"
#include "tools/hunt.h"
#include "tools/recheck.h"
#include "tools/record.h"

Suite *campaign_suite(void);

static struct inputs in;

static void load(const char *file, const char *seed)
{
    struct options o = options_default();
    o.seed = seed;
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", file, stderr));
}

static void unload(void)
{
    inputs_free(&in);
}

START_TEST(shares_are_exact_over_a_whole_turn_and_close_in_any_part)
{
    struct suite s = { .parts = 3, .share_sum = 10 };
    uint32_t seen[3] = { 0 }, early = 0;
    for (uint32_t i = 0; i < 3; i++) s.part[i].scenario = i;
    s.part[0].share = 6, s.part[1].share = 3, s.part[2].share = 1;
    for (uint64_t i = 0; i < 10; i++) {
        uint32_t k = inputs_scenario(&s, 1000000 + i);
        seen[k]++;
        early += i < 5 && k == 0;
    }
    ck_assert_uint_eq(seen[0], 6);
    ck_assert_uint_eq(seen[1], 3);
    ck_assert_uint_eq(seen[2], 1);
    ck_assert_uint_ge(early, 2);
    ck_assert_uint_le(early, 4);
}
END_TEST

START_TEST(a_suite_of_any_size_visits_every_position)
{
    for (uint32_t parts = 1; parts <= 40; parts++) {
        struct suite s = { .parts = parts, .share_sum = parts };
        bool seen[40] = { false };
        for (uint32_t i = 0; i < parts; i++) s.part[i].scenario = i, s.part[i].share = 1;
        for (uint32_t i = 0; i < parts; i++) {
            ck_assert(!seen[inputs_scenario(&s, i)]);
            seen[inputs_scenario(&s, i)] = true;
        }
    }
}
END_TEST

static struct tally run(uint64_t rounds, uint32_t jobs)
{
    struct campaign c;
    campaign_open(&c, &in, rounds, jobs);
    ck_assert(campaign_run(&c, PROGRESS_NEVER));
    ck_assert_uint_eq(c.sums->tally.rounds, rounds);
    struct tally t = c.sums->tally;
    campaign_close(&c);
    return t;
}

START_TEST(jobs_change_nothing)
{
    load("scenarios/release-gate.yaml", "jobs");
    static struct tally one, three;
    one = run(100, 1);
    three = run(100, 3);
    ck_assert_mem_eq(&one, &three, sizeof one);
    unload();
}
END_TEST

START_TEST(another_seed_is_another_run)
{
    load("scenarios/healthy.yaml", "a");
    uint64_t digest = run(20, 1).digest;
    unload();
    load("scenarios/healthy.yaml", "b");
    ck_assert_uint_ne(run(20, 1).digest, digest);
    unload();
}
END_TEST

START_TEST(blocks_are_short_in_short_runs_and_depend_on_rounds_alone)
{
    ck_assert_uint_eq(campaign_block_rounds(1), CAMPAIGN_BLOCK_MIN);
    ck_assert_uint_eq(campaign_block_rounds(6400), 100);
    ck_assert_uint_eq(campaign_block_rounds(100000), CAMPAIGN_BLOCK_MAX);
}
END_TEST

START_TEST(one_in_a_hundred_is_run_again_and_at_least_200)
{
    ck_assert_uint_eq(campaign_samples(100000), 1000);
    ck_assert_uint_eq(campaign_samples(1000), 200);
    ck_assert_uint_eq(campaign_samples(50), 50);
}
END_TEST

START_TEST(the_sample_is_run_again_whole_and_a_wrong_digest_is_seen)
{
    struct campaign c;
    load("scenarios/small.yaml", "again");
    campaign_open(&c, &in, 230, 2);
    ck_assert(campaign_run(&c, PROGRESS_NEVER));
    for (uint64_t k = 0; k < c.samples; k++) ck_assert_uint_ne(c.sample[k].worker, CAMPAIGN_NOBODY);
    struct recheck r = recheck_run(&c);
    ck_assert_uint_eq(r.replayed, 200);
    ck_assert_uint_eq(r.different, 0);
    c.sample[17].digest ^= 1;
    r = recheck_run(&c);
    ck_assert_uint_eq(r.different, 1);
    ck_assert_uint_eq(r.first_different.index, c.sample[17].index);
    campaign_close(&c);
    unload();
}
END_TEST

/* -- the record --------------------------------------------------------------------- */

static char folder[] = "/tmp/tabquake-campaign-XXXXXX";

static void tidy(void)
{
    static const char *const file[] = { "results.sqlite", "gate.json", "junit.xml", "summary.md",
                                        ".lock" };
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(half_a_run_that_is_resumed_equals_a_whole_one)
{
    static struct tally whole;
    struct campaign c;
    struct record r;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    load("scenarios/healthy.yaml", "resume");
    whole = run(64, 1);

    campaign_open(&c, &in, 64, 1);
    record_info(&r, &c, NULL, "resume");
    ck_assert(record_open(&r, folder, false, &c));
    atomic_store(&c.next_block, 4); /* the first four blocks never ran */
    ck_assert(campaign_run(&c, PROGRESS_NEVER));
    ck_assert_uint_eq(c.sums->tally.rounds, 32);
    record_close(&r, &c);
    campaign_close(&c);

    campaign_open(&c, &in, 64, 2);
    record_info(&r, &c, NULL, "resume");
    ck_assert(record_open(&r, folder, true, &c));
    ck_assert_uint_eq(c.resumed, 32);
    ck_assert(campaign_run(&c, PROGRESS_NEVER));
    ck_assert_mem_eq(&c.sums->tally, &whole, sizeof whole);
    ck_assert_uint_eq(c.sums->scenario[0].rounds, 64);
    struct recheck again = recheck_run(&c);
    ck_assert_uint_eq(again.replayed, 64);
    ck_assert_uint_eq(again.different, 0);
    record_close(&r, &c);
    campaign_close(&c);
    unload();
    tidy();
}
END_TEST

START_TEST(another_run_is_not_resumed)
{
    struct campaign c;
    struct record r;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    load("scenarios/healthy.yaml", "one");
    campaign_open(&c, &in, 16, 1);
    record_info(&r, &c, NULL, "one");
    ck_assert(record_open(&r, folder, false, &c));
    record_close(&r, &c);
    campaign_close(&c);
    unload();
    load("scenarios/healthy.yaml", "two");
    campaign_open(&c, &in, 16, 1);
    record_info(&r, &c, NULL, "two");
    ck_assert(!record_open(&r, folder, true, &c));
    record_close(&r, &c);
    campaign_close(&c);
    unload();
    tidy();
}
END_TEST

/* -- mutants -------------------------------------------------------------------------- */

START_TEST(a_mutant_is_caught_and_its_round_can_be_had_again)
{
    struct hunt h;
    load("scenarios/small.yaml", "tabquake");
    ck_assert(hunt_load(&h, "scenarios/mutants", "receiver-ignores-fence", NULL, stderr));
    ck_assert_uint_eq(h.n, 1);
    h.contract = &in.contract;
    h.seed = in.seed;
    hunt_run(&h, PROGRESS_NEVER);
    struct mutant_outcome o;
    hunt_outcomes(&h, &o);
    ck_assert(o.caught);
    ck_assert_uint_eq(hunt_escaped(&h), 0);
    ck_assert_uint_eq(h.at[0].first[o.expected], o.rounds);
    struct player p;
    player_open(&p, h.tabs);
    struct played r = player_round(&p, &h.at[0].mutant.scenario, h.contract,
                                   hunt_seed("receiver-ignores-fence", h.seed, o.rounds - 1));
    ck_assert(played_broken(&r) >> o.expected & 1);
    player_close(&p);
    hunt_free(&h);
    unload();
}
END_TEST

START_TEST(a_mutant_without_its_mistake_escapes)
{
    struct hunt h;
    load("scenarios/small.yaml", "tabquake");
    ck_assert(hunt_load(&h, "scenarios/mutants", "fail-open", NULL, stderr));
    h.contract = &in.contract;
    h.at[0].mutant.scenario.policy = (struct policy){ 0 };
    h.at[0].outcome.budget = 10;
    hunt_run(&h, PROGRESS_NEVER);
    ck_assert(!h.at[0].outcome.caught);
    ck_assert_uint_eq(h.at[0].outcome.rounds, 10);
    ck_assert_uint_eq(hunt_escaped(&h), 1);
    hunt_free(&h);
    unload();
}
END_TEST

START_TEST(an_unknown_mutant_is_refused)
{
    struct hunt h;
    char *said;
    size_t n;
    FILE *err = open_memstream(&said, &n);
    ck_assert(!hunt_load(&h, "scenarios/mutants", "fail-opn", NULL, err));
    ck_assert(!hunt_load(&h, "scenarios/mutants/absent", NULL, NULL, err));
    fclose(err);
    ck_assert_ptr_nonnull(strstr(said, "did you mean fail-open?"));
    ck_assert_ptr_nonnull(strstr(said, "absent: No such file"));
    free(said);
}
END_TEST

START_TEST(the_canary_is_red_and_the_reference_is_not)
{
    load("scenarios/chaos.yaml", "canary");
    ck_assert(hunt_canary_is_red(hunt_canary(in.suite.scenario, &in.contract, in.seed)));
    ck_assert(!hunt_canary_is_red(0));
    ck_assert(!hunt_canary_is_red(1u << 3 | 1u << 7));
    unload();
}
END_TEST

Suite *campaign_suite(void)
{
    Suite *s = suite_create("campaign");
    TCase *t = tcase_create("campaign");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, shares_are_exact_over_a_whole_turn_and_close_in_any_part);
    tcase_add_test(t, a_suite_of_any_size_visits_every_position);
    tcase_add_test(t, jobs_change_nothing);
    tcase_add_test(t, another_seed_is_another_run);
    tcase_add_test(t, blocks_are_short_in_short_runs_and_depend_on_rounds_alone);
    tcase_add_test(t, one_in_a_hundred_is_run_again_and_at_least_200);
    tcase_add_test(t, the_sample_is_run_again_whole_and_a_wrong_digest_is_seen);
    tcase_add_test(t, half_a_run_that_is_resumed_equals_a_whole_one);
    tcase_add_test(t, another_run_is_not_resumed);
    tcase_add_test(t, a_mutant_is_caught_and_its_round_can_be_had_again);
    tcase_add_test(t, a_mutant_without_its_mistake_escapes);
    tcase_add_test(t, an_unknown_mutant_is_refused);
    tcase_add_test(t, the_canary_is_red_and_the_reference_is_not);
    suite_add_tcase(s, t);
    return s;
}
