/* Stories: what led to a contradiction, in sentences, and nothing beside it. */
#include "reports/story.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/fault.h"

Suite *story_suite(void);

#define MAX 400
#define SECOND US_PER_S
static struct obs storage[MAX];
static struct history h;

static struct obs *add(enum obs_kind kind, int64_t ms, uint16_t page)
{
    struct obs o = obs_make(kind, (struct instant){ ms * US_PER_MS }, OBS_NONE);
    o.page = page;
    return &h.at[history_add(&h, &o)];
}

static struct fence generation(uint32_t n)
{
    return (struct fence){ 1, 1, n };
}

static void add_page(uint16_t page, uint32_t tab)
{
    struct obs *o = add(OBS_PAGE_CREATED, 0, page);
    o->device = 0, o->partition = 0, o->a = tab, o->b = 3;
    o->flags = PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD;
}

static uint32_t claim(int64_t ms, uint16_t page, uint32_t n)
{
    struct obs *o = add(OBS_LEDGER_CLAIMED, ms, page);
    o->fence = generation(n), o->node = 0;
    uint32_t number = o->number;
    o = add(OBS_BELIEF_BEGAN, ms + 40, page);
    o->fence = generation(n);
    return number;
}

/* A frozen holder, a successor, and a late commit that is accepted: as in the field. */
static struct finding stale_commit(void)
{
    h = (struct history){ .at = storage, .max = MAX };
    add_page(4, 3);
    add_page(5, 9);
    add_page(6, 1); /* has nothing to do with it */
    claim(1000, 4, 7);
    struct obs *o = add(OBS_LEDGER_TAKEN, 4000, 4);
    o->op = 12, o->fence = generation(7);
    o = add(OBS_FAULT_BEGUN, 4210, 4);
    o->op = 1, o->a = FAULT_FREEZE_ABRUPT;
    uint32_t fault = o->number;
    o = add(OBS_PAGE_FROZEN, 4210, 4);
    o->cause = fault;
    add(OBS_PAGE_HIDDEN, 4500, 6);
    o = add(OBS_LEDGER_EXPIRED, 5000, PAGE_NONE);
    o->fence = generation(7);
    uint32_t first = claim(5602, 5, 8);
    add(OBS_PAGE_RESUMED, 6210, 4);
    o = add(OBS_REQUEST_ISSUED, 6214, 4);
    o->a = REQ_COMMIT, o->op = 12, o->request = 40, o->fence = generation(7);
    o = add(OBS_LEDGER_COMMITTED, 6240, 4);
    o->a = PART_CURSOR, o->op = 12, o->request = 40, o->fence = generation(7);
    return (struct finding){ VERDICT_BROKEN, { first, o->number }, NULL };
}

static char *told(const struct finding *v)
{
    struct trace t;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ck_assert(trace_open(&t, &h));
    struct story s = story_choose(&t, v);
    story_write(f, &t, &s);
    trace_close(&t);
    fclose(f);
    return text;
}

static uint32_t lines(const char *text)
{
    uint32_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

START_TEST(a_stale_commit_is_told_from_the_claim_to_the_commit)
{
    struct finding v = stale_commit();
    char *text = told(&v);
    ck_assert_str_eq(
        text, "   1.000 s  the ledger gave generation 7 to tab 3\n"
              "   4.000 s  tab 3 took operation 12 under generation 7\n"
              "   4.210 s  tab 3 was frozen holding generation 7 (fault 1, freeze-abrupt)\n"
              "   5.000 s  the lease of generation 7 ran out\n"
              "   5.602 s  the ledger gave generation 8 to tab 9\n"
              "   6.210 s  tab 3 thawed\n"
              "   6.214 s  tab 3 asked for the commit of the cursor of operation 12 under"
              " generation 7\n"
              "   6.240 s  the receiver accepted the cursor's move of operation 12 from tab 3"
              " under generation 7\n");
    free(text);
}
END_TEST

START_TEST(what_others_did_and_what_came_later_is_not_told)
{
    struct finding v = stale_commit();
    char *before = told(&v);
    add(OBS_PAGE_CRASHED, 7000, 4);
    char *after = told(&v);
    ck_assert_str_eq(before, after);
    ck_assert_ptr_null(strstr(after, "tab 1"));
    free(before);
    free(after);
}
END_TEST

START_TEST(a_story_is_never_longer_than_a_minute)
{
    struct finding v = stale_commit();
    h.n = v.witness[1];
    for (int i = 0; i < 100; i++) {
        add(OBS_PAGE_FROZEN, 6215 + i, 4);
        add(OBS_PAGE_RESUMED, 6215 + i, 4);
    }
    struct obs *o = add(OBS_LEDGER_COMMITTED, 6400, 4);
    o->a = PART_CURSOR, o->op = 12, o->request = 40, o->fence = generation(7);
    v.witness[1] = o->number;
    char *text = told(&v);
    ck_assert_uint_eq(lines(text), STORY_LINES_MAX - 1);
    ck_assert_ptr_nonnull(strstr(text, "gave generation 8 to tab 9"));
    ck_assert_ptr_nonnull(strstr(text, "accepted the cursor's move"));
    ck_assert_ptr_nonnull(strstr(text, "asked for the commit")); /* what was asked stays, too */
    free(text);
}
END_TEST

START_TEST(a_second_page_of_a_tab_is_told_apart)
{
    struct finding v = stale_commit();
    add_page(7, 3); /* the tab was loaded again */
    char *text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "tab 3 (page 4) thawed"));
    ck_assert_ptr_nonnull(strstr(text, "to tab 9\n"));
    free(text);
}
END_TEST

