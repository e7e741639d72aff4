#!/bin/sh
# Refuses an #include that crosses tools/layers.txt.
#
#   tools/check-layers.sh               the tree that this script stands in
#   tools/check-layers.sh FOLDER        another tree, by the same table
#   tools/check-layers.sh --self-test   each kind of forbidden include is refused
#
# Our own includes are written from the root and must exist there. What a file may
# include, its headers may too, so nothing is reached on a detour.
set -eu
export LC_ALL=C

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
table=$here/layers.txt

check() # ROOT
{
    cd "$1"
    # shellcheck disable=SC2016 # the program is awk's
    find sim oracle reports tools -name '*.[ch]' -o -name '*.def' 2>/dev/null | sort |
        awk -v table="$table" '
        function refuse(what) { printf "%s:%d: %s\n", file, line, what; bad++ }
        function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
        function matches(path, pattern) {
            gsub(/\./, "\\.", pattern); gsub(/\*/, ".*", pattern)
            return path ~ ("^" pattern "$")
        }
        function read_table(   text, word, n, i) {
            while ((getline text < table) > 0) {
                sub(/#.*/, "", text)
                n = split(text, word)
                if (n == 0) continue
                if (word[1] != "std") known[word[1]] = 1
                for (i = 2; i <= n; i++)
                    if (word[1] == "std") std[word[i]] = 1
                    else if (word[1] ~ /^</) only[word[1]] = only[word[1]] " " word[i]
                    else may[word[1], word[i]] = 1
            }
        }
        function check_foreign(header,   word, n, i) {
            if (header in std) return
            if (!(header in known)) { refuse(header " is in no line of tools/layers.txt"); return }
            n = split(only[header], word)
            for (i = 1; i <= n; i++) if (matches(file, word[i])) return
            refuse(header " is for" only[header] " only")
        }
        function check_own(path,   row, to, tester) {
            to = folder_of(path)
            row = (file in known) ? file : folder_of(file)
            tester = file ~ /_(test|fuzz)\.c$/
            if (path !~ /\//) { refuse("\"" path "\" is not written from the root"); return }
            if ((getline ignored < path) < 0) { refuse("\"" path "\" does not exist"); return }
            close(path)
            if (!(row in known)) { refuse(row " is in no line of tools/layers.txt"); return }
            if (to == row || (row, to) in may || (row, path) in may) return
            if (tester && (("test", path) in may || ("test", to) in may)) return
            refuse(row " may not include " path)
        }
        BEGIN { read_table() }
        {
            file = $0; line = 0; files++
            while ((getline text < file) > 0) {
                line++
                if (text !~ /^[ \t]*#[ \t]*include/) continue
                includes++
                sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
                if (match(text, /^<[^>]*>/)) check_foreign(substr(text, 1, RLENGTH))
                else if (match(text, /^"[^"]*"/)) check_own(substr(text, 2, RLENGTH - 2))
                else refuse("an #include that is neither <...> nor \"...\"")
            }
            close(file)
        }
        END {
            printf "layers: %d files, %d includes, %d refused\n", files, includes, bad
            exit bad > 0 || files == 0
        }'
}

# A small tree that keeps the table, then one forbidden line at a time added to one file.
self_test()
{
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    failed=0
    for f in sim/base/must sim/engine/evq sim/net/net sim/browser/lockmgr sim/server/ledger \
        sim/client/client sim/plan oracle/judge oracle/builder reports/store tools/flags; do
        mkdir -p "$tree/${f%/*}"
        : >"$tree/$f.h"
        printf '#include "%s.h"\n#include <stdio.h>\n' "$f" >"$tree/$f.c"
    done
    accepted() # FILE INCLUDE...
    {
        if ! try "$@"; then echo "self-test: refused in $1: $2"; failed=1; fi
    }
    refused()
    {
        if try "$@"; then echo "self-test: accepted in $1: $2"; failed=1; fi
    }
    try()
    {
        cp "$tree/$1" "$tree/kept" 2>/dev/null || : >"$tree/kept"
        echo "#include $2" >>"$tree/$1"
        (check "$tree") >/dev/null 2>&1 && answer=0 || answer=1
        mv "$tree/kept" "$tree/$1"
        return "$answer"
    }
    accepted sim/base/must.c '<string.h>'
    accepted sim/base/must.c '"sim/base/must.h"'
    accepted sim/net/net.c '"sim/engine/evq.h"'
    accepted sim/plan.c '"sim/browser/lockmgr.h"'
    accepted oracle/judge.c '"sim/base/must.h"'
    accepted reports/store.c '<sqlite3.h>'
    accepted reports/store.c '"oracle/judge.h"'
    accepted tools/flags.c '"sim/server/ledger.h"'
    accepted oracle/judge_test.c '<check.h>'
    accepted sim/browser/lockmgr_test.c '"oracle/builder.h"'
    accepted tools/judge_main.c '"oracle/judge.h"'
    refused sim/base/must.c '"sim/engine/evq.h"'
    refused sim/engine/evq.h '"sim/net/net.h"'
    refused sim/net/net.c '"sim/browser/lockmgr.h"'
    refused sim/browser/lockmgr.c '"sim/server/ledger.h"'
    refused sim/browser/lockmgr.c '"oracle/builder.h"'
    refused sim/client/client.c '"sim/engine/evq.h"'
    refused sim/client/client.c '"sim/plan.h"'
    refused sim/plan.c '"oracle/judge.h"'
    refused oracle/judge.c '"sim/plan.h"'
    refused oracle/judge.h '"sim/engine/evq.h"'
    refused oracle/judge_test.c '"sim/engine/evq.h"'
    refused reports/store.c '"sim/plan.h"'
    refused tools/judge_main.c '"sim/plan.h"'
    refused tools/flags.c '<sqlite3.h>'
    refused oracle/judge.c '<jansson.h>'
    refused sim/plan.c '<check.h>'
    refused sim/plan.c '<unknown/header.h>'
    refused sim/base/must.c '"must.h"'
    refused sim/base/must.c '"sim/base/absent.h"'
    refused sim/base/must.c '  MACRO'
    mkdir -p "$tree/sim/new"
    refused sim/new/new.c '"sim/base/must.h"'
    [ $failed = 0 ] && echo "layers: self-test passed"
    return $failed
}

case ${1:-} in
--self-test) self_test ;;
-*) echo "usage: tools/check-layers.sh [--self-test | FOLDER]" >&2; exit 2 ;;
*) check "${1:-$here/..}" ;;
esac
