/* Scenarios and mutants.
 *
 * scenario_defaults is what an absent key means; scenarios/README.md shows the same
 * as a file, and a test holds the two together. A mutant is read on top of
 * the scenario that it names: a key that it has replaces the scenario's whole
 * value (lists and maps are not merged), a key that it lacks stays.
 *
 * --set changes the scenario that is named and the mutant's own keys, so that it
 * wins wherever the key stands. */
#include "sim/plan_keys.h"

#include <string.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"

#define OPERATIONS_MAX 64 /* LEDGER_OPS_MAX of sim/server/ledger.h */
#define ACCOUNT_CHANGES_MAX 16
#define WEIGHT_MAX 1000000
#define MUTANT_ROUNDS 1000 /* oracle.md: caught within 1,000 rounds, or the file says why more */
#define WHY_MAX_LEN 500

static const char *const scenario_schema[] = { "tabquake.scenario.v1" };
static const char *const mutant_schema[] = { "tabquake.mutant.v1" };

const char *const plan_fault_word[FAULT_COUNT] = {
#define FAULT(kind, word, target, lasts, rule, says) word,
#include "sim/base/fault.def"
#undef FAULT
};
static const char *const policy_words[POLICY_COUNT] = {
#define POLICY(kind, word, whose, says) word,
#include "sim/base/policy.def"
#undef POLICY
};
#define WORD(kind, word) word,
static const char *const profile_words[] = { PROFILES(WORD) };
static const char *const network_words[] = { NETWORKS(WORD) };
static const char *const layout_words[] = { LAYOUTS(WORD) };
static const char *const workstream_words[] = { WORKSTREAMS(WORD) };
static const char *const stage_words[] = { STAGES(WORD) };
static const char *const steal_words[] = { STEAL_RULES(WORD) };
static const char *const fallback_words[] = { FALLBACKS(WORD) };
static const char *const authority_words[] = { AUTHORITIES(WORD) };
static const char *const since_words[] = { "0s", "70s", "400s" };
#define LIST .list = true
#define NEEDED .required = true
#define WORDS(table) .words = (table), .words_n = PLAN_ENTRIES(table)

/* -- devices ----------------------------------------------------------------------- */

static const struct yaml_mix profiles_by_default = {
    .n = 6,
    .word = { PROFILE_CHROMIUM, PROFILE_GECKO, PROFILE_WEBKIT, PROFILE_CHROME_ANDROID, PROFILE_SPEC,
              PROFILE_WORST },
    .weight = { 40, 20, 15, 10, 5, 10 },
};

static void device_set_mix(struct device_plan *d, const struct yaml_mix *mix)
{
    _Static_assert(PROFILE_COUNT <= PROFILE_MIX_MAX, "every profile fits a mix");
    d->mix_n = mix->n;
    for (uint32_t i = 0; i < mix->n; i++) {
        d->mix[i].profile = (enum profile_kind)mix->word[i];
        d->mix[i].weight = mix->weight[i];
    }
}

static struct device_plan device_default(uint32_t tabs, uint32_t visible)
{
    struct device_plan d = { .tabs = tabs, .visible = visible };
    device_set_mix(&d, &profiles_by_default);
    return d;
}

static void read_profiles(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct yaml_mix mix;
    if (yaml_mix(y, node, k, &mix)) device_set_mix(at, &mix);
}

#define IN_DEVICE(member) offsetof(struct device_plan, member)
/* clang-format off */
static const struct yaml_key device_keys[] = {
    { .word = "tabs", yaml_count, IN_DEVICE(tabs), 1, PLAN_TABS_MAX, NEEDED },
    { .word = "visible", yaml_count, IN_DEVICE(visible), 0, PLAN_TABS_MAX },
    { .word = "private", yaml_flag, IN_DEVICE(private_session) },
    { .word = "profiles", read_profiles, 0, WORDS(profile_words) },
    { .word = "withoutLocks", yaml_percent, IN_DEVICE(without_locks_percent), 0, 100 },
    { .word = "older", yaml_percent, IN_DEVICE(older_percent), 0, 100 },
};
/* clang-format on */

static void read_devices(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    s->devices = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < s->devices; i++) {
        size_t before = y->key_n;
        s->device[i] = device_default(1, 1);
        yaml_map(y, yaml_enter(y, node, i), k->sub, k->sub_n, &s->device[i]);
        yaml_leave(y, before);
    }
}

/* -- faults ------------------------------------------------------------------------- */

