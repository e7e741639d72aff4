/* Contracts, suites, and what all four kinds of file share: paths, overrides, the
 * question which kind a file is. Scenarios and mutants are in plan_scenario.c, the
 * reading itself in yaml.c.
 *
 * A contract's first eight keys are the article's and have no default; every
 * other key has one (contract_defaults), so that the article's eight lines are a
 * contract. The shipped files say them all. */
#include "sim/plan_keys.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

#define MS US_PER_MS
#define HOUR (INT64_C(3600) * US_PER_S)

#define WORD(kind, word) word,
static const char *const authority_words[] = { AUTHORITIES(WORD) };
static const char *const steal_words[] = { STEAL_RULES(WORD) };
static const char *const fallback_words[] = { FALLBACKS(WORD) };
static const char *const stage_words[] = { STAGES(WORD) };
#define LIST .list = true
#define NEEDED .required = true
#define WORDS(table) .words = (table), .words_n = PLAN_ENTRIES(table)
#define SUB(table) .sub = (table), .sub_n = PLAN_ENTRIES(table)

static const char *const schemas[] = { "crossTabLeader.v1", "tabquake.scenario.v1",
                                       "tabquake.suite.v1", "tabquake.mutant.v1" };
enum { SCHEMA_CONTRACT, SCHEMA_SCENARIO, SCHEMA_SUITE, SCHEMA_MUTANT };

/* -- paths and overrides -------------------------------------------------------------- */

bool plan_path(char path[PATH_MAX_LEN], const char *file, const char *relative)
{
    size_t folder = strlen(file);
    while (folder > 0 && file[folder - 1] != '/') folder--;
    if (relative[0] == '/') folder = 0;
    while (folder > 0) {
        size_t parent = folder - 1;
        while (parent > 0 && file[parent - 1] != '/') parent--;
        bool named = folder - 1 > parent && file[parent] != '.'; /* neither "/" nor "." nor ".." */
        if (strncmp(relative, "./", 2) == 0)
            relative += 2;
        else if (strncmp(relative, "../", 3) != 0 || !named)
            break;
        else {
            relative += 3;
            folder = parent;
        }
    }
    int n = snprintf(path, PATH_MAX_LEN, "%.*s%s", (int)folder, file, relative);
    return n >= 0 && n < PATH_MAX_LEN;
}

void plan_override(struct yaml *y, struct plan_keys keys, const struct overrides *o, bool create)
{
    for (uint32_t i = 0; o && i < o->n; i++)
        if (yaml_override(y, keys.key, keys.n, o->at[i].path, o->at[i].value, create) && o->placed)
            o->placed[i] = true;
}

#define WORDS_MAX 128 /* the keys of a contract and a scenario together are some 40 */

/* What is accepted where a path goes wrong: keys or words, each once. */
static uint32_t add_accepted(const struct yaml_reach *r, const char **words, uint32_t n)
{
    for (uint32_t i = 0; i < r->keys_n + r->words_n; i++) {
        const char *word = i < r->keys_n ? r->keys[i].word : r->words[i - r->keys_n];
        uint32_t same = 0;
        while (same < n && strcmp(words[same], word) != 0) same++;
        must(same < WORDS_MAX);
        words[same] = word;
        if (same == n) n++;
    }
    return n;
}

static void unused_override(const char *path, const struct yaml_reach *c,
                            const struct yaml_reach *s, FILE *err)
{
    const char *words[WORDS_MAX];
    char accepted[1024], clean[YAML_KEY_MAX], segment[64];
    size_t at = c->accepted > s->accepted ? c->accepted : s->accepted;
    uint32_t n = 0;
    if (c->accepted == at) n = add_accepted(c, words, n);
    if (s->accepted == at) n = add_accepted(s, words, n);
    yaml_clean(clean, sizeof clean, path);
    snprintf(segment, sizeof segment, "%.*s", (int)strcspn(path + at, "."), path + at);
    const char *near = yaml_nearest(segment, words, n);
    yaml_accepted(accepted, sizeof accepted, words, n, near);
    fprintf(err, "--set: %s: found a path that neither a contract nor a scenario has", clean);
    if (near) fprintf(err, " (did you mean %.*s%s?)", (int)at, clean, near);
    fprintf(err, ", accepted %s%s%.*s\n", n ? accepted : "nothing",
            at > 0 ? (n ? " after " : " below ") : "", at > 0 ? (int)at - 1 : 0, clean);
}

