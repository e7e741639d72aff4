#!/bin/sh
# Builds what is not built and runs the release gate. The status of this script
# is the gate's: 0 pass, 1 fail, 2 bad input, 3 could not run, 4 unknown.
#
#   ./run-gate.sh                        the whole gate, reports in out/
#   ./run-gate.sh --rounds 2000          a short one
#   ../tabquake/run-gate.sh --contract my/contract.yaml --out my/reports
#
# Paths among the arguments are relative to the caller's folder, so this does
# not change into its own; the program finds scenarios/ from where it stands.
set -eu

self=$(readlink -f -- "$0" 2>/dev/null || echo "$0")
here=$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd)
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

build() { make -s --no-print-directory -C "$here" "$@"; }

# A compiler newer than ours may know more warnings; they do not stop a release.
build_all() { build -j "$jobs" all 2>/dev/null || build -j "$jobs" WERROR= all; }

# Several gates may start at once (shards on one machine): one builds, the others wait.
prepare()
{
    "$here/tools/install-deps.sh" run &&
        { ! command -v flock >/dev/null || flock 9; } &&
        build_all
}

mkdir -p "$here/build" || exit 3
prepare 9>"$here/build/.lock" >&2 || { echo "run-gate.sh: could not be built" >&2; exit 3; }
dir=$(build where) || exit 3
exec "$dir/tabquake" gate "$@"
