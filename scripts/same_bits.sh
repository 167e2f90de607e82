#!/usr/bin/env bash
# The launches of every kernel of the tree on every engine that this machine can run or emulate, and
# docs/same-bits.md, the table of what they compute, by hash (scripts/same_bits.py). An engine that
# cannot run here has a line that says so, and is not in the table. Fails where a bit differs.
# usage: same_bits.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
hashes=$PWD/build/same-bits
logs=$PWD/build/same-bits-logs
export HOLOGRAM_PYTHON=$python
failed=0

skipped() { echo "same-bits: SKIPPED: $*"; }
engines() { # NAME COMMAND...
  local name=$1 status=0
  shift
  "$@" >"$logs/$name" 2>&1 || status=$?
  if [ $status -eq 77 ]; then
    skipped "$(tail -n 1 "$logs/$name")"
  elif [ $status -ne 0 ]; then
    tail -n 20 "$logs/$name"
    echo "same-bits: $name failed"
    failed=1
  else
    echo "same-bits: $name"
  fi
}

rm -rf "$hashes" "$logs"
mkdir -p "$logs"
scripts/venv.sh
cmake --preset release -DPython3_EXECUTABLE="$python" >"$logs/build"
cmake --build build/release -j "$jobs" --target hologram hologram_cli hologram_jit fakecuda >"$logs/build"
tool=build/release/bin/hologram library=build/release/lib/libhologram.so

engines x86-64 "$python" tests/kernels/run.py $tool $library --hashes "$hashes"
for order in first last 1; do
  FAKECUDA_ORDER=$order HOLOGRAM_CUDA=$PWD/build/release/tests/fakecuda/libcuda.so.1 \
    engines "cuda-$order" "$python" tests/device/device_kernels_test.py $tool $library cuda --hashes "$hashes"
done
if scripts/venv.sh opencl; then
  HOLOGRAM_OPENCL=$PWD/build/opencl-venv/lib/libintelocl.so \
    engines opencl "$python" tests/device/device_kernels_test.py $tool $library opencl --hashes "$hashes"
else
  skipped "Intel's OpenCL runtime could not be installed"
fi
engines aarch64 scripts/aarch64.sh "$jobs" --hashes "$hashes"
if command -v node >/dev/null; then
  scripts/site.sh engine >"$logs/site" 2>&1
  engines wasm "$python" web/tests/compiled_test.py $tool $library build/web/hologram.wasm --hashes "$hashes"
else
  skipped "there is no node for WebAssembly"
fi
"$python" scripts/same_bits.py "$hashes" docs/same-bits.md || failed=1
exit $failed
