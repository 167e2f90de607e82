#!/usr/bin/env bash
# Builds and packs a release into dist/ (docs/release.md). Objects are those of other builds, if ccache is
# there; only the links differ (cmake/Portable.cmake).
# usage: wheels.sh wheels     hologram for each CPython from 3.10 that is found, hologram-jit, the sdist
#        wheels.sh package    .tar.gz and .deb
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/build/venv/bin/python
build=$PWD/build/wheel
jobs=${JOBS:-$(nproc)}
log=$PWD/build/wheel.log

fail() { tail -n 30 "$log" >&2; echo "wheels: error: $*, log in $log" >&2; exit 1; }
configure() { # FOLDER PYTHON ENABLE_COMPILER
  cmake --preset release -B "$1" -DHOLOGRAM_PORTABLE=ON -DHOLOGRAM_WERROR=ON \
    -DHOLOGRAM_DEVELOPER_MODE=OFF -DHOLOGRAM_ENABLE_COMPILER="$3" -DHOLOGRAM_BUILD_PYTHON=ON \
    -DPython3_EXECUTABLE="$python" -DPython_EXECUTABLE="$2" \
    -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >"$log" 2>&1 || fail "$1 could not be configured"
}
make_targets() { # FOLDER TARGETS...
  local folder=$1
  shift
  cmake --build "$folder" -j "$jobs" --target "$@" >"$log" 2>&1 || fail "$* could not be built"
}

stage=${1:-}
case $stage in wheels | package) ;; *) sed -n 's/^# usage: /usage: /p; s/^#    /   /p' "$0" >&2; exit 2 ;; esac
mkdir -p build dist
configure "$build" "$python" ON
make_targets "$build" hologram hologram_cli hologram_jit hologram_stdlib hologram_python
if [ "$stage" = package ]; then
  (cd "$build" && cpack) >"$log" 2>&1 || fail "cpack failed"
  rm -rf dist/_CPack_Packages
  ls -sh dist/*.deb dist/*-linux-*.tar.gz
  "$python" scripts/check_portable.py dist/*.deb dist/*-linux-*.tar.gz
  exit
fi

# The Python of build/venv has its module in $build; each other has a folder of its own for it.
own=$("$python" -c 'import sys; print(sys.version_info[1])')
modules=()
for minor in 10 11 12 13 14; do
  found='' folder=$build
  for candidate in python3.$minor "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3.$minor; do
    if "$candidate" -c '' 2>/dev/null; then found=$candidate; fi
  done
  if [ "$minor" = "$own" ]; then
    found=$python
  elif [ -z "$found" ]; then
    echo "wheels: CPython 3.$minor: SKIPPED, there is no python3.$minor"
    continue
  elif ! "$found" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
    echo "wheels: CPython 3.$minor: SKIPPED, $found has no Python.h"
    continue
  else
    folder=$build-3.$minor
    configure "$folder" "$("$found" -c 'import sys; print(sys.executable)')" OFF
    make_targets "$folder" hologram_python
  fi
  cmake --install "$folder" --prefix "$folder/module" --component wheel >"$log" 2>&1 || fail "no module of 3.$minor"
  modules+=("$folder"/module/_native.cpython-3"$minor"-*.so)
done
# The sdist, not the package of `make package`, whose name ends in -linux-ARCH.tar.gz.
find dist -maxdepth 1 \( -name '*.whl' -o -name 'hologram-*.tar.gz' ! -name '*-linux-*' \) -delete
"$python" scripts/wheels.py "$build" dist "${modules[@]}"
"$python" scripts/check_portable.py dist/*.whl
