/* server-lease-ledger and indexeddb-ledger: one record for one (account,
 * workstream), and the node that keeps it (protocol.md, "The authority").
 *
 * A node is a step function: requests, messages of other nodes, its own timers
 * and crashes come in; answers, pushes, node messages and timers go out through
 * `struct ledger_out`, in order. It reads its own clock from the input alone, knows
 * nothing of pages beyond what requests say, and writes its decisions to the history.
 *
 *   ledger_boot      a fresh authority: epoch 1, generation 0, nothing enqueued
 *   ledger_request   a request arrived
 *   ledger_message   a node's message arrived (quorum layout)
 *   ledger_timer     a timer that was asked for fires (a stale one is ignored)
 *   ledger_crash / ledger_restart   everything that was not stored is gone
 *   ledger_incident  advance-epoch or reopen, by an operator
 *   ledger_state     what a new subscriber is told first
 *
 * `out` is overwritten by every call; the caller carries it out before the next.
 * A node that is down ignores everything but ledger_restart.
 *
 * Layouts. SINGLE: one node decides at once. QUORUM: LEDGER_NODES nodes; the
 * primary of the highest view decides when a majority has stored the decision
 * (whole record, view, index); a minority refuses (UNAVAILABLE) or sends elsewhere
 * (REDIRECT). A replica that misses the primary stands for election with its
 * (view, index); a majority's votes and the newest record among them make it
 * primary. A restarted or new primary gives no permits for permit_grace. */
#ifndef SIM_SERVER_LEDGER_H
#define SIM_SERVER_LEDGER_H

#include "sim/base/contract.h"
#include "sim/base/history.h"
#include "sim/base/message.h"
#include "sim/base/policy.h"

#define LEDGER_NODES 3
#define LEDGER_OPS_MAX 64        /* operations of a round; the largest scenario submits 40 */
#define LEDGER_CLAIMS_MAX 64     /* remembered claim ids, oldest forgotten first */
#define LEDGER_OUT_MAX 64
#define LEDGER_WAITING_MAX 40    /* requests that wait for a decision under way (quorum); beyond it
                                    UNAVAILABLE. All their answers have to fit one ledger_out. */
#define LEDGER_LATE_MAX 16       /* requests between two steps of a mutant; beyond it at once */

enum task_state { TASK_NONE, TASK_QUEUED, TASK_TAKEN, TASK_ACKED, TASK_DONE };

struct task {
    enum task_state state;
    struct fence owner;          /* TAKEN, ACKED */
    bool server_owned;
    bool unreconciled;           /* taken by an earlier generation, outcome not known */
    uint32_t protocol;
};

/* A decision: a request, or something that the ledger does by itself. */
enum ledger_step_kind {
    STEP_REQUEST, STEP_EXPIRE, STEP_SERVER_CLAIM, STEP_SERVER_TAKE, STEP_SERVER_DONE,
    STEP_EPOCH, STEP_REOPEN, STEP_ADOPT /* a new primary takes over what it found */
};

struct ledger_step {
    enum ledger_step_kind kind;
    struct request request;      /* STEP_REQUEST */
    uint32_t cause;
    struct local now;            /* when it was decided */
    enum answer_result result;
    bool acts;                   /* it changes the record */
    bool repeated;               /* accepted before, told again */
    bool trusted;                /* a mutant's late step: checked when it arrived */
    bool has_read;               /* a mutant's claim, in two steps: */
    uint32_t read_generation;    /* ... what the first one read */
    bool reconciles;             /* STEP_SERVER_DONE: the outcome had been unknown */
    struct fence fence;          /* CLAIM: the generation that was taken */
    uint32_t op;                 /* TAKE and server's steps: which */
    uint32_t parts;              /* COMMIT: bit set of the accepted parts */
    int64_t wait_us;
};

/* The record: everything that a decision changes, stored as a whole. */
struct ledger_record {
    struct fence fence;          /* the largest accepted; generation 0 before the first claim */
    bool held;                   /* a lease is bound to `fence` (by a page, or the server) */
    bool server_holds;
    bool expired;                /* it ran out unreleased; final */
    bool closed;                 /* client claims are closed (incident) */
    uint16_t owner_page;         /* for the history only */
    uint32_t owner_tab;          /* tabInstanceId */
    uint8_t owner_partition;
    uint32_t owner_partition_key;
    bool owner_without_lock;
    uint32_t protocol;           /* newest that ever claimed */
    struct local lease_end;      /* by the deciding node's clock */
    struct local vacant_since;   /* released or expired at; valid while !held */
    uint32_t renew_sequence;     /* of the last renewal that extended a lease */
    uint32_t lease_sequence;     /* renew_sequence when the lease began */
    uint32_t cursor;
    struct { uint32_t id; struct fence fence; uint16_t page; } claim[LEDGER_CLAIMS_MAX];
    uint32_t claims;
    struct {
        uint32_t id;
        uint16_t page;
        uint8_t partition;
        struct local until;
        bool used, elsewhere;
    } permit; /* the last one */
    uint32_t permits;            /* ids given so far */
    struct local idle_permit_after; /* no permit to a partition that does not lead before */
    struct task task[LEDGER_OPS_MAX]; /* index: op - 1 */
    uint32_t tasks;              /* the largest op enqueued so far */
    uint32_t queued, open;       /* tasks that are QUEUED; QUEUED, TAKEN or ACKED */
    uint32_t view, index;        /* quorum: the view that stored it, decision index */
    struct ledger_step last;     /* quorum: the decision that made it */
};

enum ledger_out_kind { LEDGER_ANSWER, LEDGER_PUSH, LEDGER_NODE_MESSAGE, LEDGER_ARM, LEDGER_DRAIN };

