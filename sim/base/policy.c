#include "sim/base/policy.h"

#include <string.h>

const struct policy_info policy_info[POLICY_COUNT] = {
#define POLICY(kind, word, whose, says) [POLICY_##kind] = { word, whose, says },
#include "sim/base/policy.def"
#undef POLICY
};

enum policy_kind policy_find(const char *word)
{
    for (int i = 0; i < POLICY_COUNT; i++)
        if (strcmp(policy_info[i].word, word) == 0) return (enum policy_kind)i;
    return POLICY_COUNT;
}
