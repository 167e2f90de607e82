#!/usr/bin/env bash
# Tests with debugpy and the SDK of OpenTelemetry (ctest -L seeing), which scripts/venv.sh installs in
# build/seeing-venv; the module is built if it is not. Where they cannot be installed it says so and exits
# with 77. usage: seeing.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
peers=$PWD/build/seeing-venv/bin/python
scripts/venv.sh
scripts/venv.sh seeing || { echo "seeing: SKIPPED, debugpy and opentelemetry-sdk could not be installed"; exit 77; }
mkdir -p build/totals
cmake --preset release -DPython3_EXECUTABLE="$python" -DHOLOGRAM_BUILD_PYTHON=ON \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
  -DHOLOGRAM_SEEING_PYTHON="$peers" >build/seeing.log 2>&1 || { tail -n 20 build/seeing.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram_cli hologram_python hologram_jit hologram_stdlib
ctest --test-dir build/release -L seeing --no-tests=error --output-on-failure -j "$jobs" \
  --output-junit "$PWD/build/totals/seeing.xml"
