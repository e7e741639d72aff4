/* For the tests of the client: one leader with its worker, its timers in order, and a log of
 * whatever it asked for. There is no network and no lock manager: the test plays them.
 *
 *   rig_open       a page and a contract; change its members, then rig_start
 *   rig_in …       one input; what the two threads post to each other is handed over at once
 *   rig_wait       time passes, timers fire
 *   rig_forget     empties the log; counts and look-ups are about what came since
 *   rig_lead       the shortest way to leadership
 *
 * The rig refuses what no client may do, whatever a test is about: a state that did not follow
 * from the one before, an identifier used twice, a fenced request without a fence. */
#ifndef SIM_CLIENT_RIG_H
#define SIM_CLIENT_RIG_H

#include "sim/base/must.h"
#include "sim/client/leader.h"

#define MS(n) (INT64_C(n) * US_PER_MS)
#define RIG_LOG_MAX 8192
#define RIG_POSTS_MAX 64
#define RIG_TAB 77u

struct rig {
    struct contract contract;
    struct policy policy;
    bool has_locks, visible, local_authority, single_page, lawless; /* lawless: a mutant on trial */
    uint32_t protocol, session_instance;
    struct leader client;
    struct client_requests requests;
    int64_t now_us, wall_ahead_us;
    struct {
        uint32_t leader;
        struct local beat;
    } storage;
    bool has_session;       /* then the client sees `session`, and writes it */
    struct session session;
    uint32_t last_event;    /* the number that the partition has stored */
    bool hangs; /* the page's thread is busy: posts to it wait */
    struct {
        bool armed;
        int64_t at_us;
    } timer[2][TIMER_COUNT];
    struct {
        enum client_thread to;
        struct client_message message;
    } post[RIG_POSTS_MAX];
    uint32_t posts;
    struct client_output log[RIG_LOG_MAX];
    struct local log_at[RIG_LOG_MAX];
    uint32_t n, from; /* all that was asked for; the log begins at `from` */
    uint32_t last_lock, last_send[2], sequence;
    enum client_state state; /* as reported */
};

static inline struct fence rig_fence(uint32_t generation)
{
    return (struct fence){ 1, 1, generation };
}

static inline void rig_open(struct rig *g)
{
    *g = (struct rig){ .has_locks = true,
                       .visible = true,
                       .protocol = 3,
                       .session_instance = 5,
                       .now_us = US_PER_S,
                       .wall_ahead_us = US_PER_S };
    g->contract = (struct contract){
        .protocol_version = 3,
        .steal = STEAL_INCIDENT_ONLY,
        .max_hold_us = MS(30000),
        .fallback = FALLBACK_SERVER_COORDINATED,
        .stage = STAGE_OUTBOX,
        .lease = { .ttl_us = MS(1200), .renew_us = MS(400) },
        .heartbeat = { .interval_us = MS(2000), .suspect_after_us = MS(5000) },
        .request_timeout_us = MS(350),
    };
}

static inline bool rig_is_fenced(enum request_kind k)
{
    return k == REQ_RENEW || k == REQ_RELEASE || k == REQ_TAKE || k == REQ_COMMIT || k == REQ_ACK ||
           k == REQ_RECONCILE || k == REQ_EFFECT;
}

