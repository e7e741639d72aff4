/* The quantiles that every report shows, and of what: one list for JSON, Markdown, HTML
 * and plots. */
#ifndef REPORTS_QUANTILES_H
#define REPORTS_QUANTILES_H

#include "oracle/gate.h"

enum quantile { QUANTILE_P50, QUANTILE_P90, QUANTILE_P99, QUANTILE_P999, QUANTILE_COUNT };
extern const char *const quantile_key[QUANTILE_COUNT];  /* "p999", as in gate.json */
extern const char *const quantile_word[QUANTILE_COUNT]; /* "p99.9" */

struct quantile_value {
    int64_t us;             /* -1: there is no sample; HIST_OPEN_US: it had not ended */
    int64_t low_us, high_us; /* 95% interval; -1: too few samples for one */
};

/* `design_effect`: tally_failover_design_effect(), or 1 for independent samples. */
struct quantile_value quantile_of(const struct histogram *h, enum quantile q,
                                  double design_effect);

/* What failovers are told apart by. */
enum failover_group { FAILOVER_ALL, FAILOVER_CAUSE, FAILOVER_SUCCESSOR, FAILOVER_DEVICE };

struct failover_part {
    enum failover_group group;
    const char *word; /* "crashed", "visible", "other" */
    const struct histogram *h;
};
#define FAILOVER_PARTS (1 + GAP_COUNT + 2 + 2)
/* Part i of FAILOVER_PARTS, groups one after another; it may be empty. */
struct failover_part failover_part(const struct tally *t, uint32_t i);

#endif
