#include "reports/quantiles.h"

#include "sim/base/must.h"

const char *const quantile_key[QUANTILE_COUNT] = { "p50", "p90", "p99", "p999" };
const char *const quantile_word[QUANTILE_COUNT] = { "p50", "p90", "p99", "p99.9" };

static const struct {
    uint64_t num, den;
} rank[QUANTILE_COUNT] = { { 50, 100 }, { 90, 100 }, { 99, 100 }, { 999, 1000 } };

struct quantile_value quantile_of(const struct histogram *h, enum quantile q, double design_effect)
{
    struct quantile_value v = { -1, -1, -1 };
    if (h->n == 0) return v;
    v.us = hist_quantile(h, rank[q].num, rank[q].den);
    if (!tally_quantile_interval(h, rank[q].num, rank[q].den, design_effect, &v.low_us, &v.high_us))
        v.low_us = v.high_us = -1;
    return v;
}

struct failover_part failover_part(const struct tally *t, uint32_t i)
{
    must(i < FAILOVER_PARTS);
    if (i == 0) return (struct failover_part){ FAILOVER_ALL, "all", &t->failover };
    i--;
    if (i < GAP_COUNT)
        return (struct failover_part){ FAILOVER_CAUSE, gap_word[i], &t->by_cause[i] };
    i -= GAP_COUNT;
    const struct failover_part rest[] = {
        { FAILOVER_SUCCESSOR, "visible", &t->by_visibility[1] },
        { FAILOVER_SUCCESSOR, "hidden", &t->by_visibility[0] },
        { FAILOVER_DEVICE, "same", &t->by_device[0] },
        { FAILOVER_DEVICE, "other", &t->by_device[1] },
    };
    return rest[i];
}
