/* The rounds of a suite, spread over workers.
 *
 *   campaign_open     fixes what the rounds are; takes all memory of the run
 *   campaign_shard    plays a part of them only: blocks that follow each other
 *   campaign_resume   takes over what an earlier process has left in the store
 *   campaign_run      plays what is not done yet; false when results could not be written
 *   campaign_close
 *
 * Round i plays the course that the suite's portfolio has for it (portfolio.h): a pure
 * function of the plan, whatever the jobs. Workers take blocks of consecutive
 * rounds from a counter, judge and tally on their own, and about once a second add
 * what they have to the run's sums and to the store, whole blocks at a time. An
 * interrupt lets every worker finish its block. */
#ifndef TOOLS_CAMPAIGN_H
#define TOOLS_CAMPAIGN_H

#include <pthread.h>
#include <stdatomic.h>

#include "reports/store_read.h"
#include "tools/inputs.h"
#include "tools/shard.h"
#include "tools/portfolio.h"
#include "tools/sums.h"

#define CAMPAIGN_BLOCK_MAX PORTFOLIO_BLOCK /* in a long run: no head is played twice */
#define CAMPAIGN_BLOCK_MIN 8   /* in a short one, so that all workers have some */
#define CAMPAIGN_NOBODY 0xFFFFu

/* A round that is to be run again (recheck.h): what it was and who ran it. */
struct campaign_sample { uint64_t index, digest; uint16_t worker; };

struct campaign {
    const struct inputs *in;
    uint64_t rounds;              /* of all shards together */
    struct shard shard;
    uint64_t first, mine;         /* this shard's: first .. first + mine - 1 */
    uint32_t block_rounds, jobs;
    struct store *store;          /* NULL: nothing is written; set before campaign_run */
    struct sums *sums;            /* of all rounds, resumed ones included */
    uint64_t resumed;             /* rounds that an earlier process ran */
    double seconds;               /* of campaign_run */
    uint64_t events, virtual_us;  /* of this process's rounds */

    struct campaign_sample *sample; uint64_t samples;
    bool *block_done;             /* by an earlier process */
    _Atomic uint64_t next_block, done; /* blocks handed out; rounds finished */
    pthread_mutex_t lock;         /* of sums, store and lists */
    struct sums_lists *lists;
    bool store_failed;
};

void campaign_open(struct campaign *c, const struct inputs *in, uint64_t rounds, uint32_t jobs);
/* Before campaign_run, campaign_resume and the store. */
void campaign_shard(struct campaign *c, struct shard s);
void campaign_resume(struct campaign *c, const struct stored_run *stored);
bool campaign_run(struct campaign *c, enum progress_mode progress);
void campaign_close(struct campaign *c);

uint32_t campaign_block_rounds(uint64_t rounds);
/* 1% of the rounds, at least 200 (or all): how many are run again. */
uint64_t campaign_samples(uint64_t rounds);

#endif
