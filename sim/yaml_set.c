/* `--set path=value`: which paths a table of keys accepts, and putting a value into
 * the tree before it is read, so that it meets the checks of any other value.
 *
 * A path names keys and, inside lists, entries by their index from 0:
 * `slo.rounds`, `devices.0.tabs`, `network.mobile`. A path that the keys accept
 * but this file has no place for (no second device, one word where others have
 * a map) changes nothing here: it is meant for another file of the run. */
#include "sim/yaml.h"

#include <string.h>

#include "sim/base/must.h"

struct yaml_reach yaml_reach(const struct yaml_key *keys, uint32_t n, const char *path)
{
    struct yaml_reach r = { .keys = keys, .keys_n = n };
    const char *at = path;
    bool list = false;
    for (;;) {
        size_t len = strcspn(at, ".");
        const struct yaml_key *k = NULL;
        bool found = list && yaml_index(at, len) >= 0;
        for (uint32_t i = 0; !list && i < r.keys_n; i++)
            if (strlen(r.keys[i].word) == len && memcmp(r.keys[i].word, at, len) == 0)
                k = &r.keys[i];
        for (uint32_t i = 0; !list && i < r.words_n; i++)
            found |= strlen(r.words[i]) == len && memcmp(r.words[i], at, len) == 0;
        r.accepted = (size_t)(at - path);
        if (!k && !found) return r;
        if (k) {
            list = k->list;
            r.keys = k->sub;
            r.keys_n = k->sub_n;
            r.words = list || k->read == yaml_word ? NULL : k->words;
            r.words_n = r.words ? k->words_n : 0;
        } else {
            r.words_n = 0;
            list = false;
        }
        r.whole = at[len] == 0;
        if (r.whole) return r;
        at += len + 1;
    }
}

/* Copies a node of another document into ours; 0 for lack of memory. The depth was
 * bounded by the scan. */
static int copy_node(struct yaml *y, yaml_document_t *from, int node)
{
    const yaml_node_t *n = yaml_document_get_node(from, node);
    int to = 0;
    if (n->type == YAML_SCALAR_NODE)
        return yaml_document_add_scalar(&y->document, NULL, n->data.scalar.value,
                                        (int)n->data.scalar.length, YAML_PLAIN_SCALAR_STYLE);
    if (n->type == YAML_SEQUENCE_NODE) {
        to = yaml_document_add_sequence(&y->document, NULL, YAML_FLOW_SEQUENCE_STYLE);
        for (const int *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
            int item = copy_node(y, from, *i);
            must(yaml_document_append_sequence_item(&y->document, to, item));
        }
        return to;
    }
    to = yaml_document_add_mapping(&y->document, NULL, YAML_FLOW_MAPPING_STYLE);
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        int key = copy_node(y, from, p->key), value = copy_node(y, from, p->value);
        must(yaml_document_append_mapping_pair(&y->document, to, key, value));
    }
    return to;
}

static int add_text(struct yaml *y, const char *text, size_t n)
{
    int node = yaml_document_add_scalar(&y->document, NULL, (const yaml_char_t *)text, (int)n,
                                        YAML_PLAIN_SCALAR_STYLE);
    must(node != 0);
    return node;
}

/* The node of the value, 0 (and an error) when it is no YAML. */
static int parse_value(struct yaml *y, const char *path, const char *value)
{
    struct yaml v;
    int node = 0;
    if (*value == 0) return add_text(y, "", 0);
    FILE *nowhere = fopen("/dev/null", "w");
    must(nowhere != NULL);
    if (yaml_open_bytes(&v, "--set", value, strlen(value), nowhere))
        node = copy_node(y, &v.document, 1);
    else
        yaml_set_error(y, path, "a value that is no YAML", "a value as in the file");
    yaml_close(&v);
    fclose(nowhere);
    return node;
}

bool yaml_override(struct yaml *y, const struct yaml_key *keys, uint32_t n, const char *path,
                   const char *value, bool create)
{
    int node = yaml_root(y);
    if (!yaml_reach(keys, n, path).whole) return false;
    for (const char *at = path;;) {
        size_t len = strcspn(at, ".");
        bool last = at[len] == 0;
        int *child = yaml_child(y, node, at, len);
        const yaml_node_t *parent = yaml_document_get_node(&y->document, node);
        if (!child && (!create || !parent || parent->type != YAML_MAPPING_NODE)) return false;
        if (child && !last) {
            node = *child;
        } else {
            int made = last
                           ? parse_value(y, path, value)
                           : yaml_document_add_mapping(&y->document, NULL, YAML_FLOW_MAPPING_STYLE);
            if (!made) return true;               /* an error, which has been told */
            child = yaml_child(y, node, at, len); /* adding nodes has moved them */
            if (child)
                *child = made;
            else
                must(yaml_document_append_mapping_pair(&y->document, node, add_text(y, at, len),
                                                       made));
            node = made;
        }
        if (last) return true;
        at += len + 1;
    }
}
