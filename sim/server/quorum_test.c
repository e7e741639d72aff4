/* Three nodes: deciding, failing over, and a random drive whose history is judged by brute
 * force. Messages wait in a list and are delivered, late, twice or never; every node has a
 * clock of its own, with an offset and a drift. */
#include <check.h>
#include <string.h>

#include "sim/server/ledger_internal.h"

Suite *quorum_suite(void);

#define MS(n) (INT64_C(n) * US_PER_MS)
#define NODES LEDGER_NODES
#define OBS_MAX 65536
#define EVENTS_MAX 512
#define PAGE_MAX 4

struct event {
    int64_t at_us;
    bool is_timer;
    uint32_t node, timer, arm;
    struct node_message message;
};

static struct {
    struct contract contract;
    struct ledger_node node[NODES];
    struct history history;
    struct event event[EVENTS_MAX];
    uint32_t events;
    int64_t now_us;
    bool cut[NODES]; /* nothing goes between this node and the others */
    uint32_t drop_percent, double_percent;
    int64_t delay_us;
    uint64_t random;
    uint32_t requests;
    struct answer answer[4096]; /* by request id */
    uint32_t stores;
    bool two_speak; /* at some moment two nodes would have answered a question */
    struct {
        struct fence fence;
        uint32_t node, op;
    } drain;
} q;
static struct obs obs[OBS_MAX];
static struct ledger_out out;
static const struct fence none;

static uint32_t draw(uint32_t bound)
{
    q.random ^= q.random << 13;
    q.random ^= q.random >> 7;
    q.random ^= q.random << 17;
    return (uint32_t)(q.random >> 33) % bound;
}

static struct instant at(void)
{
    return (struct instant){ q.now_us };
}

/* Offsets of days, drifts of up to 2%: times must not travel unshifted. */
static struct local clock_of(uint32_t node)
{
    int64_t rate = (int64_t)node - 1; /* -1, 0, +1 */
    return (struct local){ q.now_us + q.now_us * rate / 50 + INT64_C(90000) * US_PER_S * node };
}

static void post(struct event e)
{
    ck_assert_uint_lt(q.events, EVENTS_MAX);
    q.event[q.events++] = e;
}

static void post_message(uint32_t node, const struct node_message *m)
{
    struct event e = { .at_us = q.now_us + MS(1) + (q.delay_us ? draw((uint32_t)q.delay_us) : 0),
                       .node = m->to,
                       .message = *m };
    q.stores += m->kind == NODE_STORE;
    if (draw(100) < q.drop_percent || q.cut[node] || q.cut[m->to]) return;
    post(e);
    e.at_us += MS(3);
    if (draw(100) < q.double_percent) post(e);
}

static void carry(uint32_t node)
{
    for (uint32_t i = 0; i < out.n; i++) {
        const struct answer *a = &out.at[i].as.answer.answer;
        switch (out.at[i].kind) {
        case LEDGER_ANSWER: q.answer[a->request] = *a; break;
        case LEDGER_NODE_MESSAGE: post_message(node, &out.message[out.at[i].as.message]); break;
        case LEDGER_ARM: {
            int64_t rate = (int64_t)node - 1;
            int64_t in = out.at[i].as.arm.in_us * 50 / (50 + rate) + 1;
            post((struct event){ .at_us = q.now_us + in,
                                 .is_timer = true,
                                 .node = node,
                                 .timer = out.at[i].as.arm.timer,
                                 .arm = out.at[i].as.arm.arm });
            break;
        }
        case LEDGER_DRAIN:
            q.drain.fence = out.at[i].as.drain.fence;
            q.drain.op = out.at[i].as.drain.op;
            q.drain.node = node;
            break;
        case LEDGER_PUSH: break;
        }
    }
    out.n = out.messages = 0;
}

static void boot(struct policy p)
{
    memset(&q, 0, sizeof q);
    q.contract = (struct contract){
        .steal = STEAL_INCIDENT_ONLY,
        .fallback = FALLBACK_SERVER_COORDINATED,
        .lease = { MS(1000), MS(333) },
        .vacant_after_us = MS(600),
        .permit_ttl_us = MS(2000),
        .permit_grace_us = MS(700),
        .server_after_us = MS(5000),
    };
    q.history = (struct history){ .at = obs, .max = OBS_MAX };
    q.random = 88172645463325252u;
    for (uint8_t i = 0; i < NODES; i++) {
        ledger_boot(&q.node[i], i, LAYOUT_QUORUM, AUTHORITY_SERVER, 7, &q.contract, p, &q.history,
                    at(), clock_of(i), &out);
        carry(i);
    }
}

