#include "sim/base/must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local const char *context_scenario;
static _Thread_local uint64_t context_seed;

void must_context(const char *scenario, uint64_t seed)
{
    context_scenario = scenario;
    context_seed = seed;
}

_Noreturn void must_fail(const char *cond, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "tabquake: internal error: %s:%d: must(%s)", file, line, cond);
    if (context_scenario)
        fprintf(stderr, " in a round of %s, seed 0x%016" PRIx64, context_scenario, context_seed);
    fputs("\n", stderr);
    _Exit(3);
}
