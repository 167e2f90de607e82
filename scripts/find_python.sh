#!/usr/bin/env bash
# Prints the Python that tests and kernels are compiled with: the first of python3 and
# /usr/bin/python3 that has NumPy (the tests need it), else whatever python3 there is.
for candidate in "${HOLOGRAM_PYTHON:-}" python3 /usr/bin/python3; do
  [ -n "$candidate" ] && "$candidate" -c 'import numpy' 2>/dev/null && { command -v "$candidate"; exit; }
done
command -v python3 || echo /usr/bin/python3
