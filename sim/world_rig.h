/* For the tests of the world: one device of one engine (or more of each), a short lease, no
 * faults of its own; time is moved by hand, and what happened is looked up in the history.
 *
 *   world_rig_open     profile and number of tabs, all hidden; change scenario and contract,
 *                      then world_rig_reset with a seed, as often as needed
 *   world_rig_for      lets time pass; world_rig_until stops at the first observation of a kind
 *   world_rig_leader   until some page leads
 *   world_rig_fault    a fault begins now, as if it had been planned
 *
 * World functions (page_freeze, net_broadcast, …) may be called between two such calls. */
#ifndef SIM_WORLD_RIG_H
#define SIM_WORLD_RIG_H

#include "sim/base/must.h"
#include "sim/run.h"

#define MS(n) (INT64_C(n) * US_PER_MS)
#define SECONDS(n) (INT64_C(n) * US_PER_S)

struct world_rig {
    struct runner runner;
    struct world *w;
    struct scenario scenario;
    struct contract contract;
};

static inline void world_rig_open(struct world_rig *g, enum profile_kind profile, uint32_t tabs)
{
    struct scenario *s = &g->scenario;
    struct contract *c = &g->contract;
    *s = (struct scenario){ .name = "test",
                            .devices = 1,
                            .all_hidden_percent = 100,
                            .networks = 1,
                            .layouts = 1,
                            .hidden_since = { .none = 1 } };
    s->device[0] = (struct device_plan){ .tabs = tabs, .visible = 1, .mix_n = 1 };
    s->device[0].mix[0].profile = profile;
    s->device[0].mix[0].weight = 1;
    s->network[0] = NETWORK_LAN;
    s->layout[0] = LAYOUT_SINGLE;
    s->network_weight[0] = s->layout_weight[0] = 1;
    s->duration = s->long_duration = (struct span_range){ SECONDS(600), SECONDS(600) };
    *c = (struct contract){
        .workstream = "test",
        .lock_name = "test",
        .protocol = "test@3",
        .protocol_version = 3,
        .authority = AUTHORITY_SERVER,
        .max_hold_us = SECONDS(500),
        .steal = STEAL_INCIDENT_ONLY,
        .fallback = FALLBACK_SERVER_COORDINATED,
        .stage = STAGE_OUTBOX,
        .lease = { .ttl_us = MS(1000), .renew_us = MS(300) },
        .heartbeat = { .interval_us = MS(2000), .suspect_after_us = MS(5000) },
        .request_timeout_us = MS(400),
        .vacant_after_us = MS(500),
        .permit_ttl_us = MS(1000),
        .permit_grace_us = MS(500),
        .server_after_us = SECONDS(5),
        .slo = { .progress_within_us = SECONDS(8) },
    };
    runner_open(&g->runner, 16);
    g->w = g->runner.world;
}

static inline void world_rig_close(struct world_rig *g)
{
    runner_close(&g->runner);
}

/* A device like the first; its number. */
static inline uint8_t world_rig_device(struct world_rig *g)
{
    must(g->scenario.devices < DEVICES_MAX);
    g->scenario.device[g->scenario.devices] = g->scenario.device[0];
    return (uint8_t)g->scenario.devices++;
}

static inline void world_rig_reset(struct world_rig *g, uint64_t seed)
{
    world_reset(g->w, &g->scenario, &g->contract, seed);
}

/* ---- time ------------------------------------------------------------------------------- */

/* The next event is handled when it is not after `until`. */
static inline bool world_rig_step(struct world_rig *g, int64_t until_us)
{
    struct event e;
    if (g->w->queue.n == 0 || event_at(&g->w->queue.heap[3]).us > until_us) return false;
    must(evq_pop(&g->w->queue, &e));
    world_handle(g->w, &e);
    must(!g->w->limit);
    return true;
}

static inline void world_rig_for(struct world_rig *g, int64_t us)
{
    int64_t end = g->w->now.us + us;
    while (world_rig_step(g, end)) continue;
    g->w->now.us = end;
    g->w->cause = OBS_NONE;
}

/* ---- the history ---------------------------------------------------------------------------- */

/* The first observation at or after `from` of the kind, of the page (PAGE_NONE: of anybody). */
static inline const struct obs *world_rig_find(const struct world_rig *g, uint32_t from,
                                               enum obs_kind kind, uint16_t page)
{
    const struct history *h = &g->w->history;
    for (uint32_t i = from; i < h->n; i++)
        if (h->at[i].kind == kind && (page == PAGE_NONE || h->at[i].page == page)) return &h->at[i];
    return NULL;
}

