/* The one allocator of a worker: take, never give back. A world takes all that
 * it needs when it is made; a round is reset, not torn down, so that the steady
 * state allocates nothing. */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include <stddef.h>

struct arena { unsigned char *base; size_t used, size; };

/* Reserves `size` bytes of zeroed address space; must() on failure. */
void arena_open(struct arena *a, size_t size);
void arena_close(struct arena *a);

/* `n` objects of `size` bytes, zeroed, aligned to a cache line; must() when full. */
void *arena_take(struct arena *a, size_t n, size_t size);

#define arena_array(a, type, n) ((type *)arena_take((a), (size_t)(n), sizeof(type)))

#endif
