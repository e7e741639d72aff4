#include "tools/shrink_json.h"

#include <inttypes.h>

#include "reports/text.h"
#include "tools/scenario_file.h"
#include "tools/version.h"

struct shrink_amount shrink_amount_of(const struct scenario *result)
{
    return (struct shrink_amount){ result->devices, shrink_size(result), result->duration.max_us };
}

const char *shrink_why(const struct shrink *s)
{
    return s->reason ? s->reason : invariant_says[s->invariant];
}

static void member(FILE *f, const char *key, const char *text)
{
    fprintf(f, ",\n  \"%s\": ", key);
    text_json(f, text);
}

static void flag(FILE *f, const char *key, bool on)
{
    fprintf(f, ",\n  \"%s\": %s", key, on ? "true" : "false");
}

static void amount(FILE *f, const char *key, const struct shrink_amount *a)
{
    fprintf(f,
            ",\n  \"%s\": {\"devices\": %" PRIu32 ", \"tabs\": %" PRIu32
            ", \"operations\": %" PRIu32 ", \"faults\": %" PRIu32 ", \"duration_us\": %" PRId64 "}",
            key, a->devices, a->size.tabs, a->size.operations, a->size.faults, a->duration_us);
}

static void seed_needed(FILE *f, const struct scenario *r)
{
    if (r->has_seed)
        fprintf(f, ",\n  \"needs_seed\": \"0x%016" PRIx64 "\"", r->seed);
    else
        fputs(",\n  \"needs_seed\": null", f);
}

/* A step consists of words from closed lists and numbers: nothing in it needs escaping. */
static void steps(FILE *f, const struct scenario *r)
{
    fputs(",\n  \"steps\": [", f);
    for (uint32_t i = 0; i < r->steps; i++) {
        fputs(i ? ",\n    \"" : "\n    \"", f);
        scenario_write_step(f, &r->step[i]);
        putc('"', f);
    }
    putc(']', f);
}

void shrink_json(FILE *f, const struct shrink_told *t)
{
    const struct shrink *s = t->shrink;
    const struct scenario *r = t->result;
    const struct shrink_amount is = shrink_amount_of(r);
    fputs("{\n  \"schema\": \"tabquake.shrink.v1\"", f);
    member(f, "scenario", t->scenario);
    fprintf(f, ",\n  \"seed\": \"0x%016" PRIx64 "\"", t->seed);
    member(f, "revision", version_revision());
    member(f, "invariant", invariant_word[s->invariant]);
    member(f, "reason", shrink_why(s));
    amount(f, "was", &t->was);
    amount(f, "is", &is);
    flag(f, "calm", r->calm);
    seed_needed(f, r);
    flag(f, "scheduled", s->scheduled);
    steps(f, r);
    fprintf(f, ",\n  \"rounds\": %" PRIu32, s->rounds);
    flag(f, "budget_spent", shrink_budget_is_spent(s));
    member(f, "file", t->output);
    member(f, "replay", t->replay);
    fputs("\n}\n", f);
}
