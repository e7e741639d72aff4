/* The only place that starts a program of the user's. */
#include "tools/adapter_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEAVES_WITHIN_MS 1000

extern char **environ;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool pipe_private(int end[2])
{
    if (pipe(end) != 0) return false;
    return fcntl(end[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(end[1], F_SETFD, FD_CLOEXEC) == 0;
}

static int spawn(pid_t *pid, char **argv, int in, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawnattr_setsigdefault(&how, &pipes);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, argv[0], &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

int child_start(struct child *c, char **argv)
{
    int in[2], out[2];
    c->pid = 0;
    if (!pipe_private(in)) return errno;
    if (!pipe_private(out)) {
        int error = errno;
        close(in[0]);
        close(in[1]);
        return error;
    }
    int error = spawn(&c->pid, argv, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    c->in = in[1];
    c->out = out[0];
    if (error == 0 && fcntl(c->in, F_SETFL, O_NONBLOCK) != 0) error = errno;
    if (error == 0) return 0;
    close(c->in);
    close(c->out);
    c->pid = 0;
    return error;
}

static bool ready(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };
    int64_t left = until_ms - now_ms();
    return left > 0 && poll(&p, 1, (int)left) > 0;
}

/* A child that does not read must not stop us: the pipe may be full. */
static enum child_said put(struct child *c, const char *line, int64_t until_ms)
{
    for (size_t left = strlen(line); left > 0;) {
        if (!ready(c->in, POLLOUT, until_ms)) return CHILD_LATE;
        ssize_t n = write(c->in, line, left);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return CHILD_GONE;
        if (n <= 0) continue;
        line += n;
        left -= (size_t)n;
    }
    return CHILD_ANSWERED;
}

enum child_said child_ask(struct child *c, const char *line, int timeout_ms)
{
    int64_t until_ms = now_ms() + timeout_ms;
    enum child_said said = put(c, line, until_ms);
    size_t kept = 0;
    while (said == CHILD_ANSWERED) {
        if (kept == sizeof c->line) return CHILD_LOUD;
        if (!ready(c->out, POLLIN, until_ms)) return CHILD_LATE;
        ssize_t n = read(c->out, c->line + kept, sizeof c->line - kept);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return CHILD_GONE;
        char *end = memchr(c->line + kept, '\n', (size_t)n);
        kept += (size_t)n;
        if (!end) continue;
        *end = '\0';
        return end + 1 == c->line + kept ? CHILD_ANSWERED : CHILD_LOUD;
    }
    return said;
}

void child_end(struct child *c)
{
    if (c->pid == 0) return;
    close(c->in);
    close(c->out);
    bool left = false;
    for (int ms = 0; !left && ms < LEAVES_WITHIN_MS; ms += 5) {
        left = waitpid(c->pid, NULL, WNOHANG) == c->pid;
        if (!left) nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    if (!left && kill(c->pid, SIGKILL) == 0) waitpid(c->pid, NULL, 0);
    c->pid = 0;
}
