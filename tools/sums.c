#include "tools/sums.h"

#include <string.h>

#include "sim/base/must.h"

void sums_open(struct sums *s, const struct suite *suite)
{
    must(suite->scenarios <= SUITE_MAX);
    memset(s, 0, sizeof *s);
    s->scenarios = suite->scenarios;
    for (uint32_t i = 0; i < suite->scenarios; i++) {
        s->scenario[i].name = suite->scenario[i].name;
        s->scenario[i].file = suite->scenario[i].file;
    }
    for (uint32_t i = 0; i < suite->parts; i++)
        s->scenario[suite->part[i].scenario].share += suite->part[i].share;
}

void sums_clear(struct sums *s)
{
    memset(&s->tally, 0, sizeof s->tally);
    s->virtual_us = 0;
    for (uint32_t i = 0; i < s->scenarios; i++) {
        struct scenario_count *c = &s->scenario[i];
        c->rounds = c->broken = c->unknown = 0;
    }
    for (int k = 0; k < INV_COUNT; k++) s->broken[k].n = 0;
    for (int w = 0; w < NOTED_COUNT; w++) s->noted[w].n = 0;
    memset(s->has_effective, 0, sizeof s->has_effective);
}

/* -- lists in order ------------------------------------------------------------------ */

static void keep_failure(struct sums_failures *l, const struct failure *x)
{
    uint32_t i = l->n;
    while (i > 0 && l->at[i - 1].index > x->index) i--;
    if (i == STORE_NOTED_MAX) return;
    uint32_t behind = l->n - i - (l->n == STORE_NOTED_MAX);
    memmove(&l->at[i + 1], &l->at[i], behind * sizeof l->at[0]);
    l->at[i] = *x;
    if (l->n < STORE_NOTED_MAX) l->n++;
}

/* Slow rounds stand by their failover, the others by their number. */
static bool stands_before(const struct noted_round *a, const struct noted_round *b)
{
    if (a->why == NOTED_SLOW && a->failover_us != b->failover_us)
        return a->failover_us > b->failover_us;
    return a->index < b->index;
}

static void keep_noted(struct sums *s, const struct noted_round *x)
{
    struct sums_noted *l = &s->noted[x->why];
    const uint32_t max = x->why == NOTED_SLOW ? STORE_SLOW_MAX : STORE_NOTED_MAX;
    uint32_t i = l->n;
    while (i > 0 && stands_before(x, &l->at[i - 1])) i--;
    if (i == max) return;
    memmove(&l->at[i + 1], &l->at[i], (l->n - i - (l->n == max)) * sizeof l->at[0]);
    l->at[i] = *x;
    if (l->n < max) l->n++;
}

static void keep_effective(struct sums *s, int fault, const struct sums_round *round)
{
    if (s->has_effective[fault] && s->effective[fault].index <= round->index) return;
    s->effective[fault] = *round;
    s->has_effective[fault] = true;
}

/* -- a round --------------------------------------------------------------------------- */

static void add_failures(struct sums *s, const struct sums_round *round, const struct played *p)
{
    for (int k = 0; k < INV_COUNT; k++) {
        const struct finding *found = &p->result->finding[k];
        if (found->verdict != VERDICT_BROKEN) continue;
        keep_failure(&s->broken[k],
                     &(struct failure){ round->index, round->course.seed, round->scenario,
                                        (enum invariant_kind)k, *found, round->course });
    }
}

static void add_noted(struct sums *s, const struct sums_round *round, const struct played *p,
                      bool broken, bool unknown)
{
    struct noted_round n = { .index = round->index,
                             .seed = round->course.seed,
                             .course = round->course,
                             .digest = p->digest,
                             .scenario = round->scenario,
                             .failover_us = played_longest_failover(p) };
    if (broken) n.why = NOTED_BROKEN, keep_noted(s, &n);
    if (unknown) n.why = NOTED_UNKNOWN, keep_noted(s, &n);
    if (n.failover_us >= 0 && round->course.strategy == STRATEGY_UNIFORM)
        n.why = NOTED_SLOW, keep_noted(s, &n);
}

void sums_add(struct sums *s, const struct sums_round *round, const struct played *p,
              const struct contract *c)
{
    bool broken = played_broken(p) != 0, unknown = played_proves_nothing(p);
    const struct tally_round counts = { .index = round->index,
                                        .digest = p->digest,
                                        .events = p->events,
                                        .strategy = round->course.strategy,
                                        .pct_links = p->pct_links,
                                        .pct_steps = p->pct_steps };
    must(round->scenario < s->scenarios);
    tally_add(&s->tally, p->result, c, &counts);
    s->virtual_us += p->virtual_us;
    s->scenario[round->scenario].rounds++;
    s->scenario[round->scenario].broken += broken;
    s->scenario[round->scenario].unknown += unknown;
    for (int f = 0; f < FAULT_COUNT && round->course.strategy == STRATEGY_UNIFORM; f++)
        if (p->result->effective[f] > 0) keep_effective(s, f, round);
    if (broken) add_failures(s, round, p);
    add_noted(s, round, p, broken, unknown);
}

/* -- together -------------------------------------------------------------------------- */

static void merge_counts(struct sums *into, const struct scenario_count *from, uint32_t n)
{
    must(n == into->scenarios);
    for (uint32_t i = 0; i < n; i++) {
        into->scenario[i].rounds += from[i].rounds;
        into->scenario[i].broken += from[i].broken;
        into->scenario[i].unknown += from[i].unknown;
    }
}

void sums_merge(struct sums *into, const struct sums *from)
{
    tally_merge(&into->tally, &from->tally);
    into->virtual_us += from->virtual_us;
    merge_counts(into, from->scenario, from->scenarios);
    for (int k = 0; k < INV_COUNT; k++)
        for (uint32_t i = 0; i < from->broken[k].n; i++)
            keep_failure(&into->broken[k], &from->broken[k].at[i]);
    for (int w = 0; w < NOTED_COUNT; w++)
        for (uint32_t i = 0; i < from->noted[w].n; i++) keep_noted(into, &from->noted[w].at[i]);
    for (int f = 0; f < FAULT_COUNT; f++)
        if (from->has_effective[f]) keep_effective(into, f, &from->effective[f]);
}

/* A reason that was read back lives as long as what was loaded. */
void sums_merge_report(struct sums *into, const struct run_report *r)
{
    tally_merge(&into->tally, r->tally);
    merge_counts(into, r->scenario, r->scenarios);
    for (uint32_t i = 0; i < r->failures; i++)
        keep_failure(&into->broken[r->failure[i].invariant], &r->failure[i]);
    for (uint32_t i = 0; i < r->noted_n; i++) keep_noted(into, &r->noted[i]);
}

void sums_list(const struct sums *s, struct sums_lists *out)
{
    out->failures = out->noted_n = 0;
    for (int k = 0; k < INV_COUNT; k++) {
        memcpy(&out->failure[out->failures], s->broken[k].at,
               s->broken[k].n * sizeof(struct failure));
        out->failures += s->broken[k].n;
    }
    for (int w = 0; w < NOTED_COUNT; w++) {
        memcpy(&out->noted[out->noted_n], s->noted[w].at,
               s->noted[w].n * sizeof(struct noted_round));
        out->noted_n += s->noted[w].n;
    }
}
