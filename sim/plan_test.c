/* Tests of the four kinds of plan files, of the reader below them and of the shipped
 * scenarios. Run from the root of the repository: the shipped files are read. */
#include "sim/plan.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/yaml.h"

Suite *plan_suite(void);

/* -- helpers ------------------------------------------------------------------------ */

#define CONTRACT_8                                                                                 \
    "schema: crossTabLeader.v1\nworkstream: w\nlockName: app:l\nprotocol: leader-worker@3\n"       \
    "canonicalFence: server-lease-ledger\nmaxHold: 30s\nsteal: incident-only\n"                    \
    "fallback: SERVER_COORDINATED\n"
#define SCENARIO_2 "schema: tabquake.scenario.v1\nname: x\n"

/* What is written to `err` for the bytes; "" when they are fine. Never freed: tests fork. */
static char *errors_of(const char *bytes, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *err = open_memstream(&text, &size);
    bool fine = plan_check_bytes("t.yaml", bytes, n, err);
    fclose(err);
    ck_assert_int_eq(fine, size == 0);
    return text;
}

static void ck_errors(const char *bytes, const char *expected)
{
    char *text = errors_of(bytes, strlen(bytes));
    ck_assert_str_eq(text, expected);
    free(text);
}

static char folder[PATH_MAX_LEN / 2];

static const char *in_folder(const char *name)
{
    static char path[4][PATH_MAX_LEN];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, PATH_MAX_LEN, "%s/%s", folder, name);
    return p;
}

