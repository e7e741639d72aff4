/* Whom and what the story of a violation is about: the pages that sent what the two witnesses
 * are the outcome of, the pages that held their fences, the operations, and the devices of all
 * these; where no page acted, the holders and waiters of the leader lock. story.c chooses by it
 * what is told. Nobody else includes this. */
#ifndef REPORTS_STORY_CAST_H
#define REPORTS_STORY_CAST_H

#include "reports/story.h"

#define CAST_MAX 8 /* of each; more is no story that anybody follows */

struct story_cast {
    uint16_t page[CAST_MAX];
    uint32_t pages;
    uint8_t device[CAST_MAX];
    uint32_t devices;
    uint32_t op[CAST_MAX];
    uint32_t ops;
    struct fence fence[CAST_MAX];
    uint32_t fences;
    uint32_t first, last; /* observations */
    bool by_lock;         /* the lock manager shows it, no act of a page does */
};

struct story_cast story_cast_of(const struct trace *t, const struct finding *v);

bool story_has_page(const struct story_cast *c, uint16_t page);
bool story_has_device(const struct story_cast *c, uint8_t device);
bool story_has_op(const struct story_cast *c, uint32_t op);
bool story_has_fence(const struct story_cast *c, struct fence f);

/* The observation that issued the request, before number `before`; OBS_NONE: none. */
uint32_t story_issue_of(const struct history *h, uint32_t request, uint32_t before);

#endif
