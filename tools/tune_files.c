#include "tools/tune_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/outfile.h"

#define TEMPLATE "../reports/plots/tune.gp" /* beside scenarios/, installed or not */
#define CANNOT_EXEC 127

const char *tune_label(char out[TUNE_LABEL_MAX], const struct tune *t, const struct tune_setting *x)
{
    size_t n = 0;
    out[0] = '\0';
    for (int k = 0; k < TUNE_KNOBS; k++) {
        /* where the renewal goes with the ttl it need not be said */
        if (!t->varies[k]) continue;
        if (k == TUNE_RENEW &&
            x->contract.lease.ttl_us / 3 / US_PER_MS == x->contract.lease.renew_us / US_PER_MS)
            continue;
        n += (size_t)snprintf(out + n, TUNE_LABEL_MAX - n, "%s%s", n ? "/" : "", x->value[k]);
    }
    if (n == 0) snprintf(out, TUNE_LABEL_MAX, "contract");
    return out;
}

/* -- the table ----------------------------------------------------------------------- */

static void column_us(FILE *f, int64_t us)
{
    if (us < 0)
        fputs("\t-", f);
    else
        fprintf(f, "\t%" PRId64 ".%03" PRId64, us / US_PER_MS, us % US_PER_MS);
}

static void column_thousandths(FILE *f, uint64_t milli)
{
    fprintf(f, "\t%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
}

static void write_line(FILE *f, const struct tune *t, const struct tune_setting *x)
{
    char label[TUNE_LABEL_MAX];
    const struct tune_point *p = &x->point;
    fputs(tune_label(label, t, x), f);
    for (int k = 0; k < TUNE_KNOBS; k++) fprintf(f, "\t%s", x->value[k]);
    fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, p->rounds, p->transitions, p->failovers);
    column_us(f, p->p50_us);
    column_us(f, p->p99_us);
    column_us(f, p->p99_low_us);
    column_us(f, p->p99_high_us);
    column_us(f, p->unasked_p99_us);
    fprintf(f, "\t%" PRIu64 ".%04" PRIu64, p->needless_ppm / 10000, p->needless_ppm % 10000);
    column_thousandths(f, p->renewals_milli);
    column_thousandths(f, p->requests_milli);
    fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%d\t%d\n", p->violations, p->unknown_rounds, x->own,
            x->on_frontier);
}

void tune_write_tsv(FILE *f, const struct tune *t)
{
    fputs("label", f);
    for (int k = 0; k < TUNE_KNOBS; k++) fprintf(f, "\t%s", tune_knob_info[k].key);
    fputs("\trounds\ttransitions\tfailovers\tp50_ms\tp99_ms\tp99_low_ms\tp99_high_ms"
          "\tunasked_p99_ms\tneedless_percent\trenewals_per_leader_s\trequests_per_leader_s"
          "\tviolations\tunknown_rounds\tcontract\tfrontier\n",
          f);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].measured) write_line(f, t, &t->at[i]);
}

static bool path_in(char path[OUTFILE_PATH_MAX], const char *folder, const char *name)
{
    int n = snprintf(path, OUTFILE_PATH_MAX, "%s/%s", folder, name);
    return n > 0 && n < OUTFILE_PATH_MAX;
}

static bool write_table(const char *folder, const struct tune *t)
{
    char path[OUTFILE_PATH_MAX];
    struct outfile o;
    if (!path_in(path, folder, "tune.tsv") || !outfile_open(&o, path, stderr)) return false;
    tune_write_tsv(o.f, t);
    return outfile_commit(&o, stderr);
}

/* -- the plot -------------------------------------------------------------------------- */

/* In single quotes nothing is special for gnuplot but the quote, which is doubled. */
static void write_quoted(FILE *f, const char *s)
{
    putc('\'', f);
    for (; *s; s++) {
        if (*s == '\'') putc('\'', f);
        putc((unsigned char)*s < 0x20 ? ' ' : *s, f);
    }
    putc('\'', f);
}

static void write_head(FILE *f, const struct tune *t, const struct inputs *in)
{
    int64_t ms = in->contract.slo.failover_p99_us / US_PER_MS;
    fputs("table = 'tune.tsv'\npicture = 'tune.svg'\ntitle = ", f);
    write_quoted(f, in->suite.name);
    fprintf(f, " . ', %" PRIu64 " rounds each'\nlimit = %" PRId64 ".%03" PRId64 "\n",
            t->at[0].point.rounds, ms / 1000, ms % 1000);
}

static bool write_script(const char *folder, const struct tune *t, const struct inputs *in,
                         const char *program)
{
    char from[LOCATE_PATH_MAX], to[OUTFILE_PATH_MAX];
    struct outfile o;
    if (!locate_shipped(from, program, TEMPLATE, stderr)) return false;
    FILE *f = fopen(from, "r");
    if (!f) {
        fprintf(stderr, "%s: %s\n", from, strerror(errno));
        return false;
    }
    bool ok = path_in(to, folder, "tune.gp") && outfile_open(&o, to, stderr);
    if (ok) {
        write_head(o.f, t, in);
        for (int c; (c = getc(f)) != EOF;) putc(c, o.f);
        ok = outfile_commit(&o, stderr);
    }
    fclose(f);
    return ok;
}

/* gnuplot in the folder, so that no path is in the script. */
static enum tune_plot draw(const char *folder)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0) execlp("gnuplot", "gnuplot", "tune.gp", (char *)NULL);
        _exit(errno == ENOENT ? CANNOT_EXEC : 1);
    }
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return TUNE_PLOT_DRAWN;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_EXEC)
        return TUNE_PLOT_NO_GNUPLOT;
    fprintf(stderr, "%s/tune.svg: gnuplot could not draw it\n", folder);
    return TUNE_PLOT_FAILED;
}

static bool has_data(const struct tune *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].measured && t->at[i].point.failovers > 0) return true;
    return false;
}

bool tune_write_files(const char *folder, const struct tune *t, const struct inputs *in,
                      const char *program, enum tune_plot *plot)
{
    char old[OUTFILE_PATH_MAX];
    *plot = TUNE_PLOT_NO_DATA;
    if (!write_table(folder, t)) return false;
    if (path_in(old, folder, "tune.svg")) (void)remove(old); /* of other numbers */
    if (!has_data(t)) return true;
    *plot = write_script(folder, t, in, program) ? draw(folder) : TUNE_PLOT_FAILED;
    return true;
}
