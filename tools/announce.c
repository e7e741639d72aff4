#include "tools/announce.h"

#include <inttypes.h>

#include "sim/engine/rng.h"
#include "tools/version.h"

static void suite(FILE *f, const struct suite *s)
{
    fprintf(f, "%s, %" PRIu32 " scenario%s", s->file, s->scenarios, s->scenarios == 1 ? "" : "s");
    for (uint32_t i = 0; i < s->parts && s->parts > 1; i++)
        if (s->part[i].share * 20 >= s->share_sum)
            fprintf(f, ", %s %" PRIu32 "%%", s->scenario[s->part[i].scenario].name,
                    s->part[i].share * 100 / s->share_sum);
    fputs("\n", f);
}

void announce_settings(FILE *f, const struct inputs *in)
{
    for (uint32_t i = 0; i < in->overrides.n; i++)
        fprintf(f, "--set %s=%s\n", in->overrides.at[i].path, in->overrides.at[i].value);
}

void announce_begin(FILE *f, const char *command, const struct campaign *c, const char *seed_text,
                    const char *out)
{
    const struct inputs *in = c->in;
    uint64_t first = 0;
    while (portfolio_strategy(&in->suite, in->seed, first, inputs_scenario(&in->suite, first)) !=
           STRATEGY_UNIFORM)
        first++;
    fprintf(f, "%s: ", command);
    suite(f, &in->suite);
    fprintf(f, "contract %s\n", in->contract_file);
    announce_settings(f, in);
    fprintf(f, "seed %s (0x%016" PRIx64 "), so round %" PRIu64 " is %s 0x%016" PRIx64 "\n",
            seed_text, in->seed, first, in->suite.scenario[inputs_scenario(&in->suite, first)].name,
            rng_mix(in->seed, first));
    fprintf(f, "revision %s, %s\n", version_revision(), version_build());
    if (c->shard.of > 1)
        fprintf(f, "shard %" PRIu32 " of %" PRIu32 "%s%s%s: rounds %" PRIu64 " to %" PRIu64 " of ",
                c->shard.number, c->shard.of, c->shard.from ? " (" : "",
                c->shard.from ? c->shard.from : "", c->shard.from ? ")" : "", c->first,
                c->first + c->mine);
    fprintf(f, "%" PRIu64 " rounds, %" PRIu32 " jobs", c->rounds, c->jobs);
    if (out) fprintf(f, ", results in %s", out);
    if (c->resumed) fprintf(f, ", %" PRIu64 " rounds are there already", c->resumed);
    fputs("\n\n", f);
    fflush(f);
}

void announce_end(FILE *f, const struct run_report *r)
{
    const struct performance *p = &r->performance;
    fprintf(f, "digest 0x%016" PRIx64 "\n", r->tally->digest);
    fprintf(f,
            "%" PRIu64 " rounds, %.1f s: %.0f rounds/s, %.0f events/s, %.0f times faster than"
            " real time, %" PRIu32 " jobs\n",
            r->tally->rounds, p->seconds, p->rounds_per_s, p->events_per_s, p->speedup, p->jobs);
}
