/* The lock manager's state as a whole: saved, restored, folded. */
#include "sim/browser/lockmgr_internal.h"

#include <string.h>

#include "sim/base/fold.h"

size_t lockmgr_bytes(const struct lockmgr *m)
{
    return m->bytes;
}

/* Its memory is one piece; its pointers lead into itself and stay good where it stands. */
void lockmgr_save(const struct lockmgr *m, void *to)
{
    memcpy(to, m, m->bytes);
}

void lockmgr_restore(struct lockmgr *m, const void *from)
{
    memcpy(m, from, m->bytes);
}

static void fold_list(const struct list *l, struct fold *f)
{
    fold_u(f, l->n);
    for (const struct entry *e = l->first; e; e = e->next[IN_NAME]) {
        fold_name(f, &f->request, e->ask.request);
        fold_page(f, e->ask.page);
        fold_u(f, (uint64_t)e->ask.flags << 1 | e->ask.shared);
    }
}

void lockmgr_fold_queues(const struct lockmgr *m, struct fold *f)
{
    for (uint32_t key = 1; key < LOCK_NAMES; key++) {
        const struct name *n = m->name_bucket[key % NAME_BUCKETS];
        while (n && n->key != key) n = n->bucket_next;
        fold_u(f, n != NULL);
        if (!n) continue;
        fold_list(&n->held, f);
        fold_list(&n->queue, f);
        fold_u(f, n->stalled);
    }
}

void lockmgr_fold_client(const struct lockmgr *m, uint16_t page, struct fold *f)
{
    const struct client *c = &m->client[page];
    fold_u(f, (uint64_t)c->ended << 2 | (uint64_t)c->cached << 1 | c->evicted);
}
