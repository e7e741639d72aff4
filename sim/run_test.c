/* One round from seed to history: determinism, the tape, what every history has, and limits. */
#include <check.h>

#include <string.h>

#include "sim/world_rig.h"

Suite *run_suite(void);

static struct world_rig g;

static void close_rig(void)
{
    world_rig_close(&g);
}

/* Everything at once: two devices of other engines, three nodes, all faults that there are. */
static void open_storm(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 5);
    (void)world_rig_device(&g);
    struct scenario *s = &g.scenario;
    for (uint32_t i = 0; i < PROFILE_COUNT; i++) {
        s->device[1].mix[i].profile = (enum profile_kind)i;
        s->device[1].mix[i].weight = 1;
    }
    s->device[1].mix_n = PROFILE_COUNT;
    s->device[0].without_locks_percent = s->device[1].older_percent = 10;
    s->all_hidden_percent = 30;
    s->hidden_since.s70 = s->hidden_since.s400 = 1;
    s->network[1] = NETWORK_MOBILE;
    s->layout[1] = LAYOUT_QUORUM;
    s->network_weight[1] = s->layout_weight[1] = 1;
    s->networks = s->layouts = 2;
    s->operations = (struct count_range){ 5, 20 };
    s->duration = (struct span_range){ SECONDS(10), SECONDS(25) };
    s->faults_drawn = (struct count_range){ 6, 12 };
    for (uint32_t k = 0; k < FAULT_COUNT; k++)
        s->fault[s->faults++] = (struct fault_plan){ .kind = (enum fault_kind)k,
                                                     .weight = 1,
                                                     .aimed_percent = 50,
                                                     .lasts = { MS(500), SECONDS(6) } };
}

static const struct history *play(uint64_t seed)
{
    return run_round(&g.runner, &g.scenario, &g.contract, seed);
}

static uint64_t digest(uint64_t seed)
{
    return history_digest(play(seed));
}

/* ---- determinism ----------------------------------------------------------------- */

#define SEEDS 12

START_TEST(one_seed_is_one_history_whatever_was_played_before)
{
    open_storm();
    uint64_t fresh[SEEDS];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct runner other;
        runner_open(&other, 16);
        fresh[seed] = history_digest(run_round(&other, &g.scenario, &g.contract, seed));
        runner_close(&other);
    }
    for (uint64_t seed = SEEDS; seed-- > 0;) ck_assert_uint_eq(digest(seed), fresh[seed]);
    struct scenario storm = g.scenario;
    g.scenario.devices = 1; /* a round of another kind in between */
    g.scenario.policy = policy_with(g.scenario.policy, POLICY_CANARY);
    g.contract.authority = AUTHORITY_INDEXEDDB;
    (void)play(77);
    g.contract.authority = AUTHORITY_SERVER;
    g.scenario = storm;
    for (uint64_t seed = 0; seed < SEEDS; seed++) ck_assert_uint_eq(digest(seed), fresh[seed]);
}
END_TEST

/* Whatever a reset leaves alone is filled with a pattern: nothing of it may be read. */
static void fill(struct world *w)
{
    memset(w->page, 0x55, w->pages_max * sizeof w->page[0]);
    memset(w->tab, 0x55, w->tabs_max * sizeof w->tab[0]);
    memset(w->parcel, 0x55, w->parcels_max * sizeof w->parcel[0]);
    memset(w->history.at, 0x55, w->history.max * sizeof w->history.at[0]);
    memset(w->node_message, 0x55, w->node_messages_max * sizeof w->node_message[0]);
    memset(w->local_id, 0x55, REQUEST_IDS_MAX * sizeof w->local_id[0]);
    memset(w->ledger_out, 0x55, sizeof *w->ledger_out);
    memset(w->device, 0x55, sizeof w->device);
    memset(w->node, 0x55, sizeof w->node);
    memset(w->fault, 0x55, sizeof w->fault);
    memset(w->foreign, 0x55, sizeof w->foreign);
    memset(&w->provider, 0x55, sizeof w->provider);
    memset(&w->requests, 0x55, sizeof w->requests);
    memset(w->choices.rng, 0x55, sizeof w->choices.rng);
}

START_TEST(a_round_reads_nothing_that_it_has_not_written)
{
    open_storm();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint64_t clean = digest(seed);
        fill(g.w);
        ck_assert_uint_eq(digest(seed), clean);
    }
}
END_TEST

