/* What a decision looks like from outside: its observations in the history, the answer to
 * the sender, the push to subscribers. Runs when the decision stands (QUORUM: when a majority
 * has stored it), and reads it from the record.
 *
 * Which members an observation carries is history.def's business; they are set one kind at
 * a time so that a round trip through a file changes nothing. `c` is the decision index, 0
 * in the single layout.
 *
 * ledger_observe may run on another node than the one that decided: a primary that dies after
 * a majority has stored and before it could say so leaves that to its successor. */
#include "sim/server/ledger_internal.h"

#include "sim/base/must.h"

/* ---- observations ---------------------------------------------------------------- */

static uint32_t say(struct ledger_work *w, struct obs o)
{
    o.node = w->n->id;
    w->said = history_add(w->n->history, &o);
    return w->said;
}

static struct obs about(struct ledger_work *w, enum obs_kind kind, const struct ledger_step *s)
{
    struct obs o = obs_make(kind, w->at, s->cause);
    if (s->kind == STEP_REQUEST) {
        o.page = s->request.page;
        o.request = s->request.id;
        o.fence = s->request.fence;
    } else {
        o.page = PAGE_SERVER;
        o.fence = w->n->record.fence;
    }
    return o;
}

static uint32_t decision_index(const struct ledger_node *n)
{
    return n->layout == LAYOUT_QUORUM ? n->record.index : 0;
}

/* ... of a kind that carries the decision index and `op`. */
static struct obs decided(struct ledger_work *w, enum obs_kind kind, const struct ledger_step *s,
                          uint32_t op)
{
    struct obs o = about(w, kind, s);
    o.c = decision_index(w->n);
    o.op = op;
    return o;
}

static void say_owners(struct ledger_work *w, uint32_t cause)
{
    const struct ledger_record *rec = &w->n->record;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        const struct task *t = &rec->task[i];
        if (t->state != TASK_TAKEN && t->state != TASK_ACKED) continue;
        if (!fence_equal(t->owner, rec->fence)) continue;
        struct obs o = obs_make(OBS_LEDGER_OWNER, w->at, cause);
        o.page = t->server_owned ? PAGE_SERVER : rec->owner_page;
        o.fence = rec->fence;
        o.op = i + 1;
        say(w, o);
    }
}

static void say_claimed(struct ledger_work *w, const struct ledger_step *s)
{
    struct obs o = decided(w, OBS_LEDGER_CLAIMED, s, 0);
    o.fence = s->fence;
    o.a = w->n->record.protocol;
    if (s->kind == STEP_REQUEST) {
        o.partition = s->request.partition;
        o.key = s->request.key;
        o.a = s->request.protocol;
    }
    uint32_t claimed = say(w, o);
    say_owners(w, claimed);
    w->said = claimed;
}

static void say_repeated(struct ledger_work *w, const struct ledger_step *s)
{
    struct obs o = about(w, OBS_LEDGER_REPEATED, s);
    o.fence = s->fence;
    o.key = s->request.key;
    say(w, o);
}

static void say_without_owner(struct ledger_work *w, enum obs_kind kind,
                              const struct ledger_step *s)
{
    struct obs o = decided(w, kind, s, 0);
    o.page = PAGE_NONE;
    o.fence = w->n->record.fence;
    say(w, o);
}

static void say_taken(struct ledger_work *w, const struct ledger_step *s)
{
    struct obs o = decided(w, OBS_LEDGER_TAKEN, s, s->op);
    o.a = w->n->record.task[s->op - 1].protocol;
    say(w, o);
}

static void say_committed(struct ledger_work *w, const struct ledger_step *s, uint32_t op,
                          enum commit_part part)
{
    struct obs o = decided(w, OBS_LEDGER_COMMITTED, s, op);
    o.a = part;
    say(w, o);
}

static void say_terminal(struct ledger_work *w, const struct ledger_step *s, uint32_t op)
{
    struct obs o = obs_make(OBS_LEDGER_TERMINAL, w->at, s->cause);
    o.op = op;
    say(w, o);
}

