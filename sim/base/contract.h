/* crossTabLeader.v1: what is promised, by everybody to everybody. The page, the
 * ledger and the oracle read the same struct; scenarios/contracts/ holds the
 * files and sim/plan.c reads them. */
#ifndef SIM_BASE_CONTRACT_H
#define SIM_BASE_CONTRACT_H

#include "sim/base/units.h"
#include "sim/base/words.h"

#define CONTRACT_TEXT_MAX 96 /* lock names and the like; the article's longest is 30 */

struct contract {
    char workstream[CONTRACT_TEXT_MAX];
    enum workstream work;             /* which of the shipped kinds of work that names */
    char lock_name[CONTRACT_TEXT_MAX];
    char protocol[CONTRACT_TEXT_MAX]; /* "leader-worker@3": name and version */
    uint32_t protocol_version;        /* the number after the '@' */
    char origin[CONTRACT_TEXT_MAX];
    enum authority authority;
    int64_t max_hold_us;
    enum steal_rule steal;
    enum fallback fallback;
    bool if_available;

    struct { int64_t ttl_us, renew_us; } lease;
    struct { int64_t interval_us, suspect_after_us; } heartbeat;
    int64_t request_timeout_us; /* a request without an answer for so long is tried again */
    int64_t vacant_after_us;    /* ledger: nobody claims for so long though pages wait: incident */
    int64_t permit_ttl_us;      /* ledger: a permit not used for so long lapses */
    int64_t permit_grace_us;    /* ledger: after a restart, time for the old owner before permits */
    int64_t server_after_us;    /* ledger: vacant for so long: the server's queue drains */
    enum stage stage;

    struct {
        int64_t failover_p99_us;
        int64_t failover_by_cause_us;   /* 0: not bound */
        uint32_t background_overrun_ppm; /* 0.1% is 1000 */
        uint32_t rounds;
        uint32_t needless_steals_ppm;   /* of all transitions */
        uint32_t renewals_per_leader_second_milli; /* at the ledger, thousandths */
        int64_t progress_within_us;     /* second phase: somebody leads within */
    } slo;
};

#endif
