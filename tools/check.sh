#!/bin/sh
# Every check, one after another, to the end; what `make check` runs.
#
#   tools/check.sh            the daily checks
#   tools/check.sh --long     100,000 rounds, valgrind, the static analyzer, branch coverage
#   tools/check.sh WORD...    only the steps whose name holds one of the words
#
# A step that fails shows the end of its output and the rest goes on. The last line
# is "N passed, N failed": each unit test counts (in every build that it runs in), and
# every other step counts one. What could not run here is "skipped", with its reason,
# and counts as neither. Ends with 0 when nothing failed, 1 when something did, 3 when
# what the checks need is missing. Full outputs stay in build/check/.
set -u
cd -P -- "$(dirname -- "$0")/.." || exit 3

# the steps choose compilers and sanitizers themselves
unset MAKEFLAGS MFLAGS MAKELEVEL CC OPT SAN CFLAGS CPPFLAGS LDFLAGS WERROR
export LC_ALL=C UBSAN_OPTIONS=print_stacktrace=1

tools/install-deps.sh check || exit 3

logs=build/check
mkdir -p "$logs"
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
short_rounds=2000 # of the short gate
fuzz_seconds=10   # for each fuzzer
long=no
[ "${1:-}" = --long ] && { long=yes; shift; }
wanted=$*
passed=0
failed=0
trap 'echo "interrupted"; exit 130' INT TERM

# ---- how a step is run, counted and shown ---------------------------------------------------
chosen() # NAME
{
    [ -n "$wanted" ] || return 0
    for word in $wanted; do case $1 in *"$word"*) return 0 ;; esac; done
    return 1
}

show() { printf '%-34s %-8s %18s %5s s\n' "$@"; }

