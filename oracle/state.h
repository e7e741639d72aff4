/* The facts of a history so far, as an outsider knows them: what every invariant,
 * the measurements and the coverage need in common. Updated once an observation,
 * before any of them runs.
 *
 *   state_open    before the first history: takes all memory from the arena
 *   state_reset   before a history
 *   state_step    each observation, in order; afterwards the facts include it
 *   state_page, state_op, state_request, state_lock, state_claim    look a thing up
 *
 * Facts of "before this observation" are kept where a reader needs them: `was` for
 * the authority, `lock` for the lock request, `before` for the time.
 *
 * Ids index arrays. An id beyond its array is not an error of the history: `lost`
 * says which kind of facts has become incomplete, and whoever needs them says
 * "unknown". Numbers of observations that have not happened are OBS_NONE.
 *
 * Left out: anything that only one invariant needs. */
#ifndef ORACLE_STATE_H
#define ORACLE_STATE_H

#include "sim/base/arena.h"
#include "sim/base/contract.h"
#include "sim/base/history.h"

#define STATE_DEVICES 16      /* plans have at most 4 */
#define STATE_NET_NODES 16    /* nodes behind a link; a quorum has 3 */
#define STATE_PARTITIONS 64   /* a device has one or two */
#define STATE_NODES (STATE_NET_NODES + STATE_PARTITIONS) /* 16 + partition: a local ledger */
#define STATE_LOCK_NAMES 8    /* the leader lock and a few nested ones */
#define STATE_REQUESTS 65536  /* ids count up in a round; 30 times the usual */
#define STATE_CLAIMS 4096     /* generations of a round; there are some ten */
#define STATE_CLAIM_SLOTS (2 * STATE_CLAIMS)
#define STATE_AUTHORITIES 64  /* incarnations: one for the server, or one a cleared local ledger */
#define STATE_LEASES 4        /* generations of one page that are remembered, newest first */
#define STATE_OWNERS 4        /* owners of one operation that are remembered, newest first */

enum lost {
    LOST_PAGE = 1, LOST_OP = 2, LOST_REQUEST = 4, LOST_LOCK = 8, LOST_CLAIM = 16,
    LOST_PLACE = 32, /* a device, node or partition */
};

/* What a page knows of one generation of its own. */
struct lease {
    struct fence fence;
    uint32_t local;      /* own clock when the newest granting request was issued, modulo 2^32 */
    struct instant issued_at; /* the same moment in the world's time */
    uint32_t claimed;    /* the answer that gave it */
    uint32_t renewed;    /* the newest answer that gave or extended it */
    uint32_t fenced;     /* first FENCED handled for it */
    bool fenced_blocked; /* ... by a worker, since the page was in a long task */
    uint32_t stolen;     /* its lock's rejection handled */
    uint32_t released;   /* first release issued for it */
};

struct page_facts {
    bool created, alive, visible, frozen, cached, blocked, locks, may_lead, foreign;
    bool eligible;       /* could lead as far as the world is concerned: oracle.md, "failover" */
    bool believes;       /* between belief.began and belief.ended */
    uint8_t device, partition;
    uint8_t state;       /* enum client_state; FOLLOWER at first */
    uint8_t leases;      /* of `lease` in use */
    uint32_t tab, protocol;
    uint32_t born, gone; /* observations */
    struct instant gone_at;
    uint32_t stopped;    /* the newest that froze, cached or ended it */
    uint32_t hidden_by;  /* the newest that hid it */
    uint32_t leader_request; /* its newest request for the leader lock, 0: none */
    struct fence belief; /* the newest */
    uint32_t belief_by;  /* the newest belief.began or belief.ended */
    uint32_t clock_local;/* a reading of its clock ... */
    struct instant clock_at; /* ... and when it was taken: the newest */
    uint32_t state_by;   /* the newest state.changed */
    struct instant unblocked_at; /* the end of its newest long task */
    struct lease lease[STATE_LEASES]; /* [0] is the newest */
};

struct device_facts {
    bool asleep;
    bool reaches;        /* both directions open to a node that is up and decides */
    int32_t clock_ppm;
    uint8_t cut[STATE_NET_NODES]; /* directions that are cut: bit 0 to the node, bit 1 from it */
    uint32_t cut_by, slept_by;    /* observations */
};

