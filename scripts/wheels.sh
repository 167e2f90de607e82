#!/usr/bin/env bash
# Builds and packs a release into dist/ (docs/release.md). Objects are those of other builds, if ccache is
# there; only the links differ (cmake/Portable.cmake).
# usage: wheels.sh wheels     hologram for the CPythons that are found, hologram-jit, the sdist
#        wheels.sh package    .tar.gz and .deb
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/build/venv/bin/python
build=$PWD/build/wheel
jobs=${JOBS:-$(nproc)}
log=$PWD/build/wheel.log

fail() { tail -n 30 "$log" >&2; echo "wheels: error: $*, log in $log" >&2; exit 1; }
configure() { # FOLDER PYTHON ENABLE_COMPILER STABLE_ABI
  cmake --preset release -B "$1" -DHOLOGRAM_PORTABLE=ON -DHOLOGRAM_WERROR=ON \
    -DHOLOGRAM_DEVELOPER_MODE=OFF -DHOLOGRAM_ENABLE_COMPILER="$3" -DHOLOGRAM_BUILD_PYTHON=ON \
    -DHOLOGRAM_STABLE_ABI="$4" -DPython3_EXECUTABLE="$python" -DPython_EXECUTABLE="$2" \
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
configure "$build" "$python" ON OFF
make_targets "$build" hologram hologram_cli hologram_jit hologram_duckdb hologram_stdlib hologram_python
if [ "$stage" = package ]; then
  (cd "$build" && cpack) >"$log" 2>&1 || fail "cpack failed"
  rm -rf dist/_CPack_Packages
  ls -sh dist/*.deb dist/*-linux-*.tar.gz
  "$python" scripts/check_portable.py dist/*.deb dist/*-linux-*.tar.gz
  exit
fi

find_python() { # MINOR: prints the path of a CPython with Python.h and a GIL, if there is one
  local found='' candidate
  for candidate in "$python" python3."$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$1".*/bin/python3."$1"; do
    if "$candidate" -c "import os, sys, sysconfig
os.stat(sysconfig.get_path('include') + '/Python.h')
sys.exit(sys.version_info[1] != $1 or sysconfig.get_config_var('Py_GIL_DISABLED') == 1)" 2>/dev/null; then
      found=$("$candidate" -c 'import sys; print(sys.executable)')
    fi
  done
  echo "$found"
}
modules=()
add_module() { # FOLDER
  rm -rf "$1/module"
  cmake --install "$1" --prefix "$1/module" --component wheel >"$log" 2>&1 || fail "no module in $1"
  modules+=("$1"/module/_native.*.so)
}

# The Python of build/venv has its module in $build; each other has a folder of its own for it.
own=$("$python" -c 'import sys; print(sys.version_info[1])')
for minor in 10 11; do
  found=$(find_python $minor)
  if [ -z "$found" ]; then
    echo "wheels: CPython 3.$minor: SKIPPED, there is no python3.$minor with Python.h"
  elif [ "$minor" = "$own" ]; then
    add_module "$build"
  else
    configure "$build-3.$minor" "$found" OFF OFF
    make_targets "$build-3.$minor" hologram_python
    add_module "$build-3.$minor"
  fi
done
# One module for all later ones, of the stable ABI of 3.12, by the headers of any of them.
found=''
for minor in 12 13 14; do
  if [ -z "$found" ]; then found=$(find_python $minor); fi
done
if [ -z "$found" ]; then
  echo "wheels: CPython 3.12 and newer: SKIPPED, there is no python3.12, 3.13 or 3.14 with Python.h"
else
  configure "$build-abi3" "$found" OFF ON
  make_targets "$build-abi3" hologram_python
  "$python" scripts/check_portable.py --stable-abi \
    "$("$found" -c 'import sysconfig; print(sysconfig.get_path("include"))')" "$build-abi3/python/hologram/_native.abi3.so"
  add_module "$build-abi3"
fi
# The sdist, not the package of `make package`, whose name ends in -linux-ARCH.tar.gz.
find dist -maxdepth 1 \( -name '*.whl' -o -name 'hologram-*.tar.gz' ! -name '*-linux-*' \) -delete
"$python" scripts/wheels.py "$build" dist "${modules[@]}"
"$python" scripts/check_portable.py dist/*.whl
