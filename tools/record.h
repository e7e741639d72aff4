/* What a run leaves behind: results.sqlite while it runs, and the reports at its end.
 *
 *   record_info     what the run is, for store and reports
 *   record_open     makes the folder and locks it; a new file, or the one to go on with
 *   record_report   a run's sums as the one struct that all reports are made from
 *   record_group    groups the report's failures (groups.h)
 *   record_finish   the judgement into the store, histories and timelines of the first
 *                   failures, the minimal scenario of each group, and every report
 *   record_close
 *
 * Nothing is written before everything that is read has been found good. False after a
 * sentence on standard error. */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "tools/campaign.h"
#include "tools/groups.h"

#define RECORD_FAILURES_EACH 3 /* histories kept, and lines printed, of each invariant */
#define RECORD_STARTED_MAX 32

struct record {
    char folder[PATH_MAX_LEN], path[PATH_MAX_LEN + 32];
    char started[RECORD_STARTED_MAX];
    struct stored_run *stored; /* of an earlier process; its texts live until the close */
    struct run_info info;
    struct run_setting setting[FLAGS_SETS_MAX];
    struct groups *groups; /* NULL: not grouped */
    int lock; /* of the folder, while it is written to; -1: none */
};

/* With the folders above it; false and errno when that cannot be. */
bool record_make_folder(const char *path);
/* Nobody else writes into the folder until the result is closed; -1 after a sentence. */
int record_lock(const char *folder);

/* `program` is argv[0]: the lines that replay a round name it. */
struct run_info record_info(struct record *r, const struct campaign *c, const char *program,
                            const char *seed_text);

/* Opens c->store; with `resume` also takes over what is there. */
bool record_open(struct record *r, const char *folder, bool resume, struct campaign *c);
/* Groups that are the report's until the close. */
void record_group(struct record *r, const struct campaign *c, struct run_report *report);
bool record_finish(struct record *r, struct campaign *c, const struct run_report *report);
void record_close(struct record *r, struct campaign *c);

/* Borrows from campaign and record; fills c->lists. */
struct run_report record_report(const struct record *r, struct campaign *c);

#endif
