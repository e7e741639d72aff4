/* Worker threads that run one function each until it returns.
 *
 *   pool_start   starts `jobs` threads; work(context, 0 .. jobs-1)
 *   pool_wait    sleeps until all have returned, or for some milliseconds
 *   pool_finish  waits for the end and gives everything back
 *   pool_run     start and finish
 *
 * How work is shared out is the function's own business: an atomic counter in the
 * context. The main thread stays free for progress and signals. */
#ifndef TOOLS_POOL_H
#define TOOLS_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define POOL_JOBS_MAX 256 /* more cores than one machine of a CI has */

typedef void pool_work(void *context, uint32_t worker);

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pool_work *work;
    void *context;
    uint32_t jobs, started, running;
    pthread_t thread[POOL_JOBS_MAX];
};

/* must() when the system has no threads to give. */
void pool_start(struct pool *p, uint32_t jobs, pool_work *work, void *context);
bool pool_wait(struct pool *p, uint32_t ms);
void pool_finish(struct pool *p);
void pool_run(uint32_t jobs, pool_work *work, void *context);

/* Cores of this machine, at least 1, at most POOL_JOBS_MAX. */
uint32_t pool_cores(void);

#endif
