#include "reports/store_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/contract_json.h"
#include "reports/group.h"
#include "reports/store_parts.h"

#define ROWS_MAX 10000000 /* of any table that is read into memory; a run has far fewer */

struct stored_text {
    struct stored_text *next;
    char text[];
};

/* -- columns ------------------------------------------------------------------ */

/* A text that lives as long as the run; NULL for NULL and when memory is short. */
static const char *text_or_null_at(struct loader *l, sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    size_t n = (size_t)sqlite3_column_bytes(s, column);
    if (!text) return NULL;
    struct stored_text *copy = malloc(sizeof *copy + n + 1);
    if (!copy) {
        sql_refuse(&l->q, "no memory to read it");
        return NULL;
    }
    memcpy(copy->text, text, n);
    copy->text[n] = '\0';
    copy->next = l->run->texts;
    l->run->texts = copy;
    return copy->text;
}

/* The same; "" for NULL. */
static const char *text_at(struct loader *l, sqlite3_stmt *s, int column)
{
    const char *text = text_or_null_at(l, s, column);
    return text ? text : "";
}

static void text_into(char *into, size_t size, sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    snprintf(into, size, "%s", text ? (const char *)text : "");
}

uint64_t stored_count_at(struct loader *l, sqlite3_stmt *s, int column, uint64_t max)
{
    int64_t n = sqlite3_column_int64(s, column);
    if (n >= 0 && (uint64_t)n <= max) return (uint64_t)n;
    sql_refuse(&l->q, "damaged: %" PRId64 " in column %s", n, sqlite3_column_name(s, column));
    return 0;
}

uint32_t stored_small_at(struct loader *l, sqlite3_stmt *s, int column, uint32_t max)
{
    return (uint32_t)stored_count_at(l, s, column, max);
}

/* Index of the column's word among n; n after a refusal. */
uint32_t stored_word_at(struct loader *l, sqlite3_stmt *s, int column, const char *const *word,
                        uint32_t n)
{
    const char *found = (const char *)sqlite3_column_text(s, column);
    for (uint32_t i = 0; found && i < n; i++)
        if (strcmp(word[i], found) == 0) return i;
    sql_refuse(&l->q, "holds a %s that this program does not know: %.40s",
               sqlite3_column_name(s, column), found ? found : "nothing");
    return n;
}

/* Zeroed room for the rows of a table; NULL when there are none or on failure. */
static void *room(struct loader *l, const char *count, size_t size, uint32_t *n)
{
    sqlite3_stmt *s = sql_query(&l->q, count);
    *n = sql_row(&l->q, s) ? stored_small_at(l, s, 0, ROWS_MAX) : 0;
    if (s) sqlite3_reset(s);
    if (*n == 0 || l->q.failed) return NULL;
    void *rows = calloc(*n, size);
    if (!rows) sql_refuse(&l->q, "no memory to read it");
    return rows;
}

/* -- tables -------------------------------------------------------------------- */

static bool load_contract(struct loader *l, sqlite3_stmt *s, int column)
{
    char why[CONTRACT_JSON_ERROR_MAX];
    const char *text = (const char *)sqlite3_column_text(s, column);
    json_t *object = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool ok = contract_json_read(&l->run->report.run.contract, object, why);
    json_decref(object);
    return ok || sql_refuse(&l->q, "%s", why);
}

static bool load_run(struct loader *l)
{
    struct run_info *r = &l->run->report.run;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT seed_text, seed, revision, build, suite, plan_digest,"
                         " contract, rounds_asked, block_rounds, shard, shards, jobs,"
                         " started, state, digest, contract_file FROM run");
    char number[24];
    if (!sql_row(&l->q, s)) return sql_refuse(&l->q, "holds no run");
    r->seed_text = text_at(l, s, 0);
    text_into(number, sizeof number, s, 1);
    r->seed = strtoull(number, NULL, 16);
    r->revision = text_at(l, s, 2);
    r->build = text_at(l, s, 3);
    r->suite = text_at(l, s, 4);
    text_into(number, sizeof number, s, 5);
    r->plan_digest = strtoull(number, NULL, 16);
    load_contract(l, s, 6);
    r->rounds_asked = stored_count_at(l, s, 7, INT64_MAX);
    r->block_rounds = stored_small_at(l, s, 8, UINT32_MAX);
    r->shard = stored_small_at(l, s, 9, UINT32_MAX);
    r->shards = stored_small_at(l, s, 10, UINT32_MAX);
    r->jobs = stored_small_at(l, s, 11, UINT32_MAX);
    r->started = text_or_null_at(l, s, 12);
    const char *state = text_at(l, s, 13);
    l->run->finished = strcmp(state, "finished") == 0;
    l->run->report.interrupted = !l->run->finished;
    text_into(number, sizeof number, s, 14);
    l->run->tally.digest = strtoull(number, NULL, 16);
    r->contract_file = text_or_null_at(l, s, 15);
    sqlite3_reset(s);
    return !l->q.failed;
}

