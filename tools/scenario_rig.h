/* For tests: the scenario that a text is, read as a file. */
#ifndef TOOLS_SCENARIO_RIG_H
#define TOOLS_SCENARIO_RIG_H

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/plan.h"

static inline struct scenario scenario_rig_read(const char *text)
{
    struct scenario s;
    char path[] = "/tmp/scenario_rig_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(text, f);
    fclose(f);
    bool ok = scenario_load(&s, path, NULL, stderr);
    unlink(path);
    ck_assert_msg(ok, "%s", text);
    return s;
}

#endif
