/* A user's program as a child: one line in, one line out.
 *
 *   child_start   runs argv without a shell; its standard error stays ours
 *   child_ask     writes one line, waits for one line
 *   child_end     closes its input, gives it a second to leave, then ends it; no zombie is left
 *
 * The pipes are closed on exec, so that a child never holds another one's open. The caller
 * ignores SIGPIPE; the child gets it back as it was by default. */
#ifndef TOOLS_ADAPTER_CHILD_H
#define TOOLS_ADAPTER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#define CHILD_LINE_MAX 65536 /* bytes of an answer, its line end included */

struct child {
    pid_t pid; /* 0: none runs */
    int in, out;
    char line[CHILD_LINE_MAX];
};

enum child_said {
    CHILD_ANSWERED,
    CHILD_LATE,  /* nothing whole within the time: nothing is known */
    CHILD_GONE,  /* it closed its output, or does not read */
    CHILD_LOUD   /* a line too long, or more than one */
};

/* 0, or an errno. */
int child_start(struct child *c, char **argv);

/* `line` ends with a newline. The answer is c->line, without its newline. Wall clock. */
enum child_said child_ask(struct child *c, const char *line, int timeout_ms);

void child_end(struct child *c);

#endif
