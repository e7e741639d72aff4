/* The sentence of each kind of observation. See story.h. */
#include <inttypes.h>

#include "reports/story.h"
#include "sim/base/fault.h"

/* -- names ---------------------------------------------------------------------------- */

static void say_page(FILE *f, const struct trace *t, uint16_t page)
{
    const struct trace_page *p = &t->page[page];
    if (page == PAGE_SERVER)
        fputs("the server", f);
    else if (!p->known)
        fprintf(f, "page %u", page);
    else if (p->shares_tab) /* the tab alone would be ambiguous */
        fprintf(f, "tab %u (page %u)", p->tab, page);
    else
        fprintf(f, "tab %u", p->tab);
}

static void say_fence(FILE *f, struct fence fence)
{
    if (fence_is_none(fence)) {
        fputs("no generation", f);
        return;
    }
    fprintf(f, "generation %" PRIu32, fence.generation);
    if (fence.epoch > 1) fprintf(f, " of epoch %" PRIu32, fence.epoch);
    if (fence.incarnation > 1) fprintf(f, " of ledger %" PRIu32, fence.incarnation);
}

static void say_seconds(FILE *f, int64_t us)
{
    fprintf(f, "%" PRId64 ".%" PRId64 " s", us / US_PER_S, us % US_PER_S / (100 * US_PER_MS));
}

/* The fence under which the page believed that it led, or none. */
static struct fence held_by(const struct trace *t, uint16_t page, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;) {
        const struct obs *o = &t->history->at[i];
        if (o->page == page && o->kind == OBS_BELIEF_BEGAN) return o->fence;
        if (o->page == page && o->kind == OBS_BELIEF_ENDED) break;
    }
    return (struct fence){ 0, 0, 0 };
}

static void say_holding(FILE *f, const struct trace *t, const struct obs *o)
{
    struct fence held = held_by(t, o->page, o->number);
    if (fence_is_none(held)) return;
    fputs(" holding ", f);
    say_fence(f, held);
}

static const struct obs *issue_of(const struct trace *t, const struct obs *o)
{
    for (uint32_t i = o->number; i-- > 0;) {
        const struct obs *e = &t->history->at[i];
        if (e->kind == OBS_REQUEST_ISSUED && e->request == o->request) return e;
    }
    return NULL;
}

/* "(asked for at 5.850 s)", where that was a while ago. */
static void say_asked(FILE *f, const struct trace *t, const struct obs *o)
{
    const struct obs *e = issue_of(t, o);
    if (!e || o->at.us - e->at.us < 300 * US_PER_MS) return;
    fprintf(f, " (asked for at %" PRId64 ".%03" PRId64 " s)", e->at.us / US_PER_S,
            e->at.us / US_PER_MS % 1000);
}

static void say_cause(FILE *f, const struct trace *t, const struct obs *o)
{
    if (o->cause >= o->number) return;
    const struct obs *c = &t->history->at[o->cause];
    if (c->kind == OBS_FAULT_BEGUN)
        fprintf(f, " (fault %" PRIu32 ", %s)", c->op, fault_info[c->a].word);
}

/* -- requests ------------------------------------------------------------------------- */

static const char *const asked_for[REQ_COUNT] = {
    [REQ_NONE] = "something",
    [REQ_CLAIM] = "the next generation",
    [REQ_RENEW] = "more time",
    [REQ_RELEASE] = "release",
    [REQ_TAKE] = "a task",
    [REQ_COMMIT] = "the commit of the cursor",
    [REQ_ACK] = "the acknowledgement",
    [REQ_RECONCILE] = "reconciliation",
    [REQ_PERMIT] = "a permit to steal",
    [REQ_SUBMIT] = "submission",
    [REQ_SUBSCRIBE] = "a stream",
    [REQ_STATUS] = "the ledger's state",
    [REQ_EFFECT] = "the effect",
    [REQ_OUTCOME] = "the outcome",
    [REQ_REFRESH] = "a refresh of the session",
    [REQ_SIGN_OUT] = "the end of the session",
    [REQ_FOLLOW] = "the live events",
    [REQ_UNFOLLOW] = "the end of its subscription",
};

