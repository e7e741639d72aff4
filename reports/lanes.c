#include "reports/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/fault.h"
#include "sim/base/must.h"

#define PAGES (UINT16_MAX + 1) /* documents are numbered in 16 bits */
#define LANES_MAX 60000        /* lanes are numbered in 16 bits too */
#define NODES 256
#define DEVICES 256
#define FAULTS 256       /* of a round; a plan has at most 32 */
#define LOCAL_LEDGER 16u /* node 16 + partition */

const char *const lane_span_word[SPAN_COUNT] = {
#define X(kind, word, says) word,
    LANE_SPANS(X)
#undef X
};
const char *const lane_span_says[SPAN_COUNT] = {
#define X(kind, word, says) says,
    LANE_SPANS(X)
#undef X
};

/* What is being followed while the history is read. A span that is open is named by its
 * index and one more; 0: none. */
struct page {
    uint16_t lane;
    bool known, visible, frozen, cached, blocked;
    uint32_t life, belief;
};

struct request {
    uint16_t page, at; /* at: the lane that it reached */
    uint8_t kind;
    bool known;
    uint32_t issued, reached; /* observations; OBS_NONE */
    uint32_t arrow;           /* on its way there; 0: none */
};

struct builder {
    struct lanes *l;
    uint32_t spans_max, arrows_max;
    struct page *page;       /* PAGES */
    struct request *request; /* LANES_REQUESTS */
    uint32_t *lock;          /* LANES_REQUESTS: open wait or hold of a lock request */
    uint16_t gaps, faults, provider, device[DEVICES], node[NODES];
    uint32_t asleep[DEVICES], cut[DEVICES][LOCAL_LEDGER];
    uint32_t accepts[NODES], down[NODES], fault[FAULTS];
};

/* -- which lanes there are ----------------------------------------------------------------- */

static uint16_t add_lane(struct lanes *l, enum lane_kind kind, uint8_t device, uint16_t id)
{
    if (l->lanes >= LANES_MAX) return LANE_NONE;
    l->lane[l->lanes] = (struct lane){ (uint8_t)kind, device, id };
    return (uint16_t)l->lanes++;
}

static int by_place(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Every tab once, by device and number; each device before its tabs. */
static void add_tabs(struct builder *b)
{
    struct lanes *l = b->l;
    const struct history *h = l->history;
    struct lane *tab = calloc((size_t)h->n + 1, sizeof *tab);
    uint32_t n = 0;
    must(tab != NULL);
    for (uint32_t i = 0; i < h->n; i++)
        if (h->at[i].kind == OBS_PAGE_CREATED)
            tab[n++] = (struct lane){ LANE_TAB, h->at[i].device, (uint16_t)h->at[i].a };
    qsort(tab, n, sizeof *tab, by_place);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && by_place(&tab[i - 1], &tab[i]) == 0) continue;
        if (b->device[tab[i].device] == LANE_NONE)
            b->device[tab[i].device] = add_lane(l, LANE_DEVICE, tab[i].device, tab[i].device);
        add_lane(l, LANE_TAB, tab[i].device, tab[i].id);
    }
    free(tab);
}

static void add_nodes(struct builder *b)
{
    bool seen[NODES] = { false };
    const struct history *h = b->l->history;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->at[i].node != NODE_NONE) seen[h->at[i].node] = true;
    for (uint16_t i = 0; i < NODES; i++)
        if (seen[i]) b->node[i] = add_lane(b->l, LANE_NODE, DEVICE_NONE, i);
}

static void find_lanes(struct builder *b)
{
    memset(b->device, 0xFF, sizeof b->device);
    memset(b->node, 0xFF, sizeof b->node);
    b->gaps = add_lane(b->l, LANE_GAPS, DEVICE_NONE, 0);
    b->faults = add_lane(b->l, LANE_FAULTS, DEVICE_NONE, 0);
    add_tabs(b);
    add_nodes(b);
    b->provider = add_lane(b->l, LANE_PROVIDER, DEVICE_NONE, 0);
}

static uint16_t find_tab(const struct lanes *l, const struct obs *o)
{
    for (uint32_t i = 0; i < l->lanes; i++)
        if (l->lane[i].kind == LANE_TAB && l->lane[i].device == o->device &&
            l->lane[i].id == (uint16_t)o->a)
            return (uint16_t)i;
    return LANE_NONE;
}

