/* What one worker needs to play rounds: a world and a judge, opened once. A round
 * allocates nothing. */
#ifndef TOOLS_PLAYER_H
#define TOOLS_PLAYER_H

#include "oracle/judge.h"
#include "sim/run.h"

struct player {
    struct runner runner;
    struct arena arena; /* the judge's */
    struct judge *judge;
};

/* Everything is valid until the player's next round. */
struct played {
    const struct history *history;
    const struct judge_result *result;
    uint64_t digest; /* of the history */
    uint64_t events;
    uint64_t virtual_us;
    uint32_t pct_links, pct_steps; /* with PCT from the start; else 0 */
};

/* For scenarios of up to `tabs` tabs. */
void player_open(struct player *p, uint32_t tabs);
void player_close(struct player *p);

/* Plays and judges; `c` is the contract before the scenario bends it. */
struct played player_round(struct player *p, const struct scenario *s, const struct contract *c,
                           uint64_t seed);

/* The same with `n` faults injected, see run_round_with(). */
struct played player_round_with(struct player *p, const struct scenario *s,
                                const struct contract *c, uint64_t seed, struct injection *x,
                                uint32_t n);

/* The same with the rest under other choices, see run_round_redrawn(). */
struct played player_round_redrawn(struct player *p, const struct scenario *s,
                                   const struct contract *c, uint64_t seed, struct redraw *d);

/* The same by a course, see run_course(). */
struct played player_course(struct player *p, const struct scenario *s, const struct contract *c,
                            struct course *course);

/* Invariants that broke in the round, a bit each. */
uint32_t played_broken(const struct played *r);
/* The longest closed gap but the cold start, in us; -1 when there was none. */
int64_t played_longest_failover(const struct played *r);
/* A limit was hit: the round proves nothing. */
bool played_proves_nothing(const struct played *r);

#endif
