/* Many rounds as one struct of sums.
 *
 *   tally_add     one judged round
 *   tally_merge   the sums of another worker or shard
 *
 * Everything is a sum, a maximum or a histogram of counts, so the order in which
 * rounds are added and tallies are merged changes nothing, the digest included.
 *
 * A failover gap that was open when its round ended counts as longer than any
 * round (oracle.md, "failover"): it goes into the last bucket. An open gap in which
 * nobody was ever eligible is counted as open and is no sample. Cold starts stand in
 * a histogram of their own and in no other. */
#include "oracle/tally.h"

#include "sim/base/must.h"

#define SUB (1 << HIST_SUB_BITS)

/* Log-linear: the value's magnitude chooses the block, its next 10 bits the bucket. */
static uint32_t bucket_of(int64_t us)
{
    if (us < SUB) return us < 0 ? 0 : (uint32_t)us;
    if (us >= HIST_OPEN_US) return HIST_BUCKETS - 1;
    uint32_t shift = 0;
    while (us >> shift >= 2 * SUB) shift++;
    return ((shift + 1) << HIST_SUB_BITS) + (uint32_t)(us >> shift) - SUB;
}

static int64_t bucket_upper_edge(uint32_t bucket)
{
    if (bucket < SUB) return bucket;
    uint32_t shift = (bucket >> HIST_SUB_BITS) - 1;
    int64_t first = (int64_t)(bucket % SUB + SUB) << shift;
    return first + (INT64_C(1) << shift) - 1;
}

void hist_add(struct histogram *h, int64_t us)
{
    uint32_t *count = &h->count[bucket_of(us)];
    must(*count < UINT32_MAX);
    *count += 1;
    h->n++;
    if (us > h->max_us) h->max_us = us;
}

int64_t hist_rank(const struct histogram *h, uint64_t rank)
{
    if (rank == 0 || rank > h->n) return -1;
    uint64_t seen = 0;
    uint32_t b = 0;
    for (; b < HIST_BUCKETS - 1; b++) {
        seen += h->count[b];
        if (seen >= rank) return bucket_upper_edge(b);
    }
    return h->max_us; /* the last bucket has no edge */
}

uint64_t hist_open(const struct histogram *h)
{
    return h->count[HIST_BUCKETS - 1];
}

int64_t hist_longest_ended(const struct histogram *h)
{
    if (h->n == 0) return -1;
    return hist_open(h) == 0 ? h->max_us : hist_rank(h, h->n - hist_open(h));
}

int64_t hist_quantile(const struct histogram *h, uint64_t num, uint64_t den)
{
    must(den > 0);
    must(num <= den);
    /* ceil(n * num / den) without n * num, which may overflow */
    uint64_t whole = h->n / den * num, rest = h->n % den * num;
    uint64_t rank = whole + (rest + den - 1) / den;
    int64_t edge = hist_rank(h, rank > 0 ? rank : 1);
    return edge < h->max_us ? edge : h->max_us; /* nothing is longer than the longest */
}

void hist_merge(struct histogram *into, const struct histogram *from)
{
    for (uint32_t b = 0; b < HIST_BUCKETS; b++) {
        must(into->count[b] <= UINT32_MAX - from->count[b]);
        into->count[b] += from->count[b];
    }
    into->n += from->n;
    if (from->max_us > into->max_us) into->max_us = from->max_us;
}

/* A bijection of 64-bit words in which every bit depends on every bit. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    x = (x ^ (x >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

/* True when one is broken. */
static bool add_findings(struct tally *t, const struct judge_result *r, bool uniform)
{
    bool broken = false;
    for (int i = 0; i < INV_COUNT; i++) {
        switch (r->finding[i].verdict) {
        case VERDICT_HELD:
            t->held[i]++;
            t->uniform_held[i] += uniform;
            break;
        case VERDICT_BROKEN:
            t->broken[i]++;
            t->uniform_broken[i] += uniform;
            broken = true;
            break;
        default: t->unknown[i]++; break;
        }
    }
    return broken;
}

static void add_states(struct tally *t, const struct judge_result *r, uint64_t index)
{
    must(index < UINT32_MAX);
    for (uint32_t i = 0; i < r->states; i++) {
        uint32_t *first = &t->first[r->state[i].state];
        if (*first == 0 || index + 1 < *first) *first = (uint32_t)index + 1;
    }
}

uint32_t tally_states(const struct tally *t, uint64_t index)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ABSTRACT_STATES; i++) n += t->first[i] > 0 && t->first[i] <= index;
    return n;
}

/* One gap; true when it is a failover sample, with its length in *us. */
static bool add_gap(struct tally *t, const struct gap_sample *g, int64_t *us)
{
    if (g->open) t->open_gaps++;
    if (g->open && g->eligible_us == 0) return false;
    *us = g->open ? HIST_OPEN_US : g->eligible_us;
    if (g->cause == GAP_COLD) {
        hist_add(&t->cold, *us);
        return false;
    }
    must(g->cause < GAP_COUNT);
    hist_add(&t->failover, *us);
    hist_add(&t->raw, g->raw_us);
    hist_add(&t->by_cause[g->cause], *us);
    if (!g->open) {
        hist_add(&t->by_visibility[g->successor_visible != 0], *us);
        hist_add(&t->by_device[g->other_device != 0], *us);
    }
    return true;
}

