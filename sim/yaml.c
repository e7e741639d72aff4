/* The tree and its errors; yaml_values.c reads single values, yaml_set.c applies
 * overrides.
 *
 * A file is read twice. The scan walks libyaml's events and refuses what the tree
 * could not show or what could be made to explode (aliases, tags, depth, a
 * second document); only then libyaml builds the tree. */
#include "sim/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/must.h"

#define FOUND_MAX 60      /* bytes of the user's text shown in a message */
#define ACCEPTED_MAX 1024 /* a list of accepted words; all faults together need some 700 */

/* -- errors ------------------------------------------------------------------ */

void yaml_clean(char *clean, size_t size, const char *text)
{
    must(size > 4);
    size_t n = 0;
    const unsigned char *t = (const unsigned char *)text;
    for (; *t && n < size - 4; t++) {
        bool c1 = t[0] == 0xC2 && t[1] >= 0x80 && t[1] < 0xA0; /* terminal controls in UTF-8 */
        if (c1) t++;
        clean[n++] = c1 || *t < 0x20 || *t == 0x7F ? '?' : (char)*t;
    }
    if (*t) {
        while (n > 0 && ((unsigned char)clean[n - 1] & 0xC0) == 0x80) n--; /* no half character */
        if (n > 0 && (unsigned char)clean[n - 1] >= 0xC0) n--;
        memcpy(clean + n, "...", 3);
        n += 3;
    }
    clean[n] = 0;
}

/* `line` 0: the file as a whole. */
static void report(struct yaml *y, const char *file, size_t line, const char *key,
                   const char *found, const char *accepted)
{
    if (++y->errors > YAML_ERRORS_MAX) return;
    fputs(file, y->err);
    if (line > 0) fprintf(y->err, ":%zu", line);
    if (*key) {
        char clean[YAML_KEY_MAX + 4];
        yaml_clean(clean, sizeof clean, key);
        fprintf(y->err, ": %s", clean);
    }
    fprintf(y->err, ": found %s, accepted %s\n", found, accepted);
    if (y->errors == YAML_ERRORS_MAX)
        fprintf(y->err, "%s: that makes %d errors; no more are shown\n", y->file, YAML_ERRORS_MAX);
}

static bool enough(const struct yaml *y)
{
    return y->errors >= YAML_ERRORS_MAX;
}

static void report_node(struct yaml *y, int node, const char *key, const char *found,
                        const char *accepted)
{
    if (node > y->nodes_of_file) {
        report(y, "--set", 0, key, found, accepted);
        return;
    }
    const yaml_node_t *n = yaml_document_get_node(&y->document, node);
    report(y, y->file, n ? n->start_mark.line + 1 : 1, key, found, accepted);
}

void yaml_error(struct yaml *y, int node, const char *found, const char *accepted)
{
    report_node(y, node, y->key, found, accepted);
}

void yaml_set_error(struct yaml *y, const char *path, const char *found, const char *accepted)
{
    report(y, "--set", 0, path, found, accepted);
}

void yaml_error_at(struct yaml *y, const char *path, const char *found, const char *accepted)
{
    int node = yaml_at(y, path);
    report_node(y, node ? node : yaml_root(y), path, found, accepted);
}

void yaml_wrong(struct yaml *y, int node, const char *accepted)
{
    const yaml_node_t *n = yaml_document_get_node(&y->document, node);
    const char *text = yaml_scalar(y, node);
    char found[FOUND_MAX + 2], clean[FOUND_MAX];
    must(n != NULL);
    if (n->type == YAML_SEQUENCE_NODE)
        yaml_error(y, node, "a list", accepted);
    else if (n->type == YAML_MAPPING_NODE)
        yaml_error(y, node, "a map", accepted);
    else if (!text)
        yaml_error(y, node, "a text with a NUL in it", accepted);
    else if (!*text)
        yaml_error(y, node, "nothing", accepted);
    else {
        yaml_clean(clean, sizeof clean, text);
        snprintf(found, sizeof found, "%s", clean);
        yaml_error(y, node, found, accepted);
    }
}

