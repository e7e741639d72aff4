/* What crosses a network: requests and answers that are lost, late, doubled or cut off, push
 * streams, broadcasts, the ledger inside the device. Each test names its rule of
 * facts/browser-semantics.md. */
#include <check.h>

#include "sim/world_rig.h"

Suite *world_net_suite(void);

#define SEEDS 12
#define NOT_THE_CLIENTS 0x7FFFFFFFu /* a request that the page itself knows nothing of */

static struct world_rig g;

static void open_rig(void)
{
    world_rig_open(&g, PROFILE_CHROMIUM, 3);
    g.contract.lease.ttl_us = SECONDS(20);
}
static void close_rig(void)
{
    world_rig_close(&g);
}

static uint16_t led(uint64_t seed)
{
    world_rig_reset(&g, seed);
    return world_rig_leader(&g);
}

/* A question of the page that changes nothing; its number in the round. */
static uint32_t ask(uint16_t p)
{
    struct request r = { .id = world_id(g.w, NOT_THE_CLIENTS),
                         .kind = REQ_STATUS,
                         .page = p,
                         .device = g.w->page[p].device };
    net_send(g.w, p, &r, 0);
    return r.id;
}

/* An operation that did not exist before, handed over by the page. */
static uint32_t submit(uint16_t p, uint32_t op)
{
    struct request r = { .id = world_id(g.w, NOT_THE_CLIENTS),
                         .kind = REQ_SUBMIT,
                         .page = p,
                         .device = g.w->page[p].device,
                         .op = op };
    net_send(g.w, p, &r, 0);
    return r.id;
}

static const struct obs *seen(enum obs_kind kind, uint32_t request)
{
    return world_rig_find_request(&g, 0, kind, request);
}

static uint32_t times(enum obs_kind kind, uint32_t request)
{
    uint32_t n = 0;
    for (const struct obs *o = seen(kind, request); o;
         o = world_rig_find_request(&g, o->number + 1, kind, request))
        n++;
    return n;
}

/* ---- requests and answers -------------------------------------------------------- */

START_TEST(a_request_arrives_is_answered_and_each_takes_time)
{
    uint32_t answered = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t r = ask(p);
        world_rig_for(&g, SECONDS(1));
        if (!seen(OBS_ANSWER_HANDLED, r)) { /* the network itself loses one in thousands */
            ck_assert(seen(OBS_REQUEST_LOST, r) || seen(OBS_ANSWER_LOST, r));
            continue;
        }
        answered++;
        ck_assert_int_lt(seen(OBS_REQUEST_ISSUED, r)->at.us, seen(OBS_REQUEST_ARRIVED, r)->at.us);
        ck_assert_int_lt(seen(OBS_REQUEST_ARRIVED, r)->at.us, seen(OBS_ANSWER_HANDLED, r)->at.us);
        ck_assert_uint_eq(seen(OBS_REQUEST_ARRIVED, r)->cause, seen(OBS_REQUEST_ISSUED, r)->number);
    }
    ck_assert_uint_ge(answered, SEEDS - 1);
}
END_TEST

START_TEST(fx4_an_answer_can_be_lost_after_the_server_acted)
{
    uint32_t heard = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        g.w->device[0].lost_answers = 1u << REQ_SUBMIT;
        uint32_t r = submit(p, 7);
        world_rig_for(&g, SECONDS(1));
        if (seen(OBS_REQUEST_LOST, r)) continue;
        ck_assert_ptr_nonnull(world_rig_find_request(&g, 0, OBS_LEDGER_ENQUEUED, r)); /* it acted */
        ck_assert_ptr_nonnull(seen(OBS_ANSWER_LOST, r));
        ck_assert_ptr_null(seen(OBS_ANSWER_HANDLED, r));
        uint32_t again = submit(p, 8); /* one answer only */
        world_rig_for(&g, SECONDS(1));
        heard += seen(OBS_ANSWER_HANDLED, again) != NULL;
    }
    ck_assert_uint_ge(heard, SEEDS - 1); /* but for the network's own losses */
}
END_TEST

