/* A run with one of everything, for the tests of the reports: a condition of each
 * verdict, a red and a green and an empty scenario, an escaped mutant, and names that
 * try to break out of whatever format they are written in. */
#ifndef REPORTS_SAMPLE_REPORT_H
#define REPORTS_SAMPLE_REPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/run_report.h"
#include "sim/base/fault.h"

#define SAMPLE_NASTY "a<b>&\"c\" | `d` 'e'\n\x01\xFF"

struct sample {
    struct run_report report;
    struct tally tally;
    struct gate_report gate;
    struct scenario_count scenario[3];
    struct mutant_outcome mutant[2];
    struct failure failure[4];
    struct failure_group group[2];
    struct noted_round noted;
};

static inline void sample_tally(struct tally *t)
{
    *t = (struct tally){ .rounds = 2000,
                         .unknown_rounds = 1,
                         .events = 5000000,
                         .digest = UINT64_C(0xFEDC000000000001),
                         .open_gaps = 2,
                         .samples_sq = 5000,
                         .over_threshold = 3,
                         .over_threshold_sq = 5,
                         .strategy_rounds = { 1600, 100, 300 },
                         .pct_links = 400 * 20,
                         .pct_steps = 400 * 50 };
    for (uint32_t i = 0; i < 90; i++) t->first[i * 7] = 1 + i * i / 5;
    for (int64_t i = 0; i < 5000; i++) {
        hist_add(&t->failover, 1000 + i * 300);
        hist_add(&t->by_cause[GAP_CRASHED], 1000 + i * 300);
        hist_add(&t->by_visibility[1], 1000 + i * 300);
        hist_add(&t->by_device[0], 1000 + i * 300);
    }
    t->broken[INV_NO_STALE_COMMIT] = 2;
    t->broken[INV_PROGRESS] = 1;
    t->held[INV_LOCK_MODEL] = 2000;
    t->cell[FAULT_DISCARD][PHASE_COMMIT] = 31;
}

static inline void sample_gate(struct gate_report *g)
{
    static const enum gate_verdict verdict[] = { GATE_PASS, GATE_FAIL, GATE_UNKNOWN, GATE_FAIL };
    g->verdict = GATE_FAIL;
    g->is_short = true;
    g->conditions = 4;
    for (uint32_t i = 0; i < 4; i++) {
        struct condition *c = &g->condition[i];
        snprintf(c->name, sizeof c->name, "condition-%u", i);
        snprintf(c->says, sizeof c->says, i == 1 ? SAMPLE_NASTY : "says %u", i);
        snprintf(c->threshold, sizeof c->threshold, "< 2 s");
        snprintf(c->value, sizeof c->value, i == 2 ? "" : "1.482 s");
        snprintf(c->bound95, sizeof c->bound95, i == 0 ? "1.471..1.493 s" : "");
        c->verdict = verdict[i];
        c->judged = i < 3;
    }
}

/* Free with free(). */
static inline struct sample *sample_report(void)
{
    struct sample *s = calloc(1, sizeof *s);
    if (!s) abort();
    sample_tally(&s->tally);
    sample_gate(&s->gate);
    s->scenario[0] = (struct scenario_count){ "green", "scenarios/green.yaml", 2, 1000, 0, 1 };
    s->scenario[1] = (struct scenario_count){ SAMPLE_NASTY, "a b/it's.yaml", 1, 1000, 3, 0 };
    s->scenario[2] = (struct scenario_count){ "empty", "scenarios/empty.yaml", 1, 0, 0, 0 };
    s->mutant[0] = (struct mutant_outcome){ "fail-open", INV_NO_FAIL_OPEN,
                                            true,        12,
                                            1000,        UINT64_C(1) << INV_STAGE_RESPECTED };
    s->mutant[1] = (struct mutant_outcome){ "canary", INV_PROGRESS, false, 1000, 1000, 0 };
    s->failure[0] = (struct failure){
        7, 0xABC, 1, INV_NO_STALE_COMMIT, { VERDICT_BROKEN, { 118, 131 }, SAMPLE_NASTY },
        { .strategy = STRATEGY_UNIFORM }
    };
    s->failure[1] = (struct failure){
        9, 0xABD, 1, INV_NO_STALE_COMMIT, { VERDICT_BROKEN, { 5, OBS_NONE }, NULL },
        { .strategy = STRATEGY_UNIFORM }
    };
    s->failure[2] = (struct failure){
        11, 0xABE, 0, INV_NO_STALE_COMMIT, { VERDICT_UNKNOWN, { OBS_NONE, OBS_NONE }, "cut short" },
        { .strategy = STRATEGY_UNIFORM }
    };
    s->failure[3] = (struct failure){
        9, 0xABD, 1, INV_PROGRESS, { VERDICT_BROKEN, { OBS_NONE, OBS_NONE }, "nobody leads" },
        { .strategy = STRATEGY_UNIFORM }
    };
    s->group[0] = (struct failure_group){ INV_NO_STALE_COMMIT,
                                          UINT64_C(1) << FAULT_FREEZE_ABRUPT |
                                              UINT64_C(1) << FAULT_RELOAD,
                                          true, 2, 0, 2, 1, false, "name: \"a\"\n" };
    s->group[1] = (struct failure_group){ INV_PROGRESS, 0, true, 1, 3, 1, 0, true, "name: b\n" };
    s->noted = (struct noted_round){ 9, 0xABD, 77, 1, NOTED_BROKEN, 2500000,
                                      { .strategy = STRATEGY_UNIFORM } };
    s->report = (struct run_report){
        .run = { .seed_text = "c0ffee",
                 .seed = 0xC0FFEE,
                 .revision = "abc",
                 .build = "gcc -O2",
                 .suite = "scenarios/release_gate.yaml",
                 .contract_file = "mine.yaml",
                 .plan_digest = 3,
                 .rounds_asked = 2000,
                 .block_rounds = 1000,
                 .shard = 1,
                 .shards = 1,
                 .jobs = 2 },
        .tally = &s->tally,
        .gate = &s->gate,
        .mutant = s->mutant,
        .mutants = 2,
        .scenario = s->scenario,
        .scenarios = 3,
        .failure = s->failure,
        .failures = 4,
        .group = s->group,
        .groups = 2,
        .noted = &s->noted,
        .noted_n = 1,
        .performance = { 2.5, 800, 2e6, 30000, 2 },
    };
    snprintf(s->report.run.contract.lock_name, CONTRACT_TEXT_MAX, "app:\"leader\"");
    s->report.run.contract.slo.rounds = 100000;
    return s;
}

/* What `write` writes; free with free(). */
static inline char *sample_text(void (*write)(FILE *f, const struct run_report *r),
                                const struct run_report *r)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f) abort();
    write(f, r);
    fclose(f);
    return text;
}

#endif
