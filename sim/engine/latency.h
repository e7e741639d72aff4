/* Latencies from quantile tables by integer inverse transform: a uniform draw of
 * 16 bits picks the position, values between two quantiles are interpolated.
 * Every table says where it was measured (facts/); what was assumed beyond a
 * measurement is said beside it. */
#ifndef SIM_ENGINE_LATENCY_H
#define SIM_ENGINE_LATENCY_H

#include "sim/base/words.h"
#include "sim/engine/choice.h"

#define LATENCY_POINTS 9
/* All tables share the ranks 0, 10, 25, 50, 75, 90, 95, 99 and 100%, of 65535. */
#define LATENCY_RANKS { 0, 6554, 16384, 32768, 49151, 58982, 62258, 64880, 65535 }
struct latency {
    int32_t us[LATENCY_POINTS];         /* rising */
    uint32_t slope[LATENCY_POINTS - 1]; /* us for each step of rank, times 2^16, rounded down */
};

int64_t latency_draw(const struct latency *t, struct choices *c, enum stream s);
/* What a draw of `u` (16 bits) gives. */
int64_t latency_at(const struct latency *t, uint32_t u);

extern const struct latency latency_lock;      /* page to lock manager or back */
extern const struct latency latency_broadcast; /* BroadcastChannel to a hidden receiver */
extern const struct latency latency_close;     /* tab closed: until its locks are free */
extern const struct latency latency_crash;     /* renderer dead: until its locks are free */
extern const struct latency latency_thread;    /* page to its worker or back */
extern const struct latency latency_idb;       /* one small IndexedDB transaction */
extern const struct latency latency_task;      /* how long a task of the page takes */
extern const struct latency latency_reload;    /* until the new document's script runs */
extern const struct latency latency_restore;   /* BFCache: asked until restored */
extern const struct latency latency_service;   /* ledger or provider: time to handle a request */
extern const struct latency latency_node;      /* ledger node to ledger node, one way */

struct network {
    const struct latency *one_way;
    uint32_t slow_ppm;                /* draws that come from the slow tail instead (NET-2) */
    int32_t slow_min_us, slow_max_us;
    uint32_t loss_ppm;                /* a message is lost */
    uint32_t double_ppm;              /* a request arrives twice */
};
const struct network *network_of(enum network_kind kind);

#endif