/* How the run was called, which replaying a round of it needs; schema 1 had none of it. */
static bool load_call(struct loader *l)
{
    struct run_info *r = &l->run->report.run;
    if (l->q.version < 2) return true;
    sqlite3_stmt *s = sql_query(&l->q, "SELECT program FROM run");
    if (sql_row(&l->q, s)) r->program = text_or_null_at(l, s, 0);
    if (s) sqlite3_reset(s);
    l->run->setting =
        room(l, "SELECT count(*) FROM setting", sizeof *l->run->setting, &r->settings);
    r->setting = l->run->setting;
    s = sql_query(&l->q, "SELECT path, value FROM setting ORDER BY position");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->settings; i++)
        l->run->setting[i] = (struct run_setting){ text_at(l, s, 0), text_at(l, s, 1) };
    return !l->q.failed;
}

static bool load_scenarios(struct loader *l)
{
    struct run_report *r = &l->run->report;
    l->run->scenario =
        room(l, "SELECT count(*) FROM scenario", sizeof *l->run->scenario, &r->scenarios);
    r->scenario = l->run->scenario;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT name, file, share, rounds, broken, unknown FROM scenario"
                         " ORDER BY id");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->scenarios; i++)
        l->run->scenario[i] = (struct scenario_count){
            .name = text_at(l, s, 0),
            .file = text_at(l, s, 1),
            .share = stored_small_at(l, s, 2, UINT32_MAX),
            .rounds = stored_count_at(l, s, 3, INT64_MAX),
            .broken = stored_count_at(l, s, 4, INT64_MAX),
            .unknown = stored_count_at(l, s, 5, INT64_MAX),
        };
    if (r->scenarios > STORE_SCENARIOS_MAX)
        return sql_refuse(&l->q, "damaged: %" PRIu32 " scenarios", r->scenarios);
    return !l->q.failed;
}

static bool load_blocks(struct loader *l)
{
    struct stored_run *r = l->run;
    r->block = room(l, "SELECT count(*) FROM block", sizeof *r->block, &r->blocks);
    sqlite3_stmt *s = sql_query(&l->q, "SELECT first, rounds, digest FROM block ORDER BY first");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->blocks; i++)
        r->block[i] = (struct store_block){
            .first = stored_count_at(l, s, 0, INT64_MAX),
            .rounds = stored_small_at(l, s, 1, UINT32_MAX),
            .digest = (uint64_t)sqlite3_column_int64(s, 2),
        };
    return !l->q.failed;
}

/* The number of a scenario that there is. */
static uint32_t scenario_at(struct loader *l, sqlite3_stmt *s, int column)
{
    uint32_t scenarios = l->run->report.scenarios;
    if (scenarios > 0) return stored_small_at(l, s, column, scenarios - 1);
    sql_refuse(&l->q, "damaged: a round of no scenario");
    return 0;
}

static uint32_t witness_at(struct loader *l, sqlite3_stmt *s, int column)
{
    if (sqlite3_column_type(s, column) == SQLITE_NULL) return OBS_NONE;
    return stored_small_at(l, s, column, OBS_NONE - 1);
}

static void sort_by_invariant(struct failure *f, uint32_t n, struct failure *sorted)
{
    uint32_t at = 0;
    for (int i = 0; i < INV_COUNT; i++)
        for (uint32_t k = 0; k < n; k++)
            if (f[k].invariant == (enum invariant_kind)i) sorted[at++] = f[k];
}

