#!/usr/bin/env bash
# The wheels of dist/ in each CPython from 3.10 that is found, each in an environment of its own, build/pythons/3.X:
# a kernel of the user, the operations, pickles, the interactive prompts, and tests of the module. NumPy and pytest
# come from the index of the caller's pip. Exits with 77 where there are no wheels. usage: pythons.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD
folder=$tree/build/pythons

if ! compgen -G 'dist/hologram-*.whl' >/dev/null; then
  echo "pythons: SKIPPED, there are no wheels in dist/: make wheels"
  exit 77
fi
for minor in 10 11 12 13 14; do
  found=''
  for candidate in python3.$minor "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3.$minor; do
    if "$candidate" -c '' 2>/dev/null; then found=$candidate; fi
  done
  tag=cp3$minor-cp3$minor
  if [ "$minor" -ge 12 ]; then tag=cp312-abi3; fi
  if [ -z "$found" ]; then
    echo "pythons: CPython 3.$minor: SKIPPED, there is no python3.$minor"
  elif ! compgen -G "dist/hologram-*-$tag-*.whl" >/dev/null; then
    echo "pythons: CPython 3.$minor: SKIPPED, there is no wheel $tag in dist/"
  else
    python=$folder/3.$minor/bin/python
    rm -rf "$folder/cache"
    [ -x "$python" ] || "$found" -m venv "$folder/3.$minor"
    "$python" -m pip install -q --disable-pip-version-check --only-binary :all: numpy pytest
    "$python" -m pip install -q --disable-pip-version-check --no-index --no-deps --force-reinstall --find-links dist \
      hologram hologram-jit
    run() { (cd "$folder" && XDG_CACHE_HOME=$folder/cache PYTHONPATH=$tree/python/tests "$python" "$@"); }
    module=$(run -c 'import hologram._native as module; print(module.__file__.rpartition("/")[2])')
    echo "pythons: CPython 3.$minor: $module"
    run "$tree/tests/wheels/first_kernel.py" native
    run "$tree/tests/wheels/prompt_test.py" basic
    if [ "$minor" -ge 13 ]; then run "$tree/tests/wheels/prompt_test.py" new; fi
    # These find NumPy, DLPack and buffers by fields and slots, and threads by their end.
    run -m pytest -q -p no:cacheprovider -o pythonpath= "$tree"/python/tests/test_{binding,exit,foreign,reentry}.py
  fi
done
