#!/usr/bin/env bash
# Builds what reads untrusted input (every reader of fuzz/) with the address and undefined-behaviour
# sanitizers, without the compiler plugin, and runs its tests and fuzzers. `long` runs RulePairs and the fuzzers,
# with five times as many inputs: half a million altered bundles among them. Arguments: the Python
# interpreter, parallel jobs, long.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-$PWD/build/venv/bin/python}
jobs=${2:-$(nproc)}
form=${3:-short}
build=build/asan
mkdir -p build/totals
targets=(base_test isa_test sigmatics_test statevector_test text_test verify_test soundness_test interpreter_test frontend_test
  cli_unit_test)
for fuzzer in fuzz/*_fuzzer.cc; do targets+=("$(basename "$fuzzer" .cc)"); done
# -O1 and line tables: building takes longer than running here.
cmake --preset asan -DHOLOGRAM_ENABLE_COMPILER=OFF \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DPython3_EXECUTABLE="$python" >$build.log 2>&1 ||
  { cat $build.log; exit 1; }
cmake --build $build -j "$jobs" --target "${targets[@]}"
# soundness_test tries 100,000 programs by itself, which is long with sanitizers.
if [ "$form" = long ]; then
  $build/bin/soundness_test --first 2000 --count 4000
  $build/bin/sigmatics_test --gtest_filter='RulePairs.*'
  exec ctest --test-dir $build --output-on-failure -R "_fuzzer_long\$" -j "$jobs" \
    --output-junit "$PWD/build/totals/sanitized-fuzzers.xml"
fi
$build/bin/soundness_test --count 2000
# RulePairs compares forms of values for minutes here: `make test` has run it without sanitizers, the long form
# has it with them.
export GTEST_FILTER='-RulePairs.*'
only=$(IFS='|'; echo "${targets[*]}" | sed 's/soundness_test|//')
ctest --test-dir $build --output-on-failure -R "^($only)\$" -j "$jobs" \
  --output-junit "$PWD/build/totals/sanitize.xml"
