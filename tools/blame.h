/* Which event made a violation inevitable: the failing round is played again up to an event,
 * and the rest under fresh choices, many times; the share of these rounds that break the same
 * invariant is the probability of the violation at that event. Where it jumps, the event before
 * decided.
 *
 *   blame_open     plays the round, finds the event that broke the invariant
 *   blame_run      measures `grid` events spread over the round, then more and more between
 *                  the two where it rises most, until these follow each other
 *   blame_jump     the largest rise between two neighbours
 *   blame_close
 *
 * A re-draw goes on from a copy of the world before its event and ends where the invariant breaks
 * (redraws.h). A point is a pure function of (scenario, contract, seed, event, re-draws): the same
 * with any jobs. The plan of the round stands in every re-draw (struct redraw in sim/run.h), so
 * that the curve begins at how often the plan alone leads to the violation. */
#ifndef TOOLS_BLAME_H
#define TOOLS_BLAME_H

#include <stdatomic.h>

#include "tools/inputs.h"
#include "tools/player.h"

#define BLAME_GRID 64         /* events of the first pass */
#define BLAME_GRID_MAX 2000
#define BLAME_FINER 8         /* events between two neighbours, until they follow each other */
#define BLAME_POINTS_MAX (BLAME_GRID_MAX + 96) /* finer: 9 passes reach across 2^26 events */
#define BLAME_REDRAWS 200
#define BLAME_REDRAWS_MAX 100000

struct blame_point {
    uint64_t before;         /* the event; the last point is behind the one that broke it */
    struct instant at;
    uint32_t seen;           /* observations of the round before it */
    _Atomic uint32_t broken; /* of the re-draws */
};

struct blame {
    const struct scenario *scenario;
    const struct contract *contract;
    uint64_t seed;
    uint32_t tabs, jobs, redraws, grid;
    enum invariant_kind invariant;
    uint64_t events;         /* of the round */
    uint64_t broke_in;       /* the event whose observation broke it; `events` where the end did */
    struct blame_point point[BLAME_POINTS_MAX]; uint32_t points; /* by event */
    uint64_t rounds;         /* re-drawn */
    /* of the pass that runs: */
    uint32_t fresh[BLAME_POINTS_MAX], fresh_n;
    _Atomic uint64_t next, done;
};

enum blame_outcome {
    BLAME_OK,
    BLAME_HOLDS, /* the round does not break it, or nothing at all */
    BLAME_LIMIT  /* the round was cut short by a limit */
};

/* `k`: INV_COUNT for the first that breaks. */
enum blame_outcome blame_open(struct blame *b, const struct inputs *in, enum invariant_kind k,
                              uint32_t redraws, uint32_t grid, uint32_t jobs);
/* False when it was interrupted: the points are not to be trusted. */
bool blame_run(struct blame *b, enum progress_mode progress);

/* The point before the largest rise, the earliest of equals; the next one is point + 1. */
uint32_t blame_jump(const struct blame *b);

#endif