START_TEST(fx6_the_request_of_a_page_that_died_still_arrives)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t r = submit(p, 7);
        page_crash(g.w, p, OBS_PAGE_CRASHED);
        world_rig_for(&g, SECONDS(1));
        if (seen(OBS_REQUEST_LOST, r)) continue;
        ck_assert_uint_gt(seen(OBS_REQUEST_ARRIVED, r)->number,
                          world_rig_find(&g, 0, OBS_PAGE_CRASHED, p)->number);
        ck_assert_ptr_nonnull(world_rig_find_request(&g, 0, OBS_LEDGER_ENQUEUED, r));
        ck_assert_ptr_null(seen(OBS_ANSWER_HANDLED, r)); /* nobody is there to hear it */
    }
}
END_TEST

/* ---- cuts ------------------------------------------------------------------------ */

static uint32_t cut(enum fault_kind kind, int64_t us)
{
    uint32_t i = world_rig_fault(&g, kind, us);
    ck_assert_ptr_nonnull(world_rig_find(&g, 0, OBS_LINK_CUT, PAGE_NONE));
    return g.w->fault[i].number;
}

static void push_to(uint16_t p)
{
    struct push push = { .kind = PUSH_LED, .fence = { 1, 1, 999 } };
    net_push_one(g.w, &push, p, 0, OBS_NONE);
}

static bool heard_push(uint16_t p)
{
    const struct obs *o = world_rig_find(&g, 0, OBS_PUSH_HANDLED, p);
    while (o && o->fence.generation != 999)
        o = world_rig_find(&g, o->number + 1, OBS_PUSH_HANDLED, p);
    return o != NULL;
}

START_TEST(cut_up_loses_requests_and_lets_pushes_arrive)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t fault = cut(FAULT_CUT_UP, SECONDS(3)), r = ask(p);
        push_to(p);
        world_rig_for(&g, SECONDS(2));
        ck_assert_uint_eq(seen(OBS_REQUEST_LOST, r)->cause, fault);
        ck_assert_ptr_null(seen(OBS_REQUEST_ARRIVED, r));
        ck_assert(heard_push(p));
        ck_assert_uint_eq(world_rig_find(&g, 0, OBS_LINK_CUT, PAGE_NONE)->a, 1);
    }
}
END_TEST

START_TEST(cut_down_lets_requests_arrive_and_loses_answers_and_pushes)
{
    uint32_t arrived = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t fault = cut(FAULT_CUT_DOWN, SECONDS(3)), r = submit(p, 7);
        push_to(p);
        world_rig_for(&g, SECONDS(2));
        ck_assert(!heard_push(p));
        ck_assert_ptr_null(seen(OBS_ANSWER_HANDLED, r));
        ck_assert_uint_eq(world_rig_find(&g, 0, OBS_LINK_CUT, PAGE_NONE)->a, 2);
        if (seen(OBS_REQUEST_LOST, r)) continue;
        ck_assert_ptr_nonnull(world_rig_find_request(&g, 0, OBS_LEDGER_ENQUEUED, r));
        ck_assert_uint_eq(seen(OBS_ANSWER_LOST, r)->cause, fault);
        arrived++;
    }
    ck_assert_uint_ge(arrived, SEEDS - 1);
}
END_TEST

START_TEST(cut_off_loses_both_until_it_heals)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        (void)cut(FAULT_CUT_SERVER, SECONDS(3));
        uint32_t r = ask(p), from = world_rig_mark(&g);
        push_to(p);
        world_rig_for(&g, SECONDS(3) - 1);
        ck_assert_ptr_nonnull(seen(OBS_REQUEST_LOST, r));
        ck_assert(!heard_push(p));
        ck_assert_ptr_null(world_rig_find(&g, from, OBS_LINK_HEALED, PAGE_NONE));
        world_rig_for(&g, MS(10));
        ck_assert_uint_eq(world_rig_find(&g, from, OBS_LINK_HEALED, PAGE_NONE)->a, 3);
        uint32_t again = ask(p);
        world_rig_for(&g, SECONDS(1));
        ck_assert(!seen(OBS_REQUEST_LOST, again) || seen(OBS_REQUEST_LOST, again)->cause != r);
        if (!seen(OBS_REQUEST_LOST, again)) ck_assert_ptr_nonnull(seen(OBS_REQUEST_ARRIVED, again));
    }
}
END_TEST

