/* The facts that state.h promises, one claim a test. */
#include "oracle/builder.h"
#include "oracle/state.h"

static struct story b;
static struct state s;

static void setup(void)
{
    story_open(&b);
    state_open(&s, &b.arena, STORY_PAGES, STORY_OPS);
}

static void teardown(void)
{
    story_close(&b);
}

/* The facts after everything that was said. */
static struct state *facts(void)
{
    state_reset(&s, &b.contract);
    for (uint32_t i = 0; i < b.n; i++) state_step(&s, &b.at[i]);
    return &s;
}

static const struct page_facts *page(uint16_t id)
{
    return state_page(facts(), id);
}

START_TEST(a_page_lives_through_its_observations)
{
    story_page(&b, 0);
    ck_assert(page(0)->alive && page(0)->visible && page(0)->locks && page(0)->eligible);
    SAY(&b, PAGE_HIDDEN, .page = 0);
    ck_assert(!page(0)->visible && page(0)->hidden_by == 1 && page(0)->eligible);
    SAY(&b, PAGE_VISIBLE, .page = 0);
    ck_assert(page(0)->visible);
    SAY(&b, PAGE_BLOCKED, .page = 0, .b = 5);
    ck_assert(page(0)->blocked && page(0)->eligible);
    SAY(&b, PAGE_UNBLOCKED, .page = 0);
    ck_assert(!page(0)->blocked);
    SAY(&b, PAGE_LOCKS, .page = 0, .a = 0);
    ck_assert(!page(0)->locks && !page(0)->eligible);
    SAY(&b, PAGE_LOCKS, .page = 0, .a = 1);
    ck_assert(page(0)->eligible);
    SAY(&b, PAGE_CLOSED, .page = 0);
    ck_assert(!page(0)->alive && page(0)->gone == b.n - 1 && facts()->eligible == 0);
}
END_TEST

START_TEST(frozen_and_cached_are_kept_apart_and_restoring_ends_both)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CACHED, .page = 0);
    SAY(&b, PAGE_FROZEN, .page = 0);
    SAY(&b, PAGE_CACHED, .page = 0);
    ck_assert(page(0)->frozen && page(0)->cached && !page(0)->eligible);
    SAY(&b, PAGE_RESUMED, .page = 0);
    ck_assert(!page(0)->frozen && page(0)->cached && !page(0)->eligible);
    SAY(&b, PAGE_RESTORED, .page = 0);
    ck_assert(page(0)->eligible);
}
END_TEST

START_TEST(a_document_is_created_once)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 0, .flags = 0);
    ck_assert(page(0)->visible && page(0)->eligible);
}
END_TEST

START_TEST(eligible_pages_are_counted_by_partition)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .device = 1, .partition = 2, .flags = PAGE_IS_ABLE, .b = 3);
    ck_assert_uint_eq(facts()->eligible, 2);
    ck_assert_uint_eq(s.partition[2].eligible, 1);
    SAY(&b, DEVICE_ASLEEP, .device = 1);
    ck_assert_uint_eq(facts()->eligible, 1);
    ck_assert_uint_eq(s.partition[2].eligible, 0);
    SAY(&b, DEVICE_AWAKE, .device = 1);
    ck_assert_uint_eq(facts()->eligible, 2);
}
END_TEST

START_TEST(what_has_no_page_changes_no_page)
{
    SAY(&b, PAGE_HIDDEN, .page = PAGE_NONE);
    SAY(&b, PAGE_HIDDEN, .page = PAGE_SERVER);
    SAY(&b, PUSH_HANDLED, .page = PAGE_NONE);
    SAY(&b, FAULT_BEGUN, .op = 1, .a = 1, .page = PAGE_NONE);
    ck_assert_uint_eq(facts()->lost, 0);
    ck_assert_uint_eq(s.pages, 0);
}
END_TEST

START_TEST(a_node_counts_when_it_is_up_decides_and_both_directions_are_open)
{
    story_page(&b, 0);
    ck_assert(facts()->device[0].reaches);
    SAY(&b, LINK_CUT, .device = 0, .node = 0, .a = 2);
    ck_assert(!facts()->device[0].reaches);
    ck_assert(!page(0)->eligible);
    SAY(&b, NODE_DECIDES, .node = 1, .a = 1);
    ck_assert(facts()->device[0].reaches);
    SAY(&b, NODE_DOWN, .node = 1);
    ck_assert(!facts()->device[0].reaches);
    SAY(&b, LINK_HEALED, .device = 0, .node = 0, .a = 1);
    ck_assert(!facts()->device[0].reaches);
    SAY(&b, LINK_HEALED, .device = 0, .node = 0, .a = 2);
    ck_assert(page(0)->eligible);
    SAY(&b, NODE_DECIDES, .node = 0, .a = 0);
    ck_assert(!page(0)->eligible);
    SAY(&b, LINK_CUT, .device = 0, .node = 5, .a = 3);
    ck_assert_uint_eq(facts()->nodes, 6);
}
END_TEST

