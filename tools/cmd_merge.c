/* tabquake merge SHARD... -o RESULTS.sqlite: the run that the shards are parts of. Sums are
 * added, so digest, counts and quantiles are those of the run in one piece; the gate is judged
 * anew over all of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/gate_json.h"
#include "reports/group.h"
#include "reports/outfile.h"
#include "reports/store_read.h"
#include "reports/table.h"
#include "sim/base/must.h"
#include "tools/announce.h"
#include "tools/command.h"
#include "tools/options.h"
#include "tools/record.h"
#include "tools/shard.h"
#include "tools/verdict.h"

struct asked {
    struct options options;
    const char *output;
    char *const *file;
    uint32_t files;
};

struct part {
    struct stored_run *run; /* NULL: not there yet */
    const char *file;
};

struct merge {
    const struct asked *asked;
    struct part *shard; /* by number: shard[0] is the first */
    uint32_t shards;
    struct stored_run *all; /* read back from the output */
    struct gate_proofs proofs;
    struct failure_group *group;
    uint32_t groups;
    struct gate_report verdict;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    const struct flag table[] = {
        option_output(&a->output, "the results to write"),
        option_json(&a->options),
    };
    const struct flags f = {
        .command = "merge",
        .operands = "SHARD... -o RESULTS.sqlite",
        .says = "Joins the results.sqlite of all shards of one run, and judges the whole.",
        .example = "build/tabquake merge out/*/results.sqlite -o all.sqlite",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = SHARDS_MAX,
    };
    enum flags_outcome read = flags_read(&f, argc, argv, &a->files, stdout, stderr);
    a->file = argv + 2;
    if (read != FLAGS_OK) return read;
    return option_output_is_free(a->output, "merge", stderr) ? FLAGS_OK : FLAGS_WRONG;
}

/* -- reading -------------------------------------------------------------------------- */

/* Takes its place among the shards; false after a sentence. */
static bool place(struct merge *m, struct stored_run *r, const char *file)
{
    const struct run_info *run = &r->report.run;
    struct part *to = &m->shard[run->shard - 1];
    if (!r->finished)
        fprintf(stderr, "%s: shard %" PRIu32 " of %" PRIu32 " is not finished; --resume ends it\n",
                file, run->shard, run->shards);
    else if (to->run)
        fprintf(stderr, "%s: shard %" PRIu32 " of %" PRIu32 ", which %s is already\n", file,
                run->shard, run->shards, to->file);
    else if (!r->report.proofs)
        fprintf(stderr, "%s: a run that no gate has judged; accepted shards of a gate\n", file);
    else {
        *to = (struct part){ r, file };
        return true;
    }
    return false;
}

static bool make_places(struct merge *m, const struct stored_run *first, const char *file)
{
    m->shards = first->report.run.shards;
    if (m->shards > SHARDS_MAX) {
        fprintf(stderr, "%s: found %" PRIu32 " shards, accepted at most %d\n", file, m->shards,
                SHARDS_MAX);
        m->shards = 0;
        return false;
    }
    m->shard = calloc(m->shards, sizeof *m->shard);
    must(m->shard != NULL);
    return true;
}

static bool read_one(struct merge *m, const char *file, const struct stored_run **first)
{
    struct stored_run *r = store_load_whole(file, stderr);
    if (!r) return false;
    bool ok = *first ? stored_same_run(*first, r, file, stderr) : make_places(m, r, file);
    ok = ok && place(m, r, file);
    if (!ok) {
        stored_free(r);
        return false;
    }
    if (!*first) *first = r;
    return true;
}

static bool read_all(struct merge *m)
{
    const struct stored_run *first = NULL;
    bool whole = true;
    for (uint32_t i = 0; i < m->asked->files; i++)
        if (!read_one(m, m->asked->file[i], &first)) return false;
    for (uint32_t i = 0; i < m->shards; i++) {
        if (m->shard[i].run) continue;
        fprintf(stderr, "tabquake merge: shard %" PRIu32 " of %" PRIu32 " is missing\n", i + 1,
                m->shards);
        whole = false;
    }
    return whole;
}

/* -- what is judged ------------------------------------------------------------------- */

/* Each shard has tried the mutants, the canary and the old seeds, and its own rounds again. */
static void add_proofs(struct merge *m)
{
    m->proofs = m->shard[0].run->proofs;
    for (uint32_t i = 1; i < m->shards; i++) {
        const struct gate_proofs *p = &m->shard[i].run->proofs;
        m->proofs.replayed += p->replayed;
        m->proofs.replayed_differently += p->replayed_differently;
        m->proofs.canary_run &= p->canary_run;
        m->proofs.canary_red &= p->canary_red;
        if (p->golden_again > m->proofs.golden_again) m->proofs.golden_again = p->golden_again;
    }
}

static uint32_t failure_of(const struct run_report *all, const struct run_report *from,
                           const struct failure_group *g)
{
    const struct failure *x = &from->failure[g->example];
    uint32_t i = 0;
    while (i < all->failures &&
           (all->failure[i].index != x->index || all->failure[i].invariant != x->invariant))
        i++;
    return i;
}