static void say_operation(FILE *f, uint32_t op)
{
    if (op) fprintf(f, " of operation %" PRIu32, op);
}

static void say_issued(FILE *f, const struct trace *t, const struct obs *o)
{
    say_page(f, t, o->page);
    if (o->a == REQ_RELEASE)
        fputs(" gave back ", f), say_fence(f, o->fence);
    else if (o->a == REQ_CLAIM)
        fputs(" claimed the next generation", f);
    else if (o->a == REQ_SIGN_OUT)
        fputs(" told the server of the sign-out", f);
    else if (o->a == REQ_SUBMIT)
        fprintf(f, " submitted operation %" PRIu32, o->op);
    else {
        fprintf(f, " asked for %s", asked_for[o->a]);
        say_operation(f, o->op);
        fputs(" under ", f), say_fence(f, o->fence);
    }
    if (o->a == REQ_EFFECT || o->a == REQ_REFRESH) fprintf(f, ", key %" PRIu32, o->key);
}

static void say_misfortune(FILE *f, const struct trace *t, const struct obs *o)
{
    const struct obs *e = issue_of(t, o);
    fputs(o->kind == OBS_ANSWER_LOST ? "the answer to " : "", f);
    if (e) {
        say_page(f, t, e->page);
        fprintf(f, "'s request for %s", asked_for[e->a]);
        say_operation(f, e->op);
    } else {
        fprintf(f, "request %" PRIu32, o->request);
    }
    fputs(o->kind == OBS_REQUEST_DELAYED ? " was held up on its way" : " was lost", f);
    say_cause(f, t, o);
}

static void say_answer(FILE *f, const struct trace *t, const struct obs *o)
{
    const struct obs *e = issue_of(t, o);
    say_page(f, t, o->page);
    fprintf(f, " heard %s to its request for %s", answer_result_word[o->b], asked_for[o->a]);
    if (e) say_operation(f, e->op);
    if (!fence_is_none(o->fence)) fputs(", ", f), say_fence(f, o->fence);
    say_asked(f, t, o);
}

static bool request_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_REQUEST_ISSUED: say_issued(f, t, o); break;
    case OBS_REQUEST_DEPARTED:
        fputs("a request that ", f), say_page(f, t, o->page);
        fputs(" had called while it was stopped left", f);
        break;
    case OBS_REQUEST_DELAYED:
    case OBS_REQUEST_LOST:
    case OBS_ANSWER_LOST: say_misfortune(f, t, o); break;
    case OBS_ANSWER_HANDLED: say_answer(f, t, o); break;
    case OBS_EFFECT_EXECUTED:
        fprintf(f, "the provider executed operation %" PRIu32 " for ", o->op);
        say_page(f, t, o->page);
        fprintf(f, ", key %" PRIu32, o->key);
        say_asked(f, t, o);
        break;
    case OBS_OPERATION_KEPT:
        say_page(f, t, o->page);
        fprintf(f, " told its user that operation %" PRIu32 " is safe", o->op);
        break;
    case OBS_EFFECT_ABSORBED:
        fprintf(f, "the provider knew operation %" PRIu32 " by its key and did nothing", o->op);
        break;
    default: return false;
    }
    return true;
}

/* -- documents ------------------------------------------------------------------------ */