START_TEST(a_lease_ends_by_the_pages_own_clock)
{
    story_page(&b, 0);
    SAY(&b, PAGE_CREATED, .page = 1, .device = 1, .flags = PAGE_IS_ABLE);
    story_claim(&b, 0, F(1));
    int64_t begun = b.now.us;
    story_wait_ms(&b, 100);
    ck_assert_int_eq(state_lease_end(facts(), page(0), &page(0)->lease[0]).us, begun + 1000000);
    SAY(&b, DEVICE_CLOCK, .device = 0, .a = 1000000); /* twice as fast from now on */
    ck_assert_int_eq(state_lease_end(facts(), page(0), &page(0)->lease[0]).us, begun + 550000);
    SAY(&b, DEVICE_CLOCK, .device = 0, .a = (uint32_t)-2000000);
    ck_assert_int_eq(facts()->device[0].clock_ppm, -999999);
}
END_TEST

START_TEST(requests_remember_their_way)
{
    uint32_t id = story_ask(&b, 0, REQ_SUBMIT, F(0), 1);
    uint32_t arrived = SAY(&b, REQUEST_ARRIVED, .request = id);
    SAY(&b, REQUEST_ARRIVED, .request = id);
    uint32_t lost = SAY(&b, ANSWER_LOST, .request = id);
    SAY(&b, REQUEST_LOST, .request = id);
    uint32_t handled = story_answer(&b, 0, id, REQ_SUBMIT, ANS_OK, F(0));
    story_answer(&b, 0, id, REQ_SUBMIT, ANS_OK, F(0));
    const struct request_facts *r = state_request(facts(), id);
    ck_assert(r->arrived == arrived && r->lost == lost && r->handled == handled);
    ck_assert_ptr_null(state_request(&s, id + 1));
    ck_assert_ptr_null(state_request(&s, STATE_REQUESTS));
}
END_TEST

START_TEST(fenced_without_a_lease_is_nothing)
{
    story_answer(&b, 0, story_ask(&b, 0, REQ_COMMIT, F(1), 1), REQ_COMMIT, ANS_FENCED, F(2));
    ck_assert_uint_eq(page(0)->leases, 0);
}
END_TEST

START_TEST(claims_are_found_by_their_whole_fence)
{
    const struct fence f[] = { F(1), FENCE(1, 2, 1), FENCE(2, 1, 1), F(2),
                               F(STATE_CLAIM_SLOTS + 1) };
    for (uint32_t i = 0; i < 5; i++) SAY(&b, LEDGER_CLAIMED, .page = (uint16_t)i, .fence = f[i]);
    facts();
    for (uint32_t i = 0; i < 5; i++) ck_assert_uint_eq(state_claim(&s, f[i])->owner, i);
    ck_assert_ptr_null(state_claim(&s, F(77)));
    ck_assert_uint_eq(state_authority(&s, 2)->owner, 2);
    ck_assert_ptr_null(state_authority(&s, 3));
    state_reset(&s, &b.contract);
    for (uint32_t i = 0; i < 5; i++) ck_assert_ptr_null(state_claim(&s, f[i]));
}
END_TEST

/* Says one claim more than fit, without keeping them. */
static void claim_many(uint32_t n, bool incarnations)
{
    state_reset(&s, &b.contract);
    for (uint32_t i = 1; i <= n; i++) {
        struct fence f = incarnations ? FENCE(i, 1, 1) : F(i);
        struct obs o = { .kind = OBS_LEDGER_CLAIMED, .fence = f };
        state_step(&s, &o);
    }
}

START_TEST(more_claims_or_incarnations_than_fit_are_lost_not_a_crash)
{
    claim_many(STATE_CLAIMS, false);
    ck_assert_uint_eq(s.lost, 0);
    claim_many(STATE_CLAIMS + 1, false);
    ck_assert_uint_eq(s.lost, LOST_CLAIM);
    claim_many(STATE_AUTHORITIES, true);
    ck_assert_uint_eq(s.lost, 0);
    claim_many(STATE_AUTHORITIES + 1, true);
    ck_assert_uint_eq(s.lost, LOST_CLAIM);
}
END_TEST

#define expect_lost(bits, k, ...)                                                                  \
    do {                                                                                           \
        b.n = 0;                                                                                   \
        SAY(&b, k, __VA_ARGS__);                                                                   \
        ck_assert_uint_eq(facts()->lost, (bits));                                                  \
    } while (0)