/* What no client may do. */
static inline void rig_must_be_lawful(struct rig *g, const struct client_output *o)
{
    static const uint32_t may[STATE_COUNT] = {
        [STATE_FOLLOWER] = 1u << STATE_REQUESTING,
        [STATE_REQUESTING] = 1u << STATE_LEADER | 1u << STATE_DRAINING | 1u << STATE_ABORTED,
        [STATE_LEADER] = 1u << STATE_DRAINING,
        [STATE_DRAINING] = 1u << STATE_RELEASED,
        [STATE_RELEASED] = 1u << STATE_FOLLOWER,
        [STATE_ABORTED] = 1u << STATE_FOLLOWER,
    };
    if (o->kind == OUT_STATE) {
        must(o->as.state.from == g->state);
        must(g->lawless || (may[o->as.state.from] >> o->as.state.to & 1));
        g->state = (enum client_state)o->as.state.to;
    }
    if (o->kind == OUT_LOCK) {
        must(o->id > g->last_lock);
        g->last_lock = o->id;
    }
    if (o->kind == OUT_SEND) {
        must(o->id == o->as.request.id);
        must(o->id > g->last_send[o->thread]);
        must(o->as.request.sent.us == g->now_us);
        must(g->lawless || !rig_is_fenced(o->as.request.kind) ||
             !fence_is_none(o->as.request.fence));
        g->last_send[o->thread] = o->id;
    }
}

static inline void rig_carry(struct rig *g, const struct client_output *o)
{
    rig_must_be_lawful(g, o);
    must(g->n < RIG_LOG_MAX);
    g->log_at[g->n].us = g->now_us;
    g->log[g->n++] = *o;
    switch (o->kind) {
    case OUT_TIMER:
        g->timer[o->thread][o->id].armed = true;
        g->timer[o->thread][o->id].at_us = g->now_us + o->us;
        break;
    case OUT_TIMER_OFF: g->timer[o->thread][o->id].armed = false; break;
    case OUT_POST:
        must(g->posts < RIG_POSTS_MAX);
        g->post[g->posts].to = o->thread == THREAD_PAGE ? THREAD_WORKER : THREAD_PAGE;
        g->post[g->posts++].message = o->as.message;
        break;
    case OUT_STORE:
        g->storage.leader = o->as.store.leader;
        g->storage.beat = o->as.store.beat;
        break;
    case OUT_SESSION:
        if (o->flags & SESSION_IF_UNCHANGED && o->as.session.version != g->session.version) break;
        g->session.version++;
        g->session.account = o->as.session.account;
        g->session.token = o->as.session.token;
        g->session.due = o->as.session.due;
        break;
    case OUT_EVENT:
    case OUT_GAP:
        if (!(o->flags & EVENT_PLACE_LATER)) g->last_event = o->as.event.to;
        break;
    default: break;
    }
}

static inline void rig_step(struct rig *g, struct client_input in)
{
    in.now.us = g->now_us;
    in.wall.us = g->now_us + g->wall_ahead_us;
    in.storage.leader = g->storage.leader;
    in.storage.beat = g->storage.beat;
    in.last_event = g->last_event;
    if (g->has_session) in.session = &g->session;
    leader_step(&g->client, &in, &g->requests);
    for (uint32_t i = 0; i < g->requests.n; i++) rig_carry(g, &g->requests.at[i]);
}

/* The oldest post that can be handed over; false when there is none. */
static inline bool rig_hand_over(struct rig *g)
{
    for (uint32_t i = 0; i < g->posts; i++) {
        if (g->hangs && g->post[i].to == THREAD_PAGE) continue;
        struct client_message m = g->post[i].message;
        struct client_input in = { .kind = IN_POST, .thread = g->post[i].to, .message = &m };
        g->posts--;
        for (uint32_t k = i; k < g->posts; k++) g->post[k] = g->post[k + 1];
        rig_step(g, in);
        return true;
    }
    return false;
}

static inline void rig_in(struct rig *g, struct client_input in)
{
    rig_step(g, in);
    while (rig_hand_over(g)) continue;
}

static inline void rig_tell(struct rig *g, enum client_input_kind kind)
{
    rig_in(g, (struct client_input){ .kind = kind });
}

static inline void rig_start(struct rig *g)
{
    __typeof__(*((struct client_input *)0)->start) start = {
        .contract = &g->contract,
        .policy = g->policy,
        .tab_instance = RIG_TAB,
        .session_instance = g->session_instance,
        .protocol = g->protocol,
        .device = 0,
        .partition = 0,
        .partition_key = 1,
        .has_locks = g->has_locks,
        .visible = g->visible,
        .server_authority = !g->local_authority,
        .single_page = g->single_page,
    };
    rig_in(g, (struct client_input){ .kind = IN_START, .start = &start });
}

