#include "reports/story_cast.h"

#include <inttypes.h>
#include <string.h>

#define CHAIN_MAX 6     /* causes behind a witness; farther back is another matter */
#define CHOSEN_MAX 4096 /* candidates; the latest are kept */

/* -- what matters --------------------------------------------------------------------- */

/* Of whom an observation has to be. */
enum about { ABOUT_PAGE = 1, ABOUT_OP = 2, ABOUT_FENCE = 4, ABOUT_DEVICE = 8, ABOUT_ALL = 16 };

/* Smaller matters more; 0: never told unless it is a witness. */
struct weight {
    uint8_t rank, about;
};

static const struct weight weight[OBS_COUNT] = {
    [OBS_LEDGER_CLAIMED] = { 2, ABOUT_PAGE | ABOUT_FENCE },
    [OBS_LEDGER_EPOCH] = { 2, ABOUT_ALL },
    [OBS_LEDGER_COMMITTED] = { 3, ABOUT_OP },
    [OBS_LEDGER_TAKEN] = { 3, ABOUT_OP },
    [OBS_LEDGER_RECONCILED] = { 3, ABOUT_OP },
    [OBS_LEDGER_REFUSED] = { 3, ABOUT_PAGE },
    [OBS_LEDGER_EXPIRED] = { 3, ABOUT_FENCE },
    [OBS_LEDGER_RELEASED] = { 3, ABOUT_FENCE },
    [OBS_LEDGER_ENQUEUED] = { 4, ABOUT_OP },
    [OBS_LEDGER_OWNER] = { 5, ABOUT_OP },
    [OBS_LEDGER_TERMINAL] = { 4, ABOUT_OP },
    [OBS_LEDGER_PERMIT] = { 3, ABOUT_PAGE },
    [OBS_LEDGER_REOPENED] = { 5, ABOUT_ALL },
    [OBS_EFFECT_EXECUTED] = { 2, ABOUT_OP },
    [OBS_OPERATION_KEPT] = { 5, ABOUT_OP },
    [OBS_PAGE_CREATED] = { 3, ABOUT_PAGE },
    [OBS_PAGE_FROZEN] = { 2, ABOUT_PAGE },
    [OBS_PAGE_RESUMED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_CACHED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_RESTORED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_BLOCKED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_UNBLOCKED] = { 4, ABOUT_PAGE },
    [OBS_PAGE_DISCARDED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_EVICTED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_CRASHED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_CLOSED] = { 2, ABOUT_PAGE },
    [OBS_PAGE_HIDDEN] = { 4, ABOUT_PAGE },
    [OBS_PAGE_VISIBLE] = { 6, ABOUT_PAGE },
    [OBS_PAGE_LOCKS] = { 3, ABOUT_PAGE },
    [OBS_LOCK_STOLEN] = { 2, ABOUT_PAGE },
    [OBS_LOCK_REQUESTED] = { 6, ABOUT_PAGE },
    [OBS_LOCK_GRANTED] = { 5, ABOUT_PAGE },
    [OBS_LOCK_RELEASED] = { 6, ABOUT_PAGE },
    [OBS_BELIEF_BEGAN] = { 6, ABOUT_PAGE },
    [OBS_BELIEF_ENDED] = { 4, ABOUT_PAGE },
    [OBS_WOULD_LEAD] = { 5, ABOUT_PAGE },
    [OBS_REQUEST_DELAYED] = { 3, ABOUT_OP },
    [OBS_REQUEST_LOST] = { 3, ABOUT_OP },
    [OBS_ANSWER_LOST] = { 3, ABOUT_OP },
    [OBS_DEVICE_ASLEEP] = { 2, ABOUT_DEVICE },
    [OBS_DEVICE_AWAKE] = { 3, ABOUT_DEVICE },
    [OBS_DEVICE_CLOCK] = { 3, ABOUT_DEVICE },
    [OBS_LINK_CUT] = { 3, ABOUT_DEVICE },
    [OBS_LINK_HEALED] = { 5, ABOUT_DEVICE },
    [OBS_NODE_DOWN] = { 3, ABOUT_ALL },
    [OBS_NODE_UP] = { 4, ABOUT_ALL },
    [OBS_NODE_DECIDES] = { 4, ABOUT_ALL },
    [OBS_STORAGE_FAULT] = { 3, ABOUT_ALL },
    [OBS_FAULT_BEGUN] = { 3, ABOUT_ALL },
    [OBS_SESSION_ROTATED] = { 3, ABOUT_PAGE },
    [OBS_SESSION_REPEATED] = { 3, ABOUT_PAGE },
    [OBS_SESSION_REUSED] = { 2, ABOUT_PAGE },
    [OBS_SESSION_STORED] = { 3, ABOUT_PAGE },
    [OBS_ACCOUNT_CHANGED] = { 2, ABOUT_ALL },
    [OBS_SUBSCRIPTION_OPENED] = { 3, ABOUT_PAGE },
    [OBS_SUBSCRIPTION_CLOSED] = { 3, ABOUT_PAGE },
    [OBS_GAP_ANNOUNCED] = { 3, ABOUT_PAGE },
    [OBS_ACCOUNT_HEARD] = { 3, ABOUT_PAGE },
};

