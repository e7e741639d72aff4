#include "reports/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reports/contract_json.h"
#include "reports/group.h"
#include "reports/schema.h"
#include "reports/sql.h"
#include "reports/tally_names.h"
#include "sim/base/must.h"

struct store {
    struct sql q;
    char *path;
    struct tally pending; /* added since the last flush */
    uint64_t digest;      /* of everything added, flushed or not */
    uint32_t scenarios;
    bool has_pending;
    time_t flushed; /* monotonic seconds */
};

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static const char *hex(uint64_t n, char out[20])
{
    snprintf(out, 20, "0x%016" PRIx64, n);
    return out;
}

/* Owned by the caller; NULL when memory is short. */
static char *contract_text(const struct contract *c)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f) return NULL;
    contract_json_write(f, c);
    fclose(f);
    return text;
}

/* Rows wait in memory for the next flush: a transaction that stayed open meanwhile
 * would keep a journal beside the file. */
static const char pending_tables[] =
    "CREATE TEMP TABLE new_block (first INTEGER PRIMARY KEY, rounds, digest);"
    "CREATE TEMP TABLE new_finding AS SELECT * FROM finding WHERE false;"
    "CREATE TEMP TABLE new_round AS SELECT * FROM round WHERE false;"
    "CREATE TEMP TABLE new_scenario (id INTEGER PRIMARY KEY, rounds, broken, unknown);";

static const char forget_judgement[] = "DELETE FROM condition; DELETE FROM mutant;"
                                       "DELETE FROM performance; DELETE FROM failure_group;"
                                       "DELETE FROM proof;";

/* -- opening ----------------------------------------------------------------- */

static bool write_run(struct store *s, const struct run_info *r)
{
    char seed[20], plan[20], *contract = contract_text(&r->contract);
    bool ok = sql_run(
        &s->q,
        "INSERT INTO run (id, seed_text, seed, revision, build, suite, plan_digest,"
        " contract, contract_file, rounds_asked, block_rounds, shard, shards, jobs, started,"
        " program, state, digest)"
        " VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'running','0x0000000000000000')",
        "ttttttttiiiiitt", r->seed_text, hex(r->seed, seed), r->revision, r->build, r->suite,
        hex(r->plan_digest, plan), contract, r->contract_file, (int64_t)r->rounds_asked,
        (int64_t)r->block_rounds, (int64_t)r->shard, (int64_t)r->shards, (int64_t)r->jobs,
        r->started, r->program);
    free(contract);
    for (uint32_t i = 0; ok && i < r->settings; i++)
        ok = sql_run(&s->q, "INSERT INTO setting VALUES (?, ?, ?)", "itt", (int64_t)i,
                     r->setting[i].path, r->setting[i].value);
    return ok;
}

static bool create(struct store *s, const struct run_info *r, const struct scenario_count *scenario)
{
    char identity[96];
    snprintf(identity, sizeof identity, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             SCHEMA_APPLICATION, SCHEMA_VERSION);
    bool ok = sql_script(&s->q, "BEGIN IMMEDIATE;") && sql_script(&s->q, identity) &&
              sql_script(&s->q, SCHEMA_RUN SCHEMA_ROUNDS) &&
              sql_script(&s->q, SCHEMA_SUMS SCHEMA_JUDGEMENT) && write_run(s, r);
    for (uint32_t i = 0; ok && i < s->scenarios; i++)
        ok = sql_run(&s->q, "INSERT INTO scenario VALUES (?, ?, ?, ?, 0, 0, 0)", "itti", (int64_t)i,
                     scenario[i].name, scenario[i].file, (int64_t)scenario[i].share);
    return ok && sql_script(&s->q, "COMMIT;");
}

