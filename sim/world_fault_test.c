/* Faults: which are planned and when, whom they hit, what they are aimed at, the trace that each
 * leaves, and that healing puts right what is to be put right. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_fault_suite(void);

#define SEEDS 20

static struct world_rig g;

static void open_rig(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 4);
    g.scenario.duration = (struct span_range){ SECONDS(16), SECONDS(16) };
}
static void close_rig(void)
{
    world_rig_close(&g);
}

static struct fault_plan *plan(enum fault_kind kind)
{
    struct fault_plan *p = &g.scenario.fault[g.scenario.faults++];
    *p = (struct fault_plan){ .kind = kind, .weight = 1, .lasts = { SECONDS(1), SECONDS(3) } };
    return p;
}

static const struct history *play(uint64_t seed)
{
    return run_round(&g.runner, &g.scenario, &g.contract, seed);
}

static int64_t healed_at(void)
{
    return world_rig_find(&g, 0, OBS_ROUND_HEALED, PAGE_NONE)->at.us;
}

static uint32_t begun(enum fault_kind kind)
{
    uint32_t n = 0;
    const struct obs *o = world_rig_find_a(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE, kind);
    for (; o; o = world_rig_find_a(&g, o->number + 1, OBS_FAULT_BEGUN, PAGE_NONE, kind)) n++;
    return n;
}

/* ---- planning -------------------------------------------------------------------- */

START_TEST(without_planned_faults_none_happens)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        (void)play(seed);
        ck_assert_uint_eq(world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE), 0);
    }
}
END_TEST

START_TEST(what_is_to_happen_always_does_so_once_a_round_before_the_healing)
{
    plan(FAULT_CLOCK_JUMP)->always = true;
    g.scenario.omit_percent = 100; /* swarm leaves out what is drawn */
    int64_t first = INT64_MAX, last = 0;
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        (void)play(seed);
        ck_assert_uint_eq(begun(FAULT_CLOCK_JUMP), 1);
        int64_t at = world_rig_find(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE)->at.us;
        ck_assert_int_lt(at, healed_at());
        ck_assert_int_gt(at, 0);
        if (at < first) first = at;
        if (at > last) last = at;
    }
    ck_assert_int_gt(last - first, SECONDS(4)); /* at a drawn time */
}
END_TEST

START_TEST(as_many_faults_are_drawn_as_the_scenario_says)
{
    plan(FAULT_CLOCK_JUMP);
    plan(FAULT_LONG_TASK);
    plan(FAULT_DUPLICATE)->weight = 0;
    g.scenario.faults_drawn = (struct count_range){ 2, 4 };
    uint32_t least = 99, most = 0, jumps = 0;
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        (void)play(seed);
        uint32_t n = world_rig_count(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
        if (n < least) least = n;
        if (n > most) most = n;
        jumps += begun(FAULT_CLOCK_JUMP);
        ck_assert_uint_eq(begun(FAULT_DUPLICATE), 0);
        ck_assert_uint_eq(begun(FAULT_CLOCK_JUMP) + begun(FAULT_LONG_TASK), n);
    }
    ck_assert_uint_eq(least, 2);
    ck_assert_uint_eq(most, 4);
    ck_assert_uint_gt(jumps, 0);
}
END_TEST

START_TEST(swarm_leaves_out_whole_classes)
{
    plan(FAULT_CLOCK_JUMP);
    plan(FAULT_LONG_TASK);
    g.scenario.faults_drawn = (struct count_range){ 8, 8 };
    for (g.scenario.omit_percent = 0; g.scenario.omit_percent <= 100;
         g.scenario.omit_percent += 50) {
        uint32_t both = 0, neither = 0;
        for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
            (void)play(seed);
            bool a = begun(FAULT_CLOCK_JUMP) > 0, b = begun(FAULT_LONG_TASK) > 0;
            both += a && b;
            neither += !a && !b;
        }
        if (g.scenario.omit_percent == 0) ck_assert_uint_ge(both, 3 * SEEDS - 6);
        if (g.scenario.omit_percent == 0) ck_assert_uint_eq(neither, 0);
        if (g.scenario.omit_percent == 50) ck_assert_uint_ge(neither, SEEDS / 4);
        if (g.scenario.omit_percent == 50) ck_assert_uint_le(both, 2 * SEEDS);
        if (g.scenario.omit_percent == 100) ck_assert_uint_eq(neither, 3 * SEEDS);
    }
}
END_TEST