static struct course course_at(struct loader *l, sqlite3_stmt *s, int column)
{
    struct course c = { .strategy = STRATEGY_UNIFORM };
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (!text || !course_read(&c, text))
        sql_refuse(&l->q, "damaged: the course %.40s", text ? text : "of a round is missing");
    return c;
}

static bool load_findings(struct loader *l)
{
    struct run_report *r = &l->run->report;
    static const char *const verdicts[] = { "unknown", "held", "broken" }; /* enum verdict */
    struct failure *found = room(l, "SELECT count(*) FROM finding", sizeof *found, &r->failures);
    sqlite3_stmt *s =
        sql_query(&l->q, l->q.version < 4 ? "SELECT invariant, idx, verdict, scenario, seed,"
                                            " witness_a, witness_b, reason, 'uniform' AS course"
                                            " FROM finding ORDER BY idx"
                                          : "SELECT invariant, idx, verdict, scenario, seed,"
                                            " witness_a, witness_b, reason, course"
                                            " FROM finding ORDER BY idx");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->failures; i++)
        found[i] = (struct failure){
            .invariant = (enum invariant_kind)stored_word_at(l, s, 0, invariant_word, INV_COUNT),
            .index = stored_count_at(l, s, 1, INT64_MAX),
            .finding = { (enum verdict)stored_word_at(l, s, 2, verdicts, 3),
                         { witness_at(l, s, 5), witness_at(l, s, 6) },
                         text_or_null_at(l, s, 7) },
            .scenario = scenario_at(l, s, 3),
            .seed = (uint64_t)sqlite3_column_int64(s, 4),
            .course = course_at(l, s, 8),
        };
    if (found && !l->q.failed) l->run->failure = calloc(r->failures, sizeof *found);
    if (l->run->failure) sort_by_invariant(found, r->failures, l->run->failure);
    bool ok = !found || l->run->failure || sql_refuse(&l->q, "no memory to read it");
    free(found);
    r->failure = l->run->failure;
    return ok && !l->q.failed;
}

static bool load_noted(struct loader *l)
{
    struct run_report *r = &l->run->report;
    static const char *const whys[NOTED_COUNT] = { "broken", "unknown", "slow" };
    l->run->noted = room(l, "SELECT count(*) FROM round", sizeof *l->run->noted, &r->noted_n);
    r->noted = l->run->noted;
#define NOTED_ORDER                                                                                \
    " FROM round ORDER BY why, CASE why WHEN 'slow' THEN -failover_us ELSE 0 END, idx"
    sqlite3_stmt *s =
        sql_query(&l->q, l->q.version < 4
                             ? "SELECT idx, why, scenario, seed, ifnull(failover_us, -1), digest,"
                               " 'uniform' AS course" NOTED_ORDER
                             : "SELECT idx, why, scenario, seed, ifnull(failover_us, -1), digest,"
                               " course" NOTED_ORDER);
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->noted_n; i++)
        l->run->noted[i] = (struct noted_round){
            .index = stored_count_at(l, s, 0, INT64_MAX),
            .why = (enum noted_why)stored_word_at(l, s, 1, whys, NOTED_COUNT),
            .scenario = scenario_at(l, s, 2),
            .seed = (uint64_t)sqlite3_column_int64(s, 3),
            .failover_us = sqlite3_column_int64(s, 4),
            .digest = (uint64_t)sqlite3_column_int64(s, 5),
            .course = course_at(l, s, 6),
        };
    return !l->q.failed;
}

/* -- the judgement ------------------------------------------------------------------ */

static bool load_conditions(struct loader *l)
{
    struct gate_report *g = &l->run->gate;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT name, says, threshold, value, bound95, verdict, judged"
                         " FROM condition ORDER BY position");
    while (sql_row(&l->q, s)) {
        if (g->conditions == CONDITIONS_MAX)
            return sql_refuse(&l->q, "damaged: too many conditions");
        struct condition *c = &g->condition[g->conditions++];
        text_into(c->name, sizeof c->name, s, 0);
        text_into(c->says, sizeof c->says, s, 1);
        text_into(c->threshold, sizeof c->threshold, s, 2);
        text_into(c->value, sizeof c->value, s, 3);
        text_into(c->bound95, sizeof c->bound95, s, 4);
        c->verdict = (enum gate_verdict)stored_word_at(l, s, 5, gate_verdict_word, 3);
        c->judged = sqlite3_column_int(s, 6) != 0;
    }
    s = sql_query(&l->q, "SELECT verdict, short FROM run WHERE verdict IS NOT NULL");
    if (sql_row(&l->q, s)) {
        g->verdict = (enum gate_verdict)stored_word_at(l, s, 0, gate_verdict_word, 3);
        g->is_short = sqlite3_column_int(s, 1) != 0;
        l->run->report.gate = g;
        sqlite3_reset(s);
    }
    return !l->q.failed;
}

