#!/usr/bin/env bash
# The options of cmake with which the Python module is built, if nanobind is there (lint.sh installs
# it from PyPI), else the option that leaves it out, and a line that says so. usage: python_module.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
if folder=$(build/lint-venv/bin/python -m nanobind --cmake_dir 2>/dev/null) &&
  "$python" -c 'import sysconfig, os; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null
then
  echo "-DHOLOGRAM_BUILD_PYTHON=ON -Dnanobind_DIR=$folder -DPython_EXECUTABLE=$python"
else
  echo "Python module: SKIPPED, nanobind could not be installed or $python has no headers" >&2
  echo "-DHOLOGRAM_BUILD_PYTHON=OFF"
fi
