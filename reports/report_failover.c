/* Failover, background holds and belief: what is measured, with its definition. */
#include <inttypes.h>

#include "reports/html.h"
#include "reports/quantiles.h"
#include "reports/report_parts.h"

/* -- quantile tables ------------------------------------------------------------------------ */

static void head(FILE *f, const char *what, const char *samples)
{
    fprintf(f, "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\" class=\"num\">%s</th>", what,
            samples);
    for (int q = 0; q < QUANTILE_COUNT; q++)
        fprintf(f, "<th scope=\"col\" class=\"num\">%s</th>", quantile_word[q]);
    fputs("<th scope=\"col\" class=\"num\">Longest</th><th scope=\"col\" class=\"num\">Open</th>"
          "</tr></thead>\n",
          f);
}

static void group(FILE *f, const char *title)
{
    fprintf(f, "<tbody>\n<tr class=\"group\"><th colspan=\"%d\" scope=\"colgroup\">%s</th></tr>\n",
            QUANTILE_COUNT + 4, title);
}

static void value(FILE *f, const struct histogram *h, enum quantile q, double effect,
                  int64_t limit_us)
{
    struct quantile_value v = quantile_of(h, q, effect);
    bool over = q == QUANTILE_P99 && limit_us > 0 && v.us >= limit_us;
    fprintf(f, "<td class=\"num%s\" data-us=\"%" PRId64 "\">", over ? " over" : "", v.us);
    html_us(f, v.us);
    if (v.low_us >= 0) {
        fputs("<small>", f);
        html_us(f, v.low_us);
        fputs(" – ", f);
        html_us(f, v.high_us);
        fputs("</small>", f);
    }
    fputs("</td>", f);
}

/* `limit_us`: a p99 from there on is marked; 0: none is. */
static void row(FILE *f, const char *what, const struct histogram *h, double effect,
                int64_t limit_us)
{
    if (h->n == 0) return;
    fprintf(f, "<tr><th scope=\"row\">%s</th><td class=\"num\">", what);
    html_count(f, h->n);
    fputs("</td>", f);
    for (int q = 0; q < QUANTILE_COUNT; q++) value(f, h, (enum quantile)q, effect, limit_us);
    fputs("<td class=\"num\">", f);
    html_us(f, hist_longest_ended(h));
    fputs("</td><td class=\"num\">", f);
    html_count(f, hist_open(h));
    fputs("</td></tr>\n", f);
}

/* -- failover ------------------------------------------------------------------------------- */

static void overall(FILE *f, const struct tally *t, double effect, int64_t limit_us)
{
    struct histogram unasked = { 0 };
    tally_unasked(&unasked, t);
    group(f, "Overall");
    row(f, "Eligible: what is judged", &t->failover, effect, limit_us);
    row(f, "Raw: time in which nobody could have led included", &t->raw, effect, 0);
    row(f, "Eligible, not asked for", &unasked, effect, limit_us);
    row(f, "Cold start: the first election of a round", &t->cold, 1, 0);
    fputs("</tbody>\n", f);
}

static void parts(FILE *f, const struct tally *t, double effect, int64_t limit_us)
{
    static const char *const title[] = { NULL, "By cause of the gap", "By successor",
                                         "By the successor’s device" };
    static const char *const prefix[] = { "", "", "to a page that is ",
                                          "on the device of the old leader: " };
    enum failover_group now = FAILOVER_ALL;
    for (uint32_t i = 1; i < FAILOVER_PARTS; i++) {
        struct failover_part p = failover_part(t, i);
        char what[80];
        if (p.group != now) {
            if (now != FAILOVER_ALL) fputs("</tbody>\n", f);
            group(f, title[p.group]);
        }
        now = p.group;
        if (p.group == FAILOVER_DEVICE)
            snprintf(what, sizeof what, "on %s device", p.word[0] == 's' ? "the same" : "another");
        else
            snprintf(what, sizeof what, "%s%s", prefix[p.group], p.word);
        row(f, what, p.h, effect, limit_us);
    }
}

void report_failover(FILE *f, const struct report_page *p)
{
    const struct tally *t = p->run->tally;
    double effect = tally_failover_design_effect(t);
    int64_t limit_us = p->run->run.contract.slo.failover_p99_us;
    html_section(f, "failover", "Failover",
                 "One sample for each gap in which no page was able to lead: holding the current "
                 "fence within its lease, responsive, with the ledger in reach. Only "
                 "<em>eligible</em> time counts, in which some page could have led; <em>raw</em> "
                 "is the whole gap. <em>Open</em> gaps had not ended with their round and count as "
                 "the longest. Under each value stands its 95% interval, of rounds as independent "
                 "units.");
    if (t->failover.n == 0) {
        fputs("<p class=\"none\">No failover in any round.</p>\n", f);
        html_section_end(f);
        return;
    }
    plots_embed(f, p->plots, PLOT_FAILOVER);
    html_table(f, "quantiles", "Failover quantiles with their 95% intervals");
    head(f, "Failovers", "Samples");
    overall(f, t, effect, limit_us);
    parts(f, t, effect, limit_us);
    html_table_end(f);
    fputs("<p class=\"note\">Marked: a p99 at or over the limit of ", f);
    html_us(f, limit_us);
    fputs(" that the contract sets for all failovers together. <em>Not asked for</em> leaves out "
          "the orderly hand-overs of a leader that is hidden or has led for maxHold.</p>\n",
          f);
    plots_embed(f, p->plots, PLOT_CAUSES);
    html_section_end(f);
}

