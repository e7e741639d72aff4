#include "reports/junit.h"

#include <inttypes.h>
#include <string.h>

#include "reports/table.h"
#include "reports/text.h"

enum result { PASSED, FAILURE, ERROR, SKIPPED };

static enum result of_condition(const struct condition *c)
{
    if (!c->judged) return SKIPPED;
    return c->verdict == GATE_PASS ? PASSED : c->verdict == GATE_FAIL ? FAILURE : ERROR;
}

static enum result of_scenario(const struct scenario_count *s)
{
    if (s->broken > 0) return FAILURE;
    return s->rounds > s->unknown ? PASSED : ERROR;
}

static void write_suite(FILE *f, const char *name, const uint32_t count[4])
{
    fprintf(f,
            "  <testsuite name=\"%s\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32
            "\" errors=\"%" PRIu32 "\" skipped=\"%" PRIu32 "\">\n",
            name, count[PASSED] + count[FAILURE] + count[ERROR] + count[SKIPPED], count[FAILURE],
            count[ERROR], count[SKIPPED]);
}

static void begin_case(FILE *f, const char *class, const char *name)
{
    fprintf(f, "    <testcase classname=\"%s\" name=\"", class);
    text_xml(f, name);
    fputs("\">", f);
}

static void write_condition(FILE *f, const struct condition *c)
{
    static const char *const element[] = { NULL, "failure", "error", "skipped" };
    enum result result = of_condition(c);
    char name[2 * CONDITION_TEXT_MAX + 2];
    snprintf(name, sizeof name, "%s: %s", c->name, c->says);
    begin_case(f, "tabquake.condition", name);
    if (result != PASSED) {
        fprintf(f, "\n      <%s message=\"", element[result]);
        text_xml(f, result == SKIPPED ? "shown only" : gate_verdict_word[c->verdict]);
        fputs(": ", f);
        text_xml(f, c->says);
        fputs(", ", f);
        text_xml(f, c->value[0] ? c->value : "nothing measured");
        if (strcmp(c->threshold, "shown") != 0) fputs(", wanted ", f), text_xml(f, c->threshold);
        fputs("\"/>\n    ", f);
    }
    fputs("</testcase>\n", f);
}

/* How to see each of the first failures of the scenario. */
static void write_replays(FILE *f, const struct run_report *r, uint32_t scenario)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < r->failures && listed < JUNIT_FAILURES_MAX; i++) {
        const struct failure *x = &r->failure[i];
        char line[TABLE_REPLAY_MAX];
        if (x->scenario != scenario || x->finding.verdict != VERDICT_BROKEN) continue;
        fprintf(f, "%s: ", invariant_word[x->invariant]);
        text_xml(f, x->finding.reason ? x->finding.reason : invariant_says[x->invariant]);
        fputs("\n  ", f);
        text_xml(f, table_replay(line, r, x));
        putc('\n', f);
        listed++;
    }
}

static void write_scenario(FILE *f, const struct run_report *r, uint32_t i)
{
    const struct scenario_count *s = &r->scenario[i];
    enum result result = of_scenario(s);
    begin_case(f, "tabquake.scenario", s->name);
    if (result == FAILURE) {
        fprintf(f,
                "\n      <failure message=\"an invariant broke in %" PRIu64 " of %" PRIu64
                " rounds\">",
                s->broken, s->rounds);
        write_replays(f, r, i);
        fputs("</failure>\n    ", f);
    } else if (result == ERROR) {
        fprintf(f,
                "\n      <error message=\"unknown: %" PRIu64 " rounds, of which %" PRIu64
                " proved nothing\"/>\n    ",
                s->rounds, s->unknown);
    }
    fputs("</testcase>\n", f);
}

void junit_write(FILE *f, const struct run_report *r)
{
    uint32_t of_conditions[4] = { 0 }, of_scenarios[4] = { 0 };
    uint32_t conditions = r->gate ? r->gate->conditions : 0;
    for (uint32_t i = 0; i < conditions; i++) of_conditions[of_condition(&r->gate->condition[i])]++;
    for (uint32_t i = 0; i < r->scenarios; i++) of_scenarios[of_scenario(&r->scenario[i])]++;
    fprintf(
        f,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tabquake\" tests=\"%" PRIu32
        "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32 "\" time=\"%.3f\">\n",
        conditions + r->scenarios, of_conditions[FAILURE] + of_scenarios[FAILURE],
        of_conditions[ERROR] + of_scenarios[ERROR], r->performance.seconds);
    write_suite(f, "conditions", of_conditions);
    for (uint32_t i = 0; i < conditions; i++) write_condition(f, &r->gate->condition[i]);
    fputs("  </testsuite>\n", f);
    write_suite(f, "scenarios", of_scenarios);
    for (uint32_t i = 0; i < r->scenarios; i++) write_scenario(f, r, i);
    fputs("  </testsuite>\n</testsuites>\n", f);
}
