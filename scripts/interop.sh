#!/usr/bin/env bash
# Tests with arrays of NumPy 2, PyTorch and JAX (ctest -L interop), which scripts/venv.sh installs in
# build/interop-venv (some GB); the module is built if it is not. Where they cannot be installed it says
# so and exits with 77. usage: interop.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
peers=$PWD/build/interop-venv/bin/python
scripts/venv.sh
scripts/venv.sh interop || { echo "interop: SKIPPED, NumPy 2, PyTorch and JAX could not be installed"; exit 77; }
mkdir -p build/totals
cmake --preset release -DPython3_EXECUTABLE="$python" -DHOLOGRAM_BUILD_PYTHON=ON \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
  -DHOLOGRAM_INTEROP_PYTHON="$peers" >build/interop.log 2>&1 || { tail -n 20 build/interop.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram_python hologram_jit hologram_stdlib
"$peers" -c 'import jax, numpy, torch; print("NumPy", numpy.__version__, "PyTorch", torch.__version__, "JAX", jax.__version__)'
ctest --test-dir build/release -L interop --no-tests=error --output-on-failure -j "$jobs" \
  --output-junit "$PWD/build/totals/interop.xml"
