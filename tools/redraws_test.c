/* Re-draws of a world that was gone back in are those of a round that is played again. */
#include <check.h>

#include "tools/inputs.h"
#include "tools/redraws.h"

Suite *redraws_suite(void);

#define PLACES 5
#define SEEDS 3

static const char *const file[] = {
    "scenarios/chaos.yaml",           "scenarios/node-partition.yaml",
    "scenarios/node-quorum.yaml",     "scenarios/session-refresh.yaml",
    "scenarios/account-changes.yaml", "scenarios/live-subscription.yaml",
    "scenarios/local-data-only.yaml", "scenarios/mutants/receiver-ignores-fence.yaml",
};

static struct inputs in;
static struct player again;

static void load(const char *scenario)
{
    struct options o = options_default();
    o.contract = "scenarios/contracts/account-outbox.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", scenario, stderr));
}

static struct played played_again(struct redraw *d)
{
    return player_round_redrawn(&again, in.suite.scenario, &in.contract, in.seed, d);
}

/* Of one place: told alike, and twice, so that the second goes back over the first. */
static void compare_at(struct redraws *r, uint64_t before)
{
    redraws_to(r, before);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct redraw d = { .before = before, .seed = seed };
        struct played p = played_again(&d);
        bool broken = played_broken(&p) >> r->invariant & 1;
        ck_assert_int_eq(redraws_breaks(r, seed), broken);
        ck_assert_int_eq(r->reached, d.reached);
        if (d.reached) ck_assert_uint_eq(r->seen, d.seen);
        if (d.reached) ck_assert_int_eq(r->at.us, d.at.us);
        if (!broken) ck_assert_uint_eq(history_digest(&r->player.runner.world->history), p.digest);
    }
}

static void compare_round(enum invariant_kind k)
{
    struct redraws r;
    struct redraw none = { .before = UINT64_MAX };
    uint64_t events = played_again(&none).events;
    redraws_open(&r, in.tabs, in.suite.scenario, &in.contract, in.seed, k);
    for (uint64_t i = 0; i <= PLACES; i++) compare_at(&r, 1 + events * i / PLACES);
    redraws_close(&r);
}

START_TEST(the_rest_is_what_it_is_from_the_start)
{
    load(file[_i]);
    player_open(&again, in.tabs);
    for (in.seed = 1; in.seed <= SEEDS; in.seed++) compare_round(INV_NO_STALE_COMMIT);
    for (in.seed = 1; in.seed <= SEEDS; in.seed++) compare_round(INV_PROGRESS);
    player_close(&again);
    inputs_free(&in);
}
END_TEST

Suite *redraws_suite(void)
{
    Suite *s = suite_create("redraws");
    TCase *t = tcase_create("redraws");
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, the_rest_is_what_it_is_from_the_start, 0, sizeof file / sizeof file[0]);
    suite_add_tcase(s, t);
    return s;
}
