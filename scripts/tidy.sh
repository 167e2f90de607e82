#!/usr/bin/env bash
# Looks with clang-tidy 19 at the C++ lines that differ from a commit. It needs the compile commands
# of the release build (make run, or cmake --preset release) and says so where there are none.
# usage: tidy.sh [--most N] [BASE]   BASE: where this branch left its upstream, else the last commit but
# one; N: that many sources, the smallest ones
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/release/compile_commands.json ]; then
  echo "tidy: skipped: there is no build/release/compile_commands.json; cmake --preset release"
  exit 77
fi
if ! command -v "${CLANG_TIDY:-clang-tidy-19}" >/dev/null; then
  echo "tidy: error: clang-tidy-19 is missing; scripts/setup.sh test installs it" >&2
  exit 1
fi
most=()
if [ "${1:-}" = --most ]; then
  most=("$1" "$2")
  shift 2
fi
base=${1:-$(git merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD~1)}
if ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  echo "tidy: skipped: there is no commit $base to compare with"
  exit 77
fi
exec build/venv/bin/python scripts/tidy.py "${most[@]}" "$base"
