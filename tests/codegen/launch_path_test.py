"""How many instructions a launch runs before its lanes: the generated check of some kernels.

usage: launch_path_test.py HOLOGRAM KERNELS [--print]

A default launch enters NAME.default_entry, which checks the arguments and calls or jumps to the lanes,
by way of NAME.row where there is one. Their instructions are counted in the disassembly, padding left
out. MOST has the counts before launches could be cancelled; a change may add two. --print prints the
counts instead.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ALLOWED = 2
MOST = {
    "elementwise/vector_add": 77,
    "elementwise/saxpy": 78,
    "movement/gather": 89,
    "elementwise/vector_exp": 54,
}
PADDING = re.compile(r"\b(nop|int3|cs|data16)\b|^xchg +%ax,%ax")


def count(hologram: str, file: Path, folder: str) -> int:
    output = f"{folder}/{file.stem}.o"
    command = [hologram, "compile", str(file), "--entry", file.stem, "-o", output]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    command = ["objdump", "-d", "--no-show-raw-insn", output]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    total = 0
    counts = False
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if head:
            counts = head[1].endswith((".row", ".default_entry"))
            continue
        instruction = re.match(r" *[0-9a-f]+:\t(.+)", line)
        if counts and instruction and not PADDING.search(instruction[1]):
            total += 1
    return total


def main() -> int:
    hologram, kernels = sys.argv[1:3]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, most in MOST.items():
            found = count(hologram, Path(kernels) / f"{name}.py", folder)
            if "--print" in sys.argv:
                print(f'    "{name}": {found},')
            elif found == 0 or found > most + ALLOWED:
                wrong += 1
                print(
                    f"FAIL {name}: {found} instructions, {most} before; {ALLOWED} more are allowed"
                )
            else:
                print(f"{name}: {found} instructions, {most} before")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
