#include "tools/adapter/sql/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} params[] = {
#define PARAM(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct db_params, name)                                                    \
    }
    PARAM(now),         PARAM(ttl),      PARAM(permitTtl),  PARAM(permitGrace), PARAM(claim),
    PARAM(partition),   PARAM(protocol), PARAM(tab),        PARAM(op),          PARAM(acked),
    PARAM(incarnation), PARAM(epoch),    PARAM(generation),
#undef PARAM
};

int64_t db_param(const struct db_params *p, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
        if (strlen(params[i].name) != n || strncmp(params[i].name, name, n) != 0) continue;
        int64_t value;
        memcpy(&value, (const char *)p + params[i].offset, sizeof value);
        return value;
    }
    db_die("no such parameter", name);
}

void db_die(const char *what, const char *why)
{
    fprintf(stderr, "ledger-sql: %s: %s\n", what, why);
    exit(1);
}
