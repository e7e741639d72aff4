/* The lock manager of one storage partition. The header says what each call
 * does and by which rule; here is how it is kept.
 *
 * An entry is one live request: it waits in the queue of its name, or is held
 * by its name; either way it is in its client's list too, in the order of
 * arrival. A name exists while an entry refers to it.
 *
 *   arrival --> settled at once:  granted, stolen for, or "unavailable"
 *           --> queue: until what is in front of it leaves, then granted
 *
 * Two rules keep the queues right. An arrival is granted only when nobody
 * waits and it fits beside what is held (WL-21); it never moves those that
 * wait. When an entry leaves, the queue is worked off from its head (WL-23).
 * So a queue whose head could be granted is a queue that was skipped when
 * something left, which only WL-26 and WL-68 do; `stalled` says so.
 *
 * A client that ends loses first all its requests, then all its locks (WL-44),
 * all of a kind before a queue is worked off: by the letter a dying client could
 * be granted for an instant what it asked for; the outcome is the same.
 *
 * Not measured, decided here: an S that waits only behind a queued X does not
 * contend with a cached holder of S, and evicts nobody (WL-65). */
#include "sim/browser/lockmgr_internal.h"

#include "sim/base/must.h"

/* One arrival, while the manager works on it. */
struct turn {
    struct lockmgr *m;
    struct instant at;
    struct lockmgr_out *out;
    const struct name *skipped; /* WL-68: the queue that is not worked off in this turn */
};

/* -- lists, names, clients, entries ----------------------------------------------- */

static void list_insert(struct list *l, enum chain c, struct entry *e, bool in_front)
{
    struct entry *prev = in_front ? NULL : l->last, *next = in_front ? l->first : NULL;
    e->prev[c] = prev;
    e->next[c] = next;
    *(prev ? &prev->next[c] : &l->first) = e;
    *(next ? &next->prev[c] : &l->last) = e;
    l->n++;
}

static void list_remove(struct list *l, enum chain c, struct entry *e)
{
    struct entry *prev = e->prev[c], *next = e->next[c];
    *(prev ? &prev->next[c] : &l->first) = next;
    *(next ? &next->prev[c] : &l->last) = prev;
    l->n--;
}

static struct name *name_find(const struct lockmgr *m, uint32_t key)
{
    struct name *n = m->name_bucket[key % NAME_BUCKETS];
    while (n && n->key != key) n = n->bucket_next;
    return n;
}

/* The name, made if need be; the caller makes an entry that refers to it. */
static struct name *name_of(struct lockmgr *m, uint32_t key)
{
    struct name *n = name_find(m, key);
    if (n) return n;
    if (m->name_free) {
        n = m->name_free;
        m->name_free = n->bucket_next;
    } else {
        must(m->names_used < m->requests_max);
        n = &m->name[m->names_used++];
    }
    struct name **bucket = &m->name_bucket[key % NAME_BUCKETS];
    *n = (struct name){ .key = key, .bucket_next = *bucket };
    *bucket = n;
    return n;
}

static void name_drop(struct lockmgr *m, struct name *n)
{
    struct name **link = &m->name_bucket[n->key % NAME_BUCKETS];
    while (*link != n) link = &(*link)->bucket_next;
    *link = n->bucket_next;
    n->bucket_next = m->name_free;
    m->name_free = n;
}

static struct client *client_of(struct lockmgr *m, uint16_t page)
{
    must(page < m->pages_max);
    struct client *c = &m->client[page];
    if (!c->touched) m->touched[m->touched_n++] = page;
    c->touched = true;
    return c;
}

static struct entry *entry_find(const struct lockmgr *m, uint32_t request)
{
    struct entry *e = m->bucket[request & m->bucket_mask];
    while (e && e->ask.request != request) e = e->bucket_next;
    return e;
}

static struct entry *entry_make(struct lockmgr *m, struct name *n, struct ask ask)
{
    struct entry *e = m->entry_free;
    if (e) {
        m->entry_free = e->bucket_next;
    } else {
        must(m->entries_used < m->requests_max);
        e = &m->entry[m->entries_used++];
    }
    struct entry **bucket = &m->bucket[ask.request & m->bucket_mask];
    *e = (struct entry){ .ask = ask, .name = n, .bucket_next = *bucket };
    *bucket = e;
    n->refs++;
    list_insert(&client_of(m, ask.page)->entries, IN_CLIENT, e, false);
    return e;
}

