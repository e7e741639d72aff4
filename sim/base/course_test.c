/* Courses as text: what is printed is read back, and nothing else is. */
#include <check.h>

#include <string.h>

#include "sim/base/course.h"

Suite *course_suite(void);

static const struct course some[] = {
    { .strategy = STRATEGY_UNIFORM },
    { .strategy = STRATEGY_PCT2 },
    { .strategy = STRATEGY_PCT3 },
    { .strategy = STRATEGY_MUTATION, .fork = { .before = 812, .seed = 0x51c6 } },
    { .strategy = STRATEGY_MUTATION, .fork = { .before = UINT64_MAX, .seed = UINT64_MAX } },
    { .strategy = STRATEGY_SWEEP,
      .fork = { .before = 1 },
      .fault = FAULT_FREEZE_ABRUPT,
      .lasts_us = 3000001 },
    { .strategy = STRATEGY_SWEEP, .fork = { .before = 9, .seed = 7 }, .fault = FAULT_CLOSE_HOLDER },
};
#define SOME (sizeof some / sizeof some[0])

START_TEST(a_text_is_read_back)
{
    for (size_t i = 0; i < SOME; i++) {
        char text[COURSE_TEXT_MAX], again[COURSE_TEXT_MAX];
        struct course c = { .seed = 99, .fault = FAULT_RELOAD };
        ck_assert_msg(course_read(&c, course_text(text, &some[i])), "%s", text);
        ck_assert_int_eq(c.strategy, some[i].strategy);
        ck_assert_uint_eq(c.seed, 99);
        ck_assert_uint_eq(c.fork.before, some[i].fork.before);
        ck_assert_uint_eq(c.fork.seed, some[i].fork.seed);
        ck_assert_int_eq(c.lasts_us, some[i].lasts_us);
        ck_assert_str_eq(course_text(again, &c), text);
    }
}
END_TEST

START_TEST(texts_are_what_people_see)
{
    char text[COURSE_TEXT_MAX];
    ck_assert_str_eq(course_text(text, &some[1]), "pct2");
    ck_assert_str_eq(course_text(text, &some[3]), "mutation:812/0x51c6");
    ck_assert_str_eq(course_text(text, &some[5]), "sweep:1/0x0/freeze-abrupt/3000001us");
    ck_assert_str_eq(course_text(text, &some[6]), "sweep:9/0x7/close-holder");
}
END_TEST

START_TEST(anything_else_is_refused_and_changes_nothing)
{
    static const char *const bad[] = {
        "",
        "pct",
        "pct4",
        "pct2:",
        "uniform:1/0x1",
        "mutation",
        "mutation:",
        "mutation:0/0x1",
        "mutation:1",
        "mutation:1/1",
        "mutation:1/0x1/",
        "mutation:-1/0x1",
        "mutation: 1/0x1",
        "mutation:99999999999999999999/0x1",
        "mutation:1/0x11112222333344445",
        "sweep:1/0x1",
        "sweep:1/0x1/",
        "sweep:1/0x1/freeze",
        "sweep:1/0x1/freeze-abrupt",
        "sweep:1/0x1/freeze-abrupt/",
        "sweep:1/0x1/freeze-abrupt/3s",
        "sweep:1/0x1/freeze-abrupt/3000us ",
        "sweep:1/0x1/freeze-abrupt/3600000001us",
        "sweep:1/0x1/close-holder/3us",
        "sweep:1/0x1/close-holder/",
        "Uniform",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct course c = some[5], before = c;
        ck_assert_msg(!course_read(&c, bad[i]), "%s", bad[i]);
        ck_assert_mem_eq(&c, &before, sizeof c);
    }
}
END_TEST

Suite *course_suite(void)
{
    Suite *s = suite_create("course");
    TCase *t = tcase_create("text");
    tcase_add_test(t, a_text_is_read_back);
    tcase_add_test(t, texts_are_what_people_see);
    tcase_add_test(t, anything_else_is_refused_and_changes_nothing);
    suite_add_tcase(s, t);
    return s;
}
