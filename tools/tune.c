#include "tools/tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "sim/yaml.h"
#include "tools/campaign.h"
#include "tools/interrupt.h"

#define TTL_GRID "600ms,800ms,1s,1.5s,2s"
#define TIMEOUT_GRID "200ms,400ms,800ms"

const struct tune_knob_info tune_knob_info[TUNE_KNOBS] = {
    [TUNE_TTL] = { "ttl", "lease.ttl", TTL_GRID, "lease.ttl (without any list: " TTL_GRID ")" },
    [TUNE_RENEW] = { "renew", "lease.renew", NULL, "lease.renew (with --ttl: a third of it)" },
    [TUNE_HEARTBEAT] = { "heartbeat", "heartbeat.interval", NULL, "heartbeat.interval" },
    [TUNE_SUSPECT] = { "suspect-after", "heartbeat.suspectAfter", NULL, "heartbeat.suspectAfter" },
    [TUNE_VACANT] = { "vacant-after", "ledger.vacantAfter", NULL, "ledger.vacantAfter" },
    [TUNE_TIMEOUT] = { "request-timeout", "requestTimeout", TIMEOUT_GRID,
                       "requestTimeout (without any list: " TIMEOUT_GRID ")" },
    [TUNE_STEAL] = { "steal", "steal", NULL, "never, incident-only, allowed" },
};

static int64_t value_of(const struct contract *c, enum tune_knob k)
{
    switch (k) {
    case TUNE_TTL: return c->lease.ttl_us;
    case TUNE_RENEW: return c->lease.renew_us;
    case TUNE_HEARTBEAT: return c->heartbeat.interval_us;
    case TUNE_SUSPECT: return c->heartbeat.suspect_after_us;
    case TUNE_VACANT: return c->vacant_after_us;
    case TUNE_TIMEOUT: return c->request_timeout_us;
    case TUNE_STEAL: return (int64_t)c->steal;
    case TUNE_KNOBS: break;
    }
    must(false);
    return 0;
}

/* -- grids --------------------------------------------------------------------------- */

struct grid {
    char value[TUNE_VALUES_MAX][TUNE_TEXT_MAX];
    uint32_t n; /* 0: nothing is set */
};

static bool refuse(FILE *err, enum tune_knob k, const char *found, const char *accepted)
{
    fprintf(err, "tabquake tune: --%s: found %.80s, accepted %s\n", tune_knob_info[k].flag, found,
            accepted);
    return false;
}

static bool read_grid(struct grid *g, enum tune_knob k, const char *text, FILE *err)
{
    g->n = 0;
    for (const char *from = text; from; from = strchr(from, ',')) {
        from += *from == ',';
        size_t n = strcspn(from, ",");
        if (n == 0 || n >= TUNE_TEXT_MAX)
            return refuse(err, k, n == 0 ? "an empty value" : from, "values with commas between");
        if (g->n == TUNE_VALUES_MAX) return refuse(err, k, "one value too many", "at most 32");
        snprintf(g->value[g->n++], TUNE_TEXT_MAX, "%.*s", (int)n, from);
    }
    return true;
}

static bool read_grids(struct grid g[TUNE_KNOBS], const char *const given[TUNE_KNOBS], FILE *err)
{
    uint64_t settings = 1;
    bool any = false;
    for (int k = 0; k < TUNE_KNOBS; k++) any = any || given[k];
    for (int k = 0; k < TUNE_KNOBS; k++) {
        const char *text = any ? given[k] : tune_knob_info[k].grid;
        g[k].n = 0;
        if (text && !read_grid(&g[k], (enum tune_knob)k, text, err)) return false;
        if (g[k].n > 0) settings *= g[k].n;
        if (settings > TUNE_SETTINGS_MAX) {
            fprintf(err, "tabquake tune: found more than %d combinations of values, accepted %d\n",
                    TUNE_SETTINGS_MAX, TUNE_SETTINGS_MAX);
            return false;
        }
    }
    return true;
}

/* -- settings -------------------------------------------------------------------------- */

