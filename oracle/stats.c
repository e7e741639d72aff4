/* Exact binomial bounds and design effects; see stats.h for what and whence.
 *
 * Also the interval of a quantile of a histogram (gate.h). Everything rests on one
 * function, the regularized incomplete beta function, evaluated by its continued
 * fraction (NIST DLMF 8.17.22); its inverse is found by bisection, since a gate asks
 * a few dozen times and not more. */
#include "oracle/stats.h"

#include <math.h>

#include "oracle/gate.h"
#include "sim/base/must.h"

#define BISECTIONS 60         /* halves [0, 1] to the last bit of a double */
#define FRACTION_TERMS 200000 /* it needs about sqrt(n): enough for n = 10^10 */

/* Stirling's series (DLMF 5.11.1), after shifting x to where four terms are exact. */
static double ln_gamma(double x)
{
    double shift = 0;
    while (x < 20) {
        shift += log(x);
        x += 1;
    }
    double r = 1 / x, r2 = r * r;
    double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680)));
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * 3.14159265358979323846) + series - shift;
}

/* Coefficient m of the continued fraction 1/(1 + d1/(1 + d2/(1 + ...))). */
static double beta_term(double a, double b, double x, uint32_t m)
{
    uint32_t half = m / 2;
    double k = half;
    if (m % 2 == 0) return k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    return -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
}

/* Lentz's method as modified by Thompson and Barnett (1986). */
static double beta_fraction(double a, double b, double x)
{
    double value = 1, c = 1, d = 0, change = 0;
    for (uint32_t m = 1; fabs(change - 1) >= 1e-15; m++) {
        double term = beta_term(a, b, x, m);
        must(m < FRACTION_TERMS);
        must(1 + term * d > 0); /* below the mean no denominator vanishes */
        d = 1 / (1 + term * d);
        c = 1 + term / c;
        change = c * d;
        value *= change;
    }
    return 1 / value;
}

/* I_x(a, b), the share of the beta distribution (a, b) that lies below x. */
static double beta_below(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    /* the fraction converges fast on this side of the mean only */
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_below(b, a, 1 - x);
    double front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * log(x) + b * log1p(-x);
    return exp(front) * beta_fraction(a, b, x) / a;
}

/* The x below which a share q of the beta distribution lies. */
static double beta_inverse(double a, double b, double q)
{
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (beta_below(a, b, middle) < q)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double stats_binomial_at_most(double n, double k, double p)
{
    if (k < 0) return 0;
    if (k >= n) return 1;
    return beta_below(n - k, k + 1, 1 - p);
}

static double upper(double k, double n, double alpha)
{
    if (k > n) k = n; /* damaged counts must not hang the series */
    return k >= n ? 1 : beta_inverse(k + 1, n - k, 1 - alpha);
}

static double lower(double k, double n, double alpha)
{
    if (k > n) k = n; /* damaged counts must not hang the series */
    return k <= 0 ? 0 : beta_inverse(k, n - k + 1, alpha);
}

struct interval stats_proportion(double k, double n)
{
    return (struct interval){ .low = lower(k, n, 0.025), .high = upper(k, n, 0.025) };
}

double stats_upper(double k, double n)
{
    return upper(k, n, 0.05);
}
double stats_lower(double k, double n)
{
    return lower(k, n, 0.05);
}

double stats_rule_of_three(uint64_t n)
{
    return n > 3 ? 3.0 / (double)n : 1;
}

double stats_design_effect(const struct cluster_sums *s)
{
    if (s->samples == 0) return 1;
    double n = (double)s->samples, r = (double)s->clusters;
    if (s->clusters < 2) return fmax(1, (double)s->samples_sq / n);
    if (s->hits == 0 || s->hits == s->samples) return 1;
    double p = (double)s->hits / n;
    double squares =
        (double)s->hits_sq - 2 * p * (double)s->hits_times_samples + p * p * (double)s->samples_sq;
    return fmax(1, r / (r - 1) * squares / (n * p * (1 - p)));
}

/* The largest k of 0..n for which P(X <= k - 1) <= level. */
static uint64_t rank_at(uint64_t n, double p, double level)
{
    uint64_t low = 0, high = n + 1; /* holds at low, not at high */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (stats_binomial_at_most((double)n, (double)middle - 1, p) <= level)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* An upper edge may be past the longest sample. */
static int64_t within(const struct histogram *h, int64_t us)
{
    return us < h->max_us ? us : h->max_us;
}

/* Between two order statistics, without any assumption on the distribution (David and
 * Nagaraja, Order Statistics, 3rd ed., 7.1): of n independent samples, the number below
 * the true quantile is binomial (n, p). A cluster sample gives the ranks of n divided by
 * the design effect, scaled back (Woodruff, JASA 47, 1952). */
bool tally_quantile_interval(const struct histogram *h, uint64_t num, uint64_t den,
                             double design_effect, int64_t *low_us, int64_t *high_us)
{
    must(num > 0);
    must(num < den);
    must(design_effect >= 1);
    uint64_t n = (uint64_t)((double)h->n / design_effect);
    double p = (double)num / (double)den;
    uint64_t l = rank_at(n, p, 0.025), u = rank_at(n, p, 0.975) + 1;
    if (n == 0 || l == 0 || u > n) return false;
    double scale = (double)h->n / (double)n;
    uint64_t low = (uint64_t)((double)(l - 1) * scale) + 1;
    uint64_t high = (uint64_t)ceil((double)u * scale);
    *low_us = within(h, hist_rank(h, low));
    *high_us = within(h, hist_rank(h, high < h->n ? high : h->n));
    return true;
}