START_TEST(ids_beyond_their_arrays_are_lost)
{
    expect_lost(LOST_PAGE, PAGE_HIDDEN, .page = STORY_PAGES);
    expect_lost(LOST_PLACE, PAGE_CREATED, .device = STATE_DEVICES);
    expect_lost(LOST_PLACE, PAGE_CREATED, .partition = STATE_PARTITIONS);
    expect_lost(LOST_PLACE, DEVICE_ASLEEP, .device = DEVICE_NONE);
    expect_lost(LOST_PLACE, LINK_CUT, .node = STATE_NET_NODES);
    expect_lost(LOST_PLACE, NODE_DOWN, .node = NODE_NONE);
    expect_lost(LOST_PLACE, LEDGER_CLAIMED, .node = NODE_NONE);
    expect_lost(LOST_REQUEST, REQUEST_ISSUED, .request = STATE_REQUESTS);
    expect_lost(LOST_OP, LEDGER_TERMINAL, .op = STORY_OPS + 1);
    ck_assert_ptr_null(state_op(&s, 0));
    ck_assert_ptr_null(state_op(&s, STORY_OPS + 1));
    ck_assert_ptr_null(state_lock(&s, 0));
    ck_assert_ptr_null(state_lock(&s, STATE_REQUESTS));
    ck_assert_ptr_null(state_queue(&s, 0, STATE_LOCK_NAMES));
    ck_assert_uint_eq(state_lock_holder(&s, PARTITION_NONE), PAGE_NONE);
}
END_TEST

START_TEST(an_authority_is_found_for_a_page)
{
    story_page(&b, 0);
    ck_assert_ptr_null(state_authority_of(facts(), page(0)));
    SAY(&b, LEDGER_CLAIMED, .page = 0, .node = 16, .fence = FENCE(5, 1, 1));
    ck_assert_uint_eq(state_authority_of(facts(), page(0))->incarnation, 5);
    b.contract.authority = AUTHORITY_INDEXEDDB;
    SAY(&b, LEDGER_CLAIMED, .page = 1, .node = 17, .fence = FENCE(6, 1, 1));
    ck_assert_uint_eq(state_authority_of(facts(), page(0))->incarnation, 5);
}
END_TEST

START_TEST(a_reset_forgets_everything)
{
    story_page(&b, 0);
    story_claim(&b, 0, F(1));
    story_take(&b, 0, F(1), 1);
    SAY(&b, LOCK_REQUESTED, .page = 0, .request = 1, .key = LOCK_NAME_LEADER);
    SAY(&b, ROUND_HEALED, .a = 1);
    SAY(&b, DEVICE_ASLEEP, .device = 0);
    facts();
    state_reset(&s, &b.contract);
    ck_assert(s.pages == 0 && s.opens == 0 && s.claims == 0 && s.healed == OBS_NONE);
    ck_assert(!s.page[0].created && !s.request[1].known && s.lock[1].life == LOCK_UNKNOWN);
    ck_assert(s.op[1].owners == 0 && !s.device[0].asleep && s.partition[0].name[1].first == 0);
}
END_TEST

START_TEST(a_queue_knows_its_ends_and_its_holders)
{
    for (uint32_t i = 1; i <= 4; i++)
        SAY(&b, LOCK_REQUESTED, .page = (uint16_t)i, .partition = 2, .request = i, .key = 1,
            .a = 1);
    const struct queue_facts *q = state_queue(facts(), 2, LOCK_NAME_LEADER);
    ck_assert(q->first == 1 && q->last == 4 && q->waiting == 4 && q->holder == 0);
    ck_assert_uint_eq(s.partitions, 3);
    ck_assert_uint_eq(page(3)->leader_request, 3);
    SAY(&b, LOCK_ABORTED, .page = 4, .partition = 2, .request = 4, .key = 1);
    SAY(&b, LOCK_ABORTED, .page = 2, .partition = 2, .request = 2, .key = 1);
    facts();
    ck_assert(q->first == 1 && q->last == 3 && q->waiting == 2 && s.lock[1].next == 3);
    ck_assert_uint_eq(s.lock[3].prev, 1);
    SAY(&b, LOCK_GRANTED, .page = 1, .partition = 2, .request = 1, .key = 1);
    SAY(&b, LOCK_GRANTED, .page = 3, .partition = 2, .request = 3, .key = 1);
    facts();
    ck_assert(q->first == 0 && q->last == 0 && q->waiting == 0);
    ck_assert(q->holder == 3 && q->holders == 2 && state_lock_holder(&s, 2) == 3);
    SAY(&b, LOCK_RELEASED, .page = 3, .partition = 2, .request = 3, .key = 1);
    facts();
    ck_assert(q->holder == 1 && q->holders == 1 && state_lock_holder(&s, 2) == 1);
    SAY(&b, LOCK_REQUESTED, .page = 5, .partition = 2, .request = 6, .key = 2);
    ck_assert_uint_eq(page(5)->leader_request, 0);
}
END_TEST

