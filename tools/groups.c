#include "tools/groups.h"

#include <stdlib.h>
#include <string.h>

#include "reports/report.h"
#include "sim/base/must.h"
#include "tools/interrupt.h"
#include "tools/shrink_result.h"

/* Number `i` of the invariant's in the report's list; r->failures: it has fewer. */
static uint32_t failure_of(const struct run_report *r, enum invariant_kind k, uint32_t i)
{
    uint32_t at = 0;
    for (; at < r->failures; at++) {
        const struct failure *x = &r->failure[at];
        if (x->invariant == k && x->finding.verdict == VERDICT_BROKEN && i-- == 0) break;
    }
    return at;
}

/* What the failures of a run are taken from. */
struct source {
    const struct inputs *in;
    const struct run_report *report;
    const char *folder;
};

/* The minimal scenario as a file's text. */
static char *script_of(const struct shrink *s, const struct source *from,
                       const struct failure_group *g)
{
    char line[TABLE_REPLAY_MAX], inner[REPORT_FAILURE_MAX];
    char file[PATH_MAX_LEN + REPORT_FAILURE_MAX + 32] = "minimal.yaml";
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    must(f != NULL);
    const struct scenario result = shrink_result(s);
    if (*from->folder)
        snprintf(file, sizeof file, "%s/%s/minimal.yaml", from->folder,
                 report_failure(inner, from->report, &from->report->failure[g->example]));
    if (s->scheduled || s->course.strategy == STRATEGY_UNIFORM) /* else no file alone fails */
        shrink_write(f, s, &result, shrink_replay_line(line, &from->report->run, file));
    fclose(f);
    must(text != NULL);
    return text;
}

static struct failure_group *find(struct groups *g, enum invariant_kind k, bool reduced,
                                  uint64_t faults)
{
    for (uint32_t i = 0; i < g->n; i++) {
        struct failure_group *x = &g->at[i];
        if (x->invariant == k && x->reduced == reduced && (!reduced || x->faults == faults))
            return x;
    }
    return NULL;
}

/* Into its group, which it opens when it is the first of it. */
static void put(struct groups *g, const struct shrink *s, const struct source *from,
                uint32_t failure)
{
    const struct shrink_size size = shrink_size(&s->best);
    const uint64_t faults = shrink_kinds(&s->best);
    struct failure_group *x = find(g, s->invariant, s->scheduled, faults);
    if (x) {
        x->failures++;
        return;
    }
    must(g->n < GROUPS_MAX);
    x = &g->at[g->n++];
    *x = (struct failure_group){ .invariant = s->invariant,
                                 .faults = faults,
                                 .reduced = s->scheduled,
                                 .failures = 1,
                                 .example = failure,
                                 .tabs = size.tabs,
                                 .operations = size.operations,
                                 .calm = s->best.calm };
    x->script = script_of(s, from, x);
}

static void look_at(struct groups *g, struct player *p, const struct source *from, uint32_t failure)
{
    const struct failure *x = &from->report->failure[failure];
    uint64_t left = g->events < GROUPS_EVENTS ? GROUPS_EVENTS - g->events : 1;
    struct shrink s = { .player = p,
                        .contract = &from->in->contract,
                        .course = x->course,
                        .budget = SHRINK_BUDGET,
                        .events_max = left < GROUPS_EACH ? left : GROUPS_EACH };
    enum shrink_outcome o =
        shrink_start(&s, &from->in->suite.scenario[x->scenario], x->seed, x->invariant);
    if (o == SHRINK_OK) {
        shrink_reduce(&s);
        put(g, &s, from, failure);
    }
    g->events += s.events;
}

/* The faults of `a` suffice for what `b` was opened for, as far as anybody can tell. */
static bool covers(const struct run_report *r, const struct failure_group *a,
                   const struct failure_group *b)
{
    const char *why = r->failure[a->example].finding.reason;
    const char *other = r->failure[b->example].finding.reason;
    bool same_reason = why && other && strcmp(why, other) == 0;
    return a->invariant == b->invariant && a->reduced && b->reduced && same_reason &&
           a->faults != b->faults && (a->faults & ~b->faults) == 0;
}

static bool merge_one(struct groups *g, const struct run_report *r)
{
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < g->n; k++) {
            if (!covers(r, &g->at[i], &g->at[k])) continue;
            g->at[i].failures += g->at[k].failures;
            free((void *)(uintptr_t)g->at[k].script);
            g->at[k] = g->at[--g->n];
            return true;
        }
    return false;
}

static int by_invariant(const void *a, const void *b)
{
    const struct failure_group *x = a, *y = b;
    if (x->invariant != y->invariant) return x->invariant < y->invariant ? -1 : 1;
    return (x->example > y->example) - (x->example < y->example);
}

void groups_make(struct groups *g, const struct inputs *in, const struct run_report *r,
                 const char *folder)
{
    const struct source from = { in, r, folder };
    struct player player;
    *g = (struct groups){ .n = 0 };
    if (r->failures == 0) return;
    player_open(&player, in->tabs);
    for (uint32_t i = 0; i < GROUPS_LOOKED_AT; i++)
        for (int k = 0; k < INV_COUNT && !interrupted(); k++) {
            uint32_t failure = failure_of(r, (enum invariant_kind)k, i);
            bool has_events = i == 0 || g->events < GROUPS_EVENTS;
            if (failure < r->failures && has_events) look_at(g, &player, &from, failure);
        }
    player_close(&player);
    while (merge_one(g, r)) continue;
    qsort(g->at, g->n, sizeof g->at[0], by_invariant);
}

void groups_free(struct groups *g)
{
    for (uint32_t i = 0; i < g->n; i++) free((void *)(uintptr_t)g->at[i].script);
    g->n = 0;
}