static void boot_reference(void)
{
    boot((struct policy){ 0 });
}

static bool fire(int64_t until_us)
{
    uint32_t best = q.events;
    for (uint32_t i = 0; i < q.events; i++)
        if (q.event[i].at_us <= until_us &&
            (best == q.events || q.event[i].at_us < q.event[best].at_us))
            best = i;
    if (best == q.events) return false;
    struct event e = q.event[best];
    q.event[best] = q.event[--q.events];
    q.now_us = e.at_us;
    struct ledger_node *n = &q.node[e.node];
    if (e.is_timer)
        ledger_timer(n, e.timer, e.arm, at(), clock_of(e.node), &out);
    else if (!q.cut[e.node] && !q.cut[e.message.from])
        ledger_message(n, &e.message, at(), clock_of(e.node), OBS_NONE, &out);
    carry(e.node);
    uint32_t speak = 0;
    for (uint32_t i = 0; i < NODES; i++)
        speak += quorum_can_decide(&q.node[i], clock_of(i)) && !quorum_adopting(&q.node[i]);
    if (speak > 1) q.two_speak = true;
    return true;
}

static void run_for(int64_t us)
{
    int64_t until_us = q.now_us + us;
    while (fire(until_us)) continue;
    q.now_us = until_us;
}

static uint32_t send(uint32_t node, struct request r)
{
    r.id = ++q.requests;
    ck_assert_uint_lt(r.id, 4096);
    r.protocol = 3;
    r.partition_key = 1;
    r.tab_instance = r.page;
    ledger_request(&q.node[node], &r, at(), clock_of(node), OBS_NONE, &out);
    carry(node);
    return r.id;
}

static struct answer ask(uint32_t node, struct request r)
{
    uint32_t id = send(node, r);
    run_for(MS(20));
    return q.answer[id];
}

static struct answer claim(uint32_t node, uint16_t page, uint32_t key)
{
    return ask(node, (struct request){ .kind = REQ_CLAIM, .page = page, .key = key });
}

static struct answer ask_op(uint32_t node, enum request_kind kind, uint16_t page, struct fence f,
                            uint32_t op)
{
    return ask(node, (struct request){ .kind = kind, .page = page, .fence = f, .op = op });
}

static void crash(uint32_t node)
{
    ledger_crash(&q.node[node], at(), OBS_NONE);
}

static void restart(uint32_t node)
{
    ledger_restart(&q.node[node], at(), clock_of(node), OBS_NONE, &out);
    carry(node);
}

static uint32_t count(enum obs_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q.history.n; i++) n += obs[i].kind == kind;
    return n;
}

static const struct obs *last(enum obs_kind kind)
{
    for (uint32_t i = q.history.n; i-- > 0;)
        if (obs[i].kind == kind) return &obs[i];
    ck_abort_msg("no %s", obs_info[kind].word);
    return NULL;
}

/* The node that can decide; NODES when there is none. */
static uint32_t decider(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        if (q.node[i].decides) return i;
    return NODES;
}

/* ---- deciding -------------------------------------------------------------------- */

START_TEST(nothing_of_a_claim_shows_before_a_majority_has_stored_it)
{
    boot_reference();
    uint32_t id = send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    ck_assert_uint_eq(q.answer[id].kind, REQ_NONE);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 0);
    run_for(MS(20));
    ck_assert_int_eq(q.answer[id].result, ANS_OK);
    ck_assert_uint_eq(last(OBS_LEDGER_CLAIMED)->c, 1);
    for (uint32_t i = 0; i < NODES; i++) ck_assert_uint_eq(q.node[i].stored.fence.generation, 1);
    ck_assert_uint_eq(count(OBS_LEDGER_ACCEPTABLE), 0);
}
END_TEST

START_TEST(decisions_are_numbered_one_by_one)
{
    boot_reference();
    struct fence f = claim(0, 1, 5).fence;
    ask_op(0, REQ_SUBMIT, 1, none, 1);
    ask_op(0, REQ_TAKE, 1, f, 0);
    ask_op(0, REQ_ACK, 1, f, 1);
    ck_assert_uint_eq(last(OBS_LEDGER_TAKEN)->c, 3);
    ck_assert_uint_eq(last(OBS_LEDGER_COMMITTED)->c, 4);
}
END_TEST

