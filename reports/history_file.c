#include "reports/history_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "reports/contract_json.h"
#include "reports/obs_words.h"
#include "reports/text.h"

/* -- the members of an observation ----------------------------------------- */

enum member_type { PAGE, ID, FLAGS, NUMBER, FENCE };

struct member {
    const char *name;
    enum member_type type;
    size_t offset;
};

#define M(name, type)                                                                              \
    {                                                                                              \
#name, type, offsetof(struct obs, name)                                                    \
    }
static const struct member members[] = {
    M(page, PAGE),   M(device, ID), M(partition, ID),   M(node, ID),    M(flags, FLAGS),
    M(fence, FENCE), M(op, NUMBER), M(request, NUMBER), M(key, NUMBER), M(a, NUMBER),
    M(b, NUMBER),    M(c, NUMBER),  M(local, NUMBER),
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static uint32_t member_get(const struct obs *o, const struct member *m)
{
    const unsigned char *at = (const unsigned char *)o + m->offset;
    uint16_t half;
    uint32_t word;
    switch (m->type) {
    case PAGE: memcpy(&half, at, sizeof half); return half;
    case NUMBER: memcpy(&word, at, sizeof word); return word;
    default: return *at;
    }
}

static void member_set(struct obs *o, const struct member *m, uint32_t value)
{
    unsigned char *at = (unsigned char *)o + m->offset;
    uint16_t half = (uint16_t)value;
    switch (m->type) {
    case PAGE: memcpy(at, &half, sizeof half); break;
    case NUMBER: memcpy(at, &value, sizeof value); break;
    default: *at = (unsigned char)value; break;
    }
}

static bool member_is_signed(enum obs_kind kind, const struct member *m)
{
    return kind == OBS_DEVICE_CLOCK && m->type == NUMBER;
}

bool history_obs_is_exact(const struct obs *o)
{
    struct obs bare = obs_make((enum obs_kind)o->kind, o->at, o->cause);
    bare.number = o->number;
    for (size_t i = 0; i < MEMBERS; i++) {
        const struct member *m = &members[i];
        if (!obs_carries((enum obs_kind)o->kind, m->name)) continue;
        if (m->type == FENCE)
            bare.fence = o->fence;
        else
            member_set(&bare, m, member_get(o, m));
    }
    return memcmp(&bare, o, sizeof bare) == 0;
}

/* -- writing ---------------------------------------------------------------- */

static void write_member(FILE *f, const struct obs *o, const struct member *m)
{
    fprintf(f, ",\"%s\":", m->name);
    uint32_t v = m->type == FENCE ? 0 : member_get(o, m);
    if (m->type == FENCE)
        fprintf(f, "[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", o->fence.incarnation, o->fence.epoch,
                o->fence.generation);
    else if ((m->type == PAGE && v == PAGE_NONE) || (m->type == ID && v == DEVICE_NONE))
        fputs("null", f);
    else if (m->type == PAGE && v == PAGE_SERVER)
        fputs("\"server\"", f);
    else if (member_is_signed((enum obs_kind)o->kind, m))
        fprintf(f, "%" PRId32, (int32_t)v);
    else
        fprintf(f, "%" PRIu32, v);
}
_Static_assert(DEVICE_NONE == NODE_NONE && DEVICE_NONE == PARTITION_NONE, "one null for all ids");

static const struct member *member_named(const char *name, size_t length)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (strncmp(members[i].name, name, length) == 0 && !members[i].name[length])
            return &members[i];
    return NULL;
}

void history_write_obs(FILE *f, const struct obs *o)
{
    const struct obs_info *info = &obs_info[o->kind];
    fprintf(f, "{\"n\":%" PRIu32 ",\"at_us\":%" PRId64 ",\"cause\":", o->number, o->at.us);
    if (o->cause == OBS_NONE)
        fputs("null", f);
    else
        fprintf(f, "%" PRIu32, o->cause);
    fprintf(f, ",\"kind\":\"%s\"", info->word);
    for (const char *p = info->fields; *p;) {
        size_t n = strcspn(p, " ");
        write_member(f, o, member_named(p, n));
        p += n + (p[n] == ' ');
    }
    putc('}', f);
}

