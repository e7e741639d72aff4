/* The world: what crosses a network. Requests and answers between pages and ledger
 * nodes or the provider, the push stream, and BroadcastChannel inside a device.
 *
 * A request can be lost, late or doubled; an answer can be lost after the server
 * acted (FX-4). A frozen page's fetch is called and does not leave (LC-18). What a
 * local ledger (indexeddb-ledger) is asked stays inside the device. */
#include "sim/world.h"

#define STREAM_RETRY_MIN_US                                                                        \
    (100 * US_PER_MS) /* the server sends `retry: 100`; then a connection and a round trip */
#define LATE_MIN_US (1500 * US_PER_MS)
#define LATE_MAX_US (6 * US_PER_S)

static bool to_provider(enum request_kind k)
{
    return k == REQ_EFFECT || k == REQ_OUTCOME || k == REQ_REFRESH || k == REQ_SIGN_OUT ||
           k == REQ_FOLLOW || k == REQ_UNFOLLOW;
}

static uint8_t local_node(const struct world *w, uint8_t device)
{
    (void)w;
    return (uint8_t)(LEDGER_NODES + device);
}

/* For PCT (pct.h): a page's messages about its lease, and those about its work, are two
 * connections each way. Renewals, submissions and what is pushed are no steps. */
struct carried {
    uint16_t page;
    bool work, step;
};

static struct carried carries(uint16_t page, enum request_kind k)
{
    bool lease = k == REQ_CLAIM || k == REQ_RENEW || k == REQ_RELEASE || k == REQ_PERMIT;
    return (struct carried){ page, !lease, k != REQ_RENEW && k != REQ_SUBMIT };
}

static int64_t by_priority(struct world *w, enum stream s, struct carried m)
{
    const struct network *n = &w->network;
    bool change;
    uint32_t link = m.page * 4u + (m.work && w->pct.apart) * 2u + (s == STREAM_NET_DOWN);
    uint32_t rank = pct_rank(&w->pct, &w->choices, link, m.step, &change);
    if (change) return choose_us(&w->choices, STREAM_PCT, n->slow_min_us, n->slow_max_us);
    return latency_at(n->one_way, rank);
}

static int64_t one_way(struct world *w, enum stream s, struct carried m)
{
    const struct network *n = &w->network;
    if (w->pct.changes > 0 && !w->healed) return by_priority(w, s, m);
    if (chance(&w->choices, s, n->slow_ppm, 1000000))
        return choose_us(&w->choices, s, n->slow_min_us, n->slow_max_us);
    return latency_draw(n->one_way, &w->choices, s);
}

static void see_request(struct world *w, enum obs_kind kind, uint32_t request, uint32_t cause)
{
    struct obs o = obs_make(kind, w->now, cause);
    o.request = request;
    (void)world_see(w, &o);
}

void net_fetch_over(struct page *p, enum request_kind k)
{
    if (p->fetches > 0) p->fetches--;
    if (k == REQ_RENEW && p->renewals > 0) p->renewals--;
    if (k == REQ_RELEASE && p->releases > 0) p->releases--;
}

void net_send(struct world *w, uint16_t n, const struct request *r, uint32_t node_choice)
{
    struct page *p = &w->page[n];
    struct obs o = world_obs(w, OBS_REQUEST_ISSUED);
    o.page = n;
    o.request = r->id;
    o.a = r->kind;
    o.fence = r->fence;
    o.op = r->op;
    o.key = r->key;
    o.local = (uint32_t)r->sent.us;
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = world_see(w, &o);
    c->page = n;
    c->node = w->contract.authority == AUTHORITY_INDEXEDDB ? local_node(w, p->device)
                                                           : (uint8_t)(node_choice % w->nodes);
    c->as.request = *r;
    p->fetches++;
    if (r->kind == REQ_RENEW) p->renewals++;
    if (r->kind == REQ_RELEASE) p->releases++;
    if (!page_running(w, p) && p->state != DOC_GONE) {
        c->next = TABLE_NONE;
        if (p->unsent_last == TABLE_NONE)
            p->unsent = i;
        else
            w->parcel[p->unsent_last].next = i;
        p->unsent_last = i;
        return;
    }
    net_depart(w, i);
}

static bool fits(enum request_kind wanted, enum request_kind k)
{
    return wanted == REQ_NONE ? k != REQ_RENEW && k != REQ_SUBMIT : wanted == k;
}

