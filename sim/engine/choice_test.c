/* Choices: bounds, independence of the streams, and the tape. */
#include <check.h>

#include "sim/engine/choice.h"

Suite *choice_suite(void);

#define TAPE_MAX 256u

static struct choices c;
static struct tape_entry entry[STREAM_COUNT][TAPE_MAX];
static struct tape tape;

static void fresh(void)
{
    c = (struct choices){ 0 };
    tape = (struct tape){ 0 };
    for (uint32_t s = 0; s < STREAM_COUNT; s++) {
        tape.at[s] = entry[s];
        tape.max[s] = TAPE_MAX;
    }
}

/* One choice from a tape that holds exactly `value`. */
static uint32_t play(enum stream s, uint32_t value, uint32_t bound)
{
    tape.at[s][0] = (struct tape_entry){ value, bound };
    tape.n[s] = 1;
    c = (struct choices){ .replay = &tape };
    choices_reset(&c, 0);
    return choose(&c, s, bound);
}

START_TEST(a_choice_is_below_its_bound)
{
    choices_reset(&c, 11);
    for (uint32_t bound = 1; bound < 200; bound++)
        for (int i = 0; i < 50; i++) ck_assert_uint_lt(choose(&c, STREAM_PLAN, bound), bound);
    ck_assert_uint_eq(choose(&c, STREAM_PLAN, 1), 0);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_lt(choose(&c, STREAM_PLAN, UINT32_MAX), UINT32_MAX);
}
END_TEST

START_TEST(every_value_below_the_bound_is_chosen)
{
    bool seen[10] = { false };
    choices_reset(&c, 12);
    for (int i = 0; i < 1000; i++) seen[choose(&c, STREAM_LIFE, 10)] = true;
    for (int i = 0; i < 10; i++) ck_assert(seen[i]);
}
END_TEST

START_TEST(a_draw_in_one_stream_shifts_no_other)
{
    static uint32_t before[STREAM_COUNT][20];
    choices_reset(&c, 99);
    for (uint32_t s = 0; s < STREAM_COUNT; s++)
        for (int i = 0; i < 20; i++) before[s][i] = choose(&c, (enum stream)s, 1000000);
    for (uint32_t noisy = 0; noisy < STREAM_COUNT; noisy++) {
        choices_reset(&c, 99);
        for (int i = 0; i < 5; i++) (void)choose(&c, (enum stream)noisy, 7);
        for (uint32_t s = 0; s < STREAM_COUNT; s++) {
            if (s == noisy) continue;
            for (int i = 0; i < 20; i++)
                ck_assert_uint_eq(choose(&c, (enum stream)s, 1000000), before[s][i]);
        }
    }
}
END_TEST

START_TEST(streams_of_one_seed_differ)
{
    uint32_t first[STREAM_COUNT];
    choices_reset(&c, 3);
    for (uint32_t s = 0; s < STREAM_COUNT; s++) {
        first[s] = choose(&c, (enum stream)s, UINT32_MAX);
        for (uint32_t k = 0; k < s; k++) ck_assert_uint_ne(first[k], first[s]);
    }
}
END_TEST

START_TEST(a_reset_forgets_what_was_drawn)
{
    uint32_t first[20];
    choices_reset(&c, 5);
    for (int i = 0; i < 20; i++) first[i] = choose(&c, STREAM_TIE, 64);
    choices_reset(&c, 5);
    for (int i = 0; i < 20; i++) ck_assert_uint_eq(choose(&c, STREAM_TIE, 64), first[i]);
}
END_TEST

/* ---- chance and lengths of time ------------------------------------------------------ */

START_TEST(chance_is_true_for_exactly_n_of_d_values)
{
    for (uint32_t den = 1; den < 12; den++)
        for (uint32_t num = 0; num <= den; num++) {
            uint32_t trues = 0;
            for (uint32_t v = 0; v < den; v++) {
                (void)play(STREAM_FAULT, v, den);
                choices_reset(&c, 0);
                trues += chance(&c, STREAM_FAULT, num, den);
            }
            ck_assert_uint_eq(trues, num);
        }
}
END_TEST

START_TEST(the_mildest_value_makes_no_chance_true)
{
    for (uint32_t num = 0; num < 100; num++) {
        (void)play(STREAM_FAULT, 0, 100);
        choices_reset(&c, 0);
        ck_assert(!chance(&c, STREAM_FAULT, num, 100));
    }
}
END_TEST

START_TEST(a_length_of_time_reaches_both_ends_and_nothing_beyond)
{
    bool low = false, high = false;
    choices_reset(&c, 8);
    for (int i = 0; i < 1000; i++) {
        int64_t us = choose_us(&c, STREAM_LOCK, 10, 14);
        ck_assert_int_ge(us, 10);
        ck_assert_int_le(us, 14);
        low |= us == 10;
        high |= us == 14;
    }
    ck_assert(low);
    ck_assert(high);
    ck_assert_int_eq(choose_us(&c, STREAM_LOCK, 77, 77), 77);
}
END_TEST

/* ---- tape ------------------------------------------------------------------------------ */

