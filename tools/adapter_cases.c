/* Rules: protocol.md's "The authority", as sim/server/ledger_request.c and lease.c keep it. */
#include "tools/adapter_cases.h"

#define BOTH (1u << PART_CURSOR | 1u << PART_DELETE)

#define CLAIM(t, id, r)                                                                            \
    {                                                                                              \
        .kind = REQ_CLAIM, .tab = t, .op = id, .result = ANS_##r                                   \
    }
#define RENEW(t, g, a, r)                                                                          \
    {                                                                                              \
        .kind = REQ_RENEW, .tab = t, .generation = g, .acked = a, .result = ANS_##r                \
    }
#define ASK(k, t, g, o, r)                                                                         \
    {                                                                                              \
        .kind = REQ_##k, .tab = t, .generation = g, .op = o, .result = ANS_##r                     \
    }
#define COMMIT(t, g, o, r)                                                                         \
    {                                                                                              \
        .kind = REQ_COMMIT, .tab = t, .generation = g, .op = o, .parts = BOTH, .result = ANS_##r   \
    }
#define RECONCILE(t, g, o, what, r)                                                                \
    {                                                                                              \
        .kind = REQ_RECONCILE, .tab = t, .generation = g, .op = o, .outcome = OUTCOME_##what,      \
        .result = ANS_##r                                                                          \
    }
#define EVENT(e)                                                                                   \
    {                                                                                              \
        .event = EVENT_##e                                                                         \
    }
#define LATER(ms) .after_ms = ms

