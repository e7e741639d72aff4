#!/bin/sh
# report and replay's timelines from outside: files, refusals, and both pages in a real browser.
#
#   tools/report_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# The browser is Debian's chromium; the driver comes from npm by the lock file of
# tools/browser/. Where one of them is missing that part is skipped, and says so.
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

no_leftovers() { holds "$1: nothing half-written" sh -c "! find '$2' -name '*.tmp' | grep -q ."; }

broken=scenarios/mutants/freeze-handler-relied-on.yaml
ends 0 "help of report" report --help
says "help of report shows how to call it" '^usage: .*report'
ends 2 "report of nothing" report

# ---- what a gate leaves, and the same again from its record --------------------------------
"$tabquake" gate --rounds 600 --seed e2e --progress never --out "$scratch/green" \
    >"$scratch/out" 2>&1
holds "a gate leaves report.html" test -s "$scratch/green/report.html"
"$tabquake" gate $broken --rounds 300 --seed 1 --no-mutants --set requestTimeout=401ms \
    --progress never --out "$scratch/red" >"$scratch/out" 2>&1
holds "a failing gate keeps timelines" sh -c "ls '$scratch'/red/failures/*/timeline.html >/dev/null"
for run in green red; do
    mkdir "$scratch/again"
    cp -R "$scratch/$run" "$scratch/again/kept"
    rm -r "$scratch/again/kept/plots" "$scratch/again/kept/report.html" \
        "$scratch/again/kept/gate.json" "$scratch/again/kept/junit.xml"
    ends 0 "report of $run" report "$scratch/again/kept/results.sqlite"
    says "it names the page" 'again/kept/report.html$'
    for f in report.html gate.json junit.xml summary.md plots/failover.tsv; do
        holds "$f of $run is the same again" cmp -s "$scratch/$run/$f" "$scratch/again/kept/$f"
    done
    no_leftovers "report of $run" "$scratch/again"
    rm -r "$scratch/again"
done
holds "the stored --set is in the lines to paste" \
    grep -q -- '--set requestTimeout=401ms' "$scratch/red/report.html"
for f in report.html plots/failover.svg; do
    holds "$f asks no network" sh -c "! grep -qE '(src|href)=.(https?:)?//' '$scratch/green/$f'"
done
if command -v gnuplot >/dev/null; then
    for p in failover causes holds coverage saturation; do
        holds "plot $p is drawn" grep -q '</svg>' "$scratch/green/plots/$p.svg"
        holds "its script draws it again" sh -c "cd '$scratch/green/plots' && rm $p.svg &&
            gnuplot $p.gp 2>/dev/null && grep -q '</svg>' $p.svg"
    done
    holds "they are in the page" test "$(grep -c '<svg' "$scratch/green/report.html")" = 4
else
    holds "without gnuplot the page says so" grep -q 'gnuplot was not' "$scratch/green/report.html"
fi
holds "no plot without data" test ! -e "$scratch/green/plots/trend.svg"
mkdir "$scratch/bin" && ln -s "$(command -v sh)" "$scratch/bin/sh"
(PATH="$scratch/bin" "$tabquake" report "$scratch/green/results.sqlite" --out "$scratch/bare" \
    >"$scratch/out" 2>"$scratch/err")
holds "without gnuplot report ends well" test $? = 0
holds "and says so" grep -q 'gnuplot was not installed' "$scratch/bare/report.html"

if command -v xmllint >/dev/null; then
    for run in green red; do
        holds "junit.xml of $run is what CI systems read" \
            xmllint --noout --nowarning --schema reports/junit.xsd "$scratch/$run/junit.xml" \
            2>"$scratch/err"
    done
else
    echo "skipped: junit.xml is not validated without xmllint"
fi

# ---- the trend ----------------------------------------------------------------------------
"$tabquake" gate --rounds 600 --seed e2e --no-mutants --set lease.ttl=3s --set lease.renew=1s \
    --progress never --out "$scratch/slow" >"$scratch/out" 2>&1
ends 0 "two runs" report "$scratch/green/results.sqlite" "$scratch/slow/results.sqlite" \
    --out "$scratch/trend"
says "a longer lease is worse for failover" '^WORSE .* failover p90: '
holds "the page shows it" grep -q 'id="trend"' "$scratch/trend/report.html"
ends 0 "the same run twice" report "$scratch/green/results.sqlite" \
    "$scratch/green/results.sqlite" --out "$scratch/trend"
says "nothing has moved" '^nothing moved'

# ---- a run that was killed ------------------------------------------------------------------
"$tabquake" run scenarios/chaos.yaml --rounds 400000 --seed kill --progress never \
    --out "$scratch/killed" >"$scratch/out" 2>&1 &