static const char *put(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void folder_make(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/plan_test_XXXXXX", parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void folder_remove(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') remove(in_folder(e->d_name));
    if (d) closedir(d);
    rmdir(folder);
}

struct said {
    char text[4096];
    FILE *to;
};
static FILE *listen(struct said *s)
{
    memset(s->text, 0, sizeof s->text); /* a stream that nobody writes to ends nothing */
    return s->to = fmemopen(s->text, sizeof s->text, "w");
}
static const char *heard(struct said *s)
{
    fclose(s->to);
    return s->text;
}

/* -- shipped files ------------------------------------------------------------------- */

static void check_shipped(const char *path)
{
    static struct scenario s;
    static struct mutant m;
    struct suite u;
    struct contract c;
    const char *schema = plan_schema(path, stderr);
    ck_assert_msg(schema != NULL, "%s", path);
    if (strcmp(schema, "crossTabLeader.v1") == 0)
        ck_assert_msg(contract_load(&c, path, NULL, stderr), "%s", path);
    else if (strcmp(schema, "tabquake.scenario.v1") == 0)
        ck_assert_msg(scenario_load(&s, path, NULL, stderr), "%s", path);
    else if (strcmp(schema, "tabquake.mutant.v1") == 0)
        ck_assert_msg(mutant_load(&m, path, NULL, stderr), "%s", path);
    else {
        ck_assert_msg(suite_load(&u, path, NULL, stderr), "%s", path);
        suite_free(&u);
    }
}

static uint32_t check_shipped_folder(const char *name)
{
    uint32_t n = 0;
    DIR *d = opendir(name);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[PATH_MAX_LEN];
        size_t len = strlen(e->d_name);
        if (len < 6 || strcmp(e->d_name + len - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", name, e->d_name);
        check_shipped(path);
        n++;
    }
    closedir(d);
    return n;
}

START_TEST(every_shipped_file_is_accepted)
{
    ck_assert_uint_gt(check_shipped_folder("scenarios"), FAULT_COUNT + 10);
    ck_assert_uint_ge(check_shipped_folder("scenarios/contracts"), 2);
    ck_assert_uint_eq(check_shipped_folder("scenarios/mutants"), POLICY_COUNT - 1);
}
END_TEST

START_TEST(every_fault_has_a_scenario_of_its_name_with_it_alone)
{
    for (unsigned f = 0; f < FAULT_COUNT; f++) {
        char path[PATH_MAX_LEN];
        struct scenario s;
        snprintf(path, sizeof path, "scenarios/%s.yaml", fault_info[f].word);
        ck_assert_msg(scenario_load(&s, path, NULL, stderr), "%s", path);
        ck_assert_str_eq(s.name, fault_info[f].word);
        ck_assert_uint_eq(s.faults, 1);
        ck_assert_uint_eq(s.fault[0].kind, f);
        ck_assert_uint_ge(s.faults_drawn.min, 1);
    }
}
END_TEST

START_TEST(every_policy_but_the_canary_has_a_mutant_of_its_name)
{
    static const char *const invariants[] = { /* oracle.md; sim does not see the oracle */
                                              "single-active-generation",
                                              "no-stale-commit",
                                              "effect-at-most-once",
                                              "no-fail-open",
                                              "unreconciled-owned",
                                              "fence-outlives-rollback",
                                              "stage-respected",
                                              "steal-permitted",
                                              "lock-model",
                                              "legal-state",
                                              "ledger-linearizable",
                                              "progress",
                                              "no-lost-operation",
                                              "single-use-token",
                                              "account-bound",
                                              "subscription-exact",
                                              "renewal-earned",
                                              "reconciled-first"
    };
    for (unsigned p = 0; p < POLICY_COUNT; p++) {
        char path[PATH_MAX_LEN];
        struct mutant m;
        bool known = false;
        struct policy only = policy_with((struct policy){ 0 }, (enum policy_kind)p);
        if (p == POLICY_CANARY) continue;
        snprintf(path, sizeof path, "scenarios/mutants/%s.yaml", policy_info[p].word);
        ck_assert_msg(mutant_load(&m, path, NULL, stderr), "%s", path);
        ck_assert_uint_eq(m.policy, p);
        ck_assert_mem_eq(&m.scenario.policy, &only, sizeof only);
        ck_assert_str_eq(m.name, policy_info[p].word);
        ck_assert_str_eq(m.scenario.name, m.name);
        for (size_t i = 0; i < sizeof invariants / sizeof *invariants; i++)
            known |= strcmp(m.caught_by, invariants[i]) == 0;
        ck_assert_msg(known, "%s", m.caught_by);
    }
}
END_TEST

START_TEST(the_release_gate_has_two_devices_and_half_of_all_tabs_hidden_everywhere)
{
    struct suite u;
    bool seen[FAULT_COUNT] = { false };
    uint32_t chaos = 0;
    ck_assert(suite_load(&u, "scenarios/release-gate.yaml", NULL, stderr));
    ck_assert_str_eq(u.contract_file, "scenarios/contracts/account-outbox.yaml");
    for (uint32_t i = 0; i < u.parts; i++) {
        const struct scenario *s = &u.scenario[u.part[i].scenario];
        if (strcmp(s->name, "chaos") == 0) chaos = u.part[i].share;
        ck_assert_uint_eq(s->devices, 2);
        ck_assert_uint_eq(s->device[0].tabs, 20);
        ck_assert_uint_eq(s->device[1].tabs, 4);
        ck_assert_msg(s->device[0].visible >= 1 && s->device[0].visible <= 8, "%s", s->name);
        ck_assert_msg(2 * (s->device[0].visible + s->device[1].visible) <= 24, "%s", s->name);
        ck_assert_uint_gt(s->all_hidden_percent, 0);
        for (uint32_t f = 0; f < s->faults; f++) seen[s->fault[f].kind] = true;
    }
    ck_assert_uint_ge(chaos * 100, 55 * u.share_sum);
    ck_assert_uint_le(chaos * 100, 65 * u.share_sum);
    for (int f = 0; f < FAULT_COUNT; f++) ck_assert_msg(seen[f], "%s", fault_info[f].word);
    suite_free(&u);
}
END_TEST

START_TEST(chaos_draws_each_fault_in_five_of_a_hundred_rounds)
{
    struct scenario s;
    uint64_t sum = 0;
    ck_assert(scenario_load(&s, "scenarios/chaos.yaml", NULL, stderr));
    ck_assert_uint_eq(s.faults, FAULT_COUNT);
    for (uint32_t i = 0; i < s.faults; i++) sum += s.fault[i].weight;
    uint64_t drawn = s.faults_drawn.min + s.faults_drawn.max; /* twice the mean */
    for (uint32_t i = 0; i < s.faults; i++)
        /* expected draws of a fault that is not omitted, times the share in which it is not;
         * 6% of expectation leaves room for the rounds that draw it twice */
        ck_assert_uint_ge(drawn * s.fault[i].weight * (100 - s.omit_percent), 2 * 6 * sum);
}
END_TEST

static void ck_same_device(const struct device_plan *a, const struct device_plan *b)
{
    ck_assert_uint_eq(a->tabs, b->tabs);
    ck_assert_uint_eq(a->visible, b->visible);
    ck_assert_int_eq(a->private_session, b->private_session);
    ck_assert_uint_eq(a->mix_n, b->mix_n);
    ck_assert_mem_eq(a->mix, b->mix, sizeof a->mix);
    ck_assert_uint_eq(a->without_locks_percent, b->without_locks_percent);
    ck_assert_uint_eq(a->older_percent, b->older_percent);
}

START_TEST(the_template_says_what_an_absent_key_means)
{
    struct scenario t, d;
    ck_assert(scenario_load(&t, "scenarios/template.yaml", NULL, stderr));
    ck_assert(scenario_load(&d, put("d.yaml", SCENARIO_2), NULL, stderr));
    ck_assert_uint_eq(t.devices, d.devices);
    for (uint32_t i = 0; i < d.devices; i++) ck_same_device(&t.device[i], &d.device[i]);
    ck_assert_uint_eq(t.all_hidden_percent, d.all_hidden_percent);
    ck_assert_mem_eq(&t.hidden_since, &d.hidden_since, sizeof d.hidden_since);
    ck_assert_uint_eq(t.networks, d.networks);
    ck_assert_uint_eq(t.layouts, d.layouts);
    for (uint32_t i = 0; i < d.networks; i++) {
        ck_assert_uint_eq(t.network[i], d.network[i]);
        ck_assert_uint_eq(t.network_weight[i], d.network_weight[i]);
    }
    for (uint32_t i = 0; i < d.layouts; i++) {
        ck_assert_uint_eq(t.layout[i], d.layout[i]);
        ck_assert_uint_eq(t.layout_weight[i], d.layout_weight[i]);
    }
    ck_assert_mem_eq(&t.operations, &d.operations, sizeof d.operations);
    ck_assert_mem_eq(&t.duration, &d.duration, sizeof d.duration);
    ck_assert_mem_eq(&t.long_duration, &d.long_duration, sizeof d.long_duration);
    ck_assert_uint_eq(t.long_permille, d.long_permille);
    ck_assert_mem_eq(&t.faults_drawn, &d.faults_drawn, sizeof d.faults_drawn);
    ck_assert_uint_eq(t.omit_percent, d.omit_percent);
    ck_assert_uint_eq(t.faults, d.faults);
    ck_assert_mem_eq(&t.policy, &d.policy, sizeof d.policy);
    ck_assert_int_eq(t.policy_of_one_version, d.policy_of_one_version);
    ck_assert_uint_eq(t.steps, d.steps);
    ck_assert(!t.calm && !t.has_seed);
    ck_assert(!d.has_steal && !d.has_stage && !d.has_authority && !d.has_fallback);
}
END_TEST

static bool template_has(const char *text, const char *key)
{
    char line[80], nested[80], first[80], map[80], commented[80];
    snprintf(line, sizeof line, "\n%s:", key);
    snprintf(nested, sizeof nested, " %s:", key);
    snprintf(first, sizeof first, "- %s:", key);
    snprintf(map, sizeof map, "{%s:", key);
    snprintf(commented, sizeof commented, "\n#%s:", key);
    return strstr(text, line) || strstr(text, nested) || strstr(text, first) || strstr(text, map) ||
           strstr(text, commented);
}

START_TEST(the_template_shows_every_key_of_a_scenario_a_device_a_fault_and_a_step)
{
    static char text[16384];
    struct said s;
    const char *const wrong[] = { SCENARIO_2 "zzz: 1\n",
                                  SCENARIO_2 "devices: [{tabs: 1, zzz: 1}]\n",
                                  SCENARIO_2 "faults: [{fault: reload, zzz: 1}]\n",
                                  SCENARIO_2 "schedule: [{at: 1s, zzz: 1}]\n" };
    FILE *f = fopen("scenarios/template.yaml", "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (int i = 0; i < 4; i++) { /* the message lists the keys that there are */
        plan_check_bytes("t.yaml", wrong[i], strlen(wrong[i]), listen(&s));
        heard(&s);
        char *keys = strstr(s.text, "accepted ");
        ck_assert_ptr_nonnull(keys);
        int n = 0;
        for (char *key = strtok(keys + 9, ", \n"); key; key = strtok(NULL, ", \n"), n++)
            ck_assert_msg(template_has(text, key), "template.yaml lacks %s", key);
        ck_assert_int_ge(n, 6);
    }
}
END_TEST

/* -- schedule --------------------------------------------------------------------------- */

static struct scenario loaded(const char *text)
{
    struct scenario s;
    ck_assert(scenario_load(&s, put("s.yaml", text), NULL, stderr));
    return s;
}

START_TEST(a_step_has_a_time_or_a_phase_and_whom_it_acts_on)
{
    struct scenario s = loaded(
        SCENARIO_2
        "schedule:\n  - {at: 3.2s, fault: freeze-abrupt, lasts: 2s, tab: 3}\n"
        "  - {when: commit-in-flight, fault: close-holder}\n"
        "  - {at: 1s, submit: true, device: 1}\n  - {at: 2s, when: fenced, fault: clear-data}\n");
    ck_assert_uint_eq(s.steps, 4);
    ck_assert_int_eq(s.step[0].at_us, 3200000);
    ck_assert_int_eq(s.step[0].when, PHASE_COUNT);
    ck_assert_int_eq(s.step[0].fault, FAULT_FREEZE_ABRUPT);
    ck_assert_int_eq(s.step[0].lasts_us, 2000000);
    ck_assert_uint_eq(s.step[0].tab, 3);
    ck_assert_uint_eq(s.step[0].device, STEP_ANY);
    ck_assert_int_eq(s.step[1].at_us, -1);
    ck_assert_int_eq(s.step[1].when, PHASE_COMMIT);
    ck_assert_int_eq(s.step[1].lasts_us, 0);
    ck_assert_uint_eq(s.step[1].tab, STEP_ANY);
    ck_assert_int_eq(s.step[2].fault, FAULT_COUNT);
    ck_assert_uint_eq(s.step[2].device, 1);
    ck_assert_int_eq(s.step[3].at_us, 2000000);
    ck_assert_int_eq(s.step[3].when, PHASE_FENCED);
}
END_TEST

START_TEST(a_step_can_act_wait_for_an_observation_and_expect)
{
    struct scenario s = loaded(SCENARIO_2 "schedule:\n  - {for: 200ms, do: suspend, tab: 3}\n"
                                          "  - {until: belief.began, of: 2, do: open, device: 1}\n"
                                          "  - {expect: leads, tab: 2, within: 2s}\n"
                                          "  - {at: 3s, fault: answer-lost, request: effect}\n");
    ck_assert_int_eq(s.step[0].after_us, 200000);
    ck_assert_int_eq(s.step[0].action, ACTION_SUSPEND);
    ck_assert(!s.step[0].waits && !s.step[0].expects);
    ck_assert(s.step[1].waits && s.step[1].until == OBS_BELIEF_BEGAN);
    ck_assert_uint_eq(s.step[1].of, 2);
    ck_assert_int_eq(s.step[1].action, ACTION_OPEN);
    ck_assert(s.step[2].expects && s.step[2].expect == EXPECT_LEADS);
    ck_assert_int_eq(s.step[2].within_us, 2000000);
    ck_assert_int_eq(s.step[3].request, REQ_EFFECT);
}
END_TEST

START_TEST(a_story_is_whole)
{
#define STORY "wrong: w\nright: r\nnaive: [fail-open, canary]\nbreaks: [progress]\n"
    struct scenario s = loaded(SCENARIO_2 "report: F-1\nlink: l\ncalm: true\n" STORY);
    ck_assert_str_eq(s.story.report, "F-1");
    ck_assert_str_eq(s.story.breaks[0], "progress");
    ck_assert(policy_has(s.story.naive, POLICY_FAIL_OPEN));
    ck_assert(policy_has(s.story.naive, POLICY_CANARY) && policy_is_empty(s.policy));
    ck_errors(SCENARIO_2 STORY "seed: 1\n", "");
    ck_errors(SCENARIO_2 STORY, "t.yaml:5: naive: found a story with another end for every seed,"
                                " accepted calm: true, or seed\n");
    ck_errors(SCENARIO_2 "calm: true\nnaive: [fail-open]\n",
              "t.yaml:4: naive: found a naive variant alone, accepted breaks beside it: what it"
              " violates\nt.yaml:4: naive: found a story that does not say what happens, accepted"
              " wrong (with the naive variant) and right (with the reference)\n");
    ck_errors(SCENARIO_2 "breaks: [progress]\n",
              "t.yaml:3: breaks: found an invariant alone, accepted naive beside it: what violates"
              " it\n");
    ck_errors(SCENARIO_2 "report: F-1\n",
              "t.yaml:3: report: found a report without a naive variant, accepted naive and"
              " breaks\nt.yaml:3: report: found a report alone, accepted link beside it: where it"
              " stands\n");
}
END_TEST

#define STEP(text) SCENARIO_2 "schedule: [{" text "}]\n"

START_TEST(what_is_wrong_with_a_step_is_said)
{
    static const struct {
        const char *file, *said;
    } bad[] = {
        { STEP("at: 1s"), "t.yaml:3: schedule.0: found a step that does nothing,"
                          " accepted one of fault, do, submit: true, expect\n" },
        { STEP("at: 1s, fault: reload, submit: true"),
          "t.yaml:3: schedule.0: found several things in one step,"
          " accepted one of fault, do, submit: true, expect\n" },
        { STEP("fault: reload"), "t.yaml:3: schedule.0: found a first step without a time,"
                                 " accepted at, for, when or until\n" },
        { STEP("at: 1s, for: 1s, fault: reload"),
          "t.yaml:3: schedule.0.for: found a duration beside at, accepted one of them: for begins"
          " at the step before\n" },
        { STEP("until: lock.granted, when: fenced, fault: reload"),
          "t.yaml:3: schedule.0.until: found an observation beside a phase, accepted one of"
          " them\n" },
        { STEP("at: 1s, of: 1, fault: reload"),
          "t.yaml:3: schedule.0.of: found a tab, accepted nothing without until: whose observation"
          " it is\n" },
        { STEP("at: 1s, within: 1s, fault: reload"),
          "t.yaml:3: schedule.0.within: found a duration, accepted nothing: this step expects"
          " nothing\n" },
        { STEP("at: 1s, do: freeze"),
          "t.yaml:3: schedule.0: found no tab, accepted tab: whom the action is about\n" },
        { STEP("at: 1s, do: open, tab: 1"),
          "t.yaml:3: schedule.0.tab: found a tab, accepted nothing: this action is about a"
          " device\n" },
        { STEP("at: 1s, do: thaw, tab: 1, device: 0"),
          "t.yaml:3: schedule.0.device: found a device, accepted nothing: this action is about a"
          " tab\n" },
        { STEP("at: 1s, do: block, tab: 1"),
          "t.yaml:3: schedule.0: found no length, accepted lasts: how long the action goes on\n" },
        { STEP("at: 1s, do: hide, tab: 1, request: renew"),
          "t.yaml:3: schedule.0.request: found a kind of request, accepted nothing: an action"
          " meets no request\n" },
        { STEP("at: 1s, fault: reload, request: renew"),
          "t.yaml:3: schedule.0.request: found a kind of request, accepted nothing: this fault"
          " meets no single request\n" },
        { STEP("at: 1s, expect: leads"),
          "t.yaml:3: schedule.0: found no tab, accepted tab: whom the expectation is about\n" },
        { STEP("at: 1s, expect: settled, tab: 1"),
          "t.yaml:3: schedule.0.tab: found a tab, accepted nothing: this expectation is about no"
          " single tab\n" },
        { STEP("at: 1s, fault: reload, lasts: 2s"), "t.yaml:3: schedule.0.lasts: found a duration,"
                                                    " accepted nothing: this step has none\n" },
        { STEP("at: 1s, submit: true, lasts: 2s"), "t.yaml:3: schedule.0.lasts: found a duration,"
                                                   " accepted nothing: this step has none\n" },
        { STEP("at: 1s, fault: cut-up, tab: 1"),
          "t.yaml:3: schedule.0.tab: found a tab, accepted nothing: this fault acts on no single"
          " tab\n" },
        { STEP("at: 1s, fault: node-crash, device: 1"),
          "t.yaml:3: schedule.0.device: found a device, accepted nothing: this fault acts on no"
          " device\n" },
        { STEP("at: 1s, submit: true, device: 2"),
          "t.yaml:3: schedule.0.device: found 2 of 2 devices, accepted at most 1\n" },
        { STEP("at: 1s, submit: true, device: 0, tab: 20"),
          "t.yaml:3: schedule.0.tab: found tab 20, which is on device 1, accepted a tab of the"
          " step's device\n" },
        { STEP("at: 95s, submit: true"), "t.yaml:3: schedule.0.at: found 95s, accepted a time"
                                         " before the duration's end, 95s\n" },
        { SCENARIO_2 "devices: [{tabs: 2}]\nschedule: [{at: 1s, fault: second-device}]\n",
          "t.yaml:4: schedule.0.fault: found second-device with one device, accepted two devices"
          " or more\n" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) ck_errors(bad[i].file, bad[i].said);
}
END_TEST

START_TEST(an_unknown_fault_of_a_step_has_a_nearest_one)
{
    const char *bytes = STEP("at: 1s, fault: freeze-abrup");
    char *text = errors_of(bytes, strlen(bytes));
    ck_assert_ptr_nonnull(strstr(text, "t.yaml:3: schedule.0.fault: found freeze-abrup"
                                       " (did you mean freeze-abrupt?)"));
    free(text);
}
END_TEST

START_TEST(scheduled_faults_count_among_those_of_a_round)
{
    char text[4096] = SCENARIO_2 "faultsDrawn: 31\nfaults: [{fault: reload}]\nschedule:\n";
    strcat(text, "  - {at: 1s, fault: reload}\n  - {at: 2s, submit: true}\n");
    ck_errors(text, "");
    strcat(text, "  - {at: 3s, fault: reload}\n");
    ck_errors(text, "t.yaml:3: faultsDrawn: found more than 32 faults of a round, those of always"
                    " and of the schedule included, accepted at most 32\n");
}
END_TEST

START_TEST(a_scenario_can_be_calm_or_name_its_seed)
{
    struct scenario s = loaded(SCENARIO_2 "calm: true\nseed: 0x2a\n");
    ck_assert(s.calm && s.has_seed);
    ck_assert_uint_eq(s.seed, 0x2a);
    s = loaded(SCENARIO_2 "calm: false\n");
    ck_assert(!s.calm && !s.has_seed);
    ck_errors(SCENARIO_2 "seed: [1]\n",
              "t.yaml:3: seed: found a list, accepted a number, a commit hash or any word\n");
}
END_TEST

/* -- contract -------------------------------------------------------------------------- */

START_TEST(the_shipped_contract_is_the_article_s)
{
    struct contract c;
    ck_assert(contract_load(&c, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    ck_assert_str_eq(c.workstream, "account-outbox");
    ck_assert_str_eq(c.lock_name, "app:leader:account-outbox:v3");
    ck_assert_str_eq(c.protocol, "leader-worker@3");
    ck_assert_uint_eq(c.protocol_version, 3);
    ck_assert_uint_eq(c.authority, AUTHORITY_SERVER);
    ck_assert_int_eq(c.max_hold_us, 30 * US_PER_S);
    ck_assert_uint_eq(c.steal, STEAL_INCIDENT_ONLY);
    ck_assert_uint_eq(c.fallback, FALLBACK_SERVER_COORDINATED);
}
END_TEST

static void ck_contract_numbers(const struct contract *c)
{
    ck_assert_str_eq(c->origin, "https://app.example");
    ck_assert_int_eq(c->if_available, false);
    ck_assert_int_eq(c->lease.ttl_us, 1000000);
    ck_assert_int_eq(c->lease.renew_us, 333000);
    ck_assert_int_eq(c->heartbeat.interval_us, 2000000);
    ck_assert_int_eq(c->heartbeat.suspect_after_us, 5000000);
    ck_assert_int_eq(c->request_timeout_us, 400000);
    ck_assert_int_eq(c->vacant_after_us, 500000);
    ck_assert_int_eq(c->permit_ttl_us, 1000000);
    ck_assert_int_eq(c->permit_grace_us, 500000);
    ck_assert_int_eq(c->server_after_us, 5000000);
    ck_assert_uint_eq(c->stage, STAGE_OUTBOX);
    ck_assert_int_eq(c->slo.failover_p99_us, 2000000);
    ck_assert_int_eq(c->slo.failover_by_cause_us, 0);
    ck_assert_uint_eq(c->slo.background_overrun_ppm, 1000);
    ck_assert_uint_eq(c->slo.rounds, 100000);
    ck_assert_uint_eq(c->slo.needless_steals_ppm, 50000);
    ck_assert_uint_eq(c->slo.renewals_per_leader_second_milli, 4500);
    ck_assert_int_eq(c->slo.progress_within_us, 8000000);
}

START_TEST(the_article_s_eight_lines_are_a_contract_with_the_shipped_numbers)
{
    struct contract bare, shipped;
    ck_assert(contract_load(&bare, put("c.yaml", CONTRACT_8), NULL, stderr));
    ck_assert(contract_load(&shipped, "scenarios/contracts/account-outbox.yaml", NULL, stderr));
    ck_contract_numbers(&bare);
    ck_contract_numbers(&shipped);
}
END_TEST

START_TEST(the_local_contract_has_the_local_authority)
{
    struct contract c;
    ck_assert(contract_load(&c, "scenarios/contracts/account-outbox-local.yaml", NULL, stderr));
    ck_assert_uint_eq(c.authority, AUTHORITY_INDEXEDDB);
    ck_contract_numbers(&c);
}
END_TEST

/* -- messages ---------------------------------------------------------------------------- */

#define PHASES                                                                                     \
    "no-leader, waiting, granted, claim-in-flight, leading-idle, take-in-flight, "                 \
    "effect-in-flight, effect-unknown, commit-in-flight, renew-in-flight, draining, "              \
    "release-in-flight, fenced"
#define SCHEMAS "crossTabLeader.v1, tabquake.scenario.v1, tabquake.suite.v1, tabquake.mutant.v1"
#define UNITS "a duration with its unit (us, ms, s, min, h) from "
#define PLAIN ", accepted plain keys, values, lists and maps\n"

static const struct {
    const char *text, *says;
} bad[] = {
    /* whole files */
    { "", "t.yaml: found an empty file, accepted a map of keys with its schema\n" },
    { "# only a remark\n",
      "t.yaml: found an empty file, accepted a map of keys with its schema\n" },
    { "---\n...\n", "t.yaml:2: found nothing, accepted a map of keys with its schema\n" },
    { "- 1\n", "t.yaml:1: found a list, accepted a map of keys with its schema\n" },
    { "~", "t.yaml:1: found ~, accepted a map of keys with its schema\n" },
    { "schema: [x\n", "t.yaml:2: found while parsing a flow sequence: did not find expected ',' or "
                      "']', accepted YAML in UTF-8\n" },
    { "a: \x80\xff\n", "t.yaml:1: found invalid leading UTF-8 octet, accepted YAML in UTF-8\n" },
    { "a: \x01\n", "t.yaml:1: found control characters are not allowed, accepted YAML in UTF-8\n" },
    { "a: &x 1\n", "t.yaml:1: found an anchor (&name)" PLAIN },
    { "\na: *x\n", "t.yaml:2: found an alias (*name)" PLAIN },
    { "a: !!str 1\n", "t.yaml:1: found a tag (!name)" PLAIN },
    { "a: &x [*x]\n", "t.yaml:1: found an anchor (&name)" PLAIN },
    { "a: 1\n---\nb: 1\n", "t.yaml:2: found a second document" PLAIN },
    { "[[[[[[[[[[[[[[[[[", "t.yaml:1: found lists and maps nested more than 16 deep" PLAIN },
    /* schema */
    { "name: x\n", "t.yaml:1: schema: found nothing, accepted " SCHEMAS "\n" },
    { "schema: tabquake.v1\n", "t.yaml:1: schema: found tabquake.v1, accepted " SCHEMAS "\n" },
    { "schema: [1]\n", "t.yaml:1: schema: found a list, accepted " SCHEMAS "\n" },
    /* keys */
    { SCENARIO_2 "omitt: 3%\n",
      "t.yaml:3: omitt: found an unknown key (did you mean omit?), accepted omit or one of 35 "
      "others\n" },
    { SCENARIO_2 "zzzzzz: 3%\n",
      "t.yaml:3: zzzzzz: found an unknown key, accepted schema, name, says, report, link, wrong,"
      " right, naive, breaks, despite, "
      "policy, devices, allHidden, hiddenSince, network, messageLoss, slowTail, layout, "
      "operations, duration, accountChanges, sessionLifetime, reuseInterval, longRounds, "
      "faultsDrawn, omit, faults, schedule, calm, seed, policyOfOneVersion, workstream, steal, "
      "rollout, "
      "canonicalFence, fallback\n" },
    { CONTRACT_8 "lease: {TTL: 1s, zzz: 1s}\n",
      "t.yaml:9: lease.TTL: found an unknown key (did you mean ttl?), accepted ttl, "
      "renew\nt.yaml:9: lease.zzz: found an unknown key, accepted ttl, renew\n" },
    { SCENARIO_2 "name: y\n",
      "t.yaml:3: name: found a second time (first in line 2), accepted once\n" },
    { SCENARIO_2 "network: {lan: 1, lan: 2}\n",
      "t.yaml:3: network.lan: found a second time (first in line 3), accepted once\n" },
    { SCENARIO_2 "? [a]\n: 1\n",
      "t.yaml:3: found a key that is no plain text, accepted one of the keys by its name\n" },
    { "schema: tabquake.scenario.v1\n",
      "t.yaml:1: name: found nothing, accepted a value (this key has no default)\n" },
    { CONTRACT_8 "lease: 1s\n", "t.yaml:9: lease: found 1s, accepted a map of ttl, renew\n" },
    { SCENARIO_2 "network: {wide: 1}\n",
      "t.yaml:3: network.wide: found an unknown key, accepted lan, broadband, mobile\n" },
    /* texts */
    { "schema: tabquake.scenario.v1\nname: a b\n",
      "t.yaml:2: name: found a b, accepted 1 to 63 letters, digits, '-', '_' or '.'\n" },
    { "schema: tabquake.scenario.v1\nname: -a\n",
      "t.yaml:2: name: found -a, accepted 1 to 63 letters, digits, '-', '_' or '.'\n" },
    { "schema: tabquake.scenario.v1\nname: \"\\e[31mred\"\n",
      "t.yaml:2: name: found ?[31mred, accepted 1 to 63 letters, digits, '-', '_' or '.'\n" },
    { SCENARIO_2 "says: \"a\\u009b1m\"\n",
      "t.yaml:3: says: found a?1m, accepted a text of 1 to 199 bytes on one line\n" },
    { SCENARIO_2 "says: \"a\\0b\"\n", "t.yaml:3: says: found a text with a NUL in it, accepted a "
                                      "text of 1 to 199 bytes on one line\n" },
    { SCENARIO_2 "says:\n",
      "t.yaml:3: says: found nothing, accepted a text of 1 to 199 bytes on one line\n" },
    { SCENARIO_2 "says: [a]\n",
      "t.yaml:3: says: found a list, accepted a text of 1 to 199 bytes on one line\n" },
    { SCENARIO_2 "says: {a: b}\n",
      "t.yaml:3: says: found a map, accepted a text of 1 to 199 bytes on one line\n" },
    /* words */
    { SCENARIO_2 "steal: newer\n", "t.yaml:3: steal: found newer (did you mean never?), accepted "
                                   "never, incident-only, allowed\n" },
    { SCENARIO_2 "steal: 7\n",
      "t.yaml:3: steal: found 7, accepted never, incident-only, allowed\n" },
    { SCENARIO_2 "layout: [single]\n",
      "t.yaml:3: layout: found a list, accepted single, quorum\n" },
    { SCENARIO_2 "faults: [{fault: reload, phases: [leading-idle, leading-idle]}]\n",
      "t.yaml:3: faults.0.phases.1: found a word for the second time, accepted each word once\n" },
    { SCENARIO_2 "faults: [{fault: reload, phases: [renew]}]\n",
      "t.yaml:3: faults.0.phases.0: found renew, accepted " PHASES "\n" },
    { SCENARIO_2 "faults: [{fault: reload, always: yes}]\n",
      "t.yaml:3: faults.0.always: found yes, accepted true or false\n" },
    /* numbers */
    { SCENARIO_2 "operations: -1\n",
      "t.yaml:3: operations: found -1, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "operations: 65\n",
      "t.yaml:3: operations: found 65, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "operations: 010\n",
      "t.yaml:3: operations: found 010, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "operations: 1e1\n",
      "t.yaml:3: operations: found 1e1, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "operations: 1.5\n",
      "t.yaml:3: operations: found 1.5, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "operations: 99999999999999999999\n",
      "t.yaml:3: operations: found 99999999999999999999, accepted a number from 0 to 64 in steps "
      "of 1\n" },
    { SCENARIO_2 "operations: [6, 2]\n",
      "t.yaml:3: operations: found the larger end first, accepted [least, most]\n" },
    { SCENARIO_2 "operations: [1, 2, 3]\n",
      "t.yaml:3: operations: found 3 entries, accepted a list of 2 to 2 entries\n" },
    { SCENARIO_2 "operations: [1, x]\n",
      "t.yaml:3: operations.1: found x, accepted a number from 0 to 64 in steps of 1\n" },
    { SCENARIO_2 "omit: 30\n",
      "t.yaml:3: omit: found 30, accepted a number with % from 0% to 100% in steps of 1%\n" },
    { SCENARIO_2 "omit: 101%\n",
      "t.yaml:3: omit: found 101%, accepted a number with % from 0% to 100% in steps of 1%\n" },
    { SCENARIO_2 "longRounds: {share: 0.55%}\n",
      "t.yaml:3: longRounds.share: found 0.55%, accepted a number with % from 0% to 100% in steps "
      "of 0.1%\n" },
    { CONTRACT_8 "slo: {backgroundOverrun: 0.1, renewals: 4.5x}\n",
      "t.yaml:9: slo.backgroundOverrun: found 0.1, accepted a number with % from 0% to 100% in "
      "steps of 0.0001%\nt.yaml:9: slo.renewals: found 4.5x, accepted a number from 0.001 to 1000 "
      "in steps of 0.001\n" },
    { SCENARIO_2 "network: {lan: 0}\n",
      "t.yaml:3: network: found no weight above 0, accepted at least one\n" },
    /* durations */
    { CONTRACT_8 "lease: {ttl: 1}\n",
      "t.yaml:9: lease.ttl: found 1, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 1 s}\n",
      "t.yaml:9: lease.ttl: found 1 s, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 9ms}\n",
      "t.yaml:9: lease.ttl: found 9ms, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 2h}\n",
      "t.yaml:9: lease.ttl: found 2h, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 1sec}\n",
      "t.yaml:9: lease.ttl: found 1sec, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 10000.5us}\n",
      "t.yaml:9: lease.ttl: found 10000.5us, accepted " UNITS "10ms to 1h\n" },
    { CONTRACT_8 "lease: {ttl: 999999999999999h}\n",
      "t.yaml:9: lease.ttl: found 999999999999999h, accepted " UNITS "10ms to 1h\n" },
    { SCENARIO_2 "duration: [9s, 2s]\n",
      "t.yaml:3: duration: found the longer end first, accepted [shortest, longest]\n" },
    /* what fits together */
    { CONTRACT_8 "lease: {renew: 500ms}\n",
      "t.yaml:9: lease.renew: found 500ms, accepted less than half of lease.ttl (500ms)\n" },
    { CONTRACT_8 "heartbeat: {interval: 5s}\n",
      "t.yaml:9: heartbeat.interval: found 5s, accepted less than heartbeat.suspectAfter (5s)\n" },
    { CONTRACT_8 "lease: {ttl: 30s}\n",
      "t.yaml:9: lease.ttl: found 30s, accepted less than maxHold (30s)\n" },
    { CONTRACT_8 "origin: http://app.example\n",
      "t.yaml:9: origin: found an origin without Web Locks, accepted https://HOST or "
      "http://localhost\n" },
    { SCENARIO_2 "devices: []\n",
      "t.yaml:3: devices: found 0 entries, accepted a list of 1 to 4 entries\n" },
    { SCENARIO_2 "devices: [{visible: 1}]\n",
      "t.yaml:3: devices.0.tabs: found nothing, accepted a value (this key has no default)\n" },
    { SCENARIO_2 "devices:\n  - {tabs: 1}\n  - {tabs: 2, visible: 3}\n",
      "t.yaml:5: devices.1.visible: found 3 of 2 tabs, accepted at most 2\n" },
    { SCENARIO_2 "faults:\n  - {fault: reload}\n  - {fault: reload}\n",
      "t.yaml:5: faults.1.fault: found a fault for the second time, accepted each fault once\n" },
    { SCENARIO_2 "faults: [{fault: reload, lasts: 1s}]\n",
      "t.yaml:3: faults.0.lasts: found a duration, accepted nothing: this fault has none\n" },
    { SCENARIO_2 "faultsDrawn: 1\n", "t.yaml:3: faultsDrawn: found a number above 0 with no fault "
                                     "to draw, accepted 0, or faults with a weight\n" },
    { SCENARIO_2 "faultsDrawn: 32\nfaults: [{fault: reload}, {fault: discard, always: true}]\n",
      "t.yaml:3: faultsDrawn: found more than 32 faults of a round, those of always and of the "
      "schedule included, "
      "accepted at most 32\n" },
    { SCENARIO_2 "devices: [{tabs: 2}]\nfaults: [{fault: second-device}]\n",
      "t.yaml:3: devices: found one device with the fault second-device, accepted two or more\n" },
    /* suites and mutants */
    { "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\nparts: [{scenario: /dev/null, share: "
      "1}]\n",
      "/dev/null: found no regular file, accepted a readable YAML file\nt.yaml:4: parts.0: found a "
      "scenario that cannot be used, accepted a path from this file to a scenario\n" },
#define SUITE_OF(portfolio)                                                                        \
    "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\nportfolio: " portfolio                  \
    "\nparts: [{scenario: scenarios/small.yaml, share: 1}]\n"
    { SUITE_OF("{uniform: 50%, pct2: 49%}"),
      "t.yaml:4: portfolio: found shares that sum to 99%, accepted shares that sum to 100%\n" },
    { SUITE_OF("{pct2: 60%, sweep: 40%}"),
      "t.yaml:1: portfolio.uniform: found no uniformly drawn rounds, accepted 1% or more: figures"
      " and intervals are taken from them alone\n" },
    { SUITE_OF("{uniform: 50%, pct4: 50%}"),
      "t.yaml:4: portfolio.pct4: found an unknown key (did you mean pct2?), accepted uniform,"
      " pct2, pct3, sweep, mutation\n" },
    { SUITE_OF("{uniform: 50%, sweep: half}"), "t.yaml:4: portfolio.sweep: found half, accepted a"
                                               " number with % from 0% to 100% in steps of 1%\n" },
    { "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\nparts: [{scenario: x, share: 0}]\n",
      "t.yaml:4: parts.0.share: found 0, accepted a number from 1 to 1000000 in steps of 1\n" },
    { "schema: tabquake.mutant.v1\nname: m\npolicy: canary\ncaught-by: progress\nrounds: 1001\n",
      "t.yaml:5: rounds: found more than 1000 without a why, accepted at most 1000, or a why\n" },
    { "schema: tabquake.mutant.v1\nname: m\npolicy: canary\n",
      "t.yaml:1: caught-by: found nothing, accepted a value (this key has no default)\n" },
};

START_TEST(bad_input_is_told_with_line_key_found_and_accepted)
{
    ck_errors(bad[_i].text, bad[_i].says);
}
END_TEST

static const char *const protocols[] = { "leader-worker", "@3",    "lw@",       "lw@0",
                                         "lw@03",         "lw@3x", "lw@1234567" };

START_TEST(a_protocol_without_name_or_version_is_refused)
{
    char text[1024];
    snprintf(text, sizeof text,
             "schema: crossTabLeader.v1\nworkstream: w\nlockName: l\n"
             "protocol: \"%s\"\ncanonicalFence: indexeddb-ledger\nmaxHold: 30s\nsteal: never\n"
             "fallback: READ_ONLY\n",
             protocols[_i]);
    ck_errors(
        text,
        "t.yaml:4: protocol: found no version, accepted name@N, for instance leader-worker@3\n");
}
END_TEST

START_TEST(an_unknown_fault_gets_the_nearest_one_suggested)
{
    char *text = errors_of(SCENARIO_2 "faults: [{fault: frezze-abrupt}]\n",
                           strlen(SCENARIO_2 "faults: [{fault: frezze-abrupt}]\n"));
    const char *start = "t.yaml:3: faults.0.fault: found frezze-abrupt (did you mean "
                        "freeze-abrupt?), accepted freeze-abrupt or one of 45 others\n";
    ck_assert_str_eq(text, start);
    free(text);
    text = errors_of(SCENARIO_2 "faults: [{fault: zzz}]\n",
                     strlen(SCENARIO_2 "faults: [{fault: zzz}]\n"));
    for (int f = 0; f < FAULT_COUNT; f++) ck_assert_ptr_nonnull(strstr(text, fault_info[f].word));
    ck_assert_ptr_null(strstr(text, "..."));
    free(text);
}
END_TEST

START_TEST(several_errors_come_in_one_go_and_end_at_twenty)
{
    char text[4096] = SCENARIO_2 "omit: 1\nsteal: 1\nrollout: 1\n";
    char *three = errors_of(text, strlen(text));
    int lines = 0;
    for (const char *c = three; *c; c++) lines += *c == '\n';
    ck_assert_int_eq(lines, 3);
    free(three);
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "qqqqqqqq%d: 1\n", i);
    char *many = errors_of(text, strlen(text));
    lines = 0;
    for (const char *c = many; *c; c++) lines += *c == '\n';
    ck_assert_int_eq(lines, YAML_ERRORS_MAX + 1);
    ck_assert_ptr_nonnull(strstr(many, "t.yaml: that makes 20 errors; no more are shown\n"));
    free(many);
}
END_TEST

START_TEST(a_file_of_more_than_one_mebibyte_is_refused_and_one_of_exactly_that_is_read)
{
    size_t n = YAML_BYTES_MAX;
    char *text = malloc(n + 1);
    memset(text, '#', n + 1);
    memcpy(text, SCENARIO_2, strlen(SCENARIO_2));
    char *says = errors_of(text, n);
    ck_assert_str_eq(says, "");
    free(says);
    says = errors_of(text, n + 1);
    ck_assert_str_eq(says, "t.yaml: found more than 1 MiB, accepted a file of at most 1 MiB\n");
    free(says);
    free(text);
}
END_TEST

/* Found by fuzzing: past the last error shown nothing is read, and so no fault is known. */
START_TEST(a_list_of_faults_that_begins_after_twenty_errors_ends_quietly)
{
    char text[2048] = SCENARIO_2 "faults:\n";
    for (int i = 0; i < 30; i++) strcat(text, "  - {x: 1}\n");
    char *says = errors_of(text, strlen(text));
    ck_assert_ptr_nonnull(strstr(says, "that makes 20 errors"));
    free(says);
}
END_TEST

START_TEST(half_a_mebibyte_of_open_brackets_or_keys_ends_at_once)
{
    size_t n = YAML_BYTES_MAX / 2;
    char *text = malloc(n);
    memset(text, '[', n);
    char *says = errors_of(text, n);
    ck_assert_ptr_nonnull(strstr(says, "nested more than 16 deep"));
    free(says);
    memset(text, '\n', n);
    memcpy(text, SCENARIO_2, strlen(SCENARIO_2));
    for (size_t i = strlen(SCENARIO_2); i + 6 < n; i += 6) memcpy(text + i, "ab: 1\n", 6);
    says = errors_of(text, n);
    ck_assert_ptr_nonnull(strstr(says, "that makes 20 errors"));
    free(says);
    free(text);
}
END_TEST

START_TEST(a_long_value_is_cut_in_the_message_at_a_whole_character)
{
    ck_errors(SCENARIO_2 "steal: 0123456789012345678901234567890123456789012345678901234\xC3\xA4"
                         "bcdef\n",
              "t.yaml:3: steal: found 0123456789012345678901234567890123456789012345678901234..., "
              "accepted never, incident-only, allowed\n");
}
END_TEST

static void ck_unreadable(const char *path, const char *why)
{
    struct said s;
    struct scenario sc;
    char expected[2 * PATH_MAX_LEN];
    ck_assert(!scenario_load(&sc, path, NULL, listen(&s)));
    snprintf(expected, sizeof expected, "%s: found %s, accepted a readable YAML file\n", path, why);
    ck_assert_str_eq(heard(&s), expected);
}

START_TEST(missing_files_directories_and_pipes_are_told_and_do_not_hang)
{
    ck_unreadable(in_folder("nothing.yaml"), strerror(2));
    ck_unreadable(folder, "a directory");
    const char *pipe = in_folder("pipe.yaml");
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    ck_unreadable(pipe, "no regular file");
}
END_TEST

START_TEST(a_file_of_another_kind_is_refused_by_its_schema)
{
    struct said s;
    struct contract c;
    ck_assert(!contract_load(&c, "scenarios/healthy.yaml", NULL, listen(&s)));
    ck_assert_str_eq(heard(&s), "scenarios/healthy.yaml:1: schema: found tabquake.scenario.v1, "
                                "accepted crossTabLeader.v1\n");
}
END_TEST

START_TEST(the_schema_tells_the_kind_of_a_file)
{
    ck_assert_str_eq(plan_schema("scenarios/release-gate.yaml", stderr), "tabquake.suite.v1");
    ck_assert_str_eq(plan_schema("scenarios/chaos.yaml", stderr), "tabquake.scenario.v1");
    ck_assert_str_eq(plan_schema("scenarios/mutants/fail-open.yaml", stderr), "tabquake.mutant.v1");
    ck_assert_str_eq(plan_schema("scenarios/contracts/account-outbox.yaml", stderr),
                     "crossTabLeader.v1");
}
END_TEST

/* -- values ------------------------------------------------------------------------------- */

START_TEST(durations_are_exact_in_every_unit)
{
    static const struct {
        const char *text;
        int64_t us;
    } d[] = {
        { "7us", 7 },         { "333ms", 333000 },   { "0.5ms", 500 },
        { "1.25s", 1250000 }, { "2min", 120000000 }, { "1h", INT64_C(3600000000) },
        { "0s", 0 },          { "0.000001s", 1 },    { "1.50s", 1500000 },
    };
    int64_t us;
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) {
        ck_assert_msg(yaml_parse_duration(d[i].text, &us), "%s", d[i].text);
        ck_assert_int_eq(us, d[i].us);
    }
    ck_assert(!yaml_parse_duration("0.0000001s", &us));
    ck_assert(!yaml_parse_duration("1.s", &us));
    ck_assert(!yaml_parse_duration(".5s", &us));
    ck_assert(!yaml_parse_duration("1.2.3s", &us));
    ck_assert(!yaml_parse_duration("s", &us));
    ck_assert(!yaml_parse_duration("999999999999999h", &us)); /* would wrap */
}
END_TEST

START_TEST(durations_are_written_in_the_largest_exact_unit)
{
    static const struct {
        int64_t us;
        const char *text;
    } d[] = {
        { 0, "0s" },         { 1, "1us" },          { 1500000, "1500ms" },
        { 90000000, "90s" }, { 120000000, "2min" }, { INT64_C(7200000000), "2h" },
    };
    char text[32];
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) {
        yaml_format_duration(text, sizeof text, d[i].us);
        ck_assert_str_eq(text, d[i].text);
    }
}
END_TEST

START_TEST(a_scenario_s_values_arrive)
{
    struct scenario s;
    ck_assert(scenario_load(
        &s,
        put("s.yaml", SCENARIO_2
            "says: >\n  folded\n  text\n"
            "devices:\n"
            "  - {tabs: 12, visible: 5, private: true, profiles: {spec: 3, worst: 7, gecko-153: "
            "0}, withoutLocks: 2%, older: 1%}\n"
            "  - {tabs: 1, profiles: webkit-2.50}\n"
            "allHidden: 30%\nhiddenSince: {70s: 5}\nnetwork: mobile\nlayout: {quorum: 9, single: "
            "1}\n"
            "operations: 7\nduration: 3s\nlongRounds: {share: 0.5%, duration: [50s, 60s]}\n"
            "faultsDrawn: [2, 6]\nomit: 30%\npolicy: [fail-open, canary]\npolicyOfOneVersion: "
            "true\n"
            "steal: never\nrollout: observe\ncanonicalFence: indexeddb-ledger\nfallback: "
            "READ_ONLY\n"
            "faults:\n"
            "  - {fault: freeze-abrupt, weight: 9, aimed: 55%, phases: [commit-in-flight, "
            "waiting], lasts: [1500ms, 5s]}\n"
            "  - {fault: reload, always: true}\n"
            "  - {fault: long-task}\n"
            "  - {fault: discard, always: true, weight: 4}\n"),
        NULL, stderr));
    ck_assert_str_eq(s.says, "folded text");
    ck_assert_uint_eq(s.devices, 2);
    ck_assert_uint_eq(s.device[0].tabs, 12);
    ck_assert_uint_eq(s.device[0].visible, 5);
    ck_assert(s.device[0].private_session);
    ck_assert_uint_eq(s.device[0].mix_n, 2);
    ck_assert_uint_eq(s.device[0].mix[0].profile, PROFILE_SPEC);
    ck_assert_uint_eq(s.device[0].mix[0].weight, 3);
    ck_assert_uint_eq(s.device[0].mix[1].profile, PROFILE_WORST);
    ck_assert_uint_eq(s.device[0].mix[1].weight, 7);
    ck_assert_uint_eq(s.device[0].without_locks_percent, 2);
    ck_assert_uint_eq(s.device[0].older_percent, 1);
    ck_assert_uint_eq(s.device[1].visible, 1);
    ck_assert_uint_eq(s.device[1].mix_n, 1);
    ck_assert_uint_eq(s.device[1].mix[0].profile, PROFILE_WEBKIT);
    ck_assert_uint_eq(s.all_hidden_percent, 30);
    ck_assert(s.hidden_since.none == 0 && s.hidden_since.s70 == 5 && s.hidden_since.s400 == 0);
    ck_assert(s.networks == 1 && s.network[0] == NETWORK_MOBILE && s.network_weight[0] == 1);
    ck_assert(s.layouts == 2 && s.layout[0] == LAYOUT_QUORUM && s.layout_weight[0] == 9);
    ck_assert(s.operations.min == 7 && s.operations.max == 7);
    ck_assert(s.duration.min_us == 3000000 && s.duration.max_us == 3000000);
    ck_assert(s.long_permille == 5 && s.long_duration.min_us == 50000000 &&
              s.long_duration.max_us == 60000000);
    ck_assert(s.faults_drawn.min == 2 && s.faults_drawn.max == 6);
    ck_assert_uint_eq(s.omit_percent, 30);
    struct policy both = policy_with((struct policy){ 0 }, POLICY_FAIL_OPEN);
    both = policy_with(both, POLICY_CANARY);
    ck_assert_mem_eq(&s.policy, &both, sizeof both);
    ck_assert(s.policy_of_one_version);
    ck_assert(s.has_steal && s.steal == STEAL_NEVER && s.has_stage && s.stage == STAGE_OBSERVE);
    ck_assert(s.has_authority && s.authority == AUTHORITY_INDEXEDDB);
    ck_assert(s.has_fallback && s.fallback == FALLBACK_READ_ONLY);
    ck_assert_uint_eq(s.faults, 4);
    ck_assert_uint_eq(s.fault[0].kind, FAULT_FREEZE_ABRUPT);
    ck_assert(s.fault[0].weight == 9 && s.fault[0].aimed_percent == 55 && !s.fault[0].always);
    ck_assert_uint_eq(s.fault[0].phase_mask, (1u << PHASE_COMMIT) | (1u << PHASE_WAITING));
    ck_assert(s.fault[0].lasts.min_us == 1500000 && s.fault[0].lasts.max_us == 5000000);
    ck_assert(s.fault[1].always && s.fault[1].weight == 0 && s.fault[1].aimed_percent == 50);
    ck_assert(s.fault[1].phase_mask == 0 && s.fault[1].lasts.max_us == 0);
    ck_assert(s.fault[2].weight == 1 && s.fault[2].lasts.min_us == 200000);
    ck_assert(s.fault[3].weight == 4 && s.fault[3].lasts.max_us == 5000000);
}
END_TEST

START_TEST(the_order_of_keys_does_not_matter)
{
    struct scenario s;
    ck_assert(
        scenario_load(&s, put("s.yaml", "steal: allowed\nname: x\nschema: tabquake.scenario.v1\n"),
                      NULL, stderr));
    ck_assert_uint_eq(s.steal, STEAL_ALLOWED);
}
END_TEST

START_TEST(faults_are_drawn_by_default_where_there_are_any_to_draw)
{
    struct scenario s;
    ck_assert(
        scenario_load(&s, put("a.yaml", SCENARIO_2 "faults: [{fault: reload}]\n"), NULL, stderr));
    ck_assert(s.faults_drawn.min == 1 && s.faults_drawn.max == 3);
    ck_assert(scenario_load(
        &s, put("b.yaml", SCENARIO_2 "faults: [{fault: reload, always: true}]\n"), NULL, stderr));
    ck_assert(s.faults_drawn.min == 0 && s.faults_drawn.max == 0);
    ck_assert(scenario_load(&s, put("c.yaml", SCENARIO_2 "faults: []\n"), NULL, stderr));
    ck_assert(s.faults_drawn.min == 0 && s.faults_drawn.max == 0);
}
END_TEST

START_TEST(a_scenario_bends_only_the_keys_of_the_contract_that_it_has)
{
    struct contract c, b;
    struct scenario s;
    ck_assert(contract_load(&c, put("c.yaml", CONTRACT_8), NULL, stderr));
    ck_assert(scenario_load(&s, put("s.yaml", SCENARIO_2 "steal: allowed\n"), NULL, stderr));
    b = scenario_contract(&s, &c);
    ck_assert_uint_eq(b.steal, STEAL_ALLOWED);
    ck_assert_uint_eq(b.stage, c.stage);
    ck_assert_uint_eq(b.authority, c.authority);
    ck_assert_uint_eq(b.fallback, c.fallback);
    ck_assert(scenario_load(
        &s,
        put("t.yaml", SCENARIO_2
            "rollout: observe\ncanonicalFence: indexeddb-ledger\nfallback: SINGLE_PAGE\n"),
        NULL, stderr));
    b = scenario_contract(&s, &c);
    ck_assert_uint_eq(b.steal, c.steal);
    ck_assert_uint_eq(b.stage, STAGE_OBSERVE);
    ck_assert_uint_eq(b.authority, AUTHORITY_INDEXEDDB);
    ck_assert_uint_eq(b.fallback, FALLBACK_SINGLE_PAGE);
}
END_TEST

/* -- suites and mutants -------------------------------------------------------------------- */

START_TEST(a_suite_loads_a_scenario_once_however_often_it_is_named)
{
    struct suite u;
    put("a.yaml", "schema: tabquake.scenario.v1\nname: a\n");
    put("b.yaml", "schema: tabquake.scenario.v1\nname: b\n");
    ck_assert(
        suite_load(&u,
                   put("s.yaml", "schema: tabquake.suite.v1\nname: s\ncontract: ../c.yaml\nparts:\n"
                                 "  - {scenario: a.yaml, share: 2}\n  - {scenario: b.yaml, share: "
                                 "3}\n  - {scenario: ./a.yaml, share: 5}\n"),
                   NULL, stderr));
    ck_assert(u.parts == 3 && u.scenarios == 2 && u.share_sum == 10);
    ck_assert(u.part[0].scenario == 0 && u.part[1].scenario == 1 && u.part[2].scenario == 0);
    ck_assert_str_eq(u.scenario[1].file, in_folder("b.yaml"));
    char beside[PATH_MAX_LEN]; /* "../" goes out of the folder */
    snprintf(beside, sizeof beside, "%.*s/c.yaml", (int)(strrchr(folder, '/') - folder), folder);
    ck_assert_str_eq(u.contract_file, beside);
    suite_free(&u);
    ck_assert_ptr_null(u.scenario);
}
END_TEST

START_TEST(a_suite_spends_its_rounds_as_its_portfolio_says)
{
    struct suite u;
    folder_make();
    put("c.yaml", CONTRACT_8);
    put("x.yaml", SCENARIO_2);
    ck_assert(suite_load(&u,
                         put("s.yaml", "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\n"
                                       "portfolio: {mutation: 15%, uniform: 80%, pct3: 5%}\n"
                                       "parts: [{scenario: x.yaml, share: 1}]\n"),
                         NULL, stderr));
    ck_assert_uint_eq(u.percent[STRATEGY_UNIFORM], 80);
    ck_assert_uint_eq(u.percent[STRATEGY_PCT2], 0);
    ck_assert_uint_eq(u.percent[STRATEGY_PCT3], 5);
    ck_assert_uint_eq(u.percent[STRATEGY_MUTATION], 15);
    suite_free(&u);
    ck_assert(suite_load(&u,
                         put("s.yaml", "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\n"
                                       "parts: [{scenario: x.yaml, share: 1}]\n"),
                         NULL, stderr));
    ck_assert_uint_eq(u.percent[STRATEGY_UNIFORM], 100);
    suite_free(&u);
    folder_remove();
}
END_TEST

START_TEST(two_scenarios_of_a_suite_with_one_name_are_refused)
{
    struct suite u;
    struct said s;
    put("a.yaml", SCENARIO_2);
    put("b.yaml", SCENARIO_2);
    ck_assert(!suite_load(
        &u,
        put("s.yaml", "schema: tabquake.suite.v1\nname: s\ncontract: c.yaml\nparts:\n"
                      "  - {scenario: a.yaml, share: 2}\n  - {scenario: b.yaml, share: 3}\n"),
        NULL, listen(&s)));
    ck_assert_ptr_nonnull(strstr(heard(&s), "s.yaml:6: parts.1: found the name x for the second "
                                            "time, accepted scenarios with names of their own\n"));
    ck_assert_ptr_null(u.scenario);
}
END_TEST

START_TEST(a_mutant_is_its_scenario_with_its_own_keys_on_top)
{
    struct mutant m;
    put("base.yaml", SCENARIO_2
        "operations: 9\nomit: 10%\nsteal: allowed\nfaults: [{fault: reload}, {fault: discard}]\n");
    const char *file = put(
        "m.yaml",
        "schema: tabquake.mutant.v1\nname: m\npolicy: fail-open\nsays: why not\n"
        "caught-by: no-fail-open\nrounds: 2000\nwhy: it is rare\nscenario: base.yaml\nomit: 20%\n"
        "rollout: observe\nfaults: [{fault: hide-all}]\n");
    ck_assert(mutant_load(&m, file, NULL, stderr));
    ck_assert_str_eq(m.file, file);
    ck_assert_str_eq(m.scenario.file, file);
    ck_assert_str_eq(m.scenario.name, "m");
    ck_assert_str_eq(m.scenario.says, "why not");
    ck_assert_str_eq(m.caught_by, "no-fail-open");
    ck_assert_uint_eq(m.rounds, 2000);
    ck_assert(policy_has(m.scenario.policy, POLICY_FAIL_OPEN));
    ck_assert_uint_eq(m.scenario.operations.max, 9);
    ck_assert_uint_eq(m.scenario.omit_percent, 20);
    ck_assert(m.scenario.has_steal && m.scenario.steal == STEAL_ALLOWED);
    ck_assert(m.scenario.has_stage && m.scenario.stage == STAGE_OBSERVE);
    ck_assert_uint_eq(m.scenario.faults, 1);
    ck_assert_uint_eq(m.scenario.fault[0].kind, FAULT_HIDE_ALL);
}
END_TEST

START_TEST(a_mutant_without_scenario_starts_from_the_defaults)
{
    struct mutant m;
    ck_assert(mutant_load(
        &m, put("m.yaml", "schema: tabquake.mutant.v1\nname: m\npolicy: fail-open\ncaught-by: x\n"),
        NULL, stderr));
    ck_assert_uint_eq(m.scenario.device[0].tabs, 20);
    ck_assert_uint_eq(m.rounds, 1000);
}
END_TEST

START_TEST(a_mutant_s_errors_name_the_scenario_s_file_and_its_own)
{
    struct mutant m;
    struct said s;
    put("base.yaml", SCENARIO_2 "omit: 1\n");
    ck_assert(
        !mutant_load(&m,
                     put("m.yaml", "schema: tabquake.mutant.v1\nname: m\npolicy: "
                                   "fail-open\ncaught-by: x\nscenario: base.yaml\nsteal: 1\n"),
                     NULL, listen(&s)));
    heard(&s);
    ck_assert_ptr_nonnull(strstr(s.text, "base.yaml:3: omit: found 1, "));
    ck_assert_ptr_nonnull(strstr(s.text, "m.yaml:5: scenario: found a file that cannot be used, "
                                         "accepted a path from this file to a scenario\n"));
    ck_assert_ptr_nonnull(strstr(s.text, "m.yaml:6: steal: found 1, "));
}
END_TEST

/* -- overrides ------------------------------------------------------------------------------- */

#define SET(...)                                                                                   \
    (&(const struct overrides){ .at = (const struct override[]){ __VA_ARGS__ },                    \
                                .n = sizeof((const struct override[]){ __VA_ARGS__ }) /            \
                                     sizeof(struct override) })

START_TEST(set_changes_keys_that_are_there_and_keys_that_are_not)
{
    struct contract c;
    ck_assert(contract_load(&c, put("c.yaml", CONTRACT_8 "slo: {rounds: 7}\n"),
                            SET({ "slo.rounds", "2000" }, { "slo.failoverP99", "1500ms" },
                                { "lease.ttl", "3s" }, { "steal", "never" },
                                { "heartbeat", "{interval: 1s}" }, { "slo.rounds", "3000" }),
                            stderr));
    ck_assert_uint_eq(c.slo.rounds, 3000); /* the last one wins */
    ck_assert_int_eq(c.slo.failover_p99_us, 1500000);
    ck_assert_int_eq(c.lease.ttl_us, 3000000);
    ck_assert_uint_eq(c.steal, STEAL_NEVER);
    ck_assert_int_eq(c.heartbeat.interval_us, 1000000);
}
END_TEST

START_TEST(set_reaches_into_lists_and_maps_of_weights)
{
    struct scenario s;
    ck_assert(scenario_load(
        &s,
        put("s.yaml", SCENARIO_2
            "devices:\n  - {tabs: 20, visible: 4}\n  - {tabs: 4}\nnetwork: {lan: 1, mobile: 1}\n"
            "faults: [{fault: reload}, {fault: hide-all, lasts: [1s, 2s]}]\nduration: [1s, 2s]\n"),
        SET({ "devices.1.tabs", "200" }, { "network.lan", "8" }, { "faults.1.lasts.1", "9s" },
            { "duration.0", "2s" }, { "operations", "[3, 4]" }),
        stderr));
    ck_assert_uint_eq(s.device[0].tabs, 20);
    ck_assert_uint_eq(s.device[1].tabs, 200);
    ck_assert(s.network[0] == NETWORK_LAN && s.network_weight[0] == 8 && s.network_weight[1] == 1);
    ck_assert(s.fault[1].lasts.min_us == 1000000 && s.fault[1].lasts.max_us == 9000000);
    ck_assert_int_eq(s.duration.min_us, 2000000);
    ck_assert_uint_eq(s.operations.max, 4);
}
END_TEST

START_TEST(set_leaves_a_file_alone_that_has_no_place_for_it)
{
    struct scenario s;
    ck_assert(scenario_load(
        &s, put("s.yaml", SCENARIO_2 "devices: [{tabs: 5}]\nnetwork: lan\n"),
        SET({ "devices.3.tabs", "9" }, { "network.mobile", "3" }, { "slo.rounds", "9" }), stderr));
    ck_assert_uint_eq(s.devices, 1);
    ck_assert_uint_eq(s.device[0].tabs, 5);
    ck_assert(s.networks == 1 && s.network[0] == NETWORK_LAN);
}
END_TEST

START_TEST(set_is_checked_like_a_file_and_named_in_the_message)
{
    static const struct {
        struct override o;
        const char *says;
    } t[] = {
        { { "lease.ttl", "1" }, "--set: lease.ttl: found 1, accepted " UNITS "10ms to 1h\n" },
        { { "lease.ttl", "40s" },
          "--set: lease.ttl: found 40s, accepted less than maxHold (30s)\n" },
        { { "lease", "{tll: 1s}" },
          "--set: lease.tll: found an unknown key (did you mean ttl?), accepted ttl, renew\n" },
        { { "steal", "" },
          "--set: steal: found nothing, accepted never, incident-only, allowed\n" },
        { { "slo.rounds", "[" },
          "--set: slo.rounds: found a value that is no YAML, accepted a value as in the file\n" },
        { { "slo.rounds", "&a 1" },
          "--set: slo.rounds: found a value that is no YAML, accepted a value as in the file\n" },
    };
    struct contract c;
    struct said s;
    const char *file = put("c.yaml", CONTRACT_8);
    ck_assert(!contract_load(&c, file, SET(t[_i].o), listen(&s)));
    ck_assert_str_eq(heard(&s), t[_i].says);
}
END_TEST

START_TEST(set_wins_in_a_mutant_wherever_the_key_stands)
{
    struct mutant m;
    put("base.yaml", SCENARIO_2 "operations: 9\nnetwork: {lan: 1, mobile: 1}\n");
    const char *file = put("m.yaml", "schema: tabquake.mutant.v1\nname: m\npolicy: "
                                     "fail-open\ncaught-by: x\nscenario: base.yaml\nomit: 20%\n");
    ck_assert(mutant_load(
        &m, file,
        SET({ "operations", "5" }, { "omit", "1%" }, { "network.lan", "7" }, { "allHidden", "3%" }),
        stderr));
    ck_assert_uint_eq(m.scenario.operations.max, 5);
    ck_assert_uint_eq(m.scenario.omit_percent, 1);
    ck_assert_uint_eq(m.scenario.all_hidden_percent, 3);
    ck_assert(m.scenario.networks == 2 && m.scenario.network_weight[0] == 7);
}
END_TEST

START_TEST(set_reaches_the_scenarios_of_a_suite)
{
    struct suite u;
    put("a.yaml", SCENARIO_2);
    ck_assert(suite_load(&u,
                         put("s.yaml", "schema: tabquake.suite.v1\nname: s\ncontract: "
                                       "c.yaml\nparts: [{scenario: a.yaml, share: 2}]\n"),
                         SET({ "operations", "11" }, { "name", "other" }), stderr));
    ck_assert_uint_eq(u.scenario[0].operations.max, 11);
    ck_assert_str_eq(u.scenario[0].name, "x"); /* names are not for --set */
    suite_free(&u);
}
END_TEST

START_TEST(a_path_without_a_place_in_any_file_is_an_error)
{
    struct said s;
    struct scenario x;
    bool placed[3] = { false };
    const struct override set[] = { { "devices.0.tabs", "3" },
                                    { "devices.5.tabs", "3" },
                                    { "messageLoss", "1%" } };
    const struct overrides o = { set, 3, placed };
    ck_assert(overrides_all_used(&o, stderr));
    ck_assert(scenario_load(&x, "scenarios/small.yaml", &o, stderr));
    ck_assert(placed[0] && !placed[1] && placed[2]);
    ck_assert(!overrides_all_placed(&o, listen(&s)));
    heard(&s);
    ck_assert_msg(strstr(s.text, "--set: devices.5.tabs: found no file of this run") == s.text,
                  "%s", s.text);
    placed[1] = true;
    ck_assert(overrides_all_placed(&o, stderr));
}
END_TEST

START_TEST(paths_of_contracts_and_scenarios_are_used)
{
    struct said s;
    ck_assert(overrides_all_used(NULL, stderr));
    ck_assert(overrides_all_used(
        SET({ "slo.rounds", "" }, { "devices.0.tabs", "" }, { "devices", "" },
            { "network.lan", "" }, { "devices.1.profiles.worst", "" }, { "faults.40.phases.2", "" },
            { "operations.1", "" }, { "hiddenSince.70s", "" }, { "longRounds.duration.0", "" },
            { "policy.0", "" }, { "fallback", "" }),
        listen(&s)));
    ck_assert_str_eq(heard(&s), "");
}
END_TEST

START_TEST(a_path_that_nothing_has_is_an_error_with_a_suggestion)
{
    static const struct {
        const char *path, *says;
    } t[] = {
        { "slo.round",
          "--set: slo.round: found a path that neither a contract nor a scenario has (did you mean "
          "slo.rounds?), accepted failoverP99, byCause, backgroundOverrun, rounds, needlessSteals, "
          "renewals, progressWithin after slo\n" },
        { "devices.0.tab", "--set: devices.0.tab: found a path that neither a contract nor a "
                           "scenario has (did you mean devices.0.tabs?), accepted tabs, visible, "
                           "private, profiles, withoutLocks, older after devices.0\n" },
        { "network.wide", "--set: network.wide: found a path that neither a contract nor a "
                          "scenario has, accepted lan, broadband, mobile after network\n" },
        { "slo.rounds.x", "--set: slo.rounds.x: found a path that neither a contract nor a "
                          "scenario has, accepted nothing below slo.rounds\n" },
        { "steal.never", "--set: steal.never: found a path that neither a contract nor a scenario "
                         "has, accepted nothing below steal\n" },
        { "policy.0.canary", "--set: policy.0.canary: found a path that neither a contract nor a "
                             "scenario has, accepted nothing below policy.0\n" },
    };
    struct said s;
    ck_assert(!overrides_all_used(SET({ t[_i].path, "1" }), listen(&s)));
    ck_assert_str_eq(heard(&s), t[_i].says);
}
END_TEST

START_TEST(names_and_schemas_and_empty_paths_cannot_be_set)
{
    static const char *const paths[] = {
        "schema", "name",           "says",          "",       ".",
        "slo.",   "devices.x.tabs", "parts.0.share", "rounds", "devices.-1.tabs"
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct said s;
        ck_assert_msg(!overrides_all_used(SET({ paths[i], "1" }), listen(&s)), "%s", paths[i]);
        heard(&s);
    }
}
END_TEST

/* -- seeds of the fuzzer ----------------------------------------------------------- */

START_TEST(every_fuzz_seed_ends_in_an_answer)
{
    static char bytes[65536];
    uint32_t n = 0;
    DIR *d = opendir("scenarios/golden/fuzz-plan");
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[PATH_MAX_LEN];
        struct said s;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "scenarios/golden/fuzz-plan/%s", e->d_name);
        FILE *f = fopen(path, "r");
        ck_assert_ptr_nonnull(f);
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        bool fine = plan_check_bytes("seed.yaml", bytes, size, listen(&s));
        heard(&s);
        ck_assert_int_eq(fine, s.text[0] == 0);
        ck_assert_int_eq(fine, strncmp(e->d_name, "good-", 5) == 0);
        n++;
    }
    closedir(d);
    ck_assert_uint_ge(n, 8);
}
END_TEST

