/* single-active-generation: violated when two nodes of one authority hold, at one
 * instant, two different non-empty acceptable fences, or one generation is bound
 * to two owners, or an accepted claim's fence is not larger than every fence
 * accepted before it, also after restarts and fail-overs.
 * oracle.md, "Safety", first row, and "Acceptable fence".
 *
 * Nodes of a quorum log no acceptable fence; there a claim's decision index has to
 * grow, too. A local ledger's node is an authority of its own. */
#include "oracle/invariant.h"

static void acceptable_step(const struct state *s, const struct obs *o, struct finding *f)
{
    if (fence_is_none(o->fence)) return;
    finding_held(f);
    if (o->node >= STATE_NET_NODES) return;
    for (uint32_t n = 0; n < s->nodes; n++) {
        const struct node_facts *other = &s->node[n];
        if (n == o->node || fence_is_none(other->acceptable)) continue;
        if (!fence_equal(other->acceptable, o->fence))
            finding_broken(f, other->acceptable_by, o->number,
                           "two nodes accept two different fences at once");
    }
}

static void claim_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct claim_facts *first = state_claim(s, o->fence);
    uint16_t owner = o->kind == OBS_LEDGER_EPOCH ? PAGE_SERVER : o->page;
    finding_held(f);
    if (first->owner != owner)
        finding_broken(f, first->by, o->number, "one generation is bound to two owners");
    else if (!fence_is_none(s->was.largest) && !fence_less(s->was.largest, o->fence))
        finding_broken(f, s->was.largest_by, o->number,
                       "an accepted claim's fence is not larger than one accepted before");
    else if (o->c != 0 && o->c <= s->was.index)
        finding_broken(f, s->was.largest_by, o->number,
                       "a later claim has a decision index that is not larger");
}

static void repeat_step(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct claim_facts *first = state_claim(s, o->fence);
    if (!first || first->owner == o->page) return;
    finding_broken(f, first->by, o->number, "one generation is bound to two owners");
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    if (o->kind == OBS_LEDGER_ACCEPTABLE)
        acceptable_step(s, o, f);
    else if (o->kind == OBS_LEDGER_REPEATED)
        repeat_step(s, o, f);
    else
        claim_step(s, o, f);
}

static const uint16_t kinds[] = { OBS_LEDGER_ACCEPTABLE, OBS_LEDGER_REPEATED, OBS_LEDGER_CLAIMED,
                                  OBS_LEDGER_EPOCH };

const struct invariant inv_single_active_generation = {
    .clause = "Safety, single-active-generation",
    .needs = LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .step = step,
};
