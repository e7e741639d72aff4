/* leader-worker@3: the page's thread. The picture is in leader.h.
 *
 * Every input of the page's thread comes through leader_step(); the switch at the
 * end of this file is the whole protocol at a glance. State changes happen in
 * page_enter() only. */
#include "sim/client/internal.h"

/* maxHold bounds the hold, so draining begins early enough to end within it. */
#define HOLD_NUM 9
#define HOLD_DEN 10

static const bool may_enter[STATE_COUNT][STATE_COUNT] = {
    [STATE_FOLLOWER] = { [STATE_REQUESTING] = true },
    [STATE_REQUESTING] = { [STATE_LEADER] = true, [STATE_ABORTED] = true, [STATE_DRAINING] = true },
    [STATE_LEADER] = { [STATE_DRAINING] = true },
    [STATE_DRAINING] = { [STATE_RELEASED] = true },
    [STATE_RELEASED] = { [STATE_FOLLOWER] = true },
    [STATE_ABORTED] = { [STATE_FOLLOWER] = true },
};

static void report_state(struct step *s, enum client_state next)
{
    struct client_output *o = client_emit(s, OUT_STATE);
    o->as.state.from = (uint8_t)s->l->page.state;
    o->as.state.to = (uint8_t)next;
    s->l->page.state = next;
}

void page_enter(struct step *s, enum client_state next)
{
    must(may_enter[s->l->page.state][next]);
    report_state(s, next);
}

void page_post(struct step *s, enum leader_message kind, uint32_t a, int64_t us)
{
    struct client_output *o = client_emit(s, OUT_POST);
    o->as.message = (struct client_message){ .kind = (uint8_t)kind,
                                             .fence = s->l->page.fence,
                                             .a = a,
                                             .at = { us },
                                             .tab_instance = s->l->tab_instance };
}

void page_watch(struct step *s, enum watch w, uint32_t request, int64_t us)
{
    page_post(s, POST_WATCH, request, us);
    s->out->at[s->out->n - 1].as.message.b = (uint8_t)w;
}

void page_broadcast(struct step *s, enum leader_message kind, uint32_t a)
{
    struct client_output *o = client_emit(s, OUT_BROADCAST);
    o->as.message = (struct client_message){ .kind = (uint8_t)kind,
                                             .fence = s->l->page.fence,
                                             .a = a,
                                             .at = s->in->now,
                                             .tab_instance = s->l->tab_instance };
}

static uint32_t next_id(struct leader *l)
{
    return ++l->page.last_id;
}

uint32_t page_send(struct step *s, enum request_kind kind, uint32_t op, uint32_t key, enum watch w)
{
    struct leader *l = s->l;
    struct client_output *o = client_emit(s, OUT_SEND);
    o->id = next_id(l);
    o->flags = l->page.node;
    o->as.request = (struct request){
        .id = o->id,
        .kind = kind,
        .device = l->device,
        .partition = l->partition,
        .partition_key = l->partition_key,
        .tab_instance = l->tab_instance,
        .protocol = l->protocol,
        .fence = l->page.fence,
        .op = op,
        .key = key,
        .sent = s->in->now,
    };
    uint32_t id = o->id;
    bool watched = w < WATCH_COUNT && !(w == WATCH_WORK && deviates(s, POLICY_NO_TIMEOUTS));
    if (watched) page_watch(s, w, id, l->contract->request_timeout_us);
    return id;
}

struct request *page_last_request(struct step *s)
{
    uint32_t i = s->out->n;
    do {
        must(i > 0);
        i--;
    } while (s->out->at[i].kind != OUT_SEND);
    return &s->out->at[i].as.request;
}

