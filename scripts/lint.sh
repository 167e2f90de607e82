#!/usr/bin/env bash
# Everything that looks at the text of the tree, with the tools of build/venv. usage: lint.sh
set -uo pipefail
cd "$(dirname "$0")/.."
scripts/venv.sh || exit 1
venv=build/venv/bin
failed=""
step() { "$@" || failed+="  ${*#"$venv"/}"$'\n'; }

step scripts/format.sh --check
step $venv/python scripts/check_layers.py
step $venv/python scripts/check_paths.py
step $venv/python scripts/check_sizes.py
step $venv/python scripts/check_words.py
step $venv/python scripts/check_structure.py
step $venv/python scripts/check_contracts.py
step $venv/ruff check -q python scripts tests kernels operations examples bench web
step $venv/ruff format -q --check python scripts tests operations examples/python bench web
# Types are checked without the packages of the environment: a wheel is used where NumPy is not.
step $venv/mypy --no-error-summary --no-site-packages python/hologram python/atlas_kernel.py
# Last, as some steps print much after an error of another.
[ -z "$failed" ] || { printf "lint failed:\n%s" "$failed"; exit 1; }
echo "lint: ok, ruff and mypy too"
