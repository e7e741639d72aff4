/* The oracle over one history: invariants, measurements, coverage.
 *
 *   judge_reset    before a history, with the contract that it is judged by
 *   judge_step     each observation, in order, once
 *   judge_finish   after the last; then `judge_result` is complete
 *
 * It reads histories and nothing else. Every invariant is decided at the
 * observation that breaks it, in constant time an observation, with memory over
 * the whole history. No floating point, no allocation after judge_open. */
#ifndef ORACLE_JUDGE_H
#define ORACLE_JUDGE_H

#include "sim/base/arena.h"
#include "sim/base/contract.h"
#include "sim/base/fault.h"
#include "sim/base/history.h"

/* oracle.md's table; the file of invariant NAME is oracle/inv_NAME.c. */
#define INVARIANTS(X)                                                        \
    X(SINGLE_ACTIVE_GENERATION, "single-active-generation", single_active_generation) \
    X(NO_STALE_COMMIT,      "no-stale-commit",       no_stale_commit)        \
    X(EFFECT_AT_MOST_ONCE,  "effect-at-most-once",   effect_at_most_once)    \
    X(NO_FAIL_OPEN,         "no-fail-open",          no_fail_open)           \
    X(UNRECONCILED_OWNED,   "unreconciled-owned",    unreconciled_owned)     \
    X(FENCE_OUTLIVES_ROLLBACK, "fence-outlives-rollback", fence_outlives_rollback) \
    X(STAGE_RESPECTED,      "stage-respected",       stage_respected)        \
    X(STEAL_PERMITTED,      "steal-permitted",       steal_permitted)        \
    X(LOCK_MODEL,           "lock-model",            lock_model)             \
    X(LEGAL_STATE,          "legal-state",           legal_state)            \
    X(LEDGER_LINEARIZABLE,  "ledger-linearizable",   ledger_linearizable)    \
    X(PROGRESS,             "progress",              progress)               \
    X(NO_LOST_OPERATION,    "no-lost-operation",     no_lost_operation)      \
    X(SINGLE_USE_TOKEN,     "single-use-token",      single_use_token)       \
    X(ACCOUNT_BOUND,        "account-bound",         account_bound)          \
    X(SUBSCRIPTION_EXACT,   "subscription-exact",    subscription_exact)     \
    X(RENEWAL_EARNED,       "renewal-earned",        renewal_earned)         \
    X(RECONCILED_FIRST,     "reconciled-first",      reconciled_first)

enum invariant_kind {
#define X(kind, word, file) INV_##kind,
    INVARIANTS(X)
#undef X
    INV_COUNT
};
extern const char *const invariant_word[INV_COUNT];
/* One sentence: when it is violated. */
extern const char *const invariant_says[INV_COUNT];
enum invariant_kind invariant_find(const char *word); /* or INV_COUNT */

enum verdict { VERDICT_UNKNOWN, VERDICT_HELD, VERDICT_BROKEN };

struct finding {
    enum verdict verdict;
    uint32_t witness[2]; /* numbers of the observations that contradict each other; OBS_NONE */
    const char *reason;  /* one clause, static; NULL when held or unknown without one */
};

/* Why nobody was able to lead: the cause of a failover sample. */
#define GAP_CAUSES(X)                                                        \
    X(COLD, "cold-start") X(HIDDEN, "hidden") X(MAX_HOLD, "max-hold")        \
    X(CLOSED, "closed") X(CRASHED, "crashed") X(FROZEN, "frozen")            \
    X(CACHED, "cached") X(DISCARDED, "discarded") X(STOLEN, "stolen")        \
    X(BLOCKED, "blocked") X(ASLEEP, "asleep") X(LINK, "link")                \
    X(NODE, "node") X(LEASE, "lease-over") X(FENCED, "fenced")               \
    X(EPOCH, "epoch") X(OTHER, "other")
enum gap_cause {
#define X(kind, word) GAP_##kind,
    GAP_CAUSES(X)
#undef X
    GAP_COUNT
};
extern const char *const gap_word[GAP_COUNT];

/* Of a round: some ten transitions, but a hand-over may pass 20 hidden pages. */
#define SAMPLES_MAX 2048

struct gap_sample {
    int64_t eligible_us, raw_us; /* oracle.md, "failover" */
    uint8_t cause;               /* enum gap_cause */
    uint8_t successor_visible;   /* 1 visible, 0 hidden */
    uint8_t other_device;        /* 1 the successor is on another device */
    uint8_t open;                /* 1 the round ended inside the gap */
    uint32_t began, ended;       /* observations */
};

struct hold_sample {
    int64_t held_us;
    uint8_t overrun, nobody_else; /* nobody_else: no other page was eligible in it */
    uint32_t began;
};

/* Abstract states (abstract.h) are numbers below ABSTRACT_STATES. */
#define ABSTRACT_LEDGERS 4
#define ABSTRACT_NETWORKS 4
#define ABSTRACT_STATES (PHASE_COUNT * ABSTRACT_LEDGERS * ABSTRACT_NETWORKS * OBS_COUNT * 2)
#define ROUND_STATES_MAX 4096 /* of a round: some 300; what does not fit is not told */
struct state_reached { uint32_t state, at; }; /* at: the first observation of it */

struct judge_result {
    struct finding finding[INV_COUNT];
    uint32_t gaps, holds;       /* of `gap` and `hold` in use */
    uint32_t samples_lost;      /* did not fit: the round is unknown */
    uint32_t overlaps;          /* times at which two pages both believed */
    int64_t overlap_us, leader_us, eligible_us, raw_us;
    uint32_t transitions, steals, needless_steals, fenced, reconciled, absorbed;
    uint32_t renewals, ledger_requests, operations, effects, commits;
    /* coverage: effective hits of fault x phase; a fault is effective when an
     * observation names it as its cause (other than fault.ended) */
    uint8_t cell[FAULT_COUNT][PHASE_COUNT];
    uint8_t planned[FAULT_COUNT], effective[FAULT_COUNT];
    uint8_t cut_short;          /* a limit was hit: the round proves nothing */
    uint32_t states;
    /* last, and not cleared between rounds */
    struct state_reached state[ROUND_STATES_MAX];
    struct gap_sample gap[SAMPLES_MAX];
    struct hold_sample hold[SAMPLES_MAX];
};

struct judge;

/* Takes a judge from the arena for histories of at most `pages_max` documents
 * and `ops_max` operations; ids beyond make the verdict unknown, never a crash. */
struct judge *judge_open(struct arena *a, uint32_t pages_max, uint32_t ops_max);
void judge_reset(struct judge *j, const struct contract *c);
/* Right after a reset, until the next: one invariant is asked, the others stay unknown, and nothing
 * is measured or covered. Its verdict is what it would be with all. */
void judge_only(struct judge *j, enum invariant_kind k);
void judge_step(struct judge *j, const struct obs *o);
const struct judge_result *judge_finish(struct judge *j); /* valid until the next reset */

/* Between two observations: invariants broken so far, a bit each; and what verdicts on safety
 * still depend on, in canonical form, after the world was folded into `f` (base/fold.h). */
uint32_t judge_broken(const struct judge *j);
struct fold;
void judge_fold(const struct judge *j, struct fold *f);

#endif
