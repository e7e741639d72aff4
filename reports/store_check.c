/* Whether the tables of results.sqlite tell one story. A file whose rows were lost or changed is
 * refused: a report of it would look like one of a better or a smaller run. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "reports/store_read.h"
#include "reports/tally_names.h"

struct check {
    const struct stored_run *run;
    const char *path;
    FILE *err;
};

__attribute__((format(printf, 2, 3))) static bool damaged(const struct check *c, const char *what,
                                                          ...)
{
    va_list args;
    va_start(args, what);
    fprintf(c->err, "%s: damaged: ", c->path);
    vfprintf(c->err, what, args);
    fputc('\n', c->err);
    va_end(args);
    return false;
}

static bool adds_up(const struct check *c, const char *what, uint64_t found, uint64_t expected)
{
    return found == expected ||
           damaged(c, "%s are %" PRIu64 ", not %" PRIu64, what, found, expected);
}

static bool blocks_add_up(const struct check *c)
{
    const struct tally *t = &c->run->tally;
    uint64_t rounds = 0, digest = 0;
    for (uint32_t i = 0; i < c->run->blocks; i++) {
        rounds += c->run->block[i].rounds;
        digest += c->run->block[i].digest;
    }
    return adds_up(c, "the rounds in blocks", rounds, t->rounds) &&
           (digest == t->digest || damaged(c, "another digest than its blocks'"));
}

static bool scenarios_add_up(const struct check *c)
{
    const struct run_report *r = &c->run->report;
    uint64_t rounds = 0, unknown = 0;
    for (uint32_t i = 0; i < r->scenarios; i++) {
        rounds += r->scenario[i].rounds;
        unknown += r->scenario[i].unknown;
    }
    return adds_up(c, "the rounds of scenarios", rounds, r->tally->rounds) &&
           adds_up(c, "the rounds that a limit cut short", unknown, r->tally->unknown_rounds);
}

/* Each round has a verdict on each invariant that the program which ran it knew. */
static bool invariants_add_up(const struct check *c)
{
    const struct tally *t = &c->run->tally;
    bool known = t->rounds == 0;
    for (int k = 0; k < INV_COUNT; k++) {
        uint64_t verdicts = t->broken[k] + t->held[k] + t->unknown[k];
        if (verdicts == 0) continue;
        known = true;
        if (!adds_up(c, invariant_word[k], verdicts, t->rounds)) return false;
        if (t->uniform_broken[k] > t->broken[k] || t->uniform_held[k] > t->held[k])
            return damaged(c, "more uniform rounds than rounds of %s", invariant_word[k]);
    }
    return known || damaged(c, "no invariant has a verdict");
}

/* What broke is listed, round by round, as far as the lists go. */
static bool failures_are_listed(const struct check *c)
{
    const struct run_report *r = &c->run->report;
    uint64_t listed[INV_COUNT] = { 0 };
    for (uint32_t i = 0; i < r->failures; i++)
        listed[r->failure[i].invariant] += r->failure[i].finding.verdict == VERDICT_BROKEN;
    for (int k = 0; k < INV_COUNT; k++)
        if (listed[k] > r->tally->broken[k] || (listed[k] == 0 && r->tally->broken[k] > 0))
            return damaged(c, "%" PRIu64 " of %" PRIu64 " failures of %s are there", listed[k],
                           r->tally->broken[k], invariant_word[k]);
    return (r->noted_n > 0 || (r->failures == 0 && r->tally->failover.n == 0)) ||
           damaged(c, "rounds failed or had failovers and none is there");
}

static bool strategies_add_up(const struct check *c)
{
    const struct tally *t = &c->run->tally;
    uint64_t rounds = 0;
    for (int k = 0; k < STRATEGY_COUNT; k++) rounds += t->strategy_rounds[k];
    bool states = c->run->version < 4 || t->rounds == 0 || tally_states(t, UINT64_MAX) > 0;
    return adds_up(c, "the rounds of strategies", rounds, t->rounds) &&
           (states || damaged(c, "no abstract state was reached"));
}

static uint64_t samples(const struct histogram *h, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].n;
    return sum;
}

/* One that was open at the end of its round has none. */
static bool successors_add_up(const struct check *c, const char *what, const struct histogram *two)
{
    const struct tally *t = &c->run->tally;
    uint64_t n = samples(two, 2), open = hist_open(&t->failover);
    return (n <= t->failover.n && n + open >= t->failover.n) ||
           adds_up(c, what, n, t->failover.n - open);
}

/* Each failover has one cause, one successor, one device. */
static bool latencies_add_up(const struct check *c)
{
    const struct tally *t = &c->run->tally;
    uint64_t n = t->failover.n;
    return adds_up(c, "failovers by raw time", t->raw.n, n) &&
           adds_up(c, "failovers by cause", samples(t->by_cause, GAP_COUNT), n) &&
           successors_add_up(c, "failovers by successor", t->by_visibility) &&
           successors_add_up(c, "failovers by device", t->by_device) &&
           adds_up(c, "holds in the histogram", t->hold.n, t->holds) &&
           (n + t->cold.n + t->open_gaps > 0 || t->transitions == 0 ||
            damaged(c, "transitions without a failover"));
}

static bool faults_add_up(const struct check *c)
{
    const struct tally *t = &c->run->tally;
    uint64_t planned = 0, all_hits = 0;
    for (int f = 0; f < FAULT_COUNT; f++) {
        uint64_t hits = 0;
        for (int p = 0; p < PHASE_COUNT; p++) hits += t->cell[f][p];
        planned += t->planned[f];
        all_hits += hits;
        if (t->effective_rounds[f] > 0 && hits == 0)
            return damaged(c, "%s took effect in no phase", fault_info[f].word);
    }
    return planned > 0 || all_hits == 0 || t->strategy_rounds[STRATEGY_UNIFORM] == 0 ||
           damaged(c, "faults took effect and none was planned");
}

/* A verdict stands on conditions, a condition on what it counts. */
static bool judgement_stands(const struct check *c)
{
    const struct run_report *r = &c->run->report;
    if (!r->gate) return true;
    if (r->gate->conditions == 0) return damaged(c, "a verdict without conditions");
    enum gate_verdict worst = GATE_PASS;
    for (uint32_t i = 0; i < r->gate->conditions; i++) {
        const struct condition *one = &r->gate->condition[i];
        if (!one->judged) continue;
        if (one->verdict == GATE_FAIL || worst == GATE_PASS) worst = one->verdict;
        if (one->verdict == GATE_UNKNOWN) continue; /* it may be that nothing was tried */
        if (strcmp(one->name, "mutants") == 0 && r->mutants == 0)
            return damaged(c, "mutants were judged and none is there");
        if (strcmp(one->name, "determinism") == 0 && c->run->version >= 5 && !r->proofs)
            return damaged(c, "determinism was judged and no proof is there");
    }
    return worst == r->gate->verdict || damaged(c, "a verdict that is not that of its conditions");
}

bool stored_is_whole(const struct stored_run *r, const char *path, FILE *err)
{
    const struct check whole = { r, path, err }, *c = &whole;
    return blocks_add_up(c) && scenarios_add_up(c) && invariants_add_up(c) &&
           failures_are_listed(c) && strategies_add_up(c) && latencies_add_up(c) &&
           faults_add_up(c) && judgement_stands(c);
}

struct stored_run *store_load_whole(const char *path, FILE *err)
{
    struct stored_run *r = store_load(path, err);
    if (!r || stored_is_whole(r, path, err)) return r;
    stored_free(r);
    return NULL;
}