static const char *const happened[OBS_COUNT] = {
    [OBS_PAGE_VISIBLE] = " came to the front",
    [OBS_PAGE_HIDDEN] = " went to the background",
    [OBS_PAGE_RESUMED] = " thawed",
    [OBS_PAGE_CACHED] = " entered the back/forward cache",
    [OBS_PAGE_RESTORED] = " came back from the back/forward cache",
    [OBS_PAGE_UNBLOCKED] = " could run again",
    [OBS_PAGE_DISCARDED] = " was discarded",
    [OBS_PAGE_EVICTED] = " was evicted from the cache",
    [OBS_PAGE_CRASHED] = " crashed",
    [OBS_PAGE_CLOSED] = " was closed",
    [OBS_LOCK_REJECTED] = " learned that its lock was stolen",
    [OBS_WOULD_LEAD] = " would have led, had the stage allowed it",
};

/* The first that is seen of a page that the user leaves. */
static const char *leaving(const struct trace *t, const struct obs *o)
{
    if (o->kind != OBS_PAGE_HIDDEN || o->cause >= o->number) return NULL;
    const struct obs *c = &t->history->at[o->cause];
    if (c->kind != OBS_FAULT_BEGUN) return NULL;
    if (c->a == FAULT_CLOSE_HOLDER || c->a == FAULT_CLOSE_WAITER) return " was being closed";
    return c->a == FAULT_RELOAD ? " was being reloaded" : NULL;
}

static void say_creation(FILE *f, const struct trace *t, const struct obs *o)
{
    say_page(f, t, o->page);
    fprintf(f, " was opened on device %u", o->device);
    if (!(o->flags & PAGE_HAS_LOCKS)) fputs(", without Web Locks", f);
    fprintf(f, ", speaking protocol %" PRIu32, o->b);
    say_cause(f, t, o);
}

static bool page_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    if (o->kind == OBS_PAGE_CREATED) {
        say_creation(f, t, o);
        return true;
    }
    bool frozen = o->kind == OBS_PAGE_FROZEN, blocked = o->kind == OBS_PAGE_BLOCKED;
    if (!happened[o->kind] && !frozen && !blocked && o->kind != OBS_PAGE_LOCKS) return false;
    say_page(f, t, o->page);
    if (happened[o->kind]) fputs(leaving(t, o) ? leaving(t, o) : happened[o->kind], f);
    if (frozen) fputs(" was frozen", f);
    if (frozen && o->flags & 1) fputs(" after its handler had run", f);
    if (blocked) fputs(" was blocked by a task of ", f), say_seconds(f, o->b);
    if (o->kind == OBS_PAGE_LOCKS)
        fputs(o->a ? " may use Web Locks again" : " was refused Web Locks", f);
    if (frozen || blocked || o->kind == OBS_PAGE_CACHED || o->kind == OBS_PAGE_HIDDEN ||
        o->kind == OBS_PAGE_CRASHED)
        say_holding(f, t, o);
    if (o->kind != OBS_PAGE_RESUMED) say_cause(f, t, o);
    return true;
}

/* -- locks and beliefs ---------------------------------------------------------------- */

/* Whether the request of the lock was made by code that is not the client. */
static bool is_foreign(const struct trace *t, const struct obs *o)
{
    for (uint32_t i = o->number + 1; i-- > 0;) {
        const struct obs *e = &t->history->at[i];
        if (e->kind == OBS_LOCK_REQUESTED && e->request == o->request)
            return e->flags & LOCK_IS_FOREIGN;
    }
    return false;
}

static const char *lock_of(const struct obs *o)
{
    return o->key == LOCK_NAME_LEADER ? "the leader lock" : "another lock";
}

static const char *const did_to_lock[OBS_COUNT] = {
    [OBS_LOCK_REQUESTED] = " asked for ",
    [OBS_LOCK_GRANTED] = " was granted ",
    [OBS_LOCK_CALLBACK] = "'s callback ran with ",
    [OBS_LOCK_RELEASED] = " let go of ",
    [OBS_LOCK_ABORTED] = " withdrew its request for ",
    [OBS_LOCK_DROPPED] = " ended while it waited for ",
};