bool overrides_all_used(const struct overrides *o, FILE *err)
{
    struct plan_keys ck = plan_contract_keys(), sk = plan_scenario_keys();
    bool all = true;
    for (uint32_t i = 0; o && i < o->n; i++) {
        struct yaml_reach c = yaml_reach(ck.key, ck.n, o->at[i].path);
        struct yaml_reach s = yaml_reach(sk.key, sk.n, o->at[i].path);
        if (c.whole || s.whole) continue;
        unused_override(o->at[i].path, &c, &s, err);
        all = false;
    }
    return all;
}

bool override_is_of_contract(const struct override *o)
{
    struct plan_keys ck = plan_contract_keys(), sk = plan_scenario_keys();
    return yaml_reach(ck.key, ck.n, o->path).whole && !yaml_reach(sk.key, sk.n, o->path).whole;
}

bool overrides_all_placed(const struct overrides *o, FILE *err)
{
    bool all = true;
    for (uint32_t i = 0; o && i < o->n; i++) {
        char clean[YAML_KEY_MAX];
        if (!o->placed || o->placed[i]) continue;
        yaml_clean(clean, sizeof clean, o->at[i].path);
        fprintf(err,
                "--set: %s: found no file of this run with a place for it, accepted a list's"
                " entries from 0 and what the files have\n",
                clean);
        all = false;
    }
    return all;
}

/* -- contract --------------------------------------------------------------------------- */

#define IN(member) offsetof(struct contract, member)
/* clang-format off */
static const struct yaml_key lease_keys[] = {
    { .word = "ttl", yaml_duration, IN(lease.ttl_us), 10 * MS, HOUR },
    { .word = "renew", yaml_duration, IN(lease.renew_us), MS, HOUR },
};
static const struct yaml_key heartbeat_keys[] = {
    { .word = "interval", yaml_duration, IN(heartbeat.interval_us), 10 * MS, HOUR },
    { .word = "suspectAfter", yaml_duration, IN(heartbeat.suspect_after_us), 10 * MS, HOUR },
};
static const struct yaml_key ledger_keys[] = {
    { .word = "vacantAfter", yaml_duration, IN(vacant_after_us), MS, HOUR },
    { .word = "permitTtl", yaml_duration, IN(permit_ttl_us), MS, HOUR },
    { .word = "permitGrace", yaml_duration, IN(permit_grace_us), 0, HOUR },
    { .word = "serverAfter", yaml_duration, IN(server_after_us), MS, HOUR },
};
static const struct yaml_key slo_keys[] = {
    { .word = "failoverP99", yaml_duration, IN(slo.failover_p99_us), MS, HOUR },
    { .word = "byCause", yaml_duration, IN(slo.failover_by_cause_us), MS, HOUR },
    { .word = "backgroundOverrun", yaml_ppm, IN(slo.background_overrun_ppm), 0, 1000000 },
    { .word = "rounds", yaml_count, IN(slo.rounds), 1, 1000000000 },
    { .word = "needlessSteals", yaml_ppm, IN(slo.needless_steals_ppm), 0, 1000000 },
    { .word = "renewals", yaml_milli, IN(slo.renewals_per_leader_second_milli), 1, 1000000 },
    { .word = "progressWithin", yaml_duration, IN(slo.progress_within_us), MS, HOUR },
};
static const struct yaml_key contract_keys[] = {
    { .word = "schema", yaml_skip },
    { .word = "workstream", yaml_name, IN(workstream), 1, CONTRACT_TEXT_MAX, NEEDED },
    { .word = "lockName", yaml_text, IN(lock_name), 1, CONTRACT_TEXT_MAX, NEEDED },
    { .word = "protocol", yaml_text, IN(protocol), 1, CONTRACT_TEXT_MAX, NEEDED },
    { .word = "canonicalFence", yaml_word, IN(authority), WORDS(authority_words), NEEDED },
    { .word = "maxHold", yaml_duration, IN(max_hold_us), 100 * MS, 24 * HOUR, NEEDED },
    { .word = "steal", yaml_word, IN(steal), WORDS(steal_words), NEEDED },
    { .word = "fallback", yaml_word, IN(fallback), WORDS(fallback_words), NEEDED },
    { .word = "origin", yaml_text, IN(origin), 1, CONTRACT_TEXT_MAX },
    { .word = "ifAvailable", yaml_flag, IN(if_available) },
    { .word = "lease", yaml_inside, 0, SUB(lease_keys) },
    { .word = "heartbeat", yaml_inside, 0, SUB(heartbeat_keys) },
    { .word = "requestTimeout", yaml_duration, IN(request_timeout_us), 10 * MS, HOUR },
    { .word = "ledger", yaml_inside, 0, SUB(ledger_keys) },
    { .word = "rollout", yaml_word, IN(stage), WORDS(stage_words) },
    { .word = "slo", yaml_inside, 0, SUB(slo_keys) },
};
/* clang-format on */

