#include "tools/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

/* A whole number below 2^31 and nothing else. */
static bool number(const char *text, size_t n, int64_t *to)
{
    *to = 0;
    if (n == 0 || n > 9) return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *to = *to * 10 + (text[i] - '0');
    }
    return true;
}

static bool fits(struct shard *s, int64_t i, int64_t n)
{
    if (n < 1 || n > SHARDS_MAX || i < 1 || i > n) return false;
    s->number = (uint32_t)i;
    s->of = (uint32_t)n;
    return true;
}

static bool read_flag(struct shard *s, const char *text, FILE *err)
{
    const char *slash = strchr(text, '/');
    int64_t i, n;
    if (slash && number(text, (size_t)(slash - text), &i) &&
        number(slash + 1, strlen(slash + 1), &n) && fits(s, i, n))
        return true;
    fprintf(err, "tabquake: --shard: found %.40s, accepted I/N with I from 1 to N, N to %d\n", text,
            SHARDS_MAX);
    return false;
}

static const struct engine {
    const char *index, *total, *both; /* `index` alone begins at `from` */
    int64_t from;
} engines[] = {
    { "CI_NODE_INDEX", "CI_NODE_TOTAL", "CI_NODE_INDEX of CI_NODE_TOTAL", 1 },
    { "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "CIRCLE_NODE_INDEX of CIRCLE_NODE_TOTAL", 0 },
    { "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT",
      "BUILDKITE_PARALLEL_JOB of BUILDKITE_PARALLEL_JOB_COUNT", 0 },
    { "SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE",
      "SYSTEM_JOBPOSITIONINPHASE of SYSTEM_TOTALJOBSINPHASE", 1 },
    { "JOB_COMPLETION_INDEX", "TABQUAKE_SHARDS", "JOB_COMPLETION_INDEX of TABQUAKE_SHARDS", 0 },
    { "PARALLEL_SEQ", "TABQUAKE_SHARDS", "PARALLEL_SEQ of TABQUAKE_SHARDS", 1 },
};

static bool wrong(const char *name, const char *found, FILE *err)
{
    fprintf(err,
            "tabquake: %s in the environment: found %.40s, accepted a shard's number;"
            " --shard I/N says it otherwise\n",
            name, found);
    return false;
}

static bool read_engine(struct shard *s, const struct engine *e, FILE *err)
{
    const char *index = getenv(e->index), *total = getenv(e->total);
    int64_t i, n;
    must(index != NULL);
    must(total != NULL);
    if (!number(total, strlen(total), &n)) return wrong(e->total, total, err);
    if (!number(index, strlen(index), &i) || !fits(s, i - e->from + 1, n))
        return wrong(e->index, index, err);
    s->from = e->both;
    return true;
}

/* An array may begin anywhere and have steps: 10-50:10 has five tasks. */
static bool read_slurm(struct shard *s, const char *task, FILE *err)
{
    const char *count = getenv("SLURM_ARRAY_TASK_COUNT"), *min = getenv("SLURM_ARRAY_TASK_MIN"),
               *step = getenv("SLURM_ARRAY_TASK_STEP");
    int64_t i, n, first = 0, by = 1;
    if (!count || !number(count, strlen(count), &n))
        return wrong("SLURM_ARRAY_TASK_COUNT", count ? count : "nothing", err);
    if (min && !number(min, strlen(min), &first)) return wrong("SLURM_ARRAY_TASK_MIN", min, err);
    if (step && (!number(step, strlen(step), &by) || by < 1))
        return wrong("SLURM_ARRAY_TASK_STEP", step, err);
    if (!number(task, strlen(task), &i) || (i - first) % by != 0 ||
        !fits(s, (i - first) / by + 1, n))
        return wrong("SLURM_ARRAY_TASK_ID", task, err);
    s->from = "SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT";
    return true;
}

bool shard_read(struct shard *s, const char *text, FILE *err)
{
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    *s = (struct shard){ .number = 1, .of = 1 };
    if (text) return read_flag(s, text, err);
    if (task && *task) return read_slurm(s, task, err);
    for (size_t k = 0; k < sizeof engines / sizeof engines[0]; k++)
        if (getenv(engines[k].index) && getenv(engines[k].total))
            return read_engine(s, &engines[k], err);
    return true;
}
