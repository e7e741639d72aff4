#!/bin/sh
# The program from outside: every command, its exit status, what it leaves behind.
#
#   tools/cli_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

last_line() { tail -n 1 "$scratch/out"; }
digest_of() { sed -n 's/^digest //p' "$1"; }
same() { [ -n "$1" ] && [ "$1" = "$2" ]; }
field() { sed -n "s/.*\"$2\": *\"\([^\"]*\)\".*/\1/p" "$1" | head -n 1; }

small=scenarios/small.yaml
healthy=scenarios/healthy.yaml
mutant=scenarios/mutants/receiver-ignores-fence.yaml

# ---- usage --------------------------------------------------------------------------------
ends 0 "help" --help
for c in gate run replay judge mutants check bench; do
    ends 0 "help of $c" $c --help
    says "help of $c shows how to call it" "^usage: .*$c"
    ends 2 "unknown option of $c" $c --no-such-option x
done
ends 0 "version" --version
says "version shows the revision" "^revision "
ends 2 "no command"
ends 2 "unknown command" gaet
complains "an unknown command has a nearest one" "did you mean gate?"
ends 2 "unknown option" gate --round 5
complains "an unknown option has a nearest one" "did you mean --rounds?"
ends 2 "bad number" gate --rounds many
ends 2 "replay without a seed" replay $small
for seed in 0xyz 0x 0x11112222333344445 99999999999999999999; do
    ends 2 "a seed that looks like a number and is none" replay $small --seed $seed
    complains "it says what a seed is" "--seed: found $seed, accepted"
done
ends 0 "a word is a seed" replay $healthy --seed some-word
ends 0 "a commit hash of digits is a seed" replay $healthy \
    --seed 1234567890123456789012345678901234567890
ends 2 "judge with an unknown option" judge --frobnicate
complains "it points to the help" '^tabquake judge: .*see tabquake judge --help$'
holds "and prints nothing else" test "$(wc -l <"$scratch/err")" = 1
ends 2 "judge of a folder" judge scenarios
complains "it says why" 'scenarios: is a folder'
ends 0 "help of judge" judge --help
says "usage is what was typed" '^usage: tabquake judge HISTORY'
ends 2 "unknown mutant" mutants --only receiver-ignores-fense
complains "an unknown mutant has a nearest one" "did you mean receiver-ignores-fence?"

