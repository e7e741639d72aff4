#include "reports/group.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/fault.h"

_Static_assert(FAULT_COUNT <= 64, "a set of faults is one word");

/* -- names ---------------------------------------------------------------------------- */

/* The first word of the set after `last`, in the order of the alphabet; FAULT_COUNT: no more. */
static int next_word(uint64_t faults, const char *last)
{
    int next = FAULT_COUNT;
    for (int k = 0; k < FAULT_COUNT; k++) {
        if (!(faults >> k & 1) || strcmp(fault_info[k].word, last) <= 0) continue;
        if (next == FAULT_COUNT || strcmp(fault_info[k].word, fault_info[next].word) < 0) next = k;
    }
    return next;
}

const char *group_faults(char out[GROUP_NAME_MAX], uint64_t faults)
{
    size_t n = 0;
    out[0] = '\0';
    for (int k = next_word(faults, ""); k < FAULT_COUNT; k = next_word(faults, fault_info[k].word))
        n +=
            (size_t)snprintf(out + n, GROUP_NAME_MAX - n, "%s%s", n ? "+" : "", fault_info[k].word);
    return out;
}

bool group_read_faults(const char *words, uint64_t *faults)
{
    *faults = 0;
    while (*words) {
        char word[64];
        size_t n = strcspn(words, "+");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        enum fault_kind k = fault_find(word);
        if (k == FAULT_COUNT) return false;
        *faults |= UINT64_C(1) << k;
        words += n + (words[n] == '+');
    }
    return true;
}

const char *group_name(char out[GROUP_NAME_MAX], const struct failure_group *g)
{
    char words[GROUP_NAME_MAX];
    const char *what = !g->reduced ? "unreduced"
                       : g->faults ? group_faults(words, g->faults)
                                   : GROUP_NO_FAULT;
    size_t n = (size_t)snprintf(out, GROUP_NAME_MAX, "%s/", invariant_word[g->invariant]);
    snprintf(out + n, GROUP_NAME_MAX - n, "%s", what);
    return out;
}

/* -- places and lines ----------------------------------------------------------------- */

static bool same_round(const struct failure *a, const struct failure *b)
{
    char x[COURSE_TEXT_MAX], y[COURSE_TEXT_MAX];
    return a->seed == b->seed && a->scenario == b->scenario &&
           strcmp(course_text(x, &a->course), course_text(y, &b->course)) == 0;
}

bool group_has_file(const struct run_report *r, uint32_t i)
{
    const struct failure *x = &r->failure[r->group[i].example];
    if (!r->group[i].script || !*r->group[i].script) return false;
    for (uint32_t k = 0; k < i; k++) {
        if (same_round(&r->failure[r->group[k].example], x)) return false;
    }
    return true;
}

const char *group_shrink(char out[TABLE_REPLAY_MAX], const struct run_report *r,
                         const struct failure_group *g)
{
    const struct failure *x = &r->failure[g->example];
    table_command(out, &r->run, "shrink", r->scenario[x->scenario].file, &x->seed);
    table_add_course(out, &x->course);
    size_t n = strlen(out);
    int more = snprintf(out + n, TABLE_REPLAY_MAX - n, " --invariant %s -o minimal.yaml",
                        invariant_word[g->invariant]);
    if (more < 0 || n + (size_t)more >= TABLE_REPLAY_MAX) out[n] = '\0';
    return out;
}

static void write_amount(FILE *f, uint32_t n, const char *what)
{
    fprintf(f, "%" PRIu32 " %s%s", n, what, n == 1 ? "" : "s");
}

/* Failures of the invariant that were looked at: every one is in a group. */
static uint64_t looked_at(const struct run_report *r, enum invariant_kind k)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->groups; i++)
        if (r->group[i].invariant == k) n += r->group[i].failures;
    return n;
}

static void write_group(FILE *f, const struct run_report *r, const struct failure_group *g)
{
    char line[TABLE_REPLAY_MAX], name[GROUP_NAME_MAX];
    table_failure(f, r, &r->failure[g->example]);
    fprintf(f, "  %s\n", group_shrink(line, r, g));
    fprintf(f, "  %s: %" PRIu32 " of %" PRIu64 " that were looked at; ", group_name(name, g),
            g->failures, looked_at(r, g->invariant));
    write_amount(f, g->tabs, "tab"), fputs(", ", f);
    write_amount(f, g->operations, "operation");
    fputs(g->calm ? ", no chance\n" : ", and the chance of a seed\n", f);
}

void group_lines(FILE *f, const struct run_report *r, uint32_t each)
{
    if (r->groups == 0) table_failures(f, r, each);
    for (uint32_t i = 0; i < r->groups; i++) {
        const struct failure_group *g = &r->group[i];
        bool is_last = i + 1 == r->groups || r->group[i + 1].invariant != g->invariant;
        uint64_t more = r->tally->broken[g->invariant] - looked_at(r, g->invariant);
        write_group(f, r, g);
        if (is_last && more > 0)
            fprintf(f, "  (%" PRIu64 " more of %s, not looked at)\n", more,
                    invariant_word[g->invariant]);
    }
}
