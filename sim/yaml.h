/* A small reader of YAML files against a table of keys, on top of libyaml.
 *
 *   yaml_open, yaml_open_bytes   a whole file or buffer becomes a tree
 *   yaml_override                `--set path=value` changes the tree
 *   yaml_schema                  the root is a map whose `schema` key says the right thing
 *   yaml_map                     reads a map: each known key with its reader, all errors
 *   yaml_close                   gives everything back; true when nothing was wrong
 *
 * Why not libcyaml: it stops at the first error, knows no "did you mean", and
 * has no place for our units (every duration and percentage carries one) and
 * for `--set`. libyaml gives the tree and the line of every node; the rest is
 * this file.
 *
 * Every error is one line on `err`: "FILE:LINE: KEY: found X, accepted Y". KEY is
 * the dotted path that `--set` takes. A value that came from `--set` has the
 * file name "--set" and no line. Reading goes on after an error, up to
 * YAML_ERRORS_MAX; after an error the filled struct is not to be used.
 *
 * Left out on purpose: anchors, aliases, tags, several documents in a file
 * (each an error that says so). Memory comes from malloc and lives from open to
 * close; nothing of it is used once the first round has begun. */
#ifndef SIM_YAML_H
#define SIM_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <yaml.h>

#define YAML_WORDS_MAX 128 /* words of a list that is kept as a set */
#define YAML_BYTES_MAX (1u << 20) /* the largest file that is shipped has some 10 KiB */
#define YAML_DEPTH_MAX 16         /* the deepest schema nests 5 */
#define YAML_ERRORS_MAX 20        /* more than a screen helps nobody */
#define YAML_KEY_MAX 256          /* bytes of a dotted path in a message */
#define YAML_MIX_MAX 16           /* entries of a map of weights */

struct yaml {
    const char *file; /* borrowed */
    FILE *err;        /* borrowed */
    uint32_t errors;
    yaml_document_t document;
    bool loaded;
    int nodes_of_file;      /* nodes with a larger number came from --set */
    char key[YAML_KEY_MAX]; /* dotted path of the node being read */
    size_t key_n;
};

/* One key of a map: its word, how its value is read and where that goes. */
struct yaml_key {
    const char *word;
    void (*read)(struct yaml *y, int node, const struct yaml_key *k, void *at);
    size_t at;        /* offset in the struct that the map fills */
    int64_t min, max; /* numbers, in the stored unit; texts: bytes with the end; lists: entries */
    const char *const *words; /* words accepted as the value, or as keys of a map of weights */
    uint32_t words_n;
    const struct yaml_key *sub; /* keys of a map, or of each map in a list */
    uint32_t sub_n;
    bool list; /* a list (or one entry of it); --set takes its index */
    bool required;
};

bool yaml_open(struct yaml *y, const char *file, FILE *err);
bool yaml_open_bytes(struct yaml *y, const char *file, const void *bytes, size_t n, FILE *err);
bool yaml_close(struct yaml *y);

/* yaml_set.c. Puts `value` (YAML text) at `path` when the keys accept the path and the file has the
 * map or list around it; with `create`, missing maps are made. False when there is no place. */
bool yaml_override(struct yaml *y, const struct yaml_key *keys, uint32_t n, const char *path,
                   const char *value, bool create);

/* How far a table of keys accepts a dotted path. */
struct yaml_reach {
    bool whole;
    size_t accepted;             /* bytes of the path before the segment that is not accepted */
    const struct yaml_key *keys; /* what is accepted there: keys, */
    uint32_t keys_n;
    const char *const *words; /* or words, or neither: nothing */
    uint32_t words_n;
};
struct yaml_reach yaml_reach(const struct yaml_key *keys, uint32_t n, const char *path);

/* Root of the document, 0 when it has none. */
int yaml_root(struct yaml *y);
/* Text of the root's `schema` key; NULL (and an error) when it is not one of `words`. */
const char *yaml_schema(struct yaml *y, const char *const *words, uint32_t n);
/* Node at the dotted path, or 0. */
int yaml_at(struct yaml *y, const char *path);

/* Where the number of the child of a map or list stands, or NULL: a key or an index of `n`
 * bytes. */
int *yaml_child(struct yaml *y, int node, const char *word, size_t n);
/* A list's index in decimal, or -1. */
int64_t yaml_index(const char *text, size_t n);

void yaml_map(struct yaml *y, int node, const struct yaml_key *keys, uint32_t n, void *into);