static void add_gaps(struct tally *t, const struct judge_result *r, int64_t threshold_us)
{
    uint64_t over = 0, samples = 0;
    for (uint32_t i = 0; i < r->gaps; i++) {
        int64_t us = 0;
        if (!add_gap(t, &r->gap[i], &us)) continue;
        samples++;
        if (us >= threshold_us) over++;
    }
    t->over_threshold += over;
    t->over_threshold_sq += over * over;
    t->samples_sq += samples * samples;
    t->over_times_samples += over * samples;
}

static void add_holds(struct tally *t, const struct judge_result *r)
{
    uint64_t holds = 0, overruns = 0;
    for (uint32_t i = 0; i < r->holds; i++) {
        const struct hold_sample *s = &r->hold[i];
        if (s->nobody_else) {
            t->holds_alone++;
            t->holds_alone_overruns += s->overrun != 0;
            continue;
        }
        hist_add(&t->hold, s->held_us);
        holds++;
        overruns += s->overrun != 0;
    }
    t->holds += holds;
    t->hold_overruns += overruns;
    t->holds_sq += holds * holds;
    t->hold_overruns_sq += overruns * overruns;
    t->overruns_times_holds += overruns * holds;
}

static void add_coverage(struct tally *t, const struct judge_result *r, bool uniform)
{
    for (int f = 0; f < FAULT_COUNT; f++) {
        t->planned[f] += r->planned[f];
        if (r->effective[f] == 0) continue;
        t->effective_rounds[f] += uniform;
        for (int p = 0; p < PHASE_COUNT; p++) t->cell[f][p] += r->cell[f][p];
    }
}

/* clang-format off */
/* The counts that a round and a tally have under one name. */
#define COUNTS(X)                                                                        \
    X(overlaps) X(transitions) X(steals) X(needless_steals) X(fenced) X(reconciled)      \
    X(absorbed) X(renewals) X(ledger_requests) X(operations) X(effects) X(commits)
#define SPANS(X) X(overlap_us) X(leader_us) X(eligible_us) X(raw_us)
/* The sums that only a tally has. */
#define SUMS(X)                                                                          \
    X(rounds) X(unknown_rounds) X(events) X(digest) X(open_gaps) X(holds)                \
    X(hold_overruns) X(holds_alone) X(holds_alone_overruns) X(over_threshold)            \
    X(over_threshold_sq) X(samples_sq) X(over_times_samples) X(hold_overruns_sq)         \
    X(holds_sq) X(overruns_times_holds) X(pct_links) X(pct_steps)
/* clang-format on */

static void add_measured(struct tally *t, const struct judge_result *r, const struct contract *c)
{
    add_gaps(t, r, c->slo.failover_p99_us);
    add_holds(t, r);
#define X(name) t->name += r->name;
    COUNTS(X)
#undef X
#define X(name) t->name += (uint64_t)r->name;
    SPANS(X)
#undef X
}

void tally_add(struct tally *t, const struct judge_result *r, const struct contract *c,
               const struct tally_round *round)
{
    bool uniform = round->strategy == STRATEGY_UNIFORM;
    must(r->gaps <= SAMPLES_MAX);
    must(r->holds <= SAMPLES_MAX);
    must(round->strategy < STRATEGY_COUNT);
    t->rounds++;
    t->unknown_rounds += r->cut_short || r->samples_lost > 0;
    t->events += round->events;
    t->digest += mix(mix(round->index) ^ round->digest);
    t->strategy_rounds[round->strategy]++;
    t->strategy_broken[round->strategy] += add_findings(t, r, uniform);
    t->pct_links += round->pct_links;
    t->pct_steps += round->pct_steps;
    add_coverage(t, r, uniform);
    add_states(t, r, round->index);
    if (uniform) add_measured(t, r, c);
}

static void merge_histograms(struct tally *into, const struct tally *from)
{
    hist_merge(&into->failover, &from->failover);
    hist_merge(&into->raw, &from->raw);
    hist_merge(&into->cold, &from->cold);
    hist_merge(&into->hold, &from->hold);
    for (int i = 0; i < GAP_COUNT; i++) hist_merge(&into->by_cause[i], &from->by_cause[i]);
    for (int i = 0; i < 2; i++) {
        hist_merge(&into->by_visibility[i], &from->by_visibility[i]);
        hist_merge(&into->by_device[i], &from->by_device[i]);
    }
}

static void merge_tables(struct tally *into, const struct tally *from)
{
    for (int i = 0; i < INV_COUNT; i++) {
        into->broken[i] += from->broken[i];
        into->held[i] += from->held[i];
        into->unknown[i] += from->unknown[i];
        into->uniform_broken[i] += from->uniform_broken[i];
        into->uniform_held[i] += from->uniform_held[i];
    }
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        into->strategy_rounds[k] += from->strategy_rounds[k];
        into->strategy_broken[k] += from->strategy_broken[k];
    }
    for (uint32_t i = 0; i < ABSTRACT_STATES; i++)
        if (from->first[i] > 0 && (into->first[i] == 0 || from->first[i] < into->first[i]))
            into->first[i] = from->first[i];
    for (int f = 0; f < FAULT_COUNT; f++) {
        into->planned[f] += from->planned[f];
        into->effective_rounds[f] += from->effective_rounds[f];
        for (int p = 0; p < PHASE_COUNT; p++) into->cell[f][p] += from->cell[f][p];
    }
}

void tally_merge(struct tally *into, const struct tally *from)
{
    merge_histograms(into, from);
    merge_tables(into, from);
#define X(name) into->name += from->name;
    SUMS(X)
    COUNTS(X)
    SPANS(X)
#undef X
}
