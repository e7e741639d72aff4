/* The commands of tabquake and how each ends.
 *
 * A command gets the whole command line: argv[0] is the program as it was called,
 * argv[1] the command's own name. It reads files and flags whole before it writes
 * anything, and returns one of the statuses below. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

enum exit_status {
    EXIT_PASSED = 0,
    EXIT_BROKEN = 1,       /* the gate or an invariant failed */
    EXIT_BAD_INPUT = 2,    /* nothing was run; or a result could not be written */
    EXIT_OURS = 3,         /* the program itself is at fault */
    EXIT_UNPROVEN = 4,     /* a limit was hit, or the run proved nothing */
    EXIT_INTERRUPTED = 130 /* all finished rounds are kept */
};

/* The one that counts when both apply: 2 before 3 before 1 before 4 before 0. */
static inline enum exit_status status_of_both(enum exit_status a, enum exit_status b)
{
    static const enum exit_status order[] = { EXIT_INTERRUPTED, EXIT_BAD_INPUT, EXIT_OURS,
                                              EXIT_BROKEN, EXIT_UNPROVEN };
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return EXIT_PASSED;
}

int cmd_gate(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_blame(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_mutants(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stories(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_adapter(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_judge(int argc, char **argv);

#endif
