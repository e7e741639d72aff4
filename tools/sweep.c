#include "tools/sweep.h"

#include <stdlib.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/clock.h"
#include "tools/interrupt.h"

#define TICK_MS 200

const char *const sweep_outcome_word[SWEEP_OUTCOMES] = { "not-played", "broken",    "unknown",
                                                         "no-target",  "no-effect", "held" };

/* -- the placements ------------------------------------------------------------------ */

static void place_each(struct sweep *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->at[i] = (struct sweep_placement){ .before = { i / s->lengths + 1 },
                                             .kind = { (uint8_t)(i % s->lengths) } };
}

static bool same_fault(const struct sweep *s)
{
    return s->fault[0].kind == s->fault[1].kind && s->fault[0].lasts_us == s->fault[1].lasts_us;
}

/* Fault 0 before event a, fault 1 before event b, in the order in which they come. */
static void place(const struct sweep *s, struct sweep_placement *p, uint32_t a, uint32_t b)
{
    bool swaps = b < a;
    *p = (struct sweep_placement){ .before = { swaps ? b : a, swaps ? a : b } };
    if (same_fault(s)) return; /* either order is one placement */
    p->kind[0] = swaps;
    p->kind[1] = !swaps;
}

static uint64_t all_pairs(const struct sweep *s)
{
    return same_fault(s) ? s->events * (s->events + 1) / 2 : s->events * s->events;
}

static void place_all_pairs(struct sweep *s)
{
    uint32_t i = 0, events = (uint32_t)s->events;
    for (uint32_t a = 1; a <= events; a++)
        for (uint32_t b = same_fault(s) ? a : 1; b <= events; b++) place(s, &s->at[i++], a, b);
    must(i == s->n);
}

/* Steps of 2^32/g and 2^32/g^2 with g^3 = g + 1: the most even ones that two axes have. */
#define STEP_A 3242174889u
#define STEP_B 2447445414u

static void place_some_pairs(struct sweep *s)
{
    uint64_t start = rng_mix(s->seed, s->events);
    uint32_t a = (uint32_t)start, b = (uint32_t)(start >> 32);
    for (uint32_t i = 0; i < s->n; i++, a += STEP_A, b += STEP_B)
        place(s, &s->at[i], (uint32_t)(a * s->events >> 32) + 1,
              (uint32_t)(b * s->events >> 32) + 1);
}

static bool lay_out(struct sweep *s, uint32_t budget)
{
    uint64_t n = s->faults == 1 ? s->events * s->lengths : all_pairs(s);
    bool all = s->faults == 1 || n <= budget;
    s->n = all ? (uint32_t)n : budget;
    s->at = calloc(s->n ? s->n : 1, sizeof *s->at);
    if (!s->at) return false;
    if (s->faults == 1)
        place_each(s);
    else if (all)
        place_all_pairs(s);
    else
        place_some_pairs(s);
    return true;
}

/* -- playing --------------------------------------------------------------------------- */

static void play_good(struct sweep *s)
{
    struct player player;
    player_open(&player, s->tabs);
    struct played r = player_round(&player, &s->calm, s->contract, s->seed);
    s->good_broken = played_broken(&r);
    s->good_proves = !played_proves_nothing(&r) && r.result->leader_us > 0;
    s->good_failover_us = played_longest_failover(&r);
    s->events = player.runner.world->first_phase;
    player_close(&player);
}

bool sweep_open(struct sweep *s, const struct inputs *in, const struct injection *fault,
                uint32_t faults, uint32_t lengths, uint32_t budget, uint32_t jobs)
{
    must(faults == 1 || (faults == 2 && lengths == 1));
    must(lengths > 0 && lengths <= PLACEMENT_LENGTHS_MAX);
    *s = (struct sweep){ .calm = scenario_without_faults(in->suite.scenario),
                         .contract = &in->contract,
                         .seed = in->seed,
                         .faults = faults,
                         .lengths = lengths,
                         .tabs = in->tabs,
                         .jobs = jobs };
    for (uint32_t i = 0; i < (faults == 1 ? lengths : faults); i++) s->fault[i] = fault[i];
    play_good(s);
    must(s->events < UINT32_MAX / PLACEMENT_LENGTHS_MAX);
    return lay_out(s, budget);
}

