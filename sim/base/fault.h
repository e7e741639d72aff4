/* The closed list of faults, expanded from fault.def. */
#ifndef SIM_BASE_FAULT_H
#define SIM_BASE_FAULT_H

#include <stdbool.h>

enum fault_kind {
#define FAULT(kind, word, target, lasts, rule, says) FAULT_##kind,
#include "sim/base/fault.def"
#undef FAULT
    FAULT_COUNT
};

enum fault_target {
    FAULT_ON_HOLDER, FAULT_ON_WAITER, FAULT_ON_PAGE, FAULT_ON_ALL, FAULT_ON_DEVICE,
    FAULT_ON_LINK, FAULT_ON_NODE, FAULT_ON_PROVIDER, FAULT_ON_LEDGER, FAULT_ON_REQUEST
};

struct fault_info {
    const char *word;      /* as in scenario files and histories */
    enum fault_target target;
    int lasts;             /* it has a duration */
    const char *rule;
    const char *says;
};

extern const struct fault_info fault_info[FAULT_COUNT];

/* It is undone after a time, or is itself so long (a long task, a late request). */
bool fault_has_length(enum fault_kind k);

/* The kind that `word` names, or FAULT_COUNT. */
enum fault_kind fault_find(const char *word);

/* What the leader is doing, as far as an outsider can tell: the columns of the
 * coverage matrix (oracle.md, "Leader phases"), and the points that a fault can
 * be aimed at. */
#define LEADER_PHASES(X)                                                  \
    X(NO_LEADER,     "no-leader")      X(WAITING,      "waiting")         \
    X(GRANTED,       "granted")        X(CLAIM,        "claim-in-flight") \
    X(IDLE,          "leading-idle")   X(TAKE,         "take-in-flight")  \
    X(EFFECT,        "effect-in-flight") X(EFFECT_UNKNOWN, "effect-unknown") \
    X(COMMIT,        "commit-in-flight") X(RENEW,      "renew-in-flight") \
    X(DRAINING,      "draining")       X(RELEASE,      "release-in-flight") \
    X(FENCED,        "fenced")

enum leader_phase {
#define X(kind, word) PHASE_##kind,
    LEADER_PHASES(X)
#undef X
    PHASE_COUNT
};

extern const char *const phase_word[PHASE_COUNT];

#endif
