/* The event queue, then against a deliberately dumb one: an array that is searched
 * from the start for the least (time, tie, order of arrival). */
#include <check.h>

#include "sim/engine/evq.h"
#include "sim/engine/rng.h"

Suite *evq_suite(void);

#define MAX 512u

static struct arena arena;
static struct evq q;

static void open_queue(void)
{
    arena_open(&arena, 1 << 20);
    evq_open(&q, &arena, MAX);
    evq_reset(&q);
}

static void close_queue(void)
{
    arena_close(&arena);
}

static void push(int64_t us, uint32_t tie, uint32_t arg)
{
    evq_push(&q, (struct instant){ us }, tie, 7, 9, arg);
}

static uint32_t pop(void)
{
    struct event e;
    ck_assert(evq_pop(&q, &e));
    return e.arg;
}

START_TEST(an_empty_queue_gives_nothing)
{
    struct event e;
    ck_assert(!evq_pop(&q, &e));
    push(1, 0, 1);
    (void)pop();
    ck_assert(!evq_pop(&q, &e));
}
END_TEST

START_TEST(an_event_comes_back_as_it_was)
{
    struct event e;
    evq_push(&q, (struct instant){ 123456789 }, 63, 0xFFFE, 0xFFFD, 0xFFFFFFFC);
    ck_assert(evq_pop(&q, &e));
    ck_assert_int_eq(event_at(&e).us, 123456789);
    ck_assert_uint_eq(e.kind, 0xFFFE);
    ck_assert_uint_eq(e.target, 0xFFFD);
    ck_assert_uint_eq(e.arg, 0xFFFFFFFC);
}
END_TEST

START_TEST(time_comes_before_tie_and_tie_before_arrival)
{
    push(5, 0, 1);
    push(4, 63, 2);
    push(4, 1, 3);
    push(4, 1, 4);
    push(4, 0, 5);
    ck_assert_uint_eq(pop(), 5);
    ck_assert_uint_eq(pop(), 3);
    ck_assert_uint_eq(pop(), 4);
    ck_assert_uint_eq(pop(), 2);
    ck_assert_uint_eq(pop(), 1);
}
END_TEST

START_TEST(of_one_instant_without_ties_the_first_pushed_is_the_first_out)
{
    for (uint32_t i = 0; i < MAX; i++) push(1000, 0, i);
    for (uint32_t i = 0; i < MAX; i++) ck_assert_uint_eq(pop(), i);
}
END_TEST

START_TEST(a_reset_queue_is_empty_and_starts_anew)
{
    struct event e;
    for (uint32_t i = 0; i < 100; i++) push(i, i % 64, i);
    evq_reset(&q);
    ck_assert(!evq_pop(&q, &e));
    push(3, 0, 1);
    ck_assert(evq_pop(&q, &e));
    struct event again;
    evq_reset(&q);
    push(3, 0, 1);
    ck_assert(evq_pop(&q, &again));
    ck_assert_uint_eq(e.key, again.key); /* order included: a round does not see the one before */
}
END_TEST

START_TEST(the_end_of_time_can_be_reached)
{
    struct event e;
    push(EVQ_TIME_MAX_US, 63, 1);
    push(0, 0, 2);
    ck_assert_uint_eq(pop(), 2);
    ck_assert(evq_pop(&q, &e));
    ck_assert_int_eq(event_at(&e).us, EVQ_TIME_MAX_US);
}
END_TEST

/* ---- against the dumb one ------------------------------------------------------ */

struct dumb {
    int64_t us;
    uint32_t tie, seq, arg;
    bool used;
};
static struct dumb dumb[MAX];
static uint32_t dumb_seq;

static void dumb_push(int64_t us, uint32_t tie, uint32_t arg)
{
    uint32_t i = 0;
    while (dumb[i].used) i++;
    dumb[i] = (struct dumb){ us, tie, dumb_seq++, arg, true };
}

static bool dumb_before(const struct dumb *a, const struct dumb *b)
{
    if (a->us != b->us) return a->us < b->us;
    if (a->tie != b->tie) return a->tie < b->tie;
    return a->seq < b->seq;
}

