/* Histories written by hand, for tests only.
 *
 *   story_open, story_close    around each test
 *   SAY(b, KIND, .member = …)  one observation; returns its number. Members left out are
 *                              zero: page, device, partition and node 0
 *   story_wait_ms              time passes; every page's own clock goes with it
 *   story_page, story_claim …  the sentences that many stories need
 *   story_finding              judges all that was said, from the beginning */
#ifndef ORACLE_BUILDER_H
#define ORACLE_BUILDER_H

#include <check.h>

#include "oracle/judge.h"

#define STORY_MAX 512
#define STORY_PAGES 8
#define STORY_OPS 8

struct story {
    struct arena arena;
    struct judge *judge;
    struct contract contract;
    struct obs at[STORY_MAX];
    uint32_t n, requests;
    struct instant now;
    const struct judge_result *result;
};

#define SAY(b, k, ...) story_say((b), (struct obs){ .kind = OBS_##k, __VA_ARGS__ })
#define F(gen) ((struct fence){ 1, 1, (gen) })
#define FENCE(incarnation, epoch, gen) ((struct fence){ (incarnation), (epoch), (gen) })

static inline void story_open(struct story *b)
{
    *b = (struct story){ .now = { 1000000 } };
    b->contract = (struct contract){ .protocol_version = 3, .authority = AUTHORITY_SERVER,
                                     .max_hold_us = 30000000, .steal = STEAL_INCIDENT_ONLY,
                                     .stage = STAGE_OUTBOX };
    b->contract.lease.ttl_us = 1000000;
    arena_open(&b->arena, (size_t)64 << 20);
    b->judge = judge_open(&b->arena, STORY_PAGES, STORY_OPS);
}

static inline void story_close(struct story *b)
{
    arena_close(&b->arena);
}

static inline uint32_t story_say(struct story *b, struct obs o)
{
    ck_assert_uint_lt(b->n, STORY_MAX);
    o.at = b->now;
    o.number = b->n;
    o.cause = OBS_NONE;
    b->at[b->n] = o;
    return b->n++;
}

static inline void story_wait_ms(struct story *b, int64_t ms)
{
    b->now.us += ms * US_PER_MS;
}

static inline struct finding story_finding(struct story *b, enum invariant_kind k)
{
    judge_reset(b->judge, &b->contract);
    for (uint32_t i = 0; i < b->n; i++) judge_step(b->judge, &b->at[i]);
    b->result = judge_finish(b->judge);
    return b->result->finding[k];
}

/* -- sentences -------------------------------------------------------------------- */

#define PAGE_IS_ABLE (PAGE_IS_VISIBLE | PAGE_HAS_LOCKS | PAGE_MAY_LEAD)

static inline uint32_t story_page(struct story *b, uint16_t page)
{
    return SAY(b, PAGE_CREATED, .page = page, .flags = PAGE_IS_ABLE, .a = page, .b = 3);
}

/* A call; returns the request's id. */
static inline uint32_t story_ask(struct story *b, uint16_t page, enum request_kind kind,
                                 struct fence fence, uint32_t op)
{
    uint32_t id = ++b->requests;
    SAY(b, REQUEST_ISSUED, .page = page, .request = id, .a = kind, .fence = fence, .op = op,
        .local = (uint32_t)b->now.us);
    return id;
}

static inline uint32_t story_answer(struct story *b, uint16_t page, uint32_t request,
                                    enum request_kind kind, enum answer_result result,
                                    struct fence fence)
{
    return SAY(b, ANSWER_HANDLED, .page = page, .request = request, .a = kind, .b = result,
               .fence = fence, .local = (uint32_t)b->now.us);
}

/* Asked, accepted, answered; returns the number of ledger.claimed. */
static inline uint32_t story_claim(struct story *b, uint16_t page, struct fence fence)
{
    uint32_t id = story_ask(b, page, REQ_CLAIM, (struct fence){ 0 }, 0);
    uint32_t by = SAY(b, LEDGER_CLAIMED, .page = page, .request = id, .fence = fence, .a = 3);
    story_answer(b, page, id, REQ_CLAIM, ANS_OK, fence);
    return by;
}

/* Handed in and taken; returns the number of ledger.taken. */
static inline uint32_t story_take(struct story *b, uint16_t page, struct fence fence, uint32_t op)
{
    SAY(b, LEDGER_ENQUEUED, .page = page, .op = op);
    uint32_t id = story_ask(b, page, REQ_TAKE, fence, 0);
    uint32_t by = SAY(b, LEDGER_TAKEN, .page = page, .request = id, .fence = fence, .op = op,
                      .a = 3);
    story_answer(b, page, id, REQ_TAKE, ANS_OK, fence);
    return by;
}

/* Asked for and executed; returns the number of effect.executed. */
static inline uint32_t story_effect(struct story *b, uint16_t page, struct fence fence, uint32_t op)
{
    uint32_t id = story_ask(b, page, REQ_EFFECT, fence, op);
    return SAY(b, EFFECT_EXECUTED, .page = page, .request = id, .op = op, .key = op);
}

/* Asked for and accepted; returns the number of ledger.committed. */
static inline uint32_t story_commit(struct story *b, uint16_t page, struct fence fence, uint32_t op)
{
    uint32_t id = story_ask(b, page, REQ_COMMIT, fence, op);
    return SAY(b, LEDGER_COMMITTED, .page = page, .request = id, .fence = fence, .op = op,
               .a = PART_CURSOR);
}

#define expect_broken(b, inv, first, second)                        \
    do {                                                            \
        struct finding found_ = story_finding((b), (inv));          \
        ck_assert_int_eq(found_.verdict, VERDICT_BROKEN);           \
        ck_assert_uint_eq(found_.witness[0], (first));              \
        ck_assert_uint_eq(found_.witness[1], (second));             \
        ck_assert_ptr_nonnull(found_.reason);                       \
    } while (0)

#define expect_held(b, inv) \
    ck_assert_int_eq(story_finding((b), (inv)).verdict, VERDICT_HELD)

#define expect_unknown(b, inv) \
    ck_assert_int_eq(story_finding((b), (inv)).verdict, VERDICT_UNKNOWN)

/* One case with the three kinds of histories of one invariant. */
#define STORY_SUITE(name, ...)                                             \
    Suite *name##_suite(void);                                             \
    Suite *name##_suite(void)                                              \
    {                                                                      \
        const TTest *const tests[] = { __VA_ARGS__ };               \
        Suite *suite = suite_create(#name);                                \
        TCase *one = tcase_create("histories");                            \
        tcase_add_checked_fixture(one, setup, teardown);                   \
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)        \
            tcase_add_test(one, tests[i]);                                 \
        suite_add_tcase(suite, one);                                       \
        return suite;                                                      \
    }

#endif
