/* tabquake.ledger.v1: what goes to a user's ledger and comes back, as lines of JSON.
 *
 *   wire_boot, wire_event   a fresh authority; restart, advance-epoch, reopen
 *   wire_request            sim/base/message.h's request; members that a kind has no use for
 *                           are left out
 *   wire_done               the answer to the first two: {"ok": true}
 *   wire_answer             the answer to a request
 *
 * Times are whole microseconds of the ledger's own clock, which is always in `now`. Words are
 * those of sim/base/words.h. Lines are the caller's to free, and end with a newline. */
#ifndef TOOLS_ADAPTER_WIRE_H
#define TOOLS_ADAPTER_WIRE_H

#include <stdbool.h>

#include "sim/base/contract.h"
#include "sim/base/message.h"

#define WIRE_VERSION "tabquake.ledger.v1"
#define WIRE_WHY_MAX 256

char *wire_boot(const struct contract *c, uint32_t incarnation, struct local now);
char *wire_event(const char *what, struct local now);
char *wire_request(const struct request *r, struct local now);

/* False: `why` says in one sentence what was found and what is accepted. */
bool wire_done(const char *line, char why[WIRE_WHY_MAX]);
bool wire_answer(const char *line, const struct request *r, struct answer *a,
                 char why[WIRE_WHY_MAX]);

#endif
