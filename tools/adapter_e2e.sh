#!/bin/sh
# tabquake adapter-test from outside: the shipped adapter passes; each way of being wrong is named.
#
#   tools/adapter_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
cd "$scratch" || exit 3

try() { "$tabquake" adapter-test "$@" >said 2>&1 </dev/null; status=$?; }

# The shipped ledger with one line changed: it must fail, in the case that $3 begins.
broken()
{
    sed "$1" "$here/tools/adapter/ledger.py" >broken.py
    check sh -c "! cmp -s broken.py '$here/tools/adapter/ledger.py'"
    try -- python3 broken.py
    check test $status = 1
    check said "^FAIL  *$2"
}

try -- python3 "$here/tools/adapter/ledger.py"
check test $status = 0
check said '^21 of 21 pass'

broken 's/if not self.held or r.get("fence") != self.fence:/if False:/' \
    'an old fence is refused: take'
broken 's/known = self.claims.get(r\["claim"\])/known = None/' 'a claim told again'
broken 's/and self.partition != r\["partition"\]/and False/' 'another partition waits'
broken 's/if self.sequence != self.sequence_at_claim and/if False and/' 'a lease is extended once'
broken 's/and now >= self.lease_end/and False/' 'a lease that ran out'
broken 's/and task\["state"\] != ACKED:/and False:/' 'work: take, ack, commit'
broken 's/task\["owner"\] = list(self.fence)$/pass/' 'the next generation reconciles: done'
broken 's/if r\["protocol"\] < self.protocol:/if False:/' 'an older protocol'
broken 's/if task\["protocol"\] <= r\["protocol"\]:/if True:/' 'a task that the page does not'
broken 's/if wait or not self.expired:/if not self.expired:/' 'a permit only after'
broken 's/        self.closed = True/        self.closed = False/' 'an epoch advances'
broken 's/self.no_permit_before = now + self.permit_grace/pass/' 'after a restart the old owner'
broken 's/"restart": ledger.restart,/"restart": lambda now: ledger.claims.clear(),/' \
    'a restart forgets'

# The ledger over SQL: a database in a file, and again in the same file.
sql=$(dirname -- "$tabquake")/ledger-sql
for _ in once again; do
    try -- "$sql" sqlite "$scratch/ledger.db"
    check test $status = 0
    check said '^21 of 21 pass'
done
try -- "$sql" sqlite "$scratch/ledger.db" --mistake condition-missing
check test $status = 1
check said '^FAIL  *an old fence is refused: ack'
try -- "$sql" sqlite "$scratch/not/there.db"
check test $status = 1
check said 'not/there.db: unable to open'

# Each way of not answering ends with a reason, and nothing is left behind.
try -- true
check test $status = 1
check said 'boot: the command ended'
try -- echo hello
check test $status = 1
try --timeout 50 -- sleep 600
check test $status = 4
check said 'boot: no answer within 50 ms'
check sh -c '! ps -eo args | grep -q "^[s]leep 600$"'
try -- sh -c 'while read -r l; do echo "{\"ok\": true}"; done'
check test $status = 1
check said 'claim: id: found 0, accepted 1'
try -- sh -c 'while read -r l; do echo "[1"; done'
check said 'found \[1, accepted an object of JSON'
try -- sh -c 'while read -r l; do echo "{\"ok\": true}"; echo "{}"; done'
check said 'found more than one line\|claim: '
try -- sh -c 'while read -r l; do head -c 70000 /dev/zero | tr "\\0" x; done'
check said 'bytes'

try -- ./not-there
check test $status = 2
check said 'not-there: No such file'
try
check test $status = 2
try --timeout 5 -- true
check test $status = 2

tell
