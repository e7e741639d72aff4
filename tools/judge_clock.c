#include "tools/judge_clock.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"

/* Raw names of clocks; `clock_of` makes small numbers of them by first appearance. */
enum { RECORDER = 0, PROVIDER = 1, DEVICES = 2, NODES = DEVICES + 256, RAW = NODES + 256 };

struct clocks {
    uint8_t device[UINT16_MAX + 1]; /* of a page */
    uint8_t number[RAW];            /* 0: not seen; else clock + 1 */
    uint32_t n;
};

static uint32_t raw_clock(struct clocks *c, const struct obs *o)
{
    if (o->kind == OBS_PAGE_CREATED) c->device[o->page] = o->device;
    if (o->kind >= OBS_EFFECT_EXECUTED && o->kind <= OBS_EFFECT_ASKED) return PROVIDER;
    if (o->kind == OBS_FAULT_BEGUN || o->kind == OBS_FAULT_ENDED) return RECORDER;
    if (o->node != NODE_NONE) return NODES + o->node;
    if (o->device != DEVICE_NONE) return DEVICES + o->device;
    if (o->page < PAGE_SERVER && c->device[o->page] != DEVICE_NONE)
        return DEVICES + c->device[o->page];
    return RECORDER;
}

static uint32_t clock_of(struct clocks *c, const struct obs *o)
{
    uint8_t *number = &c->number[raw_clock(c, o)];
    if (*number == 0) {
        if (c->n < JUDGE_CLOCKS_MAX) c->n++;
        *number = (uint8_t)c->n;
    }
    return *number - 1u;
}

static struct clocks *clocks_open(void)
{
    struct clocks *c = calloc(1, sizeof *c);
    if (c) memset(c->device, DEVICE_NONE, sizeof c->device);
    return c;
}

uint32_t judge_clocks(const struct history *h)
{
    struct clocks *c = clocks_open();
    if (!c) return 0;
    for (uint32_t i = 0; i < h->n; i++) clock_of(c, &h->at[i]);
    uint32_t n = c->n;
    free(c);
    return n;
}

#define REQUEST_SLOTS 4096u /* requests that share a slot keep their order too: harmless */

/* The earliest time of each observation that the variant and the order rules allow. */
static void shift(int64_t *us, const struct history *h, struct clocks *c, uint32_t v, int64_t error)
{
    int64_t clock_last[JUDGE_CLOCKS_MAX], request_last[REQUEST_SLOTS];
    for (uint32_t i = 0; i < JUDGE_CLOCKS_MAX; i++) clock_last[i] = 0;
    for (uint32_t i = 0; i < REQUEST_SLOTS; i++) request_last[i] = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct obs *o = &h->at[i];
        uint32_t clock = clock_of(c, o);
        int64_t *request = &request_last[o->request % REQUEST_SLOTS];
        us[i] = o->at.us + (v >> clock & 1 ? 2 * error : 0); /* all by +E: none below 0 */
        if (us[i] < clock_last[clock]) us[i] = clock_last[clock];
        if (o->cause != OBS_NONE && us[i] < us[o->cause]) us[i] = us[o->cause];
        if (o->request != 0 && us[i] < *request) us[i] = *request;
        clock_last[clock] = us[i];
        if (o->request != 0) *request = us[i];
    }
}

/* Sorts `order` by time, equal times by number: merges runs of 1, 2, 4, ... */
static void sort(uint32_t *order, uint32_t *spare, const int64_t *us, uint32_t n)
{
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t from = 0; from < n; from += 2 * run) {
            uint32_t middle = n - from > run ? from + run : n;
            uint32_t end = n - from > 2 * run ? from + 2 * run : n;
            uint32_t a = from, b = middle, k = from;
            while (a < middle && b < end)
                spare[k++] = us[order[b]] < us[order[a]] ? order[b++] : order[a++];
            while (a < middle) spare[k++] = order[a++];
            while (b < end) spare[k++] = order[b++];
        }
        memcpy(order, spare, n * sizeof order[0]);
    }
}

bool judge_variant(struct history *into, const struct history *h, uint32_t v, int64_t error_us)
{
    size_t n = h->n > 0 ? h->n : 1;
    struct clocks *c = clocks_open();
    int64_t *us = calloc(n, sizeof *us);
    uint32_t *order = calloc(n, sizeof *order), *place = calloc(n, sizeof *place);
    bool ok = c && us && order && place;
    must(into->max >= h->n);
    if (ok) {
        shift(us, h, c, v, error_us);
        for (uint32_t i = 0; i < h->n; i++) order[i] = i;
        sort(order, place, us, h->n);
        for (uint32_t i = 0; i < h->n; i++) place[order[i]] = i;
        into->n = 0;
        for (uint32_t i = 0; i < h->n; i++) {
            struct obs o = h->at[order[i]];
            o.at.us = us[order[i]];
            if (o.cause != OBS_NONE) o.cause = place[o.cause];
            history_add(into, &o);
        }
    }
    free(c);
    free(us);
    free(order);
    free(place);
    return ok;
}
