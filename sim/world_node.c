/* The world: ledger nodes and the provider. Carries what a node's step asks for, and
 * tells the history when a node begins or ceases to be able to decide. */
#include "sim/world.h"

#define DRAIN_WORK_MIN_US (20 * US_PER_MS)
#define DRAIN_WORK_MAX_US (120 * US_PER_MS)
#define DRAIN_GIVES_UP_US (2 * US_PER_S)

static uint8_t known_as(uint8_t node)
{
    return node >= LEDGER_NODES ? (uint8_t)(16 + node - LEDGER_NODES) : node;
}

void node_boot(struct world *w)
{
    bool local = w->contract.authority == AUTHORITY_INDEXEDDB;
    w->nodes = local || w->layout == LAYOUT_SINGLE ? 1 : LEDGER_NODES;
    for (uint8_t i = 0; i < LEDGER_NODES; i++) w->decides[i] = false;
    uint32_t first = local ? LEDGER_NODES : 0, last = local ? LEDGER_NODES + w->devices : w->nodes;
    for (uint32_t i = first; i < last; i++) {
        uint8_t n = (uint8_t)i;
        ledger_boot(&w->node[n], known_as(n), local ? LAYOUT_SINGLE : w->layout,
                    w->contract.authority, local ? i + 1 : 1, &w->contract, w->policy, &w->history,
                    w->now, node_now(w, n), w->ledger_out);
        w->node[n].subscribers = 1; /* somebody always listens */
        node_effects(w, n);
    }
    node_decides_changed(w);
}

static uint32_t message_slot(struct world *w)
{
    uint32_t s = w->node_message_free;
    must(s != TABLE_NONE);
    w->node_message_free = w->node_message_next[s];
    return s;
}

static void carry_message(struct world *w, const struct node_message *m, uint32_t cause)
{
    if (w->node_cut[m->from] & 1u << m->to || w->node_cut[m->to] & 1u << m->from) return;
    uint32_t s = message_slot(w);
    w->node_message[s] = *m;
    uint32_t was = w->cause;
    w->cause = cause;
    world_at(w, latency_draw(&latency_node, &w->choices, STREAM_NODES), EV_NODE_MESSAGE, m->to, s);
    w->cause = was;
}

/* The server's own worker asks the provider like anybody else, with the operation id as key. */
static void drain(struct world *w, uint8_t node, struct fence fence, uint32_t op, uint32_t cause)
{
    struct request r = {
        .kind = REQ_EFFECT, .page = PAGE_SERVER, .fence = fence, .op = op, .key = op
    };
    r.id = world_id(w, 0);
    uint32_t was = w->cause;
    w->cause = cause;
    struct obs o = world_obs(w, OBS_REQUEST_ISSUED);
    o.page = PAGE_SERVER;
    o.request = r.id;
    o.a = REQ_EFFECT;
    o.fence = fence;
    o.op = o.key = op;
    uint32_t i = parcel_take(w);
    w->parcel[i].cause = world_see(w, &o);
    w->parcel[i].page = PAGE_SERVER;
    w->parcel[i].node = node;
    w->parcel[i].flags = 0;
    w->parcel[i].as.request = r;
    world_at(w, choose_us(&w->choices, STREAM_SERVER, DRAIN_WORK_MIN_US, DRAIN_WORK_MAX_US),
             EV_REQUEST, PROVIDER_TARGET, i);
    w->cause = was;
}

void node_effects(struct world *w, uint8_t node)
{
    struct ledger_out *out = w->ledger_out;
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t cause = out->at[i].cause;
        switch (out->at[i].kind) {
        case LEDGER_ANSWER:
            net_answer(w, &out->at[i].as.answer.answer, out->at[i].as.answer.page, node, cause);
            break;
        case LEDGER_PUSH: net_push(w, &out->at[i].as.push, node, cause); break;
        case LEDGER_NODE_MESSAGE:
            carry_message(w, &out->message[out->at[i].as.message], cause);
            break;
        case LEDGER_ARM: {
            uint32_t arg = out->at[i].as.arm.timer << 24 | (out->at[i].as.arm.arm & 0xFFFFFF);
            uint32_t was = w->cause;
            w->cause = cause;
            world_at(w, out->at[i].as.arm.in_us, EV_LEDGER_TIMER, node, arg);
            w->cause = was;
            break;
        }
        case LEDGER_DRAIN:
            drain(w, node, out->at[i].as.drain.fence, out->at[i].as.drain.op, cause);
            break;
        }
    }
    out->n = 0;
    out->messages = 0;
}

