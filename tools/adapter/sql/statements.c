#include "tools/adapter/sql/statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/asset.h"
#include "tools/adapter/sql/db.h"

#define STATEMENTS_MAX 64
#define MARK "-- name: "

static struct {
    char *name, *sql;
} kept[STATEMENTS_MAX];
static size_t n;

static char *copy(const char *from, size_t length)
{
    char *to = malloc(length + 1);
    if (!to) db_die("statements", "out of memory");
    memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

static void load(const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "sim/server/sql/%s", file);
    const char *at = strstr(asset_text(path), MARK);
    while (at) {
        const char *name = at + strlen(MARK);
        size_t length = strcspn(name, "\n");
        const char *sql = name + length, *next = strstr(sql, MARK);
        if (*sql == '\0' || n == STATEMENTS_MAX) db_die(path, "cannot be read");
        kept[n].name = copy(name, length);
        kept[n++].sql = copy(sql, next ? (size_t)(next - sql) : strlen(sql));
        at = next;
    }
}

void statements_load(const char *own_file)
{
    load("ledger.sql");
    load(own_file);
}

const char *statement(const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kept[i].name, name) == 0) return kept[i].sql;
    db_die("no such statement", name);
}
