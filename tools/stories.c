#include "tools/stories.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/story.h"
#include "sim/base/must.h"
#include "tools/flags.h"
#include "tools/steps.h"

#define TOLD_MAX 150 /* lines of one variant; a naive one may go in circles for seconds */

/* -- the file ------------------------------------------------------------------------- */

static bool is_known(const struct scenario *s, const char *key, const char *word, FILE *err)
{
    if (invariant_find(word) != INV_COUNT) return true;
    const char *near = flags_nearest(word, invariant_word, INV_COUNT);
    fprintf(err, "%s: %s: found %s%s%s%s, accepted the name of an invariant\n", s->file, key, word,
            near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return false;
}

bool stories_whole(const struct scenario *s, FILE *err)
{
    bool whole = true;
    if (policy_is_empty(s->story.naive)) {
        fprintf(err, "%s: found a scenario that is no story, accepted one with naive and breaks\n",
                s->file);
        return false;
    }
    for (uint32_t i = 0; i < s->story.breaks_n; i++)
        whole = is_known(s, "breaks", s->story.breaks[i], err) && whole;
    for (uint32_t i = 0; i < s->story.despite_n; i++)
        whole = is_known(s, "despite", s->story.despite[i], err) && whole;
    return whole;
}

bool stories_path(char path[PATH_MAX_LEN], const char *file)
{
    size_t n = strlen(file), stem = n > 5 && strcmp(file + n - 5, ".yaml") == 0 ? n - 5 : n;
    int length = snprintf(path, PATH_MAX_LEN, "%.*s.expected", (int)stem, file);
    return length > 0 && length < PATH_MAX_LEN;
}

/* -- what is told --------------------------------------------------------------------- */

/* What an observer of the product would write down; requests, renewals and heartbeats come by
 * the dozen and show in what they lead to. */
static const bool matters[OBS_COUNT] = {
    [OBS_PAGE_CREATED] = true,
    [OBS_PAGE_VISIBLE] = true,
    [OBS_PAGE_HIDDEN] = true,
    [OBS_PAGE_FROZEN] = true,
    [OBS_PAGE_RESUMED] = true,
    [OBS_PAGE_CACHED] = true,
    [OBS_PAGE_RESTORED] = true,
    [OBS_PAGE_BLOCKED] = true,
    [OBS_PAGE_UNBLOCKED] = true,
    [OBS_PAGE_DISCARDED] = true,
    [OBS_PAGE_EVICTED] = true,
    [OBS_PAGE_CRASHED] = true,
    [OBS_PAGE_CLOSED] = true,
    [OBS_PAGE_LOCKS] = true,
    [OBS_DEVICE_ASLEEP] = true,
    [OBS_DEVICE_AWAKE] = true,
    [OBS_DEVICE_CLOCK] = true,
    [OBS_LINK_CUT] = true,
    [OBS_LINK_HEALED] = true,
    [OBS_NODE_DOWN] = true,
    [OBS_NODE_UP] = true,
    [OBS_LOCK_GRANTED] = true,
    [OBS_LOCK_STOLEN] = true,
    [OBS_LOCK_RELEASED] = true,
    [OBS_BELIEF_BEGAN] = true,
    [OBS_BELIEF_ENDED] = true,
    [OBS_WOULD_LEAD] = true,
    [OBS_REQUEST_DELAYED] = true,
    [OBS_REQUEST_LOST] = true,
    [OBS_ANSWER_LOST] = true,
    [OBS_STORAGE_FAULT] = true,
    [OBS_LEDGER_CLAIMED] = true,
    [OBS_LEDGER_REPEATED] = true,
    [OBS_LEDGER_REFUSED] = true,
    [OBS_LEDGER_EXPIRED] = true,
    [OBS_LEDGER_TAKEN] = true,
    [OBS_LEDGER_COMMITTED] = true,
    [OBS_LEDGER_RECONCILED] = true,
    [OBS_LEDGER_OWNER] = true,
    [OBS_LEDGER_ENQUEUED] = true,
    [OBS_LEDGER_TERMINAL] = true,
    [OBS_LEDGER_EPOCH] = true,
    [OBS_LEDGER_REOPENED] = true,
    [OBS_LEDGER_PERMIT] = true,
    [OBS_EFFECT_EXECUTED] = true,
    [OBS_EFFECT_ABSORBED] = true,
    [OBS_OPERATION_KEPT] = true,
    [OBS_FAULT_BEGUN] = true,
    [OBS_ROUND_HEALED] = true,
    [OBS_SESSION_ROTATED] = true,
    [OBS_SESSION_REPEATED] = true,
    [OBS_SESSION_REUSED] = true,
    [OBS_SESSION_REFUSED] = true,
    [OBS_SESSION_ENDED] = true,
    [OBS_SESSION_STORED] = true,
    [OBS_ACCOUNT_CHANGED] = true,
    [OBS_ACCOUNT_HEARD] = true,
    [OBS_SUBSCRIPTION_OPENED] = true,
    [OBS_SUBSCRIPTION_CLOSED] = true,
    [OBS_EVENT_DELIVERED] = true,
    [OBS_GAP_ANNOUNCED] = true,
};

struct telling {
    FILE *f;
    struct trace trace;
    const struct judge_result *result;
    uint32_t broken, end; /* invariants; the first observation that is not told any more */
    uint32_t told;
    char *said; /* the sentence before, and how often it has come again since */
    uint32_t again;
    int64_t until_us;
};

static bool is_witness(const struct telling *t, uint32_t number)
{
    for (int k = 0; k < INV_COUNT; k++) {
        const struct finding *v = &t->result->finding[k];
        if (!(t->broken >> k & 1)) continue;
        if (v->witness[0] == number || v->witness[1] == number) return true;
    }
    return false;
}

static bool is_told(const struct telling *t, const struct obs *o)
{
    if (is_witness(t, o->number)) return true;
    if (o->kind == OBS_LOCK_REQUESTED) return (o->flags & LOCK_IS_STEAL) != 0;
    if (o->kind == OBS_DEVICE_CLOCK) return o->at.us > 0;
    return matters[o->kind];
}

static void say_time(FILE *f, int64_t us)
{
    fprintf(f, "%4" PRId64 ".%03" PRId64 " s", us / US_PER_S, us / US_PER_MS % 1000);
}

static void say_again(struct telling *t)
{
    if (t->again == 0) return;
    fprintf(t->f, "                and so %" PRIu32 " times more until", t->again);
    say_time(t->f, t->until_us);
    putc('\n', t->f);
    t->again = 0;
}

static char *sentence(struct telling *t, const struct obs *o)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    must(f != NULL);
    if (!story_sentence(f, &t->trace, o)) fputs(obs_info[o->kind].word, f);
    fclose(f);
    must(text != NULL);
    return text;
}

