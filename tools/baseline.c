#include "tools/baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/stats.h"
#include "reports/gate_json.h"
#include "reports/quantiles.h"
#include "reports/text.h"
#include "sim/base/must.h"

/* -- reading -------------------------------------------------------------------------- */

static bool wrong(const struct baseline *b, FILE *err, const char *key, const char *accepted)
{
    fprintf(err, "%s: %s: accepted %s\n", b->file, key, accepted);
    return false;
}

static bool read_count(const json_t *at, const char *key, uint64_t *to)
{
    const json_t *v = json_object_get(at, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0) return false;
    *to = (uint64_t)json_integer_value(v);
    return true;
}

/* A newer program may know invariants that the baseline's did not: none of them broke. */
static bool read_invariants(struct baseline *b, const json_t *root)
{
    const json_t *all = json_object_get(root, "invariants");
    if (!json_is_object(all)) return false;
    for (int k = 0; k < INV_COUNT; k++)
        if (json_object_get(all, invariant_word[k]) &&
            !read_count(all, invariant_word[k], &b->broken[k]))
            return false;
    return true;
}

/* Of a program that knows other invariants or faults a group has its name alone. */
static void read_name(struct baseline_group *g)
{
    char invariant[GROUP_NAME_MAX];
    const char *slash = strchr(g->name, '/');
    g->by_faults = false;
    if (!slash) return;
    snprintf(invariant, sizeof invariant, "%.*s", (int)(slash - g->name), g->name);
    g->invariant = invariant_find(invariant);
    if (g->invariant == INV_COUNT) return;
    g->by_faults =
        strcmp(slash + 1, GROUP_NO_FAULT) == 0 || group_read_faults(slash + 1, &g->faults);
}

static bool read_groups(struct baseline *b, const json_t *root)
{
    const json_t *all = json_object_get(root, "groups");
    size_t n = json_array_size(all);
    if (!json_is_array(all) || n > UINT32_MAX) return false;
    b->group = calloc(n ? n : 1, sizeof *b->group);
    must(b->group != NULL);
    for (; b->groups < n; b->groups++) {
        struct baseline_group *g = &b->group[b->groups];
        const char *name =
            json_string_value(json_object_get(json_array_get(all, b->groups), "name"));
        if (!name || strlen(name) >= sizeof g->name) return false;
        memcpy(g->name, name, strlen(name) + 1);
        read_name(g);
    }
    return true;
}

static int64_t us_of(const json_t *p99, const char *key)
{
    const json_t *v = json_object_get(p99, key);
    return json_is_integer(v) ? json_integer_value(v) : -1;
}

static bool read_p99(struct baseline *b, const json_t *root)
{
    const json_t *p99 = json_object_get(json_object_get(root, "failover_us"), "p99");
    if (!json_is_object(p99)) return false;
    b->p99_us = us_of(p99, "value");
    b->p99_low_us = us_of(p99, "low");
    b->p99_high_us = us_of(p99, "high");
    return true;
}

static bool read_root(struct baseline *b, const json_t *root, FILE *err)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, GATE_JSON_SCHEMA) != 0)
        return wrong(b, err, "schema", "a gate.json with \"" GATE_JSON_SCHEMA "\"");
    if (!read_count(root, "rounds", &b->rounds) || b->rounds == 0)
        return wrong(b, err, "rounds", "how many there were, at least 1");
    if (!read_invariants(b, root))
        return wrong(b, err, "invariants", "an object of invariant and number of broken rounds");
    if (!read_groups(b, root)) return wrong(b, err, "groups", "a list of objects with a name");
    if (!read_p99(b, root)) return wrong(b, err, "failover_us", "an object with a p99");
    return true;
}

bool baseline_load(struct baseline *b, const char *file, FILE *err)
{
    json_error_t e;
    *b = (struct baseline){ .file = file };
    FILE *f = fopen(file, "r");
    if (!f) {
        fprintf(err, "%s: %s\n", file, strerror(errno));
        return false;
    }
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &e);
    fclose(f);
    if (!root) {
        fprintf(err, "%s:%d: %s, accepted the gate.json of an earlier gate\n", file, e.line,
                e.text);
        return false;
    }
    bool ok = read_root(b, root, err);
    json_decref(root);
    if (!ok) baseline_free(b);
    return ok;
}

void baseline_free(struct baseline *b)
{
    free(b->group);
    *b = (struct baseline){ .file = NULL };
}

/* -- comparing ------------------------------------------------------------------------ */

static bool explains(const struct baseline_group *known, const struct failure_group *g)
{
    return known->by_faults && g->reduced && known->invariant == g->invariant &&
           (known->faults & ~g->faults) == 0;
}

static bool is_known(const struct baseline *b, const struct failure_group *g)
{
    char name[GROUP_NAME_MAX];
    group_name(name, g);
    for (uint32_t i = 0; i < b->groups; i++)
        if (explains(&b->group[i], g) || strcmp(b->group[i].name, name) == 0) return true;
    return false;
}

static void note_found(struct baseline *b, const struct failure_group *g)
{
    char name[GROUP_NAME_MAX];
    group_name(name, g);
    for (uint32_t i = 0; i < b->groups; i++)
        if (strcmp(b->group[i].name, name) == 0) b->group[i].found = true;
}

static bool breaks_more_often(const struct baseline *b, const struct tally *t, int k)
{
    double now = stats_lower((double)t->broken[k], (double)t->rounds);
    return now > stats_upper((double)b->broken[k], (double)b->rounds);
}

