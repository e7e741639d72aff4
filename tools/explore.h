/* Every placement of a few faults and late messages in a small round: exhaustive within bounds.
 *
 *   explore_open   takes the scope apart; false when memory is short
 *   explore_run    explores with one move, two, ... up to the bounds, and stops after the first
 *                  number of moves that breaks something
 *   explore_close
 *
 * What is explored. The round is calm: every choice of the world is its mildest, so that by itself
 * it goes one way. Before each of its events a *move* may come: one of the scope's faults with one
 * of its lengths, or, when the event is a message, that it comes later by one of the
 * scope's delays. Bounds: so many faults, so many delays, up to the horizon. Exhaustive means:
 * every sequence of moves within the bounds, at every event of every round that they lead to.
 *
 * What that leaves out, so that nobody claims more: times between two events, other lengths and
 * latencies than those listed, other orders of events of one microsecond, faults under a quorum
 * or a local ledger. Only invariants that break at an observation are judged, unless `liveness` is
 * asked for: then every state that the last move of a path leads to is also played on through the
 * healing to the end of its round, where those are judged that need an end. A state that was seen
 * is not, though the healing may come at another time from there; so that search is by one thread.
 *
 * How it stays small. A state is what the future and the verdicts depend on: the world, and of the
 * oracle's memory what its safety invariants still ask, in canonical form (sim/base/fold.h): times
 * as seen from now, requests and claims by the order in which they are met, generations and
 * renewals as distances, tabs by their place in the queue. States are remembered by
 * 64 bits of it; two that agree in all of them by accident hide one another: chance is said
 * (n^2 / 2^65), as other model checkers do. Where no move is left a state has one way to go
 * on, and is looked up after timers only. A state that was seen is not explored again, unless it is
 * found at an earlier time: then more is left until the horizon.
 * Without merging the same paths are walked as a tree; explore_test.c compares the two.
 *
 * The numbers are the same for any number of threads, as long as no limit is hit: what is in
 * the table in the end depends on no order (seen.h). Which of many paths leads to a
 * violation first does, so the paths that are shown come from a search by one thread. */
#ifndef TOOLS_EXPLORE_H
#define TOOLS_EXPLORE_H

#include "oracle/judge.h"
#include "sim/run.h"
#include "tools/placement.h"
#include "tools/progress.h"
#include "tools/seen.h"

#define EXPLORE_MOVES_MAX 256 /* kinds times lengths */
#define EXPLORE_TABS_MAX 6

struct explore_scope {
    struct scenario calm;
    const struct contract *contract;
    struct injection move[EXPLORE_MOVES_MAX]; /* faults, then delays; by kind and length */
    uint32_t moves;
    uint32_t faults, delays; /* at most, together at most PLACEMENTS_MAX */
    uint32_t depth;          /* faults and delays of one path at most; 0: all */
    bool liveness;           /* rounds are played to their ends, too */
    bool symmetric;          /* tabs that differ in number alone are one */
    bool merges;             /* false: a tree */
    uint64_t states_max;     /* the table's size */
    double seconds_max;      /* 0: no limit */
    uint32_t jobs;
};

struct explore_violation {
    uint64_t at_us;
    uint32_t n;               /* moves that lead to it */
    struct injection move[PLACEMENTS_MAX];
};

struct explore_result {
    uint32_t moves;           /* of the last search: at most so many in one path */
    uint64_t states, transitions, at_horizon, broken_states;
    uint64_t events;          /* handled, all searches together; depends on threads */
    uint64_t latest_us;       /* virtual time of the last state reached first */
    uint64_t ends;            /* rounds played to their ends */
    bool full, late;          /* limits that were hit: the space was not covered */
    uint32_t broken;          /* invariants, a bit each */
    struct explore_violation violation[INV_COUNT];
};

struct explore;

/* The scope is copied. */
struct explore *explore_open(const struct explore_scope *scope);
/* Moves of one path at most. */
uint32_t explore_depth(const struct explore_scope *scope);
void explore_run(struct explore *e, enum progress_mode progress, struct explore_result *out);
void explore_close(struct explore *e);

#endif
