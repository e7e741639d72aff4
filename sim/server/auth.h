/* The session's server: single-use refresh tokens that rotate, families of them that are
 * revoked on reuse.
 *
 *   auth_open      takes its memory
 *   auth_reset     before a round
 *   auth_sign_in   a user signs in: the first token of a new family
 *   auth_request   a REFRESH or SIGN_OUT arrives; the answer is complete in `a`
 *
 * Tokens are numbers from 1, unique in a round. The newest of a family gets a successor; an
 * older one under the idempotency key that it was rotated with gets the same successor again;
 * under another key it is reuse: the family is revoked, unless the rotation is at most
 * `reuse_us` ago, then another successor is made. Answers: OK (token and lifetime), REVOKED,
 * SIGNED_OUT, REFUSED (a token that nobody gave out), UNAVAILABLE (no numbers left). */
#ifndef SIM_SERVER_AUTH_H
#define SIM_SERVER_AUTH_H

#include "sim/base/arena.h"
#include "sim/base/history.h"
#include "sim/base/message.h"

#define AUTH_TOKENS_MAX 1024 /* of a round; a long one with four devices uses some 150 */

struct auth_token {
    uint32_t family;  /* its first token */
    uint32_t next, key; /* its successor, 0: none yet; made for this key */
    struct instant rotated;
    bool revoked, ended; /* of a first token: the whole family */
};

struct auth {
    struct history *history;
    int64_t lifetime_us, reuse_us;
    uint32_t n; /* tokens given out */
    struct auth_token *token; /* index: the token; AUTH_TOKENS_MAX + 1 of them */
};

void auth_open(struct auth *h, struct arena *a);
void auth_reset(struct auth *h, int64_t lifetime_us, int64_t reuse_us, struct history *history);
/* The token, or 0 when none is left. */
uint32_t auth_sign_in(struct auth *h);
void auth_request(struct auth *h, const struct request *r, struct instant at, uint32_t cause,
                  struct answer *a);

#endif
