#!/bin/sh
# explore, from end to end: a scope is covered, a mistake is found and replays, bad bounds are
# refused. Argument: the program.
set -eu
t=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
scope=scenarios/explore/two-tabs.yaml
contract='--contract scenarios/contracts/explore.yaml --progress never'

fail() { echo "explore_e2e: $*"; exit 1; }

# shellcheck disable=SC2086  # two options
"$t" explore $scope $contract > "$tmp/held" || fail "the reference does not hold"
grep -q '^covered: every path within the bounds$' "$tmp/held" || fail "not covered"
tail -1 "$tmp/held" | grep -qx 'EXPLORE PASS' || fail "no PASS"

status=0
# shellcheck disable=SC2086
"$t" explore $scope $contract --mutant scenarios/mutants/receiver-ignores-fence.yaml \
    > "$tmp/broken" || status=$?
[ $status = 1 ] || fail "the mutant ends with $status"
line=$(sed -n 's/^  .*tabquake replay /replay /p' "$tmp/broken" | head -1)
status=0
# shellcheck disable=SC2086
"$t" $line > "$tmp/replay" || status=$?
[ $status = 1 ] || fail "the replay ends with $status"
grep -q 'BROKEN' "$tmp/replay" || fail "the replay breaks nothing"

refused() {
    status=0
    # shellcheck disable=SC2086
    "$t" explore "$@" $contract > "$tmp/out" 2> "$tmp/err" || status=$?
    [ $status = 2 ] || fail "explore $* ends with $status"
    [ "$(wc -l < "$tmp/err")" = 1 ] || fail "explore $*: not one sentence"
    [ ! -s "$tmp/out" ] || fail "explore $*: something was run"
}
refused scenarios/chaos.yaml
refused $scope --faults 0
refused $scope --set accountChanges=2
refused $scope --faults 9
refused $scope --lasts 1.1s,1.1s
refused $scope --delay soon --delays 1
refused $scope --max-time never

status=0
# shellcheck disable=SC2086
"$t" explore $scope $contract --max-states 1000 > "$tmp/full" || status=$?
[ $status = 4 ] || fail "a full table ends with $status"
grep -q '^cut: the table is full' "$tmp/full" || fail "a full table is not said"
