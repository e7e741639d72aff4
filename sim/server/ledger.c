/* The node of a ledger: what comes in, in which order it is worked off, and its timers.
 * See ledger.h for the operations and ledger_internal.h for the way of a step.
 *
 * A call runs its own step, then everything that became due with it: a lease that is over, the
 * server's worker, requests that waited for a decision. A lease that is over by the clock is
 * made an expiry before anything else looks at the record.
 *
 * Timers are lazy: an armed one is left alone when it fires early enough, and whoever it wakes
 * looks at the record and arms the next. A renewal therefore arms nothing. */
#include "sim/server/ledger_internal.h"

#include <string.h>

#include "sim/base/must.h"

bool ledger_has(const struct ledger_node *n, enum policy_kind k)
{
    if (policy_has(n->policy, k)) return true;
    if (!policy_has(n->policy, POLICY_CANARY)) return false;
    return k == POLICY_READ_THEN_WRITE || k == POLICY_IGNORE_FENCE ||
           k == POLICY_UNOWNED_AT_TAKEOVER || k == POLICY_OLD_PROTOCOL ||
           k == POLICY_EPOCH_NOT_ENFORCED || k == POLICY_FORGETS_GENERATION ||
           k == POLICY_LOSES_OPERATION || k == POLICY_LEASE_REVIVED;
}

/* ---- timers ---------------------------------------------------------------------- */

static void arm_out(struct ledger_work *w, enum ledger_timer_kind timer, uint32_t arm,
                    int64_t in_us)
{
    must(w->out != NULL);
    must(w->out->n < LEDGER_OUT_MAX);
    uint32_t i = w->out->n++;
    w->out->at[i].kind = LEDGER_ARM;
    w->out->at[i].cause = w->cause;
    w->out->at[i].as.arm.timer = timer;
    w->out->at[i].as.arm.arm = arm;
    w->out->at[i].as.arm.in_us = in_us > 0 ? in_us : 1;
}

void ledger_arm(struct ledger_work *w, enum ledger_timer_kind timer, struct local due)
{
    struct ledger_node *n = w->n;
    if (n->timer[timer].armed && n->timer[timer].due.us <= due.us) return;
    n->timer[timer].armed = true;
    n->timer[timer].due = due;
    n->timer[timer].arm = ++n->arms;
    arm_out(w, timer, n->arms, due.us - w->now.us);
}

/* ---- steps ----------------------------------------------------------------------- */

/* Mutant handlers that let time pass between two of their steps. */
static bool postpones(const struct ledger_node *n, const struct ledger_step *s)
{
    if (s->kind != STEP_REQUEST || s->trusted || s->has_read) return false;
    switch (s->request.kind) {
    case REQ_CLAIM: return ledger_has(n, POLICY_READ_THEN_WRITE);
    case REQ_TAKE:
    case REQ_COMMIT:
    case REQ_ACK:
    case REQ_RECONCILE: return ledger_has(n, POLICY_CHECK_WAIT_ACT);
    default: return false;
    }
}

static bool postpone(struct ledger_work *w, const struct ledger_step *s)
{
    struct ledger_node *n = w->n;
    if (!postpones(n, s) || n->late_n == LEDGER_LATE_MAX) return false;
    uint32_t arm = ++n->arms;
    n->late[n->late_n].arm = arm;
    n->late[n->late_n].step = *s;
    n->late_n++;
    arm_out(w, TIMER_LATE, arm, LEDGER_LATE_US);
    return true;
}

void ledger_run(struct ledger_work *w, struct ledger_step *s)
{
    struct ledger_node *n = w->n;
    s->now = w->now;
    step_check(n, s);
    if (s->acts && postpone(w, s)) return;
    if (s->acts && n->layout == LAYOUT_QUORUM && !quorum_answers_early(n, s)) {
        quorum_propose(w, s);
        return;
    }
    if (s->acts) step_apply(n, &n->record, s);
    if (s->acts && ledger_has(n, POLICY_ASYNC_REPLICA) && n->layout == LAYOUT_QUORUM)
        n->stored = n->record; /* here; the others hear of it later */
    ledger_finish(w, s);
}

void ledger_run_alone(struct ledger_work *w, enum ledger_step_kind kind, uint32_t op)
{
    struct ledger_step s = { .kind = kind, .op = op, .cause = w->cause };
    ledger_run(w, &s);
}

/* Now, or after the decision under way; false: too many wait. */
static bool run_or_wait(struct ledger_work *w, struct ledger_step *s)
{
    struct ledger_node *n = w->n;
    if (n->busy && n->waiting_n == LEDGER_WAITING_MAX) return false;
    if (n->busy)
        n->waiting[n->waiting_n++] = *s;
    else
        ledger_run(w, s);
    return true;
}

static void run_waiting(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    struct ledger_step s = n->waiting[0];
    n->waiting_n--;
    memmove(&n->waiting[0], &n->waiting[1], n->waiting_n * sizeof n->waiting[0]);
    ledger_run(w, &s);
}

