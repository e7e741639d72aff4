/* fence-outlives-rollback: violated when a page of an older protocol or a closed
 * epoch gets a claim, a take, a commit or an acknowledgement accepted.
 * oracle.md, "Safety", sixth row.
 *
 * Older: than the newest protocol that has claimed at that authority. Closed: from
 * an epoch advance to its reopening, and for ever for fences of earlier epochs. */
#include "oracle/invariant.h"

static void refused(const struct obs *o, struct finding *f)
{
    if (o->b == ANS_PROTOCOL_TOO_OLD || o->b == ANS_EPOCH_CLOSED) finding_held(f);
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    const struct page_facts *p = state_page(s, o->page);
    const struct authority_facts *was = &s->was;
    if (o->kind == OBS_LEDGER_REFUSED) {
        refused(o, f);
        return;
    }
    if (p && p->created && p->protocol < was->protocol) {
        finding_broken(f, was->protocol_by, o->number, "an older protocol is accepted");
        return;
    }
    if (s->slot == STATE_AUTHORITIES || was->epoch == 0) return;
    finding_held(f);
    if (was->closed && is_page(o->page))
        finding_broken(f, was->epoch_by, o->number, "a page is accepted while the epoch is closed");
    else if (o->fence.epoch < was->epoch)
        finding_broken(f, was->epoch_by, o->number, "a fence of an earlier epoch is accepted");
}

static const uint16_t kinds[] = { OBS_LEDGER_CLAIMED, OBS_LEDGER_TAKEN, OBS_LEDGER_COMMITTED,
                                  OBS_LEDGER_REFUSED };

const struct invariant inv_fence_outlives_rollback = {
    .clause = "Safety, fence-outlives-rollback",
    .needs = LOST_PAGE | LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .step = step,
};
