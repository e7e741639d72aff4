/* Everything that the reports of one run are made from. The gate fills it while
 * it runs, store_read.h fills it from results.sqlite; a report cannot tell which,
 * and comes out the same. Nothing here is owned but where it says so. */
#ifndef REPORTS_RUN_REPORT_H
#define REPORTS_RUN_REPORT_H

#include "oracle/gate.h"

/* `--set path=value` */
struct run_setting {
    const char *path, *value;
};

/* What was asked for: two runs with the same of it are the same run. */
struct run_info {
    const char *seed_text; /* as it was typed: a number or a commit hash */
    uint64_t seed;
    const char *revision;      /* of the program */
    const char *build;         /* compiler and options */
    const char *suite;         /* file */
    uint64_t plan_digest;      /* of suite, scenarios and contract as they were read */
    const char *contract_file; /* as given with --contract; NULL: the suite's own */
    struct contract contract;
    const char *program; /* as it was called; NULL: build/tabquake */
    const struct run_setting *setting;
    uint32_t settings;
    uint64_t rounds_asked;
    uint32_t block_rounds;  /* rounds of a block, the unit of resuming */
    uint32_t shard, shards; /* shard I of N, I from 1; 1 of 1 is everything */
    uint32_t jobs;          /* may differ when a run is resumed */
    const char *started;    /* UTC, ISO 8601; in no digest; may be NULL */
};

struct scenario_count {
    const char *name, *file;
    uint32_t share;
    uint64_t rounds, broken, unknown; /* rounds; broken: at least one invariant */
};

/* One invariant in one round. */
struct failure {
    uint64_t index, seed;
    uint32_t scenario; /* number in the suite */
    enum invariant_kind invariant;
    struct finding finding;
    struct course course; /* how its seed was spent */
};

/* Failures of one invariant that the same minimal set of faults suffices for; group.h. */
struct failure_group {
    enum invariant_kind invariant;
    uint64_t faults;   /* their kinds, a bit each; 0: none is needed */
    bool reduced;      /* false: no script of the example fails; `faults` are its scenario's */
    uint32_t failures; /* of those that were looked at */
    uint32_t example;  /* the first, in run_report.failure */
    uint32_t tabs, operations; /* of its minimal scenario */
    bool calm;                 /* which needs no seed */
    const char *script;        /* the scenario file's text */
};

/* What the gate tried beside the rounds. */
struct gate_proofs {
    uint64_t replayed, replayed_differently; /* rounds run again */
    uint32_t golden, golden_again;           /* old failing seeds, and that broke again */
    bool canary_run, canary_red;
};

enum noted_why { NOTED_BROKEN, NOTED_UNKNOWN, NOTED_SLOW, NOTED_COUNT };

/* A round worth coming back to. */
struct noted_round {
    uint64_t index, seed, digest;
    uint32_t scenario;
    enum noted_why why;
    int64_t failover_us; /* its longest; -1 when it had none */
    struct course course;
};

struct performance {
    double seconds, rounds_per_s, events_per_s;
    double speedup; /* virtual time over real time */
    uint32_t jobs;
};

struct run_report {
    struct run_info run;
    const struct tally *tally;
    const struct gate_report *gate;
    const struct gate_proofs *proofs; /* NULL: nothing was tried */
    const struct mutant_outcome *mutant;
    uint32_t mutants;
    const struct scenario_count *scenario;
    uint32_t scenarios;
    const struct failure *failure;
    uint32_t failures; /* by invariant, then round */
    const struct failure_group *group;
    uint32_t groups; /* by invariant, then by their first failures; 0: nobody looked */
    const struct noted_round *noted;
    uint32_t noted_n;
    struct performance performance;
    bool interrupted;
};

/* The gate's; of a run without one what its invariants say: fail when one is broken,
 * unknown when nothing was proved. */
enum gate_verdict run_verdict(const struct run_report *r);

#endif
