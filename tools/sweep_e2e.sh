#!/bin/sh
# sweep, replay --inject and tune from outside: status, tables, lines to paste, files.
#
#   tools/sweep_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

absent() { ! grep -q -- "$1" "$scratch/out"; }
says_not() { holds "$1" absent "$2"; }
last_line() { tail -n 1 "$scratch/out"; }

small=scenarios/small.yaml
broken=scenarios/mutants/freeze-handler-relied-on.yaml
retries=scenarios/mutants/fenced-refetch-retry.yaml

for c in sweep tune; do
    ends 0 "help of $c" $c --help
    says "help of $c shows how to call it" "^usage: .*$c"
    ends 2 "unknown option of $c" $c --no-such-option x
done

# ---- sweep: refusals -----------------------------------------------------------------------
ends 2 "sweep without a fault" sweep $small
complains "it says which option is missing" '--fault: found nothing'
ends 2 "sweep of an unknown fault" sweep $small --fault freeze-abupt
complains "an unknown fault has a nearest one" 'did you mean freeze-abrupt?'
one_sentence "an unknown fault is told"
ends 2 "two faults without --pairs" sweep $small --fault close-holder,rogue-steal
one_sentence "two faults without --pairs are told"
ends 2 "a budget without --pairs" sweep $small --fault close-holder --budget 5
ends 2 "a length for a fault that has none" sweep $small --fault close-holder --lasts 3s
complains "it says so" 'this fault has none'
ends 2 "a length that is none" sweep $small --fault freeze-abrupt --lasts 3
ends 2 "sweep of a suite" sweep scenarios/release-gate.yaml --fault close-holder
ends 1 "a round that breaks by itself" sweep scenarios/mutants/observe-stage-writes.yaml \
    --fault close-holder
complains "it is not swept" 'without any fault'

# ---- sweep: the reference holds ------------------------------------------------------------
ends 0 "the reference holds a freeze at every place" sweep $small --fault freeze-abrupt --seed 4
says "phases are the rows" '^commit-in-flight  *[1-9]'
says "the last row is the sum" '^all  *[1-9]'
says_not "nothing is broken" BROKEN
holds "the last line is the verdict" test "$(last_line)" = "SWEEP PASS"
sed '/ jobs$/d' "$scratch/out" >"$scratch/whole"
ends 0 "the same with one job" sweep $small --fault freeze-abrupt --seed 4 --jobs 1
sed '/ jobs$/d' "$scratch/out" >"$scratch/one"
holds "jobs change nothing" cmp -s "$scratch/whole" "$scratch/one"
ends 4 "a fault that cannot happen proves nothing" sweep $small --fault node-partition --seed 4
says "every placement is without a target" '^all  *\([0-9]*\)  *\1 '
holds "the last line says unknown" test "$(last_line)" = "SWEEP UNKNOWN"

# ---- sweep: mutants are found, and the line can be pasted ----------------------------------
ends 1 "a client that relies on the freeze handler is found" sweep $broken --fault freeze-abrupt \
    --seed 4
says "by its invariant and in its phase" '^BROKEN no-fail-open in take-in-flight'
holds "the last line says so" test "$(last_line)" = "SWEEP FAIL"
grep -A1 '^BROKEN no-fail-open' "$scratch/out" | sed -n 's|^  [^ ]*tabquake ||p' | head -n 1 \
    >"$scratch/line"
holds "it prints a line to paste" grep -q -- '--inject freeze-abrupt@[0-9]*/1100ms$' "$scratch/line"
# shellcheck disable=SC2046 # the line is words
ends 1 "the pasted line fails again" $(cat "$scratch/line")
says "the replay tells where it was" '^injected freeze-abrupt@.* leader phase take-in-flight'
says "the replay tells the verdict" 'no-fail-open *BROKEN'
# shellcheck disable=SC2046
ends 0 "the reference holds the same placement" \
    $(sed "s|$broken|$small|; s|--inject|--set operations=[8,16] --inject|" "$scratch/line")
ends 1 "a client that fetches the newer fence is found" sweep $retries --fault sleep-device \
    --seed 4
