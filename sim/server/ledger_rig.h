/* For the tests of the ledger: one node with its history, its timers in order and a count of
 * what it pushed. Time moves by rig_wait alone; node clock and world time are the same. */
#ifndef SIM_SERVER_LEDGER_RIG_H
#define SIM_SERVER_LEDGER_RIG_H

#include <check.h>
#include <string.h>

#include "sim/server/ledger.h"

#define MS(n) (INT64_C(n) * US_PER_MS)
#define RIG_OBS_MAX 4096
#define RIG_TIMERS_MAX 64

struct rig {
    struct contract contract;
    struct ledger_node node;
    struct ledger_out out;
    struct history history;
    struct obs obs[RIG_OBS_MAX];
    int64_t now_us;
    uint32_t requests;
    struct { uint32_t timer, arm; int64_t at_us; } timer[RIG_TIMERS_MAX];
    uint32_t timers, fired;
    uint32_t pushed[PUSH_COUNT];
    struct push last_push;
    struct { struct fence fence; uint32_t op, n; } drain; /* the last one, and how many */
    struct answer answer;                                 /* the last one */
    uint32_t answers;
};

static inline struct instant rig_at(const struct rig *g) { return (struct instant){ g->now_us }; }
static inline struct local rig_now(const struct rig *g) { return (struct local){ g->now_us }; }

static inline struct contract rig_contract(void)
{
    return (struct contract){
        .protocol_version = 3, .steal = STEAL_INCIDENT_ONLY,
        .fallback = FALLBACK_SERVER_COORDINATED,
        .lease = { .ttl_us = MS(1000), .renew_us = MS(333) }, .vacant_after_us = MS(600),
        .permit_ttl_us = MS(2000), .permit_grace_us = MS(700), .server_after_us = MS(5000),
    };
}

static inline void rig_carry(struct rig *g)
{
    for (uint32_t i = 0; i < g->out.n; i++) {
        switch (g->out.at[i].kind) {
        case LEDGER_ANSWER:
            g->answer = g->out.at[i].as.answer.answer;
            g->answers++;
            break;
        case LEDGER_PUSH:
            g->last_push = g->out.at[i].as.push;
            g->pushed[g->last_push.kind]++;
            break;
        case LEDGER_ARM:
            ck_assert_uint_lt(g->timers, RIG_TIMERS_MAX);
            g->timer[g->timers].timer = g->out.at[i].as.arm.timer;
            g->timer[g->timers].arm = g->out.at[i].as.arm.arm;
            g->timer[g->timers++].at_us = g->now_us + g->out.at[i].as.arm.in_us;
            break;
        case LEDGER_DRAIN:
            g->drain.fence = g->out.at[i].as.drain.fence;
            g->drain.op = g->out.at[i].as.drain.op;
            g->drain.n++;
            break;
        case LEDGER_NODE_MESSAGE: break;
        }
    }
    g->out.n = 0;
}

static inline void rig_boot_as(struct rig *g, enum authority authority, struct policy p)
{
    memset(g, 0, sizeof *g);
    g->contract = rig_contract();
    g->history = (struct history){ .at = g->obs, .max = RIG_OBS_MAX };
    g->now_us = MS(1000);
    ledger_boot(&g->node, authority == AUTHORITY_SERVER ? 0 : 16, LAYOUT_SINGLE, authority, 7,
                &g->contract, p, &g->history, rig_at(g), rig_now(g), &g->out);
    g->node.subscribers = 2;
    rig_carry(g);
}

static inline void rig_boot(struct rig *g)
{
    rig_boot_as(g, AUTHORITY_SERVER, (struct policy){ 0 });
}

static inline void rig_boot_with(struct rig *g, enum policy_kind k)
{
    rig_boot_as(g, AUTHORITY_SERVER, policy_with((struct policy){ 0 }, k));
}

