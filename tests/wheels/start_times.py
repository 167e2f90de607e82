"""How long a stranger waits: medians of new processes with the installed wheels, in milliseconds.

usage: start_times.py          run by scripts/fresh_wheels.sh; needs NumPy
Prints each time with its bar (docs/release.md); the machine may be busy, so that a time above its bar is
no failure.
"""

import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 9
START = "import time; start = time.perf_counter()\n"
END = "\nprint((time.perf_counter() - start) * 1000)"
FIRST_OP = """\
import hologram as hg
hg.ops.add(x, x)"""
KERNEL = """\
import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]
"""
CALL = "\nfrom kernel import scale\nimport time; start = time.perf_counter()\nscale(2.0, x, len(x))"
ARRAYS = "import numpy\nx = numpy.ones(1000, numpy.float32)\n"


def run(folder: str, text: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def report(folder: str, what: str, text: str, bar: float) -> None:
    run(folder, text)
    middle = statistics.median(run(folder, text) for _ in range(ROUNDS))
    print(
        f"start_times: {what}: {middle:.1f} ms, bar {bar:.0f}{'' if middle <= bar else ': ABOVE'}"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.py"), "w", encoding="utf-8") as file:
            file.write(KERNEL)
        report(folder, "import hologram, first hg.ops call", ARRAYS + START + FIRST_OP + END, 30)
        report(folder, "first call of a cached kernel", ARRAYS + CALL + END, 40)


main()
