#include "tools/textdiff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

#define AROUND 2 /* lines of both shown beside a difference */

struct lines {
    const char *at[TEXTDIFF_LINES_MAX];
    uint32_t length[TEXTDIFF_LINES_MAX];
    uint32_t n;
    bool fits;
};

static void cut(struct lines *l, const char *text)
{
    l->n = 0;
    for (const char *p = text; *p && l->n < TEXTDIFF_LINES_MAX;) {
        size_t length = strcspn(p, "\n");
        l->at[l->n] = p;
        l->length[l->n++] = (uint32_t)length;
        p += length + (p[length] == '\n');
        l->fits = !*p;
    }
    if (!*text) l->fits = true;
}

struct difference {
    struct lines was, is;
    uint16_t *common; /* of the rest from line i and line k on: [i * (is.n + 1) + k] */
};

static bool same(const struct difference *d, uint32_t i, uint32_t k)
{
    return d->was.length[i] == d->is.length[k] &&
           memcmp(d->was.at[i], d->is.at[k], d->was.length[i]) == 0;
}

static uint16_t *common_at(const struct difference *d, uint32_t i, uint32_t k)
{
    return &d->common[(size_t)i * (d->is.n + 1) + k];
}

static void compare(struct difference *d)
{
    for (uint32_t i = d->was.n; i-- > 0;)
        for (uint32_t k = d->is.n; k-- > 0;) {
            uint16_t without_old = *common_at(d, i + 1, k), without_new = *common_at(d, i, k + 1);
            uint16_t best = without_old > without_new ? without_old : without_new;
            if (same(d, i, k)) best = (uint16_t)(*common_at(d, i + 1, k + 1) + 1);
            *common_at(d, i, k) = best;
        }
}

/* Lines of both are kept back until it is known whether they are near a difference. */
static void show(FILE *f, const struct difference *d)
{
    uint32_t i = 0, k = 0, since = UINT32_MAX / 2, held = 0;
    while (i < d->was.n || k < d->is.n) {
        if (i < d->was.n && k < d->is.n && same(d, i, k)) {
            bool near = since++ < AROUND;
            if (near) fprintf(f, "      %.*s\n", (int)d->is.length[k], d->is.at[k]);
            held = near ? 0 : held + 1;
            i++, k++;
            continue;
        }
        if (held > AROUND) fputs("      ...\n", f);
        for (uint32_t n = held < AROUND ? held : AROUND; n > 0; n--)
            fprintf(f, "      %.*s\n", (int)d->is.length[k - n], d->is.at[k - n]);
        held = since = 0;
        bool is_new =
            i == d->was.n || (k<d->is.n && * common_at(d, i, k + 1)> * common_at(d, i + 1, k));
        if (is_new)
            fprintf(f, "    + %.*s\n", (int)d->is.length[k], d->is.at[k]), k++;
        else
            fprintf(f, "    - %.*s\n", (int)d->was.length[i], d->was.at[i]), i++;
    }
}

bool textdiff(FILE *f, const char *was, const char *is)
{
    if (strcmp(was, is) == 0) return false;
    struct difference *d = malloc(sizeof *d);
    must(d != NULL);
    cut(&d->was, was);
    cut(&d->is, is);
    if (d->was.fits && d->is.fits) {
        d->common = calloc((size_t)(d->was.n + 1) * (d->is.n + 1), sizeof *d->common);
        must(d->common != NULL);
        compare(d);
        show(f, d);
        free(d->common);
    } else {
        fputs("    they differ, and are too long to say where\n", f);
    }
    free(d);
    return true;
}
