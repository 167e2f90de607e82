#!/usr/bin/env bash
# Prints "N passed, N failed, N skipped" for all that wrote into build/totals: ctest (NAME.xml) and steps of
# test_more.sh without it (NAME.step). With an argument other than 0, the status of the whole run, at least
# one is counted as failed: a build that failed ran no test. usage: totals.sh [STATUS]
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/../build/totals"
passed=0 failed=0 skipped=0
for file in *.xml; do
  count() { sed -n "s/^.*[[:space:]]$1=\"\([0-9]*\)\".*$/\1/p" "$file" | head -n 1; }
  suite_failed=$(count failures) suite_skipped=$(($(count skipped) + $(count disabled)))
  failed=$((failed + suite_failed))
  skipped=$((skipped + suite_skipped))
  passed=$((passed + $(count tests) - suite_failed - suite_skipped))
done
for file in *.step; do
  result=$(<"$file")
  declare -i "$result+=1"
done
if [ "${1:-0}" -ne 0 ] && [ $failed -eq 0 ]; then failed=1; fi
echo "$passed passed, $failed failed, $skipped skipped"
