/* Time in the ledger: leases that run out, vacancy, permits, repeated pushes, and the
 * server's worker that drains the queue when nobody leads.
 *
 *   a page leads ---- release ----> vacant ---- vacant_after ----> incident (permits, pushes)
 *        |                            |
 *        +---- lease over (final) ----|--------------------------> incident at once
 *                                     +---- server_after, tasks --> the server drains
 *
 * The server's lease does not run out; it renews as it works, and yields to the first claim. For
 * pages its reign is a vacancy: it ends no incident. A vacancy counts for pages from when
 * somebody has been waiting in it; the server counts from its beginning.
 *
 * One timer, TIMER_WATCH, is armed for the next moment at which something could be due, and only
 * while there is such a moment: an idle ledger does not tick. */
#include "sim/server/ledger_internal.h"

#include "sim/base/must.h"

/* ---- permits --------------------------------------------------------------------- */

/* From when on a vacancy is an incident. */
static struct local incident_from(const struct ledger_node *n)
{
    const struct ledger_record *rec = &n->record;
    if (rec->expired) return rec->vacant_since;
    struct local since = local_later(rec->vacant_since, n->watched_since);
    return local_after(since, n->contract->vacant_after_us);
}

static int64_t until(struct local then, struct local now)
{
    return then.us > now.us ? then.us - now.us : 0;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool permit_outstanding(const struct ledger_record *rec, struct local now)
{
    return rec->permit.id != 0 && !rec->permit.used && now.us < rec->permit.until.us;
}

/* A page that leads nothing holds up the lock of a partition while another partition leads
 * (it is frozen, say). Nobody loses leadership by a steal there; who waits may have it, so
 * that the lock is free when leadership comes. It does not stand in an incident's way. */
static bool steals_idle_lock(const struct ledger_node *n, const struct request *r)
{
    return ledger_led_elsewhere(n, r) && n->contract->steal != STEAL_NEVER;
}

/* How long to wait before asking again is useful; 0: a permit may be given. */
static int64_t permit_wait_us(const struct ledger_node *n, struct local now)
{
    const struct ledger_record *rec = &n->record;
    int64_t wait = n->grace ? until(n->grace_until, now) : 0;
    if (n->contract->steal == STEAL_NEVER) wait = longer(wait, n->contract->lease.ttl_us);
    if (permit_outstanding(rec, now) && !rec->permit.elsewhere)
        wait = longer(wait, until(rec->permit.until, now));
    if (ledger_page_led(rec)) return longer(wait, until(rec->lease_end, now));
    return longer(wait, until(incident_from(n), now));
}

void lease_check_permit(struct ledger_node *n, struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    s->result = ANS_OK;
    if (rec->closed) {
        s->result = ANS_EPOCH_CLOSED;
    } else if (permit_outstanding(rec, s->now) && rec->permit.page == s->request.page) {
        s->repeated = true; /* its answer was lost */
    } else if (steals_idle_lock(n, &s->request)) {
        s->wait_us = until(rec->idle_permit_after, s->now);
        s->acts = s->wait_us == 0;
        if (!s->acts) s->result = ANS_REFUSED;
    } else {
        s->wait_us = permit_wait_us(n, s->now);
        s->acts = s->wait_us == 0;
        if (!s->acts) s->result = ANS_REFUSED;
    }
}

/* ---- the ledger's own steps ------------------------------------------------------- */

/* Some of them may have waited behind a decision that made them pointless. */
void lease_check_own(struct ledger_node *n, struct ledger_step *s)
{
    struct ledger_record *rec = &n->record;
    const struct task *t = task_of(rec, s->op);
    bool still = true;
    s->acts = true;
    if (s->kind == STEP_REOPEN) still = rec->closed;
    if (s->kind == STEP_SERVER_TAKE) s->acts = t->state == TASK_QUEUED; /* or left to the server */
    if (s->kind == STEP_SERVER_DONE)
        still = rec->server_holds && fence_equal(t->owner, rec->fence) &&
                (t->state == TASK_TAKEN || t->state == TASK_ACKED);
    s->result = still ? ANS_OK : ANS_REFUSED;
    if (!still) s->acts = false;
}

static void apply_expire(struct ledger_record *rec, const struct ledger_step *s)
{
    must(ledger_page_led(rec));
    rec->held = false;
    rec->expired = true;
    rec->vacant_since = s->now;
}

static void apply_server_take(struct ledger_record *rec, const struct ledger_step *s)
{
    struct task *t = task_of(rec, s->op);
    task_enter(rec, t, TASK_TAKEN);
    t->owner = rec->fence;
    t->server_owned = true;
}

/* The effect is known to have happened: acknowledge and delete in one write. */
static void apply_server_done(struct ledger_record *rec, struct ledger_step *s)
{
    struct task *t = task_of(rec, s->op);
    s->reconciles = t->unreconciled;
    s->repeated = t->state == TASK_ACKED;
    if (!s->repeated) task_enter(rec, t, TASK_ACKED);
    task_enter(rec, t, TASK_DONE);
    rec->cursor = s->op;
}

void lease_step_apply(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    switch (s->kind) {
    case STEP_EXPIRE: apply_expire(rec, s); break;
    case STEP_SERVER_CLAIM: claim_take(n, rec, s); break;
    case STEP_SERVER_TAKE: apply_server_take(rec, s); break;
    case STEP_SERVER_DONE: apply_server_done(rec, s); break;
    case STEP_EPOCH:
        if (rec->held && !rec->server_holds) rec->vacant_since = s->now;
        rec->fence.epoch++;
        rec->closed = true;
        claim_take(n, rec, s);
        break;
    case STEP_REOPEN:
        rec->closed = false;
        rec->vacant_since = s->now;
        break;
    default: must(s->kind == STEP_ADOPT); break;
    }
}

/* ---- the server's worker ----------------------------------------------------------- */

static bool server_may_drain(const struct ledger_node *n)
{
    if (n->authority == AUTHORITY_INDEXEDDB) return false;
    return n->record.closed || n->contract->fallback == FALLBACK_SERVER_COORDINATED;
}

static bool server_waits(const struct ledger_node *n)
{
    const struct ledger_record *rec = &n->record;
    return !rec->held && rec->open > 0 && server_may_drain(n);
}

/* What an earlier owner left comes first; 0: nothing. */
static uint32_t server_next(const struct ledger_record *rec)
{
    uint32_t queued = 0;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        const struct task *t = &rec->task[i];
        bool left = t->state == TASK_TAKEN || t->state == TASK_ACKED;
        if (left && fence_equal(t->owner, rec->fence)) return i + 1;
        if (queued == 0 && t->state == TASK_QUEUED) queued = i + 1;
    }
    return queued;
}

