/* Histories: numbering, the digest, the limit, and the order of fences. */
#include <check.h>

#include <string.h>

#include "sim/base/history.h"

Suite *history_suite(void);

#define MAX 8u
static struct obs at[MAX];
static struct history h;

static void fresh(void)
{
    h = (struct history){ .at = at, .max = MAX };
}

static uint32_t add(uint16_t page)
{
    struct obs o = obs_make(OBS_PAGE_HIDDEN, (struct instant){ 5 }, OBS_NONE);
    o.page = page;
    return history_add(&h, &o);
}

START_TEST(observations_are_numbered_by_their_place)
{
    for (uint32_t i = 0; i < MAX; i++) {
        ck_assert_uint_eq(add((uint16_t)i), i);
        ck_assert_uint_eq(h.at[i].number, i);
        ck_assert_uint_eq(h.at[i].page, i);
    }
}
END_TEST

START_TEST(a_full_history_says_so_and_keeps_what_it_has)
{
    for (uint32_t i = 0; i < MAX; i++) (void)add(1);
    ck_assert(!h.full);
    ck_assert_uint_eq(add(2), OBS_NONE);
    ck_assert(h.full);
    ck_assert_uint_eq(h.n, MAX);
    ck_assert_uint_eq(h.at[MAX - 1].page, 1);
}
END_TEST

START_TEST(a_fresh_observation_names_nobody)
{
    struct obs o = obs_make(OBS_NODE_UP, (struct instant){ 7 }, 3);
    ck_assert_uint_eq(o.page, PAGE_NONE);
    ck_assert_uint_eq(o.device, DEVICE_NONE);
    ck_assert_uint_eq(o.partition, PARTITION_NONE);
    ck_assert_uint_eq(o.node, NODE_NONE);
    ck_assert_uint_eq(o.cause, 3);
    ck_assert(fence_is_none(o.fence));
}
END_TEST

/* Each byte of an observation is in the digest: nothing that differs goes unseen. */
START_TEST(every_byte_counts_for_the_digest)
{
    (void)add(1);
    (void)add(2);
    uint64_t digest = history_digest(&h);
    unsigned char *byte = (unsigned char *)h.at;
    for (size_t i = 0; i < 2 * sizeof h.at[0]; i++) {
        byte[i] ^= 1;
        ck_assert_uint_ne(history_digest(&h), digest);
        byte[i] ^= 1;
    }
    ck_assert_uint_eq(history_digest(&h), digest);
    h.n = 1;
    ck_assert_uint_ne(history_digest(&h), digest);
}
END_TEST

START_TEST(order_counts_for_the_digest)
{
    (void)add(1);
    (void)add(2);
    uint64_t digest = history_digest(&h);
    struct obs first = h.at[0];
    h.at[0] = h.at[1];
    h.at[1] = first;
    ck_assert_uint_ne(history_digest(&h), digest);
}
END_TEST

START_TEST(every_kind_is_found_by_its_word)
{
    for (int i = 0; i < OBS_COUNT; i++) ck_assert_int_eq(obs_find(obs_info[i].word), i);
    ck_assert_int_eq(obs_find("no.such"), OBS_COUNT);
    ck_assert_int_eq(obs_find(""), OBS_COUNT);
}
END_TEST

START_TEST(fences_are_ordered_by_epoch_then_generation_within_an_incarnation)
{
    struct fence a = { 1, 1, 9 }, b = { 1, 2, 1 }, c = { 1, 2, 2 }, d = { 2, 3, 3 };
    ck_assert(fence_less(a, b));
    ck_assert(fence_less(b, c));
    ck_assert(fence_less(a, c));
    ck_assert(!fence_less(b, a));
    ck_assert(!fence_less(c, c));
    ck_assert(!fence_less(c, d)); /* another incarnation: no order either way */
    ck_assert(!fence_less(d, c));
    ck_assert(fence_equal(c, (struct fence){ 1, 2, 2 }));
    ck_assert(!fence_equal(c, (struct fence){ 2, 2, 2 }));
    ck_assert(!fence_equal(c, (struct fence){ 1, 1, 2 }));
    ck_assert(!fence_equal(c, (struct fence){ 1, 2, 1 }));
    ck_assert(fence_is_none((struct fence){ 1, 1, 0 }));
    ck_assert(!fence_is_none(a));
}
END_TEST

Suite *history_suite(void)
{
    Suite *s = suite_create("history");
    TCase *t = tcase_create("history");
    tcase_add_checked_fixture(t, fresh, NULL);
    tcase_add_test(t, observations_are_numbered_by_their_place);
    tcase_add_test(t, a_full_history_says_so_and_keeps_what_it_has);
    tcase_add_test(t, a_fresh_observation_names_nobody);
    tcase_add_test(t, every_byte_counts_for_the_digest);
    tcase_add_test(t, order_counts_for_the_digest);
    tcase_add_test(t, every_kind_is_found_by_its_word);
    tcase_add_test(t, fences_are_ordered_by_epoch_then_generation_within_an_incarnation);
    suite_add_tcase(s, t);
    return s;
}
