/* leader-worker@3: the worker's thread. It keeps time, since the timers of a hidden
 * page are throttled and a worker's are not (TM-5..9).
 *
 *   renewal   a third of the ttl apart; only while the page has answered the last
 *             ping: a hung page must not keep its lease. Each renewal acknowledges
 *             the last answer seen, so that a leader that is deaf to the ledger loses
 *             its lease there too (protocol.md 6).
 *   watches   requests of the page that get no answer
 *   beats     hints, never decisions (7); missing ones make the page ask the ledger (8)
 *   maxHold   however the page fares */
#include "sim/client/internal.h"

#define PING_AGAIN_US (50 * US_PER_MS) /* a page that did not answer is asked again soon */

static void arm(struct step *s, uint32_t timer, int64_t us)
{
    struct client_output *o = client_emit(s, OUT_TIMER);
    o->id = timer;
    o->us = us > 0 ? us : 0;
}

static void disarm(struct step *s, uint32_t timer)
{
    client_emit(s, OUT_TIMER_OFF)->id = timer;
}

static struct client_message *post(struct step *s, enum leader_message kind, uint32_t a)
{
    struct client_output *o = client_emit(s, OUT_POST);
    o->as.message = (struct client_message){ .kind = (uint8_t)kind,
                                             .fence = s->l->worker.fence,
                                             .a = a,
                                             .at = s->l->worker.lease_end,
                                             .tab_instance = s->l->tab_instance };
    return &o->as.message;
}

static void broadcast(struct step *s, enum leader_message kind, uint32_t a)
{
    struct leader *l = s->l;
    struct client_output *o = client_emit(s, OUT_BROADCAST);
    o->as.message = (struct client_message){ .kind = (uint8_t)kind,
                                             .fence = l->worker.fence,
                                             .a = a,
                                             .at = s->in->now,
                                             .tab_instance = l->tab_instance };
}

static void beat(struct step *s)
{
    struct leader *l = s->l;
    if (!deviates(s, POLICY_PAGE_BEATS)) broadcast(s, MSG_HEARTBEAT, l->worker.hidden);
    arm(s, TIMER_BEAT, l->contract->heartbeat.interval_us);
}

static void stop(struct step *s)
{
    struct leader *l = s->l;
    if (!l->worker.leads) return;
    l->worker.leads = false;
    disarm(s, TIMER_RENEW);
    disarm(s, TIMER_BEAT);
    disarm(s, TIMER_HOLD);
}

static void lost(struct step *s, enum why_ended why)
{
    post(s, POST_LOST, why);
    stop(s);
}

static void send_renewal(struct step *s)
{
    struct leader *l = s->l;
    if (l->worker.request && l->worker.answered != l->worker.request)
        l->worker.node++; /* perhaps another node hears us */
    struct client_output *o = client_emit(s, OUT_SEND);
    o->id = l->worker.request = ++l->worker.last_id;
    o->flags = l->worker.node;
    o->as.request = (struct request){
        .id = o->id,
        .kind = REQ_RENEW,
        .device = l->device,
        .partition = l->partition,
        .partition_key = l->partition_key,
        .tab_instance = l->tab_instance,
        .protocol = l->protocol,
        .fence = l->worker.fence,
        .acked = l->worker.acked,
        .sent = s->in->now,
    };
}

static bool deaf_to_lease(const struct step *s)
{
    return deviates(s, POLICY_TRUST_FREEZE_HANDLER) || deviates(s, POLICY_CACHED_LEADER) ||
           deviates(s, POLICY_WALL_CLOCK_LEASE);
}

/* Half a lease without an answer: the pages that may get the lock next should know
 * before they get it, since a claim from a device that hears nothing would keep the
 * lease from one that does. */
static void tell_silence(struct step *s)
{
    struct leader *l = s->l;
    if (l->worker.told_silence ||
        s->in->now.us - l->worker.last_answer.us < l->contract->lease.ttl_us / 2)
        return;
    l->worker.told_silence = true;
    broadcast(s, MSG_SILENT, 0);
}

static void renewal_due(struct step *s)
{
    struct leader *l = s->l;
    if (!l->worker.leads) return;
    if (!local_before(s->in->now, l->worker.lease_end) && !deaf_to_lease(s)) {
        lost(s, WHY_LEASE);
        return;
    }
    post(s, POST_PING, 0);
    tell_silence(s);
    int64_t third = l->contract->lease.ttl_us / 3;
    bool page_answers = deviates(s, POLICY_HUNG_RENEWS) ||
                        s->in->now.us - l->worker.last_pong.us <= third + PING_AGAIN_US / 2;
    if (page_answers) send_renewal(s);
    arm(s, TIMER_RENEW, page_answers ? l->contract->lease.renew_us : PING_AGAIN_US);
}

