/* leader-worker@3: from the lock to the ledger's word.
 *
 * A granted lock permits a claim and nothing else (protocol.md 2). A claim keeps
 * its claim id over retries, so that a lost answer does not cost a generation, and
 * its lease is counted from the first time it was sent.
 *
 * Where the last leader of the device told that the ledger stopped answering, the next
 * one asks for a sign of life before it claims: the claim of a page that cannot hear
 * the answer would only keep the lease from a device that can.
 *
 * A page that waits steals only with a permit (8). It asks for one when the server
 * says twice that nobody leads (the first word may race the ordinary hand-over of
 * the lock), when a lease of its own partition has run out, or when heartbeats stay away. */
#include "sim/client/internal.h"

#define CLAIM_TRIES 6 /* time-outs; then the lock goes to a page that may reach the ledger */
#define ELSEWHERE_US (30 * US_PER_MS) /* a node that cannot decide: the next one is asked after */
#define PERMIT_PAUSE_US (100 * US_PER_MS)

static void send_claim(struct step *s)
{
    struct leader *l = s->l;
    struct fence none = { 0 };
    l->page.fence = none;
    l->page.claim.probing = local_before(s->in->now, l->page.silent_until);
    if (l->page.claim.probing) {
        l->page.claim.request = page_send(s, REQ_STATUS, 0, 0, WATCH_CLAIM);
        return;
    }
    l->page.claim.request = page_send(s, REQ_CLAIM, 0, l->page.claim.id, WATCH_CLAIM);
    if (!l->page.claim.first_request) l->page.claim.first_request = l->page.claim.request;
    struct request *r = page_last_request(s);
    r->permit = l->page.lock.permit;
    r->without_lock = !l->page.has_locks;
}

void claim_begin(struct step *s)
{
    struct leader *l = s->l;
    l->page.claim.id = l->tab_instance << 16 | (++l->page.claims & 0xFFFF);
    if (deviates(s, POLICY_STORED_IDENTITY))
        l->page.claim.id = l->session_instance << 8 | (++l->session_sequence & 255);
    l->page.claim.first_request = 0;
    l->page.claim.first_sent = l->page.claim.began = s->in->now;
    send_claim(s);
}

void probe_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.claim.request || l->page.state != STATE_REQUESTING) return;
    l->page.silent_until = s->in->now;
    /* one that was sent before the silence may be what is answered */
    if (!l->page.claim.first_request) l->page.claim.first_sent = s->in->now;
    send_claim(s);
}

void claim_timed_out(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_REQUESTING) return;
    if (l->page.claim.answered != l->page.claim.request) l->page.node++; /* no answer at all */
    int64_t patience = CLAIM_TRIES * l->contract->request_timeout_us;
    if (s->in->now.us - l->page.claim.began.us < patience) {
        send_claim(s);
        return;
    }
    if (deviates(s, POLICY_FAIL_OPEN) && deviate_locks_out(s)) return;
    page_drain(s, WHY_OTHER); /* cannot be asked from here */
    page_watch(s, WATCH_RETRY, 0, s->l->contract->lease.ttl_us);
}

static void claim_accepted(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    l->page.lease_end = local_plus(l->page.claim.first_sent, l->contract->lease.ttl_us);
    l->page.wall_lease_end = local_plus(s->in->wall, l->contract->lease.ttl_us);
    l->page.tasks = deviates(s, POLICY_NEWS_ONLY) ? 0 : a->more_tasks;
    l->page.unreconciled_n = a->unreconciled_n;
    for (uint32_t i = 0; i < a->unreconciled_n; i++) l->page.unreconciled[i] = a->unreconciled[i];
    l->page.work.step = WORK_NONE;
    if (!local_before(s->in->now,
                      l->page.lease_end)) { /* too late: a new claim, a new generation */
        claim_begin(s);
        return;
    }
    page_became_leader(s, a->fence);
    work_next(s);
}

/* Another device leads: let the lock go and tell the pages that queue for nothing. */
static void claim_must_wait(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    page_drain(s, WHY_OTHER);
    naive_refused(s);
    page_broadcast(s, MSG_REMOTE_LEADS, (uint32_t)(a->wait_us / US_PER_MS));
    page_watch(s, WATCH_RETRY, 0, a->wait_us + l->contract->lease.ttl_us * 2 + l->jitter * 4096);
}

/* Any of the requests that carried the claim id will do. */
static bool of_this_claim(const struct leader *l, const struct answer *a)
{
    return l->page.state == STATE_REQUESTING && l->page.claim.request &&
           a->request >= l->page.claim.first_request;
}

