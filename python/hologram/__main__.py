"""The command `hologram` of a wheel: `python3 -m hologram run ...`.

`python3 -m hologram --prefix` prints the folder that CMake needs as CMAKE_PREFIX_PATH.
"""

from __future__ import annotations

import os
import sys

PREFIX = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Becomes the command, whose front end is this Python unless HOLOGRAM_PYTHON names another."""
    if sys.argv[1:] == ["--prefix"]:
        print(PREFIX)
        return
    command = os.path.join(PREFIX, "bin", "hologram")
    if not os.access(command, os.X_OK):
        sys.exit(f"hologram: error: {command} is missing; it is part of the wheel of a release")
    os.environ.setdefault("HOLOGRAM_PYTHON", sys.executable)
    os.execv(command, ["hologram", *sys.argv[1:]])


if __name__ == "__main__":
    main()