void history_write(FILE *f, const struct history *h, const struct history_meta *m)
{
    fprintf(f, "{\"tabquake\":\"history\",\"version\":%d,\"scenario\":", HISTORY_FILE_VERSION);
    text_json(f, m->scenario);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"revision\":", m->seed);
    text_json(f, m->revision);
    fputs(",\"contract\":", f);
    contract_json_write(f, &m->contract);
    fputs("}\n", f);
    for (uint32_t i = 0; i < h->n; i++) {
        history_write_obs(f, &h->at[i]);
        putc('\n', f);
    }
}

/* -- reading ---------------------------------------------------------------- */

struct reader {
    FILE *f, *err;
    const char *name;
    uint32_t line;
    bool cut; /* the line has no line break: the file ends in it */
    size_t length;
    char text[HISTORY_LINE_MAX];
};

static bool complain(const struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(const struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(r->err, "%s:%" PRIu32 ": ", r->name, r->line);
    vfprintf(r->err, format, args);
    fputc('\n', r->err);
    va_end(args);
    return false;
}

/* A value as it was found, short enough for a sentence. */
static bool complain_value(const struct reader *r, const char *key, const json_t *found,
                           const char *accepted)
{
    char *text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT);
    complain(r, "\"%s\" has to be %s; found %.60s", key, accepted, text ? text : "something else");
    free(text);
    return false;
}

enum line { LINE_READ, LINE_NONE, LINE_BAD };

static enum line next_line(struct reader *r)
{
    int c;
    r->length = 0;
    r->line++;
    while ((c = getc(r->f)) != EOF && c != '\n') {
        if (r->length == HISTORY_LINE_MAX) {
            complain(r, "longer than %d bytes, the most that a line may have", HISTORY_LINE_MAX);
            return LINE_BAD;
        }
        r->text[r->length++] = (char)c;
    }
    r->cut = c == EOF;
    if (ferror(r->f)) {
        complain(r, "cannot be read");
        return LINE_BAD;
    }
    return r->cut && r->length == 0 ? LINE_NONE : LINE_READ;
}

/* The line as an object; NULL after a complaint. */
static json_t *parse_line(const struct reader *r)
{
    json_error_t e;
    json_t *v = json_loadb(r->text, r->length, JSON_REJECT_DUPLICATES, &e);
    if (json_is_object(v)) return v;
    if (v)
        complain(r, "a line has to be an object: {...}");
    else if (r->cut)
        complain(r, "the file ends in the middle of this line; the recording was cut short");
    else
        complain(r, "not JSON: %s", e.text);
    json_decref(v);
    return NULL;
}

static bool read_number(const struct reader *r, const char *key, const json_t *v, int64_t low,
                        int64_t high, int64_t *into)
{
    char accepted[80];
    *into = json_integer_value(v);
    if (json_is_integer(v) && *into >= low && *into <= high) return true;
    snprintf(accepted, sizeof accepted, "a whole number from %" PRId64 " to %" PRId64, low, high);
    return complain_value(r, key, v, accepted);
}

static bool read_fence(const struct reader *r, const json_t *v, struct fence *fence)
{
    int64_t part[3] = { 0, 0, 0 };
    if (json_is_null(v)) return true;
    if (json_array_size(v) != 3)
        return complain_value(r, "fence", v, "[incarnation, epoch, generation] or null");
    for (size_t i = 0; i < 3; i++)
        if (!read_number(r, "fence", json_array_get(v, i), 0, UINT32_MAX, &part[i])) return false;
    *fence = (struct fence){ (uint32_t)part[0], (uint32_t)part[1], (uint32_t)part[2] };
    return true;
}

static bool read_word(const struct reader *r, const struct member *m, const json_t *v,
                      enum obs_kind kind, uint32_t *into)
{
    const char *found = json_string_value(v);
    for (uint32_t i = 0; i < OBS_WORDS_MAX; i++) {
        const char *word = obs_word(kind, m->name[0], i);
        if (!word || strcmp(word, found) != 0) continue;
        *into = i;
        return true;
    }
    return complain_value(r, m->name, v, "a number or one of the kind's words");
}

