#include "sim/engine/latency.h"

static const uint16_t rank[LATENCY_POINTS] = LATENCY_RANKS;

#define SLOPE(from, to, width) (uint32_t)(((uint64_t)((to) - (from)) << 16) / (width))
/* min, p10, p25, p50, p75, p90, p95, p99, max */
#define TABLE(a, b, c, d, e, f, g, h, i)                                                           \
    {                                                                                              \
        { a, b, c, d, e, f, g, h, i },                                                             \
        {                                                                                          \
            SLOPE(a, b, 6554), SLOPE(b, c, 9830), SLOPE(c, d, 16384), SLOPE(d, e, 16383),          \
                SLOPE(e, f, 9831), SLOPE(f, g, 3276), SLOPE(g, h, 2622), SLOPE(h, i, 655)          \
        }                                                                                          \
    }

/* chromium-measurements.md section 1, "free lock: call to callback", visible and hidden pages
 * together; the call and the grant are two messages, so a half each. */
const struct latency latency_lock = TABLE(52, 100, 120, 150, 240, 350, 480, 1400, 3790);
/* section 5, one receiver, receiver hidden; the tail is that of 19 receivers. */
const struct latency latency_broadcast = TABLE(260, 395, 440, 510, 590, 1815, 2000, 2930, 11040);
/* section 1, "Release by accident": the quiet machine's figures up to p90, above that the
 * loaded one's. */
const struct latency latency_close =
    TABLE(14330, 15762, 17402, 19303, 22024, 40000, 80323, 123096, 235962);
const struct latency latency_crash =
    TABLE(14218, 16018, 16458, 17695, 19590, 38000, 82975, 184818, 206142);
const struct latency latency_reload =
    TABLE(23570, 26365, 28840, 32605, 36410, 41340, 44265, 53345, 120000);
/* section 3: restored 11 to 44 ms after the request; the shape between is assumed even. */
const struct latency latency_restore =
    TABLE(11000, 14000, 19000, 27000, 35000, 40000, 42000, 43500, 44000);
/* Not measured alone; "message hops well under 1 ms" (TM-10): half the hand-off inside a tab. */
const struct latency latency_thread = TABLE(78, 122, 137, 155, 185, 235, 265, 445, 3000);
/* section 2, "one put that had time to finish": 1.1 to 2.9 ms; tail assumed. */
const struct latency latency_idb = TABLE(1100, 1300, 1500, 1900, 2300, 2900, 4000, 9000, 30000);
/* "requestPromiseResolveDelay" of chromium-data/locks-handoff-latency.json: what a short task
 * costs. */
const struct latency latency_task = TABLE(15, 30, 40, 65, 115, 350, 600, 1500, 4000);
/* Assumed: a ledger or provider that answers within milliseconds, with a tail to 60 ms. */
const struct latency latency_service = TABLE(300, 500, 800, 1500, 3000, 6000, 10000, 25000, 60000);
/* Assumed: nodes of one region, a fraction of a millisecond apart, tail to 20 ms. */
const struct latency latency_node = TABLE(200, 300, 400, 500, 700, 1000, 1500, 4000, 20000);

/* NET-1, one way = half of the round trip. p95 and p99 are assumed between p90 and the extreme;
 * the extreme itself is the slow tail's business (NET-2). */
static const struct latency one_way_broadband =
    TABLE(6000, 32500, 37500, 48000, 63000, 85500, 105000, 165000, 467000);
static const struct latency one_way_mobile =
    TABLE(17000, 50000, 58000, 75500, 103500, 133500, 170000, 280000, 886500);
/* NET-3: loopback figures of locks-handoff-latency.json, "hold10" minus its 10 ms wait, halved. */
static const struct latency one_way_lan = TABLE(150, 200, 250, 350, 500, 700, 900, 2000, 20000);

/* Losses and slow tails are assumed; NET-2 asks for at least 0.1% slow. */
static const struct network networks[NETWORK_COUNT] = {
    [NETWORK_LAN] = { &one_way_lan, 1000, 20000, 300000, 100, 500 },
    [NETWORK_BROADBAND] = { &one_way_broadband, 1000, 500000, 3000000, 1000, 500 },
    [NETWORK_MOBILE] = { &one_way_mobile, 2000, 500000, 5000000, 4000, 1000 },
};

const struct network *network_of(enum network_kind kind)
{
    return &networks[kind];
}

int64_t latency_at(const struct latency *t, uint32_t u)
{
    uint32_t i = 0;
    for (uint32_t k = 1; k < LATENCY_POINTS - 1; k++)
        i += u >= rank[k]; /* no branch to mispredict */
    return t->us[i] + (int64_t)((uint64_t)t->slope[i] * (u - rank[i]) >> 16);
}

int64_t latency_draw(const struct latency *t, struct choices *c, enum stream s)
{
    return latency_at(t, choose(c, s, 65536));
}