# ---- check ----------------------------------------------------------------------------------
ends 0 "check of what is shipped" check scenarios/*.yaml scenarios/contracts/*.yaml $mutant
printf 'schema: tabquake.scenario.v1\nname: x\nsays: y\ndevices:\n  - {tabs: 3, visble: 1}\n' \
    >"$scratch/bad.yaml"
ends 2 "check of a bad scenario" check "$scratch/bad.yaml" $small
complains "an error has file, line, key and the nearest" 'bad.yaml:5: .*visble.*visible'
says "good files are checked beside bad ones" "small.yaml: OK"
ends 2 "check of an absent file" check "$scratch/absent.yaml"
echo 'no history' >"$scratch/bad.jsonl"
ends 2 "check of a bad history" check "$scratch/bad.jsonl"

# ---- bad input leaves everything as it was -----------------------------------------------------
ends 2 "gate with a bad suite" gate "$scratch/bad.yaml" --out "$scratch/never"
ends 2 "gate with an absent contract" gate --contract "$scratch/absent.yaml" --out "$scratch/never"
ends 2 "gate with a bad override" gate --set lease.tll=1s --out "$scratch/never"
complains "a bad override has a nearest one" "did you mean lease.ttl?"
ends 2 "gate with an override that no file has a place for" \
    gate --set devices.5.tabs=3 --out "$scratch/never"
for c in run "replay --seed 1"; do
    # shellcheck disable=SC2086 # words
    ends 2 "$c with an override that no file has a place for" $c $small --set devices.5.tabs=3
    complains "it names the place" '--set: devices.5.tabs: found no file'
done
ends 2 "gate with a bad flag" gate --jobs 0 --out "$scratch/never"
ends 2 "run of a contract" run scenarios/contracts/account-outbox.yaml --out "$scratch/never"
holds "no folder was made" test ! -e "$scratch/never"
echo 'mine' >"$scratch/kept"
ends 2 "replay of a bad scenario" replay "$scratch/bad.yaml" --seed 1 -o "$scratch/kept"
holds "an output file is left alone" grep -qx mine "$scratch/kept"
mkdir "$scratch/foreign" && echo 'not a database' >"$scratch/foreign/results.sqlite"
ends 2 "gate over a file that is not ours" gate --rounds 8 --out "$scratch/foreign"
holds "a foreign file is left alone" grep -qx 'not a database' "$scratch/foreign/results.sqlite"

# ---- run ------------------------------------------------------------------------------------
ends 0 "run" run $healthy --rounds 40 --jobs 1 --seed e2e
one=$(digest_of "$scratch/out")
says "run tells seed and rate" "^seed e2e (0x"
says "run tells the speed-up" "times faster than real time"
ends 0 "run with two jobs" run $healthy --rounds 40 --jobs 2 --seed e2e
holds "the digest is the same with any jobs" same "$one" "$(digest_of "$scratch/out")"
ends 0 "run with another seed" run $healthy --rounds 40 --seed e2e2
holds "another seed is another run" test "$one" != "$(digest_of "$scratch/out")"
ends 1 "run of a mutant" run $mutant --rounds 200 --seed 1
grep -A1 '^BROKEN no-stale-commit' "$scratch/out" |
    sed -n 's|^  .*tabquake replay |replay |p' | head -n 1 \
    >"$scratch/line"
holds "a failing run prints a line to paste" test -s "$scratch/line"

says "what is not listed is counted" '^  ([0-9]* more of [a-z-]*, not looked at)$'
ends 0 "run of one fault" run scenarios/freeze-abrupt.yaml --rounds 40 --seed e2e \
    --out "$scratch/run"
says "a run of one fault tells whether it happened" \
    '^freeze-abrupt: effective in [0-9]* of 40 rounds, e.g. --seed 0x[0-9a-f]*; hits: '
holds "a run is no gate" grep -q '^# RUN PASS' "$scratch/run/summary.md"
holds "its verdict is the invariants'" test "$(field "$scratch/run/gate.json" verdict)" = pass
seed=$(sed -n 's/^freeze-abrupt: .*--seed \(0x[0-9a-f]*\);.*/\1/p' "$scratch/out")
ends 0 "its example is a round" replay scenarios/freeze-abrupt.yaml --seed "$seed"
says "in which the fault was effective" 'freeze-abrupt'

# Every line to paste has what it needs, where it is pasted.
(cd scenarios && "$tabquake" run mutants/receiver-ignores-fence.yaml --rounds 200 --seed 1 \
    --set 'network={lan: 1}' --contract contracts/account-outbox.yaml --set lease.ttl=900ms \
    --progress never --out "$scratch/elsewhere" >"$scratch/out" 2>"$scratch/err")
sets="--set 'network={lan: 1}' --set lease.ttl=900ms"
says "a line to paste carries --set" "replay mutants/.* $sets\$"
holds "in summary.md too" grep -q "replay mutants/.* $sets\$" "$scratch/elsewhere/summary.md"
holds "in junit.xml too" grep -q "replay mutants/.* $sets\$" "$scratch/elsewhere/junit.xml"
holds "in gate.json too" grep -q "\"replay\":\".* $sets\"" "$scratch/elsewhere/gate.json"
line=$(sed -n 's|^  \(.*tabquake replay .*\)|\1|p' "$scratch/out" | head -n 1)
(cd scenarios && eval "$line" >/dev/null 2>&1)
holds "pasted where the run was started it fails again" test $? = 1

# ---- replay and judge ---------------------------------------------------------------------------
# shellcheck disable=SC2046 # the line is words
ends 1 "the pasted line fails again" $(cat "$scratch/line")
says "a replay tells the story" '^=> '
says "a replay tells the verdict" 'no-stale-commit *BROKEN'
# shellcheck disable=SC2046
ends 1 "the history of a failing round" $(cat "$scratch/line") --format jsonl \
    -o "$scratch/history.jsonl"
