/* How oracle/state.c is cut into files: what they call of each other. Nobody
 * else includes this. */
#ifndef ORACLE_STATE_PARTS_H
#define ORACLE_STATE_PARTS_H

#include "oracle/state.h"

/* state.c: NULL when the observation names no page, or one beyond the array. */
struct page_facts *state_page_of(struct state *s, const struct obs *o);
void state_page_eligible(struct state *s, struct page_facts *p);
void state_all_eligible(struct state *s);

/* state_locks.c: lock.* */
void state_lock_step(struct state *s, const struct obs *o);
void state_locks_reset(struct state *s);

/* state_ledger.c: ledger.* and what happens to operations */
void state_ledger_step(struct state *s, const struct obs *o);
void state_op_step(struct state *s, const struct obs *o);
void state_cleared(struct state *s, const struct obs *o);
void state_ledger_reset(struct state *s);

#endif
