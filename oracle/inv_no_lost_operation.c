/* no-lost-operation: violated when an operation accepted into the outbox reaches no
 * terminal state after healing, or disappears: is reported as done without an effect, or its
 * page told the user that it is safe and it never reached an outbox.
 * oracle.md, "Liveness".
 *
 * An outbox is worked off in the order of its numbers, so one that waits is lost only when
 * nothing happened to it, nor to one with a smaller number, for the time in which progress
 * is demanded, although somebody could lead. In observe and read-only nobody
 * has to finish anything. */
#include "oracle/able.h"
#include "oracle/invariant.h"

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    return arena_array(a, struct able, 1);
}

static void reset(void *own, const struct state *s)
{
    (void)s;
    able_reset(own);
}

static void done(const struct state *s, const struct obs *o, struct finding *f)
{
    const struct op_facts *op = state_op(s, o->op);
    bool has_effects = s->contract->authority == AUTHORITY_SERVER;
    if (has_effects && op && op->enqueued != OBS_NONE && op->effect == OBS_NONE)
        finding_broken(f, op->enqueued, o->number,
                       "an operation is reported as done without an effect");
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    if (o->kind == OBS_LEDGER_TERMINAL)
        done(s, o, f);
    else
        able_step(own, s);
}

/* Same outbox: the server has one, each local ledger its own. */
static bool same_outbox(const struct op_facts *a, const struct op_facts *b)
{
    return (a->node < STATE_NET_NODES && b->node < STATE_NET_NODES) || a->node == b->node;
}

/* When the outbox of the n-th operation was last worked on, up to that operation. */
static int64_t worked_us(const struct state *s, uint32_t n)
{
    const struct op_facts *op = &s->op[s->queue[n]];
    int64_t at = s->healed_at.us;
    for (uint32_t i = 0; i < s->queued; i++) {
        if (s->queue[i] > s->queue[n]) continue;
        const struct op_facts *before = &s->op[s->queue[i]];
        if (same_outbox(before, op) && before->last_at.us > at) at = before->last_at.us;
    }
    return at;
}

static bool could_be_worked_on(const struct able *own, const struct state *s,
                               const struct op_facts *op)
{
    if (op->node < STATE_NET_NODES) return able_us(own, s) >= s->progress_us;
    return able_us_in(own, s, (uint8_t)(op->node - STATE_NET_NODES)) >= s->progress_us;
}

static struct finding open_judge(const struct able *own, const struct state *s, uint32_t n)
{
    const struct op_facts *op = &s->op[s->queue[n]];
    struct finding f;
    if (s->contract->stage != STAGE_OUTBOX)
        finding_because(&f, VERDICT_UNKNOWN, "the stage finishes no operation");
    else if (s->now.us - worked_us(s, n) < s->progress_us)
        finding_because(&f, VERDICT_UNKNOWN, "an operation was still being worked on");
    else if (!could_be_worked_on(own, s, op))
        finding_because(&f, VERDICT_HELD, able_excuse(s));
    else
        finding_broken(&f, op->enqueued, s->ended, "an operation never came to an end");
    return f;
}

/* The first operation that was called safe and is in no outbox; 0: none. Data that the user
 * clears may take an operation along whose page hears only then that it is stored. */
static uint32_t called_safe(const struct state *s)
{
    for (uint32_t id = 1; id <= s->ops; id++) {
        const struct op_facts *op = &s->op[id];
        if (op->kept != OBS_NONE && op->enqueued == OBS_NONE && !op->cleared) return id;
    }
    return 0;
}

static struct finding promise_judge(const struct state *s, uint32_t id)
{
    struct finding f;
    if (s->now.us - s->healed_at.us < s->progress_us)
        finding_because(&f, VERDICT_UNKNOWN, "what was called safe may still reach the outbox");
    else
        finding_broken(&f, s->op[id].kept, s->ended,
                       "an operation that was called safe never reached the outbox");
    return f;
}

static void finish(void *own, const struct state *s, struct finding *f)
{
    uint32_t safe = called_safe(s);
    if (s->queued == 0 && !safe) return;
    if (s->healed == OBS_NONE || s->cut_short) {
        finding_because(f, VERDICT_UNKNOWN, "the round was not healed, or a limit cut it short");
        return;
    }
    finding_held(f);
    for (uint32_t n = 0; n < s->queued && f->verdict != VERDICT_BROKEN; n++) {
        if (s->op[s->queue[n]].terminal != OBS_NONE) continue;
        struct finding one = open_judge(own, s, n);
        if (f->verdict == VERDICT_HELD || one.verdict == VERDICT_BROKEN) *f = one;
    }
    if (safe && f->verdict != VERDICT_BROKEN) *f = promise_judge(s, safe);
}

static const uint16_t kinds[] = { ABLE_KINDS, OBS_LEDGER_TERMINAL, OBS_OPERATION_KEPT };

const struct invariant inv_no_lost_operation = {
    .clause = "Liveness, no-lost-operation",
    .needs = LOST_OP | LOST_PAGE | LOST_LOCK | LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .finish = finish,
};
