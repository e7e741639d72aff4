/* The judge on files: its verdict is its exit status, and what inexact clocks leave
 * open is unknown. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/history_file.h"
#include "tools/judge.h"
#include "tools/judge_clock.h"

Suite *judge_command_suite(void);

#define MAX 64

struct told {
    struct history history;
    struct obs at[MAX];
};

static struct obs *tell(struct told *t, enum obs_kind kind, int64_t us, uint32_t cause)
{
    struct obs o = obs_make(kind, (struct instant){ us }, cause);
    t->history.at = t->at, t->history.max = MAX;
    return &t->at[history_add(&t->history, &o)];
}

static void tell_effect(struct told *t, int64_t us, uint32_t op)
{
    struct obs *o = tell(t, OBS_EFFECT_EXECUTED, us, OBS_NONE);
    o->page = 0, o->request = t->history.n, o->op = op, o->key = op;
}

/* A page claims on node 0; the page before it commits on node 1, 10 us later. */
static void tell_late_commit(struct told *t)
{
    for (uint8_t page = 0; page < 2; page++) {
        struct obs *o = tell(t, OBS_PAGE_CREATED, 0, OBS_NONE);
        o->page = page, o->device = page, o->partition = page, o->a = page, o->b = 3;
        o->flags = PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD;
    }
    for (uint8_t page = 0; page < 2; page++) {
        struct obs *o = tell(t, OBS_LEDGER_CLAIMED, 1000 + page * 5000, OBS_NONE);
        o->page = page, o->node = 0, o->partition = page, o->request = page + 1u,
        o->key = page + 1u;
        o->a = 3, o->fence = (struct fence){ 1, 1, page + 1u };
    }
    struct obs *o = tell(t, OBS_LEDGER_COMMITTED, 6010, OBS_NONE);
    o->page = 0, o->node = 1, o->request = 9, o->op = 1, o->a = PART_CURSOR;
    o->fence = (struct fence){ 1, 1, 1 };
}

static void write_history(char path[], const struct told *t)
{
    static const char template[] = "/tmp/judge_test_XXXXXX";
    struct history_meta m = { .scenario = "by-hand", .revision = "r", .seed = 7 };
    m.contract.stage = STAGE_OUTBOX;
    m.contract.protocol_version = 3;
    memcpy(path, template, sizeof template);
    FILE *f = fdopen(mkstemp(path), "w");
    history_write(f, &t->history, &m);
    fclose(f);
}

/* Judges what was told; the answer is in *text, free with free(). */
static int judge_told(const struct told *t, const struct judge_options *options, char **text)
{
    char path[32];
    size_t n;
    FILE *out = open_memstream(text, &n);
    write_history(path, t);
    int status = judge_history(path, options, out, out);
    fclose(out);
    unlink(path);
    return status;
}

static const struct judge_options plain = { .contract = NULL }, as_json = { .json = true };

START_TEST(a_history_that_holds_ends_with_0)
{
    struct told t = { .history = { .n = 0 } };
    char *text;
    tell_effect(&t, 10, 1);
    tell_effect(&t, 20, 2);
    int status = judge_told(&t, &plain, &text);
    ck_assert_msg(strstr(text, "\nheld          effect-at-most-once\n"), "%s", text);
    ck_assert_msg(strstr(text, "not exercised steal-permitted\n"), "%s", text);
    ck_assert_msg((status == 0) == (strstr(text, "JUDGE PASS\n") != NULL), "%s", text);
    free(text);
}
END_TEST

START_TEST(a_broken_history_ends_with_1_and_the_story)
{
    struct told t = { .history = { .n = 0 } };
    char *text;
    tell_effect(&t, 10, 1);
    tell_effect(&t, 20, 1);
    ck_assert_int_eq(judge_told(&t, &plain, &text), 1);
    ck_assert_msg(strstr(text, "\nbroken        effect-at-most-once: "), "%s", text);
    ck_assert_msg(strstr(text, " (#0 and #1)\n"), "%s", text);
    ck_assert_msg(strstr(text, "\n=>    0.000 s  #1 "), "%s", text);
    ck_assert_msg(strstr(text, "\nJUDGE FAIL\n"), "%s", text);
    free(text);
}
END_TEST

