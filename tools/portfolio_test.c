/* Which course a round takes: by the shares, and the same whoever asks, in whatever order. */
#include <check.h>
#include <string.h>

#include "sim/engine/rng.h"
#include "tools/inputs.h"
#include "tools/portfolio.h"

Suite *portfolio_suite(void);

#define ROUNDS 130 /* more than a head: mutations with all of it before them */

static struct inputs in;
static struct player player;
static const uint32_t shares[STRATEGY_COUNT] = { 40, 10, 10, 20, 20 };

static void load(void)
{
    struct options o = options_default();
    o.seed = "portfolio";
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", "scenarios/steal-mid-fetch.yaml", stderr));
    memcpy(in.suite.percent, shares, sizeof shares);
    player_open(&player, in.tabs);
}

static void unload(void)
{
    player_close(&player);
    inputs_free(&in);
}

static void open_portfolio(struct portfolio *p)
{
    portfolio_open(p, &in.suite, &in.contract, in.seed, &player);
}

/* A round, played, by seed and the text of its course. */
struct seen {
    uint64_t seed, digest;
    char text[COURSE_TEXT_MAX];
};

static struct seen play(struct portfolio *p, uint64_t index, bool learns)
{
    struct portfolio_round r = portfolio_round(p, index);
    struct played x =
        player_course(&player, &in.suite.scenario[r.scenario], &in.contract, &r.course);
    struct seen s = { .seed = r.course.seed, .digest = x.digest };
    if (learns) portfolio_learn(p, index, &x);
    course_text(s.text, &r.course);
    return s;
}

static void ck_same(const struct seen *a, const struct seen *b)
{
    ck_assert_str_eq(a->text, b->text);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_uint_eq(a->digest, b->digest);
}

START_TEST(a_round_is_the_same_alone_and_in_the_middle_of_a_run)
{
    static struct seen whole[ROUNDS];
    const uint64_t first = 7 * PORTFOLIO_BLOCK;
    struct portfolio p;
    uint32_t kinds = 0;
    open_portfolio(&p);
    for (uint64_t i = 0; i < ROUNDS; i++) whole[i] = play(&p, first + i, true);
    portfolio_close(&p);
    for (uint64_t i = ROUNDS; i-- > 0;) { /* each by a worker that has seen nothing */
        if (i % 3 && !strchr(whole[i].text, ':')) continue;
        struct course c = { .seed = whole[i].seed };
        open_portfolio(&p);
        struct seen alone = play(&p, first + i, false);
        portfolio_close(&p);
        ck_same(&alone, &whole[i]);
        ck_assert(course_read(&c, alone.text));
        kinds |= 1u << c.strategy;
        ck_assert_uint_eq(player_course(&player, in.suite.scenario, &in.contract, &c).digest,
                          alone.digest);
    }
    ck_assert_uint_eq(kinds, (1u << STRATEGY_COUNT) - 1);
}
END_TEST

START_TEST(the_order_of_blocks_changes_nothing)
{
    struct portfolio p;
    struct seen a[2], b[2];
    open_portfolio(&p);
    uint64_t index = 60;
    while (strncmp(play(&p, index, true).text, "mut", 3) != 0) index++;
    a[0] = play(&p, index, true);
    a[1] = play(&p, PORTFOLIO_BLOCK + index, true);
    b[0] = play(&p, index, true);
    b[1] = play(&p, PORTFOLIO_BLOCK + index, true);
    portfolio_close(&p);
    ck_same(&a[0], &b[0]);
    ck_same(&a[1], &b[1]);
}
END_TEST

/* An early mutation has only what was before it, even when the worker knows more by now. */
START_TEST(a_worker_that_goes_back_forgets_what_came_later)
{
    uint32_t early = 0;
    struct portfolio p, fresh;
    open_portfolio(&p);
    for (uint64_t i = PORTFOLIO_FIRST; i < 10 * PORTFOLIO_BLOCK; i++) {
        if (i % PORTFOLIO_BLOCK >= PORTFOLIO_HEAD / 2 ||
            portfolio_strategy(&in.suite, in.seed, i, 0) != STRATEGY_MUTATION)
            continue;
        uint64_t later = i - i % PORTFOLIO_BLOCK + 500;
        while (portfolio_strategy(&in.suite, in.seed, later, 0) != STRATEGY_MUTATION) later++;
        (void)play(&p, later, false);
        struct seen back = play(&p, i, false);
        open_portfolio(&fresh);
        struct seen alone = play(&fresh, i, false);
        portfolio_close(&fresh);
        ck_same(&back, &alone);
        early++;
    }
    portfolio_close(&p);
    ck_assert_uint_gt(early, 10);
}
END_TEST

