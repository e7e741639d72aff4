/* The printed table lines up; a failure can be pasted into a shell. */
#include <check.h>

#include "reports/sample_report.h"
#include "reports/table.h"

Suite *table_suite(void);

static void plain(FILE *f, const struct run_report *r)
{
    table_conditions(f, r, false);
}
static void coloured(FILE *f, const struct run_report *r)
{
    table_conditions(f, r, true);
}
static void two_each(FILE *f, const struct run_report *r)
{
    table_failures(f, r, 2);
}
static void one_each(FILE *f, const struct run_report *r)
{
    table_failures(f, r, 1);
}

START_TEST(columns_line_up)
{
    struct sample *s = sample_report();
    snprintf(s->gate.condition[1].name, CONDITION_TEXT_MAX, "l\xC3\xA4nge");
    snprintf(s->gate.condition[2].value, CONDITION_TEXT_MAX, "long enough to move its own line");
    char *text = sample_text(plain, &s->report);
    ck_assert_str_eq(text, "verdict  condition    value    threshold  95% bound\n"
                           "pass     condition-0  1.482 s  < 2 s      1.471..1.493 s\n"
                           "FAIL     l\xC3\xA4nge        1.482 s  < 2 s      -\n"
                           "UNKNOWN  condition-2  long enough to move its own line < 2 s      -\n"
                           "(shown)  condition-3  1.482 s  < 2 s      -\n");
    free(text);
    free(s);
}
END_TEST

START_TEST(colours_are_for_terminals_only)
{
    struct sample *s = sample_report();
    char *text = sample_text(plain, &s->report);
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    text = sample_text(coloured, &s->report);
    ck_assert_ptr_nonnull(strstr(text, "\033[1;31mFAIL     \033[0mcondition-1"));
    free(text);
    free(s);
}
END_TEST

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) n++;
    return n;
}

START_TEST(of_each_invariant_the_first_failures_are_shown)
{
    struct sample *s = sample_report();
    char *text = sample_text(two_each, &s->report);
    ck_assert_uint_eq(count(text, "BROKEN no-stale-commit"), 2);
    ck_assert_uint_eq(count(text, "BROKEN progress"), 1);
    ck_assert_ptr_nonnull(strstr(text, " (#118 and #131)\n"));
    ck_assert_ptr_nonnull(strstr(text, " (#5)\n"));
    ck_assert_ptr_nonnull(strstr(text, "nobody leads\n  build/tabquake replay "));
    free(text);
    text = sample_text(one_each, &s->report);
    ck_assert_uint_eq(count(text, "BROKEN no-stale-commit"), 1);
    free(text);
    free(s);
}
END_TEST

START_TEST(a_line_to_paste_is_quoted_for_the_shell)
{
    struct sample *s = sample_report();
    char line[TABLE_REPLAY_MAX];
    ck_assert_str_eq(table_replay(line, &s->report, &s->failure[0]),
                     "build/tabquake replay 'a b/it'\\''s.yaml' --seed 0x0000000000000abc "
                     "--contract mine.yaml");
    s->report.run.contract_file = NULL;
    ck_assert_str_eq(table_replay(line, &s->report, &s->failure[2]),
                     "build/tabquake replay scenarios/green.yaml --seed 0x0000000000000abe");
    s->failure[2].course =
        (struct course){ .strategy = STRATEGY_MUTATION, .fork = { .before = 5, .seed = 0xA } };
    ck_assert_str_eq(table_replay(line, &s->report, &s->failure[2]),
                     "build/tabquake replay scenarios/green.yaml --seed 0x0000000000000abe "
                     "--course mutation:5/0xa");
    free(s);
}
END_TEST

START_TEST(the_verdict_says_when_the_gate_was_short)
{
    struct sample *s = sample_report();
    char verdict[TABLE_VERDICT_MAX];
    ck_assert_str_eq(table_verdict(verdict, &s->report),
                     "GATE FAIL (short: 2000 of 100000 rounds)");
    s->gate.is_short = false;
    s->gate.verdict = GATE_PASS;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "GATE PASS");
    s->gate.is_short = true;
    s->tally.rounds = 70; /* an interrupt does not change what was asked for */
    ck_assert_str_eq(table_verdict(verdict, &s->report),
                     "GATE PASS (short: 2000 of 100000 rounds)");
    free(s);
}
END_TEST

START_TEST(without_a_gate_the_invariants_are_the_verdict)
{
    struct sample *s = sample_report();
    char verdict[TABLE_VERDICT_MAX];
    s->report.gate = NULL;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "RUN FAIL");
    memset(s->tally.broken, 0, sizeof s->tally.broken);
    ck_assert_str_eq(table_verdict(verdict, &s->report), "RUN UNKNOWN (a limit cut rounds short)");
    s->tally.unknown_rounds = 0;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "RUN UNKNOWN (nobody ever led)");
    s->tally.effects = 1;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "RUN PASS");
    s->report.interrupted = true;
    ck_assert_str_eq(table_verdict(verdict, &s->report), "RUN UNKNOWN (interrupted)");
    s->report.gate = &s->gate;
    ck_assert_str_eq(table_verdict(verdict, &s->report),
                     "GATE FAIL (interrupted: 2000 of 2000 rounds)");
    free(s);
}
END_TEST

START_TEST(a_line_to_paste_carries_every_setting_and_the_program_as_called)
{
    static const struct run_setting set[] = { { "slo.rounds", "8" }, { "network", "{lan: 1}" } };
    struct sample *s = sample_report();
    char line[TABLE_REPLAY_MAX], huge[TABLE_REPLAY_MAX];
    s->report.run.program = "../my build/tabquake";
    s->report.run.setting = set, s->report.run.settings = 2;
    ck_assert_str_eq(table_replay_of(line, &s->report.run, "-x.yaml", 1),
                     "'../my build/tabquake' replay ./-x.yaml --seed 0x0000000000000001 "
                     "--contract mine.yaml --set slo.rounds=8 --set 'network={lan: 1}'");
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    s->report.run.contract_file = huge;
    ck_assert_ptr_nonnull(strstr(table_replay(line, &s->report, &s->failure[2]), "16 KiB"));
    free(s);
}
END_TEST

START_TEST(what_is_not_listed_is_counted)
{
    struct sample *s = sample_report();
    char *text = sample_text(one_each, &s->report);
    ck_assert_uint_eq(count(text, "  (1 more)\n"), 1);
    free(text);
    text = sample_text(two_each, &s->report);
    ck_assert_uint_eq(count(text, " more)"), 0);
    free(text);
    free(s);
}
END_TEST

Suite *table_suite(void)
{
    Suite *s = suite_create("table");
    TCase *t = tcase_create("table");
    tcase_add_test(t, columns_line_up);
    tcase_add_test(t, colours_are_for_terminals_only);
    tcase_add_test(t, of_each_invariant_the_first_failures_are_shown);
    tcase_add_test(t, a_line_to_paste_is_quoted_for_the_shell);
    tcase_add_test(t, the_verdict_says_when_the_gate_was_short);
    tcase_add_test(t, without_a_gate_the_invariants_are_the_verdict);
    tcase_add_test(t, a_line_to_paste_carries_every_setting_and_the_program_as_called);
    tcase_add_test(t, what_is_not_listed_is_counted);
    suite_add_tcase(s, t);
    return s;
}
