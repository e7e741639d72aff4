/* One round for eyes:
 *
 *   timeline_html       timeline.html: swim lanes to zoom, pan and search; a table of all
 *                       observations where scripts do not run. One file, no network
 *   timeline_perfetto   JSON for the viewers of Perfetto and Chrome (chrome://tracing)
 *   timeline_mermaid    a sequence diagram; of a long round what matters most of it */
#ifndef REPORTS_TIMELINE_H
#define REPORTS_TIMELINE_H

#include <stdio.h>

#include "reports/lanes.h"

struct timeline {
    const struct lanes *lanes;
    const struct judge_result *result; /* NULL: not judged */
    const char *scenario, *revision;
    const char *command; /* that plays it again; NULL: unknown */
    uint64_t seed;
};

void timeline_html(FILE *f, const struct timeline *t);
void timeline_perfetto(FILE *f, const struct timeline *t);

/* Lines of a diagram that Mermaid draws in a moment and a person still reads. */
#define TIMELINE_MERMAID_LINES 300
void timeline_mermaid(FILE *f, const struct timeline *t);

#endif