START_TEST(requests_that_meet_a_decision_under_way_are_worked_off_in_order)
{
    boot_reference();
    uint32_t first = send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    uint32_t second = send(0, (struct request){ .kind = REQ_CLAIM, .page = 2, .key = 6 });
    uint32_t again = send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    run_for(MS(20));
    ck_assert_uint_eq(q.answer[first].fence.generation, 1);
    ck_assert_uint_eq(q.answer[second].fence.generation, 2);
    ck_assert_uint_eq(q.answer[again].fence.generation, 1);
    ck_assert_uint_eq(count(OBS_LEDGER_REPEATED), 1);
}
END_TEST

START_TEST(more_requests_than_can_wait_are_unavailable)
{
    boot_reference();
    uint32_t id = 0;
    for (uint32_t i = 0; i < LEDGER_WAITING_MAX + 2; i++)
        id = send(0, (struct request){ .kind = REQ_SUBMIT, .page = 1, .op = i + 1 });
    ck_assert_int_eq(q.answer[id].result, ANS_UNAVAILABLE);
    run_for(MS(500));
    ck_assert_uint_eq(count(OBS_LEDGER_ENQUEUED), LEDGER_WAITING_MAX + 1);
}
END_TEST

START_TEST(refusals_and_questions_are_not_stored)
{
    boot_reference();
    struct fence f = claim(0, 1, 5).fence;
    uint32_t before = q.stores;
    f.generation = 9;
    ck_assert_int_eq(ask_op(0, REQ_TAKE, 1, f, 0).result, ANS_FENCED);
    ck_assert_int_eq(ask_op(0, REQ_STATUS, 1, f, 0).result, ANS_OK);
    ck_assert_uint_eq(q.stores, before);
}
END_TEST

START_TEST(one_node_fewer_still_decides)
{
    boot_reference();
    crash(2);
    ck_assert_int_eq(claim(0, 1, 5).result, ANS_OK);
    run_for(MS(2000));
    restart(2); /* and is brought up to date */
    run_for(MS(1000));
    ck_assert_uint_eq(q.node[2].stored.fence.generation, 1);
    ck_assert(q.node[0].primary);
}
END_TEST

START_TEST(a_minority_refuses)
{
    boot_reference();
    struct fence f = claim(0, 1, 5).fence;
    q.cut[0] = true;
    run_for(MS(310));
    ck_assert_int_eq(ask_op(0, REQ_TAKE, 1, f, 0).result, ANS_UNAVAILABLE);
    run_for(MS(2000));
    ck_assert_int_eq(ask_op(0, REQ_STATUS, 1, f, 0).result, ANS_UNAVAILABLE);
    ck_assert_uint_eq(decider(), 1);
    ck_assert_int_eq(claim(1, 2, 6).result, ANS_OK);
}
END_TEST

START_TEST(a_replica_sends_to_the_primary)
{
    boot_reference();
    struct answer a = claim(1, 1, 5);
    ck_assert_int_eq(a.result, ANS_REDIRECT);
    ck_assert_uint_eq(a.node_hint, 0);
    ck_assert_uint_eq(last(OBS_LEDGER_REFUSED)->b, ANS_REDIRECT);
    crash(0);
    run_for(MS(400));
    a = claim(1, 1, 6);
    ck_assert_int_eq(a.result, ANS_UNAVAILABLE);
    ck_assert_uint_eq(a.node_hint, NODE_NONE);
}
END_TEST

/* ---- failing over ----------------------------------------------------------------- */

START_TEST(a_new_primary_knows_what_was_decided)
{
    boot_reference();
    ask_op(0, REQ_SUBMIT, 1, none, 1);
    struct fence f = claim(0, 1, 5).fence;
    crash(0);
    run_for(MS(700));
    uint32_t p = decider();
    ck_assert_uint_eq(p, 1);
    ck_assert(fence_equal(claim(p, 1, 5).fence, f));
    ck_assert_uint_eq(ask_op(p, REQ_TAKE, 1, f, 0).op, 1); /* the lease lives on */
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 1);
    ck_assert_uint_eq(claim(p, 2, 7).fence.generation, 2);
}
END_TEST

