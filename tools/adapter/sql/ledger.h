/* The fence ledger over a database: one request at a time on each connection.
 *
 *   ledger_reset    tables anew, first row (boot)
 *   ledger_event    restart, advance-epoch, reopen; false: no such event
 *   ledger_handle   one request of tabquake.ledger.v1; the answer is the caller's to free
 *
 * A request is the transaction that sim/server/sql/ledger.sql describes. Before and after each of
 * its statements the session may be put aside (session.h), so that requests of several connections
 * stand between each other's statements, as they do in production. */
#ifndef TOOLS_ADAPTER_SQL_LEDGER_H
#define TOOLS_ADAPTER_SQL_LEDGER_H

#include <jansson.h>

#include "tools/adapter/sql/session.h"

/* Ways of doing it wrong, on purpose: what `adapter-test --races` must find. */
enum mistake {
    MISTAKE_NONE,
    READ_THEN_WRITE,  /* reads the generation, writes it plus one, in no transaction */
    CONDITION_MISSING,/* the write of an acknowledgement does not ask whose task it is */
    HOST_CLOCKS,      /* compares leases to the clocks of application hosts, one a second fast */
    FENCE_OUTSIDE,    /* compares the fence before the transaction begins */
    MISTAKES
};

extern const char *const mistake_word[MISTAKES];

void ledger_reset(struct session *s, const json_t *boot);
bool ledger_event(struct session *s, const char *what, int64_t now);
json_t *ledger_handle(struct session *s);

#endif