void page_request_lock(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_FOLLOWER || l->page.too_old || l->page.closed || l->page.gone)
        return;
    if (l->page.away || naive_keeps_away(s)) return;
    page_enter(s, STATE_REQUESTING);
    if (!l->page.has_locks) { /* single-page mode: the ledger alone enforces it (protocol.md 10) */
        claim_begin(s);
        return;
    }
    struct client_output *o = client_emit(s, OUT_LOCK);
    o->id = l->page.lock.id = next_id(l);
    o->flags = naive_lock_flags(s);
    l->page.lock.waiting = true;
    l->page.lock.granted = false;
    l->page.lock.permit = 0;
    page_post(s, POST_WAITING, 1, 0);
    if (l->page.visible && local_before(l->page.told_waiting, s->in->now)) {
        l->page.told_waiting = local_plus(s->in->now, l->contract->heartbeat.interval_us);
        page_broadcast(s, MSG_VISIBLE_WAITS, 0);
    }
}

void page_believe(struct step *s, bool on, enum why_ended why)
{
    struct leader *l = s->l;
    if (l->page.believes == on) return;
    l->page.believes = on;
    struct client_output *o = client_emit(s, OUT_BELIEF);
    o->as.belief.on = on;
    o->as.belief.fence = l->page.fence;
    o->as.belief.why = (uint8_t)why;
}

bool page_may_write(const struct step *s)
{
    const struct leader *l = s->l;
    if (!account_is_ours(s)) return false;
    if (deviates(s, POLICY_RELEASE_BEFORE_BOUND) && !fence_is_none(l->page.fence)) return true;
    if (l->page.state != STATE_LEADER && l->page.state != STATE_DRAINING) return false;
    if (deviates(s, POLICY_TRUST_FREEZE_HANDLER) || deviates(s, POLICY_CACHED_LEADER)) return true;
    if (l->page.revalidating) return false;
    if (deviates(s, POLICY_WALL_CLOCK_LEASE))
        return local_before(s->in->wall, l->page.wall_lease_end);
    return local_before(s->in->now, l->page.lease_end);
}

static void post_lead(struct step *s)
{
    page_post(s, POST_LEAD, s->l->page.visible ? 0 : 1, s->l->page.lease_end.us);
    s->out->at[s->out->n - 1].as.message.b = (uint8_t)s->l->page.node;
}

void page_became_leader(struct step *s, struct fence fence)
{
    struct leader *l = s->l;
    l->page.fence = fence;
    l->page.revalidating = false;
    page_enter(s, STATE_LEADER);
    page_believe(s, true, WHY_OTHER);
    post_lead(s);
}

/* RELEASED, and back to FOLLOWER, unless a deviation knows better. */
static void settle_and_follow(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.lock.granted && !deviates(s, POLICY_SIGNAL_ENDS_LOCK) &&
        !(deviates(s, POLICY_NEVER_SETTLES) && !l->page.visible) && !naive_keeps_lock(s))
        client_emit(s, OUT_LOCK_SETTLE)->id = l->page.lock.id;
    if (l->page.lock.granted && deviates(s, POLICY_SIGNAL_ENDS_LOCK))
        client_emit(s, OUT_LOCK_ABORT)->id = l->page.lock.id;
    l->page.lock.granted = l->page.lock.waiting = false;
    page_enter(s, STATE_RELEASED);
    if (deviates(s, POLICY_ILLEGAL_STATE))
        report_state(s, STATE_LEADER), report_state(s, STATE_DRAINING),
            report_state(s, STATE_RELEASED);
    page_enter(s, STATE_FOLLOWER);
}

/* Hands over what is in flight (the ledger binds it to the next generation), releases
 * fence and lock. Nothing is issued under the fence after its release. */
void page_let_go(struct step *s)
{
    struct leader *l = s->l;
    follow_end(s);
    if (!fence_is_none(l->page.fence) && l->page.draining_why != WHY_FENCED &&
        l->page.draining_why != WHY_EPOCH)
        (void)page_send(s, REQ_RELEASE, 0, 0, WATCH_COUNT);
    if (!deviates(s, POLICY_RELEASE_BEFORE_BOUND)) {
        l->page.work.step = WORK_NONE;
        l->page.fence = (struct fence){ 0 };
    }
    page_post(s, POST_STOP, 0, 0);
    settle_and_follow(s);
}

