#!/usr/bin/env bash
# Random programs on every engine, for as long as one wants: the interpreter against the reference in NumPy
# (REFERENCE programs), then against the scalar reference and native code for x86-64-v3 (half of NATIVE programs) and v4 (the others), on 1, 2 and 7 threads.
# One program in ten has arbitrary control flow, the others are structured. All processors; prints counts and
# time. The first difference is printed as a conformance file and ends the run. Seeds of earlier runs need not be tried again:
# FIRST is the number of the first program.
# usage: differential.sh [REFERENCE [NATIVE [FIRST]]]
set -euo pipefail
cd "$(dirname "$0")/.."
reference=${1:-1000000}
native=${2:-60000}
first=${3:-0}
test=build/release/bin/differential_test
python=${PYTHON:-build/venv/bin/python}
[ -x $test ] || { echo "error: $test is missing; build it with ninja -C build/release differential_test" >&2; exit 1; }

for share in cfg:10 structured:90; do
  family=${share%:*} count=$((reference * ${share#*:} / 100))
  [ $count -eq 0 ] ||
    "$python" tests/differential/numpy_reference.py $test $family --seed 3 --first "$first" --count $count
done

# Two processes, one for each level: the first half of the numbers as code for v3, the second for v4.
for share in cfg:10 structured:90; do
  family=${share%:*} half=$((native * ${share#*:} / 200))
  [ $half -gt 0 ] || continue
  running=()
  for level in v3 v4; do
    [ $level = v3 ] && start=$first other=v4 || start=$((first + half)) other=v3
    $test $family --seed 4 --small --without x86-64-v2 --without x86-64-$other \
      --threads 2 --threads 7 --first $start --count $half &
    running+=($!)
  done
  for process in "${running[@]}"; do wait "$process"; done
done