static void compare_invariants(struct baseline *b, const struct run_report *r)
{
    uint32_t known[INV_COUNT] = { 0 };
    for (uint32_t i = 0; i < r->groups; i++) {
        const struct failure_group *g = &r->group[i];
        note_found(b, g);
        if (is_known(b, g))
            known[g->invariant]++;
        else
            b->invariant_new[g->invariant] = true;
    }
    for (int k = 0; k < INV_COUNT; k++) {
        if (r->tally->broken[k] == 0) continue;
        if (known[k] == 0) b->invariant_new[k] = true;
        b->invariant_worse[k] = breaks_more_often(b, r->tally, k);
        b->invariant_excused[k] = !b->invariant_new[k] && !b->invariant_worse[k];
        if (b->invariant_excused[k]) b->known += known[k];
    }
}

static void compare_p99(struct baseline *b, const struct condition *c, const struct run_report *r)
{
    struct quantile_value now =
        quantile_of(&r->tally->failover, QUANTILE_P99, tally_failover_design_effect(r->tally));
    int64_t low = now.low_us >= 0 ? now.low_us : now.us;
    int64_t high = now.high_us >= 0 ? now.high_us : now.us;
    int64_t before_high = b->p99_high_us >= 0 ? b->p99_high_us : b->p99_us;
    int64_t before_low = b->p99_low_us >= 0 ? b->p99_low_us : b->p99_us;
    if (b->p99_us < 0 || now.us < 0) return;
    if (c->verdict != GATE_PASS)
        b->p99 = low <= before_high ? P99_EXCUSED : P99_WORSE;
    else if (high < before_low)
        b->p99 = P99_BETTER;
    b->known += b->p99 == P99_EXCUSED;
}

/* -- the gate's conditions ------------------------------------------------------------ */

static void excuse(struct condition *c, const char *threshold)
{
    size_t n = strlen(c->threshold);
    c->verdict = GATE_PASS;
    snprintf(c->threshold + n, sizeof c->threshold - n, ", %s", threshold);
}

static struct condition *find_condition(struct gate_report *v, const char *name)
{
    for (uint32_t i = 0; i < v->conditions; i++)
        if (strcmp(v->condition[i].name, name) == 0) return &v->condition[i];
    return NULL;
}

static uint32_t bad_ones(const struct baseline *b)
{
    uint32_t bad = b->p99 == P99_WORSE;
    for (int k = 0; k < INV_COUNT; k++) bad += b->invariant_new[k] || b->invariant_worse[k];
    return bad;
}

static void add_condition(const struct baseline *b, struct gate_report *v)
{
    uint32_t bad = bad_ones(b);
    must(v->conditions < CONDITIONS_MAX);
    struct condition *c = &v->condition[v->conditions++];
    *c = (struct condition){ .name = GATE_BASELINE,
                             .says = "what the baseline does not excuse",
                             .threshold = "nothing new or worse",
                             .judged = true,
                             .verdict = bad ? GATE_FAIL : GATE_PASS };
    snprintf(c->value, sizeof c->value, "%" PRIu32 " known failure%s%s", b->known,
             b->known == 1 ? "" : "s", bad ? ", others too" : "");
}

void baseline_apply(struct baseline *b, struct gate_report *v, const struct run_report *r)
{
    struct condition *p99 = find_condition(v, "failover-p99");
    char threshold[TEXT_US_MAX + 32], us[TEXT_US_MAX];
    compare_invariants(b, r);
    for (int k = 0; k < INV_COUNT; k++) {
        struct condition *c = find_condition(v, gate_condition_name((enum invariant_kind)k));
        if (b->invariant_excused[k]) excuse(c, "or the baseline's");
    }
    compare_p99(b, p99, r);
    snprintf(threshold, sizeof threshold, "or the baseline's %s", text_us(us, b->p99_us));
    if (b->p99 == P99_EXCUSED) excuse(p99, threshold);
    add_condition(b, v);
    v->verdict = gate_worst(v);
}

/* -- telling -------------------------------------------------------------------------- */

static void tell_group(FILE *f, const struct baseline *b, const struct failure_group *g)
{
    char name[GROUP_NAME_MAX];
    const char *word = !is_known(b, g)                    ? "new"
                       : b->invariant_worse[g->invariant] ? "more often"
                                                          : "excused";
    fprintf(f, "  %-10s  %s\n", word, group_name(name, g));
}

static void tell_p99(FILE *f, const struct baseline *b)
{
    static const char *const word[] = { NULL, "excused", "longer", "better" };
    char us[TEXT_US_MAX];
    if (b->p99 == P99_NOTHING) return;
    fprintf(f, "  %-10s  failover p99, which was %s\n", word[b->p99], text_us(us, b->p99_us));
}

static bool has_group(const struct run_report *r, enum invariant_kind k)
{
    for (uint32_t i = 0; i < r->groups; i++)
        if (r->group[i].invariant == k) return true;
    return false;
}

void baseline_tell(FILE *f, const struct baseline *b, const struct run_report *r)
{
    bool better = b->p99 == P99_BETTER;
    fprintf(f, "baseline %s:\n", b->file);
    for (uint32_t i = 0; i < r->groups; i++) tell_group(f, b, &r->group[i]);
    for (int k = 0; k < INV_COUNT; k++)
        if (b->invariant_new[k] && !has_group(r, (enum invariant_kind)k))
            fprintf(f, "  %-10s  %s, whose failures have no group\n", "new", invariant_word[k]);
    tell_p99(f, b);
    for (uint32_t i = 0; i < b->groups; i++) {
        if (b->group[i].found) continue;
        fprintf(f, "  %-10s  %s\n", "not seen", b->group[i].name);
        better = true;
    }
    if (better && bad_ones(b) == 0)
        fputs("  better than the baseline: the gate.json of this run is the tighter one\n", f);
}