START_TEST(a_fault_lasts_as_long_as_its_plan_allows)
{
    struct fault_plan *p = plan(FAULT_PROVIDER_SLOW);
    p->always = true;
    p->lasts = (struct span_range){ MS(500), MS(900) };
    bool differ = false;
    int64_t before = -1;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        (void)play(seed);
        const struct obs *b = world_rig_find(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE);
        const struct obs *e = world_rig_find(&g, 0, OBS_FAULT_ENDED, PAGE_NONE);
        int64_t us = e->at.us - b->at.us;
        ck_assert_int_ge(us, MS(500));
        ck_assert_int_le(us, MS(900));
        ck_assert_uint_eq(e->op, b->op);
        ck_assert_uint_eq(e->cause, b->number);
        differ |= before >= 0 && us != before;
        before = us;
    }
    ck_assert(differ);
}
END_TEST

START_TEST(faults_of_nodes_need_nodes)
{
    plan(FAULT_NODE_PARTITION)->always = true;
    plan(FAULT_NODE_FAILOVER)->always = true;
    if (_i) g.scenario.layout[0] = LAYOUT_QUORUM;
    for (uint64_t seed = 0; seed < 5; seed++) {
        (void)play(seed);
        ck_assert_uint_eq(begun(FAULT_NODE_PARTITION), (uint32_t)_i);
        ck_assert_uint_eq(begun(FAULT_NODE_FAILOVER), (uint32_t)_i);
    }
}
END_TEST

/* ---- aiming ---------------------------------------------------------------------- */

/* Rounds of `n` in which the harmless fault, aimed at the phase, began in it. */
static uint32_t hits(enum leader_phase phase, uint64_t n)
{
    uint32_t hit = 0;
    struct fault_plan *p = plan(FAULT_CLOCK_JUMP);
    p->always = true;
    p->aimed_percent = 100;
    p->phase_mask = 1u << phase;
    g.scenario.duration =
        (struct span_range){ SECONDS(100), SECONDS(100) }; /* time enough to wait */
    for (uint64_t seed = 0; seed < n; seed++) {
        world_rig_reset(&g, seed);
        while (!g.w->fault[0].begun && world_rig_step(&g, SECONDS(100))) continue;
        ck_assert(g.w->fault[0].begun);
        ck_assert_int_eq(g.w->fault[0].phase, phase);
        hit += world_phase(g.w) == phase;
    }
    return hit;
}

START_TEST(an_aimed_fault_waits_for_its_phase)
{
    static const enum leader_phase phase[] = { PHASE_IDLE,           PHASE_TAKE,   PHASE_EFFECT,
                                               PHASE_EFFECT_UNKNOWN, PHASE_COMMIT, PHASE_RENEW,
                                               PHASE_CLAIM };
    g.scenario.operations = (struct count_range){ 30, 30 };
    ck_assert_uint_ge(hits(phase[_i], SEEDS), SEEDS * 8 / 10);
}
END_TEST

START_TEST(an_aim_that_finds_no_such_phase_is_given_up_in_time)
{
    uint32_t hit = hits(PHASE_TAKE, 5); /* there is nothing to take */
    ck_assert_uint_eq(hit, 0);
}
END_TEST

START_TEST(an_unaimed_fault_waits_for_nothing)
{
    plan(FAULT_CLOCK_JUMP)->always = true;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        int64_t at = g.w->fault[0].at.us;
        while (!g.w->fault[0].begun && world_rig_step(&g, SECONDS(40))) continue;
        ck_assert_int_eq(g.w->now.us, at);
    }
}
END_TEST

/* ---- whom it hits ---------------------------------------------------------------- */

