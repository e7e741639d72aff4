/* tabquake bench: the project's own figures, as ratios measured in one run.
 *
 *   rounds and events a second, one worker and all of them
 *   the hold model: what the bare event queue does with as many events pending as a
 *     round has on average (Jones, CACM 29(4), 1986: take the first, put it back later)
 *   memory over rounds: what malloc has given out, and resident memory
 *   one replay as a process of its own, start to end
 *
 * The wall clock decides nothing here but numbers that are shown. Peers (other
 * simulators, a real browser) are not run. Exit status 1 when rounds allocate. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/bench_portfolio.h"
#include "tools/campaign.h"
#include "tools/clock.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/version.h"

#define ROUNDS 4000
#define SEEDS 200
#define SHOWN_MUTANTS 5
#define PENDING_ROUNDS 60 /* over which pending events are counted */
#define HOLD_OPERATIONS 4000000
#define HOLD_TURN 500000 /* operations until the queue's clock begins anew */
#define HOLD_MEAN_US 100000
#define MEMORY_ROUNDS 200
#define REPLAYS 5

struct bench {
    struct options options;
    struct inputs in;
    const char *program;
    bool portfolio;
    uint64_t seeds;                                   /* of each mutant, with --portfolio */
    double rounds_per_s[2], events_per_s[2], speedup; /* one worker, all */
    double hold_per_s, replay_s;
    uint64_t pending;
    int64_t allocated;      /* bytes over MEMORY_ROUNDS; -1: not known here */
    int64_t resident_kb[2]; /* largest so far, before and after */
};

static enum flags_outcome ask(struct bench *b, int argc, char **argv)
{
    b->options = options_default();
    struct options *o = &b->options;
    o->rounds = ROUNDS;
    b->seeds = SEEDS;
    const struct flag table[] = {
        option_rounds(o, "of the suite, for each number of jobs (default: 4000)"),
        { .name = "portfolio",
          .kind = FLAG_SWITCH,
          .into = &b->portfolio,
          .says = "instead: the rarest mutants by dice and by the suite's portfolio" },
        { .name = "seeds",
          .kind = FLAG_NUMBER,
          .into = &b->seeds,
          .value = "N",
          .min = 1,
          .max = 10000,
          .says = "hunts of each mutant, with --portfolio (default: 200)" },
        option_seed(o),
        option_jobs(o),
        option_contract(o),
        option_set(o),
        option_progress(o),
        option_json(o),
    };
    const struct flags f = {
        .command = "bench",
        .operands = "[SUITE]",
        .says = "Measures rounds and events a second, the event queue alone, memory, and a replay.",
        .example = "build/tabquake bench --rounds 20000",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK) return read;
    return inputs_load(&b->in, o, argv[0], operands ? argv[2] : NULL, stderr) ? FLAGS_OK
                                                                              : FLAGS_WRONG;
}

/* -- rounds a second ------------------------------------------------------------------ */

static void measure_rounds(struct bench *b, int which, uint32_t jobs)
{
    struct campaign c;
    campaign_open(&c, &b->in, b->options.rounds, jobs);
    campaign_run(&c, (enum progress_mode)b->options.progress);
    b->rounds_per_s[which] = (double)c.rounds / c.seconds;
    b->events_per_s[which] = (double)c.events / c.seconds;
    b->speedup = (double)c.virtual_us / 1e6 / c.seconds;
    campaign_close(&c);
}

/* -- the event queue alone -------------------------------------------------------------- */

/* Mean number of pending events, seen from each event. */
static uint64_t measure_pending(const struct bench *b, struct player *p)
{
    struct world *w = p->runner.world;
    uint64_t sum = 0, events = 0;
    for (uint64_t i = 0; i < PENDING_ROUNDS; i++) {
        struct event e;
        uint32_t s = inputs_scenario(&b->in.suite, i);
        world_reset(w, &b->in.suite.scenario[s], &b->in.contract, rng_mix(b->in.seed, i));
        while (!w->over && !w->limit && evq_pop(&w->queue, &e)) {
            world_handle(w, &e);
            sum += w->queue.n;
            events++;
        }
    }
    return events ? sum / events : 0;
}