void page_drain(struct step *s, enum why_ended why)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_LEADER && l->page.state != STATE_REQUESTING) return;
    l->page.draining_why = why;
    page_enter(s, STATE_DRAINING);
    page_believe(s, false, why);
    l->page.claim.request = 0;
    l->page.unclaimed = false;
    if (deviate_drain(s, why)) return;
    bool in_no_hurry = why == WHY_HIDDEN || why == WHY_MAX_HOLD;
    bool in_flight = l->page.work.step != WORK_NONE;
    if (in_no_hurry && in_flight && page_may_write(s)) {
        page_watch(s, WATCH_DRAIN, 0, l->contract->request_timeout_us);
        return; /* work_answered() or the watch lets go */
    }
    page_let_go(s);
}

static void started(struct step *s)
{
    struct leader *l = s->l;
    client_emit(s, OUT_SUBSCRIBE);
    account_look(s);
    if (deviate_start(s)) return;
    if (l->page.has_locks || l->single_page)
        page_request_lock(s);
    else
        (void)deviate_locks_out(s);
}

static void lock_granted(struct step *s)
{
    struct leader *l = s->l;
    if (naive_drops_grant(s)) return;
    if (s->in->id != l->page.lock.id || l->page.state != STATE_REQUESTING) {
        client_emit(s, OUT_LOCK_SETTLE)->id =
            s->in->id; /* asked for in an earlier life of the page */
        return;
    }
    l->page.lock.waiting = false;
    l->page.lock.granted = true;
    page_post(s, POST_WAITING, 0, 0);
    naive_follow_granted(s);
    if (deviate_granted(s)) return;
    if (l->contract->stage == STAGE_OBSERVE && !deviates(s, POLICY_OBSERVE_WRITES)) {
        client_emit(s, OUT_WOULD_LEAD);
        page_post(s, POST_WAITING, 2, 0); /* maxHold runs for it too */
        return;
    }
    bool stolen = l->page.lock.permit != 0; /* an incident is no time for manners */
    if (!l->page.visible && !stolen && local_before(s->in->now, l->page.visible_waits_until)) {
        l->page.visible_waits_until = s->in->now; /* once: then whoever waits is in front of us */
        page_drain(s, WHY_HIDDEN);
        page_request_lock(s);
        return;
    }
    claim_begin(s);
}

static void locks_out(struct step *s)
{
    struct leader *l = s->l;
    if (s->in->id != l->page.lock.id || !l->page.lock.waiting) return;
    l->page.lock.waiting = false;
    page_enter(s, STATE_ABORTED);
    page_enter(s, STATE_FOLLOWER);
    if (deviate_locks_out(s)) return;
    /* no home-made mutex: a read-only subscriber that asks again now and then (protocol.md 10) */
    page_watch(s, WATCH_RETRY, 0, l->contract->heartbeat.interval_us);
}

static void lock_lost(struct step *s)
{
    struct leader *l = s->l;
    if (s->in->id != l->page.lock.id || !(l->page.lock.waiting || l->page.lock.granted)) return;
    l->page.lock.granted = false;
    if (l->page.lock.waiting) { /* the cache dropped the request (WL-70) */
        l->page.lock.waiting = false;
        page_enter(s, STATE_ABORTED);
        page_enter(s, STATE_FOLLOWER);
        page_request_lock(s);
        return;
    }
    if (deviate_lost(s)) return;
    if (l->page.state == STATE_DRAINING)
        page_let_go(s);
    else
        page_drain(s, WHY_STOLEN);
    page_request_lock(s); /* behind the thief; a victim never steals back */
}

static void visibility(struct step *s, bool visible)
{
    struct leader *l = s->l;
    l->page.visible = visible;
    if (visible && l->page.state == STATE_REQUESTING && l->page.lock.waiting)
        page_broadcast(s, MSG_VISIBLE_WAITS, 0);
    if (l->page.state == STATE_LEADER) {
        post_lead(s);
        if (!visible) page_broadcast(s, MSG_HEARTBEAT, 1); /* a visible waiter answers */
    }
}