/* The names in a list with spaces as a bit set. */
static uint64_t also_of(const char *names)
{
    uint64_t also = 0;
    for (int i = 0; names && i < INV_COUNT; i++) {
        size_t n = strlen(invariant_word[i]);
        for (const char *p = names; (p = strstr(p, invariant_word[i])) != NULL; p += n)
            if ((p == names || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
                also |= UINT64_C(1) << i;
    }
    return also;
}

static bool load_mutants(struct loader *l)
{
    struct run_report *r = &l->run->report;
    l->run->mutant = room(l, "SELECT count(*) FROM mutant", sizeof *l->run->mutant, &r->mutants);
    r->mutant = l->run->mutant;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT name, invariant, caught, rounds, budget, also FROM mutant"
                         " ORDER BY position");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->mutants; i++)
        l->run->mutant[i] = (struct mutant_outcome){
            .name = text_at(l, s, 0),
            .expected = (enum invariant_kind)stored_word_at(l, s, 1, invariant_word, INV_COUNT),
            .caught = sqlite3_column_int(s, 2) != 0,
            .rounds = stored_count_at(l, s, 3, INT64_MAX),
            .budget = stored_count_at(l, s, 4, INT64_MAX),
            .also = also_of((const char *)sqlite3_column_text(s, 5)),
        };
    return !l->q.failed;
}

/* The failure in the list that the group names by its round. */
static uint32_t example_of(struct loader *l, enum invariant_kind k, uint64_t round)
{
    const struct run_report *r = &l->run->report;
    for (uint32_t i = 0; i < r->failures; i++)
        if (r->failure[i].invariant == k && r->failure[i].index == round) return i;
    sql_refuse(&l->q, "holds a group of failures without its first");
    return 0;
}

static bool load_groups(struct loader *l)
{
    struct run_report *r = &l->run->report;
    if (l->q.version < 3) return true;
    l->run->group =
        room(l, "SELECT count(*) FROM failure_group", sizeof *l->run->group, &r->groups);
    r->group = l->run->group;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT invariant AS grouped, faults, reduced, failures, idx, tabs,"
                         " operations, calm, script FROM failure_group ORDER BY position");
    for (uint32_t i = 0; sql_row(&l->q, s) && i < r->groups; i++) {
        struct failure_group *g = &l->run->group[i];
        *g = (struct failure_group){
            .invariant = (enum invariant_kind)stored_word_at(l, s, 0, invariant_word, INV_COUNT),
            .reduced = sqlite3_column_int(s, 2) != 0,
            .failures = (uint32_t)stored_count_at(l, s, 3, UINT32_MAX),
            .tabs = (uint32_t)stored_count_at(l, s, 5, UINT32_MAX),
            .operations = (uint32_t)stored_count_at(l, s, 6, UINT32_MAX),
            .calm = sqlite3_column_int(s, 7) != 0,
            .script = text_at(l, s, 8),
        };
        g->example = example_of(l, g->invariant, stored_count_at(l, s, 4, INT64_MAX));
        if (!group_read_faults(text_at(l, s, 1), &g->faults))
            sql_refuse(&l->q, "holds an unknown fault in a group of failures");
    }
    return !l->q.failed;
}

static bool load_proofs(struct loader *l)
{
    static const char *const name[] = { "replayed",     "replayed_differently", "golden",
                                        "golden_again", "canary_run",           "canary_red" };
    enum { PROOFS = sizeof name / sizeof name[0] };
    uint64_t value[PROOFS] = { 0 };
    if (l->q.version < 5) return true;
    sqlite3_stmt *s = sql_query(&l->q, "SELECT name AS proof, value FROM proof");
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, name, PROOFS);
        if (i < PROOFS) value[i] = stored_count_at(l, s, 1, i < 2 ? INT64_MAX : UINT32_MAX);
        l->run->report.proofs = &l->run->proofs;
    }
    if (value[1] > value[0] || value[3] > value[2])
        return sql_refuse(&l->q, "damaged: more went wrong than was tried");
    l->run->proofs = (struct gate_proofs){ .replayed = value[0],
                                           .replayed_differently = value[1],
                                           .golden = (uint32_t)value[2],
                                           .golden_again = (uint32_t)value[3],
                                           .canary_run = value[4] != 0,
                                           .canary_red = value[5] != 0 };
    return !l->q.failed;
}

