/* Tuning: which settings there are, that they meet the same rounds, what is on the frontier,
 * and the files. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/campaign.h"
#include "tools/tune_files.h"

Suite *tune_suite(void);

static struct inputs in;
static struct tune t;
static char said[4096];
static const char *grid[TUNE_KNOBS];

static void load_with(const char *file, struct flag_sets sets)
{
    static struct options o; /* the inputs point into it */
    o = options_default();
    o.seed = "tune";
    o.contract = "scenarios/contracts/account-outbox.yaml";
    o.sets = sets;
    ck_assert(inputs_load(&in, &o, "tabquake", file, stderr));
    memset(grid, 0, sizeof grid);
}

static void load(const char *file)
{
    load_with(file, (struct flag_sets){ .n = 0 });
}

static bool open_grids(void)
{
    FILE *f = fmemopen(said, sizeof said, "w");
    bool ok = tune_open(&t, &in, grid, f);
    fclose(f);
    return ok;
}

static void close_all(void)
{
    tune_close(&t);
    inputs_free(&in);
}

static uint32_t owns(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t.n; i++) n += t.at[i].own;
    return n;
}

/* ---- settings --------------------------------------------------------------------- */

START_TEST(without_a_list_the_ttl_and_the_request_timeout_vary)
{
    load("scenarios/small.yaml");
    ck_assert(open_grids());
    ck_assert_uint_eq(t.n, 15);
    ck_assert_uint_eq(owns(), 1);
    for (uint32_t i = 0; i < t.n; i++) {
        const struct contract *c = &t.at[i].contract;
        ck_assert_int_eq(c->lease.renew_us, c->lease.ttl_us / 3 / US_PER_MS * US_PER_MS);
        if (i > 0) ck_assert_int_ge(c->lease.ttl_us, t.at[i - 1].contract.lease.ttl_us);
    }
    for (int k = 0; k < TUNE_KNOBS; k++)
        ck_assert_int_eq(t.varies[k], k == TUNE_TTL || k == TUNE_RENEW || k == TUNE_TIMEOUT);
    close_all();
}
END_TEST

START_TEST(with_a_list_nothing_else_varies_and_the_contract_is_added)
{
    load("scenarios/small.yaml");
    grid[TUNE_VACANT] = "250ms,0.25s,1s";
    ck_assert(open_grids());
    ck_assert_uint_eq(t.n, 3); /* 250ms once */
    ck_assert_uint_eq(owns(), 1);
    ck_assert(t.at[1].own);
    ck_assert_str_eq(t.at[0].value[TUNE_VACANT], "250ms");
    ck_assert_str_eq(t.at[1].value[TUNE_VACANT], "500ms");
    ck_assert_str_eq(t.at[2].value[TUNE_RENEW], "333ms");
    close_all();
}
END_TEST

