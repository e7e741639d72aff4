/* The generator against the published reference output, and seeds from text. */
#include <check.h>

#include <stdio.h>

#include "sim/engine/rng.h"

Suite *rng_suite(void);

/* pcg32-demo of the reference implementation: pcg32_srandom(42, 54), first six numbers. */
START_TEST(seed_42_stream_54_gives_the_published_numbers)
{
    static const uint32_t published[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                          0x83d2f293, 0xbfa4784b, 0xcbed606e };
    struct rng r;
    rng_seed(&r, 42, 54);
    for (int i = 0; i < 6; i++) ck_assert_uint_eq(rng_next(&r), published[i]);
}
END_TEST

START_TEST(the_same_seed_and_stream_give_the_same_numbers)
{
    struct rng a = { 1, 2 }, b = { 0x5555, 0x5555 };
    rng_seed(&a, 7, 3);
    rng_seed(&b, 7, 3);
    for (int i = 0; i < 1000; i++) ck_assert_uint_eq(rng_next(&a), rng_next(&b));
}
END_TEST

static uint32_t equal_draws(uint64_t seed_a, uint64_t stream_a, uint64_t seed_b, uint64_t stream_b)
{
    struct rng a, b;
    uint32_t equal = 0;
    rng_seed(&a, seed_a, stream_a);
    rng_seed(&b, seed_b, stream_b);
    for (int i = 0; i < 1000; i++) equal += rng_next(&a) == rng_next(&b);
    return equal;
}

START_TEST(another_stream_or_seed_gives_other_numbers)
{
    ck_assert_uint_le(equal_draws(7, 3, 7, 4), 1);
    ck_assert_uint_le(equal_draws(7, 3, 8, 3), 1);
    ck_assert_uint_eq(equal_draws(7, 3, 7, 3), 1000); /* the comparison itself */
}
END_TEST

START_TEST(mixing_depends_on_both_words_and_their_order)
{
    ck_assert_uint_eq(rng_mix(1, 2), rng_mix(1, 2));
    ck_assert_uint_ne(rng_mix(1, 2), rng_mix(2, 1));
    ck_assert_uint_ne(rng_mix(1, 2), rng_mix(1, 3));
    ck_assert_uint_ne(rng_mix(0, 0), rng_mix(0, 1));
    ck_assert_uint_ne(rng_mix(0, 0), rng_mix(1, 0));
}
END_TEST

/* Seeds of neighbouring rounds are made by mixing: no two of many may be equal. */
START_TEST(mixed_indices_do_not_collide)
{
    static uint64_t seen[2048];
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 2048; i++) {
        seen[i] = rng_mix(42, i);
        for (uint32_t k = 0; k < i; k++) equal += seen[k] == seen[i];
    }
    ck_assert_uint_eq(equal, 0);
}
END_TEST

START_TEST(a_number_is_taken_as_it_is)
{
    ck_assert_uint_eq(rng_seed_of_text("0"), 0);
    ck_assert_uint_eq(rng_seed_of_text("42"), 42);
    ck_assert_uint_eq(rng_seed_of_text("1234567890123456789"), UINT64_C(1234567890123456789));
    ck_assert_uint_eq(rng_seed_of_text("0x2a"), 42);
    ck_assert_uint_eq(rng_seed_of_text("0x5eed0042"), 0x5eed0042);
    ck_assert_uint_eq(rng_seed_of_text("0xffffffffffffffff"), UINT64_MAX);
    ck_assert_uint_eq(rng_seed_of_text("007"), 7); /* decimal, not octal */
}
END_TEST

START_TEST(a_seed_that_was_printed_is_read_back)
{
    char text[32];
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t seed = rng_mix(i, 77);
        snprintf(text, sizeof text, "0x%016llx", (unsigned long long)seed);
        ck_assert_uint_eq(rng_seed_of_text(text), seed);
    }
}
END_TEST

/* What is no number counts by all of its characters. */
START_TEST(any_other_text_is_hashed)
{
    static const char *const text[] = {
        "",
        "a",
        "aa",
        "ab",
        "ba",
        "release-2026-11",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1x",
        "0x",
        "0xg",
        "12e4",
        "9bd9b01",
        "559ff6295c3be56bb0c3ad3a1d1b2b4b5b6b7b8b",
        "559ff6295c3be56bb0c3ad3a1d1b2b4b5b6b7b8c",
        "18446744073709551616",
        "99999999999999999999",
        "1000000000000000000000000001",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        uint64_t seed = rng_seed_of_text(text[i]);
        ck_assert_uint_eq(rng_seed_of_text(text[i]), seed);
        ck_assert_uint_gt(seed, UINT32_MAX); /* a hash, not a prefix that looked like a number */
        for (size_t k = 0; k < i; k++) ck_assert_uint_ne(rng_seed_of_text(text[k]), seed);
    }
}
END_TEST

START_TEST(numbers_that_do_not_fit_stay_apart)
{
    ck_assert_uint_ne(rng_seed_of_text("0x1ffffffffffffffff"),
                      rng_seed_of_text("0x2ffffffffffffffff"));
    ck_assert_uint_ne(rng_seed_of_text("0x1ffffffffffffffff"), UINT64_MAX);
    ck_assert_uint_ne(rng_seed_of_text("20000000000000000000"),
                      rng_seed_of_text("30000000000000000000"));
}
END_TEST

Suite *rng_suite(void)
{
    Suite *s = suite_create("rng");
    TCase *t = tcase_create("rng");
    tcase_add_test(t, seed_42_stream_54_gives_the_published_numbers);
    tcase_add_test(t, the_same_seed_and_stream_give_the_same_numbers);
    tcase_add_test(t, another_stream_or_seed_gives_other_numbers);
    tcase_add_test(t, mixing_depends_on_both_words_and_their_order);
    tcase_add_test(t, mixed_indices_do_not_collide);
    tcase_add_test(t, a_number_is_taken_as_it_is);
    tcase_add_test(t, a_seed_that_was_printed_is_read_back);
    tcase_add_test(t, any_other_text_is_hashed);
    tcase_add_test(t, numbers_that_do_not_fit_stay_apart);
    suite_add_tcase(s, t);
    return s;
}