/* Freeze or pagehide: no time to wait for anything. Load shedding only. */
void page_stop(struct step *s, enum why_ended why)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_CACHED_LEADER) && why == WHY_PAGEHIDE) return;
    if (l->page.state == STATE_LEADER)
        page_drain(s, why);
    else if (l->page.state == STATE_DRAINING)
        page_let_go(s);
    else if (l->page.state == STATE_REQUESTING && l->page.lock.granted)
        page_drain(s, why);
    else if (l->page.state == STATE_REQUESTING && l->page.has_locks) {
        client_emit(s, OUT_LOCK_ABORT)->id = l->page.lock.id;
        l->page.lock.waiting = false;
        page_enter(s, STATE_ABORTED);
        page_enter(s, STATE_FOLLOWER);
    }
}

/* resume or pageshow(persisted): trusts nothing that it remembers (protocol.md 6). */
static void woke(struct step *s)
{
    struct leader *l = s->l;
    l->page.gone = false;
    client_emit(s, OUT_SUBSCRIBE);
    account_look(s);
    naive_refresh_woke(s);
    if (l->page.state == STATE_FOLLOWER && (l->page.has_locks || l->single_page))
        page_request_lock(s);
    if (l->page.state == STATE_REQUESTING && l->page.claim.request) claim_timed_out(s);
    if (l->page.state != STATE_LEADER) return;
    if (deviates(s, POLICY_TRUST_FREEZE_HANDLER) || deviates(s, POLICY_CACHED_LEADER)) {
        work_next(s);
        return;
    }
    page_believe(s, false, WHY_RESUMED);
    l->page.revalidating = true;
    page_post(s, POST_RENEW_NOW, 0, 0);
    if (!local_before(s->in->now, l->page.lease_end)) {
        page_drain(s, WHY_LEASE);
        page_request_lock(s);
    }
}

static void heard(struct step *s)
{
    struct leader *l = s->l;
    const struct client_message *m = s->in->message;
    if (deviate_message(s)) return;
    switch ((enum leader_message)m->kind) {
    case MSG_HEARTBEAT:
        l->page.last_heard = s->in->now;
        if (l->page.state == STATE_FOLLOWER && l->page.has_locks)
            page_request_lock(s); /* our device leads: queue up */
        if (m->a && l->page.visible && l->page.lock.waiting)
            page_broadcast(s, MSG_VISIBLE_WAITS, 0);
        break;
    case MSG_VISIBLE_WAITS:
        l->page.visible_waits_until = local_plus(s->in->now, l->contract->max_hold_us);
        if (l->page.state == STATE_LEADER && !l->page.visible) {
            page_drain(s, WHY_HIDDEN);
            page_request_lock(s);
        }
        break;
    case MSG_REMOTE_LEADS:
        if (l->page.state == STATE_REQUESTING && l->page.lock.waiting) {
            client_emit(s, OUT_LOCK_ABORT)->id = l->page.lock.id;
            l->page.lock.waiting = false;
            page_post(s, POST_WAITING, 0, 0);
            page_enter(s, STATE_ABORTED);
            page_enter(s, STATE_FOLLOWER);
        }
        break;
    case MSG_SILENT:
        l->page.silent_until = local_plus(s->in->now, l->contract->lease.ttl_us * 3);
        break;
    case MSG_TASK: task_heard(s); break;
    default: break;
    }
}

static void renewed(struct step *s, const struct client_message *m)
{
    struct leader *l = s->l;
    if (!fence_equal(m->fence, l->page.fence)) return;
    if (local_before(l->page.lease_end, m->at)) l->page.lease_end = m->at;
    l->page.wall_lease_end = local_plus(s->in->wall, l->contract->lease.ttl_us);
    if (!naive_waits_for_news(s)) l->page.tasks = m->a;
    if (l->page.state == STATE_LEADER && l->page.revalidating) {
        l->page.revalidating = false;
        page_believe(s, true, WHY_OTHER);
    }
    work_next(s);
}

