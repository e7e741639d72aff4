/* See auth.h. A family is named by its first token; what is true of all of its tokens is kept
 * there. Everything happens at the instant of the request: a server with one database row for
 * a family. */
#include "sim/server/auth.h"

#include "sim/base/must.h"

void auth_open(struct auth *h, struct arena *a)
{
    h->token = arena_array(a, struct auth_token, AUTH_TOKENS_MAX + 1);
}

void auth_reset(struct auth *h, int64_t lifetime_us, int64_t reuse_us, struct history *history)
{
    h->history = history;
    h->lifetime_us = lifetime_us;
    h->reuse_us = reuse_us;
    h->n = 0;
}

static uint32_t new_token(struct auth *h, uint32_t family)
{
    if (h->n == AUTH_TOKENS_MAX) return 0;
    uint32_t t = ++h->n;
    h->token[t] = (struct auth_token){ .family = family ? family : t };
    return t;
}

uint32_t auth_sign_in(struct auth *h)
{
    return new_token(h, 0);
}

static void say(struct auth *h, enum obs_kind kind, const struct request *r, uint32_t b,
                struct instant at, uint32_t cause)
{
    struct obs o = obs_make(kind, at, cause);
    o.page = r->page;
    o.request = r->id;
    if (kind != OBS_SESSION_ENDED) o.key = r->key;
    o.a = r->token;
    o.b = b;
    history_add(h->history, &o);
}

/* What a REFRESH that cannot have a token is answered. */
static enum answer_result refusal(const struct auth *h, uint32_t token)
{
    if (token == 0 || token > h->n) return ANS_REFUSED;
    const struct auth_token *family = &h->token[h->token[token].family];
    if (family->revoked) return ANS_REVOKED;
    return family->ended ? ANS_SIGNED_OUT : ANS_OK;
}

static enum answer_result refresh(struct auth *h, const struct request *r, struct instant at,
                                  uint32_t cause, uint32_t *next)
{
    struct auth_token *t = &h->token[r->token];
    if (t->next && t->key == r->key) {
        *next = t->next;
        say(h, OBS_SESSION_REPEATED, r, *next, at, cause);
        return ANS_OK;
    }
    if (t->next && (h->reuse_us == 0 || at.us - t->rotated.us > h->reuse_us)) {
        h->token[t->family].revoked = true;
        say(h, OBS_SESSION_REUSED, r, 0, at, cause);
        return ANS_REVOKED;
    }
    *next = new_token(h, t->family);
    if (*next == 0) return ANS_UNAVAILABLE;
    t->next = *next;
    t->key = r->key;
    t->rotated = at;
    say(h, OBS_SESSION_ROTATED, r, *next, at, cause);
    return ANS_OK;
}

void auth_request(struct auth *h, const struct request *r, struct instant at, uint32_t cause,
                  struct answer *a)
{
    must(r->kind == REQ_REFRESH || r->kind == REQ_SIGN_OUT);
    uint32_t next = 0;
    enum answer_result result = refusal(h, r->token);
    if (r->kind == REQ_SIGN_OUT && result == ANS_OK) {
        h->token[h->token[r->token].family].ended = true;
        say(h, OBS_SESSION_ENDED, r, 0, at, cause);
    } else if (r->kind == REQ_REFRESH && result == ANS_OK) {
        result = refresh(h, r, at, cause, &next);
    } else if (r->kind == REQ_REFRESH) {
        say(h, OBS_SESSION_REFUSED, r, (uint32_t)result, at, cause);
    }
    *a = (struct answer){ .request = r->id,
                          .kind = r->kind,
                          .result = result,
                          .fence = r->fence,
                          .node_hint = NODE_NONE,
                          .token = next,
                          .wait_us = h->lifetime_us,
                          .sent = r->sent };
}
