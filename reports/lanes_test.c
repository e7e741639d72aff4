/* Lanes: who has one, what lasts in it and where arrows go; and the three formats that are
 * made of them. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/timeline.h"
#include "sim/base/fault.h"

Suite *lanes_suite(void);

#define MAX 2000
static struct obs storage[MAX];
static struct history h;
static struct lanes l;
static struct judge_result result;

static struct obs *add(enum obs_kind kind, int64_t ms, uint32_t cause)
{
    struct obs o = obs_make(kind, (struct instant){ ms * US_PER_MS }, cause);
    return &h.at[history_add(&h, &o)];
}

static struct obs *of_page(enum obs_kind kind, int64_t ms, uint16_t page)
{
    struct obs *o = add(kind, ms, OBS_NONE);
    o->page = page;
    return o;
}

static void create(uint16_t page, uint32_t tab, uint8_t device)
{
    struct obs *o = of_page(OBS_PAGE_CREATED, 0, page);
    o->device = device, o->a = tab, o->partition = 0;
}

static void lock(enum obs_kind kind, int64_t ms, uint16_t page, uint32_t request)
{
    struct obs *o = of_page(kind, ms, page);
    o->request = request, o->key = LOCK_NAME_LEADER, o->partition = 0;
}

static void request(enum obs_kind kind, int64_t ms, uint16_t page, uint32_t id, uint32_t a)
{
    struct obs *o = of_page(kind, ms, page);
    o->request = id, o->a = a;
    if (kind == OBS_REQUEST_ARRIVED) o->node = 0;
}

/* Tab 5 on device 1 is frozen, holds the lock, believes; tab 2 on device 0 waits and steals. */
static void set_up(void)
{
    h = (struct history){ .at = storage, .max = MAX };
    memset(&result, 0, sizeof result);
    create(0, 5, 1);
    create(1, 2, 0);
    lock(OBS_LOCK_REQUESTED, 10, 0, 1);
    lock(OBS_LOCK_GRANTED, 20, 0, 1);
    request(OBS_REQUEST_ISSUED, 30, 0, 2, REQ_CLAIM);
    request(OBS_REQUEST_ARRIVED, 50, PAGE_NONE, 2, 0);
    request(OBS_ANSWER_HANDLED, 80, 0, 2, REQ_CLAIM);
    of_page(OBS_BELIEF_BEGAN, 80, 0)->fence = (struct fence){ 1, 1, 7 };
    of_page(OBS_PAGE_FROZEN, 100, 0);
    lock(OBS_LOCK_REQUESTED, 150, 1, 3);
    lock(OBS_LOCK_STOLEN, 200, 0, 1);
    h.at[h.n - 1].b = 3;
    request(OBS_REQUEST_ISSUED, 210, 1, 4, REQ_EFFECT);
    request(OBS_REQUEST_LOST, 220, PAGE_NONE, 4, 0);
    of_page(OBS_PAGE_CRASHED, 400, 0);
    add(OBS_ROUND_ENDED, 1000, OBS_NONE);
}

static void tear_down(void)
{
    lanes_close(&l);
}

static uint16_t lane_called(const char *name)
{
    char text[LANE_NAME_MAX];
    for (uint16_t i = 0; i < l.lanes; i++)
        if (strcmp(lane_name(text, &l.lane[i]), name) == 0) return i;
    ck_abort_msg("no lane %s", name);
}

static const struct lane_span *span(enum lane_span_kind kind, uint16_t page)
{
    for (uint32_t i = 0; i < l.spans; i++)
        if (l.span[i].kind == kind && l.span[i].page == page) return &l.span[i];
    ck_abort_msg("no such span");
}

static void lasts(const struct lane_span *s, int64_t from_ms, int64_t to_ms)
{
    ck_assert_int_eq(s->from_us, from_ms * US_PER_MS);
    ck_assert_int_eq(s->to_us, to_ms * US_PER_MS);
}

START_TEST(tabs_are_grouped_by_device_and_others_have_their_place)
{
    ck_assert(lanes_open(&l, &h, NULL));
    ck_assert_uint_lt(lane_called("device 0"), lane_called("tab 2"));
    ck_assert_uint_lt(lane_called("tab 2"), lane_called("device 1"));
    ck_assert_uint_lt(lane_called("device 1"), lane_called("tab 5"));
    ck_assert_uint_lt(lane_called("tab 5"), lane_called("ledger node 0"));
    ck_assert_uint_lt(lane_called("ledger node 0"), lane_called("provider"));
    ck_assert_uint_eq(l.of[0], lane_called("tab 5"));
    ck_assert_uint_eq(l.of[12], lane_called("tab 2")); /* request.lost: who sent it */
    ck_assert_uint_eq(l.of[14], LANE_NONE);
}
END_TEST

