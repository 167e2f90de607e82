#!/usr/bin/env bash
# Makes the project's Python environments from lock files with hashes, with Debian's Python: whatever
# `python3` means to the user takes no part. Does nothing where an environment is what its lock says.
# usage: venv.sh            build/venv, for tests, lint and bench, from scripts/requirements.lock
#        venv.sh interop    build/interop-venv (some GB), for scripts/interop.sh, from scripts/interop.lock
#        venv.sh ports      build/ports-venv, for bench/ports, from scripts/ports.lock
#        venv.sh mission    build/mission-venv, for scripts/mission.sh, from scripts/mission.lock
#        venv.sh opencl     build/opencl-venv (0.8 GB), for scripts/opencl.sh, from scripts/opencl.lock
#        venv.sh scale      build/scale-venv (0.7 GB), for scripts/scale.sh, from scripts/scale.lock
#        venv.sh site       build/site-venv, for scripts/site.sh, from scripts/site.lock
#        venv.sh seeing     build/seeing-venv, for scripts/seeing.sh, from scripts/seeing.lock
#        venv.sh wasm       build/wasm-venv, for scripts/wasm.sh, from scripts/wasm.lock
#        venv.sh --lock     writes the lock files from the .in files beside them, with uv
set -euo pipefail
cd "$(dirname "$0")/.."
base=/usr/bin/python3
uv=0.13.9
# Settings of other environments, conda's among them, must not reach into these.
unset PYTHONHOME PYTHONPATH PIP_USER PIP_TARGET PIP_PREFIX

fail() { echo "error: $*" >&2; exit 1; }

make_venv() { # FOLDER LOCK
  local folder=$1 lock=$2 log=$1.log state
  "$base" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$folder needs $base with its module venv: scripts/setup.sh test installs python3-venv"
  # An environment has its own path in its scripts: one that was moved is made again.
  state="$("$base" --version) $(sha256sum <"$lock") $PWD"
  [ "$(cat "$folder/made-from" 2>/dev/null)" = "$state" ] && return
  local start=$SECONDS
  echo "making $folder from $lock, packages from PyPI"
  mkdir -p build
  rm -rf "$folder"
  "$base" -m venv "$folder" >"$log" 2>&1 || { cat "$log" >&2; fail "$folder could not be made"; }
  "$folder/bin/python" -m pip --disable-pip-version-check install -q --only-binary :all: \
    --require-hashes -r "$lock" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    fail "pip could not install $lock (see $log); it needs PyPI, or an index that pip is configured for"
  }
  echo "$state" >"$folder/made-from"
  echo "installed $folder in $((SECONDS - start)) s"
}

write_lock() { # NAME OLDEST_PYTHON
  # --universal: one file for every Python from the oldest on.
  build/uv-venv/bin/uv pip compile --quiet --universal --python-version "$2" --generate-hashes \
    --only-binary :all: --no-emit-index-url --custom-compile-command "scripts/venv.sh --lock" \
    "scripts/$1.in" -o "scripts/$1.lock"
}

case "${1:-}" in
  "") make_venv build/venv scripts/requirements.lock ;;
  interop) make_venv build/interop-venv scripts/interop.lock ;;
  ports) make_venv build/ports-venv scripts/ports.lock ;;
  mission) make_venv build/mission-venv scripts/mission.lock ;;
  opencl) make_venv build/opencl-venv scripts/opencl.lock ;;
  scale) make_venv build/scale-venv scripts/scale.lock ;;
  site) make_venv build/site-venv scripts/site.lock ;;
  seeing) make_venv build/seeing-venv scripts/seeing.lock ;;
  wasm) make_venv build/wasm-venv scripts/wasm.lock ;;
  --lock)
    [ -x build/uv-venv/bin/uv ] || "$base" -m venv build/uv-venv
    build/uv-venv/bin/pip install -q "uv==$uv"
    write_lock requirements 3.10
    write_lock interop 3.11
    write_lock ports 3.10
    write_lock mission 3.11
    write_lock opencl 3.10
    write_lock site 3.11
    write_lock scale 3.11
    write_lock seeing 3.10
    write_lock wasm 3.10
    ;;
  *) echo "usage: venv.sh [interop|ports|mission|opencl|scale|seeing|site|wasm|--lock]" >&2; exit 2 ;;
esac
