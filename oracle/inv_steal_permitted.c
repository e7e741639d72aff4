/* steal-permitted: violated when a page of ours steals the leader lock although the
 * contract says never, or, under incident-only, without an unused permit of its own.
 * protocol.md, rule 8: one permit, one steal. What foreign code steals is the
 * world's harm, not the client's. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

#include <string.h>

struct permit {
    bool given, used;
    uint32_t key; /* its id: an answer that is repeated gives no second one */
    uint32_t by;  /* the newest ledger.permit, or the steal that used it */
};

struct own {
    uint32_t pages;
    struct permit *permit; /* index: page */
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->pages = pages_max;
    own->permit = arena_array(a, struct permit, pages_max);
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    memset(own->permit, 0, own->pages * sizeof own->permit[0]);
}

static void given(struct own *own, const struct obs *o)
{
    struct permit *m = &own->permit[o->page];
    if (m->given && m->key == o->key) return;
    *m = (struct permit){ .given = true, .key = o->key, .by = o->number };
}

static void stolen(struct own *own, const struct state *s, const struct obs *o, struct finding *f)
{
    struct permit *m = &own->permit[o->page];
    finding_held(f);
    if (s->contract->steal == STEAL_ALLOWED) return;
    if (s->contract->steal == STEAL_NEVER) {
        finding_broken(f, OBS_NONE, o->number, "the contract forbids every steal");
        return;
    }
    if (!m->given)
        finding_broken(f, OBS_NONE, o->number, "a steal without a permit");
    else if (m->used)
        finding_broken(f, m->by, o->number, "a permit is used twice");
    m->used = true;
    m->by = o->number;
}

static bool is_our_steal(const struct state *s, const struct obs *o)
{
    return o->key == LOCK_NAME_LEADER && o->flags & LOCK_IS_STEAL &&
           !(o->flags & LOCK_IS_FOREIGN) && !state_page(s, o->page)->foreign;
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    if (!is_page(o->page)) return;
    if (o->kind == OBS_LEDGER_PERMIT)
        given(own, o);
    else if (is_our_steal(s, o))
        stolen(own, s, o, f);
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    (void)s;
    const struct own *own = own_;
    for (uint32_t i = 0; i < f->page.n && f->page.id[i] < own->pages; i++) {
        const struct permit *m = &own->permit[f->page.id[i]];
        fold_u(f, (uint64_t)m->key << 2 | (uint64_t)m->given << 1 | m->used);
    }
}

static const uint16_t kinds[] = { OBS_LEDGER_PERMIT, OBS_LOCK_REQUESTED };

const struct invariant inv_steal_permitted = {
    .clause = "protocol, rule 8",
    .needs = LOST_PAGE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .fold = fold,
};
