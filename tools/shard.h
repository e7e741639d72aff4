/* Which part of a run this process plays: --shard I/N, or what the engine that started it says
 * in the environment. A flag wins; what was taken from the environment is said aloud.
 *
 *   SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP             Slurm job arrays
 *   CI_NODE_INDEX, CI_NODE_TOTAL                         GitLab CI `parallel`, from 1
 *   CIRCLE_NODE_INDEX, CIRCLE_NODE_TOTAL                 CircleCI, from 0
 *   BUILDKITE_PARALLEL_JOB, BUILDKITE_PARALLEL_JOB_COUNT Buildkite, from 0
 *   SYSTEM_JOBPOSITIONINPHASE, SYSTEM_TOTALJOBSINPHASE   Azure Pipelines, from 1
 *   JOB_COMPLETION_INDEX, TABQUAKE_SHARDS                Kubernetes Indexed Jobs, from 0
 *   PARALLEL_SEQ, TABQUAKE_SHARDS                        GNU parallel, from 1
 *
 * Kubernetes and GNU parallel do not tell how many there are: TABQUAKE_SHARDS has to, and
 * without it their variables mean nothing. */
#ifndef TOOLS_SHARD_H
#define TOOLS_SHARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SHARDS_MAX 10000 /* tasks of one job array; a shard of 100,000 rounds is then 10 rounds */

struct shard {
    uint32_t number, of;  /* from 1; 1 of 1 is everything */
    const char *from;     /* the variables that said so; NULL: the flag, or nobody */
};

/* `text` is the flag's, or NULL. False after a sentence on `err`. */
bool shard_read(struct shard *s, const char *text, FILE *err);

#endif
