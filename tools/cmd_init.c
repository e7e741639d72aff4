/* tabquake init DIR: a contract, a scenario, a suite and a CI file to start from, after a few
 * questions or from flags. Nothing that is there is touched: all files are new, or none is
 * written. The templates stand in tools/init/, with @WORDS@ for what was answered. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/asset.h"
#include "reports/outfile.h"
#include "sim/base/must.h"
#include "sim/yaml.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/record.h"

#define NAME_LEN_MAX 40
#define TABS_MAX 200 /* of a device; more are a matter for the scenario file */
#define ANSWER_MAX 128

#define WORD(kind, word) word,
static const char *const steal_words[] = { STEAL_RULES(WORD) };
static const char *const fallback_words[] = { FALLBACKS(WORD) };
enum ci { CI_NONE, CI_GITHUB, CI_GITLAB, CI_COUNT };
static const char *const ci_words[CI_COUNT] = { "none", "github", "gitlab" };

struct asked {
    const char *folder;
    const char *name, *ttl, *max_hold;
    uint64_t tabs, devices;
    uint32_t steal, fallback, ci;
    bool yes; /* no questions */
};

/* -- flags ------------------------------------------------------------------------------ */

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .name = "app",
                         .ttl = "1s",
                         .max_hold = "30s",
                         .tabs = 20,
                         .devices = 2,
                         .steal = STEAL_INCIDENT_ONLY,
                         .fallback = FALLBACK_SERVER_COORDINATED,
                         .ci = CI_NONE };
    const struct flag table[] = {
        flag_text("name", &a->name, "NAME", "of lock, scenario and suite: a-z, 0-9 and - (app)"),
        flag_number("tabs", &a->tabs, 2, TABS_MAX, "on the first device (20)"),
        flag_number("devices", &a->devices, 1, DEVICES_MAX,
                    "of one user; others than the first have 4 tabs (2)"),
        flag_text("ttl", &a->ttl, "D", "of a lease, renewed after a third of it (1s)"),
        flag_text("max-hold", &a->max_hold, "D",
                  "longest that a page leads in the background (30s)"),
        flag_word("steal", &a->steal, "WORD", steal_words, STEAL_COUNT,
                  "never, incident-only, allowed (incident-only)"),
        flag_word("fallback", &a->fallback, "WORD", fallback_words, FALLBACK_COUNT,
                  "where there are no Web Locks (SERVER_COORDINATED)"),
        flag_word("ci", &a->ci, "WORD", ci_words, CI_COUNT,
                  "a job for it too: none, github, gitlab (none)"),
        flag_switch("yes", &a->yes, "asks nothing: what no flag says is as by default"),
    };
    const struct flags f = {
        .command = "init",
        .operands = "DIR",
        .says = "Writes a contract, a scenario, a suite and a CI file to start from. On a terminal,"
                " and without\nflags, it asks. Nothing that is there is overwritten.",
        .example = "build/tabquake init leadership --name orders --ci github",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_min = 1,
        .operands_max = 1,
    };
    uint32_t operands;
    enum flags_outcome read = flags_read(&f, argc, argv, &operands, stdout, stderr);
    a->folder = argv[2];
    a->yes = a->yes || argc > 3 || !isatty(fileno(stdin)) || !isatty(fileno(stdout));
    return read;
}

/* -- what is accepted ------------------------------------------------------------------- */

static bool name_fits(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > NAME_LEN_MAX || name[0] == '-') return false;
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '-')
            return false;
    return true;
}

/* The contract's own limits are checked by whoever reads it; these keep typing errors out. */
static bool duration_fits(const char *text)
{
    int64_t us;
    return yaml_parse_duration(text, &us) && us >= 100 * US_PER_MS &&
           us <= INT64_C(3600) * US_PER_S;
}

static bool wrong(const char *flag, const char *found, const char *accepted)
{
    fprintf(stderr, "tabquake init: --%s: found %s, accepted %s\n", flag, found, accepted);
    return false;
}

