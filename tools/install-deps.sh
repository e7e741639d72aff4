#!/bin/sh
# Makes sure that what the build needs is there; silent when it is.
#
#   tools/install-deps.sh run      to build and run the gate
#   tools/install-deps.sh check    that, and what `make check` needs (the default)
#
# Debian and Ubuntu: installs what is missing, as root or through sudo. Without
# the right to do so it prints the one line to run. Elsewhere it prints what is
# missing. Ends with 0 when everything is there, with 3 otherwise.
#
# Something is there when its package is installed, or when its command or its
# pkg-config name is found: a compiler need not come from a package.
set -u

# package, and the command or (with a colon) the pkg-config name that shows it
run_set="
libc6-dev :c
gcc gcc
make make
pkg-config pkg-config
libsqlite3-dev :sqlite3
libyaml-dev :yaml-0.1
libjansson-dev :jansson
libxxhash-dev :libxxhash
"
check_set="
check :check
libpq-dev :libpq
postgresql pg_createcluster
clang clang
libclang-rt-dev :clang-rt
clang-tidy clang-tidy
clang-format clang-format
cppcheck cppcheck
valgrind valgrind
lcov lcov
gnuplot-nox gnuplot
shellcheck shellcheck
nodejs node
npm npm
chromium chromium
libxml2-utils xmllint
python3-yaml python3-yaml
parallel parallel
munge munged
slurm-wlm slurmctld
"

have() { command -v "$1" >/dev/null 2>&1; }

# The C library has no pkg-config name: ask the compiler. Likewise clang's run-time library.
compiles_c() { echo '#include <stdio.h>' | ${CC:-cc} -E - >/dev/null 2>&1; }
has_clang_rt()
{
    have clang || return 1
    for f in "$(clang -print-resource-dir)"/lib/*/libclang_rt.asan*; do
        [ -e "$f" ] && return 0
    done
    return 1
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

present() # PACKAGE PROBE
{
    case $2 in
    :c) compiles_c ;;
    :clang-rt) has_clang_rt ;;
    :*) have pkg-config && pkg-config --exists "${2#:}" ;;
    *) have "$2" ;;
    esac || { have dpkg-query && installed "$1"; }
}

missing_of() # TABLE
{
    echo "$1" | while read -r package probe; do
        [ -n "$package" ] || continue
        present "$package" "$probe" || echo "$package"
    done
}

# The run-time library's package carries clang's major version: of the clang that is
# there, else of the one that would be installed.
clang_rt_package()
{
    if have clang; then
        major=$(clang -dumpversion | cut -d. -f1)
    else
        major=$(apt-cache policy clang 2>/dev/null |
            sed -n 's/^ *Candidate: *\([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p')
    fi
    if [ -n "$(apt-cache show --no-all-versions "libclang-rt-$major-dev" 2>/dev/null)" ]; then
        echo "libclang-rt-$major-dev"
    else
        echo "libclang-common-${major:-14}-dev" # before the two were split
    fi
}

# Names as apt knows them, on one line.
packages()
{
    for p in $missing; do
        if [ "$p" = libclang-rt-dev ]; then clang_rt_package; else echo "$p"; fi
    done | tr '\n' ' ' | sed 's/ $//'
}

case ${1:-check} in
run) table=$run_set ;;
check) table=$run_set$check_set ;;
*) echo "usage: tools/install-deps.sh [run|check]" >&2; exit 2 ;;
esac

missing=$(missing_of "$table")
[ -n "$missing" ] || exit 0

if ! have apt-get; then
    echo "needed and not found (names as in Debian): $(echo "$missing" | tr '\n' ' ')" >&2
    exit 3
fi

if [ "$(id -u)" = 0 ]; then
    as_root="env"
elif have sudo && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
elif have sudo && [ -t 0 ] && [ -t 2 ]; then
    as_root="sudo"
else
    echo "run: sudo apt-get install -y $(packages)"
    exit 3
fi

apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
echo "installing: $(echo "$missing" | tr '\n' ' ')" >&2
log=$(mktemp) || exit 3
trap 'rm -f "$log"' EXIT
$apt update >"$log" 2>&1 || cat "$log" >&2 # a dead mirror need not matter
# shellcheck disable=SC2046,SC2086 # lists of words
if ! $apt install -y --no-install-recommends $(packages) >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "run: sudo apt-get install -y $(packages)"
    exit 3
fi
missing=$(missing_of "$table")
[ -z "$missing" ] && exit 0
echo "installed, and still not found: $missing" >&2
exit 3
