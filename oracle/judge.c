/* One pass over a history: the facts first, then every invariant that wants the
 * observation, then the measurements and the coverage. See judge.h.
 *
 * What wants which kind is a table that judge_open fills. An invariant leaves
 * the table's effect for the rest of a history (`off`) when it has broken or
 * when facts that it needs have become incomplete. */
#include "oracle/abstract.h"
#include "oracle/invariant.h"
#include "oracle/measure.h"
#include "oracle/state_fold.h"
#include "sim/base/must.h"

#include <string.h>

const char *const invariant_word[INV_COUNT] = {
#define X(kind, word, file) word,
    INVARIANTS(X)
#undef X
};

const char *const invariant_says[INV_COUNT] = {
    [INV_SINGLE_ACTIVE_GENERATION] =
        "two nodes accept two different fences at once, one generation is bound to two "
        "owners, or an accepted fence is not larger than every one before it",
    [INV_NO_STALE_COMMIT] =
        "a commit is accepted under a fence smaller than one accepted before, or from a "
        "sender that is not the fence's owner",
    [INV_EFFECT_AT_MOST_ONCE] = "the provider executes one operation twice, under whatever keys",
    [INV_NO_FAIL_OPEN] =
        "an effect or a commit comes of a call that the page was not entitled to when it "
        "made it",
    [INV_UNRECONCILED_OWNED] =
        "after a transition, an operation that was taken and is not terminal belongs "
        "neither to the new fence nor to the server",
    [INV_FENCE_OUTLIVES_ROLLBACK] =
        "a page of an older protocol or of a closed epoch gets a claim, a take, a commit "
        "or an acknowledgement accepted",
    [INV_STAGE_RESPECTED] = "a page writes in observe, or commits or causes an effect in read-only",
    [INV_STEAL_PERMITTED] =
        "a page steals the leader lock although the contract forbids it, or without an "
        "unused permit of its own",
    [INV_LOCK_MODEL] =
        "the lock manager breaks its own rules: two exclusive holders, a grant out of "
        "order, to a destroyed document or of a withdrawn request, a release of what is not "
        "held, a lock held on long after its document's end",
    [INV_LEGAL_STATE] = "a client reports a state change that the state machine does not have",
    [INV_LEDGER_LINEARIZABLE] =
        "the ledger's answers do not fit the sequential fenced ledger in real-time order",
    [INV_PROGRESS] = "after healing some page could lead for the demanded time and nobody did",
    [INV_NO_LOST_OPERATION] =
        "an operation accepted into the outbox reaches no end, or is reported as done "
        "without an effect, or a page called it safe and it is in no outbox",
    [INV_SINGLE_USE_TOKEN] =
        "a refresh token is presented by two refreshes, or an answer to a superseded refresh "
        "overwrites or clears a newer session or undoes a sign-out",
    [INV_ACCOUNT_BOUND] =
        "work of an account is taken, sent or committed by a page that knows that it is "
        "signed in to another or signed out",
    [INV_SUBSCRIPTION_EXACT] =
        "an event is delivered after another subscription has taken over in its storage "
        "partition, or out of sequence: again, or after a gap that was not announced",
    [INV_RENEWAL_EARNED] =
        "a lease is renewed for a page that has been in a long task for more than half a "
        "lease, or has held the leader lock for longer than maxHold",
    [INV_RECONCILED_FIRST] =
        "a page asks for an effect again, after itself or an earlier owner had, before the "
        "provider was asked what became of it",
};

const char *const gap_word[GAP_COUNT] = {
#define X(kind, word) word,
    GAP_CAUSES(X)
#undef X
};

static const struct invariant *const invariant[INV_COUNT] = {
#define X(kind, word, file) &inv_##file,
    INVARIANTS(X)
#undef X
};

/* An invariant that wants a kind: everything that its step needs, side by side. */
struct want {
    void (*step)(void *own, const struct state *s, const struct obs *o, struct finding *f);
    void *own;
    struct finding *finding;
    uint32_t bit; /* in `off` */
};

#define WANTS_MAX 256 /* kinds of all invariants together: some 110 */

struct judge {
    struct state state;
    uint32_t off;                  /* bit set of invariants that are not asked any more */
    bool measures;                 /* ... and the rest of a result is wanted */
    uint32_t lost;                 /* of state.lost: already acted upon */
    uint16_t first[OBS_COUNT + 1]; /* wants of kind k: first[k] up to first[k + 1] */
    struct want want[WANTS_MAX];
    void *own[INV_COUNT];
    struct measure measure;
    struct coverage coverage;
    struct abstract abstract;
    struct judge_result result;
};
_Static_assert(INV_COUNT <= 32, "off is a bit set");

