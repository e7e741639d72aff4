/* leader-worker@3: live-subscription. Events come numbered; every page of a storage partition
 * reads them from its store, and one page follows the server for all.
 *
 *   who      only the leader, under its fence, after the claim
 *   from     the last event that was delivered in the partition, whoever led then: its number is
 *            stored in the transaction that delivers
 *   what     the next number alone. An older one was delivered before; a later one means that
 *            this partition's own store missed some (a full quota, a fence in doubt): it
 *            subscribes anew from what is stored
 *   gaps     what the server has forgotten is announced, never skipped in silence
 *   silence  a connection may die unnoticed: after SILENCE_US it subscribes anew
 *   end      the subscription is given up with the lead. If that is not heard, its events find
 *            no fence: the store compares it with the generation in the same transaction
 *
 * A subscription is named by a key of the page's, so that a request that is tried again, late
 * or doubled makes no second one, and events of an earlier one are known as such. */
#include "sim/client/internal.h"

#define SILENCE_US (2 * US_PER_S) /* events come at most 600 ms apart, a slow network adds some */
#define PLACE_EVERY 4             /* deviation PLACE_LATER */

/* Delivers what comes, whoever leads and whatever was delivered. */
static bool is_heedless(const struct step *s)
{
    return deviates(s, POLICY_FOLLOWS_UNCLAIMED) || deviates(s, POLICY_KEEPS_FOLLOWING);
}

static uint32_t resume_after(const struct step *s)
{
    if (deviates(s, POLICY_FOLLOWS_NEWEST)) return 0;
    if (deviates(s, POLICY_FOLLOWS_OWN)) return s->l->page.feed.own;
    return s->in->last_event;
}

static void ask(struct step *s)
{
    struct leader *l = s->l;
    l->page.feed.request = page_send(s, REQ_FOLLOW, 0, l->page.feed.key, WATCH_WORK);
    page_last_request(s)->after = resume_after(s);
}

static void begin(struct step *s)
{
    struct leader *l = s->l;
    l->page.feed.key = l->tab_instance << 16 | (++l->page.feed.keys & 0xFFFF);
    l->page.feed.fence = l->page.fence;
    l->page.feed.heard = s->in->now;
    if (!deviates(s, POLICY_FOLLOWS_OWN)) l->page.feed.own = 0;
    ask(s);
}

static void end(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.feed.key == 0) return;
    (void)page_send(s, REQ_UNFOLLOW, 0, l->page.feed.key, WATCH_COUNT);
    l->page.feed.key = l->page.feed.request = 0;
}

void follow_end(struct step *s)
{
    if (!deviates(s, POLICY_KEEPS_FOLLOWING)) end(s);
}

static bool is_silent(const struct step *s)
{
    return s->in->now.us - s->l->page.feed.heard.us >= SILENCE_US;
}

/* At the claim's answer, and at each renewal of the lease. */
void follow_next(struct step *s)
{
    struct leader *l = s->l;
    if (l->page.state != STATE_LEADER || !page_may_write(s)) return;
    bool follows = l->page.feed.key && (fence_equal(l->page.feed.fence, l->page.fence) ||
                                        deviates(s, POLICY_FOLLOWS_UNCLAIMED));
    if (follows && !is_silent(s)) return;
    end(s);
    begin(s);
}

void follow_timed_out(struct step *s, uint32_t request)
{
    if (request != s->l->page.feed.request) return;
    s->l->page.feed.request = 0;
    if (s->l->page.state == STATE_LEADER && page_may_write(s)) ask(s); /* the same subscription */
}

void follow_answered(struct step *s, const struct answer *a)
{
    struct leader *l = s->l;
    if (a->request != l->page.feed.request) return;
    l->page.feed.request = 0;
    if (a->result != ANS_OK) l->page.feed.key = 0; /* over: the next renewal subscribes anew */
}

static void deliver(struct step *s, enum client_output_kind kind, uint32_t from, uint32_t to)
{
    struct leader *l = s->l;
    struct client_output *o = client_emit(s, kind);
    o->id = l->page.feed.key;
    o->flags = is_heedless(s) ? 0 : EVENT_IF_FENCE;
    if (deviates(s, POLICY_PLACE_LATER) && to % PLACE_EVERY != 0) o->flags |= EVENT_PLACE_LATER;
    o->as.event.fence = l->page.fence;
    o->as.event.from = from;
    o->as.event.to = to;
    l->page.feed.own = to;
    page_broadcast(s, MSG_EVENT, to);
}

/* What the page takes for the last event that was delivered; 0: any number may be next. */
static uint32_t last_delivered(const struct step *s)
{
    const struct leader *l = s->l;
    bool own = deviates(s, POLICY_PLACE_LATER) && fence_equal(l->page.feed.fence, l->page.fence) &&
               l->page.feed.own != 0;
    return own ? l->page.feed.own : s->in->last_event;
}

static bool takes_any(const struct step *s)
{
    return is_heedless(s) || deviates(s, POLICY_FOLLOWS_NEWEST) ||
           deviates(s, POLICY_FOLLOWS_OWN) || deviates(s, POLICY_GAP_UNSAID);
}

void follow_pushed(struct step *s, const struct push *p)
{
    struct leader *l = s->l;
    if (p->subscription != l->page.feed.key) return; /* of an earlier one */
    l->page.feed.heard = s->in->now;
    if (!is_heedless(s) && !page_may_write(s)) return;
    uint32_t last = last_delivered(s);
    if (p->kind == PUSH_EVENTS_LOST) {
        if (last != 0 && p->event > last && !deviates(s, POLICY_GAP_UNSAID))
            deliver(s, OUT_GAP, last + 1, p->event);
    } else if (takes_any(s) || last == 0 || p->event == last + 1) {
        deliver(s, OUT_EVENT, p->event, p->event);
    } else if (p->event > last) {
        end(s); /* the next renewal subscribes anew */
    }
}

/* ---- deviations ------------------------------------------------------------------- */

void naive_follow_granted(struct step *s)
{
    if (s->l->contract->work != WORKSTREAM_FEED || !deviates(s, POLICY_FOLLOWS_UNCLAIMED)) return;
    end(s);
    begin(s);
}
