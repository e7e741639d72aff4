/* Abstract states: what a round has seen, coarsely, so that rounds that see something new
 * can be told from those that do not (oracle.md, "How the rounds are spent").
 *
 *   phase of the leader x state of the ledger x network x observation, the leader's or not
 *
 *   abstract_reset    before a history
 *   abstract_step     each observation, after coverage_step: new ones go on the list
 *
 * The phase is coverage.h's. The ledger is the one that decided last: free, held, run out,
 * or its epoch closed. The network is whole, or a link is cut, or a node is down, or both. */
#ifndef ORACLE_ABSTRACT_H
#define ORACLE_ABSTRACT_H

#include "oracle/coverage.h"

struct abstract {
    uint64_t seen[(ABSTRACT_STATES + 63) / 64];
    uint32_t ledger, network;
};

void abstract_reset(struct abstract *x, const struct judge_result *r);
void abstract_step(struct abstract *x, const struct state *s, const struct coverage *c,
                   const struct obs *o, struct judge_result *r);

#endif
