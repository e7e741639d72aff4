#!/bin/sh
# Holds the golden digests: the same rounds on every compiler, optimisation and number of
# jobs, today and next year.
#
#   tools/check-digests.sh             four builds against scenarios/golden/digests.txt
#   tools/check-digests.sh --rewrite   after a change that is meant to change rounds
#
# The file has a line for each scenario (the digest of a few rounds) and one for a short
# run of the default suite. What is compared is what `tabquake run` prints.
set -eu
cd "$(dirname -- "$0")/.."

golden=scenarios/golden/digests.txt
seed=golden
scenario_rounds=3
suite_rounds=600
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

program() # VARIABLES...: builds that way, prints the path
{
    make -s -j "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" "$@" all >&2
    echo "$(make -s where "$@")/tabquake"
}

# A status of 1 or 4 is a verdict, and the digest is there all the same.
digest() # PROGRAM FILE ROUNDS JOBS
{
    "$1" run "$2" --rounds "$3" --jobs "$4" --seed $seed --progress never 2>&1 |
        sed -n 's/^digest //p'
}

table() # PROGRAM JOBS
{
    echo "# tools/check-digests.sh --rewrite; seed $seed; file, rounds, digest of the run"
    for f in scenarios/*.yaml; do
        rounds=$scenario_rounds
        case $f in
        scenarios/release-gate.yaml) rounds=$suite_rounds ;;
        esac
        d=$(digest "$1" "$f" $rounds "$2")
        [ -n "$d" ] || { echo "check-digests: no digest of $f" >&2; exit 1; }
        echo "$f $rounds $d"
    done
}

compare() # WHAT PROGRAM JOBS
{
    table "$2" "$3" >"$scratch/table"
    if cmp -s "$golden" "$scratch/table"; then
        echo "digests: $1: equal, $(grep -c '^scenarios' "$golden") of them"
        return
    fi
    echo "digests: $1: different (< golden, > found)"
    diff "$golden" "$scratch/table" | grep '^[<>]' || true
    failed=1
}

case ${1:-} in
--rewrite)
    p=$(program)
    mkdir -p scenarios/golden
    table "$p" 2 >"$scratch/table"
    mv "$scratch/table" $golden
    echo "digests: wrote $golden"
    exit 0
    ;;
'') ;;
*)
    echo "usage: tools/check-digests.sh [--rewrite]" >&2
    exit 2
    ;;
esac

failed=0
[ -e $golden ] || { echo "digests: no $golden; tools/check-digests.sh --rewrite makes it"; exit 1; }
for cc in gcc clang; do
    for opt in -O0 -O2; do
        command -v $cc >/dev/null || { echo "digests: $cc is not here, skipped"; continue; }
        p=$(program CC=$cc OPT=$opt)
        compare "$cc $opt, 2 jobs" "$p" 2
        [ "$cc$opt" != gcc-O2 ] || compare "$cc $opt, 1 job" "$p" 1
    done
done
exit $failed
