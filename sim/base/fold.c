#include "sim/base/fold.h"

#include "sim/base/message.h"

void fold_begin(struct fold *f, bool symmetric, int64_t horizon_us)
{
    f->sum = 0;
    f->far_us = horizon_us / 8 * 9; /* clocks run a little fast at most */
    f->now_us = f->wall_us = 0;
    f->generation = f->oldest = f->renewals = 0;
    f->symmetric = symmetric;
    f->page.n = f->tab.n = f->request.n = f->claim.n = f->own.n = 0;
}

uint64_t name_of_id(struct names *n, uint64_t id)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (n->id[i] == id) return i;
    if (n->n == FOLD_NAMES_MAX) return id | UINT64_C(1) << 63;
    n->id[n->n] = id;
    return n->n++;
}

bool names_have(const struct names *n, uint64_t id)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (n->id[i] == id) return true;
    return false;
}

/* Pages are met in any case: whoever is met is folded later. */
void fold_page(struct fold *f, uint16_t page)
{
    bool is_page = page != PAGE_NONE && page != PAGE_SERVER;
    uint64_t name = is_page ? name_of_id(&f->page, page) : page;
    fold_u(f, is_page && !f->symmetric ? page : name);
}

void fold_tab(struct fold *f, uint32_t tab)
{
    fold_u(f, f->symmetric ? name_of_id(&f->tab, tab) : tab);
}

void fold_instance(struct fold *f, uint32_t tab_instance)
{
    if (f->symmetric && tab_instance != 0)
        fold_page(f, (uint16_t)(tab_instance - 1));
    else
        fold_u(f, tab_instance);
}

/* Fences are compared: their distances are kept. */
void fold_fence(struct fold *f, struct fence x)
{
    if (fence_is_none(x)) {
        fold_u(f, 0);
        return;
    }
    if (f->oldest == 0 || x.generation < f->oldest) f->oldest = x.generation;
    fold_u(f, (uint64_t)x.incarnation << 32 | x.epoch);
    fold_u(f, 1 + (uint64_t)((int64_t)x.generation - f->generation));
}

void fold_request(struct fold *f, const struct request *r)
{
    fold_u(f, (uint64_t)r->kind << 32 | (uint64_t)r->device << 8 | r->partition);
    fold_page(f, r->page);
    fold_u(f, r->partition_key);
    fold_instance(f, r->tab_instance);
    fold_u(f, (uint64_t)r->protocol << 32 | r->op);
    fold_fence(f, r->fence);
    if (r->kind == REQ_CLAIM)
        fold_name(f, &f->claim, r->key);
    else
        fold_u(f, r->key);
    fold_u(f, (uint64_t)r->permit << 32 | r->parts);
    fold_u(f, r->without_lock);
    fold_renewal(f, r->acked);
    fold_u(f, r->outcome);
    if (r->page != PAGE_SERVER) fold_since(f, r->sent.us);
}

void fold_answer(struct fold *f, const struct answer *a)
{
    fold_u(f, (uint64_t)a->kind << 32 | (uint64_t)a->result);
    fold_fence(f, a->fence);
    fold_u(f, (uint64_t)a->op << 32 | a->permit);
    fold_renewal(f, a->sequence);
    fold_u(f, (uint64_t)a->wait_us);
    fold_u(f, a->outcome);
    for (uint32_t i = 0; i < a->unreconciled_n; i++) fold_u(f, a->unreconciled[i]);
    fold_u(f, (uint64_t)a->unreconciled_n << 32 | a->more_tasks);
    fold_u(f, a->node_hint);
    fold_since(f, a->sent.us);
}

void fold_push(struct fold *f, const struct push *p)
{
    fold_u(f, p->kind);
    fold_fence(f, p->fence);
    fold_u(f, (uint64_t)p->leader_partition << 48 | (uint64_t)p->node << 40 | p->tasks);
    fold_u(f, p->standing);
}