struct plan_keys plan_contract_keys(void)
{
    return (struct plan_keys){ contract_keys + 1, PLAN_ENTRIES(contract_keys) - 1 };
}

/* The lease's numbers come from the model of protocol.md: p99 1.7 to 1.8 s at a ttl of 1 s
 * with renewal at a third; 2 s is missed from a ttl of 1.2 s on. */
static void contract_defaults(struct contract *c)
{
    *c = (struct contract){
        .origin = "https://app.example",
        .lease = { 1000 * MS, 333 * MS },
        .heartbeat = { 2000 * MS, 5000 * MS },
        .request_timeout_us = 400 * MS,
        .vacant_after_us = 500 * MS,
        .permit_ttl_us = 1000 * MS,
        .permit_grace_us = 500 * MS,
        .server_after_us = 5000 * MS,
        .stage = STAGE_OUTBOX,
        .slo = { .failover_p99_us = 2000 * MS,
                 .background_overrun_ppm = 1000,
                 .rounds = 100000,
                 .needless_steals_ppm = 50000,
                 .renewals_per_leader_second_milli = 4500,
                 .progress_within_us = 8000 * MS },
    };
}

/* The N of "name@N", 0 when it does not look like that. */
static uint32_t protocol_version(const char *protocol)
{
    const char *at = strchr(protocol, '@');
    uint32_t version = 0;
    if (!at || at == protocol || at[1] < '1' || at[1] > '9' || strlen(at + 1) > 6) return 0;
    for (const char *d = at + 1; *d; d++) {
        if (*d < '0' || *d > '9') return 0;
        version = version * 10 + (uint32_t)(*d - '0');
    }
    return version;
}

/* `found` and "less than `limit`" as durations. */
static void not_below(struct yaml *y, const char *key, int64_t us, const char *limit,
                      int64_t limit_us)
{
    char found[32], accepted[80], text[32];
    yaml_format_duration(found, sizeof found, us);
    yaml_format_duration(text, sizeof text, limit_us);
    snprintf(accepted, sizeof accepted, "less than %s (%s)", limit, text);
    yaml_error_at(y, key, found, accepted);
}

static void check_contract(struct yaml *y, struct contract *c)
{
    c->protocol_version = protocol_version(c->protocol);
    for (int k = 0; k < WORKSTREAM_COUNT; k++) /* any other name is an outbox */
        if (strcmp(c->workstream, workstream_word[k]) == 0) c->work = (enum workstream)k;
    if (c->protocol_version == 0)
        yaml_error_at(y, "protocol", "no version", "name@N, for instance leader-worker@3");
    if (strncmp(c->origin, "https://", 8) != 0 && strncmp(c->origin, "http://localhost", 16) != 0)
        yaml_error_at(y, "origin", "an origin without Web Locks", /* WL-1: secure contexts only */
                      "https://HOST or http://localhost");
    if (2 * c->lease.renew_us >= c->lease.ttl_us)
        not_below(y, "lease.renew", c->lease.renew_us, "half of lease.ttl", c->lease.ttl_us / 2);
    if (c->heartbeat.interval_us >= c->heartbeat.suspect_after_us)
        not_below(y, "heartbeat.interval", c->heartbeat.interval_us, "heartbeat.suspectAfter",
                  c->heartbeat.suspect_after_us);
    if (c->lease.ttl_us >= c->max_hold_us)
        not_below(y, "lease.ttl", c->lease.ttl_us, "maxHold", c->max_hold_us);
}