/* The same group in several shards is one; its example is the first shard's. */
static void add_group(struct merge *m, const struct run_report *from, const struct failure_group *g)
{
    uint32_t i = 0, example = failure_of(&m->all->report, from, g);
    while (i < m->groups && (m->group[i].invariant != g->invariant ||
                             m->group[i].faults != g->faults || m->group[i].reduced != g->reduced))
        i++;
    if (i < m->groups) {
        m->group[i].failures += g->failures;
    } else if (example < m->all->report.failures) { /* else beyond those that are kept */
        m->group[m->groups] = *g;
        m->group[m->groups++].example = example;
    }
}

static int by_failure(const void *a, const void *b)
{
    const struct failure_group *x = a, *y = b;
    return x->example < y->example ? -1 : x->example > y->example;
}

static void add_groups(struct merge *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->shards; i++) n += m->shard[i].run->report.groups;
    m->group = calloc(n ? n : 1, sizeof *m->group);
    must(m->group != NULL);
    for (uint32_t i = 0; i < m->shards; i++)
        for (uint32_t k = 0; k < m->shard[i].run->report.groups; k++)
            add_group(m, &m->shard[i].run->report, &m->shard[i].run->group[k]);
    qsort(m->group, m->groups, sizeof *m->group, by_failure);
}

/* Machines worked side by side: together they are as fast as their sum. */
static struct performance performance_of(const struct merge *m)
{
    struct performance all = { .seconds = 0 };
    for (uint32_t i = 0; i < m->shards; i++) {
        const struct performance *p = &m->shard[i].run->report.performance;
        if (p->seconds > all.seconds) all.seconds = p->seconds;
        all.rounds_per_s += p->rounds_per_s;
        all.events_per_s += p->events_per_s;
        all.speedup += p->speedup;
        all.jobs += p->jobs;
    }
    return all;
}

/* -- writing -------------------------------------------------------------------------- */

static bool write_sums(struct merge *m, const char *path)
{
    struct run_info run = m->shard[0].run->report.run;
    run.shard = run.shards = 1;
    struct store *s = store_open(path, STORE_CREATE, &run, m->shard[0].run->scenario,
                                 m->shard[0].run->report.scenarios, stderr);
    bool ok = s != NULL;
    for (uint32_t i = 0; ok && i < m->shards; i++) {
        struct store_batch b = stored_batch(m->shard[i].run);
        ok = store_add(s, &b) && store_flush(s);
    }
    return store_close(s) && ok;
}

static bool write_judgement(struct merge *m, const char *path, struct run_report *r)
{
    struct store *s = store_open(path, STORE_RESUME, &m->all->report.run, m->all->scenario,
                                 m->all->report.scenarios, stderr);
    bool ok = s && store_finish(s, r);
    return store_close(s) && ok;
}

static void judge(struct merge *m, struct run_report *r)
{
    *r = m->all->report;
    r->interrupted = false; /* all shards came to their end */
    add_proofs(m);
    add_groups(m);
    r->proofs = &m->proofs;
    r->group = m->group;
    r->groups = m->groups;
    r->mutant = m->shard[0].run->mutant;
    r->mutants = m->shard[0].run->report.mutants;
    r->performance = performance_of(m);
    verdict_judge(&m->verdict, r, r->run.rounds_asked);
    r->gate = &m->verdict;
}

static void tell(const struct merge *m, const struct run_report *r)
{
    FILE *talk = m->asked->options.json ? stderr : stdout;
    char verdict[TABLE_VERDICT_MAX];
    table_conditions(talk, r, talk == stdout && isatty(fileno(stdout)));
    fputs("\n", talk);
    group_lines(talk, r, RECORD_FAILURES_EACH);
    fprintf(talk, "%" PRIu32 " shards\n", m->shards);
    announce_end(talk, r);
    if (m->asked->options.json) gate_json_write(stdout, r);
    fprintf(talk, "%s\n", table_verdict(verdict, r));
}

/* The file gets its name when it is whole. */
static int merge(struct merge *m)
{
    char path[OUTFILE_PATH_MAX];
    struct run_report r;
    int n = snprintf(path, sizeof path, "%s.tmp", m->asked->output);
    if (n < 0 || n >= OUTFILE_PATH_MAX) {
        fprintf(stderr, "%.60s...: the path is too long\n", m->asked->output);
        return EXIT_BAD_INPUT;
    }
    bool ok = read_all(m) && write_sums(m, path) && (m->all = store_load(path, stderr)) != NULL;
    if (ok) {
        judge(m, &r);
        ok = write_judgement(m, path, &r);
    }
    if (ok && rename(path, m->asked->output) != 0) {
        fprintf(stderr, "%s: %s\n", m->asked->output, strerror(errno));
        ok = false;
    }
    if (!ok) {
        (void)unlink(path);
        return EXIT_BAD_INPUT;
    }
    tell(m, &r);
    return (int)verdict_status(&m->verdict, &m->proofs);
}

int cmd_merge(int argc, char **argv)
{
    struct asked a;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    struct merge *m = calloc(1, sizeof *m);
    must(m != NULL);
    m->asked = &a;
    int status = merge(m);
    for (uint32_t i = 0; i < m->shards && m->shard; i++) stored_free(m->shard[i].run);
    stored_free(m->all);
    free(m->shard);
    free(m->group);
    free(m);
    return status;
}
