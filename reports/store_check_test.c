/* Results that lost or changed rows are refused: each table alone, of a run that is whole. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reports/sample_report.h"
#include "reports/store_read.h"

Suite *store_check_suite(void);

static struct store_block block[2] = { { 0, 5, 1000 }, { 1000, 7, 1000 } };

/* A whole run: three rounds broke, each failover has its cause, successor and device. */
static struct stored_run *whole(void)
{
    struct sample *s = sample_report();
    struct stored_run *r = calloc(1, sizeof *r);
    ck_assert(r != NULL);
    r->report = s->report;
    r->tally = s->tally;
    r->gate = s->gate;
    r->report.tally = &r->tally;
    r->report.gate = &r->gate;
    r->report.proofs = &r->proofs;
    r->version = 5;
    r->block = block;
    r->blocks = 2;
    struct tally *t = &r->tally;
    t->digest = 12;
    t->raw = t->failover;
    for (int k = 0; k < INV_COUNT; k++) t->held[k] = t->rounds - t->broken[k];
    t->planned[FAULT_DISCARD] = 40;
    t->effective_rounds[FAULT_DISCARD] = 20;
    t->holds = 1;
    hist_add(&t->hold, 5);
    return r;
}

static bool accepted(const struct stored_run *r, const char *says)
{
    char *text = NULL;
    size_t n;
    FILE *err = open_memstream(&text, &n);
    ck_assert(err != NULL);
    bool ok = stored_is_whole(r, "x.sqlite", err);
    fclose(err);
    if (ok)
        ck_assert_str_eq(text, "");
    else
        ck_assert_msg(says && strncmp(text, "x.sqlite: damaged: ", 19) == 0 && strstr(text, says),
                      "%s", text);
    free(text);
    return ok;
}

START_TEST(a_whole_run_is_accepted)
{
    struct stored_run *r = whole();
    ck_assert(accepted(r, NULL));
    r->report.gate = NULL; /* not judged */
    r->report.proofs = NULL;
    ck_assert(accepted(r, NULL));
}
END_TEST

static void lose_blocks(struct stored_run *r)
{
    r->blocks = 1;
}
static void change_digest(struct stored_run *r)
{
    r->tally.digest++;
}
static void lose_scenarios(struct stored_run *r)
{
    r->report.scenarios = 1;
}
static void lose_limits(struct stored_run *r)
{
    r->tally.unknown_rounds = 0;
}
static void lose_counters(struct stored_run *r)
{
    r->tally.rounds = 0;
}
static void lose_findings(struct stored_run *r)
{
    r->report.failures = 0;
}
static void lose_noted(struct stored_run *r)
{
    r->report.noted_n = 0;
}
static void lose_states(struct stored_run *r)
{
    memset(r->tally.first, 0, sizeof r->tally.first);
}
static void lose_raw(struct stored_run *r)
{
    r->tally.raw.n = 0;
}
static void lose_causes(struct stored_run *r)
{
    r->tally.by_cause[GAP_CRASHED].n--;
}
static void lose_successors(struct stored_run *r)
{
    r->tally.by_visibility[1].n--;
}
static void lose_devices(struct stored_run *r)
{
    r->tally.by_device[0].n--;
}
static void lose_holds(struct stored_run *r)
{
    r->tally.hold.n = 0;
}
static void lose_cells(struct stored_run *r)
{
    memset(r->tally.cell, 0, sizeof r->tally.cell);
}
static void lose_conditions(struct stored_run *r)
{
    r->gate.conditions = 0;
}
static void change_verdict(struct stored_run *r)
{
    r->gate.verdict = GATE_PASS;
}
static void lose_an_invariant(struct stored_run *r)
{
    r->tally.held[INV_LOCK_MODEL]--;
}
static void change_strategies(struct stored_run *r)
{
    r->tally.strategy_rounds[STRATEGY_UNIFORM]++;
}
static void lose_faults(struct stored_run *r)
{
    memset(r->tally.planned, 0, sizeof r->tally.planned);
    memset(r->tally.effective_rounds, 0, sizeof r->tally.effective_rounds);
}
static void lose_invariants(struct stored_run *r)
{
    memset(r->tally.held, 0, sizeof r->tally.held);
    memset(r->tally.broken, 0, sizeof r->tally.broken);
}
static void lose_mutants(struct stored_run *r)
{
    snprintf(r->gate.condition[0].name, sizeof r->gate.condition[0].name, "mutants");
    r->report.mutants = 0;
}
static void lose_proofs(struct stored_run *r)
{
    snprintf(r->gate.condition[0].name, sizeof r->gate.condition[0].name, "determinism");
    r->report.proofs = NULL;
}
static void lose_failovers(struct stored_run *r)
{
    struct tally *t = &r->tally;
    t->failover.n = t->raw.n = t->by_cause[GAP_CRASHED].n = 0;
    t->by_visibility[1].n = t->by_device[0].n = t->open_gaps = 0;
    t->transitions = 3;
}
static void uniform_of_more(struct stored_run *r)
{
    r->tally.uniform_held[INV_LOCK_MODEL] = r->tally.rounds + 1;
}

static const struct {
    void (*harm)(struct stored_run *r);
    const char *says;
} harm[] = {
    { lose_blocks, "rounds in blocks are 1000, not 2000" },
    { change_digest, "another digest" },
    { lose_scenarios, "rounds of scenarios" },
    { lose_limits, "a limit cut short" },
    { lose_counters, "rounds in blocks" },
    { lose_invariants, "no invariant has a verdict" },
    { lose_an_invariant, "lock-model are 1999, not 2000" },
    { uniform_of_more, "more uniform rounds than rounds of lock-model" },
    { lose_findings, "0 of 2 failures of no-stale-commit are there" },
    { lose_noted, "none is there" },
    { change_strategies, "rounds of strategies" },
    { lose_states, "no abstract state" },
    { lose_raw, "failovers by raw time" },
    { lose_causes, "failovers by cause" },
    { lose_successors, "failovers by successor" },
    { lose_devices, "failovers by device" },
    { lose_failovers, "transitions without a failover" },
    { lose_holds, "holds in the histogram" },
    { lose_cells, "discard took effect in no phase" },
    { lose_faults, "none was planned" },
    { lose_conditions, "a verdict without conditions" },
    { change_verdict, "not that of its conditions" },
    { lose_mutants, "mutants were judged" },
    { lose_proofs, "no proof is there" },
};
enum { HARMS = sizeof harm / sizeof harm[0] };

START_TEST(a_run_that_lost_something_is_refused)
{
    struct stored_run *r = whole();
    harm[_i].harm(r);
    ck_assert_msg(!accepted(r, harm[_i].says), "accepted without: %s", harm[_i].says);
}
END_TEST

START_TEST(results_of_schema_3_have_no_states)
{
    struct stored_run *r = whole();
    lose_states(r);
    r->version = 3;
    ck_assert(accepted(r, NULL));
}
END_TEST

Suite *store_check_suite(void)
{
    Suite *s = suite_create("store_check");
    TCase *t = tcase_create("store_check");
    tcase_add_test(t, a_whole_run_is_accepted);
    tcase_add_loop_test(t, a_run_that_lost_something_is_refused, 0, HARMS);
    tcase_add_test(t, results_of_schema_3_have_no_states);
    suite_add_tcase(s, t);
    return s;
}