static bool answers_fit(const struct asked *a)
{
    const char *duration = "a duration from 100ms to 1h, with its unit";
    if (!name_fits(a->name)) return wrong("name", a->name, "a-z, 0-9 and -, at most 40 of them");
    if (!duration_fits(a->ttl)) return wrong("ttl", a->ttl, duration);
    if (!duration_fits(a->max_hold)) return wrong("max-hold", a->max_hold, duration);
    return true;
}

/* -- questions -------------------------------------------------------------------------- */

/* The answer, or `otherwise` for an empty line; false at the end of the input. */
static bool question(const char *text, const char *otherwise, char answer[ANSWER_MAX])
{
    printf("%s [%s]: ", text, otherwise);
    fflush(stdout);
    if (!fgets(answer, ANSWER_MAX, stdin)) return false;
    answer[strcspn(answer, "\r\n")] = '\0';
    if (!*answer) snprintf(answer, ANSWER_MAX, "%s", otherwise);
    return true;
}

static bool ask_text(const char *text, const char **value, char answer[ANSWER_MAX],
                     bool (*fits)(const char *), const char *accepted)
{
    while (question(text, *value, answer)) {
        if (fits(answer)) {
            *value = answer;
            return true;
        }
        printf("  accepted: %s\n", accepted);
    }
    return false;
}

static bool ask_number(const char *text, uint64_t *value, uint64_t min, uint64_t max)
{
    char answer[ANSWER_MAX], otherwise[24];
    snprintf(otherwise, sizeof otherwise, "%" PRIu64, *value);
    while (question(text, otherwise, answer)) {
        char *end;
        unsigned long long n = strtoull(answer, &end, 10);
        if (isdigit((unsigned char)answer[0]) && *end == '\0' && n >= min && n <= max) {
            *value = n;
            return true;
        }
        printf("  accepted: %" PRIu64 " to %" PRIu64 "\n", min, max);
    }
    return false;
}

static bool ask_word(const char *text, uint32_t *value, const char *const *words, uint32_t n)
{
    char answer[ANSWER_MAX];
    while (question(text, words[*value], answer)) {
        for (uint32_t i = 0; i < n; i++)
            if (strcmp(answer, words[i]) == 0) {
                *value = i;
                return true;
            }
        printf("  accepted:");
        for (uint32_t i = 0; i < n; i++) printf(" %s", words[i]);
        putchar('\n');
    }
    return false;
}

static bool ask_questions(struct asked *a, char answer[3][ANSWER_MAX])
{
    return ask_text("Name of what is led", &a->name, answer[0], name_fits,
                    "a-z, 0-9 and -, at most 40 of them") &&
           ask_number("Tabs on the first device", &a->tabs, 2, TABS_MAX) &&
           ask_number("Devices of one user", &a->devices, 1, DEVICES_MAX) &&
           ask_text("Lease", &a->ttl, answer[1], duration_fits, "100ms to 1h") &&
           ask_text("Longest that a page leads in the background", &a->max_hold, answer[2],
                    duration_fits, "100ms to 1h") &&
           ask_word("Stealing the lock", &a->steal, steal_words, STEAL_COUNT) &&
           ask_word("Without Web Locks", &a->fallback, fallback_words, FALLBACK_COUNT) &&
           ask_word("CI file for", &a->ci, ci_words, CI_COUNT);
}

/* -- writing ---------------------------------------------------------------------------- */

static void write_devices(FILE *f, const struct asked *a)
{
    uint64_t visible = a->tabs < 4 ? 1 : a->tabs / 5 + 1;
    fprintf(f,
            "  - tabs: %" PRIu64 "\n    visible: %" PRIu64 "\n"
            "    profiles: {chromium-156: 40, gecko-153: 20, webkit-2.50: 15, chrome-android: 10, "
            "spec: 5, worst: 10}\n    withoutLocks: 2%%\n    older: 1%%\n",
            a->tabs, visible);
    for (uint64_t i = 1; i < a->devices; i++) fputs("  - {tabs: 4, visible: 1, older: 1%}\n", f);
}

