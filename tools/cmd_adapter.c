/* tabquake adapter-test: a user's ledger, a child process, against the built-in one.
 *
 * Both are asked the same; the first answer that differs ends a case. A child that dies, or says
 * what nobody can read, fails the case with that reason, and the next case gets a new child. One
 * that says nothing in time leaves its case unknown. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/must.h"
#include "sim/server/ledger.h"
#include "tools/adapter_cases.h"
#include "tools/adapter_child.h"
#include "tools/adapter_wire.h"
#include "tools/command.h"
#include "tools/flags.h"

#define INCARNATION 7
#define PROTOCOL 3
#define BOOT_US INT64_C(1000000)
#define HOUR_US INT64_C(3600000000)
#define OBS_MAX 512

static const char *const event_word[] = { "", "restart", "advance-epoch", "reopen" };

/* Everything that a case needs; the history is the model's, nobody reads it. */
struct trial {
    struct contract contract;
    struct ledger_node model;
    struct ledger_out out;
    struct history history;
    struct obs obs[OBS_MAX];
    struct local now;
    uint32_t requests;
    struct child child;
    char **argv;
    int timeout_ms;
    char why[WIRE_WHY_MAX];
};

/* -- the model ------------------------------------------------------------------------ */

static struct contract contract(void)
{
    return (struct contract){ .protocol_version = PROTOCOL,
                              .steal = STEAL_INCIDENT_ONLY,
                              .fallback = FALLBACK_READ_ONLY,
                              .lease = { .ttl_us = 1000000, .renew_us = 333000 },
                              .vacant_after_us = 500000,
                              .permit_ttl_us = 2000000,
                              .permit_grace_us = 700000,
                              .server_after_us = HOUR_US };
}

static struct instant world_time(const struct trial *t)
{
    return (struct instant){ t->now.us };
}

static void model_boot(struct trial *t)
{
    t->contract = contract();
    t->history = (struct history){ .at = t->obs, .max = OBS_MAX };
    t->now.us = BOOT_US;
    t->requests = 0;
    ledger_boot(&t->model, 0, LAYOUT_SINGLE, AUTHORITY_SERVER, INCARNATION, &t->contract,
                (struct policy){ 0 }, &t->history, world_time(t), t->now, &t->out);
}

static struct answer model_ask(struct trial *t, const struct request *r)
{
    ledger_request(&t->model, r, world_time(t), t->now, OBS_NONE, &t->out);
    for (uint32_t i = 0; i < t->out.n; i++)
        if (t->out.at[i].kind == LEDGER_ANSWER) return t->out.at[i].as.answer.answer;
    must(false); /* a single node that is up answers at once */
    return (struct answer){ 0 };
}

static void model_event(struct trial *t, enum adapter_event e)
{
    if (e == EVENT_RESTART) {
        ledger_crash(&t->model, world_time(t), OBS_NONE);
        ledger_restart(&t->model, world_time(t), t->now, OBS_NONE, &t->out);
        return;
    }
    ledger_incident(&t->model, e == EVENT_REOPEN ? INCIDENT_REOPEN : INCIDENT_ADVANCE_EPOCH,
                    world_time(t), t->now, OBS_NONE, &t->out);
}

/* -- the child ------------------------------------------------------------------------ */

/* Takes the line over. */
static enum exit_status say(struct trial *t, char *line)
{
    enum child_said said = child_ask(&t->child, line, t->timeout_ms);
    free(line);
    switch (said) {
    case CHILD_ANSWERED: return EXIT_PASSED;
    case CHILD_LATE:
        snprintf(t->why, sizeof t->why, "no answer within %d ms", t->timeout_ms);
        return EXIT_UNPROVEN;
    case CHILD_GONE: snprintf(t->why, sizeof t->why, "the command ended"); break;
    case CHILD_LOUD:
        snprintf(t->why, sizeof t->why, "found more than one line, or one of over %d bytes",
                 CHILD_LINE_MAX);
        break;
    }
    return EXIT_BROKEN;
}

