/* The states that an exploration has seen: a table of fingerprints that many threads fill.
 *
 *   seen_open     takes the memory for `max` states; false when there is none
 *   seen_visit    a state at a time: new, or seen before at the same time or an earlier one, from
 *                 which as much was left to explore
 *   seen_note     how many ways lead on from it, and what it is; the earliest visit's word counts
 *   seen_sums     what is in it, the same whatever the order and the threads
 *
 * What is in the table in the end is a fixed point: each state that can be reached, at the
 * earliest time at which it can. A state that is found again earlier is explored again. */
#ifndef TOOLS_SEEN_H
#define TOOLS_SEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct seen_entry {
    _Atomic uint64_t key;  /* 0: free */
    _Atomic uint64_t value;/* (2^32 - 1 - time) << 32 | enum seen_mark | ways */
};

struct seen {
    struct seen_entry *at;
    uint64_t mask, max;
    _Atomic uint64_t n;
};

enum seen_mark { SEEN_AT_HORIZON = 1 << 30, SEEN_BROKEN = 1 << 29 };
enum seen_outcome { SEEN_NEW, SEEN_BEFORE, SEEN_FULL };

#define SEEN_MAX (UINT64_C(1) << 30)

bool seen_open(struct seen *s, uint64_t max);
void seen_close(struct seen *s);
/* `slot` is of SEEN_NEW and SEEN_BEFORE. Times below 2^32. */
enum seen_outcome seen_visit(struct seen *s, uint64_t key, uint64_t time, uint64_t *slot);
/* Adds to the state's ways and marks, unless it has been found at an earlier time since. */
void seen_note(struct seen *s, uint64_t slot, uint64_t time, uint32_t ways, uint32_t marks);

struct seen_sums { uint64_t states, ways, at_horizon, broken, latest; };
void seen_sums(const struct seen *s, struct seen_sums *out);

#endif
