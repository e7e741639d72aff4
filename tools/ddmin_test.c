/* Delta debugging: what is left is needed, thing by thing. */
#include "tools/ddmin.h"

#include <check.h>

Suite *ddmin_suite(void);

/* Fails with all of `needed`, or with all of `other`. */
struct failure {
    uint64_t needed, other;
    uint32_t asked;
};

static bool still(void *context, uint64_t kept)
{
    struct failure *f = context;
    f->asked++;
    return (kept & f->needed) == f->needed || (f->other && (kept & f->other) == f->other);
}

START_TEST(what_is_not_needed_goes)
{
    static const uint64_t needed[] = { 1, 1u << 9, 3u << 4, 0x8001, UINT64_C(1) << 63 | 1, 0xFFFF };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        struct failure f = { .needed = needed[i] };
        ck_assert_uint_eq(ddmin(UINT64_MAX, still, &f), needed[i]);
    }
}
END_TEST

START_TEST(a_set_of_any_size_comes_down)
{
    for (uint32_t n = 1; n < 64; n++) {
        struct failure f = { .needed = UINT64_C(1) << (n - 1) };
        ck_assert_uint_eq(ddmin((UINT64_C(1) << n) - 1, still, &f), f.needed);
    }
}
END_TEST

START_TEST(nothing_is_left_where_nothing_is_needed)
{
    struct failure f = { .needed = 0 };
    ck_assert_uint_eq(ddmin(0xFF, still, &f), 0);
    ck_assert_uint_eq(f.asked, 1);
    ck_assert_uint_eq(ddmin(0, still, &f), 0);
}
END_TEST

START_TEST(of_two_reasons_one_is_left)
{
    struct failure f = { .needed = 0x11, .other = 0x2200 };
    uint64_t left = ddmin(0xFFFF, still, &f);
    ck_assert(left == 0x11 || left == 0x2200);
}
END_TEST

START_TEST(one_needed_thing_of_sixty_four_is_found_in_few_questions)
{
    struct failure f = { .needed = UINT64_C(1) << 37 };
    ddmin(UINT64_MAX, still, &f);
    ck_assert_uint_le(f.asked, 16);
}
END_TEST

Suite *ddmin_suite(void)
{
    Suite *s = suite_create("ddmin");
    TCase *t = tcase_create("ddmin");
    tcase_add_test(t, what_is_not_needed_goes);
    tcase_add_test(t, a_set_of_any_size_comes_down);
    tcase_add_test(t, nothing_is_left_where_nothing_is_needed);
    tcase_add_test(t, of_two_reasons_one_is_left);
    tcase_add_test(t, one_needed_thing_of_sixty_four_is_found_in_few_questions);
    suite_add_tcase(s, t);
    return s;
}
