"""How long a stranger waits: medians of new processes, in milliseconds.

usage: start_times.py    run by scripts/fresh_wheels.sh with wheels, by make bench GROUP=start; needs NumPy
Prints each time with its bar, and the processor time in it: the machine may be busy, so that a time
above its bar is no failure.
"""

import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 20
ARRAYS = "import numpy\nx = numpy.ones(1000, numpy.float32)\n"
CLOCK = "import time; start = time.perf_counter(), time.process_time()\n"
END = "\nprint(time.perf_counter() - start[0], time.process_time() - start[1])"
FIRST_OP = "import hologram as hg\nhg.ops.add(x, x)"
IMPORT = "from kernel import scale\n"
LAUNCH = "scale(2.0, x, len(x))"
KERNEL = """\
import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]
"""


# The first run, which is not measured, writes the compiled forms of modules.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}


def run(folder: str, text: str) -> list[float]:
    command = [sys.executable, "-c", text]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return [1000 * float(word) for word in done.stdout.split()]


def report(folder: str, what: str, text: str, bar: float) -> None:
    run(folder, text)
    times = [run(folder, text) for _ in range(ROUNDS)]
    wall, work = (statistics.median(column) for column in zip(*times))
    above = "" if wall <= bar else ": ABOVE"
    print(f"start_times: {what}: {wall:.1f} ms, bar {bar:.0f}{above}; {work:.1f} of processor time")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.py"), "w", encoding="utf-8") as file:
            file.write(KERNEL)
        first = ARRAYS + CLOCK + FIRST_OP + END
        report(folder, "import hologram, first hg.ops call", first, 30)
        cached = ARRAYS + CLOCK + IMPORT + LAUNCH + END
        report(folder, "import, first call of a cached kernel", cached, 40)
        report(folder, "that call alone", ARRAYS + IMPORT + CLOCK + LAUNCH + END, 40)


main()
