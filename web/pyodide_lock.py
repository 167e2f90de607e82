#!/usr/bin/env python3
"""Pyodide's lock file for the site: without the packages that the site does not have, so that the
page knows what it can load.

usage: pyodide_lock.py PYODIDE-LOCK.JSON FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> int:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    lock = json.loads(source.read_text(encoding="utf-8"))
    lock["packages"] = {
        name: about
        for name, about in lock["packages"].items()
        if (folder / about["file_name"]).exists()
    }
    (folder / source.name).write_text(json.dumps(lock), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