static void timed_out(struct step *s, enum watch w, uint32_t request)
{
    struct leader *l = s->l;
    switch (w) {
    case WATCH_CLAIM:
        if (request == l->page.claim.request) claim_timed_out(s);
        break;
    case WATCH_WORK:
        if (l->contract->work == WORKSTREAM_SESSION)
            refresh_timed_out(s, request);
        else if (l->contract->work == WORKSTREAM_FEED)
            follow_timed_out(s, request);
        else if (request == l->page.work.request)
            work_unknown(s);
        break;
    case WATCH_PERMIT:
        if (request != l->page.permit.request) break;
        l->page.permit.request = 0;
        l->page.node++;
        break;
    case WATCH_SUBMIT:
        if (request != l->page.submit.request) break;
        l->page.node++;
        submit_next(s);
        break;
    case WATCH_RETRY: page_request_lock(s); break;
    case WATCH_DRAIN:
        if (l->page.state == STATE_DRAINING) {
            page_let_go(s);
            page_request_lock(s);
        }
        break;
    case WATCH_COUNT: break;
    }
}

/* Silence means something only to a page that was listening: one that slept (its own
 * timer comes late) starts to listen anew. */
static bool suspicious(struct step *s)
{
    struct leader *l = s->l;
    if (!l->server_authority) return true;
    int64_t after = l->contract->heartbeat.suspect_after_us;
    if (s->in->now.us - l->page.last_wondered.us > after * 3 / 2) l->page.last_heard = s->in->now;
    l->page.last_wondered = s->in->now;
    return s->in->now.us - l->page.last_heard.us >= after;
}

/* The worker has heard that the fence is worth nothing any more: nothing is finished under it. */
static void lost(struct step *s, enum why_ended why)
{
    struct leader *l = s->l;
    if (l->page.state == STATE_DRAINING) {
        l->page.draining_why = why;
        page_let_go(s);
    } else if (l->page.state == STATE_LEADER) {
        page_drain(s, why);
    } else {
        return;
    }
    if (why != WHY_EPOCH) page_request_lock(s);
}

static void posted(struct step *s)
{
    struct leader *l = s->l;
    const struct client_message *m = s->in->message;
    switch ((enum leader_message)m->kind) {
    case POST_PING: page_post(s, POST_PONG, 0, 0); break;
    case POST_RENEWED: renewed(s, m); break;
    case POST_LOST:
        if (fence_equal(m->fence, l->page.fence) && !deviates(s, POLICY_TRUST_FREEZE_HANDLER) &&
            !deviates(s, POLICY_CACHED_LEADER) && !deviates(s, POLICY_WALL_CLOCK_LEASE))
            lost(s, (enum why_ended)m->a);
        break;
    case POST_TIMEOUT: timed_out(s, (enum watch)m->b, m->a); break;
    case POST_MAX_HOLD:
        if (deviates(s, POLICY_HOLD_IGNORED)) break;
        if (l->page.state == STATE_LEADER ||
            (l->page.state == STATE_REQUESTING && l->page.lock.granted)) {
            page_drain(s, WHY_MAX_HOLD);
            page_request_lock(s);
        }
        break;
    case POST_SUSPECT:
        if (l->page.state == STATE_REQUESTING && l->page.lock.waiting && naive_suspects(s)) break;
        if (l->page.state == STATE_REQUESTING && l->page.lock.waiting && suspicious(s)) {
            if (deviates(s, POLICY_STEAL_UNPERMITTED) || deviates(s, POLICY_PAGE_BEATS) ||
                l->contract->steal == STEAL_ALLOWED)
                page_steal(s, 0);
            else
                permit_ask(s);
        }
        break;
    default: break;
    }
}

