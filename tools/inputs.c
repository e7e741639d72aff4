#include "tools/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "sim/run.h"

/* -- the plan's digest --------------------------------------------------------------- */

static uint64_t mix_text(uint64_t h, const char *text)
{
    for (; *text; text++) h = rng_mix(h, (unsigned char)*text);
    return rng_mix(h, 256);
}

static uint64_t mix_file(uint64_t h, const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) return h; /* it has been read a moment ago */
    for (int c; (c = getc(f)) != EOF;) h = rng_mix(h, (uint64_t)c);
    fclose(f);
    return rng_mix(h, 256);
}

static uint64_t plan_digest(const struct inputs *in)
{
    uint64_t h = mix_file(0, in->suite.file);
    for (uint32_t i = 0; i < in->suite.scenarios; i++) h = mix_file(h, in->suite.scenario[i].file);
    h = mix_file(h, in->contract_file);
    for (uint32_t i = 0; i < in->overrides.n; i++)
        h = mix_text(mix_text(h, in->overrides.at[i].path), in->overrides.at[i].value);
    return h;
}

/* -- loading ------------------------------------------------------------------------- */

static bool load_mutant_scenario(struct inputs *in, const char *file, FILE *err)
{
    struct mutant m;
    struct scenario *s = in->suite.scenario;
    if (!mutant_load(&m, file, &in->overrides, err)) return false;
    *s = m.scenario;
    memcpy(in->caught_by, m.caught_by, sizeof in->caught_by);
    snprintf(s->name, sizeof s->name, "%s", m.name);
    snprintf(s->file, sizeof s->file, "%s", file);
    return true;
}

/* The suite that consists of one scenario. */
static bool load_single(struct inputs *in, const char *file, bool is_mutant, FILE *err)
{
    struct suite *s = &in->suite;
    *s = (struct suite){ .scenario = calloc(1, sizeof *s->scenario) };
    must(s->scenario != NULL);
    bool ok = is_mutant ? load_mutant_scenario(in, file, err)
                        : scenario_load(s->scenario, file, &in->overrides, err);
    if (!ok) {
        suite_free(s);
        return false;
    }
    s->scenarios = s->parts = s->share_sum = 1;
    s->part[0].share = 1;
    s->percent[STRATEGY_UNIFORM] = 100;
    memcpy(s->name, s->scenario->name, sizeof s->name);
    snprintf(s->file, sizeof s->file, "%s", file);
    return true;
}

static bool load_suite(struct inputs *in, const char *file, FILE *err)
{
    const char *schema = plan_schema(file, err);
    if (!schema) return false;
    if (strcmp(schema, "tabquake.suite.v1") == 0)
        return suite_load(&in->suite, file, &in->overrides, err);
    if (strcmp(schema, "tabquake.scenario.v1") == 0) return load_single(in, file, false, err);
    if (strcmp(schema, "tabquake.mutant.v1") == 0) return load_single(in, file, true, err);
    fprintf(err, "%s: found a %s, accepted a suite, a scenario or a mutant\n", file, schema);
    return false;
}

/* --contract, else the suite's, else the one that is shipped. */
static bool load_contract(struct inputs *in, const struct options *o, const char *program,
                          FILE *err)
{
    char shipped[LOCATE_PATH_MAX] = "";
    const char *file = o->contract ? o->contract : in->suite.contract_file;
    bool found = locate_shipped(shipped, program, INPUTS_CONTRACT, *file ? NULL : err);
    if (!*file && !found) return false;
    if (!*file) file = shipped;
    in->contract_is_shipped = strcmp(file, shipped) == 0;
    snprintf(in->contract_file, sizeof in->contract_file, "%s", file);
    return contract_load(&in->contract, file, &in->overrides, err);
}

bool inputs_load(struct inputs *in, const struct options *o, const char *program, const char *file,
                 FILE *err)
{
    char shipped[LOCATE_PATH_MAX];
    *in = (struct inputs){ .seed = o->seed ? rng_seed_of_text(o->seed) : 0,
                           .overrides = options_overrides(o) };
    in->overrides.placed = in->placed;
    if (!overrides_all_used(&in->overrides, err)) return false;
    if (!file && !locate_shipped(shipped, program, INPUTS_SUITE, err)) return false;
    if (!load_suite(in, file ? file : shipped, err)) return false;
    if (!load_contract(in, o, program, err)) {
        inputs_free(in);
        return false;
    }
    for (uint32_t i = 0; i < in->suite.scenarios; i++) {
        uint32_t tabs = scenario_tabs(&in->suite.scenario[i]);
        if (tabs > in->tabs) in->tabs = tabs;
    }
    in->plan_digest = plan_digest(in);
    return true;
}

void inputs_free(struct inputs *in)
{
    suite_free(&in->suite);
}

bool inputs_round(struct inputs *in, const struct options *o, const char *command, FILE *err)
{
    const struct scenario *s = in->suite.scenario;
    if (in->suite.scenarios != 1) {
        fprintf(err, "%s: found a suite, accepted a scenario or a mutant\n", in->suite.file);
        return false;
    }
    if (o->seed || s->calm) return true;
    in->seed = s->seed;
    if (!s->has_seed)
        fprintf(err, "tabquake %s: --seed: found nothing, accepted the seed of a round\n", command);
    return s->has_seed;
}

struct run_info inputs_call(const struct inputs *in, const char *program,
                            struct run_setting *setting)
{
    const struct overrides *o = &in->overrides;
    must(o->n <= FLAGS_SETS_MAX);
    for (uint32_t i = 0; i < o->n; i++)
        setting[i] = (struct run_setting){ o->at[i].path, o->at[i].value };
    return (struct run_info){ .program = program,
                              .contract_file = in->contract_is_shipped ? NULL : in->contract_file,
                              .setting = setting,
                              .settings = o->n };
}

void inputs_all_uniform(struct inputs *in)
{
    for (int k = 0; k < STRATEGY_COUNT; k++) in->suite.percent[k] = k == STRATEGY_UNIFORM ? 100 : 0;
}

/* -- rounds to scenarios --------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A step that visits every position once and spreads neighbours: near the golden section. */
static uint64_t stride_of(uint64_t positions)
{
    uint64_t stride = positions * 618 / 1000;
    if (stride == 0) return 1;
    while (common_divisor(stride, positions) != 1) stride++;
    return stride;
}

uint32_t inputs_scenario(const struct suite *s, uint64_t index)
{
    uint64_t position = index % s->share_sum * stride_of(s->share_sum) % s->share_sum;
    uint32_t part = 0;
    while (position >= s->part[part].share) position -= s->part[part++].share;
    return s->part[part].scenario;
}

bool inputs_mutant(struct inputs *in, const char *file, FILE *err)
{
    struct mutant m;
    struct scenario *s = in->suite.scenario;
    must(in->suite.scenarios == 1);
    if (in->caught_by[0]) {
        fprintf(err, "%s: found a mutant together with --mutant, accepted one of them\n", s->file);
        return false;
    }
    if (!mutant_load(&m, file, NULL, err)) return false;
    s->policy = policy_both(s->policy, m.scenario.policy);
    s->policy_of_one_version = m.scenario.policy_of_one_version;
    memcpy(in->caught_by, m.caught_by, sizeof in->caught_by);
    return true;
}
