/* The sums of results.sqlite, read back: counters, histograms, invariants, how the rounds were
 * spent, faults and cells. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "reports/store_parts.h"
#include "reports/tally_names.h"

static bool load_counters(struct loader *l)
{
    static const char *const name[] = {
#define X(name) #name,
        TALLY_COUNTERS(X)
#undef X
    };
    static const size_t offset[] = {
#define X(name) offsetof(struct tally, name),
        TALLY_COUNTERS(X)
#undef X
    };
    enum { COUNTERS = sizeof name / sizeof name[0] };
    sqlite3_stmt *s = sql_query(&l->q, "SELECT name AS counter, value FROM counter");
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, name, COUNTERS);
        uint64_t n = stored_count_at(l, s, 1, INT64_MAX);
        if (i < COUNTERS) memcpy((char *)&l->run->tally + offset[i], &n, sizeof n);
    }
    return !l->q.failed;
}

static bool load_histograms(struct loader *l)
{
    char name[TALLY_HISTOGRAMS][TALLY_NAME_MAX];
    const char *word[TALLY_HISTOGRAMS];
    uint32_t number[256]; /* of the file's ids */
    memset(number, 0xFF, sizeof number);
    for (uint32_t i = 0; i < TALLY_HISTOGRAMS; i++) word[i] = tally_histogram_name(i, name[i]);
    sqlite3_stmt *s = sql_query(&l->q, "SELECT name AS histogram, id, max_us FROM histogram");
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, word, TALLY_HISTOGRAMS);
        uint32_t id = stored_small_at(l, s, 1, 255);
        if (i == TALLY_HISTOGRAMS) return false;
        number[id] = i;
        tally_histogram(&l->run->tally, i)->max_us = sqlite3_column_int64(s, 2);
    }
    s = sql_query(&l->q, "SELECT histogram, bucket, count FROM bucket");
    while (sql_row(&l->q, s)) {
        uint32_t i = number[stored_small_at(l, s, 0, 255)];
        uint32_t b = stored_small_at(l, s, 1, HIST_BUCKETS - 1),
                 n = stored_small_at(l, s, 2, UINT32_MAX);
        if (i >= TALLY_HISTOGRAMS) return sql_refuse(&l->q, "damaged: a bucket of no histogram");
        tally_histogram(&l->run->tally, i)->count[b] = n;
        tally_histogram(&l->run->tally, i)->n += n;
    }
    return !l->q.failed;
}

static bool load_invariants(struct loader *l)
{
    struct tally *t = &l->run->tally;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT name AS invariant, broken, held, unknown FROM invariant");
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, invariant_word, INV_COUNT);
        if (i == INV_COUNT) return false;
        t->broken[i] = stored_count_at(l, s, 1, INT64_MAX);
        t->held[i] = stored_count_at(l, s, 2, INT64_MAX);
        t->unknown[i] = stored_count_at(l, s, 3, INT64_MAX);
    }
    return !l->q.failed;
}

/* Before schema 4 all rounds were uniform, and nobody asked for states. */
static bool load_spending(struct loader *l)
{
    struct tally *t = &l->run->tally;
    if (l->q.version < 4) {
        t->strategy_rounds[STRATEGY_UNIFORM] = t->rounds;
        memcpy(t->uniform_broken, t->broken, sizeof t->broken);
        memcpy(t->uniform_held, t->held, sizeof t->held);
        return true;
    }
    sqlite3_stmt *s = sql_query(&l->q, "SELECT name AS invariant, uniform_broken, uniform_held"
                                       " FROM invariant");
    while (sql_row(&l->q, s)) {
        uint32_t i = stored_word_at(l, s, 0, invariant_word, INV_COUNT);
        if (i == INV_COUNT) return false;
        t->uniform_broken[i] = stored_count_at(l, s, 1, INT64_MAX);
        t->uniform_held[i] = stored_count_at(l, s, 2, INT64_MAX);
    }
    s = sql_query(&l->q, "SELECT name AS strategy, rounds, broken FROM strategy");
    while (sql_row(&l->q, s)) {
        uint32_t k = stored_word_at(l, s, 0, strategy_word, STRATEGY_COUNT);
        if (k == STRATEGY_COUNT) return false;
        t->strategy_rounds[k] = stored_count_at(l, s, 1, INT64_MAX);
        t->strategy_broken[k] = stored_count_at(l, s, 2, INT64_MAX);
    }
    s = sql_query(&l->q, "SELECT id, first FROM state");
    while (sql_row(&l->q, s)) {
        uint32_t state = stored_small_at(l, s, 0, ABSTRACT_STATES - 1);
        t->first[state] = stored_small_at(l, s, 1, UINT32_MAX - 1) + 1;
    }
    return !l->q.failed;
}

static bool load_faults(struct loader *l)
{
    struct tally *t = &l->run->tally;
    const char *word[FAULT_COUNT];
    for (int i = 0; i < FAULT_COUNT; i++) word[i] = fault_info[i].word;
    sqlite3_stmt *s =
        sql_query(&l->q, "SELECT name AS fault, planned, effective_rounds FROM fault");
    while (sql_row(&l->q, s)) {
        uint32_t f = stored_word_at(l, s, 0, word, FAULT_COUNT);
        if (f == FAULT_COUNT) return false;
        t->planned[f] = stored_count_at(l, s, 1, INT64_MAX);
        t->effective_rounds[f] = stored_count_at(l, s, 2, INT64_MAX);
    }
    s = sql_query(&l->q, "SELECT fault, phase, hits FROM cell");
    while (sql_row(&l->q, s)) {
        uint32_t f = stored_word_at(l, s, 0, word, FAULT_COUNT);
        uint32_t p = stored_word_at(l, s, 1, phase_word, PHASE_COUNT);
        if (f == FAULT_COUNT || p == PHASE_COUNT) return false;
        t->cell[f][p] = stored_count_at(l, s, 2, INT64_MAX);
    }
    return !l->q.failed;
}

bool stored_load_sums(struct loader *l)
{
    return load_counters(l) && load_histograms(l) && load_invariants(l) && load_spending(l) &&
           load_faults(l);
}
