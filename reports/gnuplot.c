#include "reports/gnuplot.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/asset.h"

#define CANNOT_EXEC 127
#define NAME_MAX_LEN 32 /* of a plot */

static bool path_in(char path[OUTFILE_PATH_MAX], const char *folder, const char *name,
                    const char *ending)
{
    int n = snprintf(path, OUTFILE_PATH_MAX, "%s/%s%s", folder, name, ending);
    return n > 0 && n < OUTFILE_PATH_MAX;
}

/* In single quotes nothing is special for gnuplot but the quote, which is doubled. */
void gnuplot_text(FILE *f, const char *s)
{
    putc('\'', f);
    for (; *s; s++) {
        if (*s == '\'') putc('\'', f);
        putc((unsigned char)*s < 0x20 ? ' ' : *s, f);
    }
    putc('\'', f);
}

bool gnuplot_begin(struct outfile *o, const char *folder, const char *name, FILE *err)
{
    char path[OUTFILE_PATH_MAX];
    if (!path_in(path, folder, name, ".gp")) {
        fprintf(err, "%.60s...: the path is too long\n", folder);
        return false;
    }
    if (!outfile_open(o, path, err)) return false;
    fprintf(o->f, "table = '%s.tsv'\nif (!exists(\"picture\")) picture = '%s.svg'\n", name, name);
    return true;
}

void gnuplot_forget(const char *folder, const char *name)
{
    char path[OUTFILE_PATH_MAX];
    if (path_in(path, folder, name, ".svg")) (void)remove(path);
}

/* In the folder, so that no path is in the script; 0, CANNOT_EXEC or another status. */
static int run(const char *folder, const char *name)
{
    char script[NAME_MAX_LEN + 8], picture[NAME_MAX_LEN + 32];
    int status = 0;
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(picture, sizeof picture, "picture = '%s.svg.tmp'", name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0 && freopen("/dev/null", "w", stderr) != NULL)
            execlp("gnuplot", "gnuplot", "-e", picture, script, (char *)NULL);
        _exit(errno == ENOENT ? CANNOT_EXEC : 1);
    }
    if (child < 0) return 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* gnuplot does not say when the disk is full: a picture that is whole has its end. */
static bool is_whole(const char *path)
{
    char end[16] = "";
    FILE *f = fopen(path, "r");
    if (!f) return false;
    if (fseek(f, -8, SEEK_END) == 0) end[fread(end, 1, sizeof end - 1, f)] = '\0';
    fclose(f);
    return strstr(end, "</svg>") != NULL;
}

enum gnuplot_outcome gnuplot_draw(struct outfile *o, const char *folder, const char *name,
                                  FILE *err)
{
    char asset[NAME_MAX_LEN + 16], drawn[OUTFILE_PATH_MAX], svg[OUTFILE_PATH_MAX];
    gnuplot_forget(folder, name); /* of other numbers */
    snprintf(asset, sizeof asset, "plots/%s.gp", name);
    fputs(asset_text(asset), o->f);
    if (!outfile_commit(o, err)) return GNUPLOT_FAILED;
    if (!path_in(svg, folder, name, ".svg") || !path_in(drawn, folder, name, ".svg.tmp"))
        return GNUPLOT_FAILED;
    int status = run(folder, name);
    if (status == 0 && is_whole(drawn) && rename(drawn, svg) == 0) return GNUPLOT_DRAWN;
    (void)remove(drawn);
    if (status == CANNOT_EXEC) return GNUPLOT_ABSENT;
    fprintf(err, "%s: gnuplot could not draw it; gnuplot %s.gp there says why\n", svg, name);
    return GNUPLOT_FAILED;
}
