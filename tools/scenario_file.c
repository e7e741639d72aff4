#include "tools/scenario_file.h"

#include <inttypes.h>

#include "sim/yaml.h"

/* A text in double quotes; what is written here has no control characters. */
static void write_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "%s: \"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putc('\\', f);
        putc(*text, f);
    }
    fputs("\"\n", f);
}

static void write_us(FILE *f, int64_t us)
{
    char text[32];
    yaml_format_duration(text, sizeof text, us);
    fputs(text, f);
}

static void write_span(FILE *f, const struct span_range *r)
{
    if (r->min_us == r->max_us) {
        write_us(f, r->min_us);
        return;
    }
    putc('[', f);
    write_us(f, r->min_us);
    fputs(", ", f);
    write_us(f, r->max_us);
    putc(']', f);
}

static void write_counts(FILE *f, const char *key, struct count_range r)
{
    if (r.min == r.max)
        fprintf(f, "%s: %" PRIu32 "\n", key, r.min);
    else
        fprintf(f, "%s: [%" PRIu32 ", %" PRIu32 "]\n", key, r.min, r.max);
}

/* Entry `i` of `n` of a map of weights; one alone is a word. */
static void write_weight(FILE *f, uint32_t i, uint32_t n, const char *word, uint32_t weight)
{
    if (n == 1)
        fputs(word, f);
    else
        fprintf(f, "%s%s: %" PRIu32 "%s", i ? ", " : "{", word, weight, i + 1 == n ? "}" : "");
}

static void write_devices(FILE *f, const struct scenario *s)
{
    fputs("devices:\n", f);
    for (uint32_t i = 0; i < s->devices; i++) {
        const struct device_plan *d = &s->device[i];
        fprintf(f, "  - {tabs: %" PRIu32 ", visible: %" PRIu32, d->tabs, d->visible);
        if (d->private_session) fputs(", private: true", f);
        fputs(", profiles: ", f);
        for (uint32_t k = 0; k < d->mix_n; k++)
            write_weight(f, k, d->mix_n, profile_kind_word[d->mix[k].profile], d->mix[k].weight);
        if (d->without_locks_percent > 0)
            fprintf(f, ", withoutLocks: %" PRIu32 "%%", d->without_locks_percent);
        if (d->older_percent > 0) fprintf(f, ", older: %" PRIu32 "%%", d->older_percent);
        fputs("}\n", f);
    }
}

static void write_hidden_since(FILE *f, const struct scenario *s)
{
    fprintf(f, "allHidden: %" PRIu32 "%%\n", s->all_hidden_percent);
    static const char *const word[] = { "0s", "70s", "400s" };
    const uint32_t weight[] = { s->hidden_since.none, s->hidden_since.s70, s->hidden_since.s400 };
    const char *separator = "hiddenSince: {";
    for (int i = 0; i < 3; i++) {
        if (weight[i] == 0) continue;
        fprintf(f, "%s%s: %" PRIu32, separator, word[i], weight[i]);
        separator = ", ";
    }
    fputs("}\n", f);
}

static void write_permille(FILE *f, uint32_t permille)
{
    fprintf(f, "%" PRIu32, permille / 10);
    if (permille % 10) fprintf(f, ".%" PRIu32, permille % 10);
    putc('%', f);
}

static void write_figure(FILE *f, const char *key, uint32_t permille)
{
    fprintf(f, "%s: ", key);
    write_permille(f, permille);
    putc('\n', f);
}

static void write_network(FILE *f, const struct scenario *s)
{
    fputs("network: ", f);
    for (uint32_t i = 0; i < s->networks; i++)
        write_weight(f, i, s->networks, network_kind_word[s->network[i]], s->network_weight[i]);
    fputs("\n", f);
    if (s->has_loss) write_figure(f, "messageLoss", s->loss_permille);
    if (s->has_slow) write_figure(f, "slowTail", s->slow_permille);
    fputs("layout: ", f);
    for (uint32_t i = 0; i < s->layouts; i++)
        write_weight(f, i, s->layouts, layout_word[s->layout[i]], s->layout_weight[i]);
    fputs("\n", f);
}

static void write_duration(FILE *f, const struct scenario *s)
{
    fputs("duration: ", f);
    write_span(f, &s->duration);
    fputs("\nlongRounds: {share: ", f);
    write_permille(f, s->long_permille);
    if (s->long_permille > 0) {
        fputs(", duration: ", f);
        write_span(f, &s->long_duration);
    }
    fputs("}\n", f);
}

static void write_fault(FILE *f, const struct fault_plan *p)
{
    fprintf(f, "  - {fault: %s, weight: %" PRIu32 ", always: %s, aimed: %" PRIu32 "%%",
            fault_info[p->kind].word, p->weight, p->always ? "true" : "false", p->aimed_percent);
    const char *separator = ", phases: [";
    for (uint32_t k = 0; k < PHASE_COUNT; k++) {
        if (!(p->phase_mask >> k & 1)) continue;
        fprintf(f, "%s%s", separator, phase_word[k]);
        separator = ", ";
    }
    if (p->phase_mask) fputs("]", f);
    if (p->lasts.max_us > 0) {
        fputs(", lasts: ", f);
        write_span(f, &p->lasts);
    }
    fputs("}\n", f);
}

/* A key of a step; the first opens the brace. */
static void next_key(FILE *f, bool *opened, const char *key)
{
    fprintf(f, "%s%s: ", *opened ? ", " : "{", key);
    *opened = true;
}

static void write_word(FILE *f, bool *opened, const char *key, const char *word)
{
    next_key(f, opened, key);
    fputs(word, f);
}

