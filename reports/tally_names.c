#include "reports/tally_names.h"

#include <stdio.h>

#include "sim/base/must.h"

/* A member that is added to struct tally has to be added to one of the lists too. */
#define X(name) +1
_Static_assert(sizeof(struct tally) ==
                   sizeof(struct histogram) * TALLY_HISTOGRAMS +
                       sizeof(uint64_t) * ((0 TALLY_COUNTERS(X)) + 1 /* digest */ + 5 * INV_COUNT +
                                           FAULT_COUNT * (PHASE_COUNT + 2) + 2 * STRATEGY_COUNT) +
                       sizeof(uint32_t) * ABSTRACT_STATES,
               "every member of a tally has a name");
#undef X

struct histogram *tally_histogram(struct tally *t, uint32_t i)
{
    struct histogram *const first[] = { &t->failover, &t->raw, &t->cold, &t->hold };
    if (i < 4) return first[i];
    i -= 4;
    if (i < GAP_COUNT) return &t->by_cause[i];
    i -= GAP_COUNT;
    must(i < 4);
    return i < 2 ? &t->by_visibility[i] : &t->by_device[i - 2];
}

const char *tally_histogram_name(uint32_t i, char out[TALLY_NAME_MAX])
{
    static const char *const first[] = { "failover", "raw", "cold", "hold" };
    static const char *const last[] = { "successor:hidden", "successor:visible", "device:same",
                                        "device:other" };
    must(i < TALLY_HISTOGRAMS);
    if (i >= 4 && i < 4 + GAP_COUNT)
        snprintf(out, TALLY_NAME_MAX, "cause:%s", gap_word[i - 4]);
    else
        snprintf(out, TALLY_NAME_MAX, "%s", i < 4 ? first[i] : last[i - 4 - GAP_COUNT]);
    return out;
}