/* Between nodes (quorum); a value, copied by the carrier. */
struct node_message {
    enum { NODE_STORE, NODE_STORED, NODE_VOTE_ASK, NODE_VOTE, NODE_ALIVE } kind;
    uint8_t from, to;
    uint32_t view;               /* the sender's; VOTE_ASK, VOTE: the one that is stood for */
    uint32_t record_view, index; /* of the sender's stored record */
    bool yes;
    struct local sent;           /* the sender's clock: the record's times are by it */
    struct local echo;           /* STORED, VOTE: `sent` of the message that it answers */
    struct ledger_record record; /* STORE, VOTE that says yes; else not set */
};

struct ledger_out {
    uint32_t n;
    struct {
        enum ledger_out_kind kind;
        uint32_t cause;                 /* number of the observation that led to it */
        union {
            struct { struct answer answer; uint16_t page; uint8_t device; } answer;
            struct push push;           /* to every subscriber that this node has */
            uint32_t message;           /* LEDGER_NODE_MESSAGE: index into message[] */
            struct { uint32_t timer, arm; int64_t in_us; } arm; /* fires ledger_timer(timer, arm) */
            /* LEDGER_DRAIN: the server's worker has taken op under fence and sends its effect;
             * the world carries it to the provider and reports by ledger_drained */
            struct { struct fence fence; uint32_t op; } drain;
        } as;
    } at[LEDGER_OUT_MAX];
    struct node_message message[LEDGER_NODES * 2];
    uint32_t messages;
};

#define LEDGER_TIMERS 4

struct ledger_node {
    uint8_t id;
    enum layout layout;
    enum authority authority;
    const struct contract *contract;
    struct policy policy;
    struct history *history;
    struct ledger_record stored;        /* quorum: survives a crash (SINGLE: `record` does) */
    struct ledger_record record;        /* what it decides from */
    bool up, primary, grace;
    uint32_t view, voted_view;
    struct local now, grace_until, primary_heard;
    uint32_t arms;                      /* number of the newest arming; stale timers are ignored */
    uint32_t subscribers;               /* pages connected to this node, kept by the world */
    bool quota_full;                    /* indexeddb-ledger: writes fail, told by the world */
    /* the implementation's own members follow; see ledger_internal.h */
    bool decides;                       /* it can decide, as far as it knows; as of its last step */
    struct { struct fence fence; uint16_t page; } accepts; /* as last told by ledger.acceptable */
    struct { bool armed; uint32_t arm; struct local due; } timer[LEDGER_TIMERS];
    bool watched;                       /* somebody has subscribed since it came up */
    struct local watched_since;         /* ... and when */
    struct local pushed;                /* the last repeated push */
    struct local drain_due;             /* no report by then: the effect is sent again */
    uint32_t drain_op;                  /* in flight at the server's worker, 0 none */
    struct fence drain_fence;
    struct { uint32_t arm; struct ledger_step step; } late[LEDGER_LATE_MAX];
    uint32_t late_n;
    /* quorum */
    struct ledger_step waiting[LEDGER_WAITING_MAX];
    uint32_t waiting_n;
    struct ledger_step deciding;        /* its record is `stored`, not yet `record` */
    bool busy;
    uint32_t stored_votes, votes;       /* bit sets of nodes */
    uint32_t standing;                  /* the view that it stands for, 0 none */
    uint8_t primary_id;
    struct local waits_since;           /* for a primary or for votes */
    struct local told;                  /* primary: the last message to everybody */
    struct local echo[LEDGER_NODES];    /* primary: its newest message that each answered */
};

void ledger_boot(struct ledger_node *n, uint8_t id, enum layout layout, enum authority authority,
                 uint32_t incarnation, const struct contract *c, struct policy p,
                 struct history *h, struct instant at, struct local now, struct ledger_out *out);

/* `at` is the world's time for the history, `now` the node's own clock; `cause` the
 * observation (request.arrived, ...) that the decision follows from. */
void ledger_request(struct ledger_node *n, const struct request *r, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out);
void ledger_message(struct ledger_node *n, const struct node_message *m, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out);
void ledger_timer(struct ledger_node *n, uint32_t timer, uint32_t arm, struct instant at,
                  struct local now, struct ledger_out *out);
void ledger_drained(struct ledger_node *n, struct fence fence, uint32_t op, bool done,
                    struct instant at, struct local now, uint32_t cause, struct ledger_out *out);
void ledger_crash(struct ledger_node *n, struct instant at, uint32_t cause);
void ledger_restart(struct ledger_node *n, struct instant at, struct local now, uint32_t cause,
                    struct ledger_out *out);
enum incident { INCIDENT_ADVANCE_EPOCH, INCIDENT_REOPEN };
void ledger_incident(struct ledger_node *n, enum incident what, struct instant at,
                     struct local now, uint32_t cause, struct ledger_out *out);
struct fold;
void ledger_fold(const struct ledger_node *n, struct fold *f); /* seen from the node's clock */
/* A timer that comes to nothing; the place of a mutant's late step among those that wait. */
bool ledger_timer_is_stale(const struct ledger_node *n, uint32_t timer, uint32_t arm);
uint32_t ledger_late_at(const struct ledger_node *n, uint32_t arm);
/* For a page that has just subscribed: LED, EXPIRED, VACANT or CLOSED, as it is now. */
struct push ledger_state(const struct ledger_node *n);
/* The site's data was cleared (indexeddb-ledger): a new, empty incarnation. */
void ledger_cleared(struct ledger_node *n, uint32_t incarnation, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out);

#endif