static void write_length(FILE *f, bool *opened, const char *key, int64_t us)
{
    if (us <= 0) return;
    next_key(f, opened, key);
    write_us(f, us);
}

static void write_number(FILE *f, bool *opened, const char *key, uint32_t n)
{
    if (n == STEP_ANY) return;
    next_key(f, opened, key);
    fprintf(f, "%" PRIu32, n);
}

/* When: a time, a distance, a phase, an observation. */
static void write_trigger(FILE *f, bool *opened, const struct step_plan *p)
{
    if (p->at_us >= 0) {
        next_key(f, opened, "at");
        write_us(f, p->at_us);
    }
    write_length(f, opened, "for", p->after_us);
    if (p->when != PHASE_COUNT) write_word(f, opened, "when", phase_word[p->when]);
    if (!p->waits) return;
    write_word(f, opened, "until", obs_info[p->until].word);
    write_number(f, opened, "of", p->of);
}

static void write_act(FILE *f, bool *opened, const struct step_plan *p)
{
    if (p->fault != FAULT_COUNT)
        write_word(f, opened, "fault", fault_info[p->fault].word);
    else if (p->expects)
        write_word(f, opened, "expect", step_expectation_word[p->expect]);
    else if (p->action == ACTION_SUBMIT)
        write_word(f, opened, "submit", "true");
    else
        write_word(f, opened, "do", step_action_info[p->action].word);
    if (p->request != REQ_NONE) write_word(f, opened, "request", request_kind_word[p->request]);
}

void scenario_write_step(FILE *f, const struct step_plan *p)
{
    bool opened = false;
    write_trigger(f, &opened, p);
    write_act(f, &opened, p);
    write_length(f, &opened, "within", p->within_us);
    write_length(f, &opened, "lasts", p->lasts_us);
    write_number(f, &opened, "tab", p->tab);
    write_number(f, &opened, "device", p->device);
    putc('}', f);
}

static void write_steps(FILE *f, const struct scenario *s)
{
    if (s->steps > 0) fputs("schedule:\n", f);
    for (uint32_t i = 0; i < s->steps; i++) {
        fputs("  - ", f);
        scenario_write_step(f, &s->step[i]);
        putc('\n', f);
    }
}

static void write_policy(FILE *f, const char *key, struct policy policy)
{
    if (policy_is_empty(policy)) return;
    const char *separator = "[";
    fprintf(f, "%s: ", key);
    for (uint32_t k = 0; k < POLICY_COUNT; k++) {
        if (!policy_has(policy, (enum policy_kind)k)) continue;
        fprintf(f, "%s%s", separator, policy_info[k].word);
        separator = ", ";
    }
    fputs("]\n", f);
}

static void write_names(FILE *f, const char *key, const char names[STORY_BREAKS_MAX][NAME_MAX_LEN],
                        uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%s%s%s%s", i ? ", " : key, i ? "" : ": [", names[i], i + 1 == n ? "]\n" : "");
}

static void write_story(FILE *f, const struct story_plan *p)
{
    if (*p->report) fprintf(f, "report: %s\n", p->report);
    if (*p->link) write_text(f, "link", p->link);
    if (*p->wrong) write_text(f, "wrong", p->wrong);
    if (*p->right) write_text(f, "right", p->right);
    write_policy(f, "naive", p->naive);
    write_names(f, "breaks", p->breaks, p->breaks_n);
    write_names(f, "despite", p->despite, p->despite_n);
}

static void write_bends(FILE *f, const struct scenario *s)
{
    if (s->has_work) fprintf(f, "workstream: %s\n", workstream_word[s->work]);
    if (s->has_steal) fprintf(f, "steal: %s\n", steal_rule_word[s->steal]);
    if (s->has_stage) fprintf(f, "rollout: %s\n", stage_word[s->stage]);
    if (s->has_authority) fprintf(f, "canonicalFence: %s\n", authority_word[s->authority]);
    if (s->has_fallback) fprintf(f, "fallback: %s\n", fallback_word[s->fallback]);
}

static void write_sessions(FILE *f, const struct scenario *s)
{
    if (s->account_changes.max > 0) write_counts(f, "accountChanges", s->account_changes);
    if (!s->has_work || s->work != WORKSTREAM_SESSION) return;
    fprintf(f, "sessionLifetime: %" PRId64 "us\n", s->session_lifetime_us);
    fprintf(f, "reuseInterval: %" PRId64 "us\n", s->reuse_us);
}

void scenario_write(FILE *f, const struct scenario *s)
{
    fprintf(f, "schema: tabquake.scenario.v1\nname: %s\n", s->name);
    if (*s->says) write_text(f, "says", s->says);
    write_story(f, &s->story);
    write_policy(f, "policy", s->policy);
    if (s->policy_of_one_version) fputs("policyOfOneVersion: true\n", f);
    write_bends(f, s);
    write_devices(f, s);
    write_hidden_since(f, s);
    write_network(f, s);
    write_counts(f, "operations", s->operations);
    write_sessions(f, s);
    write_duration(f, s);
    if (s->faults > 0) {
        write_counts(f, "faultsDrawn", s->faults_drawn);
        fprintf(f, "omit: %" PRIu32 "%%\nfaults:\n", s->omit_percent);
    }
    for (uint32_t i = 0; i < s->faults; i++) write_fault(f, &s->fault[i]);
    write_steps(f, s);
    if (s->calm) fputs("calm: true\n", f);
    if (s->has_seed) fprintf(f, "seed: 0x%016" PRIx64 "\n", s->seed);
}