static enum exit_status tell(struct trial *t, char *line)
{
    enum exit_status status = say(t, line);
    if (status != EXIT_PASSED) return status;
    return wire_done(t->child.line, t->why) ? EXIT_PASSED : EXIT_BROKEN;
}

/* -- one answer against the other ------------------------------------------------------- */

static bool same(struct trial *t, const char *key, int64_t want, int64_t got)
{
    if (want != got)
        snprintf(t->why, sizeof t->why, "%s: found %" PRId64 ", accepted %" PRId64, key, got, want);
    return want == got;
}

static bool same_fence(struct trial *t, struct fence want, struct fence got)
{
    return same(t, "fence's incarnation", want.incarnation, got.incarnation) &&
           same(t, "fence's epoch", want.epoch, got.epoch) &&
           same(t, "fence's generation", want.generation, got.generation);
}

static bool same_list(struct trial *t, const struct answer *want, const struct answer *got)
{
    bool ok = same(t, "length of unreconciled", want->unreconciled_n, got->unreconciled_n);
    for (uint32_t i = 0; ok && i < want->unreconciled_n; i++)
        ok = same(t, "unreconciled", want->unreconciled[i], got->unreconciled[i]);
    return ok;
}

/* What a page acts on, by kind and result; nothing else is compared. */
static bool same_answer(struct trial *t, const struct answer *want, const struct answer *got)
{
    bool ok = want->result == ANS_OK;
    if (want->result != got->result) {
        snprintf(t->why, sizeof t->why, "result: found %s, accepted %s",
                 answer_result_word[got->result], answer_result_word[want->result]);
        return false;
    }
    if (want->result == ANS_FENCED) return same_fence(t, want->fence, got->fence);
    switch (want->kind) {
    case REQ_CLAIM:
        if (want->result != ANS_WAIT && !ok) return true;
        return (!ok || same_fence(t, want->fence, got->fence)) &&
               same(t, "wait", want->wait_us, got->wait_us) && same_list(t, want, got);
    case REQ_RENEW:
        if (!ok && want->result != ANS_NOT_EXTENDED) return true;
        return same(t, "sequence", want->sequence, got->sequence) &&
               same(t, "wait", want->wait_us, got->wait_us);
    case REQ_TAKE: return !ok || (same(t, "op", want->op, got->op) && same_list(t, want, got));
    case REQ_PERMIT:
        return ok ? same(t, "permit", want->permit, got->permit)
                  : same(t, "wait", want->wait_us, got->wait_us);
    default: return true;
    }
}

/* -- a case --------------------------------------------------------------------------- */

static struct request request_of(struct trial *t, const struct adapter_turn *x)
{
    struct request r = { .id = ++t->requests,
                         .kind = x->kind,
                         .page = x->tab,
                         .partition = (uint8_t)(x->tab / 10),
                         .partition_key = 100u + x->tab / 10u,
                         .tab_instance = x->tab,
                         .protocol = x->protocol ? x->protocol : PROTOCOL,
                         .parts = x->parts,
                         .acked = x->acked,
                         .outcome = x->outcome,
                         .sent = t->now };
    if (x->generation)
        r.fence = (struct fence){ INCARNATION, x->epoch ? x->epoch : 1, x->generation };
    if (x->kind == REQ_CLAIM)
        r.key = x->op;
    else
        r.op = x->op;
    return r;
}

static enum exit_status turn(struct trial *t, const struct adapter_turn *x)
{
    t->now.us += (int64_t)x->after_ms * US_PER_MS;
    if (x->event != EVENT_NONE) {
        model_event(t, x->event);
        return tell(t, wire_event(event_word[x->event], t->now));
    }
    struct request r = request_of(t, x);
    struct answer want = model_ask(t, &r), got;
    must(want.result == x->result); /* the table and the built-in ledger agree */
    enum exit_status status = say(t, wire_request(&r, t->now));
    if (status != EXIT_PASSED) return status;
    bool good = wire_answer(t->child.line, &r, &got, t->why) && same_answer(t, &want, &got);
    return good ? EXIT_PASSED : EXIT_BROKEN;
}