START_TEST(a_cut_concerns_one_device_and_not_the_provider)
{
    (void)world_rig_device(&g);
    uint32_t reached = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        (void)led(seed);
        uint32_t i = world_rig_fault(&g, FAULT_CUT_SERVER, SECONDS(3));
        uint8_t d = g.w->fault[i].device;
        uint16_t here = PAGE_NONE, there = PAGE_NONE;
        for (uint16_t n = 0; n < g.w->pages; n++)
            if (g.w->page[n].device == d)
                here = n;
            else
                there = n;
        struct request r = { .id = world_id(g.w, NOT_THE_CLIENTS),
                             .kind = REQ_OUTCOME,
                             .page = here,
                             .device = d,
                             .op = 1,
                             .key = 1 };
        net_send(g.w, here, &r, 0);
        uint32_t other = ask(there);
        world_rig_for(&g, SECONDS(1));
        reached += seen(OBS_ANSWER_HANDLED, r.id) && seen(OBS_ANSWER_HANDLED, other);
    }
    ck_assert_uint_ge(reached, SEEDS - 1);
}
END_TEST

/* ---- late and doubled ------------------------------------------------------------ */

START_TEST(fx1_a_late_request_arrives_seconds_late_once)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        g.w->device[0].late = 1;
        g.w->device[0].late_kind = REQ_STATUS;
        uint32_t r = ask(p), on_time = ask(p);
        world_rig_for(&g, SECONDS(10));
        if (seen(OBS_REQUEST_LOST, r)) continue;
        ck_assert_int_ge(seen(OBS_REQUEST_ARRIVED, r)->at.us - seen(OBS_REQUEST_ISSUED, r)->at.us,
                         SECONDS(1));
        if (!seen(OBS_REQUEST_LOST, on_time))
            ck_assert_int_lt(seen(OBS_REQUEST_ARRIVED, on_time)->at.us,
                             seen(OBS_REQUEST_ARRIVED, r)->at.us);
    }
}
END_TEST

START_TEST(fx4_a_doubled_request_arrives_twice_and_the_next_once)
{
    uint32_t twice = 0, once = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        g.w->device[0].doubled = 1;
        g.w->device[0].doubled_kind = REQ_SUBMIT;
        uint32_t r = submit(p, 7), next = submit(p, 8);
        world_rig_for(&g, SECONDS(2));
        twice += times(OBS_REQUEST_ARRIVED, r) == 2;
        once += times(OBS_REQUEST_ARRIVED, next) == 1;
        ck_assert_uint_le(times(OBS_LEDGER_ENQUEUED, r), 1); /* idempotent by operation id */
    }
    ck_assert_uint_ge(twice, SEEDS - 1);
    ck_assert_uint_ge(once, SEEDS - 1);
}
END_TEST

START_TEST(a_node_that_is_down_hears_nothing)
{
    uint16_t p = led(1);
    (void)world_rig_fault(&g, FAULT_NODE_CRASH, SECONDS(3));
    uint32_t r = ask(p);
    world_rig_for(&g, SECONDS(2));
    ck_assert_ptr_nonnull(seen(OBS_REQUEST_LOST, r));
    ck_assert_ptr_null(seen(OBS_REQUEST_ARRIVED, r));
}
END_TEST

/* ---- provider -------------------------------------------------------------------- */

static uint32_t effect(uint16_t p, uint32_t op)
{
    struct request r = { .id = world_id(g.w, NOT_THE_CLIENTS),
                         .kind = REQ_EFFECT,
                         .page = p,
                         .device = 0,
                         .op = op,
                         .key = op };
    net_send(g.w, p, &r, 0);
    return r.id;
}