#define RANK_WITNESS 0
#define RANK_ASKED 1  /* the requests that the witnesses are the outcome of */
#define RANK_BEHIND 3 /* what led to the witnesses at once, whoever it was */
#define RANK_TOLD 4   /* what matters less is told only in a short story */
#define RANK_NEVER 9
#define SHORT_STORY 5

static bool is_about(const struct story_cast *c, const struct obs *o, uint8_t about)
{
    return about & ABOUT_ALL || (about & ABOUT_PAGE && story_has_page(c, o->page)) ||
           (about & ABOUT_OP && story_has_op(c, o->op)) ||
           (about & ABOUT_FENCE && story_has_fence(c, o->fence)) ||
           (about & ABOUT_DEVICE && story_has_device(c, o->device));
}

/* What lies far from the rest: opened with everybody, clocks as they came. */
static bool is_scenery(const struct obs *o)
{
    if (o->kind == OBS_PAGE_CREATED) return (o->flags & PAGE_MAY_LEAD) && o->cause == OBS_NONE;
    if (o->kind == OBS_DEVICE_CLOCK || o->kind == OBS_NODE_DECIDES) return o->at.us == 0;
    return false;
}

/* What a page has to stop for; "wait" and the like come by the dozen. */
static bool is_final(const struct obs *o)
{
    return o->b == ANS_FENCED || o->b == ANS_EPOCH_CLOSED || o->b == ANS_PROTOCOL_TOO_OLD;
}

/* A fault on a page or a device that the story is not about. */
static bool is_elsewhere(const struct story_cast *c, const struct obs *o)
{
    if (o->kind != OBS_FAULT_BEGUN) return false;
    switch (fault_info[o->a].target) {
    case FAULT_ON_HOLDER:
    case FAULT_ON_WAITER: return o->page != PAGE_NONE && !story_has_page(c, o->page);
    case FAULT_ON_NODE:
    case FAULT_ON_LEDGER:
    case FAULT_ON_PROVIDER: return false;
    default: return c->devices > 0 && o->device != DEVICE_NONE && !story_has_device(c, o->device);
    }
}

/* One of the last causes of a witness. */
static bool is_behind(const struct history *h, const struct finding *v, const struct obs *o)
{
    for (int i = 0; i < 2; i++) {
        uint32_t at = v->witness[i];
        for (int k = 0; k < CHAIN_MAX && at < h->n; k++) {
            at = h->at[at].cause;
            if (at == o->number) return true;
        }
    }
    return false;
}