static void entry_drop(struct lockmgr *m, struct entry *e)
{
    must(e->state == NOWHERE);
    list_remove(&m->client[e->ask.page].entries, IN_CLIENT, e);
    struct entry **link = &m->bucket[e->ask.request & m->bucket_mask];
    while (*link != e) link = &(*link)->bucket_next;
    *link = e->bucket_next;
    e->bucket_next = m->entry_free;
    m->entry_free = e;
    if (--e->name->refs == 0) name_drop(m, e->name);
}

static void entry_leave(struct entry *e, uint32_t left_by)
{
    must(e->state != NOWHERE);
    list_remove(e->state == HELD ? &e->name->held : &e->name->queue, IN_NAME, e);
    e->state = NOWHERE;
    e->left_by = left_by;
}

/* -- what a turn tells and grants --------------------------------------------------- */

static struct turn turn_begin(struct lockmgr *m, struct instant at, struct lockmgr_out *out)
{
    must(m->history != NULL);
    out->n = 0;
    return (struct turn){ .m = m, .at = at, .out = out };
}

static struct obs turn_obs(const struct turn *t, enum obs_kind kind, struct ask ask, uint32_t key,
                           uint32_t cause)
{
    struct obs o = obs_make(kind, t->at, cause);
    o.page = ask.page;
    o.partition = t->m->partition;
    o.request = ask.request;
    o.key = key;
    return o;
}

static uint32_t turn_note(struct turn *t, enum obs_kind kind, struct ask ask, uint32_t key,
                          uint32_t cause)
{
    struct obs o = turn_obs(t, kind, ask, key, cause);
    return history_add(t->m->history, &o);
}

static void turn_tell(struct turn *t, enum lockmgr_out_kind kind, struct ask ask, uint32_t cause)
{
    struct lockmgr_out *out = t->out;
    must(out->n < LOCKMGR_OUT_MAX);
    out->at[out->n].kind = kind;
    out->at[out->n].page = ask.page;
    out->at[out->n].request = ask.request;
    out->at[out->n].cause = cause;
    out->n++;
}

/* The second half of WL-21: beside what is held now. */
static bool name_fits(const struct name *n, bool shared)
{
    return n->held.first == NULL || (shared && n->held.first->ask.shared);
}

/* WL-27: from here on the client holds, whatever state its page is in (WL-32, WL-68b). */
static void grant(struct turn *t, struct entry *e, uint32_t cause)
{
    struct name *n = e->name;
    must(name_fits(n, e->ask.shared));
    if (e->state == WAITING) entry_leave(e, cause);
    e->state = HELD;
    list_insert(&n->held, IN_NAME, e, false);
    uint32_t granted = turn_note(t, OBS_LOCK_GRANTED, e->ask, n->key, cause);
    turn_tell(t, LOCKMGR_GRANTED, e->ask, granted);
}

/* Something has left `n`: work its queue off from the head (WL-23), or do not. */
static void name_settle(struct turn *t, struct name *n, uint32_t cause)
{
    struct entry *head = n->queue.first;
    bool still_held = n->held.first && t->m->rules.removed_head_stalls_shared; /* WL-26 */
    if (still_held || n == t->skipped) {
        n->stalled = head && name_fits(n, head->ask.shared);
        return;
    }
    n->stalled = false;
    while ((head = n->queue.first) && name_fits(n, head->ask.shared)) grant(t, head, cause);
}

static void entry_finish(struct turn *t, struct entry *e)
{
    name_settle(t, e->name, e->left_by);
    entry_drop(t->m, e);
}

/* -- clients that end, are cached, are evicted ------------------------------------ */

/* Takes out one entry of a client that ends or is cached; nobody is told (WL-45), but
 * for a client whose promises will reject (WL-70). */
static void entry_shed(struct turn *t, struct entry *e, bool rejects, uint32_t cause)
{
    bool held = e->state == HELD;
    struct obs o =
        turn_obs(t, held ? OBS_LOCK_RELEASED : OBS_LOCK_DROPPED, e->ask, e->name->key, cause);
    o.flags = held ? 1 : 0;
    entry_leave(e, history_add(t->m->history, &o));
    if (rejects) turn_tell(t, LOCKMGR_DROPPED, e->ask, e->left_by);
}

static void client_shed(struct turn *t, struct client *c, enum entry_state state, bool rejects,
                        uint32_t cause)
{
    struct entry *e, *next;
    for (e = c->entries.first; e; e = e->next[IN_CLIENT])
        if (e->state == state) entry_shed(t, e, rejects, cause);
    for (e = c->entries.first; e; e = next) {
        next = e->next[IN_CLIENT];
        if (e->state == NOWHERE) entry_finish(t, e);
    }
}

