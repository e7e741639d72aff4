#include "reports/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/html.h"
#include "reports/report_parts.h"
#include "reports/summary.h"
#include "reports/table.h"

/* -- verdict -------------------------------------------------------------------------------- */

static const char *verdict_class(enum gate_verdict v)
{
    return gate_verdict_word[v];
}

/* Links to the conditions with this verdict. */
static void list_conditions(FILE *f, const struct gate_report *g, enum gate_verdict v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; g && i < g->conditions; i++) {
        const struct condition *c = &g->condition[i];
        if (!c->judged || c->verdict != v) continue;
        fputs(n++ ? ", <a href=\"#c-" : "<a href=\"#c-", f);
        html_url(f, c->name);
        fputs("\">", f);
        html_text(f, c->name);
        fputs("</a>", f);
    }
}

static uint32_t count_conditions(const struct gate_report *g, enum gate_verdict v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; g && i < g->conditions; i++)
        n += g->condition[i].judged && g->condition[i].verdict == v;
    return n;
}

static void list_broken(FILE *f, const struct tally *t)
{
    uint32_t n = 0;
    for (int k = 0; k < INV_COUNT; k++)
        if (t->broken[k] > 0)
            fprintf(f, "%s<a href=\"#i-%s\">%s</a>", n++ ? ", " : "Broken: ", invariant_word[k],
                    invariant_word[k]);
    fputs(n ? "." : "None broke.", f);
}

/* Why the verdict is what it is, in a sentence or two. */
static void write_lead(FILE *f, const struct run_report *r)
{
    fputs("<p class=\"lead\">", f);
    if (!r->gate) {
        fputs("No gate judged this run: the verdict is that of its invariants alone. ", f);
        list_broken(f, r->tally);
    } else if (count_conditions(r->gate, GATE_FAIL) + count_conditions(r->gate, GATE_UNKNOWN) ==
               0) {
        fputs("All ", f);
        html_count(f, count_conditions(r->gate, GATE_PASS));
        fputs(" judged conditions hold.", f);
    }
    if (count_conditions(r->gate, GATE_FAIL) > 0) {
        fputs("Failed: ", f);
        list_conditions(f, r->gate, GATE_FAIL);
        fputs(". ", f);
    }
    if (count_conditions(r->gate, GATE_UNKNOWN) > 0) {
        fputs("Not proved: ", f);
        list_conditions(f, r->gate, GATE_UNKNOWN);
        fputs(".", f);
    }
    if (r->interrupted)
        fputs(" The run did not come to its end; these are the rounds that did.", f);
    fputs("</p>\n", f);
}

static void write_fact(FILE *f, const char *name, const char *value)
{
    fprintf(f, "<div><dt>%s</dt><dd>", name);
    html_text(f, value ? value : "unknown");
    fputs("</dd></div>\n", f);
}

static void write_facts(FILE *f, const struct run_report *r)
{
    char digest[24];
    snprintf(digest, sizeof digest, "0x%016" PRIx64, r->tally->digest);
    fputs("<dl class=\"facts\">\n", f);
    write_fact(f, "Suite", r->run.suite);
    fputs("<div><dt>Rounds</dt><dd>", f);
    html_count(f, r->tally->rounds);
    if (r->tally->rounds != r->run.rounds_asked) {
        fputs(" of ", f);
        html_count(f, r->run.rounds_asked);
    }
    fputs("</dd></div>\n", f);
    write_fact(f, "Seed", r->run.seed_text);
    write_fact(f, "Revision", r->run.revision);
    write_fact(f, "Started", r->run.started);
    write_fact(f, "Digest", digest);
    fputs("</dl>\n", f);
}

/* -- the figures that a meeting asks for first ---------------------------------------------- */

static const struct condition *find_condition(const struct gate_report *g, const char *name)
{
    for (uint32_t i = 0; g && i < g->conditions; i++)
        if (strcmp(g->condition[i].name, name) == 0) return &g->condition[i];
    return NULL;
}

