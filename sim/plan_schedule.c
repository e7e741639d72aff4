/* The schedule of a scenario: its steps, each a fault, an action or an expectation, at a time,
 * after the step before it, when the leader is in a phase or when something was observed. What
 * is wrong with a step alone is said while it is read; what is wrong beside the other keys (a
 * device that is not there) when all are read. */
#include <string.h>

#include "sim/plan_keys.h"

#define EXTRA_TABS 32 /* a tab that a fault opens can be named too; world.c has room for so many */

#define WORDS(table) .words = (table), .words_n = PLAN_ENTRIES(table)

static const char *const action_word[ACTION_COUNT] = {
#define X(kind, word, target) [ACTION_##kind] = word,
    STEP_ACTIONS(X)
#undef X
};
static const char *const obs_words[OBS_COUNT] = {
#define OBS(kind, word, fields, says) [OBS_##kind] = word,
#include "sim/base/history.def"
#undef OBS
};

struct step_read {
    struct step_plan step;
    bool submit;
};

#define IN(member) offsetof(struct step_read, member)
/* clang-format off */
const struct yaml_key plan_step_keys[PLAN_STEP_KEYS] = {
    { .word = "at", yaml_duration, IN(step.at_us), 0, PLAN_LASTS_MAX },
    { .word = "for", yaml_duration, IN(step.after_us), 1, PLAN_LASTS_MAX },
    { .word = "when", yaml_word, IN(step.when), WORDS(phase_word) },
    { .word = "until", yaml_word, IN(step.until), WORDS(obs_words) },
    { .word = "of", yaml_count, IN(step.of), 0, PLAN_TABS_MAX + EXTRA_TABS - 1 },
    { .word = "fault", yaml_word, IN(step.fault), WORDS(plan_fault_word) },
    { .word = "request", yaml_word, IN(step.request), WORDS(request_kind_word) },
    { .word = "submit", yaml_flag, IN(submit) },
    { .word = "do", yaml_word, IN(step.action), WORDS(action_word) },
    { .word = "expect", yaml_word, IN(step.expect), WORDS(step_expectation_word) },
    { .word = "within", yaml_duration, IN(step.within_us), 1, PLAN_LASTS_MAX },
    { .word = "lasts", yaml_duration, IN(step.lasts_us), US_PER_MS, PLAN_LASTS_MAX },
    { .word = "tab", yaml_count, IN(step.tab), 0, PLAN_TABS_MAX + EXTRA_TABS - 1 },
    { .word = "device", yaml_count, IN(step.device), 0, DEVICES_MAX - 1 },
};
/* clang-format on */

/* ---- one step alone ----------------------------------------------------------------- */

static void wrong(struct yaml *y, const char *word, const char *found, const char *accepted)
{
    char key[YAML_KEY_MAX + 8];
    snprintf(key, sizeof key, "%s%s%s", y->key, *word ? "." : "", word);
    yaml_error_at(y, key, found, accepted);
}

#define NO_LENGTH "nothing: this step has none"

static void check_fault(struct yaml *y, const struct step_plan *p)
{
    enum fault_target t = fault_info[p->fault].target;
    bool takes_tab = t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER || p->fault == FAULT_ROLLBACK;
    bool takes_device = t != FAULT_ON_NODE && t != FAULT_ON_LEDGER && t != FAULT_ON_PROVIDER;
    if (p->lasts_us > 0 && !fault_has_length(p->fault)) wrong(y, "lasts", "a duration", NO_LENGTH);
    if (p->tab != STEP_ANY && !takes_tab)
        wrong(y, "tab", "a tab", "nothing: this fault acts on no single tab");
    if (p->device != STEP_ANY && !takes_device)
        wrong(y, "device", "a device", "nothing: this fault acts on no device");
    if (p->request != REQ_NONE && t != FAULT_ON_REQUEST)
        wrong(y, "request", "a kind of request", "nothing: this fault meets no single request");
}

static void check_action(struct yaml *y, const struct step_plan *p)
{
    enum step_target t = step_action_info[p->action].target;
    bool of_a_tab = t == STEP_ON_TAB || t == STEP_ON_TAB_FOR;
    bool lasts = t == STEP_ON_TAB_FOR || t == STEP_ON_DEVICE_FOR;
    if (p->tab == STEP_ANY && of_a_tab) wrong(y, "", "no tab", "tab: whom the action is about");
    if (p->tab != STEP_ANY && !of_a_tab && p->action != ACTION_SUBMIT)
        wrong(y, "tab", "a tab", "nothing: this action is about a device");
    if (p->device != STEP_ANY && of_a_tab)
        wrong(y, "device", "a device", "nothing: this action is about a tab");
    if (p->lasts_us > 0 && !lasts) wrong(y, "lasts", "a duration", NO_LENGTH);
    if (p->lasts_us == 0 && lasts) wrong(y, "", "no length", "lasts: how long the action goes on");
    if (p->request != REQ_NONE)
        wrong(y, "request", "a kind of request", "nothing: an action meets no request");
}