void ledger_settle(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    if (!quorum_can_decide(n, w->now)) return; /* called again when it can */
    while (!n->busy) {
        if (lease_own_step(w)) continue;
        if (n->waiting_n == 0) break;
        run_waiting(w);
    }
    if (!n->busy) lease_watch(w);
}

/* ---- calls ----------------------------------------------------------------------- */

static struct ledger_work begin(struct ledger_node *n, struct instant at, struct local now,
                                uint32_t cause, struct ledger_out *out)
{
    n->now = now;
    if (out) out->n = out->messages = 0;
    return (struct ledger_work){
        .n = n, .at = at, .now = now, .cause = cause, .out = out, .said = cause
    };
}

void ledger_boot(struct ledger_node *n, uint8_t id, enum layout layout, enum authority authority,
                 uint32_t incarnation, const struct contract *c, struct policy p, struct history *h,
                 struct instant at, struct local now, struct ledger_out *out)
{
    must(layout == LAYOUT_SINGLE || authority == AUTHORITY_SERVER);
    must(layout == LAYOUT_SINGLE || id < LEDGER_NODES);
    memset(n, 0, sizeof *n);
    n->id = id;
    n->layout = layout;
    n->authority = authority;
    n->contract = c;
    n->policy = p;
    n->history = h;
    n->up = true;
    n->accepts.page = PAGE_NONE;
    n->primary_id = NODE_NONE;
    n->record.fence = (struct fence){ incarnation, 1, 0 };
    n->record.owner_page = PAGE_NONE;
    n->record.owner_partition = PARTITION_NONE;
    n->record.vacant_since = now;
    n->stored = n->record;
    struct ledger_work w = begin(n, at, now, OBS_NONE, out);
    if (layout == LAYOUT_QUORUM) quorum_boot(&w);
    quorum_note_decides(&w);
    ledger_settle(&w);
}

static bool is_question(enum request_kind k)
{
    return k == REQ_SUBSCRIBE || k == REQ_STATUS;
}

static void refuse_undecided(struct ledger_work *w, const struct ledger_step *s)
{
    const struct ledger_node *n = w->n;
    bool elsewhere = n->primary_id != NODE_NONE && n->primary_id != n->id &&
                     w->now.us - n->primary_heard.us < QUORUM_ELECTION_US;
    ledger_refuse(w, s, elsewhere ? ANS_REDIRECT : ANS_UNAVAILABLE);
}

/* Whoever subscribes to a vacancy that nobody watched waits from now on. */
static void note_subscriber(struct ledger_work *w, const struct request *r)
{
    struct ledger_node *n = w->n;
    if (r->kind != REQ_SUBSCRIBE || (n->watched && n->subscribers > 1)) return;
    n->watched = true;
    n->watched_since = w->now;
}

void ledger_request(struct ledger_node *n, const struct request *r, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out)
{
    struct ledger_work w = begin(n, at, now, cause, out);
    struct ledger_step s = { .kind = STEP_REQUEST, .request = *r, .cause = cause };
    if (!n->up) return;
    if (!quorum_can_decide(n, now)) {
        refuse_undecided(&w, &s);
        return;
    }
    note_subscriber(&w, r);
    if (!n->busy && ledger_lease_over(&n->record, now)) ledger_run_alone(&w, STEP_EXPIRE, 0);
    if (is_question(r->kind) && !quorum_adopting(n))
        ledger_run(&w, &s);
    else if (!run_or_wait(&w, &s))
        ledger_refuse(&w, &s, ANS_UNAVAILABLE);
    ledger_settle(&w);
}

void ledger_message(struct ledger_node *n, const struct node_message *m, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out)
{
    must(n->layout == LAYOUT_QUORUM);
    must(m->to == n->id);
    must(m->from < LEDGER_NODES);
    struct ledger_work w = begin(n, at, now, cause, out);
    if (n->up) quorum_message(&w, m);
}

/* The second step of a mutant's handler. */
static void run_late(struct ledger_work *w, uint32_t arm)
{
    struct ledger_node *n = w->n;
    uint32_t i = 0;
    while (i < n->late_n && n->late[i].arm != arm) i++;
    if (i == n->late_n) return;
    struct ledger_step s = n->late[i].step;
    n->late[i] = n->late[--n->late_n];
    if (!quorum_can_decide(n, w->now)) return;
    s.trusted = s.request.kind != REQ_CLAIM;
    s.has_read = s.request.kind == REQ_CLAIM;
    w->cause = s.cause;
    run_or_wait(w, &s);
    ledger_settle(w);
}

void ledger_timer(struct ledger_node *n, uint32_t timer, uint32_t arm, struct instant at,
                  struct local now, struct ledger_out *out)
{
    must(timer < LEDGER_TIMERS);
    struct ledger_work w = begin(n, at, now, OBS_NONE, out);
    if (!n->up) return;
    if (timer == TIMER_LATE) {
        run_late(&w, arm);
        return;
    }
    if (!n->timer[timer].armed || n->timer[timer].arm != arm) return;
    n->timer[timer].armed = false;
    if (timer == TIMER_ALIVE) quorum_alive(&w);
    if (timer == TIMER_ELECTION) quorum_election(&w);
    if (timer == TIMER_WATCH) ledger_settle(&w);
}

