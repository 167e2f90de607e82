#!/usr/bin/env bash
# Every reader under libFuzzer with the address and undefined-behaviour sanitizers, each for its share
# of the minutes, two at a time. Starts from fuzz/corpus/NAME, which `make test` replays, and from what
# earlier runs found (build/fuzz/corpus/NAME). Inputs that crash, leak, use too much memory or take
# more than eight seconds are kept in fuzz/findings, with the command that repeats each. Prints a
# table; exit 1 if there was a finding. Needs Clang 19 (scripts/setup.sh fuzz).
# usage: fuzz.sh [MINUTES [NAME...]]
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-30}
[ $# -eq 0 ] || shift
build=build/fuzz
findings=fuzz/findings
jobs=${FUZZ_JOBS:-2}  # at a time
seconds_to_hang=8
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in fuzz/*_fuzzer.cc; do names+=("$(basename "$file" _fuzzer.cc)"); done
fi
mkdir -p $build/logs $findings

# The longest input: what a reader takes a millisecond for.
longest() {
  case $1 in
    signature | verify) echo 1024 ;;
    circuit | png) echo 2048 ;;
    elf | library) echo 16384 ;;
    *) echo 6144 ;;
  esac
}

# A value of the final statistics in the logs of a fuzzer, summed over its runs.
statistic() {
  awk -v name="stat::$1:" '$1 == name { sum += $2 } END { print sum + 0 }' "${@:2}"
}

# Whether an input alone takes that long: on a busy machine the clock of a run says little.
hangs() {
  ! (ulimit -t $seconds_to_hang && "$1" -timeout=600 "$2") >/dev/null 2>&1
}

fuzz() {
  local name=$1 left=$2 run=0 crashes=0 hangs=0 start file program=$build/bin/$1_fuzzer
  local log=$build/logs/$name corpus=$build/corpus/$name before=$build/logs/$name.before
  rm -f "$log".*
  mkdir -p "$corpus"
  touch "$before"
  while [ "$left" -gt 0 ] && [ $((crashes + hangs)) -eq 0 ]; do
    start=$SECONDS run=$((run + 1))
    "$program" "$corpus" "fuzz/corpus/$name" -max_total_time="$left" -max_len="$(longest "$name")" \
      -timeout=$seconds_to_hang -rss_limit_mb=2560 -artifact_prefix="$findings/$name-" \
      -print_final_stats=1 >"$log.$run" 2>&1 && break
    left=$((left - (SECONDS - start)))
    local found=0
    while IFS= read -r file; do
      found=1
      if [[ $file != *-timeout-* && $file != *-slow-unit-* ]]; then
        crashes=$((crashes + 1))
      elif [[ $file == *-timeout-* ]] && hangs "$program" "$file"; then
        hangs=$((hangs + 1))
      else
        rm "$file"
        continue
      fi
      echo "$program $file" >"$file.command"
    done < <(find $findings -name "$name-*" ! -name '*.command' -newer "$before")
    [ $found -eq 1 ] || crashes=$((crashes + 1))
    touch "$before"
  done
  find $findings -name "$name-slow-unit-*" -delete
  local executions rate
  executions=$(statistic number_of_executed_units "$log".[0-9]*)
  rate=$((executions / (SECONDS > 0 ? SECONDS : 1)))
  printf '%-10s %14d %14d %8d %6d\n' "$name" "$executions" "$rate" $crashes $hangs >"$log.row"
}

# One fuzzer for so many seconds: this script calls itself.
if [ "${FUZZ_ONE:-}" ]; then
  SECONDS=0
  fuzz "$FUZZ_ONE" "$minutes"
  exit 0
fi
cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -gline-tables-only" \
  -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link -DHOLOGRAM_SANITIZE=address,undefined \
  -DHOLOGRAM_LIBFUZZER=ON -DHOLOGRAM_ENABLE_COMPILER=OFF \
  -DPython3_EXECUTABLE="${PYTHON:-$(command -v python3)}" >$build.log 2>&1 ||
  { cat $build.log; exit 1; }
cmake --build $build -j "${JOBS:-$(nproc)}" --target "${names[@]/%/_fuzzer}" >$build.log 2>&1 ||
  { cat $build.log; exit 1; }

export ASAN_OPTIONS=allocator_may_return_null=1:${ASAN_OPTIONS:-}
share=$((minutes * 60 * jobs / ${#names[@]}))
[ $share -gt 0 ] || share=1
printf '%s\n' "${names[@]}" | xargs -P $jobs -I '{}' env FUZZ_ONE='{}' scripts/fuzz.sh $share '{}'
printf '%-10s %14s %14s %8s %6s\n' fuzzer executions executions/s crashes hangs
for name in "${names[@]}"; do cat "$build/logs/$name.row"; done
total=0
for name in "${names[@]}"; do
  total=$((total + $(awk '{ print $4 + $5 }' "$build/logs/$name.row")))
done
if [ $total -ne 0 ]; then
  echo "findings, and the commands that repeat them:"
  find $findings -name '*.command' -exec cat {} +
  exit 1
fi
