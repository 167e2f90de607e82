"""Starts the front end: `python3 -m hologram.frontend FILE` or `python3 -I -S __main__.py FILE`.

The second form starts fastest. Both take the current directory off the module path, so a file
that lies beside the user's kernels and is called like a standard module is never run.
"""

from __future__ import annotations

import sys


def _package_root() -> str:
    path = __file__
    for _ in range(3):  # python/hologram/frontend/__main__.py -> python
        path = path.rpartition("/")[0] or ("." if not path.startswith("/") else "/")
    return path


if __package__:
    del sys.path[0:1]
else:
    _FOLDER = __file__.rpartition("/")[0] or "."
    sys.path = [_package_root(), *(entry for entry in sys.path if entry != _FOLDER)]

from hologram.frontend.cli import main  # noqa: E402  (the path is set up first)

sys.exit(main(sys.argv[1:]))