static void hold_push(struct evq *q, struct rng *r, int64_t now_us)
{
    uint32_t in_us = rng_next(r) % (2 * HOLD_MEAN_US);
    evq_push(q, (struct instant){ now_us + in_us }, 0, 0, 0, 0);
}

static void hold_turn(struct evq *q, struct rng *r, uint64_t pending)
{
    struct event e;
    evq_reset(q);
    for (uint64_t i = 0; i < pending; i++) hold_push(q, r, 0);
    for (int i = 0; i < HOLD_TURN; i++) {
        must(evq_pop(q, &e));
        hold_push(q, r, event_at(&e).us);
    }
}

static double measure_hold(uint64_t pending)
{
    struct arena a;
    struct evq q;
    struct rng r;
    arena_open(&a, (pending + 64) * 2 * sizeof(struct event));
    evq_open(&q, &a, (uint32_t)pending + 16);
    rng_seed(&r, 1, 1);
    double began = clock_seconds();
    for (int done = 0; done < HOLD_OPERATIONS; done += HOLD_TURN) hold_turn(&q, &r, pending);
    double seconds = clock_seconds() - began;
    arena_close(&a);
    return HOLD_OPERATIONS / seconds;
}

/* -- memory ---------------------------------------------------------------------------- */

static int64_t allocated(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 m = mallinfo2();
    return (int64_t)(m.uordblks + m.hblkhd);
#else
    return -1;
#endif
}

static int64_t resident_kb(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (int64_t)u.ru_maxrss : -1;
}

static void play_rounds(const struct bench *b, struct player *p, uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++)
        (void)player_round(p, &b->in.suite.scenario[inputs_scenario(&b->in.suite, i)],
                           &b->in.contract, rng_mix(b->in.seed, i));
}

static void measure_memory(struct bench *b, struct player *p)
{
    play_rounds(b, p, 0, MEMORY_ROUNDS);
    b->resident_kb[0] = resident_kb();
    int64_t before = allocated();
    play_rounds(b, p, MEMORY_ROUNDS, MEMORY_ROUNDS);
    b->allocated = before < 0 ? -1 : allocated() - before;
    play_rounds(b, p, 2 * MEMORY_ROUNDS, 4 * MEMORY_ROUNDS);
    b->resident_kb[1] = resident_kb();
}

/* -- a replay --------------------------------------------------------------------------- */

static void replay_process(const struct bench *b, const char *file)
{
    char *argv[] = {
        (char *)(uintptr_t)b->program, "replay", (char *)(uintptr_t)file, "--seed", "1", NULL
    };
    if (!freopen("/dev/null", "w", stdout)) _exit(EXIT_OURS);
    execvp(argv[0], argv);
    _exit(EXIT_OURS);
}

/* Seconds of the quickest; -1 when it could not be started. */
static double measure_replay(const struct bench *b)
{
    const char *file = b->in.suite.scenario[b->in.suite.part[0].scenario].file;
    double quickest = -1;
    fflush(stdout);
    for (int i = 0; i < REPLAYS; i++) {
        int status = -1;
        double began = clock_seconds();
        pid_t child = fork();
        if (child == 0) replay_process(b, file);
        if (child < 0 || waitpid(child, &status, 0) != child) return -1;
        if (!WIFEXITED(status) || WEXITSTATUS(status) == EXIT_OURS) return -1;
        double s = clock_seconds() - began;
        if (quickest < 0 || s < quickest) quickest = s;
    }
    return quickest;
}

/* -- the table --------------------------------------------------------------------------- */

static void print_table(const struct bench *b)
{
    const double two = b->rounds_per_s[1] / b->rounds_per_s[0];
    printf("%-34s %12.0f\n", "rounds/s, 1 job", b->rounds_per_s[0]);
    printf("%-34s %12.0f   %.2f times 1 job\n", "rounds/s, all jobs", b->rounds_per_s[1], two);
    printf("%-34s %12.0f\n", "events/s, 1 job", b->events_per_s[0]);
    printf("%-34s %12.0f\n", "events/s, all jobs", b->events_per_s[1]);
    printf("%-34s %12.0f\n", "times faster than real time", b->speedup);
    printf("%-34s %12" PRIu64 "\n", "pending events, mean", b->pending);
    printf("%-34s %12.0f\n", "hold model of the queue, ops/s", b->hold_per_s);
    printf("%-34s %11.1f%%\n", "events/s (1 job) of the hold model",
           100 * b->events_per_s[0] / b->hold_per_s);
    if (b->allocated < 0)
        printf("%-34s %12s\n", "allocated in 200 rounds", "not known");
    else
        printf("%-34s %12" PRId64 " bytes\n", "allocated in 200 rounds", b->allocated);
    printf("%-34s %12" PRId64 "   after 200 rounds\n", "largest resident set, KiB",
           b->resident_kb[0]);
    printf("%-34s %12" PRId64 "   after 1200 rounds\n", "largest resident set, KiB",
           b->resident_kb[1]);
    if (b->replay_s < 0)
        printf("%-34s %12s\n", "one replay, a process", "failed");
    else
        printf("%-34s %12.3f s\n", "one replay, a process", b->replay_s);
}

