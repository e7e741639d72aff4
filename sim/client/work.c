/* leader-worker@3: the outbox, an operation at a time.
 *
 *   TAKE -> EFFECT -> ACK -> COMMIT        the good way
 *   ... EFFECT without an answer -> OUTCOME (asked by operation id)
 *         done        -> RECONCILE -> COMMIT
 *         never seen  -> RECONCILE -> EFFECT, under the same key
 *         running, no answer -> OUTCOME again
 *
 * After a take-over the operations of earlier generations come first, each from
 * OUTCOME (protocol.md 9). Nothing is issued unless page_may_write(): the fence is
 * ours, the lease lasts by our own count, the page was revalidated. With a local
 * authority (indexeddb-ledger) there is no provider: TAKE -> COMMIT. */
#include "sim/client/internal.h"

static void issue(struct step *s, enum work_step step)
{
    static const enum request_kind kind_of[] = {
        [WORK_TAKE] = REQ_TAKE,           [WORK_EFFECT] = REQ_EFFECT, [WORK_OUTCOME] = REQ_OUTCOME,
        [WORK_RECONCILE] = REQ_RECONCILE, [WORK_ACK] = REQ_ACK,       [WORK_COMMIT] = REQ_COMMIT,
    };
    struct leader *l = s->l;
    l->page.work.step = step;
    if (!page_may_write(s)) {
        l->page.work.request = 0;
        return; /* renewed() comes back here, or POST_LOST ends it */
    }
    uint32_t op = step == WORK_TAKE ? 0 : l->page.work.op;
    uint32_t key = step == WORK_EFFECT || step == WORK_OUTCOME ? deviate_key(s, op) : 0;
    l->page.work.request = page_send(s, kind_of[step], op, key, WATCH_WORK);
    struct request *r = page_last_request(s);
    if (step == WORK_COMMIT) r->parts = 1u << PART_CURSOR | 1u << PART_DELETE;
    if (step == WORK_RECONCILE) r->outcome = l->page.work.outcome;
}

static void reconcile(struct step *s, enum outcome outcome)
{
    s->l->page.work.outcome = outcome;
    issue(s, WORK_RECONCILE);
}

static void begin(struct step *s, uint32_t op)
{
    s->l->page.work.op = op;
    s->l->page.work.tries = 0;
    s->l->page.work.outcome = OUTCOME_UNKNOWN;
}

static void remember_op(struct leader *l, uint32_t op)
{
    if (l->page.known_n == KNOWN_OPS_MAX) {
        for (uint32_t i = 1; i < KNOWN_OPS_MAX; i++) l->page.known[i - 1] = l->page.known[i];
        l->page.known_n--;
    }
    l->page.known[l->page.known_n++] = op;
}

/* Another page's operation was accepted into the outbox. */
void task_heard(struct step *s)
{
    remember_op(s->l, s->in->message->a);
    s->l->page.tasks++;
    work_next(s);
}

/* Whatever is due now: the step that had to wait, an inherited operation, a task. */
void work_next(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.unclaimed) {
        deviate_work(s);
        return;
    }
    if (l->contract->work == WORKSTREAM_SESSION) {
        refresh_next(s);
        return;
    }
    if (l->contract->work == WORKSTREAM_FEED) {
        follow_next(s);
        return;
    }
    if (l->page.state != STATE_LEADER || !page_may_write(s)) return;
    if (l->page.work.step != WORK_NONE) {
        if (l->page.work.request == 0) issue(s, l->page.work.step);
        return;
    }
    enum stage stage = l->contract->stage;
    if (stage != STAGE_OUTBOX && !deviates(s, POLICY_OBSERVE_WRITES)) return;
    if (l->page.unreconciled_n > 0) {
        begin(s, l->page.unreconciled[--l->page.unreconciled_n]);
        issue(s, l->server_authority ? WORK_OUTCOME : WORK_COMMIT);
    } else if (l->page.tasks > 0) {
        begin(s, 0);
        issue(s, WORK_TAKE);
    }
}

static void finished(struct step *s)
{
    struct leader *l = s->l;
    l->page.work.step = WORK_NONE;
    l->page.work.request = 0;
    if (l->page.state == STATE_DRAINING) {
        page_let_go(s);
        page_request_lock(s);
    } else {
        work_next(s);
    }
}

static void outcome_known(struct step *s, const struct answer *a)
{
    switch (a->outcome) {
    case OUTCOME_DONE:
        if (deviates(s, POLICY_DUPLICATE_FAILS)) { /* "exists already": to be tried again */
            page_watch(s, WATCH_WORK, 0, s->l->contract->request_timeout_us);
            break;
        }
        reconcile(s, a->outcome);
        break;
    case OUTCOME_NEVER_SEEN: reconcile(s, a->outcome); break;
    default: issue(s, WORK_OUTCOME); break; /* running: asked again */
    }
}

