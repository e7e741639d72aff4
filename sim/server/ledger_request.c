/* What a request may do to the record: the fenced ledger itself, without time, messages
 * or history. For each kind of request there is a check, which reads, and where it can
 * change something an apply, which writes.
 *
 * Order of reasons (protocol.md, "The authority"): EPOCH_CLOSED, FENCED, PROTOCOL_TOO_OLD,
 * then what the request itself asks. A lease that is over by the clock has been made an
 * expiry before any check runs, so `held` alone tells whether the lease rule holds.
 *
 * Tasks:   NONE -> QUEUED -> TAKEN -> ACKED -> DONE
 *                              +----- (indexeddb-ledger) ----^  the commit is the effect
 *
 * Deliberate differences (policy.def, "ledger") are each one condition here. */
#include "sim/server/ledger_internal.h"

#include "sim/base/must.h"

static const bool task_may[TASK_DONE + 1][TASK_DONE + 1] = {
    [TASK_NONE] = { [TASK_QUEUED] = true },
    [TASK_QUEUED] = { [TASK_TAKEN] = true },
    [TASK_TAKEN] = { [TASK_ACKED] = true, [TASK_DONE] = true },
    [TASK_ACKED] = { [TASK_DONE] = true },
};

void task_enter(struct ledger_record *rec, struct task *t, enum task_state next)
{
    must(task_may[t->state][next]);
    if (t->state == TASK_QUEUED) rec->queued--;
    if (next == TASK_QUEUED) {
        rec->queued++;
        rec->open++;
    }
    if (next == TASK_DONE) rec->open--;
    t->state = next;
}

struct task *task_of(struct ledger_record *rec, uint32_t op)
{
    return op >= 1 && op <= LEDGER_OPS_MAX ? &rec->task[op - 1] : NULL;
}

/* ---- fences ---------------------------------------------------------------------- */

/* Requests that the mutant receivers are careless about: the canonical writes. */
static bool is_write(enum request_kind k)
{
    return k == REQ_TAKE || k == REQ_COMMIT || k == REQ_ACK || k == REQ_RECONCILE;
}

static bool fence_passes(const struct ledger_node *n, const struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    if (s->trusted) return true;
    if (s->request.kind == REQ_RENEW && ledger_has(n, POLICY_RENEW_UNFENCED)) return rec->held;
    if (s->request.kind == REQ_RELEASE && ledger_has(n, POLICY_RELEASE_UNFENCED)) return rec->held;
    if (is_write(s->request.kind) && ledger_has(n, POLICY_IGNORE_FENCE)) return true;
    if (ledger_has(n, POLICY_EPOCH_NOT_ENFORCED) && s->request.fence.epoch < rec->fence.epoch)
        return true;
    return rec->held && fence_equal(s->request.fence, rec->fence);
}

static enum answer_result check_fence(const struct ledger_node *n, const struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    if (rec->closed && !s->trusted && !ledger_has(n, POLICY_EPOCH_NOT_ENFORCED))
        return ANS_EPOCH_CLOSED;
    if (!fence_passes(n, s)) return ANS_FENCED;
    if (s->request.protocol < rec->protocol && !ledger_has(n, POLICY_OLD_PROTOCOL))
        return ANS_PROTOCOL_TOO_OLD;
    return ANS_OK;
}

/* The task belongs to the sender's fence. A receiver that does not compare fences does not here. */
static bool owns(const struct ledger_node *n, const struct ledger_step *s, const struct task *t)
{
    return s->trusted || ledger_has(n, POLICY_IGNORE_FENCE) ||
           ledger_has(n, POLICY_ANYBODYS_TASK) || ledger_has(n, POLICY_EPOCH_NOT_ENFORCED) ||
           fence_equal(t->owner, s->request.fence);
}

static void accept(struct ledger_step *s)
{
    s->result = ANS_OK;
    s->acts = true;
}

/* ---- claim ----------------------------------------------------------------------- */

/* The remembered claim with this id, or NULL. */
static const struct fence *claim_known(const struct ledger_record *rec, uint32_t id)
{
    uint32_t kept = rec->claims < LEDGER_CLAIMS_MAX ? rec->claims : LEDGER_CLAIMS_MAX;
    for (uint32_t i = 0; id != 0 && i < kept; i++)
        if (rec->claim[i].id == id) return &rec->claim[i].fence;
    return NULL;
}