START_TEST(other_seeds_are_other_histories)
{
    open_storm();
    uint64_t seen[3 * SEEDS];
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        seen[seed] = digest(seed);
        for (uint64_t k = 0; k < seed; k++) ck_assert_uint_ne(seen[k], seen[seed]);
    }
}
END_TEST

START_TEST(scenario_and_contract_count_as_the_seed_does)
{
    open_storm();
    uint64_t as_it_is = digest(1);
    g.contract.lease.ttl_us += MS(1);
    ck_assert_uint_ne(digest(1), as_it_is);
    g.contract.lease.ttl_us -= MS(1);
    g.scenario.device[0].tabs++;
    ck_assert_uint_ne(digest(1), as_it_is);
    g.scenario.device[0].tabs--;
    strcpy(g.scenario.name, "renamed");
    ck_assert_uint_eq(digest(1), as_it_is); /* what only reports show does not */
}
END_TEST

/* ---- tape ------------------------------------------------------------------------ */

#define TAPE_MAX 65536u
static struct tape_entry entry[STREAM_COUNT][TAPE_MAX];

static struct tape blank_tape(void)
{
    struct tape t = { 0 };
    for (uint32_t s = 0; s < STREAM_COUNT; s++) {
        t.at[s] = entry[s];
        t.max[s] = TAPE_MAX;
    }
    return t;
}

START_TEST(a_recorded_round_is_played_again_from_its_tape)
{
    open_storm();
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct tape tape = blank_tape();
        uint64_t drawn = digest(seed);
        g.w->choices.record = &tape;
        ck_assert_uint_eq(digest(seed), drawn); /* recording changes nothing */
        ck_assert(!tape.full);
        g.w->choices.record = NULL;
        g.w->choices.replay = &tape;
        ck_assert_uint_eq(digest(12345), drawn); /* and a replay needs no seed */
        ck_assert(!g.w->choices.diverged);
        g.w->choices.replay = NULL;
    }
}
END_TEST

START_TEST(an_empty_tape_is_the_mildest_round)
{
    open_storm();
    struct tape tape = blank_tape();
    g.w->choices.replay = &tape;
    g.scenario.faults_drawn.min = 0;
    const struct history *h = play(1);
    ck_assert_uint_eq(world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE), 0);
    ck_assert_uint_eq(world_rig_count(&g, 0, OBS_REQUEST_LOST, PAGE_NONE), 0);
    ck_assert_ptr_nonnull(world_rig_find(&g, 0, OBS_BELIEF_BEGAN, PAGE_NONE));
    ck_assert_uint_eq(h->at[h->n - 1].a, 0);
}
END_TEST

START_TEST(a_tape_that_ends_early_is_a_calmer_round_that_ends_too)
{
    open_storm();
    struct tape tape = blank_tape();
    g.w->choices.record = &tape;
    (void)play(2);
    g.w->choices.record = NULL;
    g.w->choices.replay = &tape;
    tape.n[STREAM_FAULT] = tape.n[STREAM_NET_UP] = 3;
    const struct history *h = play(2);
    ck_assert_int_eq(h->at[h->n - 1].kind, OBS_ROUND_ENDED);
}
END_TEST

/* ---- what every history has ------------------------------------------------------ */

static void must_be_whole(const struct history *h, uint32_t tabs, uint32_t devices)
{
    uint32_t started = 0, healed = 0, ended = 0, pages = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct obs *o = &h->at[i];
        ck_assert_uint_eq(o->number, i);
        ck_assert_int_ge(o->at.us, i ? h->at[i - 1].at.us : 0);
        ck_assert(o->cause == OBS_NONE || o->cause < i); /* causes come before */
        started += o->kind == OBS_ROUND_STARTED;
        healed += o->kind == OBS_ROUND_HEALED;
        ended += o->kind == OBS_ROUND_ENDED;
        if (o->kind == OBS_PAGE_CREATED) ck_assert_uint_eq(o->page, pages++);
        ck_assert(o->page == PAGE_NONE || o->page == PAGE_SERVER || o->page < pages);
        ck_assert(o->device == DEVICE_NONE || o->device < devices);
        if (o->kind == OBS_FAULT_BEGUN) ck_assert_uint_eq(healed, 0);
    }
    ck_assert_int_eq(h->at[0].kind, OBS_ROUND_STARTED);
    ck_assert_uint_eq(h->at[0].a, tabs);
    ck_assert_uint_eq(h->at[0].b, devices);
    ck_assert_int_eq(h->at[h->n - 1].kind, OBS_ROUND_ENDED);
    ck_assert_uint_eq(started, 1);
    ck_assert_uint_eq(healed, 1);
    ck_assert_uint_eq(ended, 1);
    ck_assert_uint_eq(h->at[h->n - 1].a, 0);
}

