/* A history as swim lanes: what the timeline draws, and what other people's viewers get.
 *
 *   lanes_open    one lane a tab, grouped by device, one a ledger and its nodes, one for the
 *                 provider, one for faults, one for gaps in leadership
 *   lanes_close
 *
 * A span is something that lasts in a lane: a state of the page, the wait for a lock, its
 * hold, a belief, what a node accepts, a cut link, a fault. An arrow goes from lane to lane:
 * a request, its answer, a theft of the lock. Times are microseconds of the history.
 *
 * Histories may come from anywhere: an id that does not fit an array has no lane, span or
 * arrow, and its observation is still there. */
#ifndef REPORTS_LANES_H
#define REPORTS_LANES_H

#include "oracle/judge.h"

#define LANE_NONE UINT16_MAX
#define LANES_REQUESTS 65536 /* ids count up in a round; as many as the oracle follows */

enum lane_kind {
    LANE_GAPS,   /* when nobody was able to lead */
    LANE_FAULTS,
    LANE_DEVICE, /* id: device; sleep, cut links */
    LANE_TAB,    /* id: tab */
    LANE_NODE,   /* id: ledger node; from 16 on the local ledger of partition id - 16 */
    LANE_PROVIDER
};

struct lane {
    uint8_t kind;   /* enum lane_kind */
    uint8_t device; /* of a tab; DEVICE_NONE */
    uint16_t id;
};

#define LANE_SPANS(X)                                                        \
    X(VISIBLE, "visible", "the page is visible")                             \
    X(HIDDEN, "hidden", "the page is in the background")                     \
    X(BLOCKED, "blocked", "a long task blocks the page's main thread")       \
    X(FROZEN, "frozen", "the browser has stopped the page's tasks")          \
    X(CACHED, "cached", "the page is in the back/forward cache")             \
    X(WAIT, "waits", "the page waits for a lock")                            \
    X(HOLD, "holds", "the page holds a lock")                                \
    X(BELIEF, "believes", "the page believes that it leads")                 \
    X(ACCEPTS, "accepts", "the node accepts this fence without asking")      \
    X(DOWN, "down", "the node is down")                                      \
    X(ASLEEP, "asleep", "the device sleeps")                                 \
    X(CUT, "cut", "the link between device and node is cut")                 \
    X(FAULT, "fault", "an injected fault lasts")                             \
    X(GAP, "gap", "no page is able to lead")

enum lane_span_kind {
#define X(kind, word, says) SPAN_##kind,
    LANE_SPANS(X)
#undef X
    SPAN_COUNT
};
extern const char *const lane_span_word[SPAN_COUNT];
extern const char *const lane_span_says[SPAN_COUNT];

struct lane_span {
    int64_t from_us, to_us;
    uint32_t began, ended; /* observations; OBS_NONE: by time alone, or with the round */
    struct fence fence;    /* of a belief and of what is accepted */
    uint16_t lane, page;
    uint8_t kind;
    uint32_t what; /* fault kind, gap cause, lock name or node */
};

enum lane_arrow_kind { ARROW_REQUEST, ARROW_ANSWER, ARROW_STEAL };

struct lane_arrow {
    int64_t from_us, to_us;
    uint32_t began, ended; /* observations */
    uint32_t request;
    uint16_t from, to; /* lanes */
    uint8_t kind, request_kind;
    bool lost; /* it ends on the way, at to_us */
};

struct lanes {
    const struct history *history; /* borrowed */
    int64_t end_us;
    struct lane *lane;
    uint16_t *of; /* lane of each observation, or LANE_NONE */
    struct lane_span *span;
    struct lane_arrow *arrow;
    uint32_t lanes, spans, arrows;
};

/* `r` gives the gaps; NULL: none are drawn. False when memory is short. */
bool lanes_open(struct lanes *l, const struct history *h, const struct judge_result *r);
void lanes_close(struct lanes *l);

#define LANE_NAME_MAX 32
/* "tab 3", "device 0", "node 1", "ledger of partition 2". Returns `out`. */
const char *lane_name(char out[LANE_NAME_MAX], const struct lane *l);

#define SPAN_NAME_MAX 96
/* "holds the leader lock", "believes in 1.7", "freeze-abrupt", "gap: crashed". Returns `out`. */
const char *lane_span_name(char out[SPAN_NAME_MAX], const struct lane_span *s);

#endif
