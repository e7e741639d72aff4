/* Coverage: in which phase of the leader each fault took effect (oracle.md, "Leader
 * phases"), from the history alone.
 *
 *   coverage_open     once: takes its memory from the arena
 *   coverage_reset    before a history
 *   coverage_step     each observation, after state_step
 *   coverage_finish   writes its part of the result
 *
 * A fault is effective at the first observation, other than its own end, whose direct
 * cause is its fault.begun. Its cell is the phase just before that observation.
 *
 * The phase is that of the owner of the largest accepted fence while that page lives,
 * has the lease and has not lost the lock; what it has in flight is the newest request
 * of each kind that it has not handled an answer to, be that lost or not, until a retry
 * takes its place or the operation's next step ends it. Several at once: the first of the
 * list release, draining, commit, effect unknown, effect, take, renew. "Effect unknown"
 * lasts from the loss of an executed effect's answer, or from the first question what
 * became of it, to any answer about it.
 * A claim whose answer has not been handled is "claim in flight", accepted or not.
 *
 * An owner whose fence is worth nothing any more (refused as fenced, lease out, epoch
 * advanced, lock stolen) and that has not given up yet is "fenced", until it says so, is
 * gone, or a page claims. Without an owner of either kind the candidates count: a claim
 * in flight, the lock granted, the lock waited for, none.
 *
 * With local ledgers there are several owners; the newest claim's is meant. */
#ifndef ORACLE_COVERAGE_H
#define ORACLE_COVERAGE_H

#include "oracle/judge.h"
#include "oracle/state.h"

#define COVERAGE_FAULTS 64 /* of a round that have not taken effect; a plan has at most 32 */

struct coverage_page {
    uint32_t newest[REQ_COUNT]; /* unhandled request of each kind, 0: none */
    uint32_t executed;          /* newest effect request that the provider executed */
    bool unknown;               /* its answer is lost */
    bool claiming;              /* counted in `claims` */
};

struct coverage {
    struct coverage_page *page;
    uint32_t pages_max, pages; /* pages: used so far */
    uint16_t owner;            /* of the newest claim: PAGE_NONE before */
    uint16_t fenced;           /* page whose fence is worth nothing, PAGE_NONE */
    uint32_t claims;           /* living pages with a claim in flight */
    enum leader_phase phase;   /* after the observations so far */
    struct {
        uint32_t number;
        uint8_t kind;
    } pending[COVERAGE_FAULTS];
    uint32_t pendings;
    uint64_t pending_bits; /* bit n: a pending number ends in n (modulo 64) */
    uint8_t cell[FAULT_COUNT][PHASE_COUNT];
    uint8_t planned[FAULT_COUNT], effective[FAULT_COUNT];
};

void coverage_open(struct coverage *x, struct arena *a, uint32_t pages_max, uint32_t ops_max);
void coverage_reset(struct coverage *x, const struct contract *c);
void coverage_step(struct coverage *x, const struct state *s, const struct obs *o);
void coverage_finish(struct coverage *x, const struct state *s, struct judge_result *r);

#endif
