/* What the files of leader-worker@3 share; not for anybody else. */
#ifndef SIM_CLIENT_INTERNAL_H
#define SIM_CLIENT_INTERNAL_H

#include "sim/base/must.h"
#include "sim/client/leader.h"

/* One input being handled: the client, what came, what goes out. */
struct step {
    struct leader *l;
    const struct client_input *in;
    struct client_requests *out;
};

static inline bool local_before(struct local a, struct local b) { return a.us < b.us; }
static inline struct local local_plus(struct local a, int64_t us)
{
    return (struct local){ a.us + us };
}

static inline struct client_output *client_emit(struct step *s, enum client_output_kind kind)
{
    must(s->out->n < CLIENT_OUT_MAX);
    struct client_output *o = &s->out->at[s->out->n++];
    o->kind = kind;
    o->thread = s->in->thread;
    o->id = o->flags = 0;
    o->us = 0;
    return o;
}

static inline bool deviates(const struct step *s, enum policy_kind k)
{
    return policy_has(s->l->policy, k);
}

/* leader.c */
void page_enter(struct step *s, enum client_state next);
void page_request_lock(struct step *s);
void page_believe(struct step *s, bool on, enum why_ended why);
/* Leadership is over: stop, hand over, let go. Legal in LEADER and in REQUESTING with the lock. */
void page_drain(struct step *s, enum why_ended why);
void page_let_go(struct step *s);
/* Gives up whatever it has or waits for, at once: load shedding. */
void page_stop(struct step *s, enum why_ended why);
/* May the page write under its fence now, by its own count (protocol.md 3, 4, 6)? */
bool page_may_write(const struct step *s);
/* Sends a request of the page's own; returns its id. */
uint32_t page_send(struct step *s, enum request_kind kind, uint32_t op, uint32_t key, enum watch w);
struct request *page_last_request(struct step *s);
void page_post(struct step *s, enum leader_message kind, uint32_t a, int64_t us);
/* The worker posts a POST_TIMEOUT for `request` after `us`, unless asked anew. */
void page_watch(struct step *s, enum watch w, uint32_t request, int64_t us);
void page_broadcast(struct step *s, enum leader_message kind, uint32_t a);
void page_became_leader(struct step *s, struct fence fence);

/* claim.c: from the lock to the ledger's word, permits and steals */
void claim_begin(struct step *s);
void claim_answered(struct step *s, const struct answer *a);
void probe_answered(struct step *s, const struct answer *a);
void claim_timed_out(struct step *s);
void permit_ask(struct step *s);
void permit_answered(struct step *s, const struct answer *a);
void page_steal(struct step *s, uint32_t permit);
void page_pushed(struct step *s, const struct push *p);

/* work.c: the outbox, an operation at a time */
void work_next(struct step *s);
void work_answered(struct step *s, const struct answer *a);
void work_unknown(struct step *s); /* the request in flight got no answer */
void submit_next(struct step *s);
void submit_answered(struct step *s, const struct answer *a);

void submit_asked(struct step *s); /* IN_SUBMIT */
void task_heard(struct step *s);   /* MSG_TASK */

/* refresh.c: the session, workstream session-refresh */
void refresh_next(struct step *s);
void refresh_answered(struct step *s, const struct answer *a);
void refresh_timed_out(struct step *s, uint32_t request);
void sign_out(struct step *s);

/* follow.c: the events, workstream live-subscription */
void follow_next(struct step *s);
void follow_answered(struct step *s, const struct answer *a);
void follow_timed_out(struct step *s, uint32_t request);
void follow_pushed(struct step *s, const struct push *p);
void follow_end(struct step *s); /* when leadership ends */
void naive_follow_granted(struct step *s);

/* account.c: the contract binds an account */
bool account_is_ours(const struct step *s); /* as storage says now */
void account_look(struct step *s);          /* at the start, at every awakening */
void account_changed(struct step *s);

/* worker.c */
void worker_step(struct step *s);

/* deviations.c: what the mutants do instead. Each returns true when it took over. */
bool deviate_start(struct step *s);
bool deviate_granted(struct step *s);
bool deviate_locks_out(struct step *s);
bool deviate_page_timer(struct step *s);
bool deviate_message(struct step *s);
bool deviate_query(struct step *s);
bool deviate_drain(struct step *s, enum why_ended why);
bool deviate_fenced(struct step *s, const struct answer *a);
bool deviate_lost(struct step *s);
void deviate_work(struct step *s);
void deviate_lead_unclaimed(struct step *s); /* on its own word: no generation, no lease */

/* naive.c: what clients of public reports do instead. */
void naive_start(struct step *s);
bool naive_keeps_away(const struct step *s); /* asks for no lock */
uint32_t naive_lock_flags(const struct step *s);
void naive_unavailable(struct step *s);
void naive_refused(struct step *s);
bool naive_drops_grant(struct step *s);
bool naive_suspects(struct step *s);
bool naive_trusts_leader(const struct step *s);
bool naive_message(struct step *s);
bool naive_submit(struct step *s);
bool naive_waits_for_news(const struct step *s);
bool naive_works_on(const struct step *s, uint32_t op);
bool naive_page_timer(struct step *s);
void naive_pagehide(struct step *s);
bool naive_keeps_lock(const struct step *s);
void naive_drains(struct step *s, enum why_ended why);
uint32_t deviate_key(struct step *s, uint32_t op);
void naive_refresh_start(struct step *s);
bool naive_refresh_timer(struct step *s);
void naive_refresh_woke(struct step *s);

#endif