START_TEST(a_provider_that_is_down_does_nothing_and_one_that_is_silent_acts)
{
    static const enum fault_kind kind[] = { FAULT_PROVIDER_DOWN, FAULT_PROVIDER_SILENT };
    uint32_t acted = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        uint32_t fault = g.w->fault[world_rig_fault(&g, kind[_i], SECONDS(3))].number;
        uint32_t r = effect(p, 5);
        world_rig_for(&g, SECONDS(2));
        ck_assert_ptr_null(seen(OBS_ANSWER_HANDLED, r));
        acted += seen(OBS_EFFECT_EXECUTED, r) != NULL;
        if (_i == 0)
            ck_assert_uint_eq(seen(OBS_REQUEST_LOST, r)->cause, fault);
        else if (seen(OBS_EFFECT_EXECUTED, r))
            ck_assert_uint_eq(seen(OBS_ANSWER_LOST, r)->cause, fault);
    }
    if (_i == 0)
        ck_assert_uint_eq(acted, 0);
    else
        ck_assert_uint_ge(acted, SEEDS - 1);
}
END_TEST

START_TEST(a_slow_provider_answers_so_much_later)
{
    uint32_t slow = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        (void)world_rig_fault(&g, FAULT_PROVIDER_SLOW, SECONDS(9));
        uint32_t r = effect(p, 5);
        int64_t sent = g.w->now.us, later = g.w->provider_slow_us;
        ck_assert_int_gt(later, 0);
        world_rig_for(&g, SECONDS(15));
        const struct obs *o = seen(OBS_ANSWER_HANDLED, r);
        if (o) ck_assert_int_ge(o->at.us - sent, later);
        slow += o != NULL;
    }
    ck_assert_uint_ge(slow, SEEDS - 1);
}
END_TEST

/* ---- push streams ---------------------------------------------------------------- */

START_TEST(every_page_has_a_stream_and_it_ends_with_the_page)
{
    (void)led(1);
    for (uint32_t n = 0; n < g.w->pages; n++) ck_assert(g.w->page[n].connected);
    page_crash(g.w, 0, OBS_PAGE_CRASHED);
    ck_assert(!g.w->page[0].connected);
    world_rig_for(&g, SECONDS(2));
    ck_assert(!g.w->page[0].connected);
}
END_TEST

START_TEST(a_stream_that_a_cut_broke_is_opened_again_after_it)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        (void)led(seed);
        (void)cut(FAULT_CUT_SERVER, SECONDS(3));
        for (uint32_t n = 0; n < g.w->pages; n++) ck_assert(!g.w->page[n].connected);
        world_rig_for(&g, SECONDS(3) - 1);
        for (uint32_t n = 0; n < g.w->pages; n++) ck_assert(!g.w->page[n].connected);
        world_rig_for(&g, SECONDS(1));
        for (uint32_t n = 0; n < g.w->pages; n++) ck_assert(g.w->page[n].connected);
    }
}
END_TEST

START_TEST(a_stream_that_is_opened_tells_how_things_stand)
{
    g.contract.lease.ttl_us = SECONDS(1);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed);
        (void)cut(FAULT_CUT_SERVER, SECONDS(4)); /* meanwhile the lease runs out */
        uint32_t from = world_rig_mark(&g);
        world_rig_for(&g, SECONDS(4) + MS(900));
        const struct obs *o = world_rig_find(&g, from, OBS_PUSH_HANDLED, PAGE_NONE);
        ck_assert_ptr_nonnull(o);
        ck_assert(o->a == PUSH_EXPIRED || o->a == PUSH_VACANT);
        ck_assert_int_ge(o->at.us, g.w->history.at[from].at.us);
        (void)p;
    }
}
END_TEST

/* ---- BroadcastChannel ------------------------------------------------------------ */

START_TEST(st2_a_message_goes_to_the_other_pages_of_the_partition)
{
    uint8_t d = world_rig_device(&g);
    (void)led(1);
    uint16_t from = 0;
    while (g.w->page[from].device != 0) from++;
    world_rig_broadcast(&g, from, MSG_TASK, 9);
    world_rig_for(&g, MS(200));
    for (uint16_t n = 0; n < g.w->pages; n++) {
        bool hears = n != from && g.w->page[n].device == 0;
        ck_assert_uint_eq(g.w->page[n].client.page.known_n, hears);
    }
    ck_assert_uint_eq(d, 1);
}
END_TEST

