/* See able.h. Time is added up between the observations that can change who is
 * able; before healing none is added. */
#include "oracle/able.h"

void able_reset(struct able *a)
{
    *a = (struct able){ 0 };
}

static bool epoch_closed(const struct state *s)
{
    for (uint32_t i = 0; i < s->authorities; i++)
        if (s->authority[i].closed) return true;
    return false;
}

/* Held by a page that does not run, where nobody may steal: in stage observe there is no
 * fence that a permit could be given over. */
static bool lock_stuck(const struct state *s, uint32_t partition)
{
    const struct page_facts *p = state_page(s, state_lock_holder(s, (uint8_t)partition));
    bool nobody_may = s->contract->steal == STEAL_NEVER || s->contract->stage == STAGE_OBSERVE;
    return nobody_may && p && !state_runs(s, p);
}

static void able_add(struct able *a, int64_t passed)
{
    if (a->any) a->any_us += passed;
    for (uint32_t i = 0; i < a->partitions; i++)
        if (a->in[i]) a->in_us[i] += passed;
}

void able_step(struct able *a, const struct state *s)
{
    if (s->healed == OBS_NONE) return;
    bool closed = epoch_closed(s);
    able_add(a, s->now.us - a->since.us);
    a->since = s->now;
    a->partitions = s->partitions;
    a->any = false;
    for (uint32_t i = 0; i < s->partitions; i++) {
        a->in[i] = !closed && s->partition[i].eligible > 0 && !lock_stuck(s, i);
        a->any = a->any || a->in[i];
    }
}

int64_t able_us(const struct able *a, const struct state *s)
{
    return a->any_us + (a->any ? s->now.us - a->since.us : 0);
}

int64_t able_us_in(const struct able *a, const struct state *s, uint8_t partition)
{
    return a->in_us[partition] + (a->in[partition] ? s->now.us - a->since.us : 0);
}

/* -- excuses -------------------------------------------------------------------------- */

struct able_count {
    uint32_t alive, running, reaching, allowed, free;
};

static struct able_count able_count(const struct state *s)
{
    struct able_count n = { 0 };
    for (uint32_t i = 0; i < s->pages; i++) {
        const struct page_facts *p = &s->page[i];
        bool running = state_runs(s, p), reaching = running && state_reaches(s, p);
        n.alive += p->alive;
        n.running += running;
        n.reaching += reaching;
        n.allowed += reaching && p->locks && p->may_lead && p->protocol >= s->protocol;
        n.free += p->eligible && !lock_stuck(s, p->partition);
    }
    return n;
}

const char *able_excuse(const struct state *s)
{
    struct able_count n = able_count(s);
    if (epoch_closed(s)) return "the epoch is closed";
    if (n.alive == 0) return "no page is left";
    if (n.running == 0) return "every remaining page is frozen, cached or asleep";
    if (n.reaching == 0) return "no running page reaches a node that decides";
    if (n.allowed == 0) return "no page that runs has a lock service and may lead";
    if (n.free == 0)
        return "the lock's holder does not run and the contract or its stage forbids steals";
    return "no page was able for as long as the time that is demanded";
}

/* -- the wait cycle --------------------------------------------------------------------- */

/* Does the page wait for this queue? */
static bool waits_in(const struct state *s, const struct queue_facts *q, uint16_t page)
{
    for (uint32_t id = q->first; id; id = s->lock[id].next)
        if (s->lock[id].page == page) return true;
    return false;
}

static bool cycle_in(const struct state *s, const struct partition_facts *p)
{
    const struct queue_facts *lead = &p->name[LOCK_NAME_LEADER];
    if (!lead->holder) return false;
    for (uint32_t n = LOCK_NAME_OTHER; n < STATE_LOCK_NAMES; n++) {
        const struct queue_facts *q = &p->name[n];
        if (q->holder && waits_in(s, q, s->lock[lead->holder].page) &&
            waits_in(s, lead, s->lock[q->holder].page))
            return true;
    }
    return false;
}

bool able_wait_cycle(const struct state *s)
{
    for (uint32_t i = 0; i < s->partitions; i++)
        if (cycle_in(s, &s->partition[i])) return true;
    return false;
}
