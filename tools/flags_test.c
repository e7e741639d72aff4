/* Command lines that people type, right and wrong. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/flags.h"

Suite *flags_suite(void);

static const char *const colours[] = { "red", "green" };

struct line {
    bool loud;
    const char *name;
    uint64_t rounds;
    uint32_t colour;
    struct flag_sets sets;
    uint32_t operands;
    char *argv[16];
    char *said; /* on either stream; freed by forget() */
    enum flags_outcome outcome;
};

#define READ(l, ...) read_line((l), (const char *[]){ "tabquake", "play", __VA_ARGS__, NULL })

static void read_line(struct line *l, const char *const *words)
{
    static char copy[16][64];
    int argc = 0;
    size_t n;
    *l = (struct line){ .rounds = 7 };
    for (; words[argc]; argc++) {
        snprintf(copy[argc], sizeof copy[argc], "%s", words[argc]);
        l->argv[argc] = copy[argc];
    }
    const struct flag table[] = {
        { .name = "loud", .kind = FLAG_SWITCH, .into = &l->loud, .says = "is heard" },
        { .name = "name",
          .letter = 'n',
          .kind = FLAG_TEXT,
          .into = &l->name,
          .value = "NAME",
          .says = "who" },
        { .name = "rounds",
          .kind = FLAG_NUMBER,
          .into = &l->rounds,
          .value = "N",
          .says = "how many",
          .min = 1,
          .max = 100 },
        { .name = "colour",
          .kind = FLAG_WORD,
          .into = &l->colour,
          .value = "red|green",
          .says = "which",
          .words = colours,
          .words_n = 2 },
        { .name = "set",
          .kind = FLAG_SET,
          .into = &l->sets,
          .value = "path=value",
          .says = "what" },
    };
    const struct flags f = { .command = "play",
                             .operands = "FILE",
                             .says = "Plays.",
                             .example = "play x",
                             .flag = table,
                             .n = 5,
                             .operands_min = 1,
                             .operands_max = 2 };
    FILE *out = open_memstream(&l->said, &n);
    l->outcome = flags_read(&f, argc, l->argv, &l->operands, out, out);
    fclose(out);
}

static void forget(struct line *l)
{
    free(l->said);
}

static void refused(struct line *l, const char *with)
{
    ck_assert_int_eq(l->outcome, FLAGS_WRONG);
    ck_assert_msg(strstr(l->said, with) != NULL, "no \"%s\" in: %s", with, l->said);
    ck_assert_ptr_eq(strchr(l->said, '\n'), l->said + strlen(l->said) - 1); /* one sentence */
    forget(l);
}

START_TEST(options_and_operands_may_be_mixed)
{
    struct line l;
    READ(&l, "a.yaml", "--rounds", "12", "--loud", "b.yaml", "--colour=green", "-n", "x");
    ck_assert_int_eq(l.outcome, FLAGS_OK);
    ck_assert_uint_eq(l.rounds, 12);
    ck_assert(l.loud);
    ck_assert_uint_eq(l.colour, 1);
    ck_assert_str_eq(l.name, "x");
    ck_assert_uint_eq(l.operands, 2);
    ck_assert_str_eq(l.argv[2], "a.yaml");
    ck_assert_str_eq(l.argv[3], "b.yaml");
    forget(&l);
}
END_TEST

START_TEST(what_is_not_given_keeps_its_default)
{
    struct line l;
    READ(&l, "a");
    ck_assert_uint_eq(l.rounds, 7);
    ck_assert(!l.loud);
    forget(&l);
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
    struct line l;
    READ(&l, "--", "--loud");
    ck_assert_int_eq(l.outcome, FLAGS_OK);
    ck_assert(!l.loud);
    ck_assert_str_eq(l.argv[2], "--loud");
    forget(&l);
}
END_TEST

START_TEST(set_is_repeatable_and_cut_at_its_first_equals_sign)
{
    struct line l;
    READ(&l, "a", "--set", "lease.ttl=2s", "--set=network={lan: 1=}");
    ck_assert_uint_eq(l.sets.n, 2);
    ck_assert_str_eq(l.sets.at[0].path, "lease.ttl");
    ck_assert_str_eq(l.sets.at[0].value, "2s");
    ck_assert_str_eq(l.sets.at[1].path, "network");
    ck_assert_str_eq(l.sets.at[1].value, "{lan: 1=}");
    forget(&l);
}
END_TEST

START_TEST(an_unknown_option_is_named_with_the_nearest_and_all)
{
    struct line l;
    READ(&l, "a", "--ronds=3");
    refused(&l, "--ronds=3 (did you mean --rounds?), accepted --loud, --name, --rounds");
    READ(&l, "a", "--zzzzzzzz");
    refused(&l, "unknown option --zzzzzzzz, accepted");
    READ(&l, "a", "-x");
    refused(&l, "unknown option -x");
}
END_TEST