void yaml_join(char *text, size_t size, const char *const *words, uint32_t n)
{
    size_t used = 0;
    must(size > 8);
    text[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t need = strlen(words[i]) + 2;
        if (used + need + 4 > size) {
            memcpy(text + used, "...", 4);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", words[i], i + 1 < n ? ", " : "");
    }
}

#define ACCEPTED_LONG 12 /* words that a line still shows beside a suggestion */

void yaml_accepted(char *text, size_t size, const char *const *words, uint32_t n, const char *near)
{
    if (near && n > ACCEPTED_LONG)
        snprintf(text, size, "%s or one of %u others", near, n - 1);
    else
        yaml_join(text, size, words, n);
}

/* Levenshtein distance, capital letters aside; texts beyond `LONG` are far from everything. */
#define LONG 40
static uint32_t distance(const char *a, const char *b)
{
    size_t an = strlen(a), bn = strlen(b);
    uint32_t row[LONG + 1];
    if (an > LONG || bn > LONG) return LONG;
    for (size_t j = 0; j <= bn; j++) row[j] = (uint32_t)j;
    for (size_t i = 1; i <= an; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= bn; j++) {
            unsigned x = (unsigned char)a[i - 1], y = (unsigned char)b[j - 1];
            if (x - 'A' < 26) x += 32;
            if (y - 'A' < 26) y += 32;
            uint32_t best = diagonal + (x != y);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[bn];
}

const char *yaml_nearest(const char *found, const char *const *words, uint32_t n)
{
    const char *best = NULL;
    uint32_t best_distance = LONG;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = distance(found, words[i]);
        if (d < best_distance) {
            best_distance = d;
            best = words[i];
        }
    }
    size_t near = strlen(found) / 3;
    return best_distance <= (near < 1 ? 1 : near) ? best : NULL;
}

uint32_t yaml_words_of(const struct yaml_key *keys, uint32_t n, const char **words, uint32_t max)
{
    must(n <= max);
    for (uint32_t i = 0; i < n; i++) words[i] = keys[i].word;
    return n;
}

/* -- from bytes to a tree ------------------------------------------------------ */

static void syntax_error(struct yaml *y, const yaml_parser_t *p)
{
    char found[200];
    size_t line = p->error == YAML_READER_ERROR ? p->mark.line : p->problem_mark.line;
    snprintf(found, sizeof found, "%s%s%s", p->context ? p->context : "", p->context ? ": " : "",
             p->problem ? p->problem : "no YAML");
    report(y, y->file, line + 1, "", found, "YAML in UTF-8");
}

/* What the tree could not show: NULL, or the reason for which the event is refused. */
static const char *refuse(const yaml_event_t *e, int depth, int documents)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (e->type == YAML_ALIAS_EVENT) return "an alias (*name)";
    if (e->type == YAML_SCALAR_EVENT) {
        anchor = e->data.scalar.anchor;
        tag = e->data.scalar.tag;
    } else if (e->type == YAML_SEQUENCE_START_EVENT) {
        anchor = e->data.sequence_start.anchor;
        tag = e->data.sequence_start.tag;
    } else if (e->type == YAML_MAPPING_START_EVENT) {
        anchor = e->data.mapping_start.anchor;
        tag = e->data.mapping_start.tag;
    }
    if (anchor) return "an anchor (&name)";
    if (tag) return "a tag (!name)";
    if (depth > YAML_DEPTH_MAX) return "lists and maps nested more than 16 deep";
    if (documents > 1) return "a second document";
    return NULL;
}

static bool scan_events(struct yaml *y, yaml_parser_t *p)
{
    int depth = 0, documents = 0;
    for (;;) {
        yaml_event_t e;
        if (!yaml_parser_parse(p, &e)) {
            syntax_error(y, p);
            return false;
        }
        yaml_event_type_t type = e.type;
        depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        documents += type == YAML_DOCUMENT_START_EVENT;
        const char *why = refuse(&e, depth, documents);
        size_t line = e.start_mark.line + 1;
        yaml_event_delete(&e);
        if (why) {
            report(y, y->file, line, "", why, "plain keys, values, lists and maps");
            return false;
        }
        if (type == YAML_STREAM_END_EVENT) break;
    }
    if (documents == 0) report(y, y->file, 0, "", "an empty file", "a map of keys with its schema");
    return documents == 1;
}