START_TEST(what_was_recorded_is_replayed)
{
    uint32_t drawn[60];
    c.record = &tape;
    choices_reset(&c, 21);
    for (uint32_t i = 0; i < 60; i++) drawn[i] = choose(&c, (enum stream)(i % 3), i + 1);
    c = (struct choices){ .replay = &tape };
    choices_reset(&c, 4444); /* the seed does not matter */
    for (uint32_t i = 0; i < 60; i++)
        ck_assert_uint_eq(choose(&c, (enum stream)(i % 3), i + 1), drawn[i]);
    ck_assert(!c.diverged);
}
END_TEST

START_TEST(recording_changes_no_draw)
{
    uint32_t drawn[30];
    choices_reset(&c, 31);
    for (uint32_t i = 0; i < 30; i++) drawn[i] = choose(&c, STREAM_NODES, 500);
    c.record = &tape;
    choices_reset(&c, 31);
    for (uint32_t i = 0; i < 30; i++) ck_assert_uint_eq(choose(&c, STREAM_NODES, 500), drawn[i]);
    ck_assert_uint_eq(tape.n[STREAM_NODES], 30);
    ck_assert_uint_eq(tape.n[STREAM_PLAN], 0);
    ck_assert_uint_eq(tape.at[STREAM_NODES][3].value, drawn[3]);
    ck_assert_uint_eq(tape.at[STREAM_NODES][3].bound, 500);
}
END_TEST

START_TEST(past_the_end_every_choice_is_the_mildest)
{
    ck_assert_uint_eq(play(STREAM_SWARM, 5, 9), 5);
    for (int i = 0; i < 10; i++) ck_assert_uint_eq(choose(&c, STREAM_SWARM, 9), 0);
    for (uint32_t s = 0; s < STREAM_COUNT; s++)
        if (s != STREAM_SWARM) ck_assert_uint_eq(choose(&c, (enum stream)s, 9), 0);
    ck_assert(!c.diverged); /* a shorter tape is a calmer round, not another one */
}
END_TEST

START_TEST(another_bound_than_on_the_tape_is_told)
{
    (void)play(STREAM_SWARM, 5, 9);
    choices_reset(&c, 0);
    ck_assert_uint_eq(choose(&c, STREAM_SWARM, 8), 5);
    ck_assert(c.diverged);
    choices_reset(&c, 0);
    ck_assert(!c.diverged);
    ck_assert_uint_eq(choose(&c, STREAM_SWARM, 4), 0); /* 5 is no value here: the mildest */
    ck_assert(c.diverged);
}
END_TEST

START_TEST(a_replay_can_be_recorded_again)
{
    static struct tape_entry copy_entry[STREAM_COUNT][TAPE_MAX];
    struct tape copy = { .full = true };
    for (uint32_t s = 0; s < STREAM_COUNT; s++) {
        copy.at[s] = copy_entry[s];
        copy.max[s] = TAPE_MAX;
    }
    (void)play(STREAM_CLOCK, 3, 10);
    c.record = &copy;
    choices_reset(&c, 0);
    for (int i = 0; i < 2; i++) (void)choose(&c, STREAM_CLOCK, 10);
    ck_assert_uint_eq(copy.n[STREAM_CLOCK], 2);
    ck_assert_uint_eq(copy.at[STREAM_CLOCK][0].value, 3);
    ck_assert_uint_eq(copy.at[STREAM_CLOCK][1].value, 0);
    ck_assert(!copy.full); /* a reset starts a new tape */
}
END_TEST

START_TEST(a_full_tape_says_so_and_keeps_what_it_has)
{
    c.record = &tape;
    choices_reset(&c, 1);
    for (uint32_t i = 0; i < TAPE_MAX; i++) (void)choose(&c, STREAM_LOCK, 5);
    ck_assert(!tape.full);
    (void)choose(&c, STREAM_LOCK, 5);
    ck_assert(tape.full);
    ck_assert_uint_eq(tape.n[STREAM_LOCK], TAPE_MAX);
}
END_TEST

Suite *choice_suite(void)
{
    Suite *s = suite_create("choice");
    TCase *t = tcase_create("choice");
    tcase_add_checked_fixture(t, fresh, NULL);
    tcase_add_test(t, a_choice_is_below_its_bound);
    tcase_add_test(t, every_value_below_the_bound_is_chosen);
    tcase_add_test(t, a_draw_in_one_stream_shifts_no_other);
    tcase_add_test(t, streams_of_one_seed_differ);
    tcase_add_test(t, a_reset_forgets_what_was_drawn);
    tcase_add_test(t, chance_is_true_for_exactly_n_of_d_values);
    tcase_add_test(t, the_mildest_value_makes_no_chance_true);
    tcase_add_test(t, a_length_of_time_reaches_both_ends_and_nothing_beyond);
    tcase_add_test(t, what_was_recorded_is_replayed);
    tcase_add_test(t, recording_changes_no_draw);
    tcase_add_test(t, past_the_end_every_choice_is_the_mildest);
    tcase_add_test(t, another_bound_than_on_the_tape_is_told);
    tcase_add_test(t, a_replay_can_be_recorded_again);
    tcase_add_test(t, a_full_tape_says_so_and_keeps_what_it_has);
    suite_add_tcase(s, t);
    return s;
}
