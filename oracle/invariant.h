/* What an invariant is: a file oracle/inv_NAME.c that defines one `struct
 * invariant inv_NAME`, for each NAME of judge.h's INVARIANTS.
 *
 *   kinds    the observations that it wants to see; its step sees no other
 *   needs    facts without which it cannot judge (enum lost): once one of them is
 *            incomplete it is not asked any more, and its verdict is "unknown"
 *   open     takes its own memory, once; NULL when it needs none
 *   reset    before a history
 *   step     with the facts after the observation
 *   finish   after the last one; NULL when everything was decided before
 *   fold     its own memory in canonical form, as far as verdicts on safety depend on it
 *
 * Nobody calls step or finish after a break: the first one stands. */
#ifndef ORACLE_INVARIANT_H
#define ORACLE_INVARIANT_H

#include "oracle/judge.h"
#include "oracle/state.h"

#define INVARIANT_KINDS_MAX OBS_COUNT

struct fold;

struct invariant {
    const char *clause; /* of oracle.md; its sentence is judge.c's invariant_says */
    uint32_t needs;
    const uint16_t *kinds;
    uint32_t kinds_n;
    void *(*open)(struct arena *a, uint32_t pages_max, uint32_t ops_max);
    void (*reset)(void *own, const struct state *s);
    void (*step)(void *own, const struct state *s, const struct obs *o, struct finding *f);
    void (*finish)(void *own, const struct state *s, struct finding *f);
    void (*fold)(const void *own, const struct state *s, struct fold *f);
};

#define X(kind, word, file) extern const struct invariant inv_##file;
INVARIANTS(X)
#undef X

#define INVARIANT_KINDS(array) .kinds = (array), .kinds_n = sizeof(array) / sizeof((array)[0])

static inline void finding_held(struct finding *f)
{
    f->verdict = VERDICT_HELD;
}

/* `first` and `second` contradict each other; the later one stands second. OBS_NONE for
 * something that should have been observed and was not. */
static inline void finding_broken(struct finding *f, uint32_t first, uint32_t second,
                                  const char *reason)
{
    *f = (struct finding){ VERDICT_BROKEN, { first, second }, reason };
}

static inline void finding_because(struct finding *f, enum verdict v, const char *reason)
{
    *f = (struct finding){ v, { OBS_NONE, OBS_NONE }, reason };
}

/* A page (not the server's own worker) that a request came from. */
static inline bool is_page(uint16_t page)
{
    return page != PAGE_NONE && page != PAGE_SERVER;
}

/* Where the request of an observation was issued, or OBS_NONE. */
static inline uint32_t issued_by(const struct state *s, const struct obs *o)
{
    const struct request_facts *r = state_request(s, o->request);
    return r ? r->issued : OBS_NONE;
}

#endif
