#include "tools/pool.h"

#include <time.h>
#include <unistd.h>

#include "sim/base/must.h"

static void *run(void *argument)
{
    struct pool *p = argument;
    pthread_mutex_lock(&p->lock);
    uint32_t worker = p->started++;
    pthread_mutex_unlock(&p->lock);
    p->work(p->context, worker);
    pthread_mutex_lock(&p->lock);
    p->running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void pool_start(struct pool *p, uint32_t jobs, pool_work *work, void *context)
{
    must(jobs > 0);
    must(jobs <= POOL_JOBS_MAX);
    *p = (struct pool){ .work = work, .context = context, .jobs = jobs, .running = jobs };
    must(pthread_mutex_init(&p->lock, NULL) == 0);
    must(pthread_cond_init(&p->ended, NULL) == 0);
    for (uint32_t i = 0; i < jobs; i++) must(pthread_create(&p->thread[i], NULL, run, p) == 0);
}

static struct timespec from_now(uint32_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t); /* the clock that a condition's timeout is told in */
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

bool pool_wait(struct pool *p, uint32_t ms)
{
    struct timespec until = from_now(ms);
    int late = 0;
    pthread_mutex_lock(&p->lock);
    while (p->running > 0 && !late) late = pthread_cond_timedwait(&p->ended, &p->lock, &until);
    bool all = p->running == 0;
    pthread_mutex_unlock(&p->lock);
    return all;
}

void pool_finish(struct pool *p)
{
    for (uint32_t i = 0; i < p->jobs; i++) must(pthread_join(p->thread[i], NULL) == 0);
    pthread_cond_destroy(&p->ended);
    pthread_mutex_destroy(&p->lock);
}

void pool_run(uint32_t jobs, pool_work *work, void *context)
{
    struct pool p;
    pool_start(&p, jobs, work, context);
    pool_finish(&p);
}

uint32_t pool_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) return 1;
    return n > POOL_JOBS_MAX ? POOL_JOBS_MAX : (uint32_t)n;
}
