/* This run beside earlier ones. */
#include <inttypes.h>

#include "reports/html.h"
#include "reports/report_parts.h"

static bool ever_known(const struct trend_measure *m, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; i++)
        if (m->at[i].known && m->at[i].value > 0) return true;
    return false;
}

static void value(FILE *f, const struct trend_measure *m, uint32_t i)
{
    static const char *const class[] = { "", " better", " worse" };
    static const char *const word[] = { "", " <span class=\"pill pass\">better</span>",
                                        " <span class=\"pill fail\">worse</span>" };
    const struct trend_value *v = &m->at[i];
    char text[TREND_TEXT_MAX];
    enum trend_move move = i > 0 ? trend_moved(m, i) : TREND_NONE;
    fprintf(f, "<td class=\"num%s\">%s%s", class[move],
            v -> known ? trend_text(text, m->unit, v->value) : "–", word[move]);
    if (v->bounded) {
        fprintf(f, "<small>%s – ", trend_text(text, m->unit, v->low));
        fprintf(f, "%s</small>", trend_text(text, m->unit, v->high));
    }
    fputs("</td>", f);
}

/* A move may come from what else is different. */
static void unlike(FILE *f, const struct trend *t)
{
    const char *before = "<p class=\"note\">Not only the program differs:</p>\n<ul>\n";
    for (uint32_t i = 1; i < t->runs; i++) {
        char what[TREND_UNLIKE_MAX];
        if (!trend_unlike(what, t, i)[0]) continue;
        fprintf(f, "%s<li>", before);
        html_text(f, t->run[i - 1]->run.revision);
        fputs(", then ", f);
        html_text(f, t->run[i]->run.revision);
        fputs(": ", f);
        html_text(f, what);
        fputs("</li>\n", f);
        before = "";
    }
    fputs(before[0] ? "" : "</ul>\n", f);
}

static void head(FILE *f, const struct trend *t)
{
    fputs("<thead><tr><th scope=\"col\">Measure</th>", f);
    for (uint32_t i = 0; i < t->runs; i++) {
        const struct run_report *r = t->run[i];
        fputs("<th scope=\"col\" class=\"num\">", f);
        html_text(f, r->run.revision);
        fputs("<small>", f);
        html_text(f, r->run.started ? r->run.started : "no date");
        fputs("<br>", f);
        html_count(f, r->tally->rounds);
        fprintf(f, " rounds<br>%s</small></th>", gate_verdict_word[run_verdict(r)]);
    }
    fputs("</tr></thead>\n<tbody>\n", f);
}

/* Conditions of the gate whose verdict is another one than in the run before. */
static void changes(FILE *f, const struct trend *t)
{
    const char *before = "<ul>\n";
    for (uint32_t i = 1; i < t->runs; i++)
        for (uint32_t k = 0; t->run[i]->gate && k < t->run[i]->gate->conditions; k++) {
            const struct condition *b = trend_changed(t, i, k);
            const struct condition *c = &t->run[i]->gate->condition[k];
            if (!b) continue;
            fprintf(f, "%s<li>", before);
            html_text(f, c->name);
            fprintf(f, ": %s, then <span class=\"pill %s\">%s</span> (",
                    gate_verdict_word[b->verdict], gate_verdict_word[c->verdict],
                    gate_verdict_word[c->verdict]);
            html_text(f, t->run[i]->run.revision);
            fputs(")</li>\n", f);
            before = "";
        }
    fputs(before[0] ? "<p>No condition of the gate has another verdict than before.</p>\n"
                    : "</ul>\n",
          f);
}

void report_trend(FILE *f, const struct report_page *p)
{
    const struct trend *t = p->trend;
    if (!t || t->runs < 2) return;
    html_section(f, "trend", "Trend",
                 "Runs in the order in which they were given, the last one is this report’s. A "
                 "measure is <em>worse</em> or <em>better</em> when its 95% interval does not meet "
                 "that of the run before; anything less may be chance. What was never seen is left "
                 "out.");
    unlike(f, t);
    changes(f, t);
    plots_embed(f, p->plots, PLOT_TREND);
    html_table(f, "quantiles", "Measures of each run with their 95% intervals");
    head(f, t);
    for (uint32_t k = 0; k < t->measures; k++) {
        const struct trend_measure *m = &t->measure[k];
        if (!ever_known(m, t->runs)) continue;
        fprintf(f, "<tr><th scope=\"row\">%s</th>", m->name);
        for (uint32_t i = 0; i < t->runs; i++) value(f, m, i);
        fputs("</tr>\n", f);
    }
    html_table_end(f);
    html_section_end(f);
}
