#!/bin/sh
# Long runs: killed at any moment and resumed, stopped by a full disk, memory that stays flat.
#
#   tools/longrun_e2e.sh [PROGRAM]            default: build/tabquake of this tree
#   TABQUAKE_ROUNDS=1000000 tools/longrun_e2e.sh     the length of the flat run (default 20,000)
#   TABQUAKE_KILLS=seed tools/longrun_e2e.sh  the moments of the kills again
#
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

scenario=scenarios/chaos.yaml
flat_rounds=${TABQUAKE_ROUNDS:-20000}
kills=${TABQUAKE_KILLS:-$$}

digest_of() { sed -n 's/^digest //p' "$1"; }
stored() # FILE: the rounds that the database says it holds; nothing when it is not to be read
{
    "$tabquake" report "$1" --out "$scratch/aside" --json 2>"$scratch/err" >"$scratch/json" &&
        node -e 'const g = JSON.parse(require("fs").readFileSync(process.argv[1]));
                 console.log(g.rounds)' "$scratch/json"
}
# The last count that a run has shown: it is rewritten on one line.
shown() { tr '\r' '\n' <"$1" | sed -n 's/^ *\([0-9,]*\) of .*/\1/p' | tr -d , | tail -n 1; }

# ---- killed at random moments -------------------------------------------------------------------
# What a process had not handed over is lost with it: of each worker its blocks of the last second,
# and what the store had not flushed, a second more.
rounds=16000
"$tabquake" run $scenario --rounds $rounds --seed kill --jobs 2 --progress never \
    --out "$scratch/unkilled" >"$scratch/whole" 2>&1
before=0 lost_most=0 killed=0
for n in 1 2 3 4 5 6; do
    after=$(awk -v seed="$kills$n" 'BEGIN { srand(seed); printf "%.2f", 0.05 + 2.5 * rand() }')
    resume='' && [ -e "$scratch/killed/results.sqlite" ] && resume=--resume
    # shellcheck disable=SC2086 # none or one word
    "$tabquake" run $scenario --rounds $rounds --seed kill --jobs 2 --progress always \
        --out "$scratch/killed" $resume >"$scratch/out" 2>"$scratch/progress" &
    child=$!
    sleep "$after"
    kill -KILL $child 2>/dev/null && killed=$((killed + 1))
    wait $child 2>/dev/null
    done_then=$(shown "$scratch/progress")
    [ -e "$scratch/killed/results.sqlite" ] || continue # killed before there was one
    there=$(stored "$scratch/killed/results.sqlite")
    holds "kill $n of $kills, after $after s: the database can be read" test -n "$there"
    holds "kill $n of $kills, after $after s: nothing is lost that was there" \
        test "${there:-0}" -ge "$before"
    lost=$((${done_then:-0} - ${there:-0}))
    [ $lost -gt $lost_most ] && lost_most=$lost
    before=${there:-$before}
done
holds "most runs were killed" test $killed -ge 3
ends 0 "the rest" run $scenario --rounds $rounds --seed kill --out "$scratch/killed" --resume
holds "killed $killed times and resumed equals unkilled ($kills)" \
    test "$(digest_of "$scratch/whole")" = "$(digest_of "$scratch/out")"
holds "no round is there twice" test "$(stored "$scratch/killed/results.sqlite")" = $rounds
echo "killed $killed times: $lost_most of $rounds rounds lost at most by one of them"

# ---- a disk that is full ---------------------------------------------------------------------
# A limit on the size of files is as good: after a while the database takes no more.
size=$(stat -c %s "$scratch/unkilled/results.sqlite")
(trap '' XFSZ && ulimit -f $((size * 9 / 10 / 512)) && exec "$tabquake" run $scenario \
    --rounds $rounds --seed kill --progress never --out "$scratch/full" \
    >"$scratch/out" 2>"$scratch/err")
holds "a full disk ends with 2" test $? = 2
one_sentence "a full disk is told"
complains "it is named" 'full/results.sqlite: cannot be written: '
there=$(stored "$scratch/full/results.sqlite")
holds "the database is valid, with what had been written" test "${there:-0}" -gt 0
ends 0 "with room it goes on" run $scenario --rounds $rounds --seed kill \
    --out "$scratch/full" --resume
holds "to the same end" test "$(digest_of "$scratch/whole")" = "$(digest_of "$scratch/out")"

# ---- memory ----------------------------------------------------------------------------------
resident() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status" 2>/dev/null; }
if [ -r /proc/self/status ]; then
    : >"$scratch/counts"
    "$tabquake" run $scenario --rounds "$flat_rounds" --seed flat --jobs 2 --progress always \
        --out "$scratch/flat" >"$scratch/out" 2>"$scratch/counts" &
    child=$! early='' late=''
    while kill -0 $child 2>/dev/null; do
        now=$(shown "$scratch/counts")
        [ -z "$early" ] && [ "${now:-0}" -gt $((flat_rounds / 10)) ] && early=$(resident $child)
        seen=$(resident $child)
        late=${seen:-$late}
        sleep 0.2
    done
    wait $child
    holds "$flat_rounds rounds end well" test $? = 0
    holds "memory stays flat: ${early:-?} KiB after a tenth, ${late:-?} KiB at the end" \
        test "${late:-9999999}" -le $((${early:-0} + 6 * 1024)) # SQLite's pages, the reports
    size=$(stat -c %s "$scratch/flat/results.sqlite")
    echo "$flat_rounds rounds: ${early:-?} KiB after a tenth, ${late:-?} KiB at the end," \
        "$((size / flat_rounds)) bytes a round on disk"
else
    echo "skipped: memory is not measured without /proc"
fi

tell
