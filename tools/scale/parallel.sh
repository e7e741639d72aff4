#!/bin/sh
# A gate in N parts by GNU parallel, on this machine or on those of a login file, and joined.
#
#   tools/scale/parallel.sh N [GATE OPTIONS...]          results in out/shards/, out/merged.sqlite
#   SHARDS_ON=hosts.txt tools/scale/parallel.sh 16 …     parallel's --sshloginfile; the same
#                                                        checkout has to be at the same place
#
# Ends with the status of `tabquake merge`: the gate's, over all parts.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ $# -ge 1 ] || { echo "usage: tools/scale/parallel.sh N [GATE OPTIONS...]" >&2; exit 2; }
shards=$1
shift
out=${OUT:-$PWD/out}
tabquake=$here/build/tabquake
mkdir -p "$out/shards"
rm -f "$out/merged.sqlite"

# A part's own verdict does not count: 1 and 4 are the whole's to say.
# shellcheck disable=SC2016 # parallel's shells expand
part='cd "$1" && shift && "$@"; [ $? = 0 ] || [ $? = 1 ] || [ $? = 4 ]'
export TABQUAKE_SHARDS="$shards"
seq "$shards" | parallel ${SHARDS_ON:+--sshloginfile "$SHARDS_ON"} --env TABQUAKE_SHARDS \
    --halt now,fail=1 --jobs "${JOBS:-1}" --quote \
    sh -c "$part" part "$PWD" "$tabquake" gate --shard "{}/$shards" --progress never \
    --out "$out/shards/{}" "$@" >"$out/shards/said"
exec "$tabquake" merge "$out"/shards/*/results.sqlite -o "$out/merged.sqlite"
