/* What a user's ledger is asked by adapter-test: short conversations, each with a fresh
 * authority. The result of every turn is written here; everything else that its answer has
 * to say comes from the built-in ledger, which is asked the same. */
#ifndef TOOLS_ADAPTER_CASES_H
#define TOOLS_ADAPTER_CASES_H

#include <stdint.h>

#include "sim/base/words.h"

#define ADAPTER_TURNS_MAX 20

/* kind REQ_NONE with an event: that happens instead of a request. */
enum adapter_event { EVENT_NONE, EVENT_RESTART, EVENT_ADVANCE_EPOCH, EVENT_REOPEN };

struct adapter_turn {
    enum request_kind kind;
    uint16_t tab;                   /* tabs 1 to 9 share a storage partition, 11 to 19 another */
    enum answer_result result;
    uint32_t generation, epoch;     /* of the fence shown, epoch 0: the first; generation 0: none */
    uint32_t op;                    /* CLAIM: the claim id */
    uint32_t parts, acked;
    enum outcome outcome;
    uint32_t protocol;              /* 0: the newest, 3 */
    enum adapter_event event;
    uint32_t after_ms;              /* so much later than the turn before */
};

struct adapter_case {
    const char *says;
    struct adapter_turn turn[ADAPTER_TURNS_MAX];
};

extern const struct adapter_case adapter_case[];
extern const uint32_t adapter_cases;

#endif
