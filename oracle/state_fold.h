/* The oracle's facts in canonical form; see state_fold.c for what that means. */
#ifndef ORACLE_STATE_FOLD_H
#define ORACLE_STATE_FOLD_H

#include "oracle/state.h"

struct fold;

/* After the world was folded into `f`: pages and requests go by the names that it gave. */
void state_fold(const struct state *s, struct fold *f);

#endif
