#!/bin/sh
# The page environment against real Chromium: each probe of sim/script/prelude still logs there
# what is recorded beside it. That our realms log the same is the unit tests' (prelude_test.c).
#
#   tools/conformance_e2e.sh
#
# Skipped, with a sentence, where Chromium or its driver is missing. One line for each difference;
# the last line is "N passed, N failed".
set -u
# shellcheck source=tools/e2e.sh
. "$(dirname -- "$0")/e2e.sh"

if browser_is_there; then
    browser_claims tools/conformance/chromium.js sim/script/prelude/*_test.js
fi

tell
