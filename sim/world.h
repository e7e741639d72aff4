/* The world of a round: the only place that sees everybody. It owns every module,
 * carries what they ask for, late, twice or never, and writes what an outsider
 * could see into the history.
 *
 *   world_open    takes all memory once, for the largest scenario of a run
 *   world_reset   a fresh world for one round; draws what the round is
 *   world_handle  one event: one line of the switch in world.c for each kind
 *
 * Files: world.c (the switch, devices, the plan of a round), world_page.c (documents and
 * what waits for them), world_client.c (a client's step), world_lock.c (pages and lock
 * managers), world_net.c (requests, answers, pushes), world_node.c (ledger nodes and
 * provider), world_session.c (who is signed in), world_feed.c (live
 * subscriptions), world_aim.c, world_fault.c, world_harm.c
 * (faults), world_schedule.c (the steps that a scenario lists), world_delay.c (a message that
 * is late), world_save.c and world_fold.c (the state as a whole; world_state.h). */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdalign.h>

#include "sim/base/course.h"
#include "sim/browser/document.h"
#include "sim/browser/lockmgr.h"
#include "sim/client/leader.h"
#include "sim/engine/evq.h"
#include "sim/engine/latency.h"
#include "sim/pct.h"
#include "sim/plan.h"
#include "sim/server/auth.h"
#include "sim/server/feed.h"
#include "sim/server/ledger.h"
#include "sim/server/provider.h"

enum event_kind {
    EV_DELIVER,       /* target page, arg parcel: a task for one of its threads */
    EV_TIMER,         /* target page, arg: thread, timer, arming */
    EV_LOCK,          /* target partition, arg parcel: a message reaches the lock manager */
    EV_REQUEST,       /* target node or PROVIDER_TARGET, arg parcel */
    EV_PROVIDER_DONE, /* arg parcel: the work of an effect is done */
    EV_NODE_MESSAGE,  /* target node, arg: message slot */
    EV_LEDGER_TIMER,  /* target node, arg: timer << 24 | arming */
    EV_DRAINED,       /* target node, arg parcel: the server's own effect came back */
    EV_SUBMIT,        /* arg: operation */
    EV_PAGE_GONE,     /* target page: a closing document ends */
    EV_LOCKS_END,     /* target page: the browser takes note that its locks are free */
    EV_TAB_LOAD,      /* target tab, arg: flags */
    EV_FREEZE,        /* target page: the browser freezes it by its own policy */
    EV_CACHED_LONG,   /* target page, arg: how often it was cached: its time in the cache is over */
    EV_PAGE_FREE,     /* target page: the task that kept it busy is over */
    EV_STORE_FREE,    /* target device: its database can be written again */
    EV_STREAM,        /* target page: its push stream is open (again) */
    EV_RUN,           /* target page, arg: enum client_input_kind: a life-cycle task */
    EV_FOREIGN,       /* arg: index of foreign code that lets go */
    EV_FAULT,         /* arg: index: it begins */
    EV_FAULT_END,     /* arg: index */
    EV_STEP,          /* arg: step of the schedule; target: enum step_call */
    EV_ACCOUNT,       /* target device, arg: enum account: its user signs in or out */
    EV_FEED,          /* the live subscription has one more event */
    EV_HEAL, EV_END,
};

#define PROVIDER_TARGET 0xFFu
#define FOREIGN_MAX 64
#define BRIEF_US (50 * US_PER_MS) /* a freeze or pagehide handler waits for a task this short */
#define TABLE_NONE 0xFFFFFFFFu
#define PAGE_LOCKS_MAX 16 /* lock requests of a page that something may still be heard of */
#define REQUEST_IDS_MAX 65536 /* of a round, locks and requests together; 20 times the usual */

/* What travels or waits: a message with its addressee. */
struct parcel {
    uint32_t next;            /* free list, or a page's backlog */
    uint32_t cause;
    uint16_t page;            /* addressee or sender */
    uint8_t thread, source;   /* enum client_thread, enum task_source */
    uint8_t kind;             /* enum client_input_kind, or lock_call */
    uint8_t flags, node;
    uint8_t error;
    uint32_t id;              /* lock request */
    union {
        struct client_message message;
        struct answer answer;
        struct request request;
        struct push push;
    } as;
};
enum lock_call { CALL_REQUEST, CALL_ABORT, CALL_SETTLE, CALL_QUERY };

