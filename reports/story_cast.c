/* The pages, devices, operations and fences of a story. See story_cast.h. */
#include "reports/story_cast.h"

#include <string.h>

#define LOCK_CAST 3 /* holders and waiters: who stands behind them adds nothing */

static void add_page(struct story_cast *c, const struct trace *t, uint16_t page)
{
    if (page == PAGE_NONE || page == PAGE_SERVER) return;
    for (uint32_t i = 0; i < c->pages; i++)
        if (c->page[i] == page) return;
    if (c->pages == CAST_MAX) return;
    c->page[c->pages++] = page;
    c->device[c->devices++] = t->page[page].known ? t->page[page].device : DEVICE_NONE;
}

static void add_op(struct story_cast *c, uint32_t op)
{
    for (uint32_t i = 0; i < c->ops; i++)
        if (c->op[i] == op) return;
    if (op != 0 && c->ops < CAST_MAX) c->op[c->ops++] = op;
}

static void add_fence(struct story_cast *c, struct fence f)
{
    for (uint32_t i = 0; i < c->fences; i++)
        if (fence_equal(c->fence[i], f)) return;
    if (!fence_is_none(f) && c->fences < CAST_MAX) c->fence[c->fences++] = f;
}

bool story_has_page(const struct story_cast *c, uint16_t page)
{
    for (uint32_t i = 0; i < c->pages; i++)
        if (c->page[i] == page) return true;
    return false;
}

bool story_has_device(const struct story_cast *c, uint8_t device)
{
    for (uint32_t i = 0; i < c->devices; i++)
        if (c->device[i] == device && device != DEVICE_NONE) return true;
    return false;
}

bool story_has_op(const struct story_cast *c, uint32_t op)
{
    for (uint32_t i = 0; i < c->ops; i++)
        if (c->op[i] == op) return true;
    return false;
}

bool story_has_fence(const struct story_cast *c, struct fence f)
{
    for (uint32_t i = 0; i < c->fences; i++)
        if (fence_equal(c->fence[i], f)) return true;
    return false;
}

static bool is_operation_kind(enum obs_kind k)
{
    return k != OBS_FAULT_BEGUN && k != OBS_FAULT_ENDED; /* those keep their number there */
}

static void add_from(struct story_cast *c, const struct trace *t, const struct obs *o)
{
    add_page(c, t, o->page);
    add_fence(c, o->fence);
    if (is_operation_kind((enum obs_kind)o->kind)) add_op(c, o->op);
}

/* The page that the lock manager last gave the leader lock in each partition, and then some that
 * asked for it last: for failures that no single page's act shows. */
static void add_lock_holders(struct story_cast *c, const struct trace *t)
{
    const struct history *h = t->history;
    uint64_t seen = 0;
    for (uint32_t i = h->n; i-- > 0;) {
        const struct obs *o = &h->at[i];
        if (o->kind != OBS_LOCK_GRANTED || o->key != LOCK_NAME_LEADER) continue;
        uint64_t partition = UINT64_C(1) << (o->partition & 63);
        if (!(seen & partition)) add_page(c, t, o->page);
        seen |= partition;
    }
    for (uint32_t i = h->n; i-- > 0 && c->pages < LOCK_CAST;) {
        const struct obs *o = &h->at[i];
        if (o->kind == OBS_LOCK_REQUESTED && o->key == LOCK_NAME_LEADER) add_page(c, t, o->page);
    }
}

/* Who asked, under which fence, and whose fences those are. */
static void add_senders(struct story_cast *c, const struct trace *t)
{
    const struct history *h = t->history;
    const uint32_t fences = c->fences;
    for (uint32_t i = 0; i < h->n && i <= c->last; i++) {
        const struct obs *o = &h->at[i];
        if (o->kind != OBS_LEDGER_CLAIMED || !story_has_fence(c, o->fence)) continue;
        for (uint32_t k = 0; k < fences; k++)
            if (fence_equal(c->fence[k], o->fence)) add_page(c, t, o->page);
    }
}

uint32_t story_issue_of(const struct history *h, uint32_t request, uint32_t before)
{
    for (uint32_t i = before; request != 0 && i-- > 0;)
        if (h->at[i].kind == OBS_REQUEST_ISSUED && h->at[i].request == request) return i;
    return OBS_NONE;
}

/* The first thing that any page of the cast did as a leader: what was before says nothing. */
static uint32_t beginning(const struct story_cast *c, const struct history *h)
{
    for (uint32_t i = 0; i < h->n; i++) {
        const struct obs *o = &h->at[i];
        bool claimed = o->kind == OBS_LEDGER_CLAIMED && story_has_fence(c, o->fence);
        if (claimed || (o->kind == OBS_LEDGER_ENQUEUED && story_has_op(c, o->op))) return i;
    }
    return 0;
}

struct story_cast story_cast_of(const struct trace *t, const struct finding *v)
{
    const struct history *h = t->history;
    struct story_cast c = { .last = 0 };
    for (int i = 0; i < 2; i++) {
        if (v->witness[i] >= h->n) continue;
        const struct obs *o = &h->at[v->witness[i]];
        uint32_t issued = story_issue_of(h, o->request, o->number);
        add_from(&c, t, o);
        c.by_lock = c.by_lock || strncmp(obs_info[o->kind].word, "lock.", 5) == 0;
        if (issued != OBS_NONE) add_from(&c, t, &h->at[issued]);
        if (o->number > c.last) c.last = o->number;
    }
    if (c.last == 0) c.last = h->n > 0 ? h->n - 1 : 0;
    add_senders(&c, t);
    c.by_lock = c.by_lock || c.pages == 0;
    if (c.pages == 0) add_lock_holders(&c, t);
    c.first = beginning(&c, h);
    return c;
}
