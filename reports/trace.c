#include "reports/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/obs_words.h"

#define PAGES (UINT16_MAX + 1) /* documents are numbered in 16 bits */

bool trace_open(struct trace *t, const struct history *h)
{
    uint32_t *documents = calloc(PAGES, sizeof *documents); /* of each tab */
    t->history = h;
    t->page = calloc(PAGES, sizeof t->page[0]);
    for (uint32_t i = 0; t->page && documents && i < h->n; i++) {
        const struct obs *o = &h->at[i];
        if (o->kind != OBS_PAGE_CREATED) continue;
        t->page[o->page] = (struct trace_page){ (uint16_t)o->a, o->device, 1, false };
        documents[(uint16_t)o->a]++;
    }
    for (uint32_t i = 0; t->page && documents && i < PAGES; i++)
        t->page[i].shares_tab = t->page[i].known && documents[t->page[i].tab] > 1;
    bool ok = t->page && documents;
    free(documents);
    if (!ok) trace_close(t);
    return ok;
}

void trace_close(struct trace *t)
{
    free(t->page);
    t->page = NULL;
}

/* -- one line ---------------------------------------------------------------- */

static void write_who(FILE *f, const struct trace *t, const struct obs *o)
{
    char who[64] = "";
    const struct trace_page *p = &t->page[o->page];
    if (o->page == PAGE_SERVER)
        snprintf(who, sizeof who, "server");
    else if (o->page != PAGE_NONE && p->known && p->device == DEVICE_NONE)
        snprintf(who, sizeof who, "tab %u page %u", p->tab, o->page);
    else if (o->page != PAGE_NONE && p->known)
        snprintf(who, sizeof who, "tab %u page %u (dev %u)", p->tab, o->page, p->device);
    else if (o->page != PAGE_NONE)
        snprintf(who, sizeof who, "page %u", o->page);
    else if (o->device != DEVICE_NONE)
        snprintf(who, sizeof who, "dev %u", o->device);
    else if (o->node != NODE_NONE)
        snprintf(who, sizeof who, "node %u", o->node);
    fprintf(f, "%-22s", who);
}

static void write_number(FILE *f, const struct obs *o, char member, uint32_t v)
{
    enum obs_kind kind = (enum obs_kind)o->kind;
    const char *word = obs_word(kind, member, v);
    if (word)
        fputs(word, f);
    else if (kind == OBS_DEVICE_CLOCK)
        fprintf(f, member == 'a' ? "rate %+" PRId32 " ppm" : "wall clock %+" PRId32 " ms",
                (int32_t)v);
    else if (kind == OBS_PAGE_CREATED || kind == OBS_LEDGER_CLAIMED || kind == OBS_LEDGER_TAKEN)
        fprintf(f, "protocol %" PRIu32, v);
    else if (kind == OBS_ROUND_STARTED)
        fprintf(f, member == 'a' ? "tabs %" PRIu32 : "devices %" PRIu32, v);
    else if (kind == OBS_ROUND_HEALED)
        fprintf(f, "progress within %" PRIu32 " ms", v);
    else if (kind == OBS_PAGE_BLOCKED)
        fprintf(f, "for %" PRIu32 " us", v);
    else if (kind == OBS_LOCK_STOLEN)
        fprintf(f, "by request %" PRIu32, v);
    else
        fprintf(f, "%c %" PRIu32, member, v);
}

static void write_fence(FILE *f, struct fence fence)
{
    if (fence_is_none(fence)) {
        fputs("no fence", f);
        return;
    }
    fprintf(f, "fence %" PRIu32 ".%" PRIu32, fence.epoch, fence.generation);
    if (fence.incarnation > 1) fprintf(f, " of ledger %" PRIu32, fence.incarnation);
}

static void write_flags(FILE *f, const struct obs *o)
{
    bool first = true;
    for (unsigned bit = 0; bit < 8; bit++) {
        const char *word = obs_flag_word((enum obs_kind)o->kind, bit);
        if (!(o->flags >> bit & 1)) continue;
        fputs(first ? "" : " ", f);
        if (word)
            fputs(word, f);
        else
            fprintf(f, "flag %u", 1u << bit);
        first = false;
    }
}

static void write_key(FILE *f, const struct obs *o)
{
    const char *word = obs_info[o->kind].word;
    if (strncmp(word, "lock.", 5) == 0 && o->key == LOCK_NAME_LEADER)
        fputs("leader lock", f);
    else if (strncmp(word, "lock.", 5) == 0)
        fprintf(f, "lock %" PRIu32, o->key);
    else if (o->kind == OBS_LEDGER_PERMIT)
        fprintf(f, "permit %" PRIu32, o->key);
    else
        fprintf(f, strncmp(word, "ledger.", 7) == 0 ? "claim %" PRIu32 : "key %" PRIu32, o->key);
}

/* Whether the line's beginning already says it, or there is nothing to say. */
static bool is_told(const struct obs *o, const char *member)
{
    bool is_creation = o->kind == OBS_PAGE_CREATED; /* of the tab and device that who it is names */
    if (!strcmp(member, "page")) return true;
    if (!strcmp(member, "device"))
        return is_creation || o->page == PAGE_NONE || o->device == DEVICE_NONE;
    if (!strcmp(member, "node"))
        return o->node == NODE_NONE || (o->page == PAGE_NONE && o->device == DEVICE_NONE);
    if (!strcmp(member, "partition")) return o->partition == PARTITION_NONE;
    if (!strcmp(member, "flags")) return o->flags == 0;
    if (!strcmp(member, "c")) return o->c == 0;
    if (!strcmp(member, "op")) return o->op == 0 && o->kind != OBS_FAULT_BEGUN;
    return is_creation && !strcmp(member, "a");
}