START_TEST(a_fault_on_the_holder_hits_it_and_one_on_a_waiter_another)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        uint16_t p = world_rig_leader(&g);
        world_rig_for(&g, MS(300));
        uint32_t a = world_rig_fault(&g, FAULT_LONG_TASK, MS(10));
        ck_assert_uint_eq(g.w->fault[a].page, p);
        uint32_t b = world_rig_fault(&g, FAULT_DEAF_TAB, MS(10));
        ck_assert(lockmgr_waits(g.w->lockmgr[0], g.w->fault[b].page, LOCK_NAME_LEADER));
        const struct obs *o = world_rig_find_a(&g, 0, OBS_FAULT_BEGUN, PAGE_NONE, FAULT_LONG_TASK);
        ck_assert_uint_eq(o->page, p);
        ck_assert_uint_eq(o->device, 0);
    }
}
END_TEST

START_TEST(a_fault_without_anybody_to_hit_waits_for_one)
{
    plan(FAULT_LONG_TASK)->always = true;
    for (uint64_t seed = 0; seed < 5; seed++) {
        world_rig_reset(&g, seed);
        world_rig_for(&g, MS(100)); /* before the page faults that are planned */
        for (uint32_t n = 0; n < g.w->pages; n++) page_crash(g.w, (uint16_t)n, OBS_PAGE_CRASHED);
        for (uint32_t t = 0; t < g.w->tabs; t++) g.w->tab[t].load_pending = false;
        world_rig_for(&g, g.w->fault[0].at.us + MS(100) - g.w->now.us);
        uint32_t alive = 0;
        for (uint32_t n = 0; n < g.w->pages; n++) alive += page_alive(&g.w->page[n]);
        ck_assert_int_eq(g.w->fault[0].begun, alive > 0);
    }
}
END_TEST

START_TEST(the_second_device_is_another_than_the_leaders)
{
    (void)world_rig_device(&g);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        uint16_t p = world_rig_leader(&g);
        uint32_t i = world_rig_fault(&g, FAULT_SECOND_DEVICE, 0);
        ck_assert_uint_ne(g.w->fault[i].device, g.w->page[p].device);
        ck_assert_ptr_nonnull(
            world_rig_find(&g, g.w->fault[i].number, OBS_PAGE_CREATED, PAGE_NONE));
    }
}
END_TEST

/* ---- the trace of each ----------------------------------------------------------- */

