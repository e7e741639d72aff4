/* Coverage as a heat map, and mutant by invariant. */
#include <inttypes.h>

#include "reports/html.h"
#include "reports/report_parts.h"

/* -- coverage ------------------------------------------------------------------------------- */

/* Steps of the heat map: a cell has the class of the last one that it reaches. */
static const struct {
    uint64_t from;
    const char *class, *says;
} step[] = {
    { 0, "empty", "0: never hit" }, { 1, "h1", "1–29" },
    { 30, "h2", "30–99" },          { 100, "h3", "100–999" },
    { 1000, "h4", "1,000–9,999" },  { 10000, "h5", "10,000 and more" },
};
enum { STEPS = sizeof step / sizeof step[0] };

static const char *shade(uint64_t hits)
{
    int i = STEPS - 1;
    while (step[i].from > hits) i--;
    return step[i].class;
}

/* "1234" as "1.2k": a column is four characters wide. */
static void short_count(FILE *f, uint64_t n)
{
    if (n < 1000)
        fprintf(f, "%" PRIu64, n);
    else if (n < 10000)
        fprintf(f, "%.1fk", (double)n / 1000);
    else
        fprintf(f, "%" PRIu64 "k", n / 1000);
}

static void cell(FILE *f, const struct tally *t, enum fault_kind k, enum leader_phase p)
{
    const char *why = coverage_impossible(k, p);
    uint64_t hits = t->cell[k][p];
    if (why && hits == 0) {
        fputs("<td class=\"never\" title=\"impossible: ", f);
        html_text(f, why);
        fputs("\">·</td>", f);
        return;
    }
    fprintf(f, "<td class=\"%s\" title=\"%s × %s: %" PRIu64 "\">", shade(hits), fault_info[k].word,
            phase_word[p], hits);
    short_count(f, hits);
    fputs("</td>", f);
}

static void legend(FILE *f)
{
    fputs("<ul class=\"legend\" aria-label=\"Legend\">", f);
    for (int i = 0; i < STEPS; i++)
        fprintf(f, "<li><i class=\"%s\"></i> %s</li>", step[i].class, step[i].says);
    fputs("<li><i class=\"never\">·</i> cannot be hit</li></ul>\n", f);
}

static void impossible(FILE *f)
{
    fputs("<details><summary>Why some cells cannot be hit</summary>\n<ul class=\"reasons\">\n", f);
    for (int k = 0; k < FAULT_COUNT; k++) {
        const char *last = NULL;
        for (int p = 0; p < PHASE_COUNT; p++) {
            const char *why = coverage_impossible((enum fault_kind)k, (enum leader_phase)p);
            if (!why) continue;
            if (why != last)
                fprintf(f, "%s<li><code>%s</code>: ", last ? "</li>\n" : "", fault_info[k].word);
            if (why != last) html_text(f, why), fputs(": ", f);
            fprintf(f, "%s%s", why == last ? ", " : "", phase_word[p]);
            last = why;
        }
        if (last) fputs("</li>\n", f);
    }
    fputs("</ul>\n</details>\n", f);
}

void report_coverage(FILE *f, const struct report_page *p)
{
    const struct tally *t = p->run->tally;
    html_section(f, "coverage", "Coverage",
                 "How often each fault changed something that an outsider could see, by what the "
                 "leader was doing at that moment. The last column counts the rounds in which the "
                 "fault did.");
    legend(f);
    html_table(f, "heat", "Effective hits of fault by leader phase");
    fputs("<thead><tr><th scope=\"col\">Fault</th>", f);
    for (int i = 0; i < PHASE_COUNT; i++)
        fprintf(f, "<th scope=\"col\" class=\"up\"><span>%s</span></th>", phase_word[i]);
    fputs("<th scope=\"col\" class=\"up\"><span>rounds</span></th></tr></thead>\n<tbody>\n", f);
    for (int k = 0; k < FAULT_COUNT; k++) {
        fputs("<tr><th scope=\"row\" title=\"", f);
        html_text(f, fault_info[k].says);
        fprintf(f, "\">%s</th>", fault_info[k].word);
        for (int i = 0; i < PHASE_COUNT; i++) cell(f, t, (enum fault_kind)k, (enum leader_phase)i);
        fputs("<td class=\"num\">", f);
        html_count(f, t->effective_rounds[k]);
        fputs("</td></tr>\n", f);
    }
    html_table_end(f);
    if (p->plots->outcome[PLOT_COVERAGE] == GNUPLOT_DRAWN)
        fputs("<p class=\"links\"><a href=\"plots/coverage.svg\">As a picture</a></p>\n", f);
    impossible(f);
    html_section_end(f);
}

/* -- mutants -------------------------------------------------------------------------------- */

static void fired(FILE *f, const struct mutant_outcome *m, enum invariant_kind k)
{
    if (k == m->expected && m->caught)
        fputs("<td class=\"caught\" title=\"caught, as expected\">●</td>", f);
    else if (k == m->expected)
        fputs("<td class=\"escaped\" title=\"expected, and not fired\">✕</td>", f);
    else if (m->also >> k & 1)
        fputs("<td class=\"also\" title=\"fired too\">○</td>", f);
    else
        fputs("<td></td>", f);
}

static void mutant(FILE *f, const struct mutant_outcome *m)
{
    bool caught = m->caught && m->rounds <= m->budget;
    fprintf(f, "<tr class=\"%s\"><th scope=\"row\">", caught ? "pass" : "fail");
    html_text(f, m->name);
    fputs("</th>", f);
    for (int k = 0; k < INV_COUNT; k++) fired(f, m, (enum invariant_kind)k);
    fputs("<td class=\"num\">", f);
    html_count(f, m->rounds);
    fputs("</td><td class=\"num\">", f);
    html_count(f, m->budget);
    fputs("</td></tr>\n", f);
}

void report_mutants(FILE *f, const struct report_page *p)
{
    const struct run_report *r = p->run;
    html_section(f, "mutants", "Mutants",
                 "Deliberate mistakes in client, ledger and browser. Each has to be caught by the "
                 "invariant that its file names (●), within its budget of rounds; others that "
                 "fired too are ○, one that should have and did not is ✕.");
    if (r->mutants == 0) {
        fputs("<p class=\"none\">No mutants were run.</p>\n", f);
        html_section_end(f);
        return;
    }
    html_table(f, "matrix", "Mutants and the invariants that caught them");
    fputs("<thead><tr><th scope=\"col\">Mutant</th>", f);
    for (int k = 0; k < INV_COUNT; k++)
        fprintf(f, "<th scope=\"col\" class=\"up\"><span>%s</span></th>", invariant_word[k]);
    fputs("<th scope=\"col\" class=\"up\"><span>rounds until caught</span></th>"
          "<th scope=\"col\" class=\"up\"><span>budget</span></th></tr></thead>\n<tbody>\n",
          f);
    for (uint32_t i = 0; i < r->mutants; i++) mutant(f, &r->mutant[i]);
    html_table_end(f);
    html_section_end(f);
}
