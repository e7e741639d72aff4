/* The canonical form of a client's state: what its next steps depend on. Seen from the clock of
 * its device. */
#include "sim/client/leader_fold.h"

#include "sim/base/fold.h"

/* Own numbers of requests: compared for equality, and with the first of this claim
 * (claim.c, of_this_claim). */
void leader_fold_own(const struct leader *l, struct fold *f, uint32_t id)
{
    fold_name(f, &f->own, id == 0 ? 0 : (uint64_t)l->tab_instance << 32 | id);
    fold_u(f, id >= l->page.claim.first_request);
}

/* Left out: `began`, `first_sent` but while a claim is made; claim.began starts anew with each. */
static void fold_claim(const struct leader *l, struct fold *f)
{
    leader_fold_own(l, f, l->page.claim.request);
    leader_fold_own(l, f, l->page.claim.answered);
    fold_u(f, l->page.claim.first_request != 0);
    fold_u(f, l->page.claim.probing);
    if (l->page.state != STATE_REQUESTING) return;
    fold_name(f, &f->claim, l->page.claim.id);
    if (!l->page.lock.granted && l->page.has_locks) return;
    fold_since(f, l->page.claim.first_sent.us);
    fold_since(f, l->page.claim.began.us);
}

static void fold_work(const struct leader *l, struct fold *f)
{
    fold_u(f, (uint64_t)l->page.work.step << 32 | l->page.work.op);
    leader_fold_own(l, f, l->page.work.request);
    fold_u(f, (uint64_t)l->page.work.tries << 32 | (uint64_t)l->page.work.outcome);
    fold_u(f, (uint64_t)l->page.tasks << 32 | l->page.unreconciled_n);
    for (uint32_t i = 0; i < l->page.unreconciled_n; i++) fold_u(f, l->page.unreconciled[i]);
    leader_fold_own(l, f, l->page.submit.request);
    fold_u(f, (uint64_t)l->page.submit.op << 32 | l->page.submits_n);
    for (uint32_t i = 0; i < l->page.submits_n; i++) fold_u(f, l->page.submits[i]);
    fold_u(f, l->page.known_n);
    for (uint32_t i = 0; i < KNOWN_OPS_MAX; i++) fold_u(f, l->page.known[i]);
}

/* What only deviations read. */
static void fold_deviations(const struct leader *l, struct fold *f)
{
    fold_u(f, (uint64_t)l->page.claims << 32 | l->session_sequence);
    fold_u(f, (uint64_t)l->page.unclaimed << 1 | l->page.resigned);
    fold_u(f, (uint64_t)l->page.twin << 32 | l->page.attempt);
    fold_u(f, l->page.own_ops);
    fold_u(f, (uint64_t)(l->page.wall_lease_end.us - f->wall_us));
    fold_since(f, l->page.started.us);
    fold_u(f, l->page.last_id);
}

/* Left out: last_id (the next number is new in any case), node (a single node is
 * whichever is asked). */
static void fold_page_thread(const struct leader *l, struct fold *f)
{
    fold_u(f, l->page.state);
    fold_u(f, (uint64_t)l->page.has_locks << 4 | (uint64_t)l->page.visible << 3 |
                  (uint64_t)l->page.gone << 2 | (uint64_t)l->page.too_old << 1 | l->page.closed);
    leader_fold_own(l, f, l->page.lock.id);
    fold_u(f, (uint64_t)l->page.lock.permit << 2 | (uint64_t)l->page.lock.waiting << 1 |
                  l->page.lock.granted);
    fold_claim(l, f);
    fold_fence(f, l->page.fence);
    fold_deadline(f, l->page.lease_end.us);
    fold_u(f, (uint64_t)l->page.believes << 1 | l->page.revalidating);
    fold_work(l, f);
    fold_u(f, l->page.draining_why);
    fold_fence(f, l->page.vacancy);
    fold_deadline(f, l->page.visible_waits_until.us);
    fold_deadline(f, l->page.told_waiting.us);
    fold_deadline(f, l->page.silent_until.us);
    int64_t suspect_us = l->contract->heartbeat.suspect_after_us * 3 / 2 + 1;
    fold_age(f, l->page.last_heard.us, suspect_us);
    fold_age(f, l->page.last_wondered.us, suspect_us);
    leader_fold_own(l, f, l->page.permit.request);
    fold_u(f, l->page.permit.used);
    fold_deadline(f, l->page.permit.not_before.us);
}

/* Left out while it does not lead: all that POST_LEAD sets (worker.c, lead). Of its requests only
 * whether the newest was answered is asked. */
static void fold_worker_thread(const struct leader *l, struct fold *f)
{
    fold_u(f, (uint64_t)l->worker.leads << 3 | (uint64_t)l->worker.told_silence << 2 |
                  (uint64_t)l->worker.hidden << 1 | l->worker.waiting);
    for (uint32_t i = 0; i < WATCH_COUNT; i++) leader_fold_own(l, f, l->worker.watched[i]);
    if (!l->worker.leads) return;
    fold_fence(f, l->worker.fence);
    fold_deadline(f, l->worker.lease_end.us);
    fold_since(f, l->worker.last_pong.us);
    fold_since(f, l->worker.last_answer.us);
    fold_renewal(f, l->worker.acked);
    fold_u(f, l->worker.request != 0);
    fold_u(f, l->worker.request == l->worker.answered);
}

void leader_fold(const struct leader *l, struct fold *f)
{
    fold_instance(f, l->tab_instance);
    fold_u(f, (uint64_t)l->protocol << 32 | l->partition_key);
    fold_u(f, (uint64_t)l->jitter << 16 | (uint64_t)l->device << 8 | l->partition);
    fold_u(f, (uint64_t)l->server_authority << 1 | l->single_page);
    fold_page_thread(l, f);
    fold_worker_thread(l, f);
    if (!policy_is_empty(l->policy)) fold_deviations(l, f);
}

/* Of a message what its receiver reads (leader.c, posted; worker.c, posted): the rest may be left
 * from long ago. The number of a watched request is the page's own. */
void leader_fold_message(const struct leader *l, const struct client_message *m, struct fold *f)
{
    bool watch = m->kind == POST_WATCH || m->kind == POST_TIMEOUT;
    fold_u(f, (uint64_t)m->kind << 32 | (watch ? m->b : 0));
    fold_instance(f, m->tab_instance);
    if (watch)
        leader_fold_own(l, f, m->a);
    else
        fold_u(f, m->a);
    if (m->kind == POST_WATCH) fold_u(f, (uint64_t)m->at.us); /* a length of time */
    if (m->kind == POST_LEAD || m->kind == POST_RENEWED) fold_since(f, m->at.us);
    if (m->kind == POST_LEAD || m->kind == POST_RENEWED || m->kind == POST_LOST)
        fold_fence(f, m->fence);
}