/* Observations that show a fault, at the latest four seconds after it began. */
static const enum obs_kind trace[FAULT_COUNT] = {
    [FAULT_CLOSE_HOLDER] = OBS_PAGE_CLOSED,
    [FAULT_CLOSE_WAITER] = OBS_PAGE_CLOSED,
    [FAULT_CRASH_HOLDER] = OBS_PAGE_CRASHED,
    [FAULT_CRASH_WAITER] = OBS_PAGE_CRASHED,
    [FAULT_BROWSER_CRASH] = OBS_PAGE_CRASHED,
    [FAULT_FREEZE_HOLDER] = OBS_PAGE_FROZEN,
    [FAULT_FREEZE_ABRUPT] = OBS_PAGE_FROZEN,
    [FAULT_FREEZE_WAITER] = OBS_PAGE_FROZEN,
    [FAULT_HIDE_HOLDER] = OBS_PAGE_HIDDEN,
    [FAULT_HIDE_ALL] = OBS_PAGE_HIDDEN,
    [FAULT_LONG_TASK] = OBS_PAGE_BLOCKED,
    [FAULT_BFCACHE_HOLDER] = OBS_PAGE_CACHED,
    [FAULT_BFCACHE_WAITER] = OBS_PAGE_CACHED,
    [FAULT_BFCACHE_EVICT] = OBS_PAGE_EVICTED,
    [FAULT_BFCACHE_STARVE] = OBS_PAGE_CACHED,
    [FAULT_DISCARD] = OBS_PAGE_DISCARDED,
    [FAULT_RELOAD] = OBS_PAGE_CREATED,
    [FAULT_DUPLICATE] = OBS_PAGE_CREATED,
    [FAULT_DELAY_HEARTBEATS] = OBS_CHANNEL_FAULT,
    [FAULT_DROP_HEARTBEATS] = OBS_CHANNEL_FAULT,
    [FAULT_DEAF_TAB] = OBS_CHANNEL_FAULT,
    [FAULT_ROGUE_STEAL] = OBS_LOCK_STOLEN,
    [FAULT_LOCKS_MISSING] = OBS_PAGE_CREATED,
    [FAULT_LOCKS_REFUSED] = OBS_LOCK_REFUSED,
    [FAULT_CLEAR_DATA] = OBS_STORAGE_FAULT,
    [FAULT_QUOTA_FULL] = OBS_STORAGE_FAULT,
    [FAULT_CUT_SERVER] = OBS_LINK_CUT,
    [FAULT_CUT_UP] = OBS_LINK_CUT,
    [FAULT_CUT_DOWN] = OBS_LINK_CUT,
    [FAULT_ANSWER_LOST] = OBS_ANSWER_LOST,
    [FAULT_REQUEST_LATE] = OBS_REQUEST_ARRIVED,
    [FAULT_REQUEST_DOUBLED] = OBS_REQUEST_ARRIVED,
    [FAULT_NODE_CRASH] = OBS_NODE_DOWN,
    [FAULT_NODE_PARTITION] = OBS_NODE_DECIDES,
    [FAULT_NODE_FAILOVER] = OBS_LINK_CUT,
    [FAULT_PROVIDER_DOWN] = OBS_REQUEST_LOST,
    [FAULT_PROVIDER_SLOW] = OBS_ROUND_STARTED /* below */,
    [FAULT_PROVIDER_SILENT] = OBS_ANSWER_LOST,
    [FAULT_SECOND_DEVICE] = OBS_PAGE_CREATED,
    [FAULT_SLEEP_DEVICE] = OBS_DEVICE_ASLEEP,
    [FAULT_CLOCK_JUMP] = OBS_DEVICE_CLOCK,
    [FAULT_CLOCK_SKEW] = OBS_DEVICE_CLOCK,
    [FAULT_OLD_VERSION] = OBS_PAGE_CREATED,
    [FAULT_ROLLBACK] = OBS_PAGE_CREATED,
    [FAULT_EPOCH_ADVANCE] = OBS_LEDGER_EPOCH,
    [FAULT_NESTED_LOCKS] = OBS_LOCK_REQUESTED,
};

START_TEST(each_fault_leaves_its_trace_in_the_history)
{
    enum fault_kind kind = (enum fault_kind)_i;
    if (kind == FAULT_PROVIDER_SLOW) return; /* world_net_test.c measures it */
    bool nodes = kind == FAULT_NODE_PARTITION || kind == FAULT_NODE_FAILOVER;
    if (nodes) g.scenario.layout[0] = LAYOUT_QUORUM;
    g.scenario.operations = (struct count_range){ 40, 40 };
    g.scenario.all_hidden_percent = 0;
    uint32_t shown = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        world_rig_for(&g, SECONDS(3));
        uint32_t i = world_rig_fault(&g, kind, SECONDS(3));
        uint32_t number = g.w->fault[i].number;
        world_rig_for(&g, SECONDS(4));
        ck_assert_uint_eq(g.w->history.at[number].a, kind);
        shown += world_rig_find(&g, number, trace[kind], PAGE_NONE) != NULL;
    }
    ck_assert_uint_ge(shown,
                      4); /* the rest: a page that was not visible anyway, no traffic just then */
}
END_TEST

START_TEST(an_older_version_speaks_an_older_protocol)
{
    static const enum fault_kind kind[] = { FAULT_OLD_VERSION, FAULT_ROLLBACK };
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    uint32_t i = world_rig_fault(&g, kind[_i], SECONDS(3));
    world_rig_for(&g, SECONDS(2));
    const struct obs *o = world_rig_find(&g, g.w->fault[i].number, OBS_PAGE_CREATED, PAGE_NONE);
    ck_assert_uint_eq(o->b, g.contract.protocol_version - 1);
    ck_assert(!(o->flags & PAGE_MAY_LEAD));
    world_rig_for(&g, SECONDS(3));
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_SECOND_DEVICE,
                          0); /* loaded afterwards: the contract's version */
    ck_assert_uint_eq(world_rig_find(&g, from, OBS_PAGE_CREATED, PAGE_NONE)->b,
                      g.contract.protocol_version);
}
END_TEST