ends 0 "check of an exported history" check "$scratch/history.jsonl"
ends 1 "judge gives the same verdict" judge "$scratch/history.jsonl"
says "judge names the same invariant" 'no-stale-commit'
"$tabquake" judge - <"$scratch/history.jsonl" >"$scratch/piped" 2>&1
holds "judge reads the standard input" test $? = 1
holds "with the same verdict" grep -q "^broken  *no-stale-commit: " "$scratch/piped"
echo nonsense | "$tabquake" judge - >"$scratch/out" 2>"$scratch/err"
holds "nonsense there is bad input" test $? = 2
complains "it is named" '^standard input:1: '
ends 0 "replay of a round that holds" replay $healthy --seed 7
cp "$scratch/out" "$scratch/first"
ends 0 "the same again" replay $healthy --seed 7
holds "a replay is the same every time" cmp -s "$scratch/out" "$scratch/first"
ends 0 "a good history" replay $healthy --seed 7 --format jsonl -o "$scratch/good.jsonl"
holds "an exported history of $healthy is judged without a broken invariant" \
    sh -c "'$tabquake' judge '$scratch/good.jsonl' >/dev/null; [ \$? != 1 ]"

ends 2 "an output file that cannot be written" replay $healthy --seed 7 -o "$scratch/none/x"
complains "it is named" 'none/x: cannot be created'
ends 2 "a results folder that cannot be made" run $healthy --rounds 8 --out "$scratch/kept/x"
mkfifo "$scratch/pipe"
ends 2 "what is no file is not replaced by one" replay $healthy --seed 7 -o "$scratch/pipe"
holds "the pipe is still there" test -p "$scratch/pipe"
ends 2 "an unknown invariant is bad input" shrink $healthy --seed 7 --invariant no-such -o x.yaml
if [ -w /dev/full ]; then
    "$tabquake" replay $healthy --seed 7 >/dev/full 2>"$scratch/err"
    holds "a full disk is no success" test $? = 2
fi

quickest() # milliseconds of the quickest of five replays
{
    for _ in 1 2 3 4 5; do
        before=$(date +%s%N)
        "$tabquake" replay scenarios/chaos.yaml --seed 3 >/dev/null 2>&1
        echo $((($(date +%s%N) - before) / 1000000))
    done | sort -n | head -n 1
}
case $(date +%N) in
*N*) ;; # no nanoseconds here
*) holds "a replay starts and ends within 0.1 s" test "$(quickest)" -lt 100 ;;
esac

# ---- gate -------------------------------------------------------------------------------------
gate() { "$tabquake" gate --jobs 2 --progress never "$@" >"$scratch/out" 2>"$scratch/err"; }
verdict_fits() # STATUS: the last line and the status say the same
{
    case $1:$(last_line) in
    "0:GATE PASS"* | "1:GATE FAIL"* | "4:GATE UNKNOWN"*) ;;
    *) return 1 ;;
    esac
}
gate --rounds 300 --seed e2e --out "$scratch/a"
status=$?
holds "last line and status of the gate agree" verdict_fits $status
says "a short gate says so" 'short: 300 of 100000 rounds'
whole=$(digest_of "$scratch/out")
for f in results.sqlite gate.json junit.xml summary.md; do
    holds "the gate leaves $f" test -s "$scratch/a/$f"
done
holds "gate.json has the digest" grep -q "$whole" "$scratch/a/gate.json"
says "every mutant is caught" '^pass *mutants '
says "the canary is red" '^pass *canary '
says "rounds can be had again" '^pass *determinism '
says "coverage of a short gate is not judged" '^(shown) *coverage .*(not judged)'
holds "summary.md has names and what they are" \
    grep -q '| dual-active | rounds with two active generations |' "$scratch/a/summary.md"
holds "junit.xml too" grep -q 'name="dual-active: rounds with' "$scratch/a/junit.xml"
gate --rounds 300 --seed e2e --jobs 1 --no-mutants --out "$scratch/b"
holds "a gate has the same digest with one job" same "$whole" "$(digest_of "$scratch/out")"
says "without mutants the condition is unknown" '^UNKNOWN *mutants '
gate --rounds 100 --json --out "$scratch/b" --no-mutants
holds "--json prints JSON alone" sh -c "head -c 1 '$scratch/out' | grep -q '{'"
holds "the verdict is not among it" sh -c "! grep -q '^GATE' '$scratch/out'"
complains "it is on the other stream" '^GATE '

