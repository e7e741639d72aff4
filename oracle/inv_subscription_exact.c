/* subscription-exact: violated when two subscriptions of one workstream deliver at once to
 * the same storage partition, or a delivered sequence has a gap or a repeat that was not
 * announced. oracle.md, "Safety" (workstream live-subscription).
 *
 * At once: one delivers, another one does, and then the first one again. Whether the server
 * still sends to both says nothing: what counts is what reaches the partition's store. A
 * partition whose data was cleared remembers nothing, and its next event may be any. */
#include "oracle/invariant.h"

#define SUBSCRIPTIONS_MAX 1024 /* of a round; a long one with two devices uses some 60 */

struct stream {
    uint32_t last, by;     /* the last event that was delivered or announced as lost; 0: none */
    uint32_t subscription; /* that delivered last, 0: none */
};

struct own {
    bool lost;
    uint32_t subscriptions; /* seen so far, for the reset */
    uint32_t *replaced_by;  /* the first delivery of the one that came after; OBS_NONE: none */
    struct stream stream[STATE_PARTITIONS];
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)pages_max, (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->replaced_by = arena_array(a, uint32_t, SUBSCRIPTIONS_MAX + 1);
    own->subscriptions = SUBSCRIPTIONS_MAX;
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    for (uint32_t i = 0; i <= own->subscriptions; i++) own->replaced_by[i] = OBS_NONE;
    own->subscriptions = 0;
    own->lost = false;
    for (uint32_t p = 0; p < STATE_PARTITIONS; p++)
        own->stream[p] = (struct stream){ .by = OBS_NONE };
}

/* The first event of all may be any. */
static void in_sequence(struct stream *t, const struct obs *o, struct finding *f)
{
    if (t->last != 0 && o->a <= t->last)
        finding_broken(f, t->by, o->number, "an event is delivered again");
    else if (t->last != 0 && o->a != t->last + 1)
        finding_broken(f, t->by, o->number, "events are left out and nobody is told");
    t->last = o->a;
    t->by = o->number;
}

static void deliver(struct own *own, struct stream *t, const struct obs *o, struct finding *f)
{
    if (o->b > own->subscriptions) own->subscriptions = o->b;
    finding_held(f);
    if (own->replaced_by[o->b] != OBS_NONE) {
        finding_broken(f, own->replaced_by[o->b], o->number,
                       "a subscription delivers after another one has taken over");
        return;
    }
    if (t->subscription != 0 && t->subscription != o->b)
        own->replaced_by[t->subscription] = o->number;
    t->subscription = o->b;
    in_sequence(t, o, f);
}

/* Only what follows the last event at once is filled by it. */
static void announce(struct stream *t, const struct obs *o)
{
    if (t->last == 0 || o->a > t->last + 1 || o->b <= t->last) return;
    t->last = o->b;
    t->by = o->number;
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    (void)s;
    if (o->kind == OBS_STORAGE_FAULT && o->a != 1) return;
    own->lost |= o->partition >= STATE_PARTITIONS;
    own->lost |= o->kind == OBS_EVENT_DELIVERED && o->b > SUBSCRIPTIONS_MAX;
    if (own->lost) {
        finding_because(f, VERDICT_UNKNOWN, "an id is beyond a capacity");
        return;
    }
    struct stream *t = &own->stream[o->partition];
    if (o->kind == OBS_STORAGE_FAULT)
        t->last = 0;
    else if (o->kind == OBS_GAP_ANNOUNCED)
        announce(t, o);
    else
        deliver(own, t, o, f);
}

static const uint16_t kinds[] = { OBS_EVENT_DELIVERED, OBS_GAP_ANNOUNCED, OBS_STORAGE_FAULT };

const struct invariant inv_subscription_exact = {
    .clause = "Safety, subscription-exact",
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
};