static bool is_turn(const struct adapter_turn *x)
{
    return x->kind != REQ_NONE || x->event != EVENT_NONE;
}

/* *at: the turn that it ended with, counted from 1; 0 is the boot. */
static enum exit_status converse(struct trial *t, const struct adapter_case *c, uint32_t *at)
{
    *at = 0;
    model_boot(t);
    enum exit_status status = tell(t, wire_boot(&t->contract, INCARNATION, t->now));
    while (status == EXIT_PASSED && *at < ADAPTER_TURNS_MAX && is_turn(&c->turn[*at]))
        status = turn(t, &c->turn[(*at)++]);
    return status;
}

static void print(const struct trial *t, const struct adapter_case *c, uint32_t at,
                  enum exit_status status)
{
    const char *verdict = status == EXIT_PASSED   ? "pass"
                          : status == EXIT_BROKEN ? "FAIL"
                                                  : "unknown";
    printf("%-8s %s\n", verdict, c->says);
    if (status == EXIT_PASSED) return;
    const struct adapter_turn *x = at ? &c->turn[at - 1] : NULL;
    const char *what = !x ? "boot" : x->event ? event_word[x->event] : request_kind_word[x->kind];
    printf("         message %" PRIu32 ", %s: %s\n", at + 1, what, t->why);
}

/* False: it cannot be started. After a failure nothing that an old child says is trusted. */
static bool fresh_child(struct trial *t, enum exit_status last)
{
    if (last != EXIT_PASSED) child_end(&t->child);
    if (t->child.pid) return true;
    int error = child_start(&t->child, t->argv);
    if (error) fprintf(stderr, "%s: %s\n", t->argv[0], strerror(error));
    return error == 0;
}

static enum exit_status all_cases(struct trial *t)
{
    enum exit_status status = EXIT_PASSED, one = EXIT_PASSED;
    uint32_t good = 0, at;
    for (uint32_t i = 0; i < adapter_cases; i++) {
        if (!fresh_child(t, one)) return EXIT_BAD_INPUT;
        one = converse(t, &adapter_case[i], &at);
        print(t, &adapter_case[i], at, one);
        good += one == EXIT_PASSED;
        status = status_of_both(status, one);
    }
    printf("\n%" PRIu32 " of %" PRIu32 " pass\n", good, adapter_cases);
    return status;
}

int cmd_adapter(int argc, char **argv)
{
    uint64_t timeout_ms = 2000;
    uint32_t operands;
    const struct flag table[] = {
        { .name = "timeout",
          .kind = FLAG_NUMBER,
          .into = &timeout_ms,
          .value = "MS",
          .says = "wall clock for one answer",
          .min = 10,
          .max = 60000 },
    };
    const struct flags f = {
        .command = "adapter-test",
        .operands = "COMMAND...",
        .says = "Asks a ledger of your own, a program that reads and writes lines of JSON, what the"
                " built-in\nledger is asked, and compares the answers. -- before the command ends"
                " the options.",
        .example = "build/tabquake adapter-test -- python3 tools/adapter/ledger.py",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 64,
    };
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    struct trial *t = calloc(1, sizeof *t);
    char **command = calloc(operands + 1u, sizeof *command);
    must(t != NULL && command != NULL);
    memcpy(command, argv + 2, operands * sizeof *command);
    t->argv = command;
    t->timeout_ms = (int)timeout_ms;
    signal(SIGPIPE, SIG_IGN);
    enum exit_status status = all_cases(t);
    child_end(&t->child);
    free(command);
    free(t);
    return (int)status;
}
