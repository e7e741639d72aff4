/* Command lines, from one table of flags for each command.
 *
 * Long options only: `--name value`, `--name=value`, `--name` for a switch, `--` ends
 * them; a flag may name one letter beside (`-o`), for habits that are older than we
 * are. Options and operands may be mixed. Every mistake is one sentence that names the
 * option, what was found and what is accepted, with the nearest known option. */
#ifndef TOOLS_FLAGS_H
#define TOOLS_FLAGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/plan.h"

#define FLAGS_SETS_MAX 64 /* --set on one command line */

enum flag_kind {
    FLAG_SWITCH,  /* bool */
    FLAG_TEXT,    /* const char *, not empty */
    FLAG_NUMBER,  /* uint64_t from min to max */
    FLAG_WORD,    /* uint32_t, index into words */
    FLAG_SEED,    /* const char *: any word, but nothing that looks like a number and is none */
    FLAG_SET      /* struct flag_sets, `path=value`, repeatable */
};

/* What --set gave; texts are the command line's own, cut at the equals sign. */
struct flag_sets {
    struct override at[FLAGS_SETS_MAX];
    uint32_t n;
};

struct flag {
    const char *name;       /* without the dashes */
    enum flag_kind kind;
    void *into;             /* holds the default */
    const char *value;      /* what --help calls it: "FILE", "N" */
    const char *says;
    uint64_t min, max;
    const char *const *words; uint32_t words_n;
    char letter;
};

/* One flag each; what is left out of a `struct flag` is not set. */
static inline struct flag flag_text(const char *name, const char **into, const char *value,
                                    const char *says)
{
    return (struct flag){ .name = name, .kind = FLAG_TEXT, .into = (void *)into, .value = value,
                          .says = says };
}

static inline struct flag flag_number(const char *name, uint64_t *into, uint64_t min,
                                      uint64_t max, const char *says)
{
    return (struct flag){ .name = name, .kind = FLAG_NUMBER, .into = into, .value = "N",
                          .says = says, .min = min, .max = max };
}

static inline struct flag flag_word(const char *name, uint32_t *into, const char *value,
                                    const char *const *words, uint32_t words_n, const char *says)
{
    return (struct flag){ .name = name, .kind = FLAG_WORD, .into = into, .value = value,
                          .says = says, .words = words, .words_n = words_n };
}

static inline struct flag flag_switch(const char *name, bool *into, const char *says)
{
    return (struct flag){ .name = name, .kind = FLAG_SWITCH, .into = into, .says = says };
}

struct flags {
    const char *command;    /* "replay" */
    const char *operands;   /* "SCENARIO" */
    const char *says, *example;
    const struct flag *flag; uint32_t n;
    uint32_t operands_min, operands_max;
};

enum flags_outcome { FLAGS_OK, FLAGS_HELPED, FLAGS_WRONG };

/* Reads argv[2] on. Operands are moved to argv[2], argv[3], ... in their order; their
 * number is left in *operands. */
enum flags_outcome flags_read(const struct flags *f, int argc, char **argv, uint32_t *operands,
                              FILE *out, FILE *err);

void flags_help(const struct flags *f, FILE *out);

/* The candidate nearest to `word`, or NULL when none is near enough to be meant. */
const char *flags_nearest(const char *word, const char *const *candidates, uint32_t n);

#endif
