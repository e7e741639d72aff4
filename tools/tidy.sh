#!/bin/sh
# Refuses what the compiler lets pass and this project does not want.
#
#   tools/tidy.sh               the tree that this script stands in
#   tools/tidy.sh FOLDER        another tree
#   tools/tidy.sh --self-test   each rule refuses a line that breaks it
#
#   everywhere            lines over 100 characters, work left open, paths of one machine
#   C, everywhere         functions over 70 lines, files over 600, no opening comment
#   sim/ and oracle/      whatever makes a round depend on anything but its seed: libc's
#                         random numbers, clocks, environment, addresses, an unstable sort,
#                         floating point, dates of the build; allocation and threads
#
# Tests and fuzzers may be long and may use anything. A .c file may leave the opening
# comment to its header. The density of must() is reported, not judged.
set -eu
export LC_ALL=C

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

check() # ROOT
{
    cd "$1"
    find Makefile Containerfile run-gate.sh README.md .ci sim oracle reports tools scenarios \
        -type f ! -name '*.json' ! -name '*.svg' ! -path '*/golden/*' ! -path '*/field/*' \
        ! -path '*/node_modules/*' ! -path '*_fuzz/*' 2>/dev/null | sort |
        awk '
        BEGIN {
            no = "(^|[^A-Za-z0-9_])"     # a word begins
            call = "[ \t]*\\("
            n = 0
            ban("libc random numbers",
                no "(s?rand|rand_r|s?random|[delnmj]rand48|arc4random[a-z_]*|getrandom)" call)
            ban("a wall clock",
                no "(time|gettimeofday|clock_gettime|clock|(local|gm)time(_r)?)" call)
            ban("the environment", no "(secure_)?getenv" call)
            ban("qsort, which is not stable", no "qsort(_r)?" call)
            ban("floating point", no "(float|double)([^A-Za-z0-9_]|$)")
            ban("the date of the build", "__(DATE|TIME|TIMESTAMP)__")
            ban("allocation", no "(malloc|calloc|realloc|aligned_alloc|strn?dup)" call)
            ban("threads", "pthread")
            # who may, and what
            excuse("oracle/(stats|gate|spending)\\.[ch]", "floating point")
            excuse("sim/base/arena\\.c|sim/(plan|yaml)[a-z_]*\\.c|.*/history_file\\.c",
                   "allocation")
            # written in two parts, so that this file does not refuse itself
            open_work = no "(TO" "DO|FIX" "ME|X" "XX)([^A-Za-z0-9_]|$)"
            machine = "(^|[^A-Za-z0-9._~-])/(ho" "me|ro" "ot|Us" "ers|wo" "rk|mn" "t)/"
        }
        function ban(what, pattern) { n++; banned[n] = what; regex[n] = pattern }
        function excuse(files, what) { excuses[what] = files }
        function refuse(what) { printf "%s:%d: %s\n", file, line, what; bad++ }

        # The line without comments, and unless `strings` without what stands in quotes.
        # Whether a comment goes on is read from `inside` and left in `inside_now`.
        function code_of(text, strings,   out, at) {
            out = ""
            inside_now = inside
            while (text != "") {
                if (inside_now) {
                    at = index(text, "*/")
                    if (!at) return out
                    text = substr(text, at + 2); inside_now = 0
                } else if (match(text, /^"([^"\\]|\\.)*"/) ||
                           match(text, /^\047([^\047\\]|\\.)*\047/)) {
                    out = out (strings ? substr(text, 1, RLENGTH) : "\"\"")
                    text = substr(text, RLENGTH + 1)
                } else if (substr(text, 1, 2) == "/*") {
                    inside_now = 1; text = substr(text, 3)
                } else if (substr(text, 1, 2) == "//") {
                    return out
                } else {
                    if (!match(text, /^[^"\047\/]+/)) RLENGTH = 1
                    out = out substr(text, 1, RLENGTH); text = substr(text, RLENGTH + 1)
                }
            }
            return out
        }
        function excused(what) { return what in excuses && file ~ ("^(" excuses[what] ")$") }
        function check_purity(code, with_strings,   i) {
            for (i = 1; i <= n; i++)
                if (code ~ regex[i] && !excused(banned[i])) refuse(banned[i] " in " layer "/")
            if (with_strings ~ /%p/) refuse("an address is printed (%p) in " layer "/")
            if (code !~ /#[ \t]*define/)
                musts[layer] += gsub(/(^|[^A-Za-z0-9_])must\(/, "", code)
        }
        function check_function(text) {
            if (text ~ /^\{/) opened = line
            if (text !~ /^\}/ || !opened) return
            if (line - opened - 1 > 70) refuse("a function of " line - opened - 1 " lines, over 70")
            if (pure) functions[layer]++
            opened = 0
        }
        function check_c(text,   code, with_strings) {
            with_strings = code_of(text, 1)
            code = code_of(text, 0)
            inside = inside_now
            if (pure) check_purity(code, with_strings)
            check_function(text)
        }
        function opens_with_comment(path,   text) {
            if ((getline text < path) <= 0) return 0
            close(path)
            return text ~ /^\/\*/
        }
        function check_opening(   header) {
            line = 1
            header = file
            if (file ~ /\.c$/) sub(/(_test|_fuzz)?\.c$/, ".h", header)
            if (!opens_with_comment(file) && !(header != file && opens_with_comment(header)))
                refuse("no opening comment that says what this file is")
        }
        function check_file(   text, shown) {
            is_c = file ~ /\.[ch]$/
            tester = file ~ /_(test|fuzz)\.c$/
            layer = file; sub(/\/[^\/]*$/, "", layer)
            pure = file ~ /^(sim|oracle)\//
            wide = file ~ /\.(md|yaml|html|js|sql|gp|txt|def|expected)$/ # prose, tables
            if (file ~ /\.([ch]|def)$/) check_opening()
            inside = 0; opened = 0; line = 0; files++
            while ((getline text < file) > 0) {
                line++
                if (is_c && !tester) check_c(text)
                shown = text
                gsub(/[\200-\277]/, "", shown)
                if (!wide && length(shown) > 100)
                    refuse("a line of " length(shown) " characters, over 100")
                if (text ~ open_work) refuse("work left open")
                if (text ~ machine) refuse("a path of one machine")
            }
            close(file)
            if (is_c && !tester && line > 600) refuse("a file of " line " lines, over 600")
        }
        { file = $0; check_file() }
        END {
            for (l in functions)
                printf "%-14s must() %d.%02d a function\n", l, musts[l] / functions[l],
                    musts[l] * 100 / functions[l] % 100 | "sort"
            close("sort")
            printf "tidy: %d files, %d refused\n", files, bad
            exit bad > 0 || files == 0
        }'
}

self_test()
{
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree/sim/base" "$tree/oracle" "$tree/tools"
    failed=0
    try() # FILE TEXT
    {
        { echo '/* A file. */'; printf '%b\n' "$2"; } >"$tree/$1"
        (check "$tree") >"$tree/answer" 2>&1 && answer=0 || answer=1
        rm "$tree/$1"
        return "$answer"
    }
    say() { printf 'self-test: %s in %s: %.60s\n' "$@"; }
    accepted() { if ! try "$@"; then say refused "$@"; failed=1; fi; }
    refused() { if try "$@"; then say accepted "$@"; failed=1; fi; }
    many() { awk -v n="$1" -v text="$2" 'BEGIN { while (n--) printf "%s\\n", text }'; }

    accepted sim/a.c 'int at_time(int x);'
    accepted sim/a.c '/* time(NULL) is\n * malloc(3), a double */ int x; // rand()'
    accepted sim/a.c 'puts("a double, at time(now)");'
    accepted sim/a.c 'char quote = \047"\047; /* double */'
    accepted sim/a_test.c 'double x = malloc(1);'
    accepted sim/base/arena.c 'x = calloc(1, 2);'
    accepted oracle/gate.c 'double x;'
    accepted tools/a.c 'double x = time(NULL);'
    accepted sim/a.c "void f(void)\n{\n$(many 70 ';')}"
    accepted sim/a.c "$(many 598 ';')"
    accepted sim/a.c "/* $(many 90 'é' | tr -d '\\n') */"
    for line in 'x = rand();' 'x = random ();' 'srand(1);' 't = time(NULL);' \
        'gettimeofday(&t, 0);' 'clock_gettime(0, &t);' 'getenv("X");' 'printf("%p", x);' \
        'qsort(a, 1, 2, f);' 'float x;' 'double x;' 'x = __DATE__;' 'x = malloc(1);' \
        'x = strdup(y);' 'pthread_t x;' 'int y; /* quiet */ double x;'; do
        refused sim/a.c "$line"
        refused oracle/a.h "$line"
    done
    refused sim/base/arena.c 'double x;'
    refused oracle/gate.c 'x = malloc(1);'
    refused tools/a.c "$(many 101 x | tr -d '\\n')"
    refused tools/a.c "void f(void)\n{\n$(many 71 ';')}"
    refused tools/a.c "$(many 600 ';')"
    refused tools/a.c "/* TO""DO: later */"
    refused tools/a.sh "# FIX""ME"
    refused tools/a.sh "cd /ho""me/me"
    accepted tools/a.sh "https://example.org/ho""me/x"
    echo 'int x;' >"$tree/oracle/b.c"
    refused sim/a.c 'int y;' # b.c has no opening comment
    echo '/* What b is. */' >"$tree/oracle/b.h"
    accepted sim/a.c 'int y;' # its header has
    [ $failed = 0 ] && echo "tidy: self-test passed"
    return $failed
}

case ${1:-} in
--self-test) self_test ;;
-*) echo "usage: tools/tidy.sh [--self-test | FOLDER]" >&2; exit 2 ;;
*) check "${1:-$here/..}" ;;
esac
