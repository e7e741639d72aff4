/* What a command reads before its first round: suite and contract, checked whole.
 *
 * A single scenario, or a mutant, is a suite of one. Errors are lines on `err`; after
 * false nothing is held. */
#ifndef TOOLS_INPUTS_H
#define TOOLS_INPUTS_H

#include "reports/run_report.h"
#include "tools/locate.h"
#include "tools/options.h"

struct inputs {
    struct suite suite;
    struct contract contract;
    char contract_file[PATH_MAX_LEN];
    bool contract_is_shipped; /* the one that replay takes without --contract */
    struct overrides overrides;
    bool placed[FLAGS_SETS_MAX]; /* `overrides` points here: not to be copied */
    char caught_by[NAME_MAX_LEN]; /* of a mutant the invariant's word; else "" */
    uint64_t seed;
    uint64_t plan_digest; /* of the bytes of all files and overrides */
    uint32_t tabs;        /* of the largest scenario */
};

#define INPUTS_SUITE "release-gate.yaml"
#define INPUTS_CONTRACT "contracts/account-outbox.yaml"

/* `file` may be NULL: the suite that is shipped. `program` is argv[0]. */
bool inputs_load(struct inputs *in, const struct options *o, const char *program, const char *file,
                 FILE *err);
void inputs_free(struct inputs *in);

/* The only scenario with the deliberate mistake of a mutant's file, whose own scenario is left
 * aside. False after a line on `err`. */
bool inputs_mutant(struct inputs *in, const char *file, FILE *err);

/* For the commands that play one round: a single scenario, and the seed that was given or
 * that the scenario keeps; a calm one needs none. False after a line on `err`. */
bool inputs_round(struct inputs *in, const struct options *o, const char *command, FILE *err);

/* How its rounds are called, for lines to paste: program, --contract and every --set.
 * `setting` has room for FLAGS_SETS_MAX, and the result borrows it. */
struct run_info inputs_call(const struct inputs *in, const char *program,
                            struct run_setting *setting);

/* Whatever the suite's portfolio says. */
void inputs_all_uniform(struct inputs *in);

/* The scenario of round `index`: the suite's shares, spread evenly from the first round on. */
uint32_t inputs_scenario(const struct suite *s, uint64_t index);

#endif
