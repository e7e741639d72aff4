/* The format of histories: what is written comes back the same, and what is not
 * a history is refused with a sentence that says what is wrong. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history_file.h"
#include "reports/obs_words.h"

Suite *history_file_suite(void);

#define MAX 256
static struct obs storage[2][MAX];

static struct history_meta some_meta(void)
{
    struct history_meta m = { .scenario = "steal \"mid\" fetch",
                              .revision = "abc123",
                              .seed = UINT64_C(0xFEDCBA9876543210) };
    snprintf(m.contract.workstream, CONTRACT_TEXT_MAX, "account-outbox");
    snprintf(m.contract.lock_name, CONTRACT_TEXT_MAX, "app:leader:\xC3\xA9:v3");
    m.contract.protocol_version = 3;
    m.contract.max_hold_us = 30 * US_PER_S;
    m.contract.steal = STEAL_INCIDENT_ONLY;
    m.contract.stage = STAGE_OUTBOX;
    m.contract.if_available = true;
    m.contract.lease.ttl_us = 1 * US_PER_S;
    m.contract.slo.rounds = 100000;
    m.contract.slo.progress_within_us = 20 * US_PER_S;
    return m;
}

/* Sets every member that the kind carries to something that is not its default. */
static struct obs full_obs(enum obs_kind kind, int64_t at_us, uint32_t cause)
{
    struct obs o = obs_make(kind, (struct instant){ at_us }, cause);
    if (obs_carries(kind, "page")) o.page = kind % 3 == 0 ? PAGE_SERVER : (uint16_t)kind;
    if (obs_carries(kind, "device")) o.device = 1;
    if (obs_carries(kind, "partition")) o.partition = 2;
    if (obs_carries(kind, "node")) o.node = 3;
    if (obs_carries(kind, "flags")) o.flags = 0xA5;
    if (obs_carries(kind, "fence")) o.fence = (struct fence){ 4000000000u, 2, 7 };
    if (obs_carries(kind, "op")) o.op = 0xFFFFFFFFu;
    if (obs_carries(kind, "request")) o.request = 12;
    if (obs_carries(kind, "key")) o.key = 99;
    if (obs_carries(kind, "a")) o.a = 0xFFFFFF00u;
    if (obs_carries(kind, "b")) o.b = 2;
    if (obs_carries(kind, "c")) o.c = 3;
    if (obs_carries(kind, "local")) o.local = 4;
    return o;
}

static struct history every_kind(void)
{
    struct history h = { .at = storage[0], .max = MAX };
    for (int k = 0; k < OBS_COUNT; k++) {
        struct obs o = full_obs((enum obs_kind)k, k * 1000, k % 4 ? (uint32_t)k - 1 : OBS_NONE);
        history_add(&h, &o);
        o = obs_make((enum obs_kind)k, (struct instant){ k * 1000 }, OBS_NONE);
        history_add(&h, &o);
    }
    return h;
}

static char *written(const struct history *h, const struct history_meta *m)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    history_write(f, h, m);
    fclose(f);
    return text;
}

/* Reads `text`; the sentence in `why` is empty when it was accepted. */
static struct history read_text(const char *text, struct history_meta *m, uint32_t max,
                                char why[512])
{
    struct history h = { .at = storage[1], .max = max };
    memset(why, 0, 512);
    FILE *f =
        *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : fopen("/dev/null", "r");
    FILE *err = fmemopen(why, 511, "w");
    bool ok = history_read(&h, m, f, "x.jsonl", err);
    fclose(f);
    fclose(err);
    ck_assert_msg(ok == (why[0] == '\0'), "a refusal has a sentence: %s", why);
    return h;
}

START_TEST(every_kind_comes_back_with_the_same_digest)
{
    struct history h = every_kind();
    struct history_meta m = some_meta(), back;
    char why[512], *text = written(&h, &m);
    struct history again = read_text(text, &back, MAX, why);
    ck_assert_str_eq(why, "");
    ck_assert_uint_eq(again.n, h.n);
    ck_assert_uint_eq(history_digest(&again), history_digest(&h));
    char *twice = written(&again, &back);
    ck_assert_str_eq(text, twice);
    free(twice);
    free(text);
}
END_TEST

START_TEST(the_first_line_comes_back_member_by_member)
{
    struct history h = { .at = storage[0], .max = MAX };
    struct history_meta m = some_meta(), back;
    char why[512], *text = written(&h, &m);
    read_text(text, &back, MAX, why);
    ck_assert_str_eq(why, "");
    ck_assert_mem_eq(&m, &back, sizeof m);
    free(text);
}
END_TEST