START_TEST(an_old_owner_may_renew_before_permits_are_given)
{
    boot_reference();
    struct fence f = claim(0, 1, 5).fence;
    crash(0);
    run_for(MS(1050)); /* its lease would have run out meanwhile */
    uint32_t p = decider();
    struct answer a = ask_op(p, REQ_PERMIT, 2, none, 0);
    ck_assert_int_eq(a.result, ANS_REFUSED);
    a = ask(p, (struct request){ .kind = REQ_RENEW, .page = 1, .fence = f });
    ck_assert_int_eq(a.result, ANS_OK);
    run_for(MS(1500));
    ck_assert_uint_eq(count(OBS_LEDGER_EXPIRED), 1);
    ck_assert_int_eq(ask_op(p, REQ_PERMIT, 2, none, 0).result, ANS_OK);
}
END_TEST

/* The primary dies when both others have stored a claim and before it hears so. */
START_TEST(a_decision_that_nobody_told_is_told_once_by_the_successor)
{
    boot_reference();
    send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    run_for(MS(1));
    ck_assert_uint_eq(q.node[1].stored.fence.generation, 1);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 0);
    crash(0);
    run_for(MS(700));
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 1);
    const struct obs *o = last(OBS_LEDGER_CLAIMED);
    ck_assert_uint_eq(o->page, 1);
    ck_assert_uint_eq(o->key, 5);
    ck_assert_uint_eq(o->fence.generation, 1);
    ck_assert_uint_eq(o->node, 1);
    struct answer a = claim(1, 1, 5);
    ck_assert_uint_eq(a.fence.generation, 1);
    ck_assert_uint_eq(count(OBS_LEDGER_REPEATED), 1);
}
END_TEST

START_TEST(a_proposal_of_a_minority_is_forgotten)
{
    boot_reference();
    q.cut[0] = true;
    send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    run_for(MS(1000));
    ck_assert_uint_eq(claim(decider(), 2, 6).fence.generation, 1);
    q.cut[0] = false;
    run_for(MS(500)); /* no other decision yet: as many as the minority made */
    ck_assert_uint_eq(q.node[0].stored.claim[0].id, 6);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 1);
}
END_TEST

START_TEST(a_node_that_was_cut_off_comes_back_without_an_election)
{
    boot_reference();
    q.cut[2] = true;
    run_for(MS(5000));
    uint32_t view = q.node[0].view;
    ck_assert_uint_gt(q.node[2].voted_view, view);
    q.cut[2] = false;
    run_for(MS(1000));
    ck_assert(q.node[0].primary);
    ck_assert_uint_eq(q.node[0].view, view);
    ck_assert_uint_eq(q.node[2].view, view);
}
END_TEST

/* What node 1 replies to a candidate: 1 yes, 0 no. */
static bool votes(uint8_t candidate, uint32_t view)
{
    struct node_message m = { .kind = NODE_VOTE_ASK, .from = candidate, .to = 1, .view = view };
    ledger_message(&q.node[1], &m, at(), clock_of(1), OBS_NONE, &out);
    bool yes = out.message[0].kind == NODE_VOTE && out.message[0].yes;
    ck_assert_uint_eq(out.messages, 1);
    out.n = out.messages = 0;
    return yes;
}

START_TEST(who_has_heard_a_primary_votes_for_nobody)
{
    boot_reference();
    ck_assert(!votes(2, 2));
    q.now_us += MS(380); /* 2% fast or slow is no excuse */
    ck_assert(!votes(2, 2));
    q.now_us += MS(30);
    ck_assert(votes(2, 2));
    ck_assert(!votes(0, 3)); /* and after its vote it waits as long */
    q.now_us += MS(410);
    ck_assert(!votes(0, 2)); /* once a view */
    ck_assert(votes(0, 3));
    q.now_us += MS(5000);
    crash(1);
    restart(1);
    ck_assert(!votes(2, 9)); /* it may have heard one before it fell */
}
END_TEST

START_TEST(a_candidate_has_used_up_its_vote)
{
    boot_reference();
    q.cut[1] = true;
    run_for(MS(505)); /* node 1 stands for view 2 */
    ck_assert_uint_eq(q.node[1].standing, 2);
    ck_assert(!votes(2, 2));
}
END_TEST

START_TEST(a_majority_that_was_long_ago_does_not_decide)
{
    boot_reference();
    struct local sent = clock_of(0);
    send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    q.events = 0; /* everything sent is lost */
    q.now_us += MS(350);
    struct node_message m = { .kind = NODE_STORED,
                              .from = 1,
                              .to = 0,
                              .view = 1,
                              .record_view = 1,
                              .index = 1,
                              .yes = true,
                              .echo = sent };
    ledger_message(&q.node[0], &m, at(), clock_of(0), OBS_NONE, &out);
    carry(0);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 0);
    m.echo = clock_of(0);
    ledger_message(&q.node[0], &m, at(), clock_of(0), OBS_NONE, &out);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 1);
}
END_TEST

