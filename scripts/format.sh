#!/usr/bin/env bash
# Formats all C and C++ files of the tree with clang-format 19, or with --check only says which ones
# differ. Exit 1 if some do, or if clang-format 19 is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

check=false
case "${1:-}" in
  "") ;;
  --check) check=true ;;
  *)
    echo "usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac

tool=${CLANG_FORMAT:-clang-format-19}
if ! command -v "$tool" >/dev/null; then
  echo "format: error: $tool is missing; scripts/setup.sh test installs it, or set CLANG_FORMAT" >&2
  exit 1
fi

mapfile -d '' files < <(git ls-files -z -- '*.h' '*.hpp' '*.cc' '*.c')
present=()
for file in "${files[@]}"; do
  [ -f "$file" ] && present+=("$file")
done

if ! $check; then
  "$tool" -i "${present[@]}"
  echo "format: ${#present[@]} files formatted"
  exit 0
fi

# One process for all; each by itself only to name those that differ.
bad=0
if "$tool" --dry-run -Werror "${present[@]}" >/dev/null 2>&1; then
  echo "format: ok, ${#present[@]} files"
  exit 0
fi
for file in "${present[@]}"; do
  if ! "$tool" --dry-run -Werror "$file" >/dev/null 2>&1; then
    echo "$file: error: not formatted; run scripts/format.sh"
    bad=$((bad + 1))
  fi
done
if [ "$bad" -ne 0 ]; then
  echo "format: $bad of ${#present[@]} files differ from clang-format 19"
  exit 1
fi
echo "format: ok, ${#present[@]} files"