static bool load_performance(struct loader *l)
{
    struct performance *p = &l->run->report.performance;
    sqlite3_stmt *s = sql_query(&l->q, "SELECT name AS performance, value FROM performance");
    static const char *const name[] = { "seconds", "rounds_per_s", "events_per_s", "speedup" };
    double *const into[] = { &p->seconds, &p->rounds_per_s, &p->events_per_s, &p->speedup };
    p->jobs = l->run->report.run.jobs;
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, name, 4);
        if (i < 4) *into[i] = sqlite3_column_double(s, 1);
    }
    return !l->q.failed;
}

/* -- all of it ------------------------------------------------------------------------ */

/* Read-write where it can be, so that what a killed run left half-done is undone. */
static bool open_results(struct loader *l, const char *path, FILE *err)
{
    if (!sql_open(&l->q, path, SQLITE_OPEN_READWRITE, err)) return false;
    enum sql_identity is = sql_identify(&l->q);
    if (is == SQL_IS_EMPTY) return sql_refuse(&l->q, "empty; it holds no results");
    l->run->version = l->q.version;
    return is == SQL_IS_OURS;
}

struct stored_run *store_load(const char *path, FILE *err)
{
    struct loader l = { .run = calloc(1, sizeof *l.run) };
    if (!l.run) {
        fprintf(err, "%s: no memory to read it\n", path);
        return NULL;
    }
    l.run->report.tally = &l.run->tally;
    /* one transaction: a run that goes on meanwhile is seen at one moment */
    bool ok = open_results(&l, path, err) && sql_script(&l.q, "BEGIN;") && load_run(&l) &&
              load_call(&l) && load_scenarios(&l) && load_blocks(&l) && load_findings(&l) &&
              load_noted(&l) && stored_load_sums(&l) && load_conditions(&l) && load_mutants(&l) &&
              load_groups(&l) && load_proofs(&l) && load_performance(&l);
    sql_close(&l.q);
    if (ok) return l.run;
    stored_free(l.run);
    return NULL;
}

void stored_free(struct stored_run *r)
{
    if (!r) return;
    while (r->texts) {
        struct stored_text *next = r->texts->next;
        free(r->texts);
        r->texts = next;
    }
    free(r->block);
    free(r->scenario);
    free(r->mutant);
    free(r->failure);
    free(r->group);
    free(r->noted);
    free(r->setting);
    free(r);
}

struct store_batch stored_batch(const struct stored_run *r)
{
    return (struct store_batch){
        .delta = &r->tally,
        .block = r->block,
        .blocks = r->blocks,
        .scenario = r->scenario,
        .scenarios = r->report.scenarios,
        .failure = r->failure,
        .failures = r->report.failures,
        .noted = r->noted,
        .noted_n = r->report.noted_n,
    };
}

bool stored_same_run(const struct stored_run *a, const struct stored_run *b, const char *path,
                     FILE *err)
{
    const struct run_info *x = &a->report.run, *y = &b->report.run;
    const char *what = NULL;
    if (x->seed != y->seed) what = "seed";
    if (strcmp(x->revision, y->revision) != 0) what = "revision of the program";
    if (strcmp(x->suite, y->suite) != 0 || x->plan_digest != y->plan_digest) what = "suite";
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): both were zeroed whole */
    if (memcmp(&x->contract, &y->contract, sizeof x->contract) != 0) what = "contract";
    if (x->rounds_asked != y->rounds_asked) what = "number of rounds";
    if (x->block_rounds != y->block_rounds) what = "block size";
    if (x->shards != y->shards) what = "number of shards";
    if (a->report.scenarios != b->report.scenarios) what = "suite";
    if (what)
        fprintf(err, "%s: a run with another %s than the first; they cannot be one\n", path, what);
    return !what;
}
