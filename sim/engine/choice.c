#include "sim/engine/choice.h"

#include "sim/base/must.h"

void choices_reset(struct choices *c, uint64_t seed)
{
    for (uint32_t s = 0; s < STREAM_COUNT; s++) {
        rng_seed(&c->rng[s], seed, s);
        c->replay_at[s] = 0;
    }
    c->diverged = false;
    if (c->record) {
        for (uint32_t s = 0; s < STREAM_COUNT; s++) c->record->n[s] = 0;
        c->record->full = false;
    }
}

void choices_redraw(struct choices *c, uint64_t seed)
{
    c->replay = NULL;
    for (uint32_t s = 0; s < STREAM_COUNT; s++) rng_seed(&c->rng[s], seed, s);
}

static uint32_t replayed(struct choices *c, enum stream s, uint32_t bound)
{
    uint32_t i = c->replay_at[s];
    if (i == c->replay->n[s]) return 0; /* past the end: the mildest */
    c->replay_at[s]++;
    const struct tape_entry *e = &c->replay->at[s][i];
    if (e->bound != bound) c->diverged = true;
    return e->value < bound ? e->value : 0;
}

uint32_t choose_taped(struct choices *c, enum stream s, uint32_t bound)
{
    must(bound > 0);
    uint32_t v = c->replay ? replayed(c, s, bound)
                           : (uint32_t)((uint64_t)rng_next(&c->rng[s]) * bound >> 32);
    struct tape *t = c->record;
    if (t) {
        if (t->n[s] == t->max[s])
            t->full = true;
        else
            t->at[s][t->n[s]++] = (struct tape_entry){ v, bound };
    }
    return v;
}