struct node_facts {
    bool down, decides;  /* node 0 and local ledgers decide until they say that they do not */
    struct fence acceptable;
    uint32_t acceptable_by;
    uint32_t changed_by; /* the newest node.* */
};

/* One ledger's life between clearings of its data. */
struct authority_facts {
    uint32_t incarnation;
    struct fence largest;      /* accepted with a claim or an epoch advance */
    uint16_t owner;            /* of `largest`: page or PAGE_SERVER */
    uint8_t partition, node;   /* of that claim */
    bool held;                 /* neither released nor expired since */
    bool expired;              /* ran out unreleased */
    bool closed;               /* between ledger.epoch and ledger.reopened */
    uint32_t largest_by;       /* observation that accepted `largest` */
    uint32_t ended_by;         /* observation that released it or let it run out */
    uint32_t index;            /* decision index of `largest`, 0: no quorum */
    uint32_t last_index;       /* largest decision index seen */
    uint32_t protocol, protocol_by; /* newest that claimed, and where */
    uint32_t epoch, epoch_by;  /* of the newest ledger.epoch; OBS_NONE */
};

struct claim_facts {
    struct fence fence;
    uint16_t owner;
    uint8_t partition;
    uint16_t slot;          /* its place in claim_slot */
    uint32_t by, index;
};

struct request_facts {
    uint16_t page;
    uint8_t kind;           /* enum request_kind */
    bool known;
    struct fence fence;
    uint32_t op, key, local;
    uint32_t issued, arrived, lost, handled; /* observations */
    struct instant issued_at;
};

enum lock_life {
    LOCK_UNKNOWN, LOCK_QUEUED, LOCK_HELD, LOCK_WITHDRAWN, LOCK_TAKEN_AWAY, LOCK_GIVEN_BACK
};

struct lock_facts {
    uint16_t page;
    uint8_t partition, name, flags, life; /* life: enum lock_life */
    bool shared;
    uint32_t prev, next;    /* in the queue, or among the holders; 0: none */
    uint32_t requested, granted, ended;
};

/* One name in one partition. */
struct queue_facts {
    uint32_t first, last, waiting;  /* request ids; 0: none */
    uint32_t holder, holders;       /* the newest holder's request, and how many */
};

struct partition_facts {
    uint32_t eligible;              /* pages */
    uint16_t authority;             /* newest claim or epoch under a local ledger: its slot */
    struct queue_facts name[STATE_LOCK_NAMES];
};

struct op_owner { struct fence fence; uint16_t page; uint32_t by; };

struct op_facts {
    uint32_t kept, enqueued, taken, terminal, effect; /* first of each */
    uint32_t effects, absorbed, terminals;
    uint32_t last;                  /* newest ledger event about it ... */
    struct instant last_at;         /* ... and its time */
    uint32_t open_at;               /* 1 + index in state.open while taken and not terminal */
    uint8_t node;                   /* that accepted it into the outbox */
    uint8_t owners;                 /* of `owner` in use */
    bool owners_forgotten;
    bool cleared;                   /* with the site data that it was stored in */
    struct op_owner owner[STATE_OWNERS]; /* [0] is the newest */
};

struct state {
    const struct contract *contract;
    uint32_t lost;                  /* bits of enum lost */
    struct instant now, before;     /* time of this observation and of the one before */
    uint32_t observations;

    struct page_facts *page;
    struct op_facts *op;            /* index: the operation's id */
    struct request_facts *request;  /* to ledger and provider; index: id */
    struct lock_facts *lock;        /* requests of the lock manager; index: id */
    struct claim_facts *claim;      /* in order of acceptance */
    uint16_t *claim_slot;           /* open addressing: 1 + index into claim */
    uint32_t *open;                 /* operations taken and not terminal */
    uint32_t *queue;                /* operations in order of ledger.enqueued */
    uint32_t pages_max, ops_max;
    uint32_t pages, ops, requests, locks, claims, opens, queued; /* used so far */
    uint32_t devices, partitions, nodes, authorities;

