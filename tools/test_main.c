/* Runs every unit-test suite; the Makefile writes the list of them (suites.c).
 *
 *   build/test                             all, each test in a process of its own
 *   CK_RUN_SUITE=lockmgr build/test        one suite
 *   CK_FORK=no gdb build/test              in one process, for a debugger
 *   CK_VERBOSITY=verbose build/test        each test by name
 *
 * Ends with 0 when something ran and nothing failed. A selection that runs no
 * test at all has proved nothing and ends with 1. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

void add_suites(SRunner *r); /* build/suites.c */

int main(void)
{
    SRunner *r = srunner_create(NULL);
    add_suites(r);
    srunner_run_all(r, CK_ENV);
    int ran = srunner_ntests_run(r), failed = srunner_ntests_failed(r);
    srunner_free(r);
    if (ran == 0) fputs("no test ran\n", stderr);
    return ran > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
