/* account-bound: violated when work of one account is taken, sent or committed by a page that
 * is signed in to another or signed out.
 * oracle.md, "Safety"; protocol.md, "Workstreams": contracts bind an account.
 *
 * The contract's account is the one of every request. A page is held to what it knows: the
 * storage event that it has handled, and what it finds when it is created or comes back from
 * the cache, where no event reaches it. Whose call it was is judged, not when it arrives. */
#include "oracle/invariant.h"

struct known {
    uint32_t away_by; /* told it that the account is not ours; OBS_NONE: nothing did */
};

struct own {
    uint32_t pages, used;
    struct known *page;
    uint32_t changed_by[STATE_PARTITIONS]; /* the newest account.changed */
};

static void *open(struct arena *a, uint32_t pages_max, uint32_t ops_max)
{
    (void)ops_max;
    struct own *own = arena_array(a, struct own, 1);
    own->pages = own->used = pages_max;
    own->page = arena_array(a, struct known, pages_max);
    return own;
}

static void reset(void *own_, const struct state *s)
{
    (void)s;
    struct own *own = own_;
    for (uint32_t p = 0; p < own->used; p++) own->page[p].away_by = OBS_NONE;
    for (uint32_t p = 0; p < STATE_PARTITIONS; p++) own->changed_by[p] = OBS_NONE;
    own->used = 0;
}

static void learn(struct own *own, const struct obs *o, bool away, uint32_t by)
{
    if (own->used <= o->page) own->used = o->page + 1u;
    own->page[o->page].away_by = away ? by : OBS_NONE;
}

static bool is_work(uint32_t request)
{
    return request == REQ_TAKE || request == REQ_SUBMIT || request == REQ_EFFECT ||
           request == REQ_ACK || request == REQ_RECONCILE || request == REQ_COMMIT ||
           request == REQ_REFRESH || request == REQ_FOLLOW;
}

static void page_step(struct own *own, const struct state *s, const struct obs *o,
                      struct finding *f)
{
    const struct page_facts *p = state_page(s, o->page);
    if (!p || p->partition >= STATE_PARTITIONS) return;
    bool away = s->account[p->partition] != ACCOUNT_OWN;
    switch (o->kind) {
    case OBS_PAGE_CREATED:
    case OBS_PAGE_RESTORED:
        if (away) learn(own, o, true, own->changed_by[p->partition]);
        break;
    case OBS_ACCOUNT_HEARD: learn(own, o, o->a != ACCOUNT_OWN, o->number); break;
    default: { /* a request; the account may be back before the page is told */
        uint32_t by = own->page[o->page].away_by;
        if (is_work(o->a) && away && by != OBS_NONE)
            finding_broken(f, by, o->number,
                           "a page works for an account that it is not signed in to");
        break;
    }
    }
}

static void step(void *own_, const struct state *s, const struct obs *o, struct finding *f)
{
    struct own *own = own_;
    if (o->kind != OBS_ACCOUNT_CHANGED) {
        page_step(own, s, o, f);
        return;
    }
    if (o->partition < STATE_PARTITIONS) own->changed_by[o->partition] = o->number;
    finding_held(f);
}

static const uint16_t kinds[] = {
    OBS_ACCOUNT_CHANGED, OBS_ACCOUNT_HEARD, OBS_PAGE_CREATED, OBS_PAGE_RESTORED, OBS_REQUEST_ISSUED,
};

const struct invariant inv_account_bound = {
    .clause = "Safety, account-bound",
    .needs = LOST_PAGE | LOST_PLACE,
    INVARIANT_KINDS(kinds),
    .open = open,
    .reset = reset,
    .step = step,
};
