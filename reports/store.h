/* results.sqlite, written: the record of a run, of which every report can be made
 * again (store_read.h).
 *
 *   store_open     a new file, or an unfinished one to go on with
 *   store_add      what some finished blocks add up to
 *   store_flush    makes what was added last; happens by itself now and then
 *   store_finish   the judgement
 *   store_close    flushes and closes
 *
 * A transaction holds whole blocks together with everything they add to the sums, so
 * a file left behind by a killed run is consistent: it lacks the blocks since the last
 * flush, and resuming runs those again. SQLite's rollback journal, not its write-ahead
 * log, keeps the record in one file at all times but the milliseconds of a commit.
 *
 * One thread at a time. A failure is one sentence on the `err` of store_open and false;
 * after it every call returns false and writes nothing. Existing files that are not
 * results, or are newer than this program, or belong to another run, are refused and
 * stay as they are; STORE_CREATE replaces older results. */
#ifndef REPORTS_STORE_H
#define REPORTS_STORE_H

#include <stdio.h>

#include "reports/run_report.h"

enum store_mode { STORE_CREATE, STORE_RESUME /* creates what is not there */ };

#define STORE_SCENARIOS_MAX 4096 /* SUITE_MAX is 128; files are not trusted further */
#define STORE_NOTED_MAX 1000 /* findings an invariant, and rounds broken or unknown: the first */
#define STORE_SLOW_MAX 20    /* slowest rounds */
#define STORE_FLUSH_ROUNDS 25000 /* some seconds of the reference client */
#define STORE_FLUSH_SECONDS 1    /* what a kill costs, and a second of each worker */

struct store;

struct store_block {
    uint64_t first, digest;
    uint32_t rounds;
};

/* All of it is added to what is there. `delta` holds the blocks' rounds and no others;
 * larger batches cost less (a tally is 2 MB): about 1,000 rounds is a good size. */
struct store_batch {
    const struct tally *delta;
    const struct store_block *block;
    uint32_t blocks;
    const struct scenario_count *scenario;
    uint32_t scenarios; /* NULL, or one for each */
    const struct failure *failure;
    uint32_t failures;
    const struct noted_round *noted;
    uint32_t noted_n;
};

/* `err` has to live as long as the store. `scenario` is read here only. NULL on failure. */
struct store *store_open(const char *path, enum store_mode mode, const struct run_info *run,
                         const struct scenario_count *scenario, uint32_t scenarios, FILE *err);
bool store_add(struct store *s, const struct store_batch *b);
bool store_flush(struct store *s);
/* Verdict, conditions, mutants, performance; replaces an earlier judgement. */
bool store_finish(struct store *s, const struct run_report *r);
bool store_close(struct store *s); /* NULL is fine */

#endif
