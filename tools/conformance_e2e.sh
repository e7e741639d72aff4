#!/bin/sh
# Real Chromium beside what was recorded of it.
#
#   tools/conformance_e2e.sh
#
# The probes of tools/conformance/probes: several tabs that are frozen, closed, cached, robbed; a
# table tells which rule the installed browser still follows. To record them anew:
# node tools/conformance/run.js --record [NAME...].
#
# The page environment: each probe of sim/script/prelude still logs in Chromium what is recorded
# beside it. That our realms log the same is the unit tests' (prelude_test.c).
#
# Skipped, with a sentence, where Chromium or its driver is missing. One line for each difference;
# the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

# The tabs need no driver from npm: they are driven over the browser's own pipe.
tabs_are_there()
{
    for program in node "${CHROMIUM:-chromium}"; do
        command -v "$program" >/dev/null || skipped "$program" || return
    done
}

if tabs_are_there; then browser_claims tools/conformance/run.js; fi
if browser_is_there; then
    browser_claims tools/conformance/chromium.js sim/script/prelude/*_test.js
fi

tell