const struct adapter_case adapter_case[] = {
    { "a claim takes the next generation",
      { CLAIM(1, 101, OK), CLAIM(2, 102, OK), CLAIM(1, 103, OK) } },
    { "a claim told again is answered again",
      { CLAIM(1, 101, OK), CLAIM(1, 101, OK), CLAIM(2, 102, OK), CLAIM(1, 101, OK),
        RENEW(2, 2, 0, OK) } },
    { "another partition waits for the lease",
      { CLAIM(1, 101, OK),
        CLAIM(11, 102, WAIT),
        { .kind = REQ_CLAIM, .tab = 11, .op = 103, .result = ANS_OK, LATER(1000) } } },
    { "a release lets another partition in",
      { CLAIM(1, 101, OK), ASK(RELEASE, 1, 1, 0, OK), ASK(RELEASE, 1, 1, 0, OK),
        RENEW(1, 1, 0, FENCED), CLAIM(11, 102, OK), ASK(RELEASE, 1, 1, 0, FENCED) } },
    { "a lease is extended once heard of",
      { CLAIM(1, 101, OK), RENEW(1, 1, 0, OK), RENEW(1, 1, 0, NOT_EXTENDED), RENEW(1, 1, 1, OK),
        CLAIM(2, 102, OK), RENEW(2, 2, 0, OK) } },
    { "a lease that ran out stays so",
      { CLAIM(1, 101, OK),
        { .kind = REQ_RENEW, .tab = 1, .generation = 1, .result = ANS_FENCED, LATER(1000) },
        ASK(RELEASE, 1, 1, 0, FENCED),
        ASK(TAKE, 1, 1, 0, FENCED),
        CLAIM(1, 102, OK) } },
    { "work: take, ack, commit, each twice",
      { ASK(SUBMIT, 1, 0, 1, OK), ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK),
        ASK(TAKE, 1, 1, 0, OK), ASK(TAKE, 1, 1, 0, OK), COMMIT(1, 1, 1, REFUSED),
        ASK(ACK, 1, 1, 1, OK), ASK(ACK, 1, 1, 1, OK), COMMIT(1, 1, 1, OK), COMMIT(1, 1, 1, OK),
        ASK(ACK, 1, 1, 1, OK), ASK(TAKE, 1, 1, 0, EMPTY) } },
    { "what was not taken is refused",
      { CLAIM(1, 101, OK), ASK(SUBMIT, 1, 0, 1, OK), ASK(ACK, 1, 1, 1, REFUSED),
        COMMIT(1, 1, 1, REFUSED), RECONCILE(1, 1, 1, DONE, REFUSED), ASK(ACK, 1, 1, 2, REFUSED),
        ASK(SUBMIT, 1, 0, 0, REFUSED) } },
    { "an old fence is refused: take",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), CLAIM(2, 102, OK), ASK(TAKE, 1, 1, 0, FENCED),
        ASK(TAKE, 2, 2, 0, OK) } },
    { "an old fence is refused: ack",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), CLAIM(2, 102, OK),
        ASK(ACK, 1, 1, 1, FENCED) } },
    { "an old fence is refused: commit",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), ASK(ACK, 1, 1, 1, OK),
        CLAIM(2, 102, OK), COMMIT(1, 1, 1, FENCED), COMMIT(2, 2, 1, OK) } },
    { "an old fence is refused: reconcile",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), CLAIM(2, 102, OK),
        RECONCILE(1, 1, 1, DONE, FENCED) } },
    { "an old fence is refused: renew, release",
      { CLAIM(1, 101, OK), CLAIM(2, 102, OK), RENEW(1, 1, 0, FENCED), ASK(RELEASE, 1, 1, 0, FENCED),
        RENEW(2, 2, 0, OK) } },
    { "the next generation reconciles: done",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), CLAIM(2, 102, OK),
        RECONCILE(2, 2, 1, DONE, OK), COMMIT(2, 2, 1, OK), RECONCILE(2, 2, 1, DONE, OK),
        ASK(TAKE, 2, 2, 0, EMPTY) } },
    { "the next generation reconciles: never seen",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), CLAIM(2, 102, OK),
        RECONCILE(2, 2, 1, NEVER_SEEN, OK), ASK(TAKE, 2, 2, 0, OK), ASK(ACK, 2, 2, 1, OK),
        COMMIT(2, 2, 1, OK) } },
    { "an older protocol is refused",
      { CLAIM(1, 101, OK),
        { .kind = REQ_CLAIM, .tab = 2, .op = 102, .protocol = 2, .result = ANS_PROTOCOL_TOO_OLD },
        { .kind = REQ_RENEW,
          .tab = 1,
          .generation = 1,
          .protocol = 2,
          .result = ANS_PROTOCOL_TOO_OLD },
        RENEW(1, 1, 0, OK) } },
    { "a task that the page does not speak waits",
      { { .kind = REQ_CLAIM, .tab = 1, .op = 101, .protocol = 2, .result = ANS_OK },
        ASK(SUBMIT, 2, 0, 1, OK),
        { .kind = REQ_TAKE,
          .tab = 1,
          .generation = 1,
          .protocol = 2,
          .result = ANS_PROTOCOL_TOO_OLD },
        CLAIM(2, 102, OK),
        ASK(TAKE, 2, 2, 0, OK) } },
    { "a permit only after the lease ran out, one at a time",
      { CLAIM(1, 101, OK),
        ASK(PERMIT, 2, 0, 0, REFUSED),
        { .kind = REQ_PERMIT, .tab = 2, .result = ANS_OK, LATER(1000) },
        ASK(PERMIT, 2, 0, 0, OK),
        ASK(PERMIT, 3, 0, 0, REFUSED),
        { .kind = REQ_PERMIT, .tab = 3, .result = ANS_OK, LATER(2000) } } },
    { "an epoch advances: closed, then reopened",
      { CLAIM(1, 101, OK),
        EVENT(ADVANCE_EPOCH),
        RENEW(1, 1, 0, EPOCH_CLOSED),
        CLAIM(2, 102, EPOCH_CLOSED),
        ASK(PERMIT, 2, 0, 0, EPOCH_CLOSED),
        CLAIM(1, 101, OK),
        EVENT(REOPEN),
        RENEW(1, 1, 0, FENCED),
        CLAIM(2, 103, OK),
        { .kind = REQ_RENEW, .tab = 2, .generation = 3, .epoch = 2, .result = ANS_OK },
        RENEW(2, 3, 1, FENCED) } },
    { "a restart forgets nothing that was answered",
      { ASK(SUBMIT, 1, 0, 1, OK), CLAIM(1, 101, OK), ASK(TAKE, 1, 1, 0, OK), EVENT(RESTART),
        CLAIM(1, 101, OK), RENEW(1, 1, 0, OK), ASK(TAKE, 1, 1, 0, OK), ASK(ACK, 1, 1, 1, OK),
        EVENT(RESTART), COMMIT(1, 1, 1, OK), EVENT(RESTART), ASK(TAKE, 1, 1, 0, EMPTY),
        CLAIM(2, 102, OK) } },
    { "after a restart the old owner renews first",
      { CLAIM(1, 101, OK),
        { .event = EVENT_RESTART, LATER(900) },
        { .kind = REQ_PERMIT, .tab = 2, .result = ANS_REFUSED, LATER(200) },
        { .kind = REQ_PERMIT, .tab = 2, .result = ANS_OK, LATER(500) } } },
};
const uint32_t adapter_cases = sizeof adapter_case / sizeof adapter_case[0];
