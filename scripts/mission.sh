#!/usr/bin/env bash
# hologram.search against SciPy and NetworkX, hologram.qsim against Qiskit Aer, which scripts/venv.sh
# installs in build/mission-venv; the module is built if it is not. Where they cannot be installed it
# says so and exits with 77. usage: mission.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
python=$PWD/build/venv/bin/python
scripts/venv.sh
scripts/venv.sh mission || { echo "mission: SKIPPED, SciPy, NetworkX and Qiskit Aer could not be installed"; exit 77; }
cmake --preset release -DPython3_EXECUTABLE="$python" -DHOLOGRAM_BUILD_PYTHON=ON \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
  >build/mission.log 2>&1 || { tail -n 20 build/mission.log >&2; exit 1; }
cmake --build build/release -j "$jobs" --target hologram_python hologram_jit hologram_stdlib guard_pages
# Threads of Aer that spin would wait for each other on a machine that does other things.
OMP_WAIT_POLICY=passive PYTHONPATH=$PWD/build/release/python build/mission-venv/bin/python -m pytest -q -rs \
  -p no:cacheprovider -o pythonpath= python/tests/test_search_peers.py python/tests/test_qsim_peers.py
