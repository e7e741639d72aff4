/* Exploring: what is found, that nothing but the scope decides, that merging hides nothing, and
 * that the state is kept, returned to and recognised whole. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/fold.h"
#include "sim/world_state.h"
#include "tools/explore.h"
#include "tools/inputs.h"
#include "tools/player.h"

Suite *explore_suite(void);

static struct inputs in;
static struct explore_scope scope;

static void load(const char *mutant)
{
    struct options o = options_default();
    o.contract = "scenarios/contracts/explore.yaml";
    ck_assert(inputs_load(&in, &o, "tabquake", "scenarios/explore/two-tabs.yaml", stderr));
    if (mutant) ck_assert(inputs_mutant(&in, mutant, stderr));
    scope = (struct explore_scope){ .calm = scenario_without_faults(in.suite.scenario),
                                    .contract = &in.contract,
                                    .faults = 1,
                                    .symmetric = !mutant,
                                    .merges = true,
                                    .states_max = 100000,
                                    .jobs = 1 };
    scope.calm.duration.min_us = scope.calm.duration.max_us = (mutant ? 3 : 2) * US_PER_S;
}

static void move(enum fault_kind kind, int64_t lasts_us)
{
    scope.move[scope.moves++] = (struct injection){ .kind = kind, .lasts_us = lasts_us };
}

static struct explore_result run(void)
{
    struct explore_result r;
    struct explore *e = explore_open(&scope);
    ck_assert_ptr_nonnull(e);
    explore_run(e, PROGRESS_NEVER, &r);
    explore_close(e);
    return r;
}

START_TEST(numbers_do_not_depend_on_threads)
{
    load(NULL);
    move(FAULT_FREEZE_ABRUPT, 1100 * US_PER_MS);
    move(FAULT_ROGUE_STEAL, 100 * US_PER_MS);
    move(FAULT_CLOSE_HOLDER, 0);
    struct explore_result one = run();
    scope.jobs = 3;
    struct explore_result three = run();
    ck_assert_uint_gt(one.states, 500);
    ck_assert_uint_eq(one.states, three.states);
    ck_assert_uint_eq(one.transitions, three.transitions);
    ck_assert_uint_eq(one.at_horizon, three.at_horizon);
    ck_assert_uint_eq(one.latest_us, three.latest_us);
    ck_assert_uint_eq(one.broken, 0);
    ck_assert(!one.full && !one.late);
    inputs_free(&in);
}
END_TEST

/* The tree has every path; the merged search has to break the same invariants. */
START_TEST(merging_hides_nothing)
{
    static const char *const mutant[] = { NULL, "scenarios/mutants/receiver-ignores-fence.yaml",
                                          "scenarios/mutants/freeze-handler-relied-on.yaml",
                                          "scenarios/mutants/polyfill-lock-expires.yaml",
                                          "scenarios/mutants/ledger-read-then-write.yaml" };
    for (size_t i = 0; i < sizeof mutant / sizeof mutant[0]; i++) {
        load(mutant[i]);
        move(FAULT_FREEZE_ABRUPT, 1100 * US_PER_MS);
        move(FAULT_CUT_UP, 1100 * US_PER_MS);
        move(INJECT_DELAY, 600 * US_PER_MS);
        scope.delays = 1;
        if (!mutant[i]) scope.calm.duration.max_us = scope.calm.duration.min_us = US_PER_S;
        struct explore_result merged = run();
        scope.symmetric = false;
        struct explore_result apart = run();
        scope.merges = false;
        struct explore_result tree = run();
        ck_assert_uint_eq(merged.broken, tree.broken);
        ck_assert_uint_eq(apart.broken, tree.broken);
        ck_assert_uint_eq(merged.moves, tree.moves);
        ck_assert_uint_le(merged.states, apart.states);
        ck_assert_uint_eq(tree.broken == 0, mutant[i] == NULL);
        inputs_free(&in);
    }
}
END_TEST

