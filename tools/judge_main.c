/* build/judge: the oracle alone, without anything of the simulator. See judge.h. */
#include "tools/judge.h"

int main(int argc, char **argv)
{
    return judge_command(argc, argv);
}
