#!/usr/bin/env bash
# Compiled kernels in WebAssembly: conformance files, functions and random programs in Node (ctest -L wasm),
# and every kernel of the tree in wasmtime, which scripts/venv.sh installs in build/wasm-venv. Where either
# is missing a line says so; without Node it exits with 77. Every kernel in Node by hologram.js is a test of
# scripts/site.sh, whose engine words the errors.
# usage: wasm.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
command -v node >/dev/null || { echo "wasm: SKIPPED, there is no node"; exit 77; }
scripts/venv.sh
mkdir -p build/totals
cmake --preset release -DPython3_EXECUTABLE="$python" >build/wasm.log 2>&1 || { tail -n 20 build/wasm.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram hologram_cli hologram_jit wasm_tests >build/wasm.log 2>&1 ||
  { tail -n 40 build/wasm.log >&2; exit 1; }
if scripts/venv.sh wasm; then
  build/wasm-venv/bin/python web/tests/wasmtime_test.py build/release/bin/hologram build/release/lib/libhologram.so
else
  echo "wasm: SKIPPED in part, wasmtime could not be installed"
fi
ctest --test-dir build/release -L wasm --no-tests=error --output-on-failure -j "$jobs" \
  --output-junit "$PWD/build/totals/wasm.xml"
