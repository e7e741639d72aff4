/* Differences of texts: the lines that differ, and what is near them. */
#include <check.h>

#include <stdlib.h>
#include <string.h>

#include "tools/textdiff.h"

Suite *textdiff_suite(void);

static void is_told(const char *was, const char *is, const char *told)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(textdiff(f, was, is), *told != 0);
    fclose(f);
    ck_assert_str_eq(text, told);
    free(text);
}

START_TEST(equal_texts_differ_in_nothing)
{
    is_told("", "", "");
    is_told("a\nb\n", "a\nb\n", "");
}
END_TEST

START_TEST(a_changed_line_is_shown_both_ways)
{
    is_told("a\nb\nc\n", "a\nx\nc\n", "      a\n    - b\n    + x\n      c\n");
}
END_TEST

START_TEST(lines_are_added_and_left_out)
{
    is_told("", "a\n", "    + a\n");
    is_told("a\nb\n", "b\n", "    - a\n      b\n");
    is_told("a\nb\n", "a\nb\nc\n", "      a\n      b\n    + c\n");
    is_told("a\nb", "a\n", "      a\n    - b\n");
}
END_TEST

START_TEST(what_is_far_from_a_difference_is_not_shown)
{
    is_told("1\n2\n3\n4\n5\nx\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\ny\n6\n7\n8\n9\n",
            "      ...\n      4\n      5\n    - x\n    + y\n      6\n      7\n");
}
END_TEST

START_TEST(the_smallest_difference_is_found)
{
    is_told("a\nb\nc\na\nb\n", "b\nc\nb\n", "    - a\n      b\n      c\n    - a\n      b\n");
}
END_TEST

START_TEST(texts_that_are_too_long_are_said_to_differ)
{
    char *text = calloc(2 * TEXTDIFF_LINES_MAX + 3, 1);
    for (int i = 0; i <= TEXTDIFF_LINES_MAX; i++) memcpy(text + 2 * i, "a\n", 2);
    is_told(text, "b\n", "    they differ, and are too long to say where\n");
    free(text);
}
END_TEST

Suite *textdiff_suite(void)
{
    Suite *s = suite_create("textdiff");
    TCase *t = tcase_create("textdiff");
    tcase_add_test(t, equal_texts_differ_in_nothing);
    tcase_add_test(t, a_changed_line_is_shown_both_ways);
    tcase_add_test(t, lines_are_added_and_left_out);
    tcase_add_test(t, what_is_far_from_a_difference_is_not_shown);
    tcase_add_test(t, the_smallest_difference_is_found);
    tcase_add_test(t, texts_that_are_too_long_are_said_to_differ);
    suite_add_tcase(s, t);
    return s;
}
