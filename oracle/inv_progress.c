/* progress: violated when, after healing, some page could lead for as long as progress
 * is demanded within, and nobody did. Without that an excuse is given; a wait cycle over
 * nested locks is reported as the cycle it is.
 * oracle.md, "Liveness".
 *
 * Leading, from healing to the end: a page that runs believes so under the current
 * fence or has a lease that nothing has ended, or begins to; in stage observe the
 * holder of the leader lock, or who says that it would have led. */
#include "oracle/able.h"
#include "oracle/invariant.h"

struct own {
    struct able able;
    bool led;
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    return arena_array(a, struct own, 1);
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    able_reset(&own->able);
    own->led = false;
}

static bool has_lease(const struct page_facts *p, struct fence current)
{
    const struct lease *l = page_lease(p, current);
    return l && l->fenced == OBS_NONE && l->stolen == OBS_NONE && l->released == OBS_NONE;
}

static bool leads(const struct state *s, uint16_t page)
{
    const struct page_facts *p = &s->page[page];
    const struct authority_facts *a = state_authority_of(s, p);
    if (!state_runs(s, p)) return false;
    if (s->contract->stage == STAGE_OBSERVE) return state_lock_holder(s, p->partition) == page;
    if (!a || !a->held || a->owner != page) return false;
    return has_lease(p, a->largest) || (p->believes && fence_equal(p->belief, a->largest));
}

static bool anybody_leads(const struct state *s)
{
    for (uint32_t i = 0; i < s->pages; i++)
        if (leads(s, (uint16_t)i)) return true;
    return false;
}

static bool begins_to_lead(const struct obs *o)
{
    if (o->kind == OBS_ANSWER_HANDLED)
        return o->b == ANS_OK && (o->a == REQ_CLAIM || o->a == REQ_RENEW);
    return o->kind == OBS_BELIEF_BEGAN || o->kind == OBS_WOULD_LEAD;
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (s->healed == OBS_NONE || own->led) return;
    own->led = o->kind == OBS_ROUND_HEALED ? anybody_leads(s) : begins_to_lead(o);
    if (own->led)
        finding_held(f);
    else
        able_step(&own->able, s);
}

static const char waits_in_a_cycle[] =
    "a wait cycle: the leader lock's holder waits for a lock whose holder "
    "waits for the leader lock";

static void finish(void *own_, const struct state *s, struct finding *f)
{
    struct own *own = own_;
    if (s->healed == OBS_NONE || own->led) return;
    if (s->cut_short)
        finding_because(f, VERDICT_UNKNOWN, "a limit cut the round short");
    else if (s->now.us - s->healed_at.us < s->progress_us)
        finding_because(f, VERDICT_UNKNOWN, "the round ended before the time was over");
    else if (able_us(&own->able, s) < s->progress_us)
        finding_because(f, VERDICT_HELD, able_excuse(s));
    else
        finding_broken(f, s->healed, s->ended,
                       able_wait_cycle(s) ? waits_in_a_cycle
                                          : "some page could lead and nobody did");
}

static const uint16_t kinds[] = { ABLE_KINDS, OBS_BELIEF_BEGAN, OBS_WOULD_LEAD,
                                  OBS_ANSWER_HANDLED };

const struct invariant inv_progress = {
    .clause = "Liveness, progress",
    .needs = LOST_PAGE | LOST_LOCK | LOST_CLAIM | LOST_PLACE | LOST_REQUEST,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
    .finish = finish,
};
