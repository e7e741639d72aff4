#include "tools/adapter/sql/ledger.h"

#include <string.h>

#include "tools/adapter/sql/statements.h"

const char *const mistake_word[MISTAKES] = {
    [MISTAKE_NONE] = "none",
    [READ_THEN_WRITE] = "read-then-write",
    [CONDITION_MISSING] = "condition-missing",
    [HOST_CLOCKS] = "host-clocks",
    [FENCE_OUTSIDE] = "fence-outside",
};

/* The columns of `state`, in their order. */
enum {
    INCARNATION,
    EPOCH,
    GENERATION,
    HELD,
    CLOSED,
    EXPIRED,
    PROTOCOL,
    LEASE_END,
    RENEWALS,
    PAGE_LEADS,
    PERMITS,
    PERMIT_TAB,
    PERMIT_UNTIL,
    NO_PERMIT_BEFORE,
};

static bool run(struct session *s, const char *name)
{
    session_run(s, statement(name));
    return s->rows.n > 0;
}

/* Runs a statement with another text, which one of the mistakes needs. */
static bool run_text(struct session *s, const char *sql)
{
    session_run(s, sql);
    return s->rows.n > 0;
}

static int64_t *row(struct session *s)
{
    return s->rows.at[0];
}

/* -- answers -------------------------------------------------------------------------- */

static json_t *answer(const char *result)
{
    return json_pack("{ss}", "result", result);
}

static json_t *with(json_t *a, const char *key, int64_t n)
{
    json_object_set_new(a, key, json_integer(n));
    return a;
}

static json_t *with_fence(json_t *a, const int64_t *fence)
{
    json_object_set_new(a, "fence",
                        json_pack("[III]", (json_int_t)fence[INCARNATION], (json_int_t)fence[EPOCH],
                                  (json_int_t)fence[GENERATION]));
    return a;
}

/* -- a fence -------------------------------------------------------------------------- */

static bool shows_fence(const struct session *s, const int64_t *state)
{
    return state[INCARNATION] == s->params.incarnation && state[EPOCH] == s->params.epoch &&
           state[GENERATION] == s->params.generation;
}

static void show_fence(struct session *s, const int64_t *fence)
{
    s->params.incarnation = fence[INCARNATION];
    s->params.epoch = fence[EPOCH];
    s->params.generation = fence[GENERATION];
}

/* NULL: the one who asks leads. Leaves the state in the rows. */
static json_t *refusal(struct session *s)
{
    run(s, "state");
    const int64_t *state = row(s);
    if (state[CLOSED]) return answer("EPOCH_CLOSED");
    if (!state[HELD] || !shows_fence(s, state)) return with_fence(answer("FENCED"), state);
    if (s->params.protocol < state[PROTOCOL]) return answer("PROTOCOL_TOO_OLD");
    return NULL;
}

/* -- claim, renew, release ------------------------------------------------------------- */

static json_t *claimed(struct session *s, const int64_t *fence_)
{
    int64_t fence[] = { fence_[INCARNATION], fence_[EPOCH], fence_[GENERATION] };
    json_t *a = with_fence(answer("OK"), fence), *open = json_array();
    show_fence(s, fence);
    run(s, "state");
    const int64_t *state = row(s);
    bool leads = state[PAGE_LEADS] && shows_fence(s, state);
    with(a, "wait", leads ? state[LEASE_END] - s->params.now : 0);
    run(s, "left-open");
    for (uint32_t i = 0; i < s->rows.n; i++)
        json_array_append_new(open, json_integer(s->rows.at[i][0]));
    json_object_set_new(a, "unreconciled", open);
    return a;
}

static json_t *not_claimed(struct session *s)
{
    run(s, "state");
    const int64_t *state = row(s);
    if (state[CLOSED]) return answer("EPOCH_CLOSED");
    if (s->params.protocol < state[PROTOCOL]) return answer("PROTOCOL_TOO_OLD");
    return with(answer("WAIT"), "wait", state[LEASE_END] - s->params.now);
}

