"""Started by `hologram debug`: `python3 __main__.py FOLDER`, a folder as request.py describes."""

from __future__ import annotations

import sys

_FOLDER = __file__.rpartition("/")[0] or "."
_ROOT = _FOLDER.rpartition("/")[0].rpartition("/")[0]
sys.path = [_ROOT, *(entry for entry in sys.path if entry not in (_FOLDER, ""))]

from hologram.debugger.session import main  # noqa: E402  (the path is set up first)

sys.exit(main(sys.argv[1]))
