/* How a round is played: its seed, and the strategy that spends it.
 *
 *   uniform      every choice as the seed says
 *   pct2, pct3   the same, but messages keep the order of their links' priorities, which
 *                fall at one or two messages (sim/pct.h)
 *   sweep        the scenario without faults of its own, up to a place; there one fault
 *                happens, and the rest has other dice, and priorities with two falls
 *   mutation     as the seed says, up to a place; the rest has other dice, priorities with
 *                two falls and, every second time, one fault more
 *
 * A round is a pure function of (program version, contract, scenario, course).
 *
 *   course_text   "uniform", "pct2", "mutation:812/0x51c6",
 *                 "sweep:812/0x51c6/freeze-abrupt/3000000us"
 *   course_read   the same, read; all but the seed
 *
 * Places are given as "before event number N", from 1, or as "after observation number N":
 * then the event is found while the round runs and written back, for course_text. */
#ifndef SIM_BASE_COURSE_H
#define SIM_BASE_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/fault.h"
#include "sim/base/units.h"

#define STRATEGIES(X)                                                        \
    X(UNIFORM, "uniform") X(PCT2, "pct2") X(PCT3, "pct3") X(SWEEP, "sweep")  \
    X(MUTATION, "mutation")
enum strategy {
#define X(kind, word) STRATEGY_##kind,
    STRATEGIES(X)
#undef X
    STRATEGY_COUNT
};
extern const char *const strategy_word[STRATEGY_COUNT];

/* Where a round leaves its seed, and for which. */
struct fork {
    uint64_t before; /* this event; 0: the one that follows observation `after` */
    uint32_t after;
    uint64_t seed;
};

struct course {
    enum strategy strategy;
    uint64_t seed;
    struct fork fork;      /* sweep, mutation */
    enum fault_kind fault; /* sweep */
    int64_t lasts_us;      /* ... 0: it has no length */
};

#define COURSE_TEXT_MAX 128
#define COURSE_ACCEPTED                                                      \
    "uniform, pct2, pct3, mutation:EVENT/SEED or sweep:EVENT/SEED/FAULT[/LENGTHus]"
/* Returns `out`. */
const char *course_text(char out[COURSE_TEXT_MAX], const struct course *c);
/* False, and *c is as it was, when `text` is none of COURSE_ACCEPTED. */
bool course_read(struct course *c, const char *text);

#endif