START_TEST(lists_are_crossed)
{
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = "1s,2s";
    grid[TUNE_RENEW] = "100ms,200ms,333ms";
    grid[TUNE_STEAL] = "never,incident-only";
    ck_assert(open_grids());
    ck_assert_uint_eq(t.n, 12); /* the contract is one of them */
    for (uint32_t i = 0; i < t.n; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert(memcmp(t.at[i].value, t.at[k].value, sizeof t.at[i].value) != 0);
    close_all();
}
END_TEST

START_TEST(a_list_wins_over_a_set_and_the_contract_is_as_set)
{
    load_with("scenarios/small.yaml",
              (struct flag_sets){ .at = { { "lease.ttl", "5s" }, { "maxHold", "9s" } }, .n = 2 });
    grid[TUNE_TTL] = "2s";
    ck_assert(open_grids());
    ck_assert_uint_eq(t.n, 2);
    ck_assert_str_eq(t.at[0].value[TUNE_TTL], "2s");
    ck_assert(t.at[1].own);
    ck_assert_str_eq(t.at[1].value[TUNE_TTL], "5s");
    for (int i = 0; i < 2; i++) ck_assert_int_eq(t.at[i].contract.max_hold_us, 9 * US_PER_S);
    close_all();
}
END_TEST

static const struct {
    enum tune_knob knob;
    const char *list, *says;
} wrong[] = {
    { TUNE_TTL, "5x", "ttl 5x: lease.ttl: found 5x, accepted a duration" },
    { TUNE_TTL, "1s,,2s", "--ttl: found an empty value" },
    { TUNE_TTL, "1s,", "--ttl: found an empty value" },
    { TUNE_TTL, "1s,40s", "ttl 40s, renew 13333ms: lease.ttl: found 40s, accepted less than" },
    { TUNE_RENEW, "500ms", "renew 500ms: lease.renew: found 500ms, accepted less than half" },
    { TUNE_HEARTBEAT, "6s", "heartbeat 6s: heartbeat.interval: found 6s, accepted less than" },
    { TUNE_VACANT, "0ms", "vacant-after 0ms: ledger.vacantAfter: found 0ms" },
    { TUNE_TIMEOUT, "a value that is much longer than any", "--request-timeout: found a value" },
    { TUNE_STEAL, "often", "steal often: steal: found often, accepted never" },
    { TUNE_TTL,
      "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,"
      "1s,1s,1s,1s",
      "--ttl: found one value too many" },
};
#define WRONG ((int)(sizeof wrong / sizeof wrong[0]))

START_TEST(bad_bounds_are_one_sentence)
{
    load("scenarios/small.yaml");
    grid[wrong[_i].knob] = wrong[_i].list;
    ck_assert(!open_grids());
    ck_assert_ptr_nonnull(strstr(said, wrong[_i].says));
    ck_assert(strncmp(said, "tabquake tune: ", 15) == 0);
    ck_assert_ptr_eq(strchr(said, '\n'), said + strlen(said) - 1);
    close_all();
}
END_TEST

START_TEST(too_many_combinations_are_refused)
{
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = grid[TUNE_VACANT] = "1s,2s,3s,4s,5s,6s,7s,8s,9s,10s,11s,12s,13s,14s,15s,16s";
    ck_assert(open_grids()); /* 256, and the contract */
    ck_assert_uint_eq(t.n, 257);
    tune_close(&t);
    grid[TUNE_STEAL] = "never,allowed";
    ck_assert(!open_grids());
    ck_assert_ptr_nonnull(strstr(said, "found more than 256 combinations"));
    close_all();
}
END_TEST

/* ---- measuring ------------------------------------------------------------------------ */

START_TEST(every_setting_meets_the_rounds_of_a_run_with_the_same_set)
{
    struct campaign c;
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = "700ms,1s";
    ck_assert(open_grids());
    tune_run(&t, &in, 60, 2, PROGRESS_NEVER);
    ck_assert_int_eq(in.contract.lease.ttl_us, US_PER_S); /* as it was */
    for (uint32_t i = 0; i < t.n; i++) {
        in.contract = t.at[i].contract;
        campaign_open(&c, &in, 60, 1);
        ck_assert(campaign_run(&c, PROGRESS_NEVER));
        ck_assert_uint_eq(c.sums->tally.digest, t.at[i].point.digest);
        ck_assert_uint_eq(c.sums->tally.rounds, t.at[i].point.rounds);
        campaign_close(&c);
    }
    ck_assert_uint_ne(t.at[0].point.digest, t.at[1].point.digest);
    ck_assert_uint_gt(t.at[0].point.renewals_milli, t.at[1].point.renewals_milli);
    close_all();
}
END_TEST

START_TEST(rates_are_of_transitions_and_of_leader_seconds)
{
    static struct tally sums;
    struct tune_point p;
    memset(&sums, 0, sizeof sums);
    tune_measure(&p, &sums);
    ck_assert_int_eq(p.p99_us, -1);
    ck_assert_int_eq(p.p99_low_us, -1);
    ck_assert_uint_eq(p.needless_ppm + p.renewals_milli + p.requests_milli, 0);
    sums.transitions = 400;
    sums.needless_steals = 3;
    sums.leader_us = 10 * US_PER_S;
    sums.renewals = 25;
    sums.ledger_requests = 61;
    sums.broken[INV_PROGRESS] = 2;
    sums.broken[INV_NO_FAIL_OPEN] = 1;
    hist_add(&sums.failover, 100);
    hist_add(&sums.by_cause[GAP_HIDDEN], 900);
    hist_add(&sums.by_cause[GAP_FROZEN], 700);
    tune_measure(&p, &sums);
    ck_assert_uint_eq(p.needless_ppm, 7500);
    ck_assert_uint_eq(p.renewals_milli, 2500);
    ck_assert_uint_eq(p.requests_milli, 6100);
    ck_assert_uint_eq(p.violations, 3);
    ck_assert_int_eq(p.p50_us, 100);
    ck_assert_int_eq(p.unasked_p99_us, 700); /* who hides asks for it */
}
END_TEST

/* ---- the frontier --------------------------------------------------------------------- */

static struct tune_setting point(int64_t p99_us, uint64_t needless, uint64_t requests)
{
    return (struct tune_setting){ .measured = true,
                                  .point = { .failovers = 9,
                                             .p99_us = p99_us,
                                             .needless_ppm = needless,
                                             .requests_milli = requests } };
}

START_TEST(on_the_frontier_is_what_nobody_beats_in_all_three)
{
    struct tune_setting at[] = {
        point(100, 50, 50), point(200, 10, 50), point(200, 50, 10),
        point(100, 50, 51), point(150, 50, 50), point(100, 50, 50),
        point(1, 1, 1),     point(2, 2, 2),     point(3, 3, 3),
    };
    static const bool on[] = { true, true, true, false, false, true, false, false, false };
    at[6].point.violations = 1; /* what breaks, what never failed over and what was not */
    at[7].point.failovers = 0;  /* measured beats nobody */
    at[8].measured = false;
    t = (struct tune){ .at = at, .n = 9 };
    tune_frontier(&t);
    for (int i = 0; i < 9; i++) ck_assert_msg(at[i].on_frontier == on[i], "point %d", i);
}
END_TEST

/* ---- files ------------------------------------------------------------------------------ */

static uint32_t columns(const char *line)
{
    uint32_t n = 1;
    for (; *line && *line != '\n'; line++) n += *line == '\t';
    return n;
}

START_TEST(the_table_has_a_line_for_each_measured_setting_and_all_its_columns)
{
    char text[4096], *line, *rest;
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = "800ms,1s,2s";
    ck_assert(open_grids());
    t.at[0].measured = t.at[1].measured = true;
    t.at[0].point = (struct tune_point){ .p50_us = 1500,
                                         .p99_us = 2000001,
                                         .p99_low_us = -1,
                                         .p99_high_us = -1,
                                         .unasked_p99_us = -1,
                                         .needless_ppm = 12345,
                                         .renewals_milli = 2939 };
    FILE *f = fmemopen(text, sizeof text, "w");
    tune_write_tsv(f, &t);
    fclose(f);
    line = strtok_r(text, "\n", &rest);
    ck_assert(strncmp(line, "label\tlease.ttl\t", 16) == 0);
    uint32_t wide = columns(line);
    line = strtok_r(NULL, "\n", &rest);
    ck_assert_uint_eq(columns(line), wide);
    ck_assert(strncmp(line, "800ms\t800ms\t266ms\t", 18) == 0);
    ck_assert_ptr_nonnull(strstr(line, "\t1.500\t2000.001\t-\t-\t-\t1.2345\t2.939\t"));
    line = strtok_r(NULL, "\n", &rest);
    ck_assert_uint_eq(columns(line), wide);
    ck_assert_ptr_null(strtok_r(NULL, "\n", &rest));
    close_all();
}
END_TEST

START_TEST(a_label_says_what_varies_and_not_the_renewal_that_goes_with_the_ttl)
{
    char label[TUNE_LABEL_MAX];
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = "1s,2s";
    grid[TUNE_VACANT] = "100ms,500ms";
    ck_assert(open_grids());
    ck_assert_str_eq(tune_label(label, &t, &t.at[0]), "1s/100ms");
    tune_close(&t);
    grid[TUNE_VACANT] = NULL;
    grid[TUNE_RENEW] = "100ms,333ms";
    ck_assert(open_grids());
    ck_assert_str_eq(tune_label(label, &t, &t.at[0]), "1s/100ms");
    ck_assert_str_eq(tune_label(label, &t, &t.at[1]), "1s");
    close_all();
}
END_TEST

static bool is_there(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void empty(const char *folder)
{
    static const char *const name[] = { "tune.tsv", "tune.gp", "tune.svg" };
    char path[256];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        (void)remove(path);
    }
    rmdir(folder);
}

START_TEST(no_plot_without_data_or_gnuplot_and_no_old_one_stays)
{
    char folder[] = "/tmp/tabquake-tune-XXXXXX", old[64];
    enum gnuplot_outcome plot;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(old, sizeof old, "%s/tune.svg", folder);
    load("scenarios/small.yaml");
    grid[TUNE_TTL] = "1s,2s";
    ck_assert(open_grids());
    FILE *f = fopen(old, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    ck_assert(tune_write_files(folder, &t, &in, &plot));
    ck_assert_int_eq(plot, GNUPLOT_NO_DATA);
    ck_assert(is_there(folder, "tune.tsv") && !is_there(folder, "tune.svg"));
    tune_run(&t, &in, 30, 1, PROGRESS_NEVER);
    ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
    ck_assert(tune_write_files(folder, &t, &in, &plot));
    ck_assert_int_eq(plot, GNUPLOT_ABSENT);
    ck_assert(is_there(folder, "tune.gp") && !is_there(folder, "tune.svg"));
    close_all();
    empty(folder);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_told)
{
    enum gnuplot_outcome plot;
    load("scenarios/small.yaml");
    ck_assert(open_grids());
    ck_assert(!tune_write_files("/nowhere/at/all", &t, &in, &plot));
    close_all();
}
END_TEST

Suite *tune_suite(void)
{
    Suite *s = suite_create("tune");
    TCase *c = tcase_create("tune");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, without_a_list_the_ttl_and_the_request_timeout_vary);
    tcase_add_test(c, with_a_list_nothing_else_varies_and_the_contract_is_added);
    tcase_add_test(c, lists_are_crossed);
    tcase_add_test(c, a_list_wins_over_a_set_and_the_contract_is_as_set);
    tcase_add_loop_test(c, bad_bounds_are_one_sentence, 0, WRONG);
    tcase_add_test(c, too_many_combinations_are_refused);
    tcase_add_test(c, every_setting_meets_the_rounds_of_a_run_with_the_same_set);
    tcase_add_test(c, rates_are_of_transitions_and_of_leader_seconds);
    tcase_add_test(c, on_the_frontier_is_what_nobody_beats_in_all_three);
    tcase_add_test(c, the_table_has_a_line_for_each_measured_setting_and_all_its_columns);
    tcase_add_test(c, a_label_says_what_varies_and_not_the_renewal_that_goes_with_the_ttl);
    tcase_add_test(c, no_plot_without_data_or_gnuplot_and_no_old_one_stays);
    tcase_add_test(c, a_folder_that_cannot_be_written_is_told);
    suite_add_tcase(s, c);
    return s;
}
