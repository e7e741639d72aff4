#include "tools/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reports/group.h"
#include "reports/history_file.h"
#include "reports/outfile.h"
#include "reports/report.h"
#include "reports/table.h"
#include "reports/timeline.h"
#include "sim/base/must.h"
#include "tools/interrupt.h"
#include "tools/version.h"

/* -- what the run is ------------------------------------------------------------------- */

struct run_info record_info(struct record *r, const struct campaign *c, const char *program,
                            const char *seed_text)
{
    time_t now = time(NULL);
    struct tm utc;
    const struct overrides *o = &c->in->overrides;
    memset(r, 0, sizeof *r);
    r->lock = -1;
    must(o->n <= FLAGS_SETS_MAX);
    for (uint32_t i = 0; i < o->n; i++)
        r->setting[i] = (struct run_setting){ o->at[i].path, o->at[i].value };
    if (gmtime_r(&now, &utc)) strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    r->info = (struct run_info){
        .seed_text = seed_text,
        .seed = c->in->seed,
        .revision = version_revision(),
        .build = version_build(),
        .suite = c->in->suite.file,
        .plan_digest = c->in->plan_digest,
        .contract_file = c->in->contract_is_shipped ? NULL : c->in->contract_file,
        .contract = c->in->contract,
        .program = program,
        .setting = r->setting,
        .settings = o->n,
        .rounds_asked = c->rounds,
        .block_rounds = c->block_rounds,
        .shard = c->shard.number,
        .shards = c->shard.of,
        .jobs = c->jobs,
        .started = r->started,
    };
    return r->info;
}

struct run_report record_report(const struct record *r, struct campaign *c)
{
    const double seconds = c->seconds > 0 ? c->seconds : 1e-9;
    const uint64_t rounds = c->done - c->resumed;
    sums_list(c->sums, c->lists);
    return (struct run_report){
        .run = r->info,
        .tally = &c->sums->tally,
        .scenario = c->sums->scenario, .scenarios = c->sums->scenarios,
        .failure = c->lists->failure, .failures = c->lists->failures,
        .noted = c->lists->noted, .noted_n = c->lists->noted_n,
        .performance = {
            .seconds = c->seconds,
            .rounds_per_s = (double)rounds / seconds,
            .events_per_s = (double)c->events / seconds,
            .speedup = (double)c->virtual_us / 1e6 / seconds,
            .jobs = c->jobs,
        },
        .interrupted = interrupted(),
    };
}

/* -- folders --------------------------------------------------------------------------- */

bool record_make_folder(const char *path)
{
    char part[PATH_MAX_LEN + 128];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) return false;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

static bool cannot(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return false;
}

/* Two runs in one folder would mix their results. The lock ends with the process, however it
 * ends; its empty file stays, since removing it would let a third run in. */
int record_lock(const char *folder)
{
    char path[PATH_MAX_LEN + 32];
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    snprintf(path, sizeof path, "%s/.lock", folder);
    int lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (lock >= 0 && fcntl(lock, F_SETLK, &whole) == 0) return lock;
    if (lock < 0 || (errno != EACCES && errno != EAGAIN))
        cannot(path);
    else
        fprintf(stderr,
                "%s: found another run that is writing here, accepted after its end or with"
                " another --out\n",
                folder);
    if (lock >= 0) close(lock);
    return -1;
}

bool record_open(struct record *r, const char *folder, bool resume, struct campaign *c)
{
    int n = snprintf(r->folder, sizeof r->folder, "%s", folder);
    if (n < 0 || n >= PATH_MAX_LEN || !record_make_folder(folder)) return cannot(folder);
    if ((r->lock = record_lock(r->folder)) < 0) return false;
    snprintf(r->path, sizeof r->path, "%s/results.sqlite", folder);
    bool there = access(r->path, F_OK) == 0;
    c->store = store_open(r->path, resume ? STORE_RESUME : STORE_CREATE, &r->info,
                          c->sums->scenario, c->sums->scenarios, stderr);
    if (!c->store) return false;
    if (!resume || !there) return true;
    r->stored = store_load_whole(r->path, stderr);
    if (r->stored) campaign_resume(c, r->stored);
    return r->stored != NULL;
}

void record_close(struct record *r, struct campaign *c)
{
    store_close(c->store);
    c->store = NULL;
    stored_free(r->stored);
    r->stored = NULL;
    if (r->groups) groups_free(r->groups);
    free(r->groups);
    r->groups = NULL;
    if (r->lock >= 0) close(r->lock);
    r->lock = -1;
}

/* -- failures ------------------------------------------------------------------------------ */

void record_group(struct record *r, const struct campaign *c, struct run_report *report)
{
    must(r->groups == NULL);
    r->groups = malloc(sizeof *r->groups);
    must(r->groups != NULL);
    groups_make(r->groups, c->in, report, r->folder);
    report->group = r->groups->at;
    report->groups = r->groups->n;
}

enum kept { KEPT_HISTORY, KEPT_TIMELINE, KEPT_MINIMAL, KEPT_COUNT };
static const char *const kept_file[KEPT_COUNT] = { "history.jsonl", "timeline.html",
                                                   "minimal.yaml" };

