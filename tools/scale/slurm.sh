#!/bin/sh
# A gate in N parts as a Slurm job array, and joined by a job that waits for it.
#
#   tools/scale/slurm.sh N [GATE OPTIONS...]     on a folder that all nodes see
#
# Each task takes its number from the array (SLURM_ARRAY_TASK_ID, _COUNT). Prints the number of
# the joining job, whose exit status is the gate's: `sbatch --wait` semantics with WAIT=yes.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ $# -ge 1 ] || { echo "usage: tools/scale/slurm.sh N [GATE OPTIONS...]" >&2; exit 2; }
shards=$1
shift
out=${OUT:-$PWD/out}
mkdir -p "$out/shards"
rm -f "$out/merged.sqlite"

# A part's own verdict does not count: 1 and 4 are the whole's to say.
array=$(sbatch --parsable --array="1-$shards" --job-name=tabquake --cpus-per-task="${CPUS:-1}" \
    --output="$out/shards/%a.log" <<EOF
#!/bin/sh
"$here/build/tabquake" gate --jobs "${CPUS:-1}" --progress never \
    --out "$out/shards/\$SLURM_ARRAY_TASK_ID" $*
status=\$?
[ \$status = 0 ] || [ \$status = 1 ] || [ \$status = 4 ]
EOF
)
sbatch ${WAIT:+--wait} --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes \
    --job-name=tabquake-merge --output="$out/shards/merge.log" <<EOF
#!/bin/sh
exec "$here/build/tabquake" merge "$out"/shards/*/results.sqlite -o "$out/merged.sqlite"
EOF
