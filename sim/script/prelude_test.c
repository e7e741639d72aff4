/* The standard library of the simulated page, in realms without a world: each probe
 * (sim/script/prelude/X_test.js) must log what Chromium logged (golden/X.log, recorded by
 * tools/conformance/chromium.js). */
#include <JavaScriptCore/JavaScript.h>
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *prelude_suite(void);

#define PRELUDE "sim/script/prelude/"
#define PROBES PRELUDE "*_test.js"

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be opened; tests run in the root of the sources", path);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(size + 1, 1);
    ck_assert_uint_eq(fread(text, 1, size, f), size);
    fclose(f);
    return text;
}

static char *text_of(JSContextRef realm, JSValueRef value)
{
    JSStringRef s = JSValueToStringCopy(realm, value, NULL);
    ck_assert(s != NULL);
    size_t size = JSStringGetMaximumUTF8CStringSize(s);
    char *text = calloc(size, 1);
    JSStringGetUTF8CString(s, text, size);
    JSStringRelease(s);
    return text;
}

static JSValueRef member(JSContextRef realm, JSValueRef object, const char *name)
{
    JSStringRef s = JSStringCreateWithUTF8CString(name);
    JSValueRef value = JSObjectGetProperty(realm, (JSObjectRef)object, s, NULL);
    JSStringRelease(s);
    return value;
}

static void must_not_throw(JSContextRef realm, JSValueRef error, const char *where)
{
    if (error == NULL) return;
    char *what = text_of(realm, error), *stack = text_of(realm, member(realm, error, "stack"));
    ck_abort_msg("%s: %s\n%s", where, what, stack);
}

static JSValueRef evaluate(JSContextRef realm, const char *source, const char *name)
{
    JSStringRef text = JSStringCreateWithUTF8CString(source);
    JSStringRef url = JSStringCreateWithUTF8CString(name);
    JSValueRef error = NULL, value = JSEvaluateScript(realm, text, NULL, url, 1, &error);
    JSStringRelease(text);
    JSStringRelease(url);
    must_not_throw(realm, error, name);
    return value;
}

static JSValueRef evaluate_file(JSContextRef realm, const char *path)
{
    char *source = read_file(path);
    JSValueRef value = evaluate(realm, source, path);
    free(source);
    return value;
}

static JSValueRef call(JSContextRef realm, JSValueRef function, JSValueRef argument,
                       const char *where)
{
    JSValueRef error = NULL;
    JSValueRef value =
        JSObjectCallAsFunction(realm, (JSObjectRef)function, NULL, 1, &argument, &error);
    must_not_throw(realm, error, where);
    return value;
}

/* None where the tests are not run in the root of the sources. */
static glob_t found(const char *pattern)
{
    glob_t files = { 0 };
    (void)glob(pattern, 0, NULL, &files);
    return files;
}

/* A realm with the log, a host without a world and the prelude. Sets *page. */
static JSGlobalContextRef new_realm(JSValueRef *page)
{
    JSGlobalContextRef realm = JSGlobalContextCreate(NULL);
    evaluate_file(realm, "tools/conformance/log.js");
    JSValueRef host = evaluate_file(realm, "tools/conformance/host.js");
    *page = call(realm, host, JSContextGetGlobalObject(realm), "host.js");
    glob_t files = found(PRELUDE "[0-9][0-9]-*.js");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        JSValueRef file = evaluate_file(realm, files.gl_pathv[i]);
        call(realm, file, *page, files.gl_pathv[i]);
    }
    globfree(&files);
    return realm;
}

/* The first line that differs, with the heading that it stands under. */
static void same_log(const char *name, const char *log, const char *expected)
{
    const char *heading = log;
    while (*log != '\0' || *expected != '\0') {
        size_t a = strcspn(log, "\n"), b = strcspn(expected, "\n");
        if (log[0] == '#') heading = log;
        if (a != b || memcmp(log, expected, a) != 0)
            ck_abort_msg("%s, %.*s\n  Chromium: %.*s\n  here:     %.*s", name,
                         (int)strcspn(heading, "\n"), heading, (int)b, expected, (int)a, log);
        log += a + (log[a] == '\n');
        expected += b + (expected[b] == '\n');
    }
}

/* Runs the tasks of a realm until none is left and returns the log of its probes. */
static char *log_of_probes(JSContextRef realm, JSValueRef page, const char *path)
{
    evaluate(realm, "var ended; runProbes().then((text) => { ended = text; });", path);
    JSValueRef turn = member(realm, page, "turn");
    while (JSValueToBoolean(realm, call(realm, turn, page, path))) continue;
    char *log = text_of(realm, member(realm, JSContextGetGlobalObject(realm), "ended"));
    ck_assert_msg(strcmp(log, "undefined") != 0, "%s: no task is left and no end reached", path);
    return log;
}

START_TEST(logs_what_chromium_logs)
{
    glob_t probes = found(PROBES);
    const char *path = probes.gl_pathv[_i];
    JSValueRef page;
    JSGlobalContextRef realm = new_realm(&page);
    JSValueProtect(realm, page);
    evaluate_file(realm, path);
    char *log = log_of_probes(realm, page, path), recorded[256];
    const char *name = path + strlen(PRELUDE);
    int length = (int)(strlen(name) - strlen("_test.js"));
    snprintf(recorded, sizeof recorded, PRELUDE "golden/%.*s.log", length, name);
    char *expected = read_file(recorded);
    same_log(path, log, expected);
    free(expected);
    free(log);
    JSGlobalContextRelease(realm);
    globfree(&probes);
}
END_TEST

Suite *prelude_suite(void)
{
    Suite *s = suite_create("prelude");
    TCase *t = tcase_create("prelude");
    glob_t probes = found(PROBES);
    tcase_add_loop_test(t, logs_what_chromium_logs, 0, (int)probes.gl_pathc);
    globfree(&probes);
    suite_add_tcase(s, t);
    return s;
}
