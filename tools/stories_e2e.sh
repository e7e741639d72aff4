#!/bin/sh
# stories from outside: status, differences, what is recorded and what never is.
#
#   tools/stories_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# One line for each claim that does not hold; the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

story=scenarios/field/F-02-victim-steals-back
mine=$scratch/mine

ends 0 "help" stories --help
says "help shows how to call it" '^usage: .*stories'
ends 0 "every shipped story is as recorded" stories
says "at least 40 public reports are told" '^ok            F-19-frozen-leader$'
holds "40 of them" test "$(grep -cE '^ok            [FR]-?[0-9]' "$scratch/out")" -ge 40

for f in scenarios/field/*.yaml; do
    report=$(sed -n 's/^report: //p' "$f")
    holds "the README of scenarios/field lists $report" \
        grep -q "^| $report |" scenarios/field/README.md
done

# ---- refusals ------------------------------------------------------------------------------
ends 2 "no such file" stories "$scratch/none.yaml"
ends 2 "a scenario that is no story" stories scenarios/small.yaml
complains "it says what a story has" 'found a scenario that is no story, accepted one with naive'
sed 's/steal-permitted/steal-permited/' $story.yaml >"$mine.yaml"
ends 2 "an invariant that does not exist" stories "$mine.yaml"
complains "it has a nearest one" 'did you mean steal-permitted?'
ends 2 "check sees the same" check "$mine.yaml"

# ---- recording -----------------------------------------------------------------------------
cp $story.yaml "$mine.yaml"
ends 1 "a story that was never recorded" stories "$mine.yaml"
says "it says how to record it" '--rewrite makes it'
ends 0 "recording" stories --rewrite "$mine.yaml"
holds "the record is the shipped one" cmp -s $story.expected "$mine.expected"
ends 0 "as recorded" stories "$mine.yaml"
says "the last line counts" '^1 of 1 stories as recorded$'

# ---- a difference reads like a story ---------------------------------------------------------
sed 's/at: 2s, submit/at: 2500ms, submit/' $story.yaml >"$mine.yaml"
ends 1 "a story that goes otherwise" stories "$mine.yaml"
says "what was recorded" '^    -       2.006 s  operation 1 entered the outbox$'
says "what is told now" '^    +       2.506 s  operation 1 entered the outbox$'
holds "nothing was recorded" cmp -s $story.expected "$mine.expected"

# ---- what is not as the file claims is never recorded ----------------------------------------
sed 's/naive: .*/naive: [observe-stage-writes]/' $story.yaml >"$mine.yaml"
ends 1 "a naive variant that breaks nothing" stories --rewrite "$mine.yaml"
says "it says so" 'the naive variant breaks nothing, accepted exactly steal-permitted'
holds "a wrong story is not recorded" cmp -s $story.expected "$mine.expected"
sed 's/expect: settled, within: 5s/expect: settled, within: 1ms/' $story.yaml >"$mine.yaml"
ends 1 "an expectation that is not met" stories "$mine.yaml"
says "the step is named" 'step 4 {expect: settled, within: 1ms}: was not so'
sed 's/^calm: true/calm: true\npolicy: [victim-steals-back]/' $story.yaml >"$mine.yaml"
ends 1 "a reference that breaks something" stories "$mine.yaml"
says "it says which" 'the reference breaks steal-permitted, accepted nothing'

# ---- a story is a scenario like any other ----------------------------------------------------
ends 0 "replay of a story needs no seed" replay $story.yaml
ends 1 "a mutant on top of a story" run scenarios/mutants/never-suspects.yaml --rounds 1
says "the invariant is caught in its first round" 'BROKEN progress'

tell