void plan_read_contract(struct yaml *y, struct contract *c, const struct overrides *o)
{
    contract_defaults(c);
    if (!yaml_schema(y, &schemas[SCHEMA_CONTRACT], 1)) return;
    plan_override(y, plan_contract_keys(), o, true);
    yaml_map(y, yaml_root(y), contract_keys, PLAN_ENTRIES(contract_keys), c);
    if (y->errors == 0) check_contract(y, c);
}

bool contract_load(struct contract *c, const char *file, const struct overrides *o, FILE *err)
{
    struct yaml y;
    if (yaml_open(&y, file, err)) plan_read_contract(&y, c, o);
    return yaml_close(&y);
}

/* -- suite -------------------------------------------------------------------------------- */

struct part_file {
    char path[PATH_MAX_LEN];
    uint32_t share;
};
struct suite_file {
    struct suite *suite;
    const struct overrides *overrides;
    char contract[PATH_MAX_LEN];
};

#define IN_PART(member) offsetof(struct part_file, member)
/* clang-format off */
static const struct yaml_key part_keys[] = {
    { .word = "scenario", yaml_text, IN_PART(path), 1, PATH_MAX_LEN, NEEDED },
    { .word = "share", yaml_count, IN_PART(share), 1, 1000000, NEEDED },
};
/* clang-format on */

/* A name stands for a scenario in every report, so no two may share one. */
static bool name_is_new(struct yaml *y, int node, const struct suite *s, const struct scenario *new)
{
    for (uint32_t i = 0; i < s->scenarios; i++) {
        if (strcmp(s->scenario[i].name, new->name) != 0) continue;
        char found[2 * NAME_MAX_LEN];
        snprintf(found, sizeof found, "the name %s for the second time", new->name);
        yaml_error(y, node, found, "scenarios with names of their own");
        return false;
    }
    return true;
}

/* Index of the scenario at the path; loaded at its first use. False after an error. */
static bool suite_scenario(struct yaml *y, int node, struct suite_file *f, const char *relative,
                           uint32_t *index)
{
    struct suite *s = f->suite;
    char path[PATH_MAX_LEN];
    bool fits = plan_path(path, y->file, relative);
    for (*index = 0; fits && *index < s->scenarios; ++*index)
        if (strcmp(s->scenario[*index].file, path) == 0) return true;
    must(s->scenarios < SUITE_MAX);
    if (!fits || !scenario_load(&s->scenario[s->scenarios], path, f->overrides, y->err)) {
        yaml_error(y, node, "a scenario that cannot be used",
                   "a path from this file to a scenario");
        return false;
    }
    if (!name_is_new(y, node, s, &s->scenario[s->scenarios])) return false;
    s->scenarios++;
    return true;
}

static void read_parts(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct suite_file *f = at;
    struct suite *s = f->suite;
    uint32_t n = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < n && y->errors < YAML_ERRORS_MAX; i++) {
        size_t before = y->key_n;
        uint32_t errors = y->errors;
        int entry = yaml_enter(y, node, i);
        struct part_file part = { .share = 0 };
        yaml_map(y, entry, k->sub, k->sub_n, &part);
        if (y->errors == errors &&
            suite_scenario(y, entry, f, part.path, &s->part[s->parts].scenario)) {
            s->part[s->parts++].share = part.share;
            s->share_sum += part.share;
        }
        yaml_leave(y, before);
    }
}

