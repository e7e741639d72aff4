#include "tools/golden.h"

#include <stdlib.h>
#include <string.h>

#include "reports/table.h"
#include "sim/base/must.h"
#include "sim/engine/rng.h"
#include "tools/player.h"

/* "chaos.yaml 0x12ab  what it was": false after a sentence. */
static bool read_line(struct golden *g, const char *folder, const char *file, int number,
                      char *line, const struct overrides *o, FILE *err)
{
    char *rest, path[PATH_MAX_LEN];
    char *scenario = strtok_r(line, " \t\n", &rest);
    if (!scenario || scenario[0] == '#') return true;
    char *seed = strtok_r(NULL, " \t\n", &rest);
    if (!seed || g->n == GOLDEN_MAX) {
        fprintf(err, "%s:%d: found %s, accepted SCENARIO SEED, at most %d lines\n", file, number,
                seed ? "one line too many" : "no seed", GOLDEN_MAX);
        return false;
    }
    struct golden_seed *x = &g->at[g->n];
    int n = snprintf(path, sizeof path, "%s/%s", folder, scenario);
    if (n >= PATH_MAX_LEN || !scenario_load(&x->scenario, path, o, err)) {
        fprintf(err, "%s:%d: found a scenario that cannot be used\n", file, number);
        return false;
    }
    x->seed = rng_seed_of_text(seed);
    g->n++;
    return true;
}

bool golden_load(struct golden *g, const char *program, const struct overrides *o, FILE *err)
{
    char file[LOCATE_PATH_MAX], inner[LOCATE_PATH_MAX], folder[LOCATE_PATH_MAX], line[1024];
    bool ok = true;
    *g = (struct golden){ .n = 0 };
    if (!locate_shipped(file, program, "golden/seeds.txt", NULL)) return true;
    FILE *f = fopen(file, "r");
    if (!f) return true;
    g->at = calloc(GOLDEN_MAX, sizeof *g->at);
    must(g->at != NULL);
    locate_folder(inner, file);
    locate_folder(folder, inner); /* of golden/, which is scenarios/ */
    for (int number = 1; fgets(line, sizeof line, f); number++)
        ok = read_line(g, folder, file, number, line, o, err) && ok;
    fclose(f);
    if (!ok) golden_free(g);
    return ok;
}

void golden_free(struct golden *g)
{
    free(g->at);
    *g = (struct golden){ .n = 0 };
}

static bool play(const struct golden_seed *x, const struct contract *c, const struct run_info *run,
                 FILE *f)
{
    struct player player;
    player_open(&player, scenario_tabs(&x->scenario));
    struct played r = player_round(&player, &x->scenario, c, x->seed);
    uint32_t broken = played_broken(&r);
    bool held = broken == 0 && !played_proves_nothing(&r);
    if (!held) {
        fprintf(f, "BROKEN again %s", x->scenario.name);
        for (int k = 0; k < INV_COUNT; k++)
            if (broken >> k & 1) fprintf(f, " %s", invariant_word[k]);
        char line[TABLE_REPLAY_MAX];
        fprintf(f, "\n  %s\n", table_replay_of(line, run, x->scenario.file, x->seed));
    }
    player_close(&player);
    return held;
}

uint32_t golden_run(const struct golden *g, const struct contract *c, const struct run_info *run,
                    FILE *f)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < g->n; i++) again += !play(&g->at[i], c, run, f);
    return again;
}
