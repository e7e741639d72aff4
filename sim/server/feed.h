/* The server of a live subscription: numbered events, a memory of the newest ones, and who
 * follows them.
 *
 *   feed_open      takes its memory
 *   feed_reset     before a round
 *   feed_publish   one more event
 *   feed_request   a FOLLOW or UNFOLLOW arrives; the answer is complete in `a`
 *   feed_next      what a subscription is to be sent next; the caller carries it
 *   feed_drop      its connection has been dead for long: the server forgets it
 *   feed_find      by the key that its page gave it
 *
 * Events are numbered from 1. FOLLOW says after which event (0: from now on); where the memory
 * does not reach back so far, the subscription is first told what it missed, in its place in
 * the stream. A subscription is named by the page's key: a FOLLOW that is late, doubled or
 * tried again is the same one, and one that comes after its UNFOLLOW opens nothing. The server
 * knows no fences and does not count how many follow for one partition. Answers: OK, REFUSED
 * (a subscription that is over), UNAVAILABLE (no numbers left). */
#ifndef SIM_SERVER_FEED_H
#define SIM_SERVER_FEED_H

#include "sim/base/arena.h"
#include "sim/base/history.h"
#include "sim/base/message.h"

#define FEED_SUBSCRIPTIONS_MAX 1024 /* of a round; a long one with two devices uses some 60 */

struct feed_subscription {
    uint32_t key;         /* the page's name for it */
    uint32_t after;       /* the last event that was sent */
    uint16_t page;
    bool is_open;
    struct instant heard; /* the carrier's: its connection worked then ... */
    struct instant pipe;  /* ... and carries in order: the last arrival */
};

struct feed {
    struct history *history;
    uint32_t newest, kept; /* the last event, and so many of them are remembered */
    uint32_t n;            /* subscriptions so far, the first is number 1 */
    uint32_t first_open;   /* none before it is open */
    struct feed_subscription *subscription; /* FEED_SUBSCRIPTIONS_MAX + 1 of them */
};

/* From `from` to `to`: one event, or what was forgotten. */
struct feed_item { bool is_lost; uint32_t from, to; };

void feed_open(struct feed *h, struct arena *a);
void feed_reset(struct feed *h, uint32_t kept, struct history *history);
void feed_publish(struct feed *h);
void feed_request(struct feed *h, const struct request *r, struct instant at, uint32_t cause,
                  struct answer *a);
/* False when it has all that there is. What was taken counts as sent. */
bool feed_next(struct feed *h, uint32_t subscription, struct feed_item *item);
void feed_drop(struct feed *h, uint32_t subscription, struct instant at);
/* Its number, or 0. */
uint32_t feed_find(const struct feed *h, uint32_t key);

#endif
