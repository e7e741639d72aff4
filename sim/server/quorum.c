/* Three nodes that decide together: synchronous storing, elections, a primary that knows
 * for how long it may speak alone.
 *
 * Deciding. The primary of a view makes a proposal in `stored`, sends the whole record, and
 * decides when a majority (itself included) has stored it. One proposal at a time. Records are
 * ordered by (record.view, index); a node replaces its own by a newer one and by no other.
 *
 * Speaking. Refusals and questions are not stored, so a primary answers them only while a
 * majority has answered something that it sent less than QUORUM_TRUST_US ago; a node that has
 * heard a primary less than QUORUM_ELECTION_US ago votes for nobody. So no two primaries
 * speak at once, as long as clocks drift apart by less than the difference over that time.
 *
 * Electing. A replica that misses the primary stands for a new view. Nodes vote once a view,
 * with their record; the newest record of a majority is taken, stored again under the new view
 * (it may have been decided, or not: nobody can know), and only then does the new primary
 * decide. A candidate adopts its view when it wins: one that was merely cut off comes back
 * without disturbing anybody, since others keep hearing their primary and do not vote.
 *
 * Clocks. A record's times are by its keeper's clock and are shifted on receipt by (receipt -
 * sending), so that a lease can only seem longer. A new primary gives the old owner
 * permit_grace to renew: it moves the lease end there if that is later. An expiry that was
 * decided stays.
 *
 * async-replica-promoted: the primary answers at once and ships the record with the next
 * sign of life; a vote's record is not looked at; nobody asks for a majority to speak. */
#include "sim/server/ledger_internal.h"

#include "sim/base/must.h"

static bool is_async(const struct ledger_node *n)
{
    return ledger_has(n, POLICY_ASYNC_REPLICA);
}

static bool majority(uint32_t bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LEDGER_NODES; i++) count += (bits >> i) & 1;
    return 2 * count > LEDGER_NODES;
}

/* A majority has answered to this primary a short time ago. */
static bool trusted(const struct ledger_node *n, struct local now)
{
    uint32_t bits = 1u << n->id;
    for (uint32_t i = 0; i < LEDGER_NODES; i++)
        if (now.us - n->echo[i].us < QUORUM_TRUST_US) bits |= 1u << i;
    return majority(bits);
}

bool quorum_can_decide(const struct ledger_node *n, struct local now)
{
    if (!n->up || n->layout == LAYOUT_SINGLE) return n->up;
    return n->primary && (is_async(n) || trusted(n, now));
}

bool quorum_adopting(const struct ledger_node *n)
{
    return n->busy && n->deciding.kind == STEP_ADOPT;
}

/* For those who ask the node, and to notice that a majority is back. */
void quorum_note_decides(struct ledger_work *w)
{
    w->n->decides = quorum_can_decide(w->n, w->now) && !quorum_adopting(w->n);
}

bool quorum_answers_early(const struct ledger_node *n, const struct ledger_step *s)
{
    if (is_async(n)) return true;
    if (s->kind != STEP_REQUEST) return false;
    if (s->request.kind == REQ_COMMIT) return ledger_has(n, POLICY_COMMIT_ALONE);
    if (s->request.kind == REQ_CLAIM) return ledger_has(n, POLICY_FORGETS_GENERATION);
    return s->request.kind == REQ_SUBMIT && ledger_has(n, POLICY_LOSES_OPERATION);
}

/* ---- sending --------------------------------------------------------------------- */

static struct node_message *message_to(struct ledger_work *w, uint8_t to)
{
    struct ledger_node *n = w->n;
    struct ledger_out *out = w->out;
    must(to != n->id);
    must(out->messages < LEDGER_NODES * 2);
    must(out->n < LEDGER_OUT_MAX);
    out->at[out->n].kind = LEDGER_NODE_MESSAGE;
    out->at[out->n].cause = w->cause;
    out->at[out->n].as.message = out->messages;
    out->n++;
    struct node_message *m = &out->message[out->messages++];
    m->from = n->id;
    m->to = to;
    m->view = n->view;
    m->record_view = n->stored.view;
    m->index = n->stored.index;
    m->yes = false;
    m->sent = w->now;
    m->echo = (struct local){ INT64_MIN / 2 };
    return m;
}

static void send_store(struct ledger_work *w, uint8_t to)
{
    struct node_message *m = message_to(w, to);
    m->kind = NODE_STORE;
    m->record = w->n->stored;
}