/* The operation of the request that was lost or late. */
static bool is_of_cast(const struct story_cast *c, const struct history *h, const struct obs *o)
{
    uint32_t issued = story_issue_of(h, o->request, o->number);
    return issued != OBS_NONE &&
           (story_has_op(c, h->at[issued].op) || story_has_page(c, h->at[issued].page));
}

static uint8_t rank_of(const struct story_cast *c, const struct history *h, const struct obs *o)
{
    const struct weight *w = &weight[o->kind];
    bool misfortune =
        o->kind == OBS_REQUEST_DELAYED || o->kind == OBS_REQUEST_LOST || o->kind == OBS_ANSWER_LOST;
    if (w->rank == 0 || is_scenery(o) || is_elsewhere(c, o)) return RANK_NEVER;
    if (misfortune) return is_of_cast(c, h, o) ? w->rank : RANK_NEVER;
    if (!is_about(c, o, w->about)) return RANK_NEVER;
    if (o->kind == OBS_LEDGER_REFUSED && !is_final(o)) return RANK_NEVER;
    if (o->kind == OBS_LOCK_REQUESTED && o->flags & LOCK_IS_STEAL) return 2;
    if (c->by_lock && w->rank > RANK_TOLD) return RANK_TOLD;
    bool is_set_up = o->number < c->first && w->about & (ABOUT_PAGE | ABOUT_ALL);
    return is_set_up && w->rank < 6 ? w->rank + 1 : w->rank;
}

/* -- choosing ------------------------------------------------------------------------- */

struct chosen {
    uint32_t at[CHOSEN_MAX];
    uint8_t rank[CHOSEN_MAX];
    uint32_t n;
};

static void choose(struct chosen *c, uint32_t number, uint8_t rank)
{
    if (rank == RANK_NEVER) return;
    if (c->n == CHOSEN_MAX) {
        memmove(&c->at[0], &c->at[1], (CHOSEN_MAX - 1) * sizeof c->at[0]);
        memmove(&c->rank[0], &c->rank[1], CHOSEN_MAX - 1);
        c->n--;
    }
    c->at[c->n] = number;
    c->rank[c->n++] = rank;
}

static void leave_out(struct chosen *c, uint32_t i)
{
    memmove(&c->at[i], &c->at[i + 1], (c->n - i - 1) * sizeof c->at[0]);
    memmove(&c->rank[i], &c->rank[i + 1], c->n - i - 1);
    c->n--;
}

static bool is_stop(const struct obs *o)
{
    return o->kind == OBS_PAGE_FROZEN || o->kind == OBS_PAGE_CACHED || o->kind == OBS_PAGE_CRASHED;
}

/* Whether `e`, which is told, says what `o` would. */
static bool says_it(const struct obs *e, const struct obs *o)
{
    bool same_page = e->page == o->page, same_time = e->at.us == o->at.us;
    switch (o->kind) {
    case OBS_FAULT_BEGUN: return e->cause == o->number;
    case OBS_BELIEF_BEGAN:
        return e->kind == OBS_LEDGER_CLAIMED && same_page && fence_equal(e->fence, o->fence);
    case OBS_LEDGER_OWNER: return e->kind == OBS_LEDGER_TAKEN && e->op == o->op && same_page;
    case OBS_LINK_CUT:
        return e->kind == o->kind && e->device == o->device && same_time && e->number < o->number;
    case OBS_PAGE_HIDDEN: return is_stop(e) && same_page && same_time;
    case OBS_NODE_DECIDES:
        return (e->kind == OBS_NODE_DOWN || e->kind == OBS_NODE_UP) && e->node == o->node &&
               same_time;
    default: return false;
    }
}

static bool is_told_elsewhere(const struct chosen *c, const struct history *h, const struct obs *o)
{
    for (uint32_t k = 0; k < c->n; k++)
        if (says_it(&h->at[c->at[k]], o)) return true;
    return false;
}

static void leave_out_told(struct chosen *c, const struct history *h)
{
    for (uint32_t k = c->n; k-- > 0;)
        if (c->rank[k] > RANK_ASKED && is_told_elsewhere(c, h, &h->at[c->at[k]])) leave_out(c, k);
}