START_TEST(a_violation_is_the_round_that_it_says)
{
    struct player player;
    load("scenarios/mutants/receiver-ignores-fence.yaml");
    move(FAULT_FREEZE_ABRUPT, 1100 * US_PER_MS);
    struct explore_result r = run();
    ck_assert_uint_ne(r.broken, 0);
    player_open(&player, scenario_tabs(&scope.calm));
    for (uint32_t k = 0; k < INV_COUNT; k++) {
        if (!(r.broken >> k & 1)) continue;
        struct explore_violation *v = &r.violation[k];
        ck_assert_uint_eq(v->n, 1);
        struct played p = player_round_with(&player, &scope.calm, scope.contract, 7, v->move, v->n);
        ck_assert(played_broken(&p) >> k & 1);
        ck_assert_int_eq(p.history->at[p.result->finding[k].witness[1]].at.us, (int64_t)v->at_us);
    }
    player_close(&player);
    inputs_free(&in);
}
END_TEST

/* Nobody leads any more: seen only where rounds are played to their ends, and what is said of
 * it is a round that replays. */
START_TEST(liveness_is_judged_where_rounds_end)
{
    struct player player;
    load("scenarios/mutants/asks-once.yaml");
    move(FAULT_CLOSE_HOLDER, 0);
    ck_assert_uint_eq(run().broken, 0);
    scope.liveness = true;
    struct explore_result r = run();
    ck_assert_uint_eq(r.broken, 1u << INV_PROGRESS);
    ck_assert_uint_gt(r.ends, 0);
    struct explore_violation *v = &r.violation[INV_PROGRESS];
    player_open(&player, scenario_tabs(&scope.calm));
    struct played p = player_round_with(&player, &scope.calm, scope.contract, 7, v->move, v->n);
    ck_assert_uint_eq(played_broken(&p), r.broken);
    player_close(&player);
    inputs_free(&in);
}
END_TEST

/* The same states with and without: what is played to its end leaves no trace. */
START_TEST(playing_to_the_end_changes_no_state)
{
    load(NULL);
    move(FAULT_CLOSE_HOLDER, 0);
    move(FAULT_FREEZE_ABRUPT, 1100 * US_PER_MS);
    struct explore_result safety = run();
    scope.liveness = true;
    struct explore_result both = run();
    ck_assert_uint_eq(both.broken, 0);
    ck_assert_uint_eq(both.states, safety.states);
    ck_assert_uint_eq(both.transitions, safety.transitions);
    inputs_free(&in);
}
END_TEST

START_TEST(paths_are_no_longer_than_the_depth)
{
    load(NULL);
    move(FAULT_CLOSE_HOLDER, 0);
    move(INJECT_DELAY, 600 * US_PER_MS);
    scope.delays = scope.depth = 1;
    ck_assert_uint_eq(explore_depth(&scope), 1);
    ck_assert_uint_eq(run().moves, 1);
    scope.depth = 0;
    ck_assert_uint_eq(run().moves, 2);
    inputs_free(&in);
}
END_TEST

START_TEST(a_full_table_is_said)
{
    load(NULL);
    move(FAULT_FREEZE_ABRUPT, 1100 * US_PER_MS);
    scope.states_max = 300;
    struct explore_result r = run();
    ck_assert(r.full);
    ck_assert_uint_le(r.states, 302);
    inputs_free(&in);
}
END_TEST

/* ---- the state as a whole ------------------------------------------------------------- */

static struct runner runner;
static struct fold fold;

static uint64_t sum_of(struct world *w)
{
    while (world_event_is_void(w, evq_first(&w->queue))) {
        struct event e;
        (void)evq_pop(&w->queue, &e);
        world_handle(w, &e);
    }
    w->now = event_at(evq_first(&w->queue));
    fold_begin(&fold, false, 8 * US_PER_S);
    world_fold(w, &fold);
    return fold.sum;
}

static void play(struct world *w, uint32_t events)
{
    for (struct event e; events > 0 && evq_pop(&w->queue, &e); events--) world_handle(w, &e);
}

static struct world *world_at_event(uint32_t event)
{
    load(NULL);
    runner_open(&runner, scenario_tabs(&scope.calm));
    world_reset(runner.world, &scope.calm, scope.contract, 0);
    play(runner.world, event);
    return runner.world;
}

static void leave(void)
{
    runner_close(&runner);
    inputs_free(&in);
}

START_TEST(the_world_goes_back_whole)
{
    for (uint32_t at = 5; at < 100; at += 19) {
        struct world *w = world_at_event(at);
        void *copy = malloc(world_save_bytes(w));
        ck_assert_ptr_nonnull(copy);
        uint64_t before = sum_of(w);
        world_save(w, copy);
        play(w, 60);
        uint64_t digest = history_digest(&w->history), after = sum_of(w);
        ck_assert_uint_ne(before, after);
        world_restore(w, copy);
        ck_assert_uint_eq(sum_of(w), before);
        play(w, 60);
        ck_assert_uint_eq(history_digest(&w->history), digest);
        ck_assert_uint_eq(sum_of(w), after);
        free(copy);
        leave();
    }
}
END_TEST