/* Those of an older run say nothing about this one. Only what we wrote is removed. */
static void forget_older(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char inner[PATH_MAX_LEN + 512], path[PATH_MAX_LEN + 540];
        bool ours = false;
        snprintf(inner, sizeof inner, "%s/%s", folder, entry[i]->d_name);
        for (int k = 0; entry[i]->d_name[0] != '.' && k < KEPT_COUNT; k++) {
            snprintf(path, sizeof path, "%s/%s", inner, kept_file[k]);
            ours = unlink(path) == 0 || ours;
        }
        if (ours) rmdir(inner);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    rmdir(folder);
}

struct kept_round {
    const struct scenario *scenario;
    const struct contract *contract;
    const struct run_report *report;
    const struct failure *failure;
    struct played played;
};

static bool write_history(FILE *f, const struct kept_round *k)
{
    struct history_meta meta = { .seed = k->failure->seed,
                                 .contract = scenario_contract(k->scenario, k->contract) };
    snprintf(meta.scenario, sizeof meta.scenario, "%s", k->scenario->name);
    snprintf(meta.revision, sizeof meta.revision, "%s", version_revision());
    history_write(f, k->played.history, &meta);
    return true;
}

static bool write_timeline(FILE *f, const struct kept_round *k)
{
    char line[TABLE_REPLAY_MAX];
    struct lanes lanes;
    if (!lanes_open(&lanes, k->played.history, k->played.result)) return false;
    timeline_html(f, &(struct timeline){ .lanes = &lanes,
                                         .result = k->played.result,
                                         .scenario = k->scenario->name,
                                         .revision = version_revision(),
                                         .command = table_replay(line, k->report, k->failure),
                                         .seed = k->failure->seed });
    lanes_close(&lanes);
    return true;
}

static bool keep_round(const char *inner, const struct kept_round *k)
{
    bool (*const write[])(FILE *, const struct kept_round *) = {
        [KEPT_HISTORY] = write_history,
        [KEPT_TIMELINE] = write_timeline,
    };
    for (int i = 0; i <= KEPT_TIMELINE; i++) {
        char path[OUTFILE_PATH_MAX];
        struct outfile o;
        snprintf(path, sizeof path, "%s/%s", inner, kept_file[i]);
        if (!outfile_open(&o, path, stderr)) return false;
        if (!write[i](o.f, k)) {
            outfile_drop(&o);
            fprintf(stderr, "%s: no memory for it\n", path);
            return false;
        }
        if (!outfile_commit(&o, stderr)) return false;
    }
    return true;
}

static bool keep_failure(const struct record *r, const struct campaign *c, struct player *p,
                         const struct run_report *report, const struct failure *x)
{
    const struct scenario *s = &c->in->suite.scenario[x->scenario];
    char relative[REPORT_FAILURE_MAX];
    char inner[PATH_MAX_LEN + REPORT_FAILURE_MAX], path[sizeof inner + 32];
    snprintf(inner, sizeof inner, "%s/%s", r->folder, report_failure(relative, report, x));
    if (!record_make_folder(inner)) return cannot(inner);
    snprintf(path, sizeof path, "%s/%s", inner, kept_file[KEPT_TIMELINE]);
    if (access(path, F_OK) == 0) return true; /* another invariant broke in the same round */
    struct course course = x->course;
    course.seed = x->seed;
    const struct kept_round k = { s, &c->in->contract, report, x,
                                  player_course(p, s, &c->in->contract, &course) };
    return keep_round(inner, &k);
}

/* Beside the history of the group's example. */
static bool write_minimal(const struct record *r, const struct run_report *report, uint32_t i)
{
    const struct failure_group *g = &report->group[i];
    char inner[REPORT_FAILURE_MAX], path[PATH_MAX_LEN + REPORT_FAILURE_MAX + 32];
    struct outfile o;
    snprintf(path, sizeof path, "%s/%s/%s", r->folder,
             report_failure(inner, report, &report->failure[g->example]), kept_file[KEPT_MINIMAL]);
    if (!group_has_file(report, i)) return true;
    if (!outfile_open(&o, path, stderr)) return false;
    fputs(g->script, o.f);
    return outfile_commit(&o, stderr);
}

static bool is_example(const struct run_report *report, uint32_t failure)
{
    for (uint32_t i = 0; i < report->groups; i++)
        if (report->group[i].example == failure) return true;
    return false;
}

static bool write_failures(const struct record *r, const struct campaign *c,
                           const struct run_report *report)
{
    char folder[PATH_MAX_LEN + 16];
    uint32_t kept[INV_COUNT] = { 0 };
    struct player player;
    bool ok = true;
    snprintf(folder, sizeof folder, "%s/failures", r->folder);
    forget_older(folder);
    if (report->failures == 0) return true;
    player_open(&player, c->in->tabs);
    for (uint32_t i = 0; ok && i < report->failures; i++) {
        const struct failure *x = &report->failure[i];
        if (kept[x->invariant]++ < RECORD_FAILURES_EACH || is_example(report, i))
            ok = keep_failure(r, c, &player, report, x);
    }
    for (uint32_t i = 0; ok && i < report->groups; i++) ok = write_minimal(r, report, i);
    player_close(&player);
    return ok;
}

bool record_finish(struct record *r, struct campaign *c, const struct run_report *report)
{
    bool ok = store_finish(c->store, report);
    ok = store_close(c->store) && ok;
    c->store = NULL;
    if (!ok) return false; /* there is no room for reports either; `report` makes them */
    ok = write_failures(r, c, report) && ok;
    return report_write_files(r->folder, report, NULL, stderr) && ok;
}
