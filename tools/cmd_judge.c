/* tabquake judge: judge.h, with contracts read by the simulator's own reader. */
#include "sim/plan.h"
#include "tools/command.h"
#include "tools/judge.h"

static bool load(struct contract *c, const char *file, FILE *err)
{
    return contract_load(c, file, NULL, err);
}

int cmd_judge(int argc, char **argv)
{
    return judge_command_with(argc - 1, argv + 1, load);
}
