/* What travels between pages, ledger and provider: protocol.md's requests and
 * answers as plain structs. Small enough to be copied; nobody keeps a pointer. */
#ifndef SIM_BASE_MESSAGE_H
#define SIM_BASE_MESSAGE_H

#include "sim/base/units.h"
#include "sim/base/words.h"

/* A request to the ledger, or the provider (EFFECT, OUTCOME), or the session's server
 * (REFRESH, SIGN_OUT), or that of the live subscription (FOLLOW, UNFOLLOW). */
struct request {
    uint32_t id;            /* unique in a round; a retry is a new request */
    enum request_kind kind;
    uint16_t page;          /* sender: PAGE_SERVER for the server's worker */
    uint8_t device;
    uint8_t partition;      /* storage partition that the sender lives in */
    uint32_t partition_key; /* the id that the partition names itself by; new after clearing */
    uint32_t tab_instance;  /* tabInstanceId: owner identity in a claim */
    uint32_t protocol;      /* version that the sender speaks */
    struct fence fence;     /* what the sender shows at the door */
    uint32_t op;            /* TAKE: 0 (any); COMMIT, ACK, RECONCILE, EFFECT, OUTCOME,
                               SUBMIT: which */
    uint32_t key;           /* CLAIM: claim id; EFFECT, OUTCOME, REFRESH: idempotency key;
                               FOLLOW, UNFOLLOW: the page's name of the subscription */
    union {
        uint32_t permit;    /* CLAIM: id of the permit that the lock was stolen with, or 0 */
        uint32_t token;     /* REFRESH, SIGN_OUT: the refresh token that is presented */
        uint32_t after;     /* FOLLOW: the last event that the partition has, 0: none */
    };
    bool without_lock;      /* CLAIM: no Web Lock was passed on to the sender (single-page mode) */
    uint32_t parts;         /* COMMIT: bit set of 1 << enum commit_part */
    uint32_t acked;         /* RENEW: sequence of the last RENEW answer that the sender saw */
    enum outcome outcome;   /* RECONCILE: what the provider said */
    struct local sent;      /* the sender's clock at the call; echoed in the answer */
};

#define UNRECONCILED_MAX 8 /* a page has at most one operation in flight: few generations' worth */

struct answer {
    uint32_t request;     /* id of the request that it answers */
    enum request_kind kind;
    enum answer_result result;
    struct fence fence;   /* CLAIM, RENEW: the generation; FENCED: the current one */
    uint32_t op;          /* TAKE: the task; else echoed */
    uint32_t sequence;    /* RENEW: number of this answer, to be acknowledged by the next renewal */
    uint32_t permit;      /* PERMIT granted: its id */
    uint32_t token;       /* REFRESH: the next one */
    int64_t wait_us;      /* WAIT: until the other device's lease ends; REFRESH: its lifetime;
                             REFUSED permit: until asking again is useful */
    enum outcome outcome; /* OUTCOME */
    /* CLAIM: operations that the new owner has to reconcile.
     * TAKE: the task itself, when it had been taken before. */
    uint32_t unreconciled[UNRECONCILED_MAX];
    uint32_t unreconciled_n;
    uint32_t more_tasks;  /* not done; a task whose TAKE was answered in vain counts */
    uint8_t node_hint;    /* REDIRECT: the node that decides, NODE_NONE when not known */
    struct local sent;    /* copied from the request */
};

/* Server push to every subscriber (repeated while it lasts); events to the one that follows. */
struct push {
    enum push_kind kind;
    struct fence fence;       /* EXPIRED: of the lease that ran out; VACANT: the last one;
                                 LED: the current one */
    uint8_t leader_partition; /* LED: partition of the owner (PARTITION_NONE: the server) */
    union {
        uint32_t tasks;       /* that wait */
        uint32_t event;       /* EVENT: its number; EVENTS_LOST: of the last one */
    };
    uint32_t subscription;    /* EVENT, EVENTS_LOST: its key */
    uint8_t node;             /* which node says so: it decides */
    bool standing;            /* told on connecting: how things stand, perhaps for long */
};

#endif