static void parser_open(yaml_parser_t *p, const void *bytes, size_t n)
{
    must(yaml_parser_initialize(p)); /* fails for lack of memory alone */
    yaml_parser_set_input_string(p, bytes, n);
}

static bool scan(struct yaml *y, const void *bytes, size_t n)
{
    yaml_parser_t p;
    parser_open(&p, bytes, n);
    bool fine = scan_events(y, &p);
    yaml_parser_delete(&p);
    return fine;
}

static bool load(struct yaml *y, const void *bytes, size_t n)
{
    yaml_parser_t p;
    parser_open(&p, bytes, n);
    y->loaded = yaml_parser_load(&p, &y->document) != 0;
    if (!y->loaded) syntax_error(y, &p);
    yaml_parser_delete(&p);
    if (!y->loaded) return false;
    y->nodes_of_file = (int)(y->document.nodes.top - y->document.nodes.start);
    return true;
}

bool yaml_open_bytes(struct yaml *y, const char *file, const void *bytes, size_t n, FILE *err)
{
    *y = (struct yaml){ .file = file, .err = err };
    if (n > YAML_BYTES_MAX) {
        report(y, file, 0, "", "more than 1 MiB", "a file of at most 1 MiB");
        return false;
    }
    return scan(y, bytes, n) && load(y, bytes, n);
}

/* The bytes of a regular file, one more than allowed at most; NULL and a reason. O_NONBLOCK:
 * a pipe that nobody writes to must not hang the check. */
