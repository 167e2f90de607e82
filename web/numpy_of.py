#!/usr/bin/env python3
"""Takes NumPy for Pyodide out of a wheel that brings it along. Its hash must be that of Pyodide's
lock file, which comes from npm.

usage: numpy_of.py CARRIER.WHL PYODIDE-LOCK.JSON FOLDER
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path


def main() -> int:
    carrier, lock, folder = sys.argv[1:]
    about = json.loads(Path(lock).read_text(encoding="utf-8"))["packages"]["numpy"]
    with zipfile.ZipFile(carrier) as wheel:
        found = [name for name in wheel.namelist() if name.endswith(f"/{about['file_name']}")]
        if not found:
            sys.exit(f"{carrier} has no {about['file_name']}")
        data = wheel.read(found[0])
    digest = hashlib.sha256(data).hexdigest()
    if digest != about["sha256"]:
        sys.exit(f"{found[0]}: the hash is {digest}, Pyodide's lock file has {about['sha256']}")
    Path(folder, about["file_name"]).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
