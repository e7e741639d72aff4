#include "reports/plots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "oracle/spending.h"
#include "reports/html.h"
#include "reports/quantiles.h"
#include "sim/base/must.h"

const char *const plot_word[PLOT_COUNT] = {
#define X(kind, word, says) word,
    PLOTS(X)
#undef X
};
static const char *const plot_says[PLOT_COUNT] = {
#define X(kind, word, says) says,
    PLOTS(X)
#undef X
};

struct drawing {
    const struct run_report *run;
    const struct trend *trend;
    const char *folder; /* plots/ */
    FILE *err;
};

/* -- the data ------------------------------------------------------------------------------- */

static double seconds(int64_t us)
{
    return (double)us / US_PER_S;
}

/* A time and the share that is longer, where either has moved enough to be seen: a histogram
 * has thousands of buckets of 0.1%, a plot some hundred pixels. */
static void write_survival(FILE *f, const char *name, const struct histogram *h)
{
    uint64_t done = 0, told = 0;
    uint32_t told_at = 0;
    fprintf(f, "\"%s\"\n", name);
    for (uint32_t b = 0; b < HIST_BUCKETS && done < h->n; b++) {
        done += h->count[b];
        bool moved = b - told_at >= 8 || (h->n - done) * 100 < (h->n - told) * 99;
        if (h->count[b] == 0 || !moved) continue;
        int64_t us = hist_rank(h, done);
        if (us >= HIST_OPEN_US) break;
        fprintf(f, "%.6f\t%.9f\n", seconds(us), (double)(h->n - done) / (double)h->n);
        told = done, told_at = b;
    }
    fputs("\n\n", f);
}

static bool failover_data(FILE *f, const struct drawing *d)
{
    const struct tally *t = d->run->tally;
    if (t->failover.n == 0) return false;
    write_survival(f, "eligible time", &t->failover);
    write_survival(f, "raw time", &t->raw);
    return true;
}

static bool holds_data(FILE *f, const struct drawing *d)
{
    if (d->run->tally->hold.n == 0) return false;
    write_survival(f, "held in the background", &d->run->tally->hold);
    return true;
}

static void column_s(FILE *f, int64_t us)
{
    if (us < 0 || us >= HIST_OPEN_US)
        fputs("\t-", f);
    else
        fprintf(f, "\t%.6f", seconds(us));
}

static bool causes_data(FILE *f, const struct drawing *d)
{
    const struct tally *t = d->run->tally;
    double effect = tally_failover_design_effect(t);
    /* the axis is logarithmic: of failovers that took no time (nobody may lead) there is no plot */
    if (t->failover.n == 0 || hist_longest_ended(&t->failover) <= 0) return false;
    fputs("what\tn\tp50\tp90\tp99\tp999\tlow\thigh\tmax\n", f);
    for (uint32_t i = FAILOVER_PARTS; i-- > 0;) {
        struct failover_part p = failover_part(t, i);
        if ((p.group != FAILOVER_CAUSE && p.group != FAILOVER_ALL) || p.h->n == 0) continue;
        fprintf(f, "%s\t%" PRIu64, p.word, p.h->n);
        for (int q = 0; q < QUANTILE_COUNT; q++)
            column_s(f, quantile_of(p.h, (enum quantile)q, effect).us);
        struct quantile_value p99 = quantile_of(p.h, QUANTILE_P99, effect);
        column_s(f, p99.low_us);
        column_s(f, p99.high_us);
        column_s(f, hist_longest_ended(p.h));
        putc('\n', f);
    }
    return true;
}

static bool coverage_data(FILE *f, const struct drawing *d)
{
    const struct tally *t = d->run->tally;
    uint64_t hits = 0;
    fputs("fault\tphase\thits\n", f);
    for (int k = 0; k < FAULT_COUNT; k++)
        for (int p = 0; p < PHASE_COUNT; p++) {
            bool never = coverage_impossible((enum fault_kind)k, (enum leader_phase)p) != NULL;
            hits += t->cell[k][p];
            fprintf(f, "%s\t%s\t", fault_info[k].word, phase_word[p]);
            fprintf(f, never && t->cell[k][p] == 0 ? "-\n" : "%" PRIu64 "\n", t->cell[k][p]);
        }
    return hits > 0;
}

static bool saturation_data(FILE *f, const struct drawing *d)
{
    struct curve_point curve[CURVE_MAX];
    uint32_t n = spending_curve(d->run->tally, curve);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%" PRIu64 "\t%" PRIu32 "\n", curve[i].rounds, curve[i].states);
    return n > 0 && curve[n - 1].states > 0;
}

/* A revision may come from a file of anybody's. */
static void write_label(FILE *f, const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s > ' ' && *s != '"' && *s != '\\') putc(*s, f);
}

static bool trend_data(FILE *f, const struct drawing *d)
{
    if (!d->trend || d->trend->runs < 2) return false;
    fputs("run\trevision\tp50\tp99\tlow\thigh\n", f);
    for (uint32_t i = 0; i < d->trend->runs; i++) {
        const struct tally *t = d->trend->run[i]->tally;
        double effect = tally_failover_design_effect(t);
        struct quantile_value p99 = quantile_of(&t->failover, QUANTILE_P99, effect);
        fprintf(f, "%" PRIu32 "\t", i);
        write_label(f, d->trend->run[i]->run.revision);
        column_s(f, quantile_of(&t->failover, QUANTILE_P50, effect).us);
        column_s(f, p99.us);
        column_s(f, p99.low_us);
        column_s(f, p99.high_us);
        putc('\n', f);
    }
    return true;
}

/* -- the lines before the template ---------------------------------------------------------- */