static void write_tile(FILE *f, const struct run_report *r, const char *name, const char *title)
{
    const struct condition *c = find_condition(r->gate, name);
    char first[CONDITION_TEXT_MAX]; /* of a value with more to it, what comes before */
    if (!c) return;
    fprintf(f, "<li class=\"tile %s\"><a href=\"#c-%s\"><span class=\"what\">%s</span> <b>",
            c->judged ? verdict_class(c->verdict) : "shown", name, title);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(c->value, ";("), c->value);
    html_text(f, first[0] ? first : "–");
    fputs("</b> <span class=\"bound\">", f);
    html_text(f, c->value + strcspn(c->value, ";(") + (strchr(c->value, ';') != NULL));
    fputs(strpbrk(c->value, ";(") ? "; " : "", f);
    html_text(f, c->threshold);
    if (c->bound95[0]) {
        fputs("; 95% bound ", f);
        html_text(f, c->bound95);
    }
    fputs("</span></a></li>\n", f);
}

/* All invariants in one figure: of so many, so many broke. */
static void write_invariants_tile(FILE *f, const struct run_report *r)
{
    uint32_t broken = 0, held = 0;
    for (int k = 0; k < INV_COUNT; k++) {
        broken += r->tally->broken[k] > 0;
        held += r->tally->broken[k] == 0 && r->tally->held[k] > 0;
    }
    fprintf(f,
            "<li class=\"tile %s\"><a href=\"#failures\"><span class=\"what\">Invariants broken"
            "</span> <b>%" PRIu32 "</b> <span class=\"bound\">%" PRIu32
            " held wherever they were tested, %" PRIu32 " never were</span></a></li>\n",
            broken ? "fail" : "pass", broken, held, INV_COUNT - broken - held);
}

static void write_tiles(FILE *f, const struct run_report *r)
{
    fputs("<ul class=\"tiles\" aria-label=\"Key figures\">\n", f);
    write_invariants_tile(f, r);
    write_tile(f, r, "failover-p99", "Failover p99");
    write_tile(f, r, "failover-p99-unasked", "Failover p99, not asked for");
    write_tile(f, r, "background-overrun", "Background holds over maxHold");
    write_tile(f, r, "mutants", "Mutants caught");
    write_tile(f, r, "coverage", "Coverage cells");
    fputs("</ul>\n", f);
}

void report_head(FILE *f, const struct report_page *p)
{
    const struct run_report *r = p->run;
    char verdict[TABLE_VERDICT_MAX];
    fprintf(f, "<header class=\"verdict %s\">\n<p class=\"product\">Tabquake SLO report</p>\n",
            verdict_class(run_verdict(r)));
    fprintf(f, "<h1>%s</h1>\n", table_verdict(verdict, r));
    write_lead(f, r);
    write_facts(f, r);
    fputs("</header>\n", f);
    write_tiles(f, r);
}

/* -- conditions ----------------------------------------------------------------------------- */

static void write_cell(FILE *f, const char *class, const char *label, const char *text)
{
    fprintf(f, "<td class=\"%s\" data-label=\"%s\">", class, label);
    html_text(f, text[0] ? text : "–");
    fputs("</td>", f);
}

static void write_condition(FILE *f, const struct condition *c)
{
    const char *class = c->judged ? verdict_class(c->verdict) : "shown";
    fprintf(f, "<tr class=\"%s\" id=\"c-", class);
    html_url(f, c->name);
    fprintf(f, "\"><td data-label=\"Verdict\"><span class=\"pill %s\">%s</span></td>", class,
            class);
    fputs("<th scope=\"row\">", f);
    html_text(f, c->name);
    fputs("<small>", f);
    html_text(f, c->says);
    fputs("</small></th>", f);
    write_cell(f, "num", "Value", c->value);
    write_cell(f, "num", "Threshold", c->threshold);
    write_cell(f, "num", "95% bound", c->bound95);
    fputs("</tr>\n", f);
}