Suite *plan_suite(void)
{
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    tcase_add_checked_fixture(t, folder_make, folder_remove);
    tcase_add_test(t, every_shipped_file_is_accepted);
    tcase_add_test(t, every_fault_has_a_scenario_of_its_name_with_it_alone);
    tcase_add_test(t, every_policy_but_the_canary_has_a_mutant_of_its_name);
    tcase_add_test(t, the_release_gate_has_two_devices_and_half_of_all_tabs_hidden_everywhere);
    tcase_add_test(t, chaos_draws_each_fault_in_five_of_a_hundred_rounds);
    tcase_add_test(t, the_template_says_what_an_absent_key_means);
    tcase_add_test(t, a_step_has_a_time_or_a_phase_and_whom_it_acts_on);
    tcase_add_test(t, what_is_wrong_with_a_step_is_said);
    tcase_add_test(t, a_step_can_act_wait_for_an_observation_and_expect);
    tcase_add_test(t, a_story_is_whole);
    tcase_add_test(t, an_unknown_fault_of_a_step_has_a_nearest_one);
    tcase_add_test(t, scheduled_faults_count_among_those_of_a_round);
    tcase_add_test(t, a_scenario_can_be_calm_or_name_its_seed);
    tcase_add_test(t, the_template_shows_every_key_of_a_scenario_a_device_a_fault_and_a_step);
    tcase_add_test(t, the_shipped_contract_is_the_article_s);
    tcase_add_test(t, the_article_s_eight_lines_are_a_contract_with_the_shipped_numbers);
    tcase_add_test(t, the_local_contract_has_the_local_authority);
    tcase_add_loop_test(t, bad_input_is_told_with_line_key_found_and_accepted, 0,
                        (int)(sizeof bad / sizeof *bad));
    tcase_add_loop_test(t, a_protocol_without_name_or_version_is_refused, 0, 7);
    tcase_add_test(t, an_unknown_fault_gets_the_nearest_one_suggested);
    tcase_add_test(t, several_errors_come_in_one_go_and_end_at_twenty);
    tcase_add_test(t, a_file_of_more_than_one_mebibyte_is_refused_and_one_of_exactly_that_is_read);
    tcase_add_test(t, a_list_of_faults_that_begins_after_twenty_errors_ends_quietly);
    tcase_add_test(t, half_a_mebibyte_of_open_brackets_or_keys_ends_at_once);
    tcase_add_test(t, a_long_value_is_cut_in_the_message_at_a_whole_character);
    tcase_add_test(t, missing_files_directories_and_pipes_are_told_and_do_not_hang);
    tcase_add_test(t, a_file_of_another_kind_is_refused_by_its_schema);
    tcase_add_test(t, the_schema_tells_the_kind_of_a_file);
    tcase_add_test(t, durations_are_exact_in_every_unit);
    tcase_add_test(t, durations_are_written_in_the_largest_exact_unit);
    tcase_add_test(t, a_scenario_s_values_arrive);
    tcase_add_test(t, the_order_of_keys_does_not_matter);
    tcase_add_test(t, faults_are_drawn_by_default_where_there_are_any_to_draw);
    tcase_add_test(t, a_scenario_bends_only_the_keys_of_the_contract_that_it_has);
    tcase_add_test(t, a_suite_loads_a_scenario_once_however_often_it_is_named);
    tcase_add_test(t, a_suite_spends_its_rounds_as_its_portfolio_says);
    tcase_add_test(t, two_scenarios_of_a_suite_with_one_name_are_refused);
    tcase_add_test(t, a_mutant_is_its_scenario_with_its_own_keys_on_top);
    tcase_add_test(t, a_mutant_without_scenario_starts_from_the_defaults);
    tcase_add_test(t, a_mutant_s_errors_name_the_scenario_s_file_and_its_own);
    tcase_add_test(t, set_changes_keys_that_are_there_and_keys_that_are_not);
    tcase_add_test(t, set_reaches_into_lists_and_maps_of_weights);
    tcase_add_test(t, set_leaves_a_file_alone_that_has_no_place_for_it);
    tcase_add_loop_test(t, set_is_checked_like_a_file_and_named_in_the_message, 0, 6);
    tcase_add_test(t, set_wins_in_a_mutant_wherever_the_key_stands);
    tcase_add_test(t, set_reaches_the_scenarios_of_a_suite);
    tcase_add_test(t, a_path_without_a_place_in_any_file_is_an_error);
    tcase_add_test(t, paths_of_contracts_and_scenarios_are_used);
    tcase_add_loop_test(t, a_path_that_nothing_has_is_an_error_with_a_suggestion, 0, 6);
    tcase_add_test(t, names_and_schemas_and_empty_paths_cannot_be_set);
    tcase_add_test(t, every_fuzz_seed_ends_in_an_answer);
    suite_add_tcase(s, t);
    return s;
}