/* Errors. `node` gives the line; yaml_wrong also describes what was found there. */
void yaml_error(struct yaml *y, int node, const char *found, const char *accepted);
void yaml_wrong(struct yaml *y, int node, const char *accepted);
/* The same for another key: `path` instead of the key being read. */
void yaml_error_at(struct yaml *y, const char *path, const char *found, const char *accepted);

/* The same for a value of --set that is not in the tree. */
void yaml_set_error(struct yaml *y, const char *path, const char *found, const char *accepted);

/* The accepted word nearest to `found`, or NULL when none is near. */
const char *yaml_nearest(const char *found, const char *const *words, uint32_t n);
/* "a, b, c" in at most `size` bytes, cut with "..." */
void yaml_join(char *text, size_t size, const char *const *words, uint32_t n);
/* What a message accepts: all words; of a long list with a nearest one, that one. */
void yaml_accepted(char *text, size_t size, const char *const *words, uint32_t n, const char *near);
/* The words of a table of keys, for those above; at most `max`. Returns how many. */
uint32_t yaml_words_of(const struct yaml_key *keys, uint32_t n, const char **words, uint32_t max);
/* `text` without control characters and not longer than a message may carry. */
void yaml_clean(char *clean, size_t size, const char *text);

/* -- lists and maps that the caller walks itself ----------------------------- */

/* Entries of a list with k->min..k->max of them (with k->list a single value is a list of
 * one); 0 and an error otherwise. */
uint32_t yaml_entries(struct yaml *y, int node, const struct yaml_key *k);
/* Entry `i`, whose index becomes part of the key until yaml_leave. */
int yaml_enter(struct yaml *y, int node, uint32_t i);
void yaml_leave(struct yaml *y, size_t key_n);

/* One word, or a map from words to weights; entries of weight 0 are left out. */
struct yaml_mix {
    uint32_t n, word[YAML_MIX_MAX], weight[YAML_MIX_MAX];
};
bool yaml_mix(struct yaml *y, int node, const struct yaml_key *k, struct yaml_mix *mix);

/* -- readers (yaml_values.c), for struct yaml_key ----------------------------- */

void yaml_text(struct yaml *y, int node, const struct yaml_key *k, void *at); /* char[max] */
void yaml_name(struct yaml *y, int node, const struct yaml_key *k, void *at); /* char[max] */
void yaml_word(struct yaml *y, int node, const struct yaml_key *k, void *at); /* enum */
void yaml_words(struct yaml *y, int node, const struct yaml_key *k,
                void *at); /* a bit each, in as many uint64_t as all words need */
void yaml_count(struct yaml *y, int node, const struct yaml_key *k, void *at);    /* uint32_t */
void yaml_flag(struct yaml *y, int node, const struct yaml_key *k, void *at);     /* bool */
void yaml_duration(struct yaml *y, int node, const struct yaml_key *k, void *at); /* int64_t us */
void yaml_percent(struct yaml *y, int node, const struct yaml_key *k,
                  void *at); /* uint32_t, whole */
void yaml_permille(struct yaml *y, int node, const struct yaml_key *k,
                   void *at); /* uint32_t, "0.1%" is 1 */
void yaml_ppm(struct yaml *y, int node, const struct yaml_key *k,
              void *at); /* uint32_t, "0.1%" is 1000 */
void yaml_milli(struct yaml *y, int node, const struct yaml_key *k,
                void *at); /* uint32_t, "4.5" is 4500 */
void yaml_counts(struct yaml *y, int node, const struct yaml_key *k,
                 void *at); /* uint32_t[2], min and max */
void yaml_durations(struct yaml *y, int node, const struct yaml_key *k,
                    void *at); /* int64_t[2], min and max */
void yaml_inside(struct yaml *y, int node, const struct yaml_key *k,
                 void *at); /* a map with k->sub */

/* Nothing: for a key that was read before, as `schema`. */
void yaml_skip(struct yaml *y, int node, const struct yaml_key *k, void *at);

/* Text of a scalar without NUL inside, else NULL. */
const char *yaml_scalar(struct yaml *y, int node);
/* "1.5s" in microseconds; false when it is not a number with a unit. */
bool yaml_parse_duration(const char *text, int64_t *us);
/* The shortest exact form: "90s", "1500ms". */
void yaml_format_duration(char *text, size_t size, int64_t us);

#endif
