#include "tools/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* The one mutable global of the program: a handler has no other way to speak. Atomic and
 * not sig_atomic_t, since workers on other threads read it. */
static atomic_int signalled;

static void raise_flag(int signal_number)
{
    (void)signal_number;
    atomic_store(&signalled, 1);
}

void interrupt_watch(void)
{
    struct sigaction a = { .sa_handler = raise_flag, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool interrupted(void)
{
    return atomic_load(&signalled) != 0;
}
