"""hologram profile: the listing of docs/seeing.md, counts that can be known, results and errors.

usage: profile_test.py HOLOGRAM DOCUMENT
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LISTING = re.compile(
    r"^```python\n(from hologram.lang.*?)^```\n\n```\n\$ hologram (profile .*?)\n(.*?)^```$",
    re.M | re.S,
)


def npy(count: int) -> bytes:
    """An array of the numbers from 0, in the format of NumPy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header = header.ljust(117) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    return head + header.encode() + struct.pack(f"<{count}f", *range(count))


def main() -> int:
    hologram, document = sys.argv[1:]
    source, command, expected = LISTING.findall(Path(document).read_text(encoding="utf-8"))[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "work.py").write_text(source, encoding="utf-8")
        (place / "x.npy").write_bytes(npy(1000))

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([hologram, *words], cwd=place, capture_output=True, text=True)

        shown = run(*command.split())
        assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
        assert shown.stdout == expected, f"expected:\n{expected}\nfound:\n{shown.stdout}"
        # The launch is a launch: its results are those of the compiled kernel.
        profiled = (place / "y.npy").read_bytes()
        (place / "y.npy").unlink()
        assert run("run", *command.split()[1:]).returncode == 0
        assert (place / "y.npy").read_bytes() == profiled
        # Every third lane takes the branch, whatever the block is.
        line = next(k for k, text in enumerate(source.splitlines(), 1) if "sqrt(total)" in text)
        for block in ("32", "96", "1024"):
            words = [*command.split(), "--grid", str(-(-1000 // int(block))), "--block", block]
            rows = [row.split() for row in run(*words).stdout.splitlines()]
            [row] = [row for row in rows if row[0] == str(line)]
            assert row[1] == "334", (block, row)
        # A fault has its line, and nothing is written.
        (place / "y.npy").unlink()
        wrong = run(*[word if "n=" not in word else "n=1020" for word in command.split()])
        assert (
            wrong.returncode == 1 and "work.py:11:29: error: x[(i + k) % n]" in wrong.stderr
        ), wrong.stderr
        assert wrong.stdout == "" and not (place / "y.npy").exists()
        assert run("profile").returncode == 2
    print("profile: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
