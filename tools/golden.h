/* Old failing seeds: rounds that broke something once and are played first ever after.
 *
 * scenarios/golden/seeds.txt has a line for each: the scenario's path from scenarios/,
 * the round's seed, and what it was, for people. `#` begins a comment. */
#ifndef TOOLS_GOLDEN_H
#define TOOLS_GOLDEN_H

#include "reports/run_report.h"
#include "tools/inputs.h"

#define GOLDEN_MAX 1000 /* a second's worth of rounds */

struct golden_seed { struct scenario scenario; uint64_t seed; };
struct golden { struct golden_seed *at; uint32_t n; };

/* A file that is not there is an empty list. False after lines on `err`. */
bool golden_load(struct golden *g, const char *program, const struct overrides *o, FILE *err);
void golden_free(struct golden *g);

/* How many broke something or proved nothing again; a line on `f` for each. */
uint32_t golden_run(const struct golden *g, const struct contract *c, const struct run_info *run,
                    FILE *f);

#endif
