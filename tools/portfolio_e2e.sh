#!/bin/sh
# A suite's portfolio from outside: shares that are refused, rounds of every strategy that can be
# had again by their printed line, a digest that no number of jobs changes.
#
#   tools/portfolio_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

# suite PORTFOLIO: a suite of one scenario, in which a receiver ignores fences
suite()
{
    {
        echo 'schema: tabquake.scenario.v1'
        echo 'name: ignores-fences'
        sed -n '/^operations:/p; /^faultsDrawn:/,$p' scenarios/mutants/receiver-ignores-fence.yaml
        sed -n '/^devices:/,/^longRounds:/p' scenarios/small.yaml | grep -v '^operations:'
        echo 'policy: [receiver-ignores-fence]'
    } >"$scratch/broken.yaml"
    {
        echo 'schema: tabquake.suite.v1'
        echo 'name: s'
        echo "contract: $here/scenarios/contracts/account-outbox.yaml"
        echo "portfolio: $1"
        echo 'parts: [{scenario: broken.yaml, share: 1}]'
    } >"$scratch/suite.yaml"
}

# ---- what is refused --------------------------------------------------------------------------
suite '{uniform: 50%, pct2: 40%}'
ends 2 "shares that do not sum to 100%" run "$scratch/suite.yaml"
complains "it says the sum" 'suite.yaml:4: portfolio: found shares that sum to 90%'
suite '{uniform: 50%, pct4: 50%}'
ends 2 "an unknown strategy" run "$scratch/suite.yaml"
complains "it has a nearest one" 'portfolio.pct4: found .*did you mean pct2'
suite '{sweep: 100%}'
ends 2 "no uniform rounds" run "$scratch/suite.yaml"
complains "it says why" 'figures and intervals'
for course in pct4 mutation mutation:0/0x1 sweep:3/0x1/freeze; do
    ends 2 "the course $course" replay scenarios/small.yaml --seed 1 --course $course
    complains "it says what a course is" "--course: found $course, accepted uniform, pct2"
    one_sentence "the course $course"
done
ends 2 "a course beside --inject" \
    replay scenarios/small.yaml --seed 1 --course pct2 --inject reload@9
ends 4 "a fork that the round does not reach" \
    replay scenarios/small.yaml --seed 1 --course mutation:99999999/0x1
says "it says so" "at an event that the round does not have"

# ---- rounds of every strategy, again by their line --------------------------------------------
for strategy in pct2 pct3 sweep mutation; do
    suite "{uniform: 20%, $strategy: 80%}"
    ends 1 "a broken client is found" run "$scratch/suite.yaml" --rounds 300 --jobs 1 \
        --seed e2e --out "$scratch/$strategy"
    one=$(sed -n 's/^digest //p' "$scratch/out")
    line=$(grep -m 1 -- "--course $strategy" "$scratch/out")
    holds "$strategy: a failure has its line" test -n "$line"
    ends 1 "with two jobs" run "$scratch/suite.yaml" --rounds 300 --jobs 2 --seed e2e
    two=$(sed -n 's/^digest //p' "$scratch/out")
    holds "$strategy: the digest is the same with any jobs" test "$one" = "$two"
    # shellcheck disable=SC2086 # the line is words
    set -- $line
    shift
    ends 1 "$strategy: the line replays the failure" "$@"
    says "$strategy: it breaks again" '^[a-z-]* *BROKEN'
    ends 1 "$strategy: the line as a history" "$@" --format jsonl -o "$scratch/again.jsonl"
    same=no
    for h in "$scratch/$strategy"/failures/*-"$strategy"*/history.jsonl; do
        cmp -s "$h" "$scratch/again.jsonl" && same=yes
    done
    holds "$strategy: the same bytes as in the run" test $same = yes
done

# ---- what a run tells --------------------------------------------------------------------------
json() { grep -q -- "$2" "$scratch/$1/gate.json"; }
holds "gate.json has the strategies" json mutation '"mutation":{"rounds":2[0-9]*,'
holds "gate.json has the curve" json mutation '"curve":\[\[1,'
holds "gate.json has PCT's bound" json pct3 '"depth":3,"rounds":2'

tell