static void read_phases(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    uint64_t bits = 0;
    yaml_words(y, node, k, &bits);
    uint32_t mask = (uint32_t)bits;
    memcpy(at, &mask, sizeof mask);
}

#define IN_FAULT(member) offsetof(struct fault_plan, member)
/* clang-format off */
static const struct yaml_key fault_keys[] = {
    { .word = "fault", yaml_word, IN_FAULT(kind), WORDS(plan_fault_word), NEEDED },
    { .word = "weight", yaml_count, IN_FAULT(weight), 0, WEIGHT_MAX },
    { .word = "always", yaml_flag, IN_FAULT(always) },
    { .word = "aimed", yaml_percent, IN_FAULT(aimed_percent), 0, 100 },
    { .word = "phases", read_phases, IN_FAULT(phase_mask), 1, PHASE_COUNT,
      WORDS(phase_word), LIST },
    { .word = "lasts", yaml_durations, IN_FAULT(lasts), US_PER_MS, PLAN_LASTS_MAX, LIST },
};
/* clang-format on */

#define WEIGHT_ABSENT UINT32_MAX

static void fault_fill(struct fault_plan *f)
{
    if (f->weight == WEIGHT_ABSENT) f->weight = f->always ? 0 : 1;
    if (f->lasts.max_us > 0 || !fault_has_length(f->kind)) return;
    f->lasts = (struct span_range){ US_PER_S, 5 * US_PER_S };
    if (f->kind == FAULT_LONG_TASK) f->lasts = (struct span_range){ 200 * US_PER_MS, 4 * US_PER_S };
}

static void read_fault(struct yaml *y, int node, const struct yaml_key *k, struct fault_plan *f,
                       uint64_t *seen)
{
    uint32_t errors = y->errors;
    *f = (struct fault_plan){ .kind = FAULT_COUNT, .weight = WEIGHT_ABSENT, .aimed_percent = 50 };
    yaml_map(y, node, k->sub, k->sub_n, f);
    if (y->errors != errors || f->kind == FAULT_COUNT) return; /* not read: enough errors before */
    char key[YAML_KEY_MAX + 8];
    if (*seen >> f->kind & 1) {
        snprintf(key, sizeof key, "%s.fault", y->key);
        yaml_error_at(y, key, "a fault for the second time", "each fault once");
    }
    if (f->lasts.max_us > 0 && !fault_has_length(f->kind)) {
        snprintf(key, sizeof key, "%s.lasts", y->key);
        yaml_error_at(y, key, "a duration", "nothing: this fault has none");
    }
    *seen |= UINT64_C(1) << f->kind;
    fault_fill(f);
}

static void read_faults(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    uint64_t seen = 0;
    _Static_assert(FAULT_COUNT <= 64, "a set of faults is one word");
    s->faults = 0;
    const yaml_node_t *n = yaml_document_get_node(&y->document, node);
    if (n->type == YAML_SEQUENCE_NODE && n->data.sequence.items.top == n->data.sequence.items.start)
        return; /* `faults: []` */
    s->faults = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < s->faults; i++) {
        size_t before = y->key_n;
        read_fault(y, yaml_enter(y, node, i), k, &s->fault[i], &seen);
        yaml_leave(y, before);
    }
}

/* -- the rest of a scenario ------------------------------------------------------------ */

static void read_network(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    struct yaml_mix mix;
    if (!yaml_mix(y, node, k, &mix)) return;
    s->networks = mix.n;
    for (uint32_t i = 0; i < mix.n; i++) {
        s->network[i] = (enum network_kind)mix.word[i];
        s->network_weight[i] = mix.weight[i];
    }
}

static void read_layout(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    struct yaml_mix mix;
    if (!yaml_mix(y, node, k, &mix)) return;
    s->layouts = mix.n;
    for (uint32_t i = 0; i < mix.n; i++) {
        s->layout[i] = (enum layout)mix.word[i];
        s->layout_weight[i] = mix.weight[i];
    }
}

static void read_hidden_since(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    struct yaml_mix mix;
    uint32_t weight[3] = { 0 };
    if (!yaml_mix(y, node, k, &mix)) return;
    for (uint32_t i = 0; i < mix.n; i++) weight[mix.word[i]] = mix.weight[i];
    s->hidden_since.none = weight[0];
    s->hidden_since.s70 = weight[1];
    s->hidden_since.s400 = weight[2];
}

