#!/bin/sh
# Which branches do the tests take? Builds with gcov, runs the unit tests (and the
# end-to-end tests and a small gate, where there are any) and prints a table.
#
#   tools/coverage.sh           build/coverage/, the table, the branches that were missed
#   tools/coverage.sh --html    also build/coverage/html/index.html
#
# Ends with 1 when oracle/ is below 100% of its branches or another folder below 85%.
# Left out: lines with a must(), whose other branch is a mistake of ours, and lines
# marked LCOV_EXCL_BR_LINE, which say why beside the mark; test files; third parties.
set -eu
cd -P -- "$(dirname -- "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL CC OPT SAN CFLAGS
export LC_ALL=C

oracle_percent=100
other_percent=85

flags='CC=gcc OPT=-O0 -g --coverage'
dir=$(make -s where CC=gcc OPT='-O0 -g --coverage')
out=build/coverage
mkdir -p "$out"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
echo "coverage: $flags"

# All objects are made, so that a file that no test calls counts as 0%.
targets="${dir#"$PWD"/}/test"
[ -e tools/main.c ] && targets="$targets all"
# shellcheck disable=SC2086 # words
make -s -j "$jobs" CC=gcc OPT='-O0 -g --coverage' $targets
find "$dir" -name '*.gcda' -delete

"$dir/test" >"$out/tests.log" 2>&1 || { tail -n 20 "$out/tests.log"; exit 1; }
if [ -e tools/main.c ]; then
    for f in tools/*_e2e.sh; do
        [ -e "$f" ] || continue
        "$f" "$dir/tabquake" >"$out/e2e.log" 2>&1 || { tail -n 20 "$out/e2e.log"; exit 1; }
    done
    "$dir/tabquake" gate --rounds 200 --out "$out/gate" >"$out/gate.log" 2>&1 || [ $? = 4 ] ||
        { tail -n 20 "$out/gate.log"; exit 1; }
fi

case $(lcov --version) in
*" version 1."*) branches="--rc lcov_branch_coverage=1" ;;
*) branches="--rc branch_coverage=1 --ignore-errors unused,empty,deprecated,mismatch" ;;
esac
geninfo="--rc lcov_excl_br_line=LCOV_EXCL_BR_LINE|(^|[^a-z_])must\("
# shellcheck disable=SC2086 # words, of which none holds a space
{
    lcov -q $branches $geninfo --capture --initial -d "$dir" -b . --no-external -o "$out/none.info"
    lcov -q $branches $geninfo --capture -d "$dir" -b . --no-external -o "$out/some.info"
    lcov -q $branches -a "$out/none.info" -a "$out/some.info" -o "$out/all.info"
    lcov -q $branches -r "$out/all.info" '*_test.c' '*_fuzz.c' '*/test_main.c' '*/build/*' \
        -o "$out/ours.info"
} 2>"$out/lcov.log" || { cat "$out/lcov.log"; exit 1; }
if [ "${1:-}" = --html ]; then
    genhtml -q --branch-coverage -o "$out/html" "$out/ours.info"
    echo "coverage: $out/html/index.html"
fi

# DA:line,count  BRDA:line,block,branch,count or "-" for a line never reached
awk -v root="$PWD/" -v oracle="$oracle_percent" -v other="$other_percent" '
    function percent(a, b) { return b ? int(a * 1000 / b) / 10 : 100 }
    /^SF:/ {
        file = substr($0, 4); sub(root, "", file)
        folder = file; sub(/\/[^\/]*$/, "", folder); folders[folder] = 1
    }
    /^DA:/ { split(substr($0, 4), f, ","); lines[folder]++; if (f[2] > 0) run[folder]++ }
    /^BRDA:/ {
        split(substr($0, 6), f, ",")
        all[folder]++
        if (f[4] != "-" && f[4] > 0) taken[folder]++
        else if (last[file] != f[1]) {
            missed[folder, file] = missed[folder, file] " " f[1]
            last[file] = f[1]
        }
    }
    END {
        printf "%-14s %8s %18s %8s\n", "folder", "lines", "branches", ""
        for (d in folders) {
            wanted = d == "oracle" ? oracle : other
            low = all[d] && taken[d] * 100 < wanted * all[d]
            printf "%-14s %7.1f%% %7.1f%% of %6d %s\n", d, percent(run[d], lines[d]),
                percent(taken[d], all[d]), all[d], low ? "below " wanted "%" : "ok" | "sort"
            if (low) { bad = 1; short[d] = 1 }
        }
        close("sort")
        for (k in missed) {
            split(k, part, SUBSEP)
            if (short[part[1]]) print "missed: " part[2] ":" missed[k] | "sort"
        }
        close("sort")
        exit bad
    }' "$out/ours.info"
