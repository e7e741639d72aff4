#!/bin/sh
# explore, from end to end: a scope is covered, a mistake is found and replays, bad bounds are
# refused.
#
#   tools/explore_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
scope=scenarios/explore/two-tabs.yaml

explore() # STATUS CLAIM ARGUMENTS...
{
    expected=$1 claim=$2
    shift 2
    ends "$expected" "$claim" explore "$@" \
        --contract scenarios/contracts/explore.yaml --progress never
}

explore 0 "the reference holds" $scope
says "the scope is covered" '^covered: every path within the bounds$'
holds "the last line is the verdict" test "$(tail -n 1 "$scratch/out")" = 'EXPLORE PASS'

says "what was judged is said" '^judged: safety only'

explore 1 "a leader that never comes is found" $scope --liveness \
    --mutant scenarios/mutants/asks-once.yaml
says "it is progress" '^BROKEN progress'

explore 1 "a mutant is found" $scope --mutant scenarios/mutants/receiver-ignores-fence.yaml
line=$(sed -n 's/^  .*tabquake replay /replay /p' "$scratch/out" | head -n 1)
# shellcheck disable=SC2086 # words of a command
ends 1 "its line replays it" $line
says "the replay breaks it too" BROKEN

refused()
{
    explore 2 "explore $* is refused" "$@"
    one_sentence "explore $*"
    holds "explore $*: nothing was run" test ! -s "$scratch/out"
}
refused scenarios/chaos.yaml
refused $scope --faults 0
refused $scope --set accountChanges=2
refused $scope --faults 9
refused $scope --max-depth 0
refused $scope --lasts 1.1s,1.1s
refused $scope --delay soon --delays 1
refused $scope --max-time never

explore 4 "a full table is unknown" $scope --max-states 1000
says "a full table is said" '^cut: the table is full'

tell