# step NAME COMMAND...
step()
{
    name=$1
    shift
    chosen "$name" || return 0
    log=$logs/$(echo "$name" | tr ' /+,' '----').log
    began=$(date +%s)
    "$@" >"$log" 2>&1 </dev/null && status=0 || status=$?
    seconds=$(($(date +%s) - began))
    # libcheck's summary; a run that has none, or that died, counts as one step
    counts=$(awk -F '[:, ]+' '
        /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/ {
            n += $3; bad += $5 + $7; found = 1
        }
        END { if (found) print n - bad, bad }' "$log")
    good=${counts% *} bad=${counts#* }
    if [ -z "$counts" ] || { [ "$status" != 0 ] && [ "$bad" = 0 ]; }; then
        good=$((${good:-0} + (status == 0))) bad=$((status != 0))
    fi
    passed=$((passed + good)) failed=$((failed + bad))
    if [ "$status" = 0 ] && [ "$bad" = 0 ]; then
        show "$name" ok "${counts:+$good tests}" "$seconds"
    else
        show "$name" FAILED "${counts:+$bad of $((good + bad)) tests}" "$seconds"
        echo "  ---- status $status, the end of $log:"
        tail -n 40 "$log" | sed 's/^/  | /'
    fi
}

skip() { if chosen "$1"; then printf '%-34s skipped  %s\n' "$1" "$2"; fi; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- the steps ------------------------------------------------------------------------------
build() { make -s -j "$cores" "$@"; }
sources() { find sim oracle reports tools -name '*.c' ! -path '*/node_modules/*' | sort; }

layers() { tools/check-layers.sh --self-test && tools/check-layers.sh; }
tidy() { tools/tidy.sh --self-test && tools/tidy.sh; }
# Headers and tables are laid out by hand.
format() { sources | xargs clang-format --dry-run -Werror; }
shell_scripts()
{
    find . -path ./build -prune -o -name '*.sh' ! -path '*/node_modules/*' \
        -exec shellcheck -x .ci/run {} +
}

# unit VARIABLES...: builds the tests that way and runs them, under $runner
runner=
unit()
{
    dir=$(make -s where "$@") || return
    build "$@" "${dir#"$PWD"/}/test" || return
    $runner "$dir/test"
}

# Every test is a process: to look for leaks as each ends costs three times the tests themselves.
# Leaks are valgrind's, in the long check.
sanitized()
(
    export ASAN_OPTIONS=detect_leaks=0
    unit CC=clang SAN=address,undefined
)

# The thread sanitizer's memory layout does not fit kernels that randomise more bits.
without_aslr()
{
    arch=$(uname -m)
    if have setarch && setarch "$arch" -R true 2>/dev/null; then echo "setarch $arch -R"; fi
}

threads()
(
    runner=$(without_aslr)
    unit CC=clang SAN=thread || return
    build CC=clang SAN=thread all || return
    # shellcheck disable=SC2086 # words
    proves_little $runner "$(make -s where CC=clang SAN=thread)/tabquake" gate --rounds 200 \
        --jobs 2 --out "$scratch/threads"
)

# A gate of few rounds may end as unknown; more is not asked where this stands.
proves_little()
{
    "$@"
    ended=$?
    [ $ended = 0 ] || [ $ended = 4 ]
}

# From another folder, with a path relative to it.
gate_from_elsewhere()
(
    root=$PWD
    cd "$scratch" || return
    proves_little "$root/run-gate.sh" --rounds 100 --out elsewhere && ls elsewhere/gate.json
)

no_globals() # initialised or not, in sim/ and oracle/; tables of pointers are in .data.rel.ro
{
    find build/sim build/oracle -name '*.o' ! -name '*_test.o' ! -name '*_fuzz.o' \
        -exec objdump -t {} + | awk '
            / file format / { file = $1 }
            ($4 == ".data" || $4 == ".bss") && $5 ~ /^0*[1-9a-f]/ && $3 == "O" {
                print file, "mutable global " $6; bad = 1
            }
            END { exit bad || NR == 0 }'
}

shipped() { find scenarios -name '*.yaml' | sort | xargs build/tabquake check; }
short_gate() { build/tabquake gate --rounds $short_rounds --out "$scratch/gate"; }

cppcheck_all()
{
    mkdir -p build/cppcheck
    sources | grep -v '_test\.c$' | cppcheck --file-list=- -j "$cores" -q -I. --std=c11 \
        --cppcheck-build-dir=build/cppcheck --enable=warning,performance,portability \
        --library=posix --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1
}

clang_tidy_all()
{
    # The analyzer takes minutes: it is for the long check.
    checks=''
    [ "$long" = yes ] || checks='--checks=-clang-analyzer-*'
    # One file a call: in a second one clang 14 takes every va_list for uninitialized.
    # shellcheck disable=SC2016 # the inner shell expands
    sources | grep -v '_test\.c$' | xargs -P "$cores" -n 1 sh -c \
        'clang-tidy --quiet '"$checks"' "$@" -- -std=c17 -D_POSIX_C_SOURCE=200809L -I. \
            '"$(pkg-config --cflags libpq)"' -DTQ_REVISION=\"\" -DTQ_BUILD=\"\"' clang-tidy
}

fuzz() # SOURCE: seeds are in the folder of its name, if there is one
{
    dir=$(make -s where CC=clang SAN=fuzzer,address)
    fuzzer=$dir/fuzz/${1%.c}
    build CC=clang SAN=fuzzer,address "${fuzzer#"$PWD"/}" || return
    mkdir -p "$scratch/corpus/$1" "$logs/crashes"
    set -- "$scratch/corpus/$1" "${1%.c}"
    [ -d "$2" ] || set -- "$1"
    "$fuzzer" -max_total_time=$fuzz_seconds -artifact_prefix="$logs/crashes/" -timeout=5 \
        -print_final_stats=1 "$@"
}

fuzzer_is_available()
{
    echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int
        LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 99; }' |
        clang -x c -fsanitize=fuzzer,address -o "$scratch/fuzzer" - 2>/dev/null
}

daily()
{
    step "layers" layers
    step "tidy" tidy
    step "clang-format" format
    step "shell scripts" shell_scripts
    if python3 -c 'import yaml' 2>/dev/null; then
        step "ci examples" tools/ci/check.py
    else
        skip "ci examples" "no python3-yaml"
    fi
    step "build" build all
    step "no mutable globals" no_globals
    # where cc is gcc, the folder that is built already will do
    if cc -v 2>&1 | grep -q '^gcc version'; then
        step "unit tests gcc" unit
    else
        step "unit tests gcc" unit CC=gcc
    fi
    step "unit tests clang+asan+ubsan" sanitized
    if grep -rqE '^#include <(pthread|threads)\.h>' --include='*.[ch]' \
        sim oracle reports tools; then
        step "threads tsan" threads
    else
        skip "threads tsan" "nothing uses threads"
    fi
    if [ -x tools/check-digests.sh ]; then
        step "golden digests" tools/check-digests.sh
    else
        skip "golden digests" "no tools/check-digests.sh"
    fi
    step "shipped files" shipped
    step "stories" build/tabquake stories
    step "mutants" build/tabquake mutants
    step "short gate" short_gate
    step "run-gate.sh" gate_from_elsewhere
    step "cppcheck" cppcheck_all
    step "clang-tidy" clang_tidy_all
    for f in $(sources | grep '_fuzz\.c$'); do
        if fuzzer_is_available; then
            step "fuzz $f" fuzz "$f"
        else
            skip "fuzz $f" "this clang has no libFuzzer"
        fi
    done
    for f in tools/*_e2e.sh; do
        [ -e "$f" ] && step "end to end $(basename "$f" _e2e.sh)" "$f" "$PWD/build/tabquake"
    done
}

valgrind_unit()
(
    export CK_TIMEOUT_MULTIPLIER=50
    runner="valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite"
    unit
)

long()
{
    step "build" build all
    step "full gate" build/tabquake gate --out "$scratch/gate"
    step "explore two faults" build/tabquake explore scenarios/explore/two-faults.yaml \
        --contract scenarios/contracts/explore.yaml --max-states 20000000 --progress never
    step "explore mutants" tools/explore_mutants.sh
    step "unit tests valgrind" valgrind_unit
    step "clang analyzer" clang_tidy_all
    step "branch coverage" tools/coverage.sh
}

scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
all_began=$(date +%s)
if [ $long = yes ]; then long; else daily; fi
show "all" "" "" $(($(date +%s) - all_began))
echo "$passed passed, $failed failed" | tee "$logs/summary"
[ $failed = 0 ] && [ $passed -gt 0 ]
