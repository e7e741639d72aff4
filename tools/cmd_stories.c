/* tabquake stories: every story as it is recorded, with the reference and with the naive
 * variant. A difference is shown as the lines that differ; --rewrite records what is. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/outfile.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/stories.h"
#include "tools/textdiff.h"

#define STORIES_MAX 256

struct asked {
    struct options options;
    bool rewrite, tell;
    char **file;
    uint32_t files;
};

static enum flags_outcome ask(struct asked *a, int argc, char **argv)
{
    *a = (struct asked){ .options = options_default() };
    const struct flag table[] = {
        flag_switch("rewrite", &a->rewrite, "records what is told now, beside each file"),
        flag_switch("tell", &a->tell, "prints each story whole"),
        option_contract(&a->options),
    };
    const struct flags f = {
        .command = "stories",
        .operands = "[FILE...]",
        .says = "Plays stories: with the reference every invariant holds and every step is done,"
                " with the\nnaive variant exactly the invariants break that the file names; what"
                " happens is compared\nwith FILE's .expected. Without a file: those of"
                " scenarios/stories and scenarios/field.",
        .example = "build/tabquake stories scenarios/field/F-19-frozen-leader.yaml",
        .flag = table,
        .n = sizeof table / sizeof table[0],
        .operands_max = STORIES_MAX,
    };
    enum flags_outcome read = flags_read(&f, argc, argv, &a->files, stdout, stderr);
    a->file = argv + 2;
    return read;
}

/* -- which stories -------------------------------------------------------------------- */

struct shelf {
    struct scenario *at;
    uint32_t n, tabs;
};

static bool add(struct shelf *s, const char *file)
{
    if (s->n == STORIES_MAX) {
        fprintf(stderr, "%s: found more than %d stories\n", file, STORIES_MAX);
        return false;
    }
    struct scenario *new = &s->at[s->n];
    if (!scenario_load(new, file, NULL, stderr) || !stories_whole(new, stderr)) return false;
    if (scenario_tabs(new) > s->tabs) s->tabs = scenario_tabs(new);
    s->n++;
    return true;
}

static int is_yaml(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

static bool add_folder(struct shelf *s, const char *program, const char *name)
{
    char folder[LOCATE_PATH_MAX], path[PATH_MAX_LEN];
    struct dirent **entry;
    bool ok = true;
    if (!locate_shipped(folder, program, name, stderr)) return false;
    int n = scandir(folder, &entry, is_yaml, alphasort);
    if (n < 0) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        ok = length < PATH_MAX_LEN && add(s, path) && ok;
        free(entry[i]);
    }
    free(entry);
    return ok;
}

static bool collect(struct shelf *s, const struct asked *a, const char *program)
{
    bool ok = true;
    *s = (struct shelf){ .at = calloc(STORIES_MAX, sizeof *s->at) };
    if (!s->at) {
        fputs("tabquake stories: no memory\n", stderr);
        return false;
    }
    for (uint32_t i = 0; i < a->files; i++) ok = add(s, a->file[i]) && ok;
    if (a->files == 0) ok = add_folder(s, program, "stories") && add_folder(s, program, "field");
    return ok;
}

/* -- one story ------------------------------------------------------------------------ */

/* The recorded text; "" when there is none. Owned by the caller; NULL when it cannot be read. */
static char *recorded(const char *path)
{
    char *text = NULL;
    size_t n = 0, length = 0;
    FILE *f = fopen(path, "r");
    if (!f && errno != ENOENT) return NULL;
    FILE *into = open_memstream(&text, &length);
    for (char part[4096]; into && f && (n = fread(part, 1, sizeof part, f)) > 0;)
        fwrite(part, 1, n, into);
    if (f) fclose(f);
    if (into) fclose(into);
    return text;
}

static bool record(const char *path, const char *text)
{
    struct outfile o;
    if (!outfile_open(&o, path, stderr)) return false;
    fputs(text, o.f);
    return outfile_commit(&o, stderr);
}

static enum exit_status compare(const struct scenario *s, const char *path, const char *text)
{
    char *was = recorded(path);
    enum exit_status status = EXIT_PASSED;
    if (!was) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    if (!*was) {
        printf("NOT RECORDED  %s: there is no %s; --rewrite makes it\n", s->name, path);
        status = EXIT_BROKEN;
    } else if (strcmp(was, text) != 0) {
        printf("DIFFERENT     %s: from what %s says (- recorded, + told now)\n", s->name, path);
        (void)textdiff(stdout, was, text);
        status = EXIT_BROKEN;
    } else {
        printf("ok            %s\n", s->name);
    }
    free(was);
    return status;
}

static void complain(const struct scenario *s, const char *wrong)
{
    printf("WRONG         %s\n", s->name);
    for (const char *p = wrong; *p; p += strcspn(p, "\n"), p += *p == '\n')
        printf("    %.*s\n", (int)strcspn(p, "\n"), p);
}

/* A story that is not what its file claims is never recorded. */
static enum exit_status settle(const struct asked *a, const struct scenario *s,
                               const struct stories_told *t)
{
    char path[PATH_MAX_LEN];
    if (!stories_path(path, s->file)) {
        fprintf(stderr, "%s: the path is too long\n", s->file);
        return EXIT_BAD_INPUT;
    }
    if (a->tell) printf("%s\n", t->text);
    if (t->wrong_length > 0) {
        complain(s, t->wrong);
        return EXIT_BROKEN;
    }
    if (!a->rewrite) return compare(s, path, t->text);
    if (!record(path, t->text)) return EXIT_BAD_INPUT;
    printf("recorded      %s\n", s->name);
    return EXIT_PASSED;
}

int cmd_stories(int argc, char **argv)
{
    struct asked a;
    struct inputs in;
    struct shelf shelf;
    struct player player;
    enum exit_status status = EXIT_PASSED;
    uint32_t good = 0;
    enum flags_outcome read = ask(&a, argc, argv);
    if (read != FLAGS_OK) return read == FLAGS_HELPED ? EXIT_PASSED : EXIT_BAD_INPUT;
    if (!inputs_load(&in, &a.options, argv[0], NULL, stderr)) return EXIT_BAD_INPUT;
    if (!collect(&shelf, &a, argv[0])) {
        free(shelf.at);
        inputs_free(&in);
        return EXIT_BAD_INPUT;
    }
    player_open(&player, shelf.tabs);
    for (uint32_t i = 0; i < shelf.n; i++) {
        struct stories_told t = stories_tell(&player, &shelf.at[i], &in.contract);
        enum exit_status one = settle(&a, &shelf.at[i], &t);
        good += one == EXIT_PASSED;
        status = status_of_both(status, one);
        stories_forget(&t);
    }
    printf("\n%" PRIu32 " of %" PRIu32 " stories %s\n", good, shelf.n,
           a.rewrite ? "recorded" : "as recorded");
    player_close(&player);
    free(shelf.at);
    inputs_free(&in);
    return (int)status;
}