/* WL-44: the requests, then the locks. */
static void client_end(struct turn *t, struct client *c, uint32_t cause)
{
    if (c->cached) t->m->cached_n--;
    c->cached = false;
    c->ended = true;
    if (!policy_has(t->m->policy, POLICY_LOCK_TO_THE_DEAD))
        client_shed(t, c, WAITING, false, cause);
    client_shed(t, c, HELD, false, cause);
}

/* Tells that the cached holders of `n` are thrown away, each client once, but `spared`. */
static void evict_tell(struct turn *t, const struct name *n, uint16_t spared, uint32_t cause)
{
    for (const struct entry *e = n->held.first; e; e = e->next[IN_NAME]) {
        struct client *c = &t->m->client[e->ask.page];
        if (!c->cached || c->evicted || e->ask.page == spared) continue;
        c->evicted = true;
        turn_tell(t, LOCKMGR_EVICT, e->ask, cause);
    }
}

/* Ends those that evict_tell has told of. Who is granted meanwhile is not among them. */
static void evict_told(struct turn *t, uint32_t cause)
{
    uint32_t told = t->out->n;
    for (uint32_t i = 0; i < told; i++)
        if (t->out->at[i].kind == LOCKMGR_EVICT)
            client_end(t, client_of(t->m, t->out->at[i].page), cause);
}

/* WL-65: a newcomer from elsewhere that does not fit beside cached holders has them evicted.
 * When others were waiting before it, nobody works their queue off afterwards: WL-68. */
static void evict_rivals(struct turn *t, const struct name *n, struct ask ask, uint32_t cause)
{
    if (!t->m->rules.contention_evicts || t->m->cached_n == 0) return;
    if (n == NULL || name_fits(n, ask.shared)) return;
    evict_tell(t, n, ask.page, cause);
    if (t->m->rules.eviction_wedges) t->skipped = n;
    evict_told(t, cause);
    t->skipped = NULL;
}

/* -- requests ------------------------------------------------------------------- */

/* WL-18, WL-53..55: every holder's lock is gone, the thief cannot be refused, the queue stays. */
static void ask_steal(struct turn *t, struct ask ask, uint32_t key, uint32_t asked)
{
    struct name *n = name_of(t->m, key);
    struct entry *thief = entry_make(t->m, n, ask), *victim;
    while ((victim = n->held.first)) {
        struct obs o = turn_obs(t, OBS_LOCK_STOLEN, victim->ask, key, asked);
        o.b = ask.request;
        entry_leave(victim, history_add(t->m->history, &o));
        turn_tell(t, LOCKMGR_STOLEN, victim->ask, victim->left_by);
        entry_drop(t->m, victim);
    }
    grant(t, thief, asked);
}

/* WL-19..22: grantable is who fits and has nobody before it. */
static void ask_plain(struct turn *t, struct ask ask, uint32_t key, uint32_t asked)
{
    evict_rivals(t, name_find(t->m, key), ask, asked);
    struct name *n = name_of(t->m, key);
    bool barges = policy_has(t->m->policy, POLICY_LOCK_BARGES);
    bool first = barges || n->queue.first == NULL;
    if (first && name_fits(n, ask.shared)) {
        grant(t, entry_make(t->m, n, ask), asked);
    } else if (ask.flags & LOCK_IS_IF_AVAILABLE) {
        must(n->refs > 0);
        turn_tell(t, LOCKMGR_UNAVAILABLE, ask, turn_note(t, OBS_LOCK_UNAVAILABLE, ask, key, asked));
    } else {
        struct entry *e = entry_make(t->m, n, ask);
        e->state = WAITING;
        list_insert(&n->queue, IN_NAME, e, barges);
    }
}

/* Of a page that its profile does not let keep anything while cached. */
static void ask_in_cache(struct turn *t, struct ask ask, uint32_t key, uint32_t asked)
{
    uint32_t dropped = turn_note(t, OBS_LOCK_DROPPED, ask, key, asked);
    if (t->m->rules.cached_drops_rejecting) turn_tell(t, LOCKMGR_DROPPED, ask, dropped);
}