static bool read_member(const struct reader *r, const struct member *m, const json_t *v,
                        struct obs *o)
{
    enum obs_kind kind = (enum obs_kind)o->kind;
    uint32_t value = 0;
    int64_t number = 0;
    if (m->type == FENCE) return read_fence(r, v, &o->fence);
    if (json_is_null(v) && (m->type == PAGE || m->type == ID)) return true;
    if (m->type == PAGE && json_is_string(v) && !strcmp(json_string_value(v), "server")) {
        o->page = PAGE_SERVER;
        return true;
    }
    if (m->type == NUMBER && json_is_string(v) && obs_has_words(kind, m->name[0]) && !m->name[1]) {
        if (!read_word(r, m, v, kind, &value)) return false;
        member_set(o, m, value);
        return true;
    }
    bool is_signed = member_is_signed(kind, m);
    int64_t high = m->type == PAGE ? UINT16_MAX : m->type == NUMBER ? UINT32_MAX : UINT8_MAX;
    if (is_signed) high = INT32_MAX;
    if (!read_number(r, m->name, v, is_signed ? INT32_MIN : 0, high, &number)) return false;
    member_set(o, m, (uint32_t)number);
    return true;
}

static const char *kind_word(uint32_t i)
{
    return obs_info[i].word;
}
static const char *member_word(uint32_t i)
{
    return members[i].name;
}

static bool complain_unknown(const struct reader *r, const char *what, const char *found,
                             const char *near)
{
    if (near) return complain(r, "unknown %s \"%.40s\"; nearest is \"%s\"", what, found, near);
    return complain(r, "unknown %s \"%.40s\"", what, found);
}

static bool read_kind(const struct reader *r, const json_t *v, struct obs *o)
{
    const char *word = json_string_value(v);
    if (!v) return complain(r, "\"kind\" is missing");
    if (!word) return complain_value(r, "kind", v, "a word such as \"lock.granted\"");
    enum obs_kind kind = obs_find(word);
    if (kind == OBS_COUNT)
        return complain_unknown(r, "kind", word, text_nearest(word, kind_word, OBS_COUNT));
    *o = obs_make(kind, (struct instant){ 0 }, OBS_NONE);
    return true;
}

/* n, at_us, cause: what every observation has, against what came before it. */
static bool read_frame(const struct reader *r, const json_t *object, const struct history *h,
                       struct obs *o)
{
    const json_t *n = json_object_get(object, "n"), *at = json_object_get(object, "at_us"),
                 *cause = json_object_get(object, "cause");
    int64_t number = 0;
    if (!n) return complain(r, "\"n\" is missing");
    if (!read_number(r, "n", n, 0, UINT32_MAX, &number)) return false;
    if (number != h->n)
        return complain(r, "numbers have no gaps: \"n\" has to be %" PRIu32 ", found %" PRId64,
                        h->n, number);
    if (!at) return complain(r, "\"at_us\" is missing");
    if (!read_number(r, "at_us", at, 0, INT64_C(1) << 53, &o->at.us)) return false;
    if (h->n > 0 && o->at.us < h->at[h->n - 1].at.us)
        return complain(r, "time goes backwards: %" PRId64 " us after %" PRId64 " us", o->at.us,
                        h->at[h->n - 1].at.us);
    if (!cause || json_is_null(cause)) return true;
    if (!read_number(r, "cause", cause, 0, UINT32_MAX, &number)) return false;
    if (number >= h->n)
        return complain(r, "a cause comes before its effect: %" PRId64 " is not below %" PRIu32,
                        number, h->n);
    o->cause = (uint32_t)number;
    return true;
}

static bool is_frame(const char *key)
{
    return !strcmp(key, "n") || !strcmp(key, "at_us") || !strcmp(key, "cause") ||
           !strcmp(key, "kind");
}

static bool read_members(const struct reader *r, json_t *object, struct obs *o)
{
    const struct obs_info *info = &obs_info[o->kind];
    const char *key;
    json_t *v;
    json_object_foreach(object, key, v)
    {
        const struct member *m = member_named(key, strlen(key));
        if (is_frame(key)) continue;
        if (!m) return complain_unknown(r, "member", key, text_nearest(key, member_word, MEMBERS));
        if (!obs_carries((enum obs_kind)o->kind, key))
            return complain(r, "%s has no \"%s\"; it has: %s", info->word, key, info->fields);
        if (!read_member(r, m, v, o)) return false;
    }
    for (size_t i = 0; i < MEMBERS; i++)
        if (obs_carries((enum obs_kind)o->kind, members[i].name) &&
            !json_object_get(object, members[i].name))
            return complain(r, "%s lacks \"%s\"", info->word, members[i].name);
    return true;
}

