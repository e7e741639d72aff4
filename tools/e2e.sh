# What the end-to-end scripts share: `. "$(dirname -- "$0")/e2e.sh"`, with the program as the
# argument (default: build/tabquake of this tree). The script is then in the tree's folder.
#
#   $tabquake, $here, $scratch       the program and the tree, absolute; a folder that goes away
#   holds CLAIM COMMAND...           counts; says the claim when the command fails
#   check COMMAND...                 the same, where the command says enough
#   ends STATUS CLAIM ARGUMENTS...   runs the program: $scratch/out, $scratch/err, $status
#   says, complains CLAIM PATTERN    of the last of `ends`: its standard output, its errors
#   one_sentence CLAIM               ... its errors are one line
#   said PATTERN                     of $scratch/said, where both streams of a call were put
#   browser_is_there                 else a sentence says what was skipped for want of what
#   browser_claims SCRIPT...         by node: prints claims that fail, last "N passed, N failed"
#   tell                             "N passed, N failed", and the status of the script
#
# shellcheck shell=sh disable=SC2034
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tabquake=${1:-$here/build/tabquake}
case $tabquake in /*) ;; *) tabquake=$PWD/$tabquake ;; esac
cd "$here" || exit 3
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }
check() { if "$@"; then pass; else fail "$*"; fi; }
holds()
{
    claim=$1
    shift
    if "$@"; then pass; else fail "$claim"; fi
}

ends()
{
    expected=$1 claim=$2
    shift 2
    "$tabquake" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    if [ $status = "$expected" ]; then pass; else
        fail "$claim: ended with $status, expected $expected: tabquake $*"
        tail -n 5 "$scratch/err" | sed 's/^/  | /'
    fi
}
says() { holds "$1" grep -q -- "$2" "$scratch/out"; }
complains() { holds "$1" grep -q -- "$2" "$scratch/err"; }
one_sentence() { holds "$1 in one sentence" test "$(wc -l <"$scratch/err")" = 1; }
said() { grep -q -e "$1" "$scratch/said" || { tail -n 20 "$scratch/said"; return 1; }; }

# Debian's chromium; the driver comes from npm by the lock file of tools/browser/.
skipped() { echo "skipped: the browser tests need $1"; return 1; }
browser_is_there()
{
    for program in node npm "${CHROMIUM:-chromium}"; do
        command -v "$program" >/dev/null || skipped "$program" || return
    done
    [ -d tools/browser/node_modules/playwright-core ] && return
    (cd tools/browser && npm ci --ignore-scripts --silent) || skipped "what npm could not install"
}
browser_claims()
{
    node "$@" >"$scratch/out" 2>&1
    sed '$d' "$scratch/out"
    last=$(tail -n 1 "$scratch/out")
    case $last in
    *' passed, '*' failed')
        passed=$((passed + ${last%% *}))
        last=${last#* passed, }
        failed=$((failed + ${last%% *}))
        ;;
    *) fail "the browser tests did not come to their end: $last" ;;
    esac
}

tell()
{
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
