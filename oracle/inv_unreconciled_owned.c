/* unreconciled-owned: violated when, after the transaction of an accepted claim or
 * epoch advance, an operation that was taken and is not terminal is owned by neither
 * that fence nor the server.
 * oracle.md, "Safety", fifth row.
 *
 * A transaction's observations stand together: it is over with the first ledger
 * observation that is later, or that is neither an owner nor an acceptable fence. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

struct own {
    bool pending;
    struct fence fence; /* of the newest accepted claim or epoch advance ... */
    uint32_t by;        /* ... and where */
    struct instant at;
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    return arena_array(a, struct own, 1);
}

static void reset(void *own, const struct state *s)
{
    (void)s;
    *(struct own *)own = (struct own){ 0 };
}

/* The owner before observation `now`, which may have changed it. */
static const struct op_owner *owner_before(const struct op_facts *op, uint32_t now)
{
    const struct op_owner *w = &op->owner[0];
    return w->by == now && op->owners > 1 ? &op->owner[1] : w;
}

static void op_judge(const struct own *own, const struct op_facts *op, uint32_t now,
                     struct finding *f)
{
    const struct op_owner *w = owner_before(op, now);
    if (w->by == now) return; /* taken for the first time just now */
    bool elsewhere = w->page != PAGE_SERVER && w->fence.incarnation != own->fence.incarnation;
    if (elsewhere) return;
    finding_held(f);
    if (w->page != PAGE_SERVER && !fence_equal(w->fence, own->fence))
        finding_broken(f, w->by, own->by, "an operation has no owner after a transition");
}

/* `o`: the observation that ended the transaction; NULL at the end of the history. */
static void transition_judge(struct own *own, const struct state *s, const struct obs *o,
                             struct finding *f)
{
    uint32_t now = o ? o->number : OBS_NONE;
    own->pending = false;
    for (uint32_t i = 0; i < s->opens && f->verdict != VERDICT_BROKEN; i++)
        op_judge(own, &s->op[s->open[i]], now, f);
    /* the operation that this very observation ended was open until now */
    const struct op_facts *op = o && o->kind == OBS_LEDGER_TERMINAL ? state_op(s, o->op) : NULL;
    if (op && op->terminal == now && op->owners > 0 && f->verdict != VERDICT_BROKEN)
        op_judge(own, op, now, f);
}

static bool belongs(const struct own *own, const struct obs *o)
{
    return o->at.us == own->at.us &&
           (o->kind == OBS_LEDGER_OWNER || o->kind == OBS_LEDGER_ACCEPTABLE);
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (own->pending && !belongs(own, o)) transition_judge(own, s, o, f);
    if (o->kind == OBS_LEDGER_CLAIMED || o->kind == OBS_LEDGER_EPOCH)
        *own = (struct own){ true, o->fence, o->number, o->at };
}

static void finish(void *own_, const struct state *s, struct finding *f)
{
    struct own *own = own_;
    if (own->pending) transition_judge(own, s, NULL, f);
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    (void)s;
    const struct own *own = own_;
    fold_u(f, own->pending);
    if (!own->pending) return;
    fold_fence(f, own->fence);
    fold_since(f, own->at.us);
}

static const uint16_t kinds[] = {
    OBS_LEDGER_CLAIMED,    OBS_LEDGER_REPEATED, OBS_LEDGER_REFUSED,  OBS_LEDGER_RENEWED,
    OBS_LEDGER_RELEASED,   OBS_LEDGER_EXPIRED,  OBS_LEDGER_TAKEN,    OBS_LEDGER_COMMITTED,
    OBS_LEDGER_RECONCILED, OBS_LEDGER_OWNER,    OBS_LEDGER_ENQUEUED, OBS_LEDGER_TERMINAL,
    OBS_LEDGER_EPOCH,      OBS_LEDGER_REOPENED, OBS_LEDGER_PERMIT,   OBS_LEDGER_ACCEPTABLE,
};

const struct invariant inv_unreconciled_owned = {
    .clause = "Safety, unreconciled-owned",
    .needs = LOST_OP | LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .fold = fold,
    .finish = finish,
};
