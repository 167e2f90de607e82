#!/usr/bin/env bash
# Allocations of a compilation fail, alone and with all that follow: all places, or each N-th. A compiling process
# makes a child at each, some 28,000 in all, half of them on each of two processors. make test does one in a hundred.
# usage: allocations.sh [N]
set -euo pipefail
cd "$(dirname "$0")/.."
every=${1:-1}
[ -f build/release/build.ninja ] || cmake --preset release >build/allocations.log 2>&1
cmake --build build/release --target hologram_jit capi_allocation_test capi_make_bundle
export HOLOGRAM_JIT=$PWD/build/release/lib/libhologram_jit.so HOLOGRAM_CACHE_DIR=
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trust=$(build/release/bin/capi_make_bundle "$folder/kernels.holo" plain)
shard() { # FIRST
  build/release/bin/capi_allocation_test "$folder/kernels.holo" "$trust" "$folder" --plugin-all "$1" $((2 * every))
}
shard 0 >"$folder/even" &
even=$!
failed=0
shard "$every" || failed=1
wait $even || failed=1
cat "$folder/even"
exit $failed
