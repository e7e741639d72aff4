/* tabquake: picks the command, and nothing else. Each command is one file, cmd_NAME.c. */
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/flags.h"
#include "tools/version.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *operands, *says;
} command[] = {
    { "gate", cmd_gate, "[SUITE]",
      "runs a suite, judges it against the contract: pass, fail or unknown" },
    { "run", cmd_run, "SCENARIO", "rounds of one scenario, or of a suite, without the gate" },
    { "replay", cmd_replay, "SCENARIO",
      "one round as a readable trace, with the story of what broke" },
    { "shrink", cmd_shrink, "SCENARIO",
      "a failing round with the fewest tabs and faults, as a file" },
    { "blame", cmd_blame, "SCENARIO", "which event made a round's violation inevitable" },
    { "judge", cmd_judge, "HISTORY", "the oracle alone, on a recorded history" },
    { "report", cmd_report, "RESULTS...",
      "the reports again from stored results; the trend over several" },
    { "merge", cmd_merge, "SHARD...", "joins the shards of a run, and judges the whole" },
    { "mutants", cmd_mutants, "", "runs every deliberate mistake; each must be caught" },
    { "stories", cmd_stories, "[FILE...]",
      "scripted rounds as they are recorded, with the reference and a naive one" },
    { "explore", cmd_explore, "SCENARIO", "every placement of a few faults in a small round" },
    { "sweep", cmd_sweep, "SCENARIO", "one fault before every event of a good round" },
    { "tune", cmd_tune, "SUITE", "failover against needless steals and load, by setting" },
    { "init", cmd_init, "DIR", "a contract, a scenario, a suite and a CI file to start from" },
    { "check", cmd_check, "FILE...",
      "validates contracts, scenarios, suites, mutants and histories" },
    { "adapter-test", cmd_adapter, "COMMAND...", "does your own ledger answer as it has to" },
    { "bench", cmd_bench, "", "measures rounds and events a second, memory, latency" },
};
enum { COMMANDS = sizeof command / sizeof command[0] };

static void help(FILE *f)
{
    fputs("usage: tabquake COMMAND [options]\n\n", f);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(f, "  %-12s %-10s %s\n", command[i].name, command[i].operands, command[i].says);
    fputs("\n  tabquake COMMAND --help    its options and an example\n"
          "  tabquake --version         version, source revision, build\n\n"
          "exit status: 0 passed, 1 failed, 2 bad input, 3 the program's own fault, 4 unknown,\n"
          "130 interrupted\n\n"
          "example: build/tabquake gate --rounds 2000\n",
          f);
}

static int unknown_command(const char *word)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = command[i].name;
    const char *near = flags_nearest(word, names, COMMANDS);
    fprintf(stderr, "tabquake: found the unknown command %s", word);
    if (near) fprintf(stderr, " (did you mean %s?)", near);
    fputs(", accepted", stderr);
    for (int i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
    fputs("\n", stderr);
    return EXIT_BAD_INPUT;
}

/* A full disk behind standard output must not look like success. */
static int written(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fputs("tabquake: standard output could not be written\n", stderr);
    return EXIT_BAD_INPUT;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0) {
        help(stdout);
        return EXIT_PASSED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tabquake %s\nrevision %s\nbuild %s\n", version_number(), version_revision(),
               version_build());
        return EXIT_PASSED;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], command[i].name) == 0) return written(command[i].run(argc, argv));
    return unknown_command(argv[1]);
}
