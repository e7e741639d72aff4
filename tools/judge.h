/* `judge`: the oracle alone, on a history file from anywhere.
 *
 * Shared by build/judge, which links nothing of the simulator, and `tabquake judge`.
 * The contract is the one in the history's first line unless another is given.
 *
 * Exit status: 1 an invariant broke; 4 something is left open, or nothing was exercised;
 * 0 otherwise; 2 bad usage or not a history (nothing was judged). */
#ifndef TOOLS_JUDGE_H
#define TOOLS_JUDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/contract.h"

#define JUDGE_OPS_MAX 65536u /* operations told apart; more make the verdict unknown */

struct judge_options {
    const struct contract *contract; /* NULL: the one in the history */
    bool json;
    int64_t clock_error_us; /* every clock of the recording is right to within this */
};

int judge_history(const char *file, const struct judge_options *options, FILE *out, FILE *err);

/* argv[0] is the command's name: judge FILE [--json] [--clock-error 50ms]
 * [--contract-from-header]. */
int judge_command(int argc, char **argv);

/* The same with --contract FILE, read by `load`. */
int judge_command_with(int argc, char **argv,
                       bool (*load)(struct contract *c, const char *file, FILE *err));

#endif
