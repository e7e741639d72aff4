/* PCG32 (XSH-RR 64/32): M. E. O'Neill, "PCG: A Family of Simple Fast
 * Space-Efficient Statistically Good Algorithms for Random Number Generation",
 * HMC-CS-2014-0905. State and stream are explicit; nothing else in the project
 * draws numbers. rng_test.c compares with the published reference output. */
#ifndef SIM_ENGINE_RNG_H
#define SIM_ENGINE_RNG_H

#include <stdint.h>

struct rng { uint64_t state, increment; };

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);

static inline uint32_t rng_next(struct rng *r)
{
    uint64_t old = r->state;
    r->state = old * UINT64_C(6364136223846793005) + r->increment;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((0u - turn) & 31));
}

/* Mixes two words into a seed (splitmix64's finalizer over their combination). */
uint64_t rng_mix(uint64_t a, uint64_t b);
/* A seed from text: 0x-number or decimal as they are, anything else (a commit
 * hash, a word) by hashing. */
uint64_t rng_seed_of_text(const char *text);

#endif