START_TEST(an_authority_knows_its_lease_protocol_and_index)
{
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(1), .a = 3, .c = 7);
    SAY(&b, LEDGER_CLAIMED, .page = 1, .fence = F(2), .a = 3, .c = 8);
    SAY(&b, LEDGER_CLAIMED, .page = PAGE_SERVER, .fence = F(3), .a = 9, .c = 9);
    const struct authority_facts *a = state_authority(facts(), 1);
    ck_assert(a->protocol == 3 && a->protocol_by == 0 && s.protocol == 3);
    ck_assert(a->owner == PAGE_SERVER && a->held && a->index == 9 && a->last_index == 9);
    SAY(&b, LEDGER_EXPIRED, .fence = F(2));
    ck_assert(state_authority(facts(), 1)->held);
    uint32_t by = SAY(&b, LEDGER_EXPIRED, .fence = F(3));
    SAY(&b, LEDGER_RELEASED, .fence = F(3));
    a = state_authority(facts(), 1);
    ck_assert(!a->held && a->expired && a->ended_by == by);
    SAY(&b, LEDGER_CLAIMED, .page = 0, .fence = F(4), .a = 3);
    SAY(&b, LEDGER_RELEASED, .page = 0, .fence = F(4));
    a = state_authority(facts(), 1);
    ck_assert(!a->held && !a->expired && a->ended_by == b.n - 1);
}
END_TEST

START_TEST(the_last_id_of_every_array_fits)
{
    SAY(&b, LEDGER_ENQUEUED, .op = STORY_OPS);
    SAY(&b, EFFECT_ABSORBED, .op = STORY_OPS);
    SAY(&b, DEVICE_AWAKE, .device = STATE_DEVICES - 1);
    SAY(&b, NODE_UP, .node = STATE_NODES - 1);
    SAY(&b, PAGE_CREATED, .page = STORY_PAGES - 1, .device = 3);
    ck_assert_uint_eq(facts()->lost, 0);
    ck_assert(s.ops == STORY_OPS && s.op[STORY_OPS].absorbed == 1 && s.op[STORY_OPS].effects == 0);
    ck_assert(s.devices == STATE_DEVICES && s.nodes == 1 && s.pages == STORY_PAGES);
    b.n = 0;
    SAY(&b, ROUND_STARTED, .a = 1);
    SAY(&b, PAGE_CREATED, .page = 0, .device = 3);
    SAY(&b, LEDGER_RENEWED, .node = STATE_NET_NODES - 1, .fence = F(1));
    ck_assert(facts()->devices == 4 && s.nodes == STATE_NET_NODES && s.started == 0);
    SAY(&b, LEDGER_RENEWED, .node = STATE_NET_NODES, .fence = F(1));
    SAY(&b, NODE_UP, .node = STATE_NET_NODES);
    ck_assert_uint_eq(facts()->nodes, STATE_NET_NODES);
    b.n = 0;
    SAY(&b, LINK_CUT, .device = 0, .node = NODE_NONE, .a = 1);
    ck_assert(facts()->nodes == 1 && s.device[0].cut[0] == 1 && s.device[0].cut[15] == 1);
    expect_lost(LOST_PLACE, NODE_DOWN, .node = STATE_NODES);
    expect_lost(LOST_PLACE, LEDGER_RENEWED, .node = STATE_NODES);
    expect_lost(LOST_LOCK, LOCK_REQUESTED, .request = 1, .partition = STATE_PARTITIONS, .key = 1);
}
END_TEST

STORY_SUITE(state, a_page_lives_through_its_observations,
            frozen_and_cached_are_kept_apart_and_restoring_ends_both, a_document_is_created_once,
            eligible_pages_are_counted_by_partition, what_has_no_page_changes_no_page,
            a_node_counts_when_it_is_up_decides_and_both_directions_are_open,
            a_lease_ends_by_the_pages_own_clock, requests_remember_their_way,
            fenced_without_a_lease_is_nothing, claims_are_found_by_their_whole_fence,
            more_claims_or_incarnations_than_fit_are_lost_not_a_crash,
            ids_beyond_their_arrays_are_lost, an_authority_is_found_for_a_page,
            a_reset_forgets_everything, a_queue_knows_its_ends_and_its_holders,
            an_authority_knows_its_lease_protocol_and_index, the_last_id_of_every_array_fits)
