#include "tools/tune_files.h"

#include <inttypes.h>

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

static enum gnuplot_outcome draw(const char *folder, const struct tune *t, const struct inputs *in)
{
    struct outfile o;
    int64_t ms = in->contract.slo.failover_p99_us / US_PER_MS;
    if (!gnuplot_begin(&o, folder, "tune", stderr)) return GNUPLOT_FAILED;
    fputs("title = ", o.f);
    gnuplot_text(o.f, in->suite.name);
    fprintf(o.f, " . ', %" PRIu64 " rounds each'\nlimit = %" PRId64 ".%03" PRId64 "\n",
            t->at[0].point.rounds, ms / 1000, ms % 1000);
    return gnuplot_draw(&o, folder, "tune", stderr);
}

static bool has_data(const struct tune *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].measured && t->at[i].point.failovers > 0) return true;
    return false;
}

bool tune_write_files(const char *folder, const struct tune *t, const struct inputs *in,
                      enum gnuplot_outcome *plot)
{
    *plot = GNUPLOT_NO_DATA;
    if (!write_table(folder, t)) return false;
    gnuplot_forget(folder, "tune");
    if (has_data(t)) *plot = draw(folder, t, in);
    return true;
}
