/* The Trace Event Format, which Perfetto, chrome://tracing and the panel Performance of Chromium's
 * developer tools open (tools/browser/trace_test.js): a process is a lane, a
 * thread one kind of thing in it, so that the slices of a thread never cross. Times are
 * microseconds in both. */
#include <inttypes.h>
#include <string.h>

#include "reports/text.h"
#include "reports/timeline.h"
#include "reports/trace.h"

enum thread {
    THREAD_STATE,
    THREAD_BELIEF,
    THREAD_LEADER_LOCK,
    THREAD_OTHER_LOCK,
    THREADS_OF_PAGES
};
enum { THREAD_REQUESTS = 1, THREAD_OBSERVATIONS = 2 }; /* of a lane as a whole */

static enum thread thread_kind(const struct lane_span *s)
{
    switch ((enum lane_span_kind)s->kind) {
    case SPAN_WAIT:
    case SPAN_HOLD: return s->what == LOCK_NAME_LEADER ? THREAD_LEADER_LOCK : THREAD_OTHER_LOCK;
    case SPAN_BELIEF:
    case SPAN_ACCEPTS: return THREAD_BELIEF;
    default: return THREAD_STATE;
    }
}

/* Two documents of a tab may be there at once, one of them cached; two faults as well. */
static uint32_t thread_of(const struct lane_span *s)
{
    uint32_t which = s->page < PAGE_SERVER ? s->page : 0;
    if (s->kind == SPAN_FAULT || s->kind == SPAN_CUT) which = s->began;
    return 16 + which * THREADS_OF_PAGES + thread_kind(s);
}

static const char *thread_word(const struct lane_span *s)
{
    static const char *const word[] = { "state", "belief", "leader lock", "other lock" };
    switch ((enum lane_span_kind)s->kind) {
    case SPAN_ACCEPTS: return "accepted fence";
    case SPAN_FAULT: return "fault";
    case SPAN_GAP: return "gap";
    case SPAN_CUT: return "link";
    default: return word[thread_kind(s)];
    }
}

static void meta(FILE *f, const char *what, uint32_t lane, uint32_t thread, const char *name)
{
    fprintf(f,
            ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"name\":\"%s\"}}",
            what, lane + 1, thread, name);
}

static void write_lanes(FILE *f, const struct lanes *l)
{
    for (uint32_t i = 0; i < l->lanes; i++) {
        char name[LANE_NAME_MAX], full[LANE_NAME_MAX + 16];
        const struct lane *lane = &l->lane[i];
        lane_name(name, lane);
        if (lane->kind == LANE_TAB && lane->device != DEVICE_NONE)
            snprintf(full, sizeof full, "%s (device %u)", name, lane->device);
        else
            snprintf(full, sizeof full, "%s", name);
        meta(f, "process_name", i, 0, full);
        fprintf(f,
                ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%" PRIu32
                ",\"tid\":0,\"args\":{\"sort_index\":%" PRIu32 "}}",
                i + 1, i);
        meta(f, "thread_name", i, THREAD_REQUESTS, "requests");
        meta(f, "thread_name", i, THREAD_OBSERVATIONS, "observations");
    }
}

static void write_spans(FILE *f, const struct lanes *l)
{
    for (uint32_t i = 0; i < l->spans; i++) {
        const struct lane_span *s = &l->span[i];
        char name[SPAN_NAME_MAX];
        meta(f, "thread_name", s->lane, thread_of(s), thread_word(s));
        fprintf(f,
                ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%" PRIu32
                ",\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{\"began\":%" PRIu32 "}}",
                lane_span_name(name, s), lane_span_word[s->kind], s->lane + 1u, thread_of(s),
                s->from_us, s->to_us - s->from_us, s->began);
    }
}

/* A flow has to begin and end in a slice: one of a microsecond stands for the moment. */
static void write_end(FILE *f, const struct lane_arrow *a, uint32_t id, bool is_end)
{
    static const char *const verb[][2] = { { "sent", "arrives" },
                                           { "answered", "handled" },
                                           { "steals", "stolen" } };
    uint16_t lane = is_end && !a->lost ? a->to : a->from;
    int64_t at_us = is_end ? a->to_us : a->from_us;
    fprintf(f,
            ",\n{\"ph\":\"X\",\"name\":\"%s %s\",\"cat\":\"request\",\"pid\":%u,\"tid\":%d,"
            "\"ts\":%" PRId64 ",\"dur\":1,\"args\":{\"request\":%" PRIu32 ",\"number\":%" PRIu32
            "}}",
            request_kind_word[a->request_kind], is_end && a->lost ? "lost" : verb[a->kind][is_end],
            lane + 1u, THREAD_REQUESTS, at_us, a->request, is_end ? a->ended : a->began);
    fprintf(f,
            ",\n{\"ph\":\"%s\",\"name\":\"request\",\"cat\":\"request\",\"id\":%" PRIu32
            ",\"pid\":%u,\"tid\":%d,\"ts\":%" PRId64 "}",
            is_end ? "f\",\"bp\":\"e" : "s", id, lane + 1u, THREAD_REQUESTS, at_us);
}

static void write_arrows(FILE *f, const struct lanes *l)
{
    for (uint32_t i = 0; i < l->arrows; i++) {
        write_end(f, &l->arrow[i], i + 1, false);
        write_end(f, &l->arrow[i], i + 1, true);
    }
}

static void write_observation(FILE *f, const struct lanes *l, const struct obs *o)
{
    char text[512] = "";
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    if (to) {
        trace_detail(to, o);
        fclose(to);
    }
    fprintf(f,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"observation\",\"pid\":%u,"
            "\"tid\":%d,\"ts\":%" PRId64 ",\"args\":{\"number\":%" PRIu32 ",\"detail\":",
            obs_info[o->kind].word, l->of[o->number] + 1u, THREAD_OBSERVATIONS, o->at.us,
            o->number);
    text_json(f, text);
    if (o->cause != OBS_NONE) fprintf(f, ",\"cause\":%" PRIu32, o->cause);
    fputs("}}", f);
}

/* What contradicts what, where a viewer shows it over everything. */
static void write_witnesses(FILE *f, const struct timeline *t)
{
    const struct history *h = t->lanes->history;
    for (int k = 0; t->result && k < INV_COUNT; k++) {
        const struct finding *v = &t->result->finding[k];
        for (int i = 0; v->verdict == VERDICT_BROKEN && i < 2; i++)
            if (v->witness[i] < h->n)
                fprintf(f,
                        ",\n{\"ph\":\"i\",\"s\":\"g\",\"name\":\"BROKEN %s\",\"cat\":\"broken\","
                        "\"pid\":1,\"tid\":0,\"ts\":%" PRId64 ",\"args\":{\"number\":%" PRIu32 "}}",
                        invariant_word[k], h->at[v->witness[i]].at.us, v->witness[i]);
    }
}

void timeline_perfetto(FILE *f, const struct timeline *t)
{
    const struct lanes *l = t->lanes;
    fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"scenario\":", f);
    text_json(f, t->scenario);
    fprintf(f, ",\"seed\":\"0x%016" PRIx64 "\",\"revision\":", t->seed);
    text_json(f, t->revision);
    fputs("},\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"tabquake\",\"pid\":1,\"tid\":0}", f);
    write_lanes(f, l);
    write_spans(f, l);
    write_arrows(f, l);
    for (uint32_t i = 0; i < l->history->n; i++)
        if (l->of[i] != LANE_NONE) write_observation(f, l, &l->history->at[i]);
    write_witnesses(f, t);
    fputs("\n]}\n", f);
}
