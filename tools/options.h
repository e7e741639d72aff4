/* The options that several commands share, each written once.
 *
 * A command puts the flags that make sense for it into its own table:
 *
 *     struct options o = options_default();
 *     const struct flag table[] = { option_seed(&o), option_jobs(&o) };
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "oracle/judge.h"
#include "reports/outfile.h"
#include "tools/flags.h"
#include "tools/pool.h"
#include "tools/progress.h"

#define OPTIONS_ROUNDS_MAX UINT64_C(1000000000)
#define OPTIONS_SEED "tabquake" /* unless one is given, every run is the same run */

struct options {
    const char *seed, *contract, *out, *shard;
    uint64_t rounds; /* 0: the command's own number */
    uint64_t jobs;
    uint32_t progress; /* enum progress_mode */
    bool json;
    struct flag_sets sets;
};

static inline struct options options_default(void)
{
    return (struct options){ .seed = OPTIONS_SEED, .jobs = pool_cores() };
}

static inline struct flag option_seed(struct options *o)
{
    return (struct flag){ .name = "seed", .kind = FLAG_SEED, .into = &o->seed, .value = "S",
                          .says = "a number, a commit hash or any word"
                                  " (default: " OPTIONS_SEED ")" };
}

/* Of the commands that play one round again: there is no seed to assume (inputs_round). */
static inline struct flag option_round_seed(struct options *o)
{
    return (struct flag){ .name = "seed", .kind = FLAG_SEED, .into = &o->seed, .value = "S",
                          .says = "of the round (default: the scenario's own;"
                                  " a calm one needs none)" };
}

static inline struct flag option_rounds(struct options *o, const char *says)
{
    return (struct flag){ .name = "rounds", .kind = FLAG_NUMBER, .into = &o->rounds, .value = "N",
                          .says = says, .min = 1, .max = OPTIONS_ROUNDS_MAX };
}

static inline struct flag option_jobs(struct options *o)
{
    return (struct flag){ .name = "jobs", .kind = FLAG_NUMBER, .into = &o->jobs, .value = "N",
                          .says = "worker threads (default: all cores)",
                          .min = 1, .max = POOL_JOBS_MAX };
}

static inline struct flag option_contract(struct options *o)
{
    return (struct flag){ .name = "contract", .kind = FLAG_TEXT, .into = &o->contract,
                          .value = "FILE", .says = "another contract" };
}

static inline struct flag option_set(struct options *o)
{
    return (struct flag){ .name = "set", .kind = FLAG_SET, .into = &o->sets,
                          .value = "path=value",
                          .says = "changes a key of contract or scenario; repeatable" };
}

/* A single file, `-o` for short. */
static inline struct flag option_output(const char **into, const char *says)
{
    struct flag f = flag_text("output", into, "FILE", says);
    f.letter = 'o';
    return f;
}

/* ... of the commands that replace none: given, and free. False after a sentence on `err`. */
static inline bool option_output_is_free(const char *path, const char *command, FILE *err)
{
    if (path) return outfile_is_free(path, err);
    fprintf(err, "tabquake %s: --output: found nothing, accepted the file to write\n", command);
    return false;
}

/* INV_COUNT: none was named. */
static inline struct flag option_invariant(uint32_t *into, const char *says)
{
    return flag_word("invariant", into, "NAME", invariant_word, INV_COUNT, says);
}

static inline struct flag option_out(struct options *o, const char *says)
{
    return (struct flag){ .name = "out", .kind = FLAG_TEXT, .into = &o->out, .value = "DIR",
                          .says = says };
}

static inline struct flag option_course(const char **into)
{
    return (struct flag){ .name = "course", .kind = FLAG_TEXT, .into = into, .value = "COURSE",
                          .says = "how the seed is spent, as a run with a portfolio says" };
}

/* Of `text`, which may be NULL: uniform. False after a sentence. */
static inline bool option_read_course(struct course *c, const char *text, const char *command,
                                      FILE *err)
{
    if (!text || course_read(c, text)) return true;
    fprintf(err, "tabquake %s: --course: found %.100s, accepted %s\n", command, text,
            COURSE_ACCEPTED);
    return false;
}

static inline struct flag option_shard(struct options *o)
{
    return (struct flag){ .name = "shard", .kind = FLAG_TEXT, .into = &o->shard, .value = "I/N",
                          .says = "plays part I of N; `merge` joins them" };
}

static inline struct flag option_progress(struct options *o)
{
    return (struct flag){ .name = "progress", .kind = FLAG_WORD, .into = &o->progress,
                          .value = "auto|always|never", .words = progress_word,
                          .words_n = PROGRESS_MODES, .says = "how far it is, on standard error" };
}

static inline struct flag option_json(struct options *o)
{
    return (struct flag){ .name = "json", .kind = FLAG_SWITCH, .into = &o->json,
                          .says = "JSON on standard output, the rest on standard error" };
}

static inline struct overrides options_overrides(const struct options *o)
{
    return (struct overrides){ .at = o->sets.at, .n = o->sets.n };
}

#endif
