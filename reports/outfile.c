#include "reports/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const struct outfile *o, const char *what, FILE *err)
{
    fprintf(err, "%s: cannot %s: %s\n", o->path, what, strerror(errno));
    return false;
}

/* What is no file of its own would be replaced by one: a device, a pipe, a link. */
static bool is_other_than_a_file(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

bool outfile_is_free(const char *path, FILE *err)
{
    if (access(path, F_OK) == 0)
        fprintf(err, "%s: found a file that is there already, accepted a new one\n", path);
    else if (errno == ENOENT)
        return true;
    else
        fprintf(err, "%s: %s\n", path, strerror(errno));
    return false;
}

bool outfile_open(struct outfile *o, const char *path, FILE *err)
{
    *o = (struct outfile){ 0 };
    if (strlen(path) >= sizeof o->path) {
        fprintf(err, "%.60s...: a path of more than %d bytes\n", path, OUTFILE_PATH_MAX - 1);
        return false;
    }
    if (is_other_than_a_file(path)) {
        fprintf(err, "%s: found something that is no file, accepted a file or a new name\n", path);
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
