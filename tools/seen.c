#include "tools/seen.h"

#include <stdlib.h>

#define TIME_MAX UINT64_C(0xFFFFFFFF)
#define WAYS_MASK UINT64_C(0x1FFFFFFF)

bool seen_open(struct seen *s, uint64_t max)
{
    uint64_t slots = 1024;
    while (slots / 4 * 3 < max) slots *= 2;
    *s = (struct seen){ .at = calloc(slots, sizeof *s->at), .mask = slots - 1, .max = max };
    return s->at != NULL;
}

void seen_close(struct seen *s)
{
    free(s->at);
    s->at = NULL;
}

/* The slot of `key`, its own now; SEEN_FULL when it is new and there is no room. */
static enum seen_outcome find(struct seen *s, uint64_t key, uint64_t *slot)
{
    for (uint64_t i = key & s->mask;; i = (i + 1) & s->mask) {
        uint64_t there = atomic_load_explicit(&s->at[i].key, memory_order_acquire);
        if (there == 0) {
            if (atomic_load_explicit(&s->n, memory_order_relaxed) >= s->max) return SEEN_FULL;
            if (atomic_compare_exchange_strong(&s->at[i].key, &there, key)) {
                atomic_fetch_add_explicit(&s->n, 1, memory_order_relaxed);
                there = key;
            }
        }
        if (there != key) continue;
        *slot = i;
        return SEEN_NEW;
    }
}

enum seen_outcome seen_visit(struct seen *s, uint64_t key, uint64_t time, uint64_t *slot)
{
    if (key == 0) key = 1;
    if (find(s, key, slot) == SEEN_FULL) return SEEN_FULL;
    _Atomic uint64_t *value = &s->at[*slot].value;
    uint64_t mine = (TIME_MAX - time) << 32, there = atomic_load(value);
    while (there == 0 || there >> 32 < mine >> 32)
        if (atomic_compare_exchange_weak(value, &there, mine)) return SEEN_NEW;
    return SEEN_BEFORE;
}

void seen_note(struct seen *s, uint64_t slot, uint64_t time, uint32_t ways, uint32_t marks)
{
    _Atomic uint64_t *value = &s->at[slot].value;
    uint64_t there = atomic_load(value);
    while (there >> 32 == TIME_MAX - time)
        if (atomic_compare_exchange_weak(value, &there, (there + ways) | marks)) return;
}

void seen_sums(const struct seen *s, struct seen_sums *out)
{
    *out = (struct seen_sums){ 0 };
    for (uint64_t i = 0; i <= s->mask; i++) {
        if (atomic_load_explicit(&s->at[i].key, memory_order_relaxed) == 0) continue;
        uint64_t value = atomic_load_explicit(&s->at[i].value, memory_order_relaxed);
        uint64_t time = TIME_MAX - (value >> 32);
        out->states++;
        out->ways += value & WAYS_MASK;
        out->at_horizon += (value & SEEN_AT_HORIZON) != 0;
        out->broken += (value & SEEN_BROKEN) != 0;
        if (time > out->latest) out->latest = time;
    }
}