/* -- background holds ----------------------------------------------------------------------- */

void report_share(FILE *f, uint64_t n, uint64_t of)
{
    if (of == 0)
        fputs("–", f);
    else
        fprintf(f, "%.4g%%", 100.0 * (double)n / (double)of);
}

static void of_line(FILE *f, const char *what, uint64_t n, uint64_t of)
{
    fprintf(f, "<tr><th scope=\"row\">%s</th><td class=\"num\">", what);
    html_count(f, n);
    fputs("</td><td class=\"num\">", f);
    html_count(f, of);
    fputs("</td><td class=\"num\">", f);
    report_share(f, n, of);
    fputs("</td></tr>\n", f);
}

void report_holds(FILE *f, const struct report_page *p)
{
    const struct tally *t = p->run->tally;
    html_section(f, "holds", "Background holds",
                 "Each stretch in which a page that is not visible holds the leader lock, frozen, "
                 "cached and asleep time included. It overruns when it is longer than the "
                 "contract’s <code>maxHold</code>. Stretches in which no other page could have "
                 "led stand apart.");
    if (t->holds + t->holds_alone == 0) {
        fputs("<p class=\"none\">No background hold in any round.</p>\n", f);
        html_section_end(f);
        return;
    }
    html_table(f, "plain", "Background holds and those over maxHold");
    fputs("<thead><tr><th scope=\"col\">Holds</th><th scope=\"col\" class=\"num\">Over</th>"
          "<th scope=\"col\" class=\"num\">Of</th><th scope=\"col\" class=\"num\">Share</th></tr>"
          "</thead>\n<tbody>\n",
          f);
    of_line(f, "while another page could have led", t->hold_overruns, t->holds);
    of_line(f, "while no other page could", t->holds_alone_overruns, t->holds_alone);
    html_table_end(f);
    html_table(f, "quantiles", "Length of background holds");
    head(f, "Length", "Samples");
    fputs("<tbody>\n", f);
    row(f, "while another page could have led", &t->hold, 1, 0);
    html_table_end(f);
    plots_embed(f, p->plots, PLOT_HOLDS);
    html_section_end(f);
}

/* -- belief --------------------------------------------------------------------------------- */

static void count_line(FILE *f, const char *what, const char *says, uint64_t n)
{
    fprintf(f, "<tr><th scope=\"row\">%s<small>%s</small></th><td class=\"num\">", what, says);
    html_count(f, n);
    fputs("</td></tr>\n", f);
}

static void rate_line(FILE *f, const char *what, const char *says, uint64_t n, uint64_t us)
{
    fprintf(f, "<tr><th scope=\"row\">%s<small>%s</small></th><td class=\"num\">", what, says);
    if (us == 0)
        fputs("–", f);
    else
        fprintf(f, "%.3f", (double)n / ((double)us / US_PER_S));
    fputs("</td></tr>\n", f);
}

void report_belief(FILE *f, const struct report_page *p)
{
    const struct tally *t = p->run->tally;
    html_section(f, "belief", "Overlap of belief, and what the fence was for",
                 "Two pages may both believe for a while that they lead: a frozen one, a robbed "
                 "one. That is allowed, and a suite without it proves nothing: it is what the "
                 "fence has to make harmless.");
    html_table(f, "plain", "Counts over all rounds");
    fputs("<thead><tr><th scope=\"col\">Measure</th><th scope=\"col\" class=\"num\">Value</th></tr>"
          "</thead>\n<tbody>\n",
          f);
    count_line(f, "Overlaps", "times at which two pages both believed that they led", t->overlaps);
    fputs("<tr><th scope=\"row\">Time in overlap<small>of all time in which a page led</small></th>"
          "<td class=\"num\">",
          f);
    html_us(f, (int64_t)t->overlap_us);
    fputs(" (", f);
    report_share(f, t->overlap_us, t->leader_us);
    fputs(")</td></tr>\n", f);
    count_line(f, "Fenced attempts", "requests that the ledger refused for their fence", t->fenced);
    count_line(f, "Transitions", "one generation after another", t->transitions);
    count_line(f, "Steals", "of the leader lock by our pages", t->steals);
    count_line(f, "Needless steals", "from a page that was able to act", t->needless_steals);
    count_line(f, "Reconciled operations", "whose outcome a new leader had to ask for",
               t->reconciled);
    count_line(f, "Duplicates absorbed", "repeated effects that the provider recognised",
               t->absorbed);
    rate_line(f, "Renewals", "at the ledger, in a second of leading", t->renewals, t->leader_us);
    rate_line(f, "Requests", "at the ledger, in a second of leading", t->ledger_requests,
              t->leader_us);
    html_table_end(f);
    html_section_end(f);
}
