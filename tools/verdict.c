#include "tools/verdict.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/base/must.h"

/* A condition that the oracle does not know: it judges one run, these are kept from others. */
static void judge_golden(struct gate_report *v, const struct gate_proofs *p)
{
    if (p->golden == 0) return;
    must(v->conditions < CONDITIONS_MAX);
    struct condition *c = &v->condition[v->conditions++];
    *c = (struct condition){ .name = "old-failing-seeds",
                             .says = "seeds that failed once pass",
                             .threshold = "0 broken",
                             .judged = true,
                             .verdict = p->golden_again ? GATE_FAIL : GATE_PASS };
    snprintf(c->value, sizeof c->value, "%" PRIu32 " of %" PRIu32, p->golden_again, p->golden);
    v->verdict = gate_worst(v);
}

void verdict_judge(struct gate_report *v, const struct run_report *r, uint64_t rounds)
{
    must(r->proofs != NULL);
    const struct gate_input input = {
        .tally = r->tally,
        .contract = &r->run.contract,
        .rounds_asked = rounds,
        .mutants_run = r->mutants > 0,
        .mutants = r->mutants,
        .mutant = r->mutant,
        .canary_run = r->proofs->canary_run,
        .canary_red = r->proofs->canary_red,
        .replayed = r->proofs->replayed,
        .replayed_differently = r->proofs->replayed_differently,
        .interrupted = r->interrupted,
    };
    gate_judge(v, &input);
    judge_golden(v, r->proofs);
}

enum exit_status verdict_status(const struct gate_report *v, const struct gate_proofs *p)
{
    if (p->replayed_differently > 0) return EXIT_OURS;
    if (v->verdict == GATE_FAIL) return EXIT_BROKEN;
    return v->verdict == GATE_PASS ? EXIT_PASSED : EXIT_UNPROVEN;
}
