/* leader-worker@3, the reference protocol (protocol.md), as one step function.
 *
 *              request                 claim accepted
 *   FOLLOWER ----------> REQUESTING ------------------> LEADER
 *      ^                  |      |                         |
 *      |  wait cancelled  |      | claim refused,          | hidden, freeze, pagehide, maxHold,
 *      |                  v      | cannot be asked         | stolen, fenced, lease over
 *      +------------- ABORTED    +-------> DRAINING <------+
 *      |                                       | in flight settled or handed over,
 *      +------------- RELEASED <---------------+ fence released, callback settled
 *
 * FOLLOWER    nothing is asked for: another device leads, the epoch is closed, the page is too old
 *             or has no locks. Subscribed all the same.
 * REQUESTING  waits for the lock, or has it and waits for the claim's answer. Writes nothing.
 * LEADER      the claim's answer was handled within its lease. Takes, sends, acknowledges, commits,
 *             each with the fence, each only while its own count of the lease lasts.
 * DRAINING    takes nothing new; finishes or hands over what is in flight.
 *
 * Two threads. The page holds the lock, decides and writes. Its worker keeps time
 * (timers of hidden pages are throttled, TM-5..9): it renews the lease, beats,
 * watches for answers that do not come. Members of `page` are touched by inputs
 * of the page's thread alone, those of `worker` by the worker's. They talk by
 * OUT_POST, which takes time and waits while the page is blocked: so a hung
 * page stops answering pings, and the worker stops renewing for it.
 *
 * Deliberate deviations (policy.def, "client") are asked by name where the protocol
 * could go wrong; deviations.c holds what they do instead. */
#ifndef SIM_CLIENT_LEADER_H
#define SIM_CLIENT_LEADER_H

#include "sim/client/client.h"

/* Messages of pages and workers. */
enum leader_message {
    MSG_HEARTBEAT,      /* channel: a leader lives; a: 1 when hidden */
    MSG_VISIBLE_WAITS,  /* channel: a visible page waits, hidden ones give way */
    MSG_REMOTE_LEADS,   /* channel: the ledger says that another device leads; a: ms to go */
    MSG_SILENT,         /* channel: the ledger has stopped answering this device */
    MSG_TASK,           /* channel: operation a was accepted into the outbox */
    MSG_EVENT,          /* channel: event a is in the store; pages read it there */
    MSG_WHO_LEADS,      /* channel, deviations: who leads? The one that does answers */
    MSG_CALL,           /* channel, deviations: the leader is to do operation a */
    MSG_RECEIPT,        /* channel, deviation CALLS_RESENT: operation a was done */
    /* page to worker */
    POST_LEAD, POST_STOP, POST_WATCH, POST_PONG, POST_RENEW_NOW, POST_WAITING,
    /* worker to page */
    POST_PING, POST_RENEWED, POST_LOST, POST_TIMEOUT, POST_MAX_HOLD, POST_SUSPECT,
};

/* What the worker watches for the page, a timer each. */
enum watch {
    WATCH_CLAIM, WATCH_WORK, WATCH_PERMIT, WATCH_SUBMIT, WATCH_RETRY, WATCH_DRAIN, WATCH_COUNT
};
enum leader_timer {
    TIMER_RENEW = WATCH_COUNT, TIMER_BEAT, TIMER_HOLD, TIMER_SUSPECT, TIMER_PAGE, TIMER_COUNT
};

enum work_step {
    WORK_NONE, WORK_TAKE, WORK_EFFECT, WORK_OUTCOME, WORK_RECONCILE, WORK_ACK, WORK_COMMIT
};

#define KNOWN_OPS_MAX 8

struct leader {
    const struct contract *contract;
    struct policy policy;
    uint32_t tab_instance, session_instance, session_sequence, protocol, partition_key, jitter;
    uint8_t device, partition;
    bool server_authority, single_page;

    struct {
        enum client_state state;
        bool has_locks, visible, gone, too_old, closed;
        uint32_t last_id, claims;
        struct { uint32_t id; bool waiting, granted; uint32_t permit; } lock;
        struct {
            uint32_t id, request, first_request, answered;
            bool probing;
            struct local first_sent, began;
        } claim;
        struct fence fence;
        struct local lease_end, wall_lease_end;
        bool believes, revalidating;
        struct { enum work_step step; uint32_t op, request, tries; enum outcome outcome; } work;
        uint32_t tasks;                    /* that wait in the outbox, as last heard */
        uint32_t unreconciled[UNRECONCILED_MAX], unreconciled_n;
        enum why_ended draining_why;
        struct fence vacancy;              /* of the last VACANT or EXPIRED push */
        struct local visible_waits_until, told_waiting, silent_until;
        struct { uint32_t request, used; struct local not_before; } permit;
        struct { uint32_t request, op; } submit;
        bool away;                         /* another account is signed in, or none */
        struct {
            uint32_t request, token, version; /* in flight, and what it is based on */
            struct fence fence;
            uint32_t next;                 /* deviations: the token of the last answer */
        } refresh;
        struct {
            uint32_t key, request, keys;   /* 0: follows nothing; FOLLOW in flight; used so far */
            struct fence fence;
            struct local heard;            /* its connection worked then */
            uint32_t own;                  /* deviations: the last event that it delivered */
        } feed;
        uint32_t submits[KNOWN_OPS_MAX], submits_n;
        uint32_t known[KNOWN_OPS_MAX], known_n; /* operations heard of on the channel */
        uint32_t node;                     /* ledger node to ask */
        bool unclaimed;                    /* deviation: leads without a claim */
        bool resigned;                     /* deviations: asks for nothing (any more) */
        uint32_t twin;                     /* deviations: another request for the lock */
        uint64_t own_ops;                  /* deviation OWN_ONLY: a bit each */
        struct local started;              /* deviation TOLD_ONCE */
        uint32_t attempt;                  /* deviations: number of new keys, of steals */
        struct local last_heard, last_wondered; /* heartbeat on the channel; own suspicion timer */
    } page;

    struct {
        bool leads;
        struct fence fence;
        struct local lease_end, last_pong, last_answer;
        bool told_silence;
        uint32_t acked, request, answered, node;
        uint32_t watched[WATCH_COUNT];
        bool hidden, waiting;
        uint32_t last_id;
    } worker;
};

void leader_step(struct leader *l, const struct client_input *in, struct client_requests *out);

#endif
