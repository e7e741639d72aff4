/* The facts in canonical form (base/fold.h), as far as verdicts on safety depend on them: of
 * the requests, locks and pages that the fold has met, for no observation can name another, and of
 * the fences not older than the oldest that it has met.
 *
 * Left out: what only liveness and the measurements read (eligible, belief, stopped,
 * reaches, clock readings, issued_at, last_at, healed); numbers of observations, of
 * which only that they exist is asked later. */
#include "oracle/state_fold.h"

#include "sim/base/fold.h"

#define END_MOST_US                                                                                \
    (INT64_C(1) * US_PER_S) /* lock-model asks for half a second, no-fail-open for less */

static void fold_seen(struct fold *f, uint32_t by)
{
    fold_u(f, by != OBS_NONE);
}

static void fold_lease(const struct state *s, const struct page_facts *p, const struct lease *l,
                       struct fold *f)
{
    uint32_t end = l->local + (uint32_t)s->contract->lease.ttl_us;
    int32_t left = (int32_t)(end - (uint32_t)f->device_us[p->device % FOLD_DEVICES]);
    fold_fence(f, l->fence);
    fold_u(f, left < 0 ? ~UINT64_C(0) : (uint64_t)left);
    fold_seen(f, l->fenced);
    fold_u(f, l->fenced_blocked);
    fold_seen(f, l->stolen);
    fold_seen(f, l->released);
}

static void fold_page_facts(const struct state *s, const struct page_facts *p, struct fold *f)
{
    fold_u(f, (uint64_t)p->created << 4 | (uint64_t)p->alive << 3 | (uint64_t)p->foreign << 2 |
                  (uint64_t)p->may_lead << 1 | p->visible);
    fold_u(f, (uint64_t)p->protocol << 32 | (uint64_t)p->device << 16 |
                  (uint64_t)p->partition << 8 | p->state);
    if (p->gone != OBS_NONE) fold_age(f, p->gone_at.us, END_MOST_US);
    fold_seen(f, p->gone);
    fold_name(f, &f->request, names_have(&f->request, p->leader_request) ? p->leader_request : 0);
    fold_u(f, p->blocked);
    fold_age(f, p->unblocked_at.us, END_MOST_US);
    if (!p->alive) return; /* it handles and issues nothing any more */
    fold_u(f, p->leases);
    for (uint32_t i = 0; i < p->leases; i++) fold_lease(s, p, &p->lease[i], f);
}

static void fold_request_facts(const struct state *s, uint32_t id, struct fold *f)
{
    const struct request_facts *r = &s->request[id];
    const struct page_facts *p = state_page(s, r->page);
    fold_u(f, r->known);
    if (!r->known) return;
    fold_page(f, r->page);
    fold_u(f, r->kind);
    fold_fence(f, r->fence);
    fold_u(f, (uint64_t)r->op << 32 | r->key * (r->kind != REQ_CLAIM));
    if (p) fold_u(f, r->local - (uint32_t)f->device_us[p->device % FOLD_DEVICES]);
}

static void fold_lock_facts(const struct state *s, uint32_t id, struct fold *f)
{
    const struct lock_facts *l = &s->lock[id];
    fold_u(f, l->life);
    if (l->life == LOCK_UNKNOWN) return;
    fold_page(f, l->page);
    fold_u(f, (uint64_t)l->partition << 24 | (uint64_t)l->name << 16 | (uint64_t)l->flags << 8 |
                  l->shared);
}

/* Queues in their order; of the holders the newest, and how many. */
static void fold_queue(const struct state *s, const struct queue_facts *q, struct fold *f)
{
    fold_u(f, (uint64_t)q->waiting << 32 | q->holders);
    fold_name(f, &f->request, q->holder);
    for (uint32_t id = q->first; id != 0; id = s->lock[id].next) fold_name(f, &f->request, id);
}

static void fold_op(const struct op_facts *op, struct fold *f)
{
    fold_seen(f, op->kept);
    fold_seen(f, op->enqueued);
    fold_seen(f, op->taken);
    fold_seen(f, op->terminal);
    fold_seen(f, op->effect);
    fold_u(f, (uint64_t)op->effects << 32 | op->terminals);
    fold_u(f, (uint64_t)op->open_at << 16 | (uint64_t)op->node << 8 | (uint64_t)op->cleared << 1 |
                  op->owners_forgotten);
    fold_u(f, op->owners);
    for (uint32_t i = 0; i < op->owners; i++) {
        fold_fence(f, op->owner[i].fence);
        fold_page(f, op->owner[i].page);
    }
}

static void fold_authority(const struct authority_facts *a, struct fold *f)
{
    fold_u(f, a->incarnation);
    fold_fence(f, a->largest);
    fold_page(f, a->owner);
    fold_u(f, (uint64_t)a->partition << 16 | (uint64_t)a->node << 8 | (uint64_t)a->held << 2 |
                  (uint64_t)a->expired << 1 | a->closed);
    fold_u(f, (uint64_t)a->index << 32 | a->last_index);
    fold_u(f, (uint64_t)a->protocol << 32 | a->epoch);
}

/* Claims that a fence still in use may be looked up by. */
static void fold_claims(const struct state *s, struct fold *f)
{
    uint32_t oldest = f->oldest;
    for (uint32_t i = 0; i < s->claims; i++) {
        if (s->claim[i].fence.generation < oldest) continue;
        fold_fence(f, s->claim[i].fence);
        fold_page(f, s->claim[i].owner);
        fold_u(f, s->claim[i].partition);
    }
}

void state_fold(const struct state *s, struct fold *f)
{
    fold_u(f, (uint64_t)s->lost << 32 | s->protocol);
    for (uint32_t i = 0; i < s->partitions; i++)
        for (uint32_t k = 0; k < STATE_LOCK_NAMES; k++) fold_queue(s, &s->partition[i].name[k], f);
    for (uint32_t i = 0; i < s->nodes; i++) {
        fold_u(f, (uint64_t)s->node[i].down << 1 | s->node[i].decides);
        fold_fence(f, s->node[i].acceptable);
    }
    for (uint32_t i = 1; i <= s->ops; i++) fold_op(&s->op[i], f);
    for (uint32_t i = 0; i < s->authorities; i++) fold_authority(&s->authority[i], f);
    for (uint32_t i = 0; i < f->request.n; i++) {
        uint32_t id = (uint32_t)f->request.id[i];
        if (id < s->requests)
            fold_request_facts(s, id, f);
        else
            fold_u(f, 0); /* not known either */
        if (id < s->locks)
            fold_lock_facts(s, id, f);
        else
            fold_u(f, LOCK_UNKNOWN);
    }
    for (uint32_t i = 0; i < f->page.n; i++)
        if (f->page.id[i] < s->pages) fold_page_facts(s, &s->page[f->page.id[i]], f);
    fold_claims(s, f);
}