enum lock_error lockmgr_check(bool active, bool allowed, bool name_dash, bool shared,
                              uint32_t flags, bool aborted)
{
    bool steal = flags & LOCK_IS_STEAL, if_available = flags & LOCK_IS_IF_AVAILABLE;
    bool has_signal = flags & LOCK_HAS_SIGNAL;
    if (!active) return LOCK_ERR_INVALID_STATE;                               /* WL-10 (1) */
    if (!allowed) return LOCK_ERR_SECURITY;                                   /* (2) */
    if (name_dash) return LOCK_ERR_NOT_SUPPORTED;                             /* (3) */
    if (steal && if_available) return LOCK_ERR_NOT_SUPPORTED;                 /* (4) */
    if (steal && shared) return LOCK_ERR_NOT_SUPPORTED;                       /* (5) */
    if (has_signal && (steal || if_available)) return LOCK_ERR_NOT_SUPPORTED; /* (6) */
    if (aborted) return LOCK_ERR_ABORT;                                       /* (7) */
    return LOCK_ERR_NONE;
}

void lockmgr_request(struct lockmgr *m, uint16_t page, uint32_t request, uint32_t name, bool shared,
                     uint32_t flags, struct instant at, uint32_t cause, struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct ask ask = {
        .request = request, .page = page, .shared = shared, .flags = (uint8_t)flags
    };
    must(request != 0);
    must(lockmgr_check(true, true, false, shared, flags, false) == LOCK_ERR_NONE); /* WL-76 */
    must(entry_find(m, request) == NULL);
    const struct client *c = client_of(m, page);
    if (c->ended && !policy_has(m->policy, POLICY_LOCK_TO_THE_DEAD))
        return; /* WL-78: its pipe is gone, the request never came here */
    struct obs o = turn_obs(&t, OBS_LOCK_REQUESTED, ask, name, cause);
    o.a = shared;
    o.flags = ask.flags;
    uint32_t asked = history_add(m->history, &o);
    if (c->cached && !m->rules.cached_keeps)
        ask_in_cache(&t, ask, name, asked);
    else if (flags & LOCK_IS_STEAL)
        ask_steal(&t, ask, name, asked);
    else
        ask_plain(&t, ask, name, asked);
}

void lockmgr_abort(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                   struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct entry *e = entry_find(m, request);
    if (e == NULL || e->state == HELD) return; /* WL-37: granted or gone before */
    entry_leave(e, turn_note(&t, OBS_LOCK_ABORTED, e->ask, e->name->key, cause));
    entry_finish(&t, e);
}

void lockmgr_release(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                     struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct entry *e = entry_find(m, request);
    if (e == NULL) return; /* WL-43: stolen, dropped, or ended with its client */
    must(e->state == HELD);
    entry_leave(e, turn_note(&t, OBS_LOCK_RELEASED, e->ask, e->name->key, cause));
    entry_finish(&t, e);
}

void lockmgr_expire(struct lockmgr *m, uint32_t request, struct instant at, uint32_t cause,
                    struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct entry *e = entry_find(m, request);
    if (e == NULL || e->state != HELD) return;
    entry_leave(e, cause); /* no observation: nothing was released */
    entry_finish(&t, e);
}

void lockmgr_end(struct lockmgr *m, uint16_t page, struct instant at, uint32_t cause,
                 struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct client *c = client_of(m, page);
    if (!c->ended) client_end(&t, c, cause);
}

void lockmgr_cache(struct lockmgr *m, uint16_t page, struct instant at, uint32_t cause,
                   struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    struct client *c = client_of(m, page);
    if (c->ended || c->cached) return;
    c->cached = true;
    m->cached_n++;
    if (m->rules.cached_keeps) return; /* WL-64 */
    client_shed(&t, c, WAITING, m->rules.cached_drops_rejecting, cause);
    client_shed(&t, c, HELD, m->rules.cached_drops_rejecting, cause);
}

void lockmgr_uncache(struct lockmgr *m, uint16_t page)
{
    struct client *c = client_of(m, page);
    if (c->cached) m->cached_n--;
    c->cached = false;
}

/* WL-66: the snapshot may still show the holders that it evicts; here it always does. */
void lockmgr_query(struct lockmgr *m, uint32_t name, struct lockmgr_snapshot *s, struct instant at,
                   uint32_t cause, struct lockmgr_out *out)
{
    struct turn t = turn_begin(m, at, out);
    const struct name *n = name_find(m, name);
    *s = (struct lockmgr_snapshot){ .held = n ? n->held.n : 0,
                                    .pending = n ? n->queue.n : 0,
                                    .holder = lockmgr_holder(m, name, NULL) };
    if (!m->rules.query_evicts || m->cached_n == 0) return;
    for (uint32_t i = 0; i < m->names_used; i++)
        if (m->name[i].refs) evict_tell(&t, &m->name[i], PAGE_NONE, cause);
    evict_told(&t, cause);
}

/* -- opening and looking ----------------------------------------------------------- */