static void write_values(struct tune_setting *x)
{
    for (int k = 0; k < TUNE_KNOBS; k++) {
        int64_t v = value_of(&x->contract, (enum tune_knob)k);
        if (k == TUNE_STEAL)
            snprintf(x->value[k], TUNE_TEXT_MAX, "%s", steal_rule_word[v]);
        else
            yaml_format_duration(x->value[k], TUNE_TEXT_MAX, v);
    }
}

/* The contract's own sentence without the place in the file, which is not to blame. */
static void tell(FILE *err, const struct override *o, uint32_t from, uint32_t n, const char *said)
{
    const char *key = strstr(said, ": ");
    fputs("tabquake tune:", err);
    for (uint32_t i = from; i < n; i++)
        for (int k = 0; k < TUNE_KNOBS; k++)
            if (strcmp(tune_knob_info[k].key, o[i].path) == 0)
                fprintf(err, "%s %s %s", i > from ? "," : "", tune_knob_info[k].flag, o[i].value);
    fprintf(err, ": %.*s\n", (int)strcspn(key ? key + 2 : said, "\n"), key ? key + 2 : said);
}

static bool load(struct tune_setting *x, const struct inputs *in, const struct override *o,
                 uint32_t from, uint32_t n, FILE *err)
{
    char *said = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&said, &length);
    must(f != NULL);
    bool ok = contract_load(&x->contract, in->contract_file, &(struct overrides){ o, n, NULL }, f);
    fclose(f);
    if (!ok) tell(err, o, from, n, said);
    free(said);
    if (ok) write_values(x);
    return ok;
}

/* False for a ttl that will be refused where it is read. */
static bool third_of(char renew[TUNE_TEXT_MAX], const char *ttl)
{
    int64_t us = 0;
    if (!yaml_parse_duration(ttl, &us) || us < 3 * US_PER_MS) return false;
    yaml_format_duration(renew, TUNE_TEXT_MAX, us / 3 / US_PER_MS * US_PER_MS);
    return true;
}

/* The user's own settings come first, so that a knob wins over them. */
static bool combine(struct tune *t, const struct inputs *in, const struct grid g[TUNE_KNOBS],
                    uint32_t number, FILE *err)
{
    struct override o[FLAGS_SETS_MAX + TUNE_KNOBS];
    char renew[TUNE_TEXT_MAX];
    uint32_t n = in->overrides.n;
    for (uint32_t i = 0; i < n; i++) o[i] = in->overrides.at[i];
    for (int k = 0; k < TUNE_KNOBS; k++) {
        if (g[k].n == 0) continue;
        const char *value = g[k].value[number % g[k].n];
        number /= g[k].n;
        o[n++] = (struct override){ tune_knob_info[k].key, value };
        if (k == TUNE_TTL && g[TUNE_RENEW].n == 0 && third_of(renew, value))
            o[n++] = (struct override){ tune_knob_info[TUNE_RENEW].key, renew };
    }
    return load(&t->at[t->n++], in, o, in->overrides.n, n, err);
}

