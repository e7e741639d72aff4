#define _XOPEN_SOURCE 700 /* realpath */

#include "tools/locate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096 /* POSIX lets it be undefined */
#endif

static bool join(char path[LOCATE_PATH_MAX], const char *a, const char *between, const char *b)
{
    int n = snprintf(path, LOCATE_PATH_MAX, "%s%s%s", a, between, b);
    return n >= 0 && n < LOCATE_PATH_MAX;
}

static bool is_there(char path[LOCATE_PATH_MAX], const char *folder, const char *inner,
                     const char *relative)
{
    return join(path, folder, inner, relative) && access(path, R_OK) == 0;
}

bool locate_from(char path[LOCATE_PATH_MAX], const char *executable, const char *relative)
{
    char folder[PATH_MAX];
    size_t n = strlen(executable);
    if (n >= sizeof folder) return false;
    memcpy(folder, executable, n + 1);
    char *bin_end = strrchr(folder, '/');
    if (!bin_end) return false;
    for (char *end = bin_end; end; end = strrchr(folder, '/')) {
        *end = '\0';
        if (is_there(path, folder, "/scenarios/", relative)) return true;
        if (end == bin_end && is_there(path, folder, "/../share/tabquake/scenarios/", relative))
            return true;
    }
    return false;
}

/* The name through which a shell without a slash found the program. */
static bool find_in_path(char executable[PATH_MAX], const char *program)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char candidate[PATH_MAX];
        int length = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, path, program);
        if (length > 0 && length < PATH_MAX && access(candidate, X_OK) == 0)
            return realpath(candidate, executable) != NULL;
        path += n + (path[n] == ':');
    }
    return false;
}

/* /proc knows on Linux; elsewhere the name it was called by has to do. */
static bool own_executable(char executable[PATH_MAX], const char *program)
{
    if (realpath("/proc/self/exe", executable)) return true;
    if (strchr(program, '/')) return realpath(program, executable) != NULL;
    return find_in_path(executable, program);
}

static void shorten(char path[LOCATE_PATH_MAX])
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return;
    size_t n = strlen(here);
    if (strncmp(path, here, n) == 0 && path[n] == '/')
        memmove(path, path + n + 1, strlen(path + n));
}

bool locate_shipped(char path[LOCATE_PATH_MAX], const char *program, const char *relative,
                    FILE *err)
{
    char executable[PATH_MAX];
    if (own_executable(executable, program) && locate_from(path, executable, relative)) {
        shorten(path);
        return true;
    }
    if (!err) return false;
    fprintf(err,
            "%s: found no folder scenarios/ with %s, looked above the program and in"
            " ../share/tabquake\n",
            program, relative);
    return false;
}

void locate_folder(char folder[LOCATE_PATH_MAX], const char *path)
{
    const char *end = strrchr(path, '/');
    if (!end)
        snprintf(folder, LOCATE_PATH_MAX, ".");
    else
        snprintf(folder, LOCATE_PATH_MAX, "%.*s", end == path ? 1 : (int)(end - path), path);
}