/* Of requests, answers and states: with this in member `a`. */
static inline const struct obs *world_rig_find_a(const struct world_rig *g, uint32_t from,
                                                 enum obs_kind kind, uint16_t page, uint32_t a)
{
    const struct obs *o = world_rig_find(g, from, kind, page);
    while (o && o->a != a) o = world_rig_find(g, o->number + 1, kind, page);
    return o;
}

static inline const struct obs *world_rig_find_request(const struct world_rig *g, uint32_t from,
                                                       enum obs_kind kind, uint32_t request)
{
    const struct obs *o = world_rig_find(g, from, kind, PAGE_NONE);
    while (o && o->request != request) o = world_rig_find(g, o->number + 1, kind, PAGE_NONE);
    return o;
}

/* The page enters the client state. */
static inline const struct obs *world_rig_entered(const struct world_rig *g, uint32_t from,
                                                  uint16_t page, enum client_state state)
{
    const struct obs *o = world_rig_find(g, from, OBS_STATE_CHANGED, page);
    while (o && o->b != (uint32_t)state)
        o = world_rig_find(g, o->number + 1, OBS_STATE_CHANGED, page);
    return o;
}

static inline uint32_t world_rig_count(const struct world_rig *g, uint32_t from, enum obs_kind kind,
                                       uint16_t page)
{
    uint32_t n = 0;
    for (const struct obs *o = world_rig_find(g, from, kind, page); o;
         o = world_rig_find(g, o->number + 1, kind, page))
        n++;
    return n;
}

static inline uint32_t world_rig_issued(const struct world_rig *g, uint32_t from, uint16_t page,
                                        enum request_kind kind)
{
    uint32_t n = 0;
    for (const struct obs *o = world_rig_find_a(g, from, OBS_REQUEST_ISSUED, page, kind); o;
         o = world_rig_find_a(g, o->number + 1, OBS_REQUEST_ISSUED, page, kind))
        n++;
    return n;
}

static inline uint32_t world_rig_mark(const struct world_rig *g)
{
    return g->w->history.n;
}

/* Until the next observation of the kind, at most `us`; NULL when none came. */
static inline const struct obs *world_rig_until(struct world_rig *g, enum obs_kind kind,
                                                uint16_t page, int64_t us)
{
    uint32_t from = world_rig_mark(g);
    int64_t end = g->w->now.us + us;
    const struct obs *o = NULL;
    while (!o && world_rig_step(g, end)) o = world_rig_find(g, from, kind, page);
    g->w->cause = OBS_NONE;
    return o;
}

/* ---- pages ----------------------------------------------------------------------- */

static inline bool world_rig_leads(const struct world_rig *g, uint16_t n)
{
    const struct page *p = &g->w->page[n];
    return page_alive(p) && p->client.page.state == STATE_LEADER && p->client.page.believes;
}

/* Until a page leads and the others have settled down behind it. */
static inline uint16_t world_rig_leader(struct world_rig *g)
{
    for (int64_t end = g->w->now.us + SECONDS(60); g->w->now.us < end;) {
        world_rig_for(g, MS(500));
        for (uint32_t n = 0; n < g->w->pages; n++)
            if (world_rig_leads(g, (uint16_t)n)) return (uint16_t)n;
    }
    must(false);
    return PAGE_NONE;
}

/* The n-th page in the queue behind the leader of the first device. */
static inline uint16_t world_rig_waiter(const struct world_rig *g, uint32_t n)
{
    uint16_t p = lockmgr_waiter(g->w->lockmgr[0], LOCK_NAME_LEADER, n);
    must(p != PAGE_NONE);
    return p;
}

static inline uint16_t world_rig_holder(const struct world_rig *g)
{
    uint32_t request;
    return lockmgr_holder(g->w->lockmgr[0], LOCK_NAME_LEADER, &request);
}

/* A message on the channel, as if `from` had sent it. */
static inline void world_rig_broadcast(struct world_rig *g, uint16_t from, enum leader_message kind,
                                       uint32_t a)
{
    struct client_message m = { .kind = (uint8_t)kind, .tab_instance = from + 1u, .a = a };
    net_broadcast(g->w, from, &m);
}

/* ---- faults ---------------------------------------------------------------------- */

/* Begins now and lasts `us`; its index. must() when there was nobody to act on. */
static inline uint32_t world_rig_fault(struct world_rig *g, enum fault_kind kind, int64_t us)
{
    struct world *w = g->w;
    must(w->faults < FAULTS_PLANNED_MAX);
    uint32_t i = w->faults++;
    w->fault[i] = (struct planned_fault){ .kind = kind,
                                          .at = w->now,
                                          .lasts_us = us,
                                          .number = OBS_NONE,
                                          .page = PAGE_NONE,
                                          .device = DEVICE_NONE,
                                          .node = NODE_NONE };
    fault_due(w, i);
    w->cause = OBS_NONE;
    must(w->fault[i].begun);
    return i;
}

#endif
