#include "sim/base/step.h"

const struct step_action_info step_action_info[ACTION_COUNT] = {
#define X(kind, word, target) [ACTION_##kind] = { word, STEP_ON_##target },
    STEP_ACTIONS(X)
#undef X
};

const char *const step_expectation_word[EXPECT_COUNT] = {
#define X(kind, word) [EXPECT_##kind] = word,
    STEP_EXPECTATIONS(X)
#undef X
};