/* The answer to a claim that nobody waits for any more, since the page let go meanwhile
 * (or its lock was gone before its callback ran, WL-30): the generation is given back
 * at once, or it would keep everyone else out for a lease. */
static void give_back(struct step *s, struct fence fence)
{
    struct leader *l = s->l;
    if (fence_equal(fence, l->page.fence)) return; /* answered twice */
    struct fence mine = l->page.fence;
    l->page.fence = fence;
    (void)page_send(s, REQ_RELEASE, 0, 0, WATCH_COUNT);
    l->page.fence = mine;
}

void claim_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (!of_this_claim(l, a)) {
        if (a->result == ANS_OK) give_back(s, a->fence);
        return;
    }
    l->page.claim.answered = l->page.claim.request;
    switch (a->result) {
    case ANS_OK:
        l->page.claim.request = 0;
        claim_accepted(s, a);
        break;
    case ANS_WAIT: claim_must_wait(s, a); break;
    case ANS_PROTOCOL_TOO_OLD:
        l->page.too_old = true;
        page_drain(s, WHY_FENCED);
        break;
    case ANS_EPOCH_CLOSED:
        l->page.closed = true;
        page_drain(s, WHY_EPOCH);
        break;
    case ANS_REDIRECT:
    case ANS_UNAVAILABLE: page_watch(s, WATCH_CLAIM, l->page.claim.request, ELSEWHERE_US); break;
    default: break; /* the watch tries again */
    }
}

void permit_ask(struct step *s)
{
    struct leader *l = s->l;
    if (l->contract->stage == STAGE_OBSERVE && !deviates(s, POLICY_OBSERVE_WRITES)) return;
    if (l->contract->steal != STEAL_INCIDENT_ONLY || l->page.permit.request) return;
    if (naive_trusts_leader(s)) return;
    if (local_before(s->in->now, l->page.permit.not_before)) return;
    struct fence none = { 0 };
    l->page.fence = none;
    l->page.permit.request = page_send(s, REQ_PERMIT, 0, 0, WATCH_PERMIT);
}

void permit_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.permit.request) return;
    l->page.permit.request = 0;
    bool fresh =
        a->result == ANS_OK && a->permit != l->page.permit.used; /* single use: one steal */
    if (fresh && l->page.state == STATE_REQUESTING && l->page.lock.waiting) {
        l->page.permit.used = a->permit;
        page_steal(s, a->permit);
    } else
        l->page.permit.not_before =
            local_plus(s->in->now, a->wait_us > PERMIT_PAUSE_US ? a->wait_us : PERMIT_PAUSE_US);
}

/* The thief's request takes the place of the one that waits. */
void page_steal(struct step *s, uint32_t permit)
{
    struct leader *l = s->l;
    client_emit(s, OUT_LOCK_ABORT)->id = l->page.lock.id;
    struct client_output *o = client_emit(s, OUT_LOCK);
    o->id = l->page.lock.id = ++l->page.last_id;
    o->flags = LOCK_IS_STEAL;
    l->page.lock.permit = permit;
}

/* The server says that nobody leads, that the incident began, or that it is over. */
void page_pushed(struct step *s, const struct push *p)
{
    struct leader *l = s->l;
    if (p->kind == PUSH_EVENT || p->kind == PUSH_EVENTS_LOST) {
        follow_pushed(s, p); /* from another server, which is no ledger node */
        return;
    }
    l->page.node = p->node;
    switch (p->kind) {
    case PUSH_EXPIRED:
    case PUSH_VACANT: {
        /* old news on connecting: those who were cut off come back together, and the one
         * that holds the lock is about to claim */
        bool again = !p->standing && fence_equal(l->page.vacancy, p->fence);
        bool fresh = p->kind == PUSH_EXPIRED && !p->standing && p->leader_partition == l->partition;
        l->page.vacancy = p->fence;
        l->page.closed = false; /* a closed ledger is held by the server */
        if (l->page.state == STATE_FOLLOWER && (l->page.has_locks || l->single_page))
            page_request_lock(s);
        else if (l->page.state == STATE_REQUESTING && l->page.lock.waiting && (again || fresh))
            permit_ask(s);
        break;
    }
    case PUSH_CLOSED:
        l->page.closed = true;
        if (l->page.state == STATE_LEADER ||
            (l->page.state == STATE_REQUESTING && l->page.lock.granted))
            page_drain(s, WHY_EPOCH);
        break;
    case PUSH_REOPENED:
        l->page.closed = false;
        if (l->page.has_locks || l->single_page) page_request_lock(s);
        break;
    default: break;
    }
}
