/* What broke, with the line that replays it; and what was played. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "reports/group.h"
#include "reports/html.h"
#include "reports/report_parts.h"
#include "reports/table.h"
#include "reports/text.h"

#define FAILURES_EACH 3 /* of an invariant; the record has up to a thousand */

/* -- failures ------------------------------------------------------------------------------- */

static bool is_there(const struct report_page *p, const char *inner, const char *file)
{
    char path[OUTFILE_PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s/%s", p->plots->folder, inner, file);
    return n > 0 && n < (int)sizeof path && access(path, F_OK) == 0;
}

static void write_links(FILE *f, const struct report_page *p, const struct failure *x)
{
    static const struct {
        const char *file, *says;
    } kept[] = { { "timeline.html", "Timeline of the round" },
                 { "minimal.yaml", "Smallest scenario, as a file" },
                 { "history.jsonl", "Its history" } };
    char folder[REPORT_FAILURE_MAX];
    bool any = false;
    report_failure(folder, p->run, x);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (!is_there(p, folder, kept[i].file)) continue;
        fputs(any ? " · <a href=\"" : "<p class=\"links\"><a href=\"", f);
        html_url(f, folder);
        fprintf(f, "/%s\">%s</a>", kept[i].file, kept[i].says);
        any = true;
    }
    if (any) fputs("</p>\n", f);
}

static void write_command(FILE *f, const char *line)
{
    fputs("<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Command\"><code>", f);
    html_text(f, line);
    fputs("</code></pre>\n", f);
}

static void write_failure(FILE *f, const struct report_page *p, const struct failure *x)
{
    char line[TABLE_REPLAY_MAX];
    const uint32_t *w = x->finding.witness;
    fputs("<p><b>", f);
    html_text(f, p->run->scenario[x->scenario].name);
    fputs("</b>: ", f);
    html_text(f, x->finding.reason ? x->finding.reason : invariant_says[x->invariant]);
    if (w[0] != OBS_NONE) fprintf(f, " (#%" PRIu32, w[0]);
    if (w[0] != OBS_NONE && w[1] != OBS_NONE) fprintf(f, " and #%" PRIu32, w[1]);
    if (w[0] != OBS_NONE) putc(')', f);
    fputs("</p>\n", f);
    write_command(f, table_replay(line, p->run, x));
    write_links(f, p, x);
}

/* What suffices for the failures of a group, and the scenario that shows it. */
static void write_group(FILE *f, const struct report_page *p, const struct failure_group *g)
{
    char text[TABLE_REPLAY_MAX], words[GROUP_NAME_MAX];
    const char *faults = group_faults(words, g->faults);
    fputs("<p class=\"needs\">", f);
    if (!g->reduced)
        fputs("Not reduced; the faults of its scenario: ", f);
    else
        fprintf(f, "%" PRIu32 " tab%s and %" PRIu32 " operation%s suffice%s: ", g->tabs,
                g->tabs == 1 ? "" : "s", g->operations, g->operations == 1 ? "" : "s",
                g->calm ? ", whatever the seed" : "");
    fprintf(f, "<code>%s</code>, for %" PRIu32 " of the failures looked at</p>\n",
            faults[0] ? faults : "no fault", g->failures);
    write_failure(f, p, &p->run->failure[g->example]);
    if (!g->script || !*g->script) return;
    fputs("<details><summary>The smallest scenario that still fails</summary>\n", f);
    write_command(f, group_shrink(text, p->run, g));
    write_command(f, g->script);
    fputs("</details>\n", f);
}

static uint32_t write_groups(FILE *f, const struct report_page *p, enum invariant_kind k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->run->groups; i++) {
        if (p->run->group[i].invariant != k) continue;
        fputs("<li>", f);
        write_group(f, p, &p->run->group[i]);
        fputs("</li>\n", f);
        n++;
    }
    return n;
}