static void check_claim(struct ledger_node *n, struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    const struct request *r = &s->request;
    const struct fence *known = claim_known(rec, r->key);
    if (known) {
        s->fence = *known;
        s->repeated = true;
        s->result = ANS_OK;
    } else if (s->has_read) {
        accept(s); /* the second step of read-then-write looks at nothing */
    } else if (rec->closed && !ledger_has(n, POLICY_EPOCH_NOT_ENFORCED)) {
        s->result = ANS_EPOCH_CLOSED;
    } else if (r->protocol < rec->protocol && !ledger_has(n, POLICY_OLD_PROTOCOL)) {
        s->result = ANS_PROTOCOL_TOO_OLD;
    } else if (ledger_led_elsewhere(n, r)) {
        s->result = ANS_WAIT; /* another storage partition's lock says nothing about ours */
        s->wait_us = rec->lease_end.us - s->now.us;
    } else {
        accept(s);
    }
}

/* Every operation that is taken and not done gets its owner with the generation. */
static void take_over(const struct ledger_node *n, struct ledger_record *rec)
{
    if (ledger_has(n, POLICY_UNOWNED_AT_TAKEOVER) || ledger_has(n, POLICY_ANYBODYS_TASK)) return;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        struct task *t = &rec->task[i];
        if (t->state != TASK_TAKEN && t->state != TASK_ACKED) continue;
        t->owner = rec->fence;
        t->server_owned = rec->server_holds;
        /* a local ledger's commit is the effect: taken and not committed is not done */
        t->unreconciled = t->state == TASK_TAKEN && n->authority == AUTHORITY_SERVER;
    }
}

/* The conditional write: the next generation, bound to nobody yet. */
void claim_take(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    if (n->layout == LAYOUT_SINGLE) n->stored.fence = rec->fence; /* for the mutant that forgets */
    uint32_t read = s->has_read ? s->read_generation : rec->fence.generation;
    rec->fence.generation = read + 1;
    rec->held = true;
    rec->expired = false;
    rec->server_holds = s->kind != STEP_REQUEST;
    rec->lease_sequence = rec->renew_sequence;
    s->fence = rec->fence;
    take_over(n, rec);
}

static void apply_claim(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    const struct request *r = &s->request;
    claim_take(n, rec, s);
    rec->owner_page = r->page;
    rec->owner_tab = r->tab_instance;
    rec->owner_partition = r->partition;
    rec->owner_partition_key = r->partition_key;
    rec->owner_without_lock = r->without_lock;
    rec->idle_permit_after = local_after(s->now, IDLE_LEASES * n->contract->lease.ttl_us);
    if (r->protocol > rec->protocol) rec->protocol = r->protocol;
    rec->lease_end = local_after(s->now, n->contract->lease.ttl_us);
    rec->permit.used = true; /* the incident is over, whether or not the claim names it */
    rec->claim[rec->claims % LEDGER_CLAIMS_MAX].id = r->key;
    rec->claim[rec->claims % LEDGER_CLAIMS_MAX].fence = rec->fence;
    rec->claim[rec->claims % LEDGER_CLAIMS_MAX].page = r->page;
    rec->claims++;
}

/* ---- lease ----------------------------------------------------------------------- */

/* A lease is extended only when the answer to its last extension, or any answer after that one,
 * has been acknowledged: a NOT_EXTENDED answer carries the same sequence again. So
 *   - a leader that hears nothing from t on is extended at most once after t;
 *   - a leader that lost one answer asks twice: the first time it is told NOT_EXTENDED, and
 *     having heard that is enough for the second. Its lease outlives both round trips.
 *   - late answers cannot starve a leader that hears them: acknowledging the last extension
 *     stays good, however many NOT_EXTENDED were given since.
 * Letting two answers go unheard would save that round trip and cost every deaf leader's
 * successor a renewal interval. */
static bool heard_extension(const struct ledger_record *rec, const struct request *r)
{
    if (rec->renew_sequence == rec->lease_sequence) return true; /* the first of this lease */
    return r->acked == rec->renew_sequence;
}

static void check_renew(struct ledger_node *n, struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    s->result = check_fence(n, s);
    bool revives = s->result == ANS_FENCED && rec->expired && ledger_has(n, POLICY_LEASE_REVIVED) &&
                   fence_equal(s->request.fence, rec->fence);
    if (revives) s->result = ANS_OK;
    if (s->result != ANS_OK) return;
    bool blind = ledger_has(n, POLICY_RENEW_UNFENCED);
    if (!revives && !blind && !heard_extension(rec, &s->request)) {
        s->result = ANS_NOT_EXTENDED;
        return;
    }
    s->acts = true;
}

static void apply_renew(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    rec->held = true;
    rec->expired = false;
    rec->lease_end = local_after(s->now, n->contract->lease.ttl_us);
    rec->renew_sequence++;
}