/* What matters least goes first; of that what is farthest back. */
static void leave_out_most(struct chosen *c)
{
    for (;;) {
        uint32_t worst = 0;
        for (uint32_t k = 1; k < c->n; k++)
            if (c->rank[k] > c->rank[worst]) worst = k;
        bool is_too_much = c->n > STORY_LINES_MAX - 1;
        bool is_beside = c->n > SHORT_STORY && c->rank[worst] > RANK_TOLD;
        if (!is_too_much && !is_beside) return;
        leave_out(c, worst);
    }
}

static uint8_t rank_in_story(const struct story_cast *c, const struct history *h,
                             const struct finding *v, const struct obs *o)
{
    for (int i = 0; i < 2; i++) {
        if (v->witness[i] == o->number) return RANK_WITNESS;
        if (v->witness[i] >= h->n || o->kind != OBS_REQUEST_ISSUED) continue;
        const struct obs *w = &h->at[v->witness[i]];
        bool by_itself = w->kind == OBS_REQUEST_ISSUED || w->kind == OBS_LEDGER_CLAIMED;
        if (!by_itself && w->request != 0 && w->request == o->request) return RANK_ASKED;
    }
    uint8_t rank = rank_of(c, h, o);
    bool can_be_told = weight[o->kind].rank > 0 && !is_scenery(o);
    return rank > RANK_BEHIND && can_be_told && is_behind(h, v, o) ? RANK_BEHIND : rank;
}

struct story story_choose(const struct trace *t, const struct finding *v)
{
    const struct history *h = t->history;
    const struct story_cast cast = story_cast_of(t, v);
    struct chosen c = { .n = 0 };
    struct story s = { .n = 0 };
    for (uint32_t k = 0; k < h->n && k <= cast.last; k++)
        choose(&c, k, rank_in_story(&cast, h, v, &h->at[k]));
    leave_out_told(&c, h);
    leave_out_most(&c);
    for (; s.n < c.n; s.n++) s.at[s.n] = c.at[s.n];
    return s;
}

bool story_equal(const struct story *a, const struct story *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof a->at[0]) == 0;
}

void story_write(FILE *f, const struct trace *t, const struct story *s)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const struct obs *o = &t->history->at[s->at[k]];
        fprintf(f, "%4" PRId64 ".%03" PRId64 " s  ", o->at.us / US_PER_S,
                o->at.us / US_PER_MS % 1000);
        if (!story_sentence(f, t, o)) fputs(obs_info[o->kind].word, f);
        putc('\n', f);
    }
}

/* -- telling -------------------------------------------------------------------------- */

static void write_heading(FILE *f, enum invariant_kind k, const struct finding *v)
{
    fprintf(f, "\nHow %s broke: %s\n", invariant_word[k],
            v->reason ? v->reason : invariant_says[k]);
}

void story_tell(FILE *f, const struct trace *t, enum invariant_kind k, const struct finding *v)
{
    const struct story s = story_choose(t, v);
    write_heading(f, k, v);
    story_write(f, t, &s);
}

/* Two invariants that the same observations break have one story. */
void story_tell_all(FILE *f, const struct trace *t, const struct judge_result *r)
{
    struct story told[INV_COUNT];
    for (int k = 0; k < INV_COUNT; k++) {
        const struct finding *v = &r->finding[k];
        told[k] = (struct story){ .n = 0 };
        if (v->verdict != VERDICT_BROKEN) continue;
        told[k] = story_choose(t, v);
        int same = 0;
        while (same < k && (told[same].n == 0 || !story_equal(&told[same], &told[k]))) same++;
        write_heading(f, (enum invariant_kind)k, v);
        if (same < k)
            fprintf(f, "          as %s did\n", invariant_word[same]);
        else
            story_write(f, t, &told[k]);
    }
}