/* An incident: the epoch advances and is reopened when it is over. */
START_TEST(an_epoch_that_advanced_is_reopened)
{
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    uint32_t from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_EPOCH_ADVANCE, SECONDS(3));
    const struct obs *epoch = world_rig_find(&g, from, OBS_LEDGER_EPOCH, PAGE_NONE);
    ck_assert_uint_eq(epoch->fence.epoch, 2);
    world_rig_for(&g, SECONDS(3) - 1);
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_LEDGER_CLAIMED, PAGE_NONE));
    world_rig_for(&g, SECONDS(3));
    const struct obs *reopened = world_rig_find(&g, from, OBS_LEDGER_REOPENED, PAGE_NONE);
    const struct obs *claimed = world_rig_find(&g, from, OBS_LEDGER_CLAIMED, PAGE_NONE);
    ck_assert_uint_lt(reopened->number, claimed->number);
    ck_assert_uint_eq(claimed->fence.epoch, 2);
}
END_TEST

/* ST-29: a cleared partition names itself anew; a cleared local ledger is a new incarnation. */
START_TEST(st29_clearing_site_data_makes_the_partition_another)
{
    if (_i) g.contract.authority = AUTHORITY_INDEXEDDB;
    world_rig_reset(&g, 1);
    uint16_t p = world_rig_leader(&g);
    uint32_t key = g.w->device[0].partition_key, from = world_rig_mark(&g);
    (void)world_rig_fault(&g, FAULT_CLEAR_DATA, 0);
    ck_assert_uint_ne(g.w->device[0].partition_key, key);
    ck_assert(page_alive(&g.w->page[p])); /* pages live on */
    world_rig_for(&g, SECONDS(5));
    if (!_i) return;
    const struct obs *claimed = world_rig_find(&g, from, OBS_LEDGER_CLAIMED, PAGE_NONE);
    ck_assert_uint_ne(claimed->fence.incarnation,
                      world_rig_find(&g, 0, OBS_LEDGER_CLAIMED, PAGE_NONE)->fence.incarnation);
}
END_TEST

START_TEST(a_quorum_whose_primary_is_cut_off_decides_elsewhere)
{
    g.scenario.layout[0] = LAYOUT_QUORUM;
    for (uint64_t seed = 0; seed < 5; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        uint8_t node = node_deciding(g.w);
        uint32_t i =
            world_rig_fault(&g, _i ? FAULT_NODE_FAILOVER : FAULT_NODE_PARTITION, SECONDS(9));
        ck_assert_uint_eq(g.w->fault[i].node, node);
        world_rig_for(&g, SECONDS(8));
        ck_assert_uint_ne(node_deciding(g.w), NODE_NONE);
        ck_assert_uint_ne(node_deciding(g.w), node);
        ck_assert_ptr_nonnull(
            world_rig_find_a(&g, g.w->fault[i].number, OBS_NODE_DECIDES, PAGE_NONE, 0));
        ck_assert_ptr_nonnull(
            world_rig_find_a(&g, g.w->fault[i].number, OBS_NODE_DECIDES, PAGE_NONE, 1));
    }
}
END_TEST

START_TEST(a_crashed_node_decides_nothing_until_it_is_up_again)
{
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    uint32_t i = world_rig_fault(&g, FAULT_NODE_CRASH, SECONDS(3)), from = g.w->fault[i].number;
    world_rig_for(&g, SECONDS(3) - 1);
    ck_assert_uint_eq(node_deciding(g.w), NODE_NONE);
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_REQUEST_ARRIVED, PAGE_NONE));
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_NODE_UP, PAGE_NONE));
    world_rig_for(&g, SECONDS(2));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_NODE_UP, PAGE_NONE));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_REQUEST_ARRIVED, PAGE_NONE));
    ck_assert_uint_eq(node_deciding(g.w), 0);
}
END_TEST