START_TEST(requests_that_wait_in_a_minority_are_told)
{
    boot_reference();
    q.cut[0] = true;
    send(0, (struct request){ .kind = REQ_CLAIM, .page = 1, .key = 5 });
    uint32_t id = send(0, (struct request){ .kind = REQ_CLAIM, .page = 2, .key = 6 });
    run_for(MS(500));
    ck_assert_int_eq(q.answer[id].result, ANS_UNAVAILABLE);
}
END_TEST

START_TEST(a_new_primary_speaks_when_it_knows_what_it_found)
{
    boot_reference();
    claim(0, 1, 5);
    crash(0);
    while (!q.node[1].primary) ck_assert(fire(MS(2000)));
    uint32_t id = send(1, (struct request){ .kind = REQ_STATUS, .page = 2 });
    ck_assert(!q.node[1].decides);
    ck_assert_uint_eq(q.answer[id].kind, REQ_NONE);
    run_for(MS(20));
    ck_assert(q.node[1].decides);
    ck_assert_uint_eq(q.answer[id].fence.generation, 1);
}
END_TEST

START_TEST(what_became_due_without_a_majority_is_done_when_it_is_back)
{
    boot_reference();
    claim(0, 1, 5);
    crash(1);
    crash(2);
    run_for(MS(1500));
    ck_assert_uint_eq(count(OBS_LEDGER_EXPIRED), 0);
    restart(1);
    restart(2);
    run_for(MS(390));
    ck_assert(q.node[0].primary);
    ck_assert_uint_eq(count(OBS_LEDGER_EXPIRED), 1);
}
END_TEST

START_TEST(a_whole_crash_loses_nothing)
{
    boot_reference();
    ask_op(0, REQ_SUBMIT, 1, none, 1);
    claim(0, 1, 5);
    for (uint32_t i = 0; i < NODES; i++) crash(i);
    ck_assert_uint_eq(decider(), NODES);
    run_for(MS(3000));
    for (uint32_t i = 0; i < NODES; i++) restart(i);
    run_for(MS(1000));
    uint32_t p = decider();
    ck_assert_uint_lt(p, NODES);
    struct answer a = claim(p, 2, 6);
    ck_assert_uint_eq(a.fence.generation, 2);
    ck_assert_uint_eq(a.more_tasks, 1);
}
END_TEST

START_TEST(the_server_drains_through_a_fail_over)
{
    boot_reference();
    ask_op(0, REQ_SUBMIT, 1, none, 1);
    run_for(MS(6000));
    ck_assert_uint_eq(q.drain.op, 1);
    q.drain.op = 0;
    crash(0);
    run_for(MS(1000));
    ck_assert_uint_eq(q.drain.op, 1); /* sent again by the successor, under the same fence */
    for (int twice = 0; twice < 2; twice++) {
        ledger_drained(&q.node[q.drain.node], q.drain.fence, 1, true, at(), clock_of(q.drain.node),
                       OBS_NONE, &out);
        carry(q.drain.node);
    }
    run_for(MS(100));
    ck_assert_uint_eq(count(OBS_LEDGER_TERMINAL), 1);
    ck_assert_uint_eq(count(OBS_LEDGER_CLAIMED), 1);
}
END_TEST

START_TEST(an_idle_quorum_costs_few_events)
{
    boot_reference();
    uint32_t fired = 0;
    while (fire(MS(10000))) fired++;
    ck_assert_uint_le(fired, 400);
}
END_TEST

START_TEST(an_epoch_advance_is_a_decision)
{
    boot_reference();
    claim(0, 1, 5);
    ledger_incident(&q.node[0], INCIDENT_ADVANCE_EPOCH, at(), clock_of(0), OBS_NONE, &out);
    carry(0);
    ck_assert_uint_eq(count(OBS_LEDGER_EPOCH), 0);
    run_for(MS(20));
    ck_assert_uint_eq(last(OBS_LEDGER_EPOCH)->c, 2);
    ck_assert_int_eq(claim(0, 2, 6).result, ANS_EPOCH_CLOSED);
}
END_TEST