void ledger_drained(struct ledger_node *n, struct fence fence, uint32_t op, bool done,
                    struct instant at, struct local now, uint32_t cause, struct ledger_out *out)
{
    struct ledger_work w = begin(n, at, now, cause, out);
    bool ours = n->up && n->drain_op == op && fence_equal(n->drain_fence, fence) &&
                n->record.server_holds && fence_equal(n->record.fence, fence);
    if (!ours || !quorum_can_decide(n, now)) return; /* it is sent again, under the same key */
    struct ledger_step s = { .kind = STEP_SERVER_DONE, .op = op, .cause = cause };
    if (done)
        run_or_wait(&w, &s);
    else
        n->drain_due = local_after(now, LEDGER_RETRY_US);
    ledger_settle(&w);
}

void ledger_incident(struct ledger_node *n, enum incident what, struct instant at, struct local now,
                     uint32_t cause, struct ledger_out *out)
{
    struct ledger_work w = begin(n, at, now, cause, out);
    if (!n->up || n->authority == AUTHORITY_INDEXEDDB || !quorum_can_decide(n, now)) return;
    struct ledger_step s = { .kind = what == INCIDENT_REOPEN ? STEP_REOPEN : STEP_EPOCH,
                             .cause = cause };
    run_or_wait(&w, &s);
    ledger_settle(&w);
}

/* ---- crash, restart, clearing ------------------------------------------------------ */

static void forget_volatile(struct ledger_node *n)
{
    n->busy = false;
    n->waiting_n = 0;
    n->late_n = 0;
    n->drain_op = 0;
    n->standing = 0;
    n->watched = false; /* streams end with the node */
    n->primary = false;
    n->primary_id = NODE_NONE;
    for (uint32_t i = 0; i < LEDGER_TIMERS; i++) n->timer[i].armed = false;
}

void ledger_crash(struct ledger_node *n, struct instant at, uint32_t cause)
{
    struct ledger_work w = begin(n, at, n->now, cause, NULL);
    if (!n->up) return;
    n->up = false;
    forget_volatile(n);
    ledger_tell_accepts(&w);
    quorum_note_decides(&w);
}

/* generation-forgotten-at-restart: the last claim had been answered, not stored. */
static void lose_generation(struct ledger_node *n, struct local now)
{
    struct ledger_record *rec = &n->record;
    if (!fence_less(n->stored.fence, rec->fence)) return;
    bool kept = rec->claims > 0 &&
                fence_equal(rec->claim[(rec->claims - 1) % LEDGER_CLAIMS_MAX].fence, rec->fence);
    if (kept) rec->claim[(rec->claims - 1) % LEDGER_CLAIMS_MAX].id = 0;
    rec->fence = n->stored.fence;
    rec->held = rec->server_holds = false;
    rec->vacant_since = now;
}

/* operation-lost-at-restart: only a later write of the task would have stored it. */
static void lose_operations(struct ledger_node *n)
{
    struct ledger_record *rec = &n->record;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        if (rec->task[i].state != TASK_QUEUED) continue;
        rec->task[i].state = TASK_NONE;
        rec->queued--;
        rec->open--;
    }
}

/* owner-forgotten-at-restart: what the stored tasks said of their owners is read wrongly. */
static void forget_owners(struct ledger_node *n)
{
    for (uint32_t i = 0; i < n->record.tasks; i++)
        n->record.task[i].server_owned = !n->record.task[i].server_owned;
}

void ledger_restart(struct ledger_node *n, struct instant at, struct local now, uint32_t cause,
                    struct ledger_out *out)
{
    struct ledger_work w = begin(n, at, now, cause, out);
    if (n->up) return;
    n->up = true;
    if (n->layout == LAYOUT_QUORUM) {
        quorum_restart(&w);
    } else {
        if (ledger_has(n, POLICY_FORGETS_GENERATION)) lose_generation(n, now);
        if (ledger_has(n, POLICY_LOSES_OPERATION)) lose_operations(n);
        if (ledger_has(n, POLICY_OWNERS_FORGOTTEN)) forget_owners(n);
        n->grace = true;
        n->grace_until = local_after(now, n->contract->permit_grace_us);
    }
    ledger_settle(&w); /* first of all an expiry, so that it is never acceptable again */
    ledger_tell_accepts(&w);
    quorum_note_decides(&w);
}

void ledger_cleared(struct ledger_node *n, uint32_t incarnation, struct instant at,
                    struct local now, uint32_t cause, struct ledger_out *out)
{
    struct ledger_work w = begin(n, at, now, cause, out);
    must(n->authority == AUTHORITY_INDEXEDDB);
    must(incarnation != n->record.fence.incarnation);
    memset(&n->record, 0, sizeof n->record);
    n->record.fence = (struct fence){ incarnation, 1, 0 };
    n->record.owner_page = PAGE_NONE;
    n->record.owner_partition = PARTITION_NONE;
    n->record.vacant_since = now;
    n->stored = n->record;
    n->late_n = 0;
    ledger_tell_accepts(&w);
    ledger_settle(&w);
}
