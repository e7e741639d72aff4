#include "sim/base/arena.h"

#include <stdlib.h>

#include "sim/base/must.h"

#define ALIGN ((size_t)64)

void arena_open(struct arena *a, size_t size)
{
    size = (size + ALIGN - 1) & ~(ALIGN - 1);
    a->base = calloc(1, size);
    must(a->base != NULL);
    a->used = 0;
    a->size = size;
}

void arena_close(struct arena *a)
{
    free(a->base);
    *a = (struct arena){ 0 };
}

void *arena_take(struct arena *a, size_t n, size_t size)
{
    must(size != 0);
    must(n <= a->size / size);
    size_t start = (a->used + ALIGN - 1) & ~(ALIGN - 1);
    must(start <= a->size);
    must(n * size <= a->size - start);
    a->used = start + n * size;
    return a->base + start;
}
