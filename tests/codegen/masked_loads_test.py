"""Loads under a mask, by level: instructions of the processor, or loads without a branch a lane.

usage: masked_loads_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

HEAD = "from hologram.lang import *\n\n"
KERNELS = {
    "scattered": """def scattered(
    x: DeviceArray[f32], p: DeviceArray[i32], out: DeviceArray[f32], n: u32
):
    i = get_global_id()
    if i < n:
        if p[i] > 0:
            out[i] = x[p[i]]
""",
    "bytes": """def bytes(x: DeviceArray[u8], p: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        if p[i] > 0:
            out[i] = i32(x[i])
""",
    "row": """@kernel(block=32)
def row(first: DeviceArray[i32], x: DeviceArray[f64], out: DeviceArray[f64]):
    row = get_block_id()
    total = f64(0.0)
    for k in range(first[row] + int(get_local_id()), first[row + 1], 32):
        total += x[k]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[row] = total
""",
}
ZERO = r"hologram\.zero"
GATHER = r"call <\d+ x float> @llvm\.masked\.gather"
BYTES = r"call <\d+ x i8> @llvm\.masked\.load"
SCATTERED = r"call <\d+ x double> @llvm\.masked\.gather"
ROW = r"call <\d+ x double> @llvm\.masked\.load"
# kernel, level, what its LLVM IR has, what it has not
EXPECTED = [
    ("scattered", "v2", ZERO, GATHER),
    ("scattered", "v3", ZERO, GATHER),
    ("scattered", "v4", GATHER, ZERO),
    ("bytes", "v2", ZERO, BYTES),
    ("bytes", "v3", ZERO, BYTES),
    ("bytes", "v4", BYTES, ZERO),
    ("row", "v2", ZERO, ROW),
    ("row", "v3", ROW, SCATTERED),
    ("row", "v4", ROW, ZERO),
]


def main() -> int:
    hologram = sys.argv[1]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, level, has, has_not in EXPECTED:
            path = os.path.join(folder, f"{name}.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(HEAD + KERNELS[name])
            command = [hologram, "compile", path, "--emit", "llvm", "--level", level]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                failures.append(f"{name} at {level}: {done.stderr}")
            elif re.search(has, done.stdout) is None:
                failures.append(f"{name} at {level}: no {has}")
            elif re.search(has_not, done.stdout) is not None:
                failures.append(f"{name} at {level}: {has_not}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(EXPECTED)} forms, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
