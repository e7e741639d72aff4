#!/bin/sh
# Which mutants `explore` finds, and in which scope; ten minutes on two cores.
#
#   tools/explore_mutants.sh             compares with scenarios/explore/mutants.txt
#   tools/explore_mutants.sh --rewrite   writes it
#   tools/explore_mutants.sh NAME...     these alone, printed
#
# Each mutant is looked for in one way after the other until one finds it. A way that fills its
# table of states without finding anything proves nothing, and the next one is tried.
set -eu
cd "$(dirname -- "$0")/.."

table=scenarios/explore/mutants.txt
found=$(mktemp)
trap 'rm -f "$found"' EXIT

ways()
{
    cat <<END
two-tabs
two-devices
two-tabs --delays 1
two-tabs --liveness
two-devices --delays 1
END
}

look() # NAME: a line of the table
{
    ways | while read -r scope options; do
        # shellcheck disable=SC2086 # words, or none
        broken=$(build/tabquake explore "scenarios/explore/$scope.yaml" $options \
            --contract scenarios/contracts/explore.yaml --mutant "scenarios/mutants/$1.yaml" \
            --progress never 2>/dev/null | sed -n 's/^BROKEN \([^ ]*\) .*/\1/p' | head -n 1)
        if [ -n "$broken" ]; then
            printf '%-32s %-26s %s\n' "$1" "$broken" "$scope${options:+ $options}"
            break
        fi
    done >"$found"
    if [ -s "$found" ]; then cat "$found"; else printf '%-32s -\n' "$1"; fi
}

case ${1:-} in
'' | --rewrite) ;;
*)
    for name; do look "$name"; done
    exit 0
    ;;
esac

now=$(mktemp)
trap 'rm -f "$found" "$now"' EXIT
{
    echo "# tools/explore_mutants.sh --rewrite; mutant, invariant, scope and options that find it"
    for f in scenarios/mutants/*.yaml; do look "$(basename "$f" .yaml)"; done
} >"$now"
if [ "${1:-}" = --rewrite ]; then
    cp "$now" $table
    echo "$table: $(grep -vc -e '^#' -e ' -$' $table) of $(grep -vc '^#' $table) found"
else
    diff $table "$now" && echo "as recorded"
fi
