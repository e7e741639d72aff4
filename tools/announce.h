/* What every run of rounds says before it begins and when it is over. */
#ifndef TOOLS_ANNOUNCE_H
#define TOOLS_ANNOUNCE_H

#include "tools/campaign.h"

/* Suite, contract, seed and what it decided, revision, rounds, jobs. `out` may be NULL. */
void announce_begin(FILE *f, const char *command, const struct campaign *c, const char *seed_text,
                    const char *out);
/* A line for each --set. */
void announce_settings(FILE *f, const struct inputs *in);
/* Digest, rounds and events a second, speed-up. */
void announce_end(FILE *f, const struct run_report *r);

#endif
