/* Between the ledger's files. A step goes check -> apply -> finish:
 *
 *   step_check    from the record and nothing else: may it, and does it change anything
 *   step_apply    changes the record (SINGLE: the record; QUORUM: the proposal in `stored`)
 *   ledger_finish what it means to others: observations, answer, pushes
 *
 * SINGLE runs the three at once. QUORUM runs finish when a majority has stored what
 * apply made; so nothing of a decision is visible before. */
#ifndef SIM_SERVER_LEDGER_INTERNAL_H
#define SIM_SERVER_LEDGER_INTERNAL_H

#include "sim/server/ledger.h"

#define LEDGER_LATE_US     (INT64_C(30) * US_PER_MS)  /* between two steps of a mutant's handler */
#define LEDGER_REPEAT_US   (INT64_C(250) * US_PER_MS) /* a push, while what it says lasts */
#define LEDGER_DRAIN_US    (INT64_C(2) * US_PER_S)    /* the worker's patience with the provider */
#define LEDGER_RETRY_US    (INT64_C(500) * US_PER_MS) /* ... after a report of failure */
/* Leases: for so long somebody else must have led, and no such permit been given, before a
 * stuck lock of an idle partition is worth a steal. */
#define IDLE_LEASES 3
#define QUORUM_ALIVE_US    (INT64_C(150) * US_PER_MS)
#define QUORUM_ELECTION_US (INT64_C(400) * US_PER_MS) /* plus QUORUM_STAGGER_US for each id */
#define QUORUM_STAGGER_US  (INT64_C(100) * US_PER_MS)
/* A primary decides for so long on a majority's word. Shorter than the time for which that
 * majority refuses to vote, by more than clocks drift apart. */
#define QUORUM_TRUST_US    (INT64_C(300) * US_PER_MS)

enum ledger_timer_kind { TIMER_WATCH, TIMER_ALIVE, TIMER_ELECTION, TIMER_LATE };

/* One call into the node. */
struct ledger_work {
    struct ledger_node *n;
    struct instant at;
    struct local now;
    uint32_t cause;
    struct ledger_out *out;
    uint32_t said; /* the newest observation of this step, else its cause */
};

static inline bool ledger_page_led(const struct ledger_record *rec)
{
    return rec->held && !rec->server_holds;
}

/* A page leads that no passing of a lock has relieved: it lives in another storage partition, or
 * leads without a lock, or the sender has none (single-page mode: then the lease alone decides).
 * A local ledger belongs to one partition, whatever id its pages still know it by. */
static inline bool ledger_led_elsewhere(const struct ledger_node *n, const struct request *r)
{
    const struct ledger_record *rec = &n->record;
    if (!ledger_page_led(rec)) return false;
    if (rec->owner_without_lock || r->without_lock) return true;
    return n->authority == AUTHORITY_SERVER && rec->owner_partition_key != r->partition_key;
}

/* Final: whoever notices first makes it an expiry. */
static inline bool ledger_lease_over(const struct ledger_record *rec, struct local now)
{
    return ledger_page_led(rec) && now.us >= rec->lease_end.us;
}

static inline struct local local_after(struct local t, int64_t us)
{
    return (struct local){ t.us + us };
}

static inline struct local local_later(struct local a, struct local b)
{
    return a.us > b.us ? a : b;
}

/* ledger.c */
/* The switch is on, by itself or as the canary's share. */
bool ledger_has(const struct ledger_node *n, enum policy_kind k);
void ledger_run(struct ledger_work *w, struct ledger_step *s);
void ledger_settle(struct ledger_work *w); /* own steps that are due, then requests that waited */
void ledger_arm(struct ledger_work *w, enum ledger_timer_kind timer, struct local due);
void ledger_run_alone(struct ledger_work *w, enum ledger_step_kind kind, uint32_t op);

/* ledger_request.c */
void step_check(struct ledger_node *n, struct ledger_step *s);
void step_apply(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s);
struct task *task_of(struct ledger_record *rec, uint32_t op); /* NULL: no such number */
void task_enter(struct ledger_record *rec, struct task *t, enum task_state next);
void claim_take(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s);

/* ledger_say.c */
void ledger_finish(struct ledger_work *w, const struct ledger_step *s);
void ledger_refuse(struct ledger_work *w, const struct ledger_step *s, enum answer_result result);
void ledger_observe(struct ledger_work *w, const struct ledger_step *s);
bool ledger_observed(const struct ledger_node *n, const struct ledger_step *s, uint32_t index);
void ledger_tell_accepts(struct ledger_work *w);
void ledger_push(struct ledger_work *w, enum push_kind kind);

/* lease.c */
void lease_check_permit(struct ledger_node *n, struct ledger_step *s);
void lease_check_own(struct ledger_node *n, struct ledger_step *s);
void lease_step_apply(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s);
bool lease_own_step(struct ledger_work *w); /* runs one that is due; false: none */
void lease_drain(struct ledger_work *w, uint32_t op);
void lease_watch(struct ledger_work *w);    /* what repeats, and the next time to look */

/* quorum.c */
void quorum_boot(struct ledger_work *w);
void quorum_restart(struct ledger_work *w);
bool quorum_can_decide(const struct ledger_node *n, struct local now);
/* A new primary that does not know yet whether its record stands. */
bool quorum_adopting(const struct ledger_node *n);
void quorum_note_decides(struct ledger_work *w);
bool quorum_answers_early(const struct ledger_node *n, const struct ledger_step *s);
void quorum_propose(struct ledger_work *w, const struct ledger_step *s);
void quorum_message(struct ledger_work *w, const struct node_message *m);
void quorum_alive(struct ledger_work *w);
void quorum_election(struct ledger_work *w);

#endif
