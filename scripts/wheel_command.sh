#!/bin/sh
# The command of a wheel for those that look for a program (CMake): its code is in the Python module. Packed as
# hologram/bin/hologram by scripts/wheels.py, for PYTHON. Beside the packages of an environment, in
# lib/python3.X/site-packages, is its Python; elsewhere the one of that version that is found runs it.
packages=$(dirname -- "$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")")
name=$(basename -- "$(dirname -- "$packages")")
case $name in python3.*) ;; *) name=PYTHON ;; esac
python=$packages/../../../bin/$name
[ -x "$python" ] || python=$name
exec "$python" -I -c 'import sys
sys.path.insert(0, sys.argv.pop(1))
from hologram.__main__ import main
main()' "$packages" "$@"
