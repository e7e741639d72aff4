/* What a round measures: failover gaps, background holds, overlaps of belief, and
 * counts (oracle.md, "Measured"). Numbers only; nothing here is a violation.
 *
 *   measure_open     once: takes its memory from the arena
 *   measure_reset    before a history
 *   measure_step     each observation, after state_step
 *   measure_finish   writes its part of the result
 *
 * A gap is a stretch of one authority in which no page is able to lead; with the
 * server's ledger there is one authority, with local ledgers one for each storage
 * partition. Only the owner of the newest fence can be able, so that an observation
 * costs a look at one page. What ends by time alone (a lease by its owner's own count)
 * is found at the next observation and takes effect at its exact microsecond.
 *
 * Read so where the text leaves room:
 *   - while an incident has claims closed, nobody is allowed to lead: raw time, not
 *     eligible time;
 *   - a gap that the old leader ends under its old fence is left out when its sample,
 *     the eligible time, is under 250 ms;
 *   - a page that never asked for the leader lock may be able without it (single-page
 *     mode); one that did ask has to hold it;
 *   - what foreign code holds is not a background hold of ours, and its steal is not
 *     one of ours;
 *   - a victim was able to act when it ran, answered, and reached the ledger, whether or
 *     not its lease was over: with its lease alive no permit would have been given. */
#ifndef ORACLE_MEASURE_H
#define ORACLE_MEASURE_H

#include "oracle/judge.h"
#include "oracle/state.h"

struct measure_page {
    bool believes;
    bool holding;        /* in a background stretch now */
    bool paused;         /* in one that ended less than a second ago, or is not yet counted */
    bool other_eligible; /* at some time in the stretch */
    int64_t held_from_us, held_to_us;
    uint32_t held_by; /* the observation that began it */
};

/* One authority: leadership, and the gap when there is none. */
struct measure_lead {
    bool begun, led, able;
    bool eligible, closed;
    bool unsure;     /* a better cause of the gap may follow */
    uint8_t cause;   /* enum gap_cause */
    uint16_t owner;  /* of the newest fence */
    uint16_t leader; /* the newest page that was able, and under which fence */
    struct fence fence;
    int64_t since_us;    /* of the leadership or of the gap */
    int64_t until_us;    /* end of the leader's lease by its own count */
    int64_t accrued_us;  /* the gap's eligible time is counted up to here ... */
    int64_t eligible_us; /* ... and is so much */
    uint32_t began;      /* the observation at which the gap began */
    uint32_t generations, believers;
    int64_t overlap_since_us;
};

struct measure {
    const struct contract *contract;
    struct measure_page *page;
    uint32_t pages_max, pages;                  /* pages: used so far */
    struct measure_lead lead[STATE_PARTITIONS]; /* [0] alone with the server's ledger */
    struct gap_sample gap[SAMPLES_MAX];
    struct hold_sample hold[SAMPLES_MAX];
    /* from here on everything is zero after a reset, but for what says so itself */
    uint32_t leads;
    uint16_t holding[STATE_PARTITIONS]; /* page in a background stretch, or PAGE_NONE */
    int64_t lease_edge_us;              /* the next end of an able leader's lease */
    uint32_t eligible;                  /* as counted by the state, one observation ago */
    uint32_t last;                      /* number of the observation before */
    /* goes into the result under the same names */
    uint32_t gaps, holds, samples_lost, overlaps;
    int64_t overlap_us, leader_us, eligible_us, raw_us;
    uint32_t transitions, steals, needless_steals, fenced, reconciled, absorbed;
    uint32_t renewals, ledger_requests, operations, effects, commits;
};

void measure_open(struct measure *x, struct arena *a, uint32_t pages_max, uint32_t ops_max);
void measure_reset(struct measure *x, const struct contract *c);
void measure_step(struct measure *x, const struct state *s, const struct obs *o);
void measure_finish(struct measure *x, const struct state *s, struct judge_result *r);

#endif