/* Faults of single requests; true when it is lost. Adds to *us. */
static bool meddle(struct world *w, uint32_t i, int64_t *us)
{
    struct parcel *c = &w->parcel[i];
    struct device *d = &w->device[w->page[c->page].device];
    enum request_kind k = c->as.request.kind;
    uint32_t id = c->as.request.id;
    bool provider = to_provider(k);
    if (!provider && (d->cut[c->node] & 1)) {
        see_request(w, OBS_REQUEST_LOST, id, d->cut_cause[c->node]);
        return true;
    }
    if (provider && w->provider_down) {
        see_request(w, OBS_REQUEST_LOST, id, w->provider_cause);
        return true;
    }
    if (chance(&w->choices, STREAM_NET_UP, w->network.loss_ppm, 1000000)) {
        see_request(w, OBS_REQUEST_LOST, id, c->cause);
        return true;
    }
    if (d->late && fits(d->late_kind, k)) {
        d->late = 0;
        see_request(w, OBS_REQUEST_DELAYED, id, d->late_cause);
        *us += d->late_us ? d->late_us
                          : choose_us(&w->choices, STREAM_NET_UP, LATE_MIN_US, LATE_MAX_US);
    }
    bool twice = chance(&w->choices, STREAM_NET_UP, w->network.double_ppm, 1000000);
    uint32_t cause = c->cause;
    if (d->doubled && fits(d->doubled_kind, k)) {
        d->doubled = 0;
        twice = true;
        cause = d->doubled_cause;
    }
    if (twice) {
        uint32_t again = parcel_take(w);
        w->parcel[again] = w->parcel[i];
        w->parcel[again].cause = cause;
        world_at(w,
                 *us + one_way(w, STREAM_NET_UP, (struct carried){ .page = c->page, .work = true }),
                 EV_REQUEST, provider ? PROVIDER_TARGET : c->node, again);
    }
    return false;
}

void net_depart(struct world *w, uint32_t i)
{
    struct parcel *c = &w->parcel[i];
    if (c->node >= LEDGER_NODES &&
        !to_provider(c->as.request.kind)) { /* the partition's own database */
        world_at(w, latency_draw(&latency_idb, &w->choices, STREAM_STORAGE), EV_REQUEST, c->node,
                 i);
        return;
    }
    int64_t us = one_way(w, STREAM_NET_UP, carries(c->page, c->as.request.kind)) +
                 latency_draw(&latency_service, &w->choices, STREAM_SERVER);
    if (meddle(w, i, &us)) {
        net_fetch_over(&w->page[c->page], c->as.request.kind);
        parcel_give(w, i);
        return;
    }
    world_at(w, us, EV_REQUEST, to_provider(c->as.request.kind) ? PROVIDER_TARGET : c->node, i);
}

void net_request_arrived(struct world *w, uint8_t node, uint32_t i)
{
    struct parcel *c = &w->parcel[i];
    struct ledger_node *n = &w->node[node];
    if (!n->up) {
        see_request(w, OBS_REQUEST_LOST, c->as.request.id, c->cause);
        parcel_give(w, i);
        return;
    }
    struct obs o = obs_make(OBS_REQUEST_ARRIVED, w->now, c->cause);
    o.node = node >= LEDGER_NODES ? (uint8_t)(16 + node - LEDGER_NODES) : node;
    o.request = c->as.request.id;
    uint32_t cause = world_see(w, &o);
    struct request r = c->as.request;
    parcel_give(w, i);
    node_request(w, node, &r, cause);
}

/* Does the answer get through? Writes what became of it. */
static bool answer_survives(struct world *w, const struct answer *a, uint16_t page, uint8_t node)
{
    struct page *p = &w->page[page];
    struct device *d = &w->device[p->device];
    bool provider = to_provider(a->kind);
    uint32_t cause = OBS_NONE;
    if (!provider && node < LEDGER_NODES && (d->cut[node] & 2))
        cause = d->cut_cause[node];
    else if (provider && w->provider_silent)
        cause = w->provider_cause;
    else if (d->lost_answers & 1u << a->kind) {
        d->lost_answers = 0;
        cause = d->lost_cause;
    } else if (p->lost_answers & 1u << a->kind) {
        p->lost_answers &= ~(1u << a->kind);
    } else if (node >= LEDGER_NODES && !provider)
        return true;
    else if (!chance(&w->choices, STREAM_NET_DOWN, w->network.loss_ppm, 1000000))
        return true;
    see_request(w, OBS_ANSWER_LOST, a->request, cause == OBS_NONE ? w->cause : cause);
    if (a->kind == REQ_EFFECT) p->last_effect_lost = a->op;
    return false;
}

void net_answer(struct world *w, const struct answer *a, uint16_t page, uint8_t node,
                uint32_t cause)
{
    if (page >= w->pages) return; /* the server asked itself */
    uint32_t was = w->cause;
    w->cause = cause;
    struct page *p = &w->page[page];
    if (!answer_survives(w, a, page, node)) {
        net_fetch_over(p, a->kind);
        if (w->armed) fault_aim(w);
        w->cause = was;
        return;
    }
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = cause;
    c->page = page;
    c->thread = a->kind == REQ_RENEW ? THREAD_WORKER : THREAD_PAGE;
    c->source = TASK_NETWORK;
    c->kind = IN_ANSWER;
    c->id = a->request;
    c->as.answer = *a;
    bool local = node >= LEDGER_NODES && !to_provider(a->kind);
    int64_t us = local ? latency_draw(&latency_thread, &w->choices, STREAM_STORAGE)
                       : one_way(w, STREAM_NET_DOWN, carries(page, a->kind));
    if (to_provider(a->kind)) us += w->provider_slow_us;
    world_at(w, us, EV_DELIVER, page, i);
    w->cause = was;
}

