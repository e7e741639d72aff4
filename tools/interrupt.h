/* SIGINT and SIGTERM as a question that loops ask.
 *
 *   interrupt_watch   from now on the two signals only raise a flag; a second one ends
 *                     the process at once
 *   interrupted       whether one has come */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);

#endif