child=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 1
    [ "$(stat -c %s "$scratch/killed/results.sqlite" 2>/dev/null || echo 0)" -gt 300000 ] && break
done
ends 2 "report into a folder that a run writes to" report "$scratch/killed/results.sqlite"
one_sentence "that is told"
ends 0 "report of a run that goes on" report "$scratch/killed/results.sqlite" --out "$scratch/aside"
kill -KILL $child
wait $child 2>/dev/null
ends 0 "report of a killed run" report "$scratch/killed/results.sqlite"
holds "it says that the run did not end" \
    grep -q 'The run did not come to its end' "$scratch/killed/report.html"
holds "and counts what did" grep -qE '<dd>[0-9,]+ of 400,000</dd>' "$scratch/killed/report.html"

# ---- refusals: one sentence, status 2, nothing overwritten -----------------------------------
mkdir "$scratch/bad"
echo 'not a database' >"$scratch/bad/foreign.sqlite"
: >"$scratch/bad/empty.sqlite"
head -c 20000 "$scratch/green/results.sqlite" >"$scratch/bad/half.sqlite"
for f in foreign empty half absent; do
    echo mine >"$scratch/bad/report.html"
    ends 2 "report of a file that is $f" report "$scratch/bad/$f.sqlite"
    one_sentence "what is wrong with it"
    complains "it is named" "bad/$f.sqlite: "
    holds "report.html stays as it was" grep -qx mine "$scratch/bad/report.html"
done
if command -v sqlite3 >/dev/null; then
    cp "$scratch/green/results.sqlite" "$scratch/bad/newer.sqlite"
    sqlite3 "$scratch/bad/newer.sqlite" 'PRAGMA user_version = 1000'
    ends 2 "report of newer results" report "$scratch/bad/newer.sqlite"
    complains "it says so" 'newer version'
    one_sentence "newer results are told"
fi
ends 2 "one of several is bad" report "$scratch/green/results.sqlite" "$scratch/bad/foreign.sqlite"
ends 2 "a folder that cannot be made" report "$scratch/green/results.sqlite" \
    --out "$scratch/bad/report.html/x"
one_sentence "a folder that cannot be made is told"
cp "$scratch/green/results.sqlite" "$scratch/bad/results.sqlite"
ends 2 "into the folder of another run" report "$scratch/green/results.sqlite" --out "$scratch/bad"
one_sentence "another run's folder is told"
complains "with what would do" 'accepted a folder of its own'
rm "$scratch/bad/results.sqlite"
# A limit on the size of files is as good as a full disk.
cp "$scratch/green/report.html" "$scratch/whole.html"
(trap '' XFSZ && ulimit -f 30 && "$tabquake" report "$scratch/green/results.sqlite" \
    >"$scratch/out" 2>"$scratch/err")
holds "a full disk ends with 2" test $? = 2
complains "it is said" ': cannot be written'
one_sentence "a full disk is told"
holds "the older page is whole" cmp -s "$scratch/whole.html" "$scratch/green/report.html"
no_leftovers "a full disk" "$scratch/green"
ends 0 "with room again" report "$scratch/green/results.sqlite"

# ---- timelines -----------------------------------------------------------------------------
seed=$(sed -n 's|.*replay .*freeze-handler-relied-on.yaml --seed \(0x[0-9a-f]*\).*|\1|p' \
    "$scratch/red/summary.md" | head -n 1)
for f in html jsonl perfetto mermaid; do
    ends 1 "replay as $f" replay $broken --seed "$seed" --set requestTimeout=401ms --format $f \
        -o "$scratch/timeline.$f"
done
holds "a kept timeline is what replay writes" cmp -s "$scratch/timeline.html" \
    "$scratch/red/failures/freeze-handler-relied-on-$seed/timeline.html"
holds "Mermaid is a sequence diagram" grep -q '^sequenceDiagram$' "$scratch/timeline.mermaid"
holds "it says what broke" grep -q 'BROKEN no-fail-open' "$scratch/timeline.mermaid"
if command -v python3 >/dev/null; then
    holds "Perfetto's file is JSON" python3 -m json.tool "$scratch/timeline.perfetto" "$scratch/out"
fi
ends 0 "a large round" replay scenarios/chaos.yaml --seed 2 --set devices.0.tabs=36 \
    --set 'duration=[150s,150s]' --set 'operations=[40,60]' --set lease.ttl=400ms \
    --set lease.renew=50ms --format html -o "$scratch/large.html"

# ---- in a browser ----------------------------------------------------------------------------
if browser_is_there; then
    browser_claims tools/browser/report_test.js "$scratch"
    browser_claims tools/browser/trace_test.js "$scratch/timeline.perfetto"
fi

tell