START_TEST(st5_messages_of_one_sender_keep_their_order)
{
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        for (uint32_t op = 1; op <= 8; op++) world_rig_broadcast(&g, p, MSG_TASK, op);
        world_rig_for(&g, MS(300));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 8);
        for (uint32_t i = 0; i < 8; i++)
            ck_assert_uint_eq(g.w->page[q].client.page.known[i], i + 1);
    }
}
END_TEST

START_TEST(st7_a_message_to_a_page_that_is_not_there_is_for_nobody)
{
    uint16_t p = led(1), q = world_rig_waiter(&g, 0);
    world_rig_broadcast(&g, p, MSG_TASK, 9);
    page_crash(g.w, q, OBS_PAGE_CRASHED);
    uint16_t tab = g.w->page[q].tab;
    tab_load(g.w, tab, 0);
    world_rig_for(&g, MS(300));
    ck_assert_uint_eq(g.w->page[g.w->tab[tab].page].client.page.known_n, 0); /* no buffering */
}
END_TEST

START_TEST(a_deaf_tab_hears_nothing_and_its_locks_work)
{
    uint16_t p = led(1);
    uint32_t i = world_rig_fault(&g, FAULT_DEAF_TAB, SECONDS(3));
    uint16_t deaf = g.w->fault[i].page;
    uint32_t from = world_rig_mark(&g);
    world_rig_broadcast(&g, p, MSG_TASK, 9);
    world_rig_for(&g, MS(300));
    ck_assert_uint_eq(g.w->page[deaf].client.page.known_n, 0);
    ck_assert_uint_eq(world_rig_find(&g, from, OBS_CHANNEL_FAULT, deaf)->a, 2);
    page_crash(g.w, p, OBS_PAGE_CRASHED);
    world_rig_for(&g, SECONDS(1));
    ck_assert_ptr_nonnull(world_rig_find(&g, from, OBS_LOCK_CALLBACK, deaf));
    world_rig_for(&g, SECONDS(3));
    world_rig_broadcast(&g, world_rig_waiter(&g, 0), MSG_TASK, 10);
    world_rig_for(&g, MS(300));
    ck_assert_uint_ge(g.w->page[deaf].client.page.known_n, 1); /* its ears are back */
}
END_TEST

START_TEST(dropped_and_delayed_messages_are_so_for_a_while)
{
    static const enum fault_kind kind[] = { FAULT_DROP_HEARTBEATS, FAULT_DELAY_HEARTBEATS };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint16_t p = led(seed), q = world_rig_waiter(&g, 0);
        (void)world_rig_fault(&g, kind[_i], SECONDS(3));
        uint32_t from = world_rig_mark(&g);
        world_rig_broadcast(&g, p, MSG_TASK, 9);
        world_rig_for(&g, SECONDS(1));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, 0);
        ck_assert_uint_eq(world_rig_find(&g, from, OBS_CHANNEL_FAULT, q)->a, _i ? 1 : 2);
        world_rig_for(&g, SECONDS(10));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, _i ? 1 : 0);
        world_rig_broadcast(&g, p, MSG_TASK, 10);
        world_rig_for(&g, MS(300));
        ck_assert_uint_eq(g.w->page[q].client.page.known_n, _i ? 2 : 1);
    }
}
END_TEST

/* ---- the ledger inside the device ------------------------------------------------ */