struct lockmgr *lockmgr_open(struct arena *a, uint32_t requests_max, uint32_t pages_max)
{
    must(pages_max <= PAGE_SERVER);
    size_t before = a->used;
    struct lockmgr *m = arena_array(a, struct lockmgr, 1);
    uint32_t buckets = 1;
    while (buckets < requests_max) buckets *= 2;
    m->requests_max = requests_max;
    m->pages_max = pages_max;
    m->bucket_mask = buckets - 1; /* ids are handed out one by one: their low bits spread well */
    m->bucket = arena_array(a, struct entry *, buckets);
    m->entry = arena_array(a, struct entry, requests_max);
    m->name = arena_array(a, struct name, requests_max); /* a name needs an entry */
    m->client = arena_array(a, struct client, pages_max);
    m->touched = arena_array(a, uint16_t, pages_max);
    m->bytes = a->used - before;
    return m;
}

void lockmgr_reset(struct lockmgr *m, uint8_t partition, const struct lockmgr_rules *rules,
                   struct policy policy, struct history *h)
{
    must(h != NULL);
    must(!rules->cached_keeps || !rules->cached_drops_rejecting);
    for (uint32_t i = 0; i < m->entries_used; i++)
        m->bucket[m->entry[i].ask.request & m->bucket_mask] = NULL;
    for (uint32_t i = 0; i < m->names_used; i++)
        m->name_bucket[m->name[i].key % NAME_BUCKETS] = NULL;
    for (uint32_t i = 0; i < m->touched_n; i++) m->client[m->touched[i]] = (struct client){ 0 };
    m->entries_used = m->names_used = m->touched_n = m->cached_n = 0;
    m->entry_free = NULL;
    m->name_free = NULL;
    m->rules = *rules;
    m->policy = policy;
    m->history = h;
    m->partition = partition;
}

uint16_t lockmgr_holder(const struct lockmgr *m, uint32_t name, uint32_t *request)
{
    const struct name *n = name_find(m, name);
    const struct entry *e = n ? n->held.first : NULL;
    if (request) *request = e ? e->ask.request : 0;
    return e ? e->ask.page : PAGE_NONE;
}

bool lockmgr_waits(const struct lockmgr *m, uint16_t page, uint32_t name)
{
    must(page < m->pages_max);
    const struct entry *e = m->client[page].entries.first;
    for (; e; e = e->next[IN_CLIENT])
        if (e->state == WAITING && e->name->key == name) return true;
    return false;
}

uint32_t lockmgr_waiters(const struct lockmgr *m, uint32_t name)
{
    const struct name *n = name_find(m, name);
    return n ? n->queue.n : 0;
}

uint16_t lockmgr_waiter(const struct lockmgr *m, uint32_t name, uint32_t n)
{
    const struct name *of = name_find(m, name);
    const struct entry *e = of ? of->queue.first : NULL;
    while (e && n-- > 0) e = e->next[IN_NAME];
    return e ? e->ask.page : PAGE_NONE;
}

static void list_must_be_sane(const struct lockmgr *m, const struct name *n, const struct list *l,
                              enum entry_state state)
{
    uint32_t count = 0;
    const struct entry *prev = NULL;
    for (const struct entry *e = l->first; e; prev = e, e = e->next[IN_NAME], count++) {
        const struct client *c = &m->client[e->ask.page];
        must(e->name == n && e->state == state);
        must(e->prev[IN_NAME] == prev);
        must(entry_find(m, e->ask.request) == e);
        must(!c->ended || policy_has(m->policy, POLICY_LOCK_TO_THE_DEAD));
        must(!c->cached || m->rules.cached_keeps);
        if (state == HELD && prev) must(prev->ask.shared && e->ask.shared);
    }
    must(l->last == prev);
    must(l->n == count);
}

void lockmgr_must_be_sane(const struct lockmgr *m)
{
    uint32_t cached = 0;
    for (uint32_t i = 0; i < m->touched_n; i++) {
        const struct client *c = &m->client[m->touched[i]];
        cached += c->cached && !c->ended;
    }
    must(cached == m->cached_n);
    for (uint32_t i = 0; i < m->names_used; i++) {
        const struct name *n = &m->name[i];
        if (n->refs == 0) continue;
        const struct entry *head = n->queue.first;
        must(name_find(m, n->key) == n);
        list_must_be_sane(m, n, &n->held, HELD);
        list_must_be_sane(m, n, &n->queue, WAITING);
        must(n->held.n + n->queue.n == n->refs);
        if (head && name_fits(n, head->ask.shared)) must(n->stalled);
    }
}
