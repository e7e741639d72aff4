/* results.sqlite, read back: everything that a report needs, and what a resumed or
 * merged run goes on from.
 *
 * Resuming: store_load the file, skip its blocks, store_open it with STORE_RESUME, and
 * begin the sums with `report.tally`. Merging: store_load each shard, stored_same_run
 * with the first, store_open the result, store_add the stored_batch of each.
 *
 * store_check.c asks whether what has been read fits together.
 *
 * The file may be anything: what this program does not know, or what cannot be, is
 * refused in one sentence. */
#ifndef REPORTS_STORE_READ_H
#define REPORTS_STORE_READ_H

#include "reports/store.h"

struct stored_text;

struct stored_run {
    struct run_report report; /* all that it points to is owned here */
    struct store_block *block;
    uint32_t blocks; /* in the order of `first` */
    bool finished;   /* false: interrupted, killed, or still running */
    int version;     /* of the file's schema */
    /* what report points to */
    struct tally tally;
    struct gate_report gate;
    struct gate_proofs proofs;
    struct scenario_count *scenario;
    struct mutant_outcome *mutant;
    struct failure *failure;
    struct failure_group *group;
    struct noted_round *noted;
    struct run_setting *setting;
    struct stored_text *texts;
};

/* NULL after a sentence on `err`. report.gate is NULL when the run was not judged. */
struct stored_run *store_load(const char *path, FILE *err);
void stored_free(struct stored_run *r); /* NULL is fine */

/* Whether its tables tell one story: a file that lost rows would make the report of a better or
 * a smaller run. False after a sentence that begins with `path`. */
bool stored_is_whole(const struct stored_run *r, const char *path, FILE *err);
/* Both. */
struct stored_run *store_load_whole(const char *path, FILE *err);

/* All of a stored run as one batch; borrowed from it. */
struct store_batch stored_batch(const struct stored_run *r);

/* Whether two files are parts of one run: all parameters but shard and jobs are equal.
 * False after a sentence that begins with `path`, the second one's file. */
bool stored_same_run(const struct stored_run *a, const struct stored_run *b, const char *path,
                     FILE *err);

#endif
