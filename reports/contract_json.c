#include "reports/contract_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "reports/text.h"

enum field_type { TEXT, DURATION, NUMBER, TRUTH, WORD };

struct field {
    const char *group, *name; /* group NULL: a member of the object itself */
    enum field_type type;
    size_t offset;
    const char *const *word;
    uint32_t words;
};

#define AT(member) offsetof(struct contract, member)
#define TEXT_FIELD(m)                                                                              \
    {                                                                                              \
        NULL, #m, TEXT, AT(m), NULL, 0                                                             \
    }
#define FIELD(m, type)                                                                             \
    {                                                                                              \
        NULL, #m, type, AT(m), NULL, 0                                                             \
    }
#define GROUPED(g, m, type)                                                                        \
    {                                                                                              \
#g, #m, type, AT(g.m), NULL, 0                                                             \
    }
#define WORD_FIELD(m, list, n)                                                                     \
    {                                                                                              \
        NULL, #m, WORD, AT(m), list, n                                                             \
    }
_Static_assert(sizeof(enum stage) == sizeof(uint32_t), "a word's enum is read as one number");

static const struct field fields[] = {
    TEXT_FIELD(workstream),
    TEXT_FIELD(lock_name),
    TEXT_FIELD(protocol),
    FIELD(protocol_version, NUMBER),
    TEXT_FIELD(origin),
    WORD_FIELD(authority, authority_word, AUTHORITY_COUNT),
    FIELD(max_hold_us, DURATION),
    WORD_FIELD(steal, steal_rule_word, STEAL_COUNT),
    WORD_FIELD(fallback, fallback_word, FALLBACK_COUNT),
    FIELD(if_available, TRUTH),
    GROUPED(lease, ttl_us, DURATION),
    GROUPED(lease, renew_us, DURATION),
    GROUPED(heartbeat, interval_us, DURATION),
    GROUPED(heartbeat, suspect_after_us, DURATION),
    FIELD(request_timeout_us, DURATION),
    FIELD(vacant_after_us, DURATION),
    FIELD(permit_ttl_us, DURATION),
    FIELD(permit_grace_us, DURATION),
    FIELD(server_after_us, DURATION),
    WORD_FIELD(stage, stage_word, STAGE_COUNT),
    GROUPED(slo, failover_p99_us, DURATION),
    GROUPED(slo, failover_by_cause_us, DURATION),
    GROUPED(slo, background_overrun_ppm, NUMBER),
    GROUPED(slo, rounds, NUMBER),
    GROUPED(slo, needless_steals_ppm, NUMBER),
    GROUPED(slo, renewals_per_leader_second_milli, NUMBER),
    GROUPED(slo, progress_within_us, DURATION),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void write_value(FILE *f, const struct field *d, const void *at)
{
    switch (d->type) {
    case TEXT: text_json(f, at); break;
    case DURATION: fprintf(f, "%" PRId64, *(const int64_t *)at); break;
    case NUMBER: fprintf(f, "%" PRIu32, *(const uint32_t *)at); break;
    case TRUTH: fputs(*(const bool *)at ? "true" : "false", f); break;
    case WORD: text_json(f, d->word[*(const uint32_t *)at]); break;
    }
}

static bool same_group(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

void contract_json_write(FILE *f, const struct contract *c)
{
    const char *group = NULL;
    fputs("{\"schema\":\"crossTabLeader.v1\"", f);
    for (uint32_t i = 0; i < FIELDS; i++) {
        const struct field *d = &fields[i];
        bool stays = same_group(group, d->group);
        if (group && !stays) putc('}', f);
        putc(',', f);
        if (d->group && !stays) fprintf(f, "\"%s\":{", d->group);
        fprintf(f, "\"%s\":", d->name);
        write_value(f, d, (const char *)c + d->offset);
        group = d->group;
    }
    fputs(group ? "}}" : "}", f);
}

static bool fail(char why[CONTRACT_JSON_ERROR_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(char why[CONTRACT_JSON_ERROR_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, CONTRACT_JSON_ERROR_MAX, format, args);
    va_end(args);
    return false;
}

static bool read_word(const struct field *d, void *at, const json_t *v)
{
    for (uint32_t i = 0; json_is_string(v) && i < d->words; i++) {
        if (strcmp(d->word[i], json_string_value(v)) != 0) continue;
        *(uint32_t *)at = i;
        return true;
    }
    return false;
}

static bool read_value(const struct field *d, void *at, const json_t *v)
{
    json_int_t n = json_integer_value(v);
    switch (d->type) {
    case TEXT:
        if (!json_is_string(v) || json_string_length(v) >= CONTRACT_TEXT_MAX) return false;
        snprintf(at, CONTRACT_TEXT_MAX, "%s", json_string_value(v));
        return true;
    case DURATION:
        if (!json_is_integer(v) || n < 0 || n > INT64_C(1) << 53) return false;
        *(int64_t *)at = n;
        return true;
    case NUMBER:
        if (!json_is_integer(v) || n < 0 || n > UINT32_MAX) return false;
        *(uint32_t *)at = (uint32_t)n;
        return true;
    case TRUTH:
        if (!json_is_boolean(v)) return false;
        *(bool *)at = json_is_true(v);
        return true;
    case WORD: return read_word(d, at, v);
    }
    return false;
}

static const char *accepted(const struct field *d)
{
    switch (d->type) {
    case TEXT: return "a text of at most 95 bytes";
    case DURATION: return "microseconds, a whole number from 0";
    case NUMBER: return "a whole number from 0 to 4294967295";
    case TRUTH: return "true or false";
    case WORD: return "one of the words of crossTabLeader.v1";
    }
    return "";
}

/* Whether `name` is a member of `group`, or a group itself. */
static bool is_known(const char *group, const char *name)
{
    if (!group && strcmp(name, "schema") == 0) return true;
    for (uint32_t i = 0; i < FIELDS; i++) {
        if (same_group(fields[i].group, group) && strcmp(fields[i].name, name) == 0) return true;
        if (!group && fields[i].group && strcmp(fields[i].group, name) == 0) return true;
    }
    return false;
}

static const char *field_name(uint32_t i)
{
    return fields[i].name;
}

static bool all_known(const char *group, const json_t *object, char why[CONTRACT_JSON_ERROR_MAX])
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        if (!is_known(group, name)) {
            const char *near = text_nearest(name, field_name, FIELDS);
            return fail(why, "the contract has no member \"%.40s\"%s%s%s", name,
                        near ? "; nearest is \"" : "", near ? near : "", near ? "\"" : "");
        }
        if (!group && json_is_object(value) && !all_known(name, value, why)) return false;
    }
    return true;
}

bool contract_json_read(struct contract *c, const json_t *object, char why[CONTRACT_JSON_ERROR_MAX])
{
    memset(c, 0, sizeof *c);
    if (!json_is_object(object)) return fail(why, "the contract has to be an object");
    const char *schema = json_string_value(json_object_get(object, "schema"));
    if (!schema || strcmp(schema, "crossTabLeader.v1") != 0)
        return fail(why, "the contract's \"schema\" has to be \"crossTabLeader.v1\"");
    for (uint32_t i = 0; i < FIELDS; i++) {
        const struct field *d = &fields[i];
        const json_t *in = d->group ? json_object_get(object, d->group) : object;
        const json_t *v = json_object_get(in, d->name);
        const char *group = d->group ? d->group : "", *dot = d->group ? "." : "";
        if (!v) return fail(why, "the contract lacks \"%s%s%s\"", group, dot, d->name);
        if (!read_value(d, (char *)c + d->offset, v))
            return fail(why, "the contract's \"%s%s%s\" has to be %s", group, dot, d->name,
                        accepted(d));
    }
    return all_known(NULL, object, why);
}
