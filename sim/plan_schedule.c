/* The schedule of a scenario: its steps, each a fault or an operation, at a time or when
 * the leader is in a phase. What is wrong with a step alone is said while it is read; what
 * is wrong beside the other keys (a device that is not there) when all are read. */
#include <string.h>

#include "sim/plan_keys.h"

#define EXTRA_TABS 32 /* a tab that a fault opens can be named too; world.c has room for so many */

#define WORDS(table) .words = (table), .words_n = PLAN_ENTRIES(table)

struct step_read {
    struct step_plan step;
    bool submit;
};

#define IN(member) offsetof(struct step_read, member)
/* clang-format off */
const struct yaml_key plan_step_keys[PLAN_STEP_KEYS] = {
    { .word = "at", yaml_duration, IN(step.at_us), 0, PLAN_LASTS_MAX },
    { .word = "when", yaml_word, IN(step.when), WORDS(phase_word) },
    { .word = "fault", yaml_word, IN(step.fault), WORDS(plan_fault_word) },
    { .word = "submit", yaml_flag, IN(submit) },
    { .word = "lasts", yaml_duration, IN(step.lasts_us), US_PER_MS, PLAN_LASTS_MAX },
    { .word = "tab", yaml_count, IN(step.tab), 0, PLAN_TABS_MAX + EXTRA_TABS - 1 },
    { .word = "device", yaml_count, IN(step.device), 0, DEVICES_MAX - 1 },
};
/* clang-format on */

static bool takes_a_tab(enum fault_kind f)
{
    enum fault_target t = fault_info[f].target;
    return t == FAULT_ON_HOLDER || t == FAULT_ON_WAITER || f == FAULT_ROLLBACK;
}

static bool takes_a_device(enum fault_kind f)
{
    enum fault_target t = fault_info[f].target;
    return t != FAULT_ON_NODE && t != FAULT_ON_LEDGER && t != FAULT_ON_PROVIDER;
}

static void wrong(struct yaml *y, const char *word, const char *found, const char *accepted)
{
    char key[YAML_KEY_MAX + 8];
    snprintf(key, sizeof key, "%s%s%s", y->key, *word ? "." : "", word);
    yaml_error_at(y, key, found, accepted);
}

static void check_step(struct yaml *y, const struct step_read *r)
{
    const struct step_plan *p = &r->step;
    bool fault = p->fault != FAULT_COUNT;
    if (fault == r->submit)
        wrong(y, "", fault ? "a fault and an operation in one step" : "a step that does nothing",
              "fault, or submit: true");
    if (p->at_us < 0 && p->when == PHASE_COUNT)
        wrong(y, "", "a step without a time", "at, or when, or both");
    if (p->lasts_us > 0 && (!fault || !fault_has_length(p->fault)))
        wrong(y, "lasts", "a duration", "nothing: this step has none");
    if (p->tab != STEP_ANY && fault && !takes_a_tab(p->fault))
        wrong(y, "tab", "a tab", "nothing: this fault acts on no single tab");
    if (p->device != STEP_ANY && fault && !takes_a_device(p->fault))
        wrong(y, "device", "a device", "nothing: this fault acts on no device");
}

void plan_read_schedule(struct yaml *y, int node, const struct yaml_key *k, void *scenario)
{
    struct scenario *s = scenario;
    s->steps = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < s->steps; i++) {
        size_t before = y->key_n;
        uint32_t errors = y->errors;
        struct step_read r = { .step = { .at_us = -1,
                                         .when = PHASE_COUNT,
                                         .fault = FAULT_COUNT,
                                         .tab = STEP_ANY,
                                         .device = STEP_ANY } };
        yaml_map(y, yaml_enter(y, node, i), k->sub, k->sub_n, &r);
        if (y->errors == errors) check_step(y, &r);
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