/* After anything that may have changed who owns the largest fence. */
static void owner_changed(struct world *w, uint8_t node)
{
    const struct ledger_record *r = &w->node[node].record;
    w->owner = r->fence.generation && !r->server_holds ? r->owner_page : PAGE_NONE;
    w->owner_held = r->held;
    if (w->armed) fault_aim(w);
}

/* A local ledger that cannot write cannot decide. */
void node_see_store(struct world *w, uint8_t device, bool works)
{
    struct obs o = world_obs(w, OBS_NODE_DECIDES);
    o.node = (uint8_t)(16 + device);
    o.a = works;
    (void)world_see(w, &o);
}

void node_store_free(struct world *w, uint8_t device)
{
    const struct device *d = &w->device[device];
    if (!d->quota_full && w->now.us >= d->store_busy_until.us) node_see_store(w, device, true);
}

void node_request(struct world *w, uint8_t node, const struct request *r, uint32_t cause)
{
    w->ledger_out->n = w->ledger_out->messages = 0;
    if (node >= LEDGER_NODES) {
        const struct device *d = &w->device[node - LEDGER_NODES];
        w->node[node].quota_full = d->quota_full || w->now.us < d->store_busy_until.us;
    }
    ledger_request(&w->node[node], r, w->now, node_now(w, node), cause, w->ledger_out);
    node_effects(w, node);
    owner_changed(w, node);
    if (w->layout == LAYOUT_QUORUM) node_decides_changed(w);
}

void node_message_arrived(struct world *w, uint8_t node, uint32_t slot)
{
    w->ledger_out->n = w->ledger_out->messages = 0;
    if (w->node[node].up)
        ledger_message(&w->node[node], &w->node_message[slot], w->now, node_now(w, node), w->cause,
                       w->ledger_out);
    w->node_message_next[slot] = w->node_message_free;
    w->node_message_free = slot;
    node_effects(w, node);
    owner_changed(w, node);
    node_decides_changed(w);
}

void node_timer(struct world *w, uint8_t node, uint32_t arg)
{
    if (!w->node[node].up) return;
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_timer(&w->node[node], arg >> 24, arg & 0xFFFFFF, w->now, node_now(w, node),
                 w->ledger_out);
    node_effects(w, node);
    owner_changed(w, node);
    if (w->layout == LAYOUT_QUORUM) node_decides_changed(w);
}

void node_crash(struct world *w, uint8_t node, uint32_t cause)
{
    if (!w->node[node].up) return;
    struct obs o = obs_make(OBS_NODE_DOWN, w->now, cause);
    o.node = node;
    uint32_t down = world_see(w, &o);
    ledger_crash(&w->node[node], w->now, down);
    net_streams_died(w, DEVICE_NONE, node);
    node_decides_changed(w);
}

void node_restart(struct world *w, uint8_t node, uint32_t cause)
{
    if (w->node[node].up) return;
    struct obs o = obs_make(OBS_NODE_UP, w->now, cause);
    o.node = node;
    uint32_t up = world_see(w, &o);
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_restart(&w->node[node], w->now, node_now(w, node), up, w->ledger_out);
    node_effects(w, node);
    node_decides_changed(w);
}

/* Can this node decide now: a single one that is up; the primary with a majority in reach. */
static bool can_decide(const struct world *w, uint8_t n)
{
    if (!w->node[n].up) return false;
    if (w->nodes == 1) return true;
    if (!w->node[n].primary) return false;
    uint32_t reach = 1;
    for (uint8_t m = 0; m < w->nodes; m++)
        if (m != n && w->node[m].up && !(w->node_cut[n] & 1u << m) && !(w->node_cut[m] & 1u << n) &&
            w->node[m].view <= w->node[n].view)
            reach++;
    return reach * 2 > w->nodes;
}