/* Everything that decides what comes next: changed alone, the state is another. */
#define DIFFERS(what, other)                                                                       \
    do {                                                                                           \
        __typeof__(what) was = (what);                                                             \
        (what) = (other);                                                                          \
        ck_assert_msg(sum_of(w) != before, #what " is not in the canonical form");                 \
        (what) = was;                                                                              \
        ck_assert_uint_eq(sum_of(w), before);                                                      \
    } while (0)

START_TEST(every_member_counts)
{
    struct world *w = world_at_event(60); /* one leads, one waits */
    ck_assert(w->owner != PAGE_NONE);
    struct page *p = &w->page[w->owner];
    struct leader *l = &p->client;
    struct ledger_record *rec = &w->node[0].record;
    uint64_t before = sum_of(w);
    DIFFERS(w->provider_down, true);
    DIFFERS(w->owner_held, !w->owner_held);
    DIFFERS(w->device[0].cut[0], 1);
    DIFFERS(w->device[0].asleep, true);
    DIFFERS(w->device[0].late, 1);
    DIFFERS(w->device[0].lost_answers, 2);
    DIFFERS(w->device[0].partition_key, 9);
    DIFFERS(p->busy_until.us, w->now.us + 77777);
    DIFFERS(p->connected, !p->connected);
    DIFFERS(p->closing, true);
    DIFFERS(p->deaf_cause, 1);
    DIFFERS(p->lock_pipe[0].us, w->now.us + 5);
    DIFFERS(p->hidden_since_us, w->now.us - 5);
    DIFFERS(l->page.state, STATE_DRAINING);
    DIFFERS(l->page.lease_end.us, l->page.lease_end.us + 1);
    DIFFERS(l->page.believes, !l->page.believes);
    DIFFERS(l->page.revalidating, !l->page.revalidating);
    DIFFERS(l->page.tasks, l->page.tasks + 1);
    DIFFERS(l->page.work.op, 7);
    DIFFERS(l->page.fence.generation, l->page.fence.generation + 1);
    DIFFERS(l->worker.lease_end.us, l->worker.lease_end.us + 1);
    DIFFERS(l->worker.last_pong.us, l->worker.last_pong.us - 1);
    DIFFERS(l->worker.acked, l->worker.acked + 1);
    DIFFERS(l->worker.last_answer.us, l->worker.last_answer.us - 1);
    DIFFERS(l->page.told_waiting.us, l->worker.lease_end.us);
    DIFFERS(l->page.silent_until.us, l->worker.lease_end.us);
    DIFFERS(l->page.visible_waits_until.us, l->worker.lease_end.us);
    DIFFERS(l->page.vacancy.generation, l->page.fence.generation);
    DIFFERS(l->page.lock.granted, !l->page.lock.granted);
    DIFFERS(l->page.permit.not_before.us, l->worker.lease_end.us);
    DIFFERS(rec->permits, rec->permits + 1);
    DIFFERS(rec->idle_permit_after.us, rec->idle_permit_after.us + 1);
    DIFFERS(l->worker.hidden, !l->worker.hidden);
    DIFFERS(rec->held, !rec->held);
    DIFFERS(rec->lease_end.us, rec->lease_end.us + 1);
    DIFFERS(rec->owner_tab, rec->owner_tab + 1);
    DIFFERS(rec->cursor, rec->cursor + 1);
    DIFFERS(rec->closed, true);
    DIFFERS(rec->protocol, rec->protocol + 1);
    DIFFERS(w->node[0].up, false);
    DIFFERS(w->tab[0].load_pending, true);
    leave();
}
END_TEST

/* When a permit is due counts from the vacancy, which only a ledger without a leader reads. */
START_TEST(a_vacancy_counts_by_its_age)
{
    struct world *w = world_at_event(60);
    struct ledger_record *rec = &w->node[0].record;
    rec->held = false;
    rec->vacant_since.us = node_now(w, 0).us - 20 * US_PER_MS;
    uint64_t before = sum_of(w);
    DIFFERS(rec->vacant_since.us, rec->vacant_since.us - 1);
    DIFFERS(rec->expired, !rec->expired);
    leave();
}
END_TEST

/* Two rounds that came the same way at another time are in the same state. */
START_TEST(a_state_does_not_know_how_late_it_is)
{
    struct world *w = world_at_event(200); /* idle: a beat every 600 ms, suspicion every 1.8 s */
    uint64_t first = sum_of(w);
    bool comes_back = false;
    int64_t began = w->now.us;
    while (!comes_back && w->now.us < began + 4 * US_PER_S) {
        play(w, 1);
        comes_back = sum_of(w) == first;
    }
    ck_assert(comes_back);
    ck_assert_int_eq(w->now.us - began, 1800 * US_PER_MS);
    leave();
}
END_TEST

/* ---- equal states have equal futures ----------------------------------------------------- */

#define FOLLOWED_MAX (1u << 18)

/* By the state's number: that of the state which follows when nothing is done. */
static struct {
    uint64_t state, next;
} followed[FOLLOWED_MAX];
static struct player follower;
static struct contract bent;

static bool ended(const struct world *w)
{
    const struct event *e = evq_first(&w->queue);
    return !e || event_at(e).us >= w->heal_at.us;
}

static uint64_t whole_sum(uint32_t *judged)
{
    struct world *w = follower.runner.world;
    uint64_t world = ended(w) ? 0 : sum_of(w);
    for (; *judged < w->history.n; ++*judged) judge_step(follower.judge, &w->history.at[*judged]);
    judge_fold(follower.judge, &fold);
    return world == 0 ? 0 : fold.sum;
}

static void follow(uint32_t place, struct injection x)
{
    struct world *w = follower.runner.world;
    uint32_t judged = 0;
    world_reset(w, &scope.calm, scope.contract, 0);
    judge_reset(follower.judge, &bent);
    play(w, place);
    x.before = place + 1;
    (void)run_inject(w, &x, 1);
    uint64_t state = x.begun ? whole_sum(&judged) : 0, next;
    for (; state != 0; state = next) {
        play(w, 1);
        next = whole_sum(&judged);
        uint32_t i = (uint32_t)state % FOLLOWED_MAX;
        while (followed[i].state != 0 && followed[i].state != state) i = (i + 1) % FOLLOWED_MAX;
        ck_assert_msg(followed[i].state == 0 || next == 0 || followed[i].next == 0 ||
                          followed[i].next == next,
                      "%s before event %u: two states that fold to the same part at event %u",
                      fault_info[x.kind].word, place + 1, (unsigned)w->events);
        if (next != 0) followed[i].next = next;
        followed[i].state = state;
    }
}

/* What is merged has to go on alike: or the canonical form lacks what a later step reads. */
START_TEST(equal_states_have_equal_futures)
{
    load(NULL);
    scope.calm.duration.min_us = scope.calm.duration.max_us = 6 * US_PER_S;
    bent = scenario_contract(&scope.calm, scope.contract);
    player_open(&follower, scenario_tabs(&scope.calm));
    for (uint32_t place = 0; place < 150; place += 2)
        for (uint32_t i = 0; i < in.suite.scenario->faults; i += 3) {
            const struct fault_plan *f = &in.suite.scenario->fault[i];
            follow(place, (struct injection){ .kind = f->kind, .lasts_us = f->lasts.min_us });
        }
    player_close(&follower);
    inputs_free(&in);
}
END_TEST

Suite *explore_suite(void)
{
    Suite *suite = suite_create("explore");
    TCase *t = tcase_create("explore");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, numbers_do_not_depend_on_threads);
    tcase_add_test(t, merging_hides_nothing);
    tcase_add_test(t, a_violation_is_the_round_that_it_says);
    tcase_add_test(t, liveness_is_judged_where_rounds_end);
    tcase_add_test(t, playing_to_the_end_changes_no_state);
    tcase_add_test(t, paths_are_no_longer_than_the_depth);
    tcase_add_test(t, a_full_table_is_said);
    tcase_add_test(t, the_world_goes_back_whole);
    tcase_add_test(t, every_member_counts);
    tcase_add_test(t, a_vacancy_counts_by_its_age);
    tcase_add_test(t, equal_states_have_equal_futures);
    tcase_add_test(t, a_state_does_not_know_how_late_it_is);
    suite_add_tcase(suite, t);
    return suite;
}