static void read_seed(struct yaml *y, int node, const struct yaml_key *k, void *at)
{
    struct scenario *s = at;
    const char *text = yaml_scalar(y, node);
    (void)k;
    s->has_seed = text && *text;
    if (s->has_seed)
        s->seed = rng_seed_of_text(text);
    else
        yaml_wrong(y, node, "a number, a commit hash or any word");
}

#define IN(S, member) ((S) + offsetof(struct scenario, member))
/* clang-format off */
static const struct yaml_key long_keys[] = {
    { .word = "share", yaml_permille, IN(0, long_permille), 0, 1000, NEEDED },
    { .word = "duration", yaml_durations, IN(0, long_duration), US_PER_S, PLAN_LASTS_MAX, LIST },
};
/* clang-format on */

#define SUB(table) .sub = (table), .sub_n = PLAN_ENTRIES(table)

/* clang-format off */
/* The keys that a scenario and a mutant share. `S` is the offset of the scenario in the
 * struct that is filled; readers that fill several members get the scenario itself. */
#define SCENARIO_KEYS(S)                                                                          \
    { .word = "devices", read_devices, S, 1, DEVICES_MAX, SUB(device_keys), LIST },               \
    { .word = "allHidden", yaml_percent, IN(S, all_hidden_percent), 0, 100 },                     \
    { .word = "hiddenSince", read_hidden_since, S, WORDS(since_words) },                          \
    { .word = "network", read_network, S, WORDS(network_words) },                                 \
    { .word = "messageLoss", yaml_permille, IN(S, loss_permille), 0, 500 },                       \
    { .word = "slowTail", yaml_permille, IN(S, slow_permille), 0, 500 },                          \
    { .word = "layout", read_layout, S, WORDS(layout_words) },                                    \
    { .word = "operations", yaml_counts, IN(S, operations), 0, OPERATIONS_MAX, LIST },            \
    { .word = "duration", yaml_durations, IN(S, duration), US_PER_S, PLAN_LASTS_MAX, LIST },      \
    { .word = "accountChanges", yaml_counts, IN(S, account_changes), 0, ACCOUNT_CHANGES_MAX,      \
      LIST },                                                                                     \
    { .word = "sessionLifetime", yaml_duration, IN(S, session_lifetime_us), US_PER_S,             \
      PLAN_LASTS_MAX },                                                                           \
    { .word = "reuseInterval", yaml_duration, IN(S, reuse_us), 0, PLAN_LASTS_MAX },               \
    { .word = "longRounds", yaml_inside, S, SUB(long_keys) },                                     \
    { .word = "faultsDrawn", yaml_counts, IN(S, faults_drawn), 0, FAULTS_PLANNED_MAX, LIST },     \
    { .word = "omit", yaml_percent, IN(S, omit_percent), 0, 100 },                                \
    { .word = "faults", read_faults, S, 1, FAULT_COUNT, SUB(fault_keys), LIST },                  \
    { .word = "schedule", plan_read_schedule, S, 1, SCHEDULE_MAX, .sub = plan_step_keys,          \
      .sub_n = PLAN_STEP_KEYS, LIST },                                                            \
    { .word = "calm", yaml_flag, IN(S, calm) },                                                   \
    { .word = "seed", read_seed, S },                                                             \
    { .word = "policyOfOneVersion", yaml_flag, IN(S, policy_of_one_version) },                    \
    { .word = "workstream", yaml_word, IN(S, work), WORDS(workstream_words) },                    \
    { .word = "steal", yaml_word, IN(S, steal), WORDS(steal_words) },                             \
    { .word = "rollout", yaml_word, IN(S, stage), WORDS(stage_words) },                           \
    { .word = "canonicalFence", yaml_word, IN(S, authority), WORDS(authority_words) },            \
    { .word = "fallback", yaml_word, IN(S, fallback), WORDS(fallback_words) }
/* clang-format on */

#define SCENARIO_OWN 10 /* keys before those that --set may change */
/* clang-format off */
static const struct yaml_key scenario_keys[] = {
    { .word = "schema", yaml_skip }, /* checked before */
    { .word = "name", yaml_name, IN(0, name), 1, NAME_MAX_LEN, NEEDED },
    { .word = "says", yaml_text, IN(0, says), 1, SAYS_MAX_LEN },
    { .word = "report", yaml_name, IN(0, story.report), 1, NAME_MAX_LEN },
    { .word = "link", yaml_text, IN(0, story.link), 1, SAYS_MAX_LEN },
    { .word = "wrong", yaml_text, IN(0, story.wrong), 1, SAYS_MAX_LEN },
    { .word = "right", yaml_text, IN(0, story.right), 1, SAYS_MAX_LEN },
    { .word = "naive", yaml_words, IN(0, story.naive.bits), 1, POLICY_COUNT,
      WORDS(policy_words), LIST },
    { .word = "breaks", plan_read_breaks, 0, 1, STORY_BREAKS_MAX, LIST },
    { .word = "despite", plan_read_despite, 0, 1, STORY_BREAKS_MAX, LIST },
    { .word = "policy", yaml_words, IN(0, policy.bits), 1, POLICY_COUNT,
      WORDS(policy_words), LIST },
    SCENARIO_KEYS(0),
};
/* clang-format on */