static void lead(struct step *s, const struct client_message *m)
{
    struct leader *l = s->l;
    bool anew = !l->worker.leads || !fence_equal(l->worker.fence, m->fence);
    l->worker.hidden = m->a != 0;
    if (!anew) return;
    l->worker.leads = true;
    l->worker.fence = m->fence;
    l->worker.lease_end = m->at;
    l->worker.acked = 0;
    l->worker.last_pong = l->worker.last_answer = s->in->now;
    l->worker.told_silence = false;
    l->worker.request = 0;
    l->worker.node = m->b;
    beat(s);
    arm(s, TIMER_HOLD, l->contract->max_hold_us / 10 * 9);
    /* the claim's lease is counted from the first time it was sent: renew early enough */
    int64_t left = m->at.us - s->in->now.us - l->contract->lease.ttl_us * 2 / 3;
    arm(s, TIMER_RENEW, left < l->contract->lease.renew_us ? left : l->contract->lease.renew_us);
}

static void renewal_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (!l->worker.leads) return;
    l->worker.last_answer = s->in->now;
    l->worker.answered = l->worker.request;
    l->worker.told_silence = false;
    if (a->sequence > l->worker.acked) l->worker.acked = a->sequence;
    switch (a->result) {
    case ANS_OK:
        if (!fence_equal(a->fence, l->worker.fence)) return;
        if (l->worker.lease_end.us < a->sent.us + l->contract->lease.ttl_us)
            l->worker.lease_end.us = a->sent.us + l->contract->lease.ttl_us;
        if (!local_before(s->in->now, l->worker.lease_end)) break; /* answered too late to count */
        post(s, POST_RENEWED, a->more_tasks);
        break;
    case ANS_NOT_EXTENDED:
        arm(s, TIMER_RENEW, 0); /* now that an answer was seen, it can be acknowledged */
        break;
    case ANS_REDIRECT:
        l->worker.node = a->node_hint;
        arm(s, TIMER_RENEW, 0);
        break;
    case ANS_QUOTA:
        arm(s, TIMER_RENEW, PING_AGAIN_US);
        break; /* a local ledger that cannot write */
    case ANS_UNAVAILABLE:
        l->worker.node++;
        arm(s, TIMER_RENEW, PING_AGAIN_US);
        break;
    case ANS_EPOCH_CLOSED: lost(s, WHY_EPOCH); break;
    default: lost(s, WHY_FENCED); break;
    }
}

/* How often a waiting page wonders. Nobody pushes for a local ledger: its record is
 * looked at instead, more than once a lease. */
static int64_t suspicion_us(const struct leader *l)
{
    return l->server_authority ? l->contract->heartbeat.suspect_after_us
                               : l->contract->lease.ttl_us * 3 / 5;
}

static void timer(struct step *s)
{
    struct leader *l = s->l;
    uint32_t id = s->in->id;
    if (id < WATCH_COUNT) {
        post(s, POST_TIMEOUT, l->worker.watched[id])->b = (uint8_t)id;
        return;
    }
    switch ((enum leader_timer)id) {
    case TIMER_RENEW: renewal_due(s); break;
    case TIMER_BEAT:
        if (l->worker.leads) beat(s);
        break;
    case TIMER_HOLD: post(s, POST_MAX_HOLD, 0); break;
    case TIMER_SUSPECT:
        if (!l->worker.waiting) break;
        post(s, POST_SUSPECT, 0);
        arm(s, TIMER_SUSPECT, suspicion_us(l));
        break;
    default: break;
    }
}

static void posted(struct step *s)
{
    struct leader *l = s->l;
    const struct client_message *m = s->in->message;
    switch ((enum leader_message)m->kind) {
    case POST_LEAD: lead(s, m); break;
    case POST_STOP: stop(s); break;
    case POST_WATCH:
        l->worker.watched[m->b] = m->a;
        arm(s, m->b, m->at.us);
        break;
    case POST_PONG: l->worker.last_pong = s->in->now; break;
    case POST_RENEW_NOW:
        l->worker.last_pong = s->in->now;
        if (l->worker.leads) renewal_due(s);
        break;
    case POST_WAITING:
        l->worker.waiting = m->a == 1;
        if (m->a == 1) arm(s, TIMER_SUSPECT, suspicion_us(l));
        if (m->a == 2) arm(s, TIMER_HOLD, l->contract->max_hold_us / 10 * 9);
        break;
    default: break;
    }
}

void worker_step(struct step *s)
{
    switch (s->in->kind) {
    case IN_TIMER: timer(s); break;
    case IN_POST: posted(s); break;
    case IN_ANSWER: renewal_answered(s, s->in->answer); break;
    default: break;
    }
}
