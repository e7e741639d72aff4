/* The world: who is signed in on which device, and the session's server.
 *
 * Each device's storage partition has one session record. A user signs out, hands the browser
 * to somebody with another account, or signs in again, at any time; the pages hear of it by a
 * storage event, late, and a page in the cache does not (ST-14). A sign-in makes a new family
 * of tokens. At the healing everybody signs in again.
 *
 * In rounds without changes of account and of other workstreams nothing here is ever seen. */
#include "sim/world.h"

#define CHANGE_MIN_US (1 * US_PER_S)
#define CHANGE_MAX_US (6 * US_PER_S)
#define CHANGE_AGAIN_US (500 * US_PER_MS)
#define SIGN_IN_US (2 * US_PER_S) /* a user whose session has ended types a password */

static bool is_session_round(const struct world *w)
{
    return w->contract.work == WORKSTREAM_SESSION;
}

static uint32_t new_token(struct world *w)
{
    return is_session_round(w) ? auth_sign_in(&w->auth) : 0;
}

/* The record as a sign-in leaves it: half of the lifetime is over before a refresh is due. */
static struct session signed_in(struct world *w, uint8_t device)
{
    struct device *d = &w->device[device];
    return (
        struct session){ .account = ACCOUNT_OWN,
                         .token = new_token(w),
                         .version = d->session.version + 1,
                         .due = { device_now(w, d).us + w->scenario->session_lifetime_us / 2 } };
}

void session_plan_round(struct world *w)
{
    const struct scenario *s = w->scenario;
    auth_reset(&w->auth, s->session_lifetime_us, s->reuse_us, &w->history);
    for (uint8_t d = 0; d < w->devices; d++) w->device[d].session = signed_in(w, d);
    if (s->account_changes.max == 0) return;
    uint32_t n =
        s->account_changes.min +
        choose(&w->choices, STREAM_ACCOUNT, s->account_changes.max - s->account_changes.min + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t device = (uint16_t)choose(&w->choices, STREAM_ACCOUNT, w->devices);
        enum account to = chance(&w->choices, STREAM_ACCOUNT, 1, 2) ? ACCOUNT_NONE : ACCOUNT_OTHER;
        int64_t at = choose_us(&w->choices, STREAM_ACCOUNT, US_PER_S / 2, w->heal_at.us * 9 / 10);
        world_at(w, at, EV_ACCOUNT, device, to);
        world_at(w, at + choose_us(&w->choices, STREAM_ACCOUNT, CHANGE_MIN_US, CHANGE_MAX_US),
                 EV_ACCOUNT, device, ACCOUNT_OWN);
    }
}

/* Every page of the device is told; one in the cache, or being closed, hears nothing. */
static void tell(struct world *w, uint8_t device, uint32_t cause)
{
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (p->device != device || !page_alive(p) || p->state == DOC_CACHED) continue;
        uint32_t i = parcel_take(w);
        struct parcel *c = &w->parcel[i];
        c->cause = cause;
        c->page = (uint16_t)n;
        c->thread = THREAD_PAGE;
        c->source = TASK_STORAGE;
        c->kind = IN_ACCOUNT;
        world_at(w, latency_draw(&latency_broadcast, &w->choices, STREAM_ACCOUNT), EV_DELIVER,
                 (uint16_t)n, i);
    }
}

static void change(struct world *w, uint8_t device, uint16_t page, const struct session *to,
                   uint32_t cause)
{
    struct obs o = obs_make(OBS_ACCOUNT_CHANGED, w->now, cause);
    o.page = page;
    o.partition = device;
    o.a = to->account;
    o.b = to->account == ACCOUNT_OWN ? to->token : 0;
    w->device[device].session = *to;
    tell(w, device, world_see(w, &o));
}

/* The page in which the user of the device does it. */
static uint16_t in_front(const struct world *w, uint8_t device)
{
    uint16_t behind = PAGE_NONE;
    for (uint32_t n = 0; n < w->pages; n++) {
        const struct page *p = &w->page[n];
        if (p->device != device || !page_running(w, p) || p->closing ||
            p->busy_until.us > w->now.us)
            continue;
        if (p->state == DOC_VISIBLE) return (uint16_t)n;
        behind = (uint16_t)n;
    }
    return behind;
}

void session_account(struct world *w, uint8_t device, enum account account)
{
    const struct session *now = &w->device[device].session;
    if (w->over || now->account == account || (w->healed && account != ACCOUNT_OWN)) return;
    if (w->device[device].asleep) {
        world_at(w, CHANGE_AGAIN_US, EV_ACCOUNT, device, account);
        return;
    }
    struct session to = { .account = account, .version = now->version + 1 };
    if (account == ACCOUNT_OWN) to = signed_in(w, device);
    uint16_t n = in_front(w, device);
    if (account == ACCOUNT_NONE && n != PAGE_NONE) page_run_kind(w, n, IN_SIGN_OUT, false);
    change(w, device, n, &to, w->cause);
}

/* A page's own transaction. Where nothing can be written, nothing is; the next refresh makes up
 * for it. */
void session_write(struct world *w, uint16_t n, const struct client_output *o)
{
    uint8_t device = w->page[n].device;
    struct device *d = &w->device[device];
    struct session to = o->as.session;
    if (o->flags & SESSION_IF_UNCHANGED && to.version != d->session.version) return;
    if (d->quota_full || w->now.us < d->store_busy_until.us) return;
    to.version = d->session.version + 1;
    struct obs e = world_obs(w, OBS_SESSION_STORED);
    e.page = n;
    e.partition = device;
    e.a = to.token;
    e.b = o->id;
    uint32_t stored = world_see(w, &e);
    if (to.account == d->session.account) {
        d->session = to;
        return;
    }
    change(w, device, n, &to, stored);
    if (to.account == ACCOUNT_NONE && !w->over)
        world_at(w, SIGN_IN_US, EV_ACCOUNT, device, ACCOUNT_OWN);
}

void session_cleared(struct world *w, uint8_t device, uint32_t cause)
{
    if (!is_session_round(w)) return;
    struct session none = { .account = ACCOUNT_NONE,
                            .version = w->device[device].session.version + 1 };
    change(w, device, PAGE_NONE, &none, cause);
    world_at(w, SIGN_IN_US, EV_ACCOUNT, device, ACCOUNT_OWN);
}

uint32_t session_heard(struct world *w, uint16_t n)
{
    struct obs o = world_obs(w, OBS_ACCOUNT_HEARD);
    o.page = n;
    o.a = w->device[w->page[n].device].session.account;
    return world_see(w, &o);
}

void session_request(struct world *w, uint32_t i)
{
    struct parcel *c = &w->parcel[i];
    struct answer a;
    auth_request(&w->auth, &c->as.request, w->now, c->cause, &a);
    net_answer(w, &a, c->page, NODE_NONE, c->cause);
    parcel_give(w, i);
}

void session_heal(struct world *w)
{
    w->cause = OBS_NONE;
    for (uint8_t d = 0; d < w->devices; d++) session_account(w, d, ACCOUNT_OWN);
}
