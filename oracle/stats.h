/* Intervals for the report: exact binomial bounds, and what clustering costs.
 *
 * The one file of the oracle that uses floating point, which the gate's bounds
 * may (oracle.md, "Measured"). All levels are 95%. A count and a total are real
 * numbers here, since a cluster sample is treated as a smaller simple one: count
 * and total are both divided by the design effect first (Korn and Graubard,
 * Survey Methodology 24, 1998; Rao and Scott, Biometrics 48, 1992). */
#ifndef ORACLE_STATS_H
#define ORACLE_STATS_H

#include <stdint.h>

struct interval {
    double low, high;
};

/* P(X <= k) for X binomial (n, p), by the regularized incomplete beta function. */
double stats_binomial_at_most(double n, double k, double p);

/* Clopper and Pearson, Biometrika 26 (1934): two-sided, 2.5% on either side. */
struct interval stats_proportion(double k, double n);

/* One-sided exact bounds, 5% on one side. stats_upper(0, n) is 1 - 0.05^(1/n), which
 * is below 0.1% from n = 2995 on and is 3/n to three digits ("rule of three"). */
double stats_upper(double k, double n);
double stats_lower(double k, double n);

/* 3/n, the 95% upper bound beside a zero (Hanley and Lippman-Hand, JAMA 249, 1983). */
double stats_rule_of_three(uint64_t n);

/* Sums over clusters: x_i of the n_i samples of cluster i were hits. */
struct cluster_sums {
    uint64_t clusters, hits, samples;                 /* R, sum x, sum n */
    uint64_t hits_sq, samples_sq, hits_times_samples; /* sum x^2, n^2, xn */
};

/* By how much the variance of hits/samples exceeds that of as many independent
 * samples; at least 1. With p = sum x / sum n, the ratio estimator's variance
 * (Cochran, Sampling Techniques, 3rd ed., eq. 6.13, no finite correction) is
 *
 *     R/(R-1) * sum (x_i - p n_i)^2 / (sum n)^2
 *
 * and Kish's design effect is that over p (1-p) / sum n. A single cluster says nothing
 * of how clusters differ: taken at its worst, all its samples alike, sum n^2 / sum n.
 *
 * No hit at all leaves p (1-p) without a value. Then the effect is 1, the limit of the
 * formula from above: with one sample at random as the only hit, its expectation is
 * R/(R-1) (1 - sum n^2 / (sum n)^2) / (1 - 1/sum n), at most 1 + 1/(sum n - 1) by
 * Cauchy's inequality. So no bound at zero hits is larger than one at any other number
 * of them, which "at its worst" was: hits that come together show only with the second.
 * The same where all samples are hits. */
double stats_design_effect(const struct cluster_sums *s);

#endif