struct plan_keys plan_scenario_keys(void)
{
    return (struct plan_keys){ scenario_keys + SCENARIO_OWN,
                               PLAN_ENTRIES(scenario_keys) - SCENARIO_OWN };
}

static void scenario_defaults(struct scenario *s)
{
    *s = (struct scenario){
        .device = { device_default(20, 3), device_default(4, 1) },
        .devices = 2,
        .all_hidden_percent = 10,
        .hidden_since = { 6, 2, 2 },
        .network = { NETWORK_BROADBAND, NETWORK_MOBILE, NETWORK_LAN },
        .network_weight = { 6, 3, 1 },
        .networks = 3,
        .layout = { LAYOUT_SINGLE, LAYOUT_QUORUM },
        .layout_weight = { 7, 3 },
        .layouts = 2,
        .operations = { 2, 6 },
        .session_lifetime_us = 4 * US_PER_S,
        .duration = { 10 * US_PER_S, 40 * US_PER_S },
        .long_duration = { 45 * US_PER_S, 95 * US_PER_S },
        .long_permille = 30,
        .faults_drawn = { 1, 3 },
    };
}

static void check_devices(struct yaml *y, const struct scenario *s)
{
    for (uint32_t i = 0; i < s->devices; i++) {
        char key[40], found[40], accepted[40];
        const struct device_plan *d = &s->device[i];
        if (d->visible <= d->tabs) continue;
        snprintf(key, sizeof key, "devices.%u.visible", i);
        snprintf(found, sizeof found, "%u of %u tabs", d->visible, d->tabs);
        snprintf(accepted, sizeof accepted, "at most %u", d->tabs);
        yaml_error_at(y, key, found, accepted);
    }
}

static void check_faults(struct yaml *y, struct scenario *s)
{
    uint64_t drawable = 0;
    uint32_t always = 0;
    for (uint32_t i = 0; i < s->faults; i++) {
        drawable += s->fault[i].weight;
        always += s->fault[i].always;
        if (s->fault[i].kind == FAULT_SECOND_DEVICE && s->devices < 2)
            yaml_error_at(y, "devices", "one device with the fault second-device", "two or more");
    }
    if (drawable == 0 && !yaml_at(y, "faultsDrawn")) s->faults_drawn = (struct count_range){ 0, 0 };
    if (drawable == 0 && s->faults_drawn.max > 0)
        yaml_error_at(y, "faultsDrawn", "a number above 0 with no fault to draw",
                      "0, or faults with a weight");
    if (always + s->faults_drawn.max + plan_scheduled_faults(s) > FAULTS_PLANNED_MAX)
        yaml_error_at(
            y, "faultsDrawn",
            "more than 32 faults of a round, those of always and of the schedule included",
            "at most 32");
}

/* What is known once all keys are read. */
static void scenario_finish(struct yaml *y, struct scenario *s)
{
    if (y->errors > 0) return;
    s->has_loss |= yaml_at(y, "messageLoss") != 0;
    s->has_slow |= yaml_at(y, "slowTail") != 0;
    s->has_work |= yaml_at(y, "workstream") != 0;
    s->has_steal |= yaml_at(y, "steal") != 0;
    s->has_stage |= yaml_at(y, "rollout") != 0;
    s->has_authority |= yaml_at(y, "canonicalFence") != 0;
    s->has_fallback |= yaml_at(y, "fallback") != 0;
    check_devices(y, s);
    check_faults(y, s);
    plan_check_schedule(y, s);
    plan_check_story(y, s);
}

static void set_file(char file[PATH_MAX_LEN], const struct yaml *y)
{
    snprintf(file, PATH_MAX_LEN, "%s", y->file);
}

