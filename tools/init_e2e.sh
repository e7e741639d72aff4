#!/bin/sh
# tabquake init from outside: what it writes is whole and passes a gate, what it refuses.
#
#   tools/init_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
cd "$scratch" || exit 3

init() { "$tabquake" init "$@" >said 2>&1 </dev/null; status=$?; }

init mine --name orders --tabs 9 --devices 3 --ttl 1500ms --steal never --ci gitlab
check test $status = 0
for f in contract app observe session live accounts suite gitlab; do
    check test -s "$(echo mine/$f.y*ml)"
done
check test ! -e mine/github.yml
check sh -c "! grep -l '@[A-Z_]*@' mine/*"
check grep -q 'lockName: app:leader:orders:v1' mine/contract.yaml
check grep -q 'ttl: 1500ms' mine/contract.yaml
check grep -q 'renew: 500ms' mine/contract.yaml
check grep -q 'steal: never' mine/contract.yaml
check grep -q '  - tabs: 9' mine/app.yaml
check test "$(grep -c 'tabs: 4, visible: 1' mine/app.yaml)" = 2
check grep -q 'mine/suite.yaml' mine/gitlab.yml
check "$tabquake" check mine/contract.yaml mine/app.yaml mine/observe.yaml mine/suite.yaml \
    mine/session.yaml mine/live.yaml mine/accounts.yaml

# What is written by default holds under its own gate, as far as so few rounds can tell.
init theirs
check test $status = 0
"$tabquake" gate theirs/suite.yaml --rounds 6000 --progress never --out out >said 2>&1
check test $? = 0
check said '^GATE PASS '

before=$(cat mine/*.y*ml | cksum)
init mine --name other
check test $status = 2
check said 'mine/contract.yaml: found a file that is there already'
check test "$(cat mine/*.y*ml | cksum)" = "$before"
rm mine/contract.yaml
init mine
check test $status = 2
check test ! -e mine/contract.yaml

init new --name 'A b'
check test $status = 2
check said "name: found A b, accepted a-z"
init new --ttl 5
check test $status = 2
check said "ttl: found 5, accepted a duration"
init new --steal sometimes
check test $status = 2
init new --tabs 1
check test $status = 2
check test ! -e new
init
check test $status = 2

tell