/* -- spans and arrows ------------------------------------------------------------------------ */

/* Opens one; returns its index and one more. */
static uint32_t begin(struct builder *b, const struct obs *o, enum lane_span_kind kind,
                      uint16_t lane, uint32_t what)
{
    struct lanes *l = b->l;
    if (lane == LANE_NONE) return 0;
    must(l->spans < b->spans_max);
    l->span[l->spans] = (struct lane_span){ .from_us = o->at.us,
                                            .to_us = l->end_us,
                                            .began = o->number,
                                            .ended = OBS_NONE,
                                            .fence = o->fence,
                                            .lane = lane,
                                            .page = o->page,
                                            .kind = (uint8_t)kind,
                                            .what = what };
    return ++l->spans;
}

static void end(struct builder *b, uint32_t *open, const struct obs *o)
{
    if (*open == 0) return;
    struct lane_span *s = &b->l->span[*open - 1];
    s->to_us = o->at.us;
    s->ended = o->number;
    *open = 0;
}

static struct lane_arrow *draw(struct builder *b, enum lane_arrow_kind kind,
                               const struct request *r, const struct obs *from, uint16_t from_lane,
                               uint16_t to_lane)
{
    struct lanes *l = b->l;
    if (from_lane == LANE_NONE || to_lane == LANE_NONE) return NULL;
    must(l->arrows < b->arrows_max);
    struct lane_arrow *a = &l->arrow[l->arrows++];
    *a = (struct lane_arrow){ .from_us = from->at.us,
                              .to_us = from->at.us,
                              .began = from->number,
                              .ended = OBS_NONE,
                              .request = from->request,
                              .from = from_lane,
                              .to = to_lane,
                              .kind = (uint8_t)kind,
                              .request_kind = r ? r->kind : (uint8_t)REQ_NONE };
    return a;
}

static void arrive(struct lane_arrow *a, const struct obs *o, bool lost)
{
    if (!a) return;
    a->to_us = o->at.us;
    a->ended = o->number;
    a->lost = lost;
}

/* -- pages ---------------------------------------------------------------------------------- */

static struct page *page_of(struct builder *b, uint16_t page)
{
    return b->page[page].known ? &b->page[page] : NULL;
}

static enum lane_span_kind life_of(const struct page *p)
{
    if (p->cached) return SPAN_CACHED;
    if (p->frozen) return SPAN_FROZEN;
    if (p->blocked) return SPAN_BLOCKED;
    return p->visible ? SPAN_VISIBLE : SPAN_HIDDEN;
}

static void is_gone(struct builder *b, struct page *p, const struct obs *o)
{
    end(b, &p->life, o);
    end(b, &p->belief, o);
}

/* True when `o` changed what the page is. */
static bool changes_life(struct page *p, const struct obs *o)
{
    switch ((enum obs_kind)o->kind) {
    case OBS_PAGE_VISIBLE: p->visible = true; return true;
    case OBS_PAGE_HIDDEN: p->visible = false; return true;
    case OBS_PAGE_FROZEN: p->frozen = true; return true;
    case OBS_PAGE_RESUMED: p->frozen = false; return true;
    case OBS_PAGE_CACHED: p->cached = true; return true;
    case OBS_PAGE_RESTORED: p->cached = p->frozen = false; return true;
    case OBS_PAGE_BLOCKED: p->blocked = true; return true;
    case OBS_PAGE_UNBLOCKED: p->blocked = false; return true;
    default: return false;
    }
}

static void follow_page(struct builder *b, const struct obs *o)
{
    if (o->kind == OBS_PAGE_CREATED)
        b->page[o->page] = (struct page){ .lane = find_tab(b->l, o),
                                          .known = true,
                                          .visible = (o->flags & PAGE_IS_VISIBLE) != 0 };
    struct page *p = page_of(b, o->page);
    if (!p) return;
    if (o->kind == OBS_PAGE_CREATED || changes_life(p, o)) {
        end(b, &p->life, o);
        p->life = begin(b, o, life_of(p), p->lane, 0);
    }
    if (o->kind == OBS_PAGE_DISCARDED || o->kind == OBS_PAGE_EVICTED ||
        o->kind == OBS_PAGE_CRASHED || o->kind == OBS_PAGE_CLOSED)
        is_gone(b, p, o);
    if (o->kind == OBS_BELIEF_BEGAN || o->kind == OBS_BELIEF_ENDED) end(b, &p->belief, o);
    if (o->kind == OBS_BELIEF_BEGAN) p->belief = begin(b, o, SPAN_BELIEF, p->lane, 0);
}

