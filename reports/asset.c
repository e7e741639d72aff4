#include "reports/asset.h"

#include <string.h>

#include "sim/base/must.h"

const char *asset_text(const char *name)
{
    const struct asset *a = assets;
    while (a->name && strcmp(a->name, name) != 0) a++;
    must(a->name != NULL);
    return a->text;
}
