#include "tools/steps.h"

#include <inttypes.h>

#include "tools/scenario_file.h"

static void say_why(FILE *f, const struct step_plan *p, enum step_outcome o)
{
    switch (o) {
    case STEP_NOBODY: fputs(": found nobody to act on\n", f); break;
    case STEP_CANNOT: fputs(": cannot happen in this round\n", f); break;
    case STEP_UNMET: fputs(": was not so\n", f); break;
    case STEP_WAITING:
        fprintf(f, ": waited for %s, which did not come\n", phase_word[p->when]);
        break;
    case STEP_WATCHING:
        fprintf(f, ": waited for %s, which did not come\n", obs_info[p->until].word);
        break;
    default: fputs(": did not get its turn before the end of the first phase\n", f); break;
    }
}

uint32_t steps_undone(FILE *f, const struct world *w)
{
    const struct scenario *s = w->scenario;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->steps; i++) {
        if (w->step[i] == STEP_DONE) continue;
        fprintf(f, "step %" PRIu32 " ", i + 1);
        scenario_write_step(f, &s->step[i]);
        say_why(f, &s->step[i], w->step[i]);
        n++;
    }
    return n;
}
