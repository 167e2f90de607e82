#!/usr/bin/env python3
"""Makes a shared library an extension file of DuckDB, which reads 512 bytes at its end.

usage: extension_file.py LIBRARY FILE PLATFORM VERSION

They are eight fields of 32 bytes, the last one first, and room for a signature, which is empty:
such files are loaded where `allow_unsigned_extensions` is set. PLATFORM is what DuckDB calls it.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

FIELD, SIGNATURE = 32, 256
API = Path(__file__).with_name("api.h")


def footer(platform: str, version: str) -> bytes:
    interface = re.search(r'kApiVersion = "(v[0-9.]+)"', API.read_text(encoding="utf-8"))
    if interface is None:
        sys.exit(f"extension_file: error: {API} has no kApiVersion")
    fields = ["4", platform, interface[1], version, "C_STRUCT", "", "", ""]
    rows = [field.encode().ljust(FIELD, b"\0") for field in reversed(fields)]
    return b"".join(rows) + bytes(SIGNATURE)


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    library, file, platform, version = sys.argv[1:]
    part = Path(f"{file}.part")
    part.write_bytes(Path(library).read_bytes() + footer(platform, version))
    os.replace(part, file)


if __name__ == "__main__":
    main()