START_TEST(a_fault_that_nothing_names_is_told_by_itself)
{
    struct finding v = stale_commit();
    uint32_t frozen = 0;
    while (h.at[frozen].kind != OBS_PAGE_FROZEN) frozen++;
    h.at[frozen].cause = OBS_NONE;
    char *text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "fault 1, freeze-abrupt, on tab 3: the holder is frozen"));
    free(text);
}
END_TEST

START_TEST(where_nobody_acted_the_holders_and_waiters_of_the_lock_are_told)
{
    h = (struct history){ .at = storage, .max = MAX };
    add_page(0, 0);
    add_page(1, 1);
    struct obs *o = add(OBS_LOCK_GRANTED, 10, 0);
    o->key = LOCK_NAME_LEADER, o->request = 1;
    o = add(OBS_LOCK_REQUESTED, 20, 1);
    o->key = LOCK_NAME_LEADER, o->request = 2;
    add(OBS_PAGE_HIDDEN, 900, 0);
    o = add(OBS_ROUND_HEALED, 2000, PAGE_NONE);
    o->a = 8000;
    uint32_t healed = o->number;
    o = add(OBS_ROUND_ENDED, 12000, PAGE_NONE);
    struct finding v = { VERDICT_BROKEN, { healed, o->number }, NULL };
    char *text = told(&v);
    ck_assert_str_eq(text, "   0.010 s  tab 0 was granted the leader lock\n"
                           "   0.020 s  tab 1 asked for the leader lock\n"
                           "   0.900 s  tab 0 went to the background\n"
                           "   2.000 s  all faults were over; progress is due within 8 s\n"
                           "  12.000 s  the round ended\n");
    free(text);
}
END_TEST

START_TEST(stories_of_the_same_observations_are_equal)
{
    struct trace t;
    struct finding v = stale_commit(), w = v;
    ck_assert(trace_open(&t, &h));
    struct story a = story_choose(&t, &v), b = story_choose(&t, &w);
    ck_assert(story_equal(&a, &b));
    w.witness[1] = v.witness[0];
    b = story_choose(&t, &w);
    ck_assert(!story_equal(&a, &b));
    trace_close(&t);
}
END_TEST

START_TEST(a_fault_on_somebody_else_is_not_told)
{
    struct finding v = stale_commit();
    struct obs *claim = &h.at[0];
    while (claim->kind != OBS_LEDGER_CLAIMED) claim++; /* an observation that nothing needs */
    struct obs *o = claim + 1;
    *o = obs_make(OBS_FAULT_BEGUN, (struct instant){ SECOND }, OBS_NONE);
    o->number = (uint32_t)(o - h.at), o->op = 7, o->a = FAULT_FREEZE_ABRUPT, o->page = 6;
    char *text = told(&v);
    ck_assert_ptr_null(strstr(text, "fault 7"));
    free(text);
    o->page = 4;
    text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "fault 7, freeze-abrupt, on tab 3: "));
    free(text);
    o->a = FAULT_PROVIDER_SLOW; /* everybody's */
    text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "fault 7, provider-slow: "));
    free(text);
    o->a = FAULT_CUT_UP, o->device = 1;
    text = told(&v);
    ck_assert_ptr_null(strstr(text, "fault 7"));
    free(text);
}
END_TEST