static void answered(struct step *s)
{
    struct leader *l = s->l;
    const struct answer *a = s->in->answer;
    if (a->result == ANS_REDIRECT && a->node_hint != NODE_NONE)
        l->page.node = a->node_hint;
    else if (a->result == ANS_UNAVAILABLE)
        l->page.node++;
    switch (a->kind) {
    case REQ_CLAIM: claim_answered(s, a); break;
    case REQ_PERMIT: permit_answered(s, a); break;
    case REQ_SUBMIT: submit_answered(s, a); break;
    case REQ_STATUS: probe_answered(s, a); break;
    case REQ_REFRESH: refresh_answered(s, a); break;
    case REQ_FOLLOW: follow_answered(s, a); break;
    case REQ_UNFOLLOW:
    case REQ_RELEASE:
    case REQ_SIGN_OUT: break;
    default:
        if (a->request == l->page.work.request) work_answered(s, a);
        break;
    }
}

static void failed(struct step *s)
{
    struct leader *l = s->l;
    if (s->in->id == l->page.work.request && l->page.work.step != WORK_NONE) work_unknown(s);
    /* a claim, a permit, a submission: their watch tries again */
}

static void page_step(struct step *s)
{
    struct leader *l = s->l;
    switch (s->in->kind) {
    case IN_START: started(s); break;
    case IN_LOCK_GRANTED: lock_granted(s); break;
    case IN_LOCK_UNAVAILABLE: naive_unavailable(s); break;
    case IN_LOCK_REFUSED: locks_out(s); break;
    case IN_LOCK_LOST: lock_lost(s); break;
    case IN_LOCK_ABORTED: break;
    case IN_QUERY: (void)deviate_query(s); break;
    case IN_ANSWER: answered(s); break;
    case IN_FAILED: failed(s); break;
    case IN_TIMER: (void)deviate_page_timer(s); break;
    case IN_PUSH: page_pushed(s, s->in->push); break;
    case IN_MESSAGE: heard(s); break;
    case IN_POST: posted(s); break;
    case IN_VISIBLE: visibility(s, true); break;
    case IN_HIDDEN: visibility(s, false); break;
    case IN_FREEZE: page_stop(s, WHY_FREEZE); break;
    case IN_RESUME: woke(s); break;
    case IN_PAGEHIDE:
        l->page.gone = true;
        naive_pagehide(s);
        page_stop(s, WHY_PAGEHIDE);
        break;
    case IN_PAGESHOW:
        if (s->in->persisted) woke(s);
        break;
    case IN_SUBMIT: submit_asked(s); break;
    case IN_ACCOUNT: account_changed(s); break;
    case IN_SIGN_OUT: sign_out(s); break;
    }
}

static void start(struct leader *l, const struct client_input *in)
{
    *l = (struct leader){
        .contract = in->start->contract,
        .policy = in->start->policy,
        .tab_instance = in->start->tab_instance,
        .session_instance = in->start->session_instance,
        .session_sequence = in->start->session_sequence,
        .protocol = in->start->protocol,
        .device = in->start->device,
        .partition = in->start->partition,
        .partition_key = in->start->partition_key,
        .jitter = in->start->jitter,
        .server_authority = in->start->server_authority,
        .single_page = in->start->single_page,
    };
    l->page.has_locks = in->start->has_locks;
    l->page.visible = in->start->visible;
    l->page.visible_waits_until = l->page.silent_until = l->page.told_waiting =
        local_plus(in->now, -1);
    l->worker.last_id = 0x80000000u; /* the worker numbers its own requests */
    l->page.last_heard = l->page.last_wondered = in->now;
    l->worker.hidden = !in->start->visible;
    l->page.started = in->now;
    if (policy_has(l->policy, POLICY_ID_FROM_CLOCK))
        l->tab_instance = (uint32_t)(in->now.us / US_PER_MS) & 0xFFFF;
    if (policy_has(l->policy, POLICY_STORED_IDENTITY)) l->tab_instance = l->session_instance;
}

void leader_step(struct leader *l, const struct client_input *in, struct client_requests *out)
{
    struct step s = { l, in, out };
    out->n = 0;
    if (in->kind == IN_START) start(l, in);
    if (in->thread == THREAD_WORKER)
        worker_step(&s);
    else
        page_step(&s);
}