/* -- locks ---------------------------------------------------------------------------------- */

static void follow_steal(struct builder *b, const struct obs *o)
{
    if (o->b >= LANES_REQUESTS) return;
    const struct page *victim = page_of(b, o->page);
    uint32_t open = b->lock[o->b];
    uint16_t thief = open ? b->l->span[open - 1].lane : LANE_NONE;
    if (victim) arrive(draw(b, ARROW_STEAL, NULL, o, thief, victim->lane), o, false);
}

static void follow_lock(struct builder *b, const struct obs *o)
{
    const struct page *p = page_of(b, o->page);
    if (!p || o->request >= LANES_REQUESTS) return;
    uint32_t *open = &b->lock[o->request];
    switch ((enum obs_kind)o->kind) {
    case OBS_LOCK_REQUESTED:
        end(b, open, o);
        *open = begin(b, o, SPAN_WAIT, p->lane, o->key);
        break;
    case OBS_LOCK_GRANTED:
        end(b, open, o);
        *open = begin(b, o, SPAN_HOLD, p->lane, o->key);
        break;
    case OBS_LOCK_STOLEN:
        follow_steal(b, o);
        end(b, open, o);
        break;
    case OBS_LOCK_REFUSED:
    case OBS_LOCK_UNAVAILABLE:
    case OBS_LOCK_ABORTED:
    case OBS_LOCK_DROPPED:
    case OBS_LOCK_RELEASED: end(b, open, o); break;
    default: break;
    }
}

/* -- requests ------------------------------------------------------------------------------- */

static bool is_for_provider(const struct request *r)
{
    return r->kind == REQ_EFFECT || r->kind == REQ_OUTCOME;
}

static void issue(struct builder *b, struct request *r, const struct obs *o)
{
    const struct page *p = page_of(b, o->page);
    *r = (struct request){ .page = o->page,
                           .at = LANE_NONE,
                           .kind = (uint8_t)o->a,
                           .known = p != NULL && o->a < REQ_COUNT,
                           .issued = o->number,
                           .reached = OBS_NONE };
    if (!r->known) return;
    uint16_t to = is_for_provider(r) ? b->provider : b->node[0];
    if (draw(b, ARROW_REQUEST, r, o, p->lane, to)) r->arrow = b->l->arrows;
}

/* Once a copy has arrived, another one has an arrow of its own. */
static void reach(struct builder *b, struct request *r, const struct obs *o)
{
    uint16_t to = is_for_provider(r)     ? b->provider
                  : o->node == NODE_NONE ? LANE_NONE
                                         : b->node[o->node];
    struct lane_arrow *a = r->arrow ? &b->l->arrow[r->arrow - 1] : NULL;
    if (!a) a = draw(b, ARROW_REQUEST, r, &b->l->history->at[r->issued], b->page[r->page].lane, to);
    if (a && to != LANE_NONE) a->to = to;
    arrive(a, o, false);
    r->arrow = 0;
    r->reached = o->number;
    r->at = to;
}

static void answer(struct builder *b, struct request *r, const struct obs *o)
{
    if (r->reached == OBS_NONE) return;
    const struct obs *from = &b->l->history->at[r->reached];
    arrive(draw(b, ARROW_ANSWER, r, from, r->at, b->page[r->page].lane), o,
           o->kind == OBS_ANSWER_LOST);
}

static void follow_request(struct builder *b, const struct obs *o)
{
    if (o->request >= LANES_REQUESTS) return;
    struct request *r = &b->request[o->request];
    if (o->kind == OBS_REQUEST_ISSUED) issue(b, r, o);
    if (!r->known) return;
    struct lane_arrow *on_its_way = r->arrow ? &b->l->arrow[r->arrow - 1] : NULL;
    switch ((enum obs_kind)o->kind) {
    case OBS_REQUEST_DEPARTED:
        if (on_its_way) on_its_way->from_us = o->at.us;
        break;
    case OBS_REQUEST_LOST: arrive(on_its_way, o, true), r->arrow = 0; break;
    case OBS_REQUEST_ARRIVED: reach(b, r, o); break;
    case OBS_EFFECT_EXECUTED:
    case OBS_EFFECT_ABSORBED:
    case OBS_EFFECT_ASKED:
        if (r->reached == OBS_NONE || r->at != b->provider) reach(b, r, o);
        break;
    case OBS_ANSWER_LOST:
    case OBS_ANSWER_HANDLED: answer(b, r, o); break;
    default: break;
    }
}

