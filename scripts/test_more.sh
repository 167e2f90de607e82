#!/usr/bin/env bash
# The tests that `make test` leaves out because they need more than Debian's packages, or more time:
# some 50 minutes on two processors. A step is a line at the end of this file. It exits with 77 where
# it has said that it cannot run here; all steps run, whatever becomes of one. usage: test_more.sh [JOBS]
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
totals=build/totals
mkdir -p $totals
failed=0

step() { # NAME COMMAND...
  local name=$1 status=0 start=$SECONDS
  shift
  echo "[test-more] $name"
  rm -f "$totals/$name.xml" "$totals/$name.step"
  "$@" || status=$?
  case $status in
    0) result=passed ;;
    77) result=skipped ;;
    *) result=failed failed=1 ;;
  esac
  # A step that ran ctest has its tests in NAME.xml; any other, or one that ended before, is one test.
  [ -e "$totals/$name.xml" ] || echo "$result" >"$totals/$name.step"
  echo "[test-more] $name: $result in $((SECONDS - start)) s"
}

# The long forms of tests of `make test`.
long_forms() {
  cmake --build build/release -j "$jobs" >build/long-forms.log 2>&1 || { cat build/long-forms.log; return 1; }
  ctest --test-dir build/release --output-on-failure -L more -j "$jobs" \
    --output-junit "$PWD/$totals/long-forms.xml"
}

# Environments of later steps, which are downloaded and unpacked by one thread; where one cannot be had its step
# says so.
environments() {
  local name
  for name in interop scale seeing mission opencl site; do scripts/venv.sh $name || true; done
}

mkdir -p build
environments >build/environments.log 2>&1 &
environments=$!
step tidy scripts/tidy.sh --most 24
step long-forms long_forms
wait $environments || true
step sanitize scripts/sanitize.sh "$PWD/build/venv/bin/python" "$jobs"
step interop scripts/interop.sh "$jobs"
step scale scripts/scale.sh "$jobs"
step seeing scripts/seeing.sh "$jobs"
step mission scripts/mission.sh "$jobs"
step opencl scripts/opencl.sh "$jobs"
step wasm scripts/wasm.sh "$jobs"
step aarch64 scripts/aarch64.sh "$jobs"
step site scripts/site.sh test
step allocations scripts/allocations.sh 8
step pythons scripts/pythons.sh
exit $failed