/* ---- push streams -------------------------------------------------------------- */

void net_push_one(struct world *w, const struct push *push, uint16_t page, uint8_t node,
                  uint32_t cause)
{
    struct page *p = &w->page[page];
    struct device *d = &w->device[p->device];
    if (d->cut[node] & 2) return;
    if (!page_running(w, p) && p->backlog[TASK_PUSH] != TABLE_NONE) {
        p->connected = false; /* nobody reads: the server closes the stream */
        return;
    }
    uint32_t i = parcel_take(w);
    struct parcel *c = &w->parcel[i];
    c->cause = cause;
    c->page = page;
    c->thread = THREAD_PAGE;
    c->source = TASK_PUSH;
    c->kind = IN_PUSH;
    c->as.push = *push;
    c->as.push.node = node;
    world_at(w, one_way(w, STREAM_NET_DOWN, (struct carried){ .page = page }), EV_DELIVER, page, i);
}

void net_push(struct world *w, const struct push *push, uint8_t node, uint32_t cause)
{
    if (push->kind == PUSH_LED || push->kind == PUSH_TASK) return;
    for (uint32_t n = 0; n < w->pages; n++)
        if (w->page[n].connected) net_push_one(w, push, (uint16_t)n, node, cause);
}

void net_stream_open(struct world *w, uint16_t n)
{
    if (w->contract.authority == AUTHORITY_INDEXEDDB) return; /* nobody pushes */
    world_at(w, one_way(w, STREAM_NET_UP, (struct carried){ .page = n }), EV_STREAM, n, 0);
}

/* The stream of a page is open: the node that answers tells how things stand (world sees its
 * record); while nobody can be reached the browser tries again. */
void net_stream_opened(struct world *w, uint16_t n)
{
    struct page *p = &w->page[n];
    struct device *d = &w->device[p->device];
    if (!page_alive(p) || p->connected || p->state == DOC_CACHED) return;
    uint8_t node = node_deciding(w);
    if (d->asleep || node == NODE_NONE || d->cut[node]) {
        world_at(
            w, STREAM_RETRY_MIN_US + choose_us(&w->choices, STREAM_NET_UP, 0, STREAM_RETRY_MIN_US),
            EV_STREAM, n, 0);
        return;
    }
    p->connected = true;
    const struct ledger_record *r = &w->node[node].record;
    if (r->held) return;
    struct push push = { .standing = true,
                         .kind = r->closed    ? PUSH_CLOSED
                                 : r->expired ? PUSH_EXPIRED
                                              : PUSH_VACANT,
                         .fence = r->fence,
                         .leader_partition = r->owner_partition };
    net_push_one(w, &push, n, node, OBS_NONE);
}

/* The connections of a device (or of all) break; browsers reconnect by themselves. */
void net_streams_died(struct world *w, uint8_t device, uint8_t node)
{
    (void)node;
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (!p->connected || (device != DEVICE_NONE && p->device != device)) continue;
        p->connected = false;
        int64_t us =
            STREAM_RETRY_MIN_US + choose_us(&w->choices, STREAM_NET_UP, 0, STREAM_RETRY_MIN_US);
        world_at(w, us, EV_STREAM, (uint16_t)n, 0);
    }
}

/* ---- BroadcastChannel ------------------------------------------------------------ */

void net_broadcast(struct world *w, uint16_t from, const struct client_message *m)
{
    struct page *sender = &w->page[from];
    struct device *d = &w->device[sender->device];
    struct instant last = sender->channel_until;
    for (uint32_t n = 0; n < w->pages; n++) {
        struct page *p = &w->page[n];
        if (n == from || !page_alive(p) || p->device != sender->device) continue;
        bool dropped = d->channel_drop || p->deaf_cause != OBS_NONE;
        int64_t delay = d->channel_delay_us;
        if (dropped || delay) {
            struct obs o = obs_make(OBS_CHANNEL_FAULT, w->now,
                                    p->deaf_cause != OBS_NONE ? p->deaf_cause : d->channel_cause);
            o.page = (uint16_t)n;
            o.a = dropped ? 2 : 1;
            (void)world_see(w, &o);
            if (dropped) continue;
        }
        struct instant at = { w->now.us + delay +
                              latency_draw(&latency_broadcast, &w->choices, STREAM_CHANNEL) };
        if (at.us <= last.us) at.us = last.us + 1;
        if (at.us > sender->channel_until.us) sender->channel_until = at;
        if (delay == 0 && at.us > d->channel_until.us) d->channel_until = at;
        uint32_t i = parcel_take(w);
        struct parcel *c = &w->parcel[i];
        c->cause = w->cause;
        c->page = (uint16_t)n;
        c->thread = THREAD_PAGE;
        c->source = TASK_BROADCAST;
        c->kind = IN_MESSAGE;
        c->as.message = *m;
        world_at(w, at.us - w->now.us, EV_DELIVER, (uint16_t)n, i);
    }
}
