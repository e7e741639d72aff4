/* Traces say who did what, in words; a story is the causal past of its two
 * witnesses and nothing else. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reports/trace.h"
#include "sim/base/fault.h"

Suite *trace_suite(void);

#define MAX 200
static struct obs storage[MAX];

static struct obs *add(struct history *h, enum obs_kind kind, int64_t ms, uint32_t cause)
{
    struct obs o = obs_make(kind, (struct instant){ ms * US_PER_MS }, cause);
    return &h->at[history_add(h, &o)];
}

static struct history with_page(void)
{
    struct history h = { .at = storage, .max = MAX };
    struct obs *o = add(&h, OBS_PAGE_CREATED, 0, OBS_NONE);
    o->page = 7, o->device = 1, o->partition = 0, o->a = 3, o->b = 3;
    o->flags = PAGE_IS_VISIBLE | PAGE_HAS_LOCKS;
    return h;
}

static char *line_of(const struct history *h, uint32_t number)
{
    struct trace t;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ck_assert(trace_open(&t, h));
    trace_obs(f, &t, &h->at[number]);
    trace_close(&t);
    fclose(f);
    return text;
}

static void ck_line(const struct history *h, const char *expected)
{
    char *text = line_of(h, h->n - 1);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(a_line_names_time_number_page_kind_members_and_cause)
{
    struct history h = with_page();
    struct obs *o = add(&h, OBS_LEDGER_RENEWED, 4210, 0);
    o->page = 7, o->node = 0, o->request = 12, o->fence = (struct fence){ 1, 1, 7 };
    ck_line(&h, "   4.210 s  #1     tab 3 page 7 (dev 1)    ledger.renewed      "
                "node 0, request 12, fence 1.7  <- #0\n");
}
END_TEST

START_TEST(a_new_page_is_told_by_its_flags)
{
    struct history h = with_page();
    ck_line(&h, "   0.000 s  #0     tab 3 page 7 (dev 1)    page.created        "
                "partition 0, visible has-locks, protocol 3\n");
}
END_TEST

START_TEST(states_and_faults_and_results_are_words)
{
    struct history h = with_page();
    struct obs *o = add(&h, OBS_STATE_CHANGED, 1, OBS_NONE);
    o->page = 7, o->a = STATE_REQUESTING, o->b = STATE_LEADER;
    char *text = line_of(&h, 1);
    ck_assert_ptr_nonnull(strstr(text, "REQUESTING -> LEADER\n"));
    free(text);
    o = add(&h, OBS_FAULT_BEGUN, 2, OBS_NONE);
    o->a = FAULT_FREEZE_ABRUPT, o->page = 7, o->op = 0;
    text = line_of(&h, 2);
    ck_assert_ptr_nonnull(strstr(text, "fault 0, freeze-abrupt\n"));
    free(text);
    o = add(&h, OBS_LEDGER_REFUSED, 3, OBS_NONE);
    o->page = PAGE_SERVER, o->a = REQ_COMMIT, o->b = ANS_FENCED;
    text = line_of(&h, 3);
    ck_assert_ptr_nonnull(strstr(text, "server  "));
    ck_assert_ptr_nonnull(strstr(text, "commit, FENCED, no fence\n"));
    free(text);
}
END_TEST

START_TEST(every_kind_has_a_line)
{
    struct history h = with_page();
    for (int k = 0; k < OBS_COUNT; k++) add(&h, (enum obs_kind)k, k, OBS_NONE)->a = 77;
    for (uint32_t i = 0; i < h.n; i++) {
        char *text = line_of(&h, i);
        ck_assert_ptr_nonnull(strstr(text, obs_info[h.at[i].kind].word));
        ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
        free(text);
    }
}
END_TEST

static char *story_of(const struct history *h, uint32_t a, uint32_t b)
{
    struct finding v = { VERDICT_BROKEN, { a, b }, "the effect happened twice" };
    struct trace t;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ck_assert(trace_open(&t, h));
    trace_story(f, &t, INV_EFFECT_AT_MOST_ONCE, &v);
    trace_close(&t);
    fclose(f);
    return text;
}

static unsigned lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

START_TEST(a_story_is_the_causal_past_of_both_witnesses_once_and_in_order)
{
    struct history h = with_page();
    add(&h, OBS_PAGE_HIDDEN, 1, 0);         /* 1: common cause */
    add(&h, OBS_PAGE_VISIBLE, 2, OBS_NONE); /* 2: another story */
    add(&h, OBS_REQUEST_DEPARTED, 3, 1);    /* 3 */
    add(&h, OBS_EFFECT_EXECUTED, 4, 3);     /* 4: witness */
    add(&h, OBS_EFFECT_EXECUTED, 5, 1);     /* 5: witness */
    char *text = story_of(&h, 4, 5);
    ck_assert_uint_eq(lines(text), 1 + 5);
    ck_assert_ptr_nonnull(strstr(text, "effect-at-most-once: the effect happened twice\n"));
    ck_assert_ptr_null(strstr(text, "#2 "));
    const char *at = text;
    static const char *const order[] = { "   ", "#0 ", "#1 ", "#3 ", "=> ", "#4 ", "=> ", "#5 " };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        ck_assert_ptr_nonnull(at = strstr(at, order[i]));
    free(text);
}
END_TEST

START_TEST(a_long_story_keeps_what_is_nearest_to_its_witnesses)
{
    struct history h = with_page();
    for (uint32_t i = 0; i < 100; i++) add(&h, OBS_PAGE_HIDDEN, i, i);
    char *text = story_of(&h, 100, OBS_NONE);
    ck_assert_uint_eq(lines(text), 1 + TRACE_STORY_MAX + 1);
    ck_assert_ptr_nonnull(strstr(text, "=>  "));
    ck_assert_ptr_nonnull(strstr(text, "#61 "));
    ck_assert_ptr_null(strstr(text, "#60  "));
    ck_assert_ptr_nonnull(strstr(text, "61 earlier causes are left out"));
    free(text);
}
END_TEST

START_TEST(a_shared_past_is_told_and_counted_once)
{
    struct history h = with_page();
    for (uint32_t i = 0; i < 100; i++) add(&h, OBS_PAGE_HIDDEN, i, i);
    char *text = story_of(&h, 100, 3); /* the second is the first one's own past */
    ck_assert_uint_eq(lines(text), 1 + TRACE_STORY_MAX + 1);
    ck_assert_ptr_nonnull(strstr(text, "#3  "));
    ck_assert_ptr_nonnull(strstr(text, "61 earlier causes are left out"));
    free(text);
}
END_TEST

START_TEST(a_story_without_witnesses_says_so)
{
    struct history h = with_page();
    char *text = story_of(&h, OBS_NONE, OBS_NONE);
    ck_assert_ptr_nonnull(strstr(text, "no observation is named"));
    free(text);
}
END_TEST

Suite *trace_suite(void)
{
    Suite *s = suite_create("trace");
    TCase *t = tcase_create("trace");
    tcase_add_test(t, a_line_names_time_number_page_kind_members_and_cause);
    tcase_add_test(t, a_new_page_is_told_by_its_flags);
    tcase_add_test(t, states_and_faults_and_results_are_words);
    tcase_add_test(t, every_kind_has_a_line);
    tcase_add_test(t, a_story_is_the_causal_past_of_both_witnesses_once_and_in_order);
    tcase_add_test(t, a_long_story_keeps_what_is_nearest_to_its_witnesses);
    tcase_add_test(t, a_shared_past_is_told_and_counted_once);
    tcase_add_test(t, a_story_without_witnesses_says_so);
    suite_add_tcase(s, t);
    return s;
}