START_TEST(an_empty_history_proves_nothing_and_ends_with_4)
{
    struct told t = { .history = { .n = 0 } };
    char *text;
    tell(&t, OBS_ROUND_STARTED, 0, OBS_NONE);
    ck_assert_int_eq(judge_told(&t, &plain, &text), 4);
    ck_assert_msg(strstr(text, "\nJUDGE UNKNOWN\n"), "%s", text);
    free(text);
}
END_TEST

START_TEST(what_is_no_history_ends_with_2)
{
    char *text, path[32] = "/tmp/judge_test_none";
    size_t n;
    FILE *out = open_memstream(&text, &n);
    ck_assert_int_eq(judge_history(path, &plain, out, out), 2);
    fclose(out);
    ck_assert_str_eq(text, "/tmp/judge_test_none: cannot be opened: No such file or directory\n");
    free(text);
}
END_TEST

START_TEST(json_says_the_same)
{
    struct told t = { .history = { .n = 0 } };
    char *text;
    tell_effect(&t, 10, 1);
    tell_effect(&t, 20, 1);
    ck_assert_int_eq(judge_told(&t, &as_json, &text), 1);
    json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(v != NULL, "%s", text);
    ck_assert_str_eq(json_string_value(json_object_get(v, "verdict")), "fail");
    json_t *broken = json_object_get(json_object_get(v, "invariants"), "effect-at-most-once");
    ck_assert_int_eq(json_integer_value(broken), 1);
    json_decref(v);
    free(text);
}
END_TEST

START_TEST(ids_at_their_limits_are_judged_or_unknown_never_a_crash)
{
    struct told t = { .history = { .n = 0 } };
    char *text;
    for (uint32_t i = 0; i < 20; i++) {
        struct obs *o = tell(&t, OBS_LEDGER_TAKEN, i, OBS_NONE);
        o->page = (uint16_t)(PAGE_SERVER - 1 - i), o->node = 254, o->request = UINT32_MAX - i;
        o->op = UINT32_MAX - i, o->fence = (struct fence){ UINT32_MAX, UINT32_MAX, UINT32_MAX };
        tell_effect(&t, i, i % 2 ? UINT32_MAX : 65535);
    }
    ck_assert_int_ne(judge_told(&t, &plain, &text), 2);
    free(text);
}
END_TEST

/* -- inexact clocks ---------------------------------------------------------------- */

START_TEST(what_the_clocks_leave_open_is_unknown)
{
    struct told t = { .history = { .n = 0 } };
    struct judge_options within = { .clock_error_us = 50 }, exact = { .clock_error_us = 2 };
    char *text;
    tell_late_commit(&t);
    ck_assert_int_eq(judge_told(&t, &plain, &text), 1);
    ck_assert_msg(strstr(text, "broken        no-stale-commit"), "%s", text);
    free(text);
    ck_assert_int_eq(judge_told(&t, &exact, &text), 1); /* 10 us apart: surely in this order */
    ck_assert_msg(strstr(text, "broken        no-stale-commit"), "%s", text);
    free(text);
    judge_told(&t, &within, &text);
    ck_assert_msg(
        strstr(text, "unknown       no-stale-commit: orders that the clocks' error allows"), "%s",
        text);
    free(text);
}
END_TEST

/* Whether some variant has observation b of `t` before a. */
static bool may_swap(const struct told *t, uint32_t a, uint32_t b, int64_t error_us)
{
    struct told into = { .history = { .max = MAX } };
    into.history.at = into.at;
    bool swaps = false;
    for (uint32_t v = 0; v < 1u << judge_clocks(&t->history); v++) {
        uint32_t at_a = 0, at_b = 0;
        ck_assert(judge_variant(&into.history, &t->history, v, error_us));
        ck_assert_uint_eq(into.history.n, t->history.n);
        for (uint32_t i = 0; i < into.history.n; i++) {
            const struct obs *o = &into.at[i];
            ck_assert_uint_eq(o->number, i);
            ck_assert(o->cause == OBS_NONE || o->cause < i);
            ck_assert(i == 0 || into.at[i - 1].at.us <= o->at.us);
            if (o->key == a + 1) at_a = i;
            if (o->key == b + 1) at_b = i;
        }
        swaps |= at_b < at_a;
    }
    return swaps;
}