START_TEST(an_asynchronous_replica_is_promoted_without_the_last_generation)
{
    boot(policy_with((struct policy){ 0 }, _i ? POLICY_ASYNC_REPLICA : POLICY_FAIL_OPEN));
    struct answer a = claim(0, 1, 5);
    ck_assert_int_eq(a.result, ANS_OK);
    crash(0);
    run_for(MS(700));
    uint32_t p = decider();
    ck_assert_uint_lt(p, NODES);
    ck_assert_uint_eq(claim(p, 2, 6).fence.generation, _i ? 1 : 2);
}
END_TEST

START_TEST(a_generation_that_is_not_stored_is_lost_with_its_primary)
{
    boot(policy_with((struct policy){ 0 }, _i ? POLICY_FORGETS_GENERATION : POLICY_FAIL_OPEN));
    claim(0, 1, 5);
    crash(0);
    run_for(MS(700));
    ck_assert_uint_eq(claim(decider(), 2, 6).fence.generation, _i ? 1 : 2);
}
END_TEST

START_TEST(an_operation_that_is_not_stored_is_lost_with_its_primary)
{
    boot(policy_with((struct policy){ 0 }, _i ? POLICY_LOSES_OPERATION : POLICY_FAIL_OPEN));
    ck_assert_int_eq(ask_op(0, REQ_SUBMIT, 1, none, 1).result, ANS_OK);
    crash(0);
    run_for(MS(700));
    ck_assert_uint_eq(claim(decider(), 2, 6).more_tasks, _i ? 0 : 1);
}
END_TEST

START_TEST(a_commit_that_no_majority_has_stored_is_lost_with_its_primary)
{
    boot(policy_with((struct policy){ 0 }, _i ? POLICY_COMMIT_ALONE : POLICY_FAIL_OPEN));
    ask_op(0, REQ_SUBMIT, 1, none, 1);
    struct fence f = claim(0, 1, 5).fence;
    ask_op(0, REQ_TAKE, 1, f, 0);
    ask_op(0, REQ_ACK, 1, f, 1);
    struct request commit = {
        .kind = REQ_COMMIT, .page = 1, .fence = f, .op = 1, .parts = 1u << PART_DELETE
    };
    ck_assert_int_eq(ask(0, commit).result, ANS_OK);
    crash(0);
    run_for(MS(700));
    ck_assert_uint_eq(claim(decider(), 2, 6).unreconciled_n, _i ? 1 : 0);
}
END_TEST

/* ---- the random drive --------------------------------------------------------------- */

static void harm(void)
{
    uint32_t node = draw(NODES);
    switch (draw(6)) {
    case 0:
        if (q.node[node].up) crash(node);
        break;
    case 1:
    case 2:
        if (!q.node[node].up) restart(node);
        break;
    case 3: q.cut[node] = true; break;
    default: q.cut[node] = false; break;
    }
}

/* What the pages were last given. */
static struct fence held[PAGE_MAX];
static uint32_t taken[PAGE_MAX];
static uint16_t leader, page_of[4096]; /* by request id */

/* Answers come while other requests are under way. */
static void hear(void)
{
    for (uint32_t id = q.requests > 12 ? q.requests - 12 : 1; id <= q.requests; id++) {
        const struct answer *a = &q.answer[id];
        if (a->result != ANS_OK || page_of[id] == PAGE_MAX) continue;
        if (a->kind == REQ_CLAIM) held[leader = page_of[id]] = a->fence;
        if (a->kind == REQ_TAKE) taken[page_of[id]] = a->op;
        page_of[id] = PAGE_MAX; /* heard */
    }
}

/* Pages that claim, renew, take and write with whatever they were last given, mostly at the
 * node that can decide. */
static void act(void)
{
    static const enum request_kind kind[] = { REQ_CLAIM,  REQ_CLAIM,  REQ_RENEW,     REQ_TAKE,
                                              REQ_TAKE,   REQ_TAKE,   REQ_ACK,       REQ_ACK,
                                              REQ_COMMIT, REQ_COMMIT, REQ_RECONCILE, REQ_RELEASE,
                                              REQ_SUBMIT, REQ_SUBMIT, REQ_PERMIT,    REQ_STATUS };
    uint32_t which = draw(sizeof kind / sizeof kind[0]);
    uint16_t page = which > 1 && draw(4) ? leader : (uint16_t)draw(PAGE_MAX);
    struct request r = { .kind = kind[which],
                         .page = page,
                         .fence = held[page],
                         .op = draw(40) + 1,
                         .parts = 6,
                         .outcome = (enum outcome)draw(OUTCOME_COUNT),
                         .key = page * 1000u + draw(200) + 1 };
    uint32_t node = decider() < NODES && draw(3) ? decider() : draw(NODES);
    if (r.kind == REQ_RENEW) r.acked = q.node[node].record.renew_sequence;
    if (taken[page] && (r.kind == REQ_ACK || r.kind == REQ_COMMIT)) r.op = taken[page];
    page_of[send(node, r)] = page;
    run_for(draw(30000));
    hear();
}

