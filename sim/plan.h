/* Files to structs: contracts, scenarios, suites, mutants. Every file is checked whole
 * before the first round; an error names file, line and key, what was found
 * and what is accepted there. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include <stdio.h>

#include "sim/base/contract.h"
#include "sim/base/course.h"
#include "sim/base/fault.h"
#include "sim/base/history.h"
#include "sim/base/policy.h"
#include "sim/base/step.h"

#define DEVICES_MAX 4          /* two by the article; four leave room for private sessions */
#define PROFILE_MIX_MAX 8
#define NAME_MAX_LEN 64
#define SAYS_MAX_LEN 200
#define PATH_MAX_LEN 512
#define SUITE_MAX 128          /* scenarios of a suite */
#define FAULTS_PLANNED_MAX 32  /* of one round */
#define SCHEDULE_MAX 64        /* steps of a scenario: faults and operations */
#define STEP_ANY UINT32_MAX    /* whom the fault finds by itself */
#define STORY_BREAKS_MAX 4     /* one is what a story is about; more go along with it */

struct span_range { int64_t min_us, max_us; };
struct count_range { uint32_t min, max; };

struct device_plan {
    uint32_t tabs;
    uint32_t visible;            /* tabs visible at the start (one for each window) */
    bool private_session;        /* a user agent of its own: own storage partition */
    struct { enum profile_kind profile; uint32_t weight; } mix[PROFILE_MIX_MAX];
    uint32_t mix_n;
    uint32_t without_locks_percent; /* pages that load where navigator.locks is absent */
    uint32_t older_percent;         /* pages that speak the protocol one version older */
};

/* One line of a scenario's faults: which, how often, when, how long. */
struct fault_plan {
    enum fault_kind kind;
    uint32_t weight;             /* share among the scenario's faults when drawn */
    bool always;                 /* in every round, beside the drawn ones */
    uint32_t aimed_percent;      /* share of the times it waits for a drawn leader phase */
    uint32_t phase_mask;         /* phases it may be aimed at, a bit each; 0: all */
    struct span_range lasts;
};

/* One step of a scenario's schedule. It begins at its time, or after the step before it; then it
 * waits, if it names something to wait for; then it does one thing, or looks at one. */
struct step_plan {
    int64_t at_us;               /* not before; -1: when the step before is done */
    int64_t after_us;            /* and so long after that */
    enum leader_phase when;      /* then waits for the phase; PHASE_COUNT: for none */
    bool waits;                  /* ... or for an observation of this kind: */
    enum obs_kind until;
    uint32_t of;                 /* of this tab's, or STEP_ANY */

    enum fault_kind fault;       /* FAULT_COUNT: an action, or an expectation */
    int64_t lasts_us;            /* 0: for good, or it has no length; REQUEST_LATE: drawn */
    enum request_kind request;   /* that the fault is to meet; REQ_NONE: by the leader's phase */
    enum step_action action;     /* without a fault; 0 is an operation that a user submits */
    bool expects;                /* ... and this instead of an action: */
    enum step_expectation expect;
    int64_t within_us;           /* it may take so long to become true */
    uint32_t tab, device;        /* as replay numbers them, or STEP_ANY */
};

/* What makes a scenario a story: a public report, or a danger of the article, played once with
 * the reference and once with the client, ledger or browser that it went wrong with. */
struct story_plan {
    char report[NAME_MAX_LEN];   /* F-19, R6; empty for a story of our own */
    char link[SAYS_MAX_LEN];     /* where it was reported */
    char wrong[SAYS_MAX_LEN], right[SAYS_MAX_LEN]; /* what becomes of the naive one, and of ours */
    struct policy naive;         /* its deviations; empty: the scenario is no story */
    char breaks[STORY_BREAKS_MAX][NAME_MAX_LEN]; /* invariants; tools check that they exist */
    uint32_t breaks_n;
    /* what the scenario's own `policy` breaks, a browser's fault, say, whoever runs in it */
    char despite[STORY_BREAKS_MAX][NAME_MAX_LEN];
    uint32_t despite_n;
};

