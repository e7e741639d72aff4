/* The keys that make a scenario a story: what was reported, what goes wrong with the naive
 * one, what the reference does, and which invariants tell. */
#include <string.h>

#include "sim/plan_keys.h"

static uint32_t read_names(struct yaml *y, int node, const struct yaml_key *k,
                           char into[STORY_BREAKS_MAX][NAME_MAX_LEN])
{
    const struct yaml_key name = { .word = k->word, yaml_name, 0, 1, NAME_MAX_LEN };
    uint32_t n = yaml_entries(y, node, k);
    for (uint32_t i = 0; i < n; i++) {
        size_t before = y->key_n;
        yaml_name(y, yaml_enter(y, node, i), &name, into[i]);
        yaml_leave(y, before);
    }
    return n;
}

void plan_read_breaks(struct yaml *y, int node, const struct yaml_key *k, void *scenario)
{
    struct story_plan *s = &((struct scenario *)scenario)->story;
    s->breaks_n = read_names(y, node, k, s->breaks);
}

void plan_read_despite(struct yaml *y, int node, const struct yaml_key *k, void *scenario)
{
    struct story_plan *s = &((struct scenario *)scenario)->story;
    s->despite_n = read_names(y, node, k, s->despite);
}

void plan_check_story(struct yaml *y, const struct scenario *s)
{
    const struct story_plan *p = &s->story;
    bool naive = !policy_is_empty(p->naive);
    if (naive && p->breaks_n == 0)
        yaml_error_at(y, "naive", "a naive variant alone", "breaks beside it: what it violates");
    if (!naive && p->breaks_n > 0)
        yaml_error_at(y, "breaks", "an invariant alone", "naive beside it: what violates it");
    if (p->despite_n > 0 && policy_is_empty(s->policy))
        yaml_error_at(y, "despite", "an invariant alone", "policy beside it: what breaks it");
    if (*p->report && !naive)
        yaml_error_at(y, "report", "a report without a naive variant", "naive and breaks");
    if (*p->report && !*p->link)
        yaml_error_at(y, "report", "a report alone", "link beside it: where it stands");
    if (naive && !(*p->wrong && *p->right))
        yaml_error_at(y, "naive", "a story that does not say what happens",
                      "wrong (with the naive variant) and right (with the reference)");
    if (naive && !s->calm && !s->has_seed)
        yaml_error_at(y, "naive", "a story with another end for every seed", "calm: true, or seed");
}
