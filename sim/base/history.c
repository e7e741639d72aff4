#include "sim/base/history.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "digests are defined over little-endian bytes");

const struct obs_info obs_info[OBS_COUNT] = {
#define OBS(kind, word, fields, says) [OBS_##kind] = { word, fields, says },
#include "sim/base/history.def"
#undef OBS
};

enum obs_kind obs_find(const char *word)
{
    for (int i = 0; i < OBS_COUNT; i++)
        if (strcmp(obs_info[i].word, word) == 0) return (enum obs_kind)i;
    return OBS_COUNT;
}

uint64_t history_digest(const struct history *h)
{
    return XXH3_64bits(h->at, h->n * sizeof h->at[0]);
}
