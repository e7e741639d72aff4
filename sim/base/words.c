#include "sim/base/words.h"

#define WORD(k, w) w,
#define DEFINE_WORDS(name, prefix, LIST)                                                           \
    const char *const name##_word[prefix##_COUNT] = { LIST(WORD) };

DEFINE_WORDS(lock_error, LOCK_ERR, LOCK_ERRORS)
DEFINE_WORDS(client_state, STATE, CLIENT_STATES)
DEFINE_WORDS(why_ended, WHY, WHY_ENDED)
DEFINE_WORDS(request_kind, REQ, REQUEST_KINDS)
DEFINE_WORDS(answer_result, ANS, ANSWER_RESULTS)
DEFINE_WORDS(commit_part, PART, COMMIT_PARTS)
DEFINE_WORDS(outcome, OUTCOME, OUTCOMES)
DEFINE_WORDS(push_kind, PUSH, PUSH_KINDS)
DEFINE_WORDS(profile_kind, PROFILE, PROFILES)
DEFINE_WORDS(stage, STAGE, STAGES)
DEFINE_WORDS(steal_rule, STEAL, STEAL_RULES)
DEFINE_WORDS(fallback, FALLBACK, FALLBACKS)
DEFINE_WORDS(authority, AUTHORITY, AUTHORITIES)
DEFINE_WORDS(network_kind, NETWORK, NETWORKS)
DEFINE_WORDS(layout, LAYOUT, LAYOUTS)
DEFINE_WORDS(workstream, WORKSTREAM, WORKSTREAMS)
DEFINE_WORDS(account, ACCOUNT, ACCOUNTS)