static void send_everybody(struct ledger_work *w, bool store)
{
    for (uint8_t i = 0; i < LEDGER_NODES; i++) {
        if (i == w->n->id) continue;
        if (store && !(w->n->stored_votes >> i & 1))
            send_store(w, i);
        else
            message_to(w, i)->kind = NODE_ALIVE;
    }
    w->n->told = w->now;
    ledger_arm(w, TIMER_ALIVE, local_after(w->now, QUORUM_ALIVE_US));
}

static void arm_election(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    struct local since = local_later(n->primary_heard, n->waits_since);
    ledger_arm(w, TIMER_ELECTION,
               local_after(since, QUORUM_ELECTION_US + n->id * QUORUM_STAGGER_US));
}

/* ---- records --------------------------------------------------------------------- */

static bool is_newer(uint32_t view, uint32_t index, const struct ledger_record *than)
{
    return view != than->view ? view > than->view : index > than->index;
}

/* Takes a record over from another node, its times by our clock. */
static void take_record(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    int64_t shift = w->now.us - m->sent.us;
    n->stored = m->record;
    n->stored.lease_end.us += shift;
    n->stored.vacant_since.us += shift;
    n->stored.permit.until.us += shift;
    n->record = n->stored;
}

/* ---- deciding -------------------------------------------------------------------- */

void quorum_propose(struct ledger_work *w, const struct ledger_step *s)
{
    struct ledger_node *n = w->n;
    must(n->primary);
    must(!n->busy);
    n->busy = true;
    n->deciding = *s;
    n->stored = n->record;
    step_apply(n, &n->stored, &n->deciding);
    n->stored_votes = 1u << n->id;
    send_everybody(w, true);
}

/* The new primary's first: what it found becomes what a majority has stored in its view. */
static void propose_found(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    struct ledger_record *rec = &n->stored;
    n->grace = true;
    n->grace_until = local_after(w->now, n->contract->permit_grace_us);
    rec->view = n->view;
    if (ledger_page_led(rec)) rec->lease_end = local_later(rec->lease_end, n->grace_until);
    n->record = *rec;
    n->busy = !is_async(n);
    n->deciding = (struct ledger_step){ .kind = STEP_ADOPT, .cause = w->cause };
    n->stored_votes = 1u << n->id;
    send_everybody(w, true);
}

static void finish_found(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    const struct ledger_step *last = &n->record.last;
    if (n->record.index == 0 || ledger_observed(n, last, n->record.index)) return;
    ledger_observe(w, last); /* its sender asks again, and finds it done */
}

static void commit_if_stored(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    if (!n->busy || !majority(n->stored_votes) || !trusted(n, w->now)) return;
    struct ledger_step s = n->deciding;
    n->busy = false;
    n->record = n->stored;
    if (s.kind == STEP_ADOPT)
        finish_found(w);
    else
        ledger_finish(w, &s);
    quorum_note_decides(w);
    ledger_settle(w);
}

static void refuse_waiting(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    for (uint32_t i = 0; i < n->waiting_n; i++)
        if (n->waiting[i].kind == STEP_REQUEST) ledger_refuse(w, &n->waiting[i], ANS_UNAVAILABLE);
    n->waiting_n = 0;
}

/* A newer view exists. What was being decided may yet turn out to be decided: no answer. */
static void step_down(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    refuse_waiting(w);
    n->primary = false;
    n->busy = false;
    n->drain_op = 0;
    n->late_n = 0;
    n->record = n->stored;
    n->waits_since = w->now;
    quorum_note_decides(w);
    arm_election(w);
}

void quorum_alive(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    if (!n->primary) return;
    struct local due = local_after(n->told, QUORUM_ALIVE_US);
    if (w->now.us < due.us) {
        ledger_arm(w, TIMER_ALIVE, due);
        return;
    }
    quorum_note_decides(w);
    if (!quorum_can_decide(n, w->now)) refuse_waiting(w);
    if (is_async(n)) n->stored_votes = 1u << n->id;
    send_everybody(w, n->busy || is_async(n));
}

/* ---- following ------------------------------------------------------------------- */

static void follow(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    if (n->primary) {
        must(m->view > n->view);
        step_down(w);
    }
    n->view = m->view;
    n->primary_id = m->from;
    n->primary_heard = w->now;
    n->standing = 0;
    arm_election(w);
}

/* STORE and ALIVE are answered alike: with what is stored here. */
static void on_primary(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    bool current = m->view >= n->view;
    if (current) follow(w, m);
    if (current && m->kind == NODE_STORE && is_newer(m->record_view, m->index, &n->stored))
        take_record(w, m);
    struct node_message *reply = message_to(w, m->from);
    reply->kind = NODE_STORED;
    reply->yes = current;
    reply->echo = m->sent;
}

