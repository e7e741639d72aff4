/* tabquake report RESULTS.sqlite...: every report of a run, made again from its record; of
 * several runs, oldest first, the last one's with the trend over all of them.
 *
 * Whether the run passed is the gate's word, not this command's: its status says only
 * whether the reports could be made. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/gate_json.h"
#include "reports/report.h"
#include "reports/store_read.h"
#include "reports/table.h"
#include "sim/base/must.h"
#include "tools/command.h"
#include "tools/options.h"
#include "tools/record.h"

#define RUNS_MAX 100 /* a run takes 2 MB of memory */

struct asked {
    struct options options;
    uint32_t files;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    struct options *o = &a->options;
    const struct flag table[] = {
        option_out(o, "folder of the reports (default: that of the last results)"),
        option_json(o),
    };
    const struct flags f = {
        .command = "report",
        .operands = "RESULTS.sqlite...",
        .says =
            "Writes report.html, plots, gate.json, junit.xml and summary.md from stored results."
            "\nOf several runs, oldest first: the last one's, with the trend over all of them.",
        .example = "build/tabquake report before/results.sqlite out/results.sqlite",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = RUNS_MAX,
    };
    return flags_read(&f, argc, argv, &a->files, stdout, stderr);
}

static void print_table(FILE *f, const struct run_report *r, const struct trend *trend,
                        const char *folder)
{
    char verdict[TABLE_VERDICT_MAX];
    if (trend)
        trend_table(f, trend);
    else
        table_conditions(f, r, false);
    fprintf(f, "\n%s/report.html\n%s\n", folder, table_verdict(verdict, r));
}

static int make_reports(const struct asked *a, const struct run_report *const *run,
                        const char *folder)
{
    struct trend trend;
    bool compared = a->files > 1;
    const struct run_report *last = run[a->files - 1];
    FILE *talk = a->options.json ? stderr : stdout;
    must(!compared || trend_open(&trend, run, a->files));
    bool ok = report_write_files(folder, last, compared ? &trend : NULL, stderr);
    if (ok) print_table(talk, last, compared ? &trend : NULL, folder);
    if (ok && a->options.json) gate_json_write(stdout, last);
    if (compared) trend_close(&trend);
    return ok ? EXIT_PASSED : EXIT_BAD_INPUT;
}

/* The results in the folder are those that are reported, or there are none. */
static bool is_of_this_run(const char *folder, const char *file)
{
    char there[LOCATE_PATH_MAX + 32];
    struct stat a, b;
    snprintf(there, sizeof there, "%s/results.sqlite", folder);
    if (stat(there, &a) != 0 || stat(file, &b) != 0) return true;
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
    fprintf(stderr, "%s: found another run's, accepted a folder of its own (--out)\n", there);
    return false;
}

static int report_into(const struct asked *a, const struct run_report *const *run,
                       const char *folder, const char *file)
{
    if (!record_make_folder(folder)) {
        fprintf(stderr, "%s: cannot be made: %s\n", folder, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    if (!is_of_this_run(folder, file)) return EXIT_BAD_INPUT;
    int lock = record_lock(folder);
    if (lock < 0) return EXIT_BAD_INPUT;
    int status = make_reports(a, run, folder);
    close(lock);
    return status;
}

static int report(const struct asked *a, char **file)
{
    char folder[LOCATE_PATH_MAX];
    struct stored_run *stored[RUNS_MAX];
    const struct run_report *run[RUNS_MAX];
    uint32_t n = 0;
    int status = EXIT_BAD_INPUT;
    while (n < a->files && (stored[n] = store_load_whole(file[n], stderr)) != NULL) {
        run[n] = &stored[n]->report;
        n++;
    }
    const char *last = file[a->files - 1];
    locate_folder(folder, last);
    if (n == a->files) status = report_into(a, run, a->options.out ? a->options.out : folder, last);
    while (n > 0) stored_free(stored[--n]);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct asked a;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    return report(&a, argv + 2);
}