static void check_expectation(struct yaml *y, const struct step_plan *p)
{
    bool of_a_tab = p->expect != EXPECT_NOBODY && p->expect != EXPECT_SETTLED;
    if (of_a_tab && p->tab == STEP_ANY)
        wrong(y, "", "no tab", "tab: whom the expectation is about");
    if (!of_a_tab && p->tab != STEP_ANY)
        wrong(y, "tab", "a tab", "nothing: this expectation is about no single tab");
    if (p->device != STEP_ANY) wrong(y, "device", "a device", "nothing: expectations have none");
    if (p->lasts_us > 0) wrong(y, "lasts", "a duration", NO_LENGTH);
    if (p->request != REQ_NONE)
        wrong(y, "request", "a kind of request", "nothing: an expectation meets no request");
}

static void check_time(struct yaml *y, const struct step_plan *p, bool is_first)
{
    bool untimed = p->at_us < 0 && p->after_us == 0 && p->when == PHASE_COUNT && !p->waits;
    if (is_first && untimed) wrong(y, "", "a first step without a time", "at, for, when or until");
    if (p->at_us >= 0 && p->after_us > 0)
        wrong(y, "for", "a duration beside at", "one of them: for begins at the step before");
    if (p->waits && p->when != PHASE_COUNT)
        wrong(y, "until", "an observation beside a phase", "one of them");
    if (!p->waits && p->of != STEP_ANY)
        wrong(y, "of", "a tab", "nothing without until: whose observation it is");
    if (!p->expects && p->within_us > 0)
        wrong(y, "within", "a duration", "nothing: this step expects nothing");
}

static void check_step(struct yaml *y, const struct step_read *r, bool acts, bool is_first)
{
    const struct step_plan *p = &r->step;
    bool fault = p->fault != FAULT_COUNT;
    int things = fault + r->submit + acts + p->expects;
    if (things != 1)
        wrong(y, "", things ? "several things in one step" : "a step that does nothing",
              "one of fault, do, submit: true, expect");
    else if (fault)
        check_fault(y, p);
    else if (p->expects)
        check_expectation(y, p);
    else
        check_action(y, p);
    check_time(y, p, is_first);
}

/* ---- all of them -------------------------------------------------------------------- */

void plan_read_schedule(struct yaml *y, int node, const struct yaml_key *k, void *scenario)
{
    struct scenario *s = scenario;
    s->steps = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < s->steps; i++) {
        size_t before = y->key_n;
        uint32_t errors = y->errors;
        struct step_read r = { .step = { .at_us = -1,
                                         .when = PHASE_COUNT,
                                         .until = OBS_COUNT,
                                         .of = STEP_ANY,
                                         .fault = FAULT_COUNT,
                                         .action = ACTION_COUNT,
                                         .expect = EXPECT_COUNT,
                                         .tab = STEP_ANY,
                                         .device = STEP_ANY } };
        yaml_map(y, yaml_enter(y, node, i), k->sub, k->sub_n, &r);
        bool acts = r.step.action != ACTION_COUNT;
        r.step.waits = r.step.until != OBS_COUNT;
        r.step.expects = r.step.expect != EXPECT_COUNT;
        if (!acts) r.step.action = ACTION_SUBMIT;
        if (y->errors == errors) check_step(y, &r, acts, i == 0);
        s->step[i] = r.step;
        yaml_leave(y, before);
    }
}

static void out_of_place(struct yaml *y, uint32_t step, const char *word, const char *found,
                         const char *accepted)
{
    char key[40];
    snprintf(key, sizeof key, "schedule.%u.%s", step, word);
    yaml_error_at(y, key, found, accepted);
}

static uint32_t device_of(const struct scenario *s, uint32_t tab)
{
    uint32_t d = 0;
    while (d < s->devices && tab >= s->device[d].tabs) tab -= s->device[d++].tabs;
    return d;
}

void plan_check_schedule(struct yaml *y, const struct scenario *s)
{
    int64_t end = s->duration.max_us;
    if (s->long_permille > 0 && s->long_duration.max_us > end) end = s->long_duration.max_us;
    for (uint32_t i = 0; i < s->steps; i++) {
        const struct step_plan *p = &s->step[i];
        char found[80], accepted[80], at[32], until[32];
        if (p->at_us >= end) {
            yaml_format_duration(at, sizeof at, p->at_us);
            yaml_format_duration(until, sizeof until, end);
            snprintf(accepted, sizeof accepted, "a time before the duration's end, %s", until);
            out_of_place(y, i, "at", at, accepted);
        }
        if (p->device != STEP_ANY && p->device >= s->devices) {
            snprintf(found, sizeof found, "%u of %u devices", p->device, s->devices);
            snprintf(accepted, sizeof accepted, "at most %u", s->devices - 1);
            out_of_place(y, i, "device", found, accepted);
        }
        uint32_t home = p->tab != STEP_ANY ? device_of(s, p->tab) : s->devices;
        if (p->device < s->devices && home < s->devices && home != p->device) {
            snprintf(found, sizeof found, "tab %u, which is on device %u", p->tab, home);
            out_of_place(y, i, "tab", found, "a tab of the step's device");
        }
        if (p->fault == FAULT_SECOND_DEVICE && s->devices < 2)
            out_of_place(y, i, "fault", "second-device with one device", "two devices or more");
    }
}

uint32_t plan_scheduled_faults(const struct scenario *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->steps; i++) n += s->step[i].fault != FAULT_COUNT;
    return n;
}