/* The grant was made possible by a page that the story is not about. */
START_TEST(what_led_to_a_witness_at_once_is_told_whoever_it_was)
{
    struct finding v = stale_commit();
    struct obs *o = add(OBS_LOCK_RELEASED, 6300, 6);
    o->key = LOCK_NAME_LEADER;
    uint32_t release = o->number;
    o = add(OBS_LOCK_GRANTED, 6301, 5);
    o->key = LOCK_NAME_LEADER, o->request = 50, o->cause = release;
    v = (struct finding){ VERDICT_BROKEN, { OBS_NONE, o->number }, NULL };
    char *text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "   6.300 s  tab 1 let go of the leader lock\n"
                                       "   6.301 s  tab 9 was granted the leader lock\n"));
    free(text);
}
END_TEST

START_TEST(a_lock_of_foreign_code_is_told_as_such)
{
    struct finding v = stale_commit();
    struct obs *o = add(OBS_LOCK_REQUESTED, 6300, 5);
    o->key = LOCK_NAME_LEADER, o->request = 50, o->flags = LOCK_IS_FOREIGN | LOCK_IS_STEAL;
    o = add(OBS_LOCK_GRANTED, 6301, 5);
    o->key = LOCK_NAME_LEADER, o->request = 50;
    v.witness[1] = o->number;
    char *text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "foreign code in tab 9 asked to steal the leader lock\n"));
    ck_assert_ptr_nonnull(strstr(text, "foreign code in tab 9 was granted the leader lock\n"));
    free(text);
}
END_TEST

START_TEST(of_many_who_asked_the_holder_of_the_lock_is_told)
{
    h = (struct history){ .at = storage, .max = MAX };
    for (uint16_t p = 0; p < 9; p++) add_page(p, p);
    struct obs *o = add(OBS_LOCK_GRANTED, 10, 7);
    o->key = LOCK_NAME_LEADER, o->request = 1;
    for (uint16_t p = 0; p < 7; p++) {
        o = add(OBS_LOCK_REQUESTED, 20 + p, p);
        o->key = LOCK_NAME_LEADER, o->request = 2u + p;
    }
    o = add(OBS_ROUND_ENDED, 12000, PAGE_NONE);
    struct finding v = { VERDICT_BROKEN, { OBS_NONE, o->number }, NULL };
    char *text = told(&v);
    ck_assert_ptr_nonnull(strstr(text, "tab 7 was granted the leader lock"));
    free(text);
}
END_TEST

/* Kinds that are the world's own bookkeeping are never told. */
static bool may_be_silent(int kind)
{
    return kind == OBS_ROUND_STARTED || kind == OBS_REQUEST_ARRIVED || kind == OBS_PUSH_HANDLED ||
           kind == OBS_CHANNEL_FAULT || kind == OBS_EFFECT_ASKED || kind == OBS_LOCK_REFUSED ||
           kind == OBS_LOCK_UNAVAILABLE;
}

START_TEST(every_kind_that_can_matter_has_a_sentence)
{
    struct trace t;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    stale_commit();
    ck_assert(trace_open(&t, &h));
    for (int k = 0; k < OBS_COUNT; k++) {
        struct obs *o = add((enum obs_kind)k, 9000, 4);
        o->device = o->partition = o->node = 0;
        ck_assert_msg(story_sentence(f, &t, o) || may_be_silent(k), "%s", obs_info[k].word);
    }
    trace_close(&t);
    fclose(f);
    free(text);
}
END_TEST

Suite *story_suite(void)
{
    Suite *s = suite_create("story");
    TCase *t = tcase_create("story");
    tcase_add_test(t, a_stale_commit_is_told_from_the_claim_to_the_commit);
    tcase_add_test(t, what_others_did_and_what_came_later_is_not_told);
    tcase_add_test(t, a_story_is_never_longer_than_a_minute);
    tcase_add_test(t, a_second_page_of_a_tab_is_told_apart);
    tcase_add_test(t, a_fault_that_nothing_names_is_told_by_itself);
    tcase_add_test(t, where_nobody_acted_the_holders_and_waiters_of_the_lock_are_told);
    tcase_add_test(t, stories_of_the_same_observations_are_equal);
    tcase_add_test(t, a_fault_on_somebody_else_is_not_told);
    tcase_add_test(t, what_led_to_a_witness_at_once_is_told_whoever_it_was);
    tcase_add_test(t, a_lock_of_foreign_code_is_told_as_such);
    tcase_add_test(t, of_many_who_asked_the_holder_of_the_lock_is_told);
    tcase_add_test(t, every_kind_that_can_matter_has_a_sentence);
    suite_add_tcase(s, t);
    return s;
}
