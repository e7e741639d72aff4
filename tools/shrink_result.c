#include "tools/shrink_result.h"

#include <inttypes.h>

#include "sim/base/must.h"
#include "tools/flags.h"
#include "tools/scenario_file.h"
#include "tools/version.h"

struct scenario shrink_result(const struct shrink *s)
{
    struct scenario r = s->best;
    snprintf(r.name, sizeof r.name, "%.50s-shrunk", s->drawn->name);
    snprintf(r.says, sizeof r.says, "breaks %s: %.120s", invariant_word[s->invariant],
             s->reason ? s->reason : invariant_says[s->invariant]);
    r.story = (struct story_plan){ .report = "" }; /* it tells another one now */
    r.has_seed = !r.calm;
    r.seed = s->seed;
    return r;
}

const char *shrink_replay_line(char line[TABLE_REPLAY_MAX], const struct run_info *run,
                               const char *file)
{
    struct run_setting setting[FLAGS_SETS_MAX];
    struct run_info contract = { .program = run->program,
                                 .contract_file = run->contract_file,
                                 .setting = setting };
    must(run->settings <= FLAGS_SETS_MAX);
    for (uint32_t i = 0; i < run->settings; i++) {
        struct override o = { run->setting[i].path, run->setting[i].value };
        if (override_is_of_contract(&o)) setting[contract.settings++] = run->setting[i];
    }
    return table_command(line, &contract, "replay", file, NULL);
}

void shrink_write(FILE *f, const struct shrink *s, const struct scenario *result, const char *line)
{
    fprintf(f, "# Shrunk from %s, seed 0x%016" PRIx64 ", revision %s.\n#   %s\n", s->drawn->file,
            s->from, version_revision(), line);
    scenario_write(f, result);
}
