/* Stories: scenarios that play the same with every seed, told twice. With the reference every
 * invariant holds and every step is done, with the naive variant exactly the invariants break
 * that the file names.
 *
 * What is told is a text that people read and that is kept beside the file (X.yaml,
 * X.expected): a line for each observation that matters, time, who, what. The same version
 * gives the same text, so a change of behaviour is a difference of a few lines. */
#ifndef TOOLS_STORIES_H
#define TOOLS_STORIES_H

#include "tools/player.h"

struct stories_told {
    char *text; /* owned: stories_forget */
    size_t length;
    char *wrong; /* owned; lines that say what is not as the file claims, "" when all is */
    size_t wrong_length;
};

/* A scenario that is a story, whose invariants have names that exist: a line on `err` for what
 * is missing. */
bool stories_whole(const struct scenario *s, FILE *err);

/* Plays it twice. `c` is the contract before the scenario bends it. */
struct stories_told stories_tell(struct player *p, const struct scenario *s,
                                 const struct contract *c);
void stories_forget(struct stories_told *t);

/* Where its text is kept: "X.yaml" gives "X.expected"; false when that does not fit. */
bool stories_path(char path[PATH_MAX_LEN], const char *file);

#endif
