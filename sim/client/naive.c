/* What clients of public reports do instead of the protocol: the naive variants of
 * scenarios/field/. As in deviations.c each is a small wrong answer to one question that the
 * reference asks; which report a switch belongs to is said where a story names it. */
#include "sim/client/internal.h"

#define MARKER_PAUSE_US (500 * US_PER_MS) /* how often the mark in localStorage is looked at */
#define CALL_AGAIN_US (500 * US_PER_MS)
#define LISTENS_AFTER_US (30 * US_PER_MS) /* until then a page's listeners are not attached */

static void arm_page_timer(struct step *s, int64_t us)
{
    struct client_output *o = client_emit(s, OUT_TIMER);
    o->id = TIMER_PAGE;
    o->us = us;
}

static void mark_storage(struct step *s, uint32_t leader)
{
    struct client_output *o = client_emit(s, OUT_STORE);
    o->as.store.leader = leader;
    o->as.store.beat = s->in->wall;
}

static void keep(struct step *s, uint32_t op)
{
    client_emit(s, OUT_KEPT)->id = op;
}

/* ---- before the lock ------------------------------------------------------------- */

void naive_start(struct step *s)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_MUTEX_PER_TAB)) deviate_lead_unclaimed(s);
    naive_refresh_start(s);
    if (deviates(s, POLICY_PAGE_BEATS)) arm_page_timer(s, l->contract->heartbeat.interval_us);
    if (deviates(s, POLICY_MARKER_TRUSTED)) {
        l->page.resigned = true;
        arm_page_timer(s, MARKER_PAUSE_US);
    }
    if (deviates(s, POLICY_STARTS_TWICE)) {
        struct client_output *o = client_emit(s, OUT_LOCK);
        o->id = l->page.twin = ++l->page.last_id;
        o->flags = LOCK_HAS_SIGNAL;
    }
}

bool naive_keeps_away(const struct step *s)
{
    const struct leader *l = s->l;
    return l->page.resigned || (deviates(s, POLICY_NO_RESTART) && l->page.claims > 0);
}

uint32_t naive_lock_flags(const struct step *s)
{
    bool is_new = s->l->page.claims == 0 && s->l->page.attempt == 0;
    bool asks = deviates(s, POLICY_NULL_LOCK_RUNS) || deviates(s, POLICY_ASKS_ONCE);
    asks = asks || (deviates(s, POLICY_STEALS_ON_OPEN) && is_new);
    return asks ? LOCK_IS_IF_AVAILABLE : LOCK_HAS_SIGNAL;
}

/* ifAvailable: somebody else has the lock. */
void naive_unavailable(struct step *s)
{
    struct leader *l = s->l;
    if (s->in->id != l->page.lock.id || !l->page.lock.waiting) return;
    if (deviates(s, POLICY_STEALS_ON_OPEN)) {
        l->page.attempt++; /* only when it is new */
        page_steal(s, 0);
        return;
    }
    if (deviates(s, POLICY_NULL_LOCK_RUNS)) deviate_lead_unclaimed(s);
    l->page.resigned = deviates(s, POLICY_ASKS_ONCE);
    l->page.lock.waiting = false;
    page_enter(s, STATE_ABORTED);
    page_enter(s, STATE_FOLLOWER);
}

/* The claim has to wait for another device. */
void naive_refused(struct step *s)
{
    if (deviates(s, POLICY_ASKS_ONCE)) s->l->page.resigned = true;
}

/* A grant that the page takes no notice of, or that leads nowhere. */
bool naive_drops_grant(struct step *s)
{
    struct leader *l = s->l;
    bool early = s->in->now.us - l->page.started.us < LISTENS_AFTER_US;
    if (deviates(s, POLICY_STARTS_TWICE) && s->in->id == l->page.twin) return true;
    if (deviates(s, POLICY_TOLD_ONCE) && early) return true;
    if (!deviates(s, POLICY_WAITS_INSIDE) || l->page.twin) return false;
    struct client_output *o = client_emit(s, OUT_LOCK);
    o->id = l->page.twin = ++l->page.last_id;
    o->flags = LOCK_HAS_SIGNAL;
    return true; /* the claim is to follow when it has been granted */
}

/* ---- suspicion ------------------------------------------------------------------- */

/* True: the suspicion is dealt with. */
bool naive_suspects(struct step *s)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_NEVER_SUSPECTS)) return true;
    if (deviates(s, POLICY_WAIT_GIVEN_UP)) {
        deviate_lead_unclaimed(s);
        return true;
    }
    if (!deviates(s, POLICY_ECHO_IS_LIFE)) return false;
    page_broadcast(s, MSG_WHO_LEADS, 0);
    return s->in->now.us - l->page.last_heard.us <= l->contract->heartbeat.suspect_after_us;
}

/* What the server pushes about a leader whose echo was heard. */
bool naive_trusts_leader(const struct step *s)
{
    const struct leader *l = s->l;
    int64_t since = s->in->now.us - l->page.last_heard.us;
    return deviates(s, POLICY_NEVER_SUSPECTS) ||
           (deviates(s, POLICY_ECHO_IS_LIFE) && since <= l->contract->heartbeat.suspect_after_us);
}

/* ---- the channel and the user ---------------------------------------------------- */

static void call_done(struct leader *l, uint32_t op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->page.submits_n; i++)
        if (l->page.submits[i] != op) l->page.submits[n++] = l->page.submits[i];
    l->page.submits_n = n;
}

