"""The command `hologram` of a wheel: `python3 -m hologram run ...`.

`python3 -m hologram --prefix` prints the folder that CMake needs as CMAKE_PREFIX_PATH.
"""

from __future__ import annotations

import os
import signal
import sys

PREFIX = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Becomes the command, whose front end is this Python unless HOLOGRAM_PYTHON names another."""
    if sys.argv[1:] == ["--prefix"]:
        print(PREFIX)
        return
    from hologram import _native

    if not hasattr(_native, "run_command_line"):
        sys.exit("hologram: error: there is no command here; it is part of the wheel of a release")
    places = {
        "HOLOGRAM_PYTHON": sys.executable,
        "HOLOGRAM_STDLIB": os.path.join(PREFIX, "stdlib.holo"),
        "HOLOGRAM_JIT": os.path.join(PREFIX, "lib", "libhologram_jit.so"),
    }
    own = [name for name, path in places.items() if name not in os.environ and os.path.exists(path)]
    os.environ.update({name: places[name] for name in own})
    # As a program of its own has them: Python would only make a note of the first.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(_native.run_command_line([os.fsencode(text) for text in sys.argv[1:]], own))


if __name__ == "__main__":
    main()
