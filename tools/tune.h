/* Settings of lease, heartbeat and ledger, tried on the same rounds.
 *
 *   tune_open       every combination of the grids, and the contract as it stands; each is
 *                   the contract file with these keys set, under the same checks as any
 *                   --set. False after one sentence on `err`
 *   tune_run        the rounds of each setting, one setting after the other, in parallel
 *                   inside; the seeds are the same for all (common random numbers)
 *   tune_frontier   marks what no other setting beats
 *   tune_close
 *
 * A knob without a grid stays as the contract has it, but for the renewal, which goes with
 * the ttl: a third of it, in whole milliseconds. Without any grid there are two: of the ttl
 * and of the request timeout. */
#ifndef TOOLS_TUNE_H
#define TOOLS_TUNE_H

#include "tools/inputs.h"
#include "tools/sums.h"

enum tune_knob {
    TUNE_TTL, TUNE_RENEW, TUNE_HEARTBEAT, TUNE_SUSPECT, TUNE_VACANT, TUNE_TIMEOUT, TUNE_STEAL,
    TUNE_KNOBS
};
struct tune_knob_info {
    const char *flag, *key; /* --ttl sets lease.ttl */
    const char *grid;       /* when no flag at all is given */
    const char *says;
};
extern const struct tune_knob_info tune_knob_info[TUNE_KNOBS];

#define TUNE_VALUES_MAX 32    /* of one grid */
#define TUNE_SETTINGS_MAX 256 /* some minutes at 1,000 rounds each */
#define TUNE_TEXT_MAX 32

/* What the rounds of a setting came to. */
struct tune_point {
    uint64_t rounds, unknown_rounds, transitions, failovers, digest;
    uint64_t violations; /* invariants broken, counted by round */
    struct failure first; /* of them, when there are any */
    int64_t p50_us, p99_us, unasked_p99_us; /* -1: no failover */
    int64_t p99_low_us, p99_high_us;        /* 95%; -1: too few samples */
    uint64_t needless_ppm;                  /* of transitions */
    uint64_t renewals_milli, requests_milli; /* at the ledger, thousandths a leader second */
};

struct tune_setting {
    struct contract contract;
    char value[TUNE_KNOBS][TUNE_TEXT_MAX]; /* as --set takes it */
    bool own;         /* the contract as it stands */
    bool measured;    /* false: interrupted before */
    bool on_frontier;
    struct tune_point point;
};

struct tune {
    struct tune_setting *at; uint32_t n;
    bool varies[TUNE_KNOBS]; /* not the same in all settings */
};

/* `grid[k]` is what the flag was given, "600ms,1s", or NULL. Settings are in ascending order. */
bool tune_open(struct tune *t, const struct inputs *in, const char *const grid[TUNE_KNOBS],
               FILE *err);
void tune_close(struct tune *t);

/* `in` is the suite whose rounds are played; its contract is as before afterwards. */
void tune_run(struct tune *t, struct inputs *in, uint64_t rounds, uint32_t jobs,
              enum progress_mode progress);

void tune_measure(struct tune_point *p, const struct tally *t);

/* Of the measured settings in which nothing broke and somebody failed over: those of which
 * no other is at least as good in failover p99, needless steals and ledger requests a
 * second, and better in one. */
void tune_frontier(struct tune *t);

#endif
