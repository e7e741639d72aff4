/* One round, from seed to history: the main path. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/world.h"

struct runner {
    struct arena arena;
    struct world *world;
    struct scenario good; /* of a sweep: the scenario without its faults */
};

/* Takes all memory for rounds of scenarios with up to `tabs` tabs. */
void runner_open(struct runner *r, uint32_t tabs);
void runner_close(struct runner *r);

/* Plays one round; its history (owned by the runner, valid until the next round) is complete
 * with round.ended. A pure function of (program version, contract, scenario, seed). */
const struct history *run_round(struct runner *r, const struct scenario *s,
                                const struct contract *c, uint64_t seed);

/* The same with `n` faults injected, in the order of their events; tells in each what came of it.
 * Up to the first one's event the round is the same as without. */
const struct history *run_round_with(struct runner *r, const struct scenario *s,
                                     const struct contract *c, uint64_t seed, struct injection *x,
                                     uint32_t n);

/* The rest of a round under other choices: before event number `before` is handled, every stream
 * is given a fresh start from `seed`. What was decided until then stands, the plan of the round
 * with it: its duration, its operations, its faults and when they are due. */
struct redraw {
    uint64_t before, seed;
    bool reached;            /* told: the round has that many events */
    struct instant at;       /* ... the time of that event */
    uint32_t seen;           /* ... observations made before it */
};

/* The same round up to event `before`. */
const struct history *run_round_redrawn(struct runner *r, const struct scenario *s,
                                        const struct contract *c, uint64_t seed,
                                        struct redraw *d);

/* The same by a course; writes back in it where its fork or fault was. */
const struct history *run_course(struct runner *r, const struct scenario *s,
                                 const struct contract *c, struct course *course);

/* For whoever plays a round event by event, from world_reset() until world.over: the next event,
 * or, at a limit, the end that cuts the round short. */
void run_step(struct world *w);

/* ... of `n` injections in the order of their events, those
 * whose turn it is before the next one; returns how many. */
uint32_t run_inject(struct world *w, struct injection *x, uint32_t n);

/* The scenario without any fault of its own: what a round is when nothing goes wrong. */
struct scenario scenario_without_faults(const struct scenario *s);

/* Most tabs of a scenario, over its devices. */
uint32_t scenario_tabs(const struct scenario *s);

#endif