/* Time passes; a timer that falls due fires at its time. A page that hangs fires none of its
 * own. */
static inline void rig_wait(struct rig *g, int64_t us)
{
    int64_t end = g->now_us + us;
    for (;;) {
        int t = -1, id = 0;
        int64_t next = end;
        for (int k = 0; k < 2 * TIMER_COUNT; k++) {
            int thread = k / TIMER_COUNT, n = k % TIMER_COUNT;
            if (!g->timer[thread][n].armed || g->timer[thread][n].at_us > next) continue;
            if (g->hangs && thread == THREAD_PAGE) continue;
            if (t >= 0 && g->timer[thread][n].at_us == next) continue;
            next = g->timer[thread][n].at_us;
            t = thread;
            id = n;
        }
        if (t < 0) break;
        g->now_us = next;
        g->timer[t][id].armed = false;
        rig_in(g, (struct client_input){
                      .kind = IN_TIMER, .thread = (enum client_thread)t, .id = (uint32_t)id });
    }
    g->now_us = end;
}

/* ---- the log ------------------------------------------------------------------------------ */

static inline void rig_forget(struct rig *g)
{
    g->from = g->n;
}

static inline uint32_t rig_count(const struct rig *g, enum client_output_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = g->from; i < g->n; i++) n += g->log[i].kind == kind;
    return n;
}

/* The newest of its kind; must() when there is none. */
static inline const struct client_output *rig_last(const struct rig *g,
                                                   enum client_output_kind kind)
{
    for (uint32_t i = g->n; i-- > g->from;)
        if (g->log[i].kind == kind) return &g->log[i];
    must(false);
    return NULL;
}

/* The newest request of the kind, NULL when none was sent. */
static inline const struct request *rig_sent(const struct rig *g, enum request_kind kind)
{
    for (uint32_t i = g->n; i-- > g->from;)
        if (g->log[i].kind == OUT_SEND && g->log[i].as.request.kind == kind)
            return &g->log[i].as.request;
    return NULL;
}

static inline uint32_t rig_sent_n(const struct rig *g, enum request_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = g->from; i < g->n; i++)
        n += g->log[i].kind == OUT_SEND && g->log[i].as.request.kind == kind;
    return n;
}

/* Requests that want a fence and are not mere housekeeping of the lease. */
static inline uint32_t rig_writes(const struct rig *g)
{
    return rig_sent_n(g, REQ_TAKE) + rig_sent_n(g, REQ_COMMIT) + rig_sent_n(g, REQ_ACK) +
           rig_sent_n(g, REQ_RECONCILE) + rig_sent_n(g, REQ_EFFECT);
}

/* Messages on the channel, or posts between the threads, of one kind. */
static inline uint32_t rig_said(const struct rig *g, enum client_output_kind how,
                                enum leader_message kind)
{
    uint32_t n = 0;
    for (uint32_t i = g->from; i < g->n; i++)
        n += g->log[i].kind == how && g->log[i].as.message.kind == kind;
    return n;
}

static inline bool rig_entered(const struct rig *g, enum client_state state)
{
    for (uint32_t i = g->from; i < g->n; i++)
        if (g->log[i].kind == OUT_STATE && g->log[i].as.state.to == state) return true;
    return false;
}

/* Where the first of the kind stands in the log; RIG_LOG_MAX when nowhere. */
static inline uint32_t rig_place(const struct rig *g, enum client_output_kind kind)
{
    for (uint32_t i = g->from; i < g->n; i++)
        if (g->log[i].kind == kind) return i;
    return RIG_LOG_MAX;
}