struct page_timer { uint32_t arming; bool armed, due; struct instant at; };

struct page {
    alignas(64) struct leader client; /* a page begins with a cache line */
    const struct profile *profile;
    enum document_state state;
    uint16_t tab;
    uint8_t device;
    bool has_locks, visible_before, closing, connected, gone_for_good, settle_blocked, locks_ended;
    uint32_t protocol;
    int64_t hidden_since_us;     /* NOT_HIDDEN, or since when: may lie before the round */
    struct instant busy_until;   /* the page's thread runs a task until then */
    struct instant blocked_until;/* the last of its long tasks ends */
    struct instant lock_pipe[2]; /* to and from the manager: order is kept (WL-42) */
    struct instant channel_until;/* own broadcasts keep their order (ST-5) */
    struct instant post_pipe[2]; /* from each thread to the other */
    uint32_t backlog[TASK_SOURCES], backlog_last[TASK_SOURCES];
    uint32_t queue, queue_last;  /* tasks that have come while it was busy, in their order */
    uint32_t cachings;           /* so often it entered the cache; the last time at cached_at */
    struct instant cached_at;
    uint32_t unsent, unsent_last;/* fetches that a frozen page called (LC-18) */
    uint32_t deferred_settle;    /* nested locks: the callback waits inside */
    struct { uint32_t local, global; } lock_id[PAGE_LOCKS_MAX]; /* own numbers to the round's */
    uint32_t lock_ids;
    struct page_timer timer[2][TIMER_COUNT];
    uint32_t fetches;            /* in flight */
    uint32_t renewals, releases; /* in flight */
    uint32_t deaf_cause;         /* DEAF_TAB: receives no broadcast */
    uint32_t lost_answers;       /* one to lose, so that an aimed fault finds an unknown outcome */
    uint32_t stopped_cause;      /* observation that froze or cached it */
    uint32_t last_effect_lost;   /* operation whose effect answer was lost, for aiming */
    bool fenced;                 /* its last word from the ledger was FENCED, for aiming */
};

struct tab {
    uint16_t page;
    uint8_t device;
    uint32_t session_instance, session_sequence; /* what its sessionStorage holds (ST-17..20) */
    bool load_pending, single_page;
    uint32_t load_cause;         /* observation that the pending load follows from */
};

struct device {
    const struct profile *profile;
    uint32_t tabs, first_tab;
    bool asleep, sleep_stops_clock;
    int32_t ppm;
    struct instant clock_since; struct local clock_base;
    int64_t wall_offset_us;
    uint8_t cut[LEDGER_NODES];   /* bit 0 up, bit 1 down */
    uint32_t cut_cause[LEDGER_NODES];
    uint32_t partition_key;
    /* no_locks: for the page that is being created */
    bool locks_refused, quota_full, rolled_back, no_locks;
    uint32_t locks_cause, quota_cause, rollback_cause;
    int64_t channel_delay_us; bool channel_drop; uint32_t channel_cause;
    /* REQUEST_LATE, REQUEST_DOUBLED: armed for the next that fits */
    uint32_t late, doubled, late_cause, doubled_cause;
    int64_t late_us; /* 0: drawn */
    /* ANSWER_LOST: kinds, a bit each, of the next answer to lose */
    uint32_t lost_answers, lost_cause;
    enum request_kind late_kind, doubled_kind;
    struct { uint32_t leader; struct local beat; } storage[2]; /* localStorage: what was, what is */
    struct instant channel_until;/* every broadcast so far has arrived, if nothing held it up */
    struct instant store_busy_until; /* its database takes no write */
    struct instant storage_changed, stale_until; /* until then others' writes are not seen */
    struct session session;      /* of its storage partition */
    uint32_t last_event;         /* that was delivered there */
    uint32_t visible_tabs; uint8_t hidden_since; /* as drawn for the start; index of the lengths */
};

struct planned_fault {
    enum fault_kind kind;
    struct instant at;           /* earliest */
    int64_t lasts_us;
    bool aimed, begun, ended, armed, for_good;
    enum request_kind request;   /* that it is to meet; REQ_NONE: by the phase of the leader */
    int64_t late_us;             /* REQUEST_LATE: so late; 0: drawn */
    bool coaxed;                 /* something was done to bring its phase about, at armed_at */
    enum leader_phase phase;
    enum leader_phase met;       /* the phase in which it began */
    struct instant armed_at;
    uint32_t number;             /* observation of fault.begun */
    uint16_t page; uint8_t device, node; uint16_t tab;
    uint32_t aux;
};