/* One parameter of the run in the file against this run's. */
static bool same(struct store *s, const char *what, const unsigned char *stored, const char *asked)
{
    const char *found = stored ? (const char *)stored : "nothing";
    if (asked && strcmp(found, asked) == 0) return true;
    if (strlen(found) > 60 || !asked || strlen(asked) > 60)
        return sql_refuse(&s->q, "holds a run with another %s; it is not continued", what);
    return sql_refuse(&s->q, "holds a run with %s %s, not %s; it is not continued", what, found,
                      asked);
}

static bool same_number(struct store *s, const char *what, const unsigned char *stored,
                        uint64_t asked)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, asked);
    return same(s, what, stored, text);
}

static bool same_run(struct store *s, const struct run_info *r)
{
    char seed[20], plan[20], *contract = contract_text(&r->contract);
    sqlite3_stmt *q =
        sql_query(&s->q, "SELECT seed, revision, contract, suite, plan_digest, rounds_asked,"
                         " block_rounds, shard, shards, digest FROM run");
    if (!sql_row(&s->q, q)) {
        free(contract);
        return sql_refuse(&s->q, "holds no run");
    }
#define COLUMN(i) sqlite3_column_text(q, i)
    bool ok = same(s, "seed", COLUMN(0), hex(r->seed, seed)) &&
              same(s, "revision", COLUMN(1), r->revision) &&
              same(s, "contract", COLUMN(2), contract) && same(s, "suite", COLUMN(3), r->suite) &&
              same(s, "content of the suite, digest", COLUMN(4), hex(r->plan_digest, plan)) &&
              same_number(s, "rounds", COLUMN(5), r->rounds_asked) &&
              same_number(s, "block size", COLUMN(6), r->block_rounds) &&
              same_number(s, "shard", COLUMN(7), r->shard) &&
              same_number(s, "number of shards", COLUMN(8), r->shards);
    if (ok) s->digest = strtoull((const char *)COLUMN(9), NULL, 16);
#undef COLUMN
    sqlite3_reset(q);
    free(contract);
    return ok;
}

static bool go_on(struct store *s, const struct run_info *r)
{
    if (s->q.version < SCHEMA_VERSION)
        return sql_refuse(&s->q,
                          "written by an older version (schema %d; this program writes %d);"
                          " it is not continued",
                          s->q.version, SCHEMA_VERSION);
    return same_run(s, r) &&
           sql_run(&s->q,
                   "UPDATE run SET state = 'running', jobs = ?, program = ?, verdict = NULL,"
                   " short = NULL",
                   "it", (int64_t)r->jobs, r->program) &&
           sql_script(&s->q, forget_judgement);
}

/* Older results make room; true when there is nothing in the way. */
static bool make_room(struct store *s)
{
    if (access(s->path, F_OK) != 0) return true;
    if (!sql_open(&s->q, s->path, SQLITE_OPEN_READWRITE, s->q.err)) return false;
    enum sql_identity is = sql_identify(&s->q);
    sql_close(&s->q);
    if (is == SQL_IS_REFUSED) return false;
    return unlink(s->path) == 0 || sql_refuse(&s->q, "cannot be replaced: %s", strerror(errno));
}

static bool open_file(struct store *s, enum store_mode mode, const struct run_info *run,
                      const struct scenario_count *scenario)
{
    if (mode == STORE_CREATE && !make_room(s)) return false;
    if (!sql_open(&s->q, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, s->q.err))
        return false;
    enum sql_identity is = sql_identify(&s->q);
    if (is == SQL_IS_REFUSED) return false;
    /* the file is touched by commits only */
    if (!sql_script(&s->q, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;"
                           "PRAGMA cache_spill = OFF; PRAGMA foreign_keys = ON;"
                           "PRAGMA temp_store = MEMORY;"))
        return false;
    return (is == SQL_IS_OURS ? go_on(s, run) : create(s, run, scenario)) &&
           sql_script(&s->q, pending_tables);
}

