/* renewal-earned: violated when a lease is renewed at the request of a page that, when it
 * asked, had been in a long task for more than half a lease, or had held the leader lock
 * for longer than maxHold.
 * protocol.md, rules 5 and 6: a renewal says that the page leads on. One for a hung page
 * keeps everybody else out for as long as the task lasts; one past maxHold, for ever.
 *
 * A client stops after a third of the ttl without an answer of the page; the rest up to a
 * half is the way of the last answer. A hold begins with the callback, since a page knows of no
 * other moment, and does not grow while the device sleeps, whose clock may stand still. What is
 * refused is not judged. Without locks (single-page mode) nothing is held. */
#include "oracle/invariant.h"
#include "sim/base/fold.h"

#include <string.h>

/* The newest stretch of something. */
struct stretch {
    bool on;
    struct instant from, to; /* `to` once it is over */
    uint32_t by;             /* what began it */
};

struct hold {
    struct stretch blocked, held;
    bool granted; /* the callback may be on its way */
};

struct own {
    uint32_t pages;
    struct hold *hold; /* index: page */
    struct instant slept_at[STATE_DEVICES];
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->pages = pages_max;
    own->hold = arena_array(a, struct hold, pages_max);
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    memset(own->hold, 0, own->pages * sizeof own->hold[0]);
}

/* The first of several stands: a second long task does not end the first. */
static void begin(struct stretch *x, const struct obs *o)
{
    if (!x->on) *x = (struct stretch){ .on = true, .from = o->at, .by = o->number };
}

static void end(struct stretch *x, const struct obs *o)
{
    x->on = false;
    x->to = o->at;
}

static void woke(struct own *own, const struct state *s, const struct obs *o)
{
    for (uint32_t i = 0; i < own->pages && i < s->pages; i++) {
        struct stretch *held = &own->hold[i].held;
        if (!held->on || s->page[i].device != o->device) continue;
        int64_t asleep_from_us = own->slept_at[o->device].us;
        if (asleep_from_us < held->from.us) asleep_from_us = held->from.us;
        held->from.us += o->at.us - asleep_from_us;
    }
}

static bool longer_than(const struct stretch *x, struct instant at, int64_t us)
{
    return at.us - x->from.us > us && (x->on || x->to.us > at.us);
}

static void renewed(const struct hold *h, const struct state *s, const struct obs *o,
                    struct finding *f)
{
    const struct request_facts *r = state_request(s, o->request);
    if (!r) return;
    finding_held(f);
    if (longer_than(&h->blocked, r->issued_at, s->contract->lease.ttl_us / 2))
        finding_broken(f, h->blocked.by, o->number, "renewed for a page that is hung");
    else if (longer_than(&h->held, r->issued_at, s->contract->max_hold_us))
        finding_broken(f, h->held.by, o->number, "renewed for a page that holds past maxHold");
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (o->kind == OBS_DEVICE_ASLEEP || o->kind == OBS_DEVICE_AWAKE) {
        if (o->device >= STATE_DEVICES) return;
        if (o->kind == OBS_DEVICE_AWAKE) woke(own, s, o);
        own->slept_at[o->device] = o->at;
        return;
    }
    if (!state_page(s, o->page)) return;
    struct hold *h = &own->hold[o->page];
    switch (o->kind) {
    case OBS_PAGE_BLOCKED: begin(&h->blocked, o); break;
    case OBS_PAGE_UNBLOCKED: end(&h->blocked, o); break;
    case OBS_LEDGER_RENEWED: renewed(h, s, o, f); break;
    case OBS_LOCK_GRANTED: h->granted |= o->key == LOCK_NAME_LEADER; break;
    case OBS_LOCK_CALLBACK:
        if (o->key == LOCK_NAME_LEADER && h->granted) begin(&h->held, o);
        break;
    default: /* released, stolen */
        if (o->key == LOCK_NAME_LEADER) {
            end(&h->held, o);
            h->granted = false;
        }
        break;
    }
}

/* One that is over counts for requests on their way, if it was too long at its end. */
static void fold_stretch(const struct stretch *x, int64_t limit_us, struct fold *f)
{
    bool too_long = !x->on && x->to.us - x->from.us > limit_us;
    fold_u(f, (uint64_t)x->on << 1 | too_long);
    if (x->on) fold_deadline(f, x->from.us + limit_us);
    if (too_long) fold_since(f, x->to.us);
}

static void fold(const void *own_, const struct state *s, struct fold *f)
{
    const struct own *own = own_;
    const struct contract *c = s->contract;
    for (uint32_t i = 0; i < f->page.n && f->page.id[i] < own->pages; i++) {
        const struct hold *h = &own->hold[f->page.id[i]];
        fold_stretch(&h->blocked, c->lease.ttl_us / 2, f);
        fold_stretch(&h->held, c->max_hold_us, f);
        fold_u(f, h->granted);
    }
    for (uint32_t i = 0; i < s->devices; i++)
        if (s->device[i].asleep) fold_since(f, own->slept_at[i].us);
}

static const uint16_t kinds[] = { OBS_PAGE_BLOCKED,  OBS_PAGE_UNBLOCKED, OBS_LOCK_GRANTED,
                                  OBS_LOCK_CALLBACK, OBS_LOCK_RELEASED,  OBS_LOCK_STOLEN,
                                  OBS_DEVICE_ASLEEP, OBS_DEVICE_AWAKE,   OBS_LEDGER_RENEWED };

const struct invariant inv_renewal_earned = {
    .clause = "protocol, rules 5 and 6",
    .needs = LOST_PAGE | LOST_REQUEST,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .fold = fold,
};