static void tell_one(struct telling *t, const struct obs *o)
{
    char *text = sentence(t, o);
    bool witness = is_witness(t, o->number);
    if (t->said && strcmp(t->said, text) == 0 && !witness) {
        t->again++;
        t->until_us = o->at.us;
    } else {
        say_again(t);
        fputs(witness ? "=> " : "   ", t->f);
        say_time(t->f, o->at.us);
        fprintf(t->f, "  %s\n", text);
        t->told++;
    }
    free(t->said);
    t->said = text;
}

static void tell_history(struct telling *t)
{
    const struct history *h = t->trace.history;
    uint32_t end = t->end, left_out = 0;
    for (uint32_t i = 0; i < end; i++) {
        const struct obs *o = &h->at[i];
        if (!is_told(t, o)) continue;
        if (t->told < TOLD_MAX || is_witness(t, i))
            tell_one(t, o);
        else
            left_out++;
    }
    say_again(t);
    if (left_out > 0) fprintf(t->f, "   %" PRIu32 " more are left out\n", left_out);
}

static void tell_findings(struct telling *t)
{
    for (int k = 0; k < INV_COUNT; k++)
        if (t->broken >> k & 1)
            fprintf(t->f, "   %s: %s\n", invariant_word[k], t->result->finding[k].reason);
}

static uint32_t last_witness(const struct judge_result *r, uint32_t broken, uint32_t n)
{
    uint32_t last = 0;
    for (int k = 0; k < INV_COUNT; k++)
        for (int i = 0; i < 2; i++) {
            uint32_t w = r->finding[k].witness[i];
            if (broken >> k & 1 && w < n && w > last) last = w;
        }
    return last;
}