struct store *store_open(const char *path, enum store_mode mode, const struct run_info *run,
                         const struct scenario_count *scenario, uint32_t scenarios, FILE *err)
{
    must(scenarios <= STORE_SCENARIOS_MAX);
    struct store *s = calloc(1, sizeof *s);
    char *copy = strdup(path);
    if (!s || !copy) {
        fprintf(err, "%s: no memory for the results\n", path);
        free(s);
        free(copy);
        return NULL;
    }
    s->path = copy;
    s->q = (struct sql){ .path = copy, .err = err };
    s->scenarios = scenarios;
    s->flushed = now();
    if (open_file(s, mode, run, scenario)) return s;
    sql_close(&s->q);
    free(copy);
    free(s);
    return NULL;
}

/* -- adding ------------------------------------------------------------------ */

static const char *const noted_word[NOTED_COUNT] = { "broken", "unknown", "slow" };

static bool add_finding(struct store *s, const struct failure *x)
{
    const struct finding *v = &x->finding;
    char witness[2][12] = { "", "" }, course[COURSE_TEXT_MAX];
    for (int i = 0; i < 2; i++)
        if (v->witness[i] != OBS_NONE) snprintf(witness[i], 12, "%" PRIu32, v->witness[i]);
    must(x->invariant < INV_COUNT);
    must(v->verdict != VERDICT_HELD);
    return sql_run(
        &s->q,
        "INSERT INTO new_finding VALUES (?1, ?2, ?3, ?4, ?5, CAST(nullif(?6, '') AS INTEGER),"
        " CAST(nullif(?7, '') AS INTEGER), ?8, ?9)",
        "titiitttt", invariant_word[x->invariant], (int64_t)x->index,
        v->verdict == VERDICT_BROKEN ? "broken" : "unknown", (int64_t)x->scenario, (int64_t)x->seed,
        witness[0], witness[1], v->reason, course_text(course, &x->course));
}

static bool add_noted(struct store *s, const struct noted_round *r)
{
    char course[COURSE_TEXT_MAX];
    must(r->why < NOTED_COUNT);
    return sql_run(&s->q, "INSERT INTO new_round VALUES (?, ?, ?, ?, nullif(?, -1), ?, ?)",
                   "itiiiti", (int64_t)r->index, noted_word[r->why], (int64_t)r->scenario,
                   (int64_t)r->seed, r->failover_us, course_text(course, &r->course),
                   (int64_t)r->digest);
}

static bool add_scenarios(struct store *s, const struct store_batch *b)
{
    bool ok = true;
    must(b->scenarios == 0 || b->scenarios == s->scenarios);
    for (uint32_t i = 0; ok && i < b->scenarios; i++) {
        const struct scenario_count *c = &b->scenario[i];
        if (c->rounds == 0) continue;
        ok = sql_run(&s->q,
                     "INSERT INTO new_scenario VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                     " rounds = rounds + excluded.rounds, broken = broken + excluded.broken,"
                     " unknown = unknown + excluded.unknown",
                     "iiii", (int64_t)i, (int64_t)c->rounds, (int64_t)c->broken,
                     (int64_t)c->unknown);
    }
    return ok;
}

bool store_add(struct store *s, const struct store_batch *b)
{
    uint64_t rounds = 0;
    if (s->q.failed) return false;
    bool ok = sql_script(&s->q, "BEGIN;") && add_scenarios(s, b);
    for (uint32_t i = 0; ok && i < b->blocks; i++) {
        rounds += b->block[i].rounds;
        ok = sql_run(&s->q, "INSERT INTO new_block VALUES (?, ?, ?)", "iii",
                     (int64_t)b->block[i].first, (int64_t)b->block[i].rounds,
                     (int64_t)b->block[i].digest);
    }
    for (uint32_t i = 0; ok && i < b->failures; i++) ok = add_finding(s, &b->failure[i]);
    for (uint32_t i = 0; ok && i < b->noted_n; i++) ok = add_noted(s, &b->noted[i]);
    if (!ok || !sql_script(&s->q, "COMMIT;")) return false;
    s->has_pending = true;
    must(rounds == b->delta->rounds); /* blocks and sums tell the same story */
    tally_merge(&s->pending, b->delta);
    s->digest += b->delta->digest;
    if (s->pending.rounds >= STORE_FLUSH_ROUNDS || now() - s->flushed >= STORE_FLUSH_SECONDS)
        return store_flush(s);
    return true;
}

