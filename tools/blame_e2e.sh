#!/bin/sh
# tabquake blame from outside: what it prints, writes and refuses.
#
#   tools/blame_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
mutant=scenarios/mutants/receiver-ignores-fence.yaml

# blame ARGUMENTS... : status in $status, both streams in said
blame()
{
    "$tabquake" blame "$@" >"$scratch/said" 2>&1
    status=$?
}

seed=$("$tabquake" run $mutant --rounds 200 --progress never --out "$scratch/run" 2>/dev/null |
    sed -n 's/.*replay.* --seed \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
check test -n "$seed"

blame $mutant --seed "$seed" --redraws 20 --events 16 --jobs 1 --out "$scratch/out"
check test $status = 0
check said 'no-stale-commit broke in event [0-9]* of [0-9]*; 20 re-draws an event'
check said '^jump: [0-9.]*% -> [0-9.]*% at event [0-9]*'
check test "$(head -n 1 "$scratch/out/blame.tsv" | cut -f 1,3)" = "$(printf 'event\tbroken')"
check test "$(tail -n 1 "$scratch/out/blame.tsv" | cut -f 3,4)" = "$(printf '20\t20')"
if command -v gnuplot >/dev/null; then check grep -q '</svg>' "$scratch/out/blame.svg"; fi

blame $mutant --seed "$seed" --redraws 20 --events 16 --jobs 1 --json --progress never
sed -n '/^{"command"/,$p' "$scratch/said" >"$scratch/one.json"
blame $mutant --seed "$seed" --redraws 20 --events 16 --jobs 2 --json --progress never
sed -n '/^{"command"/,$p' "$scratch/said" >"$scratch/two.json"
check test -s "$scratch/one.json"
check cmp "$scratch/one.json" "$scratch/two.json"

blame scenarios/chaos.yaml --seed 1
check test $status = 2
check said 'the round does not break any invariant: nothing to blame'
blame $mutant
check test $status = 2
blame $mutant --seed "$seed" --redraws 1
check test $status = 2
check said 'redraws'
blame $mutant --seed "$seed" --invariant no-such
check test $status = 2
blame scenarios/release-gate.yaml --seed 1
check test $status = 2

tell
