#!/usr/bin/env bash
# Tests with engines of others on this machine (ctest -L scale): Dask, MPI (mpirun of Debian's
# openmpi-bin, if it is there), Arrow, Polars, pandas and tvm-ffi, which scripts/venv.sh installs in
# build/scale-venv; the module is built if it is not. Where they cannot be installed it says so and
# exits with 77. usage: scale.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
engines=$PWD/build/scale-venv/bin/python
scripts/venv.sh
scripts/venv.sh scale || { echo "scale: SKIPPED, Dask, mpi4py and pyarrow could not be installed"; exit 77; }
mkdir -p build/totals
cmake --preset release -DPython3_EXECUTABLE="$python" -DHOLOGRAM_BUILD_PYTHON=ON \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
  -DHOLOGRAM_SCALE_PYTHON="$engines" >build/scale.log 2>&1 || { tail -n 20 build/scale.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram_cli hologram_python hologram_jit hologram_duckdb hologram_stdlib
ctest --test-dir build/release -L '^scale$' --no-tests=error --output-on-failure \
  --output-junit "$PWD/build/totals/scale.xml"