/* What became of a step of the schedule; world_schedule.c. */
enum step_outcome {
    STEP_AHEAD,
    STEP_WAITING,  /* for its phase */
    STEP_WATCHING, /* for its observation */
    STEP_HOPING,   /* that what it expects becomes true */
    STEP_FIRING,   /* what it waited for has come */
    STEP_DONE,
    STEP_NOBODY,   /* there was nobody to act on */
    STEP_CANNOT,   /* what it does cannot happen in this round */
    STEP_UNMET     /* what it expects was not so */
};
enum step_call { STEP_IS_DUE, STEP_HAS_WAITED, STEP_IS_LATE };

/* Where and when an operation was submitted. */
struct submitted { struct instant at; uint16_t tab; };

/* One fault at an exact place: before event number `before` of the round is handled, at that
 * event's time. It acts as a planned one does, on the leading device, whatever the seed.
 * INJECT_DELAY is no fault: that very event, a message, comes so much later. */
#define INJECT_DELAY FAULT_COUNT
struct injection {
    enum fault_kind kind;    /* or INJECT_DELAY */
    uint64_t before; /* from 1 */
    int64_t lasts_us;
    /* what came of it: */
    bool reached;            /* the round has such an event */
    bool begun;              /* ... and there was somebody to act on, before the healing */
    enum leader_phase phase; /* in which it found the leader, by world_phase() */
    struct instant at;
};

/* Code of a page that is not the client under test: a rogue thief, one half of a nested pair. */
struct foreign {
    uint32_t request, cause;
    uint16_t page, unblocks; /* the page whose callback waits for this lock, or PAGE_NONE */
    uint8_t partition, name;
    bool held, leaving, gone;
    int64_t keeps_us;
};

struct world {
    const struct scenario *scenario;
    struct contract contract;    /* as the scenario bends it */
    struct policy policy;
    struct choices choices;
    struct pct pct;              /* four links a page: lease and work, each way */
    struct evq queue;
    struct history history;
    struct instant now;
    uint32_t cause;              /* observation that the event being handled follows from */

    struct page *page; uint32_t pages, pages_max;
    struct tab *tab; uint32_t tabs, tabs_max;
    struct device device[DEVICES_MAX];
    uint8_t devices;
    struct lockmgr *lockmgr[DEVICES_MAX];
    struct parcel *parcel; uint32_t parcels_max, parcels_fresh, parcel_free;

    struct network network;      /* of this round */
    enum network_kind network_kind;
    enum layout layout;
    /* server nodes, then a local one for each device */
    struct ledger_node node[LEDGER_NODES + DEVICES_MAX];
    uint8_t nodes;               /* server nodes in use */
    bool decides[LEDGER_NODES];
    uint8_t node_cut[LEDGER_NODES]; /* bit set of nodes that it cannot reach */
    uint32_t node_cut_cause[LEDGER_NODES];
    int32_t node_ppm[LEDGER_NODES];
    struct node_message *node_message; /* on their way, a free list by index */
    uint32_t node_messages_max, node_message_free, *node_message_next;
    struct ledger_out *ledger_out;
    struct provider provider;
    struct auth auth;            /* the session's server; it fails with the provider */
    struct feed feed;            /* the live subscription's; likewise */
    bool provider_down, provider_silent; int64_t provider_slow_us; uint32_t provider_cause;

    struct planned_fault fault[FAULTS_PLANNED_MAX]; uint32_t faults, armed;
    enum step_outcome step[SCHEDULE_MAX];
    uint32_t step_from[SCHEDULE_MAX]; /* first observation that a watching step looks at */
    uint32_t watching, watched;       /* steps that watch or hope; observations looked at */
    struct submitted submitted[LEDGER_OPS_MAX + 1]; /* by operation; tab PAGE_NONE: never */
    struct foreign foreign[FOREIGN_MAX]; uint32_t foreigns;
    uint32_t arming, incarnation;
    uint32_t *local_id, ids;     /* the round's numbers of requests, to their page's own */
    uint16_t owner;              /* page of the largest accepted fence, PAGE_NONE */
    bool owner_held;             /* its lease is neither released nor over */
    uint32_t operations;
    bool healed, over, limit;
    struct instant heal_at, end_at;
    uint32_t progress_seen, enqueued, terminal;
    uint64_t safe, stored;       /* operations called safe, and in an outbox: a bit each */
    struct client_requests requests;
    struct lockmgr_out lock_out;
    uint64_t events, first_phase; /* handled so far; of which the last one of the first phase is */
    bool in_step;
};

