/* leader-worker@3: the contract binds an account (protocol.md, "Workstreams").
 *
 * A page that is signed out, or signed in to another account, takes, sends and commits nothing
 * of this one: it gives up what it has and asks for nothing until the account is back. The
 * storage event tells it, late; therefore every write looks at storage first, and so does a
 * page that wakes: what happened while it was in the cache is told to nobody (ST-14). */
#include "sim/client/internal.h"

bool account_is_ours(const struct step *s)
{
    if (!s->in->session || deviates(s, POLICY_OUTBOX_CROSSES)) return true;
    if (deviates(s, POLICY_SIGN_OUT_UNHEARD)) return !s->l->page.away;
    return s->in->session->account == ACCOUNT_OWN;
}

void account_look(struct step *s)
{
    struct leader *l = s->l;
    bool heard_before = s->in->kind != IN_START && s->in->kind != IN_ACCOUNT;
    if (heard_before && deviates(s, POLICY_SIGN_OUT_UNHEARD)) return;
    l->page.away = s->in->session && s->in->session->account != ACCOUNT_OWN &&
                   !deviates(s, POLICY_OUTBOX_CROSSES);
    if (!l->page.away) return;
    page_stop(s, WHY_OTHER);
    if (l->page.state == STATE_REQUESTING) page_drain(s, WHY_OTHER); /* a claim without a lock */
}

void account_changed(struct step *s)
{
    struct leader *l = s->l;
    account_look(s);
    if (l->page.away) return;
    if (l->page.has_locks || l->single_page) page_request_lock(s);
    submit_next(s);
}