START_TEST(a_full_quota_refuses_the_users_operations_for_a_while)
{
    world_rig_reset(&g, 1);
    (void)world_rig_leader(&g);
    uint32_t i = world_rig_fault(&g, FAULT_QUOTA_FULL, SECONDS(3)), from = g.w->fault[i].number;
    world_rig_for(&g, SECONDS(3) - 1);
    ck_assert_uint_eq(world_rig_find(&g, from, OBS_STORAGE_FAULT, PAGE_NONE)->a, 2);
    ck_assert_ptr_null(world_rig_find(&g, from, OBS_LEDGER_ENQUEUED, PAGE_NONE));
    world_rig_for(&g, SECONDS(3));
    ck_assert_ptr_nonnull(
        world_rig_find(&g, from, OBS_LEDGER_ENQUEUED, PAGE_NONE)); /* tried again */
}
END_TEST

/* ---- sleep and clocks ------------------------------------------------------------ */

START_TEST(lc42_nothing_of_a_sleeping_device_runs)
{
    (void)world_rig_device(&g);
    g.scenario.operations = (struct count_range){ 20, 20 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        uint32_t i = world_rig_fault(&g, FAULT_SLEEP_DEVICE, SECONDS(4)), from = world_rig_mark(&g);
        uint8_t d = g.w->fault[i].device;
        uint64_t others = 0;
        world_rig_for(&g, SECONDS(4) - 1);
        for (uint32_t k = from; k < g.w->history.n; k++) {
            const struct obs *o = &g.w->history.at[k];
            if (o->page >= g.w->pages) continue;
            bool server = o->kind >= OBS_LEDGER_CLAIMED && o->kind < OBS_FAULT_BEGUN;
            others += g.w->page[o->page].device != d;
            if (!server && o->kind != OBS_LOCK_GRANTED)
                ck_assert_uint_ne(g.w->page[o->page].device, d);
        }
        ck_assert_uint_gt(others, 0); /* the other one lives on */
        from = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(2));
        ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_DEVICE_AWAKE, PAGE_NONE));
        uint64_t woke = 0;
        for (uint32_t k = from; k < g.w->history.n; k++) {
            uint16_t p = g.w->history.at[k].page;
            woke += p < g.w->pages && g.w->page[p].device == d;
        }
        ck_assert_uint_gt(woke, 0);
    }
}
END_TEST

/* What waited comes in its order when the device wakes. */
START_TEST(lc42_a_device_wakes_in_order)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        uint16_t p = world_rig_leader(&g), q = world_rig_waiter(&g, 0);
        for (uint32_t op = 1; op <= 6; op++) {
            world_rig_broadcast(&g, p, MSG_TASK, op);
            world_rig_for(&g, 20);
        }
        (void)world_rig_fault(&g, FAULT_SLEEP_DEVICE, SECONDS(4));
        world_rig_for(&g, SECONDS(4) - 1);
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 0);
        world_rig_for(&g, SECONDS(1));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 6);
        for (uint32_t k = 0; k < 6; k++)
            ck_assert_uint_eq(g.w->page[q].client.page.known[k], k + 1);
    }
}
END_TEST

START_TEST(lc42_the_monotonic_clock_stands_or_runs_on_in_sleep_and_never_goes_back)
{
    uint32_t stood = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        const struct device *d = &g.w->device[0];
        int64_t before = device_now(g.w, d).us, last = before;
        (void)world_rig_fault(&g, FAULT_SLEEP_DEVICE, SECONDS(10));
        for (int k = 0; k < 11; k++) {
            world_rig_for(&g, SECONDS(1));
            ck_assert_int_ge(device_now(g.w, d).us, last);
            last = device_now(g.w, d).us;
        }
        bool stands = last - before < SECONDS(2);
        if (!stands)
            ck_assert_int_gt(last - before, SECONDS(10));
        else
            ck_assert_int_gt(last - before, MS(900));
        stood += stands;
    }
    ck_assert_uint_gt(stood, 0);
    ck_assert_uint_lt(stood, SEEDS);
}
END_TEST