/* -- flushing ---------------------------------------------------------------- */

static bool flush_rows(struct store *s)
{
    return sql_run(&s->q, "INSERT INTO block SELECT * FROM new_block", "") &&
           sql_run(&s->q, "INSERT INTO finding SELECT * FROM new_finding", "") &&
           sql_run(&s->q, "INSERT INTO round SELECT * FROM new_round", "") &&
           sql_run(&s->q,
                   "UPDATE scenario SET rounds = scenario.rounds + n.rounds,"
                   " broken = scenario.broken + n.broken, unknown = scenario.unknown + n.unknown"
                   " FROM new_scenario n WHERE n.id = scenario.id",
                   "") &&
           sql_run(&s->q, "DELETE FROM new_block", "") &&
           sql_run(&s->q, "DELETE FROM new_finding", "") &&
           sql_run(&s->q, "DELETE FROM new_round", "") &&
           sql_run(&s->q, "DELETE FROM new_scenario", "");
}

static bool flush_counters(struct store *s)
{
    static const struct {
        const char *name;
        size_t offset;
    } counter[] = {
#define X(name) { #name, offsetof(struct tally, name) },
        TALLY_COUNTERS(X)
#undef X
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof counter / sizeof counter[0]; i++) {
        const char *at = (const char *)&s->pending + counter[i].offset;
        ok = sql_run(&s->q,
                     "INSERT INTO counter VALUES (?, ?)"
                     " ON CONFLICT DO UPDATE SET value = value + excluded.value",
                     "ti", counter[i].name, *(const int64_t *)(const void *)at);
    }
    return ok;
}

static bool flush_histogram(struct store *s, uint32_t i)
{
    char name[TALLY_NAME_MAX];
    struct histogram *h = tally_histogram(&s->pending, i);
    if (h->n == 0) return true;
    bool ok = sql_run(&s->q,
                      "INSERT INTO histogram VALUES (?, ?, ?)"
                      " ON CONFLICT (id) DO UPDATE SET max_us = max(max_us, excluded.max_us)",
                      "iti", (int64_t)i, tally_histogram_name(i, name), h->max_us);
    for (uint32_t b = 0; ok && b < HIST_BUCKETS; b++)
        if (h->count[b] > 0)
            ok = sql_run(&s->q,
                         "INSERT INTO bucket VALUES (?, ?, ?)"
                         " ON CONFLICT DO UPDATE SET count = count + excluded.count",
                         "iii", (int64_t)i, (int64_t)b, (int64_t)h->count[b]);
    return ok;
}

static bool flush_invariants(struct store *s)
{
    const struct tally *t = &s->pending;
    bool ok = true;
    for (int i = 0; ok && i < INV_COUNT; i++)
        ok = sql_run(&s->q,
                     "INSERT INTO invariant VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                     " broken = broken + excluded.broken, held = held + excluded.held,"
                     " unknown = unknown + excluded.unknown,"
                     " uniform_broken = uniform_broken + excluded.uniform_broken,"
                     " uniform_held = uniform_held + excluded.uniform_held",
                     "tiiiii", invariant_word[i], (int64_t)t->broken[i], (int64_t)t->held[i],
                     (int64_t)t->unknown[i], (int64_t)t->uniform_broken[i],
                     (int64_t)t->uniform_held[i]);
    return ok;
}