static void write_member(FILE *f, const struct obs *o, const char *member)
{
    bool is_fault = o->kind == OBS_FAULT_BEGUN || o->kind == OBS_FAULT_ENDED;
    if (!strcmp(member, "device")) fprintf(f, "dev %u", o->device);
    if (!strcmp(member, "node")) fprintf(f, "node %u", o->node);
    if (!strcmp(member, "partition")) fprintf(f, "partition %u", o->partition);
    if (!strcmp(member, "flags")) write_flags(f, o);
    if (!strcmp(member, "fence")) write_fence(f, o->fence);
    if (!strcmp(member, "op")) fprintf(f, is_fault ? "fault %" PRIu32 : "op %" PRIu32, o->op);
    if (!strcmp(member, "request")) fprintf(f, "request %" PRIu32, o->request);
    if (!strcmp(member, "key")) write_key(f, o);
    if (!strcmp(member, "a")) write_number(f, o, 'a', o->a);
    if (!strcmp(member, "b")) write_number(f, o, 'b', o->b);
    if (!strcmp(member, "c")) fprintf(f, "decision %" PRIu32, o->c);
    if (!strcmp(member, "local")) fprintf(f, "own clock %" PRIu32 " us", o->local);
}

void trace_detail(FILE *f, const struct obs *o)
{
    const char *separator = "";
    for (const char *p = obs_info[o->kind].fields; *p;) {
        char member[16] = "";
        size_t n = strcspn(p, " ");
        memcpy(member, p, n < sizeof member - 1 ? n : sizeof member - 1);
        p += n + (p[n] == ' ');
        if (is_told(o, member)) continue;
        fputs(separator, f);
        write_member(f, o, member);
        separator = o->kind == OBS_STATE_CHANGED ? " -> " : ", ";
    }
}

/* Everything but the line break. */
static void write_line(FILE *f, const struct trace *t, const struct obs *o)
{
    fprintf(f, "%4" PRId64 ".%03" PRId64 " s  #%-5" PRIu32 " ", o->at.us / US_PER_S,
            o->at.us / US_PER_MS % 1000, o->number);
    write_who(f, t, o);
    fprintf(f, "  %-18s  ", obs_info[o->kind].word);
    trace_detail(f, o);
    if (o->cause != OBS_NONE) fprintf(f, "  <- #%" PRIu32, o->cause);
}

void trace_obs(FILE *f, const struct trace *t, const struct obs *o)
{
    write_line(f, t, o);
    putc('\n', f);
}

void trace_all(FILE *f, const struct trace *t)
{
    for (uint32_t i = 0; i < t->history->n; i++) trace_obs(f, t, &t->history->at[i]);
}

/* -- the story ---------------------------------------------------------------- */

struct chosen {
    uint32_t at[TRACE_STORY_MAX];
    uint32_t n, left_out;
};

/* Inserts in order of numbers; once each, and counts what does not fit. */
static void choose(struct chosen *c, uint32_t number)
{
    uint32_t i = 0;
    while (i < c->n && c->at[i] < number) i++;
    if (i < c->n && c->at[i] == number) return;
    if (c->n == TRACE_STORY_MAX) {
        c->left_out++;
        return;
    }
    memmove(&c->at[i + 1], &c->at[i], (c->n - i) * sizeof c->at[0]);
    c->at[i] = number;
    c->n++;
}

/* The number of the cause; OBS_NONE at the beginning of a chain. */
static uint32_t cause_of(const struct history *h, uint32_t number)
{
    uint32_t cause = h->at[number].cause;
    return cause < number ? cause : OBS_NONE;
}

/* The witnesses, then back along both chains, latest first: causes come before their
 * effects, so that the chains are seen to meet where they do. */
static void choose_chains(struct chosen *c, const struct history *h, const uint32_t witness[2])
{
    uint32_t next[2] = { witness[0], witness[1] };
    for (int i = 0; i < 2; i++)
        if (next[i] < h->n) choose(c, next[i]);
    while (next[0] < h->n || next[1] < h->n) {
        int later = next[0] >= h->n || (next[1] < h->n && next[1] > next[0]);
        choose(c, next[later]);
        if (next[0] == next[1]) next[!later] = OBS_NONE;
        next[later] = cause_of(h, next[later]);
    }
}

void trace_story(FILE *f, const struct trace *t, enum invariant_kind i, const struct finding *v)
{
    struct chosen c = { .n = 0 };
    choose_chains(&c, t->history, v->witness);
    fprintf(f, "%s: %s\n", invariant_word[i], v->reason ? v->reason : invariant_says[i]);
    for (uint32_t k = 0; k < c.n; k++) {
        uint32_t number = c.at[k];
        bool is_witness = number == v->witness[0] || number == v->witness[1];
        fputs(is_witness ? "=> " : "   ", f);
        trace_obs(f, t, &t->history->at[number]);
    }
    if (c.left_out > 0) fprintf(f, "   %" PRIu32 " earlier causes are left out\n", c.left_out);
    if (c.n == 0) fputs("   no observation is named: the history as a whole shows it\n", f);
}