START_TEST(what_lasts_begins_and_ends_where_it_was_seen)
{
    ck_assert(lanes_open(&l, &h, NULL));
    lasts(span(SPAN_WAIT, 0), 10, 20);
    lasts(span(SPAN_HOLD, 0), 20, 200);
    lasts(span(SPAN_FROZEN, 0), 100, 400);
    lasts(span(SPAN_HIDDEN, 1), 0, 1000);
    lasts(span(SPAN_BELIEF, 0), 80, 400);
    char name[SPAN_NAME_MAX];
    ck_assert_str_eq(lane_span_name(name, span(SPAN_BELIEF, 0)), "believes in 1.7");
    ck_assert_str_eq(lane_span_name(name, span(SPAN_HOLD, 0)), "holds the leader lock");
}
END_TEST

START_TEST(requests_go_there_and_answers_back_and_lost_ones_end)
{
    ck_assert(lanes_open(&l, &h, NULL));
    ck_assert_uint_eq(l.arrows, 4);
    const struct lane_arrow *there = &l.arrow[0], *back = &l.arrow[1], *steal = &l.arrow[2];
    ck_assert_uint_eq(there->from, lane_called("tab 5"));
    ck_assert_uint_eq(there->to, lane_called("ledger node 0"));
    ck_assert_int_eq(there->to_us, 50 * US_PER_MS);
    ck_assert_int_eq(back->kind, ARROW_ANSWER);
    ck_assert_int_eq(back->from_us, 50 * US_PER_MS);
    ck_assert_uint_eq(back->to, lane_called("tab 5"));
    ck_assert_int_eq(steal->kind, ARROW_STEAL);
    ck_assert_uint_eq(steal->from, lane_called("tab 2"));
    ck_assert(l.arrow[3].lost);
    ck_assert_uint_eq(l.arrow[3].to, lane_called("provider"));
}
END_TEST

START_TEST(a_doubled_request_arrives_twice_and_an_unfinished_one_nowhere)
{
    request(OBS_REQUEST_ISSUED, 1000, 1, 9, REQ_CLAIM);
    request(OBS_REQUEST_ARRIVED, 1001, PAGE_NONE, 9, 0);
    request(OBS_REQUEST_ARRIVED, 1002, PAGE_NONE, 9, 0);
    request(OBS_REQUEST_ISSUED, 1003, 1, 10, REQ_CLAIM);
    ck_assert(lanes_open(&l, &h, NULL));
    ck_assert_uint_eq(l.arrows, 6);
    ck_assert_int_eq(l.arrow[4].to_us, 1001 * US_PER_MS);
    ck_assert_int_eq(l.arrow[5].to_us, 1002 * US_PER_MS);
    ck_assert_int_eq(l.arrow[5].from_us, 1000 * US_PER_MS);
}
END_TEST

START_TEST(gaps_faults_cuts_and_nodes_last_too)
{
    struct obs *o = add(OBS_FAULT_BEGUN, 1100, OBS_NONE);
    o->op = 3, o->a = FAULT_CUT_UP;
    o = add(OBS_LINK_CUT, 1100, h.n - 1);
    o->device = 0, o->node = 0, o->a = 1;
    o = add(OBS_LEDGER_ACCEPTABLE, 1150, OBS_NONE);
    o->node = 0, o->fence = (struct fence){ 1, 1, 8 };
    o = add(OBS_FAULT_ENDED, 1300, OBS_NONE);
    o->op = 3, o->a = FAULT_CUT_UP;
    result.gaps = 1;
    result.gap[0] = (struct gap_sample){ .cause = GAP_LINK, .began = 15, .ended = h.n - 1 };
    ck_assert(lanes_open(&l, &h, &result));
    lasts(span(SPAN_FAULT, PAGE_NONE), 1100, 1300);
    lasts(span(SPAN_GAP, PAGE_NONE), 1100, 1300);
    lasts(span(SPAN_CUT, PAGE_NONE), 1100, 1300);
    ck_assert_uint_eq(span(SPAN_CUT, PAGE_NONE)->ended, OBS_NONE);
    lasts(span(SPAN_ACCEPTS, PAGE_NONE), 1150, 1300);
}
END_TEST

START_TEST(ids_beyond_every_array_are_no_lanes_and_no_crash)
{
    static const enum obs_kind kind[] = { OBS_LOCK_REQUESTED, OBS_LOCK_STOLEN,
                                          OBS_REQUEST_ISSUED, OBS_REQUEST_ARRIVED,
                                          OBS_ANSWER_HANDLED, OBS_LINK_CUT,
                                          OBS_FAULT_BEGUN,    OBS_PAGE_FROZEN };
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        struct obs *o = of_page(kind[i], 2000, 900);
        o->request = UINT32_MAX, o->b = UINT32_MAX, o->a = UINT32_MAX, o->op = UINT32_MAX;
        o->device = 77, o->node = 200;
    }
    ck_assert(lanes_open(&l, &h, NULL));
}
END_TEST

/* -- the formats ----------------------------------------------------------------------------- */

static char *written(void (*write)(FILE *, const struct timeline *))
{
    static char *text; /* static for gcc 12, which takes it for dangling */
    static size_t n;
    FILE *f = open_memstream(&text, &n);
    write(f, &(struct timeline){ .lanes = &l,
                                 .result = &result,
                                 .scenario = "</script><b>;#",
                                 .revision = "r\"1",
                                 .command = "tabquake replay 'a b'",
                                 .seed = 42 });
    fclose(f);
    return text;
}

