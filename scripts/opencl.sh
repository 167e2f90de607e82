#!/usr/bin/env bash
# Device code on a real OpenCL driver (ctest -R ^opencl_): Intel's for processors, which scripts/venv.sh
# installs in build/opencl-venv (0.8 GB). Where it cannot be installed it says so and exits with 77.
# usage: opencl.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
scripts/venv.sh
scripts/venv.sh opencl || { echo "opencl: SKIPPED, Intel's OpenCL runtime could not be installed"; exit 77; }
mkdir -p build/totals
cmake --preset release -DPython3_EXECUTABLE="$python" >build/opencl.log 2>&1 ||
  { tail -n 20 build/opencl.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram hologram_cli device_conformance_test \
  device_differential_test spirv_test
HOLOGRAM_OPENCL=build/opencl-venv/lib/libintelocl.so build/release/bin/hologram devices
ctest --test-dir build/release -R '^opencl_' --no-tests=error --output-on-failure -j "$jobs" \
  --output-junit "$PWD/build/totals/opencl.xml"
