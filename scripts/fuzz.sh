#!/usr/bin/env bash
# Every reader under libFuzzer, each for its share of the minutes, two at a time, in two builds:
#   build/fuzz-count  for two thirds of the share: coverage, undefined behaviour that ends the program,
#                     checked containers, nothing that looks at each access: many executions
#   build/fuzz        for the rest, with the address and undefined-behaviour sanitizers: repeats every
#                     input that either build has found, and goes on from these
# Starts from fuzz/corpus/NAME, which `make test` replays, and from what earlier runs found
# (build/fuzz/corpus/NAME). Inputs that crash, leak, use too much memory or take more than eight seconds
# are kept in fuzz/findings, with the command that repeats each. Prints a table with the executions of
# each build; exit 1 if there was a finding. Needs Clang 19 (scripts/setup.sh fuzz).
# usage: fuzz.sh [MINUTES [NAME...]]
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-30}
[ $# -eq 0 ] || shift
sanitized=build/fuzz
counted=build/fuzz-count
findings=fuzz/findings
jobs=${FUZZ_JOBS:-2}  # at a time
seconds_to_hang=8
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in fuzz/*_fuzzer.cc; do names+=("$(basename "$file" _fuzzer.cc)"); done
fi
mkdir -p $sanitized/logs $findings
# A small quarantine: each block of the usual 256 MiB is memory that no cache has.
export ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=16:${ASAN_OPTIONS:-}

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

# fuzz NAME BUILD SECONDS OPTION...: until the time is over or there is a finding. Sets crashes, hangs,
# executions and rate.
fuzz() {
  local name=$1 build=$2 left=$3 run=0 start file program=$2/bin/$1_fuzzer
  local log=$sanitized/logs/$name.${build##*/} corpus=$sanitized/corpus/$name
  local before=$log.before begun=$SECONDS
  crashes=0 hangs=0
  rm -f "$log".*
  mkdir -p "$corpus"
  touch "$before"
  while [ "$left" -gt 0 ] && [ $((crashes + hangs)) -eq 0 ]; do
    start=$SECONDS run=$((run + 1))
    # Without names of functions, which a symbolizer looks up for each new one, and without weights of
    # inputs, which take a tenth of the time.
    "$program" "$corpus" "fuzz/corpus/$name" -max_total_time="$left" -max_len="$(longest "$name")" \
      -timeout=$seconds_to_hang -rss_limit_mb=2560 -artifact_prefix="$findings/$name-" \
      -print_funcs=0 -entropic=0 "${@:4}" -print_final_stats=1 >"$log.$run" 2>&1 && break
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
  executions=$(statistic number_of_executed_units "$log".[0-9]*)
  local seconds=$((SECONDS - begun))
  rate=$((executions / (seconds > 0 ? seconds : 1)))
}

# One fuzzer for so many seconds: this script calls itself.
if [ "${FUZZ_ONE:-}" ]; then
  SECONDS=0
  # Whether a line ran, not how often: else inputs are kept that run loops longer, and are slower.
  fuzz "$FUZZ_ONE" $counted $((minutes * 2 / 3 > 0 ? minutes * 2 / 3 : 1)) -use_counters=0
  row=$(printf '%12d %8d' "$executions" $rate) all_crashes=$crashes all_hangs=$hangs
  fuzz "$FUZZ_ONE" $sanitized $((minutes - minutes * 2 / 3))
  printf '%-10s %s %12d %8d %8d %6d\n' "$FUZZ_ONE" "$row" "$executions" $rate \
    $((all_crashes + crashes)) $((all_hangs + hangs)) >$sanitized/logs/"$FUZZ_ONE".row
  exit 0
fi

# make BUILD FLAGS SANITIZERS
make() {
  cmake -S . -B "$1" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -gline-tables-only" \
    -DCMAKE_CXX_FLAGS="$2" -DHOLOGRAM_SANITIZE="$3" -DHOLOGRAM_LIBFUZZER=ON -DHOLOGRAM_COMBINE=ON \
    -DHOLOGRAM_ENABLE_COMPILER=OFF \
    -DPython3_EXECUTABLE="${PYTHON:-$(command -v python3)}" >"$1.log" 2>&1 ||
    { cat "$1.log"; exit 1; }
  cmake --build "$1" -j "${JOBS:-$(nproc)}" --target "${names[@]/%/_fuzzer}" >"$1.log" 2>&1 ||
    { cat "$1.log"; exit 1; }
}
# The operands of comparisons, which a run with sanitizers mutates towards, take a quarter of its time.
make $counted "-fsanitize-coverage=inline-8bit-counters,pc-table -fsanitize-trap=undefined \
-D_GLIBCXX_ASSERTIONS" undefined
make $sanitized -fsanitize=fuzzer-no-link address,undefined

share=$((minutes * 60 * jobs / ${#names[@]}))
[ $share -gt 1 ] || share=2
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I '{}' env FUZZ_ONE='{}' scripts/fuzz.sh $share '{}'
printf '%-10s %12s %8s %12s %8s\n' '' counted '' sanitized ''
printf '%-10s %12s %8s %12s %8s %8s %6s\n' fuzzer executions a\ second executions a\ second crashes hangs
for name in "${names[@]}"; do cat "$sanitized/logs/$name.row"; done
total=0
for name in "${names[@]}"; do
  total=$((total + $(awk '{ print $6 + $7 }' "$sanitized/logs/$name.row")))
done
if [ $total -ne 0 ]; then
  echo "findings, and the commands that repeat them:"
  find $findings -name '*.command' -exec cat {} +
  exit 1
fi
