#include "sim/base/fault.h"

#include <string.h>

const struct fault_info fault_info[FAULT_COUNT] = {
#define FAULT(kind, word, target, lasts, rule, says)                                               \
    [FAULT_##kind] = { word, FAULT_ON_##target, lasts, rule, says },
#include "sim/base/fault.def"
#undef FAULT
};

const char *const phase_word[PHASE_COUNT] = {
#define X(kind, word) [PHASE_##kind] = word,
    LEADER_PHASES(X)
#undef X
};

enum fault_kind fault_find(const char *word)
{
    for (int i = 0; i < FAULT_COUNT; i++)
        if (strcmp(fault_info[i].word, word) == 0) return (enum fault_kind)i;
    return FAULT_COUNT;
}

bool fault_has_length(enum fault_kind k)
{
    return fault_info[k].lasts || k == FAULT_LONG_TASK || k == FAULT_REQUEST_LATE;
}