enum invariant_kind invariant_find(const char *word)
{
    for (int i = 0; i < INV_COUNT; i++)
        if (strcmp(invariant_word[i], word) == 0) return (enum invariant_kind)i;
    return INV_COUNT;
}

static bool wants(enum invariant_kind k, uint32_t kind)
{
    for (uint32_t i = 0; i < invariant[k]->kinds_n; i++)
        if (invariant[k]->kinds[i] == kind) return true;
    return false;
}

static void judge_wants(struct judge *j)
{
    uint16_t n = 0;
    for (uint32_t kind = 0; kind < OBS_COUNT; kind++) {
        j->first[kind] = n;
        for (int k = 0; k < INV_COUNT; k++) {
            if (!wants((enum invariant_kind)k, kind)) continue;
            must(n < WANTS_MAX);
            j->want[n++] =
                (struct want){ invariant[k]->step, j->own[k], &j->result.finding[k], 1u << k };
        }
    }
    j->first[OBS_COUNT] = n;
}

struct judge *judge_open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    must(pages_max > 0);
    must(ops_max > 0);
    struct judge *j = arena_array(a, struct judge, 1);
    state_open(&j->state, a, pages_max, ops_max);
    measure_open(&j->measure, a, pages_max, ops_max);
    coverage_open(&j->coverage, a, pages_max, ops_max);
    for (int k = 0; k < INV_COUNT; k++)
        if (invariant[k]->open) j->own[k] = invariant[k]->open(a, pages_max, ops_max);
    judge_wants(j);
    return j;
}

void judge_reset(struct judge *j, const struct contract *c)
{
    state_reset(&j->state, c);
    measure_reset(&j->measure, c);
    coverage_reset(&j->coverage, c);
    abstract_reset(&j->abstract, &j->result);
    j->off = j->lost = 0;
    j->measures = true;
    memset(&j->result, 0, offsetof(struct judge_result, state));
    for (int k = 0; k < INV_COUNT; k++) {
        finding_because(&j->result.finding[k], VERDICT_UNKNOWN, NULL);
        if (invariant[k]->reset) invariant[k]->reset(j->own[k], &j->state);
    }
}

void judge_only(struct judge *j, enum invariant_kind k)
{
    must(k < INV_COUNT);
    j->off = ~(1u << k);
    j->measures = false;
}

static void judge_lose(struct judge *j)
{
    j->lost = j->state.lost;
    for (int k = 0; k < INV_COUNT; k++) {
        if (!(invariant[k]->needs & j->lost) || j->off & 1u << k) continue;
        finding_because(&j->result.finding[k], VERDICT_UNKNOWN, "an id is beyond a capacity");
        j->off |= 1u << k;
    }
}

void judge_step(struct judge *j, const struct obs *o)
{
    must(o->kind < OBS_COUNT);
    state_step(&j->state, o);
    if (j->state.lost != j->lost) judge_lose(j);
    const struct want *end = &j->want[j->first[o->kind + 1]];
    for (const struct want *w = &j->want[j->first[o->kind]]; w < end; w++) {
        if (j->off & w->bit) continue;
        w->step(w->own, &j->state, o, w->finding);
        if (w->finding->verdict == VERDICT_BROKEN) j->off |= w->bit;
    }
    if (!j->measures) return;
    measure_step(&j->measure, &j->state, o);
    coverage_step(&j->coverage, &j->state, o);
    abstract_step(&j->abstract, &j->state, &j->coverage, o, &j->result);
}

const struct judge_result *judge_finish(struct judge *j)
{
    for (int k = 0; k < INV_COUNT; k++)
        if (invariant[k]->finish && !(j->off & 1u << k))
            invariant[k]->finish(j->own[k], &j->state, &j->result.finding[k]);
    if (j->measures) {
        measure_finish(&j->measure, &j->state, &j->result);
        coverage_finish(&j->coverage, &j->state, &j->result);
    }
    if (j->state.cut_short) j->result.cut_short = 1;
    return &j->result;
}

uint32_t judge_broken(const struct judge *j)
{
    uint32_t broken = 0;
    for (int k = 0; k < INV_COUNT; k++)
        if (j->result.finding[k].verdict == VERDICT_BROKEN) broken |= 1u << k;
    return broken;
}

void judge_fold(const struct judge *j, struct fold *f)
{
    state_fold(&j->state, f);
    for (int k = 0; k < INV_COUNT; k++)
        if (invariant[k]->fold) invariant[k]->fold(j->own[k], &j->state, f);
}