# A failing suite: a mutant is a suite of one.
gate $mutant --rounds 200 --seed 1 --no-mutants --out "$scratch/red"
status=$?
holds "a broken client fails the gate" test $status = 1
holds "its last line says so" verdict_fits $status
holds "the first failures are kept as histories" \
    sh -c "ls '$scratch'/red/failures/*/history.jsonl >/dev/null"
for h in "$scratch"/red/failures/*/history.jsonl; do
    ends 1 "a kept history fails under judge" judge "$h"
done
holds "failures are grouped by invariant and faults" \
    grep -q '"name":"no-stale-commit/' "$scratch/red/gate.json"
for m in "$scratch"/red/failures/*/minimal.yaml; do
    ends 1 "the minimal scenario of a group fails" replay "$m"
    holds "its first lines say how it is played" grep -q "^#   .* replay $m\$" "$m"
done

# The same failures are accepted by a baseline, other ones are not.
gate $mutant --rounds 200 --seed 1 --no-mutants --out "$scratch/known" \
    --baseline "$scratch/red/gate.json"
holds "what the baseline has is not failed" test $? = 4
says "it is listed" '^  excused     no-stale-commit/'
says "and counted in the last line" 'baseline: [1-9][0-9]* known failure'
gate scenarios/mutants/observe-stage-writes.yaml --rounds 200 --seed 1 --no-mutants \
    --out "$scratch/new" --baseline "$scratch/red/gate.json"
holds "another failure is" test $? = 1
says "and called new" '^  new         stage-respected/'
gate $mutant --rounds 200 --no-mutants --out "$scratch/none" --baseline scenarios/chaos.yaml
holds "a baseline of another kind is bad input" test $? = 2
holds "nothing was written" test ! -e "$scratch/none"

# ---- interrupted, killed, resumed ------------------------------------------------------------
kept=scenarios/chaos.yaml
rounds=12000
begin() # SIGNAL SECONDS OPTIONS...
{
    signal=$1 after=$2
    shift 2
    "$tabquake" run $kept --rounds $rounds --seed kill --jobs 2 --progress never \
        --out "$scratch/killed" "$@" >"$scratch/out" 2>"$scratch/err" &
    child=$!
    sleep "$after"
    kill -"$signal" $child 2>/dev/null
    wait $child 2>/dev/null
}
"$tabquake" run $kept --rounds $rounds --seed kill --progress never >"$scratch/whole" 2>&1
begin TERM 0.4
status=$?
holds "an interrupted run ends with 130" test $status = 130
begin KILL 0.4 --resume
holds "a killed run ends by the signal" test $? = 137
ends 0 "a killed run goes on" run $kept --rounds $rounds --seed kill \
    --out "$scratch/killed" --resume
says "it does not begin anew" 'rounds are there already'
holds "killed and resumed equals unkilled" same "$(digest_of "$scratch/whole")" \
    "$(digest_of "$scratch/out")"
"$tabquake" gate --rounds 500000 --progress never --out "$scratch/stopped" \
    >"$scratch/stopping" 2>&1 &
child=$!
sleep 0.7
ends 2 "a second gate in the same folder" gate --rounds 8 --out "$scratch/stopped"
complains "it says so in one sentence" 'stopped: found another run that is writing here'
kill -INT $child
wait $child
holds "an interrupted gate ends with 130" test $? = 130
holds "it does not pass" sh -c "tail -n 1 '$scratch/stopping' | grep -q '^GATE [FU]'"
for f in results.sqlite gate.json junit.xml summary.md; do
    holds "an interrupted gate leaves $f" test -s "$scratch/stopped/$f"
done
"$tabquake" gate --rounds 90000 --progress never --no-mutants --out "$scratch/asked" \
    >"$scratch/out" 2>/dev/null &
child=$!
sleep 0.7
kill -INT $child
wait $child
holds "an interrupted gate names what was played and what was asked for" \
    sh -c "tail -n 1 '$scratch/out' | grep -q '(interrupted: [0-9]* of 90000 rounds)'"
ends 2 "another seed does not resume it" run $kept --rounds $rounds --seed other \
    --out "$scratch/killed" --resume
ends 2 "--resume needs a folder" run $kept --resume

# ---- bench ----------------------------------------------------------------------------------
ends 0 "bench" bench --rounds 200 --jobs 2
says "rounds allocate nothing" '^allocated in 200 rounds *\(0 bytes\|not known\)'

tell
