/* lock-model: violated when the simulated lock manager itself breaks the rules of its
 * profile: two exclusive holders, a grant out of queue order, a grant to a destroyed
 * document, of a withdrawn request, a release of what is not held, a lock that was held on
 * long after the end of its document.
 * oracle.md, "Safety"; WL-18, WL-21..23, WL-37, WL-43, WL-44.
 *
 * An ifAvailable request stands at the end of the queue while it is decided (WL-22): it
 * is granted only when nobody waits. The manager learns of a document's end through a
 * pipe (WL-48), so a grant within END_GRACE_US of it is the platform's own race, and so is a
 * lock that is held as long. */
#include "oracle/invariant.h"

/* The slowest of 860 measured ends took 416 ms to free a lock (chromium-data,
 * locks-release-latency). */
#define END_GRACE_US 500000

static bool is_grantable(const struct state *s, const struct lock_facts *l)
{
    return s->lock_was.holders == 0 || (l->shared && s->lock_was.holder_shared);
}

static bool is_long_gone(const struct state *s, const struct lock_facts *l)
{
    const struct page_facts *p = state_page(s, l->page);
    return p && p->gone != OBS_NONE && s->now.us - p->gone_at.us > END_GRACE_US;
}

/* What settled a request before: its end, or at least its being made. */
static uint32_t settled_by(const struct state *s, const struct lock_facts *l)
{
    return s->lock_was.ended != OBS_NONE ? s->lock_was.ended : l->requested;
}

static void granted(const struct state *s, const struct lock_facts *l, const struct obs *o,
                    struct finding *f)
{
    finding_held(f);
    if (s->lock_was.life != LOCK_QUEUED)
        finding_broken(f, settled_by(s, l), o->number, "a grant of a request that does not wait");
    else if (!is_grantable(s, l))
        finding_broken(f, s->lock[s->lock_was.holder].granted, o->number,
                       "a grant beside a holder that excludes it");
    else if (s->lock_was.first != o->request)
        finding_broken(f, s->lock[s->lock_was.first].requested, o->number,
                       "a grant out of queue order");
    else if (is_long_gone(s, l))
        finding_broken(f, state_page(s, l->page)->gone, o->number,
                       "a grant to a document that is gone");
}

static void outlived(const struct state *s, const struct lock_facts *l, const struct obs *o,
                     struct finding *f)
{
    if (is_long_gone(s, l))
        finding_broken(f, state_page(s, l->page)->gone, o->number,
                       "a lock that was held long after the end of its document");
}

/* Whoever asks meets a lock that is held: by somebody who can hold it? */
static void requested(const struct state *s, const struct lock_facts *l, const struct obs *o,
                      struct finding *f)
{
    uint32_t holder = s->partition[l->partition].name[l->name].holder;
    if (holder) outlived(s, &s->lock[holder], o, f);
}

static void stolen(const struct state *s, const struct lock_facts *l, const struct obs *o,
                   struct finding *f)
{
    const struct lock_facts *thief = state_lock(s, o->b);
    if (s->lock_was.life != LOCK_HELD)
        finding_broken(f, settled_by(s, l), o->number, "a steal of a lock that is not held");
    else if (!thief || !(thief->flags & LOCK_IS_STEAL))
        finding_broken(f, l->granted, o->number, "a lock is taken away by nobody who may");
    else
        outlived(s, l, o, f);
}

static void step(void *own, const struct state *s, const struct obs *o, struct finding *f)
{
    (void)own;
    const struct lock_facts *l = &s->lock[o->request];
    if (l->life == LOCK_UNKNOWN)
        finding_broken(f, OBS_NONE, o->number, "an answer to a request that nobody made");
    else if (o->kind == OBS_LOCK_REQUESTED)
        requested(s, l, o, f);
    else if (o->kind == OBS_LOCK_GRANTED)
        granted(s, l, o, f);
    else if (o->kind == OBS_LOCK_STOLEN)
        stolen(s, l, o, f);
    else if (s->lock_was.life != LOCK_HELD)
        finding_broken(f, settled_by(s, l), o->number, "a release of a lock that is not held");
    else
        outlived(s, l, o, f);
}

static const uint16_t kinds[] = { OBS_LOCK_REQUESTED, OBS_LOCK_GRANTED, OBS_LOCK_STOLEN,
                                  OBS_LOCK_RELEASED };

const struct invariant inv_lock_model = {
    .clause = "Safety, lock-model",
    .needs = LOST_LOCK | LOST_PAGE,
    INVARIANT_KINDS(kinds),
    .step = step,
};