static bool is_accepted(const struct obs *o)
{
    return o->kind == OBS_LEDGER_RENEWED || o->kind == OBS_LEDGER_RELEASED ||
           o->kind == OBS_LEDGER_TAKEN || o->kind == OBS_LEDGER_COMMITTED ||
           o->kind == OBS_LEDGER_RECONCILED || o->kind == OBS_LEDGER_EXPIRED;
}

/* What the history breaks: NULL when it is a fenced ledger's. Every pair, no state. */
static const char *judge(void)
{
    for (uint32_t i = 0; i < q.history.n; i++) {
        const struct obs *a = &obs[i];
        bool claimed = a->kind == OBS_LEDGER_CLAIMED;
        if (!claimed && !is_accepted(a) && a->kind != OBS_LEDGER_REPEATED) continue;
        bool known = claimed;
        for (uint32_t k = 0; k < i; k++) {
            const struct obs *b = &obs[k];
            if (b->kind == OBS_LEDGER_CLAIMED && fence_equal(a->fence, b->fence)) known = true;
            if (b->kind != OBS_LEDGER_CLAIMED) continue;
            if (claimed && !fence_less(b->fence, a->fence))
                return "a generation is taken twice or out of order";
            if (claimed && b->key == a->key && a->key) return "one claim gets two generations";
            if (is_accepted(a) && fence_less(a->fence, b->fence))
                return "a stale fence is accepted";
        }
        if (!known) return "a fence that nobody took is accepted";
    }
    return NULL;
}

static const char *judge_index(void)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < q.history.n; i++) {
        if (obs[i].kind != OBS_LEDGER_CLAIMED && !is_accepted(&obs[i])) continue;
        if (obs[i].c < index) return "the decision index goes back";
        if (obs[i].c == index && obs[i].kind == OBS_LEDGER_CLAIMED)
            return "one index, two decisions";
        index = obs[i].c;
    }
    return NULL;
}

/* An enqueued operation is enqueued once, ends at most once, and is in the last record. */
static const char *judge_operations(const struct ledger_record *rec)
{
    uint32_t enqueued[LEDGER_OPS_MAX + 1] = { 0 }, ended[LEDGER_OPS_MAX + 1] = { 0 };
    for (uint32_t i = 0; i < q.history.n; i++) {
        if (obs[i].kind == OBS_LEDGER_ENQUEUED) enqueued[obs[i].op]++;
        if (obs[i].kind == OBS_LEDGER_TERMINAL) ended[obs[i].op]++;
    }
    for (uint32_t op = 1; op <= LEDGER_OPS_MAX; op++) {
        if (enqueued[op] > 1 || ended[op] > enqueued[op])
            return "an operation begins or ends twice";
        if (ended[op] != (rec->task[op - 1].state == TASK_DONE)) return "the record forgot an end";
        if (enqueued[op] != (rec->task[op - 1].state != TASK_NONE)) return "an operation is lost";
    }
    return NULL;
}

static const char *drive(struct policy p, uint64_t seed)
{
    memset(held, 0, sizeof held);
    memset(taken, 0, sizeof taken);
    boot(p);
    q.random += seed * UINT64_C(0x9E3779B97F4A7C15);
    q.drop_percent = draw(20);
    q.double_percent = draw(20);
    q.delay_us = MS(1) + draw(60000);
    for (uint32_t i = 0; i < 600; i++) {
        if (draw(12) == 0) harm();
        act();
    }
    q.drop_percent = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        q.cut[i] = false;
        if (!q.node[i].up) restart(i);
    }
    run_for(MS(3000));
    if (decider() == NODES) return "nobody decides after healing";
    const char *wrong = judge();
    if (!wrong && q.two_speak) wrong = "two nodes speak at once";
    if (!wrong) wrong = judge_index();
    if (!wrong) wrong = judge_operations(&q.node[decider()].record);
    return wrong;
}

