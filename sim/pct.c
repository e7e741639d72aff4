#include "sim/pct.h"

#include <string.h>

#include "sim/base/must.h"

void pct_reset(struct pct *p, uint32_t changes)
{
    must(changes <= PCT_CHANGES_MAX);
    p->changes = changes;
    p->steps = p->links = 0;
    if (changes > 0) memset(p->rank, 0, p->links_max * sizeof p->rank[0]);
}

void pct_plan(struct pct *p, struct choices *c, uint32_t steps)
{
    p->planned = steps;
    if (p->changes > 0) p->apart = choose(c, STREAM_PCT, 2);
    for (uint32_t i = 0; i < p->changes; i++) p->at[i] = 1 + choose(c, STREAM_PCT, steps);
}

uint32_t pct_rank(struct pct *p, struct choices *c, uint32_t link, bool is_step, bool *change)
{
    must(link < p->links_max);
    *change = false;
    if (p->rank[link] == 0) {
        p->rank[link] = 1 + choose(c, STREAM_PCT, PCT_LOWEST + 1);
        p->links++;
    }
    if (is_step) {
        p->steps++;
        for (uint32_t i = 0; i < p->changes; i++) *change = *change || p->at[i] == p->steps;
        if (*change) p->rank[link] = 1 + PCT_LOWEST;
    }
    return p->rank[link] - 1;
}