static bool lock_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    const char *did = did_to_lock[o->kind];
    bool is_stolen = o->kind == OBS_LOCK_STOLEN;
    if (!did && !is_stolen) return false;
    if (is_stolen) fprintf(f, "%s was stolen from ", lock_of(o));
    if (is_foreign(t, o)) fputs("foreign code in ", f);
    say_page(f, t, o->page);
    if (o->kind == OBS_LOCK_REQUESTED && o->flags & LOCK_IS_STEAL) did = " asked to steal ";
    if (did) fprintf(f, "%s%s", did, lock_of(o));
    say_cause(f, t, o);
    return true;
}

static bool client_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    if (o->kind != OBS_STATE_CHANGED && o->kind != OBS_BELIEF_BEGAN && o->kind != OBS_BELIEF_ENDED)
        return false;
    say_page(f, t, o->page);
    if (o->kind == OBS_STATE_CHANGED)
        fprintf(f, " went from %s to %s", client_state_word[o->a], client_state_word[o->b]);
    if (o->kind == OBS_BELIEF_BEGAN)
        fputs(" believed that it led, under ", f), say_fence(f, o->fence);
    if (o->kind == OBS_BELIEF_ENDED) {
        fputs(" stopped leading under ", f), say_fence(f, o->fence);
        fprintf(f, ": %s", why_ended_word[o->a]);
    }
    return true;
}

/* -- the ledger ----------------------------------------------------------------------- */

static const char *const part_words[PART_COUNT] = {
    [PART_NONE] = "a commit",
    [PART_CURSOR] = "the cursor's move",
    [PART_DELETE] = "the deletion",
    [PART_ACK] = "the acknowledgement",
};

static void say_commit(FILE *f, const struct trace *t, const struct obs *o)
{
    fprintf(f, "the receiver accepted %s", part_words[o->a]);
    say_operation(f, o->op);
    fputs(" from ", f), say_page(f, t, o->page);
    fputs(" under ", f), say_fence(f, o->fence);
    say_asked(f, t, o);
}

static void say_refusal(FILE *f, const struct trace *t, const struct obs *o)
{
    fputs("the ledger refused ", f), say_page(f, t, o->page);
    fprintf(f, " %s", asked_for[o->a]);
    say_operation(f, o->op);
    fprintf(f, ": %s", answer_result_word[o->b]);
}

static bool generation_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_LEDGER_CLAIMED:
    case OBS_LEDGER_REPEATED:
        fputs(o->kind == OBS_LEDGER_CLAIMED ? "the ledger gave " : "the ledger gave again ", f);
        say_fence(f, o->fence), fputs(" to ", f), say_page(f, t, o->page);
        say_asked(f, t, o);
        break;
    case OBS_LEDGER_RENEWED:
        fputs("the ledger renewed ", f), say_fence(f, o->fence);
        fputs(" for ", f), say_page(f, t, o->page);
        say_asked(f, t, o);
        break;
    case OBS_LEDGER_RELEASED:
        fputs("the ledger took back ", f), say_fence(f, o->fence);
        fputs(" from ", f), say_page(f, t, o->page);
        break;
    case OBS_LEDGER_EXPIRED:
        fputs("the lease of ", f), say_fence(f, o->fence);
        fputs(" ran out", f);
        break;
    case OBS_LEDGER_EPOCH:
        fprintf(f, "an incident: epoch %" PRIu32 " began and clients' claims were closed",
                o->fence.epoch);
        break;
    case OBS_LEDGER_REOPENED: fputs("the ledger took claims again", f); break;
    case OBS_LEDGER_PERMIT:
        fputs("the ledger gave ", f), say_page(f, t, o->page);
        fputs(" a permit to steal", f);
        break;
    case OBS_LEDGER_ACCEPTABLE:
        fprintf(f, "node %u accepted ", o->node), say_fence(f, o->fence);
        if (o->page != PAGE_NONE) fputs(" of ", f), say_page(f, t, o->page);
        break;
    default: return false;
    }
    return true;
}

