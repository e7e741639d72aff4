/* tabquake check FILE...: reads each file as every other command would, and says what is
 * wrong with it. All files are read, whatever the first one is like. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history_file.h"
#include "tools/command.h"
#include "tools/hunt.h"
#include "tools/stories.h"

static bool check_mutant(const char *file)
{
    struct mutant m;
    if (!mutant_load(&m, file, NULL, stderr)) return false;
    if (invariant_find(m.caught_by) != INV_COUNT) return true;
    const char *near = flags_nearest(m.caught_by, invariant_word, INV_COUNT);
    fprintf(stderr, "%s: caught-by: found %s%s%s%s, accepted the name of an invariant\n", file,
            m.caught_by, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return false;
}

static bool check_contract(const char *file)
{
    struct contract c;
    return contract_load(&c, file, NULL, stderr);
}

static bool check_scenario(const char *file)
{
    struct scenario s;
    if (!scenario_load(&s, file, NULL, stderr)) return false;
    return policy_is_empty(s.story.naive) || stories_whole(&s, stderr);
}

static bool check_suite(const char *file)
{
    struct suite s;
    if (!suite_load(&s, file, NULL, stderr)) return false;
    bool ok = check_contract(s.contract_file);
    suite_free(&s);
    return ok;
}

static bool check_plan(const char *file)
{
    const char *schema = plan_schema(file, stderr);
    if (!schema) return false;
    if (strcmp(schema, "crossTabLeader.v1") == 0) return check_contract(file);
    if (strcmp(schema, "tabquake.scenario.v1") == 0) return check_scenario(file);
    if (strcmp(schema, "tabquake.mutant.v1") == 0) return check_mutant(file);
    return check_suite(file);
}

static bool check_history(const char *file)
{
    struct history_meta meta;
    struct history h = { .max = HISTORY_FILE_MAX };
    FILE *f = fopen(file, "r");
    if (!f) {
        fprintf(stderr, "%s: %s\n", file, strerror(errno));
        return false;
    }
    h.at = malloc(h.max * sizeof *h.at);
    bool ok = h.at && history_read(&h, &meta, f, file, stderr);
    if (!h.at) fprintf(stderr, "%s: no memory to read it\n", file);
    free(h.at);
    fclose(f);
    return ok;
}

static bool is_history(const char *file)
{
    size_t n = strlen(file);
    return n > 6 && strcmp(file + n - 6, ".jsonl") == 0;
}

int cmd_check(int argc, char **argv)
{
    const struct flags f = {
        .command = "check",
        .operands = "FILE...",
        .says = "Validates contracts, scenarios, suites, mutants (YAML) and histories (.jsonl).",
        .example = "build/tabquake check scenarios/*.yaml",
        .operands_min = 1,
        .operands_max = UINT32_MAX,
    };
    uint32_t operands;
    bool all = true;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    for (uint32_t i = 0; i < operands; i++) {
        const char *file = argv[2 + i];
        bool ok = is_history(file) ? check_history(file) : check_plan(file);
        if (ok) printf("%s: OK\n", file);
        all = all && ok;
    }
    return all ? EXIT_PASSED : EXIT_BAD_INPUT;
}