static void check_release(struct ledger_node *n, struct ledger_step *s)
{
    const struct ledger_record *rec = &n->record;
    bool again = !rec->held && !rec->expired && !fence_is_none(rec->fence) &&
                 fence_equal(s->request.fence, rec->fence);
    s->repeated = again;
    s->result = again ? ANS_OK : check_fence(n, s);
    s->acts = s->result == ANS_OK && !again;
}

static void apply_release(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    (void)n;
    rec->held = false;
    rec->server_holds = false;
    rec->vacant_since = s->now;
}

/* ---- tasks ----------------------------------------------------------------------- */

/* An operation that this fence owns already, whatever became of it (an answer was lost),
 * else the lowest task that waits. */
static uint32_t next_task(const struct ledger_node *n, const struct request *r, bool *again)
{
    const struct ledger_record *rec = &n->record;
    uint32_t queued = 0, after = ledger_has(n, POLICY_TAKES_PAST_CURSOR) ? rec->cursor : 0;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        const struct task *t = &rec->task[i];
        bool begun = t->state == TASK_TAKEN || t->state == TASK_ACKED;
        if (begun && !t->server_owned && fence_equal(t->owner, r->fence)) {
            *again = true;
            return i + 1;
        }
        if (i < after || t->state != TASK_QUEUED || t->protocol > r->protocol) continue;
        if (queued == 0) queued = i + 1;
    }
    return queued;
}

/* Only tasks wait whose payload the sender does not speak (protocol.md, "Workstreams"). */
static bool waits_for_newer(const struct ledger_record *rec, uint32_t protocol)
{
    for (uint32_t i = 0; i < rec->tasks; i++)
        if (rec->task[i].state == TASK_QUEUED && rec->task[i].protocol > protocol) return true;
    return false;
}

static void check_take(struct ledger_node *n, struct ledger_step *s)
{
    s->result = check_fence(n, s);
    if (s->result != ANS_OK) return;
    s->op = next_task(n, &s->request, &s->repeated);
    if (s->op == 0)
        s->result =
            waits_for_newer(&n->record, s->request.protocol) ? ANS_PROTOCOL_TOO_OLD : ANS_EMPTY;
    else
        s->acts = !s->repeated;
}

static void apply_take(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    (void)n;
    struct task *t = task_of(rec, s->op);
    task_enter(rec, t, TASK_TAKEN);
    t->owner = s->request.fence;
    t->server_owned = false;
}

static uint32_t unfenced_parts(const struct ledger_node *n)
{
    uint32_t parts = 0;
    if (ledger_has(n, POLICY_CURSOR_UNFENCED)) parts |= 1u << PART_CURSOR;
    if (ledger_has(n, POLICY_DELETE_UNFENCED)) parts |= 1u << PART_DELETE;
    return parts;
}

static void check_commit(struct ledger_node *n, struct ledger_step *s)
{
    const struct request *r = &s->request;
    const struct task *t = task_of(&n->record, r->op);
    uint32_t deletes = 1u << PART_DELETE;
    s->result = check_fence(n, s);
    bool taken = t && (t->state == TASK_TAKEN || t->state == TASK_ACKED);
    if (s->result == ANS_FENCED && taken && (r->parts & unfenced_parts(n))) {
        s->parts = r->parts & unfenced_parts(n);
        s->acts = true;
        if (s->parts == r->parts) s->result = ANS_OK; /* else the rest is refused */
    }
    if (s->result != ANS_OK || s->acts) return;
    if (t && t->state == TASK_DONE) return; /* committed before */
    bool early =
        taken && t->state == TASK_TAKEN && (r->parts & deletes) && n->authority == AUTHORITY_SERVER;
    if (!taken || !owns(n, s, t) || early || r->parts == 0) {
        s->result = ANS_REFUSED;
        return;
    }
    s->parts = r->parts;
    s->acts = true;
}

/* "The store is cleared", with what was added to it while the request was on its way. */
static void clear_outbox(struct ledger_record *rec)
{
    for (uint32_t i = 0; i < rec->tasks; i++) {
        struct task *t = &rec->task[i];
        if (t->state == TASK_QUEUED) task_enter(rec, t, TASK_TAKEN);
        if (t->state == TASK_TAKEN || t->state == TASK_ACKED) task_enter(rec, t, TASK_DONE);
    }
}

static void apply_commit(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    if (s->parts & 1u << PART_CURSOR)
        rec->cursor = ledger_has(n, POLICY_CURSOR_STAYS) ? 1 : s->request.op;
    if (s->parts & 1u << PART_DELETE) task_enter(rec, task_of(rec, s->request.op), TASK_DONE);
    if (s->parts & 1u << PART_DELETE && ledger_has(n, POLICY_CLEARS_ALL)) clear_outbox(rec);
}