/* The reference to the end; a naive variant up to what broke. */
static void tell(FILE *f, const struct played *r, bool to_the_end)
{
    struct telling t = { .f = f, .result = r->result, .broken = played_broken(r) };
    t.end = r->history->n;
    if (t.broken && !to_the_end) t.end = 1 + last_witness(r->result, t.broken, r->history->n);
    must(trace_open(&t.trace, r->history));
    tell_history(&t);
    tell_findings(&t);
    trace_close(&t.trace);
    free(t.said);
}

/* -- both variants -------------------------------------------------------------------- */

static void say_invariants(FILE *f, uint32_t set)
{
    const char *separator = "";
    for (int k = 0; k < INV_COUNT; k++)
        if (set >> k & 1) fprintf(f, "%s%s", separator, invariant_word[k]), separator = ", ";
    if (!set) fputs("nothing", f);
}

static void say_policies(FILE *f, struct policy p)
{
    const char *separator = "";
    for (int k = 0; k < POLICY_COUNT; k++)
        if (policy_has(p, (enum policy_kind)k))
            fprintf(f, "%s%s", separator, policy_info[k].word), separator = " + ";
}

/* Owned by the caller. */
static char *told(const struct played *r, bool to_the_end)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    must(f != NULL);
    tell(f, r, to_the_end);
    fclose(f);
    must(text != NULL);
    return text;
}

static uint32_t set_of(const char names[STORY_BREAKS_MAX][NAME_MAX_LEN], uint32_t n)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < n; i++) set |= 1u << invariant_find(names[i]);
    return set;
}

static char *with_the_reference(FILE *f, FILE *wrong, struct player *p, const struct scenario *s,
                                const struct contract *c)
{
    struct played r = player_round(p, s, c, s->seed);
    uint32_t broken = played_broken(&r);
    char *text = told(&r, true);
    fprintf(f, "\nwith the reference: %s\n%s", s->story.right, text);
    (void)steps_undone(wrong, p->runner.world);
    uint32_t despite = set_of(s->story.despite, s->story.despite_n);
    if (broken != despite) {
        fputs("the reference breaks ", wrong);
        say_invariants(wrong, broken);
        fputs(", accepted ", wrong);
        say_invariants(wrong, despite);
        fputs("\n", wrong);
    }
    if (played_proves_nothing(&r)) fputs("a limit cut the reference's round short\n", wrong);
    return text;
}

/* Where the line begins in which the two differ first. */
static size_t parting(const char *a, const char *b)
{
    size_t line = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n') line = i + 1;
    return line;
}

static void with_the_naive(FILE *f, FILE *wrong, struct player *p, const struct scenario *s,
                           const struct contract *c, const char *reference)
{
    struct scenario naive = *s;
    naive.policy = policy_both(s->policy, s->story.naive);
    struct played r = player_round(p, &naive, c, s->seed);
    uint32_t broken = played_broken(&r);
    uint32_t named =
        set_of(s->story.breaks, s->story.breaks_n) | set_of(s->story.despite, s->story.despite_n);
    char *text = told(&r, false);
    fputs("\nwith ", f);
    say_policies(f, s->story.naive);
    fprintf(f, ": %s\n", s->story.wrong);
    size_t same = parting(reference, text);
    if (same > 0) fputs("   the same at first, then\n", f);
    fputs(text + same, f);
    free(text);
    if (played_proves_nothing(&r)) fputs("a limit cut the naive variant's round short\n", wrong);
    if (broken == named) return;
    fputs("the naive variant breaks ", wrong);
    say_invariants(wrong, broken);
    fputs(", accepted exactly ", wrong);
    say_invariants(wrong, named);
    fputs("\n", wrong);
}

struct stories_told stories_tell(struct player *p, const struct scenario *s,
                                 const struct contract *c)
{
    struct stories_told t = { .text = NULL };
    FILE *f = open_memstream(&t.text, &t.length);
    FILE *wrong = open_memstream(&t.wrong, &t.wrong_length);
    must(f && wrong);
    if (*s->story.report) fprintf(f, "%s, %s\n", s->story.report, s->story.link);
    fprintf(f, "%s\n", s->says);
    char *reference = with_the_reference(f, wrong, p, s, c);
    with_the_naive(f, wrong, p, s, c, reference);
    free(reference);
    fclose(f);
    fclose(wrong);
    must(t.text && t.wrong);
    return t;
}

void stories_forget(struct stories_told *t)
{
    free(t->text);
    free(t->wrong);
    *t = (struct stories_told){ .text = NULL };
}
