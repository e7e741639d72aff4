/* stage-respected: violated when a page writes in `observe`, or commits or causes an
 * effect in `read-only`.
 * oracle.md, "Safety", seventh row; protocol.md, rule 11.
 *
 * Handing an operation in (ledger.enqueued) is the application's doing, not the
 * leader's, and allowed in every stage. In `outbox` there is nothing to judge. */
#include "oracle/invariant.h"

static bool forbidden(enum stage stage, enum obs_kind kind)
{
    if (stage == STAGE_OBSERVE) return true;
    return kind == OBS_LEDGER_COMMITTED || kind == OBS_EFFECT_EXECUTED;
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    if (s->contract->stage == STAGE_OUTBOX || !is_page(o->page)) return;
    finding_held(f);
    if (o->kind == OBS_WOULD_LEAD) return;
    if (forbidden(s->contract->stage, (enum obs_kind)o->kind))
        finding_broken(f, issued_by(s, o), o->number, "a page writes what its stage forbids");
}

static const uint16_t kinds[] = {
    OBS_WOULD_LEAD,   OBS_LEDGER_CLAIMED,   OBS_LEDGER_RENEWED,    OBS_LEDGER_RELEASED,
    OBS_LEDGER_TAKEN, OBS_LEDGER_COMMITTED, OBS_LEDGER_RECONCILED, OBS_EFFECT_EXECUTED,
};

const struct invariant inv_stage_respected = {
    .clause = "Safety, stage-respected",
    .needs = LOST_REQUEST,
    INVARIANT_KINDS(kinds),
    .step = step,
};
