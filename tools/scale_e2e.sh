#!/bin/sh
# Shards and their join from outside: the whole equals the run in one piece, what does not belong
# together is refused, and the engines really run it.
#
#   tools/scale_e2e.sh [PROGRAM]     default: build/tabquake of this tree
#
# GNU parallel and Slurm are used where they are installed; Slurm is started here, one node on
# loopback, and stopped again (as root only). The last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"
daemons=
finish()
{
    # shellcheck disable=SC2086 # a list
    [ -z "$daemons" ] || { kill $daemons && wait $daemons; } 2>/dev/null
    rm -rf "$scratch"
}
trap finish EXIT
suite=scenarios/chaos.yaml
rounds=600

merge() { "$tabquake" merge "$@" >"$scratch/said" 2>&1; status=$?; }
gate() # OUT OPTIONS...
{
    out=$1
    shift
    "$tabquake" gate $suite --rounds $rounds --seed scale --no-mutants --progress never \
        --out "$scratch/$out" "$@" >"$scratch/said" 2>&1
}
digest() { sed -n 's/^digest //p' "$1"; }
# Conditions but those of this process alone: rounds run again, and what was short.
conditions() { grep -E '^(pass|FAIL|UNKNOWN|\(shown\)) ' "$1" | grep -v ' determinism '; }

gate whole --jobs 2
cp "$scratch/said" "$scratch/whole.txt"
for i in 1 2 3; do gate $i --shard $i/3 --jobs 1; done
check said '^GATE [A-Z]* (shard 3 of 3: [0-9]* rounds)'
merge "$scratch"/2/results.sqlite "$scratch"/3/results.sqlite "$scratch"/1/results.sqlite \
    -o "$scratch/all.sqlite"
check test $status = 4 # no mutants
check said '^3 shards'
check test "$(digest "$scratch/said")" = "$(digest "$scratch/whole.txt")"
conditions "$scratch/said" >"$scratch/a"
conditions "$scratch/whole.txt" >"$scratch/b"
check test -s "$scratch/a"
check cmp "$scratch/a" "$scratch/b"
"$tabquake" report "$scratch/all.sqlite" --out "$scratch/report" >/dev/null 2>&1
check test $? = 0
check test -s "$scratch/report/report.html"

# what does not belong together
merge "$scratch"/1/results.sqlite "$scratch"/3/results.sqlite -o "$scratch/x.sqlite"
check test $status = 2
check said 'shard 2 of 3 is missing'
merge "$scratch"/1/results.sqlite "$scratch"/1/results.sqlite -o "$scratch/x.sqlite"
check test $status = 2
check said 'shard 1 of 3, which .* is already'
gate other --shard 2/3 --set requestTimeout=500ms
merge "$scratch"/1/results.sqlite "$scratch"/other/results.sqlite "$scratch"/3/results.sqlite \
    -o "$scratch/x.sqlite"
check test $status = 2
check said 'other/results.sqlite: a run with another [a-z]* than the first'
gate more --shard 2/4
merge "$scratch"/1/results.sqlite "$scratch"/more/results.sqlite -o "$scratch/x.sqlite"
check test $status = 2
check said 'another number of shards'
merge "$scratch"/whole.txt -o "$scratch/x.sqlite"
check test $status = 2
merge "$scratch"/[123]/results.sqlite -o "$scratch/all.sqlite"
check test $status = 2
check said 'is there already'
check test ! -e "$scratch/x.sqlite"
check test ! -e "$scratch/x.sqlite.tmp"
gate bad --shard 4/3
check test $? = 2
check test ! -e "$scratch/bad"

# the environment says which
TABQUAKE_SHARDS=3 JOB_COMPLETION_INDEX=1 gate env
check said 'shard 2 of 3 (JOB_COMPLETION_INDEX of TABQUAKE_SHARDS)'
merge "$scratch"/1/results.sqlite "$scratch"/env/results.sqlite "$scratch"/3/results.sqlite \
    -o "$scratch/y.sqlite"
check test "$(digest "$scratch/said")" = "$(digest "$scratch/whole.txt")"

# a broken client: its failures and groups come through
mutant=scenarios/mutants/receiver-ignores-fence.yaml
for i in 1 2; do
    "$tabquake" gate $mutant --rounds 200 --no-mutants --progress never --shard $i/2 \
        --out "$scratch/red$i" >/dev/null 2>&1
done
merge "$scratch"/red1/results.sqlite "$scratch"/red2/results.sqlite -o "$scratch/red.sqlite"
check test $status = 1
check said '^BROKEN no-stale-commit '

# ---- engines ------------------------------------------------------------------------------
if command -v parallel >/dev/null; then
    OUT=$scratch/par JOBS=2 tools/scale/parallel.sh 3 $suite --rounds $rounds --seed scale \
        --no-mutants --jobs 1 >"$scratch/said" 2>&1
    check test $? = 4
    check test "$(digest "$scratch/said")" = "$(digest "$scratch/whole.txt")"
else
    echo "skipped: GNU parallel is not installed"
fi

# One node that is this machine, without any other service: its own munge, its own ports.
start_slurm()
{
    etc=$scratch/slurm
    mkdir -p "$etc/state" "$etc/spool" "$etc/munge"
    chmod 755 "$scratch" "$etc"
    chmod 700 "$etc/munge"
    dd if=/dev/urandom of="$etc/munge/key" bs=1024 count=1 2>/dev/null
    chmod 400 "$etc/munge/key"
    munged --foreground --key-file="$etc/munge/key" --socket="$etc/munge/socket" --force \
        --pid-file="$etc/munge/pid" --log-file="$etc/munge/log" --seed-file="$etc/munge/seed" \
        >"$etc/munged.log" 2>&1 &
    daemons="$daemons $!"
    host=$(hostname -s)
    cat >"$etc/slurm.conf" <<EOF
ClusterName=tabquake
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$etc/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation=$etc/state
SlurmdSpoolDir=$etc/spool
SlurmctldPidFile=$etc/slurmctld.pid
SlurmdPidFile=$etc/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(getconf _NPROCESSORS_ONLN) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
    export SLURM_CONF="$etc/slurm.conf"
    sleep 1
    slurmctld -D >"$etc/slurmctld.log" 2>&1 &
    daemons="$daemons $!"
    slurmd -D >"$etc/slurmd.log" 2>&1 &
    daemons="$daemons $!"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
        sleep 1
    done
    tail -n 3 "$etc"/*.log
    return 1
}

if command -v slurmctld >/dev/null && command -v munged >/dev/null && [ "$(id -u)" = 0 ]; then
    if start_slurm; then
        OUT=$scratch/slurmed WAIT=yes tools/scale/slurm.sh 3 $suite --rounds $rounds \
            --seed scale --no-mutants >/dev/null 2>&1
        check test $? = 4
        check test "$(digest "$scratch/slurmed/shards/merge.log")" = \
            "$(digest "$scratch/whole.txt")"
        check grep -q 'shard 2 of 3 (SLURM_ARRAY_TASK_ID' "$scratch/slurmed/shards/2.log"
    else
        echo "skipped: Slurm does not start on this machine"
    fi
else
    echo "skipped: Slurm is not installed, or this is not root"
fi

tell