/* Each call is done under a key of its own. */
static void do_call(struct step *s, uint32_t op)
{
    s->l->page.attempt++;
    (void)page_send(s, REQ_EFFECT, op, op + (s->l->page.attempt << 16), WATCH_COUNT);
    page_broadcast(s, MSG_RECEIPT, op);
}

static void take_call(struct step *s, uint32_t op)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_LEADER) return;
    if (deviates(s, POLICY_CALLS_RESENT)) {
        do_call(s, op);
        return;
    }
    if (l->page.submits_n < KNOWN_OPS_MAX) l->page.submits[l->page.submits_n++] = op;
    if (!l->page.submit.request) submit_next(s);
}

static uint32_t key_of_tab(const struct leader *l, uint32_t op)
{
    return op + (l->tab_instance << 8 | 0x80000000u);
}

/* True: it is not for the reference. */
bool naive_message(struct step *s)
{
    struct leader *l = s->l;
    const struct client_message *m = s->in->message;
    switch ((enum leader_message)m->kind) {
    case MSG_WHO_LEADS:
        if (deviates(s, POLICY_ECHO_IS_LIFE) && l->page.lock.granted)
            page_broadcast(s, MSG_HEARTBEAT, 0);
        return deviates(s, POLICY_ECHO_IS_LIFE);
    case MSG_CALL: take_call(s, m->a); return true;
    case MSG_RECEIPT: call_done(l, m->a); return true;
    case MSG_TASK:
        if (deviates(s, POLICY_EVERY_TAB_ACTS) && l->page.state != STATE_LEADER)
            (void)page_send(s, REQ_EFFECT, m->a, key_of_tab(l, m->a), WATCH_COUNT);
        return false;
    default: return false;
    }
}

/* True: the user's operation goes nowhere else. */
bool naive_submit(struct step *s)
{
    struct leader *l = s->l;
    uint32_t op = s->in->id;
    if (op < 64) l->page.own_ops |= UINT64_C(1) << op;
    if (deviates(s, POLICY_FATAL_WHEN_LOST)) keep(s, op);
    if (deviates(s, POLICY_CALLS_RESENT) && l->page.state != STATE_LEADER) {
        if (l->page.submits_n < KNOWN_OPS_MAX) l->page.submits[l->page.submits_n++] = op;
        arm_page_timer(s, CALL_AGAIN_US);
        page_broadcast(s, MSG_CALL, op);
        return true;
    }
    if (!deviates(s, POLICY_HANDS_TO_LEADER)) return false;
    keep(s, op);
    if (l->page.state == STATE_LEADER) return false;
    page_broadcast(s, MSG_CALL, op);
    return true;
}

/* What the renewals tell of the outbox is not looked at. */
bool naive_waits_for_news(const struct step *s)
{
    return deviates(s, POLICY_NEWS_ONLY) || deviates(s, POLICY_OWN_ONLY);
}

bool naive_works_on(const struct step *s, uint32_t op)
{
    return !deviates(s, POLICY_OWN_ONLY) || (op < 64 && s->l->page.own_ops >> op & 1);
}

/* ---- timers of the page ---------------------------------------------------------- */

static void look_at_marker(struct step *s)
{
    struct leader *l = s->l;
    arm_page_timer(s, MARKER_PAUSE_US);
    if (s->in->storage.leader != 0 && s->in->storage.leader != l->tab_instance) return;
    mark_storage(s, l->tab_instance);
    l->page.resigned = false;
    page_request_lock(s);
}

static void call_again(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.submits_n == 0) return;
    arm_page_timer(s, CALL_AGAIN_US);
    for (uint32_t i = 0; i < l->page.submits_n; i++)
        page_broadcast(s, MSG_CALL, l->page.submits[i]);
}

bool naive_page_timer(struct step *s)
{
    struct leader *l = s->l;
    if (s->in->id != TIMER_PAGE) return false;
    if (naive_refresh_timer(s)) return true;
    if (deviates(s, POLICY_MARKER_TRUSTED)) {
        look_at_marker(s);
    } else if (deviates(s, POLICY_CALLS_RESENT)) {
        call_again(s);
    } else if (deviates(s, POLICY_PAGE_BEATS)) {
        arm_page_timer(s, l->contract->heartbeat.interval_us);
        if (l->page.state == STATE_LEADER) page_broadcast(s, MSG_HEARTBEAT, !l->page.visible);
    } else {
        return false;
    }
    return true;
}

/* ---- the end of leadership ------------------------------------------------------- */

/* The mark is taken away by the handler, where one runs. */
void naive_pagehide(struct step *s)
{
    if (deviates(s, POLICY_MARKER_TRUSTED) && s->in->storage.leader == s->l->tab_instance)
        mark_storage(s, 0);
}

static bool is_an_error(enum why_ended why)
{
    return why == WHY_LEASE || why == WHY_FENCED || why == WHY_EPOCH || why == WHY_OTHER;
}

bool naive_keeps_lock(const struct step *s)
{
    return deviates(s, POLICY_KEEPS_ON_ERROR) && is_an_error(s->l->page.draining_why);
}

void naive_drains(struct step *s, enum why_ended why)
{
    struct leader *l = s->l;
    if (!deviates(s, POLICY_FATAL_WHEN_LOST) || (why != WHY_LEASE && why != WHY_FENCED)) return;
    l->page.resigned = true;
    l->page.submits_n = 0;
    l->page.submit.request = 0;
}