static unsigned char *slurp(const char *file, size_t *n, const char **why)
{
    struct stat st;
    unsigned char *bytes = NULL;
    ssize_t got = -1;
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        *why = strerror(errno);
    else if (S_ISDIR(st.st_mode))
        *why = "a directory";
    else if (!S_ISREG(st.st_mode))
        *why = "no regular file";
    else {
        bytes = malloc(YAML_BYTES_MAX + 1);
        must(bytes != NULL);
        for (*n = 0; *n <= YAML_BYTES_MAX; *n += (size_t)got) {
            got = read(fd, bytes + *n, YAML_BYTES_MAX + 1 - *n);
            if (got <= 0) break;
        }
        if (got < 0) *why = strerror(errno);
    }
    if (fd >= 0) close(fd);
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

bool yaml_open(struct yaml *y, const char *file, FILE *err)
{
    size_t n = 0;
    const char *why = "nothing";
    *y = (struct yaml){ .file = file, .err = err };
    unsigned char *bytes = slurp(file, &n, &why);
    if (!bytes) {
        report(y, file, 0, "", why, "a readable YAML file");
        return false;
    }
    bool fine = yaml_open_bytes(y, file, bytes, n, err);
    free(bytes);
    return fine;
}

bool yaml_close(struct yaml *y)
{
    if (y->loaded) yaml_document_delete(&y->document);
    y->loaded = false;
    return y->errors == 0;
}

/* -- walking -------------------------------------------------------------------- */

static yaml_node_t *node_of(struct yaml *y, int node)
{
    return yaml_document_get_node(&y->document, node);
}

int yaml_root(struct yaml *y)
{
    return y->loaded && y->document.nodes.top > y->document.nodes.start ? 1 : 0;
}

const char *yaml_scalar(struct yaml *y, int node)
{
    const yaml_node_t *n = node_of(y, node);
    if (!n || n->type != YAML_SCALAR_NODE) return NULL;
    const char *text = (const char *)n->data.scalar.value;
    return strlen(text) == n->data.scalar.length ? text : NULL;
}

/* The pair of a map with the key `word` of `n` bytes, or NULL. */
static yaml_node_pair_t *pair_of(struct yaml *y, int map, const char *word, size_t n)
{
    yaml_node_t *m = node_of(y, map);
    if (!m || m->type != YAML_MAPPING_NODE) return NULL;
    for (yaml_node_pair_t *p = m->data.mapping.pairs.start; p < m->data.mapping.pairs.top; p++) {
        const char *text = yaml_scalar(y, p->key);
        if (text && strlen(text) == n && memcmp(text, word, n) == 0) return p;
    }
    return NULL;
}

int64_t yaml_index(const char *text, size_t n)
{
    int64_t i = 0;
    if (n == 0 || n > 4) return -1;
    for (size_t j = 0; j < n; j++) {
        if (text[j] < '0' || text[j] > '9') return -1;
        i = i * 10 + (text[j] - '0');
    }
    return i;
}

int *yaml_child(struct yaml *y, int node, const char *word, size_t n)
{
    yaml_node_t *parent = node_of(y, node);
    if (parent && parent->type == YAML_SEQUENCE_NODE) {
        int64_t i = yaml_index(word, n);
        int64_t count = parent->data.sequence.items.top - parent->data.sequence.items.start;
        return i >= 0 && i < count ? &parent->data.sequence.items.start[i] : NULL;
    }
    yaml_node_pair_t *p = pair_of(y, node, word, n);
    return p ? &p->value : NULL;
}

int yaml_at(struct yaml *y, const char *path)
{
    int node = yaml_root(y);
    while (node && *path) {
        size_t n = strcspn(path, ".");
        const int *child = yaml_child(y, node, path, n);
        node = child ? *child : 0;
        path += n + (path[n] == '.');
    }
    return node;
}

static size_t key_enter(struct yaml *y, const char *word)
{
    size_t before = y->key_n;
    int n = snprintf(y->key + before, sizeof y->key - before, "%s%s", before ? "." : "", word);
    y->key_n = before + (size_t)n < sizeof y->key ? before + (size_t)n : sizeof y->key - 1;
    return before;
}

void yaml_leave(struct yaml *y, size_t key_n)
{
    y->key_n = key_n;
    y->key[key_n] = 0;
}

int yaml_enter(struct yaml *y, int node, uint32_t i)
{
    yaml_node_t *list = node_of(y, node);
    must(list != NULL);
    if (list->type != YAML_SEQUENCE_NODE) return node; /* one value stands for a list of one */
    char word[16];
    snprintf(word, sizeof word, "%u", i);
    key_enter(y, word);
    return list->data.sequence.items.start[i];
}

uint32_t yaml_entries(struct yaml *y, int node, const struct yaml_key *k)
{
    char accepted[80];
    const yaml_node_t *list = node_of(y, node);
    must(list != NULL);
    snprintf(accepted, sizeof accepted, "a list of %lld to %lld entries", (long long)k->min,
             (long long)k->max);
    if (list->type != YAML_SEQUENCE_NODE) {
        yaml_wrong(y, node, accepted);
        return 0;
    }
    int64_t n = list->data.sequence.items.top - list->data.sequence.items.start;
    if (n >= k->min && n <= k->max) return (uint32_t)n;
    char found[40];
    snprintf(found, sizeof found, "%lld entries", (long long)n);
    yaml_error(y, node, found, accepted);
    return 0;
}

static void unknown_key(struct yaml *y, int node, const char *word, const char *const *words,
                        uint32_t n)
{
    char accepted[ACCEPTED_MAX], found[FOUND_MAX * 2];
    const char *near = yaml_nearest(word, words, n);
    yaml_accepted(accepted, sizeof accepted, words, n, near);
    snprintf(found, sizeof found, "an unknown key%s%s%s", near ? " (did you mean " : "",
             near ? near : "", near ? "?)" : "");
    size_t before = key_enter(y, word);
    yaml_error(y, node, found, accepted);
    yaml_leave(y, before);
}

/* The index of the pair's key in `words`, or `n` and an error: unknown, or there before. */
static uint32_t key_index(struct yaml *y, const yaml_node_pair_t *p, const char *const *words,
                          uint32_t n, int *seen)
{
    const char *word = yaml_scalar(y, p->key);
    uint32_t i = 0;
    if (!word) {
        yaml_error(y, p->key, "a key that is no plain text", "one of the keys by its name");
        return n;
    }
    while (i < n && strcmp(words[i], word) != 0) i++;
    if (i == n) {
        unknown_key(y, p->key, word, words, n);
    } else if (seen[i]) {
        char found[60];
        size_t before = key_enter(y, word);
        snprintf(found, sizeof found, "a second time (first in line %zu)",
                 node_of(y, seen[i])->start_mark.line + 1);
        yaml_error(y, p->key, found, "once");
        yaml_leave(y, before);
        i = n;
    } else {
        seen[i] = p->key;
    }
    return i;
}

#define KEYS_MAX 64 /* of one map; a scenario has some 20, a map of weights at most 8 */

void yaml_map(struct yaml *y, int node, const struct yaml_key *keys, uint32_t n, void *into)
{
    const char *words[KEYS_MAX];
    char accepted[ACCEPTED_MAX];
    int seen[KEYS_MAX] = { 0 };
    yaml_words_of(keys, n, words, KEYS_MAX);
    const yaml_node_t *m = node_of(y, node);
    must(m != NULL);
    if (m->type != YAML_MAPPING_NODE) {
        size_t used = (size_t)snprintf(accepted, sizeof accepted, "a map of ");
        yaml_join(accepted + used, sizeof accepted - used, words, n);
        yaml_wrong(y, node, accepted);
        return;
    }
    /* overrides are done: no node is added while we walk */
    for (const yaml_node_pair_t *p = m->data.mapping.pairs.start;
         p < m->data.mapping.pairs.top && !enough(y); p++) {
        uint32_t i = key_index(y, p, words, n, seen);
        if (i == n) continue;
        size_t before = key_enter(y, words[i]);
        keys[i].read(y, p->value, &keys[i], (char *)into + keys[i].at);
        yaml_leave(y, before);
    }
    for (uint32_t i = 0; i < n && !enough(y); i++) {
        if (!keys[i].required || seen[i]) continue;
        size_t before = key_enter(y, words[i]);
        yaml_error(y, node, "nothing", "a value (this key has no default)");
        yaml_leave(y, before);
    }
}

bool yaml_mix(struct yaml *y, int node, const struct yaml_key *k, struct yaml_mix *mix)
{
    uint32_t errors = y->errors;
    int seen[KEYS_MAX] = { 0 };
    const yaml_node_t *m = node_of(y, node);
    must(m != NULL && k->words_n <= YAML_MIX_MAX);
    mix->n = 0;
    if (m->type != YAML_MAPPING_NODE) {
        mix->n = 1;
        mix->weight[0] = 1;
        yaml_word(y, node, k, &mix->word[0]);
        return y->errors == errors;
    }
    const struct yaml_key weight = { .min = 0, .max = 1000000 };
    for (const yaml_node_pair_t *p = m->data.mapping.pairs.start;
         p < m->data.mapping.pairs.top && !enough(y); p++) {
        uint32_t i = key_index(y, p, k->words, k->words_n, seen);
        if (i == k->words_n) continue;
        size_t before = key_enter(y, k->words[i]);
        uint32_t value = 0;
        yaml_count(y, p->value, &weight, &value);
        if (value > 0) {
            mix->word[mix->n] = i;
            mix->weight[mix->n++] = value;
        }
        yaml_leave(y, before);
    }
    if (mix->n == 0 && y->errors == errors)
        yaml_error(y, node, "no weight above 0", "at least one");
    return y->errors == errors;
}

const char *yaml_schema(struct yaml *y, const char *const *words, uint32_t n)
{
    char accepted[ACCEPTED_MAX];
    const yaml_node_t *root = node_of(y, yaml_root(y));
    int node = yaml_at(y, "schema");
    const char *text = node ? yaml_scalar(y, node) : NULL;
    yaml_join(accepted, sizeof accepted, words, n);
    for (uint32_t i = 0; text && i < n; i++)
        if (strcmp(words[i], text) == 0) return words[i];
    size_t before = key_enter(y, "schema");
    if (!root || root->type != YAML_MAPPING_NODE) {
        y->key[0] = 0;
        if (root)
            yaml_wrong(y, yaml_root(y), "a map of keys with its schema");
        else
            report(y, y->file, 0, "", "an empty file", "a map of keys with its schema");
    } else if (!node) {
        yaml_error(y, yaml_root(y), "nothing", accepted);
    } else {
        yaml_wrong(y, node, accepted);
    }
    yaml_leave(y, before);
    return NULL;
}