static void advanced(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    switch (l->page.work.step) {
    case WORK_TAKE:
        l->page.work.op = a->op;
        l->page.tasks = a->more_tasks;
        if (!naive_works_on(s, a->op)) { /* somebody else's: left alone */
            l->page.tasks = 0;
            finished(s);
            break;
        }
        issue(s, !l->server_authority ? WORK_COMMIT
                 : a->unreconciled_n  ? WORK_OUTCOME
                                      : WORK_EFFECT);
        break;
    case WORK_EFFECT: issue(s, WORK_ACK); break;
    case WORK_OUTCOME: outcome_known(s, a); break;
    case WORK_RECONCILE:
        issue(s, l->page.work.outcome == OUTCOME_DONE ? WORK_COMMIT : WORK_EFFECT);
        break;
    case WORK_ACK: issue(s, WORK_COMMIT); break;
    case WORK_COMMIT:
        l->page.tasks = a->more_tasks;
        finished(s);
        break;
    case WORK_NONE: break;
    }
}

/* FENCED and its like end leadership at once (protocol.md 3). */
static void refused(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (deviate_fenced(s, a)) return;
    enum why_ended why = a->result == ANS_EPOCH_CLOSED ? WHY_EPOCH : WHY_FENCED;
    if (a->result ==
        ANS_PROTOCOL_TOO_OLD) { /* still ours: given back, to a page that speaks the payload */
        l->page.too_old = true;
        why = WHY_OTHER;
    }
    if (a->result == ANS_EPOCH_CLOSED) l->page.closed = true;
    l->page.draining_why = why;
    if (l->page.state == STATE_DRAINING)
        page_let_go(s);
    else
        page_drain(s, why);
    page_request_lock(s);
}

void work_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (l->page.unclaimed) {
        l->page.work.step = WORK_NONE;
        deviate_work(s);
        return;
    }
    if (l->page.work.step == WORK_NONE) return;
    l->page.work.request = 0;
    switch (a->result) {
    case ANS_OK: advanced(s, a); break;
    case ANS_EMPTY:
        l->page.tasks = 0;
        finished(s);
        break;
    case ANS_REFUSED: finished(s); break; /* nothing there to do it to any more */
    case ANS_IN_PROGRESS: issue(s, WORK_OUTCOME); break;
    case ANS_REDIRECT: issue(s, l->page.work.step); break;
    case ANS_UNAVAILABLE:
    case ANS_QUOTA: page_watch(s, WATCH_WORK, 0, l->contract->request_timeout_us); break;
    default: refused(s, a); break;
    }
}

/* No answer: everything is idempotent by fence and operation id, except that an
 * effect may have happened, so it is asked about first. */
void work_unknown(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.unclaimed || l->page.work.step == WORK_NONE) return;
    if (l->page.state != STATE_LEADER && !deviates(s, POLICY_RELEASE_BEFORE_BOUND)) return;
    if (l->page.work.step != WORK_EFFECT && l->page.work.step != WORK_OUTCOME) l->page.node++;
    l->page.work.tries++;
    if (l->page.work.step == WORK_EFFECT && deviates(s, POLICY_RESEND_NEW_KEY)) {
        l->page.attempt++;
        issue(s, WORK_EFFECT);
    } else if (l->page.work.step == WORK_EFFECT && deviates(s, POLICY_RESENT_UNASKED)) {
        issue(s, WORK_EFFECT);
    } else if (l->page.work.step == WORK_EFFECT || l->page.work.step == WORK_RECONCILE) {
        issue(s, WORK_OUTCOME);
    } else {
        issue(s, l->page.work.step);
    }
}

/* The user's operations go to the ledger's outbox, whoever leads; once accepted they
 * are never lost (protocol.md, "Workstreams"). */
void submit_next(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.submits_n == 0 || !account_is_ours(s)) return; /* kept until it is back */
    l->page.submit.op = l->page.submits[0];
    l->page.submit.request = page_send(s, REQ_SUBMIT, l->page.submit.op, 0, WATCH_SUBMIT);
}

void submit_asked(struct step *s)
{
    struct leader *l = s->l;
    if (naive_submit(s)) return;
    if (l->page.submits_n < KNOWN_OPS_MAX) l->page.submits[l->page.submits_n++] = s->in->id;
    if (!l->page.submit.request) submit_next(s);
}

void submit_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.submit.request) return;
    if (a->result != ANS_OK) return; /* the watch tries again */
    l->page.submit.request = 0;
    client_emit(s, OUT_KEPT)->id = l->page.submit.op;
    page_broadcast(s, MSG_TASK, l->page.submit.op);
    l->page.submits_n--;
    for (uint32_t i = 0; i < l->page.submits_n; i++) l->page.submits[i] = l->page.submits[i + 1];
    if (l->page.state == STATE_LEADER || l->page.unclaimed) {
        l->page.tasks++;
        work_next(s);
    }
    submit_next(s);
}
