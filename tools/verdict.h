/* The judgement of a gate, from what its report is made of: the same for the run that has just
 * ended and for the shards that `merge` joins. */
#ifndef TOOLS_VERDICT_H
#define TOOLS_VERDICT_H

#include "reports/run_report.h"
#include "tools/command.h"

/* `rounds` were asked of this process: fewer than the contract's make a short gate. Needs the
 * report's run, tally, mutants and proofs. */
void verdict_judge(struct gate_report *v, const struct run_report *r, uint64_t rounds);

enum exit_status verdict_status(const struct gate_report *v, const struct gate_proofs *p);

#endif