START_TEST(a_local_ledger_is_asked_without_a_network)
{
    g.contract.authority = AUTHORITY_INDEXEDDB;
    (void)world_rig_device(&g);
    world_rig_reset(&g, 1);
    world_rig_for(&g, SECONDS(2));
    for (uint32_t d = 0; d < 2; d++) g.w->device[d].cut[0] = 3;
    world_rig_for(&g, SECONDS(20));
    uint32_t leaders = 0;
    for (uint16_t n = 0; n < g.w->pages; n++) leaders += world_rig_leads(&g, n);
    ck_assert_uint_eq(leaders, 2); /* one for each device: an authority for its own data only */
    ck_assert_ptr_null(world_rig_find(&g, 0, OBS_REQUEST_LOST, PAGE_NONE));
    const struct obs *o = world_rig_find(&g, 0, OBS_LEDGER_CLAIMED, PAGE_NONE);
    for (; o; o = world_rig_find(&g, o->number + 1, OBS_LEDGER_CLAIMED, PAGE_NONE))
        ck_assert_uint_eq(o->node, 16u + g.w->page[o->page].device);
}
END_TEST

/* Where no page can lead the server's own worker drains; it meets the same provider. */
START_TEST(the_servers_worker_gets_nothing_from_a_provider_that_is_down_and_tries_again)
{
    g.scenario.device[0].without_locks_percent = 100;
    g.scenario.operations = (struct count_range){ 20, 20 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        world_rig_reset(&g, seed);
        g.w->provider_down = true;
        const struct obs *sent = NULL;
        for (int k = 0; !sent && k < 300; k++) {
            world_rig_for(&g, SECONDS(1));
            sent = world_rig_find_a(&g, 0, OBS_REQUEST_ISSUED, PAGE_SERVER, REQ_EFFECT);
        }
        ck_assert_ptr_nonnull(sent);
        world_rig_for(&g, SECONDS(5));
        ck_assert_ptr_null(world_rig_find(&g, 0, OBS_EFFECT_EXECUTED, PAGE_NONE));
        g.w->provider_down = false;
        world_rig_for(&g, SECONDS(5));
        ck_assert_ptr_nonnull(world_rig_find(&g, 0, OBS_EFFECT_EXECUTED, PAGE_SERVER));
    }
}
END_TEST

Suite *world_net_suite(void)
{
    Suite *s = suite_create("world_net");
    TCase *t = tcase_create("world_net");
    tcase_add_checked_fixture(t, open_rig, close_rig);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_request_arrives_is_answered_and_each_takes_time);
    tcase_add_test(t, fx4_an_answer_can_be_lost_after_the_server_acted);
    tcase_add_test(t, fx6_the_request_of_a_page_that_died_still_arrives);
    tcase_add_test(t, cut_up_loses_requests_and_lets_pushes_arrive);
    tcase_add_test(t, cut_down_lets_requests_arrive_and_loses_answers_and_pushes);
    tcase_add_test(t, cut_off_loses_both_until_it_heals);
    tcase_add_test(t, a_cut_concerns_one_device_and_not_the_provider);
    tcase_add_test(t, fx1_a_late_request_arrives_seconds_late_once);
    tcase_add_test(t, fx4_a_doubled_request_arrives_twice_and_the_next_once);
    tcase_add_test(t, a_node_that_is_down_hears_nothing);
    tcase_add_loop_test(t, a_provider_that_is_down_does_nothing_and_one_that_is_silent_acts, 0, 2);
    tcase_add_test(t, a_slow_provider_answers_so_much_later);
    tcase_add_test(t, every_page_has_a_stream_and_it_ends_with_the_page);
    tcase_add_test(t, a_stream_that_a_cut_broke_is_opened_again_after_it);
    tcase_add_test(t, a_stream_that_is_opened_tells_how_things_stand);
    tcase_add_test(t, st2_a_message_goes_to_the_other_pages_of_the_partition);
    tcase_add_test(t, st5_messages_of_one_sender_keep_their_order);
    tcase_add_test(t, st7_a_message_to_a_page_that_is_not_there_is_for_nobody);
    tcase_add_test(t, a_deaf_tab_hears_nothing_and_its_locks_work);
    tcase_add_loop_test(t, dropped_and_delayed_messages_are_so_for_a_while, 0, 2);
    tcase_add_test(t, a_local_ledger_is_asked_without_a_network);
    tcase_add_test(t, the_servers_worker_gets_nothing_from_a_provider_that_is_down_and_tries_again);
    suite_add_tcase(s, t);
    return s;
}
