/* The canonical form of a client's state (base/fold.h). */
#ifndef SIM_CLIENT_LEADER_FOLD_H
#define SIM_CLIENT_LEADER_FOLD_H

#include "sim/client/leader.h"

struct fold;

/* `f` sees times from the clock of the client's device. */
void leader_fold(const struct leader *l, struct fold *f);
/* One of the client's own numbers of requests. */
void leader_fold_own(const struct leader *l, struct fold *f, uint32_t id);
/* A message to this client, from a page of the same device. */
void leader_fold_message(const struct leader *l, const struct client_message *m, struct fold *f);

#endif
