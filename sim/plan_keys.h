/* What plan.c, plan_scenario.c and plan_schedule.c share: tables of keys, and reading a file
 * that is open already. Nobody else needs it; the interface is plan.h. */
#ifndef SIM_PLAN_KEYS_H
#define SIM_PLAN_KEYS_H

#include "sim/plan.h"
#include "sim/yaml.h"

#define PLAN_ENTRIES(table) (sizeof(table) / sizeof(table)[0])

/* Keys that --set may change, in a contract and in a scenario. */
struct plan_keys {
    const struct yaml_key *key;
    uint32_t n;
};
struct plan_keys plan_contract_keys(void);
struct plan_keys plan_scenario_keys(void);

/* Applies every override that the keys accept. */
void plan_override(struct yaml *y, struct plan_keys keys, const struct overrides *o, bool create);

/* `relative` seen from the folder of `file`, "../" taken off; false when it does not fit. */
bool plan_path(char path[PATH_MAX_LEN], const char *file, const char *relative);

/* Each checks the schema, applies the overrides and reads; errors are counted in `y`. */
void plan_read_contract(struct yaml *y, struct contract *c, const struct overrides *o);
void plan_read_scenario(struct yaml *y, struct scenario *s, const struct overrides *o);
void plan_read_suite(struct yaml *y, struct suite *s, const struct overrides *o);
void plan_read_mutant(struct yaml *y, struct mutant *m, const struct overrides *o);

#define PLAN_TABS_MAX 2000 /* product target: growth is measured up to 2,000 tabs */
/* BFCache expiry is ten minutes; an hour is enough. */
#define PLAN_LASTS_MAX (INT64_C(3600) * US_PER_S)

extern const char *const plan_fault_word[FAULT_COUNT]; /* plan_scenario.c */

/* plan_schedule.c: the steps of a scenario. */
#define PLAN_STEP_KEYS 14
extern const struct yaml_key plan_step_keys[PLAN_STEP_KEYS];
void plan_read_schedule(struct yaml *y, int node, const struct yaml_key *k, void *scenario);
void plan_check_schedule(struct yaml *y, const struct scenario *s); /* against the other keys */
uint32_t plan_scheduled_faults(const struct scenario *s);

/* plan_story.c: the keys that make a scenario a story. */
void plan_read_breaks(struct yaml *y, int node, const struct yaml_key *k, void *scenario);
void plan_read_despite(struct yaml *y, int node, const struct yaml_key *k, void *scenario);
void plan_check_story(struct yaml *y, const struct scenario *s); /* when all keys are read */

#endif