START_TEST(strategies_come_by_their_shares)
{
    uint32_t n[STRATEGY_COUNT] = { 0 };
    for (uint64_t i = 0; i < 100000; i++) {
        enum strategy k = portfolio_strategy(&in.suite, in.seed, i, 0);
        n[k]++;
        ck_assert(k != STRATEGY_MUTATION || i % PORTFOLIO_BLOCK >= PORTFOLIO_FIRST);
    }
    ck_assert_uint_gt(n[STRATEGY_UNIFORM], 39700);
    ck_assert_uint_lt(n[STRATEGY_UNIFORM], 40700);
    ck_assert_uint_gt(n[STRATEGY_SWEEP], 19500);
    ck_assert_uint_lt(n[STRATEGY_SWEEP], 20500);
    ck_assert_uint_gt(n[STRATEGY_PCT2], 9600);
    ck_assert_uint_lt(n[STRATEGY_PCT3], 10400);
}
END_TEST

START_TEST(without_a_fault_there_is_no_sweep)
{
    in.suite.scenario->faults = 0;
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_int_ne(portfolio_strategy(&in.suite, in.seed, i, 0), STRATEGY_SWEEP);
}
END_TEST

START_TEST(uniform_rounds_are_those_of_a_run_without_a_portfolio)
{
    struct portfolio p;
    uint32_t uniform = 0;
    open_portfolio(&p);
    for (uint64_t i = 0; i < 40; i++) {
        struct portfolio_round r = portfolio_round(&p, i);
        if (r.course.strategy != STRATEGY_UNIFORM) continue;
        uniform++;
        ck_assert_uint_eq(r.course.seed, rng_mix(in.seed, i));
        ck_assert_uint_eq(r.scenario, inputs_scenario(&in.suite, i));
    }
    ck_assert_uint_gt(uniform, 8);
    portfolio_close(&p);
}
END_TEST

START_TEST(a_mutation_forks_a_uniform_round_of_its_own_head)
{
    struct portfolio p;
    uint32_t mutations = 0;
    open_portfolio(&p);
    for (uint64_t i = 2 * PORTFOLIO_BLOCK + 400; i < 2 * PORTFOLIO_BLOCK + 440; i++) {
        struct portfolio_round r = portfolio_round(&p, i);
        uint64_t parent = 2 * PORTFOLIO_BLOCK;
        if (r.course.strategy != STRATEGY_MUTATION) continue;
        mutations++;
        while (parent < 2 * PORTFOLIO_BLOCK + PORTFOLIO_HEAD &&
               rng_mix(in.seed, parent) != r.course.seed)
            parent++;
        ck_assert_uint_lt(parent, 2 * PORTFOLIO_BLOCK + PORTFOLIO_HEAD);
        ck_assert_int_eq(portfolio_strategy(&in.suite, in.seed, parent, 0), STRATEGY_UNIFORM);
    }
    ck_assert_uint_gt(mutations, 2);
    portfolio_close(&p);
}
END_TEST

/* The reference client stands what the network's tables allow. */
START_TEST(the_reference_client_holds_under_every_strategy)
{
    struct portfolio p;
    open_portfolio(&p);
    for (uint64_t i = 0; i < 400; i++) {
        struct portfolio_round r = portfolio_round(&p, i);
        struct played x = player_course(&player, in.suite.scenario, &in.contract, &r.course);
        char text[COURSE_TEXT_MAX];
        ck_assert_msg(played_broken(&x) == 0, "round %d: seed 0x%llx, %s", (int)i,
                      (unsigned long long)r.course.seed, course_text(text, &r.course));
        portfolio_learn(&p, i, &x);
    }
    portfolio_close(&p);
}
END_TEST

Suite *portfolio_suite(void)
{
    Suite *s = suite_create("portfolio");
    TCase *t = tcase_create("courses");
    tcase_add_checked_fixture(t, load, unload);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_round_is_the_same_alone_and_in_the_middle_of_a_run);
    tcase_add_test(t, the_order_of_blocks_changes_nothing);
    tcase_add_test(t, a_worker_that_goes_back_forgets_what_came_later);
    tcase_add_test(t, strategies_come_by_their_shares);
    tcase_add_test(t, without_a_fault_there_is_no_sweep);
    tcase_add_test(t, uniform_rounds_are_those_of_a_run_without_a_portfolio);
    tcase_add_test(t, a_mutation_forks_a_uniform_round_of_its_own_head);
    tcase_add_test(t, the_reference_client_holds_under_every_strategy);
    suite_add_tcase(s, t);
    return s;
}
