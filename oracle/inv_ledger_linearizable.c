/* ledger-linearizable: violated when the ledger's answers, nodes taken together, do
 * not fit the sequential fenced ledger in real-time order.
 * oracle.md, "Safety", last row. Fences are unique and ordered, so the order is known:
 * the decisions are replayed as they come, and with a quorum their indices must agree.
 *
 * The sequential ledger: one generation is current. Its owner renews, releases, takes,
 * commits and reconciles until the lease is released or has run out, which is final. A
 * claim from another storage partition waits for that. An operation is enqueued, taken
 * until it is done, and done once. What is committed or reconciled belongs to the fence
 * that asks, the cursor moves to the operation that was asked for, and a page takes nothing
 * new while it has an operation open. */
#include "oracle/invariant.h"

static void claim_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct authority_facts *was = &s->was;
    bool page_holds = was->held && was->owner != PAGE_SERVER;
    if (page_holds && (o->page == PAGE_SERVER || o->partition != was->partition))
        finding_broken(f, was->largest_by, o->number,
                       "a claim from elsewhere is accepted while the lease is held");
}

/* Under the current generation, by its owner, while its lease lasts. */
static void fenced_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct authority_facts *was = &s->was;
    if (!fence_equal(was->largest, o->fence))
        finding_broken(f, was->largest_by, o->number, "accepted under a fence that is not current");
    else if (was->owner != o->page)
        finding_broken(f, was->largest_by, o->number, "accepted from another than the owner");
    else if (!was->held)
        finding_broken(f, was->ended_by, o->number, "accepted after the lease had ended");
}

static void op_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct op_facts *op = state_op(s, o->op);
    if (!op || f->verdict == VERDICT_BROKEN) return;
    if (op->enqueued == OBS_NONE)
        finding_broken(f, OBS_NONE, o->number, "an operation that was never accepted");
    else if (o->kind == OBS_LEDGER_TAKEN && op->terminal != OBS_NONE)
        finding_broken(f, op->terminal, o->number, "an operation is taken that is done");
    else if (o->kind == OBS_LEDGER_TERMINAL && op->terminals > 1)
        finding_broken(f, op->terminal, o->number, "an operation is done twice");
}

/* By the newest owner that the history names; a local ledger's are of its incarnation. */
static void owner_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct op_facts *op = state_op(s, o->op);
    if (!op || op->owners == 0 || f->verdict == VERDICT_BROKEN) return;
    if (!fence_equal(op->owner[0].fence, o->fence))
        finding_broken(f, op->owner[0].by, o->number, "work on a task that another fence owns");
}

/* A page gets what it has begun and not ended before anything else: its answer was lost.
 * Few operations are open at a time. */
static void take_step(const struct state *s, const struct obs *o, struct finding *f)
{
    for (uint32_t i = 0; i < s->opens && is_page(o->page) && f->verdict != VERDICT_BROKEN; i++) {
        const struct op_owner *owner = &s->op[s->open[i]].owner[0];
        if (s->open[i] != o->op && fence_equal(owner->fence, o->fence))
            finding_broken(f, owner->by, o->number,
                           "a task is given out before the one that the fence has begun is done");
    }
}

static void cursor_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct request_facts *r = state_request(s, o->request);
    if (!r || o->a != PART_CURSOR || f->verdict == VERDICT_BROKEN) return;
    if (r->op != o->op)
        finding_broken(f, r->issued, o->number, "the cursor stands where nobody has moved it");
}

static void index_step(const struct state *s, const struct obs *o, struct finding *f)
{
    if (f->verdict == VERDICT_BROKEN) return;
    if (o->c != 0 && o->c < s->was.last_index)
        finding_broken(f, s->was.largest_by, o->number, "a decision out of the order of its index");
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    finding_held(f);
    switch (o->kind) {
    case OBS_LEDGER_TERMINAL: op_step(s, o, f); return;
    case OBS_LEDGER_CLAIMED: claim_step(s, o, f); break;
    case OBS_LEDGER_EXPIRED:
    case OBS_LEDGER_EPOCH: break;
    case OBS_LEDGER_TAKEN:
        fenced_step(s, o, f);
        op_step(s, o, f);
        take_step(s, o, f);
        break;
    case OBS_LEDGER_COMMITTED:
        fenced_step(s, o, f);
        cursor_step(s, o, f);
        owner_step(s, o, f);
        break;
    case OBS_LEDGER_RECONCILED:
        fenced_step(s, o, f);
        owner_step(s, o, f);
        break;
    default: fenced_step(s, o, f); break;
    }
    index_step(s, o, f);
}

static const uint16_t kinds[] = {
    OBS_LEDGER_CLAIMED,    OBS_LEDGER_RENEWED,  OBS_LEDGER_RELEASED,
    OBS_LEDGER_EXPIRED,    OBS_LEDGER_TAKEN,    OBS_LEDGER_COMMITTED,
    OBS_LEDGER_RECONCILED, OBS_LEDGER_TERMINAL, OBS_LEDGER_EPOCH,
};

const struct invariant inv_ledger_linearizable = {
    .clause = "Safety, ledger-linearizable",
    .needs = LOST_OP | LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .step = step,
};
