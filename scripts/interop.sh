#!/usr/bin/env bash
# Tests with arrays of NumPy 2, PyTorch and JAX (ctest -L interop). A Python that has not got them all
# gets them from PyPI, in build/interop-venv (some GB); the module is built if it is not.
# usage: interop.sh [PYTHON [JOBS]]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-$(scripts/find_python.sh)}
jobs=${2:-$(nproc)}
has_peers() {
  "$1" -c 'import jax, ml_dtypes, numpy, pytest, torch; assert numpy.lib.NumpyVersion(numpy.__version__) >= "2.0.0"' 2>/dev/null
}
peers=$python
if ! has_peers "$peers"; then
  peers=$PWD/build/interop-venv/bin/python
  if ! has_peers "$peers"; then
    echo "installing NumPy 2, PyTorch, JAX and pytest in build/interop-venv"
    "$python" -m venv build/interop-venv
    # The second index has PyTorch for CPUs alone, which pip prefers where it can be reached.
    "$peers" -m pip install -q --retries 1 --extra-index-url https://download.pytorch.org/whl/cpu \
      'numpy>=2' torch jax ml_dtypes pytest >build/interop.log 2>&1 || { tail -n 20 build/interop.log >&2; exit 1; }
  fi
fi
options=$(scripts/python_module.sh "$python")
case $options in
  *PYTHON=OFF*) echo "no Python module, no tests: scripts/lint.sh installs nanobind" >&2; exit 1 ;;
esac
# shellcheck disable=SC2086  # several words
cmake --preset release -DPython3_EXECUTABLE="$python" $options -DHOLOGRAM_INTEROP_PYTHON="$peers" \
  >build/interop.log 2>&1 || { tail -n 20 build/interop.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram_python hologram_jit hologram_stdlib
"$peers" -c 'import jax, numpy, torch; print("NumPy", numpy.__version__, "PyTorch", torch.__version__, "JAX", jax.__version__)'
ctest --test-dir build/release -L interop --no-tests=error --output-on-failure