static void write_settings(FILE *f, const struct drawing *d)
{
    const struct run_report *r = d->run;
    struct quantile_value p99 =
        quantile_of(&r->tally->failover, QUANTILE_P99, tally_failover_design_effect(r->tally));
    bool bounded = p99.low_us >= 0 && p99.high_us < HIST_OPEN_US;
    fprintf(f, "limit = %.6f\nmax_hold = %.6f\n", seconds(r->run.contract.slo.failover_p99_us),
            seconds(r->run.contract.max_hold_us));
    fprintf(f, "low = %.6f\nhigh = %.6f\n", bounded ? seconds(p99.low_us) : 0.0,
            bounded ? seconds(p99.high_us) : 0.0);
    fprintf(f, "faults = %d\nphases = %d\n", FAULT_COUNT, PHASE_COUNT);
}

/* Each writes its table; false: there is nothing to draw. */
static bool (*const write_data[PLOT_COUNT])(FILE *f, const struct drawing *d) = {
    [PLOT_FAILOVER] = failover_data, [PLOT_CAUSES] = causes_data,         [PLOT_HOLDS] = holds_data,
    [PLOT_COVERAGE] = coverage_data, [PLOT_SATURATION] = saturation_data, [PLOT_TREND] = trend_data,
};

static enum gnuplot_outcome draw(const struct drawing *d, enum plot which)
{
    char path[OUTFILE_PATH_MAX];
    struct outfile o;
    int n = snprintf(path, sizeof path, "%s/%s.tsv", d->folder, plot_word[which]);
    gnuplot_forget(d->folder, plot_word[which]);
    if (n < 0 || n >= (int)sizeof path || !outfile_open(&o, path, d->err)) return GNUPLOT_FAILED;
    bool any = write_data[which](o.f, d);
    if (!any) {
        outfile_drop(&o);
        return GNUPLOT_NO_DATA;
    }
    if (!outfile_commit(&o, d->err) || !gnuplot_begin(&o, d->folder, plot_word[which], d->err))
        return GNUPLOT_FAILED;
    write_settings(o.f, d);
    return gnuplot_draw(&o, d->folder, plot_word[which], d->err);
}

bool plots_draw(struct plots *p, const char *folder, const struct run_report *r,
                const struct trend *trend, FILE *err)
{
    char inner[OUTFILE_PATH_MAX];
    struct drawing d = { .run = r, .trend = trend, .folder = inner, .err = err };
    *p = (struct plots){ .folder = folder };
    int n = snprintf(inner, sizeof inner, "%s/plots", folder);
    if (n < 0 || n >= (int)sizeof inner || (mkdir(inner, 0777) != 0 && errno != EEXIST)) {
        fprintf(err, "%s/plots: cannot be made: %s\n", folder, strerror(errno));
        for (int i = 0; i < PLOT_COUNT; i++) p->outcome[i] = GNUPLOT_FAILED;
        return false;
    }
    for (int i = 0; i < PLOT_COUNT; i++) p->outcome[i] = GNUPLOT_FAILED;
    for (int i = 0; i < PLOT_COUNT; i++)
        if ((p->outcome[i] = draw(&d, (enum plot)i)) == GNUPLOT_FAILED) return false;
    return true;
}

/* -- in a page ------------------------------------------------------------------------------ */

/* Owned by the caller; NULL when it cannot be read. */
static char *read_svg(const struct plots *p, enum plot which)
{
    char path[OUTFILE_PATH_MAX], *text = NULL;
    size_t n = 0;
    int length = snprintf(path, sizeof path, "%s/plots/%s.svg", p->folder, plot_word[which]);
    FILE *f = length > 0 && length < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!f) return NULL;
    FILE *to = open_memstream(&text, &n);
    for (int c; to && (c = getc(f)) != EOF;) putc(c, to);
    if (to) fclose(to);
    fclose(f);
    return text;
}

/* gnuplot's names for its symbols, which several pictures of a page would share. */
static void write_svg(FILE *f, const char *svg, const char *word)
{
    for (const char *p = strstr(svg, "<svg"); p && *p;) {
        const char *name = strstr(p, "gpPt");
        size_t n = name ? (size_t)(name - p) : strlen(p);
        fwrite(p, 1, n, f);
        p += n;
        if (!name) break;
        fprintf(f, "%s-", word);
        fputs("gpPt", f);
        p += 4;
    }
}

void plots_embed(FILE *f, const struct plots *p, enum plot which)
{
    static const char *const why[] = {
        [GNUPLOT_NO_DATA] = "No plot: there is nothing to draw.",
        [GNUPLOT_ABSENT] = "No plot: gnuplot was not installed where this report was made.",
        [GNUPLOT_FAILED] = "No plot: it could not be drawn.",
    };
    enum gnuplot_outcome outcome = p->outcome[which];
    char *svg = outcome == GNUPLOT_DRAWN ? read_svg(p, which) : NULL;
    if (!svg) {
        fprintf(f, "<p class=\"none\">%s</p>\n",
                why[outcome == GNUPLOT_DRAWN ? GNUPLOT_FAILED : outcome]);
        return;
    }
    fprintf(f, "<figure class=\"plot\" id=\"plot-%s\">\n<div role=\"img\" aria-label=\"Plot: %s\">",
            plot_word[which], plot_says[which]);
    write_svg(f, svg, plot_word[which]);
    fprintf(f,
            "</div>\n<figcaption>%c%s. <a href=\"plots/%s.svg\">As a file</a></figcaption>\n"
            "</figure>\n",
            plot_says[which][0] - 'a' + 'A', plot_says[which] + 1, plot_word[which]);
    free(svg);
}
