#!/bin/sh
# Shrinks a failure of every mutant from outside, and holds the results to what is promised:
# the file is accepted and breaks the mutant's invariant without a seed on the command line,
# its story is a minute long, and it is small.
#
#   tools/shrink_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# A line for each mutant: what is left, whether luck is needed, how long it took. The aim is
# 3 tabs, 1 operation, 3 faults and 2 s, without a seed; a few mutants may miss it, none by far.
# The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
missed=0 lucky=0

few=12             # one mutant in so many may miss the aim, and one in so many need a seed
far="4 2 3 20"     # tabs, operations, faults, seconds that none may exceed; machines are slow
story_lines=15     # heading included

# The seed of a round in which the mutant's own invariant breaks.
failing_seed() # FILE INVARIANT
{
    for rounds in 5 40 300 1000; do # few first: run shrinks what it finds
        seed=$("$tabquake" run "$1" --rounds $rounds --seed e2e --progress never \
            --out "$scratch/run" 2>/dev/null | grep -A1 "^BROKEN $2 " |
            sed -n 's/.* --seed \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
        [ -z "$seed" ] || break
    done
    echo "$seed"
}

left() { sed -n "s/^  $1 .*-> \([0-9]*\)\$/\1/p" "$scratch/said"; }

within() # MAXIMA of tabs, operations, faults, tenths of seconds
{
    [ "$tabs" -le "$1" ] && [ "$operations" -le "$2" ] && [ "$faults" -le "$3" ] &&
        [ "$tenths" -le "$4" ]
}

longest_story()
{
    awk '/^How .* broke: / { n = 0; told = 1 }
         told && /^$/ { told = 0 }
         told && ++n > most { most = n }
         END { print most + 0 }' "$1"
}

try() # FILE
{
    name=$(basename "$1" .yaml)
    invariant=$(sed -n 's/^caught-by: *//p' "$1")
    small=$scratch/$name.yaml
    seed=$(failing_seed "$1" "$invariant")
    [ -n "$seed" ] || { fail "$name: no round of 1000 breaks $invariant"; return; }
    "$tabquake" shrink "$1" --seed "$seed" -o "$small" >"$scratch/said" 2>"$scratch/err" ||
        { fail "$name: shrink ended with $?"; cat "$scratch/err"; return; }
    "$tabquake" check "$small" >/dev/null || fail "$name: check refuses the file"
    "$tabquake" replay "$small" >"$scratch/replay"
    [ $? = 1 ] || fail "$name: the replay without a seed does not fail"
    grep -q "^$invariant *BROKEN" "$scratch/replay" || fail "$name: $invariant does not break"
    for replayed in "$small" "$1 --seed $seed"; do
        # shellcheck disable=SC2086 # a file, and perhaps a seed
        "$tabquake" replay $replayed >"$scratch/replay"
        story=$(longest_story "$scratch/replay")
        { [ "$story" -gt 1 ] && [ "$story" -le $story_lines ]; } ||
            fail "$name: a story of $story lines, replay $replayed"
    done
    tabs=$(left tabs) operations=$(left operations) faults=$(left faults)
    seconds=$(sed -n 's/^[0-9]* rounds, \([0-9.]*\) s.*/\1/p' "$scratch/said")
    tenths=$(echo "$seconds" | awk '{ print int($1 * 10) }')
    luck=calm
    grep -q '^calm: true' "$small" || { luck="a seed"; lucky=$((lucky + 1)); }
    mark=
    within 3 1 3 20 || { mark="  beyond the aim"; missed=$((missed + 1)); }
    printf '%-32s %s tabs, %s operations, %s faults, %s, %s s%s\n' "$name" "$tabs" "$operations" \
        "$faults" "$luck" "$seconds" "$mark"
    # shellcheck disable=SC2086 # four numbers
    set -- $far
    if within "$1" "$2" "$3" "$4"0; then pass; else fail "$name: far beyond the aim"; fi
}

for f in scenarios/mutants/*.yaml; do try "$f"; done

# ---- for programs ----------------------------------------------------------------------------
"$tabquake" shrink scenarios/mutants/cursor-unfenced.yaml --seed 0x2ffabf4356d11b86 \
    -o "$scratch/json.yaml" --json >"$scratch/out" 2>"$scratch/err"
if grep -q '"schema": "tabquake.shrink.v1"' "$scratch/out" &&
    grep -q '^no-stale-commit' "$scratch/err" && [ "$(head -c 1 "$scratch/out")" = '{' ]; then
    pass
else fail "--json prints the result and talks on the other stream"; fi

# ---- refusals ------------------------------------------------------------------------------
refuses() # STATUS CLAIM ARGUMENTS...
{
    expected=$1 claim=$2
    shift 2
    "$tabquake" "$@" >/dev/null 2>"$scratch/err"
    status=$?
    if [ $status = "$expected" ] && [ -s "$scratch/err" ]; then pass; else
        fail "$claim: ended with $status, expected $expected"
    fi
}
mutant=scenarios/mutants/fail-open.yaml
echo mine >"$scratch/kept"
refuses 2 "shrink without a file to write" shrink $mutant --seed 1
refuses 2 "shrink without a seed" shrink $mutant -o "$scratch/new"
refuses 2 "shrink of a suite" shrink scenarios/release-gate.yaml --seed 1 -o "$scratch/new"
refuses 2 "shrink of a round that holds" shrink scenarios/healthy.yaml --seed 1 -o "$scratch/new"
refuses 2 "shrink for an invariant that holds" shrink $mutant --seed 0xc34d0bff90150280 \
    -o "$scratch/new" --invariant lock-model
refuses 2 "shrink for an unknown invariant" shrink $mutant --seed 1 -o "$scratch/new" \
    --invariant no-fail-opem
refuses 2 "shrink without rounds" shrink $mutant --seed 1 -o "$scratch/new" --rounds 0
refuses 2 "shrink into a missing folder" shrink $mutant --seed 1 -o "$scratch/none/new"
refuses 2 "shrink onto a file" shrink $mutant --seed 1 -o "$scratch/kept"
if [ ! -e "$scratch/new" ]; then pass; else fail "a refusal left a file"; fi
if grep -qx mine "$scratch/kept"; then pass; else fail "a refusal overwrote its output"; fi

# ---- a schedule by hand ------------------------------------------------------------------------
cat >"$scratch/story.yaml" <<'END'
schema: tabquake.scenario.v1
name: by-hand
devices: [{tabs: 1}]
duration: 4s
longRounds: {share: 0%}
operations: 0
schedule:
  - {at: 1s, fault: close-waiter}
  - {at: 2s, submit: true}
  - {when: effect-unknown, fault: reload}
calm: true
END
"$tabquake" replay "$scratch/story.yaml" >"$scratch/out"
told() { grep -qF -- "$1" "$scratch/out"; }
if told 'step 1 {at: 1s, fault: close-waiter}: found nobody to act on' &&
    told 'step 3 {when: effect-unknown, fault: reload}: waited for effect-unknown, which did not' &&
    told 'ledger.terminal'; then pass; else
    fail "a step that finds nobody is told and the rest goes on"
fi

mutants=$(find scenarios/mutants -name '*.yaml' | wc -l)
[ $((missed * few)) -le "$mutants" ] || fail "$missed of $mutants mutants are beyond the aim"
[ $((lucky * few)) -le "$mutants" ] || fail "$lucky of $mutants mutants need a seed"
tell
