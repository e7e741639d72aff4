/* The text of a placement: what is read is written again, and mistakes are one sentence. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/placement.h"

Suite *placement_suite(void);

static struct injection x[PLACEMENTS_MAX];
static uint32_t n;
static char said[2048];

static bool read_text(const char *text)
{
    FILE *f = fmemopen(said, sizeof said, "w");
    bool ok = placement_read(x, &n, text, "replay: --inject", f);
    fclose(f);
    return ok;
}

START_TEST(what_is_read_is_written_again)
{
    static const char *const text[] = { "freeze-abrupt@812/3s", "close-holder@1",
                                        "long-task@40/1500ms,close-holder@40,sleep-device@41/2s" };
    char out[PLACEMENT_TEXT_MAX];
    for (int i = 0; i < 3; i++) {
        ck_assert(read_text(text[i]));
        ck_assert_str_eq(placement_text(out, x, n), text[i]);
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(x[0].lasts_us, 1500 * US_PER_MS);
}
END_TEST

START_TEST(a_length_that_is_left_out_is_three_seconds_where_there_is_one)
{
    ck_assert(read_text("freeze-abrupt@5,close-holder@6"));
    ck_assert_int_eq(x[0].lasts_us, 3 * US_PER_S);
    ck_assert_int_eq(x[1].lasts_us, 0);
}
END_TEST

static const struct {
    const char *text, *says;
} wrong[] = {
    { "", "accepted FAULT@EVENT" },
    { "freeze-abrupt", "accepted FAULT@EVENT" },
    { "freeze-abupt@5", "did you mean freeze-abrupt?" },
    { "@5", "found no fault" },
    { "freeze-abrupt@", "found no event" },
    { "freeze-abrupt@0", "found 0, accepted the number of an event" },
    { "freeze-abrupt@-1", "found -1, accepted the number of an event" },
    { "freeze-abrupt@5x", "found 5x" },
    { "freeze-abrupt@99999999999999999999999", "accepted the number of an event" },
    { "freeze-abrupt@5/3", "found 3 for freeze-abrupt" },
    { "freeze-abrupt@5/2h", "from 1ms to 1h" },
    { "close-holder@5/3s", "this fault has none" },
    { "close-holder@5,close-holder@4", "found event 4 after 5" },
    { "close-holder@5,", "found nothing" },
    { "clock-jump@1,clock-jump@1,clock-jump@1,clock-jump@1,clock-jump@1,clock-jump@1,clock-jump@1,"
      "clock-jump@1,clock-jump@1",
      "one fault too many" },
};
#define WRONG ((int)(sizeof wrong / sizeof wrong[0]))

START_TEST(a_mistake_is_one_sentence_that_names_the_option)
{
    ck_assert(!read_text(wrong[_i].text));
    ck_assert_ptr_nonnull(strstr(said, wrong[_i].says));
    ck_assert(strncmp(said, "tabquake replay: --inject: found ", 33) == 0);
    ck_assert_ptr_eq(strchr(said, '\n'), said + strlen(said) - 1);
}
END_TEST

START_TEST(a_text_of_any_length_is_refused_and_not_cut)
{
    char *text = malloc(5000);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    ck_assert(!read_text(text));
    text[200] = '@';
    text[300] = '\0';
    ck_assert(!read_text(text));
    free(text);
}
END_TEST

Suite *placement_suite(void)
{
    Suite *s = suite_create("placement");
    TCase *t = tcase_create("placement");
    tcase_add_test(t, what_is_read_is_written_again);
    tcase_add_test(t, a_length_that_is_left_out_is_three_seconds_where_there_is_one);
    tcase_add_loop_test(t, a_mistake_is_one_sentence_that_names_the_option, 0, WRONG);
    tcase_add_test(t, a_text_of_any_length_is_refused_and_not_cut);
    suite_add_tcase(s, t);
    return s;
}
