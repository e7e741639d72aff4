/* The parts of a tally by name, so that the store can write, and read back, all of
 * it without repeating the list. */
#ifndef REPORTS_TALLY_NAMES_H
#define REPORTS_TALLY_NAMES_H

#include "oracle/tally.h"

/* Every plain sum of struct tally, but the digest. */
#define TALLY_COUNTERS(X)                                                                          \
    X(rounds)                                                                                      \
    X(unknown_rounds)                                                                              \
    X(events) X(open_gaps) X(holds) X(hold_overruns) X(holds_alone) X(holds_alone_overruns)        \
        X(overlaps) X(transitions) X(steals) X(needless_steals) X(fenced) X(reconciled)            \
            X(absorbed) X(renewals) X(ledger_requests) X(operations) X(effects) X(commits)         \
                X(overlap_us) X(leader_us) X(eligible_us) X(raw_us) X(over_threshold)              \
                    X(over_threshold_sq) X(samples_sq) X(over_times_samples) X(hold_overruns_sq)   \
                        X(holds_sq) X(overruns_times_holds) X(pct_links) X(pct_steps)

#define TALLY_HISTOGRAMS (4 + GAP_COUNT + 2 + 2)
#define TALLY_NAME_MAX 32

/* Histogram number i, 0 to TALLY_HISTOGRAMS - 1. */
struct histogram *tally_histogram(struct tally *t, uint32_t i);
/* Its name: "failover", "raw", "cold", "hold", "cause:crashed", "successor:hidden",
 * "device:other". Written to `out` and returned. */
const char *tally_histogram_name(uint32_t i, char out[TALLY_NAME_MAX]);

#endif