START_TEST(a_bad_value_is_told_with_what_is_accepted)
{
    struct line l;
    READ(&l, "a", "--rounds", "0");
    refused(&l, "--rounds: found 0, accepted a number from 1 to 100");
    READ(&l, "a", "--rounds", "101");
    refused(&l, "found 101");
    READ(&l, "a", "--rounds", "1x");
    refused(&l, "found 1x");
    READ(&l, "a", "--rounds=-5");
    refused(&l, "found -5");
    READ(&l, "a", "--rounds=99999999999999999999999");
    refused(&l, "--rounds: found 99");
    READ(&l, "a", "--rounds=");
    refused(&l, "found nothing");
    READ(&l, "a", "--colour", "blue");
    refused(&l, "found blue, accepted red, green");
    READ(&l, "a", "--name=");
    refused(&l, "--name: found nothing, accepted NAME");
    READ(&l, "a", "--loud=yes");
    refused(&l, "--loud: found yes, accepted no value");
    READ(&l, "a", "--set", "lease");
    refused(&l, "--set: found lease, accepted path=value");
    READ(&l, "a", "--set", "=1");
    refused(&l, "accepted path=value");
}
END_TEST

START_TEST(an_option_at_the_end_lacks_its_value)
{
    struct line l;
    READ(&l, "a", "--name");
    refused(&l, "--name: found no value, accepted NAME");
}
END_TEST

START_TEST(operands_are_counted)
{
    struct line l;
    READ(&l, "--loud");
    refused(&l, "found no argument, accepted: tabquake play FILE");
    READ(&l, "a", "b", "c");
    refused(&l, "found c, one argument too many");
}
END_TEST

START_TEST(help_names_every_option_and_an_example)
{
    struct line l;
    READ(&l, "--help", "--nonsense");
    ck_assert_int_eq(l.outcome, FLAGS_HELPED);
    static const char *const expected[] = { "usage: tabquake play FILE [options]",
                                            "--loud",
                                            "-n, --name NAME",
                                            "--rounds N",
                                            "--set path=value",
                                            "--help",
                                            "example: play x" };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ck_assert_msg(strstr(l.said, expected[i]) != NULL, "no %s", expected[i]);
    forget(&l);
}
END_TEST

START_TEST(nearest_is_near_or_nothing)
{
    static const char *const words[] = { "seed", "rounds", "progress" };
    ck_assert_str_eq(flags_nearest("sed", words, 3), "seed");
    ck_assert_str_eq(flags_nearest("round", words, 3), "rounds");
    ck_assert_str_eq(flags_nearest("porgress", words, 3), "progress");
    ck_assert_ptr_null(flags_nearest("x", words, 3));
    ck_assert_ptr_null(flags_nearest("", words, 3));
}
END_TEST

START_TEST(of_two_statuses_the_graver_counts)
{
    ck_assert_int_eq(status_of_both(EXIT_PASSED, EXIT_UNPROVEN), EXIT_UNPROVEN);
    ck_assert_int_eq(status_of_both(EXIT_BROKEN, EXIT_UNPROVEN), EXIT_BROKEN);
    ck_assert_int_eq(status_of_both(EXIT_BROKEN, EXIT_OURS), EXIT_OURS);
    ck_assert_int_eq(status_of_both(EXIT_BAD_INPUT, EXIT_OURS), EXIT_BAD_INPUT);
    ck_assert_int_eq(status_of_both(EXIT_PASSED, EXIT_PASSED), EXIT_PASSED);
}
END_TEST

Suite *flags_suite(void)
{
    Suite *s = suite_create("flags");
    TCase *t = tcase_create("flags");
    tcase_add_test(t, options_and_operands_may_be_mixed);
    tcase_add_test(t, what_is_not_given_keeps_its_default);
    tcase_add_test(t, two_dashes_end_the_options);
    tcase_add_test(t, set_is_repeatable_and_cut_at_its_first_equals_sign);
    tcase_add_test(t, an_unknown_option_is_named_with_the_nearest_and_all);
    tcase_add_test(t, a_bad_value_is_told_with_what_is_accepted);
    tcase_add_test(t, an_option_at_the_end_lacks_its_value);
    tcase_add_test(t, operands_are_counted);
    tcase_add_test(t, help_names_every_option_and_an_example);
    tcase_add_test(t, nearest_is_near_or_nothing);
    tcase_add_test(t, of_two_statuses_the_graver_counts);
    suite_add_tcase(s, t);
    return s;
}
