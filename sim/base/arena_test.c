/* The arena: zeroed, aligned, apart, and refusing what does not fit. */
#include <check.h>

#include <stdint.h>
#include <string.h>

#include "sim/base/arena.h"

Suite *arena_suite(void);

START_TEST(what_is_taken_is_zeroed_aligned_and_apart)
{
    struct arena a;
    arena_open(&a, 4096);
    unsigned char *first = arena_take(&a, 3, 5), *second = arena_take(&a, 1, 100);
    for (int i = 0; i < 15; i++) ck_assert_uint_eq(first[i], 0);
    ck_assert_uint_eq((uintptr_t)second % 64, (uintptr_t)a.base % 64);
    memset(first, 0x55, 15);
    for (int i = 0; i < 100; i++) ck_assert_uint_eq(second[i], 0);
    arena_close(&a);
    ck_assert_ptr_null(a.base);
}
END_TEST

START_TEST(the_last_byte_can_be_taken)
{
    struct arena a;
    arena_open(&a, 128);
    unsigned char *all = arena_take(&a, 128, 1);
    all[127] = 1;
    ck_assert_uint_eq(a.used, a.size);
    arena_close(&a);
}
END_TEST

START_TEST(one_more_than_fits_is_refused)
{
    struct arena a;
    arena_open(&a, 128);
    (void)arena_take(&a, 128, 1);
    (void)arena_take(&a, 1, 1);
}
END_TEST

START_TEST(a_product_that_overflows_is_refused)
{
    struct arena a;
    arena_open(&a, 128);
    (void)arena_take(&a, SIZE_MAX / 2, 4);
}
END_TEST

Suite *arena_suite(void)
{
    Suite *s = suite_create("arena");
    TCase *t = tcase_create("arena");
    tcase_add_test(t, what_is_taken_is_zeroed_aligned_and_apart);
    tcase_add_test(t, the_last_byte_can_be_taken);
    tcase_add_exit_test(t, one_more_than_fits_is_refused, 3);
    tcase_add_exit_test(t, a_product_that_overflows_is_refused, 3);
    suite_add_tcase(s, t);
    return s;
}