static void break_something(void)
{
    result.finding[INV_PROGRESS] =
        (struct finding){ VERDICT_BROKEN, { 3, 10 }, "two <held> at once" };
    ck_assert(lanes_open(&l, &h, &result));
}

START_TEST(html_carries_every_observation_twice_and_nothing_breaks_out)
{
    break_something();
    char *text = written(timeline_html);
    static const char mark[] = "id=\"data\">";
    ck_assert_ptr_nonnull(strstr(text, mark));
    size_t from = (size_t)(strstr(text, mark) - text) + strlen(mark);
    size_t length = (size_t)(strstr(text + from, "</script>") - text) - from;
    json_t *data = json_loadb(text + from, length, 0, NULL);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "events")), h.n);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "lanes")), l.lanes);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "witnesses")), 1);
    json_decref(data);
    ck_assert_ptr_null(strstr(text, "</script><b>"));
    ck_assert_ptr_null(strstr(text, "<held>"));
    ck_assert_ptr_nonnull(strstr(text, "<tr id=\"o14\">"));
    free(text);
}
END_TEST

/* Slices of one thread either nest or do not meet. */
static void slices_do_not_cross(json_t *events)
{
    size_t i, k;
    json_t *a, *b;
    json_array_foreach(events, i, a) json_array_foreach(events, k, b)
    {
        if (k <= i || strcmp(json_string_value(json_object_get(a, "ph")), "X") != 0 ||
            strcmp(json_string_value(json_object_get(b, "ph")), "X") != 0 ||
            !json_equal(json_object_get(a, "pid"), json_object_get(b, "pid")) ||
            !json_equal(json_object_get(a, "tid"), json_object_get(b, "tid")))
            continue;
        json_int_t from = json_integer_value(json_object_get(a, "ts"));
        json_int_t to = from + json_integer_value(json_object_get(a, "dur"));
        json_int_t other = json_integer_value(json_object_get(b, "ts"));
        json_int_t until = other + json_integer_value(json_object_get(b, "dur"));
        bool apart = to <= other || until <= from;
        bool nested = (from <= other && until <= to) || (other <= from && to <= until);
        ck_assert_msg(apart || nested, "slices %zu and %zu cross", i, k);
    }
}

START_TEST(perfetto_is_json_with_slices_that_do_not_cross)
{
    break_something();
    char *text = written(timeline_perfetto);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(root);
    slices_do_not_cross(json_object_get(root, "traceEvents"));
    ck_assert_ptr_nonnull(strstr(text, "\"BROKEN progress\""));
    json_decref(root);
    free(text);
}
END_TEST

START_TEST(mermaid_shows_who_said_what_and_what_broke)
{
    break_something();
    char *text = written(timeline_mermaid);
    ck_assert_msg(strncmp(text, "sequenceDiagram\n", 16) == 0, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, " as tab 5\n"));
    ck_assert_ptr_nonnull(strstr(text, ": claim (5)\n"));
    ck_assert_ptr_nonnull(strstr(text, "-x"));
    ck_assert_ptr_nonnull(strstr(text, "BROKEN progress"));
    ck_assert_ptr_null(strchr(text, ';'));
    ck_assert_ptr_null(strchr(text, '#'));
    free(text);
}
END_TEST

START_TEST(of_a_long_round_mermaid_shows_what_fits)
{
    uint32_t lines = 0;
    for (int i = 0; i < 1000; i++) of_page(i % 2 ? OBS_PAGE_VISIBLE : OBS_PAGE_HIDDEN, 2000 + i, 1);
    break_something();
    char *text = written(timeline_mermaid);
    for (const char *p = text; *p; p++) lines += *p == '\n';
    ck_assert_uint_le(lines, TIMELINE_MERMAID_LINES + l.lanes + 10);
    ck_assert_ptr_nonnull(strstr(text, "    %% "));
    ck_assert_ptr_nonnull(strstr(text, "BROKEN progress"));
    free(text);
}
END_TEST

Suite *lanes_suite(void)
{
    Suite *s = suite_create("lanes");
    TCase *t = tcase_create("lanes");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, tabs_are_grouped_by_device_and_others_have_their_place);
    tcase_add_test(t, what_lasts_begins_and_ends_where_it_was_seen);
    tcase_add_test(t, requests_go_there_and_answers_back_and_lost_ones_end);
    tcase_add_test(t, a_doubled_request_arrives_twice_and_an_unfinished_one_nowhere);
    tcase_add_test(t, gaps_faults_cuts_and_nodes_last_too);
    tcase_add_test(t, ids_beyond_every_array_are_no_lanes_and_no_crash);
    tcase_add_test(t, html_carries_every_observation_twice_and_nothing_breaks_out);
    tcase_add_test(t, perfetto_is_json_with_slices_that_do_not_cross);
    tcase_add_test(t, mermaid_shows_who_said_what_and_what_broke);
    tcase_add_test(t, of_a_long_round_mermaid_shows_what_fits);
    suite_add_tcase(s, t);
    return s;
}
