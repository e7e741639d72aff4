/* leader-worker@3: session-refresh. A refresh token may be used once; a server that sees it
 * used twice takes the whole family for stolen and revokes it.
 *
 *   who      only the leader, under its fence, while page_may_write()
 *   what     the token that storage has now, never one that the page remembers
 *   when     half of its lifetime before it ends; each renewal of the lease looks
 *   key      bound to the token: a retry, also by the next leader, is the same refresh and gets
 *            the same answer, so that an answer lost after the rotation costs nothing
 *   storing  one transaction that writes only over the version that the refresh was based on:
 *            a late answer overwrites neither a newer session nor a sign-out
 *
 * A refusal (revoked, signed out) ends the session in the same way: only the one it was about. */
#include "sim/client/internal.h"

#define REFRESH_TICK_US (500 * US_PER_MS) /* deviations: a timer of the page's own */

static uint32_t key_of(struct step *s, uint32_t token)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_REFRESH_NEW_KEY)) return token + (++l->page.attempt << 16);
    if (deviates(s, POLICY_EVERY_TAB_REFRESHES) || deviates(s, POLICY_REFRESH_UNFENCED) ||
        deviates(s, POLICY_LOSER_CLEARS))
        return token + (l->tab_instance << 16);
    return token;
}

static void ask(struct step *s, uint32_t token)
{
    struct leader *l = s->l;
    l->page.refresh.token = token;
    l->page.refresh.version = s->in->session->version;
    l->page.refresh.fence = l->page.fence;
    l->page.refresh.request = page_send(s, REQ_REFRESH, 0, key_of(s, token), WATCH_WORK);
    page_last_request(s)->token = token;
}

static bool in_flight(const struct leader *l)
{
    return l->page.refresh.request && fence_equal(l->page.refresh.fence, l->page.fence);
}

void refresh_next(struct step *s)
{
    struct leader *l = s->l;
    const struct session *now = s->in->session;
    if (l->page.state != STATE_LEADER || !page_may_write(s) || !now || in_flight(l)) return;
    if (now->token == 0 || local_before(s->in->now, now->due)) return;
    ask(s, now->token);
}

void refresh_timed_out(struct step *s, uint32_t request)
{
    if (request != s->l->page.refresh.request) return;
    s->l->page.refresh.request = 0;
    refresh_next(s);
}

/* Writes over what the refresh was based on, and over nothing else. */
static void store(struct step *s, enum account account, uint32_t token, int64_t lifetime_us)
{
    const struct leader *l = s->l;
    const struct session *now = s->in->session;
    bool heedless = deviates(s, POLICY_LATE_ANSWER) && now->account == ACCOUNT_OWN;
    heedless = heedless || (deviates(s, POLICY_SIGN_OUT_UNDONE) && now->account != ACCOUNT_OWN);
    heedless = heedless || (deviates(s, POLICY_LOSER_CLEARS) && account != ACCOUNT_OWN);
    struct client_output *o = client_emit(s, OUT_SESSION);
    o->id = l->page.refresh.token;
    o->flags = heedless ? 0 : SESSION_IF_UNCHANGED;
    o->as.session = (struct session){ .account = account,
                                      .token = token,
                                      .version = l->page.refresh.version,
                                      .due = local_plus(s->in->now, lifetime_us / 2) };
}

void refresh_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.refresh.request || !s->in->session) return;
    l->page.refresh.request = 0;
    if (a->result == ANS_OK) {
        l->page.refresh.next = a->token;
        store(s, ACCOUNT_OWN, a->token, a->wait_us);
    } else if (a->result == ANS_REVOKED || a->result == ANS_SIGNED_OUT) {
        store(s, ACCOUNT_NONE, 0, 0);
    } /* else: the next renewal asks again */
}

/* The user signs out here: the server is told, under no fence, whoever leads. */
void sign_out(struct step *s)
{
    if (s->l->contract->work != WORKSTREAM_SESSION || !s->in->session) return;
    (void)page_send(s, REQ_SIGN_OUT, 0, 0, WATCH_COUNT);
    page_last_request(s)->token = s->in->session->token;
}

/* ---- deviations ------------------------------------------------------------------- */

static bool ticks(const struct step *s)
{
    return s->l->contract->work == WORKSTREAM_SESSION &&
           (deviates(s, POLICY_EVERY_TAB_REFRESHES) || deviates(s, POLICY_LOSER_CLEARS));
}

static void arm(struct step *s)
{
    struct client_output *o = client_emit(s, OUT_TIMER);
    o->id = TIMER_PAGE;
    o->us = REFRESH_TICK_US;
}

void naive_refresh_start(struct step *s)
{
    if (ticks(s)) arm(s);
}

bool naive_refresh_timer(struct step *s)
{
    const struct session *now = s->in->session;
    if (!ticks(s)) return false;
    arm(s);
    if (!now || now->account != ACCOUNT_OWN || now->token == 0) return true;
    if (s->l->page.refresh.request == 0 && !local_before(s->in->now, now->due)) ask(s, now->token);
    return true;
}

/* Its own token is the newest that it knows of. */
void naive_refresh_woke(struct step *s)
{
    const struct leader *l = s->l;
    if (!deviates(s, POLICY_REFRESH_UNFENCED) || !s->in->session || l->page.refresh.next == 0)
        return;
    if (s->in->session->account == ACCOUNT_OWN) ask(s, l->page.refresh.next);
}
