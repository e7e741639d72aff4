/* reconciled-first: violated when a page asks for the effect of an operation again, after
 * itself or an earlier owner had asked for it, before the provider was asked what became
 * of it.
 * protocol.md, rule 9: a provider that remembers keys for a time only executes the second
 * request, too, when it comes late enough. effect-at-most-once sees that when it happens.
 *
 * An earlier owner's call counts when it was made before the sender's claim: what a fenced
 * page still sends later, the new owner cannot know of. A call is settled, too, when its
 * answer says that nothing was begun. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

#define CALLS_MAX 4 /* of an operation that are not settled, newest first */

struct effect_call {
    uint16_t page;
    uint32_t request, by;
};

struct calls {
    uint32_t n;
    struct effect_call at[CALLS_MAX];
};

struct own {
    uint32_t ops;        /* used, for the reset */
    struct calls *calls; /* index: operation */
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max;
    struct own *own = arena_array(a, struct own, 1);
    own->ops = ops_max;
    own->calls = arena_array(a, struct calls, ops_max + 1);
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    for (uint32_t i = 0; i <= own->ops; i++) own->calls[i].n = 0;
    own->ops = 0;
}

static bool should_know(const struct effect_call *c, const struct state *s, const struct obs *o)
{
    const struct claim_facts *claim = state_claim(s, o->fence);
    return c->page == o->page || (claim && c->by < claim->by);
}

static void judge(const struct calls *calls, const struct state *s, const struct obs *o,
                  struct finding *f)
{
    finding_held(f);
    for (uint32_t i = calls->n; i-- > 0;)
        if (should_know(&calls->at[i], s, o))
            finding_broken(f, calls->at[i].by, o->number,
                           "an effect is asked for again, and nobody has asked what became of it");
}

static void remember(struct calls *calls, const struct obs *o)
{
    if (calls->n < CALLS_MAX) calls->n++;
    for (uint32_t i = calls->n - 1; i > 0; i--) calls->at[i] = calls->at[i - 1];
    calls->at[0] = (struct effect_call){ o->page, o->request, o->number };
}

/* Refused by a provider that cannot take it now: nothing has begun. */
static void refused(struct calls *calls, const struct obs *o)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < calls->n; i++)
        if (calls->at[i].request != o->request) calls->at[kept++] = calls->at[i];
    calls->n = kept;
}

/* An answer names no operation: its request does. */
static struct calls *calls_of(struct own *own, const struct state *s, const struct obs *o)
{
    const struct request_facts *r = state_request(s, o->request);
    uint32_t op = o->kind == OBS_EFFECT_ASKED || !r ? o->op : r->op;
    if (!state_op(s, op)) return NULL;
    if (own->ops < op) own->ops = op;
    return &own->calls[op];
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    if (o->kind != OBS_EFFECT_ASKED && o->a != REQ_EFFECT) return;
    struct calls *calls = calls_of(own, s, o);
    if (!calls) return;
    if (o->kind == OBS_REQUEST_ISSUED) {
        if (is_page(o->page)) judge(calls, s, o, f);
        remember(calls, o);
    } else if (o->kind == OBS_EFFECT_ASKED) {
        calls->n = 0;
    } else if (o->b == ANS_UNAVAILABLE) {
        refused(calls, o);
    }
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    const struct own *own = own_;
    for (uint32_t op = 1; op <= s->ops; op++) {
        const struct calls *calls = &own->calls[op];
        uint32_t n = op <= own->ops ? calls->n : 0;
        fold_u(f, n);
        for (uint32_t i = 0; i < n; i++) {
            fold_page(f, calls->at[i].page);
            for (uint32_t c = 0; c < s->claims; c++) fold_u(f, calls->at[i].by < s->claim[c].by);
        }
    }
}

static const uint16_t kinds[] = { OBS_REQUEST_ISSUED, OBS_EFFECT_ASKED, OBS_ANSWER_HANDLED };

const struct invariant inv_reconciled_first = {
    .clause = "protocol, rule 9",
    .needs = LOST_OP | LOST_REQUEST | LOST_CLAIM,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .fold = fold,
};