uint32_t sweep_injections(const struct sweep *s, const struct sweep_placement *p,
                          struct injection x[2])
{
    for (uint32_t i = 0; i < s->faults; i++) {
        x[i] = s->fault[p->kind[i]];
        x[i].before = p->before[i];
    }
    return s->faults;
}

/* Every fault of the round has changed something. */
static bool took_effect(const struct sweep *s, const struct judge_result *r)
{
    uint32_t wanted[2] = { 1, 1 };
    if (s->faults == 1) return r->effective[s->fault[0].kind] >= 1;
    if (s->fault[0].kind == s->fault[1].kind) wanted[0] = wanted[1] = 2;
    return r->effective[s->fault[0].kind] >= wanted[0] &&
           r->effective[s->fault[1].kind] >= wanted[1];
}

static void play_one(const struct sweep *s, struct sweep_placement *p, struct player *player)
{
    struct injection x[2];
    uint32_t n = sweep_injections(s, p, x);
    struct played r = player_round_with(player, &s->calm, s->contract, s->seed, x, n);
    bool all_begun = true;
    for (uint32_t i = 0; i < n; i++) all_begun = all_begun && x[i].begun;
    p->phase = (uint8_t)x[0].phase;
    p->broken = played_broken(&r);
    p->failover_us = played_longest_failover(&r);
    p->digest = r.digest;
    p->outcome = p->broken                   ? SWEEP_BROKEN
                 : played_proves_nothing(&r) ? SWEEP_UNKNOWN
                 : !all_begun                ? SWEEP_NO_TARGET
                 : !took_effect(s, r.result) ? SWEEP_NO_EFFECT
                                             : SWEEP_HELD;
}

static void work(void *context, uint32_t worker)
{
    struct sweep *s = context;
    struct player player;
    (void)worker;
    player_open(&player, s->tabs);
    for (uint32_t i; (i = atomic_fetch_add(&s->next, 1)) < s->n && !interrupted();) {
        play_one(s, &s->at[i], &player);
        atomic_fetch_add(&s->done, 1);
    }
    player_close(&player);
}

void sweep_run(struct sweep *s, enum progress_mode mode)
{
    struct progress progress;
    struct pool pool;
    progress_open(&progress, mode, stderr, "placements", 0);
    pool_start(&pool, s->jobs, work, s);
    while (!pool_wait(&pool, TICK_MS))
        progress_at(&progress, atomic_load(&s->done), s->n, clock_seconds());
    pool_finish(&pool);
    progress_close(&progress);
}

void sweep_close(struct sweep *s)
{
    free(s->at);
    s->at = NULL;
    s->n = 0;
}

/* -- what came out --------------------------------------------------------------------- */

static void add(struct sweep_row *row, const struct sweep_placement *p, uint32_t number)
{
    row->placements++;
    row->outcome[p->outcome]++;
    for (int k = 0; k < INV_COUNT; k++) row->broken[k] += p->broken >> k & 1;
    if (p->outcome == SWEEP_NO_TARGET || p->failover_us <= row->failover_us) return;
    row->failover_us = p->failover_us;
    row->longest = number;
}

void sweep_sums(const struct sweep *s, struct sweep_sums *out)
{
    *out = (struct sweep_sums){ .all.failover_us = -1 };
    for (int k = 0; k < PHASE_COUNT; k++) out->phase[k].failover_us = -1;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sweep_placement *p = &s->at[i];
        if (p->outcome == SWEEP_NOT_PLAYED) continue;
        add(&out->phase[p->phase], p, i);
        add(&out->all, p, i);
        out->digest += rng_mix(i, p->digest);
    }
}

uint32_t sweep_groups(const struct sweep *s, struct sweep_group out[SWEEP_GROUPS_MAX])
{
    struct sweep_group group[INV_COUNT][PHASE_COUNT] = { 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (int k = 0; k < INV_COUNT; k++) {
            if (!(s->at[i].broken >> k & 1)) continue;
            struct sweep_group *g = &group[k][s->at[i].phase];
            if (g->placements++ == 0) g->first = i;
        }
    for (int k = 0; k < INV_COUNT; k++)
        for (int p = 0; p < PHASE_COUNT; p++) {
            if (group[k][p].placements == 0) continue;
            group[k][p].invariant = (enum invariant_kind)k;
            group[k][p].phase = (enum leader_phase)p;
            out[n++] = group[k][p];
        }
    return n;
}