    struct device_facts device[STATE_DEVICES];
    struct partition_facts partition[STATE_PARTITIONS];
    struct node_facts node[STATE_NODES];
    struct authority_facts authority[STATE_AUTHORITIES];

    uint8_t account[STATE_PARTITIONS]; /* enum account: who is signed in there */
    uint32_t eligible;              /* pages that are eligible now */
    uint32_t protocol;              /* newest that claimed anywhere */
    uint32_t started, healed, ended;/* observations */
    struct instant healed_at, ended_at;
    int64_t progress_us;            /* demanded after healing */
    bool cut_short;

    /* about this observation, for ledger kinds with a fence */
    uint16_t slot;                  /* its authority; STATE_AUTHORITIES when there is none */
    struct authority_facts was;     /* that authority before; zero when it was unknown */
    /* for lock kinds */
    struct {
        uint8_t life;               /* of the request before this observation */
        uint32_t first;             /* first in its queue before */
        uint32_t holder, holders;   /* of its name before */
        bool holder_shared;
        uint32_t ended;             /* of the request before, OBS_NONE */
    } lock_was;
};

void state_open(struct state *s, struct arena *a, uint32_t pages_max, uint32_t ops_max);
void state_reset(struct state *s, const struct contract *c);
void state_step(struct state *s, const struct obs *o);

/* NULL for PAGE_NONE, PAGE_SERVER and ids beyond the array. */
static inline const struct page_facts *state_page(const struct state *s, uint16_t page)
{
    return page < s->pages_max ? &s->page[page] : NULL;
}

/* NULL for 0 and for ids beyond the array. */
static inline const struct op_facts *state_op(const struct state *s, uint32_t op)
{
    return op != 0 && op <= s->ops_max ? &s->op[op] : NULL;
}

/* NULL for ids beyond the array and for requests that nobody issued. */
static inline const struct request_facts *state_request(const struct state *s, uint32_t id)
{
    return id < STATE_REQUESTS && s->request[id].known ? &s->request[id] : NULL;
}

/* NULL for 0 and for ids beyond the array; `life` is LOCK_UNKNOWN when nobody asked. */
static inline const struct lock_facts *state_lock(const struct state *s, uint32_t id)
{
    return id != 0 && id < STATE_REQUESTS ? &s->lock[id] : NULL;
}

/* The queue of a name in a partition; NULL beyond the array. */
static inline const struct queue_facts *state_queue(const struct state *s, uint8_t partition,
                                                    uint32_t name)
{
    return partition < STATE_PARTITIONS && name < STATE_LOCK_NAMES
               ? &s->partition[partition].name[name] : NULL;
}

/* Page that holds the leader lock of a partition, or PAGE_NONE. */
uint16_t state_lock_holder(const struct state *s, uint8_t partition);

/* The accepted claim or epoch advance of exactly this fence, or NULL. */
const struct claim_facts *state_claim(const struct state *s, struct fence f);

/* The authority that a page works with: the newest of its kind; NULL before any claim. */
const struct authority_facts *state_authority_of(const struct state *s, const struct page_facts *p);

/* The authority of an incarnation, or NULL. */
const struct authority_facts *state_authority(const struct state *s, uint32_t incarnation);

/* The page's knowledge of this fence, or NULL. */
static inline const struct lease *page_lease(const struct page_facts *p, struct fence f)
{
    for (uint32_t i = 0; i < p->leases; i++)
        if (fence_equal(p->lease[i].fence, f)) return &p->lease[i];
    return NULL;
}

/* Neither frozen, cached nor gone, on an awake device. A blocked page runs: later. */
static inline bool state_runs(const struct state *s, const struct page_facts *p)
{
    return p->alive && !p->frozen && !p->cached && !s->device[p->device].asleep;
}

/* Both directions open between the page and a node that decides. */
bool state_reaches(const struct state *s, const struct page_facts *p);

/* When the page's lease runs out by its own count, in the world's time, as far as its
 * newest clock reading and its device's rate tell. */
struct instant state_lease_end(const struct state *s, const struct page_facts *p,
                               const struct lease *l);

#endif
