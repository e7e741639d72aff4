/* The client interface: what a page's code can be told and what it can ask for.
 *
 * A client is a pure step function. One input comes in, a bounded list of
 * requests goes out; it cannot read a clock, draw a number or see another page.
 * It lives on two threads, the page and its dedicated worker; an input says on
 * which thread it arrives, and code of one thread reaches the other only by
 * OUT_POST (the reference keeps to that: see leader.h).
 *
 * Time is the device's monotonic clock (struct local). `wall` is the page's wall
 * clock, which jumps; the reference never reads it. */
#ifndef SIM_CLIENT_CLIENT_H
#define SIM_CLIENT_CLIENT_H

#include "sim/base/contract.h"
#include "sim/base/message.h"
#include "sim/base/policy.h"

enum client_thread { THREAD_PAGE, THREAD_WORKER };

enum client_input_kind {
    IN_START,           /* the document's script runs: `start` */
    IN_LOCK_GRANTED,    /* the callback of lock request `id` runs with the lock */
    IN_LOCK_UNAVAILABLE,/* ifAvailable: the callback runs with null */
    IN_LOCK_REFUSED,    /* request() rejected: `error` (WL-10) */
    IN_LOCK_LOST,       /* AbortError after a grant: stolen (WL-53), dropped by the cache (WL-70) */
    IN_LOCK_ABORTED,    /* the wait ended by our own signal */
    IN_QUERY,           /* locks.query(): `holder_seen` */
    IN_ANSWER,          /* an answer: `answer` */
    IN_FAILED,          /* network error for request `id`: outcome unknown (FX-4) */
    IN_TIMER,           /* timer `id` of this thread */
    IN_PUSH,            /* server push: `push` */
    IN_MESSAGE,         /* BroadcastChannel: `message` */
    IN_POST,            /* from the other thread: `message` */
    IN_VISIBLE, IN_HIDDEN, IN_FREEZE, IN_RESUME,
    IN_PAGEHIDE,        /* `persisted` */
    IN_PAGESHOW,        /* `persisted` */
    IN_SUBMIT,          /* the user created operation `id` */
    IN_ACCOUNT,         /* storage event: somebody signed in or out; see `session` */
    IN_SIGN_OUT,        /* the user signs out here; the session is still there to be read */
};

/* What pages tell each other and their workers: a kind and a few words. */
struct client_message {
    uint8_t kind, b;    /* the client's own; leader.h */
    uint32_t tab_instance;
    struct fence fence;
    uint32_t a;
    struct local at;
};

/* The record of the storage partition: who is signed in there, and the refresh token of the
 * contract's account. Every write makes a new version. */
struct session {
    enum account account;
    uint32_t token, version;
    struct local due; /* when it should be refreshed */
};

/* What a document's script finds when it starts. */
struct client_start {
    const struct contract *contract;
    struct policy policy;
    uint32_t tab_instance;      /* drawn for this document */
    uint32_t session_instance;  /* from the tab's sessionStorage; equal in a duplicate (ST-19) */
    uint32_t session_sequence;  /* the same, of a counter kept there */
    uint32_t protocol;
    uint8_t device, partition;
    uint32_t partition_key;
    bool has_locks, visible;
    uint32_t jitter;            /* a drawn number below 1024 */
    bool server_authority;
    bool single_page;           /* the user chose single-page mode for this tab */
};

struct client_input {
    enum client_input_kind kind;
    enum client_thread thread;
    struct local now, wall;
    uint32_t id;
    enum lock_error error;
    bool persisted, holder_seen;
    uint32_t last_event; /* that was delivered in this partition, 0: none; read like `session` */
    /* localStorage as this process sees it now (ST-11: a cached, perhaps stale view) */
    struct { uint32_t leader; struct local beat; } storage;
    const struct session *session; /* a transaction's reading now; NULL: nobody signs in or out */
    union { /* by kind */
        const struct answer *answer;
        const struct push *push;
        const struct client_message *message;
        const struct client_start *start;
    };
};

enum client_output_kind {
    OUT_LOCK,       /* locks.request: id, flags (LOCK_IS_*); exclusive, the contract's name */
    OUT_LOCK_ABORT, /* controller.abort() of a waiting request: id */
    OUT_LOCK_SETTLE,/* the callback's promise settles: id */
    OUT_QUERY,
    OUT_SEND,       /* fetch to ledger or provider: request; the world fills in who sends it */
    OUT_SUBSCRIBE,  /* open the push stream */
    OUT_TIMER,      /* arm timer id of this thread for us; arming again replaces */
    OUT_TIMER_OFF,
    OUT_BROADCAST,
    OUT_POST,       /* to the other thread */
    OUT_STORE,      /* localStorage: leader and beat */
    OUT_STATE,      /* the state machine moved: from, to */
    OUT_BELIEF,     /* on: it leads under fence; off: why */
    OUT_WOULD_LEAD,
    OUT_KEPT,       /* the user is told that operation id is safe */
    OUT_SESSION,    /* one transaction: writes the partition's session if flags is 0, or if its
                       version is still as.session.version; then the version counts up;
                       id: the token whose refresh this is about */
    OUT_EVENT,      /* one transaction: event as.event.to (and .from) is delivered and its number
                       stored; flags: EVENT_*; id: the subscription's key */
    OUT_GAP,        /* the same: events .from to .to are lost, the partition's pages are told */
};

struct client_output {
    enum client_output_kind kind;
    enum client_thread thread;
    uint32_t id, flags; /* OUT_SEND: flags is the ledger node to ask, modulo the layout's */
    int64_t us;
    union {
        struct request request;
        struct client_message message;
        struct { uint8_t from, to; } state;
        struct { bool on; struct fence fence; uint8_t why; } belief;
        struct { uint32_t leader; struct local beat; } store;
        struct session session;
        struct { struct fence fence; uint32_t from, to; } event;
    } as;
};

enum { SESSION_IF_UNCHANGED = 1 }; /* flags of OUT_SESSION */
/* Flags of OUT_EVENT, OUT_GAP: only while the local ledger holds that fence; the number is
 * stored some other time (a deviation). */
enum { EVENT_IF_FENCE = 1, EVENT_PLACE_LATER = 2 };

#define CLIENT_OUT_MAX 32 /* of one step; a claim with 8 operations to reconcile makes 14 */

struct client_requests {
    struct client_output at[CLIENT_OUT_MAX];
    uint32_t n;
};

#endif
