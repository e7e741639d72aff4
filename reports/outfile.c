#include "reports/outfile.h"

#include <errno.h>
#include <string.h>

static bool fail(const struct outfile *o, const char *what, FILE *err)
{
    fprintf(err, "%s: cannot %s: %s\n", o->path, what, strerror(errno));
    return false;
}

bool outfile_open(struct outfile *o, const char *path, FILE *err)
{
    *o = (struct outfile){ 0 };
    if (strlen(path) >= sizeof o->path) {
        fprintf(err, "%.60s...: a path of more than %d bytes\n", path, OUTFILE_PATH_MAX - 1);
        return false;
    }
    snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->temporary, sizeof o->temporary, "%s.tmp", path);
    o->f = fopen(o->temporary, "w");
    return o->f ? true : fail(o, "be created", err);
}

bool outfile_commit(struct outfile *o, FILE *err)
{
    bool ok = !ferror(o->f) && fflush(o->f) == 0;
    ok = fclose(o->f) == 0 && ok;
    o->f = NULL;
    if (ok && rename(o->temporary, o->path) == 0) return true;
    fail(o, "be written", err);
    remove(o->temporary);
    return false;
}

void outfile_drop(struct outfile *o)
{
    if (!o->f) return;
    fclose(o->f);
    o->f = NULL;
    remove(o->temporary);
}