static void write_invariant(FILE *f, const struct report_page *p, enum invariant_kind k)
{
    const struct run_report *r = p->run;
    uint32_t listed = 0;
    fprintf(f, "<h3 id=\"i-%s\"><code>%s</code></h3>\n<p>Broken when ", invariant_word[k],
            invariant_word[k]);
    html_text(f, invariant_says[k]);
    fputs(": in ", f);
    html_count(f, r->tally->broken[k]);
    fputs(" of ", f);
    html_count(f, r->tally->broken[k] + r->tally->held[k]);
    fputs(" rounds that put it to the test (", f);
    report_share(f, r->tally->broken[k], r->tally->broken[k] + r->tally->held[k]);
    fputs("). The first:</p>\n<ol class=\"failures\">\n", f);
    if (write_groups(f, p, k) > 0) listed = FAILURES_EACH;
    for (uint32_t i = 0; i < r->failures && listed < FAILURES_EACH; i++) {
        const struct failure *x = &r->failure[i];
        if (x->invariant != k || x->finding.verdict != VERDICT_BROKEN) continue;
        fputs("<li>", f);
        write_failure(f, p, x);
        fputs("</li>\n", f);
        listed++;
    }
    fputs("</ol>\n", f);
}

void report_failures(FILE *f, const struct report_page *p)
{
    uint32_t broken = 0;
    html_section(f, "failures", "What broke", NULL);
    for (int k = 0; k < INV_COUNT; k++) {
        if (p->run->tally->broken[k] == 0) continue;
        if (broken++ == 0)
            fputs("<p class=\"says\">Each line plays one round again, in the folder in which the "
                  "run was started. The numbers are those of the two observations that contradict "
                  "each other.</p>\n",
                  f);
        write_invariant(f, p, (enum invariant_kind)k);
    }
    if (broken == 0) fputs("<p class=\"none\">No invariant broke in any round.</p>\n", f);
    html_section_end(f);
}

/* -- scenarios ------------------------------------------------------------------------------ */

static void write_scenario(FILE *f, const struct scenario_count *s)
{
    const char *class = s->broken ? "fail" : s->rounds > s->unknown ? "pass" : "unknown";
    fprintf(f, "<tr class=\"%s\"><th scope=\"row\">", class);
    html_text(f, s->name);
    fputs("</th><td class=\"num\">", f);
    html_count(f, s->rounds);
    fputs("</td><td class=\"num\">", f);
    html_count(f, s->broken);
    fputs("</td><td class=\"num\">", f);
    html_count(f, s->unknown);
    fputs("</td></tr>\n", f);
}

static void write_slow(FILE *f, const struct report_page *p)
{
    const struct run_report *r = p->run;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < r->noted_n; i++) {
        const struct noted_round *n = &r->noted[i];
        char line[TABLE_REPLAY_MAX];
        if (n->why != NOTED_SLOW || n->failover_us < 0) continue;
        if (listed++ == 0)
            fputs("<details><summary>The rounds with the longest failovers</summary>\n"
                  "<ol class=\"failures\">\n",
                  f);
        fputs("<li><p><b>", f);
        html_us(f, n->failover_us);
        fputs("</b> in ", f);
        html_text(f, r->scenario[n->scenario].name);
        fputs("</p>\n", f);
        table_replay_of(line, &r->run, r->scenario[n->scenario].file, n->seed);
        table_add_course(line, &n->course);
        write_command(f, line);
        fputs("</li>\n", f);
    }
    if (listed > 0) fputs("</ol>\n</details>\n", f);
}

void report_scenarios(FILE *f, const struct report_page *p)
{
    const struct run_report *r = p->run;
    html_section(
        f, "scenarios", "Scenarios",
        "How the rounds were spent. A round is <em>unknown</em> when a limit cut it short: "
        "it proves nothing.");
    html_table(f, "plain", "Scenarios with their rounds");
    fputs("<thead><tr><th scope=\"col\">Scenario</th><th scope=\"col\" class=\"num\">Rounds</th>"
          "<th scope=\"col\" class=\"num\">Broken</th><th scope=\"col\" class=\"num\">Unknown</th>"
          "</tr></thead>\n<tbody>\n",
          f);
    for (uint32_t i = 0; i < r->scenarios; i++) write_scenario(f, &r->scenario[i]);
    html_table_end(f);
    write_slow(f, p);
    html_section_end(f);
}
