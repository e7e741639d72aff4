/* The canonical form of a state, folded into one number: two states that no one can tell apart
 * from now on fold to the same. Each module folds its own members (x_fold); a member that is
 * left out is named there with the reason, everything else goes in.
 *
 *   fold_u        a value as it is; the right choice whenever in doubt: it merges less,
 *                 and never wrongly
 *   fold_since, fold_deadline    a time, as seen from now
 *   fold_name     an id that is only ever compared for equality: its number is the
 *                 order in which the fold meets it
 *   fold_fence    a fence, its generation as seen from the newest
 *
 * Times are exact, never rounded. A deadline that has passed is one value, since those who
 * keep it ask only whether it has; one that is further away than the horizon is another. */
#ifndef SIM_BASE_FOLD_H
#define SIM_BASE_FOLD_H

#include <stdbool.h>

#include "sim/base/units.h"

#define FOLD_NAMES_MAX 192 /* ids of one kind in one state of a few tabs; beyond it as they are */

#define FOLD_DEVICES 4

/* What ids of one kind are called, in the order in which they were met. */
struct names {
    uint64_t id[FOLD_NAMES_MAX];
    uint32_t n;
};

struct fold {
    uint64_t sum;
    int64_t far_us;            /* what is further away than the horizon never comes */
    int64_t now_us;            /* the clock that times are seen from: the world's, a device's */
    int64_t wall_us;           /* the wall clock of the device that is folded */
    int64_t device_us[FOLD_DEVICES]; /* the clock of each device */
    uint32_t generation;       /* the newest */
    uint32_t oldest;           /* the oldest generation that was met; 0: none */
    uint32_t renewals;         /* the newest number of a renewal's answer */
    bool symmetric;            /* pages and tabs are named by their place, not by number */
    struct names page, tab, request, claim, own;
};

/* For an exploration of `horizon_us` of virtual time. */
void fold_begin(struct fold *f, bool symmetric, int64_t horizon_us);

static inline void fold_u(struct fold *f, uint64_t v)
{
    f->sum = (f->sum ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    f->sum ^= f->sum >> 29;
}

static inline void fold_since(struct fold *f, int64_t at_us)
{
    fold_u(f, (uint64_t)(at_us - f->now_us));
}

/* The age of what is past, as far as `most_us`: beyond it nobody tells ages apart. */
static inline void fold_age(struct fold *f, int64_t at_us, int64_t most_us)
{
    int64_t age = f->now_us - at_us;
    fold_u(f, (uint64_t)(age < most_us ? age : most_us));
}

/* Asked is only: is it over. The instant itself (0) and what lies behind (-1) are told apart; what
 * is further away than the whole horizon, by any clock, is never over. */
static inline void fold_deadline(struct fold *f, int64_t at_us)
{
    int64_t left = at_us - f->now_us;
    fold_u(f, (uint64_t)(left < 0 ? -1 : left > f->far_us ? INT64_MAX : left));
}

/* The place of `id` in `n`, which it is given when it is new. */
uint64_t name_of_id(struct names *n, uint64_t id);
/* Was it met? */
bool names_have(const struct names *n, uint64_t id);

/* 0 stands for none. */
static inline void fold_name(struct fold *f, struct names *n, uint64_t id)
{
    fold_u(f, id == 0 ? 0 : name_of_id(n, id) + 1);
}

void fold_page(struct fold *f, uint16_t page);
void fold_tab(struct fold *f, uint32_t tab);
/* A tabInstanceId: one more than the document's number, unless a deviation makes it up. */
void fold_instance(struct fold *f, uint32_t tab_instance);
void fold_fence(struct fold *f, struct fence x);

/* The number of a renewal's answer, as seen from the newest; 0 is none. */
static inline void fold_renewal(struct fold *f, uint32_t n)
{
    uint64_t none = UINT64_C(1) << 40 | (f->renewals == 0);
    fold_u(f, n == 0 ? none : (uint64_t)((int64_t)n - f->renewals));
}

struct request;
struct answer;
struct push;
void fold_request(struct fold *f, const struct request *r); /* but its id */
void fold_answer(struct fold *f, const struct answer *a);   /* but the request's id */
void fold_push(struct fold *f, const struct push *p);

#endif