START_TEST(generations_are_unique_and_ordered_through_drops_crashes_and_cuts)
{
    uint32_t claims = 0, failovers = 0, writes = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const char *wrong = drive((struct policy){ 0 }, seed);
        ck_assert_msg(wrong == NULL, "seed %u: %s", (unsigned)seed, wrong);
        ck_assert(!q.history.full);
        claims += count(OBS_LEDGER_CLAIMED);
        writes += count(OBS_LEDGER_COMMITTED);
        failovers += q.node[decider()].view - 1;
    }
    ck_assert_uint_gt(claims, 600); /* it was a drive worth judging */
    ck_assert_uint_gt(failovers, 120);
    ck_assert_uint_gt(writes, 200);
}
END_TEST

static uint32_t seeds_until_wrong(enum policy_kind k, const char *what)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        const char *wrong = drive(policy_with((struct policy){ 0 }, k), seed);
        if (wrong && strcmp(wrong, what) == 0) return seed;
    }
    return 0;
}

START_TEST(the_drive_finds_what_the_mutants_break)
{
    const char *twice = "a generation is taken twice or out of order";
    ck_assert_uint_gt(seeds_until_wrong(POLICY_ASYNC_REPLICA, twice), 0);
    ck_assert_uint_gt(seeds_until_wrong(POLICY_FORGETS_GENERATION, twice), 0);
    ck_assert_uint_gt(seeds_until_wrong(POLICY_READ_THEN_WRITE, twice), 0);
    ck_assert_uint_gt(seeds_until_wrong(POLICY_IGNORE_FENCE, "a stale fence is accepted"), 0);
    ck_assert_uint_gt(seeds_until_wrong(POLICY_LOSES_OPERATION, "an operation is lost"), 0);
}
END_TEST

Suite *quorum_suite(void)
{
    Suite *s = suite_create("quorum");
    TCase *t = tcase_create("quorum");
    tcase_add_test(t, nothing_of_a_claim_shows_before_a_majority_has_stored_it);
    tcase_add_test(t, decisions_are_numbered_one_by_one);
    tcase_add_test(t, requests_that_meet_a_decision_under_way_are_worked_off_in_order);
    tcase_add_test(t, more_requests_than_can_wait_are_unavailable);
    tcase_add_test(t, refusals_and_questions_are_not_stored);
    tcase_add_test(t, one_node_fewer_still_decides);
    tcase_add_test(t, a_minority_refuses);
    tcase_add_test(t, a_replica_sends_to_the_primary);
    tcase_add_test(t, a_new_primary_knows_what_was_decided);
    tcase_add_test(t, an_old_owner_may_renew_before_permits_are_given);
    tcase_add_test(t, a_decision_that_nobody_told_is_told_once_by_the_successor);
    tcase_add_test(t, a_proposal_of_a_minority_is_forgotten);
    tcase_add_test(t, a_node_that_was_cut_off_comes_back_without_an_election);
    tcase_add_test(t, who_has_heard_a_primary_votes_for_nobody);
    tcase_add_test(t, a_candidate_has_used_up_its_vote);
    tcase_add_test(t, a_majority_that_was_long_ago_does_not_decide);
    tcase_add_test(t, requests_that_wait_in_a_minority_are_told);
    tcase_add_test(t, a_new_primary_speaks_when_it_knows_what_it_found);
    tcase_add_test(t, what_became_due_without_a_majority_is_done_when_it_is_back);
    tcase_add_test(t, a_whole_crash_loses_nothing);
    tcase_add_test(t, the_server_drains_through_a_fail_over);
    tcase_add_test(t, an_idle_quorum_costs_few_events);
    tcase_add_test(t, an_epoch_advance_is_a_decision);
    tcase_add_loop_test(t, an_asynchronous_replica_is_promoted_without_the_last_generation, 0, 2);
    tcase_add_loop_test(t, a_generation_that_is_not_stored_is_lost_with_its_primary, 0, 2);
    tcase_add_loop_test(t, an_operation_that_is_not_stored_is_lost_with_its_primary, 0, 2);
    tcase_add_loop_test(t, a_commit_that_no_majority_has_stored_is_lost_with_its_primary, 0, 2);
    suite_add_tcase(s, t);
    t = tcase_create("random drive");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, generations_are_unique_and_ordered_through_drops_crashes_and_cuts);
    tcase_add_test(t, the_drive_finds_what_the_mutants_break);
    suite_add_tcase(s, t);
    return s;
}