struct scenario {
    char name[NAME_MAX_LEN];
    char says[SAYS_MAX_LEN];
    char file[PATH_MAX_LEN];     /* as given on the command line or in the suite */
    struct device_plan device[DEVICES_MAX];
    uint32_t devices;
    uint32_t all_hidden_percent; /* rounds in which every tab starts hidden */
    struct { uint32_t none, s70, s400; } hidden_since; /* for 0, 70, 400 s at start; weights */
    enum network_kind network[NETWORK_COUNT];
    uint32_t network_weight[NETWORK_COUNT], networks;
    /* instead of the network's own figures */
    bool has_loss, has_slow; uint32_t loss_permille, slow_permille;
    enum layout layout[LAYOUT_COUNT]; uint32_t layout_weight[LAYOUT_COUNT]; uint32_t layouts;
    struct count_range operations;   /* submitted in a round */
    struct count_range account_changes; /* a user signs out, or another signs in, for a while */
    int64_t session_lifetime_us;     /* of a refresh token and what comes with it */
    int64_t reuse_us;                /* the session's server takes a used token for so long */
    struct span_range duration;      /* first phase, drawn */
    struct span_range long_duration; /* drawn instead in long_permille of the rounds */
    uint32_t long_permille;
    struct count_range faults_drawn;
    struct fault_plan fault[FAULT_COUNT]; uint32_t faults;
    uint32_t omit_percent;           /* swarm: chance that a round drops a class of fault */
    struct step_plan step[SCHEDULE_MAX]; uint32_t steps; /* beside what is drawn */
    bool calm;                       /* every choice is its mildest: the seed changes nothing */
    bool has_seed; uint64_t seed;    /* the round that `replay` plays when it is given none */
    struct story_plan story;
    struct policy policy;            /* deliberate differences, see policy.def */
    bool policy_of_one_version;      /* mutants: only pages of the contract's protocol have it */
    /* keys of the contract that the scenario overrides, applied by scenario_contract() */
    bool has_steal, has_stage, has_authority, has_fallback, has_work;
    enum workstream work;
    enum steal_rule steal; enum stage stage; enum authority authority; enum fallback fallback;
};

struct suite {
    char name[NAME_MAX_LEN];
    char file[PATH_MAX_LEN];
    struct { uint32_t scenario; uint32_t share; } part[SUITE_MAX]; /* index into scenario[] */
    uint32_t parts, share_sum;
    uint32_t percent[STRATEGY_COUNT]; /* of the rounds, for each strategy; 100 together */
    struct scenario *scenario; uint32_t scenarios; /* owned by the suite, freed by suite_free */
    char contract_file[PATH_MAX_LEN];
};

struct mutant {
    char name[NAME_MAX_LEN];
    char says[SAYS_MAX_LEN];
    char file[PATH_MAX_LEN];
    enum policy_kind policy;
    char caught_by[NAME_MAX_LEN];    /* the invariant's word; tools check that it exists */
    uint32_t rounds;                 /* budget, 1000 unless the file says why more */
    struct scenario scenario;        /* its own, or the named one with the switch on */
};

/* `--set path=value`: applied to every file of the kind that has the path. */
struct override { const char *path, *value; };
struct overrides {
    const struct override *at;
    uint32_t n;
    bool *placed; /* of each: some file had a place for it; may be NULL */
};

/* Each reads a file whole; on bad input writes one or more lines
 * "FILE:LINE: KEY: found ..., accepted ..." to `err` and returns false. `o` may be NULL. */
bool contract_load(struct contract *c, const char *file, const struct overrides *o, FILE *err);
bool scenario_load(struct scenario *s, const char *file, const struct overrides *o, FILE *err);
bool suite_load(struct suite *s, const char *file, const struct overrides *o, FILE *err);
bool mutant_load(struct mutant *m, const char *file, const struct overrides *o, FILE *err);
void suite_free(struct suite *s);

/* What kind a file says it is (its `schema` key): "crossTabLeader.v1",
 * "tabquake.scenario.v1", "tabquake.suite.v1", "tabquake.mutant.v1"; NULL and a line on `err`
 * otherwise. */
const char *plan_schema(const char *file, FILE *err);

/* The same check for bytes that are in no file (standard input, a fuzzer): of any of the
 * four kinds; relative paths inside start at the folder of `file`, a name for messages. */
bool plan_check_bytes(const char *file, const void *bytes, size_t n, FILE *err);

/* An override that fits no key of a contract or scenario is an error of the user: false and
 * a line on `err`. It says nothing of the files at hand: a path that the keys have and a
 * file has no place for (its third device) is left alone there. */
bool overrides_all_used(const struct overrides *o, FILE *err);
/* After the last file was read: the same for what none of them had a place for. */
bool overrides_all_placed(const struct overrides *o, FILE *err);

/* Whether only a contract has the key that it changes: a scenario cannot keep it. */
bool override_is_of_contract(const struct override *o);

/* The contract as the scenario bends it. */
struct contract scenario_contract(const struct scenario *s, const struct contract *c);

#endif