START_TEST(a_history_is_ordered_and_whole)
{
    open_storm();
    for (uint64_t seed = 100; seed < 140; seed++) must_be_whole(play(seed), 10, 2);
}
END_TEST

/* Every request that arrives was issued; every answer that is handled belongs to one. */
START_TEST(nothing_arrives_that_was_not_sent)
{
    open_storm();
    static bool issued[REQUEST_IDS_MAX], arrived[REQUEST_IDS_MAX];
    for (uint64_t seed = 200; seed < 220; seed++) {
        memset(issued, 0, sizeof issued);
        memset(arrived, 0, sizeof arrived);
        const struct history *h = play(seed);
        for (uint32_t i = 0; i < h->n; i++) {
            const struct obs *o = &h->at[i];
            ck_assert_uint_lt(o->request, REQUEST_IDS_MAX);
            if (o->kind == OBS_REQUEST_ISSUED) {
                ck_assert(!issued[o->request]); /* a retry is a new request */
                issued[o->request] = true;
            }
            if (o->kind == OBS_REQUEST_ARRIVED) {
                ck_assert(issued[o->request]);
                arrived[o->request] = true;
            }
            if (o->kind == OBS_ANSWER_HANDLED || o->kind == OBS_ANSWER_LOST)
                ck_assert(arrived[o->request]);
        }
    }
}
END_TEST

/* A page that is gone handles nothing and asks for nothing. */
START_TEST(the_dead_are_silent)
{
    open_storm();
    static bool gone[1024];
    for (uint64_t seed = 300; seed < 330; seed++) {
        memset(gone, 0, sizeof gone);
        const struct history *h = play(seed);
        for (uint32_t i = 0; i < h->n; i++) {
            const struct obs *o = &h->at[i];
            if (o->page >= 1024) continue;
            bool acts = o->kind == OBS_LOCK_CALLBACK || o->kind == OBS_ANSWER_HANDLED ||
                        o->kind == OBS_PUSH_HANDLED || o->kind == OBS_REQUEST_ISSUED ||
                        o->kind == OBS_STATE_CHANGED || o->kind == OBS_BELIEF_BEGAN;
            if (acts) ck_assert(!gone[o->page]);
            gone[o->page] |= o->kind == OBS_PAGE_CLOSED || o->kind == OBS_PAGE_CRASHED ||
                             o->kind == OBS_PAGE_EVICTED || o->kind == OBS_PAGE_DISCARDED;
        }
    }
}
END_TEST

START_TEST(in_a_quiet_round_everything_submitted_is_done)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 4);
    g.scenario.operations = (struct count_range){ 8, 8 };
    g.scenario.duration = (struct span_range){ SECONDS(10), SECONDS(10) };
    for (uint64_t seed = 0; seed < 20; seed++) {
        (void)play(seed);
        ck_assert_uint_eq(world_rig_count(&g, 0, OBS_LEDGER_ENQUEUED, PAGE_NONE), 8);
        ck_assert_uint_eq(world_rig_count(&g, 0, OBS_EFFECT_EXECUTED, PAGE_NONE), 8);
        ck_assert_uint_eq(world_rig_count(&g, 0, OBS_LEDGER_TERMINAL, PAGE_NONE), 8);
    }
}
END_TEST

START_TEST(the_second_phase_ends_when_its_demands_are_met_or_at_its_time)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 4);
    g.scenario.duration = (struct span_range){ SECONDS(10), SECONDS(10) };
    const struct history *h = play(1);
    ck_assert_int_lt(h->at[h->n - 1].at.us, SECONDS(10) + g.contract.slo.progress_within_us);
    g.scenario.device[0].without_locks_percent = 100; /* nobody can lead */
    h = play(1);
    ck_assert_int_ge(h->at[h->n - 1].at.us, SECONDS(10) + g.contract.slo.progress_within_us);
    ck_assert_int_le(h->at[h->n - 1].at.us,
                     SECONDS(10) + g.contract.slo.progress_within_us + SECONDS(5));
    ck_assert_uint_eq(h->at[h->n - 1].a, 0);
}
END_TEST

START_TEST(the_tabs_of_all_devices_are_counted)
{
    open_storm();
    ck_assert_uint_eq(scenario_tabs(&g.scenario), 10);
    g.scenario.devices = 1;
    ck_assert_uint_eq(scenario_tabs(&g.scenario), 5);
}
END_TEST

