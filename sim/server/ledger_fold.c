/* The canonical form of a single ledger node and of the provider (base/fold.h). A quorum's members
 * are not folded: nobody asks for them, and must() says so. */
#include "sim/base/fold.h"
#include "sim/base/must.h"
#include "sim/server/ledger_internal.h"
#include "sim/server/provider.h"

#define VACANT_MOST_US (INT64_C(60) * US_PER_S) /* beyond every limit that a contract may set */

static void fold_tasks(const struct ledger_record *rec, struct fold *f)
{
    fold_u(f, rec->tasks);
    for (uint32_t i = 0; i < rec->tasks; i++) {
        const struct task *t = &rec->task[i];
        fold_u(f, (uint64_t)t->state << 32 | t->protocol);
        fold_u(f, (uint64_t)t->server_owned << 1 | t->unreconciled);
        if (t->state == TASK_TAKEN || t->state == TASK_ACKED) fold_fence(f, t->owner);
    }
}

/* Only claims that somebody may still repeat: their ids have been met. */
static void fold_claims(const struct ledger_record *rec, struct fold *f)
{
    uint32_t kept = rec->claims < LEDGER_CLAIMS_MAX ? rec->claims : LEDGER_CLAIMS_MAX;
    for (uint32_t i = 0; i < kept; i++) {
        if (rec->claim[i].id == 0 || !names_have(&f->claim, rec->claim[i].id)) continue;
        fold_name(f, &f->claim, rec->claim[i].id);
        fold_fence(f, rec->claim[i].fence);
        fold_page(f, rec->claim[i].page);
    }
    /* is the newest claim the one that is kept for the newest fence (ledger.c, an epoch) */
    fold_u(f, rec->claims > 0);
}

static void fold_permit(const struct ledger_record *rec, struct fold *f)
{
    fold_u(f, (uint64_t)rec->permits << 32 | rec->permit.id);
    fold_deadline(f, rec->idle_permit_after.us);
    if (rec->permit.id == 0) return;
    fold_page(f, rec->permit.page);
    fold_u(f, (uint64_t)rec->permit.partition << 2 | (uint64_t)rec->permit.used << 1 |
                  rec->permit.elsewhere);
    fold_deadline(f, rec->permit.until.us);
}

/* Left out: renew_sequence itself, which others are seen from; queued and open, which count the
 * tasks; view, index and last, which are a quorum's. */
static void fold_record(const struct ledger_record *rec, struct fold *f)
{
    fold_fence(f, rec->fence);
    fold_u(f, (uint64_t)rec->held << 4 | (uint64_t)rec->server_holds << 3 |
                  (uint64_t)rec->expired << 2 | (uint64_t)rec->closed << 1 |
                  rec->owner_without_lock);
    fold_page(f, rec->owner_page);
    fold_instance(f, rec->owner_tab);
    fold_u(f, (uint64_t)rec->owner_partition << 32 | rec->owner_partition_key);
    fold_u(f, (uint64_t)rec->protocol << 32 | rec->cursor);
    if (ledger_page_led(rec))
        fold_deadline(f, rec->lease_end.us);
    else
        fold_age(f, rec->vacant_since.us, VACANT_MOST_US);
    fold_u(f, rec->renew_sequence == rec->lease_sequence);
    fold_claims(rec, f);
    fold_permit(rec, f);
    fold_tasks(rec, f);
}

/* A mutant's handler between its two steps. */
static void fold_late(const struct ledger_node *n, struct fold *f)
{
    fold_u(f, n->late_n);
    for (uint32_t i = 0; i < n->late_n; i++) {
        const struct ledger_step *s = &n->late[i].step;
        fold_u(f, (uint64_t)s->kind << 32 | (uint64_t)s->result);
        fold_name(f, &f->request, s->request.id);
        fold_request(f, &s->request);
        fold_u(f, (uint64_t)s->acts << 4 | (uint64_t)s->repeated << 3 | (uint64_t)s->trusted << 2 |
                      (uint64_t)s->has_read << 1 | s->reconciles);
        fold_u(f, (uint64_t)s->read_generation << 32 | s->op);
        fold_u(f, (uint64_t)s->parts);
        fold_u(f, (uint64_t)s->wait_us);
        fold_fence(f, s->fence);
        fold_since(f, s->now.us);
    }
}

/* Left out: watched_since but after the vacancy began, for the later one counts (lease.c); arms,
 * whose next number is new in any case. */
static void fold_time(const struct ledger_node *n, struct fold *f)
{
    fold_u(f, (uint64_t)n->watched << 1 | n->grace);
    if (n->grace) fold_deadline(f, n->grace_until.us);
    fold_age(f, n->pushed.us, LEDGER_REPEAT_US);
    bool counts = !ledger_page_led(&n->record) && n->watched_since.us > n->record.vacant_since.us;
    fold_u(f, counts);
    if (counts) fold_age(f, n->watched_since.us, VACANT_MOST_US);
    for (uint32_t i = 0; i < LEDGER_TIMERS; i++) {
        fold_u(f, n->timer[i].armed);
        if (n->timer[i].armed) fold_deadline(f, n->timer[i].due.us);
    }
    fold_u(f, n->drain_op);
    if (!n->drain_op) return;
    fold_deadline(f, n->drain_due.us);
    fold_fence(f, n->drain_fence);
}

uint32_t ledger_late_at(const struct ledger_node *n, uint32_t arm)
{
    uint32_t i = 0;
    while (i < n->late_n && (n->late[i].arm & 0xFFFFFF) != arm) i++;
    return i;
}

bool ledger_timer_is_stale(const struct ledger_node *n, uint32_t timer, uint32_t arm)
{
    bool armed = n->timer[timer].armed && (n->timer[timer].arm & 0xFFFFFF) == arm;
    return !armed && ledger_late_at(n, arm) == n->late_n;
}

void ledger_fold(const struct ledger_node *n, struct fold *f)
{
    must(n->layout == LAYOUT_SINGLE);
    fold_u(f, (uint64_t)n->up << 3 | (uint64_t)n->quota_full << 2 | (uint64_t)n->decides << 1 |
                  n->primary);
    fold_u(f, n->subscribers);
    fold_record(&n->record, f);
    fold_fence(f, n->accepts.fence);
    fold_page(f, n->accepts.page);
    fold_time(n, f);
    fold_late(n, f);
}

/* Left out: when a key was first seen, unless keys are forgotten within a round. */
void provider_fold(const struct provider *p, struct fold *f)
{
    fold_u(f, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        fold_u(f, (uint64_t)p->seen[i].key << 32 | p->seen[i].op);
        fold_u(f, p->seen[i].running);
        if (!policy_is_empty(p->policy)) fold_age(f, p->seen[i].first.us, PROVIDER_FORGETS_US + 1);
    }
}