static void on_stored(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    if (m->view > n->view) {
        if (n->primary) step_down(w);
        n->view = m->view;
        n->primary_id = NODE_NONE;
    }
    if (!n->primary || !m->yes || m->view != n->view) return;
    n->echo[m->from] = local_later(n->echo[m->from], m->echo);
    bool same = m->record_view == n->stored.view && m->index == n->stored.index;
    if (same) n->stored_votes |= 1u << m->from;
    if (!same && m->echo.us >= n->told.us && !is_async(n)) send_store(w, m->from);
    bool deaf = !n->decides;
    quorum_note_decides(w);
    commit_if_stored(w);
    if (deaf && n->decides) ledger_settle(w); /* what became due meanwhile */
}

/* ---- electing -------------------------------------------------------------------- */

void quorum_election(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    if (n->primary) return;
    int64_t patience = QUORUM_ELECTION_US + n->id * QUORUM_STAGGER_US;
    struct local since = local_later(n->primary_heard, n->waits_since);
    if (w->now.us - since.us >= patience) {
        n->standing = (n->view > n->voted_view ? n->view : n->voted_view) + 1;
        n->voted_view = n->standing;
        n->votes = 1u << n->id;
        n->waits_since = w->now;
        for (uint32_t i = 0; i < LEDGER_NODES; i++) n->echo[i] = (struct local){ INT64_MIN / 2 };
        for (uint8_t i = 0; i < LEDGER_NODES; i++) {
            if (i == n->id) continue;
            struct node_message *m = message_to(w, i);
            m->kind = NODE_VOTE_ASK;
            m->view = n->standing;
        }
    }
    arm_election(w);
}

static bool votes_for(const struct ledger_node *n, const struct node_message *m, struct local now)
{
    if (m->view <= n->view || m->view <= n->voted_view) return false;
    if (n->primary) return !quorum_can_decide(n, now);
    return now.us - n->primary_heard.us >= QUORUM_ELECTION_US;
}

static void on_vote_ask(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    bool yes = votes_for(n, m, w->now);
    if (yes) {
        if (n->primary) step_down(w);
        n->voted_view = n->view = m->view; /* nothing of an older view is stored from now on */
        n->standing = 0;
        n->primary_id = NODE_NONE;
        n->primary_heard = w->now; /* for as long, no other candidate is heard */
        arm_election(w);
    }
    struct node_message *reply = message_to(w, m->from);
    reply->kind = NODE_VOTE;
    reply->yes = yes;
    reply->echo = m->sent;
    if (yes)
        reply->record = n->stored;
    else if (n->voted_view > reply->view)
        reply->view = n->voted_view;
}

static void on_vote(struct ledger_work *w, const struct node_message *m)
{
    struct ledger_node *n = w->n;
    if (!m->yes && !n->primary && m->view > n->voted_view)
        n->voted_view = m->view; /* the next time it stands higher */
    if (!m->yes || n->standing == 0 || m->view != n->standing) return;
    n->votes |= 1u << m->from;
    n->echo[m->from] = local_later(n->echo[m->from], m->echo);
    if (!is_async(n) && is_newer(m->record_view, m->index, &n->stored)) take_record(w, m);
    if (!majority(n->votes)) return;
    n->view = n->standing;
    n->standing = 0;
    n->primary = true;
    n->primary_id = n->id;
    propose_found(w);
    quorum_note_decides(w);
    ledger_settle(w);
}

void quorum_message(struct ledger_work *w, const struct node_message *m)
{
    switch (m->kind) {
    case NODE_STORE:
    case NODE_ALIVE: on_primary(w, m); break;
    case NODE_STORED: on_stored(w, m); break;
    case NODE_VOTE_ASK: on_vote_ask(w, m); break;
    case NODE_VOTE: on_vote(w, m); break;
    }
}

/* ---- beginning ------------------------------------------------------------------- */

/* Node 0 is the primary of view 1, and everybody has heard so. */
void quorum_boot(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    n->view = n->voted_view = 1;
    n->record.view = n->stored.view = 1;
    n->primary = n->id == 0;
    n->primary_id = 0;
    n->primary_heard = n->waits_since = n->told = w->now;
    for (uint32_t i = 0; i < LEDGER_NODES; i++) n->echo[i] = w->now;
    if (n->primary)
        ledger_arm(w, TIMER_ALIVE, local_after(w->now, QUORUM_ALIVE_US));
    else
        arm_election(w);
}

/* It may have promised a primary before it fell not to vote for a while: it waits that long. */
void quorum_restart(struct ledger_work *w)
{
    struct ledger_node *n = w->n;
    n->record = n->stored;
    n->primary_heard = n->waits_since = w->now;
    arm_election(w);
}