/* ---- limits ---------------------------------------------------------------------- */

static void must_be_cut_short(const struct history *h)
{
    ck_assert_int_eq(h->at[h->n - 1].kind, OBS_ROUND_ENDED);
    ck_assert_uint_eq(h->at[h->n - 1].a, 1);
    ck_assert_uint_eq(h->at[h->n - 1].number, h->n - 1);
    ck_assert_ptr_null(world_rig_find(&g, 0, OBS_ROUND_HEALED, PAGE_NONE));
}

static uint32_t *capacity(int which)
{
    switch (which) {
    case 0: return &g.w->history.max;
    case 1: return &g.w->queue.max;
    case 2: return &g.w->pages_max;
    default: return &g.w->parcels_max;
    }
}

/* A limit cuts the round short and the history says so; the next round is whole again. */
START_TEST(a_limit_cuts_the_round_short_and_says_so)
{
    static const uint32_t small[] = { 300, 40, 4, 8 };
    open_storm();
    g.scenario.duration = (struct span_range){ SECONDS(30), SECONDS(30) };
    uint32_t *max = capacity(_i), was = *max;
    uint64_t whole = digest(3);
    for (uint64_t seed = 0; seed < 10; seed++) {
        *max = small[_i];
        must_be_cut_short(play(seed));
        *max = was;
        must_be_whole(play(seed), 10, 2);
    }
    ck_assert_uint_eq(digest(3), whole);
}
END_TEST

START_TEST(a_full_history_keeps_its_last_place_for_the_end)
{
    open_storm();
    uint32_t was = g.w->history.max;
    for (uint32_t max = 40; max < 60; max++) {
        g.w->history.max = max;
        const struct history *h = play(5);
        ck_assert_uint_eq(h->n, max);
        must_be_cut_short(h);
    }
    g.w->history.max = was;
}
END_TEST

/* A round that a limit ended in the middle of its faults did not heal them. */
START_TEST(a_round_that_was_cut_short_leaves_nothing_to_the_next)
{
    open_storm();
    g.scenario.layout[0] = g.scenario.layout[1] = LAYOUT_QUORUM;
    struct scenario storm = g.scenario;
    uint32_t was = g.w->history.max;
    uint64_t whole = digest(3);
    for (uint32_t k = 0; k < FAULT_COUNT; k++) {
        if (!fault_info[k].lasts) continue;
        g.scenario.faults = 1;
        g.scenario.faults_drawn = (struct count_range){ 0, 0 };
        g.scenario.fault[0] = (struct fault_plan){ .kind = (enum fault_kind)k,
                                                   .always = true,
                                                   .lasts = { SECONDS(60), SECONDS(60) } };
        (void)play(k);
        const struct obs *o = world_rig_find(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
        if (o) g.w->history.max = o->number + 40;
        (void)play(k);
        g.w->history.max = was;
        g.scenario = storm;
        ck_assert_uint_eq(digest(3), whole);
    }
}
END_TEST

Suite *run_suite(void)
{
    Suite *s = suite_create("run");
    TCase *t = tcase_create("run");
    tcase_add_checked_fixture(t, NULL, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, one_seed_is_one_history_whatever_was_played_before);
    tcase_add_test(t, a_round_reads_nothing_that_it_has_not_written);
    tcase_add_test(t, other_seeds_are_other_histories);
    tcase_add_test(t, scenario_and_contract_count_as_the_seed_does);
    tcase_add_test(t, a_recorded_round_is_played_again_from_its_tape);
    tcase_add_test(t, an_empty_tape_is_the_mildest_round);
    tcase_add_test(t, a_tape_that_ends_early_is_a_calmer_round_that_ends_too);
    tcase_add_test(t, a_history_is_ordered_and_whole);
    tcase_add_test(t, nothing_arrives_that_was_not_sent);
    tcase_add_test(t, the_dead_are_silent);
    tcase_add_test(t, in_a_quiet_round_everything_submitted_is_done);
    tcase_add_test(t, the_second_phase_ends_when_its_demands_are_met_or_at_its_time);
    tcase_add_test(t, the_tabs_of_all_devices_are_counted);
    tcase_add_loop_test(t, a_limit_cuts_the_round_short_and_says_so, 0, 4);
    tcase_add_test(t, a_full_history_keeps_its_last_place_for_the_end);
    tcase_add_test(t, a_round_that_was_cut_short_leaves_nothing_to_the_next);
    suite_add_tcase(s, t);
    return s;
}
