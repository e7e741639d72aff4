/* effect-at-most-once: violated when the provider executes the same logical
 * operation twice, whatever keys it came under.
 * oracle.md, "Safety", third row. */
#include "oracle/invariant.h"

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    const struct op_facts *op = state_op(s, o->op);
    if (!op) return;
    finding_held(f);
    if (op->effect != o->number)
        finding_broken(f, op->effect, o->number, "one operation has two effects");
}

static const uint16_t kinds[] = { OBS_EFFECT_EXECUTED };

const struct invariant inv_effect_at_most_once = {
    .clause = "Safety, effect-at-most-once",
    .needs = LOST_OP,
    INVARIANT_KINDS(kinds),
    .step = step,
};