says "by its invariant" '^BROKEN no-stale-commit'
ends 1 "a setting is in the line" sweep $broken --fault freeze-abrupt --seed 4 \
    --set requestTimeout=401ms
says "so that it plays the same round" '--set requestTimeout=401ms --inject'

# ---- sweep: pairs and JSON -----------------------------------------------------------------
ends 0 "pairs" sweep $small --fault rogue-steal,freeze-abrupt --pairs --budget 150 --seed 4
says "as many as the budget" '^150 placements'
ends 1 "JSON" sweep $broken --fault freeze-abrupt --seed 4 --json
holds "JSON alone is on standard output" sh -c "head -c 1 '$scratch/out' | grep -q '{'"
says "each broken placement is in it" '"inject":"freeze-abrupt@[0-9]*/3s"'
complains "the table is on the other stream" '^leader phase'
if command -v python3 >/dev/null; then
    holds "it is JSON" python3 -m json.tool "$scratch/out" "$scratch/json"
fi

# ---- replay --inject -----------------------------------------------------------------------
ends 2 "an injection without a place" replay $small --seed 4 --inject freeze-abrupt
one_sentence "an injection without a place is told"
ends 4 "an injection that the round does not reach" replay $small --seed 4 \
    --inject close-holder@1000000
says "it says so" 'the round has no such event'
ends 4 "an injection that finds nobody" replay $small --seed 4 --inject close-holder@1
says "it says that too" 'nobody to act on'
ends 0 "several injections" replay $small --seed 4 --inject close-holder@100,freeze-abrupt@300/1s
holds "each is told" test "$(grep -c '^injected ' "$scratch/out")" = 2

# ---- tune ----------------------------------------------------------------------------------
ends 2 "a ttl below twice the renewal" tune $small --ttl 500ms --renew 333ms
complains "it says what is accepted" 'lease.renew: found 333ms, accepted less than half'
one_sentence "a ttl below twice the renewal is told"
ends 2 "a ttl over maxHold" tune $small --ttl 40s --out "$scratch/never"
holds "no folder was made" test ! -e "$scratch/never"
ends 2 "an empty value" tune $small --ttl 1s,
ends 2 "an unknown rule" tune $small --steal sometimes
ends 0 "tune" tune $small --ttl 800ms,1s,2s --rounds 200 --seed e2e --out "$scratch/tune"
says "the contract is marked" '^C .* 1s '
says "something is on the frontier" '^. \* '
holds "the table has a line for each setting" test "$(wc -l <"$scratch/tune/tune.tsv")" = 4
grep -v 'gnuplot\|tune\.' "$scratch/out" >"$scratch/whole"
if command -v gnuplot >/dev/null; then
    holds "the plot is drawn" grep -q '</svg>' "$scratch/tune/tune.svg"
    says "and named" 'tune.svg: the plot'
    holds "the script draws it again" \
        sh -c "cd '$scratch/tune' && rm tune.svg && gnuplot tune.gp && grep -q '</svg>' tune.svg"
else
    says "without gnuplot there is no plot" 'gnuplot is not installed'
fi
ends 0 "the same with one job" tune $small --ttl 800ms,1s,2s --rounds 200 --seed e2e --jobs 1
grep -v 'gnuplot\|tune\.' "$scratch/out" >"$scratch/one"
holds "jobs change nothing" cmp -s "$scratch/whole" "$scratch/one"
ends 4 "nobody fails over where nobody leads" tune scenarios/stage-observe.yaml --ttl 1s \
    --rounds 20 --out "$scratch/tune"
says "then there is no plot" 'no plot: nobody failed over'
holds "nor an old one" test ! -e "$scratch/tune/tune.svg"
ends 1 "a broken client breaks under every setting" tune $broken --ttl 800ms --rounds 200
grep -A1 '^BROKEN' "$scratch/out" | sed -n 's|^  [^ ]*tabquake ||p' | head -n 1 >"$scratch/line"
says "the line has the setting" '--set lease.ttl=800ms --set lease.renew=266ms$'
# shellcheck disable=SC2046
ends 1 "the pasted line fails again" $(cat "$scratch/line")
ends 0 "JSON of tune" tune $small --ttl 800ms --rounds 50 --json
says "it has the settings" '"lease.ttl":"800ms"'

tell