static void print_json(const struct bench *b)
{
    printf("{\"performance\":{\"rounds_per_s\":%.1f,\"events_per_s\":%.1f,\"speedup\":%.1f,"
           "\"jobs\":%" PRIu64 ",\n \"rounds_per_s_1\":%.1f,\"events_per_s_1\":%.1f,"
           "\"pending\":%" PRIu64 ",\"hold_per_s\":%.1f,\n \"allocated_bytes\":%" PRId64
           ",\"resident_kib\":[%" PRId64 ",%" PRId64 "],\"replay_s\":%.4f}}\n",
           b->rounds_per_s[1], b->events_per_s[1], b->speedup, b->options.jobs, b->rounds_per_s[0],
           b->events_per_s[0], b->pending, b->hold_per_s, b->allocated, b->resident_kb[0],
           b->resident_kb[1], b->replay_s);
}

static int measure(struct bench *b)
{
    struct player p;
    player_open(&p, b->in.tabs);
    measure_memory(b, &p); /* first: a resident set never shrinks in this count */
    b->pending = measure_pending(b, &p);
    player_close(&p);
    b->hold_per_s = measure_hold(b->pending > 0 ? b->pending : 1);
    measure_rounds(b, 0, 1);
    measure_rounds(b, 1, (uint32_t)b->options.jobs);
    b->replay_s = measure_replay(b);
    if (b->options.json)
        print_json(b);
    else
        print_table(b);
    return b->allocated > 0 ? EXIT_BROKEN : EXIT_PASSED;
}

/* -- the portfolio ------------------------------------------------------------------------ */

static int measure_portfolio(struct bench *b)
{
    char folder[LOCATE_PATH_MAX];
    struct hunt h;
    struct bench_portfolio asked = { .seeds = (uint32_t)b->seeds, .show = SHOWN_MUTANTS };
    memcpy(asked.percent, b->in.suite.percent, sizeof asked.percent);
    if (!locate_shipped(folder, b->program, "mutants", stderr) ||
        !hunt_load(&h, folder, NULL, &b->in.overrides, stderr))
        return EXIT_BAD_INPUT;
    h.contract = &b->in.contract;
    h.seed = b->in.seed;
    h.jobs = (uint32_t)b->options.jobs;
    interrupt_watch();
    bool better = bench_portfolio(&asked, &h, stdout);
    hunt_free(&h);
    if (interrupted()) return EXIT_INTERRUPTED;
    return better ? EXIT_PASSED : EXIT_BROKEN;
}

int cmd_bench(int argc, char **argv)
{
    struct bench *b = calloc(1, sizeof *b);
    must(b != NULL);
    b->program = argv[0];
    enum flags_outcome read = ask(b, argc, argv);
    int status = read == FLAGS_WRONG ? EXIT_BAD_INPUT : EXIT_PASSED;
    if (read == FLAGS_OK) {
        fprintf(b->options.json ? stderr : stdout,
                "bench: %s, %" PRIu64 " %s, seed %s, %" PRIu64 " jobs, revision %s, %s\n\n",
                b->in.suite.file, b->portfolio ? b->seeds : b->options.rounds,
                b->portfolio ? "hunts of each mutant" : "rounds", b->options.seed, b->options.jobs,
                version_revision(), version_build());
        fflush(stdout);
        status = b->portfolio ? measure_portfolio(b) : measure(b);
        inputs_free(&b->in);
    }
    free(b);
    return status;
}
