/* A client that is red today can still be gated: what an earlier gate.json found is accepted,
 * anything new or worse fails (product.md, "Adopting it with a client that is red today").
 *
 *   baseline_load   reads the gate.json; false after a sentence on `err`
 *   baseline_apply  turns failed conditions that the baseline excuses into passed ones, whose
 *                   threshold says so, and adds the condition `baseline`
 *   baseline_tell   what was excused, what is new or worse, what is better
 *
 * Excused is an invariant of which every group (reports/group.h: invariant and minimal set of
 * faults) is known and which does not break more often, and a failover p99 that is not longer;
 * both beyond what chance explains, by 95% intervals of both runs. A group is known when the
 * baseline has it, or one of the same invariant for which fewer of its faults suffice. A broken
 * invariant without a group is new. Nothing else is excused. */
#ifndef TOOLS_BASELINE_H
#define TOOLS_BASELINE_H

#include <stdio.h>

#include "reports/group.h"

struct baseline_group {
    char name[GROUP_NAME_MAX];
    enum invariant_kind invariant;
    uint64_t faults;
    bool by_faults; /* else known by its name alone */
    bool found;     /* this run has it too; after baseline_apply */
};

struct baseline {
    const char *file; /* as given; NULL: there is none */
    uint64_t rounds, broken[INV_COUNT];
    struct baseline_group *group; uint32_t groups;
    int64_t p99_us, p99_low_us, p99_high_us; /* -1: unknown */
    /* after baseline_apply: */
    bool invariant_excused[INV_COUNT], invariant_new[INV_COUNT], invariant_worse[INV_COUNT];
    enum { P99_NOTHING, P99_EXCUSED, P99_WORSE, P99_BETTER } p99;
    uint32_t known;               /* groups that were excused, and the p99 */
};

bool baseline_load(struct baseline *b, const char *file, FILE *err);
void baseline_free(struct baseline *b);

/* `v` is the gate of the run that `r` tells, with its groups. */
void baseline_apply(struct baseline *b, struct gate_report *v, const struct run_report *r);
void baseline_tell(FILE *f, const struct baseline *b, const struct run_report *r);

#endif
