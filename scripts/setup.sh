#!/usr/bin/env bash
# Installs what a stage needs when something is missing: Debian 12's packages, if we are root, and for
# test, bench and fuzz the environment build/venv from PyPI. Lines with "installed ... in N s" say how long it took.
# usage: setup.sh run|test|bench|fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

run=(g++ cmake ninja-build llvm-19-dev libzstd-dev zlib1g-dev libpng-dev libminizip-dev nlohmann-json3-dev
     libcli11-dev libyaml-dev libtomlplusplus-dev python3)
module=(python3-dev python3-venv)
test=("${run[@]}" "${module[@]}" libgtest-dev libmpfr-dev libz3-dev clang-format-19 clang-tidy-19
      clang-19 lld-19 qemu-user gdb git)
bench=("${run[@]}" "${module[@]}" libsleef-dev)
fuzz=("${test[@]}" libclang-rt-19-dev)
case "${1:-}" in
  run) wanted=("${run[@]}") ;;
  test) wanted=("${test[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  fuzz) wanted=("${fuzz[@]}") ;;
  *) echo "usage: setup.sh run|test|bench|fuzz" >&2; exit 2 ;;
esac

stages=5
mkdir -p build
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' \
    || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "[1/$stages] all packages are there"
elif [ "$(id -u)" -ne 0 ]; then
  echo "these Debian packages are missing; install them as root and try again:" >&2
  echo "  apt-get install -y ${missing[*]}" >&2
  exit 1
else
  echo "[1/$stages] installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q >build/setup.log 2>&1 || { cat build/setup.log >&2; exit 1; }
  apt-get install -y -q --no-install-recommends "${missing[@]}" >>build/setup.log 2>&1 \
    || { tail -n 40 build/setup.log >&2; exit 1; }
  echo "installed ${#missing[@]} packages in $SECONDS s"
fi
[ "$1" = run ] || scripts/venv.sh