START_TEST(an_observation_with_a_stray_member_is_not_exact)
{
    struct obs o = full_obs(OBS_LOCK_GRANTED, 5, OBS_NONE);
    ck_assert(history_obs_is_exact(&o));
    o.b = 1;
    ck_assert(!history_obs_is_exact(&o));
}
END_TEST

/* A first line, then `rest`. */
static char *with_lines(const char *rest)
{
    struct history h = { .at = storage[0], .max = MAX };
    struct history_meta m = some_meta();
    char *head = written(&h, &m), *text = calloc(1, strlen(head) + strlen(rest) + 1);
    strcat(strcpy(text, head), rest);
    free(head);
    return text;
}

#define ROUND "{\"n\":0,\"at_us\":10,\"cause\":null,\"kind\":\"round.started\",\"a\":20,\"b\":2}\n"

START_TEST(words_and_nulls_and_absent_causes_are_understood)
{
    char why[512],
        *text = with_lines(
            ROUND
            "{\"n\":1,\"at_us\":10,\"kind\":\"state.changed\",\"page\":4,\"a\":"
            "\"REQUESTING\",\"b\":2}\n"
            "{\"n\":2,\"at_us\":11,\"kind\":\"fault.begun\",\"op\":1,\"a\":\"freeze-holder\","
            "\"page\":"
            "null,\"device\":null,\"node\":null}\n"
            "{\"n\":3,\"at_us\":12,\"kind\":\"belief.began\",\"page\":4,\"fence\":null}\n"
            "{\"n\":4,\"at_us\":12,\"kind\":\"device.clock\",\"device\":1,\"a\":-50,\"b\":-1}");
    struct history_meta m;
    struct history h = read_text(text, &m, MAX, why);
    ck_assert_str_eq(why, "");
    ck_assert_uint_eq(h.n, 5);
    ck_assert_int_eq((int32_t)h.at[4].a, -50);
    ck_assert_uint_eq(h.at[1].a, STATE_REQUESTING);
    ck_assert_uint_eq(h.at[1].cause, OBS_NONE);
    ck_assert_str_eq(obs_word(OBS_FAULT_BEGUN, 'a', h.at[2].a), "freeze-holder");
    ck_assert_uint_eq(h.at[2].page, PAGE_NONE);
    ck_assert(fence_is_none(h.at[3].fence));
    free(text);
}
END_TEST

static const struct {
    const char *lines, *sentence;
} bad[] = {
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"lock.grated\"}\n",
      "x.jsonl:3: unknown kind \"lock.grated\"; nearest is \"lock.granted\"" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"zzzzzzzzzzzzz\"}\n",
      "unknown kind \"zzzzzzzzzzzzz\"\n" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.visible\"}\n",
      "3: page.visible lacks \"page\"" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.visible\",\"page\":1,\"node\":1}\n",
      "page.visible has no \"node\"; it has: page" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.visible\",\"pgae\":1}\n",
      "unknown member \"pgae\"; nearest is \"page\"" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.visible\",\"page\":65536}\n",
      "\"page\" has to be a whole number from 0 to 65535; found 65536" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.locks\",\"page\":1,\"a\":-1}\n",
      "\"a\" has to be a whole number from 0 to 4294967295; found -1" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.visible\",\"page\":1.5}\n", "found 1.5" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"page.locks\",\"page\":1,\"a\":\"maybe\"}\n",
      "\"a\" has to be a number or one of the kind's words; found \"maybe\"" },
    { ROUND "{\"n\":1,\"at_us\":10,\"kind\":\"belief.began\",\"page\":1,\"fence\":[1,2]}\n",
      "\"fence\" has to be [incarnation, epoch, generation] or null; found [1,2]" },
    { ROUND "{\"n\":2,\"at_us\":10,\"kind\":\"page.visible\",\"page\":1}\n",
      "\"n\" has to be 1, found 2" },
    { ROUND "{\"at_us\":10,\"kind\":\"page.visible\",\"page\":1}\n", "\"n\" is missing" },
    { ROUND "{\"n\":1,\"kind\":\"page.visible\",\"page\":1}\n", "\"at_us\" is missing" },
    { ROUND "{\"n\":1,\"at_us\":10,\"page\":1}\n", "\"kind\" is missing" },
    { ROUND "{\"n\":1,\"at_us\":9,\"kind\":\"page.visible\",\"page\":1}\n",
      "time goes backwards: 9 us after 10 us" },
    { ROUND "{\"n\":1,\"at_us\":-1,\"kind\":\"page.visible\",\"page\":1}\n", "found -1" },
    { ROUND "{\"n\":1,\"at_us\":10,\"cause\":1,\"kind\":\"page.visible\",\"page\":1}\n",
      "a cause comes before its effect: 1 is not below 1" },
    { ROUND "{\"n\":1,\"at_us\":10,\"ki", "3: the file ends in the middle of this line" },
    { ROUND "{\"n\":1,\"at_us\":10,\"ki\n" ROUND, "3: not JSON" },
    { ROUND "\n", "3: not JSON" },
    { ROUND "[1]\n", "a line has to be an object" },
    { ROUND "{\"n\":1,\"n\":1}\n", "3: not JSON: duplicate" },
};