void plan_read_scenario(struct yaml *y, struct scenario *s, const struct overrides *o)
{
    scenario_defaults(s);
    set_file(s->file, y);
    if (!yaml_schema(y, scenario_schema, 1)) return;
    plan_override(y, plan_scenario_keys(), o, true);
    yaml_map(y, yaml_root(y), scenario_keys, PLAN_ENTRIES(scenario_keys), s);
    scenario_finish(y, s);
}

bool scenario_load(struct scenario *s, const char *file, const struct overrides *o, FILE *err)
{
    struct yaml y;
    if (yaml_open(&y, file, err)) plan_read_scenario(&y, s, o);
    return yaml_close(&y);
}

struct contract scenario_contract(const struct scenario *s, const struct contract *c)
{
    struct contract bent = *c;
    if (s->has_work) bent.work = s->work;
    if (s->has_steal) bent.steal = s->steal;
    if (s->has_stage) bent.stage = s->stage;
    if (s->has_authority) bent.authority = s->authority;
    if (s->has_fallback) bent.fallback = s->fallback;
    return bent;
}

/* -- mutants ------------------------------------------------------------------------------ */

struct mutant_file {
    struct mutant m;
    char base[PATH_MAX_LEN];
    char why[WHY_MAX_LEN];
};

#define IN_MUTANT(member) offsetof(struct mutant_file, member)
#define MUTANT_OWN 8 /* keys before those that a scenario has too */
/* clang-format off */
static const struct yaml_key mutant_keys[] = {
    { .word = "schema", yaml_skip }, /* checked before */
    { .word = "name", yaml_name, IN_MUTANT(m.name), 1, NAME_MAX_LEN, NEEDED },
    { .word = "policy", yaml_word, IN_MUTANT(m.policy), WORDS(policy_words), NEEDED },
    { .word = "says", yaml_text, IN_MUTANT(m.says), 1, SAYS_MAX_LEN },
    { .word = "caught-by", yaml_name, IN_MUTANT(m.caught_by), 1, NAME_MAX_LEN, NEEDED },
    { .word = "rounds", yaml_count, IN_MUTANT(m.rounds), 1, 1000000 },
    { .word = "why", yaml_text, IN_MUTANT(why), 1, WHY_MAX_LEN },
    { .word = "scenario", yaml_text, IN_MUTANT(base), 1, PATH_MAX_LEN },
    SCENARIO_KEYS(IN_MUTANT(m.scenario)),
};
/* clang-format on */

/* The scenario that the mutant names; the defaults when it names none. */
static void read_base(struct yaml *y, struct scenario *s, const struct overrides *o)
{
    int node = yaml_at(y, "scenario");
    const char *relative = node ? yaml_scalar(y, node) : NULL;
    char path[PATH_MAX_LEN];
    scenario_defaults(s);
    if (!relative || !*relative) return; /* absent, or an error that the map reports */
    if (!plan_path(path, y->file, relative) || !scenario_load(s, path, o, y->err))
        yaml_error_at(y, "scenario", "a file that cannot be used",
                      "a path from this file to a scenario");
}

void plan_read_mutant(struct yaml *y, struct mutant *m, const struct overrides *o)
{
    struct mutant_file f = { .m.rounds = MUTANT_ROUNDS };
    struct plan_keys own = { mutant_keys + MUTANT_OWN, PLAN_ENTRIES(mutant_keys) - MUTANT_OWN };
    if (!yaml_schema(y, mutant_schema, 1)) return;
    plan_override(y, own, o, !yaml_at(y, "scenario"));
    read_base(y, &f.m.scenario, o);
    yaml_map(y, yaml_root(y), mutant_keys, PLAN_ENTRIES(mutant_keys), &f);
    if (f.m.rounds > MUTANT_ROUNDS && !*f.why)
        yaml_error_at(y, "rounds", "more than 1000 without a why", "at most 1000, or a why");
    scenario_finish(y, &f.m.scenario);
    if (y->errors > 0) return;
    *m = f.m;
    set_file(m->file, y);
    set_file(m->scenario.file, y);
    memcpy(m->scenario.name, m->name, sizeof m->name);
    memcpy(m->scenario.says, m->says, sizeof m->says);
    m->scenario.policy = policy_with(m->scenario.policy, m->policy);
}

bool mutant_load(struct mutant *m, const char *file, const struct overrides *o, FILE *err)
{
    struct yaml y;
    *m = (struct mutant){ .rounds = MUTANT_ROUNDS };
    if (yaml_open(&y, file, err)) plan_read_mutant(&y, m, o);
    return yaml_close(&y);
}
