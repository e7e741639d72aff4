/* What rounds add up to: the tally, the scenarios' counts, and the rounds worth coming
 * back to. A worker keeps one for what it has not handed over yet, a run one for all.
 *
 * Lists are bounded as the store's are, and keep the rounds with the smallest numbers,
 * so that what is kept depends neither on jobs nor on the order of blocks. */
#ifndef TOOLS_SUMS_H
#define TOOLS_SUMS_H

#include "reports/store.h"
#include "sim/plan.h"
#include "tools/player.h"

struct sums_round { uint64_t index; uint32_t scenario; struct course course; };

struct sums_failures { struct failure at[STORE_NOTED_MAX]; uint32_t n; };
struct sums_noted { struct noted_round at[STORE_NOTED_MAX]; uint32_t n; };

struct sums {
    struct tally tally;
    uint64_t virtual_us;
    struct scenario_count scenario[SUITE_MAX]; uint32_t scenarios;
    struct sums_failures broken[INV_COUNT];
    struct sums_noted noted[NOTED_COUNT];
    struct sums_round effective[FAULT_COUNT]; /* the first round in which each fault was */
    bool has_effective[FAULT_COUNT];          /* of this process's rounds; the store has none */
};

#define SUMS_FAILURES_MAX (INV_COUNT * STORE_NOTED_MAX)
#define SUMS_NOTED_MAX (2 * STORE_NOTED_MAX + STORE_SLOW_MAX)
/* The lists one after the other, as reports and the store take them. */
struct sums_lists {
    struct failure failure[SUMS_FAILURES_MAX]; uint32_t failures;
    struct noted_round noted[SUMS_NOTED_MAX]; uint32_t noted_n;
};

void sums_open(struct sums *s, const struct suite *suite);
void sums_clear(struct sums *s);
void sums_merge(struct sums *into, const struct sums *from);
/* What an earlier process has left in the store. */
void sums_merge_report(struct sums *into, const struct run_report *r);

void sums_add(struct sums *s, const struct sums_round *round, const struct played *p,
              const struct contract *c);

void sums_list(const struct sums *s, struct sums_lists *out);

#endif