/* The mistake: between the two another claim may have read the same generation. */
static bool read_then_write(struct session *s)
{
    run(s, "state");
    s->params.generation = row(s)[GENERATION] + 1;
    return run_text(s, "update fence_ledger set generation = :generation, held = true, "
                       "expired = false, server_holds = false, partition_key = :partition, "
                       "protocol = :protocol, lease_end = :now + :ttl, "
                       "renewals_at_claim = renewals, permit_tab = 0, permit_until = 0 "
                       "where not closed and protocol <= :protocol "
                       "and (not held or server_holds or partition_key = :partition) "
                       "returning incarnation, epoch, generation");
}

static json_t *claim(struct session *s)
{
    if (run(s, "claim-known")) return claimed(s, row(s));
    bool taken = s->mistake == READ_THEN_WRITE ? read_then_write(s) : run(s, "claim");
    if (!taken) return not_claimed(s);
    int64_t fence[] = { row(s)[INCARNATION], row(s)[EPOCH], row(s)[GENERATION] };
    show_fence(s, fence);
    run(s, "claim-kept");
    run(s, "hand-over");
    return claimed(s, fence);
}

static json_t *renew(struct session *s)
{
    if (run(s, "renew"))
        return with(with(answer("OK"), "sequence", row(s)[0]), "wait", s->params.ttl);
    json_t *no = refusal(s);
    if (no) return no;
    const int64_t *state = row(s);
    no = with(answer("NOT_EXTENDED"), "sequence", state[RENEWALS]);
    return with(no, "wait", state[LEASE_END] - s->params.now);
}

static json_t *release(struct session *s)
{
    if (run(s, "release")) return answer("OK");
    json_t *no = refusal(s);
    const int64_t *state = row(s);
    bool before = !state[HELD] && !state[EXPIRED] && shows_fence(s, state);
    if (!before || state[CLOSED]) return no;
    json_decref(no);
    return answer("OK");
}

/* -- the outbox ------------------------------------------------------------------------ */

static json_t *submit(struct session *s)
{
    if (s->params.op < 1) return answer("REFUSED");
    run(s, "submit");
    return answer("OK");
}

static json_t *take(struct session *s)
{
    if (run(s, "taken-before"))
        return json_pack("{sssIs[I]}", "result", "OK", "op", (json_int_t)row(s)[0], "unreconciled",
                         (json_int_t)row(s)[0]);
    if (run(s, "take")) return with(answer("OK"), "op", row(s)[0]);
    json_t *no = refusal(s);
    if (no) return no;
    return answer(run(s, "any-queued") ? "PROTOCOL_TOO_OLD" : "EMPTY");
}

/* Why a write to a task changed nothing: the fence, a task that is done (which is as good as
 * written again), or one that is not the sender's. */
static json_t *unwritten(struct session *s, bool mine_will_do)
{
    json_t *no = refusal(s);
    if (no) return no;
    bool there = run(s, "task");
    bool done = there && row(s)[0], mine = there && row(s)[2];
    return answer(done || (mine && mine_will_do) ? "OK" : "REFUSED");
}

static json_t *ack(struct session *s)
{
    bool written;
    if (s->mistake == CONDITION_MISSING)
        written = run_text(s, "update outbox_task set state = 'acked' "
                              "where op = :op and state in ('taken', 'acked') returning op");
    else if (s->mistake == FENCE_OUTSIDE)
        written = run_text(s, "update outbox_task set state = 'acked' where op = :op "
                              "and state in ('taken', 'acked') returning op");
    else
        written = run(s, "ack");
    return written ? answer("OK") : unwritten(s, false);
}

static bool asks_for(const struct session *s, const char *part)
{
    const json_t *parts = json_object_get(s->request, "parts");
    for (size_t i = 0; i < json_array_size(parts); i++)
        if (strcmp(json_string_value(json_array_get(parts, i)), part) == 0) return true;
    return false;
}

/* Both parts or none: the delete says whether the task may be committed at all. */
static json_t *commit(struct session *s)
{
    bool place = asks_for(s, "cursor"), delete = asks_for(s, "delete");
    if (delete &&!run(s, "delete")) return unwritten(s, false);
    if (place && !run(s, "place")) return unwritten(s, false);
    if (place || delete) return answer("OK");
    json_t *no = refusal(s);
    if (no) return no;
    return answer(run(s, "task") && row(s)[0] ? "OK" : "REFUSED");
}

static json_t *reconcile(struct session *s)
{
    const char *outcome = json_string_value(json_object_get(s->request, "outcome"));
    if (strcmp(outcome, "done") == 0 && run(s, "ack")) return answer("OK");
    if (strcmp(outcome, "never-seen") == 0 && run(s, "seen")) return answer("OK");
    return unwritten(s, true);
}

