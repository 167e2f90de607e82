#!/usr/bin/env bash
# Everything that looks at the text of the tree. usage: lint.sh PYTHON
set -uo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
failed=0
step() { "$@" || failed=1; }

step scripts/format.sh --check
step "$python" scripts/check_layers.py
step "$python" scripts/check_sizes.py
# ruff and mypy, and nanobind for the Python module, come from PyPI, pinned, into a virtual
# environment of the build folder.
mkdir -p build
venv=build/lint-venv
if [ ! -x "$venv/bin/ruff" ] || [ ! -x "$venv/bin/mypy" ]; then
  { "$python" -m venv "$venv" && "$venv/bin/pip" install -q ruff==0.8.4 mypy==1.13.0 nanobind==3.1.0; } \
    >build/lint-venv.log 2>&1
fi
# NVIDIA's assembler, with which a test assembles the PTX of every kernel.
if ! ls "$venv"/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas >/dev/null 2>&1; then
  "$venv/bin/pip" install -q nvidia-cuda-nvcc-cu12==12.9.86 >>build/lint-venv.log 2>&1 \
    || echo "ptxas: could not be installed (see build/lint-venv.log); its test will be skipped"
fi
if [ -x "$venv/bin/ruff" ] && [ -x "$venv/bin/mypy" ]; then
  step "$venv/bin/ruff" check -q python scripts tests kernels examples
  step "$venv/bin/ruff" format -q --check python scripts tests examples/python
  step "$venv/bin/mypy" --no-error-summary --strict python/hologram
  [ $failed -eq 0 ] && echo "python: ruff and mypy ok"
else
  echo "python: ruff and mypy SKIPPED, they could not be installed (see build/lint-venv.log)"
fi
exit $failed
