/* The switches of policy.def as one small set. */
#ifndef SIM_BASE_POLICY_H
#define SIM_BASE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum policy_kind {
#define POLICY(kind, word, whose, says) POLICY_##kind,
#include "sim/base/policy.def"
#undef POLICY
    POLICY_COUNT
};
#define POLICY_WORDS ((POLICY_COUNT + 63) / 64)

struct policy { uint64_t bits[POLICY_WORDS]; };

struct policy_info { const char *word, *whose, *says; };
extern const struct policy_info policy_info[POLICY_COUNT];

static inline bool policy_has(struct policy p, enum policy_kind k)
{
    return (p.bits[k / 64] >> k % 64) & 1;
}

static inline struct policy policy_with(struct policy p, enum policy_kind k)
{
    p.bits[k / 64] |= UINT64_C(1) << k % 64;
    return p;
}

static inline bool policy_is_empty(struct policy p)
{
    uint64_t any = 0;
    for (int i = 0; i < POLICY_WORDS; i++) any |= p.bits[i];
    return any == 0;
}

/* All switches of both. */
static inline struct policy policy_both(struct policy a, struct policy b)
{
    for (int i = 0; i < POLICY_WORDS; i++) a.bits[i] |= b.bits[i];
    return a;
}

/* The switch that `word` names, or POLICY_COUNT. */
enum policy_kind policy_find(const char *word);

#endif
