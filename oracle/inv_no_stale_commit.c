/* no-stale-commit: violated when a canonical commit is accepted under a fence
 * smaller than one that a claim or an epoch advance of that authority was accepted
 * with before, or from a sender that is not that fence's owner.
 * oracle.md, "Safety", second row.
 *
 * With a quorum the decision index is the order: what was decided before the larger
 * fence may be seen after it. */
#include "oracle/invariant.h"

static bool decided_before(const struct state *s, const struct obs *o)
{
    return o->c != 0 && o->c < s->was.index;
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    const struct claim_facts *claim = state_claim(s, o->fence);
    finding_held(f);
    if (fence_less(o->fence, s->was.largest) && !decided_before(s, o))
        finding_broken(f, s->was.largest_by, o->number,
                       "a commit under a smaller fence than one accepted before");
    else if (!claim)
        finding_broken(f, OBS_NONE, o->number, "a commit under a fence that nobody has claimed");
    else if (claim->owner != o->page)
        finding_broken(f, claim->by, o->number, "a commit from a sender that is not the owner");
}

static const uint16_t kinds[] = { OBS_LEDGER_COMMITTED };

const struct invariant inv_no_stale_commit = {
    .clause = "Safety, no-stale-commit",
    .needs = LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .step = step,
};
