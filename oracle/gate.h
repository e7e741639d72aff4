/* The release gate: from a tally and a contract to conditions and a verdict
 * (oracle.md, "The release gate"). Verdicts use integers and ranks; the bounds
 * shown beside them may use floating point. */
#ifndef ORACLE_GATE_H
#define ORACLE_GATE_H

#include "oracle/tally.h"

#define CONDITIONS_MAX 64
#define CONDITION_TEXT_MAX 96

enum gate_verdict { GATE_PASS, GATE_FAIL, GATE_UNKNOWN };
extern const char *const gate_verdict_word[3]; /* "pass", "fail", "unknown" */

struct condition {
    char name[CONDITION_TEXT_MAX];       /* "failover-p99" */
    char says[CONDITION_TEXT_MAX];       /* a few plain words */
    char threshold[CONDITION_TEXT_MAX];  /* "< 2 s" */
    char value[CONDITION_TEXT_MAX];      /* "1.482 s" */
    char bound95[CONDITION_TEXT_MAX];    /* "1.471..1.493 s", "<= 3.0e-05 a round" */
    enum gate_verdict verdict;
    bool judged;                         /* false: shown only */
};

struct mutant_outcome {
    const char *name;
    enum invariant_kind expected;
    bool caught;
    uint64_t rounds, budget;  /* rounds to first detection; its own budget */
    uint64_t also;            /* bit set of other invariants that fired */
};

struct gate_input {
    const struct tally *tally;
    const struct contract *contract;
    uint64_t rounds_asked;       /* below contract.slo.rounds: a short gate */
    bool mutants_run; uint32_t mutants; const struct mutant_outcome *mutant;
    bool canary_run, canary_red;
    uint64_t replayed, replayed_differently; /* determinism sample */
    bool interrupted;
};

struct gate_report {
    enum gate_verdict verdict;
    bool is_short;
    struct condition condition[CONDITIONS_MAX];
    uint32_t conditions;
};

void gate_judge(struct gate_report *r, const struct gate_input *in);
/* FAIL before UNKNOWN before PASS, over the conditions. */
enum gate_verdict gate_worst(const struct gate_report *r);

/* The condition that an invariant is held to. */
const char *gate_condition_name(enum invariant_kind k);
/* The condition that a baseline adds; its value is "3 known failures". */
#define GATE_BASELINE "baseline"

/* A cell fault x phase that cannot be hit, and why; NULL when it can. */
const char *coverage_impossible(enum fault_kind f, enum leader_phase p);

/* 95% interval of the failover p99 by ranks, rounds as independent units; false when
 * there are too few samples. Values in us. */
bool tally_quantile_interval(const struct histogram *h, uint64_t num, uint64_t den,
                             double design_effect, int64_t *low_us, int64_t *high_us);
/* What the clustering of failovers in rounds costs, for the interval above. */
double tally_failover_design_effect(const struct tally *t);
/* The same of background holds and their overruns. */
double tally_hold_design_effect(const struct tally *t);
/* Failovers that nobody asked for: without hidden, max-hold and cold start. Adds to `h`. */
void tally_unasked(struct histogram *h, const struct tally *t);

#endif