static void check_ack(struct ledger_node *n, struct ledger_step *s)
{
    const struct task *t = task_of(&n->record, s->request.op);
    bool unfenced = ledger_has(n, POLICY_ACK_UNFENCED);
    s->result = check_fence(n, s);
    if (s->result == ANS_FENCED && unfenced && t && t->state == TASK_TAKEN) {
        accept(s);
        return;
    }
    if (s->result != ANS_OK) return;
    if (t && t->state == TASK_DONE) return;
    if (!t || t->state < TASK_TAKEN || !owns(n, s, t))
        s->result = ANS_REFUSED;
    else
        s->acts = t->state == TASK_TAKEN;
}

static void apply_ack(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    (void)n;
    task_enter(rec, task_of(rec, s->request.op), TASK_ACKED);
}

static void check_reconcile(struct ledger_node *n, struct ledger_step *s)
{
    const struct task *t = task_of(&n->record, s->request.op);
    s->result = check_fence(n, s);
    if (s->result != ANS_OK) return;
    if (t && t->state == TASK_DONE)
        s->repeated = true;
    else if (!t || t->state < TASK_TAKEN || !owns(n, s, t))
        s->result = ANS_REFUSED;
    else
        s->acts = t->state == TASK_TAKEN; /* once acknowledged it is known, whatever is said */
}

static void apply_reconcile(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    (void)n;
    struct task *t = task_of(rec, s->request.op);
    if (s->request.outcome == OUTCOME_DONE) task_enter(rec, t, TASK_ACKED);
    if (s->request.outcome == OUTCOME_NEVER_SEEN) t->unreconciled = false;
}

/* Accepted from anybody, whatever the fence, closed or not: it is the account's work. */
static void check_submit(struct ledger_node *n, struct ledger_step *s)
{
    const struct task *t = task_of(&n->record, s->request.op);
    s->result = t ? ANS_OK : ANS_REFUSED;
    s->acts = t && t->state == TASK_NONE;
}

static void apply_submit(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    (void)n;
    struct task *t = task_of(rec, s->request.op);
    task_enter(rec, t, TASK_QUEUED);
    t->protocol = s->request.protocol;
    if (s->request.op > rec->tasks) rec->tasks = s->request.op;
}

static void apply_permit(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    rec->permits++;
    rec->permit.id = rec->permits;
    rec->permit.page = s->request.page;
    rec->permit.partition = s->request.partition;
    rec->permit.until = local_after(s->now, n->contract->permit_ttl_us);
    rec->permit.used = false;
    rec->permit.elsewhere = ledger_page_led(rec);
    if (rec->permit.elsewhere)
        rec->idle_permit_after = local_after(s->now, IDLE_LEASES * n->contract->lease.ttl_us);
}

static void check_question(struct ledger_node *n, struct ledger_step *s)
{
    (void)n;
    s->result = ANS_OK;
}

/* ---- the table ------------------------------------------------------------------- */

static const struct {
    void (*check)(struct ledger_node *, struct ledger_step *);
    void (*apply)(struct ledger_node *, struct ledger_record *, struct ledger_step *);
} rule[REQ_COUNT] = {
    [REQ_CLAIM] = { check_claim, apply_claim },
    [REQ_RENEW] = { check_renew, apply_renew },
    [REQ_RELEASE] = { check_release, apply_release },
    [REQ_TAKE] = { check_take, apply_take },
    [REQ_COMMIT] = { check_commit, apply_commit },
    [REQ_ACK] = { check_ack, apply_ack },
    [REQ_RECONCILE] = { check_reconcile, apply_reconcile },
    [REQ_PERMIT] = { lease_check_permit, apply_permit },
    [REQ_SUBMIT] = { check_submit, apply_submit },
    [REQ_SUBSCRIBE] = { check_question, NULL },
    [REQ_STATUS] = { check_question, NULL },
};

void step_check(struct ledger_node *n, struct ledger_step *s)
{
    if (s->kind != STEP_REQUEST) {
        lease_check_own(n, s);
        return;
    }
    must(s->request.kind < REQ_COUNT);
    must(rule[s->request.kind].check != NULL); /* EFFECT and OUTCOME are the provider's */
    s->acts = s->repeated = false;
    rule[s->request.kind].check(n, s);
    if (s->acts && n->quota_full && s->request.kind != REQ_RELEASE) {
        s->acts = false;
        s->result = ANS_QUOTA;
        s->parts = 0;
    }
}

void step_apply(struct ledger_node *n, struct ledger_record *rec, struct ledger_step *s)
{
    must(s->acts);
    if (s->kind == STEP_REQUEST)
        rule[s->request.kind].apply(n, rec, s);
    else
        lease_step_apply(n, rec, s);
    if (n->layout == LAYOUT_SINGLE) return;
    rec->index++;
    rec->last = *s;
}
