#!/usr/bin/env bash
# Builds the runtime and the C API with the thread sanitizer, without the compiler plugin, and runs
# their tests: the thread pool, launches that are cut, launches from several threads at once.
# Arguments: the Python interpreter, parallel jobs.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-$PWD/build/venv/bin/python}
jobs=${2:-$(nproc)}
build=$PWD/build/tsan
mkdir -p build
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHOLOGRAM_SANITIZE=thread \
  -DHOLOGRAM_DEVELOPER_MODE=ON -DHOLOGRAM_ENABLE_COMPILER=OFF -DPython3_EXECUTABLE="$python" \
  >$build.log 2>&1 || { cat $build.log; exit 1; }
cmake --build $build -j "$jobs" --target runtime_test capi_make_bundle capi_c_test capi_cpp_test
# The sanitizer of GCC 12 does not know the address spaces of newer kernels: no randomisation.
run() { setarch "$(uname -m)" --addr-no-randomize "$@"; }
run $build/bin/runtime_test
for kind in native plain; do
  hash=$($build/bin/capi_make_bundle $build/threads.holo $kind)
  path=$([ $kind = native ] && echo "native (bundle, v2)" || echo interpreter)
  HOLOGRAM_JIT=/nonexistent run $build/bin/capi_cpp_test $build/threads.holo "$hash" "$path"
done