static inline uint32_t rig_place_of(const struct rig *g, enum request_kind kind)
{
    for (uint32_t i = g->from; i < g->n; i++)
        if (g->log[i].kind == OUT_SEND && g->log[i].as.request.kind == kind) return i;
    return RIG_LOG_MAX;
}

/* ---- what a page is told --------------------------------------------------------- */

/* The newest lock request is granted. */
static inline void rig_grant(struct rig *g)
{
    rig_in(g, (struct client_input){ .kind = IN_LOCK_GRANTED, .id = g->last_lock });
}

/* An answer to `r`, which is copied first: the log moves on. */
static inline void rig_answer_as(struct rig *g, const struct request *r, struct answer a)
{
    must(r != NULL);
    a.request = r->id;
    a.kind = r->kind;
    a.sent = r->sent;
    if (!a.op) a.op = r->op;
    if (r->kind == REQ_RENEW && !a.sequence) a.sequence = ++g->sequence;
    enum client_thread t = r->kind == REQ_RENEW ? THREAD_WORKER : THREAD_PAGE;
    rig_in(g,
           (struct client_input){ .kind = IN_ANSWER, .thread = t, .id = a.request, .answer = &a });
}

/* ... to the newest request of the kind, in the log or before it. */
static inline void rig_answer(struct rig *g, enum request_kind kind, struct answer a)
{
    uint32_t from = g->from;
    g->from = 0;
    const struct request *r = rig_sent(g, kind);
    g->from = from;
    rig_answer_as(g, r, a);
}

static inline void rig_result(struct rig *g, enum request_kind kind, enum answer_result result)
{
    rig_answer(g, kind, (struct answer){ .result = result });
}

static inline void rig_hear(struct rig *g, enum leader_message kind, uint32_t a)
{
    struct client_message m = {
        .kind = (uint8_t)kind, .tab_instance = RIG_TAB + 1, .a = a, .at = { g->now_us }
    };
    rig_in(g, (struct client_input){ .kind = IN_MESSAGE, .message = &m });
}

static inline void rig_push(struct rig *g, enum push_kind kind, struct fence fence,
                            uint8_t partition)
{
    struct push p = { .kind = kind, .fence = fence, .leader_partition = partition };
    rig_in(g, (struct client_input){ .kind = IN_PUSH, .push = &p });
}

static inline void rig_submit(struct rig *g, uint32_t op)
{
    rig_in(g, (struct client_input){ .kind = IN_SUBMIT, .id = op });
}

/* ---- the usual ways -------------------------------------------------------------- */

/* Lock, claim, generation `generation`, with `tasks` in the outbox. */
static inline void rig_claim_ok(struct rig *g, uint32_t generation, uint32_t tasks)
{
    rig_answer(
        g, REQ_CLAIM,
        (struct answer){ .result = ANS_OK, .fence = rig_fence(generation), .more_tasks = tasks });
}

/* From nothing to leadership; then the log is empty and no time has passed. */
static inline void rig_lead(struct rig *g, uint32_t tasks)
{
    rig_start(g);
    rig_grant(g);
    rig_claim_ok(g, 1, tasks);
}

/* The newest renewal is answered in time. */
static inline void rig_renewed(struct rig *g, uint32_t tasks)
{
    struct fence f = rig_sent(g, REQ_RENEW)->fence;
    rig_answer(g, REQ_RENEW, (struct answer){ .result = ANS_OK, .fence = f, .more_tasks = tasks });
}

/* Leads on for `us`: every renewal is answered at once. */
static inline void rig_lead_on(struct rig *g, int64_t us)
{
    int64_t end = g->now_us + us;
    while (g->now_us < end) {
        uint32_t from = g->from;
        rig_forget(g);
        rig_wait(g, end - g->now_us < MS(50) ? end - g->now_us : MS(50));
        if (rig_sent(g, REQ_RENEW)) rig_renewed(g, 0);
        g->from = from;
    }
}

#endif