static uint32_t dumb_pop(int64_t *us)
{
    struct dumb *best = NULL;
    for (uint32_t i = 0; i < MAX; i++)
        if (dumb[i].used && (!best || dumb_before(&dumb[i], best))) best = &dumb[i];
    ck_assert_ptr_nonnull(best);
    best->used = false;
    *us = best->us;
    return best->arg;
}

/* `spread` instants and `ties` ties: few of both make many equals. */
static void compare(uint64_t seed, uint32_t spread, uint32_t ties)
{
    struct rng r;
    struct event e;
    uint32_t n = 0;
    int64_t now = 0, us;
    rng_seed(&r, seed, 0);
    evq_reset(&q);
    for (uint32_t i = 0; i < MAX; i++) dumb[i].used = false;
    for (uint32_t step = 0; step < 4000; step++) {
        bool grow = rng_next(&r) % 100 < (step / 500 % 2 ? 30u : 70u);
        if (grow && n < MAX) {
            int64_t at = now + rng_next(&r) % spread;
            uint32_t tie = rng_next(&r) % ties;
            push(at, tie, step);
            dumb_push(at, tie, step);
            n++;
        } else if (n > 0) {
            ck_assert(evq_pop(&q, &e));
            ck_assert_uint_eq(e.arg, dumb_pop(&us));
            ck_assert_int_eq(event_at(&e).us, us);
            now = us;
            n--;
        }
        ck_assert_uint_eq(q.n, n);
    }
}

START_TEST(any_mixture_comes_out_as_from_a_sorted_array)
{
    compare(1, 1, 1);
    compare(2, 1, 64);
    compare(3, 4, 4);
    compare(4, 1000000, 64);
    for (uint64_t seed = 5; seed < 12; seed++) compare(seed, 20, 8);
}
END_TEST

/* ---- limits ----------------------------------------------------------------------- */

START_TEST(a_full_queue_refuses)
{
    for (uint32_t i = 0; i <= MAX; i++) push(i, 0, i);
}
END_TEST

START_TEST(exactly_the_capacity_fits)
{
    for (uint32_t i = 0; i < MAX; i++) push(MAX - i, 0, i);
    for (uint32_t i = MAX; i-- > 0;) ck_assert_uint_eq(pop(), i);
}
END_TEST

START_TEST(a_time_beyond_the_end_is_refused)
{
    push(EVQ_TIME_MAX_US + 1, 0, 0);
}
END_TEST
START_TEST(a_time_before_the_start_is_refused)
{
    push(-1, 0, 0);
}
END_TEST
START_TEST(a_tie_that_does_not_fit_is_refused)
{
    push(0, 1u << EVQ_TIE_BITS, 0);
}
END_TEST

START_TEST(more_events_than_there_are_numbers_are_refused)
{
    q.sequence = (1u << EVQ_SEQ_BITS) - 1;
    push(0, 0, 0); /* the last one */
    push(0, 0, 0);
}
END_TEST

Suite *evq_suite(void)
{
    Suite *s = suite_create("evq");
    TCase *t = tcase_create("evq");
    tcase_add_checked_fixture(t, open_queue, close_queue);
    tcase_add_test(t, an_empty_queue_gives_nothing);
    tcase_add_test(t, an_event_comes_back_as_it_was);
    tcase_add_test(t, time_comes_before_tie_and_tie_before_arrival);
    tcase_add_test(t, of_one_instant_without_ties_the_first_pushed_is_the_first_out);
    tcase_add_test(t, a_reset_queue_is_empty_and_starts_anew);
    tcase_add_test(t, the_end_of_time_can_be_reached);
    tcase_add_test(t, any_mixture_comes_out_as_from_a_sorted_array);
    tcase_add_test(t, exactly_the_capacity_fits);
    tcase_add_exit_test(t, a_full_queue_refuses, 3);
    tcase_add_exit_test(t, a_time_beyond_the_end_is_refused, 3);
    tcase_add_exit_test(t, a_time_before_the_start_is_refused, 3);
    tcase_add_exit_test(t, a_tie_that_does_not_fit_is_refused, 3);
    tcase_add_exit_test(t, more_events_than_there_are_numbers_are_refused, 3);
    suite_add_tcase(s, t);
    return s;
}