/* Two observations 10 us apart, each marked by its key. */
static void tell_two(struct told *t, uint8_t node_a, uint8_t node_b)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct obs *o = tell(t, OBS_LEDGER_RENEWED, 100 + i * 10, OBS_NONE);
        o->node = i ? node_b : node_a;
        o->key = i + 1;
        o->request = i + 1;
    }
}

START_TEST(two_clocks_may_swap_what_is_within_twice_their_error)
{
    struct told t = { .history = { .n = 0 } };
    tell_two(&t, 0, 1);
    ck_assert(may_swap(&t, 0, 1, 6));
    ck_assert(!may_swap(&t, 0, 1, 5));
}
END_TEST

START_TEST(one_clock_keeps_its_order)
{
    struct told t = { .history = { .n = 0 } };
    tell_two(&t, 0, 0);
    ck_assert(!may_swap(&t, 0, 1, 1000));
}
END_TEST

START_TEST(an_effect_stays_after_its_cause)
{
    struct told t = { .history = { .n = 0 } };
    tell_two(&t, 0, 1);
    t.at[1].cause = 0;
    ck_assert(!may_swap(&t, 0, 1, 1000));
}
END_TEST

START_TEST(what_follows_a_moved_effect_on_its_clock_moves_too)
{
    struct told t = { .history = { .n = 0 } };
    tell(&t, OBS_PAGE_VISIBLE, 100, OBS_NONE)->page = 5; /* stamped by the recorder */
    tell_two(&t, 0, 0);
    t.at[1].cause = 0;
    ck_assert(!may_swap(&t, 0, 1, 1000));
}
END_TEST

START_TEST(a_request_keeps_its_order)
{
    struct told t = { .history = { .n = 0 } };
    tell_two(&t, 0, 1);
    t.at[1].request = t.at[0].request;
    ck_assert(!may_swap(&t, 0, 1, 1000));
}
END_TEST

/* -- the command line ---------------------------------------------------------------- */

static int command(const char *a, const char *b)
{
    char *argv[] = { (char *)(uintptr_t) "judge", (char *)(uintptr_t)a, (char *)(uintptr_t)b,
                     NULL };
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    return judge_command(b ? 3 : a ? 2 : 1, argv);
}

START_TEST(bad_usage_ends_with_2)
{
    ck_assert_int_eq(command(NULL, NULL), 2);
    ck_assert_int_eq(command("--nonsense", "x"), 2);
    ck_assert_int_eq(command("--clock-error=5", NULL), 2);
    ck_assert_int_eq(command("--clock-error=99999s", NULL), 2);
    ck_assert_int_eq(command("--contract", "x"), 2); /* tabquake judge only */
    ck_assert_int_eq(command("/tmp/a", "/tmp/b"), 2);
    ck_assert_int_eq(command("--help", NULL), 0);
}
END_TEST

START_TEST(options_reach_the_judge)
{
    struct told t = { .history = { .n = 0 } };
    char path[32];
    tell_late_commit(&t);
    write_history(path, &t);
    ck_assert_int_eq(command(path, "--contract-from-header"), 1);
    ck_assert_int_eq(command(path, "--json"), 1);
    ck_assert_int_ne(command(path, "--clock-error=1ms"), 2);
    unlink(path);
}
END_TEST

Suite *judge_command_suite(void)
{
    Suite *s = suite_create("judge_command");
    TCase *t = tcase_create("judge_command");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_history_that_holds_ends_with_0);
    tcase_add_test(t, a_broken_history_ends_with_1_and_the_story);
    tcase_add_test(t, an_empty_history_proves_nothing_and_ends_with_4);
    tcase_add_test(t, what_is_no_history_ends_with_2);
    tcase_add_test(t, json_says_the_same);
    tcase_add_test(t, ids_at_their_limits_are_judged_or_unknown_never_a_crash);
    tcase_add_test(t, what_the_clocks_leave_open_is_unknown);
    tcase_add_test(t, two_clocks_may_swap_what_is_within_twice_their_error);
    tcase_add_test(t, one_clock_keeps_its_order);
    tcase_add_test(t, an_effect_stays_after_its_cause);
    tcase_add_test(t, what_follows_a_moved_effect_on_its_clock_moves_too);
    tcase_add_test(t, a_request_keeps_its_order);
    tcase_add_test(t, bad_usage_ends_with_2);
    tcase_add_test(t, options_reach_the_judge);
    suite_add_tcase(s, t);
    return s;
}
