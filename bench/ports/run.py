"""Programs ported from other systems, against their Numba twins, both on one thread.

Without names all of them: run.py [NAME...].
"""

import os
import statistics
import sys
import time

os.environ["HOLOGRAM_NUM_THREADS"] = "1"

try:
    import numba  # noqa: F401
except ImportError:
    print("ports against Numba: SKIPPED, scripts/venv.sh ports installs it")
    sys.exit(0)

import numpy as np
from common import all_programs, copied, tried

ROUNDS = 5


def seconds(function, data, count):
    """Processor time per call, which other programs on the machine disturb less."""
    start = time.process_time()
    for _ in range(count):
        function(*data)
    return (time.process_time() - start) / count


def calls(function, data):
    """How many calls take about 50 ms."""
    return max(1, int(0.05 / max(seconds(function, data, 1), 1e-6)))


def compare(name, style, program, twin, data, check):
    """Checks both forms, measures them in turn, and prints a line."""
    kernel = tried(program)
    ours, theirs = copied(data), copied(data)
    for form, arrays in ((kernel, ours), (twin, theirs)):
        form(*arrays)
        check(*arrays)
    counts = calls(kernel, ours), calls(twin, theirs)
    pairs = [
        (seconds(kernel, ours, counts[0]), seconds(twin, theirs, counts[1])) for _ in range(ROUNDS)
    ]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    last = kernel.last_launch
    why = "; ".join(x for x in (last.reason, last.condition) if x)
    refused = "  refused by default" if kernel.refusal else ""
    print(
        f"{name:15} {style:9} {mine * 1e6:9.1f} us {other * 1e6:9.1f} us {ratio:6.2f}"
        f"  {last.engine} {why}{refused}",
        flush=True,
    )
    return ratio, last.engine == "interpreter", bool(kernel.refusal)


def main(names):
    found = [
        compare(*program)
        for program in all_programs(np.random.default_rng(1))
        if not names or program[0] in names
    ]
    ratios = [ratio for ratio, _, _ in found]
    print(
        f"{len(found)} programs: median {statistics.median(ratios):.2f}, "
        f"below 1.0: {sum(r < 1.0 for r in ratios)}, "
        f"interpreted: {sum(x for _, x, _ in found)}, "
        f"refused by default: {sum(x for _, _, x in found)}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