static int compare(const struct tune_setting *a, const struct tune_setting *b)
{
    for (int k = 0; k < TUNE_KNOBS; k++) {
        int64_t x = value_of(&a->contract, (enum tune_knob)k);
        int64_t y = value_of(&b->contract, (enum tune_knob)k);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/* In order; what is there already is not taken twice. */
static void insert(struct tune *t, const struct tune_setting *x)
{
    uint32_t i = t->n;
    while (i > 0 && compare(x, &t->at[i - 1]) < 0) i--;
    if (i > 0 && compare(x, &t->at[i - 1]) == 0) {
        t->at[i - 1].own = t->at[i - 1].own || x->own;
        return;
    }
    memmove(&t->at[i + 1], &t->at[i], (t->n - i) * sizeof t->at[0]);
    t->at[i] = *x;
    t->n++;
}

static void arrange(struct tune *t)
{
    uint32_t n = t->n;
    t->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct tune_setting x = t->at[i];
        insert(t, &x);
    }
    for (int k = 0; k < TUNE_KNOBS; k++)
        for (uint32_t i = 1; i < t->n; i++)
            t->varies[k] = t->varies[k] || strcmp(t->at[i].value[k], t->at[0].value[k]) != 0;
}

bool tune_open(struct tune *t, const struct inputs *in, const char *const grid[TUNE_KNOBS],
               FILE *err)
{
    struct grid g[TUNE_KNOBS];
    uint32_t settings = 1;
    *t = (struct tune){ .n = 0 };
    if (!read_grids(g, grid, err)) return false;
    for (int k = 0; k < TUNE_KNOBS; k++) settings *= g[k].n > 0 ? g[k].n : 1;
    t->at = calloc(settings + 1, sizeof *t->at);
    must(t->at != NULL);
    for (uint32_t i = 0; i < settings; i++)
        if (!combine(t, in, g, i, err)) {
            tune_close(t);
            return false;
        }
    t->at[t->n] = (struct tune_setting){ .contract = in->contract, .own = true };
    write_values(&t->at[t->n++]);
    arrange(t);
    return true;
}

void tune_close(struct tune *t)
{
    free(t->at);
    *t = (struct tune){ .n = 0 };
}

/* -- measuring --------------------------------------------------------------------------- */

static uint64_t milli_a_second(uint64_t count, int64_t us)
{
    uint64_t ms = (uint64_t)us / US_PER_MS;
    return ms > 0 ? count * 1000000 / ms : 0;
}

void tune_measure(struct tune_point *p, const struct tally *t)
{
    struct histogram unasked = { 0 };
    tally_unasked(&unasked, t);
    *p = (struct tune_point){
        .rounds = t->rounds,
        .unknown_rounds = t->unknown_rounds,
        .transitions = t->transitions,
        .failovers = t->failover.n,
        .digest = t->digest,
        .p50_us = hist_quantile(&t->failover, 1, 2),
        .p99_us = hist_quantile(&t->failover, 99, 100),
        .unasked_p99_us = hist_quantile(&unasked, 99, 100),
        .p99_low_us = -1,
        .p99_high_us = -1,
        .needless_ppm = t->transitions > 0 ? t->needless_steals * 1000000 / t->transitions : 0,
        .renewals_milli = milli_a_second(t->renewals, (int64_t)t->leader_us),
        .requests_milli = milli_a_second(t->ledger_requests, (int64_t)t->leader_us),
    };
    for (int k = 0; k < INV_COUNT; k++) p->violations += t->broken[k];
    int64_t low, high;
    if (!tally_quantile_interval(&t->failover, 99, 100, tally_failover_design_effect(t), &low,
                                 &high))
        return;
    p->p99_low_us = low;
    p->p99_high_us = high;
}

static void measure(struct tune_setting *x, const struct inputs *in, uint64_t rounds, uint32_t jobs,
                    enum progress_mode progress)
{
    struct campaign c;
    campaign_open(&c, in, rounds, jobs);
    bool written = campaign_run(&c, progress);
    must(written); /* nothing was to be */
    x->measured = !interrupted();
    tune_measure(&x->point, &c.sums->tally);
    for (int k = 0; k < INV_COUNT; k++)
        if (c.sums->broken[k].n > 0) {
            x->point.first = c.sums->broken[k].at[0];
            break;
        }
    campaign_close(&c);
}

void tune_run(struct tune *t, struct inputs *in, uint64_t rounds, uint32_t jobs,
              enum progress_mode progress)
{
    const struct contract own = in->contract;
    for (uint32_t i = 0; i < t->n && !interrupted(); i++) {
        in->contract = t->at[i].contract;
        measure(&t->at[i], in, rounds, jobs, progress);
    }
    in->contract = own;
}

/* -- the frontier ------------------------------------------------------------------------ */

static bool stands(const struct tune_setting *x)
{
    return x->measured && x->point.violations == 0 && x->point.failovers > 0;
}

static bool beats(const struct tune_point *a, const struct tune_point *b)
{
    bool as_good = a->p99_us <= b->p99_us && a->needless_ppm <= b->needless_ppm &&
                   a->requests_milli <= b->requests_milli;
    return as_good && (a->p99_us < b->p99_us || a->needless_ppm < b->needless_ppm ||
                       a->requests_milli < b->requests_milli);
}

void tune_frontier(struct tune *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        bool beaten = !stands(&t->at[i]);
        for (uint32_t k = 0; k < t->n && !beaten; k++)
            beaten = stands(&t->at[k]) && beats(&t->at[k].point, &t->at[i].point);
        t->at[i].on_frontier = !beaten;
    }
}
