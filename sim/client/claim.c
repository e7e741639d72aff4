/* leader-worker@3: from the lock to the ledger's word.
 *
 * A granted lock permits a claim and nothing else (protocol.md 2). A claim keeps
 * its claim id over retries, so that a lost answer does not cost a generation, and
 * its lease is counted from the first time it was sent.
 *
 * A page that waits steals only with a permit (8). It asks for one when the server
 * says twice that nobody leads (the first word may race the ordinary hand-over of
 * the lock), when a lease of its own partition has run out, or when heartbeats stay away. */
#include "sim/client/internal.h"

#define CLAIM_TRIES 6 /* at one time-out each; then the lock goes to a page that may reach the ledger */
#define PERMIT_PAUSE_US (100 * US_PER_MS)

static void send_claim(struct step *s)
{
    struct leader *l = s->l;
    struct fence none = { 0 };
    l->page.fence = none;
    l->page.claim.request = page_send(s, REQ_CLAIM, 0, l->page.claim.id, WATCH_CLAIM);
    page_last_request(s)->permit = l->page.lock.permit;
}

void claim_begin(struct step *s)
{
    struct leader *l = s->l;
    l->page.claim.id = l->tab_instance << 16 | (++l->page.claims & 0xFFFF);
    if (deviates(s, POLICY_STORED_IDENTITY))
        l->page.claim.id = l->session_instance << 8 | (++l->session_sequence & 255);
    l->page.claim.tries = 0;
    l->page.claim.first_sent = s->in->now;
    send_claim(s);
}

void claim_timed_out(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_REQUESTING) return;
    l->page.node++;
    if (++l->page.claim.tries < CLAIM_TRIES) {
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
    l->page.tasks = a->more_tasks;
    l->page.unreconciled_n = a->unreconciled_n;
    for (uint32_t i = 0; i < a->unreconciled_n; i++) l->page.unreconciled[i] = a->unreconciled[i];
    l->page.work.step = WORK_NONE;
    if (!local_before(s->in->now, l->page.lease_end)) { /* too late: a new claim, a new generation */
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
    page_broadcast(s, MSG_REMOTE_LEADS, (uint32_t)(a->wait_us / US_PER_MS));
    page_watch(s, WATCH_RETRY, 0, a->wait_us + l->contract->lease.ttl_us * 2 + l->jitter * 4096);
}

void claim_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.claim.request || l->page.state != STATE_REQUESTING) return;
    switch (a->result) {
    case ANS_OK:
        l->page.claim.request = 0;
        claim_accepted(s, a);
        break;
    case ANS_WAIT:
        claim_must_wait(s, a);
        break;
    case ANS_PROTOCOL_TOO_OLD:
        l->page.too_old = true;
        page_drain(s, WHY_FENCED);
        break;
    case ANS_EPOCH_CLOSED:
        l->page.closed = true;
        page_drain(s, WHY_EPOCH);
        break;
    case ANS_REDIRECT:
        if (++l->page.claim.tries < CLAIM_TRIES) send_claim(s);
        break; /* else the watch */
    default: break; /* UNAVAILABLE and the like: the watch tries again */
    }
}

void permit_ask(struct step *s)
{
    struct leader *l = s->l;
    if (l->contract->steal != STEAL_INCIDENT_ONLY || l->page.permit.request || l->page.lock.steal_id) return;
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
    if (a->result == ANS_OK && l->page.state == STATE_REQUESTING && l->page.lock.waiting)
        page_steal(s, a->permit);
    else
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
    switch (p->kind) {
    case PUSH_EXPIRED:
    case PUSH_VACANT: {
        bool again = fence_equal(l->page.vacancy, p->fence);
        l->page.vacancy = p->fence;
        if (l->page.state == STATE_FOLLOWER && (l->page.has_locks || l->single_page)) page_request_lock(s);
        else if (l->page.state == STATE_REQUESTING && l->page.lock.waiting &&
                 (again || (p->kind == PUSH_EXPIRED && p->leader_partition == l->partition)))
            permit_ask(s);
        break;
    }
    case PUSH_CLOSED:
        l->page.closed = true;
        if (l->page.state == STATE_LEADER || (l->page.state == STATE_REQUESTING && l->page.lock.granted))
            page_drain(s, WHY_EPOCH);
        break;
    case PUSH_REOPENED:
        l->page.closed = false;
        if (l->page.has_locks || l->single_page) page_request_lock(s);
        break;
    default: break;
    }
}
