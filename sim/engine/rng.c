#include "sim/engine/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
    r->state = 0;
    r->increment = stream << 1 | 1;
    (void)rng_next(r);
    r->state += seed;
    (void)rng_next(r);
}

uint64_t rng_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rng_seed_of_text(const char *text)
{
    size_t len = strlen(text);
    int base = strncmp(text, "0x", 2) == 0 ? 16 : 10;
    const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
    const char *number = base == 16 ? text + 2 : text;
    if (*number != '\0' && strspn(number, digits) == strlen(number)) {
        errno = 0;
        unsigned long long n = strtoull(text, NULL, base);
        if (errno == 0) return n;
    }
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++) h = rng_mix(h, (unsigned char)text[i]);
    return h;
}
