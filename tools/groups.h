/* Groups the failures of a run by invariant and minimal set of faults (reports/group.h).
 *
 * Of each invariant the first GROUPS_LOOKED_AT failures are shrunk, the first of every invariant
 * before the second of any, each with at most GROUPS_EACH simulated events and all with
 * GROUPS_EVENTS: some ten seconds at worst, counted in events so that the groups are a function of
 * the run alone, whatever the machine and the jobs. The first failure of an invariant is always
 * looked at; what the budget does not reach is in no group.
 *
 * A set of faults that holds another group's set adds nothing to it where the oracle gives the same
 * reason: its failures are that group's. Where no fault is needed, that is every set. */
#ifndef TOOLS_GROUPS_H
#define TOOLS_GROUPS_H

#include "reports/run_report.h"
#include "tools/inputs.h"

#define GROUPS_LOOKED_AT 16 /* of each invariant */
#define GROUPS_EACH UINT64_C(4000000)    /* a second; some thousand rounds of few tabs */
#define GROUPS_EVENTS UINT64_C(40000000) /* for all */
#define GROUPS_MAX (GROUPS_LOOKED_AT * INV_COUNT)

struct groups {
    struct failure_group at[GROUPS_MAX];
    uint32_t n;
    uint64_t events; /* played */
};

/* Of the report's failures, whose rounds are of `in`. `folder` is --out, for the line in each
 * script that plays it; "" for none. The scripts are freed by groups_free. */
void groups_make(struct groups *g, const struct inputs *in, const struct run_report *r,
                 const char *folder);
void groups_free(struct groups *g);

#endif
