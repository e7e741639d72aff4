#include "tools/hunt.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/clock.h"
#include "tools/interrupt.h"

#define TICK_MS 200

/* -- loading ------------------------------------------------------------------------- */

static int is_yaml(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

static bool load_one(struct hunted *x, const char *path, const struct overrides *o, FILE *err)
{
    *x = (struct hunted){ .unfinished = true };
    if (!mutant_load(&x->mutant, path, o, err)) return false;
    enum invariant_kind expected = invariant_find(x->mutant.caught_by);
    if (expected == INV_COUNT) {
        fprintf(err, "%s: caught-by: found %s, accepted the name of an invariant:", path,
                x->mutant.caught_by);
        for (int k = 0; k < INV_COUNT; k++) fprintf(err, "%s %s", k ? "," : "", invariant_word[k]);
        fputs("\n", err);
        return false;
    }
    x->outcome = (struct mutant_outcome){ .name = x->mutant.name,
                                          .expected = expected,
                                          .budget = x->mutant.rounds };
    return true;
}

static bool load_all(struct hunt *h, const char *folder, struct dirent **entry, uint32_t entries,
                     const struct overrides *o, FILE *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < entries; i++) {
        char path[PATH_MAX_LEN];
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        must(h->n < HUNT_MUTANTS_MAX);
        if (n >= PATH_MAX_LEN || !load_one(&h->at[h->n], path, o, err))
            ok = false;
        else
            h->n++;
    }
    return ok;
}

/* Leaves the one that is asked for; outcomes point into their own entry. */
static bool keep_only(struct hunt *h, const char *only, FILE *err)
{
    const char *names[HUNT_MUTANTS_MAX];
    for (uint32_t i = 0; i < h->n; i++) {
        names[i] = h->at[i].mutant.name;
        if (strcmp(names[i], only) != 0) continue;
        h->at[0] = h->at[i];
        h->at[0].outcome.name = h->at[0].mutant.name;
        h->n = 1;
        return true;
    }
    const char *near = flags_nearest(only, names, h->n);
    fprintf(err, "--only: found the unknown mutant %s%s%s%s, accepted", only,
            near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    for (uint32_t i = 0; i < h->n; i++) fprintf(err, "%s %s", i ? "," : "", names[i]);
    fputs("\n", err);
    return false;
}

static uint32_t largest(const struct hunt *h)
{
    uint32_t tabs = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t n = scenario_tabs(&h->at[i].mutant.scenario);
        if (n > tabs) tabs = n;
    }
    return tabs;
}

bool hunt_load(struct hunt *h, const char *folder, const char *only, const struct overrides *o,
               FILE *err)
{
    struct dirent **entry;
    *h = (struct hunt){ .jobs = 1 };
    int entries = scandir(folder, &entry, is_yaml, alphasort);
    if (entries < 0) {
        fprintf(err, "%s: %s\n", folder, strerror(errno));
        return false;
    }
    h->at = calloc(HUNT_MUTANTS_MAX, sizeof *h->at);
    must(h->at != NULL);
    bool fits = entries <= HUNT_MUTANTS_MAX;
    if (!fits)
        fprintf(err, "%s: found %d mutants, accepted %d\n", folder, entries, HUNT_MUTANTS_MAX);
    bool ok = fits && load_all(h, folder, entry, (uint32_t)entries, o, err) &&
              (!only || keep_only(h, only, err));
    for (int i = 0; i < entries; i++) free(entry[i]);
    free(entry);
    if (ok && h->n == 0) fprintf(err, "%s: found no mutant, accepted *.yaml files\n", folder);
    h->tabs = largest(h);
    if (ok && h->n > 0) return true;
    hunt_free(h);
    return false;
}

void hunt_free(struct hunt *h)
{
    free(h->at);
    *h = (struct hunt){ .jobs = 1 };
}

/* -- hunting --------------------------------------------------------------------------- */

uint64_t hunt_seed(const char *mutant, uint64_t seed, uint64_t round)
{
    return rng_mix(rng_seed_of_text(mutant) ^ seed, round);
}

static void note(struct hunted *x, uint32_t broken)
{
    for (int k = 0; k < INV_COUNT; k++) {
        if (!(broken >> k & 1) || x->first[k] != 0) continue;
        x->first[k] = x->outcome.rounds;
        if (k == (int)x->outcome.expected)
            x->outcome.caught = true;
        else
            x->outcome.also |= UINT64_C(1) << k;
    }
}

static void hunt_one(struct hunt *h, struct hunted *x, struct player *p)
{
    struct mutant_outcome *o = &x->outcome;
    while (!o->caught && o->rounds < o->budget) {
        if (interrupted()) return;
        uint64_t seed = hunt_seed(o->name, h->seed, o->rounds++);
        struct played r = player_round(p, &x->mutant.scenario, h->contract, seed);
        note(x, played_broken(&r));
    }
    x->unfinished = false;
}

static void work(void *context, uint32_t worker)
{
    struct hunt *h = context;
    struct player player;
    (void)worker;
    player_open(&player, h->tabs);
    for (uint32_t i; (i = atomic_fetch_add(&h->next, 1)) < h->n && !interrupted();) {
        hunt_one(h, &h->at[i], &player);
        atomic_fetch_add(&h->done, 1);
    }
    player_close(&player);
}

void hunt_run(struct hunt *h, enum progress_mode mode)
{
    struct progress progress;
    struct pool pool;
    progress_open(&progress, mode, stderr, "mutants", 0);
    pool_start(&pool, h->jobs, work, h);
    while (!pool_wait(&pool, TICK_MS))
        progress_at(&progress, atomic_load(&h->done), h->n, clock_seconds());
    pool_finish(&pool);
    progress_close(&progress);
}

void hunt_outcomes(const struct hunt *h, struct mutant_outcome *out)
{
    for (uint32_t i = 0; i < h->n; i++) out[i] = h->at[i].outcome;
}

uint32_t hunt_escaped(const struct hunt *h)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n; i++) n += !h->at[i].outcome.caught;
    return n;
}

/* -- the canary ------------------------------------------------------------------------ */

bool hunt_canary_is_red(uint32_t broken)
{
    int n = 0;
    for (; broken; broken &= broken - 1) n++;
    return n >= HUNT_CANARY_INVARIANTS;
}

uint32_t hunt_canary(const struct scenario *s, const struct contract *c, uint64_t seed)
{
    struct scenario canary = *s;
    struct player player;
    uint32_t broken = 0;
    canary.policy = policy_with(canary.policy, POLICY_CANARY);
    player_open(&player, scenario_tabs(s));
    for (uint64_t i = 0; i < HUNT_CANARY_ROUNDS && !hunt_canary_is_red(broken); i++) {
        struct played r = player_round(&player, &canary, c, hunt_seed("canary", seed, i));
        broken |= played_broken(&r);
    }
    player_close(&player);
    return broken;
}