/* The earliest timer that is due by `until_us` fires; false when there is none. */
static inline bool rig_fire(struct rig *g, int64_t until_us)
{
    uint32_t best = g->timers;
    for (uint32_t i = 0; i < g->timers; i++)
        if (g->timer[i].at_us <= until_us &&
            (best == g->timers || g->timer[i].at_us < g->timer[best].at_us))
            best = i;
    if (best == g->timers) return false;
    g->now_us = g->timer[best].at_us;
    uint32_t timer = g->timer[best].timer, arm = g->timer[best].arm;
    g->timer[best] = g->timer[--g->timers];
    g->fired++;
    ledger_timer(&g->node, timer, arm, rig_at(g), rig_now(g), &g->out);
    rig_carry(g);
    return true;
}

static inline void rig_wait(struct rig *g, int64_t us)
{
    int64_t until_us = g->now_us + us;
    while (rig_fire(g, until_us)) continue;
    g->now_us = until_us;
}

/* Page p lives in partition p / 10, tabs are numbered alike. */
static inline struct request rig_request(struct rig *g, enum request_kind kind, uint16_t page)
{
    return (struct request){ .id = ++g->requests, .kind = kind, .page = page,
                             .partition = (uint8_t)(page / 10), .partition_key = 100u + page / 10u,
                             .tab_instance = page, .protocol = 3, .sent = rig_now(g) };
}

/* Sends it; the answer, or kind REQ_NONE when none came at once. */
static inline struct answer rig_ask(struct rig *g, struct request r)
{
    g->answer = (struct answer){ .kind = REQ_NONE };
    ledger_request(&g->node, &r, rig_at(g), rig_now(g), OBS_NONE, &g->out);
    rig_carry(g);
    return g->answer;
}

static inline struct answer rig_claim_id(struct rig *g, uint16_t page, uint32_t id)
{
    struct request r = rig_request(g, REQ_CLAIM, page);
    r.key = id;
    return rig_ask(g, r);
}

static inline struct answer rig_claim(struct rig *g, uint16_t page)
{
    return rig_claim_id(g, page, 1000 + g->requests);
}

/* A request about `op` under `f`. */
static inline struct answer rig_do(struct rig *g, enum request_kind kind, uint16_t page,
                                   struct fence f, uint32_t op)
{
    struct request r = rig_request(g, kind, page);
    r.fence = f;
    r.op = op;
    return rig_ask(g, r);
}

static inline struct answer rig_commit(struct rig *g, uint16_t page, struct fence f, uint32_t op)
{
    struct request r = rig_request(g, REQ_COMMIT, page);
    r.fence = f;
    r.op = op;
    r.parts = 1u << PART_CURSOR | 1u << PART_DELETE;
    return rig_ask(g, r);
}

static inline struct answer rig_renew(struct rig *g, uint16_t page, struct fence f, uint32_t acked)
{
    struct request r = rig_request(g, REQ_RENEW, page);
    r.fence = f;
    r.acked = acked;
    return rig_ask(g, r);
}

static inline struct answer rig_reconcile(struct rig *g, uint16_t page, struct fence f, uint32_t op,
                                          enum outcome outcome)
{
    struct request r = rig_request(g, REQ_RECONCILE, page);
    r.fence = f;
    r.op = op;
    r.outcome = outcome;
    return rig_ask(g, r);
}

static inline void rig_submit(struct rig *g, uint32_t op)
{
    ck_assert_int_eq(rig_do(g, REQ_SUBMIT, 1, (struct fence){ 0, 0, 0 }, op).result, ANS_OK);
}

static inline uint32_t rig_count(const struct rig *g, enum obs_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->history.n; i++) n += g->obs[i].kind == kind;
    return n;
}

/* The newest observation of a kind; the test fails when there is none. */
static inline const struct obs *rig_last(const struct rig *g, enum obs_kind kind)
{
    for (uint32_t i = g->history.n; i-- > 0;)
        if (g->obs[i].kind == kind) return &g->obs[i];
    ck_abort_msg("no %s in the history", obs_info[kind].word);
    return NULL;
}

#define ck_assert_fence(f, e, gen)                      \
    do {                                                \
        struct fence fence_ = (f);                      \
        ck_assert_uint_eq(fence_.incarnation, 7);       \
        ck_assert_uint_eq(fence_.epoch, (e));           \
        ck_assert_uint_eq(fence_.generation, (gen));    \
    } while (0)

#endif
