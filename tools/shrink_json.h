/* What `tabquake shrink --json` prints; reports/shrink.schema.json is its schema, published with
 * the program. */
#ifndef TOOLS_SHRINK_JSON_H
#define TOOLS_SHRINK_JSON_H

#include "tools/shrink.h"

struct shrink_amount {
    uint32_t devices;
    struct shrink_size size;
    int64_t duration_us;
};

struct shrink_told {
    const struct shrink *shrink;
    const struct scenario *result; /* shrink_result() */
    const char *scenario;          /* file of the round */
    uint64_t seed;                 /* ... that was asked for */
    struct shrink_amount was;
    const char *output, *replay;
};

struct shrink_amount shrink_amount_of(const struct scenario *result);
const char *shrink_why(const struct shrink *s);
void shrink_json(FILE *f, const struct shrink_told *t);

#endif
