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
_Static_assert(POLICY_COUNT <= 64, "a policy set is one word");

struct policy { uint64_t bits; };

struct policy_info { const char *word, *whose, *says; };
extern const struct policy_info policy_info[POLICY_COUNT];

static inline bool policy_has(struct policy p, enum policy_kind k)
{
    return (p.bits >> k) & 1;
}

static inline struct policy policy_with(struct policy p, enum policy_kind k)
{
    p.bits |= UINT64_C(1) << k;
    return p;
}

/* The switch that `word` names, or POLICY_COUNT. */
enum policy_kind policy_find(const char *word);

#endif