START_TEST(clocks_run_at_rates_of_their_own)
{
    bool differ = false;
    (void)world_rig_device(&g);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        int64_t a = device_now(g.w, &g.w->device[0]).us, b = device_now(g.w, &g.w->device[1]).us;
        world_rig_for(&g, SECONDS(10));
        int64_t da = device_now(g.w, &g.w->device[0]).us - a,
                db = device_now(g.w, &g.w->device[1]).us - b;
        ck_assert_int_eq(da, SECONDS(10) + 10 * g.w->device[0].ppm);
        ck_assert_int_eq(db, SECONDS(10) + 10 * g.w->device[1].ppm);
        differ |= da != db;
        ck_assert_int_ne(a, b); /* nor do they start at one number */
        ck_assert_int_eq((int32_t)world_rig_find(&g, 0, OBS_DEVICE_CLOCK, PAGE_NONE)->a,
                         g.w->device[0].ppm);
    }
    ck_assert(differ);
}
END_TEST

START_TEST(a_skew_changes_the_rate_and_not_the_reading)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        int64_t before = device_now(g.w, &g.w->device[0]).us;
        (void)world_rig_fault(&g, FAULT_CLOCK_SKEW, SECONDS(5));
        ck_assert_int_eq(device_now(g.w, &g.w->device[0]).us, before);
        int32_t ppm = g.w->device[0].ppm;
        world_rig_for(&g, SECONDS(2));
        ck_assert_int_eq(device_now(g.w, &g.w->device[0]).us - before, SECONDS(2) + 2 * ppm);
        world_rig_for(&g, SECONDS(4));
        ck_assert_int_le(g.w->device[0].ppm < 0 ? -g.w->device[0].ppm : g.w->device[0].ppm, 200);
    }
}
END_TEST

START_TEST(a_jump_is_of_the_wall_clock_alone)
{
    bool forth = false, back = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_rig_reset(&g, seed);
        (void)world_rig_leader(&g);
        int64_t before = device_now(g.w, &g.w->device[0]).us, wall = g.w->device[0].wall_offset_us;
        uint32_t from = world_rig_mark(&g);
        (void)world_rig_fault(&g, FAULT_CLOCK_JUMP, 0);
        ck_assert_int_eq(device_now(g.w, &g.w->device[0]).us, before);
        int64_t jump = g.w->device[0].wall_offset_us - wall;
        ck_assert_int_eq((int32_t)world_rig_find(&g, from, OBS_DEVICE_CLOCK, PAGE_NONE)->b,
                         jump / US_PER_MS);
        forth |= jump > 0;
        back |= jump < 0;
    }
    ck_assert(forth);
    ck_assert(back);
}
END_TEST

/* ---- healing --------------------------------------------------------------------- */

/* Harm to single pages may stay for good; everything else is put right. */
static bool may_stay(enum fault_kind k)
{
    switch (k) {
    case FAULT_FREEZE_HOLDER:
    case FAULT_FREEZE_ABRUPT:
    case FAULT_FREEZE_WAITER:
    case FAULT_BFCACHE_HOLDER:
    case FAULT_BFCACHE_WAITER:
    case FAULT_BFCACHE_STARVE:
    case FAULT_DISCARD:
    case FAULT_DEAF_TAB: return true;
    default: return false;
    }
}

START_TEST(healing_ends_what_lasts_and_nothing_begins_after_it)
{
    enum fault_kind kind = (enum fault_kind)_i;
    struct fault_plan *p = plan(kind);
    p->always = true;
    p->lasts = (struct span_range){ SECONDS(60), SECONDS(60) }; /* longer than the round */
    g.scenario.duration = (struct span_range){ SECONDS(8), SECONDS(8) };
    if (kind == FAULT_NODE_PARTITION || kind == FAULT_NODE_FAILOVER)
        g.scenario.layout[0] = LAYOUT_QUORUM;
    for (uint64_t seed = 0; seed < 4; seed++) {
        (void)play(seed);
        const struct obs *healed = world_rig_find(&g, 0, OBS_ROUND_HEALED, PAGE_NONE);
        ck_assert_ptr_null(world_rig_find(&g, healed->number, OBS_FAULT_BEGUN, PAGE_NONE));
        if (fault_info[kind].lasts && !may_stay(kind) && begun(kind) > 0)
            ck_assert_int_ge(world_rig_find(&g, 0, OBS_FAULT_ENDED, PAGE_NONE)->at.us, SECONDS(8));
        const struct device *d = &g.w->device[0];
        ck_assert(!d->asleep && !d->locks_refused && !d->quota_full && !d->rolled_back);
        ck_assert(!d->channel_drop && d->channel_delay_us == 0 && !d->late && !d->doubled);
        ck_assert(!g.w->provider_down && !g.w->provider_silent && g.w->provider_slow_us == 0);
        for (uint32_t n = 0; n < g.w->nodes; n++)
            ck_assert(d->cut[n] == 0 && g.w->node_cut[n] == 0 && g.w->node[n].up);
        ck_assert_uint_ne(node_deciding(g.w), NODE_NONE);
        for (uint32_t k = 0; k < g.w->foreigns; k++)
            ck_assert(g.w->foreign[k].gone || g.w->foreign[k].leaving);
    }
}
END_TEST

