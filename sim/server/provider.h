/* The provider: outside everyone's control. It executes an effect once for each
 * idempotency key that it remembers, may be asked what became of an operation,
 * and answers late, not at all, or after having done the work.
 *
 * It remembers a key for `memory_us` of its time; two requests for one key at
 * once are told apart: the second is answered IN_PROGRESS until the first is done. */
#ifndef SIM_SERVER_PROVIDER_H
#define SIM_SERVER_PROVIDER_H

#include "sim/base/history.h"
#include "sim/base/message.h"
#include "sim/base/policy.h"

#define PROVIDER_KEYS_MAX 128
#define PROVIDER_MEMORY_US (INT64_C(24) * 3600 * US_PER_S) /* the usual 24 h of payment providers */
#define PROVIDER_FORGETS_US (INT64_C(2) * US_PER_S)        /* mutant provider-forgets-keys */

struct provider {
    struct history *history;
    struct policy policy;
    struct { uint32_t key, op; struct instant first; bool running; } seen[PROVIDER_KEYS_MAX];
    uint32_t n;
};

void provider_reset(struct provider *p, struct policy policy, struct history *h);

/* An EFFECT or OUTCOME request arrives; its key is not 0. The answer is complete in `a`, unless
 * a->kind == REQ_NONE: then the work has begun, takes as long as the caller draws, and the
 * caller calls provider_finish with the same request. When as many keys as fit are all being
 * worked on, UNAVAILABLE. */
void provider_request(struct provider *p, const struct request *r, struct instant at,
                      uint32_t cause, struct answer *a);
/* The real effect of a key happens now (recorded as effect.executed); `a` answers OK. */
void provider_finish(struct provider *p, const struct request *r, struct instant at,
                     uint32_t cause, struct answer *a);

struct fold;
void provider_fold(const struct provider *p, struct fold *f);

#endif
