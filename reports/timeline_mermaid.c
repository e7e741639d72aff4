/* A sequence diagram of what matters most: first what the violation is made of, then
 * leadership and faults, then requests, then everything, as long as it stays readable. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/timeline.h"
#include "sim/base/fault.h"
#include "sim/base/must.h"

/* How much is left out, from most to least. */
enum level { LEVEL_WITNESS, LEVEL_LEADERSHIP, LEVEL_REQUESTS, LEVEL_ALL, LEVELS };
static const char *const level_says[LEVELS] = {
    "only what led to the violation is shown",
    "leadership and faults alone are shown",
    "renewals, refusals and what waits are left out",
    "",
};

struct diagram {
    const struct timeline *t;
    uint8_t *level;  /* of each observation; LEVELS: it has no line */
    uint32_t *arrow; /* that ends at each observation, and one more; 0: none */
};

/* -- what is shown --------------------------------------------------------------------------- */

static enum level level_of_arrow(const struct lane_arrow *a)
{
    if (a->kind == ARROW_STEAL) return LEVEL_LEADERSHIP;
    switch ((enum request_kind)a->request_kind) {
    case REQ_CLAIM:
    case REQ_RELEASE: return LEVEL_LEADERSHIP;
    case REQ_TAKE:
    case REQ_COMMIT:
    case REQ_ACK:
    case REQ_EFFECT:
    case REQ_OUTCOME:
    case REQ_RECONCILE:
    case REQ_PERMIT: return LEVEL_REQUESTS;
    default: return LEVEL_ALL;
    }
}

static enum level level_of(const struct obs *o)
{
    switch ((enum obs_kind)o->kind) {
    case OBS_PAGE_FROZEN:
    case OBS_PAGE_RESUMED:
    case OBS_PAGE_CACHED:
    case OBS_PAGE_RESTORED:
    case OBS_PAGE_DISCARDED:
    case OBS_PAGE_EVICTED:
    case OBS_PAGE_CRASHED:
    case OBS_PAGE_CLOSED:
    case OBS_BELIEF_BEGAN:
    case OBS_BELIEF_ENDED:
    case OBS_LEDGER_EXPIRED:
    case OBS_LEDGER_EPOCH:
    case OBS_NODE_DOWN:
    case OBS_NODE_UP:
    case OBS_FAULT_BEGUN:
    case OBS_ROUND_HEALED: return LEVEL_LEADERSHIP;
    case OBS_LOCK_GRANTED:
    case OBS_LOCK_REJECTED:
    case OBS_EFFECT_EXECUTED:
    case OBS_EFFECT_ABSORBED:
    case OBS_LEDGER_COMMITTED:
    case OBS_FAULT_ENDED: return LEVEL_REQUESTS;
    case OBS_PAGE_CREATED:
    case OBS_PAGE_VISIBLE:
    case OBS_PAGE_HIDDEN:
    case OBS_PAGE_BLOCKED:
    case OBS_LOCK_REQUESTED:
    case OBS_LOCK_RELEASED:
    case OBS_LEDGER_REFUSED: return LEVEL_ALL;
    default: return LEVELS;
    }
}

static void show_chain(struct diagram *d, uint32_t number)
{
    const struct history *h = d->t->lanes->history;
    while (number < h->n) {
        uint32_t cause = h->at[number].cause;
        d->level[number] = LEVEL_WITNESS;
        number = cause < number ? cause : OBS_NONE;
    }
}

static void find_levels(struct diagram *d)
{
    const struct lanes *l = d->t->lanes;
    for (uint32_t i = 0; i < l->arrows; i++) d->arrow[l->arrow[i].ended] = i + 1;
    for (uint32_t i = 0; i < l->history->n; i++) {
        d->level[i] = (uint8_t)level_of(&l->history->at[i]);
        if (d->arrow[i] > 0) d->level[i] = (uint8_t)level_of_arrow(&l->arrow[d->arrow[i] - 1]);
    }
    for (int k = 0; d->t->result && k < INV_COUNT; k++) {
        const struct finding *v = &d->t->result->finding[k];
        for (int i = 0; v->verdict == VERDICT_BROKEN && i < 2; i++) show_chain(d, v->witness[i]);
    }
}

/* The most that fits; of a round without a violation at least leadership. */
static enum level choose_level(const struct diagram *d)
{
    uint32_t lines[LEVELS + 1] = { 0 }, sum = 0;
    int best = -1;
    for (uint32_t i = 0; i < d->t->lanes->history->n; i++) lines[d->level[i]]++;
    for (int k = 0; k < LEVELS; k++) {
        sum += lines[k];
        if (sum <= TIMELINE_MERMAID_LINES) best = k;
    }
    if (best <= LEVEL_WITNESS && lines[LEVEL_WITNESS] == 0) return LEVEL_LEADERSHIP;
    return best < 0 ? LEVEL_WITNESS : (enum level)best;
}

