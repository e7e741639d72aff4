/* For how long after healing somebody could have led: what both liveness invariants
 * demand progress for, and the excuses when nobody could (oracle.md, "Liveness").
 *
 *   able_reset    before a history
 *   able_step     each observation of ABLE_KINDS
 *   able_us, able_us_in   at the end: in the whole world, in one storage partition
 *   able_excuse   at the end: why nobody could
 *
 * Able: a page is eligible (state.h), the epoch is open, and, where steals are
 * forbidden, the leader lock of its partition is not held by a page that does not run. */
#ifndef ORACLE_ABLE_H
#define ORACLE_ABLE_H

#include "oracle/state.h"

struct able {
    bool any, in[STATE_PARTITIONS];      /* at the newest observation of ABLE_KINDS */
    int64_t any_us, in_us[STATE_PARTITIONS]; /* since healing, up to `since` */
    struct instant since;
    uint32_t partitions;                 /* of `in` in use */
};

/* Observations that can change who is able; for an invariant's own list. */
#define ABLE_KINDS                                                                        \
    OBS_ROUND_HEALED, OBS_PAGE_CREATED, OBS_PAGE_FROZEN, OBS_PAGE_RESUMED, OBS_PAGE_CACHED, \
    OBS_PAGE_RESTORED, OBS_PAGE_DISCARDED, OBS_PAGE_EVICTED, OBS_PAGE_CRASHED,             \
    OBS_PAGE_CLOSED, OBS_PAGE_LOCKS, OBS_DEVICE_ASLEEP, OBS_DEVICE_AWAKE, OBS_LINK_CUT,    \
    OBS_LINK_HEALED, OBS_NODE_DOWN, OBS_NODE_UP, OBS_NODE_DECIDES, OBS_LOCK_GRANTED,       \
    OBS_LOCK_RELEASED, OBS_LOCK_STOLEN, OBS_LEDGER_CLAIMED, OBS_LEDGER_EPOCH,              \
    OBS_LEDGER_REOPENED, OBS_ACCOUNT_CHANGED

void able_reset(struct able *a);
void able_step(struct able *a, const struct state *s);
int64_t able_us(const struct able *a, const struct state *s);
int64_t able_us_in(const struct able *a, const struct state *s, uint8_t partition);

/* A reason in plain words; only meaningful when able_us is short. */
const char *able_excuse(const struct state *s);

/* Why a page that is able does not get the lead, when it is a cycle: the leader lock's
 * holder waits for a lock whose holder waits for the leader lock. */
bool able_wait_cycle(const struct state *s);

#endif