/* Sizes for scenarios of up to `tabs` tabs over all devices. */
struct world *world_open(struct arena *a, uint32_t tabs);
size_t world_arena_size(uint32_t tabs);
void world_reset(struct world *w, const struct scenario *s, const struct contract *c,
                 uint64_t seed);
/* PCT from here on, at the start of a round: see pct.h. */
void world_prioritise(struct world *w, uint32_t changes);
void world_handle(struct world *w, const struct event *e);

/* ---- between the files of the world -------------------------------------- */

static inline uint32_t world_see(struct world *w, const struct obs *o)
{
    uint32_t n = history_add(&w->history, o);
    if (n == OBS_NONE) w->limit = true;
    return n;
}

/* The round's number for a request that its page calls `local`; without a number left, the
 * round is cut short. */
static inline uint32_t world_id(struct world *w, uint32_t local)
{
    if (w->ids + 1 >= REQUEST_IDS_MAX) {
        w->limit = true;
        return REQUEST_IDS_MAX - 1;
    }
    w->local_id[++w->ids] = local;
    return w->ids;
}

static inline struct obs world_obs(const struct world *w, enum obs_kind kind)
{
    return obs_make(kind, w->now, w->cause);
}

/* Events of one microsecond run in a drawn order, except those of world_in_order: they keep the
 * order in which they are made, before the others. */
void world_at(struct world *w, int64_t in_us, enum event_kind kind, uint16_t target, uint32_t arg);
void world_in_order(struct world *w, int64_t in_us, enum event_kind kind, uint16_t target,
                    uint32_t arg);
uint32_t parcel_take(struct world *w);
void parcel_give(struct world *w, uint32_t p);

struct local device_now(const struct world *w, const struct device *d);
void device_clock_set(struct world *w, struct device *d, int32_t ppm, bool stopped);
struct local node_now(const struct world *w, uint8_t node);

/* world_page.c */
uint16_t page_create(struct world *w, uint16_t tab, bool visible, int64_t hidden_for_us,
                    uint32_t cause);
void page_see_locks(struct world *w, uint16_t p, bool works);
void page_close(struct world *w, uint16_t p);
void page_crash(struct world *w, uint16_t p, enum obs_kind how);
void page_freeze(struct world *w, uint16_t p, bool handler_runs);
void page_thaw(struct world *w, uint16_t p);
bool page_cache(struct world *w, uint16_t p);
void page_restore(struct world *w, uint16_t p);
void page_evict(struct world *w, uint16_t p, uint32_t why);
void page_cached_long(struct world *w, uint16_t p, uint32_t caching);
void page_show(struct world *w, uint16_t p);
void page_hide(struct world *w, uint16_t p);
void page_block(struct world *w, uint16_t p, int64_t us);
void page_unblocked(struct world *w, uint16_t p);
void page_end(struct world *w, uint16_t p);
void page_deliver(struct world *w, uint32_t parcel);
void page_free(struct world *w, uint16_t p); /* what has queued up behind its task runs */
void page_timer(struct world *w, uint16_t p, uint32_t arg);
void page_timer_arm(struct world *w, uint16_t p, enum client_thread thread, uint32_t id,
                    int64_t us);
void page_run(struct world *w, uint16_t p, struct client_input *in);
void page_run_kind(struct world *w, uint16_t p, enum client_input_kind kind, bool persisted);
void page_woken(struct world *w, uint16_t p); /* its backlog and its due timers run */
void tab_load(struct world *w, uint16_t tab, uint32_t flags);
static inline bool page_alive(const struct page *p)
{
    return p->state != DOC_ABSENT && p->state != DOC_GONE;
}
static inline bool page_running(const struct world *w, const struct page *p)
{
    return (p->state == DOC_VISIBLE || p->state == DOC_HIDDEN) && !w->device[p->device].asleep;
}