void report_conditions(FILE *f, const struct report_page *p)
{
    const struct gate_report *g = p->run->gate;
    html_section(
        f, "conditions", "Gate conditions",
        "The gate passes when every judged condition does. <em>Shown</em> rows are no part "
        "of the verdict. The bound says how far the truth may be from the value: beside a "
        "zero it is the largest rate that this many rounds leave open.");
    if (!g || g->conditions == 0) {
        fputs("<p class=\"none\">No conditions: this run was not judged by a gate.</p>\n", f);
        html_section_end(f);
        return;
    }
    html_table(f, "conditions stack", "Gate conditions with thresholds and bounds");
    fputs("<thead><tr><th scope=\"col\">Verdict</th><th scope=\"col\">Condition</th>"
          "<th scope=\"col\" class=\"num\">Value</th><th scope=\"col\" class=\"num\">Threshold</th>"
          "<th scope=\"col\" class=\"num\">95% bound</th></tr></thead>\n<tbody>\n",
          f);
    for (uint32_t i = 0; i < g->conditions; i++) write_condition(f, &g->condition[i]);
    html_table_end(f);
    html_section_end(f);
}

/* -- the page ------------------------------------------------------------------------------- */

static const struct {
    const char *id, *title; /* of the table of contents */
    void (*write)(FILE *f, const struct report_page *p);
} part[] = {
    { "conditions", "Conditions", report_conditions },
    { "failures", "Failures", report_failures },
    { "trend", "Trend", report_trend },
    { "failover", "Failover", report_failover },
    { "holds", "Background", report_holds },
    { "belief", "Belief", report_belief },
    { "coverage", "Coverage", report_coverage },
    { "mutants", "Mutants", report_mutants },
    { "saturation", "Saturation", report_saturation },
    { "scenarios", "Scenarios", report_scenarios },
    { "performance", "Performance", report_performance },
    { "words", "Words", report_words },
};
enum { PARTS = sizeof part / sizeof part[0] };

void report_write(FILE *f, const struct report_page *p)
{
    char verdict[TABLE_VERDICT_MAX], title[TABLE_VERDICT_MAX + 16];
    snprintf(title, sizeof title, "%s · Tabquake", table_verdict(verdict, p->run));
    html_begin(f, title, "html/report.css");
    fputs("<main>\n", f);
    report_head(f, p);
    fputs("<nav aria-label=\"Sections\"><ul>\n", f);
    for (int i = 0; i < PARTS; i++)
        if (part[i].write != report_trend || p->trend)
            fprintf(f, "<li><a href=\"#%s\">%s</a></li>\n", part[i].id, part[i].title);
    fputs("</ul></nav>\n", f);
    for (int i = 0; i < PARTS; i++) part[i].write(f, p);
    fputs("</main>\n", f);
    html_end(f, "html/report.js");
}

const char *report_failure(char out[REPORT_FAILURE_MAX], const struct run_report *r,
                           const struct failure *x)
{
    char course[COURSE_TEXT_MAX];
    bool uniform = x->course.strategy == STRATEGY_UNIFORM;
    course_text(course, &x->course);
    for (char *p = course; *p; p++)
        if (*p == ':' || *p == '/') *p = '-';
    snprintf(out, REPORT_FAILURE_MAX, "failures/%.256s-0x%016" PRIx64 "%s%s",
             r->scenario[x->scenario].name, x->seed, uniform ? "" : "-", uniform ? "" : course);
    return out;
}

bool report_write_files(const char *folder, const struct run_report *r, const struct trend *trend,
                        FILE *err)
{
    char path[OUTFILE_PATH_MAX + 16];
    struct outfile o;
    struct plots plots;
    if (access(folder, W_OK) != 0) {
        fprintf(err, "%s: cannot be written to: %s\n", folder, strerror(errno));
        return false;
    }
    char *said = NULL;
    size_t length;
    FILE *later = open_memstream(&said, &length);
    bool drawn = plots_draw(&plots, folder, r, trend, later ? later : err);
    if (later) fclose(later);
    snprintf(path, sizeof path, "%s/report.html", folder);
    bool ok = summary_write_files(folder, r, err) && outfile_open(&o, path, err);
    if (ok) {
        report_write(o.f, &(struct report_page){ r, trend, &plots });
        ok = outfile_commit(&o, err);
    }
    /* a disk without room for a plot has none for a page: one sentence is enough */
    if (ok && said) fputs(said, err);
    free(said);
    return ok && drawn;
}
