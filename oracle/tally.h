/* What many rounds add up to: counts and histograms, integers only. A worker
 * keeps one; tally_merge is associative and commutative, so the sum does not
 * depend on jobs or shards. */
#ifndef ORACLE_TALLY_H
#define ORACLE_TALLY_H

#include "oracle/judge.h"
#include "sim/base/course.h"

/* Latency histogram with a relative error of at most 0.1%: below 1024 us every
 * value has its bucket, above it 1024 buckets for each power of two, up to
 * 2^31 us (35 min). The last bucket holds everything beyond. */
#define HIST_SUB_BITS 10
#define HIST_BUCKETS ((31 - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

struct histogram { uint64_t n; uint32_t count[HIST_BUCKETS]; int64_t max_us; };

void hist_add(struct histogram *h, int64_t us);
void hist_merge(struct histogram *into, const struct histogram *from);
/* A failover that was open when its round ended is a sample of this length. */
#define HIST_OPEN_US (INT64_C(1) << 31)
/* How many those are, and the longest of the others (to 0.1% when there are any); -1: none. */
uint64_t hist_open(const struct histogram *h);
int64_t hist_longest_ended(const struct histogram *h);
/* The upper edge of the bucket with the value at `rank` of n; -1 when there is none. */
int64_t hist_rank(const struct histogram *h, uint64_t rank);
/* The same at rank ceil(n * num / den), but never more than the largest value; -1 when empty. */
int64_t hist_quantile(const struct histogram *h, uint64_t num, uint64_t den);

/* What is measured (latencies, holds, counts, fault classes) is measured over the uniformly
 * drawn rounds alone, since the other strategies look for trouble. Invariants, planned
 * faults, cells and abstract states are of all rounds. */
struct tally {
    uint64_t rounds, unknown_rounds, events;
    uint64_t digest;                       /* order-free sum over (index, round digest) */
    uint64_t broken[INV_COUNT], held[INV_COUNT], unknown[INV_COUNT];
    struct histogram failover, raw, cold;
    struct histogram by_cause[GAP_COUNT];
    struct histogram by_visibility[2], by_device[2];
    uint64_t open_gaps;
    uint64_t holds, hold_overruns, holds_alone, holds_alone_overruns;
    struct histogram hold;
    uint64_t overlaps, transitions, steals, needless_steals, fenced, reconciled, absorbed;
    uint64_t renewals, ledger_requests, operations, effects, commits;
    uint64_t overlap_us, leader_us, eligible_us, raw_us;
    uint64_t cell[FAULT_COUNT][PHASE_COUNT];
    uint64_t planned[FAULT_COUNT], effective_rounds[FAULT_COUNT];
    /* for intervals with rounds as the independent units: rounds with k samples
     * above each of a few thresholds are too coarse, so squares are kept of the
     * per-round counts of samples over the p99 threshold and of all samples */
    uint64_t over_threshold, over_threshold_sq, samples_sq, over_times_samples;
    uint64_t hold_overruns_sq, holds_sq, overruns_times_holds;
    /* how the rounds were spent */
    uint64_t strategy_rounds[STRATEGY_COUNT], strategy_broken[STRATEGY_COUNT];
    uint64_t uniform_broken[INV_COUNT], uniform_held[INV_COUNT];
    uint64_t pct_links, pct_steps;   /* sums over the rounds of PCT: n and k */
    uint32_t first[ABSTRACT_STATES]; /* 1 + the first round that reached it; 0: none has */
};

/* A round beside what the judge says of it. */
struct tally_round {
    uint64_t index, digest, events;
    enum strategy strategy;
    uint32_t pct_links, pct_steps;
};

void tally_add(struct tally *t, const struct judge_result *r, const struct contract *c,
               const struct tally_round *round);
void tally_merge(struct tally *into, const struct tally *from);

/* Distinct abstract states that the rounds below `index` have reached. */
uint32_t tally_states(const struct tally *t, uint64_t index);

#endif