/* world_lock.c */
void lock_call_send(struct world *w, uint16_t p, enum lock_call call, uint32_t id, uint32_t flags);
void lock_arrived(struct world *w, uint8_t partition, uint32_t parcel);
void lock_effects(struct world *w, uint8_t partition);
void foreign_request(struct world *w, uint8_t device, uint16_t page, uint32_t name, uint32_t flags,
                    int64_t keeps_us, uint16_t unblocks, uint32_t cause);
void foreign_lets_go(struct world *w, uint32_t index);
bool foreign_holds(const struct world *w, uint32_t request);

/* world_net.c */
void net_send(struct world *w, uint16_t page, const struct request *r, uint32_t node_choice);
void net_depart(struct world *w, uint32_t parcel);
void net_fetch_over(struct page *p, enum request_kind k);
void net_request_arrived(struct world *w, uint8_t node, uint32_t parcel);
void net_answer(struct world *w, const struct answer *a, uint16_t page, uint8_t node,
                uint32_t cause);
void net_push(struct world *w, const struct push *p, uint8_t node, uint32_t cause);
void net_push_one(struct world *w, const struct push *p, uint16_t page, uint8_t node,
                  uint32_t cause);
void net_stream_open(struct world *w, uint16_t page);
void net_stream_opened(struct world *w, uint16_t page);
void net_streams_died(struct world *w, uint8_t device, uint8_t node); /* DEVICE_NONE: all */
void net_broadcast(struct world *w, uint16_t from, const struct client_message *m);

/* world_node.c */
void node_store_free(struct world *w, uint8_t device);
void node_see_store(struct world *w, uint8_t device, bool works);
void node_boot(struct world *w);
void node_request(struct world *w, uint8_t node, const struct request *r, uint32_t cause);
void node_effects(struct world *w, uint8_t node);
void node_message_arrived(struct world *w, uint8_t node, uint32_t slot);
void node_timer(struct world *w, uint8_t node, uint32_t arg);
void node_crash(struct world *w, uint8_t node, uint32_t cause);
void node_restart(struct world *w, uint8_t node, uint32_t cause);
void node_decides_changed(struct world *w);
uint8_t node_deciding(const struct world *w); /* NODE_NONE */
void provider_arrived(struct world *w, uint32_t parcel);
void provider_done(struct world *w, uint32_t parcel);
void server_drained(struct world *w, uint8_t node, uint32_t parcel);

/* world_session.c */
void session_plan_round(struct world *w);
void session_account(struct world *w, uint8_t device, enum account account);
void session_write(struct world *w, uint16_t page, const struct client_output *o);
void session_cleared(struct world *w, uint8_t device, uint32_t cause);
uint32_t session_heard(struct world *w, uint16_t page);
void session_request(struct world *w, uint32_t parcel);
void session_heal(struct world *w);

/* world_feed.c */
void live_plan_round(struct world *w);
void live_event(struct world *w);
void live_request(struct world *w, uint32_t parcel);
void live_deliver(struct world *w, uint16_t page, const struct client_output *o);

/* world_fault.c */
void fault_plan_round(struct world *w);
void fault_due(struct world *w, uint32_t index);
void fault_end(struct world *w, uint32_t index);
void fault_aim(struct world *w);            /* an armed fault may fire now */
void fault_inject(struct world *w, struct injection *x);
void fault_mutate(struct world *w);         /* every second time one fault more, soon */
void fault_heal(struct world *w);
bool fault_can_happen(const struct world *w, enum fault_kind k);
enum leader_phase world_phase(const struct world *w);

/* world_delay.c */
bool world_delay_next(struct world *w, int64_t us); /* false: the next event is no such message */

/* world_schedule.c */
void schedule_plan_round(struct world *w);
void schedule_due(struct world *w, uint32_t step, enum step_call call);
void schedule_watch(struct world *w);       /* after an event, while any step watches or hopes */
void schedule_aim(struct world *w, enum leader_phase phase); /* a waiting step may be due now */

/* world.c */
bool world_submit(struct world *w, uint16_t page, uint32_t op); /* false: no room to store it */
void world_progress(struct world *w);
bool world_is_settled(struct world *w); /* every operation accepted so far is at its end */

#endif