/* -- lines ---------------------------------------------------------------------------------- */

/* Mermaid ends a line at a semicolon and takes a hash for an entity. */
static void write_plain(FILE *f, const char *s)
{
    for (; *s; s++) putc((unsigned char)*s < ' ' || strchr(";#<>{}", *s) ? ' ' : *s, f);
}

static void write_arrow(FILE *f, const struct lane_arrow *a, const struct obs *o)
{
    const char *line = a->lost ? "-x" : a->kind == ARROW_ANSWER ? "-->>" : "->>";
    fprintf(f, "    L%u%sL%u: ", a->from, line, a->to);
    if (a->kind == ARROW_STEAL)
        fputs("steals the lock", f);
    else
        fputs(request_kind_word[a->request_kind], f);
    if (a->kind == ARROW_ANSWER && !a->lost && o->b < ANS_COUNT)
        fprintf(f, ": %s", answer_result_word[o->b]);
    if (a->lost) fputs(a->kind == ARROW_ANSWER ? ", answer lost" : ", lost", f);
    fprintf(f, " (%" PRIu32 ")\n", o->number);
}

static void write_note(FILE *f, uint16_t lane, const struct obs *o)
{
    fprintf(f, "    Note over L%u: ", lane);
    write_plain(f, obs_info[o->kind].word);
    if (!fence_is_none(o->fence))
        fprintf(f, " %" PRIu32 ".%" PRIu32, o->fence.epoch, o->fence.generation);
    if ((o->kind == OBS_FAULT_BEGUN || o->kind == OBS_FAULT_ENDED) && o->a < FAULT_COUNT)
        fprintf(f, " %s", fault_info[o->a].word);
    if (o->kind == OBS_REQUEST_ISSUED && o->a < REQ_COUNT)
        fprintf(f, " %s", request_kind_word[o->a]);
    fprintf(f, " (%" PRIu32 ")\n", o->number);
}

static void write_broken(FILE *f, const struct diagram *d, const struct obs *o, uint16_t lane)
{
    for (int k = 0; d->t->result && k < INV_COUNT; k++) {
        const struct finding *v = &d->t->result->finding[k];
        uint32_t last = v->witness[1] != OBS_NONE ? v->witness[1] : v->witness[0];
        if (v->verdict != VERDICT_BROKEN ||
            (v->witness[0] != o->number && v->witness[1] != o->number))
            continue;
        fprintf(f, "    Note over L%u: %s %s\n", lane, last == o->number ? "BROKEN" : "witness of",
                invariant_word[k]);
        if (last != o->number || !v->reason) continue;
        fprintf(f, "    Note over L%u: ", lane);
        write_plain(f, v->reason);
        putc('\n', f);
    }
}

static void write_line(FILE *f, const struct diagram *d, uint32_t i)
{
    const struct lanes *l = d->t->lanes;
    const struct obs *o = &l->history->at[i];
    if (l->of[i] == LANE_NONE) return;
    if (d->arrow[i] > 0)
        write_arrow(f, &l->arrow[d->arrow[i] - 1], o);
    else
        write_note(f, l->of[i], o);
    write_broken(f, d, o, l->of[i]);
}

/* Who takes part, in the order of the lanes. */
static void write_participants(FILE *f, const struct diagram *d, enum level level)
{
    const struct lanes *l = d->t->lanes;
    bool *used = calloc(l->lanes, sizeof *used);
    must(used != NULL);
    for (uint32_t i = 0; i < l->history->n; i++) {
        if (d->level[i] > level || l->of[i] == LANE_NONE) continue;
        const struct lane_arrow *a = d->arrow[i] ? &l->arrow[d->arrow[i] - 1] : NULL;
        used[a ? a->from : l->of[i]] = used[a ? a->to : l->of[i]] = true;
        used[l->of[i]] = true;
    }
    for (uint32_t i = 0; i < l->lanes; i++) {
        char name[LANE_NAME_MAX];
        if (used[i])
            fprintf(f, "    participant L%" PRIu32 " as %s\n", i, lane_name(name, &l->lane[i]));
    }
    free(used);
}

void timeline_mermaid(FILE *f, const struct timeline *t)
{
    uint32_t n = t->lanes->history->n;
    struct diagram d = { t, calloc((size_t)n + 1, 1), calloc((size_t)n + 1, sizeof(uint32_t)) };
    must(d.level != NULL && d.arrow != NULL);
    find_levels(&d);
    enum level level = choose_level(&d);
    fputs("sequenceDiagram\n    title ", f);
    write_plain(f, t->scenario);
    fprintf(f, ", seed 0x%016" PRIx64 "\n", t->seed);
    if (level != LEVEL_ALL) fprintf(f, "    %%%% %s\n", level_says[level]);
    write_participants(f, &d, level);
    for (uint32_t i = 0; i < n; i++)
        if (d.level[i] <= level) write_line(f, &d, i);
    free(d.level);
    free(d.arrow);
}
