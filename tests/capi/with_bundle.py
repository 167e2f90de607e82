"""Makes a bundle and runs a command with BUNDLE and TRUST in its place, in a folder of its own, and
CACHE, a folder in it that is not there yet.

usage: with_bundle.py MAKE_BUNDLE KIND COMMAND ARGUMENT...
"""

import os
import subprocess
import sys
import tempfile


def main() -> int:
    make_bundle, kind, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        bundle = os.path.join(folder, "kernels.holo")
        made = subprocess.run([make_bundle, bundle, kind], check=True, stdout=subprocess.PIPE)
        places = {"BUNDLE": bundle, "TRUST": made.stdout.decode().strip()}
        places["CACHE"] = os.path.join(folder, "cache")
        return subprocess.run([places.get(word, word) for word in command], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
