#!/usr/bin/env bash
# The whole tree through Clang 19 with all warnings as errors, nothing but its syntax: the product is
# compiled by GCC 12 and by Clang 19, and `make test` builds with one of them. Needs what `make test`
# installs and built. usage: clang.sh [PYTHON [JOBS]]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-$PWD/build/venv/bin/python}
jobs=${2:-$(nproc)}
build=build/clang
# Headers that the build writes are those of build/release.
cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_CXX_FLAGS="-I$PWD/build/release/include" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DHOLOGRAM_WERROR=ON -DHOLOGRAM_DEVELOPER_MODE=ON \
  -DHOLOGRAM_BUILD_PYTHON=ON -DPython_EXECUTABLE="$python" -DPython3_EXECUTABLE="$python" \
  -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >$build.log 2>&1 ||
  { cat $build.log; exit 1; }
"$python" scripts/clang.py $build "$jobs"
