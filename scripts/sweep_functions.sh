#!/bin/sh
# The errors of functions written in the language (docs/math.md) on all 2^32 inputs of f32, 10^9
# pairs of f32 and 62,500,000 points of f64, by native code, in the time that nobody else wants.
# Rows are appended to FILE; what is in it is not measured again, so a run may be stopped and
# called again.
#   scripts/sweep_functions.sh [<function>|all [FILE]]
#       FILE: build/release/functions.txt
set -eu
cd "$(dirname "$0")/.."
build=build/release
cmake --build "$build" --target library_accuracy > /dev/null
# With autogroups each session has a share of the processor, whatever the priorities inside it are.
if [ -w /proc/self/autogroup ]; then echo 19 > /proc/self/autogroup; fi
exec nice -n 19 chrt -i 0 "$build/bin/library_accuracy" "$build/tests/library/functions.holo" \
    "${1:-all}" 1 1000000000 "${2:-$build/functions.txt}"