static bool flush_spending(struct store *s)
{
    const struct tally *t = &s->pending;
    bool ok = true;
    for (int k = 0; ok && k < STRATEGY_COUNT; k++)
        ok = sql_run(&s->q,
                     "INSERT INTO strategy VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
                     " rounds = rounds + excluded.rounds, broken = broken + excluded.broken",
                     "tii", strategy_word[k], (int64_t)t->strategy_rounds[k],
                     (int64_t)t->strategy_broken[k]);
    for (uint32_t i = 0; ok && i < ABSTRACT_STATES; i++)
        if (t->first[i] > 0)
            ok = sql_run(&s->q,
                         "INSERT INTO state VALUES (?, ?)"
                         " ON CONFLICT DO UPDATE SET first = min(first, excluded.first)",
                         "ii", (int64_t)i, (int64_t)t->first[i] - 1);
    return ok;
}

static bool flush_faults(struct store *s)
{
    const struct tally *t = &s->pending;
    bool ok = true;
    for (int f = 0; ok && f < FAULT_COUNT; f++) {
        ok = sql_run(&s->q,
                     "INSERT INTO fault VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
                     " planned = planned + excluded.planned,"
                     " effective_rounds = effective_rounds + excluded.effective_rounds",
                     "tii", fault_info[f].word, (int64_t)t->planned[f],
                     (int64_t)t->effective_rounds[f]);
        for (int p = 0; ok && p < PHASE_COUNT; p++)
            ok = sql_run(&s->q,
                         "INSERT INTO cell VALUES (?, ?, ?)"
                         " ON CONFLICT DO UPDATE SET hits = hits + excluded.hits",
                         "tti", fault_info[f].word, phase_word[p], (int64_t)t->cell[f][p]);
    }
    return ok;
}

/* Of many alike the first are kept, so that what is kept depends on no order. */
static bool prune(struct store *s)
{
    bool ok = sql_run(&s->q,
                      "DELETE FROM round WHERE why = 'slow' AND idx NOT IN (SELECT idx FROM round"
                      " WHERE why = 'slow' ORDER BY failover_us DESC, idx LIMIT ?)",
                      "i", (int64_t)STORE_SLOW_MAX);
    for (int w = 0; ok && w < NOTED_SLOW; w++)
        ok = sql_run(&s->q,
                     "DELETE FROM round WHERE why = ?1 AND idx > (SELECT idx FROM round"
                     " WHERE why = ?1 ORDER BY idx LIMIT 1 OFFSET ?2)",
                     "ti", noted_word[w], (int64_t)STORE_NOTED_MAX - 1);
    for (int i = 0; ok && i < INV_COUNT; i++)
        ok = sql_run(&s->q,
                     "DELETE FROM finding WHERE invariant = ?1 AND idx > (SELECT idx FROM finding"
                     " WHERE invariant = ?1 ORDER BY idx LIMIT 1 OFFSET ?2)",
                     "ti", invariant_word[i], (int64_t)STORE_NOTED_MAX - 1);
    return ok;
}

bool store_flush(struct store *s)
{
    char digest[20];
    if (s->q.failed || !s->has_pending) return !s->q.failed;
    bool ok = sql_script(&s->q, "BEGIN IMMEDIATE;") && flush_rows(s) && flush_counters(s) &&
              flush_invariants(s) && flush_faults(s) && flush_spending(s);
    for (uint32_t i = 0; ok && i < TALLY_HISTOGRAMS; i++) ok = flush_histogram(s, i);
    ok = ok && prune(s) &&
         sql_run(&s->q, "UPDATE run SET digest = ?", "t", hex(s->digest, digest)) &&
         sql_script(&s->q, "COMMIT;");
    if (!ok) return false;
    memset(&s->pending, 0, sizeof s->pending);
    s->has_pending = false;
    s->flushed = now();
    return true;
}

/* -- finishing --------------------------------------------------------------- */

static bool write_conditions(struct store *s, const struct gate_report *g)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < g->conditions; i++) {
        const struct condition *c = &g->condition[i];
        ok = sql_run(&s->q, "INSERT INTO condition VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "itttttti",
                     (int64_t)i, c->name, c->says, c->threshold, c->value, c->bound95,
                     gate_verdict_word[c->verdict], (int64_t)c->judged);
    }
    return ok;
}