START_TEST(a_bad_line_is_named_in_one_sentence)
{
    char why[512], *text = with_lines(bad[_i].lines);
    struct history_meta m;
    read_text(text, &m, MAX, why);
    ck_assert_msg(strstr(why, bad[_i].sentence), "wanted %s, got %s", bad[_i].sentence, why);
    ck_assert_ptr_eq(strchr(why, '\n'), why + strlen(why) - 1);
    free(text);
}
END_TEST

static const struct {
    const char *from, *to, *sentence;
} bad_head[] = {
    { "\"version\":1", "\"version\":2", "x.jsonl:1: only version 1" },
    { "\"history\"", "\"histori\"", "not a history" },
    { "\"seed\":\"0x", "\"seed\":\"0y", "\"seed\" has to be \"0x\"" },
    { "\"revision\":", "\"revisoin\":", "unknown member \"revisoin\"; nearest is \"revision\"" },
    { "\"scenario\":\"steal \\\"mid\\\" fetch\"", "\"scenario\":7",
      "\"scenario\" has to be a text" },
    { "\"ttl_us\":", "\"ttl_ms\":", "the contract lacks \"lease.ttl_us\"" },
    { "\"steal\":\"incident-only\"", "\"steal\":\"often\"", "the contract's \"steal\" has to be" },
    { "\"if_available\":true", "\"if_available\":1", "has to be true or false" },
    { "\"workstream\":", "\"x\":1,\"workstream\":", "the contract has no member \"x\"" },
    { "crossTabLeader.v1", "crossTabLeader.v9", "\"schema\" has to be" },
};

START_TEST(a_bad_first_line_is_named_in_one_sentence)
{
    char why[512], *text = with_lines(ROUND), *at = strstr(text, bad_head[_i].from);
    size_t room = strlen(text) + 64;
    struct history_meta m;
    ck_assert_ptr_nonnull(at);
    char *changed = calloc(1, room);
    snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, bad_head[_i].to,
             at + strlen(bad_head[_i].from));
    read_text(changed, &m, MAX, why);
    ck_assert_msg(strstr(why, bad_head[_i].sentence), "wanted %s, got %s", bad_head[_i].sentence,
                  why);
    free(changed);
    free(text);
}
END_TEST

START_TEST(an_empty_file_is_no_history)
{
    char why[512];
    struct history_meta m;
    read_text("", &m, MAX, why);
    ck_assert_str_eq(why, "x.jsonl:1: empty; a history begins with its first line\n");
}
END_TEST

START_TEST(the_capacity_is_named_when_it_is_passed)
{
    struct history h = every_kind();
    struct history_meta m = some_meta();
    char why[512], *text = written(&h, &m);
    ck_assert_uint_eq(read_text(text, &m, h.n, why).n, h.n);
    ck_assert_str_eq(why, "");
    read_text(text, &m, 5, why);
    ck_assert_str_eq(why, "x.jsonl:7: more than 5 observations, the most that are taken\n");
    free(text);
}
END_TEST

START_TEST(a_line_without_end_is_refused_in_bounded_memory)
{
    char why[512], *text = calloc(1, HISTORY_LINE_MAX + 10);
    struct history_meta m;
    memset(text, ' ', HISTORY_LINE_MAX + 1);
    read_text(text, &m, MAX, why);
    ck_assert_str_eq(why, "x.jsonl:1: longer than 16384 bytes, the most that a line may have\n");
    free(text);
}
END_TEST

Suite *history_file_suite(void)
{
    Suite *s = suite_create("history_file");
    TCase *t = tcase_create("history_file");
    tcase_add_test(t, every_kind_comes_back_with_the_same_digest);
    tcase_add_test(t, the_first_line_comes_back_member_by_member);
    tcase_add_test(t, an_observation_with_a_stray_member_is_not_exact);
    tcase_add_test(t, words_and_nulls_and_absent_causes_are_understood);
    tcase_add_loop_test(t, a_bad_line_is_named_in_one_sentence, 0, sizeof bad / sizeof bad[0]);
    tcase_add_loop_test(t, a_bad_first_line_is_named_in_one_sentence, 0,
                        sizeof bad_head / sizeof bad_head[0]);
    tcase_add_test(t, an_empty_file_is_no_history);
    tcase_add_test(t, the_capacity_is_named_when_it_is_passed);
    tcase_add_test(t, a_line_without_end_is_refused_in_bounded_memory);
    suite_add_tcase(s, t);
    return s;
}