static void say_reconciled(struct ledger_work *w, const struct ledger_step *s, uint32_t op,
                           enum outcome outcome)
{
    struct obs o = decided(w, OBS_LEDGER_RECONCILED, s, op);
    o.b = outcome;
    say(w, o);
}

static void say_parts(struct ledger_work *w, const struct ledger_step *s, uint32_t op,
                      uint32_t parts)
{
    if (parts & 1u << PART_CURSOR) say_committed(w, s, w->n->record.cursor, PART_CURSOR);
    if (parts & 1u << PART_DELETE) {
        say_committed(w, s, op, PART_DELETE);
        say_terminal(w, s, op);
    }
}

static void say_permit(struct ledger_work *w, const struct ledger_step *s)
{
    const struct ledger_record *rec = &w->n->record;
    struct obs o = about(w, OBS_LEDGER_PERMIT, s);
    o.partition = s->request.partition;
    o.key = rec->permit.id;
    o.fence = rec->fence;
    o.a = rec->permit.elsewhere ? 3 : rec->expired ? 1 : 2;
    say(w, o);
}

static void say_enqueued(struct ledger_work *w, const struct ledger_step *s)
{
    struct obs o = about(w, OBS_LEDGER_ENQUEUED, s);
    o.fence = (struct fence){ 0, 0, 0 };
    o.op = s->request.op;
    say(w, o);
}

static void say_server_done(struct ledger_work *w, const struct ledger_step *s)
{
    if (s->reconciles)
        say_reconciled(w, s, s->op, OUTCOME_DONE);
    else if (!s->repeated)
        say_committed(w, s, s->op, PART_ACK);
    say_parts(w, s, s->op, 1u << PART_CURSOR | 1u << PART_DELETE);
}

static void observe_request(struct ledger_work *w, const struct ledger_step *s)
{
    const struct request *r = &s->request;
    switch (r->kind) {
    case REQ_CLAIM: s->repeated ? say_repeated(w, s) : say_claimed(w, s); break;
    case REQ_RENEW: say(w, decided(w, OBS_LEDGER_RENEWED, s, 0)); break;
    case REQ_RELEASE:
        if (!s->repeated) say(w, decided(w, OBS_LEDGER_RELEASED, s, 0));
        break;
    case REQ_TAKE: say_taken(w, s); break;
    case REQ_COMMIT: say_parts(w, s, r->op, s->parts); break;
    case REQ_ACK:
        if (s->acts) say_committed(w, s, r->op, PART_ACK);
        break;
    case REQ_RECONCILE:
        if (!s->repeated) say_reconciled(w, s, r->op, r->outcome);
        break;
    case REQ_PERMIT:
        if (s->acts) say_permit(w, s);
        break;
    case REQ_SUBMIT:
        if (s->acts) say_enqueued(w, s);
        break;
    default: break; /* SUBSCRIBE, STATUS: questions */
    }
}

void ledger_observe(struct ledger_work *w, const struct ledger_step *s)
{
    switch (s->kind) {
    case STEP_REQUEST: observe_request(w, s); break;
    case STEP_EXPIRE: say_without_owner(w, OBS_LEDGER_EXPIRED, s); break;
    case STEP_SERVER_CLAIM: say_claimed(w, s); break;
    case STEP_SERVER_TAKE: say_taken(w, s); break;
    case STEP_SERVER_DONE: say_server_done(w, s); break;
    case STEP_REOPEN: say_without_owner(w, OBS_LEDGER_REOPENED, s); break;
    case STEP_EPOCH:
        say_without_owner(w, OBS_LEDGER_EPOCH, s);
        say_owners(w, w->said);
        break;
    case STEP_ADOPT: break;
    }
}

static bool carries_index(uint16_t kind)
{
    return kind == OBS_LEDGER_CLAIMED || kind == OBS_LEDGER_RENEWED ||
           kind == OBS_LEDGER_RELEASED || kind == OBS_LEDGER_EXPIRED || kind == OBS_LEDGER_TAKEN ||
           kind == OBS_LEDGER_COMMITTED || kind == OBS_LEDGER_RECONCILED ||
           kind == OBS_LEDGER_EPOCH || kind == OBS_LEDGER_REOPENED;
}

