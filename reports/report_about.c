/* How fast it went, how to have it again, and what the words mean. */
#include <inttypes.h>

#include "oracle/spending.h"
#include "reports/html.h"
#include "reports/report_parts.h"

static void write_curve(FILE *f, const struct curve_point *curve, uint32_t n)
{
    html_table(f, "plain", "Distinct abstract states: phase of the leader, ledger, network, event");
    fputs("<thead><tr><th scope=\"col\" class=\"num\">Rounds</th><th scope=\"col\" class=\"num\">"
          "States</th><th scope=\"col\" class=\"num\">New</th></tr></thead>\n<tbody>\n",
          f);
    for (uint32_t i = 0; i < n; i++) {
        fputs("<tr><td class=\"num\">", f), html_count(f, curve[i].rounds);
        fputs("</td><td class=\"num\">", f), html_count(f, curve[i].states);
        fputs("</td><td class=\"num\">", f);
        html_count(f, curve[i].states - (i > 0 ? curve[i - 1].states : 0));
        fputs("</td></tr>\n", f);
    }
    html_table_end(f);
}

/* How the rounds were spent, where it was in more ways than one. */
static void write_strategies(FILE *f, const struct tally *t)
{
    if (t->strategy_rounds[STRATEGY_UNIFORM] == t->rounds) return;
    html_table(f, "plain", "Rounds by strategy");
    fputs("<thead><tr><th scope=\"col\">Strategy</th><th scope=\"col\" class=\"num\">Rounds</th>"
          "<th scope=\"col\" class=\"num\">Broken</th></tr></thead>\n<tbody>\n",
          f);
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        if (t->strategy_rounds[k] == 0) continue;
        fprintf(f, "<tr><th scope=\"row\">%s</th><td class=\"num\">", strategy_word[k]);
        html_count(f, t->strategy_rounds[k]);
        fputs("</td><td class=\"num\">", f);
        html_count(f, t->strategy_broken[k]);
        fputs("</td></tr>\n", f);
    }
    html_table_end(f);
    fputs("<p class=\"note\">Latencies, holds, rates and their intervals are those of the uniform "
          "rounds; the other strategies look for trouble.</p>\n",
          f);
}

/* What PCT's bound says at this number of rounds. */
static void write_pct(FILE *f, const struct tally *t, int depth)
{
    struct pct_bound b;
    if (!spending_pct(t, depth, &b)) return;
    fprintf(f,
            "<p>PCT: a bug that needs an order of %d messages is met in one round with a "
            "probability of at least 1/(n k%s) = %.1e (n = %.1f links, k = %.0f messages); all ",
            depth, depth == 3 ? "<sup>2</sup>" : "", b.hit, b.n, b.k);
    html_count(f, b.rounds);
    fprintf(f, " rounds miss it with at most %.2g.</p>\n", b.missed);
}

void report_saturation(FILE *f, const struct report_page *p)
{
    struct curve_point curve[CURVE_MAX];
    const struct tally *t = p->run->tally;
    uint32_t n = spending_curve(t, curve);
    html_section(f, "saturation", "Saturation",
                 "The curve of distinct abstract states over the rounds says whether more rounds "
                 "would still show something new.");
    if (n == 0 || curve[n - 1].states == 0) {
        fputs("<p class=\"none\">These results hold no saturation curve.</p>\n", f);
    } else {
        plots_embed(f, p->plots, PLOT_SATURATION);
        write_curve(f, curve, n);
    }
    write_strategies(f, t);
    for (int depth = 2; depth <= 3; depth++) write_pct(f, t, depth);
    html_section_end(f);
}

/* -- performance ---------------------------------------------------------------------------- */

static void figure(FILE *f, const char *what, double value, int digits, const char *unit)
{
    fprintf(f, "<tr><th scope=\"row\">%s</th><td class=\"num\">", what);
    if (digits > 0)
        fprintf(f, "%.*f", digits, value);
    else
        html_count(f, value > 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0);
    fprintf(f, " %s</td></tr>\n", unit);
}

static void call(FILE *f, const struct run_info *r)
{
    fputs("<p>Program ", f);
    html_text(f, r->revision);
    fputs(", ", f);
    html_text(f, r->build);
    fputs(". Contract ", f);
    html_text(f, r->contract_file ? r->contract_file : "of the suite");
    for (uint32_t i = 0; i < r->settings; i++) {
        fputs(i ? ", <code>" : ", with <code>--set ", f);
        html_text(f, r->setting[i].path);
        putc('=', f);
        html_text(f, r->setting[i].value);
        fputs("</code>", f);
    }
    fprintf(f, ". Seed <code>0x%016" PRIx64 "</code>", r->seed);
    if (r->shards > 1) fprintf(f, ", shard %" PRIu32 " of %" PRIu32, r->shard, r->shards);
    fputs(".</p>\n", f);
}

void report_performance(FILE *f, const struct report_page *p)
{
    const struct performance *x = &p->run->performance;
    html_section(f, "performance", "Performance of the run", NULL);
    html_table(f, "plain", "Speed and size of the run");
    fputs("<thead><tr><th scope=\"col\">Measure</th><th scope=\"col\" class=\"num\">Value</th></tr>"
          "</thead>\n<tbody>\n",
          f);
    figure(f, "Time on the wall", x->seconds, 1, "s");
    figure(f, "Rounds", x->rounds_per_s, 0, "in a second");
    figure(f, "Simulated events", x->events_per_s, 0, "in a second");
    figure(f, "Faster than real time", x->speedup, 0, "times");
    figure(f, "Worker threads", x->jobs, 0, "");
    figure(f, "Simulated events, all rounds", (double)p->run->tally->events, 0, "");
    html_table_end(f);
    call(f, &p->run->run);
    html_section_end(f);
}

/* -- words ---------------------------------------------------------------------------------- */

static const struct {
    const char *word, *says;
} glossary[] = {
    { "round", "one run of one scenario under one seed; a pure function of program version, "
               "contract, scenario and seed" },
    { "fence", "the pair (epoch, generation) that the ledger hands out with a claim and every "
               "receiver compares; larger wins" },
    { "transition", "the leader ceased, by any cause, and the next generation took over" },
    { "effect", "what an operation of the outbox does at the external provider" },
    { "commit", "a cursor move, a task’s deletion or an effect’s acknowledgement that the "
                "authority accepted" },
    { "95% interval", "by ranks for quantiles, exact binomial for shares; rounds are the "
                      "independent units, so that many samples of one round count as few" },
    { "95% bound beside a zero", "3 in n: the rate that n rounds without a violation leave open" },
    { "unknown", "the run proved too little: an empty cell, too few samples, a limit; never a "
                 "pass" },
};

void report_words(FILE *f, const struct report_page *p)
{
    (void)p;
    html_section(f, "words", "Words", NULL);
    fputs("<dl class=\"words\">\n", f);
    for (size_t i = 0; i < sizeof glossary / sizeof glossary[0]; i++)
        fprintf(f, "<dt>%s</dt><dd>%s</dd>\n", glossary[i].word, glossary[i].says);
    for (int k = 0; k < INV_COUNT; k++) {
        fprintf(f, "<dt><code>%s</code></dt><dd>violated when ", invariant_word[k]);
        html_text(f, invariant_says[k]);
        fputs("</dd>\n", f);
    }
    fputs("</dl>\n", f);
    html_section_end(f);
}
