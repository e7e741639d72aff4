/* What the mutants of policy.def ("client") do instead of the protocol. Each is a
 * small wrong answer to one question that leader.c, claim.c or work.c asks; none is
 * a copy of the client. Those that lead without a claim work on the operations that they
 * know of, since the ledger gives them none. */
#include "sim/client/internal.h"

#define ELECTION_PAUSE_US (500 * US_PER_MS)
#define BEAT_STALE_US (2 * US_PER_S)
#define WHO_LEADS_WAIT_US (300 * US_PER_MS)

static void page_timer(struct step *s, int64_t us)
{
    struct client_output *o = client_emit(s, OUT_TIMER);
    o->id = TIMER_PAGE;
    o->us = us;
}

static void store_beat(struct step *s)
{
    struct client_output *o = client_emit(s, OUT_STORE);
    o->as.store.leader = s->l->tab_instance;
    o->as.store.beat = s->in->wall;
}

void deviate_lead_unclaimed(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.unclaimed || l->page.state == STATE_LEADER) return;
    l->page.unclaimed = true;
    l->page.work.step = WORK_NONE;
    page_believe(s, true, WHY_OTHER);
    deviate_work(s);
}

static void stop_unclaimed(struct step *s, enum why_ended why)
{
    if (!s->l->page.unclaimed) return;
    s->l->page.unclaimed = false;
    page_believe(s, false, why);
}

static bool elects_alone(const struct step *s)
{
    return deviates(s, POLICY_HEARTBEAT_ELECTION) || deviates(s, POLICY_LEAD_BY_BROADCAST) ||
           deviates(s, POLICY_LEAD_BY_QUERY);
}

void deviate_work(struct step *s)
{
    struct leader *l = s->l;
    if (!l->page.unclaimed || l->page.work.step != WORK_NONE || l->page.known_n == 0) return;
    uint32_t op = l->page.known[--l->page.known_n];
    l->page.work.step = WORK_EFFECT;
    l->page.work.op = op;
    l->page.work.request = page_send(s, REQ_EFFECT, op, deviate_key(s, op), WATCH_COUNT);
}

uint32_t deviate_key(struct step *s, uint32_t op)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_RESEND_NEW_KEY)) return op + (l->page.attempt << 16);
    if (deviates(s, POLICY_KEY_FROM_TAB)) return op + (l->tab_instance << 8 | 0x80000000u);
    return op;
}

bool deviate_start(struct step *s)
{
    struct leader *l = s->l;
    if (deviates(s, POLICY_CANARY)) deviate_lead_unclaimed(s);
    naive_start(s);
    if (!elects_alone(s)) return false;
    if (deviates(s, POLICY_LEAD_BY_BROADCAST)) {
        l->page.last_heard = local_plus(s->in->now, -WHO_LEADS_WAIT_US);
        page_broadcast(s, MSG_WHO_LEADS, 0);
    }
    if (deviates(s, POLICY_LEAD_BY_QUERY)) client_emit(s, OUT_QUERY);
    page_timer(s, deviates(s, POLICY_LEAD_BY_BROADCAST) ? WHO_LEADS_WAIT_US : ELECTION_PAUSE_US);
    return true;
}

bool deviate_page_timer(struct step *s)
{
    struct leader *l = s->l;
    if (naive_page_timer(s)) return true;
    if (s->in->id != TIMER_PAGE) return false;
    page_timer(s, ELECTION_PAUSE_US);
    if (deviates(s, POLICY_HEARTBEAT_ELECTION) || deviates(s, POLICY_STORAGE_MUTEX)) {
        bool mine = s->in->storage.leader == l->tab_instance;
        bool stale = s->in->wall.us - s->in->storage.beat.us > BEAT_STALE_US;
        if (!mine && !stale)
            stop_unclaimed(s, WHY_OTHER);
        else
            store_beat(s), deviate_lead_unclaimed(s);
    } else if (deviates(s, POLICY_LEAD_BY_BROADCAST)) {
        if (l->page.unclaimed)
            page_broadcast(s, MSG_HEARTBEAT, 0);
        else if (s->in->now.us - l->page.last_heard.us >= WHO_LEADS_WAIT_US * 2)
            deviate_lead_unclaimed(s);
    } else if (deviates(s, POLICY_LEAD_BY_QUERY)) {
        client_emit(s, OUT_QUERY);
    }
    return true;
}

bool deviate_query(struct step *s)
{
    if (!deviates(s, POLICY_LEAD_BY_QUERY)) return false;
    if (!s->in->holder_seen) deviate_lead_unclaimed(s);
    return true;
}

bool deviate_message(struct step *s)
{
    struct leader *l = s->l;
    const struct client_message *m = s->in->message;
    if (naive_message(s)) return true;
    if (!elects_alone(s)) return false;
    if (m->kind == MSG_HEARTBEAT) l->page.last_heard = s->in->now;
    if (m->kind == MSG_WHO_LEADS && l->page.unclaimed) page_broadcast(s, MSG_HEARTBEAT, 0);
    return m->kind != MSG_TASK;
}

bool deviate_granted(struct step *s)
{
    if (!deviates(s, POLICY_LOCK_IS_LEADERSHIP)) return false;
    deviate_lead_unclaimed(s);
    return true;
}

/* Locks are refused or missing, or the ledger cannot be reached. */
bool deviate_locks_out(struct step *s)
{
    if (deviates(s, POLICY_FAIL_OPEN)) {
        deviate_lead_unclaimed(s);
        return false;
    }
    if (!deviates(s, POLICY_STORAGE_MUTEX)) return false;
    page_timer(s, 0);
    return true;
}

bool deviate_drain(struct step *s, enum why_ended why)
{
    struct leader *l = s->l;
    naive_drains(s, why);
    if (deviates(s, POLICY_DROP_AT_DRAIN) && l->page.work.step == WORK_EFFECT &&
        page_may_write(s)) {
        (void)page_send(s, REQ_ACK, l->page.work.op, 0, WATCH_COUNT); /* "done" */
        (void)page_send(s, REQ_COMMIT, l->page.work.op, 0, WATCH_COUNT);
        page_last_request(s)->parts = 1u << PART_CURSOR | 1u << PART_DELETE;
    }
    return false;
}

/* FENCED: takes the newer fence from the answer and tries again. */
bool deviate_fenced(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (!deviates(s, POLICY_REFETCH_FENCE) || a->result != ANS_FENCED || fence_is_none(a->fence))
        return false;
    if (l->page.state != STATE_LEADER) return false;
    l->page.fence = a->fence;
    l->page.lease_end = local_plus(s->in->now, l->contract->lease.ttl_us);
    work_next(s);
    return true;
}

bool deviate_lost(struct step *s)
{
    if (deviates(s, POLICY_LOSS_UNNOTICED)) return true;
    if (!deviates(s, POLICY_VICTIM_STEALS_BACK)) return false;
    struct leader *l = s->l;
    if (l->page.state != STATE_LEADER) return false;
    page_drain(s, WHY_STOLEN);
    page_enter(s, STATE_REQUESTING);
    l->page.lock.id = ++l->page.last_id;
    l->page.lock.waiting = true;
    l->page.lock.permit = 0;
    struct client_output *o = client_emit(s, OUT_LOCK);
    o->id = l->page.lock.id;
    o->flags = LOCK_IS_STEAL;
    return true;
}