/* Has decision `index`, which was `s`, been told by the node that made it? Asked by a new primary
 * about the one decision that it cannot know of; only what is told depends on it. */
bool ledger_observed(const struct ledger_node *n, const struct ledger_step *s, uint32_t index)
{
    bool permit = s->kind == STEP_REQUEST && s->request.kind == REQ_PERMIT;
    bool submit = s->kind == STEP_REQUEST && s->request.kind == REQ_SUBMIT;
    for (uint32_t i = n->history->n; i-- > 0;) {
        const struct obs *o = &n->history->at[i];
        if (permit && o->kind == OBS_LEDGER_PERMIT && o->key == n->record.permit.id) return true;
        if (submit && o->kind == OBS_LEDGER_ENQUEUED && o->op == s->request.op) return true;
        if (carries_index(o->kind) && o->c >= index) return true;
    }
    return index == 0;
}

/* What this node would accept without another's word. A quorum's node accepts nothing so. */
void ledger_tell_accepts(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    const struct ledger_record *rec = &n->record;
    if (n->layout == LAYOUT_QUORUM) return;
    bool any = n->up && rec->held;
    uint16_t page = !any ? PAGE_NONE : rec->server_holds ? PAGE_SERVER : rec->owner_page;
    struct fence fence = any ? rec->fence : (struct fence){ 0, 0, 0 };
    if (n->accepts.page == page && fence_equal(n->accepts.fence, fence)) return;
    n->accepts.fence = fence;
    n->accepts.page = page;
    struct obs o = obs_make(OBS_LEDGER_ACCEPTABLE, w->at, w->said);
    o.node = n->id;
    o.page = page;
    o.fence = fence;
    history_add(n->history, &o);
}

/* ---- answers --------------------------------------------------------------------- */

static void send(struct ledger_work *w, const struct ledger_step *s, const struct answer *a)
{
    must(w->out->n < LEDGER_OUT_MAX);
    uint32_t i = w->out->n++;
    w->out->at[i].kind = LEDGER_ANSWER;
    w->out->at[i].cause = w->said;
    w->out->at[i].as.answer.answer = *a;
    w->out->at[i].as.answer.page = s->request.page;
    w->out->at[i].as.answer.device = s->request.device;
}

/* Answered UNAVAILABLE, REDIRECT: this node cannot decide. */
void ledger_refuse(struct ledger_work *w, const struct ledger_step *s, enum answer_result result)
{
    const struct request *r = &s->request;
    struct obs o = about(w, OBS_LEDGER_REFUSED, s);
    o.a = r->kind;
    o.b = result;
    o.op = r->op;
    say(w, o);
    struct answer a = {
        .request = r->id, .kind = r->kind, .result = result, .op = r->op, .sent = r->sent
    };
    a.node_hint = result == ANS_REDIRECT ? w->n->primary_id : NODE_NONE;
    send(w, s, &a);
}

/* Taken by earlier generations and not finished; the lowest numbers first. More than fit are
 * listed to the next generation: a page has one in flight, and finishes what it is told of. */
static void list_unreconciled(const struct ledger_node *n, struct fence owner, struct answer *a)
{
    const struct ledger_record *rec = &n->record;
    bool all = ledger_has(n, POLICY_ANYBODYS_TASK);
    for (uint32_t i = 0; i < rec->tasks && a->unreconciled_n < UNRECONCILED_MAX; i++) {
        const struct task *t = &rec->task[i];
        bool left = (t->state == TASK_TAKEN && t->unreconciled) || t->state == TASK_ACKED;
        if (all && t->state == TASK_TAKEN) left = true;
        if (left && (all || fence_equal(t->owner, owner)))
            a->unreconciled[a->unreconciled_n++] = i + 1;
    }
}

static int64_t lease_left_us(const struct ledger_record *rec, struct fence f, struct local now)
{
    if (!ledger_page_led(rec) || !fence_equal(rec->fence, f)) return 0;
    return rec->lease_end.us > now.us ? rec->lease_end.us - now.us : 0;
}