static const char *const suite_schema[] = { "tabquake.suite.v1" };
struct suite_text {
    struct suite_file f;
    char name[NAME_MAX_LEN];
    uint32_t percent[STRATEGY_COUNT];
};
#define IN_SUITE(member) offsetof(struct suite_text, member)
/* clang-format off */
static const struct yaml_key portfolio_keys[] = {
#define X(kind, name)                                                                            \
    { .word = name, yaml_percent, IN_SUITE(percent[STRATEGY_##kind]), .max = 100 },
    STRATEGIES(X)
#undef X
};
static const struct yaml_key suite_keys[] = {
    { .word = "schema", yaml_skip },
    { .word = "name", yaml_name, IN_SUITE(name), 1, NAME_MAX_LEN, NEEDED },
    { .word = "contract", yaml_text, IN_SUITE(f.contract), 1, PATH_MAX_LEN, NEEDED },
    { .word = "portfolio", yaml_inside, 0, SUB(portfolio_keys) },
    { .word = "parts", read_parts, IN_SUITE(f), 1, SUITE_MAX, SUB(part_keys), LIST, NEEDED },
};
/* clang-format on */

/* How the rounds are spent: all by dice unless the file says shares. */
static void check_portfolio(struct yaml *y, struct suite_text *t)
{
    uint32_t sum = 0;
    char found[40];
    for (int k = 0; k < STRATEGY_COUNT; k++) sum += t->percent[k];
    if (!yaml_at(y, "portfolio")) t->percent[STRATEGY_UNIFORM] = sum = 100;
    snprintf(found, sizeof found, "shares that sum to %u%%", sum);
    if (sum != 100) yaml_error_at(y, "portfolio", found, "shares that sum to 100%");
    if (sum == 100 && t->percent[STRATEGY_UNIFORM] == 0)
        yaml_error_at(y, "portfolio.uniform", "no uniformly drawn rounds",
                      "1% or more: figures and intervals are taken from them alone");
}

void plan_read_suite(struct yaml *y, struct suite *s, const struct overrides *o)
{
    struct suite_text t = { .f = { .suite = s, .overrides = o } };
    *s = (struct suite){ .scenario = calloc(SUITE_MAX, sizeof *s->scenario) };
    must(s->scenario != NULL);
    if (!yaml_schema(y, suite_schema, 1)) return;
    yaml_map(y, yaml_root(y), suite_keys, PLAN_ENTRIES(suite_keys), &t);
    if (y->errors == 0) check_portfolio(y, &t);
    memcpy(s->name, t.name, sizeof s->name);
    memcpy(s->percent, t.percent, sizeof s->percent);
    snprintf(s->file, sizeof s->file, "%s", y->file);
    if (!plan_path(s->contract_file, y->file, t.f.contract))
        yaml_error_at(y, "contract", "a path that is too long",
                      "at most 511 bytes with the folder");
}

bool suite_load(struct suite *s, const char *file, const struct overrides *o, FILE *err)
{
    struct yaml y;
    *s = (struct suite){ .parts = 0 };
    if (yaml_open(&y, file, err)) plan_read_suite(&y, s, o);
    if (yaml_close(&y)) return true;
    suite_free(s);
    return false;
}

void suite_free(struct suite *s)
{
    free(s->scenario);
    s->scenario = NULL;
    s->scenarios = s->parts = 0;
}

/* -- any kind -------------------------------------------------------------------------------- */

const char *plan_schema(const char *file, FILE *err)
{
    struct yaml y;
    const char *schema = NULL;
    if (yaml_open(&y, file, err)) schema = yaml_schema(&y, schemas, PLAN_ENTRIES(schemas));
    return yaml_close(&y) ? schema : NULL;
}

static void read_any(struct yaml *y)
{
    union {
        struct contract c;
        struct scenario s;
        struct suite u;
        struct mutant m;
    } any;
    const char *schema = yaml_schema(y, schemas, PLAN_ENTRIES(schemas));
    if (!schema) return;
    if (strcmp(schema, schemas[SCHEMA_CONTRACT]) == 0) plan_read_contract(y, &any.c, NULL);
    if (strcmp(schema, schemas[SCHEMA_SCENARIO]) == 0) plan_read_scenario(y, &any.s, NULL);
    if (strcmp(schema, schemas[SCHEMA_MUTANT]) == 0) plan_read_mutant(y, &any.m, NULL);
    if (strcmp(schema, schemas[SCHEMA_SUITE]) == 0) {
        plan_read_suite(y, &any.u, NULL);
        suite_free(&any.u);
    }
}

bool plan_check_bytes(const char *file, const void *bytes, size_t n, FILE *err)
{
    struct yaml y;
    if (yaml_open_bytes(&y, file, bytes, n, err)) read_any(&y);
    return yaml_close(&y);
}
