#include "tools/version.h"

/* The Makefile defines both for this file alone, so that a commit rebuilds one object. */
#ifndef TQ_REVISION
#define TQ_REVISION "unknown"
#endif
#ifndef TQ_BUILD
#define TQ_BUILD "unknown"
#endif

const char *version_number(void)
{
    return "0.1.0";
}
const char *version_revision(void)
{
    return TQ_REVISION;
}
const char *version_build(void)
{
    return TQ_BUILD;
}