/* -- devices, nodes, faults ----------------------------------------------------------------- */

static void follow_device(struct builder *b, const struct obs *o)
{
    uint16_t lane = b->device[o->device];
    if (o->kind == OBS_DEVICE_ASLEEP || o->kind == OBS_DEVICE_AWAKE)
        end(b, &b->asleep[o->device], o);
    if (o->kind == OBS_DEVICE_ASLEEP) b->asleep[o->device] = begin(b, o, SPAN_ASLEEP, lane, 0);
    if ((o->kind != OBS_LINK_CUT && o->kind != OBS_LINK_HEALED) || o->node >= LOCAL_LEDGER) return;
    uint32_t *cut = &b->cut[o->device][o->node];
    end(b, cut, o);
    if (o->kind == OBS_LINK_CUT) *cut = begin(b, o, SPAN_CUT, lane, o->node);
}

static void follow_node(struct builder *b, const struct obs *o)
{
    uint16_t lane = b->node[o->node];
    if (o->kind == OBS_NODE_DOWN || o->kind == OBS_NODE_UP) end(b, &b->down[o->node], o);
    if (o->kind == OBS_NODE_DOWN) b->down[o->node] = begin(b, o, SPAN_DOWN, lane, o->node);
    if (o->kind != OBS_LEDGER_ACCEPTABLE) return;
    end(b, &b->accepts[o->node], o);
    if (!fence_is_none(o->fence)) b->accepts[o->node] = begin(b, o, SPAN_ACCEPTS, lane, o->node);
}

static void follow_fault(struct builder *b, const struct obs *o)
{
    if ((o->kind != OBS_FAULT_BEGUN && o->kind != OBS_FAULT_ENDED) || o->op >= FAULTS) return;
    end(b, &b->fault[o->op], o);
    if (o->kind == OBS_FAULT_BEGUN) b->fault[o->op] = begin(b, o, SPAN_FAULT, b->faults, o->a);
}

/* -- where an observation stands ------------------------------------------------------------ */

static bool begins_with(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static uint16_t place(const struct builder *b, const struct obs *o)
{
    const char *word = obs_info[o->kind].word;
    if (begins_with(word, "fault.")) return b->faults;
    if (begins_with(word, "effect.")) return b->provider;
    if (o->node != NODE_NONE && !begins_with(word, "link.")) return b->node[o->node];
    if (o->page != PAGE_NONE && o->page != PAGE_SERVER && b->page[o->page].known)
        return b->page[o->page].lane;
    if (o->device != DEVICE_NONE) return b->device[o->device];
    if (o->request > 0 && o->request < LANES_REQUESTS && b->request[o->request].known)
        return b->page[b->request[o->request].page].lane;
    return LANE_NONE;
}

static void follow(struct builder *b, const struct obs *o)
{
    follow_page(b, o);
    follow_lock(b, o);
    follow_request(b, o);
    if (o->device != DEVICE_NONE) follow_device(b, o);
    if (o->node != NODE_NONE) follow_node(b, o);
    follow_fault(b, o);
    b->l->of[o->number] = place(b, o);
}

static void add_gaps(struct builder *b, const struct judge_result *r)
{
    const struct history *h = b->l->history;
    for (uint32_t i = 0; r && i < r->gaps; i++) {
        const struct gap_sample *g = &r->gap[i];
        if (g->began >= h->n || (!g->open && g->ended >= h->n)) continue;
        uint32_t open = begin(b, &h->at[g->began], SPAN_GAP, b->gaps, g->cause);
        if (!g->open) end(b, &open, &h->at[g->ended]);
    }
}

/* A request still on its way when the round ended goes nowhere. */
static void drop_unfinished(struct lanes *l)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->arrows; i++)
        if (l->arrow[i].ended != OBS_NONE) l->arrow[kept++] = l->arrow[i];
    l->arrows = kept;
}

/* -- all of it ------------------------------------------------------------------------------ */