/* -- a permit to steal ------------------------------------------------------------------ */

static json_t *permit(struct session *s)
{
    run(s, "state");
    int64_t now = s->params.now, wait = 0;
    const int64_t *state = row(s);
    if (state[CLOSED]) return answer("EPOCH_CLOSED");
    bool outstanding = now < state[PERMIT_UNTIL];
    if (outstanding && state[PERMIT_TAB] == s->params.tab)
        return with(answer("OK"), "permit", state[PERMITS]);
    if (state[NO_PERMIT_BEFORE] - now > wait) wait = state[NO_PERMIT_BEFORE] - now;
    if (outstanding && state[PERMIT_UNTIL] - now > wait) wait = state[PERMIT_UNTIL] - now;
    if (state[PAGE_LEADS] && state[LEASE_END] - now > wait) wait = state[LEASE_END] - now;
    if (wait > 0 || !run(s, "permit")) return with(answer("REFUSED"), "wait", wait);
    return with(answer("OK"), "permit", row(s)[0]);
}

/* -- from outside ---------------------------------------------------------------------- */

static const struct {
    const char *kind;
    json_t *(*handle)(struct session *);
} operations[] = {
    { "claim", claim },   { "renew", renew },   { "release", release },
    { "submit", submit }, { "take", take },     { "ack", ack },
    { "commit", commit }, { "permit", permit }, { "reconcile", reconcile },
};

static int64_t member(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static void read_request(struct session *s)
{
    const json_t *r = s->request, *fence = json_object_get(r, "fence");
    struct db_params *p = &s->params;
    p->now = s->now + s->clock_ahead;
    p->tab = member(r, "tab");
    p->partition = member(r, "partition");
    p->protocol = member(r, "protocol");
    p->claim = member(r, "claim");
    p->op = member(r, "op");
    p->acked = member(r, "acked");
    p->incarnation = json_integer_value(json_array_get(fence, 0));
    p->epoch = json_integer_value(json_array_get(fence, 1));
    p->generation = json_integer_value(json_array_get(fence, 2));
}

static void begin(struct session *s)
{
    run(s, "begin");
    run(s, "lock");
    run(s, "expire");
}

static json_t *in_transaction(struct session *s, json_t *(*handle)(struct session *))
{
    bool is_claim = handle == claim;
    if (s->mistake == READ_THEN_WRITE && is_claim) return handle(s);
    json_t *no = s->mistake == FENCE_OUTSIDE && handle == ack ? refusal(s) : NULL;
    if (no) return no;
    begin(s);
    json_t *a = handle(s);
    s->kind->script(s->db, "commit");
    return a;
}

json_t *ledger_handle(struct session *s)
{
    const char *kind = json_string_value(json_object_get(s->request, "kind"));
    read_request(s);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (!kind || strcmp(kind, operations[i].kind) != 0) continue;
        json_t *a = in_transaction(s, operations[i].handle);
        return with(a, "id", member(s->request, "id"));
    }
    db_die("no such request", kind ? kind : "(none)");
}

void ledger_reset(struct session *s, const json_t *boot)
{
    s->params.now = member(boot, "now");
    s->params.ttl = member(boot, "ttl");
    s->params.permitTtl = member(boot, "permitTtl");
    s->params.permitGrace = member(boot, "permitGrace");
    s->params.incarnation = member(boot, "incarnation");
    s->kind->script(s->db, statement("drop"));
    s->kind->script(s->db, statement("schema"));
    s->kind->run(s->db, statement("first-row"), &s->params, &s->rows);
}

bool ledger_event(struct session *s, const char *what, int64_t now)
{
    bool restart = strcmp(what, "restart") == 0, advance = strcmp(what, "advance-epoch") == 0;
    if (!restart && !advance && strcmp(what, "reopen") != 0) return false;
    bool steps = s->steps;
    s->steps = false;
    s->params.now = now;
    begin(s);
    run(s, restart ? "restarted" : advance ? "advance-epoch" : "reopen");
    if (advance) {
        show_fence(s, row(s));
        run(s, "hand-over");
    }
    s->kind->script(s->db, "commit");
    s->steps = steps;
    return true;
}
