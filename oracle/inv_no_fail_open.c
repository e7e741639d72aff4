/* no-fail-open: violated when an effect is executed or a commit accepted whose
 * request the page issued while it had not handled a claim's answer for that fence,
 * or had already handled FENCED, a steal or its own release for it, or its own clock
 * had passed its lease end, or the stage forbade it, or without an accepted take.
 * oracle.md, "Safety", fourth row.
 *
 * An answer that is handled while the page is in a long task was handled by its worker.
 * The page itself hears of it after the task, behind what waited before: WORD_US later.
 *
 * Every call is judged when it is issued (LC-18: it may leave much later); the
 * verdict waits until something comes of it. Local clocks count modulo 2^32 us:
 * differences up to 35 minutes are exact, a round is shorter. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

#define WORD_US (50 * US_PER_MS)

struct call {
    bool judged;
    const char *wrong; /* NULL: rightful */
    uint32_t by;       /* what made it wrong; OBS_NONE: something that had not happened */
};

struct own {
    struct call *call; /* index: request id; valid for issued requests */
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->call = arena_array(a, struct call, STATE_REQUESTS);
    return own;
}

static bool lease_over(const struct state *s, const struct lease *l, uint32_t local)
{
    return (int32_t)(local - (l->local + (uint32_t)s->contract->lease.ttl_us)) > 0;
}

/* Nobody can tell for a fence that is too long ago to be remembered. */
static bool too_long_ago(const struct state *s, const struct page_facts *p, const struct obs *o)
{
    const struct claim_facts *claim = state_claim(s, o->fence);
    return p->leases == STATE_LEASES && claim && claim->owner == o->page;
}

static bool has_take(const struct state *s, const struct obs *o)
{
    const struct op_facts *op = state_op(s, o->op);
    if (!op || op->owners_forgotten) return true;
    for (uint32_t i = 0; i < op->owners; i++)
        if (fence_equal(op->owner[i].fence, o->fence)) return true;
    return false;
}

static bool knows_fenced(const struct state *s, const struct page_facts *p, const struct lease *l)
{
    if (!l->fenced_blocked) return true;
    return !p->blocked && s->now.us - p->unblocked_at.us >= WORD_US;
}

static struct call call_judge(const struct state *s, const struct page_facts *p,
                              const struct obs *o)
{
    const struct lease *l = page_lease(p, o->fence);
    if (!l && too_long_ago(s, p, o)) return (struct call){ 0 };
    if (!l) return (struct call){ true, "asked for before a claim's answer was handled", OBS_NONE };
    if (l->fenced != OBS_NONE && knows_fenced(s, p, l))
        return (struct call){ true, "asked for after FENCED was handled", l->fenced };
    if (l->stolen != OBS_NONE)
        return (struct call){ true, "asked for after the lock's steal was handled", l->stolen };
    if (l->released != OBS_NONE)
        return (struct call){ true, "asked for after the page's own release", l->released };
    if (lease_over(s, l, o->local))
        return (struct call){ true, "asked for after the lease end by its own clock", l->renewed };
    if (!has_take(s, o))
        return (struct call){ true, "asked for without an accepted take", OBS_NONE };
    return (struct call){ true, NULL, OBS_NONE };
}

static void issued(struct own *own, const struct state *s, const struct obs *o)
{
    const struct page_facts *p = state_page(s, o->page);
    bool writes = o->a == REQ_EFFECT || o->a == REQ_COMMIT || o->a == REQ_ACK;
    own->call[o->request] = p && writes ? call_judge(s, p, o) : (struct call){ 0 };
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (o->kind == OBS_REQUEST_ISSUED) {
        issued(own, s, o);
        return;
    }
    const struct request_facts *r = state_request(s, o->request);
    if (!is_page(o->page) || !r) return;
    const struct call *c = &own->call[o->request];
    if (s->contract->stage != STAGE_OUTBOX) {
        finding_broken(f, r->issued, o->number, "the stage forbids it");
        return;
    }
    if (!c->judged) return;
    finding_held(f);
    if (c->wrong) finding_broken(f, c->by == OBS_NONE ? r->issued : c->by, o->number, c->wrong);
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    const struct own *own = own_;
    for (uint32_t i = 0; i < f->request.n; i++) {
        const struct call *c = &own->call[f->request.id[i]];
        bool is_known = f->request.id[i] < s->requests && s->request[f->request.id[i]].known;
        fold_u(f, is_known ? (uint64_t)c->judged << 1 | (c->wrong != NULL) : 0);
    }
}

static const uint16_t kinds[] = { OBS_REQUEST_ISSUED, OBS_EFFECT_EXECUTED, OBS_LEDGER_COMMITTED };

const struct invariant inv_no_fail_open = {
    .clause = "Safety, no-fail-open",
    .needs = LOST_PAGE | LOST_REQUEST | LOST_OP | LOST_LOCK | LOST_CLAIM | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .step = step,
    .fold = fold,
};