static bool reserve(struct builder *b, uint32_t gaps)
{
    struct lanes *l = b->l;
    size_t n = l->history->n;
    /* an observation begins at most one span, and one arrow */
    b->spans_max = (uint32_t)n + gaps;
    b->arrows_max = (uint32_t)n;
    l->lane = calloc(2 * n + NODES + 3, sizeof *l->lane);
    l->of = calloc(n + 1, sizeof *l->of);
    l->span = calloc(n + gaps + 1, sizeof *l->span);
    l->arrow = calloc(n + 1, sizeof *l->arrow);
    b->page = calloc(PAGES, sizeof *b->page);
    b->request = calloc(LANES_REQUESTS, sizeof *b->request);
    b->lock = calloc(LANES_REQUESTS, sizeof *b->lock);
    return l->lane && l->of && l->span && l->arrow && b->page && b->request && b->lock;
}

bool lanes_open(struct lanes *l, const struct history *h, const struct judge_result *r)
{
    struct builder *b = calloc(1, sizeof *b);
    *l = (struct lanes){ .history = h, .end_us = h->n > 0 ? h->at[h->n - 1].at.us : 0 };
    if (!b) return false;
    b->l = l;
    bool ok = reserve(b, r ? r->gaps : 0);
    if (ok) {
        find_lanes(b);
        for (uint32_t i = 0; i < h->n; i++) follow(b, &h->at[i]);
        add_gaps(b, r);
        drop_unfinished(l);
    }
    free(b->page);
    free(b->request);
    free(b->lock);
    free(b);
    if (!ok) lanes_close(l);
    return ok;
}

void lanes_close(struct lanes *l)
{
    free(l->lane);
    free(l->of);
    free(l->span);
    free(l->arrow);
    *l = (struct lanes){ 0 };
}

/* -- names ---------------------------------------------------------------------------------- */

const char *lane_name(char out[LANE_NAME_MAX], const struct lane *l)
{
    switch ((enum lane_kind)l->kind) {
    case LANE_GAPS: snprintf(out, LANE_NAME_MAX, "no leader"); break;
    case LANE_FAULTS: snprintf(out, LANE_NAME_MAX, "faults"); break;
    case LANE_DEVICE: snprintf(out, LANE_NAME_MAX, "device %u", l->id); break;
    case LANE_TAB: snprintf(out, LANE_NAME_MAX, "tab %u", l->id); break;
    case LANE_NODE:
        if (l->id < LOCAL_LEDGER)
            snprintf(out, LANE_NAME_MAX, "ledger node %u", l->id);
        else
            snprintf(out, LANE_NAME_MAX, "ledger of partition %u", l->id - LOCAL_LEDGER);
        break;
    case LANE_PROVIDER: snprintf(out, LANE_NAME_MAX, "provider"); break;
    }
    return out;
}

const char *lane_span_name(char out[SPAN_NAME_MAX], const struct lane_span *s)
{
    const char *word = lane_span_word[s->kind];
    switch ((enum lane_span_kind)s->kind) {
    case SPAN_WAIT:
    case SPAN_HOLD:
        if (s->what == LOCK_NAME_LEADER)
            snprintf(out, SPAN_NAME_MAX, "%s the leader lock",
                     s->kind == SPAN_HOLD ? word : "waits for");
        else
            snprintf(out, SPAN_NAME_MAX, "%s lock %u", s->kind == SPAN_HOLD ? word : "waits for",
                     (unsigned)s->what);
        break;
    case SPAN_BELIEF:
    case SPAN_ACCEPTS:
        snprintf(out, SPAN_NAME_MAX, "%s %u.%u", s->kind == SPAN_BELIEF ? "believes in" : word,
                 (unsigned)s->fence.epoch, (unsigned)s->fence.generation);
        break;
    case SPAN_CUT: snprintf(out, SPAN_NAME_MAX, "cut off from node %u", (unsigned)s->what); break;
    case SPAN_FAULT:
        snprintf(out, SPAN_NAME_MAX, "%s",
                 s->what < FAULT_COUNT ? fault_info[s->what].word : "unknown fault");
        break;
    case SPAN_GAP:
        snprintf(out, SPAN_NAME_MAX, "nobody can lead: %s",
                 s->what < GAP_COUNT ? gap_word[s->what] : "unknown cause");
        break;
    default: snprintf(out, SPAN_NAME_MAX, "%s", word); break;
    }
    return out;
}
