/* The assertion: silent when true, the end with status 3 and a place when false. */
#include <check.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/must.h"

Suite *must_suite(void);

START_TEST(a_true_condition_is_evaluated_once_and_passes)
{
    int n = 0;
    must(++n == 1);
    ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(a_false_one_ends_with_status_3)
{
    must(1 == 2);
}
END_TEST

/* What a child that fails writes to its standard error. */
static void failing(char *text, size_t size, const char *scenario)
{
    int end[2];
    ck_assert_int_eq(pipe(end), 0);
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)dup2(end[1], STDERR_FILENO);
        must_context(scenario, 0x5eed);
        must_fail("a < b", "sim/x.c", 17);
    }
    close(end[1]);
    size_t n = 0;
    ssize_t got;
    while (n < size - 1 && (got = read(end[0], text + n, size - 1 - n)) > 0) n += (size_t)got;
    text[n] = '\0';
    close(end[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
}

START_TEST(the_message_says_what_where_and_in_which_round)
{
    char text[512];
    failing(text, sizeof text, "storm");
    ck_assert_ptr_nonnull(strstr(text, "must(a < b)"));
    ck_assert_ptr_nonnull(strstr(text, "sim/x.c:17"));
    ck_assert_ptr_nonnull(strstr(text, "storm"));
    ck_assert_ptr_nonnull(strstr(text, "5eed"));
}
END_TEST

START_TEST(outside_a_round_the_message_names_none)
{
    char text[512];
    failing(text, sizeof text, NULL);
    ck_assert_ptr_nonnull(strstr(text, "must(a < b)"));
    ck_assert_ptr_null(strstr(text, "seed"));
}
END_TEST

Suite *must_suite(void)
{
    Suite *s = suite_create("must");
    TCase *t = tcase_create("must");
    tcase_add_test(t, a_true_condition_is_evaluated_once_and_passes);
    tcase_add_exit_test(t, a_false_one_ends_with_status_3, 3);
    tcase_add_test(t, the_message_says_what_where_and_in_which_round);
    tcase_add_test(t, outside_a_round_the_message_names_none);
    suite_add_tcase(s, t);
    return s;
}
