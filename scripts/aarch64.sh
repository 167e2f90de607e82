#!/usr/bin/env bash
# hologram on AArch64, under qemu: the library, the command and the compiler plugin are built by Clang against
# Debian's arm64 packages, which mmdebstrap unpacks in build/aarch64-root (1 GB; nothing of this system
# changes). There every kernel of the tree runs on both engines with the bits of x86-64, the conformance files run
# interpreted, and a kernel is compiled and run as a user does. Where it cannot run a line says so, and it
# exits with 77. usage: aarch64.sh [JOBS [OPTION...]]; the options are those of tests/kernels/run.py
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
root=$PWD/build/aarch64-root
build=$PWD/build/aarch64
log=$PWD/build/aarch64.log
packages=libc6-dev,libstdc++-12-dev,libgcc-12-dev,zlib1g-dev,libzstd-dev,libpng-dev,libminizip-dev,libyaml-dev
packages+=,nlohmann-json3-dev,libcli11-dev,libtomlplusplus-dev,libgtest-dev,llvm-19-dev,python3,python3-numpy

skip() { echo "aarch64: SKIPPED, $*"; exit 77; }
logged() { "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }; }

# Debian's packages, unpacked: no program of another processor runs for that.
make_root() {
  [ "$(cat "$root/made-from" 2>/dev/null)" = "$packages" ] && return
  local sources=() file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -s "$file" ] && grep -q bookworm "$file"; then sources+=("$file"); fi
  done
  local start=$SECONDS
  rm -rf "$root"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$packages" bookworm "$root" \
    "${sources[@]}" >"$log" 2>&1 || { tail -n 5 "$log"; return 1; }
  # Links to files of the root, which is / there.
  find "$root" -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sfn "$(realpath -sm --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
  done
  # LLVM's CMake files name this library as it is there.
  sed -i "s#/usr/lib/aarch64-linux-gnu/libz3.so#$root&#" "$root"/usr/lib/llvm-19/lib/cmake/llvm/LLVMExports.cmake
  echo "$packages" >"$root/made-from"
  echo "installed $root in $((SECONDS - start)) s"
}

for tool in qemu-aarch64 clang++-19 ld.lld-19; do
  command -v $tool >/dev/null || skip "there is no $tool (scripts/setup.sh test)"
done
if ! command -v mmdebstrap >/dev/null; then
  [ "$(id -u)" -eq 0 ] || skip "there is no mmdebstrap"
  { apt-get update -q && apt-get install -y -q --no-install-recommends mmdebstrap; } >"$log" 2>&1 ||
    skip "mmdebstrap could not be installed"
fi
make_root || skip "the packages for arm64 could not be had"
scripts/venv.sh

run=(qemu-aarch64 -L "$root")
# Debian's NumPy finds its BLAS by a link that an installation makes.
blas=$root/usr/lib/aarch64-linux-gnu/blas:$root/usr/lib/aarch64-linux-gnu/lapack

# Programs of this machine that take part: the command compiles for AArch64, Python is the front end.
logged cmake --preset release -DPython3_EXECUTABLE="$python"
logged cmake --build build/release -j "$jobs" --target hologram_cli hologram_jit
"$python" tests/conformance/generate.py build/aarch64-conformance >"$log"
logged cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" \
  -DHOLOGRAM_SYSROOT="$root" -DCMAKE_BUILD_TYPE=Release -DHOLOGRAM_COMBINE=ON -DHOLOGRAM_WERROR=ON \
  -DHOLOGRAM_DEVELOPER_MODE=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPython3_EXECUTABLE="$python"
logged cmake --build "$build" -j "$jobs" --target hologram hologram_cli hologram_jit conformance_test runtime_test
export HOLOGRAM_PYTHON=$python HOLOGRAM_CACHE_DIR=

# qemu emulates one thread at a time: two halves side by side.
programs() {
  echo "aarch64: the loader"
  "${run[@]}" "$build/bin/runtime_test" --gtest_brief=1 \
    --gtest_filter='Elf*:Relocations*:CpuFeatures*:Split*:Guarded*' || return 1
  echo "aarch64: conformance files, interpreted, and each eightieth compiled there"
  "${run[@]}" "$build/bin/conformance_test" --no-coverage --engine interpreter tests/conformance \
    build/aarch64-conformance || return 1
  "${run[@]}" "$build/bin/conformance_test" --no-coverage --threads 2 --every 80 tests/conformance \
    build/aarch64-conformance
}
kernels() {
  echo "aarch64: every kernel of the tree, compiled by this machine"
  "${run[@]}" -E "LD_LIBRARY_PATH=$blas" "$root/usr/bin/python3.11" tests/kernels/run.py build/release/bin/hologram \
    "$build/lib/libhologram.so" "$@" || return 1
  echo "aarch64: fifty kernels, compiled there, against their published hashes"
  "${run[@]}" "$build/bin/hologram" doctor | tee "$log" | grep "^[a-z]* *test" || return 1
  [ "$(grep -c '^ok *test .* 50 of 50 kernels' "$log")" = 2 ]
}
kernels "${@:2}" >"$build/kernels.log" 2>&1 &
status=0
programs || status=1
wait $! || status=1
cat "$build/kernels.log"
exit $status