static bool operation_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_LEDGER_TAKEN:
        say_page(f, t, o->page);
        fprintf(f, " took operation %" PRIu32 " under ", o->op), say_fence(f, o->fence);
        break;
    case OBS_LEDGER_COMMITTED: say_commit(f, t, o); break;
    case OBS_LEDGER_REFUSED: say_refusal(f, t, o); break;
    case OBS_LEDGER_RECONCILED:
        say_page(f, t, o->page);
        fprintf(f, " reconciled operation %" PRIu32 ": %s", o->op, outcome_word[o->b]);
        break;
    case OBS_LEDGER_OWNER:
        fprintf(f, "operation %" PRIu32 " passed to ", o->op), say_page(f, t, o->page);
        break;
    case OBS_LEDGER_ENQUEUED: fprintf(f, "operation %" PRIu32 " entered the outbox", o->op); break;
    case OBS_LEDGER_TERMINAL: fprintf(f, "operation %" PRIu32 " was reported done", o->op); break;
    default: return false;
    }
    return true;
}

/* -- sessions and accounts ------------------------------------------------------------- */

static const char *const signed_in_now[ACCOUNT_COUNT] = {
    [ACCOUNT_OWN] = "the account of the contract",
    [ACCOUNT_OTHER] = "another account",
    [ACCOUNT_NONE] = "no account",
};

static const char *account_now(const struct obs *o)
{
    return signed_in_now[o->a < ACCOUNT_COUNT ? o->a : ACCOUNT_NONE];
}

static void say_presented(FILE *f, const struct trace *t, const struct obs *o)
{
    say_page(f, t, o->page);
    fprintf(f, " presented token %" PRIu32 ", key %" PRIu32 ", and ", o->a, o->key);
    if (o->kind == OBS_SESSION_ROTATED) fprintf(f, "got token %" PRIu32, o->b);
    if (o->kind == OBS_SESSION_REPEATED) fprintf(f, "got token %" PRIu32 " again", o->b);
    if (o->kind == OBS_SESSION_REUSED) fputs("all of its family was revoked: reuse", f);
    if (o->kind == OBS_SESSION_REFUSED)
        fprintf(f, "was refused: %s", answer_result_word[o->b < ANS_COUNT ? o->b : ANS_NONE]);
    say_asked(f, t, o);
}

static bool session_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_SESSION_ROTATED:
    case OBS_SESSION_REPEATED:
    case OBS_SESSION_REUSED:
    case OBS_SESSION_REFUSED: say_presented(f, t, o); break;
    case OBS_SESSION_ENDED:
        fprintf(f, "the server ended the session of token %" PRIu32, o->a);
        break;
    case OBS_SESSION_STORED:
        say_page(f, t, o->page);
        if (o->a)
            fprintf(f, " stored the session with token %" PRIu32, o->a);
        else
            fprintf(f, " cleared the session: token %" PRIu32 " had been refused", o->b);
        break;
    case OBS_ACCOUNT_CHANGED:
        fprintf(f, "device %u was now signed in to %s", o->partition, account_now(o));
        if (o->a == ACCOUNT_OWN && o->b) fprintf(f, ", token %" PRIu32, o->b);
        break;
    case OBS_ACCOUNT_HEARD:
        say_page(f, t, o->page);
        fprintf(f, " learned that it was signed in to %s", account_now(o));
        break;
    default: return false;
    }
    return true;
}

/* -- devices, nodes, faults, the round ------------------------------------------------ */

static const char *const directions[4] = { "nothing of", "the way to", "the way from",
                                           "all contact with" };

