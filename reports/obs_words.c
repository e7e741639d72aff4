#include "reports/obs_words.h"

#include <string.h>

#include "sim/base/fault.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const char *const fault_words[FAULT_COUNT] = {
#define FAULT(kind, word, target, lasts, rule, says) [FAULT_##kind] = word,
#include "sim/base/fault.def"
#undef FAULT
};
_Static_assert(FAULT_COUNT <= OBS_WORDS_MAX, "readers try OBS_WORDS_MAX values");

/* Enumerations that history.def spells out in a comment only. */
static const char *const evicted[] = { NULL, "contention", "message", "timeout", "browser" };
static const char *const works[] = { "refused", "working" };
static const char *const decides[] = { "cannot", "can" };
static const char *const mode[] = { "exclusive", "shared" };
static const char *const channel[] = { NULL, "delayed", "dropped" };
static const char *const storage[] = { NULL, "cleared", "quota" };
static const char *const permit[] = { NULL, "expired", "vacant", "elsewhere" };
static const char *const ended[] = { "complete", "cut-short" };
static const char *const directions[] = { NULL, "up", "down", "both" };

struct words {
    uint16_t kind;
    char member;
    const char *const *word;
    size_t n;
};

#define WORDS(kind, member, list)                                                                  \
    {                                                                                              \
        OBS_##kind, member, list, COUNT(list)                                                      \
    }
static const struct words words[] = {
    WORDS(ROUND_ENDED, 'a', ended),
    WORDS(PAGE_EVICTED, 'a', evicted),
    WORDS(PAGE_LOCKS, 'a', works),
    WORDS(LINK_CUT, 'a', directions),
    WORDS(LINK_HEALED, 'a', directions),
    WORDS(NODE_DECIDES, 'a', decides),
    WORDS(LOCK_REQUESTED, 'a', mode),
    WORDS(LOCK_REFUSED, 'a', lock_error_word),
    WORDS(STATE_CHANGED, 'a', client_state_word),
    WORDS(STATE_CHANGED, 'b', client_state_word),
    WORDS(BELIEF_ENDED, 'a', why_ended_word),
    WORDS(REQUEST_ISSUED, 'a', request_kind_word),
    WORDS(ANSWER_HANDLED, 'a', request_kind_word),
    WORDS(ANSWER_HANDLED, 'b', answer_result_word),
    WORDS(PUSH_HANDLED, 'a', push_kind_word),
    WORDS(CHANNEL_FAULT, 'a', channel),
    WORDS(STORAGE_FAULT, 'a', storage),
    WORDS(LEDGER_REFUSED, 'a', request_kind_word),
    WORDS(LEDGER_REFUSED, 'b', answer_result_word),
    WORDS(LEDGER_COMMITTED, 'a', commit_part_word),
    WORDS(LEDGER_RECONCILED, 'b', outcome_word),
    WORDS(LEDGER_PERMIT, 'a', permit),
    WORDS(EFFECT_ASKED, 'b', outcome_word),
    WORDS(SESSION_REFUSED, 'b', answer_result_word),
    WORDS(ACCOUNT_CHANGED, 'a', account_word),
    WORDS(ACCOUNT_HEARD, 'a', account_word),
    WORDS(FAULT_BEGUN, 'a', fault_words),
    WORDS(FAULT_ENDED, 'a', fault_words),
};

static const struct words *find(enum obs_kind kind, char member)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].kind == kind && words[i].member == member) return &words[i];
    return NULL;
}

const char *obs_word(enum obs_kind kind, char member, uint32_t value)
{
    const struct words *w = find(kind, member);
    return w && value < w->n ? w->word[value] : NULL;
}

bool obs_has_words(enum obs_kind kind, char member)
{
    return find(kind, member) != NULL;
}

const char *obs_flag_word(enum obs_kind kind, unsigned bit)
{
    static const char *const page[] = { "visible", "has-locks", "may-lead", "foreign" };
    static const char *const lock[] = { "ifAvailable", "steal", "signal", "foreign" };
    if (kind == OBS_PAGE_CREATED) return bit < COUNT(page) ? page[bit] : NULL;
    if (kind == OBS_LOCK_REQUESTED) return bit < COUNT(lock) ? lock[bit] : NULL;
    if (kind == OBS_PAGE_FROZEN) return bit == 0 ? "handler-ran" : NULL;
    if (kind == OBS_LOCK_RELEASED) return bit == 0 ? "with-document" : NULL;
    return NULL;
}

bool obs_carries(enum obs_kind kind, const char *member)
{
    size_t n = strlen(member);
    for (const char *p = obs_info[kind].fields; *p; p += strcspn(p, " ")) {
        p += *p == ' ';
        if (strncmp(p, member, n) == 0 && (p[n] == ' ' || p[n] == '\0')) return true;
    }
    return false;
}