static bool write_mutant(struct store *s, uint32_t position, const struct mutant_outcome *m)
{
    char also[1024] = ""; /* all names together are shorter */
    size_t n = 0;
    for (int i = 0; i < INV_COUNT; i++)
        if (m->also >> i & 1)
            n += (size_t)snprintf(also + n, sizeof also - n, "%s%s", n ? " " : "",
                                  invariant_word[i]);
    return sql_run(&s->q, "INSERT INTO mutant VALUES (?, ?, ?, ?, ?, ?, ?)", "ittiiit",
                   (int64_t)position, m->name, invariant_word[m->expected], (int64_t)m->caught,
                   (int64_t)m->rounds, (int64_t)m->budget, also);
}

static bool write_proofs(struct store *s, const struct gate_proofs *p)
{
    return sql_run(&s->q,
                   "INSERT INTO proof VALUES ('replayed', ?), ('replayed_differently', ?),"
                   " ('golden', ?), ('golden_again', ?), ('canary_run', ?), ('canary_red', ?)",
                   "iiiiii", (int64_t)p->replayed, (int64_t)p->replayed_differently,
                   (int64_t)p->golden, (int64_t)p->golden_again, (int64_t)p->canary_run,
                   (int64_t)p->canary_red);
}

static bool write_performance(struct store *s, const struct performance *p)
{
    return sql_run(&s->q,
                   "INSERT INTO performance VALUES ('seconds', ?), ('rounds_per_s', ?),"
                   " ('events_per_s', ?), ('speedup', ?)",
                   "rrrr", p->seconds, p->rounds_per_s, p->events_per_s, p->speedup);
}

static bool write_group(struct store *s, uint32_t position, const struct run_report *r)
{
    char name[GROUP_NAME_MAX], faults[GROUP_NAME_MAX];
    const struct failure_group *g = &r->group[position];
    must(g->example < r->failures);
    return sql_run(&s->q, "INSERT INTO failure_group VALUES (?,?,?,?,?,?,?,?,?,?,?)", "itttiiiiiit",
                   (int64_t)position, group_name(name, g), invariant_word[g->invariant],
                   group_faults(faults, g->faults), (int64_t)g->reduced, (int64_t)g->failures,
                   (int64_t)r->failure[g->example].index, (int64_t)g->tabs, (int64_t)g->operations,
                   (int64_t)g->calm, g->script);
}

bool store_finish(struct store *s, const struct run_report *r)
{
    const char *state = r->interrupted ? "interrupted" : "finished";
    const char *verdict = r->gate ? gate_verdict_word[r->gate->verdict] : NULL;
    bool ok = store_flush(s) && sql_script(&s->q, "BEGIN IMMEDIATE;") &&
              sql_script(&s->q, forget_judgement);
    ok = ok && (!r->gate || write_conditions(s, r->gate)) &&
         (!r->proofs || write_proofs(s, r->proofs));
    for (uint32_t i = 0; ok && i < r->mutants; i++) ok = write_mutant(s, i, &r->mutant[i]);
    for (uint32_t i = 0; ok && i < r->groups; i++) ok = write_group(s, i, r);
    return ok && write_performance(s, &r->performance) &&
           sql_run(&s->q, "UPDATE run SET state = ?, verdict = ?, short = ?, jobs = ?", "ttii",
                   state, verdict, (int64_t)(r->gate && r->gate->is_short),
                   (int64_t)r->performance.jobs) &&
           sql_script(&s->q, "COMMIT;");
}

bool store_close(struct store *s)
{
    if (!s) return true;
    bool ok = store_flush(s);
    sql_close(&s->q); /* what is not committed is rolled back */
    free(s->path);
    free(s);
    return ok;
}
