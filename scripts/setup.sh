#!/usr/bin/env bash
# Installs what a stage needs from Debian 12's packages, when something is missing and we are root.
# usage: setup.sh run|test|bench
set -euo pipefail
cd "$(dirname "$0")/.."

run=(g++ cmake ninja-build llvm-19-dev libzstd-dev zlib1g-dev libpng-dev nlohmann-json3-dev
     libcli11-dev libyaml-dev libtomlplusplus-dev python3)
test=("${run[@]}" libgtest-dev libmpfr-dev libz3-dev python3-dev python3-numpy python3-pytest
     python3-jsonschema python3-venv clang-format-19 clang-19
      lld-19 qemu-user gdb git)
bench=("${run[@]}" libsleef-dev)
case "${1:-}" in
  run) wanted=("${run[@]}") ;;
  test) wanted=("${test[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  *) echo "usage: setup.sh run|test|bench" >&2; exit 2 ;;
esac

stages=5
if [ "$1" = test ]; then stages=6; fi
mkdir -p build
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' \
    || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "[1/$stages] all packages are there"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "these Debian packages are missing; install them as root and try again:" >&2
  echo "  apt-get install -y ${missing[*]}" >&2
  exit 1
fi
echo "[1/$stages] installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >build/setup.log 2>&1 || { cat build/setup.log >&2; exit 1; }
apt-get install -y -q --no-install-recommends "${missing[@]}" >>build/setup.log 2>&1 \
  || { tail -n 40 build/setup.log >&2; exit 1; }