static bool place_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_DEVICE_ASLEEP: fprintf(f, "device %u fell asleep", o->device); break;
    case OBS_DEVICE_AWAKE: fprintf(f, "device %u woke", o->device); break;
    case OBS_DEVICE_CLOCK:
        if (o->b)
            fprintf(f, "the wall clock of device %u jumped by %" PRId32 " s", o->device,
                    (int32_t)o->b / 1000);
        else
            fprintf(f, "the clock of device %u runs at %+" PRId32 " ppm", o->device, (int32_t)o->a);
        break;
    case OBS_LINK_CUT:
        fprintf(f, "device %u lost %s node %u", o->device, directions[o->a & 3], o->node);
        break;
    case OBS_LINK_HEALED: fprintf(f, "device %u reached node %u again", o->device, o->node); break;
    case OBS_NODE_DOWN: fprintf(f, "node %u crashed", o->node); break;
    case OBS_NODE_UP: fprintf(f, "node %u restarted", o->node); break;
    case OBS_NODE_DECIDES:
        fprintf(f, "node %u %s decide", o->node, o->a ? "could" : "could no longer");
        break;
    case OBS_STORAGE_FAULT:
        fprintf(
            f, o->a == 1 ? "site data of device %u was cleared" : "the quota of device %u was full",
            o->partition);
        break;
    default: return false;
    }
    if (o->kind != OBS_LINK_HEALED) say_cause(f, t, o);
    return true;
}

/* Whom a fault acts on; a node, the ledger and the provider are in its words. */
static void say_target(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (fault_info[o->a].target) {
    case FAULT_ON_HOLDER:
    case FAULT_ON_WAITER:
        if (o->page == PAGE_NONE || !t->page[o->page].known) break;
        fputs(", on ", f);
        say_page(f, t, o->page);
        break;
    case FAULT_ON_NODE:
    case FAULT_ON_LEDGER:
    case FAULT_ON_PROVIDER: break;
    default:
        if (o->device != DEVICE_NONE) fprintf(f, ", on device %u", o->device);
    }
}

static bool round_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_FAULT_BEGUN:
        fprintf(f, "fault %" PRIu32 ", %s", o->op, fault_info[o->a].word);
        say_target(f, t, o);
        fprintf(f, ": %s", fault_info[o->a].says);
        break;
    case OBS_FAULT_ENDED: fprintf(f, "fault %" PRIu32 " ended", o->op); break;
    case OBS_ROUND_HEALED:
        fprintf(f, "all faults were over; progress is due within %" PRIu32 " s", o->a / 1000);
        break;
    case OBS_ROUND_ENDED: fputs("the round ended", f); break;
    default: return false;
    }
    return true;
}

static void say_delivered(FILE *f, const struct trace *t, const struct obs *o)
{
    say_page(f, t, o->page);
    fprintf(f, " delivered event %" PRIu32 " of subscription %" PRIu32 " in device %u under ", o->a,
            o->b, o->partition);
    say_fence(f, o->fence);
}

static bool feed_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    switch (o->kind) {
    case OBS_SUBSCRIPTION_OPENED:
        fprintf(f, "subscription %" PRIu32 " of ", o->b);
        say_page(f, t, o->page);
        fprintf(f, " began after event %" PRIu32, o->a);
        break;
    case OBS_SUBSCRIPTION_CLOSED:
        fprintf(f, "the server %s subscription %" PRIu32 " of ", o->a == 1 ? "ended" : "gave up",
                o->b);
        say_page(f, t, o->page);
        break;
    case OBS_EVENT_DELIVERED: say_delivered(f, t, o); break;
    case OBS_GAP_ANNOUNCED:
        say_page(f, t, o->page);
        fprintf(f, " announced that events %" PRIu32 " to %" PRIu32 " are lost", o->a, o->b);
        break;
    default: return false;
    }
    return true;
}

bool story_sentence(FILE *f, const struct trace *t, const struct obs *o)
{
    return page_sentence(f, t, o) || lock_sentence(f, t, o) || client_sentence(f, t, o) ||
           request_sentence(f, t, o) || generation_sentence(f, t, o) ||
           operation_sentence(f, t, o) || session_sentence(f, t, o) || feed_sentence(f, t, o) ||
           place_sentence(f, t, o) || round_sentence(f, t, o);
}