static bool server_step(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    const struct ledger_record *rec = &n->record;
    if (n->drain_op && !(rec->server_holds && fence_equal(n->drain_fence, rec->fence)))
        n->drain_op = 0; /* a claim came: the operation has its new owner already */
    if (!rec->server_holds || rec->open == 0 || n->drain_op || !server_may_drain(n)) return false;
    uint32_t op = server_next(rec);
    if (op == 0) return false;
    bool acked = rec->task[op - 1].state == TASK_ACKED;
    ledger_run_alone(w, acked ? STEP_SERVER_DONE : STEP_SERVER_TAKE, op);
    return true;
}

void lease_drain(struct ledger_work *w, uint32_t op)
{
    struct ledger_node *n = w->n;
    must(w->out->n < LEDGER_OUT_MAX);
    n->drain_op = op;
    n->drain_fence = n->record.fence;
    n->drain_due = local_after(w->now, LEDGER_DRAIN_US);
    uint32_t i = w->out->n++;
    w->out->at[i].kind = LEDGER_DRAIN;
    w->out->at[i].cause = w->said;
    w->out->at[i].as.drain.fence = n->record.fence;
    w->out->at[i].as.drain.op = op;
}

/* ---- what is due ------------------------------------------------------------------- */

bool lease_own_step(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    const struct ledger_record *rec = &n->record;
    struct local server_from = local_after(rec->vacant_since, n->contract->server_after_us);
    if (ledger_lease_over(rec, w->now)) {
        ledger_run_alone(w, STEP_EXPIRE, 0);
        return true;
    }
    if (server_waits(n) && w->now.us >= server_from.us) {
        ledger_run_alone(w, STEP_SERVER_CLAIM, 0);
        return true;
    }
    return server_step(w);
}

static bool pushes_repeat(const struct ledger_node *n)
{
    const struct ledger_record *rec = &n->record;
    return n->subscribers > 0 && !ledger_page_led(rec) && !rec->closed &&
           n->authority == AUTHORITY_SERVER;
}

/* The next repetition; the first comes when the vacancy becomes an incident. */
static struct local push_due(const struct ledger_node *n)
{
    return local_later(incident_from(n), local_after(n->pushed, LEDGER_REPEAT_US));
}

static void push_if_due(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    if (!pushes_repeat(n) || w->now.us < push_due(n).us) return;
    w->said = OBS_NONE;
    ledger_push(w, n->record.expired ? PUSH_EXPIRED : PUSH_VACANT);
    n->pushed = w->now;
}

void lease_watch(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    const struct ledger_record *rec = &n->record;
    if (n->grace && w->now.us >= n->grace_until.us) n->grace = false;
    if (ledger_page_led(rec)) {
        ledger_arm(w, TIMER_WATCH, rec->lease_end);
        return;
    }
    if (n->drain_op && w->now.us >= n->drain_due.us) {
        w->said = OBS_NONE;
        lease_drain(w, n->drain_op);
    }
    push_if_due(w);
    if (n->drain_op) ledger_arm(w, TIMER_WATCH, n->drain_due);
    if (pushes_repeat(n)) ledger_arm(w, TIMER_WATCH, push_due(n));
    if (server_waits(n))
        ledger_arm(w, TIMER_WATCH, local_after(rec->vacant_since, n->contract->server_after_us));
}