static void answer(struct ledger_work *w, const struct ledger_step *s)
{
    const struct ledger_record *rec = &w->n->record;
    const struct request *r = &s->request;
    bool ok = s->result == ANS_OK;
    struct answer a = { .request = r->id,
                        .kind = r->kind,
                        .result = s->result,
                        .fence = rec->fence,
                        .op = r->kind == REQ_TAKE ? s->op : r->op,
                        .wait_us = s->wait_us,
                        .more_tasks = rec->open,
                        .node_hint = NODE_NONE,
                        .sent = r->sent };
    if (r->kind == REQ_CLAIM && ok) {
        a.fence = s->fence;
        list_unreconciled(w->n, s->fence, &a);
    }
    if (r->kind == REQ_TAKE && ok && s->repeated) a.unreconciled[a.unreconciled_n++] = s->op;
    if (r->kind == REQ_RENEW) a.sequence = rec->renew_sequence;
    if (r->kind == REQ_PERMIT && ok) a.permit = rec->permit.id;
    if (s->result == ANS_OK || s->result == ANS_NOT_EXTENDED)
        if (r->kind != REQ_PERMIT) a.wait_us = lease_left_us(rec, a.fence, w->now);
    send(w, s, &a);
}

/* ---- pushes ---------------------------------------------------------------------- */

struct push ledger_state(const struct ledger_node *n)
{
    const struct ledger_record *rec = &n->record;
    struct push p = { .kind = PUSH_VACANT,
                      .fence = rec->fence,
                      .tasks = rec->queued,
                      .leader_partition = PARTITION_NONE };
    if (rec->closed) {
        p.kind = PUSH_CLOSED;
    } else if (ledger_page_led(rec)) {
        p.kind = PUSH_LED;
        p.leader_partition = rec->owner_partition;
    } else if (rec->expired) {
        p.kind = PUSH_EXPIRED;
    }
    return p;
}

void ledger_push(struct ledger_work *w, enum push_kind kind)
{
    struct ledger_node *n = w->n;
    if (n->subscribers == 0 || n->authority == AUTHORITY_INDEXEDDB) return;
    must(w->out->n < LEDGER_OUT_MAX);
    struct push p = ledger_state(n);
    p.kind = kind;
    uint32_t i = w->out->n++;
    w->out->at[i].kind = LEDGER_PUSH;
    w->out->at[i].cause = w->said;
    w->out->at[i].as.push = p;
}

static void push_request(struct ledger_work *w, const struct ledger_step *s)
{
    const struct ledger_record *rec = &w->n->record;
    switch (s->request.kind) {
    case REQ_CLAIM: ledger_push(w, PUSH_LED); break;
    case REQ_RELEASE: ledger_push(w, PUSH_VACANT); break;
    case REQ_SUBMIT: /* later ones are told by `more_tasks` */
        if (ledger_page_led(rec) && rec->queued == 1) ledger_push(w, PUSH_TASK);
        break;
    default: break;
    }
}

static void push_own(struct ledger_work *w, const struct ledger_step *s)
{
    switch (s->kind) {
    case STEP_EXPIRE:
        ledger_push(w, PUSH_EXPIRED);
        w->n->pushed = w->now;
        break;
    case STEP_EPOCH: ledger_push(w, PUSH_CLOSED); break;
    case STEP_REOPEN: ledger_push(w, PUSH_REOPENED); break;
    case STEP_SERVER_TAKE: lease_drain(w, s->op); break;
    case STEP_SERVER_DONE: w->n->drain_op = 0; break;
    default: break; /* that the server leads ends no follower's wait */
    }
}

void ledger_finish(struct ledger_work *w, const struct ledger_step *s)
{
    w->said = s->cause;
    if (s->result == ANS_OK || s->parts != 0) ledger_observe(w, s);
    if (s->kind != STEP_REQUEST) {
        ledger_tell_accepts(w);
        if (s->result == ANS_OK) push_own(w, s);
        return;
    }
    if (s->result != ANS_OK) {
        struct obs o = about(w, OBS_LEDGER_REFUSED, s);
        o.a = s->request.kind;
        o.b = s->result;
        o.op = s->request.op;
        say(w, o);
    }
    ledger_tell_accepts(w);
    answer(w, s);
    if (s->acts) push_request(w, s);
}