static bool read_obs(const struct reader *r, struct history *h, uint32_t max)
{
    struct obs o;
    if (h->n == max)
        return complain(r, "more than %" PRIu32 " observations, the most that are taken", max);
    json_t *object = parse_line(r);
    if (!object) return false;
    bool ok = read_kind(r, json_object_get(object, "kind"), &o) && read_frame(r, object, h, &o) &&
              read_members(r, object, &o);
    json_decref(object);
    if (ok) history_add(h, &o);
    return ok;
}

static bool read_text(const struct reader *r, const json_t *object, const char *key,
                      char into[HISTORY_TEXT_MAX])
{
    const json_t *v = json_object_get(object, key);
    if (!v) return complain(r, "the first line lacks \"%s\"", key);
    if (!json_is_string(v) || json_string_length(v) >= HISTORY_TEXT_MAX)
        return complain_value(r, key, v, "a text of at most 95 bytes");
    snprintf(into, HISTORY_TEXT_MAX, "%s", json_string_value(v));
    return true;
}

static bool read_seed(const struct reader *r, const json_t *object, uint64_t *seed)
{
    char text[HISTORY_TEXT_MAX];
    if (!read_text(r, object, "seed", text)) return false;
    size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;
    if (digits < 1 || digits > 16 || text[2 + digits] != '\0')
        return complain_value(r, "seed", json_object_get(object, "seed"),
                              "\"0x\" and up to 16 hexadecimal digits");
    *seed = strtoull(text + 2, NULL, 16);
    return true;
}

static const char *const header_word[] = { "tabquake", "version",  "scenario",
                                           "seed",     "revision", "contract" };
enum { HEADER_WORDS = sizeof header_word / sizeof header_word[0] };
static const char *header_at(uint32_t i)
{
    return header_word[i];
}

static bool header_is_known(const struct reader *r, json_t *object)
{
    const char *key;
    json_t *v;
    json_object_foreach(object, key, v)
    {
        uint32_t i = 0;
        while (i < HEADER_WORDS && strcmp(header_word[i], key) != 0) i++;
        if (i == HEADER_WORDS)
            return complain_unknown(r, "member", key, text_nearest(key, header_at, HEADER_WORDS));
    }
    return true;
}

static bool read_header_object(const struct reader *r, json_t *object, struct history_meta *m)
{
    char why[CONTRACT_JSON_ERROR_MAX];
    const char *what = json_string_value(json_object_get(object, "tabquake"));
    const json_t *version = json_object_get(object, "version");
    if (!what || strcmp(what, "history") != 0)
        return complain(r, "not a history: the first line begins with {\"tabquake\":\"history\"");
    if (!json_is_integer(version) || json_integer_value(version) != HISTORY_FILE_VERSION)
        return complain(r, "only version %d of the history format is known", HISTORY_FILE_VERSION);
    if (!header_is_known(r, object)) return false;
    if (!read_text(r, object, "scenario", m->scenario)) return false;
    if (!read_seed(r, object, &m->seed)) return false;
    if (!read_text(r, object, "revision", m->revision)) return false;
    const json_t *contract = json_object_get(object, "contract");
    if (!contract) return complain(r, "the first line lacks \"contract\"");
    return contract_json_read(&m->contract, contract, why) || complain(r, "%s", why);
}

bool history_read(struct history *h, struct history_meta *m, FILE *f, const char *name, FILE *err)
{
    struct reader r = { .f = f, .err = err, .name = name };
    uint32_t max = h->max < HISTORY_FILE_MAX ? h->max : HISTORY_FILE_MAX;
    memset(m, 0, sizeof *m);
    h->n = 0;
    h->full = false;
    enum line line = next_line(&r);
    if (line == LINE_NONE) return complain(&r, "empty; a history begins with its first line");
    if (line == LINE_BAD) return false;
    json_t *object = parse_line(&r);
    bool ok = object && read_header_object(&r, object, m);
    json_decref(object);
    while (ok && (line = next_line(&r)) == LINE_READ) ok = read_obs(&r, h, max);
    return ok && line != LINE_BAD;
}