static void write_word(FILE *f, const struct asked *a, const char *word, size_t n)
{
    char third[32];
    int64_t us = 0;
    const struct {
        const char *word, *text;
    } plain[] = {
        { "NAME", a->name },         { "TTL", a->ttl },
        { "MAX_HOLD", a->max_hold }, { "STEAL", steal_words[a->steal] },
        { "FOLDER", a->folder },     { "FALLBACK", fallback_words[a->fallback] },
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strlen(plain[i].word) == n && strncmp(plain[i].word, word, n) == 0) {
            fputs(plain[i].text, f);
            return;
        }
    if (strncmp(word, "DEVICES", n) == 0) {
        write_devices(f, a);
        return;
    }
    must(strncmp(word, "RENEW", n) == 0);
    must(yaml_parse_duration(a->ttl, &us));
    yaml_format_duration(third, sizeof third, us / 3 / US_PER_MS * US_PER_MS);
    fputs(third, f);
}

static void write_template(FILE *f, const struct asked *a, const char *text)
{
    for (const char *at; (at = strchr(text, '@')) != NULL;) {
        size_t n = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        bool is_word = n > 0 && at[1 + n] == '@';
        fwrite(text, 1, (size_t)(at - text), f);
        if (is_word)
            write_word(f, a, at + 1, n);
        else
            putc('@', f);
        text = is_word ? at + n + 2 : at + 1;
    }
    fputs(text, f);
}

/* Of the templates; the CI's has the name that its engine looks for. */
static const char *const files[] = { "contract.yaml", "app.yaml",  "observe.yaml",
                                     "session.yaml",  "live.yaml", "accounts.yaml",
                                     "suite.yaml" };
#define FILES (sizeof files / sizeof files[0])
static const char *const ci_files[CI_COUNT] = { NULL, "github.yml", "gitlab.yml" };

static const char *file_of(const struct asked *a, size_t i)
{
    return i < FILES ? files[i] : ci_files[a->ci];
}

static bool path_of(char path[OUTFILE_PATH_MAX], const struct asked *a, size_t i)
{
    int n = snprintf(path, OUTFILE_PATH_MAX, "%s/%s", a->folder, file_of(a, i));
    if (n >= 0 && n < OUTFILE_PATH_MAX) return true;
    fprintf(stderr, "%.60s...: the path is too long\n", a->folder);
    return false;
}

static bool all_are_new(const struct asked *a)
{
    char path[OUTFILE_PATH_MAX];
    for (size_t i = 0; i <= FILES; i++) {
        if (!file_of(a, i)) continue;
        if (!path_of(path, a, i)) return false;
        if (!outfile_is_free(path, stderr)) return false;
    }
    return true;
}

static bool write_file(const struct asked *a, size_t i)
{
    char path[OUTFILE_PATH_MAX], template[64];
    struct outfile o;
    snprintf(template, sizeof template, "tools/init/%s", file_of(a, i));
    if (!path_of(path, a, i) || !outfile_open(&o, path, stderr)) return false;
    write_template(o.f, a, asset_text(template));
    if (!outfile_commit(&o, stderr)) return false;
    printf("%s\n", path);
    return true;
}

static int write_all(const struct asked *a)
{
    if (!all_are_new(a)) return EXIT_BAD_INPUT;
    if (!record_make_folder(a->folder)) {
        fprintf(stderr, "%s: %s\n", a->folder, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    for (size_t i = 0; i <= FILES; i++)
        if (file_of(a, i) && !write_file(a, i)) return EXIT_BAD_INPUT;
    printf("\nThe client is the reference protocol, as the contract says it. Next:\n"
           "  tabquake gate %s/suite.yaml --rounds 6000\n",
           a->folder);
    return EXIT_PASSED;
}

int cmd_init(int argc, char **argv)
{
    struct asked a;
    char answer[3][ANSWER_MAX];
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!answers_fit(&a)) return EXIT_BAD_INPUT;
    if (!a.yes && !ask_questions(&a, answer)) {
        fputs("\ntabquake init: the answers ended: nothing was written\n", stderr);
        return EXIT_BAD_INPUT;
    }
    return write_all(&a);
}