void node_decides_changed(struct world *w)
{
    if (w->contract.authority == AUTHORITY_INDEXEDDB) return;
    for (uint8_t n = 0; n < w->nodes; n++) {
        bool can = can_decide(w, n);
        if (can == w->decides[n]) continue;
        w->decides[n] = can;
        struct obs o = world_obs(w, OBS_NODE_DECIDES);
        o.node = n;
        o.a = can;
        (void)world_see(w, &o);
    }
}

uint8_t node_deciding(const struct world *w)
{
    for (uint8_t n = 0; n < w->nodes; n++)
        if (w->decides[n]) return n;
    return NODE_NONE;
}

/* ---- the provider --------------------------------------------------------------- */

void provider_arrived(struct world *w, uint32_t i)
{
    struct parcel *c = &w->parcel[i];
    if (c->page == PAGE_SERVER && w->provider_down) {
        struct obs lost = obs_make(OBS_REQUEST_LOST, w->now, w->provider_cause);
        lost.request = c->as.request.id;
        (void)world_see(w, &lost);
        world_at(w, DRAIN_GIVES_UP_US, EV_DRAINED, c->node, i);
        c->flags = 0;
        return;
    }
    struct obs o = obs_make(OBS_REQUEST_ARRIVED, w->now, c->cause);
    o.request = c->as.request.id;
    uint32_t cause = world_see(w, &o);
    if (w->provider_slow_us) cause = w->provider_cause;
    c->cause = cause;
    if (c->as.request.kind == REQ_REFRESH || c->as.request.kind == REQ_SIGN_OUT) {
        session_request(w, i);
        return;
    }
    if (c->as.request.kind == REQ_FOLLOW || c->as.request.kind == REQ_UNFOLLOW) {
        live_request(w, i);
        return;
    }
    struct answer a = { 0 };
    provider_request(&w->provider, &c->as.request, w->now, cause, &a);
    if (a.kind == REQ_NONE) { /* the work takes its time */
        int64_t us =
            latency_draw(&latency_service, &w->choices, STREAM_SERVER) + w->provider_slow_us;
        world_at(w, us, EV_PROVIDER_DONE, 0, i);
        return;
    }
    if (c->page == PAGE_SERVER) {
        c->flags = a.result == ANS_OK;
        world_at(w, a.result == ANS_OK ? 0 : DRAIN_GIVES_UP_US, EV_DRAINED, c->node, i);
        return;
    }
    net_answer(w, &a, c->page, NODE_NONE, cause);
    parcel_give(w, i);
}

void provider_done(struct world *w, uint32_t i)
{
    struct parcel *c = &w->parcel[i];
    struct answer a = { 0 };
    provider_finish(&w->provider, &c->as.request, w->now, c->cause, &a);
    if (c->page == PAGE_SERVER) {
        c->flags = 1;
        if (w->provider_silent) {
            struct obs lost = obs_make(OBS_ANSWER_LOST, w->now, w->provider_cause);
            lost.request = c->as.request.id;
            (void)world_see(w, &lost);
        }
        world_at(w, w->provider_silent ? DRAIN_GIVES_UP_US : DRAIN_WORK_MIN_US, EV_DRAINED, c->node,
                 i);
        return;
    }
    net_answer(w, &a, c->page, NODE_NONE, c->cause);
    parcel_give(w, i);
}

/* The server's worker learns what became of its effect; not knowing, it asks again with the same
 * key. */
void server_drained(struct world *w, uint8_t node, uint32_t i)
{
    struct request r = w->parcel[i].as.request;
    bool done = w->parcel[i].flags;
    uint32_t cause = w->parcel[i].cause;
    parcel_give(w, i);
    if (!w->node[node].up) return;
    w->ledger_out->n = w->ledger_out->messages = 0;
    ledger_drained(&w->node[node], r.fence, r.op, done, w->now, node_now(w, node), cause,
                   w->ledger_out);
    node_effects(w, node);
    owner_changed(w, node);
}