START_TEST(some_harm_to_single_pages_stays_in_some_rounds)
{
    struct fault_plan *p = plan(FAULT_DEAF_TAB);
    p->always = true;
    p->lasts = (struct span_range){ SECONDS(60), SECONDS(60) };
    uint32_t stayed = 0;
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        (void)play(seed);
        stayed += world_rig_count(&g, 0, OBS_FAULT_ENDED, PAGE_NONE) == 0;
    }
    ck_assert_uint_gt(stayed, 0);
    ck_assert_uint_lt(stayed, 3 * SEEDS);
}
END_TEST

Suite *world_fault_suite(void)
{
    Suite *s = suite_create("world_fault");
    TCase *t = tcase_create("world_fault");
    tcase_add_checked_fixture(t, open_rig, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, without_planned_faults_none_happens);
    tcase_add_test(t, what_is_to_happen_always_does_so_once_a_round_before_the_healing);
    tcase_add_test(t, as_many_faults_are_drawn_as_the_scenario_says);
    tcase_add_test(t, swarm_leaves_out_whole_classes);
    tcase_add_test(t, a_fault_lasts_as_long_as_its_plan_allows);
    tcase_add_loop_test(t, faults_of_nodes_need_nodes, 0, 2);
    tcase_add_loop_test(t, an_aimed_fault_waits_for_its_phase, 0, 7);
    tcase_add_test(t, an_aim_that_finds_no_such_phase_is_given_up_in_time);
    tcase_add_test(t, an_unaimed_fault_waits_for_nothing);
    tcase_add_test(t, a_fault_on_the_holder_hits_it_and_one_on_a_waiter_another);
    tcase_add_test(t, a_fault_without_anybody_to_hit_waits_for_one);
    tcase_add_test(t, the_second_device_is_another_than_the_leaders);
    tcase_add_loop_test(t, each_fault_leaves_its_trace_in_the_history, 0, FAULT_COUNT);
    tcase_add_loop_test(t, an_older_version_speaks_an_older_protocol, 0, 2);
    tcase_add_test(t, an_epoch_that_advanced_is_reopened);
    tcase_add_loop_test(t, st29_clearing_site_data_makes_the_partition_another, 0, 2);
    tcase_add_loop_test(t, a_quorum_whose_primary_is_cut_off_decides_elsewhere, 0, 2);
    tcase_add_test(t, a_crashed_node_decides_nothing_until_it_is_up_again);
    tcase_add_test(t, a_full_quota_refuses_the_users_operations_for_a_while);
    tcase_add_test(t, lc42_nothing_of_a_sleeping_device_runs);
    tcase_add_test(t, lc42_a_device_wakes_in_order);
    tcase_add_test(t, lc42_the_monotonic_clock_stands_or_runs_on_in_sleep_and_never_goes_back);
    tcase_add_test(t, clocks_run_at_rates_of_their_own);
    tcase_add_test(t, a_skew_changes_the_rate_and_not_the_reading);
    tcase_add_test(t, a_jump_is_of_the_wall_clock_alone);
    tcase_add_loop_test(t, healing_ends_what_lasts_and_nothing_begins_after_it, 0, FAULT_COUNT);
    tcase_add_test(t, some_harm_to_single_pages_stays_in_some_rounds);
    suite_add_tcase(s, t);
    return s;
}
