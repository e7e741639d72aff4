/* What this program is: for --version, reports and histories. */
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

const char *version_number(void);   /* "0.1.0" */
const char *version_revision(void); /* of the source: "f3a91c0", "unknown" outside of git */
const char *version_build(void);    /* compiler and options */

#endif
